//! Plain exploration: every reachable state once, breadth-first or depth-first.
//!
//! Breadth-first needs no queue: states are numbered in the order they are met, and the search
//! walks through the numbers. All successors of a state are generated before the first is stored,
//! so that the memory they will be looked up in can be fetched meanwhile. Depth-first keeps a stack
//! of successor lists and is here for its order, not its speed.
//!
//! Breadth-first finds the nearest run-time error and the nearest improper end; with parents kept,
//! the path to each is a shortest one.

use std::sync::Arc;
use std::time::{Duration, Instant};

use evenhand_source::Lasting;
use evenhand_system::explicit::FaultReport;
use evenhand_system::{Explicit, Explorer, Fairness, FaultKind, Formula, Successors};

use crate::ahead::chunk::Extra;
use crate::ahead::crew::{Crew, Threads};
use crate::ahead::feed::{self, Feed};
use crate::ahead::job::First;
use crate::ahead::states::{States, Wanted};
use crate::ahead::taking::{Record, Taker};
use crate::conditions::Conditions;
use crate::store::{Full, Limits, PlainStore, StateId, Store, TreeStore, hash_all};
use crate::watch::Beat;

/// In which order states are expanded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Nearest first.
    #[default]
    BreadthFirst,
    /// Newest first.
    DepthFirst,
}

/// What can be wrong with a state or a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorClass {
    /// An assertion violation or a run-time error.
    Fault,
    /// An improper end.
    Deadlock,
    /// A violation of a trace assertion.
    Trace,
}

impl ErrorClass {
    /// All of them.
    pub const ALL: [ErrorClass; 3] = [ErrorClass::Fault, ErrorClass::Deadlock, ErrorClass::Trace];
}

/// Something for each class of errors.
#[derive(Clone, Debug, Default)]
pub struct PerClass<T>([T; 3]);

impl<T> std::ops::Index<ErrorClass> for PerClass<T> {
    type Output = T;
    fn index(&self, class: ErrorClass) -> &T {
        &self.0[class as usize]
    }
}

impl<T> std::ops::IndexMut<ErrorClass> for PerClass<T> {
    fn index_mut(&mut self, class: ErrorClass) -> &mut T {
        &mut self.0[class as usize]
    }
}

/// What to do, and how far to go.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The order.
    pub order: Order,
    /// At most this many states.
    pub limit_states: Option<u64>,
    /// At most this much memory, in bytes.
    pub limit_memory: Option<u64>,
    /// Counts all memory in use, where somebody can; otherwise that of the states counts.
    pub used_memory: Option<fn() -> u64>,
    /// At most this much time.
    pub limit_time: Option<Duration>,
    /// Breadth-first: only runs of at most this many steps.
    pub max_depth: Option<u64>,
    /// Store states compressed.
    pub compress: bool,
    /// How many threads expand states breadth-first.
    pub threads: Threads,
    /// Remember how each state was reached.
    pub parents: bool,
    /// Stop when an error of each of these classes was met, …
    pub wanted: PerClass<bool>,
    /// … and a state that breaks each of these conditions.
    pub conditions: Vec<Formula>,
}

impl Options {
    /// The limits of the store.
    pub(crate) fn limits(&self) -> Limits {
        let most = Limits::default().states;
        let states = self
            .limit_states
            .map_or(most, |n| u32::try_from(n).unwrap_or(most).min(most));
        Limits {
            states,
            bytes: self.limit_memory.map_or(usize::MAX, |n| n as usize),
        }
    }
}

/// Why a search ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The limit on states.
    States,
    /// The limit on memory.
    Memory,
    /// The limit on time.
    Time,
    /// The limit on the length of runs.
    Depth,
    /// Somebody asked for it.
    Interrupted,
    /// A state is larger than the store takes.
    Length,
    /// The system has more combinations of processes than can be numbered.
    Shapes,
    /// An atomic sequence is too long to be followed to its end.
    Atomic,
    /// A state has too many successors.
    Successors,
    /// A place of a net has more tokens than can be counted.
    Tokens,
    /// An expression is too large or too deep.
    Evaluation(Lasting),
    /// There are more processes than fairness was set up for.
    Processes,
    /// A proposition has no value in some state.
    Proposition,
}

