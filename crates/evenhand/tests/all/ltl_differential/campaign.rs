//! Many cases, by a few threads; what is counted, and failing cases made small.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use evenhand_testkit::promela_programs::shrink::shrink;
use evenhand_testkit::promela_programs::spin::{Discard, Spin};
use evenhand_testkit::promela_programs::temporal::TemporalProgram;
use evenhand_testkit::promela_programs::tree::Piece;

use super::case::{Case, Judged, NAMES, NONE, STRONG, Useless, WEAK};
use super::space::NoSpace;

/// Formulas of each program.
const FORMULAS: usize = 3;
/// Random assumptions of each program.
const ASSUMPTIONS: usize = 4;

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

/// A program on which somebody disagrees.
#[derive(Clone, Debug)]
pub struct Difference {
    seed: u64,
    findings: Vec<String>,
    program: String,
    assumptions: Vec<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "DIFFERENCE, seed {}:", self.seed)?;
        for finding in &self.findings {
            writeln!(f, "  {finding}")?;
        }
        writeln!(f, "assumptions: {:?}", self.assumptions)?;
        write!(f, "made small:\n{}", self.program)
    }
}

/// What a campaign found.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Programs compared.
    pub compared: usize,
    /// Formulas violated, by setting.
    violated: [usize; NAMES.len()],
    /// All formulas.
    formulas: usize,
    /// Formulas that need weak fairness, and those that need strong fairness.
    needs: (usize, usize),
    /// The sum of all numbers of states.
    states: usize,
    answers: usize,
    refused: usize,
    /// Questions that SPIN answered, and those it did not.
    pub spin: (usize, usize),
    /// Questions that brute force settled, and in two ways.
    pub settled: (usize, usize),
    /// Differences from SPIN that are its own mistakes, with the seeds and formulas.
    wrong_of_spin: BTreeMap<&'static str, Vec<(u64, String)>>,
    discarded: BTreeMap<String, usize>,
    samples: Vec<String>,
    /// The disagreements.
    pub differences: Vec<Difference>,
}

impl Campaign {
    /// Runs the campaign.
    pub fn run(&self, spin: &Spin) -> std::io::Result<Outcome> {
        let next = AtomicU64::new(self.first_seed);
        let outcome = Mutex::new(Outcome::default());
        let start = Instant::now();
        let process = std::process::id();
        let root = std::env::temp_dir().join(format!("evenhand-ltl-{process}-{}", self.first_seed));
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
                        one(
                            next.fetch_add(1, Ordering::Relaxed),
                            directory,
                            spin,
                            outcome,
                        );
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

fn one(seed: u64, directory: &Path, spin: &Spin, outcome: &Mutex<Outcome>) {
    let generated = TemporalProgram::generate(seed, FORMULAS, ASSUMPTIONS);
    let judged = match judge(&generated, spin, directory) {
        Ok(judged) => judged,
        Err(useless) => return lock(outcome).discard(seed, &useless),
    };
    lock(outcome).count(seed, &judged);
    if judged.findings.is_empty() {
        return;
    }
    // The same class of finding must stay, not turn into another bug.
    let class = judged.findings[0].0;
    let examine = |pieces: &[Piece]| -> Option<Judged> {
        let mut smaller = generated.clone();
        smaller.program.pieces = pieces.to_vec();
        judge(&smaller, spin, directory).ok()
    };
    let small = shrink(&generated.program.pieces, 400, |pieces| {
        let judged = examine(pieces);
        judged.is_some_and(|j| j.findings.first().is_some_and(|f| f.0 == class))
    });
    let mut texts: Vec<String> = judged.findings.into_iter().map(|f| f.1).collect();
    if let Some(judged) = examine(&small) {
        texts.push("and when made small:".into());
        texts.extend(judged.findings.into_iter().map(|f| f.1));
    }
    let mut smaller = generated.clone();
    smaller.program.pieces = small;
    lock(outcome).differences.push(Difference {
        seed,
        findings: texts,
        program: smaller.text(),
        assumptions: generated.assumptions,
    });
}

fn judge(generated: &TemporalProgram, spin: &Spin, directory: &Path) -> Result<Judged, Useless> {
    let text = generated.text();
    let case = Case {
        text: &text,
        blocks: generated.formulas.len(),
        assumptions: &generated.assumptions,
        seed: generated.program.seed,
    };
    let judged = catch_unwind(AssertUnwindSafe(|| case.judge(spin, directory)));
    judged.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|t| t.to_string()));
        let text = text.map(|text| text.chars().take(300).collect());
        Ok(Judged {
            findings: vec![("panic", text.unwrap_or_else(|| "a panic".into()))],
            ..Judged::default()
        })
    })
}

