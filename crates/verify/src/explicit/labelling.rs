//! Formulas of CTL*, and lengths of paths, by labelling the states of a system.
//!
//! The verdict is decided by `evenhand_explicit::ctl_star`; all questions share what labelling has to
//! find out first. What finished runs are is decided as for formulas of linear time: they stay where
//! they end, or they are no runs at all. Inputs are left out of what formulas may ask about.

use std::time::Instant;

use evenhand_explicit::ctl_star::{Asked, Branching, Key, Labels, Undecided};
use evenhand_explicit::path_lengths::{longest_length, shortest_length};
use evenhand_explicit::search::Stop;
use evenhand_explicit::state_set::StateSet;
use evenhand_explicit::store::{AnyStore, StateId};
use evenhand_explicit::with_width;
use evenhand_system::question::Length;
use evenhand_system::{Formula, PropositionId, Question, What};

use super::{reason, supports_runs};
use crate::answer::{CheckError, PropertyResult, Verdict, Warning};
use crate::case::{Case, StateSpace, Task, propositions_of};
use crate::engine::{Answers, Engine, Finding, Support};
use crate::evidence::Evidence;
use crate::listener::Listener;
use crate::proof::check_branching;
use crate::runs;
use crate::stop::StopReason;
use crate::vacuity::missing_warnings;

/// Labelling.
#[derive(Debug)]
pub(crate) struct Labelling;

impl Engine for Labelling {
    fn name(&self) -> &'static str {
        "ctl-star"
    }

    fn about(&self) -> &'static str {
        "formulas of branching time: labels on all reachable states"
    }

    fn has_choice(&self) -> bool {
        false
    }

    fn supports(&self, case: &Case<'_>, question: &Question) -> Support {
        match question.what {
            What::Branching(_) | What::Quantity { .. } => supports_runs(case, question),
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
        if case.options.max_depth.is_some() {
            let reason = "branching time asks for all reachable states, not only near ones";
            let reason = StopReason::Unsupported(reason.to_string());
            return all_unknown(case, tasks, &reason, answers);
        }
        let stutter = case.stutters(true);
        let mut space = case.space()?;
        if let [task] = tasks {
            answers.listener.stage(&task.question.name);
        }
        let (view, inputs) = (case.view, &case.view.inputs);
        let key = |bytes: &[u8]| view.body.without_inputs(inputs, bytes);
        let key: Option<Key<'_>> = (!inputs.is_empty()).then_some(&key);
        let started = Instant::now();
        let missing = with_width!(
            space.mark_count(),
            W => missing_warnings::<W>(case, &mut space, stutter, answers.listener),
            else Vec::new()
        );
        let begun = case.watched(answers.listener, |watch| {
            Branching::new(&mut space, stutter, key, watch)
        });
        let mut branching = match begun {
            Ok(branching) => branching,
            Err(Undecided::Stop(Stop::Processes)) => return Ok(()),
            // What others ask about has no value somewhere: each by itself.
            Err(Undecided::Stop(Stop::Proposition)) if is_shared(case, tasks) => {
                drop(space);
                return one_by_one(case, tasks, answers);
            }
            Err(undecided) => {
                let asked = tasks.iter().flat_map(|task| task.question.reads());
                let reason = why(undecided, &space, &asked.collect::<Vec<_>>());
                drop(space);
                return all_unknown(case, tasks, &reason, answers);
            }
        };
        let mut known: Vec<(PropertyResult, Evidence)> = Vec::new();
        for (number, task) in tasks.iter().enumerate() {
            let started = if number == 0 { started } else { Instant::now() };
            answers.listener.stage(&task.question.name);
            let found = label(case, &mut branching, &task.question, answers.listener);
            let mut result = case.begun(&task.question, self.name());
            case.measure(&mut result, branching.space(), started);
            let warnings = missing.iter().cloned().map(Warning::of_branching);
            result.warnings.extend(warnings);
            let mut evidence = Evidence::None;
            result.verdict = match found {
                Err(undecided) => {
                    let asked = task.question.reads();
                    Verdict::Unknown(why(undecided, branching.space(), &asked))
                }
                Ok(Found::Length(length)) => {
                    result.value = Some(length.into());
                    Verdict::Holds
                }
                Ok(Found::Labels(labels)) => {
                    result.product_states = Some(labels.product.0);
                    result.product_transitions = Some(labels.product.1);
                    warn_unfair(&labels, branching.fair(), &mut result);
                    match labels.initial.iter().all(|&(_, holds)| holds) {
                        true => Verdict::Holds,
                        false => {
                            evidence = Evidence::Labels(Box::new(labels));
                            Verdict::Violated(None)
                        }
                    }
                }
            };
            known.push((result, evidence));
        }
        drop(space);
        for (place, (&task, (mut result, evidence))) in tasks.iter().zip(known).enumerate() {
            if let (What::Branching(formula), true) =
                (&task.question.what, result.verdict.is_decided())
            {
                let (holds, begun) = (result.verdict.holds(), Instant::now());
                result.proof = check_branching(case, formula, holds, answers.listener)?;
                result.seconds += begun.elapsed().as_secs_f64();
            }
            answers.known(case, (place, task), result, evidence);
        }
        Ok(())
    }
}

