//! Runs from a component of the product in which an emptiness check found a violation.
//!
//! In this order, within one budget: for a safety property a finite run, which is bad whatever follows;
//! otherwise the shortest lasso of the product in which the violation was found; then a shorter one in
//! the product with a tight automaton, which is the shortest of the system. What is proved is said:
//! a lasso that is shortest in a product with another automaton proves nothing about the system.

use std::time::{Duration, Instant};

use evenhand_automata::Automaton;
use evenhand_explicit::emptiness::Component;
use evenhand_explicit::product::{Product, mark_count};
use evenhand_explicit::store::AnyStore;
use evenhand_explicit::with_width;
use evenhand_witness::{Budget, Counterexample, Reach, all_shortest, first, shortest};

use super::shorten::{budget_of, finite, half, less, tighten};
use super::shown::Shown;
use super::tell::{Candidate, tell};
use crate::answer::CheckError;
use crate::bad_runs::LinearQuestion;
use crate::case::{Case, StateSpace, Task};
use crate::evidence::FoundComponent;
use crate::listener::Listener;
use crate::options::Counterexamples;
use crate::product::{restrict, run_of};

/// Further runs that are looked for are at most so many.
const MOST_RUNS: usize = 1000;

/// The runs that show a violation.
pub(super) fn show(
    case: &Case<'_>,
    task: &Task,
    found: &FoundComponent,
    taken: Duration,
    listener: &mut dyn Listener,
) -> Result<Shown, CheckError> {
    let Some(question) = task.linear() else {
        return Ok(Shown::default());
    };
    let Ok(bad) = &question.bad else {
        return Ok(Shown::default());
    };
    let mut space = case.space()?;
    listener.stage(&format!("{}, the run that shows it", question.name));
    with_width!(
        mark_count(&*space, bad),
        W => show_within::<W>(case, &mut space, (question, bad), found, taken, listener),
        else Ok(Shown::default())
    )
}

fn show_within<const W: usize>(
    case: &Case<'_>,
    space: &mut StateSpace<'_>,
    (question, bad): (&LinearQuestion, &Automaton),
    found: &FoundComponent,
    taken: Duration,
    listener: &mut dyn Listener,
) -> Result<Shown, CheckError> {
    let budget = budget_of(case, taken);
    let begun = Instant::now();
    let mut shown = Shown::default();
    let stutter = case.stutters(question.finished_runs);
    let places = space.places_of(&question.propositions);
    let Ok(product) = Product::<_, W>::new(space, bad, places, stutter) else {
        return Ok(shown);
    };
    let mut product = product.leaving_out();
    restrict(case, &mut product);
    let Ok(component) = found.component(&mut product) else {
        return Ok(shown);
    };
    if case.options.wants_shortest() {
        let asked = (question, bad);
        shown.best = finite(
            case,
            &mut product,
            asked,
            usize::MAX,
            half(budget),
            listener,
        )?;
    }
    if shown.best.is_some() {
        return Ok(shown);
    }
    let left = less(budget, begun.elapsed());
    let lasso = lasso_of(case, &mut product, &component, left, listener)?;
    let first = || {
        let run = found.first.clone()?;
        Some(Candidate {
            run,
            lower_bound: 0,
            left: less(budget, begun.elapsed()),
        })
    };
    let Some(found) = lasso.or_else(first) else {
        return Ok(shown);
    };
    if case.options.counterexample == Counterexamples::All {
        let (others, complete) = all(case, &mut product, (question, bad), budget, listener)?;
        shown.others = others;
        shown.missing = !complete;
    }
    drop(product);
    let found = tighten(case, space, (question, bad), found, listener)?;
    let best = tell(case, question, bad, &found)?;
    let is_same = |other: &Counterexample| other.prefix == best.prefix && other.cycle == best.cycle;
    shown.others.retain(|other| !is_same(other));
    shown.best = Some(best);
    Ok(shown)
}

/// A run that shows the violation, from the product in which it was found.
fn lasso_of<const W: usize>(
    case: &Case<'_>,
    product: &mut Product<'_, '_, AnyStore, W>,
    component: &Component<W>,
    budget: Budget,
    listener: &mut dyn Listener,
) -> Result<Option<Candidate>, CheckError> {
    let begun = Instant::now();
    let found = case.watched(listener, |watch| match case.options.counterexample {
        Counterexamples::First => {
            let lasso = first(product, component, Reach::Known, watch);
            lasso.map(|lasso| lasso.map(|lasso| (lasso, 0)))
        }
        _ => {
            // The other half is for the search that knows only the system's steps.
            let found = shortest(product, component, half(budget), watch);
            found.map(|found| found.map(|f| (f.lasso, f.lower_bound)))
        }
    });
    let (lasso, lower_bound) = match found {
        Ok(Some(found)) => found,
        Ok(None) => return Err(CheckError::broken("the component has no accepting cycle")),
        Err(_) => return Ok(None),
    };
    lasso
        .check(product)
        .map_err(|error| CheckError::broken(error.to_string()))?;
    Ok(Some(Candidate {
        run: run_of(case, product, &lasso),
        lower_bound,
        left: less(budget, begun.elapsed()),
    }))
}

/// A shortest run for each accepting state of the product, and whether these are all.
fn all<const W: usize>(
    case: &Case<'_>,
    product: &mut Product<'_, '_, AnyStore, W>,
    (question, bad): (&LinearQuestion, &Automaton),
    budget: Budget,
    listener: &mut dyn Listener,
) -> Result<(Vec<Counterexample>, bool), CheckError> {
    let found = case.watched(listener, |watch| all_shortest(product, budget, watch));
    let Ok((lassos, mut complete)) = found else {
        return Ok((Vec::new(), false));
    };
    let mut runs = Vec::new();
    let mut told = Vec::new();
    for answer in lassos {
        if told.len() == MOST_RUNS {
            complete = false;
            break;
        }
        let lasso = &answer.lasso;
        lasso
            .check(product)
            .map_err(|error| CheckError::broken(error.to_string()))?;
        let found = Candidate {
            run: run_of(case, product, lasso).folded(),
            lower_bound: 0,
            left: budget,
        };
        if !runs.contains(&found.run) {
            told.push(tell(case, question, bad, &found)?);
            runs.push(found.run);
        }
    }
    Ok((told, complete))
}
