//! The nearest assertion violation, run-time error or improper end.
//!
//! Breadth-first search finds the nearest one, and needs the whole ball around the initial state
//! for it: where errors are deep and the ball is wide it may not get there at all. So after a while
//! it pauses for one depth-first probe of bounded size. If the probe finds an error, the verdict is
//! known; breadth-first goes on only within a budget to find a shorter run, and what comes out says
//! how far it got. If not, breadth-first goes on alone.
//!
//! Where a reduced system is known that has the same errors, breadth-first pauses early to let that one be
//! explored, breadth-first with a probe, too. What it has not, nobody has. A path to what it has is unrolled to
//! one of the system, and breadth-first as above looks for a shorter one. The probe looks into both: an error
//! that is met soon in one of them may be met late in the other.
//!
//! Where there are several threads the probe goes on beside the search (`beside`).
//!
//! One search looks for all classes of errors, and for states that break conditions; what is found early need
//! not wait for the end of it: whoever listens hears of it after a moment.

mod beside;
mod kept;

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use evenhand_system::explicit::FaultReport;
use evenhand_system::reduce::Reduced;
use evenhand_system::{Explicit, Fault, PropositionId};

use crate::search::{
    Counted, ErrorClass, FoundError, Observer, Options, Order, Pause, PerClass, Progress, Search,
    Stop,
};
use crate::store::{Limits, PlainStore, StateId, Store, TreeStore};

use beside::{is_beside, with_probe};
pub use kept::nearest_errors_kept;

/// Breadth-first pauses after this many states.
const PROBE_AFTER: usize = 1 << 21;

/// The same where any path will do.
const PROBE_AFTER_ANY: usize = 1 << 14;

/// The same in a reduced system.
const PROBE_AFTER_REDUCED: usize = 1 << 19;

/// The probe explores at most this many states.
const PROBE_STATES: u64 = 1 << 22;

/// Where there is a reduced system it is probed again and again, each time after so many times the states. A probe
/// explores this part of what breadth-first did.
const PROBE_AGAIN: usize = 8;
const PROBE_PART: usize = 8;

/// Where any path will do, a probe explores as many states as breadth-first, and no fewer than this.
const PROBE_STATES_ANY: usize = 1 << 18;

/// What to look for, besides the classes in `search.wanted` and the conditions in `search.conditions`; these only where
/// there is no smaller system.
#[derive(Clone, Debug)]
pub struct SafetyOptions {
    /// Whether the paths are wanted.
    pub paths: bool,
    /// Whether any path will do.
    pub any_path: bool,
    /// Whether the states that people count are to be counted.
    pub counts: bool,
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

/// For each class, an error that was found.
type Errors = PerClass<Option<Finding>>;

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Safety {
    /// For each class, the nearest error that could be found.
    pub errors: Errors,
    /// For each condition, the nearest state that breaks it.
    pub broken: Vec<Option<Finding>>,
    /// For each condition, whether nobody knows if it holds in some state.
    pub undecided: Vec<bool>,
    /// Why propositions of conditions have no value.
    pub failures: Vec<(PropositionId, Fault)>,
    /// The states that people count, if everything was explored.
    pub counted: Option<Counted>,
    /// How far the searches went.
    pub progress: Progress,
    /// Why they ended before everything was explored.
    pub stop: Option<Stop>,
    /// The first run-time error that ends a run; what lies behind it was not explored.
    pub cut: Option<FaultReport>,
    /// For each action, whether it was executed, if everything was explored.
    pub executed: Option<Vec<bool>>,
    /// How many of the states were expanded by other threads, ahead of the search.
    pub ahead: u64,
    /// Which errors the reduced system was seen not to have.
    pub absent: PerClass<bool>,
    /// How large that one is.
    pub smaller: Option<Progress>,
    /// Whether it was left, since reducing costs more than it saves.
    pub gave_up: bool,
    /// Whether the reduced system has an error that the system has not: a mistake of this tool.
    pub is_broken: bool,
}

/// A system that has the same errors with fewer states.
#[derive(Clone, Copy)]
pub struct Smaller<'s> {
    /// The system; its steps may be several of the other.
    pub system: &'s Reduced<'s>,
    /// How many states of the other one are explored before.
    pub after: usize,
}