impl Stop {
    /// What the system could not do is a limit, not an error of the model.
    pub fn of_fault(kind: &FaultKind) -> Option<Stop> {
        match kind {
            FaultKind::TooManyShapes => Some(Stop::Shapes),
            FaultKind::LongAtomic => Some(Stop::Atomic),
            FaultKind::TooManySuccessors => Some(Stop::Successors),
            FaultKind::TooManyTokens => Some(Stop::Tokens),
            FaultKind::Limit(what) => Some(Stop::Evaluation(*what)),
            _ => None,
        }
    }
}

impl From<Full> for Stop {
    fn from(full: Full) -> Stop {
        match full {
            Full::Ids => Stop::States,
            Full::Memory => Stop::Memory,
            Full::Length => Stop::Length,
        }
    }
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Stop::States => "the limit on states was reached",
            Stop::Memory => "the memory limit was reached",
            Stop::Time => "the time limit was reached",
            Stop::Depth => "longer runs than the bound allows were not looked at",
            Stop::Interrupted => "interrupted",
            Stop::Length => "a state is too long to be stored",
            Stop::Shapes => "more combinations of processes than can be numbered",
            Stop::Successors => "a state has too many successors to list them all",
            Stop::Tokens => "a place has more tokens than can be counted",
            Stop::Evaluation(what) => what.text(),
            Stop::Atomic => "an atomic or d_step sequence is too long to be followed to its end",
            Stop::Processes => "more processes than fairness was set up for",
            Stop::Proposition => "an expression of the property has no value in some state",
        })
    }
}

/// How far a search has come.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// States stored.
    pub states: u64,
    /// States expanded.
    pub expanded: u64,
    /// Transitions generated.
    pub transitions: u64,
    /// The current depth.
    pub depth: u64,
    /// Memory used for states.
    pub bytes: u64,
}

/// An error that was met.
#[derive(Clone, Debug)]
pub struct FoundError {
    /// The state it happens in.
    pub state: StateId,
    /// What happens; none for an improper end.
    pub report: Option<FaultReport>,
}

/// What a search found.
#[derive(Debug, Default)]
pub struct Exploration {
    /// How far it went.
    pub progress: Progress,
    /// The greatest distance from the initial state (of a stack, depth-first).
    pub depth: u64,
    /// Improper ends.
    pub deadlocks: u64,
    /// The first error of each class.
    pub first: PerClass<Option<FoundError>>,
    /// The first run-time error that ends a run; a failed assertion does not.
    pub cut: Option<FaultReport>,
    /// Why it ended early.
    pub stop: Option<Stop>,
    /// Time it took.
    pub elapsed: Duration,
    /// For each state, the one it was reached from (itself for initial states).
    pub parents: Vec<u32>,
    /// For each action, whether it was executed.
    pub executed: Vec<bool>,
    /// How many of the states were expanded by other threads, ahead of the search.
    pub ahead: u64,
    /// How often an initial state was generated.
    pub initial: u64,
    /// Breadth-first: where each level but the last ends.
    pub levels: Vec<u32>,
}

/// Is told how a search goes; says whether to go on.
pub type Observer<'a> = dyn FnMut(&Progress) -> bool + 'a;

/// Explores a system.
pub fn explore(
    system: &dyn Explicit,
    options: &Options,
    observer: &mut Observer<'_>,
) -> Exploration {
    let limits = options.limits();
    if options.compress {
        let store = TreeStore::with_limits(limits);
        let mut search = Search::new(system, options.clone(), store);
        search.advance(None, observer);
        search.found
    } else {
        let store = PlainStore::with_limits(limits);
        let mut search = Search::new(system, options.clone(), store);
        search.advance(None, observer);
        search.found
    }
}

