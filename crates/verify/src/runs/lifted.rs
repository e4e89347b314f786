//! Finite runs, also of systems whose states stand for others that are the same.
//!
//! What a person sees is a run of the system itself, executed again there. A condition that it breaks must be broken
//! in its last state, and a run-time error must happen in it. Where no such run is known (states were said to be
//! the same that are not), the states that stand for others are shown, and that is said.

use evenhand_system::body::Lifted;
use evenhand_system::{Explicit, Formula, Successors, What};
use evenhand_witness::Counterexample;

use super::tell;
use crate::answer::{CheckError, PropertyResult};
use crate::case::{Case, Task};
use crate::evidence::FiniteRun;

/// A finite run.
pub(super) fn show(
    case: &Case<'_>,
    task: &Task,
    path: &FiniteRun,
    result: &mut PropertyResult,
) -> Result<Counterexample, CheckError> {
    let lifted = match case.is_whole() {
        true => case.view.body.lifted(&path.states),
        false => None,
    };
    let Some(lifted) = lifted else {
        let system = case.system()?;
        let mut told = tell::path(system, path)?;
        if let (Some(always), Some(last)) = (&task.question.always, path.states.last()) {
            told.why
                .extend(broken_parts(system, always, last, path.states.len() - 1));
        }
        return Ok(told);
    };
    let own = lifted.and_then(|lifted| {
        let own = own_run(&lifted, task, path)?;
        tell::path(&*lifted.system, &own).ok()
    });
    match own {
        Some(told) => Ok(told),
        None => {
            let text = "the states of the run stand for others: no run of the model itself was found that shows it";
            result.warnings.push(text.into());
            tell::path(case.system()?, path)
        }
    }
}

/// Which parts of a condition do not hold in the last state of a run of so many steps.
fn broken_parts(
    system: &dyn Explicit,
    condition: &Formula,
    last: &[u8],
    steps: usize,
) -> Vec<String> {
    let mut explorer = system.explorer(&[]);
    let when = match steps {
        0 => "initially".to_string(),
        _ => format!("after step {steps}"),
    };
    let atoms = condition.store.atoms_of(condition.id).into_iter();
    let broken = atoms.filter(|atom| {
        let part = condition.atoms.get(atom.index());
        part.is_some_and(|&part| explorer.holds(part, last) == Ok(false))
    });
    let text = |atom| condition.store.atom_info(atom).text.trim().to_string();
    broken
        .map(|atom| format!("{when}, `{}` does not hold", text(atom)))
        .collect()
}

/// The run of the system itself, if it shows what the other one shows.
fn own_run(lifted: &Lifted, task: &Task, path: &FiniteRun) -> Option<FiniteRun> {
    let mut run = FiniteRun {
        states: lifted.states.clone(),
        ..path.clone()
    };
    let last = run.states.last()?;
    let mut explorer = lifted.system.explorer(&[]);
    if let Some(report) = &path.fault {
        let mut out = Successors::new();
        explorer.expand(last, &mut out);
        // Names in the message may be others.
        let same = out.faults().iter().find(|own| {
            own.fault.span == report.fault.span && own.step.action == report.step.action
        });
        run.fault = Some(same?.clone());
    }
    if let What::Ends = task.question.what {
        let mut out = Successors::new();
        explorer.expand(last, &mut out);
        let ends = out.is_empty() && out.faults().is_empty();
        if !ends || explorer.is_valid_end(last) {
            return None;
        }
    }
    if let What::Invariant(formula) = &task.question.what {
        let mut parts = formula.reads().into_iter();
        let is_broken = |part| explorer.holds(part, last) == Ok(false);
        if !parts.any(is_broken) {
            return None;
        }
    }
    Some(run)
}
