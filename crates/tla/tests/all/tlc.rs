//! Explores specifications in TLC's order and counts as TLC counts.
//!
//! A plain breadth-first search over [`Explorer`], written for the tests: it shares nothing with the engines. States
//! outside of constraints are looked at and dropped; what is generated is counted with its duplicates.

use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};

use evenhand_source::Files;
use evenhand_system::{
    Explorer, Kind, Language, Linear, PropositionId, ReadOptions, Request, Successors, What,
};
use evenhand_tla::Tla;

/// What came out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// As in the tables of expected answers: `success`, `safety`, `liveness`, `deadlock`, `assumption`, `error`; or
    /// `limit`.
    pub result: String,
    pub message: String,
    pub distinct: u64,
    pub generated: u64,
    pub depth: u64,
    /// Properties that are temporal formulas, which nobody looked at.
    pub temporal: usize,
}

/// How far to go.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub states: u64,
    pub seconds: u64,
    /// Whether a state without successors is an error, if the configuration does not say otherwise.
    pub deadlock: bool,
    /// Whether states that stand for others are explored even where temporal properties are asked besides.
    pub merged: bool,
}

impl Outcome {
    fn error(message: impl Into<String>) -> Outcome {
        Outcome {
            result: "error".to_string(),
            message: message.into(),
            ..Outcome::default()
        }
    }
}

/// Reads and explores a specification.
pub fn explore(file: &Path, configuration: Option<&Path>, bounds: Bounds) -> Outcome {
    let read = |path: &Path| {
        let bytes = std::fs::read(path).expect("a file");
        let text = String::from_utf8_lossy(&bytes).into_owned();
        (path.display().to_string(), text)
    };
    explore_text(read(file), configuration.map(read), bounds)
}

/// Explores a specification; it and its configuration are given by their names and texts.
pub fn explore_text(
    (name, text): (String, String),
    configuration: Option<(String, String)>,
    bounds: Bounds,
) -> Outcome {
    let mut files = Files::new();
    let main = files.add(name, text);
    let mut options = ReadOptions::default();
    options.configuration = configuration;
    let specification = match Tla.read(files, main, &options) {
        Ok(specification) => specification,
        Err(rejected) => return Outcome::error(rejected.to_string()),
    };
    let inquiry = match specification.resolve(&Request::default()) {
        Ok(inquiry) => inquiry,
        // TLC ends with one code where an assumption is false and where it has no value, which is an error of the text here.
        Err(wrong) if wrong.to_string().contains("an assumption has no value") => {
            return Outcome {
                result: "assumption".to_string(),
                ..Outcome::error(wrong.to_string())
            };
        }
        Err(wrong) => return Outcome::error(wrong.to_string()),
    };
    let merged = inquiry.body.quotient().filter(|_| bounds.merged);
    let body = merged.unwrap_or(inquiry.body.clone());
    let Ok(system) = body.explicit() else {
        return Outcome::error("it cannot be explored");
    };
    let mut search = Search {
        explorer: system.explorer(&[]),
        invariants: Vec::new(),
        seen: HashSet::new(),
        next: Vec::new(),
        found: None,
        outcome: Outcome::default(),
    };
    let mut ends = false;
    let mut undecided = None;
    for question in &inquiry.questions {
        match &question.what {
            What::Invariant(formula) => {
                for proposition in formula.reads() {
                    let name = question.name.clone();
                    search.invariants.push((name, question.kind, proposition));
                }
            }
            What::Ends => ends = bounds.deadlock,
            What::Linear(Linear::Automaton(bad)) if question.kind == Kind::Assumption => {
                let reason = bad.automaton.as_ref().err().cloned();
                undecided.get_or_insert(("limit".to_string(), reason.unwrap_or_default()));
            }
            What::Linear(_) => search.outcome.temporal += 1,
            _ => {}
        }
    }
    let assumed = |question: &evenhand_system::Question| question.kind == Kind::Assumption;
    let nothing_else = inquiry.questions.iter().all(assumed);
    search.run(bounds, ends);
    // What registers hold is left behind by an explorer that is done.
    let Search {
        explorer,
        mut found,
        mut outcome,
        ..
    } = search;
    drop(explorer);
    for question in &inquiry.questions {
        if let What::Afterwards(condition) = question.what
            && found.is_none()
            && body.concluded(condition).is_ok_and(|held| !held)
        {
            found = Some(("assumption".to_string(), question.name.clone()));
        }
    }
    if nothing_else {
        (outcome.distinct, outcome.generated, outcome.depth) = (0, 0, 0);
    }
    (outcome.result, outcome.message) = found
        .or(undecided)
        .unwrap_or(("success".to_string(), String::new()));
    outcome
}

struct Search<'a> {
    explorer: Box<dyn Explorer + 'a>,
    invariants: Vec<(String, Kind, PropositionId)>,
    seen: HashSet<Vec<u8>>,
    next: Vec<Vec<u8>>,
    found: Option<(String, String)>,
    outcome: Outcome,
}

/// What is odd about a state: two bytes in front of the numbers, where there is one.
fn flags(state: &[u8]) -> u16 {
    match state.len() % 4 {
        2 => u16::from_le_bytes([state[0], state[1]]),
        _ => 0,
    }
}

impl Search<'_> {
    fn run(&mut self, bounds: Bounds, ends: bool) {
        let started = Instant::now();
        let mut out = Successors::new();
        self.explorer.initial(&mut out);
        self.take(&out);
        loop {
            let level = std::mem::take(&mut self.next);
            if level.is_empty() || self.found.is_some() {
                return;
            }
            self.outcome.depth += 1;
            for state in &level {
                let late = started.elapsed() > Duration::from_secs(bounds.seconds);
                if late || self.outcome.distinct > bounds.states {
                    self.find("limit", "");
                }
                self.explorer.expand(state, &mut out);
                self.outcome.generated += self.explorer.inner_states(state);
                let stuck = out.is_empty() && out.faults().is_empty();
                if ends && stuck && !self.explorer.is_valid_end(state) {
                    self.find("deadlock", "");
                }
                self.take(&out);
                if self.found.is_some() {
                    return;
                }
            }
        }
    }

    fn find(&mut self, result: &str, message: impl Into<String>) {
        let message = message.into();
        self.found.get_or_insert((result.to_string(), message));
    }

    fn take(&mut self, out: &Successors) {
        for index in 0..out.len() {
            let state = out.state(index);
            // A copy that says which property was broken is none of TLC's.
            if flags(state) < 2 {
                self.outcome.generated += 1;
            }
            if !self.seen.insert(state.to_vec()) {
                continue;
            }
            for place in 0..self.invariants.len() {
                let (name, kind, proposition) = self.invariants[place].clone();
                match self.explorer.holds(proposition, state) {
                    Ok(true) => {}
                    Ok(false) => {
                        let result = match kind {
                            Kind::Assumption => "assumption",
                            Kind::Temporal => "liveness",
                            _ => "safety",
                        };
                        self.find(result, name);
                    }
                    Err(fault) => self.find("error", format!("{name}: {}", fault.kind)),
                }
            }
            if flags(state) == 0 {
                self.outcome.distinct += 1;
                self.next.push(state.to_vec());
            }
        }
        if let Some(report) = out.faults().first() {
            self.find("error", report.fault.kind.to_string());
        }
    }
}
