//! What an engine is: a name, what it can do, and answers.
//!
//! An engine sees a case and questions, and hands back verdicts with the evidence it found: a raw run,
//! which nobody has believed yet. Making something to look at of that is the business of `runs`.

use evenhand_explicit::search::Counted;
use evenhand_system::Question;
use evenhand_system::body::Expressions;

use crate::answer::{CheckError, PropertyResult};
use crate::case::{Case, Task};
use crate::evidence::Evidence;
use crate::listener::Listener;

/// The name of the engine that explores sets of states.
pub const SYMBOLIC: &str = "symbolic";

/// The name of the engine that looks for runs with a SAT solver; it counts no states.
pub const SAT: &str = "sat";

/// A way to answer questions.
pub trait Engine: Send + Sync {
    /// What it is called.
    fn name(&self) -> &'static str;

    /// What it is for, in a line.
    fn about(&self) -> &'static str;

    /// Whether users may ask for it by name; the others are chosen by the question alone.
    fn has_choice(&self) -> bool {
        true
    }

    /// Whether it can answer a question.
    fn supports(&self, case: &Case<'_>, question: &Question) -> Support;

    /// Whether it wants all its questions at once; otherwise one by one, each with its run.
    fn together(&self) -> bool {
        false
    }

    /// Answers questions, all of which it supports. What it leaves without an answer is asked again
    /// with fairness for more processes.
    ///
    /// # Errors
    /// If it finds out that it cannot, or that something is wrong with itself.
    fn answer(
        &self,
        case: &Case<'_>,
        tasks: &[&Task],
        answers: &mut Answers<'_>,
    ) -> Result<(), CheckError>;
}

/// Whether an engine can answer a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Support {
    /// It can.
    Yes,
    /// It is not meant for such questions.
    Other,
    /// It is, but cannot: why, as a sentence.
    No(String),
}

/// Takes the answers of an engine.
pub struct Answers<'l> {
    /// Is told how the work goes.
    pub listener: &'l mut dyn Listener,
    /// For each action of the system, whether it was executed, if everything was explored.
    pub executed: Option<Vec<bool>>,
    /// For each action of the system, how many steps it has, if everything was explored and somebody counts.
    pub coverage: Vec<u64>,
    /// What was evaluated, if everything was explored and somebody looks.
    pub expressions: Expressions,
    /// What the system itself printed.
    pub printed: Vec<String>,
    /// The states that people count, if everything was explored.
    pub counted: Option<Counted>,
    pub(crate) found: Vec<Option<Finding>>,
    /// Verdicts that are still to be checked.
    unchecked: Vec<Option<Finding>>,
    /// Takes them at once, where somebody waits for them elsewhere.
    sink: Option<&'l dyn Fn(usize, Finding)>,
}

/// An answer, and what shows it.
#[derive(Debug)]
pub struct Finding {
    /// The answer.
    pub result: PropertyResult,
    /// What the engine has to show for a violation.
    pub evidence: Evidence,
}

impl<'l> Answers<'l> {
    /// Room for so many answers.
    pub fn new(listener: &'l mut dyn Listener, count: usize) -> Answers<'l> {
        Answers {
            listener,
            executed: None,
            counted: None,
            coverage: Vec::new(),
            expressions: Expressions::default(),
            printed: Vec::new(),
            found: (0..count).map(|_| None).collect(),
            unchecked: (0..count).map(|_| None).collect(),
            sink: None,
        }
    }

    /// The same, with somebody who takes each answer as soon as it is known.
    #[cfg(feature = "symbolic")]
    pub(crate) fn handed_to(mut self, sink: &'l dyn Fn(usize, Finding)) -> Answers<'l> {
        self.sink = Some(sink);
        self
    }

    /// A verdict is known: that of the question at a place.
    pub fn known(
        &mut self,
        case: &Case<'_>,
        (place, task): (usize, &Task),
        mut result: PropertyResult,
        evidence: Evidence,
    ) {
        // What was told early stays as it was told; there may be more to show for it now, or another
        // error that is nearer.
        if let Some(known) = &mut self.found[place]
            && known.result.verdict.is_violated()
        {
            if result.verdict.is_violated() {
                known.result.kind = result.kind;
                known.result.warnings = result.warnings;
                known.evidence = evidence;
            }
            return;
        }
        case.blame_ends(task.question.is_fair(), &mut result);
        self.listener.verdict(&result);
        self.put(place, Some(Finding { result, evidence }));
    }

    /// A verdict is known that is still to be checked: it stands if a limit ends that.
    pub(crate) fn provisional(&mut self, case: &Case<'_>, place: usize, result: &PropertyResult) {
        let mut result = result.clone();
        case.blame_ends(true, &mut result);
        let evidence = Evidence::None;
        self.unchecked[place] = Some(Finding { result, evidence });
    }

    /// The same long before the engine is done with the others.
    pub fn known_early(
        &mut self,
        case: &Case<'_>,
        (place, task): (usize, &Task),
        mut result: PropertyResult,
        evidence: Evidence,
    ) {
        case.blame_ends(task.question.is_fair(), &mut result);
        self.listener.early_verdict(&result);
        self.found[place] = Some(Finding { result, evidence });
    }

    /// Takes over what another engine answered.
    pub(crate) fn put(&mut self, place: usize, finding: Option<Finding>) {
        match (&self.sink, finding) {
            (Some(sink), Some(finding)) => sink(place, finding),
            (_, finding) => self.found[place] = finding,
        }
    }

    /// The answers, by place.
    pub fn take(&mut self) -> Vec<Option<Finding>> {
        let found = std::mem::take(&mut self.found).into_iter();
        let unchecked = std::mem::take(&mut self.unchecked);
        found
            .zip(unchecked)
            .map(|(found, own)| found.or(own))
            .collect()
    }
}
