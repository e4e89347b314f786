//! States with consecutive numbers that are to be expanded, and what came of it.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use evenhand_system::explicit::FaultReport;
use evenhand_system::{Fault, PropositionId};

/// The number of states of a chunk: one for each bit of a word.
pub(crate) const CHUNK: usize = 32;

/// Some states, by their places in the store.
pub(crate) struct Chunk {
    pub places: [u32; CHUNK],
    /// Those that nobody needs to expand any more: the decision has done it.
    taken: AtomicU32,
    /// Whether a thread is about to expand the others, or has done so.
    claimed: AtomicBool,
    /// What a thread found out about the others.
    pub done: OnceLock<Expanded>,
}

impl Chunk {
    /// States of which some were expanded already.
    pub fn new(places: [u32; CHUNK], taken: u32) -> Chunk {
        Chunk {
            places,
            taken: AtomicU32::new(taken),
            claimed: AtomicBool::new(false),
            done: OnceLock::new(),
        }
    }

    /// Nobody needs to expand a state any more; whether that is so of all. The decision alone says so.
    pub fn take(&self, index: usize) -> bool {
        let taken = self.taken.load(Ordering::Relaxed) | 1 << index;
        // Nothing but time is lost by who sees this late.
        self.taken.store(taken, Ordering::Relaxed);
        taken == u32::MAX
    }

    /// A thread is about to expand the states; whether it is the first.
    pub fn claim(&self) -> bool {
        !self.claimed.swap(true, Ordering::Relaxed)
    }

    /// Whether a thread is at it.
    pub fn is_claimed(&self) -> bool {
        self.claimed.load(Ordering::Relaxed)
    }

    /// Whether the decision has expanded a state.
    pub fn is_taken(&self, index: usize) -> bool {
        self.taken.load(Ordering::Relaxed) >> index & 1 == 1
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
    /// The successors end here, since a process takes part that fairness was not set up for.
    pub beyond: bool,
}

impl Expanded {
    /// What else there is to say of the record at a place.
    pub fn extra(&self, start: u32) -> Option<&Extra> {
        let found = self.extras.iter().find(|(at, _)| *at == start);
        found.map(|(_, extra)| extra)
    }
}
