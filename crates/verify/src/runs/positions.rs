//! Runs of a relation that are given by the values of its variables.
//!
//! Each is executed again by evaluating the constraints along it (`evenhand_system::relation::Along`):
//! what an engine says is shown only if the model really does it.

use std::time::Duration;

use evenhand_system::compose::PackedValuation;
use evenhand_system::pack::Pack;
use evenhand_system::relation::{Along, Role};
use evenhand_system::{Explicit, Foreign, What};
use evenhand_witness::{Counterexample, CycleStep, Run, replay};

use super::lasso;
use crate::answer::CheckError;
use crate::case::{Case, Task, View};
use crate::evidence::Positions;
use crate::listener::Listener;

/// The run as a person sees it.
pub(super) fn show(
    case: &Case<'_>,
    task: &Task,
    positions: &Positions,
    taken: Duration,
    listener: &mut dyn Listener,
) -> Result<Counterexample, CheckError> {
    let (system, states) = along(case.view, positions)?;
    match positions.turn {
        None => {
            let told = replay(&system, &states, None)?;
            breaks(case, task, &system, &states)?;
            Ok(told)
        }
        Some(turn) => {
            let run = lasso_of(&states, turn, case.fairness().assumptions.len());
            match positions.is_shortest {
                true => lasso::proved(case, task, &system, run),
                false => lasso::show(case, task, &system, run, taken, listener),
            }
        }
    }
}

/// The last state of a finite run must break the invariant that the run is about.
fn breaks(
    case: &Case<'_>,
    task: &Task,
    system: &dyn Explicit,
    states: &[Vec<u8>],
) -> Result<(), CheckError> {
    let (What::Invariant(formula), Some(last)) = (&task.question.what, states.last()) else {
        return Ok(());
    };
    let mut explorer = system.explorer(&[]);
    let mut parts = formula.reads().into_iter();
    // Inputs of the last state were not kept.
    let is_kept = case.view.inputs.is_empty();
    match is_kept
        && !formula.reads().is_empty()
        && parts.all(|part| explorer.holds(part, last) == Ok(true))
    {
        true => Err(CheckError::broken("the last state of a run breaks nothing")),
        false => Ok(()),
    }
}

/// A lasso by its states and the place to which it returns; no step serves an assumption about steps.
fn lasso_of(states: &[Vec<u8>], turn: usize, assumptions: usize) -> Run {
    let (prefix, rest) = states.split_at((turn + 1).min(states.len()));
    let back = prefix.last().into_iter();
    let cycle = rest.iter().chain(back).map(|state| CycleStep {
        state: state.clone(),
        serves: vec![false; assumptions],
    });
    Run {
        prefix: prefix.to_vec(),
        cycle: cycle.collect(),
    }
}

/// The part of the system that a run uses, and the states of the run.
fn along(view: &View, positions: &Positions) -> Result<(Foreign<Along>, Vec<Vec<u8>>), CheckError> {
    let mut relation = view.body.relation()?.clone();
    let mut states = positions.states.clone();
    for &id in &view.inputs {
        let variable = &mut relation.variables[id.0 as usize];
        variable.role = Role::State;
        // At the end of a finite run an input means nothing: any value will do.
        if let (None, Some(last)) = (positions.turn, states.last_mut())
            && let Some(value) = last.get_mut(id.0 as usize)
        {
            *value = variable.sort.bounds().0;
        }
    }
    let along = Along::new(relation, states, positions.turn)?;
    let packed = |state: PackedValuation| {
        let mut bytes = Vec::new();
        state.pack(&mut bytes);
        bytes
    };
    let states = along.states().into_iter().map(packed).collect();
    let system = Foreign::new(along);
    let system = system.map_err(|error| CheckError::Engine(error.to_string()))?;
    let signature = view.body.signature();
    Ok((system.described(|own| own.describe_as(signature)), states))
}

/// The last state of a finite run, in words.
#[cfg(feature = "symbolic")]
pub(crate) fn last_state(view: &View, positions: &Positions) -> String {
    let steps = positions.states.len().saturating_sub(1);
    let shown = match along(view, positions) {
        Ok((system, states)) => {
            let hidden = view.input_names();
            let last = states.last().map_or(&[][..], Vec::as_slice);
            let values = system.explorer(&[]).describe(last).into_iter();
            let values = values.filter(|(name, _)| !hidden.contains(name));
            let list: Vec<String> = values
                .map(|(name, value)| format!("{name} = {value}"))
                .collect();
            format!(" ({})", list.join(", "))
        }
        Err(_) => String::new(),
    };
    let word = if steps == 1 { "step" } else { "steps" };
    format!("the state after {steps} {word}{shown}")
}
