//! Work that can be left behind: an engine in a thread of its own, with everything it needs.
//!
//! One operation on diagrams may take for ever, and nothing inside of it looks at a limit. So the engine
//! gets a copy of the questions and its own hold on the model, and tells what it finds as soon as it is
//! known. The caller waits, passes on what it is told, and looks at the limits. When one is reached it
//! raises the flag of the engine, and if that is not heard soon, goes on without it: what was told by
//! then counts. The thread ends by itself when its operation does.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use evenhand_explicit::search::Progress;
use evenhand_source::budget::end;
use evenhand_source::{Budget, Exhausted, STACK};

use super::gauge::NoThread;
use crate::answer::PropertyResult;
use crate::engine::Finding;
use crate::listener::{Listener, SetProgress};
use crate::options::Cancel;

/// How often the limits are looked at.
const TICK: Duration = Duration::from_millis(20);

/// How long the engine has to end by itself.
const GRACE: Duration = Duration::from_millis(100);

/// What the engine tells.
pub(crate) enum Told {
    Stage(String),
    Progress(Progress),
    Sets(SetProgress),
    Verdict(Box<PropertyResult>),
    /// The answer to the question at a place.
    Known(usize, Box<Finding>),
}

enum Message<T> {
    Told(Told),
    Done(Result<T, Exhausted>),
}

/// Tells everything to the thread that waits.
#[derive(Clone)]
pub(crate) struct Teller(Arc<dyn Fn(Told) + Send + Sync>);

impl Teller {
    pub fn tell(&self, told: Told) {
        (self.0)(told);
    }
}

impl Listener for Teller {
    fn progress(&mut self, progress: &Progress) -> bool {
        self.tell(Told::Progress(*progress));
        true
    }

    fn sets(&mut self, sets: &SetProgress) {
        self.tell(Told::Sets(*sets));
    }

    fn stage(&mut self, name: &str) {
        self.tell(Told::Stage(name.to_string()));
    }

    fn verdict(&mut self, result: &PropertyResult) {
        self.tell(Told::Verdict(Box::new(result.clone())));
    }
}

/// Does some work in a thread of its own, which ends when `cancel` is raised; passes on what it tells,
/// and ends the work of this thread when a limit is reached. Answers go to `known`.
pub(crate) fn apart<T: Send + 'static>(
    cancel: &Cancel,
    listener: &mut dyn Listener,
    known: &mut dyn FnMut(usize, Finding),
    work: impl FnOnce(Teller) -> T + Send + 'static,
) -> Result<T, NoThread> {
    let budget = Budget::current();
    let (sender, receiver) = channel::<Message<T>>();
    let worker = thread::Builder::new().stack_size(STACK).spawn({
        // The flag is the thread's own: it hears of the other limits by it.
        let budget = budget.clone().cancel(cancel.flag());
        move || {
            let teller = teller(sender.clone());
            let _ = sender.send(Message::Done(budget.run(|| work(teller))));
        }
    });
    let worker = worker.map_err(NoThread)?;
    let mut raised: Option<(Instant, Exhausted)> = None;
    loop {
        match receiver.recv_timeout(TICK) {
            Ok(Message::Done(Ok(done))) => return Ok(done),
            // What ended the work there ends it here.
            Ok(Message::Done(Err(why))) => end(raised.map_or(why, |(_, why)| why)),
            Ok(Message::Told(Told::Stage(name))) => listener.stage(&name),
            Ok(Message::Told(Told::Sets(sets))) => listener.sets(&sets),
            Ok(Message::Told(Told::Verdict(result))) => listener.verdict(&result),
            Ok(Message::Told(Told::Known(place, finding))) => known(place, *finding),
            Ok(Message::Told(Told::Progress(progress))) => {
                if !listener.progress(&progress) {
                    cancel.cancel();
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            // It has panicked.
            Err(RecvTimeoutError::Disconnected) => match worker.join() {
                Err(panic) => resume_unwind(panic),
                Ok(()) => end(Exhausted::Interrupted),
            },
        }
        match raised {
            Some((since, why)) if since.elapsed() > GRACE => {
                // What was told by then counts.
                for message in receiver.try_iter() {
                    if let Message::Told(Told::Known(place, finding)) = message {
                        known(place, *finding);
                    }
                }
                end(why)
            }
            Some(_) => {}
            None => {
                raised = budget.exhausted().map(|why| (Instant::now(), why));
                if raised.is_some() {
                    cancel.cancel();
                }
            }
        }
    }
}

fn teller<T: Send + 'static>(sender: Sender<Message<T>>) -> Teller {
    teller_to(move |told| {
        let _ = sender.send(Message::Told(told));
    })
}

/// Tells everything to somebody.
pub(crate) fn teller_to(to: impl Fn(Told) + Send + Sync + 'static) -> Teller {
    Teller(Arc::new(to))
}
