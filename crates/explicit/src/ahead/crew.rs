//! Who helps, and when.
//!
//! A crew belongs to a space. Threads may borrow a system only for as long as somebody waits for them, so
//! they live while a piece of work goes on ([`Crew::attend`]). Most spaces are small, and done before a thread
//! has started; so only a foreman starts with the work. He sleeps until the space has grown large enough to
//! be shared, and calls the others then.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{Builder, Scope};

use evenhand_source::{Budget, STACK};
use evenhand_system::Explicit;

use super::job::lock;

/// How many threads there are, and when they begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads {
    /// The number, with the one that decides.
    pub count: usize,
    /// So many states are expanded before others help: most spaces are smaller.
    pub alone: usize,
}

impl Threads {
    /// So many.
    pub const fn new(count: usize) -> Threads {
        let alone = 1 << 11;
        Threads { count, alone }
    }

    /// A number of states, for large systems; few where others help with small ones, too.
    pub(crate) fn sooner(self, states: usize) -> usize {
        match self.is_early() {
            true => states >> 11,
            false => states,
        }
    }

    /// Whether others help with small systems, too, whatever it costs.
    pub(crate) fn is_early(self) -> bool {
        self.alone < Threads::new(1).alone
    }

    /// Whether others help after so many states.
    #[inline]
    pub(crate) fn help_after(self, states: usize) -> bool {
        self.count > 1 && states >= self.alone
    }
}

impl Default for Threads {
    fn default() -> Threads {
        Threads::new(1)
    }
}

/// Threads that expand states of one space ahead of the decision.
pub struct Crew {
    threads: Threads,
    state: Mutex<State>,
    /// Rings when there is a job, and at the end.
    bell: Condvar,
}

#[derive(Default)]
struct State {
    /// Whether work is going on that the crew attends.
    attends: bool,
    job: Option<Arc<dyn Work>>,
}

/// Something that several threads can do at once.
pub(crate) trait Work: Send + Sync {
    /// Helps until it is over.
    fn help(self: Arc<Self>, system: &dyn Explicit, over: &AtomicBool);

    /// It is over: everybody who waits is to look.
    fn ring(&self);
}

impl Crew {
    /// A crew that nobody has called yet.
    pub fn new(threads: Threads) -> Arc<Crew> {
        Arc::new(Crew {
            threads,
            state: Mutex::default(),
            bell: Condvar::new(),
        })
    }

    /// Does some work on a space of this system; the others help where it is large, if it may be expanded in any order.
    pub fn attend<T>(&self, system: &dyn Explicit, work: impl FnOnce() -> T) -> T {
        let is_alone = self.threads.count < 2 || !system.is_pure();
        if is_alone || std::mem::replace(&mut lock(&self.state).attends, true) {
            return work();
        }
        let over = Arc::new(AtomicBool::new(false));
        std::thread::scope(|scope| {
            // Dropped before the scope waits for the others, also where work is ended by a limit.
            let _end = End {
                crew: self,
                over: &over,
            };
            let foreman = || self.lead(system, &over, scope);
            // Without threads the work is done alone.
            let _ = thread().spawn_scoped(scope, foreman);
            work()
        })
    }

    /// Waits for a job and does it, together with others.
    fn lead<'scope, 'env>(
        &self,
        system: &'env dyn Explicit,
        over: &'env Arc<AtomicBool>,
        scope: &'scope Scope<'scope, 'env>,
    ) {
        let mut state = lock(&self.state);
        let job = loop {
            if over.load(Ordering::SeqCst) {
                return;
            }
            if let Some(job) = &state.job {
                break job.clone();
            }
            state = self
                .bell
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        };
        drop(state);
        for _ in 2..self.threads.count {
            let job = job.clone();
            let helper = move || help(system, job, over);
            let _ = thread().spawn_scoped(scope, helper);
        }
        help(system, job, over);
    }

    /// Whether there is anybody who could do a job now.
    pub(crate) fn is_ready(&self) -> bool {
        self.threads.count > 1 && lock(&self.state).attends
    }

    /// How many threads there are, and when they begin.
    pub(crate) fn threads(&self) -> Threads {
        self.threads
    }

    /// There is a job from now on.
    pub(crate) fn set_job(&self, job: Arc<dyn Work>) {
        lock(&self.state).job = Some(job);
        self.bell.notify_all();
    }
}

/// A thread that has as much room as the one that it helps.
fn thread() -> Builder {
    Builder::new()
        .name("expanding ahead".into())
        .stack_size(STACK)
}

/// Expands states until it is over.
fn help(system: &dyn Explicit, job: Arc<dyn Work>, over: &Arc<AtomicBool>) {
    let budget = Budget::unlimited().cancel(over.clone());
    let work = || job.help(system, over);
    // A state that cannot be expanded is left to the decision, if it gets there.
    let _ = catch_unwind(AssertUnwindSafe(|| budget.run(work)));
}

/// The end of some work.
struct End<'w> {
    crew: &'w Crew,
    over: &'w AtomicBool,
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.crew.state);
        self.over.store(true, Ordering::SeqCst);
        state.attends = false;
        self.crew.bell.notify_all();
        if let Some(job) = &state.job {
            job.ring();
        }
    }
}
