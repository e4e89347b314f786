//! The nearest errors in a space that is kept for other questions.
//!
//! Where expanding a state takes much longer than keeping what leads out of it, the search for errors walks through the
//! space that questions about runs need anyway: each state is expanded once for all of them. The walk is breadth-first, so the
//! first error of a class is a nearest one, as in a search of its own; like that one it pauses where states are many for
//! one depth-first probe.
//!
//! A space does not keep in which state a run-time error happens. Where one is met, or where what fairness asks has no value,
//! nothing is said, and whoever asks has to search by other means.

use std::time::Instant;

use evenhand_system::{Explicit, Explorer};

use super::{Audience, Finding, PROBE_AFTER, PROBE_STATES, Safety, SafetyOptions, left, probe};
use crate::invariants::holds_by_letter;
use crate::search::{Counted, ErrorClass, NEWS_AFTER, Order, PerClass, Progress, Stop};
use crate::space::Space;
use crate::store::{PlainStore, StateId, Store};
use crate::watch::Beat;

/// Looks for the nearest improper ends and states that break conditions; none where another search has to do that.
///
/// The space knows the propositions of the conditions. Which actions were executed is to be asked of the space when nobody
/// helps any more.
pub fn nearest_errors_kept<S: Store>(
    space: &mut Space<'_, S>,
    system: &dyn Explicit,
    options: &SafetyOptions,
    audience: &mut dyn Audience,
) -> Option<Safety> {
    let count = options.search.conditions.len();
    let mut walk = Walk {
        system,
        options,
        explorer: system.explorer(&[]),
        started: Instant::now(),
        beat: Beat::new(),
        parents: Vec::new(),
        queue: Vec::new(),
        looked: Vec::new(),
        state: Vec::new(),
        counted: (0, 0),
        initial: 0,
        progress: Progress::default(),
        told: (false, vec![false; count]),
        safety: Safety {
            broken: vec![None; count],
            undecided: vec![false; count],
            ..Safety::default()
        },
    };
    let stop = match walk.run(space, audience) {
        Ok(()) => None,
        Err(End::Other) => return None,
        Err(End::Stop(stop)) => Some(stop),
    };
    Some(walk.conclude(space, stop))
}

struct Walk<'w> {
    system: &'w dyn Explicit,
    options: &'w SafetyOptions,
    explorer: Box<dyn Explorer + 'w>,
    started: Instant,
    beat: Beat,
    /// For each state one more than the state it was reached from; its own number for initial ones, and 0 before it is
    /// reached.
    parents: Vec<u32>,
    /// The states in the order in which they were reached.
    queue: Vec<StateId>,
    /// Which letters were looked at.
    looked: Vec<bool>,
    state: Vec<u8>,
    /// How many of the states people count, and the level of the last one.
    counted: (u64, u64),
    /// How often an initial state was generated.
    initial: u64,
    progress: Progress,
    /// Whether somebody has heard of an improper end, and which conditions somebody has heard of.
    told: (bool, Vec<bool>),
    safety: Safety,
}

/// Why a walk ends before everything was seen.
enum End {
    Stop(Stop),
    /// Another search has to be made.
    Other,
}

impl From<Stop> for End {
    fn from(stop: Stop) -> End {
        match stop {
            // What fairness or a formula asks of a step has no value: errors may be found without that.
            Stop::Evaluation(_) => End::Other,
            stop => End::Stop(stop),
        }
    }
}

