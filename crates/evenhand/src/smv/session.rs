//! Answers about one system: all questions share its space.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use evenhand_explicit::search::Progress;
use evenhand_explicit::space::Space;
use evenhand_explicit::store::{StateId, Store};
use evenhand_explicit::watch::Watch;
use evenhand_logic::FormulaId;
use evenhand_report::{PropertyResult, Verdict};
use evenhand_smv::{SmvModel, SmvSystem};
use evenhand_system::relation::{ExprId, VarId};
use evenhand_system::{Fairness, PropositionId};
use evenhand_witness::{Counterexample, TraceStep, replay};

use super::Smv;
use super::safety::{self, Ask};
use crate::check::{CheckError, CheckOptions, Counterexamples, Listener};
use crate::formulas::cut_out;
use crate::memory;
use crate::question::Question;
use crate::temporal::Asked;

/// A question about a model.
#[derive(Debug)]
pub(super) struct Subject {
    /// Its place among the answers.
    pub place: usize,
    pub name: String,
    pub kind: &'static str,
    pub text: Option<String>,
    /// What it is about.
    pub propositions: Vec<PropositionId>,
    pub what: What,
    /// The condition on steps, of an invariant that is about steps.
    pub step: Option<ExprId>,
}

/// Kinds of questions, by who answers them.
#[derive(Debug)]
pub(super) enum What {
    /// About all reachable states.
    Safety(Ask),
    /// A formula of linear time.
    Formula(FormulaId),
    /// Whether there is a fair run.
    Feasible,
    /// An automaton of bad runs.
    Automaton(Box<Question>),
    /// A formula of CTL*.
    Branching(FormulaId),
    /// The length of paths.
    Compute {
        minimum: bool,
        from: FormulaId,
        to: FormulaId,
    },
}

impl What {
    /// Whether fairness matters.
    pub fn is_fair(&self) -> bool {
        !matches!(self, What::Safety(_))
    }
}

pub(super) struct Session<'s> {
    pub model: &'s SmvModel,
    pub system: &'s SmvSystem,
    /// The inputs that are part of the states.
    pub inputs: Vec<String>,
    pub options: &'s CheckOptions,
    pub fairness: &'s Fairness,
    pub deadline: Option<Instant>,
    /// Whether some run ends, where that breaks every property.
    pub ends: Verdict,
}

