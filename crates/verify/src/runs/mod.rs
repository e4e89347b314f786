//! From what an engine has to show for a violation to the run that a person sees.
//!
//! Engines hand over evidence: a component in which an accepting run can stay, states on a way, values
//! of variables, labels of states. Here alone it is made short, executed again on the system, judged,
//! and explained; what does not pass is an error of this tool and never an answer.
//!
//! | file | evidence |
//! | --- | --- |
//! | `component` | a component of the product with the automaton of the bad runs |
//! | `lasso` | an infinite run by its states, from whoever |
//! | `lifted` | a finite run, of states that may stand for others |
//! | `positions` | a run of a relation by the values of its variables |
//! | `linear` | everything that an emptiness check or a bounded search has to show |
//! | `labels` | where the quantified parts of a formula of branching time hold |
//! | `shorten` | looks for shorter runs, for all of them |
//! | `tell` | executes, judges and tells |

mod component;
mod labelled;
mod labels;
mod lasso;
mod lifted;
pub(crate) mod linear;
pub(crate) mod positions;
pub(crate) mod shorten;
mod shown;
mod tell;

use std::time::Duration;

use crate::answer::{CheckError, PropertyResult, Verdict};
use crate::case::{Case, Task};
use crate::engine::Finding;
use crate::evidence::Evidence;
use crate::listener::Listener;
use crate::options::Counterexamples;

/// Makes runs of the evidence of a finding.
pub(crate) fn show(
    case: &Case<'_>,
    task: &Task,
    finding: Finding,
    listener: &mut dyn Listener,
) -> Result<PropertyResult, CheckError> {
    let Finding {
        mut result,
        evidence,
    } = finding;
    let wanted = case.options.counterexample != Counterexamples::None;
    if !matches!(result.verdict, Verdict::Violated(None)) || !wanted {
        return Ok(result);
    }
    let taken = Duration::from_secs_f64(result.seconds);
    let mut shown = match evidence {
        Evidence::Path(path) => lifted::show(case, task, &path, &mut result)?.into(),
        Evidence::Positions(positions) => {
            positions::show(case, task, &positions, taken, listener)?.into()
        }
        Evidence::Labels(labels) => labels::show(case, task, &labels, listener)?.into(),
        Evidence::Beginning => tell::beginning(case, task)?.into(),
        evidence => linear::show(case, task, evidence, taken, listener)?,
    };
    let inputs = case.view.input_names();
    for run in shown.best.iter_mut().chain(&mut shown.others) {
        tell::move_inputs(run, &inputs);
    }
    shown.tell(&mut result);
    Ok(result)
}
