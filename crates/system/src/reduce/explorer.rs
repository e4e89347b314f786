//! The explorer of a reduced system: all steps, then those that are kept, each followed to the end of
//! its chain.
//!
//! Often the steps of one process stand for all, and that can be seen without knowing what the others can
//! do right now: then only that process is expanded. Where fairness asks what is enabled in a state that is
//! kept, all steps are needed.

use super::recent::{Stops, hash_of};
use super::{Choice, Chooser, Reduction};
use crate::explicit::{Explanation, Explorer, Successors, Value};
use crate::fairness::PropositionId;
use crate::fault::Fault;
use crate::ids::ProcessId;

/// No chain is longer: sticky steps see to it that there are ends, and this to it that whoever looks at limits
/// between states does so soon.
pub(super) const LONGEST_CHAIN: usize = 1_000;

/// Expands states of a reduced system.
pub(super) struct ReducedExplorer<'a> {
    inner: Box<dyn Explorer + 'a>,
    chooser: Box<dyn Chooser + 'a>,
    how: Reduction,
    /// Whether it is asked what is enabled.
    is_marked: bool,
    candidates: Vec<ProcessId>,
    kept: Vec<usize>,
    /// States in which chains ended, for all threads.
    stops: &'a Stops,
    /// All steps of the state at hand, and of one in a chain.
    all: Successors,
    link: Successors,
    /// All steps of a state that may be passed over, and those that are kept.
    every: Successors,
    chosen: Vec<usize>,
    at: Vec<u8>,
    taken: Vec<u64>,
    /// States where chains begin: where each one's bytes end, its hash, and whether it is known to be a stop.
    begun: Vec<(usize, u64, bool)>,
    bytes: Vec<u8>,
}

