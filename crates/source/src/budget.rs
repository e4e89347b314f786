//! Limits that hold everywhere: one budget for time, memory and effort, and a flag that ends the work.
//!
//! **Problem.** A limit must act in every phase: reading, lowering, rewriting and translating formulas,
//! solving constraints. Most of that is recursion over trees that has no reason to fail, and would have
//! to hand a result through hundreds of functions.
//!
//! **Idea.** Work that is to be limited runs inside of [`Budget::run`]. Loops and constructors that long
//! work cannot avoid (a token, a formula, an edge, an expression, a candidate) call [`spend`]; now and
//! then it looks at the limits of the budget of its thread, and where one is reached, it unwinds to
//! [`Budget::run`], which returns [`Exhausted`]. Nothing is printed on the way, everything is dropped in
//! order, and what was half done is never seen: only results of work that came to its end leave `run`.
//! Outside of `run`, `spend` costs a few instructions and never ends anything.
//!
//! Budgets nest: an inner one has its own limits besides those around it.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::turns::{After, Turn};

/// Why work was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exhausted {
    /// The time is over.
    Time,
    /// More memory is in use than is allowed.
    Memory,
    /// More was done than is allowed.
    Effort,
    /// Somebody asked for it.
    Interrupted,
}

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Exhausted::Time => "the time limit was reached",
            Exhausted::Memory => "the memory limit was reached",
            Exhausted::Effort => "it takes too long",
            Exhausted::Interrupted => "interrupted",
        })
    }
}

impl std::error::Error for Exhausted {}

/// Says whether more bytes are in use than a limit.
type IsAbove = fn(u64) -> bool;

/// What work may cost. Without limits nothing ends it.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    deadline: Option<Instant>,
    /// The most bytes in use, and who says whether there are more.
    memory: Option<(u64, IsAbove)>,
    effort: Option<u64>,
    cancel: Option<Arc<AtomicBool>>,
    turn: Option<Turn>,
}

impl Budget {
    /// No limits.
    pub fn unlimited() -> Budget {
        Budget::default()
    }

    /// With a moment at which the time is over.
    #[must_use]
    pub fn until(mut self, deadline: Option<Instant>) -> Budget {
        self.deadline = deadline.or(self.deadline);
        self
    }

    /// With so much time from now on.
    #[must_use]
    pub fn within(self, time: Option<Duration>) -> Budget {
        self.until(time.map(after))
    }

    /// With at most so many bytes in use; `is_above` says whether there are more than a limit.
    #[must_use]
    pub fn memory(mut self, limit: Option<u64>, is_above: fn(u64) -> bool) -> Budget {
        self.memory = limit.map(|limit| (limit, is_above)).or(self.memory);
        self
    }

    /// With as much memory as there is: somebody else looks at it.
    #[must_use]
    pub fn with_any_memory(mut self) -> Budget {
        self.memory = None;
        self
    }

    /// With at most so many calls of [`spend`].
    #[must_use]
    pub fn effort(mut self, calls: u64) -> Budget {
        self.effort = Some(calls);
        self
    }

    /// With a flag that ends the work when it is raised.
    #[must_use]
    pub fn cancel(mut self, flag: Arc<AtomicBool>) -> Budget {
        self.cancel = Some(flag);
        self
    }

    /// In turns with other work: ends when that has all answers.
    #[must_use]
    pub fn turn(mut self, turn: Turn) -> Budget {
        self.turn = Some(turn);
        self
    }

    /// The limit that is reached, if one is.
    pub fn exhausted(&self) -> Option<Exhausted> {
        let above = |(limit, is_above): (u64, IsAbove)| is_above(limit);
        let is_above = || self.memory.is_some_and(above).then_some(Exhausted::Memory);
        self.over().or_else(is_above)
    }

    /// Whether somebody asked for the end, or the time is over.
    fn over(&self) -> Option<Exhausted> {
        let raised = |flag: &Arc<AtomicBool>| flag.load(Ordering::Relaxed);
        if self.cancel.as_ref().is_some_and(raised) {
            return Some(Exhausted::Interrupted);
        }
        let is_past = self.deadline.is_some_and(|end| Instant::now() >= end);
        is_past.then_some(Exhausted::Time)
    }

    /// The limits of the work that is going on in this thread, for a thread that helps with it.
    pub fn current() -> Budget {
        CURRENT.with_borrow(|stack| {
            let mut all = Budget::unlimited();
            for Running { budget, .. } in stack {
                let ends = [all.deadline, budget.deadline];
                all.deadline = ends.into_iter().flatten().min();
                let memory = [all.memory, budget.memory].into_iter().flatten();
                all.memory = memory.min_by_key(|(limit, _)| *limit);
                all.cancel = budget.cancel.clone().or(all.cancel);
                all.turn = budget.turn.clone().or(all.turn);
            }
            all
        })
    }

