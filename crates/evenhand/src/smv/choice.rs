//! Which engine answers questions about an SMV model, and why.
//!
//! Sets of states as decision diagrams do not care how many states there are; exploring them one by one
//! gives the shortest runs and costs little where they are few. So `auto` takes a look: the variables
//! have few values altogether, or a short search comes to its end. Then the states are
//! explored; otherwise the symbolic engine answers. What only one of them can do (bounded checks, all runs,
//! runs that stay at their ends; compassion handled in other ways) decides first.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use evenhand_explicit::search::{Options, Progress, explore};
use evenhand_smv::SmvModel;
use evenhand_symbolic::CompassionAs;
use evenhand_system::relation::{Role, VarId};

use super::symbolic::NAME;
use crate::check::{CheckError, CheckOptions, Counterexamples, Deadlock};
use crate::temporal::is_engine;

/// Up to so many bits of a state the states are explored one by one.
const FEW_BITS: f64 = 14.0;

/// The look: at most about so many states and transitions.
const LOOK_STATES: u64 = 50_000;
const LOOK_TRANSITIONS: u64 = 1_000_000;

/// What was chosen.
pub(super) struct Choice {
    pub symbolic: bool,
    /// Why, if nobody asked for it.
    pub reason: Option<String>,
}

/// Chooses an engine for questions that are about some inputs.
pub(super) fn choose(
    model: &SmvModel,
    read: &BTreeSet<VarId>,
    options: &CheckOptions,
) -> Result<Choice, CheckError> {
    let explicit = match options {
        _ if options.max_depth.is_some() => Some("a bounded check explores state by state"),
        _ if options.counterexample == Counterexamples::All => {
            Some("all runs are found state by state")
        }
        _ if options.deadlock == Deadlock::Stutter => {
            Some("runs that stay where they end are found state by state")
        }
        _ => None,
    };
    let other = options.compassion != CompassionAs::Native;
    match options.engine.as_deref() {
        Some(name) if name == NAME => match explicit {
            Some(reason) => Err(CheckError::Engine(format!(
                "the engine `{NAME}` cannot do this: {reason}"
            ))),
            None => Ok(Choice {
                symbolic: true,
                reason: None,
            }),
        },
        None | Some("auto") => {
            let bits = bits(model, read);
            let (symbolic, why) = match explicit {
                Some(reason) => (false, reason.to_string()),
                None if other => (
                    true,
                    "only there compassion is handled in other ways".into(),
                ),
                None if bits <= FEW_BITS => {
                    let why = format!("{bits:.0} bits of a state are few, and runs are shortest");
                    (false, why)
                }
                None => match few_states(model, read, options) {
                    Some(states) => {
                        let why = format!("{states} states are few, and runs are shortest");
                        (false, why)
                    }
                    None => (true, format!("states of {bits:.0} bits are many")),
                },
            };
            if other && !symbolic {
                return Err(only_symbolic());
            }
            let engine = if symbolic { NAME } else { "state by state" };
            Ok(Choice {
                symbolic,
                reason: Some(format!("engine: {engine}, since {why}")),
            })
        }
        name => {
            is_engine(name)?;
            if other {
                return Err(only_symbolic());
            }
            Ok(Choice {
                symbolic: false,
                reason: None,
            })
        }
    }
}

/// The number of reachable states, if a short search comes to its end.
fn few_states(model: &SmvModel, read: &BTreeSet<VarId>, options: &CheckOptions) -> Option<u64> {
    let system = model.system_reading(read).ok()?;
    let states = options
        .limit_states
        .map_or(LOOK_STATES, |limit| limit.min(LOOK_STATES));
    let look = Options {
        limit_states: Some(states),
        limit_memory: options.limit_memory,
        limit_time: options.limit_time,
        ..Options::default()
    };
    let mut is_little = |progress: &Progress| {
        let raised = options.interrupt.as_ref();
        let raised = raised.is_some_and(|flag| flag.load(Ordering::Relaxed));
        !raised && progress.transitions < LOOK_TRANSITIONS
    };
    let found = explore(&system, &look, &mut is_little);
    found.stop.is_none().then_some(found.progress.states)
}

fn only_symbolic() -> CheckError {
    CheckError::Engine(format!(
        "`--compassion` is for the engine `{NAME}`; the others handle it natively"
    ))
}

/// The logarithm of the number of valuations of the variables of a state.
fn bits(model: &SmvModel, read: &BTreeSet<VarId>) -> f64 {
    let variables = model.relation.variables.iter().enumerate();
    let counted = variables
        .filter(|(at, variable)| variable.role != Role::Input || read.contains(&VarId(*at as u32)));
    let values = counted.map(|(_, variable)| match &variable.sort {
        evenhand_system::relation::Sort::Values(list) => list.len() as f64,
        sort => {
            let (low, high) = sort.bounds();
            high.abs_diff(low) as f64 + 1.0
        }
    });
    values.map(|count| count.max(1.0).log2()).sum()
}
