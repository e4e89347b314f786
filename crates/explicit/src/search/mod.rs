//! Plain exploration: every reachable state once, breadth-first or depth-first.
//!
//! Breadth-first needs no queue: states are numbered in the order they are met, and the search
//! walks through the numbers. All successors of a state are generated before the first is stored,
//! so that the memory they will be looked up in can be fetched meanwhile. Depth-first keeps a stack
//! of successor lists and is here for its order, not its speed.
//!
//! Breadth-first finds the nearest run-time error and the nearest improper end; with parents kept,
//! the path to each is a shortest one.

mod helped;
mod terms;
mod told;

use std::sync::Arc;
use std::time::Instant;

use evenhand_system::explicit::FaultReport;
use evenhand_system::{Explicit, Explorer, FaultKind, Successors};

use crate::ahead::crew::{Crew, Threads};
use crate::ahead::feed::Feed;
use crate::ahead::states::States;
use crate::conditions::Conditions;
use crate::store::{Full, PlainStore, StateId, Store, TreeStore, hash_all};
use crate::watch::Beat;

pub use terms::{
    ErrorClass, Exploration, FoundError, Observer, Options, Order, PerClass, Progress, Stop,
};
pub use told::Counted;

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
    /// Whether it was ended since too much memory was in use, between two states.
    pub is_crowded: bool,
    /// Whether an error that is looked for was met just now.
    is_fresh: bool,
    /// Whether somebody waits for news of such errors, and where there will be some.
    pub tells: bool,
    news_at: usize,
}

/// A search goes on for so many states before it interrupts itself with news: short ones never do.
pub(crate) const NEWS_AFTER: usize = 1 << 10;

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
            is_crowded: false,
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

    /// Somebody has given back memory: whether a search that was ended since too much was in use can go on.
    pub fn has_room_again(&mut self) -> bool {
        let is_ended = std::mem::take(&mut self.is_crowded);
        if is_ended {
            self.found.stop = None;
        }
        is_ended
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
            // It happens before there is a state, whatever others were made.
            self.note(ErrorClass::Fault, StateId::new(u32::MAX), Some(report));
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

    /// Generates the successors of a state and looks at what is wrong with it.
    fn generate(&mut self, id: StateId) -> Result<(), Stop> {
        self.states.load(id, &mut self.state);
        self.explorer.expand(&self.state, &mut self.successors);
        let met = self.successors.unsettled();
        if !met.is_empty() && !self.system.settle(met) {
            return Err(Stop::Interrupted);
        }
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
            self.is_crowded = true;
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
