//! Walks over values that share their parts.
//!
//! A value is a graph: `<<s, s>>` has one part twice, and a fold of forty such steps makes a value that would have 2^40
//! leaves as a tree. Whoever walks over values (to compare them, to make them normal, to permute them) therefore remembers
//! what was met, by the addresses of the nodes, which stay where they are as long as somebody looks at them. Most
//! values are small, so nothing is remembered before a walk has become long, and then limits are looked at too.

use std::collections::{HashMap, HashSet};

use evenhand_source::budget::spend_many;

use super::Known;

/// How much is looked at before anything is remembered.
const FREE: usize = 1 << 12;
/// Lists that have no nodes in them and are not longer than this are looked at again.
const SHORT: usize = 16;

/// Whether a node is worth remembering.
fn is_large(known: &Known, len: usize) -> bool {
    known.depth > 1 || len > SHORT
}

/// A comparison that ends with the first difference: so what it has met and left behind is equal.
#[derive(Default)]
pub(super) struct Pairs {
    work: usize,
    met: Option<HashSet<(u64, u64)>>,
}

impl Pairs {
    /// Two nodes of this length are compared next; whether that was done before.
    #[inline]
    pub fn met(&mut self, (a, b): (u64, u64), known: &Known, len: usize) -> bool {
        self.work += 1 + len;
        self.work > FREE && self.is_met((a, b), known, len)
    }

    #[cold]
    fn is_met(&mut self, pair: (u64, u64), known: &Known, len: usize) -> bool {
        spend_many(1 + len);
        is_large(known, len) && !self.met.get_or_insert_default().insert(pair)
    }
}

/// What was made of nodes.
pub(super) struct Made<T> {
    work: usize,
    made: Option<HashMap<u64, T>>,
}

impl<T: Clone> Made<T> {
    pub fn new() -> Made<T> {
        Made {
            work: 0,
            made: None,
        }
    }

    /// What is made of a node of this length, by its address.
    pub fn of<E>(
        &mut self,
        address: u64,
        known: &Known,
        len: usize,
        make: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        self.work += 1 + len;
        if self.work <= FREE {
            return make(self);
        }
        spend_many(1 + len);
        if !is_large(known, len) {
            return make(self);
        }
        if let Some(made) = self.made.as_ref().and_then(|made| made.get(&address)) {
            return Ok(made.clone());
        }
        let made = make(self)?;
        let all = self.made.get_or_insert_default();
        all.insert(address, made.clone());
        Ok(made)
    }
}