/// Hears how the searches go.
pub trait Audience {
    /// How far they have come; whether to go on.
    fn progress(&mut self, progress: &Progress) -> bool;

    /// An error of a class is known, while others are still looked for. In the end there may be a
    /// shorter path to one, unless it is said to be shortest.
    fn found(&mut self, class: ErrorClass, finding: &Finding, progress: &Progress) {
        let _ = (class, finding, progress);
    }

    /// A condition is known to fail, by its number.
    fn broken(&mut self, condition: usize, finding: &Finding, progress: &Progress) {
        let _ = (condition, finding, progress);
    }
}

/// Who wants to know of progress alone.
struct Plain<'p, 'o>(&'p mut Observer<'o>);

impl Audience for Plain<'_, '_> {
    fn progress(&mut self, progress: &Progress) -> bool {
        (self.0)(progress)
    }
}

/// Looks for the nearest errors.
pub fn nearest_errors(
    system: &dyn Explicit,
    options: &SafetyOptions,
    observer: &mut Observer<'_>,
) -> Safety {
    nearest_errors_heard(system, None, options, &mut Plain(observer))
}

/// The same for somebody who wants to hear of each class as soon as it is found.
pub fn nearest_errors_heard(
    system: &dyn Explicit,
    smaller: Option<Smaller<'_>>,
    options: &SafetyOptions,
    audience: &mut dyn Audience,
) -> Safety {
    if options.search.compress {
        let store = |limits| TreeStore::with_limits(limits);
        run(system, smaller, options, store, audience)
    } else {
        let store = |limits| PlainStore::with_limits(limits);
        run(system, smaller, options, store, audience)
    }
}

