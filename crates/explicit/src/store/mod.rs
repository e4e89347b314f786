//! The state store: byte strings interned once, known by dense ids ever after.
//!
//! An explicit search meets every state as often as it has predecessors, and asks each time: is it
//! new? The store answers with the state's [`StateId`], counted from zero in the order of
//! discovery, so that all that a search knows about states lives in plain vectors indexed by id.
//!
//! Two stores share one interface, [`Store`]: [`PlainStore`] keeps each state's bytes in one
//! [`arena`] and hands them out as slices; [`TreeStore`] shares equal parts between states and puts
//! them together again on demand, slower and several times smaller.
//!
//! A search that has all successors of a state at hand hides the latency of memory by working in
//! batches: hash each successor and prefetch, then insert them with their hashes.
//!
//! ```
//! use evenhand_explicit::store::{PlainStore, Store};
//!
//! let mut store = PlainStore::new();
//! let batch: [&[u8]; 3] = [b"one", b"two", b"one"];
//! let hashes = batch.map(|state| store.hash(state));
//! hashes.iter().for_each(|hash| store.prefetch(*hash));
//! let mut answers = Vec::new();
//! for (state, hash) in batch.iter().zip(hashes) {
//!     let (id, new) = store.insert_hashed(hash, state)?;
//!     answers.push((id.number(), new));
//! }
//! assert_eq!(answers, [(0, true), (1, true), (0, false)]);
//! # Ok::<(), evenhand_explicit::store::Full>(())
//! ```

pub mod arena;
mod either;
mod ground;
mod hash;
mod plain;
mod prefetch;
pub(crate) mod shared;
mod shared_any;
mod shared_tree;
mod table;
mod tree;

pub use either::AnyStore;
pub use hash::hash;
pub use plain::PlainStore;
pub use prefetch::prefetch_bytes;
pub(crate) use prefetch::{prefetch_list, prefetch_room};
pub(crate) use shared_any::AnyHand;
pub use shared_any::Shared;
pub use tree::TreeStore;

use evenhand_system::Successors;

/// A state of a store, counted from zero in the order in which states were first inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(u32);

impl StateId {
    /// The id with this number.
    #[inline]
    pub const fn new(number: u32) -> Self {
        Self(number)
    }

    /// The id as an index into vectors.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The id as a number.
    #[inline]
    pub const fn number(self) -> u32 {
        self.0
    }
}

/// Why a store cannot take another state. What is stored stays readable, and known states are still
/// found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// The limit on the number of states was reached, or there are no more ids.
    Ids,
    /// The memory limit was reached, or the system has no more memory.
    Memory,
    /// The state is longer than [`arena::MAX_LENGTH`].
    Length,
}

impl std::fmt::Display for Full {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Full::Ids => "the limit on the number of states was reached",
            Full::Memory => "the memory limit was reached",
            Full::Length => "a state is too long to be stored",
        })
    }
}

impl std::error::Error for Full {}

/// What a store may use at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The number of states.
    pub states: u32,
    /// Bytes of memory, spare room included.
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            states: table::MAX_ENTRIES,
            bytes: usize::MAX,
        }
    }
}

/// A set of byte strings that numbers its elements.
pub trait Store {
    /// The id of a state, and whether the state is new.
    fn insert(&mut self, state: &[u8]) -> Result<(StateId, bool), Full> {
        let hash = self.hash(state);
        self.insert_hashed(hash, state)
    }

    /// The hash that [`Self::prefetch`] and [`Self::insert_hashed`] want; a store that has no use
    /// for one says zero.
    fn hash(&self, state: &[u8]) -> u64;

    /// Hints that a state with this hash will be inserted soon.
    fn prefetch(&self, hash: u64);

    /// Hints that it will be inserted at once: where the hint before has arrived, what it leads to is asked for.
    fn prefetch_found(&self, hash: u64) {
        let _ = hash;
    }

    /// Whether states are looked up by their hashes, in a moment.
    fn is_quick(&self) -> bool {
        false
    }

    /// The id of a state whose hash is known, and whether the state is new.
    fn insert_hashed(&mut self, hash: u64, state: &[u8]) -> Result<(StateId, bool), Full>;

    /// Replaces the contents of `state` by the state with this id.
    fn load(&self, id: StateId, state: &mut Vec<u8>);

    /// The number of states.
    fn len(&self) -> usize;

    /// Whether there is no state yet.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The memory taken, spare room included.
    fn bytes_used(&self) -> usize;

    /// An empty store of this kind and with the same limits for several threads, if there is one; most states
    /// will have the usual length.
    fn shared(&self, usual: Option<usize>) -> Option<Shared> {
        let _ = usual;
        None
    }
}

/// The hashes of all states of a list; their places are on the way before the first is looked up.
#[inline]
pub(crate) fn hash_all(store: &impl Store, successors: &Successors, hashes: &mut Vec<u64>) {
    hashes.clear();
    for index in 0..successors.len() {
        let hash = store.hash(successors.state(index));
        store.prefetch(hash);
        hashes.push(hash);
    }
}

#[cfg(test)]
mod shared_orders;
#[cfg(test)]
mod shared_tests;
#[cfg(test)]
mod tests;
