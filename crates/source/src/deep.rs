//! Work that follows what is nested deep: it gets a stack of its own.

use crate::budget::{Budget, end};

/// The stack of every thread that does a part of a check: what one thread may do, each of several may, so nobody has less
/// room than whoever asks. That is the main thread of a program, which has eight megabytes on most machines, or
/// one that was made for it. Only what is used takes memory.
pub const STACK: usize = 64 << 20;

/// Does some work in a thread with a stack of so many bytes, within the limits of the work that is going on. Where
/// no thread can be had, it is done here.
pub fn with_stack<T: Send>(bytes: usize, work: impl FnOnce() -> T + Send) -> T {
    let budget = Budget::current();
    let mut work = Some(work);
    let done = std::thread::scope(|scope| {
        let run = || work.take().map(|work| budget.run(work));
        let thread = std::thread::Builder::new().stack_size(bytes);
        match thread.spawn_scoped(scope, run) {
            Ok(thread) => thread.join(),
            Err(_) => Ok(None),
        }
    });
    match done {
        Ok(Some(Ok(value))) => value,
        Ok(Some(Err(why))) => end(why),
        // No thread was made: the work is still to be done.
        Ok(None) => match work.take() {
            Some(work) => work(),
            None => unreachable!("the work was done and gave nothing"),
        },
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::budget::{Exhausted, spend};

    fn nested(depth: u32) -> u32 {
        let room = std::hint::black_box([depth; 64]);
        match depth {
            0 => room[0],
            _ => nested(depth - 1) + room[63].min(1),
        }
    }

    #[test]
    fn it_is_as_deep_as_was_asked_for() {
        assert_eq!(with_stack(64 << 20, || nested(100_000)), 100_000);
    }

    #[test]
    fn limits_reach_the_thread() {
        let budget = Budget::unlimited().within(Some(Duration::from_millis(20)));
        let ended = budget.run(|| {
            with_stack(1 << 20, || {
                loop {
                    spend()
                }
            })
        });
        assert_eq!(ended, Err::<(), _>(Exhausted::Time));
    }

    #[test]
    fn panics_come_through() {
        let caught = std::panic::catch_unwind(|| with_stack(1 << 20, || panic!("told")));
        let payload = caught.expect_err("a panic");
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"told"));
    }
}
