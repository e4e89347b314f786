//! Runs of questions of linear time, as emptiness checks and bounded searches show them; and such
//! questions asked beside others, with their runs.

use std::time::Duration;

use evenhand_system::Question;

use super::shown::Shown;
use super::{component, lasso, tell};
use crate::answer::{CheckError, PropertyResult, Verdict};
use crate::case::{Case, Task};
use crate::choice::{engine_for, engines};
use crate::engine::Answers;
use crate::evidence::Evidence;
use crate::listener::Listener;
use crate::options::Counterexamples;
use crate::stop::StopReason;

/// The runs of evidence about a question of linear time.
pub(super) fn show(
    case: &Case<'_>,
    task: &Task,
    evidence: Evidence,
    taken: Duration,
    listener: &mut dyn Listener,
) -> Result<Shown, CheckError> {
    match evidence {
        Evidence::Component(found) => component::show(case, task, &found, taken, listener),
        Evidence::Shortest(run, lower_bound) => {
            Ok(tell::proved(case, task, &run, lower_bound)?.into())
        }
        Evidence::Lasso(run) => {
            Ok(lasso::show(case, task, case.system()?, run, taken, listener)?.into())
        }
        Evidence::Told(run) => Ok((*run).into()),
        _ => Ok(Shown::default()),
    }
}

/// The answer to a question of linear time, state by state, with its run; unknown if there are more
/// processes than fairness was set up for.
///
/// # Errors
/// As [`crate::check()`].
pub fn answer(
    case: &Case<'_>,
    task: &Task,
    listener: &mut dyn Listener,
) -> Result<PropertyResult, CheckError> {
    let question: &Question = &task.question;
    if case.options.cancel.is_cancelled() {
        return Ok(case.unknown(question, StopReason::NotBegun));
    }
    let engine = engine_for(engines(), case, question, false)?;
    let mut answers = Answers::new(listener, 1);
    engine.answer(case, &[task], &mut answers)?;
    let Some(finding) = answers.take().pop().flatten() else {
        return Ok(case.unknown(question, StopReason::Processes));
    };
    let mut result = finding.result;
    let wanted = case.options.counterexample != Counterexamples::None;
    if matches!(result.verdict, Verdict::Violated(None)) && wanted {
        let taken = Duration::from_secs_f64(result.seconds);
        show(case, task, finding.evidence, taken, listener)?.tell(&mut result);
    }
    Ok(result)
}
