//! The symbolic engine beside somebody else, in turns.
//!
//! It works in a thread of its own (as in `apart.rs`), on a copy of the questions, and takes its turns from the
//! table that it shares with whoever explores states meanwhile. Its answers wait until they are asked for: what it
//! says of how far it is, nobody hears until then.

use std::cell::Cell;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use evenhand_source::{Budget, Exhausted, STACK, Turn};
use evenhand_system::Question;

use super::apart::{Told, teller_to};
use super::gauge::NoThread;
use crate::answer::CheckError;
use crate::case::{Case, Task};
use crate::engine::{Answers, Finding};
use crate::listener::Listener;
use crate::options::Cancel;

/// How often the limits are looked at.
const TICK: Duration = Duration::from_millis(20);

/// How long the engine has to end by itself.
const GRACE: Duration = Duration::from_millis(100);

/// The engine at work.
pub(crate) struct Beside {
    receiver: Receiver<Message>,
    cancel: Cancel,
    findings: Vec<Option<Finding>>,
    /// How it ended, once it has.
    ended: Option<Result<(), CheckError>>,
}

enum Message {
    Told(Told),
    Done(Result<Result<(), CheckError>, Exhausted>),
}

impl Beside {
    /// Begins as soon as it is its turn; none if the case cannot be had twice.
    pub fn begin(
        case: &Case<'_>,
        questions: Vec<Question>,
        turn: Turn,
        budget: &Budget,
    ) -> Result<Option<Beside>, NoThread> {
        let Some(copy) = case.copy() else {
            return Ok(None);
        };
        let (sender, receiver) = channel::<Message>();
        let cancel = Cancel::new();
        let copy = copy.beside().with_cancel(cancel.clone());
        // Whoever waits for it looks at the memory of both.
        let budget = budget.clone().with_any_memory();
        let budget = budget.cancel(cancel.flag()).turn(turn.clone());
        let findings = questions.iter().map(|_| None).collect();
        let work = move || {
            let into = sender.clone();
            let mut teller = teller_to(move |told| {
                let _ = into.send(Message::Told(told));
            });
            let done = budget.run(|| {
                // Nothing is begun before it is asked for.
                evenhand_source::budget::look();
                let tasks: Vec<Task> = questions.into_iter().map(Task::new).collect();
                let tasks: Vec<&Task> = tasks.iter().collect();
                let (sink, open) = (teller.clone(), Cell::new(tasks.len()));
                let sink = |place, found: Finding| {
                    let is_decided = found.result.verdict.is_decided();
                    open.set(open.get() - usize::from(is_decided));
                    sink.tell(Told::Known(place, Box::new(found)));
                };
                let mut answers = Answers::new(&mut teller, tasks.len()).handed_to(&sink);
                let asked = copy.ask(|case| super::ask(case, &tasks, &mut answers));
                (asked, open.get() == 0)
            });
            let with_answers = matches!(done, Ok((Ok(()), true)));
            let _ = sender.send(Message::Done(done.map(|(asked, _)| asked)));
            with_answers
        };
        let worker = thread::Builder::new().stack_size(STACK).spawn({
            let turn = turn.clone();
            move || {
                // Whoever waits for it learns that it is gone, also if it panics.
                let gone = Gone(turn);
                gone.0.leave(work());
            }
        });
        worker.map_err(NoThread)?;
        Ok(Some(Beside {
            receiver,
            cancel,
            findings,
            ended: None,
        }))
    }

    /// Waits for its end, or for a limit, and passes on how far it is.
    pub fn wait(&mut self, budget: &Budget, listener: &mut dyn Listener) {
        let mut raised: Option<Instant> = None;
        while self.ended.is_none() && raised.is_none_or(|since| since.elapsed() < GRACE) {
            match self.receiver.recv_timeout(TICK) {
                Ok(message) => self.take(message, Some(&mut *listener)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if raised.is_none() && budget.exhausted().is_some() {
                self.cancel.cancel();
                raised = Some(Instant::now());
            }
        }
    }

    /// Ends it, and hands over what it has found, and what was wrong.
    pub fn end(mut self) -> (Vec<Option<Finding>>, Result<(), CheckError>) {
        self.cancel.cancel();
        while let Ok(message) = self.receiver.try_recv() {
            self.take(message, None);
        }
        (self.findings, self.ended.unwrap_or(Ok(())))
    }

    fn take(&mut self, message: Message, listener: Option<&mut dyn Listener>) {
        match (message, listener) {
            (Message::Done(done), _) => self.ended = Some(done.unwrap_or(Ok(()))),
            (Message::Told(Told::Known(place, finding)), _) => {
                self.findings[place] = Some(*finding);
            }
            (Message::Told(Told::Stage(name)), Some(listener)) => listener.stage(&name),
            (Message::Told(Told::Sets(sets)), Some(listener)) => listener.sets(&sets),
            (Message::Told(Told::Progress(progress)), Some(listener)) => {
                if !listener.progress(&progress) {
                    self.cancel.cancel();
                }
            }
            (Message::Told(_), _) => {}
        }
    }
}

/// Leaves the table when it is dropped; who has left with answers has done so before.
struct Gone(Turn);

impl Drop for Gone {
    fn drop(&mut self) {
        self.0.leave(false);
    }
}
