//! How long somebody works before others see what came of it, and when the decision works for others.
//!
//! **Problem.** States are expanded many at a time, for one lock and for look-ups that overlap. Where a state takes a
//! microsecond that is nothing; where it takes a second, or for ever, whoever needs the first one waits for all. And
//! where the decision expands other states while it waits, it may meet one that takes longer than all that
//! it will ever need, and that one thread alone would not have come to.
//!
//! **Idea.** Work on many states ends after a [`MOMENT`], and what there is is handed over. What the decision does for others is ended
//! even in the middle of a state, if that spends from a budget; then it works for itself alone for a while, longer each time. So
//! what it does in vain is a few moments in all. A state that it needs it expands without any limit, as one thread does.

use std::time::{Duration, Instant};

use evenhand_source::Budget;

/// How long the states of a batch or a chunk should take.
pub(crate) const MOMENT: Duration = Duration::from_millis(4);

/// Whatever the decision does for others takes no longer than this. On a machine that is busy with other work a thread may not have its
/// turn for a good part of it.
pub(crate) const LONGEST: Duration = Duration::from_millis(100);

/// After so many states somebody looks at the clock at least; where they are slow, after each.
const STRIDE: u32 = 16;

/// The clock of somebody who expands states.
pub(crate) struct Clock {
    begun: Instant,
    looked: Instant,
    stride: u32,
    left: u32,
}

impl Clock {
    pub fn new() -> Clock {
        let now = Instant::now();
        Clock {
            begun: now,
            looked: now,
            stride: STRIDE,
            left: STRIDE,
        }
    }

    /// A moment begins.
    pub fn begin(&mut self) {
        self.begun = Instant::now();
        self.looked = self.begun;
        self.left = self.stride;
    }

    /// A state was expanded; whether the moment is over.
    #[inline]
    pub fn is_over(&mut self) -> bool {
        self.left -= 1;
        self.left == 0 && self.look()
    }

    #[cold]
    fn look(&mut self) -> bool {
        let now = Instant::now();
        self.stride = match now - self.looked > MOMENT / 8 {
            true => (self.stride / 2).max(1),
            false => (self.stride * 2).min(STRIDE),
        };
        (self.looked, self.left) = (now, self.stride);
        now - self.begun > MOMENT
    }
}

/// When the decision works for others.
pub(crate) struct Favours {
    /// For so many states it does not, and next time for so many.
    pause: u64,
    next: u64,
}

impl Favours {
    pub fn new() -> Favours {
        Favours {
            pause: 0,
            next: 1 << 10,
        }
    }

    /// Whether it does so now.
    #[inline]
    pub fn are_done(&self) -> bool {
        self.pause == 0
    }

    /// It has come to one more state.
    #[inline]
    pub fn go_on(&mut self) {
        self.pause = self.pause.saturating_sub(1);
    }

    /// Does something for others; nothing, if it took too long and was ended in the middle. A limit of the decision ends
    /// the decision.
    pub fn one<T>(&mut self, work: impl FnOnce() -> T) -> Option<T> {
        let done = Budget::unlimited().within(Some(LONGEST)).run(work).ok();
        if done.is_none() {
            self.pause = self.next;
            self.next = self.next.saturating_mul(4);
        }
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_for_ever_is_done_a_few_times_at_most() {
        let mut favours = Favours::new();
        let mut begun = 0;
        for _ in 0..1 << 20 {
            if favours.are_done() {
                begun += 1;
                let ended = favours.one(|| {
                    loop {
                        evenhand_source::spend();
                    }
                });
                assert_eq!(ended, None::<()>);
            }
            favours.go_on();
        }
        assert!((2..8).contains(&begun), "{begun}");
        assert_eq!(Favours::new().one(|| 7), Some(7));
    }

    #[test]
    fn slow_states_are_handed_over_one_by_one() {
        let mut clock = Clock::new();
        for _ in 0..STRIDE {
            clock.begin();
            while !clock.is_over() {
                std::thread::sleep(MOMENT + Duration::from_millis(1));
            }
        }
        clock.begin();
        std::thread::sleep(MOMENT + Duration::from_millis(1));
        assert!(clock.is_over(), "it looks after each");
    }
}
