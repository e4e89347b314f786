//! The table of engines, and the one function that chooses among them.
//!
//! A question is answered by the first engine of the table that can; if the user names one, by that,
//! wherever it is meant for such questions. Only one thing is not told by the question: whether the
//! states are explored one by one, or as sets. Sets do not care how many states there are; exploring
//! them one by one gives the shortest runs and costs little where they are few. Nobody can tell from the constraints
//! of a system how many states it has, or how large its diagrams become. So `auto` tries both, in turns
//! (`race.rs`), and keeps the first that has all answers. What only one of the two can do decides first.

use evenhand_explicit::search::{Options as SearchOptions, Progress, explore};
use evenhand_source::{Budget, nearest};
use evenhand_system::Question;
use evenhand_system::relation::{Role, Sort, VarId};

use crate::answer::{CheckError, Note};
use crate::case::Case;
use crate::engine::{Engine, SYMBOLIC, Support};
use crate::explicit::bounded::BoundedSearch;
use crate::explicit::bounds::Bounds;
use crate::explicit::breadth_first::BreadthFirst;
use crate::explicit::emptiness::{self, EmptinessCheck};
use crate::explicit::labelling::Labelling;
use crate::explicit::reach::Reach;
use crate::known::Known;
use crate::memory;
use crate::options::{CompassionBy, Counterexamples, Deadlock};

/// The engines. Of those that a user can name the default comes first.
static ENGINES: [&dyn Engine; emptiness::COUNT + 6 + SETS + SATS] = [
    &Known,
    &BreadthFirst,
    &Reach,
    &Labelling,
    &Bounds,
    &BoundedSearch,
    &EmptinessCheck(0),
    &EmptinessCheck(1),
    &EmptinessCheck(2),
    &EmptinessCheck(3),
    &EmptinessCheck(4),
    #[cfg(feature = "symbolic")]
    &crate::symbolic::Sets,
    #[cfg(feature = "sat")]
    &crate::sat::BySat,
];

/// How many engines explore sets.
const SETS: usize = if cfg!(feature = "symbolic") { 1 } else { 0 };

/// How many use a SAT solver.
const SATS: usize = if cfg!(feature = "sat") { 1 } else { 0 };

/// All engines.
pub fn engines() -> &'static [&'static dyn Engine] {
    &ENGINES
}

/// Whether users can ask for an engine of that name.
///
/// # Errors
/// If not, with what to write instead.
pub fn is_known(engines: &[&dyn Engine], name: Option<&str>) -> Result<(), CheckError> {
    let named = engines.iter().filter(|engine| engine.has_choice());
    let known: Vec<&str> = ["auto"]
        .into_iter()
        .chain(named.map(|e| e.name()))
        .collect();
    let Some(name) = name.filter(|name| !known.contains(name)) else {
        return Ok(());
    };
    let hint = match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known: {}", known.join(", ")),
    };
    Err(CheckError::Engine(format!(
        "there is no engine `{name}`; {hint}"
    )))
}

/// What is explored, and why, if nobody asked for it.
#[derive(Debug, Default)]
pub(crate) struct Choice {
    pub way: Way,
    pub note: Option<Note>,
}

/// What is explored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Way {
    /// States one by one.
    #[default]
    States,
    /// Sets of states.
    Sets,
    /// Both in turns, until one of them has all answers (`race.rs`).
    Both,
}

/// Chooses between exploring sets and exploring states one by one.
pub(crate) fn choose(case: &Case<'_>) -> Result<Choice, CheckError> {
    let options = case.options;
    let is_relation = case.view.body.relation().is_ok();
    let explicit = match options {
        _ if options.max_depth.is_some() => Some("a bounded check explores state by state"),
        _ if options.counterexample == Counterexamples::All => {
            Some("all runs are found state by state")
        }
        _ if is_relation && options.deadlock == Deadlock::Stutter => {
            Some("runs that stay where they end are found state by state")
        }
        _ => None,
    };
    let name = options.engine.as_deref().filter(|name| *name != "auto");
    let other = options.compassion != CompassionBy::Algorithm;
    let refused = |message: String| Err(CheckError::Engine(message));
    let chosen = |way: Way, why: &str| {
        let note = Some(note(way == Way::Sets, why.to_string()));
        Ok(Choice { way, note })
    };
    match (name, explicit) {
        (Some(SYMBOLIC), Some(reason)) => {
            refused(format!("the engine `{SYMBOLIC}` cannot do this: {reason}"))
        }
        (Some(SYMBOLIC), None) => Ok(Choice {
            way: Way::Sets,
            note: None,
        }),
        (None, Some(reason)) if other => Err(CheckError::Compassion(Some(reason.to_string()))),
        (Some(_), _) if other => Err(CheckError::Compassion(None)),
        (None, None) if other => {
            let why = "only there compassion is handled in other ways";
            chosen(Way::Sets, why)
        }
        (Some(_), _) => Ok(Choice::default()),
        (None, _) if !is_relation || SETS == 0 => Ok(Choice::default()),
        (None, Some(reason)) => chosen(Way::States, reason),
        // Few states are meant where a limit is set for them.
        (None, None) if options.limit_states.is_some() && bits(case) <= FEW_BITS => Ok(Choice {
            way: Way::States,
            note: Some(first(case, false, 0)),
        }),
        (None, None) => Ok(Choice {
            way: Way::Both,
            note: None,
        }),
    }
}

