//! Answers about systems that are given by code: relations learned from their transition groups.
//!
//! Learning comes before the first answer, and once for all questions that read finished runs in the
//! same way; errors and ends are found while another relation is learned (`learned_errors.rs`).

use std::time::Instant;

use evenhand_explicit::search::ErrorClass;
use evenhand_logic::Node;
use evenhand_symbolic::{ByteAnswer, ByteRun, Halt, Learned, Stop};
use evenhand_system::{
    AssumptionKind, Fairness, FaultKind, Formula, Groups, Linear, PropositionId, Question, What,
};
use evenhand_witness::{CycleStep, Run};

use super::counts::counted;
use super::gauge::{NoThread, watched};
use super::learned_errors;
use super::limits::engine_options;
use crate::answer::{CheckError, Detail, Emptiness, Proof, PropertyResult, Verdict, Warning};
use crate::blame::{blame, only};
use crate::case::{Case, Task};
use crate::engine::{Answers, SYMBOLIC};
use crate::evidence::{Evidence, FiniteRun};
use crate::explicit::breadth_first::class_of;
use crate::listener::Listener;
use crate::memory;
use crate::stop::StopReason;
use crate::vacuity::{can_block, cut_by, not_found_out};

/// Answers questions; those for which ended runs stay where they are come first, so that the system
/// is learned at most twice.
pub(super) fn answer(
    case: &Case<'_>,
    groups: &dyn Groups,
    tasks: &[&Task],
    answers: &mut Answers<'_>,
) -> Result<(), CheckError> {
    let mut errors: Vec<(usize, &Task, ErrorClass)> = Vec::new();
    let mut others: Vec<(usize, &Task)> = Vec::new();
    for (place, &task) in tasks.iter().enumerate() {
        match class_of(&task.question) {
            Some(class) => errors.push((place, task, class)),
            None => others.push((place, task)),
        }
    }
    if !errors.is_empty() {
        learned_errors::answer(case, groups, &errors, answers)?;
    }
    let propositions = &case.propositions;
    let stays = |question: &Question| {
        case.stutters(match &question.what {
            What::Linear(Linear::Automaton(bad)) => bad.finished_runs,
            _ => true,
        })
    };
    // What holds in all states is no matter of fairness, and is known where that is not told by steps.
    let nothing = Fairness::default();
    let is_told = |item| groups.tells_enabled(item);
    let are_told = case.fairness().items.iter().all(is_told);
    let fairness = |question: &Question| match question.what {
        What::Invariant(_) if !are_told => &nothing,
        _ => case.fairness(),
    };
    for (stay, assumed) in [
        (true, case.fairness()),
        (true, &nothing),
        (false, case.fairness()),
    ] {
        let lecture = Lecture {
            case,
            groups,
            fairness: assumed,
            propositions,
            stay,
        };
        let mut known: Option<Result<Learned, Halt>> = None;
        let is_own = |question: &Question| {
            stays(question) == stay && std::ptr::eq(fairness(question), assumed)
        };
        for &(place, task) in others.iter().filter(|(_, t)| is_own(&t.question)) {
            let (started, question) = (Instant::now(), &task.question);
            if case.options.cancel.is_cancelled() {
                let result = case.unknown(question, StopReason::NotBegun);
                answers.known(case, (place, task), result, Evidence::None);
                continue;
            }
            let listener = &mut *answers.listener;
            listener.stage(&format!("{}, engine {SYMBOLIC}", question.name));
            let learned = match &mut known {
                Some(known) => known,
                None => known.insert(lecture.learn(assumed, 1, listener)?),
            };
            let mut result = case.begun(question, SYMBOLIC);
            let decided = match learned {
                Ok(learned) => lecture.decide(learned, task, &mut result, listener),
                Err(halt) => Err(Failure::Halt(halt.clone())),
            };
            let evidence = match decided {
                Ok(evidence) => evidence,
                // What has no answer is asked again with fairness for more processes.
                Err(Failure::Halt(Halt::Processes)) => return Ok(()),
                Err(Failure::Halt(Halt::Stop(Stop::Broken(why)))) => {
                    return Err(CheckError::Proof(why));
                }
                Err(Failure::Halt(halt)) => {
                    result.verdict = Verdict::Unknown(halt.into());
                    Evidence::None
                }
                Err(Failure::Thread(error)) => return Err(error.into()),
            };
            result.seconds = started.elapsed().as_secs_f64();
            result.peak_memory = memory::peak().unwrap_or(0);
            answers.known(case, (place, task), result, evidence);
        }
    }
    Ok(())
}

