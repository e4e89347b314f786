//! Bounded checks: is there a counterexample of at most so many steps?
//!
//! The space is explored breadth-first down to the bound and no further, and only lassos that fit
//! into it are looked for: a violation is certain and its run the shortest, whatever lies behind the
//! bound. Without one the property holds only if the whole space lies within the bound; otherwise
//! the answer is `unknown`, with the bound that was proved. Steps are counted in the system, so the
//! product is the one with a tight automaton where there is one; where there is none, what is proved is
//! about lassos of the product, and the answer says so.

use std::time::Instant;

use evenhand_automata::Automaton;
use evenhand_explicit::product::{Product, mark_count};
use evenhand_explicit::ranks;
use evenhand_explicit::search::Stop;
use evenhand_explicit::store::AnyStore;
use evenhand_explicit::with_width;
use evenhand_system::{Kind, PropositionId, Question, What};
use evenhand_witness::{Budget, Counterexample, bounded};

use super::breadth_first::find_broken;
use super::emptiness::no_acceptance;
use super::{no_value, reason, supports_runs};
use crate::answer::{CheckError, Proof, PropertyResult, Verdict};
use crate::bad_runs::LinearQuestion;
use crate::case::{Case, StateSpace, Task};
use crate::engine::{Answers, Engine, Support};
use crate::evidence::Evidence;
use crate::listener::Listener;
use crate::product::{restrict, run_of};
use crate::proof::{self, check_empty};
use crate::runs::shorten::finite;
use crate::statement::Asked;
use crate::stop::StopReason;
use crate::vacuity::{culprits, warn};

/// The bounded search.
#[derive(Debug)]
pub(crate) struct BoundedSearch;

impl Engine for BoundedSearch {
    fn name(&self) -> &'static str {
        "bounded"
    }

    fn about(&self) -> &'static str {
        "runs of bounded length, shortest first"
    }

    fn has_choice(&self) -> bool {
        false
    }

    fn supports(&self, case: &Case<'_>, question: &Question) -> Support {
        match question.what {
            What::Linear(_) | What::Feasible if case.options.max_depth.is_some() => {
                supports_runs(case, question)
            }
            _ => Support::Other,
        }
    }

    fn answer(
        &self,
        case: &Case<'_>,
        tasks: &[&Task],
        answers: &mut Answers<'_>,
    ) -> Result<(), CheckError> {
        let most = case.options.max_depth.unwrap_or(u64::MAX);
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        for (place, &task) in tasks.iter().enumerate() {
            let Some(question) = task.linear() else {
                continue;
            };
            let mut result = case.unknown(&task.question, StopReason::Interrupted);
            let bad = match &question.bad {
                Ok(bad) => bad,
                Err(reason) => {
                    result.verdict = Verdict::Unknown(StopReason::Property(reason.clone()));
                    answers.known(case, (place, task), result, Evidence::None);
                    continue;
                }
            };
            let tight = question.tight();
            let (automaton, propositions, exact) = match &tight {
                Some(tight) => (&tight.automaton, &tight.propositions, tight.exact),
                None => (bad, &question.propositions, bad.state_count() == 1),
            };
            let mut space = case.space()?;
            let places = space.places_of(propositions);
            let goal = Goal {
                task,
                question,
                bad,
                automaton,
                propositions,
                places,
                exact,
                most,
            };
            let mut decided = with_width!(
                mark_count(&*space, automaton).max(mark_count(&*space, bad)),
                W => decide::<W>(case, &mut space, &goal, &mut result, answers.listener)?,
                else {
                    result.verdict = Verdict::Unknown(StopReason::Assumptions);
                    Some(Evidence::None)
                }
            );
            drop(space);
            if let (Some(always), false) = (&task.question.always, result.verdict.is_violated()) {
                let known = result.verdict.clone();
                let listener = &mut *answers.listener;
                let found = find_broken(case, task, always, &mut result, listener)?;
                match (&result.verdict, known) {
                    (Verdict::Violated(_), _) => decided = Some(found),
                    (_, Verdict::Holds) => {}
                    (_, known) => result.verdict = known,
                }
            }
            if let Some(evidence) = decided {
                answers.known(case, (place, task), result, evidence);
            }
        }
        Ok(())
    }
}

/// What a bounded search looks for.
struct Goal<'a> {
    task: &'a Task,
    question: &'a LinearQuestion,
    /// The automaton of the runs that break the property.
    bad: &'a Automaton,
    /// The same or a tight one for the search, and where its propositions stand in letters.
    automaton: &'a Automaton,
    propositions: &'a [PropositionId],
    places: Vec<usize>,
    /// Whether lassos of the product are as short as those of the system.
    exact: bool,
    most: usize,
}

