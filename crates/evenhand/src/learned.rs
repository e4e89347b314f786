//! Answers by the symbolic engine about programs: relations learned from their transition groups.
//!
//! The engine decides formulas of linear and branching time, automata and feasibility. Its runs are
//! packed states with the items that each step takes; `learned_runs.rs` executes and judges them.

use std::time::Instant;

use evenhand_logic::AtomId;
use evenhand_report::{PropertyResult, Verdict};
use evenhand_symbolic::{CompassionAs, Halt, Learned, Options};
use evenhand_system::{Fairness, FaultKind, Groups};

use crate::blame::{blame, only};
use crate::branching::of_branching;
use crate::check::{CheckError, CheckOptions, Counterexamples, Deadlock, Listener};
use crate::gauge::{NoThread, watched};
use crate::memory;
use crate::question::{Judge, Question};
use crate::temporal::{Asked, NOT_BEGUN, propositions_of};
use crate::vacuity::can_block;

/// The name of the engine.
pub(crate) const NAME: &str = "symbolic";

/// What the engine `symbolic` is asked for, of models that it learns.
#[derive(Debug, Default)]
pub(crate) struct Choice {
    /// Whether it answers.
    pub symbolic: bool,
    /// Why, if nobody asked for it.
    pub reason: Option<String>,
}

impl Choice {
    /// Chooses between this engine and those that explore state by state.
    pub fn new(options: &CheckOptions) -> Result<Choice, CheckError> {
        let explicit = match options {
            _ if options.max_depth.is_some() => Some("a bounded check explores state by state"),
            _ if options.counterexample == Counterexamples::All => {
                Some("all runs are found state by state")
            }
            _ => None,
        };
        let other = options.compassion != CompassionAs::Native;
        let only_here = format!("`--compassion` is for the engine `{NAME}`");
        match (options.engine.as_deref(), explicit) {
            (Some(NAME), Some(reason)) => Err(CheckError::Engine(format!(
                "the engine `{NAME}` cannot do this: {reason}"
            ))),
            (Some(NAME), None) => Ok(Choice {
                symbolic: true,
                reason: None,
            }),
            (None | Some("auto"), Some(reason)) if other => {
                Err(CheckError::Engine(format!("{only_here}, but {reason}")))
            }
            (None | Some("auto"), None) if other => Ok(Choice {
                symbolic: true,
                reason: Some(format!(
                    "engine: {NAME}, since only there compassion is handled in other ways"
                )),
            }),
            (Some(_), _) if other => Err(CheckError::Engine(format!(
                "{only_here}; the others handle it natively"
            ))),
            _ => Ok(Choice::default()),
        }
    }
}

/// The questions about one program.
pub(crate) struct Lecture<'q> {
    /// The program, group by group and state by state.
    pub groups: &'q dyn Groups,
    /// What all questions share.
    pub asked: Asked<'q>,
}

