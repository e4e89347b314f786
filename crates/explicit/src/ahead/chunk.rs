//! States with consecutive numbers that are to be expanded, and what came of it.
//!
//! Records come in parts: whoever is at a chunk hands over what there is every few moments, so that nobody waits for a slow
//! state who needs another.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use evenhand_system::explicit::FaultReport;
use evenhand_system::{Fault, PropositionId};

/// The number of states of a chunk: one for each bit of a word.
pub(crate) const CHUNK: usize = 32;

/// Some states, by their places in the store.
pub(crate) struct Chunk {
    pub places: [u32; CHUNK],
    /// In the lower half those that the decision has taken: nobody needs to expand them any more. In the upper half those
    /// that there are records of.
    marks: AtomicU64,
    /// Whether a thread is about to expand the others, or has done so.
    claimed: AtomicBool,
    /// Whether the decision has waited for that in vain.
    is_late: AtomicBool,
    /// What was found out about them, the first part.
    records: OnceLock<Box<Expanded>>,
}

/// The decision has taken a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Taken {
    /// Whether a record of it was waiting.
    pub was_waiting: bool,
    /// Whether it has taken all states of the chunk.
    pub is_last: bool,
}

impl Chunk {
    /// States of which some were expanded already.
    pub fn new(places: [u32; CHUNK], taken: u32) -> Chunk {
        Chunk {
            places,
            marks: AtomicU64::new(u64::from(taken)),
            claimed: AtomicBool::new(false),
            is_late: AtomicBool::new(false),
            records: OnceLock::new(),
        }
    }

    /// Nobody needs to expand a state any more. The decision alone says so.
    pub fn take(&self, index: usize) -> Taken {
        let (taken, made) = (1 << index, 1 << (CHUNK + index));
        // Nothing but time is lost by who sees this late.
        let before = self.marks.fetch_or(taken, Ordering::Relaxed);
        Taken {
            was_waiting: before & made != 0 && before & taken == 0,
            is_last: (before | taken) as u32 == u32::MAX,
        }
    }

    /// Records of some states are there; how many of them are waiting now that were not.
    pub fn hand_over(&self, part: Expanded) -> u32 {
        let mut made = 0;
        for (index, &start) in part.starts.iter().enumerate() {
            made |= u64::from(start != 0) << index;
        }
        let (mut part, mut last) = (Box::new(part), &self.records);
        while let Err(other) = last.set(part) {
            part = other;
            match last.get() {
                Some(before) => last = &before.more,
                None => break, // it was set
            }
        }
        let before = self.marks.fetch_or(made << CHUNK, Ordering::Relaxed);
        (made & !(before >> CHUNK) & !before).count_ones()
    }

    /// The record of a state, if there is one: the part that it is in, and where it begins.
    #[inline]
    pub fn record(&self, index: usize) -> Option<(&Expanded, u32)> {
        let mut part = self.records.get()?;
        loop {
            if let Some(start) = part.starts[index].checked_sub(1) {
                return Some((part, start));
            }
            part = part.more.get()?;
        }
    }

    /// Whether nobody needs to expand a state: the decision has taken it, or somebody has made a record of it.
    pub fn is_done(&self, index: usize) -> bool {
        let marks = self.marks.load(Ordering::Relaxed);
        (marks | marks >> CHUNK) >> index & 1 == 1
    }

    /// Whether the decision has taken a state.
    pub fn is_taken(&self, index: usize) -> bool {
        self.marks.load(Ordering::Relaxed) >> index & 1 == 1
    }

    /// The decision has waited for long enough for somebody who is at it.
    pub fn give_up(&self) {
        self.is_late.store(true, Ordering::Relaxed);
    }

    /// Whether it has.
    pub fn is_late(&self) -> bool {
        self.is_late.load(Ordering::Relaxed)
    }

    /// Whoever was at it is not any more.
    pub fn leave(&self) {
        self.claimed.store(false, Ordering::Relaxed);
    }

    /// A thread is about to expand the states; whether it is the first.
    pub fn claim(&self) -> bool {
        !self.claimed.swap(true, Ordering::Relaxed)
    }

    /// Whether a thread is at it.
    pub fn is_claimed(&self) -> bool {
        self.claimed.load(Ordering::Relaxed)
    }
}

