//! Temporal properties by an emptiness check: the product of the system with the automaton of the bad
//! runs has an accepting cycle, or it has none.
//!
//! All checks of `evenhand_explicit` are engines by way of this file.

use std::time::Instant;

use evenhand_automata::Automaton;
use evenhand_certify::Cover;
use evenhand_explicit::emptiness::{self, Component, NoProof, Searched, Statistics};
use evenhand_explicit::graph::Graph;
use evenhand_explicit::product::{NoProduct, Product, mark_count};
use evenhand_explicit::search::Stop;
use evenhand_explicit::store::AnyStore;
use evenhand_explicit::with_width;
use evenhand_system::{Formula, Question, What};
use evenhand_witness::{Run, direct, is_certain, judge};

use super::breadth_first::find_broken;
use super::reduced::{self, Plan};
use super::{no_value, reason, supports_runs};
use crate::answer::{CheckError, Detail, PropertyResult, Verdict};
use crate::bad_runs::LinearQuestion;
use crate::case::{Case, StateSpace, Task};
use crate::engine::{Answers, Engine, Support};
use crate::evidence::{Evidence, FoundComponent};
use crate::listener::Listener;
use crate::options::Counterexamples;
use crate::product::{restrict, run_of};
use crate::proof::{self, by_tableau, check_empty};
use crate::statement::Asked;
use crate::stop::StopReason;
use crate::vacuity::{culprits, warn};

/// The emptiness check at a place of the list in `evenhand_explicit::emptiness`.
#[derive(Debug)]
pub(crate) struct EmptinessCheck(pub usize);

/// A state that is wrong by itself is looked for among twice the states that are known, and so many more.
const FEW_MORE: u64 = 4096;

/// How many emptiness checks there are.
pub(crate) const COUNT: usize = 5;

impl EmptinessCheck {
    fn check<const W: usize>(&self) -> &'static dyn emptiness::Engine<W> {
        let all: [&dyn emptiness::Engine<W>; COUNT] = emptiness::engines();
        all[self.0]
    }
}

