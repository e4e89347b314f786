//! What all questions about one system share: the system, the fairness, the limits, and what was
//! explored already.
//!
//! A question that is about inputs sees states with inputs, so a check has at most two cases. Within a
//! case the states are explored once, however many questions are asked; a case *beside* another one has
//! the same fairness and limits, but a system and a space of its own.

use std::cell::{Cell, OnceCell, RefCell, RefMut};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use evenhand_explicit::ahead::crew::Crew;
use evenhand_explicit::search::Progress;
use evenhand_explicit::space::{Interest, Space};
use evenhand_explicit::store::AnyStore;
use evenhand_explicit::watch::Watch;
use evenhand_system::explicit::FinishedRuns;
use evenhand_system::relation::Refusal;
use evenhand_system::{
    Asking, AssumptionKind, Body, Explicit, Fairness, Inputs, PropositionId, Question,
};

use crate::answer::{PropertyResult, Verdict, Warning};
use crate::bad_runs::LinearQuestion;
use crate::listener::Listener;
use crate::memory;
use crate::options::Options;
use crate::stop::StopReason;

/// The states of a system as far as they were explored.
pub type StateSpace<'s> = Space<'s, AnyStore>;

/// A question, and what is made of it once.
#[derive(Debug)]
pub struct Task {
    /// The question.
    pub question: Question,
    /// How it was asked, by itself.
    pub asking: Asking,
    linear: OnceLock<Option<LinearQuestion>>,
}

impl Task {
    /// A question that nothing was made of yet.
    pub fn new(question: Question) -> Task {
        Task::asked(question, Asking::default())
    }

    /// The same, with how it was asked.
    pub fn asked(question: Question, asking: Asking) -> Task {
        Task {
            question,
            asking,
            linear: OnceLock::new(),
        }
    }

    /// The question with its automaton, if it is one of linear time.
    pub fn linear(&self) -> Option<&LinearQuestion> {
        self.linear
            .get_or_init(|| LinearQuestion::of(&self.question))
            .as_ref()
    }
}

/// A body, seen with some inputs in its states.
pub struct View {
    /// The body.
    pub body: Arc<dyn Body>,
    /// The inputs.
    pub inputs: Inputs,
    with_inputs: OnceLock<Result<Box<dyn Explicit>, Refusal>>,
}

impl View {
    /// A body with some inputs in its states.
    pub fn new(body: Arc<dyn Body>, inputs: Inputs) -> View {
        View {
            body,
            inputs,
            with_inputs: OnceLock::new(),
        }
    }

    /// The system state by state.
    ///
    /// # Errors
    /// Where it cannot be explored that way.
    pub fn system(&self) -> Result<&dyn Explicit, Refusal> {
        if self.inputs.is_empty() {
            return self.body.explicit();
        }
        let made = || self.body.with_inputs(&self.inputs);
        match self.with_inputs.get_or_init(made) {
            Ok(system) => Ok(&**system),
            Err(refusal) => Err(refusal.clone()),
        }
    }

    /// The names of the inputs.
    pub fn input_names(&self) -> Vec<String> {
        let Ok(relation) = self.body.relation() else {
            return Vec::new();
        };
        let names = self.inputs.iter();
        names
            .map(|id| relation.variables[id.0 as usize].name.clone())
            .collect()
    }
}

/// What work on a case may cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowance {
    /// When the time is over.
    pub deadline: Option<Instant>,
    /// At most so many bytes in use.
    pub memory: Option<u64>,
    /// Of the time, what one run may take: others wait for theirs.
    pub share: Option<Duration>,
    /// Somebody has asked for the end, and this is all that is still done.
    pub last_words: bool,
}