impl<'s> Session<'s> {
    pub fn new(
        smv: &'s Smv,
        system: &'s SmvSystem,
        fairness: &'s Fairness,
        options: &'s CheckOptions,
        deadline: Option<Instant>,
        inputs: &BTreeSet<VarId>,
    ) -> Session<'s> {
        Session {
            model: &smv.model,
            system,
            inputs: names_of(&smv.model, inputs),
            options,
            fairness,
            deadline,
            ends: Verdict::Holds,
        }
    }

    /// The questions of linear time share what is known about missing runs.
    pub fn asked<'a>(&'a self, ends: &'a Verdict) -> Asked<'a> {
        Asked {
            system: self.system,
            questions: &[],
            fairness: self.fairness,
            options: self.options,
            deadline: self.deadline,
            ends,
            chosen: None,
            inputs: !self.inputs.is_empty(),
            missing: RefCell::default(),
        }
    }

    /// The time that is left.
    pub fn left(&self) -> Option<Duration> {
        let deadline = self.deadline?;
        Some(deadline.saturating_duration_since(Instant::now()))
    }

    /// Finds out whether some run ends.
    pub fn look_for_ends<S: Store>(
        &mut self,
        space: &mut Space<'_, S>,
        listener: &mut dyn Listener,
    ) -> Result<(), CheckError> {
        let found = self.search(space, &[Ask::Successor], listener);
        self.ends = match (found.paths.into_iter().flatten().next(), found.stop) {
            (Some(path), _) => Verdict::Violated(self.told(space, &path)?),
            (None, Some(stop)) => Verdict::Unknown(stop.to_string()),
            (None, None) => Verdict::Holds,
        };
        Ok(())
    }

    /// Answers to all questions, in their order.
    pub fn answer<S: Store>(
        &self,
        space: &mut Space<'_, S>,
        subjects: &[Subject],
        listener: &mut dyn Listener,
    ) -> Result<Vec<PropertyResult>, CheckError> {
        let mut answers: Vec<Option<PropertyResult>> = subjects.iter().map(|_| None).collect();
        self.answer_safety(space, subjects, &mut answers, listener)?;
        let asked = self.asked(&self.ends);
        self.answer_branching(&asked, space, subjects, &mut answers, listener)?;
        for (answer, subject) in answers.iter_mut().zip(subjects) {
            let found = match &subject.what {
                What::Formula(formula) => {
                    let question = question_of(self.model, subject, *formula);
                    asked.decide(space, &question, listener)?
                }
                What::Feasible => asked.decide(space, &Question::feasible(), listener)?,
                What::Automaton(question) => asked.decide(space, question, listener)?,
                What::Safety(_) | What::Branching(_) | What::Compute { .. } => continue,
            };
            *answer = found.map(|mut result| {
                if let Verdict::Violated(Some(run)) = &mut result.verdict {
                    self.tidy(run);
                }
                result
            });
        }
        Ok(answers.into_iter().flatten().collect())
    }

    fn search<S: Store>(
        &self,
        space: &mut Space<'_, S>,
        asks: &[Ask],
        listener: &mut dyn Listener,
    ) -> safety::Found {
        let mut observer = |progress: &Progress| listener.progress(progress);
        let mut watch = Watch::new(&mut observer, self.left(), self.options.limit_memory);
        let (formulas, atoms) = (&self.model.formulas, &self.model.propositions);
        let most = self.options.max_depth.unwrap_or(u64::MAX);
        safety::search(space, (formulas, atoms), asks, most, &mut watch)
    }

    /// Invariants and totality, by one search.
    fn answer_safety<S: Store>(
        &self,
        space: &mut Space<'_, S>,
        subjects: &[Subject],
        answers: &mut [Option<PropertyResult>],
        listener: &mut dyn Listener,
    ) -> Result<(), CheckError> {
        let started = Instant::now();
        let mut asks = Vec::new();
        let mut places = Vec::new();
        for (place, subject) in subjects.iter().enumerate() {
            if let What::Safety(ask) = subject.what {
                asks.push(ask);
                places.push(place);
            }
        }
        if asks.is_empty() {
            return Ok(());
        }
        let names: Vec<&str> = places.iter().map(|&p| subjects[p].name.as_str()).collect();
        listener.stage(&names.join(", "));
        let found = self.search(space, &asks, listener);
        for (path, place) in found.paths.into_iter().zip(places) {
            let verdict = match (path, found.stop) {
                (Some(path), _) => Verdict::Violated(self.told(space, &path)?),
                (None, Some(stop)) => Verdict::Unknown(stop.to_string()),
                (None, None) => Verdict::Holds,
            };
            let mut result = self.result(space, &subjects[place], verdict, "breadth-first");
            result.fairness.clear();
            result.seconds = started.elapsed().as_secs_f64();
            let is_holding = matches!(result.verdict, Verdict::Holds);
            if let Some(report) = space.faults().first().filter(|_| is_holding) {
                let kind = report.fault.kind;
                result.verdict = Verdict::Unknown(format!("a run-time error ends a run: {kind}"));
            }
            listener.verdict(&result);
            answers[place] = Some(result);
        }
        Ok(())
    }

    /// A finite run, executed again; none if none is wanted.
    pub fn told<S: Store>(
        &self,
        space: &Space<'_, S>,
        path: &[StateId],
    ) -> Result<Option<Box<Counterexample>>, CheckError> {
        if self.options.counterexample == Counterexamples::None {
            return Ok(None);
        }
        let load = |&id: &StateId| {
            let mut bytes = Vec::new();
            space.load(id, &mut bytes);
            bytes
        };
        let states: Vec<Vec<u8>> = path.iter().map(load).collect();
        let mut run = replay(self.system, &states, None).map_err(CheckError::Replay)?;
        self.tidy(&mut run);
        Ok(Some(Box::new(run)))
    }

    /// An answer about the space as it is now.
    pub fn result<S: Store>(
        &self,
        space: &Space<'_, S>,
        subject: &Subject,
        verdict: Verdict,
        engine: &'static str,
    ) -> PropertyResult {
        PropertyResult {
            name: subject.name.clone(),
            kind: subject.kind,
            formula: subject.text.clone(),
            fairness: sources(self.fairness),
            verdict,
            value: None,
            engine,
            states: space.len() as u64,
            transitions: space.transitions(),
            product_states: None,
            product_transitions: None,
            seconds: 0.0,
            peak_memory: memory::peak().unwrap_or(space.bytes_used() as u64),
            warnings: Vec::new(),
            others: Vec::new(),
            details: Vec::new(),
        }
    }

    /// Inputs that are part of states belong to the step that takes them.
    pub fn tidy(&self, run: &mut Counterexample) {
        tidy(run, &self.inputs);
    }
}

/// The question whether a formula of linear time holds.
pub(super) fn question_of(model: &SmvModel, subject: &Subject, formula: FormulaId) -> Question {
    let nothing = |_| None;
    let (store, own, atoms) = cut_out(&model.formulas, formula, &model.propositions, &nothing);
    let text = subject.text.clone().unwrap_or_default();
    Question::of_formula(&subject.name, text, store, own, atoms)
}

/// The question whether one run refutes a formula of branching time, if one can.
pub(super) fn refutable(
    model: &SmvModel,
    subject: &Subject,
    formula: FormulaId,
) -> Option<Question> {
    let text = subject.text.clone().unwrap_or_default();
    let (store, atoms) = (&model.formulas, &model.propositions);
    Question::refuting(&subject.name, &text, store, formula, atoms)
}

/// Moves inputs from the states to the steps that take them.
pub(super) fn tidy(run: &mut Counterexample, inputs: &[String]) {
    if inputs.is_empty() {
        return;
    }
    let take = |step: &mut TraceStep| {
        let (inputs, state) = std::mem::take(&mut step.state)
            .into_iter()
            .partition(|(name, _)| inputs.contains(name));
        step.state = state;
        inputs
    };
    let mut before = Vec::new();
    for (number, step) in run.prefix.iter_mut().chain(&mut run.cycle).enumerate() {
        let next = take(step);
        if number > 0 {
            step.inputs.extend(before);
        }
        before = next;
    }
}

/// The names of variables.
pub(super) fn names_of(model: &SmvModel, ids: &BTreeSet<VarId>) -> Vec<String> {
    let name = |id: &VarId| model.relation.variables[id.0 as usize].name.clone();
    ids.iter().map(name).collect()
}

/// The specifications that assumptions come from, each once.
pub(super) fn sources(fairness: &Fairness) -> Vec<String> {
    let mut sources: Vec<String> = Vec::new();
    for assumption in &fairness.assumptions {
        if !sources.contains(&assumption.source) {
            sources.push(assumption.source.clone());
        }
    }
    sources
}
