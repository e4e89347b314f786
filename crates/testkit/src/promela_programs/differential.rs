//! Campaigns: many random programs, each judged by SPIN and by Evenhand.
//!
//! Programs are numbered by their seeds and handed to a few threads; each thread has a directory
//! of its own. The result is counted by SPIN's verdicts, so that a campaign can prove that it has
//! looked at all of them, and what SPIN could not decide is counted too, never passed over.

use super::Program;
use super::command::Evenhand;
use super::shrink::shrink;
use super::spin::{Answer, Discard, Spin};
use super::tree::{Piece, render};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Larger state spaces are discarded: they say no more, and take the time of many small ones.
const LARGEST: u64 = 200_000;

/// What to run.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// The first seed.
    pub first_seed: u64,
    /// How many programs must be compared.
    pub cases: usize,
    /// When to stop even if fewer were.
    pub limit: Duration,
    /// How many threads.
    pub threads: usize,
    /// How many differences to collect (and make small) before stopping.
    pub differences: usize,
}

/// A program on which the two disagree.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Its seed.
    pub seed: u64,
    /// What differs.
    pub findings: Vec<String>,
    /// The program, made small.
    pub program: String,
    /// What differs on the small program.
    pub small_findings: Vec<String>,
}

/// What a campaign found.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Programs compared.
    pub compared: usize,
    /// Programs with neither error.
    pub ok: usize,
    /// Programs with a failing assertion or run-time error.
    pub assertion: usize,
    /// Programs with an invalid end state.
    pub invalid_end: usize,
    /// Programs that may have run-time errors, compared by verdict alone.
    pub hazards: usize,
    /// Programs with fewer than 10 states.
    pub tiny: usize,
    /// Programs with more than 20,000 states.
    pub large: usize,
    /// The sum of all state counts.
    pub states: u64,
    /// Programs that were not compared, by reason.
    pub discarded: BTreeMap<String, usize>,
    /// Samples of programs SPIN rejected: the generator should not write any.
    pub rejected: Vec<(u64, String)>,
    /// The disagreements.
    pub differences: Vec<Difference>,
}

impl Campaign {
    /// Runs the campaign; without a command only SPIN is asked, to see the distribution.
    pub fn run(&self, spin: &Spin, evenhand: Option<&Evenhand>) -> std::io::Result<Outcome> {
        let next = AtomicU64::new(self.first_seed);
        let outcome = Mutex::new(Outcome::default());
        let start = Instant::now();
        let root = std::env::temp_dir().join(format!(
            "evenhand-differential-{}-{}",
            std::process::id(),
            self.first_seed
        ));
        let mut directories = Vec::new();
        for thread in 0..self.threads {
            let directory = root.join(thread.to_string());
            std::fs::create_dir_all(&directory)?;
            directories.push(directory);
        }
        std::thread::scope(|scope| {
            for directory in &directories {
                let (next, outcome) = (&next, &outcome);
                scope.spawn(move || {
                    loop {
                        if start.elapsed() > self.limit || self.done(&lock(outcome)) {
                            return;
                        }
                        let seed = next.fetch_add(1, Ordering::Relaxed);
                        one(seed, directory, spin, evenhand, outcome);
                    }
                });
            }
        });
        std::fs::remove_dir_all(&root)?;
        Ok(outcome
            .into_inner()
            .unwrap_or_else(|poisoned| poisoned.into_inner()))
    }

    fn done(&self, outcome: &Outcome) -> bool {
        outcome.compared >= self.cases || outcome.differences.len() >= self.differences
    }
}

fn lock(outcome: &Mutex<Outcome>) -> std::sync::MutexGuard<'_, Outcome> {
    outcome
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn judge(
    text: &str,
    directory: &Path,
    spin: &Spin,
    hazards: bool,
) -> Result<(PathBuf, Answer), Discard> {
    let model = directory.join("program.pml");
    std::fs::write(&model, text).map_err(|error| Discard::NotUnderstood(error.to_string()))?;
    let answer = spin.judge(&model, directory, hazards)?;
    if answer.states.is_some_and(|states| states > LARGEST) {
        return Err(Discard::Truncated("too many states"));
    }
    Ok((model, answer))
}

