//! How questions are answered, and how far to go.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use evenhand_explicit::ahead::crew::Threads;
use evenhand_explicit::store::Limits;
use evenhand_source::Budget;
use evenhand_source::budget::after;

use crate::keep::Keep;
use crate::memory;

/// How questions are answered, and how far to go.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// The engine for temporal properties, by name; none for the one that fits best.
    pub engine: Option<String>,
    /// What finished runs mean for temporal properties.
    pub deadlock: Deadlock,
    /// How the symbolic engine handles compassion.
    pub compassion: CompassionBy,
    /// Only runs of at most this many steps.
    pub max_depth: Option<u64>,
    /// At most this many states.
    pub limit_states: Option<u64>,
    /// At most this much memory, in bytes.
    pub limit_memory: Option<u64>,
    /// Whether somebody else has this limit too, and it is about what both have in use.
    pub(crate) shares_memory: bool,
    /// At most this much time.
    pub limit_time: Option<Duration>,
    /// Store states compressed.
    pub compress: bool,
    /// How many threads work on a question; none for as many as there are cores.
    pub threads: Option<NonZeroUsize>,
    /// So many states are expanded by one thread alone; none for the default.
    pub alone: Option<usize>,
    /// Whether a smaller system may be explored instead.
    pub reduce: Reduce,
    /// Which runs are shown for violated properties.
    pub counterexample: Counterexamples,
    /// How long to look for a shorter run once a violation is known; none for the default.
    pub budget: Option<Duration>,
    /// Whether to look, for a short time, if more fairness would save a violated property.
    pub hints: bool,
    /// How verdicts are checked that no run can show.
    pub certify: Certify,
    /// Takes the proofs, if they are to be kept; then everything is expanded again.
    pub keep: Option<Keep>,
    /// Follow the automaton of bad runs along the runs that are shown.
    pub observe: bool,
    /// Count the steps of each action, where the body can; one thread looks for errors then.
    pub coverage: bool,
    /// Ends the work when it is raised.
    pub cancel: Cancel,
}

/// How much longer work may take than the searches inside of it.
const GRACE: Duration = Duration::from_millis(100);

/// What telling the answers may take in any case.
const TELLING: Duration = Duration::from_millis(250);

/// What the program itself may take.
const LEAST: u64 = 48 << 20;

/// More threads than this only wait for each other.
const MOST_THREADS: usize = 256;

impl Options {
    /// When the time is over, if it begins now.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.limit_time.map(after)
    }

    /// The number of threads.
    pub(crate) fn threads(&self) -> Threads {
        let cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let wanted = self.threads.unwrap_or_else(cores).get();
        let usual = Threads::new(wanted.min(MOST_THREADS));
        Threads {
            alone: self.alone.unwrap_or(usual.alone),
            ..usual
        }
    }

    /// What work may cost, until a moment. Searches look at their limits themselves, and can tell how
    /// far they came: they are given a little longer.
    pub fn budget(&self, deadline: Option<Instant>) -> Budget {
        Budget::unlimited()
            .until(deadline.map(|end| end + GRACE))
            .memory(
                self.limit_memory.map(|limit| limit.max(LEAST)),
                memory::is_above,
            )
            .cancel(self.cancel.flag())
    }

    /// The same, if it begins now.
    pub fn budget_now(&self) -> Budget {
        self.budget(self.deadline())
    }

    /// What reading a model may cost: at least as much as a small one takes.
    pub fn reading(&self) -> Budget {
        let time = self.limit_time.map(|time| time.max(GRACE));
        self.budget(time.map(after))
    }

    /// What telling the answers may cost: they are known, and a limit that was reached by then takes no
    /// short answer away.
    pub fn telling(&self) -> Budget {
        let left = self.limit_time.map(|limit| limit.max(TELLING));
        let time = match self.cancel.is_cancelled() {
            true => Some(TELLING),
            false => left,
        };
        let memory = self.limit_memory.map(|limit| limit.max(LEAST));
        Budget::unlimited()
            .within(time)
            .memory(memory.map(|limit| limit + limit / 8), memory::is_above)
    }

    /// What is left of these limits after work that began at a moment.
    #[must_use]
    pub fn since(mut self, begun: Instant) -> Options {
        let left = |limit: Duration| limit.saturating_sub(begun.elapsed());
        self.limit_time = self.limit_time.map(left);
        self
    }

    /// The limits of a state store.
    pub fn store_limits(&self) -> Limits {
        let most = Limits::default().states;
        Limits {
            states: self
                .limit_states
                .map_or(most, |n| u32::try_from(n).unwrap_or(most).min(most)),
            bytes: self.limit_memory.map_or(usize::MAX, |n| n as usize),
        }
    }

    /// The same for one of two who work beside each other: one limit for both, where all memory is counted, and half of it
    /// for each elsewhere.
    #[must_use]
    pub(crate) fn beside(mut self) -> Options {
        match memory::is_counted() {
            true => self.shares_memory = true,
            false => self.limit_memory = self.limit_memory.map(|limit| limit / 2),
        }
        self
    }

    /// The limits of a second store, beside what has memory already.
    pub(crate) fn limits_beside(&self) -> Limits {
        let mut limits = self.store_limits();
        if let Some(limit) = self.limit_memory {
            limits.bytes = (memory::left(limit) / 2) as usize;
        }
        limits
    }

    /// Whether a run is to be the shortest.
    pub(crate) fn wants_shortest(&self) -> bool {
        let how = self.counterexample;
        matches!(how, Counterexamples::Shortest | Counterexamples::All)
    }
}

/// A flag that ends work from another thread. Copies are the same flag.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A flag that is not raised.
    pub fn new() -> Cancel {
        Cancel::default()
    }

    /// From now on the work is to end.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the work is to end.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// The flag itself, for engines and signal handlers.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.0.clone()
    }
}

impl From<Arc<AtomicBool>> for Cancel {
    fn from(flag: Arc<AtomicBool>) -> Cancel {
        Cancel(flag)
    }
}

/// What finished runs mean for temporal properties.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Deadlock {
    /// As usual for the system: Promela's stay where they end, SMV's do not count.
    #[default]
    Usual,
    /// They stay for ever where they end.
    Stutter,
    /// They do not count: a run is infinite.
    Ignore,
    /// A run that ends where it must not breaks every temporal property; others stay where they end.
    Error,
    /// CTL quantifies over maximal runs, finite ones included; elsewhere they stay where they end. Only some
    /// languages read it so.
    Maximal,
}

/// How verdicts are checked that no run can show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Certify {
    /// Ranks are held against the graph that the search has kept.
    #[default]
    Auto,
    /// Everything is expanded again.
    Full,
    /// Not at all.
    Off,
}

/// Whether a smaller system may be explored instead of the one that is asked about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reduce {
    /// Where that gives the same answer, and the system is not small itself: then everything is known of
    /// it.
    #[default]
    Auto,
    /// Wherever it gives the same answer.
    Always,
    /// Never.
    None,
}

/// How the symbolic engine handles compassion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompassionBy {
    /// By the algorithm itself.
    #[default]
    Algorithm,
    /// As justice, with a guess for each pair.
    Justice,
    /// Put before formulas of linear time.
    Antecedent,
}

/// Which runs are shown for violated properties.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Counterexamples {
    /// The shortest that can be found within the budget.
    #[default]
    Shortest,
    /// The same, and further ones: a shortest for each accepting state of the product.
    All,
    /// Any.
    First,
    /// None.
    None,
}
