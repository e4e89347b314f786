//! Checks that take long: one thread each, progress to look at, an end on demand.
//!
//! A job is known by its number. Few run at the same time and few are remembered; the oldest that are
//! over are forgotten first. A job that panics has an error as its answer.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use evenhand_report::html::{Sample, Samples};
use evenhand_report::text;
use evenhand_verify::{Cancel, Listener, Progress, PropertyResult, SetProgress};
use serde_json::{Value as Json, json};

/// So many jobs run at the same time.
const MOST_RUNNING: usize = 4;

/// So many are remembered.
const KEPT: usize = 12;

/// A job.
pub(crate) struct Job {
    pub number: u64,
    pub cancel: Cancel,
    begun: Instant,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    stage: String,
    progress: Progress,
    sets: Option<SetProgress>,
    names: Vec<String>,
    verdicts: Vec<Json>,
    answer: Option<Json>,
    seconds: f64,
    /// What a person may look at later: the results behind the answer.
    kept: Option<Arc<Kept>>,
}

/// The results of a job.
pub(crate) struct Kept {
    /// The version of the text that it is about.
    pub version: u64,
    pub results: Vec<PropertyResult>,
}

impl Job {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How it goes, or its answer.
    pub fn told(&self) -> Json {
        let state = self.state();
        let seconds = match state.answer {
            Some(_) => state.seconds,
            None => self.begun.elapsed().as_secs_f64(),
        };
        json!({
            "job": self.number,
            "over": state.answer.is_some(),
            "cancelled": self.cancel.is_cancelled(),
            "stage": state.stage,
            "seconds": seconds,
            "states": state.progress.states,
            "depth": state.progress.depth,
            "bytes": state.progress.bytes,
            "nodes": state.sets.map(|sets| sets.nodes),
            "names": state.names,
            "verdicts": state.verdicts,
            "answer": state.answer,
        })
    }

    /// The results, if there are some.
    pub fn kept(&self) -> Option<Arc<Kept>> {
        self.state().kept.clone()
    }

    fn is_over(&self) -> bool {
        self.state().answer.is_some()
    }
}

/// The jobs.
#[derive(Default)]
pub(crate) struct Jobs(Mutex<(u64, VecDeque<Arc<Job>>)>);

impl Jobs {
    fn list(&self) -> MutexGuard<'_, (u64, VecDeque<Arc<Job>>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A job by its number.
    pub fn get(&self, number: u64) -> Option<Arc<Job>> {
        let list = self.list();
        list.1.iter().find(|job| job.number == number).cloned()
    }

    /// Ends all.
    pub fn end(&self) {
        self.list().1.iter().for_each(|job| job.cancel.cancel());
    }

    /// Begins some work; none if too much is going on.
    pub fn begin(
        &self,
        work: impl FnOnce(&mut Watcher) -> (Json, Option<Kept>) + Send + 'static,
    ) -> Option<u64> {
        let mut list = self.list();
        let running = list.1.iter().filter(|job| !job.is_over()).count();
        if running >= MOST_RUNNING {
            return None;
        }
        list.0 += 1;
        let number = list.0;
        let job = Arc::new(Job {
            number,
            cancel: Cancel::new(),
            begun: Instant::now(),
            state: Mutex::default(),
        });
        list.1.push_back(Arc::clone(&job));
        while list.1.len() > KEPT {
            match list.1.iter().position(|job| job.is_over()) {
                Some(at) => drop(list.1.remove(at)),
                None => break,
            }
        }
        drop(list);
        let mut watcher = Watcher::new(Arc::clone(&job));
        let thread = std::thread::Builder::new().stack_size(STACK);
        let spawned = thread.spawn(move || {
            let done = catch_unwind(AssertUnwindSafe(|| work(&mut watcher)));
            let (answer, kept) = done.unwrap_or_else(|_| {
                let message = "internal error: the check failed; please report it with the model";
                let error = json!({ "severity": "error", "message": message });
                (json!({ "errors": [error] }), None)
            });
            let mut state = watcher.job.state();
            state.seconds = watcher.job.begun.elapsed().as_secs_f64();
            state.answer = Some(answer);
            state.kept = kept.map(Arc::new);
        });
        spawned.is_ok().then_some(number)
    }
}

/// Formulas are trees; this is what the main thread of a program has.
const STACK: usize = 8 << 20;

/// Tells a job how its work goes.
pub(crate) struct Watcher {
    pub job: Arc<Job>,
    samples: Samples,
    /// The samples of each property whose verdict is known.
    known: Vec<(String, Vec<Sample>)>,
}

impl Watcher {
    fn new(job: Arc<Job>) -> Watcher {
        Watcher {
            job,
            samples: Samples::default(),
            known: Vec::new(),
        }
    }

    /// How the search for an answer went.
    pub fn samples(&self, name: &str) -> &[Sample] {
        let found = self.known.iter().rev().find(|(known, _)| known == name);
        found.map_or(&[], |(_, samples)| samples)
    }
}

impl Listener for Watcher {
    fn progress(&mut self, progress: &Progress) -> bool {
        self.samples.push(Sample {
            seconds: self.job.begun.elapsed().as_secs_f64(),
            states: progress.states,
            depth: progress.depth,
            bytes: progress.bytes,
        });
        self.job.state().progress = *progress;
        !self.job.cancel.is_cancelled()
    }

    fn plan(&mut self, names: &[String]) {
        self.job.state().names = names.to_vec();
    }

    fn sets(&mut self, sets: &SetProgress) {
        self.job.state().sets = Some(*sets);
    }

    fn stage(&mut self, name: &str) {
        self.job.state().stage = name.to_string();
    }

    fn verdict(&mut self, result: &PropertyResult) {
        let now = self.job.begun.elapsed().as_secs_f64();
        let own = self.samples.take(now, result.seconds);
        self.known.push((result.name.clone(), own));
        let told = json!({ "name": result.name, "verdict": text::word(result) });
        self.job.state().verdicts.push(told);
    }
}
