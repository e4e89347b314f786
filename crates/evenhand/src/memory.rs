//! How much memory there is, and how much was used at the peak.

/// Three quarters of the machine's memory: the default limit.
pub fn default_limit() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|l| l.starts_with("MemTotal:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024 / 4 * 3)
}

/// The most memory this process has had, where the system tells.
pub fn peak() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|l| l.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// What is left of a limit, and an eighth of it at least: for searches beside what is there already.
pub fn left(limit: u64) -> u64 {
    limit.saturating_sub(peak().unwrap_or(0)).max(limit / 8)
}
