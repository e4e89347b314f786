//! Whether there are addresses for a manager of diagrams.
//!
//! A manager reserves addresses before it needs memory: for its nodes, and a gigabyte for the stack of its
//! thread. Where a process may have few of them (`ulimit -v`), asking for too many would end the
//! program, so it is found out before.

/// What the thread of a manager reserves, and a little for everything else.
const STACK: u64 = (1 << 30) + (128 << 20);

/// Whether a manager with nodes of so many bytes can be made.
pub(crate) fn has_room(bytes: u64) -> bool {
    left().is_none_or(|left| left >= bytes.saturating_add(STACK))
}

/// The addresses that are left, where there is a limit and the system tells it.
fn left() -> Option<u64> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits
        .lines()
        .find(|l| l.starts_with("Max address space"))?;
    let most: u64 = line.split_whitespace().nth(3)?.parse().ok()?;
    let used = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = used.split_whitespace().next()?.parse().ok()?;
    Some(most.saturating_sub(pages * 4096))
}