    /// Does some work within these limits and those around it.
    ///
    /// # Errors
    /// The limit that ended it.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> Result<T, Exhausted> {
        if let Some(exhausted) = self.exhausted() {
            return Err(exhausted);
        }
        if self.turn.as_ref().is_some_and(Turn::is_beaten) {
            return Err(Exhausted::Interrupted);
        }
        flush();
        let level = CURRENT.with_borrow_mut(|stack| {
            stack.push(Running {
                budget: self.clone(),
                left: self.effort,
            });
            stack.len()
        });
        // What the work holds is dropped while it unwinds; nobody sees it half done.
        let done = catch_unwind(AssertUnwindSafe(work));
        flush();
        CURRENT.with_borrow_mut(|stack| stack.truncate(level - 1));
        match done {
            Ok(value) => Ok(value),
            Err(payload) => match payload.downcast::<Ended>() {
                // An outer limit ends the outer work.
                Ok(ended) if ended.level < level => resume_unwind(ended),
                Ok(ended) => Err(ended.why),
                Err(panic) => resume_unwind(panic),
            },
        }
    }
}

/// Whoever has more time than this has all the time in the world.
const LONGEST: Duration = Duration::from_secs(1 << 32);

/// The moment after some time, however long that is.
pub fn after(time: Duration) -> Instant {
    Instant::now() + time.min(LONGEST)
}

/// What is thrown where a limit is reached.
struct Ended {
    /// The place of the budget that ended, counted from 1.
    level: usize,
    why: Exhausted,
}

/// A budget whose work is going on.
struct Running {
    budget: Budget,
    /// Calls of [`spend`] that are left.
    left: Option<u64>,
}