impl Engine for EmptinessCheck {
    fn name(&self) -> &'static str {
        self.check::<1>().name()
    }

    fn about(&self) -> &'static str {
        self.check::<1>().about()
    }

    fn supports(&self, case: &Case<'_>, question: &Question) -> Support {
        match question.what {
            What::Linear(_) | What::Feasible if case.options.max_depth.is_none() => {
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
        for (place, &task) in tasks.iter().enumerate() {
            let Some(linear) = task.linear() else {
                continue;
            };
            let mut result = case.unknown(&task.question, StopReason::Interrupted);
            let bad = match &linear.bad {
                Ok(bad) => bad,
                Err(reason) => {
                    result.verdict = Verdict::Unknown(StopReason::Property(reason.clone()));
                    answers.known(case, (place, task), result, Evidence::None);
                    continue;
                }
            };
            let plan = reduced::of_runs(case, &task.question);
            let mut why = plan.as_ref().err().cloned().flatten();
            let plan = plan.ok();
            let mut decided = Some(Evidence::None);
            if let Some(plan) = &plan {
                case.enough.set(plan.after as u64);
                case.had_enough.set(false);
            }
            if plan.as_ref().is_none_or(|plan| plan.after > 0) {
                decided = self.ask(case, (linear, bad), &mut result, (place, task, answers))?;
            }
            case.enough.set(u64::MAX);
            if let Some(plan) = plan.filter(|plan| reduced::is_enough(case, &result, plan)) {
                let before = std::mem::replace(
                    &mut result,
                    case.unknown(&task.question, StopReason::Interrupted),
                );
                let asked = (linear, bad);
                decided =
                    self.ask_smaller(case, &plan, asked, &mut result, (place, task, answers))?;
                let is_shown = match linear.kind == evenhand_system::Kind::Feasible {
                    true => result.verdict.holds(),
                    false => result.verdict.is_violated(),
                };
                if plan.gave_up() && !is_shown {
                    why = Some(reduced::GAVE_UP.to_string());
                    result = case.unknown(&task.question, StopReason::Interrupted);
                    decided = self.ask(case, asked, &mut result, (place, task, answers))?;
                }
                if !result.verdict.is_decided() && result.states < before.states {
                    // More is known of the system itself.
                    result = PropertyResult {
                        verdict: result.verdict,
                        seconds: result.seconds,
                        peak_memory: result.peak_memory,
                        ..before
                    };
                }
            }
            reduced::say_why(&mut result, why.as_deref());
            if let Some(always) = &task.question.always {
                let listener = &mut *answers.listener;
                match &result.verdict {
                    Verdict::Holds => {
                        decided = Some(find_broken(case, task, always, &mut result, listener)?);
                    }
                    Verdict::Violated(_) => {
                        if let Some(found) = wrong_by_itself(case, task, always, &result, listener)?
                        {
                            decided = Some(found);
                        }
                    }
                    _ => {}
                }
            }
            if let Some(evidence) = decided {
                answers.known(case, (place, task), result, evidence);
            }
        }
        Ok(())
    }
}

/// A state that is wrong by itself says more than a run that passes it: it is looked for where a property is known to be
/// violated, among a few more states than were explored for that.
fn wrong_by_itself(
    case: &Case<'_>,
    task: &Task,
    always: &Formula,
    known: &PropertyResult,
    listener: &mut dyn Listener,
) -> Result<Option<Evidence>, CheckError> {
    let mut result = known.clone();
    case.enough.set(2 * known.states + FEW_MORE);
    let found = find_broken(case, task, always, &mut result, listener);
    case.enough.set(u64::MAX);
    Ok(Some(found?).filter(|found| matches!(found, Evidence::Path(_))))
}

impl EmptinessCheck {
    /// The verdict in the space of a case; none if more processes showed up than fairness was set up for.
    fn ask(
        &self,
        case: &Case<'_>,
        asked: (&LinearQuestion, &Automaton),
        result: &mut PropertyResult,
        told: (usize, &Task, &mut Answers<'_>),
    ) -> Result<Option<Evidence>, CheckError> {
        let mut space = case.space()?;
        with_width!(
            mark_count(&*space, asked.1),
            W => self.decide::<W>(case, &mut space, asked, result, told),
            else {
                result.verdict = Verdict::Unknown(StopReason::Assumptions);
                Ok(Some(Evidence::None))
            }
        )
    }

    /// The verdict by way of a smaller system, with a run of the system itself for a violation.
    fn ask_smaller(
        &self,
        case: &Case<'_>,
        plan: &Plan<'_>,
        (linear, bad): (&LinearQuestion, &Automaton),
        result: &mut PropertyResult,
        (place, task, answers): (usize, &Task, &mut Answers<'_>),
    ) -> Result<Option<Evidence>, CheckError> {
        let smaller = plan.case(case);
        let decided = self.ask(&smaller, (linear, bad), result, (place, task, answers))?;
        result.reduced = true;
        let wants_run = case.options.counterexample != Counterexamples::None;
        let is_feasible = linear.kind == evenhand_system::Kind::Feasible;
        let (Some(found), true) = (&decided, result.verdict.is_violated() && wants_run) else {
            return Ok(decided);
        };
        if is_feasible {
            return Ok(decided);
        }
        let run = match found {
            Evidence::Lasso(run) => Some(run),
            Evidence::Component(found) => found.first.as_ref(),
            _ => None,
        };
        // Where limits left no time to find a run, the verdict stands alone.
        let Some(run) = run else {
            return Ok(Some(Evidence::None));
        };
        match plan.run(run, case.fairness()) {
            Some(run) => Ok(Some(Evidence::Lasso(run))),
            None => Err(CheckError::broken(reduced::NO_RUN)),
        }
    }
}

impl EmptinessCheck {
    /// The verdict; none if more processes showed up than fairness was set up for.
    fn decide<const W: usize>(
        &self,
        case: &Case<'_>,
        space: &mut StateSpace<'_>,
        (question, bad): (&LinearQuestion, &Automaton),
        result: &mut PropertyResult,
        (place, task, answers): (usize, &Task, &mut Answers<'_>),
    ) -> Result<Option<Evidence>, CheckError> {
        let started = Instant::now();
        let places = space.places_of(&question.propositions);
        let stutter = case.stutters(question.finished_runs);
        let engine = self.check::<W>();
        let mut product = match Product::<_, W>::new(space, bad, places, stutter) {
            // A run that is found without what nobody can decide is a run.
            Ok(product) => product.leaving_out(),
            Err(NoProduct::TooManyMarks | NoProduct::OtherAcceptance) => {
                result.verdict = Verdict::Unknown(no_acceptance());
                return Ok(Some(Evidence::None));
            }
        };
        restrict(case, &mut product);
        engine
            .supports(product.condition())
            .map_err(CheckError::Engine)?;
        let mut statistics = Statistics::default();
        let stage = format!("{}, engine {}", question.name, engine.name());
        answers.listener.stage(&stage);
        let found = case.watched(answers.listener, |watch| match proof::wanted(case) {
            true => engine.search_with_proof(&mut product, watch, &mut statistics),
            false => engine
                .search(&mut product, watch, &mut statistics)
                .map(|found| match found {
                    Some(component) => Searched::Accepting(component),
                    None => Searched::Empty(Err(NoProof::Unwanted)),
                }),
        });
        result.engine = Some(engine.name());
        result.product_states = Some(statistics.nodes);
        result.product_transitions = Some(statistics.edges);
        result.details = details(&statistics);
        case.measure(result, product.space(), started);
        // What follows is about a verdict that is known.
        if found.is_ok() {
            case.enough.set(u64::MAX);
        }
        let is_feasible = question.kind == evenhand_system::Kind::Feasible;
        let asked = Asked {
            task,
            question,
            bad,
            propositions: &question.propositions,
        };
        match found {
            Err(Stop::Processes) => return Ok(None),
            Err(stop) => {
                let reason = reason(stop, product.space(), &question.propositions);
                result.verdict = Verdict::Unknown(reason);
            }
            Ok(Searched::Empty(_)) if product.has_left_out() => {
                let reason = no_value(product.space(), &question.propositions);
                drop(product);
                result.verdict = Verdict::Unknown(reason);
                let asked = (question, bad, stutter);
                if let Some(run) = self.guess::<W>(case, space, asked, answers.listener)? {
                    result.verdict = Verdict::Violated(None);
                    return Ok(Some(Evidence::Lasso(run)));
                }
            }
            Ok(Searched::Accepting(_)) if is_feasible => result.verdict = Verdict::Holds,
            Ok(Searched::Empty(ranks)) if is_feasible => {
                result.verdict = Verdict::Violated(None);
                answers.provisional(case, place, result);
                result.proof = check_empty(case, &mut product, asked, ranks, answers.listener)?;
                // Where it takes too long to find out who is to blame, the verdict stands alone.
                let words = case.watched(answers.listener, |watch| {
                    culprits(&mut product, case.fairness(), watch)
                });
                result.warnings.extend(words.map(Into::into));
            }
            Ok(Searched::Accepting(component)) => {
                result.verdict = Verdict::Violated(None);
                return shown(case, &mut product, &component, answers.listener).map(Some);
            }
            Ok(Searched::Empty(ranks)) => {
                result.verdict = Verdict::Holds;
                if task.question.always.is_none() {
                    answers.provisional(case, place, result);
                }
                result.proof = check_empty(case, &mut product, asked, ranks, answers.listener)?;
                drop(product);
                if let Some(proof) = &mut result.proof
                    && proof.automaton == Some(Cover::Believed)
                {
                    let shown = by_tableau::<W>(case, space, asked, answers.listener)?;
                    proof.automaton = shown.or(proof.automaton);
                }
                result.seconds = started.elapsed().as_secs_f64();
                warn::<W>(case, space, question, stutter, result, answers.listener);
            }
        }
        Ok(Some(Evidence::None))
    }
}

impl EmptinessCheck {
    /// A run that breaks the property whatever the values are that are missing, if one is found by
    /// assuming some.
    fn guess<const W: usize>(
        &self,
        case: &Case<'_>,
        space: &mut StateSpace<'_>,
        (question, bad, stutter): (&LinearQuestion, &Automaton, bool),
        listener: &mut dyn Listener,
    ) -> Result<Option<Run>, CheckError> {
        for value in [true, false] {
            let places = space.places_of(&question.propositions);
            let Ok(product) = Product::<_, W>::new(space, bad, places, stutter) else {
                return Ok(None);
            };
            let mut product = product.assuming(value);
            restrict(case, &mut product);
            let lasso = case.watched(listener, |watch| {
                let mut statistics = Statistics::default();
                let found = self.check().search(&mut product, watch, &mut statistics)?;
                found.map_or(Ok(None), |component| {
                    direct(&mut product, &component, watch)
                })
            });
            let Ok(Some(lasso)) = lasso else {
                continue;
            };
            let run = run_of(case, &product, &lasso).folded();
            let system = case.system()?;
            if is_certain(system, &run, &question.propositions)
                && judge(system, case.fairness(), &run, question.charge(bad)).is_ok()
            {
                return Ok(Some(run));
            }
        }
        Ok(None)
    }
}

/// What there is to show for a violation, as far as somebody wants to see it.
fn shown<const W: usize>(
    case: &Case<'_>,
    product: &mut Product<'_, '_, AnyStore, W>,
    component: &Component<W>,
    listener: &mut dyn Listener,
) -> Result<Evidence, CheckError> {
    if case.options.counterexample == Counterexamples::None {
        return Ok(Evidence::None);
    }
    let mut first = None;
    let lasso = case.watched(listener, |watch| direct(product, component, watch));
    if let Ok(Some(lasso)) = lasso {
        lasso
            .check(product)
            .map_err(|error| CheckError::broken(error.to_string()))?;
        first = Some(run_of(case, product, &lasso));
    }
    Ok(match (first, case.options.counterexample) {
        (Some(run), Counterexamples::First) => Evidence::Lasso(run),
        (first, _) => Evidence::Component(FoundComponent::new(product, component, first)),
    })
}

/// The automaton of a property cannot be used.
pub(super) fn no_acceptance() -> StopReason {
    let reason = "the automaton of the property has no usable acceptance condition";
    StopReason::Property(reason.to_string())
}

/// Counts for people who ask for more.
fn details(statistics: &Statistics) -> Vec<Detail> {
    let mut list = vec![
        Detail::new("refinements", statistics.refinements),
        Detail::new("revisited product states", statistics.revisits),
    ];
    let stages = statistics.stages.iter();
    list.extend(stages.map(|&(name, count)| Detail::new(name, count)));
    list.retain(|detail| detail.count > 0);
    list
}
