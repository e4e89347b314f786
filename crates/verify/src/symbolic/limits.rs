//! What the engine may use, and what it means if that was not enough.

use std::time::Instant;

use evenhand_symbolic::{CompassionAs, Halt, Options, Shared, Stop};

use crate::memory;
use crate::options::{Certify, CompassionBy, Options as CheckOptions};
use crate::stop::StopReason;

/// What the engine may use, if it begins now.
pub(crate) fn engine_options(options: &CheckOptions, deadline: Option<Instant>) -> Options {
    let default = Options::default();
    let memory = options.limit_memory.unwrap_or(default.memory);
    // A little earlier than whoever counts all memory.
    let most = memory - memory / 16;
    let in_use = memory::in_use;
    Options {
        memory,
        shared: options.shares_memory.then_some(Shared { most, in_use }),
        time: deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())),
        interrupt: Some(options.cancel.flag()),
        compassion: match options.compassion {
            CompassionBy::Algorithm => CompassionAs::Native,
            CompassionBy::Justice => CompassionAs::Justice,
            CompassionBy::Antecedent => CompassionAs::Antecedent,
        },
        equations: options.certify != Certify::Off,
        ..default
    }
}

impl From<Stop> for StopReason {
    fn from(stop: Stop) -> StopReason {
        match stop {
            Stop::Memory => StopReason::Memory,
            Stop::Time => StopReason::Time,
            Stop::Interrupted => StopReason::Interrupted,
            Stop::NoValue(kind) => StopReason::NoValue(kind),
            Stop::Refused(reason) | Stop::Broken(reason) => StopReason::Unsupported(reason),
        }
    }
}

impl From<Halt> for StopReason {
    fn from(halt: Halt) -> StopReason {
        match halt {
            Halt::Stop(stop) => stop.into(),
            Halt::Unknown(_) => StopReason::Unsupported(halt.to_string()),
            Halt::Processes => StopReason::Processes,
            Halt::Proposition(_, fault) => StopReason::NoValue(Some(fault.kind)),
            Halt::Limit(fault) => StopReason::Unsupported(fault.kind.to_string()),
        }
    }
}