fn run<S: Store>(
    system: &dyn Explicit,
    smaller: Option<Smaller<'_>>,
    options: &SafetyOptions,
    store_within: impl Fn(Limits) -> S + Sync,
    audience: &mut dyn Audience,
) -> Safety {
    let started = Instant::now();
    let new_store = || store_within(options.search.limits());
    let search_options = Options {
        order: Order::BreadthFirst,
        parents: options.paths,
        ..options.search.clone()
    };
    let wanted = &options.search.wanted;
    let mut wide = Search::new(system, search_options.clone(), new_store());
    wide.tells = true;
    let mut told = PerClass::default();
    let mut safety = Safety::default();
    let probe_after = if options.any_path {
        PROBE_AFTER_ANY
    } else {
        options.search.threads.sooner(PROBE_AFTER)
    };
    'smaller: {
        let Some(smaller) = smaller else {
            break 'smaller;
        };
        let pause = Some(smaller.after);
        if advance(&mut wide, pause, options, &mut told, audience) != Pause::Paused {
            return conclude(&wide, options, safety);
        }
        let mut rest = search_options.clone();
        rest.limit_time = left(rest.limit_time, started);
        rest.conditions.clear();
        for class in ErrorClass::ALL {
            rest.wanted[class] &= wide.found.first[class].is_none();
        }
        let mut told_of = |class: ErrorClass, finding: &Finding, audience: &mut dyn Audience| {
            if !std::mem::replace(&mut told[class], true) {
                audience.found(class, finding, &wide.found.progress);
            }
        };
        let small = (system, smaller, rest, &new_store);
        let found = search_smaller(small, options, audience, &mut told_of, &mut safety);
        if safety.is_broken {
            return safety;
        }
        safety.gave_up = smaller.system.gave_up().load(Ordering::Relaxed);
        if safety.gave_up {
            // What was found is there; what was not may be elsewhere.
            (safety.absent, safety.smaller) = Default::default();
            break 'smaller;
        }
        let is_met = |class| safety.errors[class].is_some() || wide.found.first[class].is_some();
        if !ErrorClass::ALL.into_iter().any(is_met) {
            return found;
        }
        // What is left is to find shorter paths.
        for class in ErrorClass::ALL {
            wide.options.wanted[class] &= !safety.absent[class];
        }
        let wanted = |class: ErrorClass| wide.options.wanted[class];
        let is_open = |class| wanted(class) && wide.found.first[class].is_none();
        if ErrorClass::ALL.into_iter().any(is_open) {
            be_patient(&mut wide, options, started);
            advance(&mut wide, None, options, &mut told, audience);
        }
        let mut safety = conclude(&wide, options, safety);
        safety.stop = safety.stop.and(found.stop.or(safety.stop));
        safety.cut = safety.cut.or(found.cut);
        safety.executed = safety.executed.or(found.executed);
        return safety;
    }
    // The probe goes deep, which is not wanted where runs are bounded, or the order of states matters.
    let may_probe = options.search.max_depth.is_none() && system.is_pure();
    let pause = may_probe.then_some(probe_after);
    if advance(&mut wide, pause, options, &mut told, audience) == Pause::Paused {
        let mut probe_options = search_options;
        probe_options.conditions.clear();
        probe_options.limit_time = left(probe_options.limit_time, started);
        for class in ErrorClass::ALL {
            let is_known = wide.found.first[class].is_some() || safety.errors[class].is_some();
            probe_options.wanted[class] &= !is_known;
        }
        let before = wide.found.progress;
        let mut found = |wide: &mut Search<'_, S>,
                         mut deep: Errors,
                         told: &mut PerClass<bool>,
                         audience: &mut dyn Audience| {
            for class in ErrorClass::ALL {
                if let Some(finding) = deep[class].take() {
                    audience.found(class, &finding, &before);
                    told[class] = true;
                    safety.errors[class] = Some(finding);
                }
            }
            let undecided = ErrorClass::ALL.into_iter().any(|class| {
                let known = safety.errors[class].is_some() || wide.found.first[class].is_some();
                wanted[class] && !known
            });
            if !undecided && !wide.conditions.is_open() {
                // What is left is to find shorter paths.
                be_patient(wide, options, started);
            }
        };
        let probed = (system, options, probe_options);
        if is_beside(options) {
            with_probe(
                &mut wide,
                probed,
                &store_within,
                &mut told,
                audience,
                &mut found,
            );
        } else {
            let deep = probe(probed, PROBE_STATES, new_store(), audience);
            found(&mut wide, deep, &mut told, audience);
            advance(&mut wide, None, options, &mut told, audience);
        }
    }
    conclude(&wide, options, safety)
}

/// What is left of a limit.
fn left(limit: Option<Duration>, started: Instant) -> Option<Duration> {
    limit.map(|limit| limit.saturating_sub(started.elapsed()))
}

