//! What stronger fairness would change: a hint beside a violated property.
//!
//! A process that is never scheduled is the first counterexample that most people meet, and a semaphore
//! that is snatched away for ever the second. Where a violation shows an infinite run, the same
//! question is asked again with more fairness: weak fairness of every process where nothing was
//! assumed, and strong fairness instead of weak. If the property then holds, the report says so. The
//! second look is short: as long as the check itself or half a second, and never a reason to wait.

use std::time::{Duration, Instant};

use evenhand_report::{PropertyResult, Verdict};
use evenhand_source::Span;
use evenhand_system::Fairness;

use crate::check::{CheckError, CheckOptions, Counterexamples, Deadlock, Listener};
use crate::model::Model;
use crate::question::Question;
use crate::temporal::answer_all;

/// Fairness assumptions and where they stand.
type Specifications = Vec<(String, Option<Span>)>;

/// The least time for a hint.
const PATIENCE: Duration = Duration::from_millis(500);

/// Adds a warning to a violated property that more fairness of processes would save.
pub(crate) fn add_hint(
    model: &mut Model,
    question: &Question,
    specifications: &Specifications,
    (options, bound): (&CheckOptions, usize),
    result: &mut PropertyResult,
    listener: &mut dyn Listener,
) -> Result<(), CheckError> {
    let Verdict::Violated(Some(run)) = &result.verdict else {
        return Ok(());
    };
    // Where improper ends break every property, fairness alone saves none.
    if options.deadlock == Deadlock::Error {
        return Ok(());
    }
    // A finite run, or one that has ended, no scheduler can forbid.
    if !run.cycle.iter().any(|step| step.process.is_some()) || question.kind == "feasible" {
        return Ok(());
    }
    for (words, stronger) in candidates(specifications) {
        let Ok(fairness) = model.fairness(&stronger, bound) else {
            continue;
        };
        let patience = PATIENCE.max(Duration::from_secs_f64(result.seconds));
        if holds(model, question, &fairness, options, patience, listener)? {
            // Advice is about formulas.
            let advice = match question.kind {
                "ltl" => "; `evenhand advise` finds the least that is needed",
                _ => "",
            };
            result.warnings.push(format!("{words}{advice}"));
            break;
        }
    }
    Ok(())
}

/// Stronger assumptions to try, and what to say if they help.
fn candidates(given: &Specifications) -> Vec<(String, Specifications)> {
    let of_all = |what: &str| {
        let words = format!("it holds under {what} fairness of every process (--fair {what})");
        let mut list = given.clone();
        list.push((what.to_string(), None));
        (words, list)
    };
    let kinds = ["weak", "strong", "spin-weak"];
    let is_process = |text: &str| kinds.iter().any(|kind| text.starts_with(kind));
    if !given.iter().any(|(text, _)| is_process(text)) {
        return vec![of_all("weak"), of_all("strong")];
    }
    let stronger: Specifications = given
        .iter()
        .map(|(text, span)| {
            let bare = text.strip_prefix("spin-").unwrap_or(text);
            let strong = bare
                .strip_prefix("weak")
                .map(|rest| format!("strong{rest}"));
            (strong.unwrap_or_else(|| text.clone()), *span)
        })
        .collect();
    if stronger == *given {
        return Vec::new();
    }
    let words = "it holds if strong fairness is assumed where weak fairness is now".to_string();
    vec![(words, stronger)]
}

/// Whether a property certainly holds, on runs that exist, under other assumptions.
fn holds(
    model: &Model,
    question: &Question,
    fairness: &Fairness,
    options: &CheckOptions,
    patience: Duration,
    listener: &mut dyn Listener,
) -> Result<bool, CheckError> {
    let short = CheckOptions {
        counterexample: Counterexamples::None,
        engine: None,
        ..options.clone()
    };
    let deadline = Some(Instant::now() + patience);
    let mut quiet = Hushed(listener);
    let questions = std::slice::from_ref(question);
    let (system, ends) = (model.explicit()?, Verdict::Holds);
    let answers = answer_all(
        system, questions, fairness, &short, deadline, &ends, &mut quiet,
    )?;
    let answer = answers.first();
    Ok(answer.is_some_and(|a| matches!(a.verdict, Verdict::Holds) && a.warnings.is_empty()))
}

/// Shows progress, but no verdicts.
struct Hushed<'a>(&'a mut dyn Listener);

impl Listener for Hushed<'_> {
    fn progress(&mut self, progress: &evenhand_explicit::search::Progress) -> bool {
        self.0.progress(progress)
    }
}
