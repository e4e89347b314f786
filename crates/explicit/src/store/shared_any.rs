//! A shared store of either kind: for those who do not care which.

use super::shared::{Hand, Met, Outside, SharedStore};
use super::shared_tree::{SharedTree, TreeHand};
use super::{Full, Limits};

/// A plain store or a compressed one, for several threads.
pub struct Shared(Kind);

enum Kind {
    Plain(SharedStore),
    Tree(SharedTree),
}

/// One thread's way into it.
pub(crate) enum AnyHand {
    Plain(Hand),
    Tree(Box<TreeHand>),
}

impl AnyHand {
    /// Makes sure that the thread is outside in the end, even if its work is ended in the middle.
    pub(crate) fn in_the_end(&self) -> Option<Outside> {
        match self {
            AnyHand::Plain(hand) => Some(hand.in_the_end()),
            AnyHand::Tree(_) => None,
        }
    }
}

impl Shared {
    pub(super) fn plain(limits: Limits, usual: Option<usize>) -> Shared {
        Shared(Kind::Plain(SharedStore::new(limits, usual)))
    }

    pub(super) fn tree(limits: Limits, usual: Option<usize>) -> Shared {
        Shared(Kind::Tree(SharedTree::new(limits, usual)))
    }

    /// What may be used at most; of states, how many may have numbers.
    pub(crate) fn limits(&self) -> Limits {
        match &self.0 {
            Kind::Plain(store) => store.limits(),
            Kind::Tree(store) => store.limits(),
        }
    }

    /// The memory taken.
    pub(crate) fn bytes_used(&self) -> usize {
        match &self.0 {
            Kind::Plain(store) => store.bytes_used(),
            Kind::Tree(store) => store.bytes_used(),
        }
    }

    /// A way into the store for one thread.
    pub(crate) fn hand(&self) -> AnyHand {
        match &self.0 {
            Kind::Plain(store) => AnyHand::Plain(store.hand()),
            Kind::Tree(store) => AnyHand::Tree(Box::new(store.hand())),
        }
    }

    /// A thread is about to look up some states. It must not be inside for long.
    #[inline]
    pub(crate) fn enter(&self, hand: &mut AnyHand) {
        if let (Kind::Plain(store), AnyHand::Plain(hand)) = (&self.0, hand) {
            store.enter(hand);
        }
    }

    /// It is not, for the time being.
    #[inline]
    pub(crate) fn leave(&self, hand: &mut AnyHand) {
        if let (Kind::Plain(store), AnyHand::Plain(hand)) = (&self.0, hand) {
            store.leave(hand);
        }
    }

    /// The hash that [`Shared::prefetch`] and [`Shared::insert`] want.
    #[inline]
    pub(crate) fn hash(&self, state: &[u8]) -> u64 {
        match &self.0 {
            Kind::Plain(store) => store.hash(state),
            Kind::Tree(_) => 0,
        }
    }

    /// Hints that a state with this hash will be inserted soon.
    #[inline]
    pub(crate) fn prefetch(&self, hand: &AnyHand, hash: u64) {
        if let (Kind::Plain(store), AnyHand::Plain(hand)) = (&self.0, hand) {
            store.prefetch(hand, hash);
        }
    }

    /// Hints that it will be inserted at once: what the table has for it is on its way, too.
    #[inline]
    pub(crate) fn prefetch_found(&self, hand: &AnyHand, hash: u64) {
        if let (Kind::Plain(store), AnyHand::Plain(hand)) = (&self.0, hand) {
            store.prefetch_found(hand, hash);
        }
    }

    /// Hints that the state at a place will be asked for soon.
    #[inline]
    pub(crate) fn prefetch_state(&self, place: u32) {
        if let Kind::Plain(store) = &self.0 {
            store.prefetch_state(place);
        }
    }

    /// Finds a state or stores it. The thread is inside, before and after.
    ///
    /// # Errors
    /// If there is no room, or the hand is that of another store.
    #[inline]
    pub(crate) fn insert(&self, hand: &mut AnyHand, hash: u64, state: &[u8]) -> Result<Met, Full> {
        match (&self.0, hand) {
            (Kind::Plain(store), AnyHand::Plain(hand)) => store.insert(hand, hash, state),
            (Kind::Tree(store), AnyHand::Tree(hand)) => store.insert(hand, state),
            _ => Err(Full::Ids),
        }
    }

    /// The number of the state at a place; if it has none, it is the next one from now on, and new.
    #[inline]
    pub(crate) fn number(&self, place: u32, next: Option<u32>) -> Option<(u32, bool)> {
        match &self.0 {
            Kind::Plain(store) => store.number(place, next),
            Kind::Tree(store) => store.number(place, next),
        }
    }

    /// The state at a place.
    pub(crate) fn load(&self, place: u32, state: &mut Vec<u8>) {
        match &self.0 {
            Kind::Plain(store) => store.load(place, state),
            Kind::Tree(store) => store.load(place, state),
        }
    }
}