/// Gives a search for shorter paths as much time as is wanted.
fn be_patient<S: Store>(wide: &mut Search<'_, S>, options: &SafetyOptions, started: Instant) {
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

/// Explores a smaller system: which errors it has, each with a path, and which it has not. What is known
/// if there are none at all.
fn search_smaller<S: Store>(
    (system, smaller, rest, new_store): (&dyn Explicit, Smaller<'_>, Options, &impl Fn() -> S),
    options: &SafetyOptions,
    audience: &mut dyn Audience,
    told_of: &mut dyn FnMut(ErrorClass, &Finding, &mut dyn Audience),
    safety: &mut Safety,
) -> Safety {
    let (started, wanted) = (Instant::now(), rest.wanted.clone());
    let mut small = Search::new(smaller.system, rest.clone(), new_store());
    let gave_up = || smaller.system.gave_up().load(Ordering::Relaxed);
    let mut pause = match options.any_path {
        true => PROBE_AFTER_ANY,
        false => PROBE_AFTER_REDUCED,
    };
    loop {
        let mut observer = |progress: &Progress| !gave_up() && audience.progress(progress);
        // A probe may have given up, too.
        if gave_up() || small.advance(Some(pause), &mut observer) != Pause::Paused {
            break;
        }
        let mut wanted = small.options.wanted.clone();
        for class in ErrorClass::ALL {
            wanted[class] &= small.found.first[class].is_none();
        }
        let states = match options.any_path {
            true => pause.max(PROBE_STATES_ANY),
            false => pause / PROBE_PART,
        };
        for is_reduced in [false, true] {
            let deep = Options {
                limit_time: left(rest.limit_time, started),
                wanted: wanted.clone(),
                ..rest.clone()
            };
            let probed: &dyn Explicit = match is_reduced {
                false => system,
                true => smaller.system,
            };
            let probed = (probed, options, deep);
            let mut found = probe(probed, states as u64, new_store(), audience);
            for class in ErrorClass::ALL {
                let Some(finding) = found[class].take() else {
                    continue;
                };
                match is_reduced {
                    false => safety.errors[class] = Some(finding),
                    true => meet(smaller.system, class, finding, safety),
                }
                if let Some(finding) = &safety.errors[class] {
                    told_of(class, finding, audience);
                }
                (wanted[class], small.options.wanted[class]) = (false, false);
            }
            if !ErrorClass::ALL.into_iter().any(|class| wanted[class]) {
                break;
            }
        }
        let is_open = |class| small.options.wanted[class] && small.found.first[class].is_none();
        if !ErrorClass::ALL.into_iter().any(is_open) {
            break;
        }
        pause = pause.saturating_mul(PROBE_AGAIN);
    }
    let is_done = small.found.stop.is_none();
    for class in ErrorClass::ALL.into_iter().filter(|&class| wanted[class]) {
        if let Some(found) = &small.found.first[class] {
            let finding = Finding {
                path: path_to(&small, options, found),
                fault: found.report.clone(),
                shortest: false,
                lower_bound: 0,
            };
            meet(smaller.system, class, finding, safety);
        }
        if let Some(finding) = &safety.errors[class] {
            told_of(class, finding, audience);
        }
        safety.absent[class] = safety.errors[class].is_none() && is_done;
    }
    safety.smaller = Some(small.found.progress);
    let mut found = conclude(&small, options, Safety::default());
    found.absent = safety.absent.clone();
    found.smaller = safety.smaller;
    found
}

/// An error of a reduced system is known, and becomes one of the system.
fn meet(system: &Reduced<'_>, class: ErrorClass, mut finding: Finding, safety: &mut Safety) {
    if !finding.path.is_empty() {
        match unrolled(system, class, &finding.path) {
            Some(path) => finding.path = path,
            None => {
                safety.is_broken = true;
                return;
            }
        }
    }
    safety.errors[class] = Some(finding);
}

/// The path of the system itself that one of a reduced system is.
fn unrolled(system: &Reduced<'_>, class: ErrorClass, path: &[Vec<u8>]) -> Option<Vec<Vec<u8>>> {
    let mut unroller = system.unroller(&[]);
    let mut path = unroller.path(path)?;
    let is_end = class == ErrorClass::Deadlock;
    if is_end {
        unroller.settle(&mut path)?;
    }
    (!is_end || unroller.is_improper_end(path.last()?)).then_some(path)
}

/// Goes on with a search until it is done or paused; tells what it finds.
fn advance<S: Store>(
    wide: &mut Search<'_, S>,
    pause: Option<usize>,
    options: &SafetyOptions,
    told: &mut PerClass<bool>,
    audience: &mut dyn Audience,
) -> Pause {
    loop {
        let mut observer = |progress: &Progress| audience.progress(progress);
        let stands = wide.advance(pause, &mut observer);
        if stands != Pause::News {
            return stands;
        }
        tell(wide, options, told, audience);
    }
}

/// Tells what a search has found and was not told.
fn tell<S: Store>(
    wide: &mut Search<'_, S>,
    options: &SafetyOptions,
    told: &mut PerClass<bool>,
    audience: &mut dyn Audience,
) {
    for class in ErrorClass::ALL {
        let is_new = options.search.wanted[class] && !told[class];
        if let Some(found) = wide.found.first[class].as_ref().filter(|_| is_new) {
            let finding = nearest(wide, options, class, found);
            audience.found(class, &finding, &wide.found.progress);
            told[class] = true;
        }
    }
    for number in 0..wide.conditions.broken.len() {
        let is_new = !wide.conditions.told[number];
        if let Some(state) = wide.conditions.broken[number].filter(|_| is_new) {
            let finding = breaking(wide, options, state);
            audience.broken(number, &finding, &wide.found.progress);
            wide.conditions.told[number] = true;
        }
    }
}

/// Whether a search has found something that was not told.
fn has_news<S: Store>(
    wide: &Search<'_, S>,
    options: &SafetyOptions,
    told: &PerClass<bool>,
) -> bool {
    let is_new = |class| options.search.wanted[class] && !told[class];
    let mut errors = ErrorClass::ALL.into_iter().filter(|&class| is_new(class));
    let mut broken = wide.conditions.broken.iter().zip(&wide.conditions.told);
    errors.any(|class| wide.found.first[class].is_some())
        || broken.any(|(state, told)| state.is_some() && !told)
}

/// A state that breaks a condition: no path to one is shorter.
fn breaking<S: Store>(wide: &Search<'_, S>, options: &SafetyOptions, state: StateId) -> Finding {
    let path = match options.paths {
        true => wide.path(state),
        false => Vec::new(),
    };
    Finding {
        lower_bound: path.len().saturating_sub(1),
        path,
        fault: None,
        shortest: true,
    }
}

/// An error that breadth-first has met: no path to one is shorter.
fn nearest<S: Store>(
    wide: &Search<'_, S>,
    options: &SafetyOptions,
    class: ErrorClass,
    found: &FoundError,
) -> Finding {
    let path = path_to(wide, options, found);
    Finding {
        lower_bound: length(class, &path),
        path,
        fault: found.report.clone(),
        shortest: true,
    }
}

/// The number of transitions of a path to an error. A fault is a step behind the state it happens
/// in; an improper end is the state itself.
fn length(class: ErrorClass, path: &[Vec<u8>]) -> usize {
    let extra = usize::from(class != ErrorClass::Deadlock);
    (path.len() + extra).saturating_sub(1)
}

/// The depth-first probe: errors that breadth-first has not met yet.
fn probe<S: Store>(
    (system, options, mut probe_options): (&dyn Explicit, &SafetyOptions, Options),
    most: u64,
    store: S,
    audience: &mut dyn Audience,
) -> Errors {
    let most = options.search.limit_states.map_or(most, |n| n.min(most));
    probe_options.order = Order::DepthFirst;
    let wanted = probe_options.wanted.clone();
    let mut deep = Search::new(system, probe_options, store);
    let mut bounded = |progress: &Progress| progress.states < most && audience.progress(progress);
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
    // Levels before the current one are free of errors that were not recorded.
    let depth = wide.found.depth as usize;
    for class in ErrorClass::ALL {
        if let Some(found) = &wide.found.first[class] {
            safety.errors[class] = Some(nearest(wide, options, class, found));
        } else if let Some(finding) = &mut safety.errors[class] {
            let extra = usize::from(class != ErrorClass::Deadlock);
            let length = length(class, &finding.path);
            finding.lower_bound = (depth + extra).min(length);
            finding.shortest = finding.lower_bound == length;
        }
    }
    let broken = wide.conditions.broken.iter();
    let broken = broken.map(|state| state.map(|state| breaking(wide, options, state)));
    safety.broken = broken.collect();
    safety.undecided.clone_from(&wide.conditions.undecided);
    safety.failures.clone_from(&wide.conditions.failures);
    safety.progress = wide.found.progress;
    safety.stop = wide.found.stop;
    safety.ahead = wide.found.ahead;
    safety.cut = wide.found.cut.clone();
    let complete = safety.stop.is_none() && safety.progress.expanded == safety.progress.states;
    safety.executed = complete.then(|| wide.found.executed.clone());
    if complete && options.counts {
        safety.counted = Some(wide.counted());
    }
    safety
}
