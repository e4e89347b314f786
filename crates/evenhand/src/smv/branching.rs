//! Formulas of CTL*, and lengths of paths.
//!
//! The verdict is decided by labelling (`evenhand_explicit::ctl_star`). For a violated formula the run
//! that is shown is one for an outermost quantifier: `A f` that is false has a run that breaks `f`, `E f`
//! that is true where it must not be has a run that satisfies `f`; best one that shows the inner
//! quantifiers too, where there is one. It is found as for formulas of
//! linear time, by other code than the verdict: if that code finds none, something is wrong and said
//! so. `E f` that is false has no run to show; then the initial state is shown.

use std::collections::HashMap;
use std::time::Instant;

use evenhand_explicit::ctl_star::{Asked as Formula, Branching, Labels, Outermost, Undecided};
use evenhand_explicit::path_lengths::{Length, longest_length, shortest_length};
use evenhand_explicit::search::Progress;
use evenhand_explicit::space::{Interest, Space};
use evenhand_explicit::state_set::StateSet;
use evenhand_explicit::store::{PlainStore, StateId, Store};
use evenhand_explicit::watch::Watch;
use evenhand_explicit::with_width;
use evenhand_logic::{FormulaId, Node, Quantifier, Spelling, print};
use evenhand_report::{PropertyResult, Verdict};
use evenhand_system::compose::PackedValuation;
use evenhand_system::explicit::Value;
use evenhand_system::pack::Pack;
use evenhand_system::relation::{Role, Variable};
use evenhand_system::{Explicit, PropositionId};
use evenhand_witness::{Counterexample, ReplayError};

use super::formulas::cut_out;
use super::labelled::Labelled;
use super::session::{Session, Subject, What, refutable};
use crate::check::{CheckError, Counterexamples, Deadlock, Listener};
use crate::question::Question;
use crate::temporal::{Asked, limits_of, propositions_of};

/// Lets progress through and keeps verdicts.
struct Quiet<'l>(&'l mut dyn Listener);

