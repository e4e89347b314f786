//! Bounds: the largest value of an amount, such as the tokens of a place, in all reachable states.

use std::time::Instant;

use evenhand_explicit::bounds::{Largest, largest};
use evenhand_explicit::search::Stop;
use evenhand_system::explicit::Value;
use evenhand_system::{AmountId, Question, What};

use crate::answer::{CheckError, PropertyResult, Verdict};
use crate::case::{Case, StateSpace, Task};
use crate::engine::{Answers, Engine, Support};
use crate::evidence::Evidence;
use crate::stop::StopReason;

/// The search for largest values.
#[derive(Debug)]
pub(crate) struct Bounds;

impl Engine for Bounds {
    fn name(&self) -> &'static str {
        "bounds"
    }

    fn about(&self) -> &'static str {
        "largest values: all reachable states, one by one"
    }

    fn has_choice(&self) -> bool {
        false
    }

    fn supports(&self, _: &Case<'_>, question: &Question) -> Support {
        match question.what {
            What::Bound(_) => Support::Yes,
            _ => Support::Other,
        }
    }

    fn together(&self) -> bool {
        true
    }

    fn answer(
        &self,
        case: &Case<'_>,
        tasks: &[&Task],
        answers: &mut Answers<'_>,
    ) -> Result<(), CheckError> {
        let started = Instant::now();
        let names: Vec<&str> = tasks.iter().map(|task| &*task.question.name).collect();
        answers.listener.stage(&names.join(", "));
        let amounts: Vec<AmountId> = tasks.iter().filter_map(|task| amount(task)).collect();
        let mut explorer = case.system()?.explorer(&[]);
        let mut known: Vec<PropertyResult> = Vec::new();
        {
            let mut space = case.space()?;
            let found = case.watched(answers.listener, |watch| {
                largest(&mut space, &mut *explorer, &amounts, watch)
            });
            for (place, task) in tasks.iter().enumerate() {
                let mut result = case.begun(&task.question, self.name());
                tell(&space, found.as_ref().map(|all| &all[place]), &mut result);
                case.measure(&mut result, &space, started);
                known.push(result);
            }
        }
        for (place, (&task, result)) in tasks.iter().zip(known).enumerate() {
            answers.known(case, (place, task), result, Evidence::None);
        }
        Ok(())
    }
}

fn amount(task: &Task) -> Option<AmountId> {
    match task.question.what {
        What::Bound(amount) => Some(amount),
        _ => None,
    }
}

fn tell(space: &StateSpace<'_>, found: Result<&Largest, &Stop>, result: &mut PropertyResult) {
    let error = space.faults().first().map(|report| report.fault.kind);
    result.verdict = match (found, error) {
        (Err(&stop), _) => Verdict::Unknown(stop.into()),
        (Ok(Err(fault)), _) => Verdict::Unknown(StopReason::NoValue(Some(fault.kind))),
        // Behind a run-time error nothing was explored.
        (Ok(Ok(_)), Some(kind)) => Verdict::Unknown(StopReason::RunTimeError(kind)),
        (Ok(Ok(value)), None) => {
            result.value = value.map(Value::Number);
            Verdict::Holds
        }
    };
}
