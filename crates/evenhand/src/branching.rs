//! Formulas of CTL* about any system, state by state.
//!
//! The verdict is decided by labelling (`evenhand_explicit::ctl_star`). For a violated formula the run
//! that is shown is one for an outermost quantifier: `A f` that is false has a run that breaks `f`,
//! `E f` that is true where it must not be has a run that satisfies `f`; best one that shows the inner
//! quantifiers too, where there is one. It is found as for formulas of linear time, by other code than
//! the verdict: if that code finds none, something is wrong and said so. `E f` that is false has no run
//! to show; then the initial state is shown.
//!
//! What finished runs are is decided as for formulas of linear time: they stay where they end, or they
//! are no runs at all.

use std::cell::RefCell;
use std::collections::HashMap;
use std::time::Instant;

use evenhand_explicit::ctl_star::{Asked as Formula, Branching, Labels, Outermost, Undecided};
use evenhand_explicit::search::{Progress, Stop};
use evenhand_explicit::space::{Interest, Space};
use evenhand_explicit::state_set::StateSet;
use evenhand_explicit::store::{PlainStore, StateId, Store};
use evenhand_explicit::watch::Watch;
use evenhand_explicit::with_width;
use evenhand_logic::{FormulaId, Formulas, Node, Quantifier, Spelling, print};
use evenhand_report::{PropertyResult, Verdict};
use evenhand_system::{Explicit, PropositionId};
use evenhand_witness::{Counterexample, ReplayError, replay};

use crate::check::{CheckError, Counterexamples, Deadlock, Listener, SetProgress};
use crate::formulas::cut_out;
use crate::labelled::Labelled;
use crate::memory;
use crate::question::{Judge, Question};
use crate::temporal::{Asked, limits_beside, propositions_of};

/// What the state is called that the run is to begin with.
const BEGINS: &str = "the initial state";

/// The name under which labelling is known.
pub(crate) const LABELLING: &str = "ctl-star";

/// The part of a state that formulas may ask about.
pub(crate) type Key<'k> = &'k dyn Fn(&[u8]) -> Vec<u8>;

/// A formula that is violated, and what it is in the model.
#[derive(Clone, Copy)]
pub(crate) struct Broken<'b> {
    pub name: &'b str,
    pub text: &'b str,
    pub store: &'b Formulas,
    pub formula: FormulaId,
    /// What each atom of the store is.
    pub atoms: &'b [PropositionId],
    pub labels: &'b Labels,
    /// How its parts are written for people.
    pub spelling: Spelling,
}

/// Lets progress through and keeps verdicts.
struct Quiet<'l>(&'l mut dyn Listener);

impl Listener for Quiet<'_> {
    fn progress(&mut self, progress: &Progress) -> bool {
        self.0.progress(progress)
    }

    fn sets(&mut self, sets: &SetProgress) {
        self.0.sets(sets);
    }
}

