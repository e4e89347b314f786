//! One thread's way to expand the states of a batch.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use evenhand_system::{Explicit, Explorer, Successors};

use super::batch::{Batch, Generated, Outcome};
use super::chunk::Extra;
use super::feed::Supply;
use super::job::{lock, merge};
use super::moment::Clock;
use super::recent::Recent;
use crate::conditions::write_letter;
use crate::store::hash;

/// Expands states into lists of successors with their hashes.
pub(crate) struct Generator<'a> {
    explorer: Box<dyn Explorer + 'a>,
    supply: Arc<Supply>,
    successors: Successors,
    letter: Vec<u8>,
    /// What was handed over of states from the first ones up to those of the batch that begins with this number.
    recent: Recent,
    first: usize,
    /// How many successors the batch before had, and their bytes.
    edges: usize,
    bytes: usize,
    clock: Clock,
}

impl<'a> Generator<'a> {
    pub fn new(system: &'a dyn Explicit, supply: Arc<Supply>) -> Generator<'a> {
        Generator {
            explorer: system.explorer(&[]),
            supply,
            successors: Successors::new(),
            letter: Vec::new(),
            recent: Recent::default(),
            first: 0,
            edges: 0,
            bytes: 0,
            clock: Clock::new(),
        }
    }

    /// Expands batches until it is over.
    pub fn work(&mut self, over: &AtomicBool) {
        while let Some(batch) = self.supply.next(over) {
            self.batch(&batch);
        }
    }

    /// Expands the states of a batch that this thread has claimed; not all, if they have very many successors or take
    /// longer than a moment.
    pub fn batch(&mut self, batch: &Batch) {
        // Batches come in the order of their states; if not, nothing is known of what was handed over before these.
        if batch.first < self.first {
            self.recent.clear();
        }
        self.first = batch.first;
        batch.states().prefetch();
        let mut out = self.supply.empty();
        out.prepare(self.edges, self.bytes);
        self.clock.begin();
        for index in 0..batch.states().len() {
            self.state(batch.states().get(index), &mut out);
            if out.size() > self.supply.enough() || self.clock.is_over() {
                break;
            }
        }
        (self.edges, self.bytes) = (out.hashes.len(), out.successors.size());
        self.supply.made(out.size());
        batch.finish(out);
    }

    fn state(&mut self, state: &[u8], out: &mut Generated) {
        self.explorer.expand(state, &mut self.successors);
        let faults = self.successors.faults();
        let mut extra = Extra::default();
        extra.faults.extend_from_slice(faults);
        extra
            .unsettled
            .extend_from_slice(self.successors.unsettled());
        let is_end = self.successors.is_empty() && faults.is_empty();
        let is_improper = is_end && !self.explorer.is_valid_end(state);
        for index in 0..self.successors.len() {
            let successor = self.successors.state(index);
            let hash = hash(successor);
            if !self.recent.knows(hash, successor) {
                out.hashes.push(hash);
                out.successors.push(successor);
            }
        }
        if !self.supply.propositions.is_empty() {
            let explorer = &mut *self.explorer;
            write_letter(
                explorer,
                &self.supply.propositions,
                state,
                &mut self.letter,
                |failure| extra.failures.push(failure),
            );
            out.letters.push(&self.letter);
        }
        let has_extra = extra.is_worth_it();
        if has_extra {
            out.extras.push((out.states.len(), extra));
        }
        out.states.push(Outcome {
            end: out.hashes.len() as u32,
            count: self.successors.len() as u32,
            is_improper,
            has_extra,
        });
    }

    /// For each action, whether this thread has executed it.
    pub fn executed(&self) -> &[bool] {
        self.explorer.executed()
    }
}

impl Drop for Generator<'_> {
    fn drop(&mut self) {
        merge(&mut lock(&self.supply.executed), self.explorer.executed());
    }
}
