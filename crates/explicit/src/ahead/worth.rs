//! Whether others are worth their price.
//!
//! **Problem.** A depth-first decision goes where nobody foresees. Others take over executing and looking up, but their records
//! come from another core's caches, the store is one that all may write, and whoever has nothing to do sleeps and is woken.
//! Where a state is executed in less than a microsecond that costs as much as it saves: the same time, more of the
//! processor's, more memory.
//!
//! **Idea.** So a few states are timed before anybody is called, and some again whenever there are twice as many. Others
//! are called when states take long enough. Nothing that is told depends on it.
//!
//! **Cost.** Two looks at the clock for some dozen states.

use std::time::{Duration, Instant};

/// So many states are timed at once.
const SAMPLE: u32 = 64;

/// Executing a state takes at least so long where others help.
const LONG: Duration = Duration::from_nanos(1500);

/// How long states take that are executed one by one.
#[derive(Default)]
pub(crate) struct Worth {
    timed: u32,
    spent: Duration,
    /// After so many states others are timed.
    next: usize,
    is_long: bool,
}

impl Worth {
    /// Whether others are to be called.
    pub fn is_long(&self) -> bool {
        self.is_long
    }

    /// A state is executed, after so many: the time, if it is one that is timed.
    pub fn begin(&self, expanded: usize) -> Option<Instant> {
        (expanded >= self.next && !self.is_long).then(Instant::now)
    }

    /// It was executed.
    pub fn end(&mut self, begun: Instant, expanded: usize) {
        self.spent += begun.elapsed();
        self.timed += 1;
        if self.timed == SAMPLE {
            self.is_long = self.spent >= SAMPLE * LONG;
            *self = Worth {
                next: 2 * expanded,
                is_long: self.is_long,
                ..Worth::default()
            };
        }
    }
}