impl Outcome {
    fn count(&mut self, seed: u64, judged: &Judged) {
        self.compared += 1;
        self.states += judged.states;
        self.formulas += judged.verdicts.len();
        for verdicts in &judged.verdicts {
            for (sum, violated) in self.violated.iter_mut().zip(verdicts) {
                *sum += usize::from(*violated);
            }
            self.needs.0 += usize::from(verdicts[NONE] && !verdicts[WEAK]);
            self.needs.1 += usize::from(verdicts[WEAK] && !verdicts[STRONG]);
        }
        self.answers += judged.answers;
        self.refused += judged.refused;
        self.spin.0 += judged.answered_by_spin;
        self.spin.1 += judged.unanswered_by_spin;
        self.settled.0 += judged.settled.0;
        self.settled.1 += judged.settled.1;
        for (reason, formula) in &judged.wrong_of_spin {
            let list = self.wrong_of_spin.entry(reason).or_default();
            list.push((seed, formula.clone()));
        }
    }

    fn discard(&mut self, seed: u64, useless: &Useless) {
        let reason = match useless {
            Useless::Space(NoSpace::TooLarge) => "too many states".into(),
            Useless::Space(NoSpace::Fault(kind)) => format!("run-time error: {kind}"),
            Useless::Spin(Discard::TooSlow) => "SPIN or tcc too slow".into(),
            Useless::Spin(other) => {
                self.samples.push(format!("seed {seed}: {other:?}"));
                "SPIN has no answer".into()
            }
        };
        *self.discarded.entry(reason).or_default() += 1;
    }

    /// All questions: formulas under settings.
    pub fn questions(&self) -> usize {
        self.formulas * NAMES.len()
    }

    /// The share of the rarer verdict without fairness and under strong fairness, in percent.
    pub fn rarest_verdict(&self) -> usize {
        let rarer = |violated: usize| violated.min(self.formulas - violated);
        let rarest = rarer(self.violated[NONE]).min(rarer(self.violated[STRONG]));
        100 * rarest / self.formulas.max(1)
    }

    /// What was compared, for a person to read.
    pub fn summary(&self) -> String {
        let share = |count: usize| 100.0 * count as f64 / self.formulas.max(1) as f64;
        let mut text = format!(
            "{} programs, {} states in all, {} formulas\n",
            self.compared, self.states, self.formulas
        );
        for (name, &violated) in NAMES.iter().zip(&self.violated) {
            text.push_str(&format!(
                "violated, {name}: {violated} ({:.0}%)\n",
                share(violated)
            ));
        }
        text.push_str(&format!(
            "{} need weak fairness, {} strong fairness\n{} answers of engines, {} refused by ndfs; \
             brute force settled {} of {} questions, {} of them in two ways\n",
            self.needs.0,
            self.needs.1,
            self.answers,
            self.refused,
            self.settled.0,
            self.questions(),
            self.settled.1,
        ));
        let (answered, unanswered) = self.spin;
        text.push_str(&format!(
            "SPIN answered {answered} questions, {unanswered} were too deep or too slow for it\n"
        ));
        for (reason, list) in &self.wrong_of_spin {
            let count = list.len();
            text.push_str(&format!("SPIN's mistake, {reason}: {count}\n"));
            for (seed, formula) in list.iter().take(10) {
                text.push_str(&format!("  seed {seed}: {formula}\n"));
            }
        }
        for (reason, count) in &self.discarded {
            text.push_str(&format!("discarded, {reason}: {count}\n"));
        }
        for sample in self.samples.iter().take(5) {
            text.push_str(&format!("  {sample}\n"));
        }
        text
    }
}