impl Listener for Quiet<'_> {
    fn progress(&mut self, progress: &Progress) -> bool {
        self.0.progress(progress)
    }

    fn sets(&mut self, sets: &crate::check::SetProgress) {
        self.0.sets(sets);
    }
}

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
                let reason = self.reason(asked, undecided, space);
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
            let mut result = self.result(space, subject, Verdict::Holds, "ctl-star");
            result.seconds = started.elapsed().as_secs_f64();
            result
                .warnings
                .extend(missing.iter().map(|text| of_branching(text)));
            match found {
                Err(undecided) => {
                    result.verdict = Verdict::Unknown(self.reason(asked, undecided, space));
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
                let run = self.witness(space, &subjects[place], *formula, &labels, listener)?;
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
                let result = self.result(space, subject, verdict, "ctl-star");
                listener.verdict(&result);
                *answer = Some(result);
            }
        }
    }

    fn reason<S: Store>(
        &self,
        asked: &Asked<'_>,
        undecided: Undecided,
        space: &Space<'_, S>,
    ) -> String {
        match undecided {
            Undecided::Stop(stop) => asked.reason(stop, space),
            Undecided::Formula(reason) => reason,
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

    /// A run that shows why a formula is violated.
    fn witness<S: Store>(
        &self,
        space: &mut Space<'_, S>,
        subject: &Subject,
        formula: FormulaId,
        labels: &Labels,
        listener: &mut dyn Listener,
    ) -> Result<Option<Counterexample>, CheckError> {
        let store = &self.model.formulas;
        let Some(at) = labels.initial.iter().position(|&(_, holds)| !holds) else {
            return Ok(None);
        };
        // Best one run that shows inner quantifiers too.
        let nested = !labels.inner.is_empty();
        if let Some(question) = nested
            .then(|| refutable(self.model, subject, formula))
            .flatten()
            && let Verdict::Violated(Some(run)) = self.decided(self.system, &question, listener)?
        {
            return Ok(Some(*run));
        }
        let start = labels.initial[at].0;
        // `A f` that is false and `E f` that is true have runs; best one that decides.
        let has_run = |part: &&Outermost| match store.node(part.formula) {
            Node::Path(quantifier, _) => (*quantifier == Quantifier::Exists) == part.holds[at],
            _ => false,
        };
        let parts = labels.outermost.iter().filter(has_run);
        let chosen = parts.max_by_key(|part| part.decisive[at]);
        let Some(part) = chosen.map(|part| part.formula) else {
            return self.no_run(space, start, labels, at);
        };
        let Node::Path(quantifier, body) = *store.node(part) else {
            return Ok(None);
        };
        let mut numbers = HashMap::new();
        let mut bytes = Vec::new();
        for state in 0..space.len() {
            space.load(StateId::new(state as u32), &mut bytes);
            numbers.insert(bytes.clone(), state);
        }
        let mut sets: Vec<StateSet> = labels.inner.iter().map(|(_, set)| set.clone()).collect();
        // The last label tells where the run is to begin.
        space.load(start, &mut bytes);
        let wanted = self.key(&bytes);
        let begins = StateSet::of(space.len(), |state| {
            let mut bytes = Vec::new();
            space.load(StateId::new(state as u32), &mut bytes);
            self.key(&bytes) == wanted
        });
        sets.push(begins);
        let last = sets.len() - 1;
        let system = Labelled {
            system: self.system,
            numbers,
            labels: sets,
        };
        let stands = |part: FormulaId| {
            let known = labels.inner.iter().position(|(known, _)| *known == part)?;
            let text = print(store, part, Spelling::Nusmv);
            Some((text, Labelled::proposition(known)))
        };
        let (mut own, mut asked, mut atoms) =
            cut_out(store, body, &self.model.propositions, &stands);
        if quantifier == Quantifier::Exists {
            asked = own.not(asked);
        }
        if part != formula {
            let begins = own.host_atom("the initial state");
            atoms.push(Labelled::proposition(last));
            asked = own.implies(begins, asked);
        }
        let text = subject.text.clone().unwrap_or_default();
        let question = Question::of_formula(&subject.name, text, own, asked, atoms);
        match self.decided(&system, &question, listener)? {
            Verdict::Violated(run) => Ok(run.map(|run| *run)),
            Verdict::Holds => Err(CheckError::Replay(ReplayError {
                position: 0,
                message: "no run shows what the labels of the states say".to_string(),
            })),
            Verdict::Unknown(_) => Ok(None),
        }
    }

    /// The answer to a question of linear time about a system that looks like the model.
    fn decided(
        &self,
        system: &dyn Explicit,
        question: &Question,
        listener: &mut dyn Listener,
    ) -> Result<Verdict, CheckError> {
        let propositions: Vec<PropositionId> = propositions_of(std::slice::from_ref(question));
        let interest = Interest {
            propositions: &propositions,
            fairness: self.fairness,
        };
        let store = PlainStore::with_limits(limits_of(self.options));
        let mut space = Space::new(system, interest, store);
        let ends = Verdict::Holds;
        let mut asked = self.asked(&ends);
        asked.system = system;
        let found = asked.decide(&mut space, question, &mut Quiet(listener))?;
        let unknown =
            || Verdict::Unknown("the fairness was set up for fewer processes".to_string());
        let mut verdict = found.map_or_else(unknown, |result| result.verdict);
        if let Verdict::Violated(Some(run)) = &mut verdict {
            self.tidy(run);
        }
        Ok(verdict)
    }

    /// The initial state alone, where no run can show anything.
    fn no_run<S: Store>(
        &self,
        space: &Space<'_, S>,
        start: StateId,
        labels: &Labels,
        at: usize,
    ) -> Result<Option<Counterexample>, CheckError> {
        let Some(mut run) = self.told(space, &[start])? else {
            return Ok(None);
        };
        let store = &self.model.formulas;
        for part in labels.outermost.iter().filter(|part| !part.holds[at]) {
            if let Node::Path(Quantifier::Exists, body) = store.node(part.formula) {
                let text = print(store, *body, Spelling::Nusmv);
                let why = format!("no fair run from here satisfies `{text}`");
                run.why.push(why);
            }
        }
        Ok(Some(*run))
    }
}

fn value_of(length: Length) -> Value {
    match length {
        Length::Steps(steps) => Value::Number(i64::try_from(steps).unwrap_or(i64::MAX)),
        Length::Infinite => Value::Text("infinity".to_string()),
        Length::Undefined => Value::Text("undefined".to_string()),
    }
}

fn warn_unfair(labels: &Labels, fair: &StateSet, result: &mut PropertyResult) {
    let count = labels.initial.len();
    let is_fair = |&&(state, _): &&(StateId, bool)| fair.contains(state.index());
    let unfair = count - labels.initial.iter().filter(is_fair).count();
    if count == 0 {
        result
            .warnings
            .push("there is no initial state".to_string());
    } else if unfair > 0 && unfair < count {
        result.warnings.push(format!(
            "no fair run begins in {unfair} of {count} initial states: `E` is false there, `A` true"
        ));
    }
}

/// What is said about missing runs, for a formula that may also be violated because of them.
fn of_branching(warning: &str) -> String {
    match warning.strip_prefix("there is no fair run at all") {
        Some(_) => {
            "there is no fair run at all: `E` is false and `A` true in every state".to_string()
        }
        None => warning.to_string(),
    }
}
