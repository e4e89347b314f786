//! A run and a place in it.
//!
//! The steps are a list, the initial state first; where a run goes on for ever, the steps behind `back` repeat, and the
//! state at the end is that at `back`. The place is the step that was taken last, so what an editor shows as the line to
//! be executed is that of the next one.

use evenhand::{Counterexample, Files, Span, TraceStep, Value};

pub(super) struct Run {
    steps: Vec<TraceStep>,
    /// Where the steps that repeat begin, if some do.
    back: Option<usize>,
    at: usize,
    pub files: Files,
    /// All processes, by name; one that stands for the system where there are none.
    pub threads: Vec<String>,
    /// What is to be said at the end of a run that ends.
    pub ending: String,
}

impl Run {
    pub fn new(run: Counterexample, files: Files, ending: String) -> Run {
        let back = (!run.cycle.is_empty()).then(|| run.prefix.len().saturating_sub(1));
        let mut threads = run.processes;
        let steps: Vec<TraceStep> = run.prefix.into_iter().chain(run.cycle).collect();
        for name in steps.iter().flat_map(|step| &step.processes) {
            if !threads.contains(name) {
                threads.push(name.clone());
            }
        }
        if threads.is_empty() {
            threads.push("system".to_string());
        }
        Run {
            steps,
            back,
            at: 0,
            files,
            threads,
            ending,
        }
    }

    /// How many steps it has, and how many of them repeat.
    pub fn len(&self) -> (usize, usize) {
        let steps = self.steps.len().saturating_sub(1);
        (steps, self.back.map_or(0, |back| steps - back))
    }

    pub fn forward(&mut self) -> bool {
        let next = self.after(self.at);
        self.at = next.unwrap_or(self.at);
        next.is_some()
    }

    pub fn backward(&mut self) -> bool {
        let can = self.at > 0;
        self.at -= usize::from(can);
        can
    }

    /// Whether the steps from here on were taken before.
    pub fn is_around(&self) -> bool {
        self.back.is_some() && self.at + 1 == self.steps.len()
    }

    /// The number of the last step.
    pub fn number(&self) -> usize {
        self.at
    }

    fn after(&self, at: usize) -> Option<usize> {
        match at + 1 < self.steps.len() {
            true => Some(at + 1),
            false => self.back.map(|back| back + 1),
        }
    }

    /// The step that comes next.
    pub fn next(&self) -> Option<&TraceStep> {
        self.after(self.at).and_then(|at| self.steps.get(at))
    }

    /// The step that was taken last.
    pub fn last(&self) -> Option<&TraceStep> {
        self.steps.get(self.at)
    }

    /// The variables now.
    pub fn state(&self) -> &[(String, Value)] {
        self.last().map_or(&[], |step| &step.state)
    }

    /// The variables that the last step has changed, with their values before and after it.
    pub fn changes(&self) -> Vec<(&str, Option<&Value>, &Value)> {
        let Some(before) = self.at.checked_sub(1).and_then(|at| self.steps.get(at)) else {
            return Vec::new();
        };
        let old = |name: &str| before.state.iter().find(|(known, _)| known == name);
        let now = self.state().iter().map(|(name, value)| {
            let old = old(name).map(|(_, value)| value);
            (name.as_str(), old, value)
        });
        now.filter(|(_, old, value)| *old != Some(*value)).collect()
    }

    /// Whose turn is next: a number among the threads.
    pub fn turn(&self) -> usize {
        let step = self.next().or_else(|| self.last());
        let name = step.and_then(|step| step.process.as_ref());
        let place = name.and_then(|name| self.threads.iter().position(|known| known == name));
        place.unwrap_or(0)
    }

    /// Where a thread stands: its next step from here on, or the last one where it makes no more.
    pub fn stands(&self, thread: usize) -> Option<&TraceStep> {
        let own = |step: &&TraceStep| {
            let name = self.threads.get(thread);
            let moves = name.is_some_and(|name| step.processes.contains(name));
            moves || (step.processes.is_empty() && thread == 0 && step.span.is_some())
        };
        let mut at = self.after(self.at);
        for _ in 0..self.steps.len() {
            let Some(place) = at else { break };
            if let Some(step) = self.steps.get(place).filter(own) {
                return Some(step);
            }
            at = self.after(place);
        }
        let taken = self.steps.get(..=self.at)?;
        taken.iter().rev().find(own)
    }

    /// All places at which a step stands: of an atomic one those of its statements.
    pub fn places(step: &TraceStep) -> impl Iterator<Item = Span> + '_ {
        let inner = step.substeps.iter().map(|inner| inner.span);
        step.span.into_iter().chain(inner)
    }
}