/// The verdict; none if more processes showed up than fairness was set up for.
fn decide<const W: usize>(
    case: &Case<'_>,
    space: &mut StateSpace<'_>,
    goal: &Goal<'_>,
    result: &mut PropertyResult,
    listener: &mut dyn Listener,
) -> Result<Option<Evidence>, CheckError> {
    let started = Instant::now();
    let question = goal.question;
    let stutter = case.stutters(question.finished_runs);
    result.engine = Some(BoundedSearch.name());
    listener.stage(&format!("{}, bounded", question.name));
    let finite = finite_within::<W>(case, space, goal, stutter, listener)?;
    let places = goal.places.clone();
    let Ok(product) = Product::<_, W>::new(space, goal.automaton, places, stutter) else {
        result.engine = None;
        result.verdict = Verdict::Unknown(no_acceptance());
        return Ok(Some(Evidence::None));
    };
    let mut product = product.leaving_out();
    restrict(case, &mut product);
    let is_feasible = question.kind == Kind::Feasible;
    let mut evidence = Evidence::None;
    // A finite run is no longer than any lasso that shows the same.
    if let Some(run) = finite {
        result.verdict = Verdict::Violated(None);
        evidence = Evidence::Told(Box::new(run));
    } else {
        let answer = case.watched(listener, |watch| {
            bounded(&mut product, goal.most, Budget::default(), watch)
        });
        let answer = match answer {
            Err(stop) => Err(stop),
            Ok(answer) if answer.stop == Some(Stop::Processes) => Err(Stop::Processes),
            Ok(answer) => Ok(answer),
        };
        match answer {
            Err(Stop::Processes) => return Ok(None),
            Err(stop) => {
                let reason = reason(stop, product.space(), &question.propositions);
                result.verdict = Verdict::Unknown(reason);
            }
            Ok(answer) => match &answer.lasso {
                Some(_) if is_feasible => result.verdict = Verdict::Holds,
                Some(lasso) => {
                    let broken = |error: evenhand_witness::LassoError| error.to_string();
                    let checked = lasso.check(&mut product).map_err(broken);
                    checked.map_err(CheckError::broken)?;
                    let mut run = run_of(case, &product, lasso);
                    let mut lower_bound = answer.lower_bound;
                    if !goal.exact {
                        run = run.folded();
                        lower_bound = run.len().min(1);
                    }
                    result.verdict = Verdict::Violated(None);
                    evidence = Evidence::Shortest(run, lower_bound);
                }
                None if product.has_left_out() => {
                    let reason = no_value(product.space(), &question.propositions);
                    result.verdict = Verdict::Unknown(reason);
                }
                None if answer.empty => {
                    result.verdict = match is_feasible {
                        true => Verdict::Violated(None),
                        false => Verdict::Holds,
                    };
                    result.proof = prove(case, &mut product, goal, listener)?;
                }
                None => {
                    let stop = answer.stop.filter(|_| answer.lower_bound <= goal.most);
                    let asked = &question.propositions;
                    let why = stop.map(|stop| Box::new(reason(stop, product.space(), asked)));
                    result.verdict = Verdict::Unknown(StopReason::Bounded {
                        what: what(is_feasible, goal.exact),
                        steps: goal.most,
                        cut: why.map(|why| (why, answer.lower_bound)),
                    });
                }
            },
        }
    }
    case.measure(result, product.space(), started);
    if is_feasible && result.verdict.is_violated() {
        let words = case.watched(listener, |watch| {
            culprits(&mut product, case.fairness(), watch)
        });
        result.warnings.extend(words.map(Into::into));
    }
    if result.verdict.holds() {
        drop(product);
        warn::<W>(case, space, question, stutter, result, listener);
    }
    Ok(Some(evidence))
}

/// Checks that a product that was explored to its end has no accepting run.
fn prove<const W: usize>(
    case: &Case<'_>,
    product: &mut Product<'_, '_, AnyStore, W>,
    goal: &Goal<'_>,
    listener: &mut dyn Listener,
) -> Result<Option<Proof>, CheckError> {
    if !proof::wanted(case) {
        return Ok(None);
    }
    let ranks = case.watched(listener, |watch| ranks::prove(product, watch));
    let asked = Asked {
        task: goal.task,
        question: goal.question,
        bad: goal.automaton,
        propositions: goal.propositions,
    };
    check_empty(case, product, asked, ranks, listener)
}

/// What was not found within the bound.
fn what(is_feasible: bool, is_exact: bool) -> &'static str {
    match (is_feasible, is_exact) {
        (true, _) => "no fair run",
        (false, true) => "no counterexample",
        (false, false) => "no counterexample of the product with the property's automaton",
    }
}

/// A finite run of at most so many steps that breaks the property whatever follows.
fn finite_within<const W: usize>(
    case: &Case<'_>,
    space: &mut StateSpace<'_>,
    goal: &Goal<'_>,
    stutter: bool,
    listener: &mut dyn Listener,
) -> Result<Option<Counterexample>, CheckError> {
    let places = space.places_of(&goal.question.propositions);
    let product = Product::<AnyStore, W>::new(space, goal.bad, places, stutter);
    let Ok(product) = product else {
        return Ok(None);
    };
    let mut product = product.leaving_out();
    let asked = (goal.question, goal.bad);
    let budget = Budget::default();
    finite(case, &mut product, asked, goal.most, budget, listener)
}