/// A search that can be paused.
pub(crate) struct Search<'a, S> {
    system: &'a dyn Explicit,
    explorer: Box<dyn Explorer + 'a>,
    states: States<'a, S>,
    /// Where others generate successors for a store that is the search's own.
    feed: Option<Box<Feed<'a>>>,
    crew: Arc<Crew>,
    pub options: Options,
    pub found: Exploration,
    pub conditions: Conditions,
    successors: Successors,
    hashes: Vec<u64>,
    state: Vec<u8>,
    faults: Vec<FaultReport>,
    started: Instant,
    /// Breadth-first: the next state to expand, and where its level ends.
    next: usize,
    level_end: usize,
    /// When to look at the limits.
    beat: Beat,
    /// Whether an error that is looked for was met just now.
    is_fresh: bool,
    /// Whether somebody waits for news of such errors, and where there will be some.
    pub tells: bool,
    news_at: usize,
}

/// A search goes on for so many states before it interrupts itself with news: short ones never do.
const NEWS_AFTER: usize = 1 << 10;

/// Where a search stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pause {
    /// Everything is explored, or what was looked for is found.
    Done,
    /// The number of states asked for is reached.
    Paused,
    /// An error was met, and others are still looked for.
    News,
}

impl<'a, S: Store> Search<'a, S> {
    pub fn new(system: &'a dyn Explicit, mut options: Options, store: S) -> Search<'a, S> {
        if !system.is_pure() {
            options.threads = Threads::default();
        }
        Search {
            system,
            explorer: system.explorer(&[]),
            states: States::Alone(store),
            feed: None,
            crew: Crew::new(options.threads),
            conditions: Conditions::new(std::mem::take(&mut options.conditions)),
            options,
            found: Exploration::default(),
            successors: Successors::new(),
            hashes: Vec::new(),
            state: Vec::new(),
            faults: Vec::new(),
            started: Instant::now(),
            next: 0,
            level_end: 0,
            beat: Beat::new(),
            is_fresh: false,
            tells: false,
            news_at: usize::MAX,
        }
    }

    /// Explores until it is done, stopped, or (breadth-first) has stored `pause_at` states.
    pub fn advance(&mut self, pause_at: Option<usize>, observer: &mut Observer<'_>) -> Pause {
        let result = match self.options.order {
            Order::BreadthFirst => self.breadth_first(pause_at, observer),
            Order::DepthFirst => self.depth_first(observer).map(|()| Pause::Done),
        };
        self.found.elapsed = self.started.elapsed();
        self.found.progress.states = self.states.len() as u64;
        self.found.progress.bytes = self.states.bytes_used() as u64;
        self.found.executed = self.explorer.executed().to_vec();
        self.found.ahead = self.states.expanded_ahead();
        let mut others = Vec::new();
        if let States::Together(taking) = &self.states {
            others = taking.executed();
        } else if let Some(feed) = &self.feed {
            self.found.ahead = feed.taken();
            others = feed.executed();
        }
        for (own, others) in self.found.executed.iter_mut().zip(others) {
            *own |= others;
        }
        match result {
            Ok(pause) => pause,
            Err(stop) => {
                self.found.stop = Some(stop);
                Pause::Done
            }
        }
    }

    fn initial(&mut self) -> Result<Vec<StateId>, Stop> {
        let mut successors = std::mem::take(&mut self.successors);
        self.explorer.initial(&mut successors);
        let mut ids = Vec::new();
        for index in 0..successors.len() {
            let state = successors.state(index);
            let (id, new) = self.states.insert(state)?;
            if new && self.options.parents {
                self.found.parents.push(id.number());
            }
            ids.push(id);
        }
        self.found.initial = successors.len() as u64;
        let limit = |r: &FaultReport| Stop::of_fault(&r.fault.kind);
        if let Some(stop) = successors.faults().iter().find_map(limit) {
            return Err(stop);
        }
        if let Some(report) = successors.faults().first().cloned() {
            self.found.cut = Some(report.clone());
            self.note(ErrorClass::Fault, StateId::new(0), Some(report));
        }
        self.successors = successors;
        Ok(ids)
    }

    fn breadth_first(
        &mut self,
        pause_at: Option<usize>,
        observer: &mut Observer<'_>,
    ) -> Result<Pause, Stop> {
        if self.next == 0 {
            self.initial()?;
            self.level_end = self.states.len();
        }
        if let Some(pause) = self.walk(pause_at, self.options.threads, observer)? {
            return Ok(pause);
        }
        let (crew, system) = (self.crew.clone(), self.system);
        crew.attend(system, || {
            self.call(&crew);
            let pause = self.walk(pause_at, Threads::default(), observer)?;
            Ok(pause.unwrap_or(Pause::Done))
        })
    }

    /// Lets others help from now on: a few by generating successors, many by storing them, too.
    fn call(&mut self, crew: &Crew) {
        let (system, next) = (self.system, self.next);
        let propositions = self.conditions.propositions.clone();
        if let States::Alone(store) = &self.states
            && store.is_quick()
            && crew.threads().count <= feed::MOST_THREADS
        {
            if self.feed.is_none() && crew.is_ready() {
                let feed = Feed::new(system, crew.threads(), propositions, next);
                crew.set_job(feed.supply());
                self.feed = Some(Box::new(feed));
            }
            return;
        }
        let wanted = Wanted {
            propositions: &propositions,
            fairness: &Fairness::default(),
            ends: true,
            first: First::Oldest,
        };
        let is_expanded = |id: StateId| id.index() < next;
        self.states.share(system, crew, &wanted, is_expanded);
    }

    /// Expands states in their order; where it stands, if that is not because so many were expanded that
    /// others should help.
    fn walk(
        &mut self,
        pause_at: Option<usize>,
        threads: Threads,
        observer: &mut Observer<'_>,
    ) -> Result<Option<Pause>, Stop> {
        while self.next < self.states.len() {
            if pause_at.is_some_and(|pause| self.states.len() >= pause) {
                return Ok(Some(Pause::Paused));
            }
            if threads.help_after(self.next) {
                return Ok(None);
            }
            if self.next == self.level_end {
                if self.options.max_depth == Some(self.found.depth) {
                    return Err(Stop::Depth);
                }
                self.found.levels.push(self.level_end as u32);
                self.level_end = self.states.len();
                self.found.depth += 1;
            }
            self.expand(StateId::new(self.next as u32))?;
            self.next += 1;
            self.found.progress.expanded = self.next as u64;
            if self.is_fresh {
                if self.is_satisfied() {
                    return Ok(Some(Pause::Done));
                }
                self.is_fresh = false;
                if self.tells {
                    self.news_at = self.news_at.min(self.next + NEWS_AFTER);
                }
            }
            if self.next >= self.news_at {
                self.news_at = usize::MAX;
                return Ok(Some(Pause::News));
            }
            if self.beat.is_due(self.found.progress.expanded) {
                self.look(observer)?;
            }
        }
        Ok(Some(Pause::Done))
    }

    /// Expands a state and stores its successors.
    fn expand(&mut self, id: StateId) -> Result<(), Stop> {
        if let States::Together(_) = self.states {
            return self.take(id);
        }
        if let Some(mut feed) = self.feed.take() {
            let taken = self.take_generated(id, &mut feed);
            self.feed = Some(feed);
            if taken? {
                return Ok(());
            }
        }
        self.generate(id)?;
        if !self.conditions.is_empty() {
            let letter = self.conditions.evaluate(&mut *self.explorer, &self.state)?;
            self.is_fresh |= self.conditions.look(letter, id);
        }
        for index in 0..self.successors.len() {
            let (_, new) = self.store_successor(index)?;
            if new && self.options.parents {
                self.found.parents.push(id.number());
            }
        }
        Ok(())
    }

    #[inline]
    fn store_successor(&mut self, index: usize) -> Result<(StateId, bool), Full> {
        let state = self.successors.state(index);
        match &mut self.states {
            States::Alone(store) => store.insert_hashed(self.hashes[index], state),
            States::Together(taking) => taking.insert(state),
        }
    }

    /// Takes what somebody found out about a state.
    fn take(&mut self, id: StateId) -> Result<(), Stop> {
        let States::Together(taking) = &mut self.states else {
            return Ok(());
        };
        let mut into = Into {
            from: id,
            parents: self.options.parents.then_some(&mut self.found.parents),
            faults: std::mem::take(&mut self.faults),
            count: None,
            is_improper: false,
            conditions: &mut self.conditions,
            letter: None,
        };
        into.faults.clear();
        let taken = taking.take(id, &mut into);
        let (count, is_improper, faults) = (into.count, into.is_improper, into.faults);
        if let Some(letter) = into.letter.filter(|_| !self.conditions.is_empty()) {
            self.is_fresh |= self.conditions.look(letter, id);
        }
        self.found.progress.transitions += count.unwrap_or(0);
        // As if it had been seen before the successors were stored.
        let noted = self.note_all(id, &faults, is_improper);
        self.faults = faults;
        noted.and(taken)
    }

    /// Stores the successors of a state that somebody has generated, if somebody has.
    fn take_generated(&mut self, id: StateId, feed: &mut Feed<'a>) -> Result<bool, Stop> {
        let States::Alone(store) = &self.states else {
            return Ok(false);
        };
        feed.hand_out(store, id.index());
        let Some((generated, index)) = feed.take(id.index(), store) else {
            return Ok(false);
        };
        let (outcome, edges) = (generated.states[index], generated.edges(index));
        self.found.progress.transitions += u64::from(outcome.count);
        let extra = generated.extra(index).filter(|_| outcome.has_extra);
        let faults = extra.map_or(&[][..], |extra| &extra.faults);
        self.note_all(id, faults, outcome.is_improper)?;
        if !self.conditions.is_empty() {
            for failure in extra.iter().flat_map(|extra| &extra.failures) {
                self.conditions.fail(*failure);
            }
            let letter = self.conditions.adopt(generated.letters.get(index))?;
            self.is_fresh |= self.conditions.look(letter, id);
        }
        let States::Alone(store) = &mut self.states else {
            return Ok(false);
        };
        for edge in edges {
            generated.announce(edge, store);
            let state = generated.successors.get(edge);
            let (_, new) = store.insert_hashed(generated.hashes[edge], state)?;
            if new && self.options.parents {
                self.found.parents.push(id.number());
            }
        }
        Ok(true)
    }

    /// Generates the successors of a state and looks at what is wrong with it.
    fn generate(&mut self, id: StateId) -> Result<(), Stop> {
        self.states.load(id, &mut self.state);
        self.explorer.expand(&self.state, &mut self.successors);
        if let States::Alone(store) = &self.states {
            hash_all(store, &self.successors, &mut self.hashes);
        }
        self.found.progress.transitions += self.successors.len() as u64;
        let ends = self.successors.is_empty() && self.successors.faults().is_empty();
        let is_improper = ends && !self.explorer.is_valid_end(&self.state);
        let successors = std::mem::take(&mut self.successors);
        let noted = self.note_all(id, successors.faults(), is_improper);
        self.successors = successors;
        noted
    }

    /// Notes what is wrong with a state.
    #[inline]
    fn note_all(
        &mut self,
        id: StateId,
        faults: &[FaultReport],
        improper: bool,
    ) -> Result<(), Stop> {
        if !faults.is_empty() {
            self.note_faults(id, faults)?;
        } else if improper {
            self.found.deadlocks += 1;
            self.note(ErrorClass::Deadlock, id, None);
        }
        Ok(())
    }

    fn note_faults(&mut self, id: StateId, reports: &[FaultReport]) -> Result<(), Stop> {
        let limit = |r: &FaultReport| Stop::of_fault(&r.fault.kind);
        let is_trace = |r: &FaultReport| matches!(r.fault.kind, FaultKind::Trace { .. });
        let mut faults = reports
            .iter()
            .filter(|r| limit(r).is_none() && !is_trace(r));
        // Of several, one that the user wrote: an assertion.
        let assertion = |r: &&FaultReport| r.fault.kind == FaultKind::Assertion;
        let fault = faults
            .clone()
            .find(assertion)
            .or_else(|| faults.next())
            .cloned();
        if self.found.cut.is_none() {
            self.found.cut = reports
                .iter()
                .find(|r| limit(r).is_none() && !is_trace(r) && !assertion(r))
                .cloned();
        }
        let trace = reports.iter().find(|r| is_trace(r)).cloned();
        let stop = reports.iter().find_map(limit);
        for (class, report) in [(ErrorClass::Fault, fault), (ErrorClass::Trace, trace)] {
            if report.is_some() {
                self.note(class, id, report);
            }
        }
        stop.map_or(Ok(()), Err)
    }

    /// Remembers the first error of a class.
    fn note(&mut self, class: ErrorClass, state: StateId, report: Option<FaultReport>) {
        // A fault is a step behind the state that it happens in.
        let is_far = self.options.max_depth == Some(self.found.depth);
        let first = &mut self.found.first[class];
        if first.is_none() && (class == ErrorClass::Deadlock || !is_far) {
            *first = Some(FoundError { state, report });
            self.is_fresh |= self.options.wanted[class];
        }
    }

    /// Whether every error that is looked for was met, and every condition failed.
    fn is_satisfied(&self) -> bool {
        if self.conditions.is_open() {
            return false;
        }
        let mut wanted = ErrorClass::ALL
            .into_iter()
            .filter(|&c| self.options.wanted[c])
            .peekable();
        wanted.peek().is_some() && wanted.all(|class| self.found.first[class].is_some())
    }

    fn look(&mut self, observer: &mut Observer<'_>) -> Result<(), Stop> {
        self.found.progress.states = self.states.len() as u64;
        self.found.progress.bytes = self.states.bytes_used() as u64;
        self.found.progress.depth = self.found.depth;
        self.beat.taken(self.found.progress.expanded);
        if !observer(&self.found.progress) {
            return Err(Stop::Interrupted);
        }
        let used = self.options.used_memory.map_or(0, |used| used());
        if self.options.limit_memory.is_some_and(|most| used > most) {
            return Err(Stop::Memory);
        }
        if self
            .options
            .limit_time
            .is_some_and(|limit| self.started.elapsed() > limit)
        {
            return Err(Stop::Time);
        }
        Ok(())
    }

    fn depth_first(&mut self, observer: &mut Observer<'_>) -> Result<(), Stop> {
        let roots = self.initial()?;
        let mut entered: Vec<bool> = Vec::new();
        // Successors that are still to be entered, and where the list of each state on the stack
        // begins.
        let mut pending: Vec<StateId> = roots.into_iter().rev().collect();
        let mut frames: Vec<usize> = vec![0];
        let mut count = 0u64;
        while let Some(&start) = frames.last() {
            if pending.len() <= start {
                frames.pop();
                continue;
            }
            let Some(id) = pending.pop() else { break };
            if entered.get(id.index()).copied().unwrap_or(false) {
                continue;
            }
            if entered.len() <= id.index() {
                entered.resize(id.index() + 1, false);
            }
            entered[id.index()] = true;
            frames.push(pending.len());
            self.found.depth = self.found.depth.max(frames.len() as u64 - 2);
            self.generate(id)?;
            for index in (0..self.successors.len()).rev() {
                let (to, new) = self.store_successor(index)?;
                if new && self.options.parents {
                    self.found.parents.push(id.number());
                }
                pending.push(to);
            }
            count += 1;
            self.found.progress.expanded = count;
            if self.is_fresh && self.is_satisfied() {
                return Ok(());
            }
            self.is_fresh = false;
            if self.beat.is_due(count) {
                self.look(observer)?;
            }
        }
        Ok(())
    }
}

/// The states that people count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// How many.
    pub states: u64,
    /// How often one was generated, initial ones and steps to known ones included.
    pub generated: u64,
    /// How many levels breadth-first has.
    pub depth: u64,
}

