//! Tree compression for several threads: pairs and roots in shared stores.
//!
//! As in the [tree store](super::tree), a state is a tree of shared pairs. The numbers of pairs are their
//! places in one shared store, roots are states of another; each thread remembers the pairs that it met last.

use super::shared::{Hand, Met, SharedStore};
use super::tree::{Recent, unfold};
use super::{Full, Limits};

/// States stored as trees of pairs, by several threads.
pub(crate) struct SharedTree {
    inner: SharedStore,
    roots: SharedStore,
    /// The length that most states have, in bytes.
    usual: usize,
    limits: Limits,
}

/// One thread's way into a tree.
pub(crate) struct TreeHand {
    inner: Hand,
    roots: Hand,
    recent: Recent,
}

impl SharedTree {
    /// Without states; most of them will have the usual length, if there is one.
    pub fn new(limits: Limits, usual: Option<usize>) -> SharedTree {
        // Roots and their numbers are most of it; pairs get what is left.
        let part = |bytes: usize| Limits { bytes, ..limits };
        let inner = limits.bytes / 3;
        SharedTree {
            inner: SharedStore::new(part(inner), Some(PAIR)),
            roots: SharedStore::new(part(limits.bytes - inner), Some(PAIR)),
            usual: usual.unwrap_or(0),
            limits,
        }
    }

    pub fn limits(&self) -> Limits {
        self.limits
    }

    pub fn bytes_used(&self) -> usize {
        self.inner.bytes_used() + self.roots.bytes_used()
    }

    pub fn hand(&self) -> TreeHand {
        TreeHand {
            inner: self.inner.hand(),
            roots: self.roots.hand(),
            recent: Recent::default(),
        }
    }

    /// Finds a state or stores it. A thread is never inside of both stores: two of them could wait for each
    /// other when both grow.
    pub fn insert(&self, hand: &mut TreeHand, state: &[u8]) -> Result<Met, Full> {
        let own = &mut hand.inner;
        self.inner.enter(own);
        let root = hand.recent.fold(state, |pair| {
            let pair = pair.to_le_bytes();
            let met = self.inner.insert(own, self.inner.hash(&pair), &pair);
            Ok(met?.place)
        });
        self.inner.leave(own);
        let root = root?;
        let mut key = [0; PAIR + 4];
        key[..PAIR].copy_from_slice(&root.to_le_bytes());
        let length = u32::try_from(state.len()).map_err(|_| Full::Length)?;
        key[PAIR..].copy_from_slice(&length.to_le_bytes());
        let key = match state.len() == self.usual {
            true => &key[..PAIR],
            false => &key[..],
        };
        self.roots.enter(&mut hand.roots);
        let met = self
            .roots
            .insert(&mut hand.roots, self.roots.hash(key), key);
        self.roots.leave(&mut hand.roots);
        met
    }

    pub fn number(&self, place: u32, next: Option<u32>) -> Option<(u32, bool)> {
        self.roots.number(place, next)
    }

    pub fn load(&self, place: u32, state: &mut Vec<u8>) {
        let (root, length) = self.roots.pair(place);
        let length = length.unwrap_or(self.usual);
        unfold(root, length, &|pair| self.inner.pair(pair).0, state);
    }
}

/// The bytes of a pair.
const PAIR: usize = 8;
