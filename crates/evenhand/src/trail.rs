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

use evenhand_witness::{Counterexample, TraceStep};

use crate::model::Model;

/// The trail of a run.
///
/// # Errors
/// If the model has no trails, in words.
pub fn trail(model: &Model, run: &Counterexample) -> Result<String, String> {
    let Model::Promela(promela) = model else {
        return Err("SPIN replays Promela models only".to_string());
    };
    let mut text = String::new();
    let mut depth = 0;
    let turns = run.cycle.iter().any(|step| !step.executed.is_empty());
    for (part, mark) in [(&run.prefix, false), (&run.cycle, turns)] {
        if mark {
            text.push_str("-1:-1:-1\n");
        }
        for &(process, action) in part.iter().flat_map(|step: &TraceStep| &step.executed) {
            let statement = promela.statements.get(action as usize);
            let statement = statement.ok_or("a statement of the run has no number in SPIN")?;
            depth += 1;
            let _ = writeln!(text, "{depth}:{process}:{statement}");
        }
    }
    Ok(text)
}
