//! The symbolic engine at work, seen from outside.
//!
//! An operation on diagrams may take long and says nothing meanwhile. So the engine works in a thread of
//! its own, and the thread of the caller looks at its gauge from time to time and tells the listener.

use std::fmt;
use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use evenhand_source::budget::end;
use evenhand_source::{Budget, STACK};
use evenhand_symbolic::Gauge;

use crate::answer::CheckError;
use crate::listener::{Listener, SetProgress};

/// How often the gauge is looked at.
const TICK: Duration = Duration::from_millis(100);

/// The engine got no thread.
#[derive(Debug)]
pub(crate) struct NoThread(pub(super) std::io::Error);

impl fmt::Display for NoThread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no thread for the engine: {}", self.0)
    }
}

impl From<NoThread> for CheckError {
    fn from(error: NoThread) -> CheckError {
        CheckError::Engine(error.to_string())
    }
}

/// Does some work, and meanwhile tells the listener what the gauge says.
pub(crate) fn watched<T: Send>(
    gauge: &Gauge,
    listener: &mut dyn Listener,
    work: impl FnOnce() -> T + Send,
) -> Result<T, NoThread> {
    let budget = Budget::current();
    let worked = thread::scope(|scope| {
        let (is_done, done) = channel::<()>();
        let worker = thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, move || {
                // Dropped at the end, also if the work panics.
                let _is_done = is_done;
                budget.run(work)
            })
            .map_err(NoThread)?;
        while let Err(RecvTimeoutError::Timeout) = done.recv_timeout(TICK) {
            listener.sets(&SetProgress {
                rounds: gauge.rounds(),
                nodes: gauge.nodes(),
                bytes: gauge.bytes(),
            });
        }
        Ok(worker.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })?;
    // What ended the work there ends it here.
    Ok(worked.unwrap_or_else(|why| end(why)))
}
