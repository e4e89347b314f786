//! What stronger fairness would change: a hint beside a violated property.
//!
//! A process that is never scheduled is the first counterexample that most people meet, and a semaphore
//! that is snatched away for ever the second. Where a violation shows an infinite run, the same
//! question is asked again with more fairness: weak fairness of every process where nothing was
//! assumed, and strong fairness instead of weak. If the property then holds, the report says so. The
//! second look is short: as long as the check itself or half a second, and never a reason to wait.

use std::time::{Duration, Instant};

use evenhand_system::fair::AssumptionText;
use evenhand_system::{Fairness, Inquiry, Kind};

use crate::answer::{CheckError, Hint, PropertyResult, Warning};
use crate::case::{Case, Task, propositions_of};
use crate::listener::{Listener, Quiet};
use crate::options::{Counterexamples, Deadlock, Options};
use crate::runs::linear;

/// The least time for a hint.
const PATIENCE: Duration = Duration::from_millis(500);

/// The same for those in a hurry.
const SHORT_PATIENCE: Duration = Duration::from_millis(20);

/// Adds a warning to a violated property that more fairness of processes would save.
pub(crate) fn add_hint(
    inquiry: &Inquiry,
    case: &Case<'_>,
    processes: usize,
    (task, result): (&Task, &mut PropertyResult),
    listener: &mut dyn Listener,
) -> Result<(), CheckError> {
    let Some(run) = result.verdict.run().filter(|_| task.question.is_fair()) else {
        return Ok(());
    };
    // Where improper ends break every property, fairness alone saves none.
    if case.options.deadlock == Deadlock::Error {
        return Ok(());
    }
    // A finite run, or one that has ended, no scheduler can forbid.
    let is_moving = run.cycle.iter().any(|step| step.process.is_some());
    if !is_moving || task.question.kind == Kind::Feasible {
        return Ok(());
    }
    for (hint, stronger) in candidates(&inquiry.assumptions) {
        let Ok(fairness) = inquiry.meaning.fairness(&stronger, processes) else {
            continue;
        };
        let patience = patience(case.options.counterexample, result.seconds);
        if holds(case, task, fairness, patience, listener)? {
            result.warnings.push(Warning::Hint(hint));
            break;
        }
    }
    Ok(())
}

/// How long a hint may take: whoever is content with any run is in a hurry.
fn patience(counterexample: Counterexamples, seconds: f64) -> Duration {
    let taken = Duration::from_secs_f64(seconds);
    match counterexample {
        Counterexamples::First => (taken / 40).max(SHORT_PATIENCE),
        _ => taken.max(PATIENCE),
    }
}

/// Stronger assumptions to try, and what to say if they help.
fn candidates(given: &[AssumptionText]) -> Vec<(Hint, Vec<AssumptionText>)> {
    let with = |what: &str| {
        let more = (what.to_string(), None);
        given.iter().cloned().chain([more]).collect()
    };
    let kinds = ["weak", "strong", "spin-weak"];
    let is_process = |text: &str| kinds.iter().any(|kind| text.starts_with(kind));
    if !given.iter().any(|(text, _)| is_process(text)) {
        return vec![(Hint::Weak, with("weak")), (Hint::Strong, with("strong"))];
    }
    let stronger = given.iter().map(|(text, span)| {
        let bare = text.strip_prefix("spin-").unwrap_or(text);
        let strong = bare
            .strip_prefix("weak")
            .map(|rest| format!("strong{rest}"));
        (strong.unwrap_or_else(|| text.clone()), *span)
    });
    let stronger: Vec<AssumptionText> = stronger.collect();
    match stronger == given {
        true => Vec::new(),
        false => vec![(Hint::Stronger, stronger)],
    }
}

/// Whether a property certainly holds, on runs that exist, under other assumptions.
fn holds(
    case: &Case<'_>,
    task: &Task,
    fairness: Fairness,
    patience: Duration,
    listener: &mut dyn Listener,
) -> Result<bool, CheckError> {
    let short = Options {
        counterexample: Counterexamples::None,
        engine: None,
        ..case.options.clone()
    };
    let patience = Instant::now() + patience;
    let deadline = case.deadline().into_iter().chain([patience]).min();
    let propositions = propositions_of([&task.question]);
    let other = Case::new(case.view, fairness, &short, deadline, propositions);
    let answer = linear::answer(&other, task, &mut Quiet(listener))?;
    Ok(answer.verdict.holds() && answer.warnings.is_empty())
}
