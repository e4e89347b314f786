//! Limits: what ends a computation before it has an answer.
//!
//! A diagram operation is one call into the library and cannot be interrupted, so the watch is asked
//! between operations; the memory is bounded by the number of nodes a manager may hold, inside of
//! operations too.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

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
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Memory => f.write_str("the memory limit was reached"),
            Stop::Time => f.write_str("the time limit was reached"),
            Stop::Interrupted => f.write_str("interrupted"),
            Stop::Refused(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for Stop {}

/// Looks at the clock and at the flag.
#[derive(Clone, Debug)]
pub struct Watch {
    started: Instant,
    limit: Option<Duration>,
    flag: Option<Arc<AtomicBool>>,
}

impl Watch {
    /// A watch that starts now.
    pub fn new(limit: Option<Duration>, flag: Option<Arc<AtomicBool>>) -> Watch {
        Watch {
            started: Instant::now(),
            limit,
            flag,
        }
    }

    /// How long it has been going.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
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
        match self.limit {
            Some(limit) if self.started.elapsed() > limit => Err(Stop::Time),
            _ => Ok(()),
        }
    }
}
