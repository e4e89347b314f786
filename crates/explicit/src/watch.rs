//! Limits and progress: what every long loop looks at from time to time.

use std::time::{Duration, Instant};

use evenhand_source::spend_turns;

use crate::search::{Observer, Progress, Stop};

/// How many rounds lie at most between two looks.
const BEAT: u64 = 4096;

/// How long a beat should take at most: where rounds are expensive, there are fewer.
const BEAT_TIME: Duration = Duration::from_millis(100);

/// When a loop is to look up: often enough for people, seldom enough to cost nothing.
pub(crate) struct Beat {
    next: u64,
    rounds: u64,
    last: Instant,
}

impl Beat {
    /// The first look is due at once.
    pub fn new() -> Beat {
        Beat {
            next: 1,
            rounds: 1,
            last: Instant::now(),
        }
    }

    /// Whether a look is due after so many rounds.
    #[inline]
    pub fn is_due(&self, rounds: u64) -> bool {
        rounds >= self.next
    }

    /// A look is taken after so many rounds: when is the next one?
    pub fn taken(&mut self, rounds: u64) {
        let elapsed = self.last.elapsed();
        self.last = Instant::now();
        self.rounds = if elapsed > BEAT_TIME {
            (self.rounds / 2).max(1)
        } else {
            (self.rounds * 2).min(BEAT)
        };
        self.next = rounds + self.rounds;
    }
}

/// Watches the limits of a search and tells an observer how far it has come.
pub struct Watch<'a> {
    observer: &'a mut Observer<'a>,
    limit_time: Option<Duration>,
    limit_memory: Option<u64>,
    /// Counts all memory in use, where somebody can.
    used: fn() -> u64,
    started: Instant,
    rounds: u64,
    beat: Beat,
}

impl<'a> Watch<'a> {
    /// A watch that starts now.
    pub fn new(
        observer: &'a mut Observer<'a>,
        limit_time: Option<Duration>,
        limit_memory: Option<u64>,
    ) -> Watch<'a> {
        Watch {
            observer,
            limit_time,
            limit_memory,
            used: || 0,
            started: Instant::now(),
            rounds: 0,
            beat: Beat::new(),
        }
    }

    /// The same watch, with a count of all memory in use.
    #[must_use]
    pub fn counting(mut self, used: fn() -> u64) -> Watch<'a> {
        self.used = used;
        self
    }

    /// How long it has been going.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Counts a round; now and then calls `progress` and looks at the limits.
    ///
    /// # Errors
    /// If a limit was reached or the observer said to stop.
    #[inline]
    pub fn tick(&mut self, progress: impl FnOnce() -> Progress) -> Result<(), Stop> {
        if self.is_due() {
            return self.look(&progress());
        }
        Ok(())
    }

    /// Counts a round; whether it is time to [`look`](Watch::look).
    #[inline]
    pub fn is_due(&mut self) -> bool {
        self.is_due_after(1)
    }

    /// The same for several rounds.
    #[inline]
    pub fn is_due_after(&mut self, rounds: u32) -> bool {
        spend_turns(rounds);
        self.rounds += u64::from(rounds);
        self.beat.is_due(self.rounds)
    }

    /// Tells the observer and looks at the limits.
    ///
    /// # Errors
    /// If a limit was reached or the observer said to stop.
    #[cold]
    pub fn look(&mut self, progress: &Progress) -> Result<(), Stop> {
        self.beat.taken(self.rounds);
        if !(self.observer)(progress) {
            return Err(Stop::Interrupted);
        }
        let used = || progress.bytes.max((self.used)());
        if self.limit_memory.is_some_and(|most| used() > most) {
            return Err(Stop::Memory);
        }
        if self
            .limit_time
            .is_some_and(|most| self.started.elapsed() > most)
        {
            return Err(Stop::Time);
        }
        Ok(())
    }
}
