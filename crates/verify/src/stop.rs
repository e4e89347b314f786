//! Why a question has no answer: one type for all engines.

use std::fmt;

use evenhand_explicit::search::Stop;
use evenhand_source::{Exhausted, counted};
use evenhand_system::FaultKind;

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
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
    /// Somebody asked for it before the question's turn had come.
    NotBegun,
    /// A limit of the state space or the store: what, in words.
    Space(Stop),
    /// There are more processes than fairness was set up for.
    Processes,
    /// An expression of the property has no value in some state; what went wrong there, if known.
    NoValue(Option<FaultKind>),
    /// A run-time error ends a run, and what lies behind it is not known.
    RunTimeError(FaultKind),
    /// Nothing was found among the runs of bounded length.
    Bounded {
        /// What was looked for.
        what: &'static str,
        /// How many steps were allowed.
        steps: usize,
        /// Why not even these were all looked at, and the number of steps that is certain.
        cut: Option<(Box<StopReason>, usize)>,
    },
    /// There are more fairness assumptions than can be kept apart.
    Assumptions,
    /// The formula or automaton cannot be used: why, in words.
    Property(String),
    /// The engine cannot do it: why, in words.
    Unsupported(String),
}

impl From<Exhausted> for StopReason {
    fn from(exhausted: Exhausted) -> StopReason {
        match exhausted {
            Exhausted::Time => StopReason::Time,
            Exhausted::Memory => StopReason::Memory,
            Exhausted::Interrupted => StopReason::Interrupted,
            Exhausted::Effort => StopReason::Unsupported(exhausted.to_string()),
        }
    }
}

impl From<Stop> for StopReason {
    fn from(stop: Stop) -> StopReason {
        match stop {
            Stop::States => StopReason::States,
            Stop::Memory => StopReason::Memory,
            Stop::Time => StopReason::Time,
            Stop::Depth => StopReason::Depth,
            Stop::Interrupted => StopReason::Interrupted,
            Stop::Processes => StopReason::Processes,
            Stop::Proposition => StopReason::NoValue(None),
            stop => StopReason::Space(stop),
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StopReason::States => Stop::States.fmt(f),
            StopReason::Memory => Stop::Memory.fmt(f),
            StopReason::Time => Stop::Time.fmt(f),
            StopReason::Depth => Stop::Depth.fmt(f),
            StopReason::Interrupted => Stop::Interrupted.fmt(f),
            StopReason::Processes => Stop::Processes.fmt(f),
            StopReason::NoValue(None) => Stop::Proposition.fmt(f),
            StopReason::Space(stop) => stop.fmt(f),
            StopReason::NotBegun => f.write_str("interrupted before it began"),
            StopReason::NoValue(Some(kind)) => write!(
                f,
                "an expression of the property has no value in some state: {kind}"
            ),
            StopReason::RunTimeError(kind) => write!(f, "a run-time error ends a run: {kind}"),
            StopReason::Bounded { what, steps, cut } => match cut {
                Some((why, proved)) => {
                    write!(
                        f,
                        "{why}; {what} has fewer than {}",
                        counted(*proved, "step")
                    )
                }
                None => write!(
                    f,
                    "{what} has at most {}; longer runs were not looked at",
                    counted(*steps, "step")
                ),
            },
            StopReason::Assumptions => {
                f.write_str("there are more fairness assumptions than can be kept apart")
            }
            StopReason::Property(reason) | StopReason::Unsupported(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for StopReason {}
