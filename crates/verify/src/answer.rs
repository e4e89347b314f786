//! Answers: the verdict on a property, why there may be none, and what else a person should know.

use std::fmt;
use std::sync::Arc;

use evenhand_certify::Cover;
use evenhand_source::{Diagnostic, Exhausted};
use evenhand_system::body::Expressions;
use evenhand_system::explicit::Value;
use evenhand_system::relation::Refusal;
use evenhand_system::specification::Remark;
use evenhand_system::{ActionId, Body, Kind, Question, Rejected, Signature, Unresolved};
use evenhand_witness::{Counterexample, ReplayError};

use crate::stop::StopReason;

/// What was found out.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// The property holds.
    Holds,
    /// It does not; a run shows it, unless none was asked for.
    Violated(Option<Box<Counterexample>>),
    /// It could not be decided; why.
    Unknown(StopReason),
}

impl Verdict {
    /// The word for it.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Violated(_) => "violated",
            Verdict::Unknown(_) => "unknown",
        }
    }

    /// Whether the property holds.
    pub fn holds(&self) -> bool {
        matches!(self, Verdict::Holds)
    }

    /// Whether the property is violated.
    pub fn is_violated(&self) -> bool {
        matches!(self, Verdict::Violated(_))
    }

    /// Whether it is known which of the two.
    pub fn is_decided(&self) -> bool {
        !matches!(self, Verdict::Unknown(_))
    }

    /// Takes the run away that shows a violation.
    pub fn take_run(&mut self) -> Option<Box<Counterexample>> {
        match self {
            Verdict::Violated(run) => run.take(),
            Verdict::Holds | Verdict::Unknown(_) => None,
        }
    }

    /// The run that shows a violation.
    pub fn run(&self) -> Option<&Counterexample> {
        match self {
            Verdict::Violated(run) => run.as_deref(),
            Verdict::Holds | Verdict::Unknown(_) => None,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// The answer to one property.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PropertyResult {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
    /// The formula, if it has one.
    pub formula: Option<String>,
    /// The fairness assumptions.
    pub fairness: Vec<String>,
    /// The verdict.
    pub verdict: Verdict,
    /// How the verdict was checked, if it was and no run shows it.
    pub proof: Option<Proof>,
    /// What was computed, if the question is about a number.
    pub value: Option<Value>,
    /// The engine that found it, by name; none if none began.
    pub engine: Option<&'static str>,
    /// States of the model that were explored; the greatest number that fits, if there are more.
    pub states: u64,
    /// How many there are if they are more.
    pub many_states: Option<Many>,
    /// Whether these are the states of a smaller system that gives the same answer.
    pub reduced: bool,
    /// How many of them were expanded by other threads before they were asked for.
    pub ahead: u64,
    /// Why a large system was explored as it is, where that was not asked for.
    pub unreduced: Option<String>,
    /// Transitions of the model that were explored.
    pub transitions: u64,
    /// States of the product with the property, if there is one.
    pub product_states: Option<u64>,
    /// Transitions of that product.
    pub product_transitions: Option<u64>,
    /// Seconds it took.
    pub seconds: f64,
    /// Memory at the peak.
    pub peak_memory: u64,
    /// What a person should know besides.
    pub warnings: Vec<Warning>,
    /// Further runs that break it, if all were asked for; each differs from the one of the verdict.
    pub others: Vec<Counterexample>,
    /// Further counts of the engine.
    pub details: Vec<Detail>,
}

impl PropertyResult {
    /// The answer to a question that nobody has looked at yet.
    pub fn unknown(question: &Question, reason: StopReason) -> PropertyResult {
        PropertyResult {
            name: question.name.clone(),
            kind: question.kind,
            formula: question.text.clone(),
            fairness: Vec::new(),
            verdict: Verdict::Unknown(reason),
            proof: None,
            value: None,
            engine: None,
            states: 0,
            many_states: None,
            reduced: false,
            ahead: 0,
            unreduced: None,
            transitions: 0,
            product_states: None,
            product_transitions: None,
            seconds: 0.0,
            peak_memory: 0,
            warnings: Vec::new(),
            others: Vec::new(),
            details: Vec::new(),
        }
    }
}

/// How a verdict was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Proof {
    /// Against what.
    pub extent: Extent,
    /// What is known of the automaton of the bad runs, where there is one.
    pub automaton: Option<Cover>,
    /// States that were expanded again, where they were.
    pub states: u64,
    /// Edges that were looked at.
    pub edges: u64,
}

impl Proof {
    /// The final sets of a symbolic search solve their equations, if they do.
    #[cfg(feature = "symbolic")]
    pub(crate) fn by_sets(solved: bool) -> Option<Proof> {
        solved.then_some(Proof {
            extent: Extent::Sets,
            automaton: None,
            states: 0,
            edges: 0,
        })
    }
}