impl<'a> ReducedExplorer<'a> {
    pub fn new(
        inner: Box<dyn Explorer + 'a>,
        chooser: Box<dyn Chooser + 'a>,
        how: Reduction,
        is_marked: bool,
        stops: &'a Stops,
    ) -> ReducedExplorer<'a> {
        ReducedExplorer {
            inner,
            chooser,
            how,
            is_marked,
            candidates: Vec::new(),
            kept: Vec::new(),
            stops,
            all: Successors::new(),
            link: Successors::new(),
            every: Successors::new(),
            chosen: Vec::new(),
            at: Vec::new(),
            taken: Vec::new(),
            begun: Vec::new(),
            bytes: Vec::new(),
        }
    }

    /// The steps of one process that stand for all, if that is easily seen: a single one, or as many as
    /// there are if none is alone. None if all steps are needed in any case.
    fn expand_one(&mut self, state: &[u8], out: &mut Successors) -> Option<bool> {
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        let is_possible = self.chooser.candidates(state, &mut candidates);
        let mut several = None;
        let mut found = false;
        for &process in &candidates {
            if !self.stands_alone(state, process, out) {
                continue;
            }
            if out.len() == 1 {
                found = true;
                break;
            }
            several = several.or(Some(process));
        }
        self.candidates = candidates;
        match several.filter(|_| !found) {
            Some(process) => Some(self.stands_alone(state, process, out)),
            None => is_possible.then_some(found),
        }
    }

    fn stands_alone(&mut self, state: &[u8], process: ProcessId, out: &mut Successors) -> bool {
        self.inner.expand_process(state, process, out)
            && !out.is_empty()
            && out.faults().is_empty()
            && self.chooser.stands_alone(process, out)
    }

    /// Whether a state need not be known to anybody: then its only step is in the list.
    pub(super) fn is_link(&mut self, at: &[u8], step: &mut Successors) -> bool {
        self.leads_on(at, &mut None, step)
    }

    /// The same, where the hash of the state is given if it is known to be no stop. If it is none of which that is
    /// known, it becomes one.
    fn leads_on(&mut self, at: &[u8], hash: &mut Option<u64>, step: &mut Successors) -> bool {
        let stops = self.stops;
        let mut is_known = false;
        let mut is_stop = || {
            let is_new = hash.is_none();
            let hash = *hash.get_or_insert_with(|| hash_of(at));
            is_known = is_new && stops.knows(hash);
            is_known
        };
        let is_link = match self.chooser.chooses_singles() {
            true => !is_stop() && self.is_only_chosen(at, step),
            false => self
                .chooser
                .single(at, &mut *self.inner, &mut is_stop, step),
        };
        if !is_link && !is_known {
            self.stops.add(hash.unwrap_or_else(|| hash_of(at)));
        }
        is_link
    }

    /// Whether of all steps of a state a single one is chosen.
    fn is_only_chosen(&mut self, at: &[u8], step: &mut Successors) -> bool {
        let (mut every, mut chosen) = (
            std::mem::take(&mut self.every),
            std::mem::take(&mut self.chosen),
        );
        self.inner.expand(at, &mut every);
        let is_single = every.faults().is_empty()
            && self.chooser.choose(at, &every, &mut chosen) == Choice::Some
            && chosen.len() == 1;
        if is_single {
            let index = chosen[0];
            step.begin_part(&every);
            step.push_set(every.state(index), every.step(index), every.taken(index), 0);
        }
        (self.every, self.chosen) = (every, chosen);
        is_single
    }

    /// Goes on from the state in `at` with a hash, which is no stop that is known, with what was taken so far,
    /// through states that have a single step. What makes no difference any more is forgotten on the way.
    fn follow(&mut self, first: u64) {
        let mut link = std::mem::take(&mut self.link);
        let mut at = std::mem::take(&mut self.at);
        let mut hash = Some(first);
        // Who made the last step of the chain, if by itself.
        let mut last = None;
        for _ in 0..LONGEST_CHAIN {
            let goes_on = last.is_some_and(|process| {
                let chooser = &mut self.chooser;
                chooser.goes_on(&at, process, &mut *self.inner, &mut link)
            });
            debug_assert!(!goes_on || self.finds_the_same(&at, &link));
            // What belongs to a state that is kept is told when that one is expanded: here it is looked at only if it is not
            // known to be kept.
            let met = self.chooser.met().map_or(0, |met| met.len());
            if !goes_on && !self.leads_on(&at, &mut hash, &mut link) {
                if let Some(all) = self.chooser.met() {
                    all.truncate(met);
                }
                break;
            }
            let step = link.step(0);
            last = step.process.filter(|_| step.partner.is_none());
            at.clear();
            at.extend_from_slice(link.state(0));
            for (word, bits) in self.taken.iter_mut().zip(link.taken(0)) {
                *word |= bits;
            }
            self.chooser.forget(&mut at);
            hash = None;
        }
        self.link = link;
        self.at = at;
    }

    /// Whether the only step of a state is the one in a list.
    fn finds_the_same(&mut self, at: &[u8], link: &Successors) -> bool {
        let mut other = Successors::new();
        self.is_link(at, &mut other)
            && other.state(0) == link.state(0)
            && other.taken(0) == link.taken(0)
            && other.step(0).action == link.step(0).action
    }

    /// Lists steps of a state and finds out which of them are kept: the places of those in the list.
    pub(super) fn keep(&mut self, state: &[u8], all: &mut Successors) -> Vec<usize> {
        let alone = match self.is_marked {
            true => Some(false),
            false => self.expand_one(state, all),
        };
        if alone != Some(true) {
            self.inner.expand(state, all);
        }
        if alone != Some(false) || self.chooser.choose(state, all, &mut self.kept) == Choice::All {
            self.kept.clear();
            self.kept.extend(0..all.len());
        }
        std::mem::take(&mut self.kept)
    }

    /// The initial states of the system itself.
    pub(super) fn initial_of_all(&mut self, out: &mut Successors) {
        self.inner.initial(out);
    }

    /// The state of the reduced system that a state of the system is.
    pub(super) fn forget(&mut self, state: &mut [u8]) {
        if self.how == Reduction::Chains {
            self.chooser.forget(state);
        }
    }

    /// Whether states are passed over.
    pub(super) fn has_chains(&self) -> bool {
        self.how == Reduction::Chains
    }
}

