//! What is asked about fairness, and what comes back.

use evenhand_system::{Granularity, Signature};
use evenhand_verify::{Asking, Options, PropertyResult, StopReason};

use crate::hitting::Level;

/// What to advise on, and how far to go.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct AdviseOptions {
    /// Properties, formulas, assumptions that stay. What the model declares is ignored.
    pub asking: Asking,
    /// Limits, and how runs are looked for.
    pub check: Options,
    /// What an item is.
    pub by: Granularity,
    /// One assignment for all properties, instead of one for each.
    pub together: bool,
}

/// The advice on one property, or on several together.
#[derive(Clone, Debug)]
pub struct Advice {
    /// The names of the properties, with their formulas.
    pub properties: Vec<(String, Option<String>)>,
    /// What was found.
    pub outcome: Outcome,
    /// Minimal assignments, in the order they were found.
    pub assignments: Vec<Advised>,
    /// Assignments that were rejected since no fair run is left under them.
    pub rejected: Vec<Vec<String>>,
    /// Whether these are all.
    pub complete: bool,
    /// If it fails with everything strong: the run that shows it.
    pub run: Option<PropertyResult>,
    /// If it fails so: whether a finer granularity would help.
    pub finer: Option<bool>,
    /// What it cost.
    pub cost: Cost,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It holds without any fairness of items.
    Nothing,
    /// It holds under some.
    Needs,
    /// It fails even if everything is strong.
    Impossible,
    /// It holds only where no fair run is left.
    Vacuous,
    /// A limit was reached: which.
    Unknown(StopReason),
}

impl Outcome {
    /// The word for it.
    pub fn word(&self) -> &'static str {
        match self {
            Outcome::Nothing => "nothing",
            Outcome::Needs => "needs",
            Outcome::Impossible => "impossible",
            Outcome::Vacuous => "vacuous",
            Outcome::Unknown(_) => "unknown",
        }
    }
}

/// A minimal assignment.
#[derive(Clone, Debug)]
pub struct Advised {
    /// The assumptions as texts of the `--fair` option, the strong ones first.
    pub fairness: Vec<String>,
    /// Why each of the items is needed.
    pub reasons: Vec<Need>,
}

/// Why an item is needed.
#[derive(Clone, Debug)]
pub struct Need {
    /// The item.
    pub item: String,
    /// What is assumed of it.
    pub level: Level,
    /// The level below, under which the property fails.
    pub lowered: Level,
    /// The property that fails then, with a run, unless a limit was reached.
    pub result: Option<PropertyResult>,
}

/// What the advice cost.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// Assignments that were decided.
    pub checks: u64,
    /// Seconds all these took.
    pub check_seconds: f64,
    /// Seconds for exploring and copying.
    pub explore_seconds: f64,
    /// Seconds until the first minimal assignment was known.
    pub first_seconds: f64,
    /// Seconds for everything.
    pub seconds: f64,
    /// States of the model.
    pub states: u64,
    /// States of the products.
    pub product_states: u64,
}

impl Cost {
    /// Seconds that deciding an assignment took on average.
    pub fn seconds_per_check(&self) -> f64 {
        match self.checks {
            0 => 0.0,
            checks => self.check_seconds / checks as f64,
        }
    }
}

/// What `advise` found.
#[derive(Clone, Debug, Default)]
pub struct AdviseReport {
    /// What an item was.
    pub by: &'static str,
    /// The items.
    pub items: Vec<String>,
    /// One advice for each question.
    pub advice: Vec<Advice>,
    /// Remarks.
    pub notes: Vec<String>,
    /// What the system is about: positions in texts are its own.
    pub signature: Signature,
}
