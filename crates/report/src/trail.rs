//! Runs as trails of SPIN, for `spin -t`.
//!
//! A trail has a line `depth:process:statement` for each statement that was executed. The statement is
//! the number of an element of SPIN's program graph, counted through all processes in the order of the
//! text; atomic sequences are written statement by statement, a `d_step` as one, a handshake as its
//! send and then its receive. A line `-1:-1:-1` stands where the cycle begins. No claim takes part: the
//! lines are about the system alone, and SPIN replays them without one.
//!
//! Statements are those of a model that is not optimised: SPIN's statement merging is asked for by a
//! line of its own, which is not written.

use std::fmt::Write;

use evenhand_system::Signature;
use evenhand_witness::{Counterexample, TraceStep};

/// Whether SPIN could replay runs of a system: its actions have numbers in trails.
pub fn has_trails(signature: &Signature) -> bool {
    signature
        .actions
        .iter()
        .any(|info| info.statement.is_some())
}

/// The trail of a run.
///
/// # Errors
/// If the system has no trails, in words.
pub fn trail(signature: &Signature, run: &Counterexample) -> Result<String, String> {
    if !has_trails(signature) {
        return Err("SPIN replays Promela models only".to_string());
    }
    let mut text = String::new();
    let mut depth = 0;
    let turns = run.cycle.iter().any(|step| !step.executed.is_empty());
    for (part, mark) in [(&run.prefix, false), (&run.cycle, turns)] {
        if mark {
            text.push_str("-1:-1:-1\n");
        }
        for &(process, action) in part.iter().flat_map(|step: &TraceStep| &step.executed) {
            let info = signature.actions.get(action.index());
            let statement = info.and_then(|info| info.statement);
            let statement = statement.ok_or("a statement of the run has no number in SPIN")?;
            depth += 1;
            let _ = writeln!(text, "{depth}:{process}:{statement}");
        }
    }
    Ok(text)
}
