//! Some states with consecutive numbers, as bytes, and what their successors are.
//!
//! Unlike a chunk (`chunk`), a batch knows nothing of a store: who expands it needs the model alone, and hands back
//! successors as they are, each with its hash. Whoever has the store looks them up.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use super::chunk::Extra;
use crate::store::{prefetch_list, prefetch_room};

/// The number of states of a batch, as a rule.
pub(crate) const BATCH: usize = 64;

/// States that are to be expanded.
pub(crate) struct Batch {
    /// The number of the first state.
    pub first: usize,
    states: Strings,
    /// Whether somebody is about to expand them, or has done so.
    claimed: AtomicBool,
    /// Whether somebody has.
    done: AtomicBool,
    generated: Mutex<Option<Generated>>,
}

impl Batch {
    pub fn new(first: usize, states: Strings) -> Batch {
        Batch {
            first,
            states,
            claimed: AtomicBool::new(false),
            done: AtomicBool::new(false),
            generated: Mutex::default(),
        }
    }

    /// The states.
    pub fn states(&self) -> &Strings {
        &self.states
    }

    /// The list of states, to be filled again.
    pub fn into_states(self) -> Strings {
        self.states
    }

    /// Somebody is about to expand the states; whether nobody was before.
    pub fn claim(&self) -> bool {
        !self.claimed.swap(true, Ordering::Relaxed)
    }

    /// The states were expanded.
    pub fn finish(&self, generated: Generated) {
        *self.slot() = Some(generated);
        self.done.store(true, Ordering::Release);
    }

    /// Whether they were.
    pub fn is_done(&self) -> bool {
        self.done.load(Ordering::Acquire)
    }

    /// What came of it, if it is there and nobody has taken it.
    #[inline]
    pub fn take(&self) -> Option<Generated> {
        match self.is_done() {
            true => self.slot().take(),
            false => None,
        }
    }

    fn slot(&self) -> std::sync::MutexGuard<'_, Option<Generated>> {
        let slot = self.generated.lock();
        slot.unwrap_or_else(PoisonError::into_inner)
    }
}

/// Strings of bytes, one behind the other. Most have the same length; then nothing else is kept.
#[derive(Debug, Default)]
pub(crate) struct Strings {
    bytes: Vec<u8>,
    count: usize,
    /// The length of each, as long as all have the same.
    length: usize,
    /// Otherwise where each one ends.
    ends: Vec<usize>,
}

impl Strings {
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.count = 0;
    }

    pub fn len(&self) -> usize {
        self.count
    }

    /// The bytes of all of them.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    #[inline]
    pub fn push(&mut self, string: &[u8]) {
        if self.count == 0 {
            self.length = string.len();
        } else if self.ends.is_empty() && self.length != string.len() {
            let all = 1..=self.count;
            self.ends.extend(all.map(|count| count * self.length));
        }
        self.bytes.extend_from_slice(string);
        self.count += 1;
        if !self.ends.is_empty() {
            self.ends.push(self.bytes.len());
        }
    }

    #[inline]
    pub fn get(&self, index: usize) -> &[u8] {
        if self.ends.is_empty() {
            return &self.bytes[index * self.length..][..self.length];
        }
        let first = match index {
            0 => 0,
            _ => self.ends[index - 1],
        };
        &self.bytes[first..self.ends[index]]
    }

    /// All of them will be read soon.
    pub fn prefetch(&self) {
        prefetch_list(&self.bytes);
        prefetch_list(&self.ends);
    }
}

/// What came of the states of a batch.
#[derive(Default)]
pub(crate) struct Generated {
    /// The states, in their order.
    pub states: Vec<Outcome>,
    /// Their successors, those of the first state first, and their hashes. What was handed over before, in this
    /// batch or in one of earlier states, may be left out.
    pub successors: Strings,
    pub hashes: Vec<u64>,
    /// The letters of the states, if something is asked about them.
    pub letters: Strings,
    /// What few states have, by their places in the batch.
    pub extras: Vec<(usize, Extra)>,
}

/// What came of one state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    /// Where the successors end that are handed over; they begin where those of the state before it end.
    pub end: u32,
    /// How many successors there are in all.
    pub count: u32,
    /// Whether it is an end, and not a proper one.
    pub is_improper: bool,
    /// Whether there is more to say.
    pub has_extra: bool,
}

impl Generated {
    pub fn clear(&mut self) {
        self.states.clear();
        self.successors.clear();
        self.hashes.clear();
        self.letters.clear();
        self.extras.clear();
    }

    /// The bytes of what is handed over, about.
    pub fn size(&self) -> usize {
        self.successors.size() + 8 * self.hashes.len() + self.letters.size()
    }

    /// Makes it ready to take about as much as one list has: the lines that will be written are asked for, since
    /// whoever used them last is likely to be on another core.
    pub fn prepare(&mut self, edges: usize, bytes: usize) {
        prefetch_room(&mut self.hashes, edges);
        prefetch_room(&mut self.states, BATCH);
        prefetch_room(&mut self.successors.bytes, bytes);
    }

    /// All of it will be read soon.
    pub fn prefetch(&self) {
        prefetch_list(&self.hashes);
        prefetch_list(&self.states);
        self.successors.prefetch();
        self.letters.prefetch();
    }

    /// Where the successors of a state are.
    #[inline]
    pub fn edges(&self, index: usize) -> std::ops::Range<usize> {
        let first = match index {
            0 => 0,
            _ => self.states[index - 1].end,
        };
        first as usize..self.states[index].end as usize
    }

    /// What else there is to say of a state.
    pub fn extra(&self, index: usize) -> Option<&Extra> {
        let found = self.extras.iter().find(|(at, _)| *at == index);
        found.map(|(_, extra)| extra)
    }
}

#[cfg(test)]
mod tests {
    use super::Strings;

    /// Strings of one length, of several, and again of one: each is what was pushed.
    #[test]
    fn strings_are_what_was_pushed() {
        let mut strings = Strings::default();
        for lengths in [&[3, 3, 3][..], &[0, 0, 5, 1], &[2, 2, 7, 7], &[4], &[]] {
            strings.clear();
            let all: Vec<Vec<u8>> = lengths
                .iter()
                .map(|&len| vec![len as u8 + 1; len])
                .collect();
            all.iter().for_each(|string| strings.push(string));
            assert_eq!(strings.len(), all.len());
            assert_eq!(strings.size(), lengths.iter().sum());
            for (index, string) in all.iter().enumerate() {
                assert_eq!(strings.get(index), string);
            }
        }
    }
}