/// What all questions about one system share.
pub struct Case<'c> {
    /// The body, with some inputs.
    pub view: &'c View,
    /// A system that takes the place of the body's own: the same with more propositions.
    instead: Option<&'c dyn Explicit>,
    /// What is assumed.
    fairness: Rc<Fairness>,
    /// If that is only a part of what the space has marks for: which part.
    chosen: Option<Rc<[bool]>>,
    /// How far to go.
    pub options: &'c Options,
    /// What work may cost right now.
    allowance: Cell<Allowance>,
    /// Work ends when so many states are known: something else will be tried then. Whether it did.
    pub(crate) enough: Cell<u64>,
    pub(crate) had_enough: Cell<bool>,
    /// Work also ends when this is raised.
    pub(crate) gave_up: Option<Arc<AtomicBool>>,
    /// How runs that end are read.
    pub finished: FinishedRuns,
    /// The propositions that questions are about.
    pub propositions: Vec<PropositionId>,
    /// Whether some run ends where that breaks every property.
    pub(crate) ends: RefCell<Verdict>,
    /// Whether questions about runs are asked of the same states.
    pub(crate) asks_runs: Cell<bool>,
    space: Rc<RefCell<Option<StateSpace<'c>>>>,
    /// Who expands states of it ahead.
    crew: Arc<Crew>,
    /// What is known about missing fair runs, and whether finished runs counted.
    pub(crate) missing: RefCell<Option<(bool, Vec<Warning>)>>,
    /// Whether there are few states, once somebody has looked.
    is_small: OnceCell<bool>,
}

