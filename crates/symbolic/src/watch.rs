//! Limits: what ends a computation before it has an answer.
//!
//! A diagram operation is one call into the library and cannot be interrupted, so the watch is
//! asked between operations; the memory is bounded by the number of nodes a manager may hold,
//! inside of operations too.

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use evenhand_system::fault::FaultKind;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The diagrams need more memory than is allowed.
    Memory,
    /// The time is over.
    Time,
    /// Somebody raised the flag.
    Interrupted,
    /// The question cannot be asked of this engine, for a reason that is meant for people.
    Refused(String),
    /// A proposition has no value in some reachable state: what goes wrong there, if that is known.
    NoValue(Option<FaultKind>),
    /// A set that was found does not solve its equation: a defect of the engine.
    Broken(String),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Memory => f.write_str("the memory limit was reached"),
            Stop::Time => f.write_str("the time limit was reached"),
            Stop::Interrupted => f.write_str("interrupted"),
            Stop::NoValue(None) => f.write_str("a proposition has no value in some state"),
            Stop::NoValue(Some(kind)) => {
                write!(f, "a proposition has no value in some state: {kind}")
            }
            Stop::Refused(reason) | Stop::Broken(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for Stop {}

/// Memory that others need too: who has more than half of what there is ends before it is full, so that the others
/// need not.
#[derive(Clone, Copy, Debug)]
pub struct Shared {
    /// More than half of the diagrams' own limit is taken only while all together have at most so many bytes.
    pub most: u64,
    /// How many bytes all together have.
    pub in_use: fn() -> u64,
}

/// How far a computation is, for those who watch it from another thread.
#[derive(Debug, Default)]
pub struct Gauge {
    rounds: AtomicU64,
    nodes: AtomicU64,
}

impl Gauge {
    /// Rounds of fixpoints.
    pub fn rounds(&self) -> u64 {
        self.rounds.load(Ordering::Relaxed)
    }

    /// Nodes of diagrams, with garbage.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// Bytes that these nodes take.
    pub fn bytes(&self) -> u64 {
        self.nodes() * crate::manager::BYTES_PER_NODE
    }
}

/// Looks at the clock and at the flag.
#[derive(Clone, Debug)]
pub struct Watch {
    started: Instant,
    limit: Cell<Option<Duration>>,
    flag: Option<Arc<AtomicBool>>,
    gauge: Arc<Gauge>,
}

impl Watch {
    /// A watch that starts now.
    pub fn new(limit: Option<Duration>, flag: Option<Arc<AtomicBool>>, gauge: Arc<Gauge>) -> Watch {
        Watch {
            started: Instant::now(),
            limit: Cell::new(limit),
            flag,
            gauge,
        }
    }

    /// From now on there is so much time; without end, if there is no number.
    pub fn allow(&self, time: Option<Duration>) {
        let all = time.map(|time| self.elapsed().saturating_add(time));
        self.limit.set(all);
    }

    /// How long it has been going.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Says how far the work is.
    pub fn show(&self, rounds: u64, nodes: u64) {
        self.gauge.rounds.store(rounds, Ordering::Relaxed);
        self.gauge.nodes.store(nodes, Ordering::Relaxed);
    }

    /// Whether to go on.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn look(&self) -> Result<(), Stop> {
        if let Some(flag) = &self.flag
            && flag.load(Ordering::Relaxed)
        {
            return Err(Stop::Interrupted);
        }
        match self.limit.get() {
            Some(limit) if self.started.elapsed() > limit => Err(Stop::Time),
            _ => Ok(()),
        }
    }
}
