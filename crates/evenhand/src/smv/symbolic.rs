//! Answers by the symbolic engine: sets of states as decision diagrams.
//!
//! The engine decides; its runs are values of the variables, position by position. Each is executed
//! again on the relation (`evenhand_system::relation::Along`), by evaluating the constraints, and
//! judged like every other run: what the engine says is shown only if the model really does it. A run
//! of linear time is then shortened (`shorten.rs`), and so is one of branching time that refutes its
//! formula alone; any other run of branching time is judged as a fair run, and that it decides the
//! quantifier is the engine's word.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use evenhand_logic::{FormulaId, Node, Quantifier};
use evenhand_report::{PropertyResult, Verdict};
use evenhand_smv::SmvModel;
use evenhand_symbolic::{Answer, Length, Options, Run as Walk, Stop, Symbolic, Warning};
use evenhand_system::compose::PackedValuation;
use evenhand_system::explicit::Value;
use evenhand_system::pack::Pack;
use evenhand_system::relation::{Along, Relation, Role, VarId};
use evenhand_system::{AssumptionKind, Compassion, Explicit, Fairness, Foreign, PropositionId};
use evenhand_witness::replay;

use super::check::NO_INITIAL_STATE;
use super::safety::Ask;
use super::session::{Subject, What, names_of, sources, tidy};
use super::shorten::lasso;
use crate::blame::{blame, only};
use crate::check::{CheckError, CheckOptions, Counterexamples, Listener, Silent};
use crate::gauge::watched;
pub(crate) use crate::learned::NAME;
use crate::memory;
use crate::temporal::NOT_BEGUN;

/// The questions about one model.
pub(super) struct Sets<'s> {
    pub model: &'s SmvModel,
    pub fairness: &'s Fairness,
    pub options: &'s CheckOptions,
    pub deadline: Option<Instant>,
    /// The inputs that questions are about.
    pub read: BTreeSet<VarId>,
}

/// What was found out about a question.
struct Found {
    verdict: Verdict,
    value: Option<Value>,
    warnings: Vec<String>,
}

/// What the engine says.
enum Said {
    Answer(Answer),
    Length(Length),
}