impl Lecture<'_> {
    /// Answers to all questions, in their order; none if more processes show up than fairness was set
    /// up for. Those for which ended runs stay where they are come first, so that the program is learned
    /// at most twice.
    pub fn answer(&self, listener: &mut dyn Listener) -> Result<Vec<PropertyResult>, CheckError> {
        let stays = |question: &Question| {
            question.finished_runs && self.options().deadlock != Deadlock::Ignore
        };
        let mut results: Vec<(usize, PropertyResult)> = Vec::new();
        for stay in [true, false] {
            let mut known: Option<Result<Learned, Halt>> = None;
            let questions = self.asked.questions.iter().enumerate();
            for (place, question) in questions.filter(|(_, q)| stays(q) == stay) {
                if self.options().is_interrupted() {
                    let result = self.asked.undecided(question, NOT_BEGUN.to_string());
                    listener.verdict(&result);
                    results.push((place, result));
                    continue;
                }
                listener.stage(&format!("{}, engine {NAME}", question.name));
                let started = Instant::now();
                let learned = match &mut known {
                    Some(known) => known,
                    None => known.insert(self.learn(self.asked.fairness, stay, 1, listener)?),
                };
                let mut result = self.asked.undecided(question, String::new());
                result.engine = NAME;
                let decided = match learned {
                    Ok(learned) => self.decide(learned, question, stay, &mut result, listener),
                    Err(halt) => Err(Failure::Halt(halt.clone())),
                };
                match decided {
                    Ok(()) => {}
                    Err(Failure::Halt(Halt::Processes)) => return Ok(Vec::new()),
                    Err(Failure::Halt(halt)) => result.verdict = Verdict::Unknown(halt.to_string()),
                    Err(Failure::Check(error)) => return Err(error),
                }
                result.seconds = started.elapsed().as_secs_f64();
                result.peak_memory = memory::peak().unwrap_or(0);
                self.asked.blame_ends(&mut result);
                listener.verdict(&result);
                results.push((place, result));
            }
        }
        results.sort_by_key(|(place, _)| *place);
        Ok(results.into_iter().map(|(_, result)| result).collect())
    }

    fn options(&self) -> &CheckOptions {
        self.asked.options
    }

    /// The engine for some assumptions, with a part of the memory.
    fn learn(
        &self,
        fairness: &Fairness,
        stay: bool,
        part: u64,
        listener: &mut dyn Listener,
    ) -> Result<Result<Learned, Halt>, NoThread> {
        let default = Options::default();
        let options = Options {
            memory: match (self.options().limit_memory.unwrap_or(default.memory), part) {
                (limit, 1) => limit,
                (limit, part) => memory::left(limit) / part,
            },
            time: self.asked.left(),
            interrupt: self.options().interrupt.clone(),
            compassion: self.options().compassion,
            ..default
        };
        let propositions = propositions_of(self.asked.questions);
        let (groups, gauge) = (self.groups, options.gauge.clone());
        watched(&gauge, listener, || {
            Learned::new(groups, fairness, &propositions, stay, options)
        })
    }

    fn decide(
        &self,
        learned: &mut Learned,
        question: &Question,
        stay: bool,
        result: &mut PropertyResult,
        listener: &mut dyn Listener,
    ) -> Result<(), Failure> {
        let started = Instant::now();
        let gauge = learned.gauge();
        let states = learned.reachable()?;
        result.states = states
            .exact
            .map_or(u64::MAX, |n| n.min(u128::from(u64::MAX)) as u64);
        if question.kind == "feasible" {
            if watched(&gauge, listener, || learned.feasible())??.holds {
                result.verdict = Verdict::Holds;
                return Ok(());
            }
            result.verdict = Verdict::Violated(None);
            let words = blame(self.asked.fairness, |kept| {
                let some = only(self.asked.fairness, kept);
                let mut learned = self.learn(&some, stay, 4, listener)??;
                let feasible = watched(&learned.gauge(), listener, || learned.feasible())??;
                Ok::<bool, Failure>(feasible.holds)
            });
            result.warnings.extend(words);
            return Ok(());
        }
        if let Some(asked) = &question.branching {
            return self.decide_branching(learned, (question, asked), stay, result, listener);
        }
        let answer = match (&question.judge, &question.bad) {
            (Some(asked), _) => {
                let atoms = |atom: AtomId| asked.atoms.get(atom.index()).copied();
                watched(&gauge, listener, || {
                    learned.ltl(&asked.store, asked.formula, &atoms)
                })??
            }
            (None, Ok(bad)) => watched(&gauge, listener, || {
                learned.automaton(bad, &question.propositions)
            })??,
            (None, Err(reason)) => {
                result.verdict = Verdict::Unknown(reason.clone());
                return Ok(());
            }
        };
        result.details = details(learned);
        if answer.holds {
            result.verdict = Verdict::Holds;
            self.warn(learned, stay, result, listener)?;
            return Ok(());
        }
        let taken = started.elapsed();
        let told = self.asked.learned_run(question, &answer, taken, listener)?;
        result.verdict = Verdict::Violated(told.map(Box::new));
        Ok(())
    }

    /// A formula of branching time.
    fn decide_branching(
        &self,
        learned: &mut Learned,
        (question, asked): (&Question, &Judge),
        stay: bool,
        result: &mut PropertyResult,
        listener: &mut dyn Listener,
    ) -> Result<(), Failure> {
        let started = Instant::now();
        let atoms = |atom: AtomId| asked.atoms.get(atom.index()).copied();
        let answer = watched(&learned.gauge(), listener, || {
            learned.ctl_star(&asked.store, asked.formula, &atoms)
        })??;
        result.details = details(learned);
        self.warn(learned, stay, result, listener)?;
        for warning in &mut result.warnings {
            *warning = of_branching(warning);
        }
        if answer.holds {
            result.verdict = Verdict::Holds;
            return Ok(());
        }
        let (question, taken) = ((question, asked), started.elapsed());
        let told = self
            .asked
            .learned_branching_run(question, &answer, taken, listener)?;
        result.verdict = Verdict::Violated(told.map(Box::new));
        Ok(())
    }

    /// What a person should know about a property whatever its runs.
    fn warn(
        &self,
        learned: &mut Learned,
        stay: bool,
        result: &mut PropertyResult,
        listener: &mut dyn Listener,
    ) -> Result<(), NoThread> {
        let mut faults = learned.faults().iter().map(|report| report.fault.kind);
        if let Some(kind) = faults.find(|kind| *kind != FaultKind::Assertion) {
            result.warnings.push(format!(
                "a run-time error ends a run ({kind}); what lies behind it was not explored"
            ));
        }
        if !can_block(self.asked.fairness, stay) {
            return Ok(());
        }
        // The verdict is known: a limit here takes nothing back.
        match watched(&learned.gauge(), listener, || learned.feasible())? {
            Ok(answer) if answer.holds => {}
            Ok(_) => {
                let text = "there is no fair run at all: every property holds";
                result.warnings.push(text.to_string());
            }
            Err(halt) => result.warnings.push(format!(
                "whether fair runs are missing was not found out: {halt}"
            )),
        }
        Ok(())
    }
}

/// Why a question has no answer.
enum Failure {
    Halt(Halt),
    Check(CheckError),
}

impl From<CheckError> for Failure {
    fn from(error: CheckError) -> Failure {
        Failure::Check(error)
    }
}

impl From<NoThread> for Failure {
    fn from(error: NoThread) -> Failure {
        Failure::Check(error.into())
    }
}

impl From<Halt> for Failure {
    fn from(halt: Halt) -> Failure {
        Failure::Halt(halt)
    }
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