impl<S: Store> Search<'_, S> {
    /// Those of the states that people count.
    pub fn counted(&self) -> Counted {
        let generated = self.found.initial + self.found.progress.transitions;
        if self.system.counts_all() {
            let states = self.states.len() as u64;
            return Counted {
                states,
                generated,
                depth: self.found.depth + u64::from(states > 0),
            };
        }
        let (mut states, mut depth) = (0, 0);
        let mut state = Vec::new();
        let (mut level, mut ends) = (1, self.found.levels.iter().peekable());
        for number in 0..self.states.len() as u32 {
            if ends.next_if(|&&end| end == number).is_some() {
                level += 1;
            }
            self.states.load(StateId::new(number), &mut state);
            if self.system.is_counted(&state) {
                (states, depth) = (states + 1, level);
            }
        }
        Counted {
            states,
            generated,
            depth,
        }
    }

    /// The states from an initial one to `to`, by the parents that were kept.
    pub fn path(&self, to: StateId) -> Vec<Vec<u8>> {
        let mut path = Vec::new();
        if self.states.len() == 0 {
            return path; // the error is in the making of the initial state
        }
        let mut at = to;
        loop {
            let mut state = Vec::new();
            self.states.load(at, &mut state);
            path.push(state);
            match self.found.parents.get(at.index()) {
                Some(&parent) if parent != at.number() => at = StateId::new(parent),
                _ => break,
            }
        }
        path.reverse();
        path
    }
}