impl Asked<'_> {
    /// The answer to a question of branching time; `None` if more processes showed up than fairness was
    /// set up for.
    pub(crate) fn decide_branching<S: Store>(
        &self,
        space: &mut Space<'_, S>,
        question: &Question,
        judge: &Judge,
        listener: &mut dyn Listener,
    ) -> Result<Option<PropertyResult>, CheckError> {
        let started = Instant::now();
        let mut result = self.undecided(question, String::new());
        result.engine = LABELLING;
        if self.options.max_depth.is_some() {
            let reason = "branching time asks for all reachable states, not only near ones";
            result.verdict = Verdict::Unknown(reason.to_string());
            return Ok(Some(result));
        }
        listener.stage(&question.name);
        let stutter = question.finished_runs && self.options.deadlock != Deadlock::Ignore;
        let places = judge.atoms.iter().map(|&p| space.place_of(p));
        let places: Vec<Option<usize>> = places.collect();
        let found = {
            let mut observer = |progress: &Progress| listener.progress(progress);
            let mut watch = Watch::new(&mut observer, self.left(), self.options.limit_memory);
            let asked = Formula {
                store: &judge.store,
                formula: judge.formula,
                places: &places,
            };
            Branching::new(space, stutter, None, &mut watch).and_then(|mut branching| {
                let labels = branching.label(asked, &mut watch)?;
                Ok((labels, branching.fair().clone()))
            })
        };
        result.states = space.len() as u64;
        result.transitions = space.transitions();
        let labels = match found {
            Err(Undecided::Stop(Stop::Processes)) => return Ok(None),
            Err(undecided) => {
                result.verdict = Verdict::Unknown(self.undecided_reason(undecided, space));
                None
            }
            Ok((labels, fair)) => {
                let missing = with_width!(
                    space.mark_count(),
                    W => self.missing_warnings::<S, W>(space, stutter, listener),
                    else Vec::new()
                );
                let missing = missing.iter().map(|text| of_branching(text));
                result.warnings.extend(missing);
                warn_unfair(&labels, &fair, &mut result);
                (result.product_states, result.product_transitions) =
                    (Some(labels.product.0), Some(labels.product.1));
                let is_violated = labels.initial.iter().any(|&(_, holds)| !holds);
                result.verdict = match is_violated {
                    true => Verdict::Violated(None),
                    false => Verdict::Holds,
                };
                Some(labels)
            }
        };
        result.seconds = started.elapsed().as_secs_f64();
        result.peak_memory = memory::peak().unwrap_or(space.bytes_used() as u64);
        self.blame_ends(&mut result);
        listener.verdict(&result);
        let wanted = self.options.counterexample != Counterexamples::None;
        if let (Some(labels), Verdict::Violated(None), true) = (labels, &result.verdict, wanted) {
            let broken = Broken {
                name: &question.name,
                text: question.formula.as_deref().unwrap_or_default(),
                store: &judge.store,
                formula: judge.formula,
                atoms: &judge.atoms,
                labels: &labels,
                spelling: Spelling::Spin,
            };
            let whole = |bytes: &[u8]| bytes.to_vec();
            let run = self.branching_run(space, broken, &whole, listener)?;
            result.verdict = Verdict::Violated(run.map(Box::new));
        }
        Ok(Some(result))
    }

    /// Why labelling came to no end, in words.
    pub(crate) fn undecided_reason<S: Store>(
        &self,
        undecided: Undecided,
        space: &Space<'_, S>,
    ) -> String {
        match undecided {
            Undecided::Stop(stop) => self.reason(stop, space),
            Undecided::Formula(reason) => reason,
        }
    }

    /// A run that shows why a formula is violated. States with the same key are the same to formulas.
    pub(crate) fn branching_run<S: Store>(
        &self,
        space: &mut Space<'_, S>,
        broken: Broken<'_>,
        key: Key<'_>,
        listener: &mut dyn Listener,
    ) -> Result<Option<Counterexample>, CheckError> {
        let (store, labels) = (broken.store, broken.labels);
        let Some(at) = labels.initial.iter().position(|&(_, holds)| !holds) else {
            return Ok(None);
        };
        // Best one run that shows inner quantifiers too.
        if let Some(question) = refutable(broken)
            && let Verdict::Violated(Some(run)) = self.decided(self.system, &question, listener)?
        {
            return Ok(Some(*run));
        }
        let start = labels.initial[at].0;
        // `A f` that is false and `E f` that is true have runs; one that decides, if any does.
        let has_run = |part: &&Outermost| match store.node(part.formula) {
            Node::Path(quantifier, _) => (*quantifier == Quantifier::Exists) == part.holds[at],
            _ => false,
        };
        let is_clear = labels.outermost.iter().any(|part| part.decisive[at]);
        let mut parts = labels.outermost.iter().filter(has_run);
        let chosen = parts.find(|part| part.decisive[at] || !is_clear);
        let Some(part) = chosen.map(|part| part.formula) else {
            return self.no_run(space, start, broken, at);
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
        let wanted = key(&bytes);
        let begins = StateSet::of(space.len(), |state| {
            let mut bytes = Vec::new();
            space.load(StateId::new(state as u32), &mut bytes);
            key(&bytes) == wanted
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
            let text = print(store, part, broken.spelling);
            Some((text, Labelled::proposition(known)))
        };
        let (mut own, mut asked, mut atoms) = cut_out(store, body, broken.atoms, &stands);
        if quantifier == Quantifier::Exists {
            asked = own.not(asked);
        }
        if part != broken.formula {
            let begins = own.host_atom(BEGINS);
            atoms.push(Labelled::proposition(last));
            asked = own.implies(begins, asked);
        }
        let text = broken.text.to_string();
        let question = Question::of_formula(broken.name, text, own, asked, atoms);
        match self.decided(&system, &question, listener)? {
            Verdict::Violated(run) => Ok(run.map(|mut run| {
                // Where the run begins is no reason.
                run.why.retain(|why| !why.contains(&format!("`{BEGINS}`")));
                *run
            })),
            Verdict::Holds => Err(CheckError::Replay(ReplayError {
                position: 0,
                message: "no run shows what the labels of the states say".to_string(),
            })),
            Verdict::Unknown(_) => Ok(None),
        }
    }

    /// The answer to a question of linear time about a system that looks like this one.
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
        let store = PlainStore::with_limits(limits_beside(self.options));
        let mut space = Space::new(system, interest, store);
        let ends = Verdict::Holds;
        let asked = Asked {
            system,
            ends: &ends,
            missing: RefCell::default(),
            ..*self
        };
        let found = asked.decide(&mut space, question, &mut Quiet(listener))?;
        let unknown = || Verdict::Unknown("there are more processes".to_string());
        Ok(found.map_or_else(unknown, |result| result.verdict))
    }

    /// The initial state alone, where no run can show anything.
    fn no_run<S: Store>(
        &self,
        space: &Space<'_, S>,
        start: StateId,
        broken: Broken<'_>,
        at: usize,
    ) -> Result<Option<Counterexample>, CheckError> {
        let mut bytes = Vec::new();
        space.load(start, &mut bytes);
        let mut run = replay(self.system, &[bytes], None).map_err(CheckError::Replay)?;
        let store = broken.store;
        for part in broken.labels.outermost.iter().filter(|p| !p.holds[at]) {
            if let Node::Path(Quantifier::Exists, body) = store.node(part.formula) {
                let text = print(store, *body, broken.spelling);
                let why = format!("no fair run from here satisfies `{text}`");
                run.why.push(why);
            }
        }
        Ok(Some(run))
    }
}

/// The question whether one run refutes a formula with inner quantifiers, if one can.
fn refutable(broken: Broken<'_>) -> Option<Question> {
    if broken.labels.inner.is_empty() {
        return None;
    }
    Question::refuting(
        broken.name,
        broken.text,
        broken.store,
        broken.formula,
        broken.atoms,
    )
}

/// Warns where only some of the initial states have a fair run.
pub(crate) fn warn_unfair(labels: &Labels, fair: &StateSet, result: &mut PropertyResult) {
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
pub(crate) fn of_branching(warning: &str) -> String {
    match warning.strip_prefix("there is no fair run at all") {
        Some(_) => {
            "there is no fair run at all: `E` is false and `A` true in every state".to_string()
        }
        None => warning.to_string(),
    }
}
