//! What a level has found: what is wrong with states, and what all workers know at its end.

use evenhand_explicit::invariants::holds_by_letter;
use evenhand_explicit::search::Stop;
use evenhand_explicit::store::Store;
use evenhand_system::explicit::FaultReport;
use evenhand_system::{FaultKind, PropositionId, Successors};

use super::{CONDITIONS, CUT, DEAD, END, Explore, FAULT, TRACE};
use crate::post::{Broken, Post};
use crate::shard::Remote;
use crate::stops;
use crate::wire::{Reader, put, put_bytes};

/// What all workers know in the end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Totals {
    pub states: u64,
    pub nodes: u64,
    pub transitions: u64,
    pub edges: u64,
    pub deadlocks: u64,
    pub depth: u64,
    pub bytes: u64,
    /// The most states that one worker has.
    pub most: u64,
    pub stop: Option<Stop>,
    /// For each thing that was looked for, where it was met first.
    pub found: Vec<Option<Remote>>,
    /// For each condition, whether nobody knows if it holds in some state.
    pub undecided: Vec<bool>,
    pub left_out: bool,
    /// How often an initial state was generated.
    pub initial: u64,
}

impl Explore<'_> {
    /// All say what they have found; how many nodes are new.
    pub(super) fn agree(&mut self, post: &mut Post, totals: &mut Totals) -> Result<u64, Broken> {
        let mut own = Vec::new();
        let fresh = (self.shard.len() - self.end) as u64;
        let numbers = [
            fresh,
            self.shard.store.len() as u64,
            self.shard.len() as u64,
            self.transitions,
            self.edges,
            self.deadlocks,
            self.bytes_used() as u64,
            stops::code(self.stop),
            u64::from(self.reading.left_out),
        ];
        numbers.iter().for_each(|&number| put(&mut own, number));
        for met in &mut self.met {
            put(&mut own, u64::from(met.is_some()));
            if let Some((node, name)) = met.take() {
                put(&mut own, u64::from(node));
                put_bytes(&mut own, &name);
            }
        }
        self.undecided
            .iter()
            .for_each(|&unknown| own.push(unknown.into()));
        let all = post.agree(&own)?;
        let mut sums = [0u64; 7];
        let mut first: Vec<Option<(&[u8], Remote)>> = vec![None; self.met.len()];
        (totals.most, totals.initial) = (0, self.initial);
        for (worker, said) in all.iter().enumerate() {
            let mut reader = Reader(said);
            for (at, sum) in sums.iter_mut().enumerate() {
                let number = reader.number();
                *sum += number;
                if at == 1 {
                    totals.most = totals.most.max(number);
                }
            }
            totals.stop = totals.stop.or(stops::stop(reader.number()));
            totals.left_out |= reader.number() != 0;
            for first in &mut first {
                if reader.number() == 0 {
                    continue;
                }
                let node = reader.number() as u32;
                let name = reader.bytes();
                let here = Remote {
                    worker: worker as u32,
                    node,
                };
                if first.is_none_or(|(known, _)| name < known) {
                    *first = Some((name, here));
                }
            }
            for undecided in &mut totals.undecided {
                *undecided |= reader.byte() != 0;
            }
        }
        for (found, first) in totals.found.iter_mut().zip(first) {
            *found = found.or(first.map(|(_, here)| here));
        }
        [
            _,
            totals.states,
            totals.nodes,
            totals.transitions,
            totals.edges,
            totals.deadlocks,
            totals.bytes,
        ] = sums;
        let most = self.task.limits.states;
        if most.is_some_and(|most| totals.states > most) {
            totals.stop = totals.stop.or(Some(Stop::States));
        }
        Ok(sums[0])
    }

    /// Looks at what is wrong with a state; its letter.
    pub(super) fn look_at(
        &mut self,
        node: u32,
        state: &[u8],
        successors: &Successors,
        is_first: bool,
    ) -> Result<u32, Stop> {
        let faults = successors.faults();
        if !faults.is_empty() {
            let limit = |r: &FaultReport| Stop::of_fault(&r.fault.kind);
            let is_trace = |r: &FaultReport| matches!(r.fault.kind, FaultKind::Trace { .. });
            let is_fault = |r: &FaultReport| limit(r).is_none() && !is_trace(r);
            let is_cut = |r: &FaultReport| is_fault(r) && r.fault.kind != FaultKind::Assertion;
            for (at, is_met) in [
                (FAULT, faults.iter().any(is_fault)),
                (TRACE, faults.iter().any(is_trace)),
                (CUT, faults.iter().any(is_cut)),
            ] {
                if is_met {
                    self.note(at, node, state);
                }
            }
            if let Some(stop) = faults.iter().find_map(limit) {
                return Err(stop);
            }
        } else if successors.is_empty() {
            self.note(DEAD, node, state);
            if is_first && !self.explorer.is_valid_end(state) {
                self.deadlocks += 1;
                self.note(END, node, state);
            }
        }
        // A condition may be about no proposition at all.
        if self.task.conditions.is_empty() && self.task.follow.is_none() {
            return Ok(0);
        }
        let letter = self.reading.letter(&mut *self.explorer, state)?;
        for at in 0..self.task.conditions.len() {
            let propositions = &self.reading.propositions;
            let place = |p: PropositionId| propositions.iter().position(|&own| own == p);
            let value = |p: PropositionId| self.reading.value(place(p)?);
            match holds_by_letter(&self.task.conditions[at], &value) {
                Some(true) => {}
                Some(false) => self.note(CONDITIONS + at, node, state),
                None => self.undecided[at] = true,
            }
        }
        Ok(letter)
    }

    /// Remembers something that was met in this level: the state with the smallest name.
    fn note(&mut self, at: usize, node: u32, state: &[u8]) {
        if let Err(stop) = self.name(state) {
            self.stop = self.stop.or(Some(stop));
        }
        let mut name = self.head.clone();
        name.extend_from_slice(&self.tail);
        let known = &mut self.met[at];
        if known.as_ref().is_none_or(|(_, known)| name < *known) {
            *known = Some((node, name));
        }
    }
}