/// Where what is known of a state goes.
struct Into<'s> {
    from: StateId,
    parents: Option<&'s mut Vec<u32>>,
    faults: Vec<FaultReport>,
    count: Option<u64>,
    is_improper: bool,
    conditions: &'s mut Conditions,
    letter: Option<u32>,
}

impl Taker for Into<'_> {
    fn extra(&mut self, extra: &Extra, count: u32) -> Result<(), Stop> {
        self.count = Some(u64::from(count));
        self.faults.extend_from_slice(&extra.faults);
        for failure in &extra.failures {
            self.conditions.fail(*failure);
        }
        let mut limits = extra.faults.iter();
        let limit = limits.find_map(|report| Stop::of_fault(&report.fault.kind));
        limit.map_or(Ok(()), Err)
    }

    fn letter(&mut self, letter: &[u8]) -> Result<u32, Stop> {
        match self.conditions.is_empty() {
            true => Ok(0),
            false => self.conditions.adopt(letter),
        }
    }

    fn source(&mut self, _source: &[u8]) -> Result<u32, Stop> {
        Ok(0)
    }

    fn grant(&mut self, _grant: &[u8]) -> Result<u32, Stop> {
        Ok(0)
    }

    fn state(&mut self, state: Record) {
        self.count = Some(u64::from(state.count));
        self.is_improper = state.is_improper;
        self.letter = Some(state.letter);
    }

    fn successor(&mut self, _to: StateId, _grant: Option<u32>, new: bool) {
        if let Some(parents) = self.parents.as_mut().filter(|_| new) {
            parents.push(self.from.number());
        }
    }
}
