//! The nearest assertion violation, run-time error or improper end.
//!
//! Breadth-first search finds the nearest one, and needs the whole ball around the initial state
//! for it: where errors are deep and the ball is wide it may not get there at all. So after a while
//! it pauses for one depth-first probe of bounded size. If the probe finds an error, the verdict is
//! known; breadth-first goes on only within a budget to find a shorter run, and what comes out says
//! how far it got. If not, breadth-first goes on alone.

use std::time::{Duration, Instant};

use evenhand_system::Explicit;
use evenhand_system::explicit::FaultReport;

use crate::search::{
    ErrorClass, FoundError, Observer, Options, Order, Pause, PerClass, Progress, Search, Stop,
};
use crate::store::{PlainStore, Store, TreeStore};

/// Breadth-first pauses after this many states.
const PROBE_AFTER: usize = 1 << 21;

/// The same where any path will do.
const PROBE_AFTER_ANY: usize = 1 << 14;

/// The probe explores at most this many states.
const PROBE_STATES: u64 = 1 << 22;

/// What to look for, besides the classes in `search.wanted`.
#[derive(Clone, Debug)]
pub struct SafetyOptions {
    /// Whether the paths are wanted.
    pub paths: bool,
    /// Whether any path will do.
    pub any_path: bool,
    /// How long to look for a shorter path once there is one; none for the default.
    pub budget: Option<Duration>,
    /// Classes of errors, limits and the store.
    pub search: Options,
}

/// An error that was found.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The states on the way to it; none if no path was wanted.
    pub path: Vec<Vec<u8>>,
    /// The fault in the last state; none for an improper end.
    pub fault: Option<FaultReport>,
    /// Whether no shorter path exists.
    pub shortest: bool,
    /// No path has fewer transitions than this.
    pub lower_bound: usize,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Safety {
    /// For each class, the nearest error that could be found.
    pub errors: PerClass<Option<Finding>>,
    /// How far the searches went.
    pub progress: Progress,
    /// Why they ended before everything was explored.
    pub stop: Option<Stop>,
    /// For each action, whether it was executed, if everything was explored.
    pub executed: Option<Vec<bool>>,
}

/// Looks for the nearest errors.
pub fn nearest_errors(
    system: &dyn Explicit,
    options: &SafetyOptions,
    observer: &mut Observer<'_>,
) -> Safety {
    let limits = options.search.limits();
    if options.search.compress {
        run(system, options, || TreeStore::with_limits(limits), observer)
    } else {
        run(
            system,
            options,
            || PlainStore::with_limits(limits),
            observer,
        )
    }
}

fn run<S: Store>(
    system: &dyn Explicit,
    options: &SafetyOptions,
    new_store: impl Fn() -> S,
    observer: &mut Observer<'_>,
) -> Safety {
    let started = Instant::now();
    let search_options = Options {
        order: Order::BreadthFirst,
        parents: options.paths,
        ..options.search.clone()
    };
    let wanted = &options.search.wanted;
    let mut wide = Search::new(system, search_options.clone(), new_store());
    let mut safety = Safety::default();
    let probe_after = if options.any_path {
        PROBE_AFTER_ANY
    } else {
        PROBE_AFTER
    };
    // The probe goes deep, which is not wanted where runs are bounded.
    let pause = options.search.max_depth.is_none().then_some(probe_after);
    if wide.advance(pause, observer) == Pause::Paused {
        let mut probe_options = search_options;
        let left = |limit: Duration| limit.saturating_sub(started.elapsed());
        probe_options.limit_time = probe_options.limit_time.map(left);
        for class in ErrorClass::ALL {
            probe_options.wanted[class] &= wide.found.first[class].is_none();
        }
        safety.errors = probe(system, options, probe_options, new_store(), observer);
        let undecided = ErrorClass::ALL.into_iter().any(|class| {
            let known = safety.errors[class].is_some() || wide.found.first[class].is_some();
            wanted[class] && !known
        });
        if !undecided {
            // What is left is to find shorter paths.
            let spent = started.elapsed();
            let budget = options
                .budget
                .unwrap_or((spent * 5).max(Duration::from_secs(10)));
            let patience = if options.any_path || !options.paths {
                spent
            } else {
                spent + budget
            };
            let limit = wide
                .options
                .limit_time
                .map_or(patience, |limit| limit.min(patience));
            wide.options.limit_time = Some(limit);
        }
        wide.advance(None, observer);
    }
    conclude(&wide, options, safety)
}

/// The depth-first probe: errors that breadth-first has not met yet.
fn probe<S: Store>(
    system: &dyn Explicit,
    options: &SafetyOptions,
    mut probe_options: Options,
    store: S,
    observer: &mut Observer<'_>,
) -> PerClass<Option<Finding>> {
    let most = options
        .search
        .limit_states
        .map_or(PROBE_STATES, |n| n.min(PROBE_STATES));
    probe_options.order = Order::DepthFirst;
    let wanted = probe_options.wanted.clone();
    let mut deep = Search::new(system, probe_options, store);
    let mut bounded = |progress: &Progress| progress.states < most && observer(progress);
    deep.advance(None, &mut bounded);
    let mut errors = PerClass::default();
    for class in ErrorClass::ALL.into_iter().filter(|&class| wanted[class]) {
        errors[class] = deep.found.first[class].as_ref().map(|found| Finding {
            path: path_to(&deep, options, found),
            fault: found.report.clone(),
            shortest: false,
            lower_bound: 0,
        });
    }
    errors
}

fn path_to<S: Store>(
    search: &Search<'_, S>,
    options: &SafetyOptions,
    found: &FoundError,
) -> Vec<Vec<u8>> {
    if options.paths {
        search.path(found.state)
    } else {
        Vec::new()
    }
}

/// Puts together what both searches found.
fn conclude<S: Store>(wide: &Search<'_, S>, options: &SafetyOptions, mut safety: Safety) -> Safety {
    // Levels before the current one are free of errors that were not recorded. A fault is a step
    // behind the state it happens in; an improper end is the state itself.
    let depth = wide.found.depth as usize;
    for class in ErrorClass::ALL {
        let extra = usize::from(class != ErrorClass::Deadlock);
        let length = |path: &[Vec<u8>]| (path.len() + extra).saturating_sub(1);
        if let Some(found) = &wide.found.first[class] {
            let path = path_to(wide, options, found);
            let (lower_bound, fault) = (length(&path), found.report.clone());
            safety.errors[class] = Some(Finding {
                path,
                fault,
                shortest: true,
                lower_bound,
            });
        } else if let Some(finding) = &mut safety.errors[class] {
            let length = length(&finding.path);
            finding.lower_bound = (depth + extra).min(length);
            finding.shortest = finding.lower_bound == length;
        }
    }
    safety.progress = wide.found.progress;
    safety.stop = wide.found.stop;
    let complete = safety.stop.is_none() && safety.progress.expanded == safety.progress.states;
    safety.executed = complete.then(|| wide.found.executed.clone());
    safety
}
