//! A store of either kind, chosen when a search begins: for those who do not care which.

use super::{Full, Limits, PlainStore, Shared, StateId, Store, TreeStore};

/// A plain store or a compressed one.
pub enum AnyStore {
    /// Each state's bytes in one place.
    Plain(PlainStore),
    /// Equal parts shared.
    Tree(TreeStore),
}

impl AnyStore {
    /// An empty store.
    pub fn new(compress: bool, limits: Limits) -> AnyStore {
        match compress {
            false => AnyStore::Plain(PlainStore::with_limits(limits)),
            true => AnyStore::Tree(TreeStore::with_limits(limits)),
        }
    }
}

impl Store for AnyStore {
    #[inline]
    fn hash(&self, state: &[u8]) -> u64 {
        match self {
            AnyStore::Plain(store) => store.hash(state),
            AnyStore::Tree(store) => store.hash(state),
        }
    }

    #[inline]
    fn prefetch(&self, hash: u64) {
        match self {
            AnyStore::Plain(store) => store.prefetch(hash),
            AnyStore::Tree(store) => store.prefetch(hash),
        }
    }

    #[inline]
    fn prefetch_found(&self, hash: u64) {
        match self {
            AnyStore::Plain(store) => store.prefetch_found(hash),
            AnyStore::Tree(store) => store.prefetch_found(hash),
        }
    }

    fn is_quick(&self) -> bool {
        match self {
            AnyStore::Plain(store) => store.is_quick(),
            AnyStore::Tree(store) => store.is_quick(),
        }
    }

    #[inline]
    fn insert_hashed(&mut self, hash: u64, state: &[u8]) -> Result<(StateId, bool), Full> {
        match self {
            AnyStore::Plain(store) => store.insert_hashed(hash, state),
            AnyStore::Tree(store) => store.insert_hashed(hash, state),
        }
    }

    #[inline]
    fn load(&self, id: StateId, state: &mut Vec<u8>) {
        match self {
            AnyStore::Plain(store) => store.load(id, state),
            AnyStore::Tree(store) => store.load(id, state),
        }
    }

    #[inline]
    fn len(&self) -> usize {
        match self {
            AnyStore::Plain(store) => store.len(),
            AnyStore::Tree(store) => store.len(),
        }
    }

    fn bytes_used(&self) -> usize {
        match self {
            AnyStore::Plain(store) => store.bytes_used(),
            AnyStore::Tree(store) => store.bytes_used(),
        }
    }

    fn shared(&self, usual: Option<usize>) -> Option<Shared> {
        match self {
            AnyStore::Plain(store) => store.shared(usual),
            AnyStore::Tree(store) => store.shared(usual),
        }
    }
}
