//! How many states a system has, counted by all processes.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use evenhand_explicit::search::{Exploration, Progress};
use evenhand_system::{Body, Fairness, Inputs};
use evenhand_verify::{Listener, Options, StopReason, View, memory};

use crate::checkpoint::Checkpoint;
use crate::crew::Cluster;
use crate::engine::same_job;
use crate::explore::{Explore, Limits, Task};
use crate::feasible::Strategy;
use crate::post::{Broken, Post};
use crate::shard::Keep;

/// The numbers of a system.
#[derive(Debug)]
pub struct Census {
    /// As one process would tell them.
    pub exploration: Exploration,
    /// The most states that one worker has.
    pub most: u64,
    /// Letters between workers, and their bytes.
    pub letters: u64,
    /// Bytes of letters between workers.
    pub bytes: u64,
}

/// Explores a system together with all other processes.
///
/// # Errors
/// If states of the system cannot leave a process, or some process is gone.
pub fn explore(
    cluster: &Cluster,
    body: &Arc<dyn Body>,
    options: &Options,
    checkpoint: Option<Checkpoint>,
    listener: &mut dyn Listener,
) -> Result<Census, StopReason> {
    let unsupported = |reason: &str| StopReason::Unsupported(reason.to_string());
    let view = Arc::new(View::new(body.clone(), Inputs::new()));
    match view.system() {
        Ok(system) if system.is_portable() && system.is_pure() => {}
        Ok(_) => {
            return Err(unsupported(
                "states of this language mean something in one process only",
            ));
        }
        Err(refusal) => return Err(StopReason::Unsupported(refusal.to_string())),
    }
    let started = Instant::now();
    let task = Arc::new(Task {
        fairness: Fairness::default(),
        propositions: Vec::new(),
        follow: None,
        conditions: Vec::new(),
        wanted: Vec::new(),
        keep: match checkpoint.is_some() {
            true => Keep::Parents,
            false => Keep::Nothing,
        },
        compress: options.compress,
        limits: Limits {
            states: options.limit_states,
            memory: options.limit_memory,
            used_memory: memory::in_use,
            until: options.limit_time.map(|time| started + time),
            cancel: Arc::default(),
        },
        strategy: Strategy::USUAL,
        checkpoint,
    });
    let cancel = task.limits.cancel.clone();
    let job = move |post: &mut Post, tell: &mut dyn FnMut(&Progress)| {
        same_job(post, 0)?;
        let system = view.system().map_err(|_| Broken)?;
        let (letters, bytes) = (post.letters, post.bytes);
        let mut explore = Explore::new(system, &task, post.peers());
        let totals = explore.run(post, tell)?;
        let sums = post.sum(&[post.letters - letters, post.bytes - bytes])?;
        Ok((totals, sums))
    };
    let mut watch = |progress: Option<&Progress>| {
        let goes_on = progress.is_none_or(|p| listener.progress(p));
        if !goes_on || options.cancel.is_cancelled() {
            cancel.store(true, Ordering::Relaxed);
        }
        !cancel.load(Ordering::Relaxed)
    };
    let found = cluster.work(job, &mut watch);
    let found = found.map_err(StopReason::Unsupported)?;
    let Some((totals, sums)) = found.into_iter().next() else {
        return Err(StopReason::Interrupted);
    };
    let exploration = Exploration {
        progress: Progress {
            states: totals.states,
            expanded: totals.states,
            transitions: totals.transitions,
            depth: totals.depth,
            bytes: totals.bytes,
        },
        depth: totals.depth,
        deadlocks: totals.deadlocks,
        stop: totals.stop,
        elapsed: started.elapsed(),
        initial: totals.initial,
        ..Exploration::default()
    };
    Ok(Census {
        exploration,
        most: totals.most,
        letters: sums[0],
        bytes: sums[1],
    })
}
