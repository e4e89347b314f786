//! Many processes.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::values::parse_duration;

/// Many processes, on this machine or on several.
#[derive(Debug, Args)]
pub(crate) struct ClusterArguments {
    /// Explore with this many processes on this machine; each has a part of the states
    #[arg(long, value_name = "N", conflicts_with = "cluster")]
    pub processes: Option<NonZeroUsize>,

    /// Explore together with the processes at the addresses (HOST:PORT, one to a line) in this file; each is started
    /// with the same call and its own --process. They share the token in EVENHAND_CLUSTER_TOKEN
    #[arg(long, value_name = "HOSTS", requires = "process")]
    pub cluster: Option<PathBuf>,

    /// Which of the addresses is that of this process, counted from 0; process 0 reports
    #[arg(long, value_name = "K", requires = "cluster")]
    pub process: Option<usize>,

    /// Keep the search in this folder, which all processes see, so that it can be continued
    #[arg(long, value_name = "DIR")]
    pub checkpoint: Option<PathBuf>,

    /// How long a search goes on before it is kept again (default: 5m)
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, requires = "checkpoint")]
    pub checkpoint_every: Option<Duration>,

    /// Continue the search that is kept in the folder of --checkpoint; with any number of processes
    #[arg(long, requires = "checkpoint")]
    pub resume: bool,

    /// Save memory for temporal properties: generate all successors twice, instead of keeping them until all are known
    #[arg(long)]
    pub memory_for_time: bool,

    /// How long to wait for the other processes at the start (default: 60s)
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub wait: Option<Duration>,
}

impl ClusterArguments {
    /// Whether several processes are asked for.
    pub fn is_asked(&self) -> bool {
        self.processes.is_some() || self.cluster.is_some()
    }

    /// Whether anything is asked for that is about several processes.
    pub fn is_mentioned(&self) -> bool {
        self.is_asked() || self.checkpoint.is_some() || self.memory_for_time
    }
}
