//! Transition groups: the steps of a system sorted by what they look at and what they change.
//!
//! A symbolic engine that cannot see through a system learns its relation: it asks for the
//! successors of states and generalises each answer to all states that agree on the bytes the step
//! *reads*, changing only the bytes it *writes*. That is sound only if the steps are split into
//! groups for which such sets of bytes are known.
//!
//! All states of one *layout* have the same length and the same groups. For a group with read set R
//! and write set W, and states `s`, `t` of its layout that agree on R, the contract is: the group's
//! successors of `t` are those of `s` with every byte that is neither in W nor beyond the length of
//! `t` taken from `t` instead. (A byte that is sometimes written and sometimes left alone is in
//! both sets.) The fairness items taken are the same. The groups of a layout together have exactly
//! the successors that [`Explorer::expand`](crate::Explorer::expand) has.
//!
//! Too large sets are sound and cost precision; too small ones are wrong.

use crate::explicit::{Explicit, Successors};
use crate::fairness::PropositionId;
use crate::ids::{ActionId, ProcessId};
use crate::signature::ItemSpec;

/// A set of byte positions in the states of a layout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bytes {
    words: Vec<u64>,
    len: usize,
}

impl Bytes {
    /// No position of states of that length.
    pub fn none(len: usize) -> Bytes {
        Bytes {
            words: vec![0; len.div_ceil(64)],
            len,
        }
    }

    /// Adds positions; those beyond the length are passed over.
    pub fn insert(&mut self, range: std::ops::Range<usize>) {
        for at in range.start..range.end.min(self.len) {
            self.words[at / 64] |= 1 << (at % 64);
        }
    }

    /// Adds all positions of another set.
    pub fn extend(&mut self, other: &Bytes) {
        for (word, bits) in self.words.iter_mut().zip(&other.words) {
            *word |= bits;
        }
    }

    /// Takes all positions of another set out.
    pub fn remove(&mut self, other: &Bytes) {
        for (word, bits) in self.words.iter_mut().zip(&other.words) {
            *word &= !bits;
        }
    }

    /// Whether two sets have a position in common.
    #[inline]
    pub fn meets(&self, other: &Bytes) -> bool {
        let mut words = self.words.iter().zip(&other.words);
        words.any(|(one, two)| one & two != 0)
    }

    /// Whether a position is in the set.
    pub fn contains(&self, at: usize) -> bool {
        at < self.len && self.words[at / 64] >> (at % 64) & 1 == 1
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.words
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }

    /// The positions, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        (0..self.len).filter(|&at| self.contains(at))
    }

    /// The length of the states it belongs to.
    pub fn state_len(&self) -> usize {
        self.len
    }
}

/// A layout of states, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LayoutId(pub u32);

/// One group of a layout: steps that a process begins, with one action where that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The layout it belongs to.
    pub layout: LayoutId,
    /// Its number among the groups of the layout.
    pub number: u32,
    /// Who begins its steps; none for what goes wrong before somebody does.
    pub process: Option<ProcessId>,
    /// The first action of its steps; none if that can be any.
    pub action: Option<ActionId>,
    /// Bytes its steps depend on.
    pub reads: Bytes,
    /// Bytes its steps may change.
    pub writes: Bytes,
    /// Whether its steps may lead to another layout.
    pub changes_layout: bool,
}

/// A system whose steps come in groups.
pub trait Groups: Explicit {
    /// A view that expands one group at a time, with marks for the given fairness items.
    fn group_explorer<'a>(&'a self, items: &[ItemSpec]) -> Box<dyn GroupExplorer + 'a>;

    /// The state of the body that one of these is. It may be packed in another way here, so that what steps read and
    /// write lies apart; everything else about the two systems is the same.
    fn packed(&self, state: &[u8]) -> Vec<u8> {
        state.to_vec()
    }

    /// Whether a fairness item is enabled exactly where some step takes it (one of a process: where it begins a step).
    fn tells_enabled(&self, item: &ItemSpec) -> bool {
        item.process().is_some()
    }

    /// Whether a state has no other steps where one of its groups meets a run-time error, so that groups tell of steps that
    /// the system does not have there.
    fn ends_at_faults(&self) -> bool {
        false
    }
}

/// Expands states group by group.
pub trait GroupExplorer: Send {
    /// The layout of a state.
    fn layout(&self, state: &[u8]) -> LayoutId;

    /// The groups of a state's layout.
    fn groups(&mut self, state: &[u8]) -> Vec<Group>;

    /// The successors of a state by the steps of a group; the state must be of its layout. The
    /// enabled items are those that these steps take.
    fn expand_group(&mut self, group: &Group, state: &[u8], out: &mut Successors);

    /// Bytes that the value of a proposition depends on, in all states of the layout of this one.
    fn proposition_reads(&mut self, proposition: PropositionId, state: &[u8]) -> Bytes {
        let _ = proposition;
        let mut all = Bytes::none(state.len());
        all.insert(0..state.len());
        all
    }
}
