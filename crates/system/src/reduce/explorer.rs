//! The explorer of a reduced system: all steps, then those that are kept, each followed to the end of
//! its chain.
//!
//! Often the steps of one process stand for all, and that can be seen without knowing what the others can
//! do right now: then only that process is expanded. Where fairness asks what is enabled in a state that is
//! kept, all steps are needed.

use evenhand_source::budget::spend;

use super::{Choice, Chooser, Reduction};
use crate::explicit::{Explanation, Explorer, Successors, Value};
use crate::fairness::PropositionId;
use crate::fault::Fault;
use crate::ids::ProcessId;

/// No chain is longer: sticky steps see to it that there are ends, and this to it that a mistake there
/// costs states and no more.
const LONGEST_CHAIN: usize = 1 << 16;

/// Expands states of a reduced system.
pub(super) struct ReducedExplorer<'a> {
    inner: Box<dyn Explorer + 'a>,
    chooser: Box<dyn Chooser + 'a>,
    how: Reduction,
    /// Whether it is asked what is enabled.
    is_marked: bool,
    candidates: Vec<ProcessId>,
    kept: Vec<usize>,
    /// States in which chains ended.
    stops: Recent,
    /// All steps of the state at hand, and of one in a chain.
    all: Successors,
    link: Successors,
    at: Vec<u8>,
    taken: Vec<u64>,
}

impl<'a> ReducedExplorer<'a> {
    pub fn new(
        inner: Box<dyn Explorer + 'a>,
        chooser: Box<dyn Chooser + 'a>,
        how: Reduction,
        is_marked: bool,
    ) -> ReducedExplorer<'a> {
        ReducedExplorer {
            inner,
            chooser,
            how,
            is_marked,
            candidates: Vec::new(),
            kept: Vec::new(),
            stops: Recent::default(),
            all: Successors::new(),
            link: Successors::new(),
            at: Vec::new(),
            taken: Vec::new(),
        }
    }

    /// The steps of one process that stand for all, if that is easily seen: a single one, or as many as
    /// there are if none is alone. None if all steps are needed in any case.
    fn expand_one(&mut self, state: &[u8], out: &mut Successors, is_single: bool) -> Option<bool> {
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
        match several.filter(|_| !found && !is_single) {
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

    /// Goes on from the state in `at`, with what was taken so far, through states that have a single
    /// step.
    fn follow(&mut self) {
        let mut link = std::mem::take(&mut self.link);
        let mut at = std::mem::take(&mut self.at);
        for _ in 0..LONGEST_CHAIN {
            let mut only = 0;
            spend();
            let hash = Recent::hash(&at);
            if self.stops.knows(hash) {
                break;
            }
            let Some(is_alone) = self.expand_one(&at, &mut link, true) else {
                self.stops.add(hash);
                break;
            };
            if !is_alone {
                self.inner.expand(&at, &mut link);
                let chosen = self.chooser.choose(&at, &link, &mut self.kept);
                // Where somebody else meets an error, that is told.
                let (Choice::Some, [one], []) = (chosen, &self.kept[..], link.faults()) else {
                    self.stops.add(hash);
                    break;
                };
                only = *one;
            }
            at.clear();
            at.extend_from_slice(link.state(only));
            for (word, bits) in self.taken.iter_mut().zip(link.taken(only)) {
                *word |= bits;
            }
        }
        self.link = link;
        self.at = at;
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
        let alone = match self.is_marked {
            true => Some(false),
            false => self.expand_one(state, &mut all, false),
        };
        if alone != Some(true) {
            self.inner.expand(state, &mut all);
        }
        if alone != Some(false) || self.chooser.choose(state, &all, &mut self.kept) == Choice::All {
            self.kept.clear();
            self.kept.extend(0..all.len());
        }
        out.begin_part(&all);
        let kept = std::mem::take(&mut self.kept);
        for &index in &kept {
            let (state, taken) = (all.state(index), all.taken(index));
            let entry = all.entries[index];
            if self.how == Reduction::Steps {
                out.push_set(state, entry.step, taken, entry.record);
                continue;
            }
            self.at.clear();
            self.at.extend_from_slice(state);
            self.taken.clear();
            self.taken.extend_from_slice(taken);
            self.follow();
            self.chooser.forget(&mut self.at);
            out.push_set(&self.at, entry.step, &self.taken, entry.record);
        }
        self.kept = kept;
        self.all = all;
    }

    fn holds(&mut self, proposition: PropositionId, state: &[u8]) -> Result<bool, Fault> {
        self.inner.holds(proposition, state)
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

/// Some of the states that were seen lately, by their hashes. That two states are taken for each other does
/// no harm: one is kept that could have been passed over.
#[derive(Default)]
struct Recent {
    places: Vec<u64>,
    added: usize,
}

/// How many places there are at first, and at most.
const FEW: usize = 1 << 12;
const MANY: usize = 1 << 20;

impl Recent {
    fn hash(state: &[u8]) -> u64 {
        let mut hash = state.len() as u64;
        for part in state.chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            hash ^= hash >> 29;
        }
        hash.max(1) // 0 is no state
    }

    fn knows(&self, hash: u64) -> bool {
        let last = self.places.len().wrapping_sub(1);
        let place = self.places.get((hash >> 20) as usize & last);
        place.is_some_and(|&known| known == hash)
    }

    fn add(&mut self, hash: u64) {
        if self.added >= self.places.len() && self.places.len() < MANY {
            self.places = vec![0; (4 * self.places.len()).clamp(FEW, MANY)];
            self.added = 0;
        }
        self.added += 1;
        let last = self.places.len() - 1;
        self.places[(hash >> 20) as usize & last] = hash;
    }
}