/// The proposition that a condition on states is, if it is one.
pub(super) fn condition(formula: &Formula) -> Option<PropositionId> {
    match formula.store.node(formula.id) {
        Node::Atom(atom) => formula.atoms.get(atom.index()).copied(),
        _ => None,
    }
}

/// How the system is learned.
struct Lecture<'l, 'c> {
    case: &'l Case<'c>,
    groups: &'l dyn Groups,
    /// What is assumed of runs.
    fairness: &'l Fairness,
    propositions: &'l [PropositionId],
    /// Whether runs that have ended stay where they are.
    stay: bool,
}

/// Why a question has no answer.
enum Failure {
    Halt(Halt),
    Thread(NoThread),
}

impl From<NoThread> for Failure {
    fn from(error: NoThread) -> Failure {
        Failure::Thread(error)
    }
}

impl From<Halt> for Failure {
    fn from(halt: Halt) -> Failure {
        Failure::Halt(halt)
    }
}

impl Lecture<'_, '_> {
    /// The engine for some assumptions, with a part of the memory.
    fn learn(
        &self,
        fairness: &Fairness,
        part: u64,
        listener: &mut dyn Listener,
    ) -> Result<Result<Learned, Halt>, NoThread> {
        let mut options = engine_options(self.case.options, self.case.deadline());
        if part > 1 {
            options.memory = memory::left(options.memory) / part;
        }
        let gauge = options.gauge.clone();
        let (groups, propositions, stay) = (self.groups, self.propositions, self.stay);
        watched(&gauge, listener, || {
            Learned::new(groups, fairness, propositions, stay, options)
        })
    }

    fn decide(
        &self,
        learned: &mut Learned,
        task: &Task,
        result: &mut PropertyResult,
        listener: &mut dyn Listener,
    ) -> Result<Evidence, Failure> {
        let gauge = learned.gauge();
        let states = learned.reachable()?;
        (result.states, result.many_states) = counted(&states);
        let answer = match &task.question.what {
            What::Feasible => return self.feasible(learned, result, listener),
            What::Linear(Linear::Formula(formula)) => watched(&gauge, listener, || {
                learned.ltl(&formula.store, formula.id, &|atom| {
                    formula.atoms.get(atom.index()).copied()
                })
            })??,
            What::Linear(Linear::Automaton(bad)) => match &bad.automaton {
                Ok(automaton) => watched(&gauge, listener, || {
                    learned.automaton(automaton, &bad.propositions)
                })??,
                Err(reason) => {
                    result.verdict = Verdict::Unknown(StopReason::Property(reason.clone()));
                    return Ok(Evidence::None);
                }
            },
            What::Branching(formula) => watched(&gauge, listener, || {
                learned.ctl_star(&formula.store, formula.id, &|atom| {
                    formula.atoms.get(atom.index()).copied()
                })
            })??,
            What::Invariant(formula) => match condition(formula) {
                Some(id) => watched(&gauge, listener, || learned.invariant(id))??,
                None => return Ok(Evidence::None),
            },
            _ => return Ok(Evidence::None),
        };
        result.details = details(learned);
        result.proof = Proof::by_sets(answer.solved && answer.run.is_none());
        let is_branching = matches!(task.question.what, What::Branching(_));
        if answer.holds || is_branching {
            let mut warnings = self.warnings(learned, listener)?;
            if is_branching {
                warnings = warnings.into_iter().map(Warning::of_branching).collect();
            }
            result.warnings.extend(warnings);
        }
        if answer.holds {
            result.verdict = Verdict::Holds;
            return Ok(Evidence::None);
        }
        result.verdict = Verdict::Violated(None);
        Ok(self.evidence(answer, is_branching))
    }