impl<'c> Case<'c> {
    /// Questions about these propositions, under all assumptions.
    pub fn new(
        view: &'c View,
        fairness: Fairness,
        options: &'c Options,
        deadline: Option<Instant>,
        propositions: Vec<PropositionId>,
    ) -> Case<'c> {
        use crate::options::Deadlock;
        let finished = match options.deadlock {
            // Whether a run ends is known from the states without inputs.
            _ if !view.inputs.is_empty() => FinishedRuns::Ignore,
            Deadlock::Usual => view.body.finished_runs(),
            Deadlock::Ignore => FinishedRuns::Ignore,
            // What CTL means then was put into the formulas.
            Deadlock::Stutter | Deadlock::Error | Deadlock::Maximal => FinishedRuns::Stutter,
        };
        Case {
            view,
            instead: None,
            fairness: Rc::new(fairness),
            chosen: None,
            options,
            allowance: Cell::new(Allowance {
                deadline,
                memory: options.limit_memory,
                share: None,
                last_words: false,
            }),
            enough: Cell::new(u64::MAX),
            had_enough: Cell::new(false),
            gave_up: None,
            finished,
            propositions,
            ends: RefCell::new(Verdict::Holds),
            asks_runs: Cell::new(false),
            space: Rc::default(),
            crew: Crew::new(options.threads()),
            missing: RefCell::default(),
            is_small: OnceCell::new(),
        }
    }

    /// The same space under a part of the assumptions.
    #[must_use]
    pub fn under(&self, fairness: Fairness, chosen: Vec<bool>) -> Case<'c> {
        Case {
            fairness: Rc::new(fairness),
            chosen: Some(chosen.into()),
            allowance: self.allowance.clone(),
            enough: Cell::new(u64::MAX),
            had_enough: Cell::new(false),
            gave_up: self.gave_up.clone(),
            propositions: self.propositions.clone(),
            ends: RefCell::new(Verdict::Holds),
            asks_runs: Cell::new(false),
            space: self.space.clone(),
            crew: self.crew.clone(),
            missing: RefCell::default(),
            is_small: OnceCell::new(),
            ..*self
        }
    }

    /// A case beside this one, with a space of its own, for questions about these propositions; about
    /// another system that looks like this one, if there is one.
    pub(crate) fn beside<'d>(
        &'d self,
        system: Option<&'d dyn Explicit>,
        propositions: Vec<PropositionId>,
    ) -> Case<'d>
    where
        'c: 'd,
    {
        let (mut store, crew) = (None, Crew::new(self.options.threads()));
        if let Ok(system) = system.map_or_else(|| self.system(), Ok) {
            let interest = Interest {
                propositions: &propositions,
                fairness: &self.fairness,
            };
            let plain = AnyStore::new(false, self.options.limits_beside());
            let space = Space::new(system, interest, plain);
            store = Some(space.helped_by(crew.clone(), &self.fairness));
        }
        Case {
            view: self.view,
            instead: system.or(self.instead),
            fairness: self.fairness.clone(),
            chosen: self.chosen.clone(),
            options: self.options,
            allowance: self.allowance.clone(),
            enough: Cell::new(u64::MAX),
            had_enough: Cell::new(false),
            gave_up: None,
            finished: self.finished,
            propositions,
            ends: RefCell::new(Verdict::Holds),
            asks_runs: Cell::new(false),
            space: Rc::new(RefCell::new(store)),
            crew,
            missing: RefCell::default(),
            is_small: OnceCell::new(),
        }
    }

    /// The same case about a system that takes the place of this one, with nothing explored.
    pub(crate) fn instead<'d>(
        &'d self,
        system: &'d dyn Explicit,
        propositions: Vec<PropositionId>,
    ) -> Case<'d>
    where
        'c: 'd,
    {
        Case {
            space: Rc::default(),
            ..self.beside(Some(system), propositions)
        }
    }

    /// Whether the system is the body's own, under all assumptions.
    pub(crate) fn is_whole(&self) -> bool {
        self.instead.is_none() && self.chosen.is_none() && self.view.inputs.is_empty()
    }

    /// What an engine in another thread needs; none if that cannot be had.
    #[cfg(feature = "symbolic")]
    pub(crate) fn copy(&self) -> Option<Copied> {
        (self.instead.is_none() && self.chosen.is_none()).then(|| Copied {
            view: View::new(self.view.body.clone(), self.view.inputs.clone()),
            fairness: Fairness::clone(&self.fairness),
            options: self.options.clone(),
            deadline: self.deadline(),
            propositions: self.propositions.clone(),
            ends: self.ends.borrow().clone(),
        })
    }

    /// Whether there are few states, if somebody looks once.
    pub(crate) fn is_small(&self, look: impl FnOnce() -> bool) -> bool {
        *self.is_small.get_or_init(look)
    }

    /// What is assumed.
    pub fn fairness(&self) -> &Fairness {
        &self.fairness
    }

    /// If that is only a part of what the space has marks for: which part.
    pub fn chosen(&self) -> Option<&[bool]> {
        self.chosen.as_deref()
    }

    /// The system state by state.
    ///
    /// # Errors
    /// Where it cannot be explored that way.
    pub fn system(&self) -> Result<&'c dyn Explicit, Refusal> {
        match self.instead {
            Some(system) => Ok(system),
            None => self.view.system(),
        }
    }

    /// Its states as far as they were explored. They are borrowed until what comes back is dropped.
    ///
    /// # Errors
    /// Where the system cannot be explored that way.
    pub fn space(&self) -> Result<RefMut<'_, StateSpace<'c>>, Refusal> {
        let system = self.system()?;
        Ok(RefMut::map(self.space.borrow_mut(), |space| {
            space.get_or_insert_with(|| {
                let interest = Interest {
                    propositions: &self.propositions,
                    fairness: &self.fairness,
                };
                let limits = self.options.store_limits();
                let store = AnyStore::new(self.options.compress, limits);
                let space = Space::new(system, interest, store);
                space.helped_by(self.crew.clone(), &self.fairness)
            })
        }))
    }

    /// Work on the states was ended in the middle of a step: what was found out before stays, what the
    /// system itself was at is forgotten.
    pub(crate) fn resume(&self) {
        if let (Ok(system), Some(space)) = (self.system(), &mut *self.space.borrow_mut()) {
            space.resume(system, &self.fairness);
        }
    }

    /// What work may cost right now.
    pub(crate) fn allowance(&self) -> Allowance {
        self.allowance.get()
    }

    /// From now on work may cost this.
    pub(crate) fn allow(&self, allowance: Allowance) {
        self.allowance.set(allowance);
    }

    /// When the time is over.
    pub fn deadline(&self) -> Option<Instant> {
        self.allowance.get().deadline
    }

    /// Whether runs that end stay where they are, for a question that speaks of finished runs.
    pub fn stutters(&self, finished_runs: bool) -> bool {
        finished_runs
            && matches!(
                self.finished,
                FinishedRuns::Stutter | FinishedRuns::Everywhere
            )
    }

    /// Does some work on the states; others help where they are many.
    pub(crate) fn attended<T>(&self, work: impl FnOnce() -> T) -> T {
        match self.system() {
            Ok(system) => self.crew.attend(system, work),
            Err(_) => work(),
        }
    }

    /// The time that is left.
    pub fn left(&self) -> Option<Duration> {
        let deadline = self.deadline()?;
        Some(deadline.saturating_duration_since(Instant::now()))
    }

    /// Does some work that looks at the limits, and tells how it goes.
    pub fn watched<T>(
        &self,
        listener: &mut dyn Listener,
        work: impl FnOnce(&mut Watch<'_>) -> T,
    ) -> T {
        self.watched_for(self.left(), listener, work)
    }

    /// The same, with so much time.
    pub fn watched_for<T>(
        &self,
        time: Option<Duration>,
        listener: &mut dyn Listener,
        work: impl FnOnce(&mut Watch<'_>) -> T,
    ) -> T {
        let (cancel, allowance) = (&self.options.cancel, self.allowance.get());
        let enough = self.enough.get();
        let mut observer = |progress: &Progress| {
            let goes_on =
                allowance.last_words || listener.progress(progress) && !cancel.is_cancelled();
            let has_enough = progress.states >= enough;
            self.had_enough.set(self.had_enough.get() || has_enough);
            let gave_up = self.gave_up.as_ref();
            let gave_up = gave_up.is_some_and(|flag| flag.load(Ordering::Relaxed));
            goes_on && !has_enough && !gave_up
        };
        let watch = Watch::new(&mut observer, time, allowance.memory);
        let mut watch = watch.counting(memory::in_use);
        self.attended(|| work(&mut watch))
    }

    /// The specifications that the assumptions come from, each once.
    pub fn sources(&self) -> Vec<String> {
        self.fairness.sources()
    }

    /// A result without a verdict yet.
    pub fn unknown(&self, question: &Question, reason: StopReason) -> PropertyResult {
        let mut result = PropertyResult::unknown(question, reason);
        if question.is_fair() {
            result.fairness = self.sources();
        }
        result
    }

    /// The result of an engine that has just begun.
    pub fn begun(&self, question: &Question, engine: &'static str) -> PropertyResult {
        let mut result = self.unknown(question, StopReason::Interrupted);
        result.engine = Some(engine);
        result
    }

    /// Adds what was explored so far, and how long it took.
    pub fn measure(&self, result: &mut PropertyResult, space: &StateSpace<'_>, started: Instant) {
        result.states = space.len() as u64;
        result.ahead = space.expanded_ahead();
        result.transitions = space.transitions();
        result.seconds = started.elapsed().as_secs_f64();
        result.peak_memory = memory::peak().unwrap_or(space.bytes_used() as u64);
    }

    /// Where improper ends break every property, nothing holds that has one.
    pub(crate) fn blame_ends(&self, is_fair: bool, result: &mut PropertyResult) {
        let ends = self.ends.borrow();
        if is_fair && result.verdict.holds() && !ends.holds() {
            result.verdict = ends.clone();
            result.proof = None;
            result.warnings.push(Warning::ImproperEnd);
        }
    }
}

/// A case for an engine in another thread, with nothing explored.
#[cfg(feature = "symbolic")]
pub(crate) struct Copied {
    view: View,
    fairness: Fairness,
    options: Options,
    deadline: Option<Instant>,
    propositions: Vec<PropositionId>,
    ends: Verdict,
}

#[cfg(feature = "symbolic")]
impl Copied {
    /// The same with a flag of its own.
    pub fn with_cancel(mut self, cancel: crate::options::Cancel) -> Copied {
        self.options.cancel = cancel;
        self
    }

    /// The same beside somebody who explores it too.
    pub fn beside(mut self) -> Copied {
        self.options = self.options.beside();
        self
    }

    /// Asks something about it.
    pub fn ask<T>(self, asking: impl FnOnce(&Case<'_>) -> T) -> T {
        let Copied {
            fairness,
            propositions,
            ends,
            ..
        } = self;
        let case = Case::new(
            &self.view,
            fairness,
            &self.options,
            self.deadline,
            propositions,
        );
        case.ends.replace(ends);
        asking(&case)
    }
}

/// The propositions that questions are about, each once.
pub fn propositions_of<'q>(
    questions: impl IntoIterator<Item = &'q Question>,
) -> Vec<PropositionId> {
    distinct(questions.into_iter().flat_map(Question::reads))
}

/// Each proposition once.
pub(crate) fn distinct(list: impl IntoIterator<Item = PropositionId>) -> Vec<PropositionId> {
    let mut propositions: Vec<PropositionId> = Vec::new();
    for p in list {
        if !propositions.contains(&p) {
            propositions.push(p);
        }
    }
    propositions
}

/// The conditions that fairness is about.
pub fn conditions(fairness: &Fairness) -> Vec<PropositionId> {
    let mut list = Vec::new();
    for assumption in &fairness.assumptions {
        match assumption.kind {
            AssumptionKind::Justice(condition) => list.push(condition),
            AssumptionKind::Compassion { when, then } => list.extend([when, then]),
            AssumptionKind::Weak(_) | AssumptionKind::Strong(_) => {}
        }
    }
    list
}
