//! Shorter runs: finite ones that are bad whatever follows, and lassos of the product with a tight
//! automaton, of which the shortest are the shortest of the system.
//!
//! The search goes breadth-first, state by state, for runs with fewer steps than the one that is known;
//! it finds one or proves that there is none, or says how far it came. It knows nothing of the engine
//! that found the run: if it comes to its end and there is no run at all, one of the two is wrong, and
//! that is said.

use std::time::Duration;

use evenhand_automata::{Automaton, is_deterministic, universal_states};
use evenhand_explicit::graph::{Graph, NodeId};
use evenhand_explicit::product::{Product, mark_count};
use evenhand_explicit::store::AnyStore;
use evenhand_explicit::with_width;
use evenhand_system::AssumptionKind;
use evenhand_system::explicit::FinishedRuns;
use evenhand_witness::{Budget, Counterexample, Run, bounded, judge_finite, nearest};

use super::tell::{Candidate, observed_states};
use crate::answer::CheckError;
use crate::bad_runs::{LinearQuestion, Tight};
use crate::case::{Case, StateSpace};
use crate::listener::Listener;
use crate::product::{restrict, run_of, state_of};

/// What the distances of the search for the shortest run may take at most, in bytes.
const MOST_ROOM: u64 = 1 << 30;

/// What the search for a shorter run may cost after a check that took this long.
pub(super) fn budget_of(case: &Case<'_>, taken: Duration) -> Budget {
    let default = (taken * 5).max(Duration::from_secs(10));
    let time = case.options.budget.unwrap_or(default);
    let share = case.allowance().share;
    Budget {
        time: Some(share.map_or(time, |share| time.min(share))),
        bytes: case.options.limit_memory.map(|bytes| bytes / 2),
        rounds: None,
    }
}

/// Half of the time.
pub(super) fn half(budget: Budget) -> Budget {
    Budget {
        time: budget.time.map(|time| time / 2),
        ..budget
    }
}

/// What is left after some time.
pub(super) fn less(budget: Budget, taken: Duration) -> Budget {
    Budget {
        time: budget.time.map(|time| time.saturating_sub(taken)),
        ..budget
    }
}

/// A finite run of at most so many steps that shows the violation, whatever follows, if the property
/// is a safety property.
pub(crate) fn finite<const W: usize>(
    case: &Case<'_>,
    product: &mut Product<'_, '_, AnyStore, W>,
    (question, bad): (&LinearQuestion, &Automaton),
    most: usize,
    budget: Budget,
    listener: &mut dyn Listener,
) -> Result<Option<Counterexample>, CheckError> {
    if !has_finite(case, question) {
        return Ok(None);
    }
    let universal = universal_states(bad);
    if !universal.contains(&true) {
        return Ok(None);
    }
    let goal = |product: &Product<'_, '_, AnyStore, W>, node: NodeId| {
        universal[product.parts(node).1.index()]
    };
    let found = case.watched(listener, |watch| {
        nearest(product, &goal, most, budget, watch)
    });
    let Ok(Some(path)) = found else {
        return Ok(None);
    };
    let states: Vec<Vec<u8>> = path.iter().map(|&n| state_of(product, n)).collect();
    let system = case.system()?;
    let told = judge_finite(system, &states, question.charge(bad))?;
    Ok(told.map(|mut told| {
        let shown: Vec<&[u8]> = states.iter().map(Vec::as_slice).collect();
        told.observed = observed_states(case, system, (question, bad), &shown, None);
        // Without a choice the automaton knows at once that all is lost.
        told.shortest = is_deterministic(bad) || told.is_empty();
        told.lower_bound = match told.shortest {
            true => told.len(),
            false => 0,
        };
        told
    }))
}

/// Whether a finite run can show a violation: it has a fair continuation if only processes are to be
/// fair and ends stay.
pub(super) fn has_finite(case: &Case<'_>, question: &LinearQuestion) -> bool {
    let mut kinds = case.fairness().assumptions.iter().map(|a| a.kind);
    let goes_on = case.finished != FinishedRuns::Ignore
        && kinds.all(|k| matches!(k, AssumptionKind::Weak(_) | AssumptionKind::Strong(_)));
    goes_on && question.is_safety()
}

