//! The budget of a search for a better answer, beside the limits of the whole run.
//!
//! The search for the shortest counterexample goes on after the verdict is known, so it has a
//! budget of its own: when that ends, the best lasso so far is the answer. The limits of the run,
//! which the [`Watch`] keeps, end it as well. One meter counts for both.

use std::time::{Duration, Instant};

use evenhand_explicit::graph::Graph;
use evenhand_explicit::search::{Progress, Stop};
use evenhand_explicit::watch::Watch;

/// How much a search may cost; by default without bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// At most this much time.
    pub time: Option<Duration>,
    /// At most this much memory beyond what was in use at the start, in bytes.
    pub bytes: Option<u64>,
    /// At most this many rounds of the innermost loops: the same on every machine.
    pub rounds: Option<u64>,
}

/// Why a search ended before it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The budget is used up.
    Budget,
    /// A limit of the run was reached.
    Stop(Stop),
}

impl Halt {
    /// The limit of the run that was reached; a budget counts as time.
    pub fn into_stop(self) -> Stop {
        match self {
            Halt::Budget => Stop::Time,
            Halt::Stop(stop) => stop,
        }
    }
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Halt {
        Halt::Stop(stop)
    }
}

/// Counts what a search costs.
pub struct Meter<'w, 'a> {
    watch: &'w mut Watch<'a>,
    budget: Budget,
    started: Instant,
    bytes_at_start: usize,
    rounds: u64,
}

/// How many rounds lie between two looks at the clock.
const BEAT: u64 = 256;

impl<'w, 'a> Meter<'w, 'a> {
    /// A meter that starts now, without a budget: only the limits of the run count.
    pub fn unlimited(watch: &'w mut Watch<'a>) -> Meter<'w, 'a> {
        Meter {
            watch,
            budget: Budget::default(),
            started: Instant::now(),
            bytes_at_start: 0,
            rounds: 0,
        }
    }

    /// From now on, the search has this budget; `bytes` are in use already.
    pub fn allow(&mut self, budget: Budget, bytes: usize) {
        self.budget = budget;
        self.started = Instant::now();
        self.bytes_at_start = bytes;
        self.rounds = 0;
    }

    /// Counts a round in which `bytes` are in use.
    ///
    /// # Errors
    /// If the budget is used up or a limit was reached.
    #[inline]
    pub fn round(&mut self, bytes: impl Fn() -> usize) -> Result<(), Halt> {
        self.rounds += 1;
        if self.budget.rounds.is_some_and(|most| self.rounds > most) {
            return Err(Halt::Budget);
        }
        if self.rounds % BEAT == 1 {
            self.look(bytes())?;
        }
        let expanded = self.rounds;
        self.watch.tick(|| Progress {
            expanded,
            bytes: bytes() as u64,
            ..Progress::default()
        })?;
        Ok(())
    }

    /// Counts the expansion of a node by a search that itself takes `own` bytes.
    ///
    /// # Errors
    /// If the budget is used up or a limit was reached.
    #[inline]
    pub fn expansion<const W: usize>(
        &mut self,
        graph: &dyn Graph<W>,
        own: impl Fn() -> usize,
    ) -> Result<(), Halt> {
        self.round(|| graph.bytes_used() + own())
    }

    #[cold]
    fn look(&self, bytes: usize) -> Result<(), Halt> {
        let taken = bytes.saturating_sub(self.bytes_at_start) as u64;
        let full = self.budget.bytes.is_some_and(|most| taken > most);
        let late = self
            .budget
            .time
            .is_some_and(|most| self.started.elapsed() > most);
        if full || late {
            return Err(Halt::Budget);
        }
        Ok(())
    }
}
