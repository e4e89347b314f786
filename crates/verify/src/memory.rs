//! How much memory there is, how much is in use, and how much was at the peak.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use sysinfo::{MemoryRefreshKind, ProcessRefreshKind, ProcessesToUpdate, System};

/// Three quarters of the machine's memory: the default limit.
pub fn default_limit() -> Option<u64> {
    let mut system = System::new().ok()?;
    system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
    let total = system.total_memory();
    let machine = (total > 0).then_some(total / 4 * 3);
    // Diagrams reserve addresses before they need memory, and a gigabyte for a stack: half of the rest.
    let addresses = address_limit().map(|limit| limit.saturating_sub(5 << 28) / 2);
    machine.into_iter().chain(addresses).min()
}

/// How many bytes of addresses this process may have, where there is a limit and the system tells it.
fn address_limit() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = text.lines().find(|l| l.starts_with("Max address space"))?;
    line.split_whitespace().nth(3)?.parse().ok()
}

/// Counts what is allocated, where the program has an allocator that does.
static COUNTER: OnceLock<fn() -> u64> = OnceLock::new();

/// From now on memory limits are about everything that is allocated, as this function counts it; without
/// one they are about states and diagrams alone. The first call counts.
pub fn count_with(counter: fn() -> u64) {
    let _ = COUNTER.set(counter);
}

/// Whether everything that is allocated is counted.
pub fn is_counted() -> bool {
    COUNTER.get().is_some()
}

/// The bytes in use, as far as they are counted. What is allocated but was never touched is not in use,
/// nor is what was freed but not given back.
pub fn in_use() -> u64 {
    let Some(counter) = COUNTER.get() else {
        return 0;
    };
    let allocated = counter();
    resident().map_or(allocated, |resident| allocated.min(resident))
}

/// Whether more bytes are in use than a limit. What was allocated is counted without asking the system, which is asked
/// only where that is too much.
pub fn is_above(limit: u64) -> bool {
    COUNTER.get().is_some_and(|counter| counter() > limit) && in_use() > limit
}

/// The bytes of this process that are in memory, where the system tells cheaply.
fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

/// The most memory this process has had, where the system tells; elsewhere the most that was seen
/// whenever somebody asked.
pub fn peak() -> Option<u64> {
    peak_told().or_else(peak_seen)
}

/// Linux remembers the peak.
fn peak_told() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|l| l.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

fn peak_seen() -> Option<u64> {
    static MOST: AtomicU64 = AtomicU64::new(0);
    let own = sysinfo::get_current_pid().ok()?;
    let mut system = System::new().ok()?;
    let what = ProcessRefreshKind::nothing().with_memory();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[own]), false, what);
    let now = system.process(own)?.memory();
    Some(MOST.fetch_max(now, Ordering::Relaxed).max(now))
}

/// What is left of a limit, and an eighth of it at least: for searches beside what is there already.
pub fn left(limit: u64) -> u64 {
    limit.saturating_sub(peak().unwrap_or(0)).max(limit / 8)
}
