//! Answers about a system that is given by constraints.

use std::collections::VecDeque;
use std::time::Instant;

use evenhand_logic::{Node, Quantifier};
use evenhand_symbolic::{Answer, Length, Options, Run, Stop, Symbolic, Warning as Told};
use evenhand_system::relation::Relation;
use evenhand_system::{
    AssumptionKind, Compassion, Fairness, Formula, Kind, Linear, PropositionId, Question, What,
};

use super::counts::counted;
use super::gauge::watched;
use super::limits::engine_options;
use crate::answer::{CheckError, Detail, Emptiness, Proof, PropertyResult, Verdict, Warning};
use crate::blame::{blame, only};
use crate::case::{Case, Task, View};
use crate::engine::{Answers, SYMBOLIC};
use crate::evidence::{Evidence, Positions};
use crate::listener::Listener;
use crate::memory;
use crate::runs::positions::last_state;
use crate::stop::StopReason;
use crate::vacuity::not_found_out;

/// What the engine says.
enum Said {
    Answer(Answer),
    Length(Length),
}

/// Answers questions in their order. Where time is limited each has its part of what is left, so that a hard one leaves
/// some to those behind it; what it did not suffice for is asked once more with what all others have left.
pub(super) fn answer(
    case: &Case<'_>,
    relation: &Relation,
    tasks: &[&Task],
    answers: &mut Answers<'_>,
) -> Result<(), CheckError> {
    let names: Vec<&str> = tasks.iter().map(|t| &*t.question.name).collect();
    let stage = format!("{}, engine {SYMBOLIC}", names.join(", "));
    answers.listener.stage(&stage);
    let asked = Asked::new(case.view, relation, case.fairness());
    let options = engine_options(case.options, case.deadline());
    let gauge = options.gauge.clone();
    let mut engine = watched(&gauge, answers.listener, || {
        Symbolic::new(&asked.relation, options)
    })?;
    let mut shared: Option<Vec<Warning>> = None;
    let mut begun = Instant::now();
    if let Ok(engine) = &mut engine {
        // All need it; what stops it will stop them.
        let _ = watched(&gauge, answers.listener, || engine.reachable().is_ok())?;
    }
    let mut open: VecDeque<(usize, &Task)> = tasks.iter().copied().enumerate().collect();
    let mut again: VecDeque<(usize, &Task)> = VecDeque::new();
    let mut is_first_round = true;
    while let Some((place, task)) = open.pop_front() {
        let (started, question) = (
            std::mem::replace(&mut begun, Instant::now()),
            &task.question,
        );
        if case.options.cancel.is_cancelled() {
            let result = case.unknown(question, StopReason::NotBegun);
            answers.known(case, (place, task), result, Evidence::None);
            continue;
        }
        let mut result = case.begun(question, SYMBOLIC);
        let mut evidence = Evidence::None;
        let about_runs = question.is_fair() && question.kind != Kind::Feasible;
        match &mut engine {
            Ok(engine) => {
                let listener = &mut *answers.listener;
                engine.allow(case.left().map(|left| left / (open.len() as u32 + 1)));
                evidence = asked.decide(case, engine, question, &mut result, listener)?;
                engine.allow(case.left());
                let is_late = matches!(result.verdict, Verdict::Unknown(StopReason::Time));
                if is_late && is_first_round && tasks.len() > 1 {
                    again.push_back((place, task));
                }
                let decided = result.verdict.is_decided();
                if decided && about_runs {
                    if shared.is_none() {
                        shared = Some(watched(&gauge, listener, || asked.warnings(engine))?);
                    }
                    result.warnings.extend(shared.iter().flatten().cloned());
                }
                measure(engine, &mut result);
                let reached = engine.reachable().ok();
                let is_empty = reached.is_some_and(|r| r.states.exact == Some(0));
                if result.verdict.is_decided() && is_empty {
                    result.warnings = vec![Warning::NoInitialState];
                }
            }
            Err(stop) => result.verdict = Verdict::Unknown(stop.clone().into()),
        }
        let is_last_word = again.back().is_none_or(|&(late, _)| late != place);
        if is_last_word {
            result.seconds = started.elapsed().as_secs_f64();
            result.peak_memory = memory::peak().unwrap_or(0);
            answers.known(case, (place, task), result, evidence);
        }
        if open.is_empty() {
            is_first_round = false;
            open = std::mem::take(&mut again);
        }
        begun = Instant::now();
    }
    Ok(())
}