fn one(
    seed: u64,
    directory: &Path,
    spin: &Spin,
    evenhand: Option<&Evenhand>,
    outcome: &Mutex<Outcome>,
) {
    let program = Program::generate(seed);
    let text = program.text();
    let (model, answer) = match judge(&text, directory, spin, program.hazards) {
        Ok(judged) => judged,
        Err(discard) => return lock(outcome).discard(seed, &discard),
    };
    let findings = match evenhand {
        None => Vec::new(),
        Some(evenhand) => match evenhand.differences(&model, directory, &answer) {
            Some(findings) => findings,
            None => return lock(outcome).discard(seed, &Discard::CommandTooSlow),
        },
    };
    lock(outcome).count(&answer, program.hazards);
    let Some(evenhand) = evenhand.filter(|_| !findings.is_empty()) else {
        return;
    };
    // A program that fails by verdict must go on failing by verdict, not turn into another bug.
    let class = |findings: &[String]| -> Vec<String> {
        findings
            .iter()
            .map(|text| text.split(':').next().unwrap_or("").to_string())
            .collect()
    };
    let wanted = class(&findings);
    let examine = |pieces: &[Piece]| -> Vec<String> {
        match judge(&render(pieces), directory, spin, program.hazards) {
            Ok((model, answer)) => {
                let found = evenhand.differences(&model, directory, &answer);
                found.unwrap_or_default()
            }
            Err(_) => Vec::new(),
        }
    };
    let small = shrink(&program.pieces, 600, |pieces| {
        class(&examine(pieces)) == wanted
    });
    let small_findings = examine(&small);
    lock(outcome).differences.push(Difference {
        seed,
        findings,
        program: render(&small),
        small_findings,
    });
}

impl Outcome {
    fn count(&mut self, answer: &Answer, hazards: bool) {
        self.compared += 1;
        self.hazards += usize::from(hazards);
        let invalid_end = answer.invalid_end == Some(true);
        self.assertion += usize::from(answer.assertion);
        self.invalid_end += usize::from(invalid_end);
        self.ok += usize::from(!answer.assertion && !invalid_end);
        if let Some(states) = answer.states {
            self.states += states;
            self.tiny += usize::from(states < 10);
            self.large += usize::from(states > 20_000);
        }
    }

    fn discard(&mut self, seed: u64, discard: &Discard) {
        let reason = match discard {
            Discard::Rejected(text) => {
                self.rejected.push((seed, text.clone()));
                "rejected by SPIN".to_string()
            }
            Discard::NotCompiled(text) => {
                self.rejected.push((seed, text.clone()));
                "verifier not compiled".to_string()
            }
            Discard::Truncated(reason) => format!("truncated: {reason}"),
            Discard::TooSlow => "too slow".to_string(),
            Discard::CommandTooSlow => {
                self.rejected
                    .push((seed, "the command took too long".into()));
                "the command took too long".to_string()
            }
            Discard::NotUnderstood(text) => {
                self.rejected.push((seed, text.clone()));
                "not understood".to_string()
            }
        };
        *self.discarded.entry(reason).or_default() += 1;
    }

    /// The distribution, for a person to read.
    pub fn summary(&self) -> String {
        let share = |count: usize| 100.0 * count as f64 / self.compared.max(1) as f64;
        let mut text = format!(
            "{} programs compared, {} states in all: {} ok ({:.0}%), {} with a failing assertion \
             or run-time error ({:.0}%), {} with an invalid end state ({:.0}%); {} may have \
             run-time errors; {} below 10 states, {} above 20,000\n",
            self.compared,
            self.states,
            self.ok,
            share(self.ok),
            self.assertion,
            share(self.assertion),
            self.invalid_end,
            share(self.invalid_end),
            self.hazards,
            self.tiny,
            self.large,
        );
        for (reason, count) in &self.discarded {
            text.push_str(&format!("discarded, {reason}: {count}\n"));
        }
        text
    }

    /// The share of the rarest verdict, in percent.
    pub fn rarest_verdict(&self) -> usize {
        let rarest = self.ok.min(self.assertion).min(self.invalid_end);
        100 * rarest / self.compared.max(1)
    }
}