/// What a proof was held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Extent {
    /// The graph that the search has kept: that it is the system is believed.
    Graph,
    /// The system, expanded again.
    Full,
    /// The equations that the final sets of a symbolic search solve.
    Sets,
}

impl Extent {
    /// The word of the contract.
    pub fn word(self) -> &'static str {
        match self {
            Extent::Graph => "graph",
            Extent::Full => "full",
            Extent::Sets => "sets",
        }
    }
}

/// A number of states that 64 bits cannot hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Many {
    /// Exactly, if it is known.
    pub exact: Option<u128>,
    /// About; infinite if even that is too large to be told.
    pub about: f64,
}

/// A count of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detail {
    /// Of what.
    pub name: &'static str,
    /// How many.
    pub count: u64,
    /// Whether it tells how far an engine came that has no states to tell of.
    pub telling: bool,
}

impl Detail {
    /// A count for people who ask for more.
    pub fn new(name: &'static str, count: impl TryInto<u64>) -> Detail {
        Detail {
            name,
            count: count.try_into().unwrap_or(u64::MAX),
            telling: false,
        }
    }

    /// One that tells how far an engine came.
    #[must_use]
    pub fn telling(mut self) -> Detail {
        self.telling = true;
        self
    }
}

/// What a person should know about a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// No run is fair; in what follows from that, formulas differ.
    NoFairRun {
        /// What follows from it.
        so: Emptiness,
        /// Why, if that was found out.
        because: Option<String>,
    },
    /// The system has no initial state: everything holds, and nothing is said.
    NoInitialState,
    /// A run that ends where it must not breaks the property, as was asked for.
    ImproperEnd,
    /// More fairness would save the property.
    Hint(Hint),
    /// Anything else, in words.
    Said(String),
}

/// More fairness that would save a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint {
    /// Weak fairness of every process.
    Weak,
    /// Strong fairness of every process.
    Strong,
    /// Strong fairness where weak fairness is assumed now.
    Stronger,
}

/// What it means for a question that there is no fair run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emptiness {
    /// Nothing is left that could break the property.
    Holds,
    /// The same, of every property.
    AllHold,
    /// It depends on what the property asks for.
    Depends,
    /// What quantifiers over runs say then.
    Quantifiers,
}

impl Warning {
    /// The same for a formula of branching time, which may also be violated because of missing runs.
    #[must_use]
    pub fn of_branching(self) -> Warning {
        match self {
            Warning::NoFairRun { .. } => Warning::NoFairRun {
                so: Emptiness::Quantifiers,
                because: None,
            },
            said => said,
        }
    }
}

impl From<String> for Warning {
    fn from(text: String) -> Warning {
        Warning::Said(text)
    }
}

impl From<&str> for Warning {
    fn from(text: &str) -> Warning {
        Warning::Said(text.to_string())
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (so, because) = match self {
            Warning::Said(text) => return f.write_str(text),
            Warning::NoInitialState => {
                let text = "the model has no initial state: every property holds, and none says \
                            anything";
                return f.write_str(text);
            }
            Warning::ImproperEnd => {
                return f.write_str("a run that ends where it must not breaks it");
            }
            Warning::Hint(hint) => {
                return f.write_str(match hint {
                    Hint::Weak => "it holds under weak fairness of every process",
                    Hint::Strong => "it holds under strong fairness of every process",
                    Hint::Stronger => {
                        "it holds if strong fairness is assumed where weak fairness is now"
                    }
                });
            }
            Warning::NoFairRun { so, because } => (so, because),
        };
        f.write_str("there is no fair run at all: ")?;
        f.write_str(match so {
            Emptiness::Holds => "the property holds because nothing is left that could break it",
            Emptiness::AllHold => "every property holds",
            Emptiness::Depends => {
                "the property holds if it is about all runs, and is false if it asks for one"
            }
            Emptiness::Quantifiers => "`E` is false and `A` true in every state",
        })?;
        match because {
            Some(words) => write!(f, "; {words}"),
            None => Ok(()),
        }
    }
}

/// A remark about a check.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// Which engine was chosen, and why.
    Engine {
        /// How it is called here.
        engine: &'static str,
        /// Why.
        why: String,
        /// Whether that is more than people expect.
        is_news: bool,
    },
    /// Labels of the model ask something that was not checked.
    Labels {
        /// How they begin.
        prefix: &'static str,
        /// The property that is about them.
        property: &'static str,
    },
    /// Anything else, in words.
    Said(String),
    /// How something is done, for those who ask.
    Detail(String),
}

impl From<Remark> for Note {
    fn from(remark: Remark) -> Note {
        match remark {
            Remark::Labels { prefix, property } => Note::Labels { prefix, property },
            Remark::Said(text) => Note::Said(text),
            Remark::Detail(text) => Note::Detail(text),
        }
    }
}