/// The relation as the engine is asked about it.
struct Asked<'c> {
    view: &'c View,
    relation: Relation,
    /// The number of the propositions of the body; the two constants come behind them.
    constants: u32,
}

impl<'c> Asked<'c> {
    /// The relation with some fairness. Where no question is about inputs, propositions that are (of
    /// other properties) are left out. The two constants are its last propositions.
    fn new(view: &'c View, relation: &Relation, fairness: &Fairness) -> Asked<'c> {
        let constants = relation.propositions.len() as u32;
        let mut relation = relation.clone();
        relation.justice.clear();
        relation.compassion.clear();
        for assumption in &fairness.assumptions {
            match assumption.kind {
                AssumptionKind::Justice(condition) => relation.justice.push(condition),
                AssumptionKind::Compassion { when, then } => {
                    relation.compassion.push(Compassion { when, then });
                }
                AssumptionKind::Weak(_) | AssumptionKind::Strong(_) => {}
            }
        }
        for (name, value) in [("FALSE", 0), ("TRUE", 1)] {
            let constant = relation.expressions.constant(value);
            relation.add_proposition(name, constant);
        }
        if view.inputs.is_empty() {
            let nothing = relation.expressions.constant(0);
            for id in 0..relation.propositions.len() as u32 {
                if relation.reads_inputs(PropositionId(id)) {
                    relation.propositions[id as usize].1 = nothing;
                }
            }
        }
        Asked {
            view,
            relation,
            constants,
        }
    }

    fn decide(
        &self,
        case: &Case<'_>,
        engine: &mut Symbolic,
        question: &Question,
        result: &mut PropertyResult,
        listener: &mut dyn Listener,
    ) -> Result<Evidence, CheckError> {
        let gauge = engine.gauge();
        let answer = match watched(&gauge, listener, || self.ask(engine, question))? {
            Ok(Said::Answer(answer)) => answer,
            Ok(Said::Length(length)) => {
                result.verdict = Verdict::Holds;
                result.value = Some(length.into());
                return Ok(Evidence::None);
            }
            Err(Stop::Broken(why)) => return Err(CheckError::Proof(why)),
            Err(stop) => {
                result.verdict = Verdict::Unknown(stop.into());
                return Ok(Evidence::None);
            }
        };
        let told = answer.warnings.iter().map(|warning| self.told(warning));
        result.warnings.extend(told);
        // What a run shows needs no other proof.
        result.proof = Proof::by_sets(answer.solved && answer.run.is_none());
        if answer.holds {
            result.verdict = Verdict::Holds;
            return Ok(Evidence::None);
        }
        result.verdict = Verdict::Violated(None);
        match (answer.run, &question.what) {
            (Some(run), _) => return Ok(Evidence::Positions(positions(run))),
            (None, What::Feasible) => {
                let words = culprits(case, listener);
                result.warnings.extend(words.map(Into::into));
            }
            (None, What::Branching(formula)) => {
                let words = match formula.store.node(formula.id) {
                    Node::Path(Quantifier::Exists, _) => {
                        "no run can show it: an `E` formula is false"
                    }
                    _ => "no run shows it: it is false in an initial state",
                };
                result.warnings.push(words.into());
            }
            (None, _) => {}
        }
        Ok(Evidence::None)
    }

    /// Asks the engine.
    fn ask(&self, engine: &mut Symbolic, question: &Question) -> Result<Said, Stop> {
        let answer = match &question.what {
            What::Total | What::Ends => engine.total(),
            What::Invariant(formula) => self.invariant(engine, formula),
            What::Step { formula, condition } => match condition {
                Some(condition) => engine.step_invariant(*condition),
                None => self.invariant(engine, formula),
            },
            What::Linear(Linear::Formula(formula)) => {
                engine.ltl(&formula.store, formula.id, &|atom| {
                    formula.atoms.get(atom.index()).copied()
                })
            }
            What::Linear(Linear::Automaton(bad)) => match &bad.automaton {
                Ok(automaton) => engine.automaton(automaton, &bad.propositions),
                Err(reason) => Err(Stop::Refused(reason.clone())),
            },
            What::Feasible => engine.feasible(),
            What::Branching(formula) => engine.ctl_star(&formula.store, formula.id, &|atom| {
                formula.atoms.get(atom.index()).copied()
            }),
            What::Quantity { minimum, from, to } => {
                let ids = (from.id, to.id);
                let (length, _) = engine.compute(&from.store, ids, *minimum, &|atom| {
                    from.atoms.get(atom.index()).copied()
                })?;
                return Ok(Said::Length(length));
            }
            _ => Err(Stop::Refused("sets cannot answer this".to_string())),
        };
        answer.map(Said::Answer)
    }

    fn invariant(&self, engine: &mut Symbolic, formula: &Formula) -> Result<Answer, Stop> {
        let proposition = match formula.store.node(formula.id) {
            Node::Atom(atom) => formula.atoms.get(atom.index()).copied(),
            Node::Constant(value) => Some(PropositionId(self.constants + u32::from(*value))),
            _ => None,
        };
        let unknown = || Stop::Refused("this is no condition on a state".to_string());
        engine.invariant(proposition.ok_or_else(unknown)?)
    }

    /// What concerns all questions about fair runs.
    fn warnings(&self, engine: &mut Symbolic) -> Vec<Warning> {
        let mut list: Vec<Warning> = match engine.warnings() {
            Ok(warnings) => warnings.iter().map(|w| self.told(w)).collect(),
            Err(stop) => vec![not_found_out(stop)],
        };
        let counts = engine.reachable().map(|r| r.states.exact);
        let counts = counts.and_then(|all| Ok((all, engine.feasible_states()?.exact)));
        if let Ok((Some(all), Some(fair))) = counts
            && fair > 0
            && fair < all
        {
            let text = format!(
                "no fair run passes {} of {all} reachable states: the property says nothing about \
                 what follows them",
                all - fair
            );
            list.push(text.into());
        }
        list
    }

    fn told(&self, warning: &Told) -> Warning {
        let place = |run: &Run| last_state(self.view, &positions(run.clone()));
        match warning {
            Told::DeadEnd(run) => {
                format!("no run passes {}: it has no successor", place(run)).into()
            }
            Told::NoFairRun { all: true, .. } => Warning::NoFairRun {
                so: Emptiness::Depends,
                because: None,
            },
            Told::NoFairRun { states, .. } => {
                let count = states
                    .exact
                    .map_or(states.about.to_string(), |n| n.to_string());
                let text = format!(
                    "no fair run begins in {count} of the initial states: `E` is false there, `A` true"
                );
                text.into()
            }
            Told::Fault(run) => {
                let place = place(run);
                let text = format!(
                    "a run-time error ends a run in {place}; what lies behind it was not explored"
                );
                text.into()
            }
        }
    }
}

/// Why no run is fair, in words; nothing where that was not found out.
fn culprits(case: &Case<'_>, listener: &mut dyn Listener) -> Option<String> {
    let words = blame(case.fairness(), |kept| {
        let some = only(case.fairness(), kept);
        let relation = case.view.body.relation().map_err(|_| ())?;
        let asked = Asked::new(case.view, relation, &some);
        // The engine that gave the verdict has memory of its own.
        let options = engine_options(case.options, case.deadline());
        let options = Options {
            memory: memory::left(options.memory) / 4,
            ..options
        };
        let gauge = options.gauge.clone();
        let decide =
            || Ok::<bool, Stop>(Symbolic::new(&asked.relation, options)?.feasible()?.holds);
        let found = watched(&gauge, listener, decide).map_err(|_| ())?;
        found.map_err(|_| ())
    });
    words.ok()
}

fn positions(run: Run) -> Positions {
    Positions {
        states: run.states,
        turn: run.turn,
        is_shortest: false,
    }
}

/// Adds how much was done.
fn measure(engine: &mut Symbolic, result: &mut PropertyResult) {
    let reached = engine.reachable().ok();
    if let Some(reached) = reached {
        (result.states, result.many_states) = counted(&reached.states);
    }
    let s = engine.statistics();
    result.details = vec![
        Detail::new("bits of a state", s.bits),
        Detail::new("pieces of the relation", s.pieces),
        Detail::new("rounds", s.rounds).telling(),
        Detail::new("nodes at the peak", s.peak_nodes).telling(),
        Detail::new("reorderings", s.reorderings),
    ];
    result.details.retain(|detail| detail.count > 0);
}
