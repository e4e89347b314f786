//! Two ways to the same answer, begun both and followed in turns.
//!
//! **Problem.** Which of two ways is the shorter one nobody knows before. To try one for a while and begin with the
//! other then costs what was tried, and what is tried again.
//!
//! **Idea.** Each way is work in a thread of its own, and only one of them works at a time: when it has used a slice more
//! than the other one it hands over and waits, and later goes on where it stopped. A single bit of work may be larger than
//! many slices; it counts as what it was, and the other one has as much before it is over. Together they cost at most
//! twice what the shorter one costs, a slice, and the largest bit of work. It is effort that is counted ([`crate::spend`]) and
//! not time, so who is first depends on the work alone.
//!
//! Whoever waits looks at its own limits. If the other one does nothing that counts for long (it is inside of an operation
//! that looks at nothing), both work at once: that costs no more, but then who is first may depend on the machine.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How much effort a slice has.
const SLICE: u64 = 100_000;

/// How often whoever waits looks at its limits.
const TICK: Duration = Duration::from_millis(20);

/// How long one waits for the other at most, while that does nothing that counts.
const LONGEST: Duration = Duration::from_millis(500);

/// Who works.
struct State {
    holder: usize,
    /// Who has left, and whether with all answers.
    left: [Option<bool>; 2],
}

struct Table {
    state: Mutex<State>,
    changed: Condvar,
    /// What each has used; whoever begins later has something in advance.
    used: [AtomicU64; 2],
}

/// A place at the table of two that work in turns.
#[derive(Clone)]
pub struct Turn {
    table: Arc<Table>,
    me: usize,
    /// What is left of the slice.
    slice: Arc<AtomicU64>,
}

/// What comes after a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// The work goes on.
    More,
    /// The other one has all answers.
    Beaten,
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Turn({})", self.me)
    }
}

impl Turn {
    /// Two places; the first one begins, with so many slices.
    pub fn pair(first: u64) -> (Turn, Turn) {
        let table = Arc::new(Table {
            state: Mutex::new(State {
                holder: 0,
                left: [None; 2],
            }),
            changed: Condvar::new(),
            used: [AtomicU64::new(0), AtomicU64::new(first * SLICE)],
        });
        let place = |me: usize, slices: u64| Turn {
            table: table.clone(),
            me,
            slice: Arc::new(AtomicU64::new(slices * SLICE)),
        };
        (place(0, first), place(1, 0))
    }

    /// Leaves for good, with all answers or without: then the other one is done, or may go on alone.
    pub fn leave(&self, with_answers: bool) {
        let mut state = self.lock();
        state.left[self.me].get_or_insert(with_answers);
        self.table.changed.notify_all();
    }

    /// Whether the other one has left with all answers.
    pub fn is_beaten(&self) -> bool {
        self.lock().left[1 - self.me] == Some(true)
    }

    /// What is left of the slice.
    pub(crate) fn slice(&self) -> u64 {
        self.slice.load(Ordering::Relaxed)
    }

    /// So much of the slice was used; whether it is over.
    pub(crate) fn used(&self, effort: u64) -> bool {
        self.table.used[self.me].fetch_add(effort, Ordering::Relaxed);
        let left = self.slice().saturating_sub(effort);
        self.slice.store(left, Ordering::Relaxed);
        left == 0
    }

    /// What somebody has used.
    fn total(&self, who: usize) -> u64 {
        self.table.used[who].load(Ordering::Relaxed)
    }

    /// Hands over and waits until it is one's turn again; `is_ended` says whether a limit is reached meanwhile.
    pub(crate) fn pass(&self, is_ended: impl Fn() -> bool) -> After {
        let other = 1 - self.me;
        let mut state = self.lock();
        if state.holder == self.me && state.left[other].is_none() {
            state.holder = other;
            self.table.changed.notify_all();
        }
        let (mut since, mut before) = (Instant::now(), self.total(other));
        loop {
            match state.left[other] {
                Some(true) => return After::Beaten,
                Some(false) => {
                    self.slice.store(u64::MAX, Ordering::Relaxed);
                    return After::More;
                }
                None => {}
            }
            let now = self.total(other);
            if now != before {
                (since, before) = (Instant::now(), now);
            }
            if state.holder == self.me || since.elapsed() > LONGEST || is_ended() {
                state.holder = self.me;
                let behind = now.saturating_sub(self.total(self.me));
                self.slice.store(behind + SLICE, Ordering::Relaxed);
                return After::More;
            }
            let waited = self.table.changed.wait_timeout(state, TICK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        let state = self.table.state.lock();
        state.unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::thread;

    use super::*;
    use crate::budget::{Budget, Exhausted, spend, spend_many};

    /// Works for so long; what it did, or why it ended.
    fn work(turn: &Turn, effort: u64) -> Result<u64, Exhausted> {
        let budget = Budget::unlimited().turn(turn.clone());
        let done = budget.run(|| (0..effort).inspect(|_| spend()).count() as u64);
        turn.leave(done.is_ok());
        done
    }

    #[test]
    fn the_shorter_way_ends_the_longer_one() {
        for (long, short) in [(0, 1), (1, 0)] {
            for _ in 0..3 {
                let (first, second) = Turn::pair(2);
                let turns = [first, second];
                let mut efforts = [0; 2];
                efforts[long] = u64::MAX;
                efforts[short] = 12 * SLICE + 5;
                let other = thread::spawn({
                    let (turn, effort) = (turns[1].clone(), efforts[1]);
                    move || work(&turn, effort)
                });
                let mine = work(&turns[0], efforts[0]);
                let other = other.join().expect("no panic");
                let results = [mine, other];
                assert_eq!(results[short], Ok(efforts[short]));
                assert_eq!(results[long], Err(Exhausted::Interrupted));
                assert!(turns[long].is_beaten() && !turns[short].is_beaten());
            }
        }
    }

    #[test]
    fn what_is_done_at_once_counts_as_what_it_was() {
        // One way does a hundred slices at once, again and again; the other one has as much in between.
        let (first, second) = Turn::pair(1);
        let large = 100 * SLICE;
        let other = thread::spawn(move || {
            let budget = Budget::unlimited().turn(second.clone());
            let times = Cell::new(0u64);
            let done = budget.run(|| {
                loop {
                    spend_many(large as usize);
                    times.set(times.get() + 1);
                }
            });
            second.leave(false);
            (times.get(), done)
        });
        let effort = 1000 * SLICE;
        assert_eq!(work(&first, effort), Ok(effort));
        let (times, done): (u64, Result<(), Exhausted>) = other.join().expect("no panic");
        assert_eq!(done, Err(Exhausted::Interrupted));
        assert!((8..=12).contains(&times), "{times}");
    }

    #[test]
    fn whoever_is_left_alone_goes_on() {
        let (first, second) = Turn::pair(1);
        let other = thread::spawn(move || {
            second.leave(false);
            second
        });
        assert_eq!(work(&first, 50 * SLICE), Ok(50 * SLICE));
        other.join().expect("no panic");
    }

    #[test]
    fn limits_hold_while_waiting() {
        let (first, _second) = Turn::pair(1);
        let time = Some(Duration::from_millis(30));
        let budget = Budget::unlimited().turn(first).within(time);
        let endless = || {
            loop {
                spend();
            }
        };
        assert_eq!(budget.run(endless), Err::<(), _>(Exhausted::Time));
    }
}
