//! The debug adapter: an editor steps through a run, forward and back, as through a program.
//!
//! The run is there before the first step: the counterexample of a property, or one drawn at random (`launch.rs`). So a
//! session is a place in a list of steps (`run.rs`), and going back costs what going forward does. Processes are
//! threads; a thread stands where its next step in the run begins, variables are those of the state. What repeats for
//! ever is gone through for ever. One thread reads messages and raises the flag that ends a check when the editor
//! leaves; all else is answered in order.
//!
//! Messages are those of the Debug Adapter Protocol on the standard streams (`wire.rs`, `session.rs`).

mod launch;
mod run;
mod session;
mod wire;

use std::io::{BufReader, Error, Result, stdin, stdout};
use std::sync::mpsc::channel;

use evenhand::Cancel;

use self::session::Session;

/// Serves an editor that debugs until it leaves.
///
/// # Errors
/// If the editor does not keep to the protocol, or goes away without a word.
pub fn debug() -> Result<()> {
    let cancel = Cancel::new();
    let flag = cancel.clone();
    let (sender, messages) = channel();
    std::thread::spawn(move || {
        let mut input = BufReader::new(stdin());
        loop {
            let message = wire::read(&mut input);
            let ends = match &message {
                Ok(Some(message)) => {
                    let command = message["command"].as_str();
                    matches!(command, Some("disconnect" | "terminate"))
                }
                _ => true,
            };
            if ends {
                flag.cancel();
            }
            let is_last = !matches!(message, Ok(Some(_)));
            if sender.send(message).is_err() || is_last {
                return;
            }
        }
    });
    let mut session = Session::new(cancel);
    let mut output = stdout().lock();
    for message in messages {
        let Some(request) = message? else { break };
        let goes_on = session.request(&request);
        for answer in session.said() {
            wire::write(&mut output, &answer)?;
        }
        if !goes_on {
            return Ok(());
        }
    }
    Err(Error::other("it left without a word"))
}
