//! Work of the library, done in a thread of its own while the thread that asked waits without Python's
//! lock.
//!
//! The one that waits wakes up now and then, takes the lock, and looks for two things: whether a signal
//! has come (Ctrl-C is `KeyboardInterrupt`, as everywhere in Python), and whether somebody wants to be told
//! how far the work is. If either raises an exception, the work is cancelled, and the exception is the
//! answer. Whatever may be long in the library looks at its flag, so the thread ends soon; it is
//! not waited for longer than [`GRACE`], since it shares nothing that could be left half done.

use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use evenhand::{Cancel, Listener, Progress, PropertyResult, SetProgress};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors;

/// How long to wait before looking for signals.
const PATIENCE: Duration = Duration::from_millis(50);

/// How often somebody is told how far the work is.
const TELLING: Duration = Duration::from_millis(200);

/// How long cancelled work is waited for.
const GRACE: Duration = Duration::from_secs(2);

/// As much as a program's first thread has.
const STACK: usize = 8 << 20;

/// How far the work is.
#[derive(Clone, Debug, Default)]
struct Seen {
    stage: String,
    states: u64,
    depth: u64,
    bytes: u64,
    rounds: u64,
    nodes: u64,
    verdicts: Vec<(String, &'static str)>,
}

/// Hears how the work goes, in its thread, and is asked in another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watch {
    pub cancel: Cancel,
    seen: Arc<Mutex<Seen>>,
}

impl Watch {
    fn see(&self, change: impl FnOnce(&mut Seen)) {
        change(&mut self.seen.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn told<'py>(&self, py: Python<'py>, seconds: f64) -> PyResult<Bound<'py, PyDict>> {
        let mut now = Seen::default();
        self.see(|seen| now = seen.clone());
        let told = PyDict::new(py);
        told.set_item("seconds", seconds)?;
        told.set_item("stage", now.stage)?;
        told.set_item("states", now.states)?;
        told.set_item("depth", now.depth)?;
        told.set_item("bytes", now.bytes)?;
        told.set_item("rounds", now.rounds)?;
        told.set_item("nodes", now.nodes)?;
        told.set_item("verdicts", now.verdicts)?;
        Ok(told)
    }
}

impl Listener for Watch {
    fn progress(&mut self, progress: &Progress) -> bool {
        self.see(|seen| {
            seen.states = progress.states;
            seen.depth = progress.depth;
            seen.bytes = progress.bytes;
        });
        !self.cancel.is_cancelled()
    }

    fn sets(&mut self, sets: &SetProgress) {
        self.see(|seen| {
            seen.rounds = sets.rounds;
            seen.nodes = sets.nodes;
            seen.bytes = sets.bytes;
        });
    }

    fn stage(&mut self, name: &str) {
        self.see(|seen| name.clone_into(&mut seen.stage));
    }

    fn verdict(&mut self, result: &PropertyResult) {
        let verdict = (result.name.clone(), result.verdict.word());
        self.see(|seen| seen.verdicts.push(verdict));
    }
}

/// Does some work. `progress` is called with a dict while it goes on.
pub(crate) fn work<T: Send + 'static>(
    py: Python<'_>,
    watch: &Watch,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(Watch) -> T + Send + 'static,
) -> PyResult<T> {
    let (send, mut receive) = sync_channel(1);
    let own = watch.clone();
    // If nobody waits any more, nobody wants the answer.
    let answer = move || drop(send.send(work(own)));
    let thread = std::thread::Builder::new().stack_size(STACK);
    thread.name("evenhand".to_string()).spawn(answer)?;
    let begun = Instant::now();
    let mut last = begun;
    loop {
        let got;
        (receive, got) = py.detach(move || {
            let got = receive.recv_timeout(PATIENCE);
            (receive, got)
        });
        match got {
            Ok(answer) => return Ok(answer),
            Err(RecvTimeoutError::Disconnected) => {
                let message = "the work ended with a panic; please report it with the model";
                return Err(errors::internal(py, message.to_string()));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        let mut tell = || -> PyResult<()> {
            py.check_signals()?;
            if let Some(progress) = progress.filter(|_| last.elapsed() >= TELLING) {
                last = Instant::now();
                progress.call1((watch.told(py, begun.elapsed().as_secs_f64())?,))?;
            }
            Ok(())
        };
        if let Err(raised) = tell() {
            watch.cancel.cancel();
            py.detach(move || drop(receive.recv_timeout(GRACE)));
            return Err(raised);
        }
    }
}
