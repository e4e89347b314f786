//! How large a model is, for people and for programs.

use evenhand_explicit::search::Exploration;
use evenhand_source::counted;
use evenhand_verify::memory;
use serde_json::{Value, json};

#[cfg(feature = "symbolic")]
use evenhand_verify::StopReason;
#[cfg(feature = "symbolic")]
use evenhand_verify::census::Census;

/// What exploring state by state found, for people; who asks for more is told what other threads did.
pub fn text(found: &Exploration, verbose: bool) -> String {
    let progress = &found.progress;
    let seconds = found.elapsed.as_secs_f64();
    let rate = progress.states as f64 / seconds.max(1e-9);
    let mut text = format!(
        "{}, {}, {}, depth {}\n{seconds:.3} s, {rate:.0} states/s, {:.1} bytes per state\n",
        counted(progress.states, "state"),
        counted(progress.transitions, "transition"),
        counted(found.deadlocks, "deadlock"),
        found.depth,
        bytes_per_state(found),
    );
    if verbose && found.ahead > 0 {
        let share = 100 * found.ahead / progress.states.max(1);
        text.push_str(&format!("{share}% of them expanded ahead\n"));
    }
    if let Some(stop) = found.stop {
        text.push_str(&format!("incomplete: {stop}\n"));
    }
    text
}

/// The same for programs.
pub fn json(found: &Exploration) -> Value {
    let progress = &found.progress;
    json!({
        "states": progress.states,
        "transitions": progress.transitions,
        "deadlocks": found.deadlocks,
        "depth": found.depth,
        "seconds": found.elapsed.as_secs_f64(),
        "peak_memory_bytes": memory::peak().unwrap_or(progress.bytes),
        "bytes_per_state": bytes_per_state(found),
        "complete": found.stop.is_none(),
        "reason": found.stop.map(|s| s.to_string()),
    })
}

fn bytes_per_state(found: &Exploration) -> f64 {
    found.progress.bytes as f64 / (found.progress.states.max(1) as f64)
}

/// What counting by sets found, for people.
#[cfg(feature = "symbolic")]
pub fn sets_text(found: &Result<Census, StopReason>, seconds: f64) -> String {
    match found {
        Ok(census) => told(census, seconds),
        Err(reason) => format!("incomplete: {reason}\n"),
    }
}

/// The same for programs.
#[cfg(feature = "symbolic")]
pub fn sets_json(found: &Result<Census, StopReason>, seconds: f64) -> Value {
    let census = found.as_ref().ok();
    let exact = |n: Option<u128>| n.map_or(Value::Null, |n| number(Some(n), n as f64));
    json!({
        "states": census.map(|c| number(c.states.exact, c.states.about)),
        "transitions": exact(census.and_then(|c| c.transitions)),
        "deadlocks": exact(census.and_then(|c| c.deadlocks)),
        "depth": census.map(|c| c.depth),
        "seconds": seconds,
        "peak_memory_bytes": memory::peak(),
        "bytes_per_state": null,
        "complete": found.is_ok(),
        "reason": found.as_ref().err().map(ToString::to_string),
        "missing": census.map_or_else(Vec::new, |c| c.missing.clone()),
    })
}

#[cfg(feature = "symbolic")]
fn told(census: &Census, seconds: f64) -> String {
    let number = |n: Option<u128>, word: &str| {
        n.map_or_else(|| format!("unknown {word}s"), |n| counted(n, word))
    };
    let states = many(census.states.exact, census.states.about);
    let transitions = number(census.transitions, "transition");
    let deadlocks = number(census.deadlocks, "deadlock");
    let depth = census.depth;
    let mut text = format!(
        "{states}, {transitions}, {deadlocks}, depth {depth}\n\
         {seconds:.3} s, {} nodes of decision diagrams at most\n",
        census.peak_nodes
    );
    for reason in &census.missing {
        text.push_str(&format!("not counted: {reason}\n"));
    }
    text
}

/// A large number of states for people.
pub(crate) fn many(exact: Option<u128>, about: f64) -> String {
    match exact {
        Some(exact) => counted(exact, "state"),
        None if about.is_finite() => format!("about {about:.3e} states"),
        None => "more than 1e308 states".to_string(),
    }
}

/// A large number as JSON has it: exact below 2^64, about above, and the greatest that can be written
/// where even that is too large.
pub(crate) fn number(exact: Option<u128>, about: f64) -> Value {
    match exact.and_then(|exact| u64::try_from(exact).ok()) {
        Some(exact) => json!(exact),
        None => json!(exact.map_or(about, |exact| exact as f64).min(f64::MAX)),
    }
}
