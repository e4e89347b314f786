//! What others have found out about states, ahead of a search.
//!
//! With a few threads the store is the search's own, and others hand over successors (`ahead::feed`); with many it is shared, and
//! they hand over records (`ahead::taking`). Either way states get their numbers here, in the order of the search.

use evenhand_system::explicit::FaultReport;
use evenhand_system::{Explicit, Fairness};

use super::{Search, Stop};
use crate::ahead::chunk::Extra;
use crate::ahead::crew::Crew;
use crate::ahead::feed::{self, Feed};
use crate::ahead::job::First;
use crate::ahead::states::{States, Wanted};
use crate::ahead::taking::{Record, Taker};
use crate::conditions::Conditions;
use crate::store::{StateId, Store};

impl<'a, S: Store> Search<'a, S> {
    /// Lets others help from now on: a few by generating successors, many by storing them, too.
    pub(super) fn call(&mut self, crew: &Crew) {
        let (system, next) = (self.system, self.next);
        let propositions = self.conditions.propositions.clone();
        if let States::Alone(store) = &self.states
            && store.is_quick()
            && store.bytes_used() / store.len().max(1) <= feed::LONGEST
            && crew.threads().count <= feed::MOST_THREADS
        {
            if self.feed.is_none() && crew.is_ready() {
                let time = self.started.elapsed() / (next as u32).max(1);
                let feed = Feed::new(system, crew.threads(), propositions, next, time);
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

    /// Takes what somebody found out about a state.
    pub(super) fn take(&mut self, id: StateId) -> Result<(), Stop> {
        let States::Together(taking) = &mut self.states else {
            return Ok(());
        };
        let mut into = Into {
            system: self.system,
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
    pub(super) fn take_generated(
        &mut self,
        id: StateId,
        feed: &mut Feed<'a>,
    ) -> Result<bool, Stop> {
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
        if let Some(extra) = extra
            && !self.system.settle(&extra.unsettled)
        {
            return Err(Stop::Interrupted);
        }
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
}

/// Where what is known of a state goes.
struct Into<'s> {
    system: &'s dyn Explicit,
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
        if !self.system.settle(&extra.unsettled) {
            return Err(Stop::Interrupted);
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