/// Records of some states.
#[derive(Default)]
pub(crate) struct Expanded {
    /// Whose numbers these are.
    pub by: u32,
    /// For each state of the chunk, where its record begins, plus one; 0 if there is none.
    pub starts: [u32; CHUNK],
    /// The records, one behind the other. Each is a [`HEAD`], one bit for each successor that has a number,
    /// and for each successor its number or place and, where there are marks, what is taken.
    pub words: Vec<u32>,
    /// What few records have, by their places.
    pub extras: Vec<(u32, Extra)>,
    /// The bytes that all records take.
    pub held: Option<Held>,
    /// The records that were made after these.
    more: OnceLock<Box<Expanded>>,
}

/// Bytes that somebody counts.
pub(crate) struct Held {
    bytes: usize,
    all: Arc<AtomicUsize>,
}

impl Held {
    /// So many, as long as this is there.
    pub fn new(bytes: usize, all: &Arc<AtomicUsize>) -> Held {
        all.fetch_add(bytes, Ordering::Relaxed);
        let all = all.clone();
        Held { bytes, all }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.all.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// The words at the beginning of a record: the letter, what marks of the state follow from, the number of
/// successors.
pub(crate) const HEAD: usize = 3;

/// A bit of the number of successors: there is more to say.
pub(crate) const HAS_EXTRA: u32 = 1 << 31;

/// Another: the state is an end, and not a proper one.
pub(crate) const IMPROPER: u32 = 1 << 30;

/// Another: it is an end.
pub(crate) const END: u32 = 1 << 29;

/// The rest is the number.
pub(crate) const COUNT: u32 = END - 1;

/// What few states have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extra {
    pub faults: Vec<FaultReport>,
    /// Propositions without a value.
    pub failures: Vec<(PropositionId, Fault)>,
    /// What the system wants to hear of when the decision comes to the state.
    pub unsettled: Vec<u32>,
    /// The successors end here, since a process takes part that fairness was not set up for.
    pub beyond: bool,
}

impl Extra {
    /// Whether there is something to say, apart from where successors end.
    pub fn is_worth_it(&self) -> bool {
        !self.faults.is_empty() || !self.failures.is_empty() || !self.unsettled.is_empty()
    }
}

impl Expanded {
    /// Without records, and with room for so many words of them.
    pub fn with_room(words: usize) -> Expanded {
        Expanded {
            words: Vec::with_capacity(words),
            ..Expanded::default()
        }
    }

    /// The bytes taken.
    pub fn bytes(&self) -> usize {
        let extras = self.extras.capacity() * size_of::<(u32, Extra)>();
        size_of::<Expanded>() + 4 * self.words.capacity() + extras
    }

    /// What else there is to say of the record at a place.
    pub fn extra(&self, start: u32) -> Option<&Extra> {
        let found = self.extras.iter().find(|(at, _)| *at == start);
        found.map(|(_, extra)| extra)
    }
}

#[cfg(test)]
mod tests {
    use super::{CHUNK, Chunk, Expanded};

    fn part(indices: &[usize]) -> Expanded {
        let mut part = Expanded::default();
        for &index in indices {
            part.starts[index] = 1 + index as u32;
        }
        part
    }

    /// Records come in parts, some of them twice or too late: what waits is counted once, and never if it is not needed.
    #[test]
    fn records_that_wait_are_counted_once() {
        let chunk = Chunk::new([0; CHUNK], 1);
        assert!(chunk.claim() && !chunk.claim());
        let mut waiting = chunk.hand_over(part(&[0, 3, 5]));
        assert_eq!(waiting, 2, "the first state was expanded before");
        waiting += chunk.hand_over(part(&[5, 7]));
        assert_eq!(waiting, 3);
        assert_eq!(chunk.record(7).map(|(_, start)| start), Some(7));
        assert!(chunk.record(8).is_none() && !chunk.is_done(8) && chunk.is_done(0));
        // The decision expands this one by itself, and somebody else does, too.
        assert!(!chunk.take(9).was_waiting);
        waiting += chunk.hand_over(part(&[9]));
        assert_eq!(waiting, 3);
        for index in 0..CHUNK {
            let taken = chunk.take(index);
            waiting -= u32::from(taken.was_waiting);
            assert_eq!(taken.is_last, index + 1 == CHUNK);
            assert!(!chunk.take(index).was_waiting, "it was taken");
        }
        assert_eq!(waiting, 0);
        assert_eq!(chunk.hand_over(part(&[30])), 0, "too late");
    }
}
