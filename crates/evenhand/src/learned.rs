//! Answers by the symbolic engine about programs: relations learned from their transition groups.
//!
//! The engine decides formulas and feasibility. Its runs are packed states with the items that each step
//! takes; they are executed again and judged like every other run.

use std::time::Instant;

use evenhand_logic::AtomId;
use evenhand_report::{PropertyResult, Verdict};
use evenhand_symbolic::{ByteRun, Halt, Learned, Options};
use evenhand_system::{AssumptionKind, Explicit, Fairness, FaultKind, Groups};
use evenhand_witness::{Charge, Counterexample, CycleStep, Run, judge};

use crate::blame::{blame, only};
use crate::check::{CheckError, CheckOptions, Counterexamples, Deadlock, Listener};
use crate::memory;
use crate::question::Question;
use crate::temporal::{Asked, NOT_BEGUN, propositions_of};
use crate::vacuity::can_block;

/// The name of the engine.
pub(crate) const NAME: &str = "symbolic";

/// The questions about one program.
pub(crate) struct Lecture<'q> {
    /// The program, group by group and state by state.
    pub groups: &'q dyn Groups,
    /// What all questions share.
    pub asked: Asked<'q>,
}

impl Lecture<'_> {
    /// Answers questions in their order, all of them unless more processes show up than fairness was
    /// set up for.
    pub fn answer(&self, listener: &mut dyn Listener) -> Result<Vec<PropertyResult>, CheckError> {
        if self.asked.options.max_depth.is_some() {
            let message = "--max-depth is for engines that look at one state after the other";
            return Err(CheckError::Engine(message.to_string()));
        }
        let mut known: Option<(bool, Result<Learned, Halt>)> = None;
        let mut results = Vec::new();
        for question in self.asked.questions {
            if self.options().is_interrupted() {
                let result = self.asked.undecided(question, NOT_BEGUN.to_string());
                listener.verdict(&result);
                results.push(result);
                continue;
            }
            listener.stage(&format!("{}, engine {NAME}", question.name));
            let started = Instant::now();
            let stay = question.finished_runs && self.options().deadlock != Deadlock::Ignore;
            let learned = match &mut known {
                Some((how, learned)) if *how == stay => learned,
                _ => {
                    &mut known
                        .insert((stay, self.learn(self.asked.fairness, stay, 1)))
                        .1
                }
            };
            let mut result = self.asked.undecided(question, String::new());
            result.engine = NAME;
            let decided = match learned {
                Ok(learned) => self.decide(learned, question, stay, &mut result),
                Err(halt) => Err(Failure::Halt(halt.clone())),
            };
            match decided {
                Ok(()) => {}
                Err(Failure::Halt(Halt::Processes)) => return Ok(results),
                Err(Failure::Halt(halt)) => result.verdict = Verdict::Unknown(halt.to_string()),
                Err(Failure::Check(error)) => return Err(error),
            }
            result.seconds = started.elapsed().as_secs_f64();
            result.peak_memory = memory::peak().unwrap_or(0);
            self.asked.blame_ends(&mut result);
            listener.verdict(&result);
            results.push(result);
        }
        Ok(results)
    }

    fn options(&self) -> &CheckOptions {
        self.asked.options
    }

    /// The engine for some assumptions, with a part of the memory.
    fn learn(&self, fairness: &Fairness, stay: bool, part: u64) -> Result<Learned, Halt> {
        let default = Options::default();
        let options = Options {
            memory: self.options().limit_memory.unwrap_or(default.memory) / part,
            time: self.asked.left(),
            interrupt: self.options().interrupt.clone(),
            ..default
        };
        let propositions = propositions_of(self.asked.questions);
        Learned::new(self.groups, fairness, &propositions, stay, options)
    }

    fn decide(
        &self,
        learned: &mut Learned,
        question: &Question,
        stay: bool,
        result: &mut PropertyResult,
    ) -> Result<(), Failure> {
        let states = learned.reachable()?;
        result.states = states
            .exact
            .map_or(u64::MAX, |n| n.min(u128::from(u64::MAX)) as u64);
        if question.kind == "feasible" {
            if learned.feasible()?.holds {
                result.verdict = Verdict::Holds;
                return Ok(());
            }
            result.verdict = Verdict::Violated(None);
            let words = blame(self.asked.fairness, |kept| {
                let some = only(self.asked.fairness, kept);
                let feasible = self.learn(&some, stay, 4)?.feasible()?;
                Ok::<bool, Halt>(feasible.holds)
            });
            result.warnings.extend(words);
            return Ok(());
        }
        let Some(asked) = &question.judge else {
            let reason = "the engine `symbolic` decides formulas of this model, no automata";
            result.verdict = Verdict::Unknown(reason.to_string());
            return Ok(());
        };
        let atoms = |atom: AtomId| asked.atoms.get(atom.index()).copied();
        let answer = learned.ltl(&asked.store, asked.formula, &atoms)?;
        result.details = details(learned);
        if answer.holds {
            result.verdict = Verdict::Holds;
            self.warn(learned, stay, result)?;
            return Ok(());
        }
        let charge = Charge::Formula {
            store: &asked.store,
            formula: asked.formula,
            atoms: &asked.atoms,
        };
        let wanted = self.options().counterexample != Counterexamples::None;
        let run = answer.run.filter(|_| wanted);
        let told = run.and_then(|run| run_of(&run, self.asked.fairness));
        let told = told.map(|run| tell(self.asked.system, self.asked.fairness, run, charge));
        let told = told.transpose().map_err(Failure::Check)?;
        result.verdict = Verdict::Violated(told.map(Box::new));
        Ok(())
    }

    /// What a person should know about a property that holds.
    fn warn(
        &self,
        learned: &mut Learned,
        stay: bool,
        result: &mut PropertyResult,
    ) -> Result<(), Halt> {
        let mut faults = learned.faults().iter().map(|report| report.fault.kind);
        if let Some(kind) = faults.find(|kind| *kind != FaultKind::Assertion) {
            result.warnings.push(format!(
                "a run-time error ends a run ({kind}); what lies behind it was not explored"
            ));
        }
        if can_block(self.asked.fairness, stay) && !learned.feasible()?.holds {
            let text = "there is no fair run at all: every property holds";
            result.warnings.push(text.to_string());
        }
        Ok(())
    }
}

