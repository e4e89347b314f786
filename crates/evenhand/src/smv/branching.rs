//! Formulas of CTL*, and lengths of paths, in one exploration of the system.
//!
//! Deciding and telling a formula is as for every language (`crate::branching`); here inputs are left
//! out of what formulas may ask about, and all questions share what labelling has to find out first.

use std::time::Instant;

use evenhand_explicit::ctl_star::{Asked as Formula, Branching, Labels, Undecided};
use evenhand_explicit::path_lengths::{Length, longest_length, shortest_length};
use evenhand_explicit::search::Progress;
use evenhand_explicit::space::Space;
use evenhand_explicit::store::Store;
use evenhand_explicit::watch::Watch;
use evenhand_explicit::with_width;
use evenhand_logic::{FormulaId, Spelling};
use evenhand_report::{PropertyResult, Verdict};
use evenhand_system::compose::PackedValuation;
use evenhand_system::explicit::Value;
use evenhand_system::pack::Pack;
use evenhand_system::relation::{Role, Variable};

use super::session::{Session, Subject, What};
use crate::branching::{Broken, LABELLING, of_branching, warn_unfair};
use crate::check::{CheckError, Counterexamples, Deadlock, Listener};
use crate::temporal::Asked;

/// What labelling found out about a question.
enum Finding {
    Labels(Labels),
    Length(Length),
}