/// Whether some of the propositions of a case are not those of a single question.
fn is_shared(case: &Case<'_>, tasks: &[&Task]) -> bool {
    let own = |task: &&Task| propositions_of([&task.question]).len();
    tasks.len() > 1 || tasks.first().map(own) < Some(case.propositions.len())
}

/// Answers each question about states that know its propositions alone.
fn one_by_one(
    case: &Case<'_>,
    tasks: &[&Task],
    answers: &mut Answers<'_>,
) -> Result<(), CheckError> {
    for (place, &task) in tasks.iter().enumerate() {
        let alone = case.beside(None, propositions_of([&task.question]));
        let mut own = Answers::new(&mut *answers.listener, 1);
        Labelling.answer(&alone, &[task], &mut own)?;
        let Some(finding) = own.take().pop().flatten() else {
            continue;
        };
        // The labels are those of these states, which nobody keeps.
        let result = runs::show(&alone, task, finding, answers.listener)?;
        let evidence = Evidence::None;
        answers.put(place, Some(Finding { result, evidence }));
    }
    Ok(())
}

/// What labelling found out about a question.
enum Found {
    Labels(Labels),
    Length(Length),
}

fn all_unknown(
    case: &Case<'_>,
    tasks: &[&Task],
    reason: &StopReason,
    answers: &mut Answers<'_>,
) -> Result<(), CheckError> {
    for (place, &task) in tasks.iter().enumerate() {
        let mut result = case.begun(&task.question, Labelling.name());
        result.verdict = Verdict::Unknown(reason.clone());
        case.measure(&mut result, &*case.space()?, Instant::now());
        answers.known(case, (place, task), result, Evidence::None);
    }
    Ok(())
}

/// Why labelling came to no end.
fn why(undecided: Undecided, space: &StateSpace<'_>, propositions: &[PropositionId]) -> StopReason {
    match undecided {
        Undecided::Stop(stop) => reason(stop, space, propositions),
        Undecided::Formula(reason) => StopReason::Property(reason),
    }
}

fn label(
    case: &Case<'_>,
    branching: &mut Branching<'_, '_, AnyStore>,
    question: &Question,
    listener: &mut dyn Listener,
) -> Result<Found, Undecided> {
    case.watched(listener, |watch| {
        let places = |formula: &Formula| {
            let places = formula.atoms.iter();
            let places = places.map(|&p| branching.space().place_of(p));
            places.collect::<Vec<Option<usize>>>()
        };
        fn asked<'f>(formula: &'f Formula, places: &'f [Option<usize>]) -> Asked<'f> {
            Asked {
                store: &formula.store,
                formula: formula.id,
                places,
            }
        }
        match &question.what {
            What::Branching(formula) => {
                let places = places(formula);
                let labels = branching.label(asked(formula, &places), watch)?;
                Ok(Found::Labels(labels))
            }
            What::Quantity { minimum, from, to } => {
                let (first, last) = (places(from), places(to));
                let from = branching.states(asked(from, &first), watch)?;
                let to = branching.states(asked(to, &last), watch)?;
                Ok(Found::Length(match minimum {
                    true => shortest_length(branching, &from, &to)?,
                    false => longest_length(branching, &from, &to)?,
                }))
            }
            _ => {
                let reason = "this is no question of branching time";
                Err(Undecided::Formula(reason.to_string()))
            }
        }
    })
}

/// Warns where only some of the initial states have a fair run.
fn warn_unfair(labels: &Labels, fair: &StateSet, result: &mut PropertyResult) {
    let count = labels.initial.len();
    let is_fair = |&&(state, _): &&(StateId, bool)| fair.contains(state.index());
    let unfair = count - labels.initial.iter().filter(is_fair).count();
    if count == 0 {
        result.warnings.push("there is no initial state".into());
    } else if unfair > 0 && unfair < count {
        let text = format!(
            "no fair run begins in {unfair} of {count} initial states: `E` is false there, `A` true"
        );
        result.warnings.push(text.into());
    }
}
