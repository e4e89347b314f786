//! What a search is asked, how far it may go, and what it found.

use std::time::Duration;

use evenhand_source::Lasting;
use evenhand_system::explicit::FaultReport;
use evenhand_system::{FaultKind, Formula};

use crate::ahead::crew::Threads;
use crate::store::{Full, Limits, StateId};

/// In which order states are expanded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Nearest first.
    #[default]
    BreadthFirst,
    /// Newest first.
    DepthFirst,
}

/// What can be wrong with a state or a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorClass {
    /// An assertion violation or a run-time error.
    Fault,
    /// An improper end.
    Deadlock,
    /// A violation of a trace assertion.
    Trace,
}

impl ErrorClass {
    /// All of them.
    pub const ALL: [ErrorClass; 3] = [ErrorClass::Fault, ErrorClass::Deadlock, ErrorClass::Trace];
}

/// Something for each class of errors.
#[derive(Clone, Debug, Default)]
pub struct PerClass<T>([T; 3]);

impl<T> std::ops::Index<ErrorClass> for PerClass<T> {
    type Output = T;
    fn index(&self, class: ErrorClass) -> &T {
        &self.0[class as usize]
    }
}

impl<T> std::ops::IndexMut<ErrorClass> for PerClass<T> {
    fn index_mut(&mut self, class: ErrorClass) -> &mut T {
        &mut self.0[class as usize]
    }
}

/// What to do, and how far to go.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The order.
    pub order: Order,
    /// At most this many states.
    pub limit_states: Option<u64>,
    /// At most this much memory, in bytes.
    pub limit_memory: Option<u64>,
    /// Counts all memory in use, where somebody can; otherwise that of the states counts.
    pub used_memory: Option<fn() -> u64>,
    /// At most this much time.
    pub limit_time: Option<Duration>,
    /// Breadth-first: only runs of at most this many steps.
    pub max_depth: Option<u64>,
    /// Store states compressed.
    pub compress: bool,
    /// How many threads expand states breadth-first.
    pub threads: Threads,
    /// Remember how each state was reached.
    pub parents: bool,
    /// Stop when an error of each of these classes was met, …
    pub wanted: PerClass<bool>,
    /// … and a state that breaks each of these conditions.
    pub conditions: Vec<Formula>,
}

impl Options {
    /// The limits of the store.
    pub(crate) fn limits(&self) -> Limits {
        let most = Limits::default().states;
        let states = self
            .limit_states
            .map_or(most, |n| u32::try_from(n).unwrap_or(most).min(most));
        Limits {
            states,
            bytes: self.limit_memory.map_or(usize::MAX, |n| n as usize),
        }
    }
}

/// Why a search ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The limit on states.
    States,
    /// The limit on memory.
    Memory,
    /// The limit on time.
    Time,
    /// The limit on the length of runs.
    Depth,
    /// Somebody asked for it.
    Interrupted,
    /// A state is larger than the store takes.
    Length,
    /// The system has more combinations of processes than can be numbered.
    Shapes,
    /// An atomic sequence is too long to be followed to its end.
    Atomic,
    /// A state has too many successors.
    Successors,
    /// A place of a net has more tokens than can be counted.
    Tokens,
    /// An expression is too large or too deep.
    Evaluation(Lasting),
    /// There are more processes than fairness was set up for.
    Processes,
    /// A proposition has no value in some state.
    Proposition,
}

impl Stop {
    /// What the system could not do is a limit, not an error of the model.
    pub fn of_fault(kind: &FaultKind) -> Option<Stop> {
        match kind {
            FaultKind::TooManyShapes => Some(Stop::Shapes),
            FaultKind::LongAtomic => Some(Stop::Atomic),
            FaultKind::TooManySuccessors => Some(Stop::Successors),
            FaultKind::TooManyTokens => Some(Stop::Tokens),
            FaultKind::Limit(what) => Some(Stop::Evaluation(*what)),
            _ => None,
        }
    }
}

impl From<Full> for Stop {
    fn from(full: Full) -> Stop {
        match full {
            Full::Ids => Stop::States,
            Full::Memory => Stop::Memory,
            Full::Length => Stop::Length,
        }
    }
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Stop::States => "the limit on states was reached",
            Stop::Memory => "the memory limit was reached",
            Stop::Time => "the time limit was reached",
            Stop::Depth => "longer runs than the bound allows were not looked at",
            Stop::Interrupted => "interrupted",
            Stop::Length => "a state is too long to be stored",
            Stop::Shapes => "more combinations of processes than can be numbered",
            Stop::Successors => "a state has too many successors to list them all",
            Stop::Tokens => "a place has more tokens than can be counted",
            Stop::Evaluation(what) => what.text(),
            Stop::Atomic => "an atomic or d_step sequence is too long to be followed to its end",
            Stop::Processes => "more processes than fairness was set up for",
            Stop::Proposition => "an expression of the property has no value in some state",
        })
    }
}

/// How far a search has come.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// States stored.
    pub states: u64,
    /// States expanded.
    pub expanded: u64,
    /// Transitions generated.
    pub transitions: u64,
    /// The current depth.
    pub depth: u64,
    /// Memory used for states.
    pub bytes: u64,
}

/// An error that was met.
#[derive(Clone, Debug)]
pub struct FoundError {
    /// The state it happens in.
    pub state: StateId,
    /// What happens; none for an improper end.
    pub report: Option<FaultReport>,
}

/// What a search found.
#[derive(Debug, Default)]
pub struct Exploration {
    /// How far it went.
    pub progress: Progress,
    /// The greatest distance from the initial state (of a stack, depth-first).
    pub depth: u64,
    /// Improper ends.
    pub deadlocks: u64,
    /// The first error of each class.
    pub first: PerClass<Option<FoundError>>,
    /// The first run-time error that ends a run; a failed assertion does not.
    pub cut: Option<FaultReport>,
    /// Why it ended early.
    pub stop: Option<Stop>,
    /// Time it took.
    pub elapsed: Duration,
    /// For each state, the one it was reached from (itself for initial states).
    pub parents: Vec<u32>,
    /// For each action, whether it was executed.
    pub executed: Vec<bool>,
    /// How many of the states were expanded by other threads, ahead of the search.
    pub ahead: u64,
    /// How often an initial state was generated.
    pub initial: u64,
    /// Breadth-first: where each level but the last ends.
    pub levels: Vec<u32>,
}

/// Is told how a search goes; says whether to go on.
pub type Observer<'a> = dyn FnMut(&Progress) -> bool + 'a;