thread_local! {
    /// The budgets of this thread, the innermost last.
    static CURRENT: RefCell<Vec<Running>> = const { RefCell::new(Vec::new()) };
    /// How many calls lie before the next look.
    static LEFT: Cell<u32> = const { Cell::new(0) };
    /// How many lie between the last one and the next.
    static STRIDE: Cell<u32> = const { Cell::new(0) };
    /// How many should lie between two looks, as far as time is concerned.
    static PACE: Cell<u32> = const { Cell::new(1) };
    /// When the last look was.
    static LOOKED: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// How many calls lie at most between two looks, and how long a stride should take.
const MOST: u32 = 4096;
const STRIDE_TIME: Duration = Duration::from_millis(10);

/// A bit of work is done, which may be one of very many: ends it if a limit is reached.
#[inline]
pub fn spend() {
    LEFT.with(|left| match left.get() {
        0 => look(),
        more => left.set(more - 1),
    });
}

/// A bit of work is done by somebody who looks at limits in a way of his own, and keeps what was found: only effort
/// and turns are counted here.
#[inline]
pub fn spend_turn() {
    spend_turns(1);
}

/// The same for several bits of work.
#[inline]
pub fn spend_turns(count: u32) {
    LEFT.with(|left| match left.get().checked_sub(count) {
        Some(more) => left.set(more),
        None => {
            let calls = STRIDE.get() - left.get().min(STRIDE.get());
            look_after(u64::from(calls) + u64::from(count), false);
        }
    });
}

/// Several bits of work are done at once, or one that is as large.
#[inline]
pub fn spend_many(count: usize) {
    LEFT.with(|left| match u32::try_from(count) {
        Ok(count) if count <= left.get() => left.set(left.get() - count),
        _ => {
            let calls = u64::from(STRIDE.get() - left.get().min(STRIDE.get())) + count as u64;
            look_after(calls, true);
        }
    });
}

/// Ends the innermost work that is going on in this thread, since a thread that helped with it was
/// ended.
///
/// # Panics
/// If no work is going on.
pub fn end(why: Exhausted) -> ! {
    let level = CURRENT.with_borrow(Vec::len);
    assert!(level > 0, "work was ended that nobody limits: {why}");
    resume_unwind(Box::new(Ended { level, why }))
}

/// Ends the work that is going on in this thread if a limit is reached: for those who wait.
#[cold]
pub fn look() {
    look_after(u64::from(STRIDE.get()) + 1, true);
}

/// The same for those who wait for another thread, if the time is over or somebody asked for the end. Nothing is done
/// meanwhile, so no effort is counted; and what others need for a moment is no reason to end.
#[cold]
pub fn look_while_waiting() {
    let ended = CURRENT.with_borrow(|stack| {
        let mut budgets = stack.iter().zip(1..);
        budgets.find_map(|(running, level)| {
            let why = running.budget.over()?;
            Some(Ended { level, why })
        })
    });
    if let Some(ended) = ended {
        resume_unwind(Box::new(ended));
    }
}

/// Accounts for the calls since the last look; the next call looks.
fn flush() {
    let calls = u64::from(STRIDE.get().saturating_sub(LEFT.get()));
    CURRENT.with_borrow_mut(|stack| {
        for running in stack {
            running.left = running.left.map(|left| left.saturating_sub(calls));
            if let Some(turn) = &running.budget.turn {
                turn.used(calls);
            }
        }
    });
    STRIDE.set(0);
    LEFT.set(0);
}

/// The same after so many calls; at time, memory and cancellation if these are asked for.
#[cold]
fn look_after(calls: u64, at_limits: bool) {
    let mut slice = u64::MAX;
    let ended = CURRENT.with_borrow_mut(|stack| {
        let mut passing = None;
        for (place, running) in stack.iter_mut().enumerate() {
            let level = place + 1;
            if let Some(left) = &mut running.left {
                *left = left.saturating_sub(calls);
                if *left == 0 {
                    let why = Exhausted::Effort;
                    return Some(Ended { level, why });
                }
            }
            if let Some(turn) = &running.budget.turn {
                if turn.used(calls) {
                    passing = Some((level, turn.clone()));
                }
                slice = slice.min(turn.slice());
            }
        }
        if let Some((level, turn)) = passing {
            let is_ended = || stack.iter().any(|r| r.budget.exhausted().is_some());
            if turn.pass(is_ended) == After::Beaten {
                let why = Exhausted::Interrupted;
                return Some(Ended { level, why });
            }
            slice = turn.slice();
        }
        if !at_limits {
            return None;
        }
        let budgets = stack.iter().zip(1..);
        let mut ends = budgets.filter_map(|(r, level)| Some((level, r.budget.exhausted()?)));
        ends.next().map(|(level, why)| Ended { level, why })
    });
    // Where calls are far apart, every one looks.
    let now = Instant::now();
    let slow = LOOKED.get().is_some_and(|last| now - last > STRIDE_TIME);
    LOOKED.set(Some(now));
    let pace = match slow {
        true => PACE.get() / 2,
        false => (PACE.get() * 2 + 1).min(MOST),
    };
    PACE.set(pace);
    // A slice ends where it ends, however fast the work is.
    let stride = pace.min(u32::try_from(slice.saturating_sub(1)).unwrap_or(u32::MAX));
    STRIDE.set(stride);
    LEFT.set(stride);
    if let Some(ended) = ended {
        resume_unwind(Box::new(ended));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endless() {
        loop {
            spend();
        }
    }

    #[test]
    fn each_limit_ends_work_that_never_ends() {
        let time = Budget::unlimited().within(Some(Duration::from_millis(20)));
        let begun = Instant::now();
        assert_eq!(time.run(endless), Err(Exhausted::Time));
        assert!(begun.elapsed() < Duration::from_secs(5));
        assert_eq!(
            time.run(|| ()),
            Err(Exhausted::Time),
            "nothing begins afterwards"
        );
        let effort = Budget::unlimited().effort(100_000);
        assert_eq!(effort.run(endless), Err(Exhausted::Effort));
        let memory = Budget::unlimited().memory(Some(10), |limit| limit < 11);
        assert_eq!(memory.run(endless), Err(Exhausted::Memory));
        let flag = Arc::new(AtomicBool::new(true));
        let cancel = Budget::unlimited().cancel(flag);
        assert_eq!(cancel.run(endless), Err(Exhausted::Interrupted));
    }

    #[test]
    fn any_time_has_an_end() {
        for time in [
            Duration::ZERO,
            Duration::from_secs(i64::MAX as u64),
            Duration::MAX,
        ] {
            let budget = Budget::unlimited().within(Some(time));
            assert_eq!(budget.run(|| ()).is_ok(), !time.is_zero(), "{time:?}");
        }
    }

    #[test]
    fn what_comes_to_its_end_is_handed_over() {
        let budget = Budget::unlimited().effort(1_000_000);
        let sum = budget.run(|| (0..1000u64).inspect(|_| spend()).sum::<u64>());
        assert_eq!(sum, Ok(499_500));
        spend();
    }

    #[test]
    fn an_outer_limit_ends_the_outer_work() {
        let outer = Budget::unlimited().effort(50_000);
        let mut came_back = false;
        let ended = outer.run(|| {
            let inner = Budget::unlimited().effort(u64::MAX).run(endless);
            came_back = inner.is_err();
        });
        assert_eq!(ended, Err(Exhausted::Effort));
        assert!(!came_back);
        let inner = Budget::unlimited().run(|| Budget::unlimited().effort(1000).run(endless));
        assert_eq!(inner, Ok(Err(Exhausted::Effort)));
    }

    #[test]
    fn a_panic_stays_a_panic() {
        let caught = catch_unwind(|| {
            let _ = Budget::unlimited()
                .effort(10)
                .run(|| resume_unwind(Box::new("no limit")));
        });
        assert!(caught.is_err_and(|panic| panic.downcast_ref() == Some(&"no limit")));
    }
}
