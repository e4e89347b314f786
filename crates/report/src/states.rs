//! How large a model is, for people and for programs.

use evenhand_explicit::search::Exploration;
use evenhand_source::counted;
use evenhand_verify::memory;
use serde_json::{Value, json};

#[cfg(feature = "symbolic")]
use evenhand_verify::StopReason;
#[cfg(feature = "symbolic")]
use evenhand_verify::census::Census;

/// What exploring state by state found, for people.
pub fn text(found: &Exploration) -> String {
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
    let exact = |number: Option<u128>| number.map_or(Value::Null, |n| number_of(n as f64, n));
    json!({
        "states": census.map(states_of),
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
    let states = match census.states.exact {
        Some(_) => number(census.states.exact, "state"),
        None => format!("about {:.3e} states", census.states.about),
    };
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

/// The number of states as JSON has it: exact below 2^64, about above.
#[cfg(feature = "symbolic")]
fn states_of(census: &Census) -> Value {
    match census.states.exact {
        Some(exact) => number_of(census.states.about, exact),
        None => json!(census.states.about),
    }
}

#[cfg(feature = "symbolic")]
fn number_of(about: f64, exact: u128) -> Value {
    match u64::try_from(exact) {
        Ok(exact) => json!(exact),
        Err(_) => json!(about),
    }
}