impl Sets<'_> {
    /// Answers questions in their order.
    pub fn answer(
        &self,
        subjects: &[Subject],
        ends: &Verdict,
        listener: &mut dyn Listener,
    ) -> Result<Vec<PropertyResult>, CheckError> {
        let names: Vec<&str> = subjects.iter().map(|s| s.name.as_str()).collect();
        listener.stage(&format!("{}, engine {NAME}", names.join(", ")));
        let relation = self.relation();
        let options = self.engine_options();
        let gauge = options.gauge.clone();
        let mut engine = watched(&gauge, listener, || Symbolic::new(&relation, options))?;
        let mut shared: Option<Vec<String>> = None;
        let mut answers = Vec::new();
        for subject in subjects {
            let started = Instant::now();
            let not_begun = self.options.is_interrupted();
            let found = match &mut engine {
                _ if not_begun => Found {
                    verdict: Verdict::Unknown(NOT_BEGUN.to_string()),
                    value: None,
                    warnings: Vec::new(),
                },
                Ok(engine) => {
                    let found = self.decide(engine, subject, listener)?;
                    let decided = !matches!(found.verdict, Verdict::Unknown(_));
                    let asks_for_runs = matches!(subject.what, What::Feasible);
                    if decided && subject.what.is_fair() && !asks_for_runs && shared.is_none() {
                        shared = Some(watched(&gauge, listener, || self.warnings(engine))?);
                    }
                    found
                }
                Err(stop) => unknown(stop),
            };
            let mut result = self.result(subject, found, &mut engine);
            if not_begun {
                result.engine = "none";
            }
            let about_runs = subject.what.is_fair() && !matches!(subject.what, What::Feasible);
            if about_runs && !matches!(result.verdict, Verdict::Unknown(_)) {
                result.warnings.extend(shared.iter().flatten().cloned());
            }
            let breaks = matches!(result.verdict, Verdict::Holds) && subject.what.is_fair();
            if breaks && !matches!(ends, Verdict::Holds) {
                result.verdict = ends.clone();
                let text = "a run that ends where it must not breaks it (--deadlock error)";
                result.warnings.push(text.to_string());
            }
            result.seconds = started.elapsed().as_secs_f64();
            let decided = !matches!(result.verdict, Verdict::Unknown(_));
            let reached = engine.as_mut().ok().and_then(|e| e.reachable().ok());
            if decided && reached.is_some_and(|r| r.states.exact == Some(0)) {
                result.warnings = vec![NO_INITIAL_STATE.to_string()];
            }
            listener.verdict(&result);
            answers.push(result);
        }
        Ok(answers)
    }

    /// Whether some run ends.
    pub fn ends(&self) -> Result<Verdict, CheckError> {
        let mut engine = match Symbolic::new(&self.relation(), self.engine_options()) {
            Ok(engine) => engine,
            Err(stop) => return Ok(Verdict::Unknown(stop.to_string())),
        };
        match engine.total() {
            Ok(answer) => self.verdict(answer, None, Duration::ZERO, &mut Silent),
            Err(stop) => Ok(Verdict::Unknown(stop.to_string())),
        }
    }

    fn engine_options(&self) -> Options {
        let default = Options::default();
        Options {
            memory: self.options.limit_memory.unwrap_or(default.memory),
            time: self
                .deadline
                .map(|deadline| deadline.saturating_duration_since(Instant::now())),
            interrupt: self.options.interrupt.clone(),
            compassion: self.options.compassion,
            ..default
        }
    }

    /// The relation with the fairness that is assumed. Where no question is about inputs, propositions that
    /// are (of other properties) are left out. The two constants are its last propositions.
    fn relation(&self) -> Relation {
        let mut relation = self.model.relation.clone();
        relation.justice.clear();
        relation.compassion.clear();
        for assumption in &self.fairness.assumptions {
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
        if self.read.is_empty() {
            let nothing = relation.expressions.constant(0);
            for id in 0..relation.propositions.len() as u32 {
                if relation.reads_inputs(PropositionId(id)) {
                    relation.propositions[id as usize].1 = nothing;
                }
            }
        }
        relation
    }

    fn decide(
        &self,
        engine: &mut Symbolic,
        subject: &Subject,
        listener: &mut dyn Listener,
    ) -> Result<Found, CheckError> {
        let started = Instant::now();
        let gauge = engine.gauge();
        let answer = watched(&gauge, listener, || self.ask(engine, subject))?;
        let answer = match answer {
            Ok(Said::Answer(answer)) => answer,
            Ok(Said::Length(length)) => {
                return Ok(Found {
                    verdict: Verdict::Holds,
                    value: Some(value_of(length)),
                    warnings: Vec::new(),
                });
            }
            Err(stop) => return Ok(unknown(&stop)),
        };
        let mut warnings = Vec::new();
        for warning in &answer.warnings {
            warnings.push(self.told(warning));
        }
        let no_run = !answer.holds && answer.run.is_none();
        if no_run && matches!(subject.what, What::Feasible) {
            warnings.extend(self.culprits(listener));
        }
        if let What::Branching(formula) = subject.what
            && no_run
        {
            let node = self.model.formulas.node(formula);
            warnings.push(
                match node {
                    Node::Path(Quantifier::Exists, _) => {
                        "no run can show it: an `E` formula is false"
                    }
                    _ => "no run shows it: it is false in an initial state",
                }
                .to_string(),
            );
        }
        Ok(Found {
            verdict: self.verdict(answer, Some(subject), started.elapsed(), listener)?,
            value: None,
            warnings,
        })
    }

    /// Why no run is fair, in words; nothing where that was not found out.
    fn culprits(&self, listener: &mut dyn Listener) -> Option<String> {
        let words = blame(self.fairness, |kept| {
            let some = Sets {
                fairness: &only(self.fairness, kept),
                read: self.read.clone(),
                ..*self
            };
            // The engine that gave the verdict has memory of its own.
            let mut options = some.engine_options();
            options.memory = memory::left(options.memory) / 4;
            let gauge = options.gauge.clone();
            let relation = some.relation();
            let decide = || Ok::<bool, Stop>(Symbolic::new(&relation, options)?.feasible()?.holds);
            let found = watched(&gauge, listener, decide).map_err(|_| ())?;
            found.map_err(|_| ())
        });
        words.ok()
    }

    /// Asks the engine.
    fn ask(&self, engine: &mut Symbolic, subject: &Subject) -> Result<Said, Stop> {
        let formulas = &self.model.formulas;
        let proposition = |atom| self.model.proposition(atom);
        let answer = match subject.what {
            What::Safety(Ask::Successor) => engine.total(),
            What::Safety(Ask::State(formula)) => self.invariant(engine, formula),
            What::Safety(Ask::Step(formula)) => match subject.step {
                Some(condition) => engine.step_invariant(condition),
                None => self.invariant(engine, formula),
            },
            What::Formula(formula) => engine.ltl(formulas, formula, &proposition),
            What::Feasible => engine.feasible(),
            What::Branching(formula) => engine.ctl_star(formulas, formula, &proposition),
            What::Compute { minimum, from, to } => {
                let (length, _) = engine.compute(formulas, (from, to), minimum, &proposition)?;
                return Ok(Said::Length(length));
            }
            What::Automaton(ref question) => match &question.bad {
                Ok(bad) => engine.automaton(bad, &question.propositions),
                Err(reason) => Err(Stop::Refused(reason.clone())),
            },
        };
        answer.map(Said::Answer)
    }

    fn invariant(&self, engine: &mut Symbolic, formula: FormulaId) -> Result<Answer, Stop> {
        let constants = self.model.relation.propositions.len() as u32;
        let proposition = match self.model.formulas.node(formula) {
            Node::Atom(atom) => self.model.proposition(*atom),
            // The constants come behind the propositions of the model.
            Node::Constant(value) => Some(PropositionId(constants + u32::from(*value))),
            _ => None,
        };
        let unknown = || Stop::Refused("this is no condition on a state".to_string());
        engine.invariant(proposition.ok_or_else(unknown)?)
    }

    /// The verdict of an answer, with its run executed again.
    fn verdict(
        &self,
        answer: Answer,
        subject: Option<&Subject>,
        taken: Duration,
        listener: &mut dyn Listener,
    ) -> Result<Verdict, CheckError> {
        if answer.holds {
            return Ok(Verdict::Holds);
        }
        let wanted = self.options.counterexample != Counterexamples::None;
        let walk = answer.run.filter(|_| wanted);
        let Some(walk) = walk else {
            return Ok(Verdict::Violated(None));
        };
        let (system, states) = self.along(&walk)?;
        let mut run = match walk.turn {
            None => replay(&system, &states, None).map_err(CheckError::Replay)?,
            Some(turn) => {
                let run = lasso(&states, turn, self.fairness.assumptions.len());
                self.judged(&system, run, subject, taken, listener)?
            }
        };
        tidy(&mut run, &names_of(self.model, &self.read));
        Ok(Verdict::Violated(Some(Box::new(run))))
    }

    /// The part of the system that a run uses, and the states of the run.
    fn along(&self, walk: &Walk) -> Result<(Foreign<Along>, Vec<Vec<u8>>), CheckError> {
        let mut relation = self.model.relation.clone();
        let mut positions = walk.states.clone();
        for &id in &self.read {
            let variable = &mut relation.variables[id.0 as usize];
            variable.role = Role::State;
            // At the end of a finite run an input means nothing: any value will do.
            if let (None, Some(last)) = (walk.turn, positions.last_mut())
                && let Some(value) = last.get_mut(id.0 as usize)
            {
                *value = variable.sort.bounds().0;
            }
        }
        let along = Along::new(relation, positions, walk.turn)?;
        let packed = |state: PackedValuation| {
            let mut bytes = Vec::new();
            state.pack(&mut bytes);
            bytes
        };
        let states = along.states().into_iter().map(packed).collect();
        let system = Foreign::new(along);
        let system = system.map_err(|error| CheckError::Engine(error.to_string()))?;
        let files = &self.model.files;
        let system = system.described(|signature| {
            signature.language = "smv".to_string();
            signature.files = files.clone();
        });
        Ok((system, states))
    }

    /// What concerns all questions about fair runs.
    fn warnings(&self, engine: &mut Symbolic) -> Vec<String> {
        let mut list = match engine.warnings() {
            Ok(warnings) => warnings.iter().map(|w| self.told(w)).collect(),
            Err(stop) => vec![format!(
                "whether fair runs are missing was not found out: {stop}"
            )],
        };
        let counts = engine.reachable().map(|r| r.states.exact);
        let counts = counts.and_then(|all| Ok((all, engine.feasible_states()?.exact)));
        if let Ok((Some(all), Some(fair))) = counts
            && fair > 0
            && fair < all
        {
            list.push(format!(
                "no fair run passes {} of {all} reachable states: the property says nothing about \
                 what follows them",
                all - fair
            ));
        }
        list
    }

    fn told(&self, warning: &Warning) -> String {
        match warning {
            Warning::DeadEnd(run) => {
                format!("no run passes {}: it has no successor", self.place(run))
            }
            Warning::NoFairRun { all: true, .. } => {
                "there is no fair run at all: the property holds if it is about all runs, and is false \
                 if it asks for one"
                    .to_string()
            }
            Warning::NoFairRun { states, .. } => {
                let count = states
                    .exact
                    .map_or(states.about.to_string(), |n| n.to_string());
                format!(
                    "no fair run begins in {count} of the initial states: `E` is false there, `A` true"
                )
            }
            Warning::Fault(run) => {
                let place = self.place(run);
                format!(
                    "a run-time error ends a run in {place}; what lies behind it was not explored"
                )
            }
        }
    }

    /// The last state of a finite run, in words.
    fn place(&self, run: &Walk) -> String {
        let steps = run.states.len().saturating_sub(1);
        let shown = match self.along(run) {
            Ok((system, states)) => {
                let hidden = names_of(self.model, &self.read);
                let last = states.last().map_or(&[][..], Vec::as_slice);
                let values = system.explorer(&[]).describe(last).into_iter();
                let values = values.filter(|(name, _)| !hidden.contains(name));
                let shown = |(name, value)| {
                    format!("{name} = {}", evenhand_report::text::value_text(&value))
                };
                let list: Vec<String> = values.map(shown).collect();
                format!(" ({})", list.join(", "))
            }
            Err(_) => String::new(),
        };
        let word = if steps == 1 { "step" } else { "steps" };
        format!("the state after {steps} {word}{shown}")
    }

    fn result(
        &self,
        subject: &Subject,
        found: Found,
        engine: &mut Result<Symbolic, Stop>,
    ) -> PropertyResult {
        let (mut states, mut details) = (0, Vec::new());
        if let Ok(engine) = engine {
            let reached = engine.reachable().ok();
            states = reached.map_or(0, |r| {
                let exact = r.states.exact.unwrap_or(u128::MAX);
                u64::try_from(exact).unwrap_or(u64::MAX)
            });
            let s = engine.statistics();
            details = vec![
                ("bits of a state".to_string(), s.bits as u64),
                ("pieces of the relation".to_string(), s.pieces as u64),
                ("rounds".to_string(), s.rounds),
                ("nodes at the peak".to_string(), s.peak_nodes as u64),
                ("reorderings".to_string(), s.reorderings),
            ];
            details.retain(|&(_, count)| count > 0);
        }
        let mut fairness = sources(self.fairness);
        if !subject.what.is_fair() {
            fairness.clear();
        }
        PropertyResult {
            name: subject.name.clone(),
            kind: subject.kind,
            formula: subject.text.clone(),
            fairness,
            verdict: found.verdict,
            value: found.value,
            engine: NAME,
            states,
            transitions: 0,
            product_states: None,
            product_transitions: None,
            seconds: 0.0,
            peak_memory: memory::peak().unwrap_or(0),
            warnings: found.warnings,
            others: Vec::new(),
            details,
        }
    }
}

fn unknown(stop: &Stop) -> Found {
    Found {
        verdict: Verdict::Unknown(stop.to_string()),
        value: None,
        warnings: Vec::new(),
    }
}

fn value_of(length: Length) -> Value {
    match length {
        Length::Steps(steps) => Value::Number(i64::try_from(steps).unwrap_or(i64::MAX)),
        Length::Infinite => Value::Text("infinity".to_string()),
        Length::Undefined => Value::Text("undefined".to_string()),
    }
}