/// The same, where another engine found a lasso.
pub(super) fn finite_instead(
    case: &Case<'_>,
    space: &mut StateSpace<'_>,
    (question, bad): (&LinearQuestion, &Automaton),
    most: usize,
    budget: Budget,
    listener: &mut dyn Listener,
) -> Result<Option<Counterexample>, CheckError> {
    if !has_finite(case, question) {
        return Ok(None);
    }
    let stutter = case.stutters(question.finished_runs);
    let places = space.places_of(&question.propositions);
    let budget = half(budget);
    with_width!(
        mark_count(space, bad),
        W => match Product::<_, W>::new(space, bad, places, stutter) {
            Ok(product) => {
                let mut product = product.leaving_out();
                finite(case, &mut product, (question, bad), most, budget, listener)
            }
            Err(_) => Ok(None),
        },
        else Ok(None)
    )
}

/// Looks for a shorter run of the system: the shortest of the product may be longer.
pub(super) fn tighten(
    case: &Case<'_>,
    space: &mut StateSpace<'_>,
    (question, bad): (&LinearQuestion, &Automaton),
    found: Candidate,
    listener: &mut dyn Listener,
) -> Result<Candidate, CheckError> {
    let is_tight = bad.state_count() == 1;
    if !case.options.wants_shortest() || is_tight {
        return Ok(found);
    }
    // What is shortest in the product says little about the system: only that it takes a step.
    let mut found = found.folded();
    found.lower_bound = found.run.len().min(1);
    let Some(tight) = question.tight().filter(|_| found.run.len() > 1) else {
        return Ok(found);
    };
    search_tight(case, space, question, &tight, found, listener)
}

/// Looks for a shorter run than one that was found in another way, and proves how short it can be;
/// the space is explored as far as that needs.
pub(super) fn shorten(
    case: &Case<'_>,
    space: &mut StateSpace<'_>,
    (question, bad): (&LinearQuestion, &Automaton),
    run: Run,
    budget: Budget,
    listener: &mut dyn Listener,
) -> Result<Candidate, CheckError> {
    listener.stage(&format!("{}, a shorter run", question.name));
    let found = Candidate {
        lower_bound: run.len().min(1),
        run,
        left: budget,
    };
    let tight = match bad.state_count() {
        // It is the letters that decide: lassos are as short as the system's.
        1 => Some(Tight {
            automaton: bad.clone(),
            propositions: question.propositions.clone(),
            exact: true,
        }),
        _ => question.tight(),
    };
    let Some(tight) = tight.filter(|_| found.run.len() > 1) else {
        return Ok(found);
    };
    search_tight(case, space, question, &tight, found, listener)
}

fn search_tight(
    case: &Case<'_>,
    space: &mut StateSpace<'_>,
    question: &LinearQuestion,
    tight: &Tight,
    found: Candidate,
    listener: &mut dyn Listener,
) -> Result<Candidate, CheckError> {
    let stutter = case.stutters(question.finished_runs);
    with_width!(
        mark_count(space, &tight.automaton),
        W => search_tight_within::<W>(case, space, tight, stutter, found, listener),
        else Ok(found)
    )
}

/// Looks for a shorter run in the product with a tight automaton.
fn search_tight_within<const W: usize>(
    case: &Case<'_>,
    space: &mut StateSpace<'_>,
    tight: &Tight,
    stutter: bool,
    mut found: Candidate,
    listener: &mut dyn Listener,
) -> Result<Candidate, CheckError> {
    let places = space.places_of(&tight.propositions);
    let Ok(product) = Product::<_, W>::new(space, &tight.automaton, places, stutter) else {
        return Ok(found);
    };
    let mut product = product.leaving_out();
    restrict(case, &mut product);
    // Distances are kept by the numbers of nodes, and states were numbered long ago.
    let room = found.left.bytes.unwrap_or(MOST_ROOM).min(MOST_ROOM);
    if product.bound() as u64 * size_of::<u32>() as u64 > room {
        return Ok(found);
    }
    let most = found.run.len() - 1;
    let answer = case.watched(listener, |watch| {
        bounded(&mut product, most, found.left, watch)
    });
    let Ok(answer) = answer else {
        return Ok(found);
    };
    if answer.empty && !product.has_left_out() {
        let message = "a search of all states finds no run that shows it";
        return Err(CheckError::broken(message));
    }
    if let Some(lasso) = answer.lasso {
        lasso
            .check(&mut product)
            .map_err(|error| CheckError::broken(error.to_string()))?;
        found.run = run_of(case, &product, &lasso);
    }
    if !tight.exact {
        return Ok(found.folded());
    }
    found.lower_bound = answer.lower_bound.min(found.run.len());
    Ok(found)
}