impl Session<'_> {
    /// Answers all questions of branching time.
    pub(super) fn answer_branching<S: Store>(
        &self,
        asked: &Asked<'_>,
        space: &mut Space<'_, S>,
        subjects: &[Subject],
        answers: &mut [Option<PropertyResult>],
        listener: &mut dyn Listener,
    ) -> Result<(), CheckError> {
        let is_branching =
            |s: &Subject| matches!(s.what, What::Branching(_) | What::Compute { .. });
        if !subjects.iter().any(is_branching) {
            return Ok(());
        }
        if self.options.max_depth.is_some() {
            let reason = "branching time asks for all reachable states, not only near ones";
            self.all_unknown(space, subjects, answers, reason, listener);
            return Ok(());
        }
        let missing = with_width!(
            space.mark_count(),
            W => asked.missing_warnings::<S, W>(space, self.stutters(), listener),
            else Vec::new()
        );
        let places = self.model.propositions.iter().map(|&p| space.place_of(p));
        let places: Vec<Option<usize>> = places.collect();
        let key = |bytes: &[u8]| self.key(bytes);
        let key = (!self.inputs.is_empty()).then_some(&key as _);
        let branching = {
            let mut observer = |progress: &Progress| listener.progress(progress);
            let mut watch = Watch::new(&mut observer, self.left(), self.options.limit_memory);
            Branching::new(space, self.stutters(), key, &mut watch)
        };
        let mut branching = match branching {
            Ok(branching) => branching,
            Err(undecided) => {
                let reason = asked.undecided_reason(undecided, space);
                self.all_unknown(space, subjects, answers, &reason, listener);
                return Ok(());
            }
        };
        let mut violated = Vec::new();
        for (place, subject) in subjects.iter().enumerate() {
            if !is_branching(subject) {
                continue;
            }
            let started = Instant::now();
            listener.stage(&subject.name);
            let found = self.label(&mut branching, subject, &places, listener);
            let space = branching.space();
            let mut result = self.result(space, subject, Verdict::Holds, LABELLING);
            result.seconds = started.elapsed().as_secs_f64();
            result
                .warnings
                .extend(missing.iter().map(|text| of_branching(text)));
            match found {
                Err(undecided) => {
                    result.verdict = Verdict::Unknown(asked.undecided_reason(undecided, space));
                }
                Ok(Finding::Length(length)) => result.value = Some(value_of(length)),
                Ok(Finding::Labels(labels)) => {
                    (result.product_states, result.product_transitions) =
                        (Some(labels.product.0), Some(labels.product.1));
                    warn_unfair(&labels, branching.fair(), &mut result);
                    if labels.initial.iter().any(|&(_, holds)| !holds) {
                        result.verdict = Verdict::Violated(None);
                        violated.push((place, labels));
                    }
                }
            }
            asked.blame_ends(&mut result);
            listener.verdict(&result);
            answers[place] = Some(result);
        }
        if self.options.counterexample == Counterexamples::None {
            return Ok(());
        }
        for (place, labels) in violated {
            if let (Some(result), What::Branching(formula)) =
                (&mut answers[place], &subjects[place].what)
            {
                let subject = &subjects[place];
                let broken = Broken {
                    name: &subject.name,
                    text: subject.text.as_deref().unwrap_or_default(),
                    store: &self.model.formulas,
                    formula: *formula,
                    atoms: &self.model.propositions,
                    labels: &labels,
                    spelling: Spelling::Nusmv,
                };
                let key = |bytes: &[u8]| self.key(bytes);
                let mut run = asked.branching_run(space, broken, &key, listener)?;
                run.iter_mut().for_each(|run| self.tidy(run));
                result.verdict = Verdict::Violated(run.map(Box::new));
            }
        }
        Ok(())
    }

    fn all_unknown<S: Store>(
        &self,
        space: &Space<'_, S>,
        subjects: &[Subject],
        answers: &mut [Option<PropertyResult>],
        reason: &str,
        listener: &mut dyn Listener,
    ) {
        for (subject, answer) in subjects.iter().zip(answers) {
            if matches!(subject.what, What::Branching(_) | What::Compute { .. }) {
                let verdict = Verdict::Unknown(reason.to_string());
                let result = self.result(space, subject, verdict, LABELLING);
                listener.verdict(&result);
                *answer = Some(result);
            }
        }
    }

    fn stutters(&self) -> bool {
        self.options.deadlock != Deadlock::Ignore
    }

    fn label<S: Store>(
        &self,
        branching: &mut Branching<'_, '_, S>,
        subject: &Subject,
        places: &[Option<usize>],
        listener: &mut dyn Listener,
    ) -> Result<Finding, Undecided> {
        let mut observer = |progress: &Progress| listener.progress(progress);
        let mut watch = Watch::new(&mut observer, self.left(), self.options.limit_memory);
        let asked = |formula: FormulaId| Formula {
            store: &self.model.formulas,
            formula,
            places,
        };
        match subject.what {
            What::Compute { minimum, from, to } => {
                let from = branching.states(asked(from), &mut watch)?;
                let to = branching.states(asked(to), &mut watch)?;
                Ok(Finding::Length(match minimum {
                    true => shortest_length(branching, &from, &to)?,
                    false => longest_length(branching, &from, &to)?,
                }))
            }
            What::Branching(formula) => Ok(Finding::Labels(
                branching.label(asked(formula), &mut watch)?,
            )),
            What::Safety(_) | What::Formula(_) | What::Feasible | What::Automaton(_) => Err(
                Undecided::Formula("this is no question of branching time".to_string()),
            ),
        }
    }

    /// The part of a state that formulas of branching time may ask about: without inputs.
    fn key(&self, bytes: &[u8]) -> Vec<u8> {
        let mut rest = bytes;
        let Some(PackedValuation(values)) = PackedValuation::unpack(&mut rest) else {
            return bytes.to_vec();
        };
        let is_state = |v: &&Variable| v.role != Role::Input || self.inputs.contains(&v.name);
        let variables = self.model.relation.variables.iter().filter(is_state);
        let own = values.into_iter().zip(variables);
        let own = own.filter(|(_, variable)| variable.role != Role::Input);
        let mut key = Vec::new();
        PackedValuation(own.map(|(value, _)| value).collect()).pack(&mut key);
        key
    }
}

fn value_of(length: Length) -> Value {
    match length {
        Length::Steps(steps) => Value::Number(i64::try_from(steps).unwrap_or(i64::MAX)),
        Length::Infinite => Value::Text("infinity".to_string()),
        Length::Undefined => Value::Text("undefined".to_string()),
    }
}
