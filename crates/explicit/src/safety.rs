//! The nearest assertion violation, run-time error or improper end.
//!
//! Breadth-first search finds the nearest one, and needs the whole ball around the initial state for
//! it: where errors are deep and the ball is wide it may not get there at all. So after a while it
//! pauses for one depth-first probe of bounded size. If the probe finds an error, the verdict is
//! known; breadth-first goes on only within a budget to find a shorter run, and what comes out says
//! how far it got. If not, breadth-first goes on alone.

use std::time::{Duration, Instant};

use evenhand_system::Explicit;
use evenhand_system::explicit::FaultReport;

use crate::search::{Observer, Options, Order, Pause, Progress, Search, Stop};
use crate::store::{PlainStore, Store, TreeStore};

/// Breadth-first pauses after this many states.
const PROBE_AFTER: usize = 1 << 21;

/// The same where any path will do.
const PROBE_AFTER_ANY: usize = 1 << 14;

/// The probe explores at most this many states.
const PROBE_STATES: u64 = 1 << 22;

/// What to look for.
#[derive(Clone, Debug)]
pub struct SafetyOptions {
    /// Assertion violations and run-time errors.
    pub faults: bool,
    /// Improper ends.
    pub deadlocks: bool,
    /// Whether the paths are wanted.
    pub paths: bool,
    /// Whether any path will do.
    pub any_path: bool,
    /// How long to look for a shorter path once there is one; none for the default.
    pub budget: Option<Duration>,
    /// Limits and the store.
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
    /// An assertion violation or run-time error.
    pub fault: Option<Finding>,
    /// An improper end.
    pub deadlock: Option<Finding>,
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
        stop_at_fault: options.faults,
        stop_at_deadlock: options.deadlocks,
        ..options.search.clone()
    };
    let mut wide = Search::new(system, search_options.clone(), new_store());
    let mut safety = Safety::default();
    let probe_after = if options.any_path {
        PROBE_AFTER_ANY
    } else {
        PROBE_AFTER
    };
    if wide.advance(Some(probe_after), observer) == Pause::Paused {
        probe(
            system,
            options,
            &wide,
            search_options,
            new_store,
            &mut safety,
            observer,
        );
        let missing_fault =
            options.faults && safety.fault.is_none() && wide.found.first_fault.is_none();
        let missing_deadlock =
            options.deadlocks && safety.deadlock.is_none() && wide.found.first_deadlock.is_none();
        if !(missing_fault || missing_deadlock) {
            // Everything is decided; what is left is to find shorter paths.
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
    wide: &Search<'_, S>,
    search_options: Options,
    new_store: impl Fn() -> S,
    safety: &mut Safety,
    observer: &mut Observer<'_>,
) {
    let most = options
        .search
        .limit_states
        .map_or(PROBE_STATES, |n| n.min(PROBE_STATES));
    let probe_options = Options {
        order: Order::DepthFirst,
        limit_states: Some(most),
        stop_at_fault: options.faults && wide.found.first_fault.is_none(),
        stop_at_deadlock: options.deadlocks && wide.found.first_deadlock.is_none(),
        ..search_options
    };
    let mut deep = Search::new(system, probe_options.clone(), new_store());
    let mut bounded = |progress: &Progress| progress.states < most && observer(progress);
    deep.advance(None, &mut bounded);
    let path_to = |state| {
        if options.paths {
            deep.path(state)
        } else {
            Vec::new()
        }
    };
    if probe_options.stop_at_fault {
        safety.fault = deep.found.first_fault.as_ref().map(|found| Finding {
            path: path_to(found.state),
            fault: Some(found.report.clone()),
            shortest: false,
            lower_bound: 0,
        });
    }
    if probe_options.stop_at_deadlock {
        safety.deadlock = deep.found.first_deadlock.map(|state| Finding {
            path: path_to(state),
            fault: None,
            shortest: false,
            lower_bound: 0,
        });
    }
}

/// Puts together what both searches found.
fn conclude<S: Store>(wide: &Search<'_, S>, options: &SafetyOptions, mut safety: Safety) -> Safety {
    // Levels before the current one are free of errors that were not recorded.
    let depth = wide.found.depth as usize;
    let path_to = |state| {
        if options.paths {
            wide.path(state)
        } else {
            Vec::new()
        }
    };
    if let Some(found) = &wide.found.first_fault {
        let path = path_to(found.state);
        let lower_bound = path.len();
        let fault = Some(found.report.clone());
        safety.fault = Some(Finding {
            path,
            fault,
            shortest: true,
            lower_bound,
        });
    } else if let Some(finding) = &mut safety.fault {
        finding.lower_bound = (depth + 1).min(finding.path.len());
        finding.shortest = finding.lower_bound == finding.path.len();
    }
    if let Some(state) = wide.found.first_deadlock {
        let path = path_to(state);
        let lower_bound = path.len().saturating_sub(1);
        safety.deadlock = Some(Finding {
            path,
            fault: None,
            shortest: true,
            lower_bound,
        });
    } else if let Some(finding) = &mut safety.deadlock {
        let length = finding.path.len().saturating_sub(1);
        finding.lower_bound = depth.min(length);
        finding.shortest = finding.lower_bound == length;
    }
    safety.progress = wide.found.progress;
    safety.stop = wide.found.stop;
    let complete = safety.stop.is_none() && safety.progress.expanded == safety.progress.states;
    safety.executed = complete.then(|| wide.found.executed.clone());
    safety
}
