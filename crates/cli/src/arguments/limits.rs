//! The limits of all work.

use std::time::Duration;

use clap::Args;
use evenhand_verify::{Cancel, Options, memory};

use super::values::{parse_duration, parse_size};

/// Limits of all work.
#[derive(Debug, Args)]
pub(crate) struct LimitArguments {
    /// Stop with `unknown` at this much memory, such as 500M or 4G (default: three quarters of the machine's)
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub limit_memory: Option<u64>,

    /// Stop with `unknown` after this time, such as 30s, 5m or 1h
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub limit_time: Option<Duration>,
}

impl LimitArguments {
    /// Options with these limits.
    pub fn options(&self, cancel: Cancel) -> Options {
        let mut options = Options::default();
        options.limit_memory = self.limit_memory.or_else(memory::default_limit);
        options.limit_time = self.limit_time;
        options.cancel = cancel;
        options
    }
}