    fn evidence(&self, answer: ByteAnswer, is_branching: bool) -> Evidence {
        let run = answer.run.map(|mut run| {
            for state in &mut run.states {
                *state = self.groups.packed(state);
            }
            run
        });
        match run {
            Some(run) if run.turn.is_none() => Evidence::Path(FiniteRun {
                lower_bound: run.states.len().saturating_sub(1),
                states: run.states,
                fault: None,
                shortest: true,
            }),
            Some(run) => match run_of(&run, self.fairness) {
                Some(run) => Evidence::Lasso(run),
                None => Evidence::None,
            },
            None if is_branching => Evidence::Beginning,
            None => Evidence::None,
        }
    }

    fn feasible(
        &self,
        learned: &mut Learned,
        result: &mut PropertyResult,
        listener: &mut dyn Listener,
    ) -> Result<Evidence, Failure> {
        let answer = watched(&learned.gauge(), listener, || learned.feasible())??;
        result.proof = Proof::by_sets(answer.solved && answer.run.is_none());
        if answer.holds {
            result.verdict = Verdict::Holds;
            return Ok(Evidence::None);
        }
        result.verdict = Verdict::Violated(None);
        let fairness = self.fairness;
        let words = blame(fairness, |kept| {
            let mut learned = self.learn(&only(fairness, kept), 4, listener)??;
            let feasible = watched(&learned.gauge(), listener, || learned.feasible())??;
            Ok::<bool, Failure>(feasible.holds)
        });
        result.warnings.extend(words.ok().map(Into::into));
        Ok(Evidence::None)
    }

    /// What a person should know about a property whatever its runs.
    fn warnings(
        &self,
        learned: &mut Learned,
        listener: &mut dyn Listener,
    ) -> Result<Vec<Warning>, NoThread> {
        let mut list = Vec::new();
        let mut faults = learned.faults().iter().map(|report| &report.fault);
        if let Some(fault) = faults.find(|fault| fault.kind != FaultKind::Assertion) {
            list.push(cut_by(self.case.view.body.signature(), fault));
        }
        if !can_block(self.fairness, self.stay) {
            return Ok(list);
        }
        // The verdict is known: a limit here takes nothing back.
        match watched(&learned.gauge(), listener, || learned.feasible())? {
            Ok(answer) if answer.holds => {}
            Ok(_) => list.push(Warning::NoFairRun {
                so: Emptiness::AllHold,
                because: None,
            }),
            Err(halt) => list.push(not_found_out(halt)),
        }
        Ok(list)
    }
}

/// The run as the judge takes it.
fn run_of(run: &ByteRun, fairness: &Fairness) -> Option<Run> {
    let turn = run.turn?;
    let states = &run.states;
    let mut cycle = Vec::new();
    for at in turn..states.len() {
        let taken = run.taken.get(at)?;
        let serves = |kind: AssumptionKind| match kind {
            AssumptionKind::Weak(item) | AssumptionKind::Strong(item) => taken.contains(&item),
            AssumptionKind::Justice(_) | AssumptionKind::Compassion { .. } => false,
        };
        let assumptions = fairness.assumptions.iter();
        cycle.push(CycleStep {
            state: states.get(at + 1).unwrap_or(&states[turn]).clone(),
            serves: assumptions.map(|a| serves(a.kind)).collect(),
        });
    }
    Some(Run {
        prefix: states[..=turn].to_vec(),
        cycle,
    })
}

/// Counts for people who ask for more.
fn details(learned: &Learned) -> Vec<Detail> {
    let (statistics, lessons) = (learned.statistics(), learned.lessons());
    vec![
        Detail::new("bits of a state", statistics.bits),
        Detail::new("transition groups", lessons.groups),
        Detail::new("layouts of states", lessons.layouts),
        Detail::new("questions to groups", lessons.questions),
        Detail::new("most nodes at once", statistics.peak_nodes),
    ]
}