/// Up to so many bits of a state there are few states, whatever can be reached.
const FEW_BITS: f64 = 14.0;

fn note(symbolic: bool, why: String) -> Note {
    Note::Engine {
        engine: if symbolic { SYMBOLIC } else { "state by state" },
        why,
        is_news: symbolic,
    }
}

/// Says who was first where both were tried: sets, or so many states.
pub(crate) fn first(case: &Case<'_>, symbolic: bool, states: u64) -> Note {
    let bits = bits(case);
    let why = match symbolic {
        true => format!("states of {bits:.0} bits are many"),
        false if bits <= FEW_BITS => {
            format!("{bits:.0} bits of a state are few, and runs are shortest")
        }
        false => format!("{states} states are few, and runs are shortest"),
    };
    note(symbolic, why)
}

/// The look: at most about so many states and transitions.
const LOOK_STATES: u64 = 50_000;
const LOOK_TRANSITIONS: u64 = 1_000_000;

/// The look: at most so many values are tried for variables, and so many bytes more are in use.
const LOOK_EFFORT: u64 = 20_000_000;
const LOOK_MEMORY: u64 = 256 << 20;

/// The number of reachable states, if a short search comes to its end.
pub(crate) fn few_states(case: &Case<'_>) -> Option<u64> {
    let (system, options) = (case.system().ok()?, case.options);
    let limit = options.limit_states;
    let look = SearchOptions {
        limit_states: Some(limit.map_or(LOOK_STATES, |limit| limit.min(LOOK_STATES))),
        limit_memory: options.limit_memory,
        limit_time: case.left(),
        ..SearchOptions::default()
    };
    let mut is_little = |progress: &Progress| {
        !options.cancel.is_cancelled() && progress.transitions < LOOK_TRANSITIONS
    };
    // A single state may have more successors than can be listed.
    let look = || explore(system, &look, &mut is_little);
    let memory = memory::in_use() + LOOK_MEMORY;
    let memory = options
        .limit_memory
        .map_or(memory, |limit| memory.min(limit / 2));
    let budget = Budget::unlimited().effort(LOOK_EFFORT);
    let budget = budget.memory(Some(memory), memory::is_above);
    let found = budget.run(look).ok()?;
    found.stop.is_none().then_some(found.progress.states)
}

/// The logarithm of the number of valuations of the variables of a state.
fn bits(case: &Case<'_>) -> f64 {
    let Ok(relation) = case.view.body.relation() else {
        return 0.0;
    };
    let variables = relation.variables.iter().enumerate();
    let inputs = &case.view.inputs;
    let counted =
        variables.filter(|(at, v)| v.role != Role::Input || inputs.contains(&VarId(*at as u32)));
    let values = counted.map(|(_, variable)| match &variable.sort {
        Sort::Values(list) => list.len() as f64,
        sort => {
            let (low, high) = sort.bounds();
            high.abs_diff(low) as f64 + 1.0
        }
    });
    values.map(|count| count.max(1.0).log2()).sum()
}

/// The engine that answers a question: of those in a list.
///
/// # Errors
/// If none can.
pub(crate) fn engine_for<'e>(
    engines: &[&'e dyn Engine],
    case: &Case<'_>,
    question: &Question,
    symbolic: bool,
) -> Result<&'e dyn Engine, CheckError> {
    let named = match (symbolic, case.options.engine.as_deref()) {
        (true, _) => Some(SYMBOLIC),
        (false, name) => name.filter(|name| *name != "auto" && *name != SYMBOLIC),
    };
    let mut reasons = Vec::new();
    // The one that was named wherever it is meant for such questions, else the first that can.
    let first = engines.iter().filter(|engine| Some(engine.name()) == named);
    let others = engines.iter().filter(|engine| engine.name() != SYMBOLIC);
    for engine in first.chain(others) {
        match engine.supports(case, question) {
            Support::Yes => return Ok(*engine),
            Support::Other => {}
            Support::No(reason) => {
                if Some(engine.name()) == named {
                    return Err(CheckError::Engine(reason));
                }
                reasons.push(reason);
            }
        }
    }
    let reason = reasons.into_iter().next();
    let reason = reason.unwrap_or_else(|| "no engine is meant for such questions".to_string());
    Err(CheckError::Engine(format!(
        "`{}` cannot be answered: {reason}",
        question.name
    )))
}