impl Walk<'_> {
    fn run<S: Store>(
        &mut self,
        space: &mut Space<'_, S>,
        audience: &mut dyn Audience,
    ) -> Result<(), End> {
        let initial = space.initial()?;
        if !space.faults().is_empty() {
            return Err(End::Other);
        }
        self.initial = initial.len() as u64;
        for &state in &initial {
            self.reach(state, state);
        }
        let (mut next, mut level_end) = (0, self.queue.len());
        let (mut is_probed, mut news_at) = (false, usize::MAX);
        let mut targets: Vec<StateId> = Vec::new();
        while next < self.queue.len() {
            if next == level_end {
                level_end = self.queue.len();
                self.progress.depth += 1;
            }
            let state = self.queue[next];
            next += 1;
            let outgoing = space.outgoing_partly(state)?;
            let letter = outgoing.letter;
            targets.clear();
            targets.extend(outgoing.edges().map(|(to, _)| to));
            if !space.faults().is_empty() {
                return Err(End::Other);
            }
            self.progress.expanded = next as u64;
            self.progress.transitions += targets.len() as u64;
            if self.options.counts && !self.system.counts_all() {
                space.load(state, &mut self.state);
                if self.system.is_counted(&self.state) {
                    self.counted = (self.counted.0 + 1, self.progress.depth + 1);
                }
            }
            for &to in &targets {
                self.reach(to, state);
            }
            let mut is_fresh = self.look_at_letter(space, letter, state);
            if targets.is_empty() {
                is_fresh |= self.look_at_end(space, state);
            }
            if is_fresh && self.is_satisfied() {
                return Ok(());
            }
            if is_fresh {
                news_at = news_at.min(next + NEWS_AFTER);
            }
            if next >= news_at {
                news_at = usize::MAX;
                self.measure(space);
                self.tell(audience);
            }
            if !is_probed && self.queue.len() >= PROBE_AFTER {
                is_probed = true;
                self.measure(space);
                self.probe(audience)?;
            }
            if self.beat.is_due(self.progress.expanded) {
                self.look(space, audience)?;
            }
        }
        Ok(())
    }

    fn reach(&mut self, state: StateId, from: StateId) {
        if self.parents.len() <= state.index() {
            self.parents.resize(state.index() + 1, 0);
        }
        if self.parents[state.index()] == 0 {
            self.parents[state.index()] = from.number() + 1;
            self.queue.push(state);
        }
    }

    /// Looks at conditions under a letter that was not met before; whether one fails that did not fail before.
    fn look_at_letter<S: Store>(
        &mut self,
        space: &Space<'_, S>,
        letter: u32,
        state: StateId,
    ) -> bool {
        let place = letter as usize;
        if self.looked.len() <= place {
            self.looked.resize(place + 1, false);
        }
        if std::mem::replace(&mut self.looked[place], true) {
            return false;
        }
        let mut is_new = false;
        let missing: Vec<usize> = space.missing(letter).collect();
        for (number, formula) in self.options.search.conditions.iter().enumerate() {
            if self.safety.broken[number].is_some() {
                continue;
            }
            let value = |proposition| {
                let place = space.place_of(proposition)?;
                (!missing.contains(&place)).then(|| space.letter_has(letter, place))
            };
            match holds_by_letter(formula, &value) {
                Some(true) => {}
                Some(false) => {
                    self.safety.broken[number] = Some(self.finding(space, state));
                    is_new = true;
                }
                None => {
                    self.safety.undecided[number] = true;
                    let failure = space.failure(&formula.reads());
                    self.safety.failures.extend(failure);
                }
            }
        }
        is_new
    }

    /// Looks at a state without successors; whether that is the first improper end.
    fn look_at_end<S: Store>(&mut self, space: &Space<'_, S>, state: StateId) -> bool {
        let class = ErrorClass::Deadlock;
        if !self.options.search.wanted[class] || self.is_nearest(class) {
            return false;
        }
        space.load(state, &mut self.state);
        if self.explorer.is_valid_end(&self.state) {
            return false;
        }
        self.safety.errors[class] = Some(self.finding(space, state));
        true
    }

    /// Tells what was found and not told yet.
    fn tell(&mut self, audience: &mut dyn Audience) {
        let class = ErrorClass::Deadlock;
        if let (Some(finding), false) = (&self.safety.errors[class], self.told.0) {
            audience.found(class, finding, &self.progress);
            self.told.0 = true;
        }
        for (number, finding) in self.safety.broken.iter().enumerate() {
            if let (Some(finding), false) = (finding, self.told.1[number]) {
                audience.broken(number, finding, &self.progress);
                self.told.1[number] = true;
            }
        }
    }

    /// Whether a nearest error of a class is known.
    fn is_nearest(&self, class: ErrorClass) -> bool {
        let found = self.safety.errors[class].as_ref();
        found.is_some_and(|finding| finding.shortest)
    }

    /// Whether every error that is looked for was met, and every condition failed.
    fn is_satisfied(&self) -> bool {
        let mut wanted = ErrorClass::ALL.into_iter();
        wanted.all(|class| !self.options.search.wanted[class] || self.is_nearest(class))
            && self.safety.broken.iter().all(Option::is_some)
    }

    /// A state that is wrong: no path to one is shorter.
    fn finding<S: Store>(&self, space: &Space<'_, S>, state: StateId) -> Finding {
        let mut path = Vec::new();
        let mut at = self.options.paths.then_some(state);
        while let Some(id) = at {
            let mut bytes = Vec::new();
            space.load(id, &mut bytes);
            path.push(bytes);
            let parent = self.parents[id.index()] - 1;
            at = (parent != id.number()).then(|| StateId::new(parent));
        }
        path.reverse();
        Finding {
            lower_bound: path.len().saturating_sub(1),
            path,
            fault: None,
            shortest: true,
        }
    }

    /// Goes deep for a while.
    fn probe(&mut self, audience: &mut dyn Audience) -> Result<(), End> {
        let mut options = self.options.search.clone();
        options.order = Order::BreadthFirst;
        options.parents = self.options.paths;
        options.limit_time = left(options.limit_time, self.started);
        options.conditions.clear();
        for class in ErrorClass::ALL {
            options.wanted[class] &= self.safety.errors[class].is_none();
        }
        let store = PlainStore::with_limits(options.limits());
        let (system, asked) = (self.system, self.options);
        let mut deep = probe((system, asked, options), PROBE_STATES, store, audience);
        if deep[ErrorClass::Fault].is_some() || deep[ErrorClass::Trace].is_some() {
            return Err(End::Other);
        }
        let class = ErrorClass::Deadlock;
        if let Some(finding) = deep[class].take() {
            self.safety.errors[class] = Some(finding);
            self.tell(audience);
        }
        Ok(())
    }

    fn measure<S: Store>(&mut self, space: &Space<'_, S>) {
        self.progress.states = space.len() as u64;
        self.progress.bytes = space.bytes_used() as u64;
    }

    fn look<S: Store>(
        &mut self,
        space: &Space<'_, S>,
        audience: &mut dyn Audience,
    ) -> Result<(), Stop> {
        self.beat.taken(self.progress.expanded);
        self.measure(space);
        if !audience.progress(&self.progress) {
            return Err(Stop::Interrupted);
        }
        let search = &self.options.search;
        let used = search.used_memory.map_or(0, |used| used());
        if search.limit_memory.is_some_and(|most| used > most) {
            return Err(Stop::Memory);
        }
        let is_over = |limit| self.started.elapsed() > limit;
        match search.limit_time.is_some_and(is_over) {
            true => Err(Stop::Time),
            false => Ok(()),
        }
    }

    fn conclude<S: Store>(mut self, space: &Space<'_, S>, stop: Option<Stop>) -> Safety {
        self.measure(space);
        let states = self.queue.len() as u64;
        let is_complete = stop.is_none() && self.progress.expanded == states;
        // Levels before the current one are free of ends that were not met.
        if let Some(finding) = &mut self.safety.errors[ErrorClass::Deadlock]
            && !finding.shortest
        {
            let length = finding.path.len().saturating_sub(1);
            finding.lower_bound = (self.progress.depth as usize).min(length);
            finding.shortest = finding.lower_bound == length;
        }
        if is_complete && self.options.counts {
            let (states, depth) = match self.system.counts_all() {
                true => (states, self.progress.depth + u64::from(states > 0)),
                false => self.counted,
            };
            self.safety.counted = Some(Counted {
                states,
                generated: self.initial + self.progress.transitions,
                depth,
            });
        }
        // Who asks fills in which ones.
        self.safety.executed = is_complete.then(Vec::new);
        self.safety.absent = PerClass::default();
        self.safety.ahead = space.expanded_ahead();
        self.safety.progress = self.progress;
        self.safety.stop = stop;
        self.safety
    }
}