/// Why a question has no answer.
enum Failure {
    Halt(Halt),
    Check(CheckError),
}

impl From<Halt> for Failure {
    fn from(halt: Halt) -> Failure {
        Failure::Halt(halt)
    }
}

/// Executes a run again, and tells it.
fn tell(
    system: &dyn Explicit,
    fairness: &Fairness,
    run: Run,
    charge: Charge<'_>,
) -> Result<Counterexample, CheckError> {
    let run = run.folded();
    let mut told = judge(system, fairness, &run, charge).map_err(CheckError::Replay)?;
    told.shortest = run.len() <= 1;
    told.lower_bound = run.len().min(1);
    Ok(told)
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
        cycle.push(CycleStep {
            state: states.get(at + 1).unwrap_or(&states[turn]).clone(),
            serves: fairness
                .assumptions
                .iter()
                .map(|a| serves(a.kind))
                .collect(),
        });
    }
    Some(Run {
        prefix: states[..=turn].to_vec(),
        cycle,
    })
}

/// Counts for people who ask for more.
fn details(learned: &Learned) -> Vec<(String, u64)> {
    let (statistics, lessons) = (learned.statistics(), learned.lessons());
    vec![
        ("bits of a state".to_string(), statistics.bits as u64),
        ("transition groups".to_string(), lessons.groups as u64),
        ("layouts of states".to_string(), lessons.layouts as u64),
        ("questions to groups".to_string(), lessons.questions),
        (
            "most nodes at once".to_string(),
            statistics.peak_nodes as u64,
        ),
    ]
}