impl Note {
    /// Whether people should be told who did not ask for more.
    pub fn is_news(&self) -> bool {
        match self {
            Note::Engine { is_news, .. } => *is_news,
            Note::Labels { .. } | Note::Said(_) => true,
            Note::Detail(_) => false,
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::Engine { engine, why, .. } => write!(f, "engine: {engine}, since {why}"),
            Note::Labels { prefix, property } => write!(
                f,
                "the model has `{prefix}` labels; the property `{property}` is about them"
            ),
            Note::Said(text) | Note::Detail(text) => f.write_str(text),
        }
    }
}

/// What a check found.
#[derive(Clone)]
#[non_exhaustive]
pub struct Report {
    /// The system that was checked: positions in texts and numbers of actions are its own.
    pub body: Arc<dyn Body>,
    /// One answer per property, in the order they were asked for.
    pub properties: Vec<PropertyResult>,
    /// Actions that were never executed, if the whole space was explored.
    pub unreached: Vec<ActionId>,
    /// For each action, how many steps it has, if the whole space was explored and somebody counts.
    pub coverage: Vec<u64>,
    /// What was evaluated, if the whole space was explored and somebody looks.
    pub expressions: Expressions,
    /// What the system itself printed while it was explored.
    pub printed: Vec<String>,
    /// The states that people count, if the whole space was explored for errors.
    pub counted: Option<evenhand_explicit::search::Counted>,
    /// Warnings about what was asked.
    pub warnings: Vec<Diagnostic>,
    /// Remarks.
    pub notes: Vec<Note>,
}

impl Report {
    /// What the system is about.
    pub fn signature(&self) -> &Signature {
        self.body.signature()
    }

    /// Whether everything that was checked holds.
    pub fn holds(&self) -> bool {
        self.properties.iter().all(|p| p.verdict.holds())
    }

    /// The answer to a property.
    pub fn property(&self, name: &str) -> Option<&PropertyResult> {
        self.properties.iter().find(|p| p.name == name)
    }
}

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Report")
            .field("model", &self.signature().name)
            .field("properties", &self.properties)
            .field("unreached", &self.unreached)
            .field("warnings", &self.warnings)
            .field("notes", &self.notes)
            .finish()
    }
}

/// Why there is no answer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum CheckError {
    /// What is asked has no meaning for the model.
    Unresolved(Unresolved),
    /// The engine cannot decide the question.
    Engine(String),
    /// Only the symbolic engine handles compassion in other ways than by its algorithm, and it cannot
    /// be the one: why, if it was not excluded by name.
    Compassion(Option<String>),
    /// With inputs a run cannot stay where it ends.
    StutterWithInputs,
    /// A limit was reached before it was understood what is asked.
    Exhausted(Exhausted),
    /// A counterexample that could not be replayed: a defect of this tool.
    Replay(ReplayError),
    /// A verdict whose proof proves nothing: a defect of this tool.
    Proof(String),
}

impl CheckError {
    /// A run that is none.
    pub(crate) fn broken(message: impl Into<String>) -> CheckError {
        CheckError::Replay(ReplayError {
            position: 0,
            message: message.into(),
        })
    }
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckError::Unresolved(unresolved) => unresolved.fmt(f),
            CheckError::Engine(message) => f.write_str(message),
            CheckError::Compassion(why) => {
                f.write_str("only the symbolic engine handles compassion in other ways")?;
                match why {
                    Some(why) => write!(f, ", but {why}"),
                    None => Ok(()),
                }
            }
            CheckError::Exhausted(why) => {
                write!(f, "{why} before it was understood what is asked")
            }
            CheckError::StutterWithInputs => {
                f.write_str("with inputs a run cannot stay where it ends")
            }
            CheckError::Proof(why) => write!(f, "internal error: a proof failed its check: {why}"),
            CheckError::Replay(error) => write!(
                f,
                "internal error: a counterexample failed its replay at position {}: {}",
                error.position, error.message
            ),
        }
    }
}

impl std::error::Error for CheckError {}

impl From<Unresolved> for CheckError {
    fn from(unresolved: Unresolved) -> CheckError {
        CheckError::Unresolved(unresolved)
    }
}

impl From<Rejected> for CheckError {
    fn from(wrong: Rejected) -> CheckError {
        CheckError::Unresolved(wrong.into())
    }
}

impl From<Refusal> for CheckError {
    fn from(refusal: Refusal) -> CheckError {
        CheckError::Engine(refusal.reason)
    }
}

impl From<Exhausted> for CheckError {
    fn from(exhausted: Exhausted) -> CheckError {
        CheckError::Exhausted(exhausted)
    }
}

impl From<ReplayError> for CheckError {
    fn from(error: ReplayError) -> CheckError {
        CheckError::Replay(error)
    }
}
