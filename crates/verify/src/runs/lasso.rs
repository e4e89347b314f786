//! Lassos of engines that have no product: judged, and made as short as the budget allows.
//!
//! A run is charged with breaking the formula or being accepted by the automaton of its question. One of
//! branching time is charged with breaking the formula without its quantifiers: it must, if there is one
//! outermost `A` alone; it may, if one run can refute the formula; and otherwise it is judged as a fair
//! run, and that it decides the quantifier is the engine's word. Then a search state by state looks for
//! a shorter run and proves how short one can be.

use std::time::{Duration, Instant};

use evenhand_automata::Automaton;
use evenhand_logic::{Node, Quantifier};
use evenhand_system::{Explicit, Kind, What};
use evenhand_witness::{Counterexample, Run, judge};

use super::shorten::{budget_of, finite_instead, has_finite, less, shorten};
use super::tell::{fair_run, observed, tell};
use crate::answer::CheckError;
use crate::bad_runs::LinearQuestion;
use crate::case::{Case, Task, distinct};
use crate::listener::Listener;
use crate::options::Counterexamples;

/// A lasso of a system that knows at least its steps.
pub(super) fn show(
    case: &Case<'_>,
    task: &Task,
    system: &dyn Explicit,
    run: Run,
    taken: Duration,
    listener: &mut dyn Listener,
) -> Result<Counterexample, CheckError> {
    let run = run.folded();
    let made = match &task.question.what {
        What::Branching(formula) => LinearQuestion::refuting(&task.question.name, formula),
        _ => None,
    };
    let Some(question) = made.as_ref().or_else(|| task.linear()) else {
        return fair_run(case, system, &run);
    };
    let everything = Automaton::everything();
    let bad = question.bad.as_ref().unwrap_or(&everything);
    match judge(system, case.fairness(), &run, question.charge(bad)) {
        Ok(mut told) => {
            // A lasso has a step; a finite run may have none.
            let least = if has_finite(case, question) { 0 } else { 1 };
            told.shortest = run.len() <= least;
            told.lower_bound = run.len().min(least);
            if question.bad.is_err() || question.kind == Kind::Feasible {
                return Ok(told);
            }
            told.observed = observed(case, system, (question, bad), &run);
            match case.options.counterexample {
                Counterexamples::Shortest => shortened(case, question, told, run, taken, listener),
                _ => Ok(told),
            }
        }
        Err(error) if must_break(&task.question.what) => Err(error.into()),
        // One run need not show all quantifiers.
        Err(_) => fair_run(case, system, &run),
    }
}

/// A lasso of which an engine says that no run is shorter.
pub(super) fn proved(
    case: &Case<'_>,
    task: &Task,
    system: &dyn Explicit,
    run: Run,
) -> Result<Counterexample, CheckError> {
    let Some(question) = task.linear() else {
        return fair_run(case, system, &run);
    };
    let everything = Automaton::everything();
    let bad = question.bad.as_ref().unwrap_or(&everything);
    let mut told = judge(system, case.fairness(), &run, question.charge(bad))?;
    told.shortest = true;
    told.lower_bound = run.len();
    told.observed = observed(case, system, (question, bad), &run);
    Ok(told)
}

/// Whether a run for a question must break what stands under its quantifier.
fn must_break(what: &What) -> bool {
    match what {
        What::Branching(formula) => match *formula.store.node(formula.id) {
            Node::Path(Quantifier::All, body) => !formula.store.properties(body).has_quantifier(),
            _ => false,
        },
        _ => true,
    }
}

/// The same run or a shorter one, with what is proved.
fn shortened(
    case: &Case<'_>,
    question: &LinearQuestion,
    mut told: Counterexample,
    run: Run,
    taken: Duration,
    listener: &mut dyn Listener,
) -> Result<Counterexample, CheckError> {
    let Ok(bad) = &question.bad else {
        return Ok(told);
    };
    let beside = case.beside(None, distinct(question.reads()));
    let Ok(mut space) = beside.space() else {
        return Ok(told);
    };
    let (asked, known) = ((question, bad), run.len());
    let (budget, begun) = (budget_of(case, taken), Instant::now());
    let finite = finite_instead(&beside, &mut space, asked, known, budget, listener)?;
    if let Some(told) = finite {
        return Ok(told);
    }
    let left = less(budget, begun.elapsed());
    let found = shorten(&beside, &mut space, asked, run, left, listener)?;
    if found.run.len() < known {
        return tell(&beside, question, bad, &found);
    }
    told.lower_bound = found.lower_bound;
    told.shortest = found.lower_bound >= known;
    Ok(told)
}