impl Explorer for ReducedExplorer<'_> {
    fn initial(&mut self, out: &mut Successors) {
        if self.how == Reduction::Steps {
            self.inner.initial(out);
            return;
        }
        self.inner.initial(&mut self.all);
        out.begin_part(&self.all);
        for index in 0..self.all.len() {
            self.at.clear();
            self.at.extend_from_slice(self.all.state(index));
            self.chooser.forget(&mut self.at);
            out.push_set(&self.at, self.all.step(index), self.all.taken(index), 0);
        }
    }

    fn expand(&mut self, state: &[u8], out: &mut Successors) {
        let mut all = std::mem::take(&mut self.all);
        if let Some(met) = self.chooser.met() {
            met.clear();
        }
        let kept = self.keep(state, &mut all);
        out.begin_part(&all);
        if self.how == Reduction::Steps {
            for &index in &kept {
                let entry = all.entries[index];
                out.push_set(all.state(index), entry.step, all.taken(index), entry.record);
            }
        } else {
            // Memory is slow: all stops are looked up at once, before the first chain is followed.
            let mut begun = std::mem::take(&mut self.begun);
            begun.clear();
            self.bytes.clear();
            for &index in &kept {
                let first = self.bytes.len();
                self.bytes.extend_from_slice(all.state(index));
                let state = &mut self.bytes[first..];
                self.chooser.forget(state);
                let hash = hash_of(state);
                begun.push((self.bytes.len(), hash, false));
            }
            for (_, hash, is_stop) in &mut begun {
                *is_stop = self.stops.knows(*hash);
            }
            let mut first = 0;
            for (&index, &(end, hash, is_stop)) in kept.iter().zip(&begun) {
                let entry = all.entries[index];
                if is_stop {
                    let state = &self.bytes[first..end];
                    out.push_set(state, entry.step, all.taken(index), entry.record);
                } else {
                    self.at.clear();
                    self.at.extend_from_slice(&self.bytes[first..end]);
                    self.taken.clear();
                    self.taken.extend_from_slice(all.taken(index));
                    self.follow(hash);
                    out.push_set(&self.at, entry.step, &self.taken, entry.record);
                }
                first = end;
            }
            self.begun = begun;
        }
        self.kept = kept;
        self.all = all;
        if let Some(met) = self.chooser.met() {
            out.unsettled.extend_from_slice(met);
        }
    }

    fn holds(&mut self, proposition: PropositionId, state: &[u8]) -> Result<bool, Fault> {
        self.inner.holds(proposition, state)
    }

    fn layout(&self, state: &[u8]) -> Option<u32> {
        self.inner.layout(state)
    }

    fn deciding(&mut self, propositions: &[PropositionId], state: &[u8]) -> Option<Vec<usize>> {
        self.inner.deciding(propositions, state)
    }

    fn is_valid_end(&mut self, state: &[u8]) -> bool {
        self.inner.is_valid_end(state)
    }

    /// All steps: what is explained is a step of the system.
    fn explain(&mut self, state: &[u8], out: &mut Successors) -> Explanation {
        self.inner.explain(state, out)
    }

    fn describe(&mut self, state: &[u8]) -> Vec<(String, Value)> {
        self.inner.describe(state)
    }

    fn has_process(&mut self, state: &[u8], process: ProcessId) -> bool {
        self.inner.has_process(state, process)
    }

    fn process_name(&mut self, state: &[u8], process: ProcessId) -> String {
        self.inner.process_name(state, process)
    }

    fn executed(&self) -> &[bool] {
        self.inner.executed()
    }
}
