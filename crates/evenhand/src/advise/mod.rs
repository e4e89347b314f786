//! Which fairness does a property need?
//!
//! The answer is a list of minimal assignments: of each item nothing, weak or strong fairness is
//! assumed, the property holds, and lowering any item breaks it. The space is explored once with the marks of
//! all items at both levels ([`items`]); the part of the product in which bad runs can stay is copied
//! ([`core_graph`]); candidates are decided on the copy, and what they fail by prunes the others ([`hitting`]).
//! For each item that is needed the shortest run that appears without it is found by the same code that finds
//! those of `check`, judged by the same judge.
//!
//! Fairness of processes and statements never takes all runs away. Conditions given with `--fair` may,
//! together with it: an assignment under which no fair run is left is rejected, and so is everything above.
//!
//! Of an SMV model the items are its declared constraints ([`constraints`]).

mod advisor;
pub mod constraints;
pub mod core_graph;
pub mod hitting;
pub mod items;

use std::time::{Duration, Instant};

use evenhand_report::PropertyResult;
use evenhand_source::Diagnostic;

use self::advisor::Advisor;
use self::hitting::Level;
use self::items::{Granularity, Items};
use crate::check::{CheckError, CheckOptions, FEW, Listener, questions};
use crate::model::Model;
use crate::question::Wrong;

/// What to advise on, and how far to go.
#[derive(Clone, Debug, Default)]
pub struct AdviseOptions {
    /// Properties, formulas, assumptions that stay, limits. What the model declares is ignored.
    pub check: CheckOptions,
    /// What an item is.
    pub by: Granularity,
    /// One assignment for all properties, instead of one for each.
    pub together: bool,
}

/// The advice on one property, or on several together.
#[derive(Debug)]
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
    Unknown(String),
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
#[derive(Debug)]
pub struct Advised {
    /// The assumptions as texts of the `--fair` option, the strong ones first.
    pub fairness: Vec<String>,
    /// Why each of the items is needed.
    pub reasons: Vec<Need>,
}

/// Why an item is needed.
#[derive(Debug)]
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

/// What `advise` found.
#[derive(Debug, Default)]
pub struct AdviseReport {
    /// What an item was.
    pub by: &'static str,
    /// The items.
    pub items: Vec<String>,
    /// One advice for each question.
    pub advice: Vec<Advice>,
    /// Remarks.
    pub notes: Vec<String>,
}

/// How long to look for the run of one item, if nothing else is said.
const RUN_BUDGET: Duration = Duration::from_secs(2);

/// Properties of every model that fairness makes no difference to.
const SAFETY: [&str; 2] = ["assertions", "deadlock"];

fn not_temporal(name: &str) -> Wrong {
    let message = format!("`{name}` is no temporal property");
    let help = "it is about all reachable states: fairness makes no difference to it";
    Wrong {
        files: None,
        diagnostics: vec![Diagnostic::global(message).help(help)],
    }
}

/// Which fairness do properties of a model need?
///
/// # Errors
/// If what is asked has no meaning, or a counterexample fails its replay.
pub fn advise(
    model: &mut Model,
    options: &AdviseOptions,
    listener: &mut dyn Listener,
) -> Result<AdviseReport, CheckError> {
    if let Model::Smv(smv) = model {
        return constraints::advise(smv, options, listener);
    }
    let mut options = options.clone();
    let check = &mut options.check;
    let deadline = check.limit_time.map(|limit| Instant::now() + limit);
    check.budget = check.budget.or(Some(RUN_BUDGET));
    check.no_fairness = true;
    let known: Vec<String> = model
        .signature()
        .properties
        .iter()
        .map(|p| p.name.clone())
        .collect();
    let nothing_asked = check.properties.is_empty() && check.formulas.is_empty();
    if nothing_asked || options.together && check.properties.is_empty() {
        check.properties.clone_from(&known);
    } else if let Some(name) = check.properties.iter().find(|name| !known.contains(*name)) {
        if SAFETY.contains(&name.as_str()) {
            return Err(CheckError::Wrong(not_temporal(name)));
        }
        return Err(CheckError::UnknownProperty(name.clone(), known));
    }
    let wanted = check.properties.clone();
    let questions = questions(model, check, &wanted)?;
    let (bound, is_certain) = model.pid_bound();
    let mut bound = if is_certain { bound } else { FEW };
    let mut report = loop {
        let items = Items::new(model, options.by, &options.check.fair, bound)?;
        let advisor = Advisor {
            system: model.explicit()?,
            questions: &questions,
            items: &items,
            options: &options,
            deadline,
            inputs: false,
        };
        match advisor.advise(listener)? {
            Some(advice) => {
                break AdviseReport {
                    by: options.by.word(),
                    items: items.names.clone(),
                    notes: items.fairness.dropped.clone(),
                    advice,
                };
            }
            None => bound = (2 * bound).min(usize::from(u8::MAX)),
        }
    };
    let skipped = wanted
        .iter()
        .filter(|w| !questions.iter().any(|q| q.name == **w));
    report.notes.extend(skipped.map(|name| {
        format!("`{name}` is no temporal property: fairness makes no difference to it")
    }));
    let hopeless = |advice: &Advice| advice.outcome == Outcome::Impossible;
    if options.by != Granularity::Label && report.advice.iter().any(hopeless) {
        let items = Items::new(model, Granularity::Label, &options.check.fair, bound)?;
        let advisor = Advisor {
            system: model.explicit()?,
            questions: &questions,
            items: &items,
            options: &options,
            deadline,
            inputs: false,
        };
        advisor.try_finer(&mut report.advice, listener)?;
    }
    Ok(report)
}
