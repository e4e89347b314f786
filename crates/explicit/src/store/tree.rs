//! Tree compression: states as trees of shared pairs.
//!
//! Problem: states of one model differ from each other in few places, yet the plain store writes
//! all of each. Idea: cut a state into 32-bit words; replace each two neighbours by the number of
//! their pair in one table of pairs; do the same to the shorter sequence that results, until two
//! words are left. Those two are the state's entry in the table of roots, and its index there is
//! the state's id. Equal parts of states become equal pairs, stored once: with k words a state
//! could need k − 1 pairs, but the tables of the lower levels stay small and a new state costs
//! little more than its root (Laarman, van de Pol, Weber, "Parallel recursive state compression for
//! free", SPIN 2011; there with one fixed table, here with dense ids and tables that grow).
//!
//! Successors of one state are inserted one after the other and look alike, so the pairs of the
//! last inserted state (of each length) are remembered level by level: where both halves are the
//! same as last time, so is the pair, and no table is asked.
//!
//! Lengths may differ: a last word is filled up with zeros and the length itself is part of a
//! root's identity. While all lengths are equal it is stored once, afterwards four bytes for each
//! state.
//!
//! Cost: 13 to 19 bytes per state and the pairs below; time grows with the number of words that
//! changed. A state cannot be handed out as a slice: [`Store::load`] puts it together. Limits: 2^32
//! − 2 distinct pairs.

use super::arena::{MAX_LENGTH, make_room};
use super::hash::hash_word;
use super::table::{Found, MAX_ENTRIES, Table};
use super::{Full, Limits, Shared, StateId, Store};

/// The lengths of states.
#[derive(Debug)]
enum Lengths {
    Uniform(usize),
    Each(Vec<u32>),
}

impl Lengths {
    #[inline]
    fn of(&self, index: usize) -> usize {
        match self {
            Lengths::Uniform(length) => *length,
            Lengths::Each(lengths) => lengths[index] as usize,
        }
    }
}

/// Distinct pairs of words, numbered.
#[derive(Debug)]
struct Pairs {
    pairs: Vec<u64>,
    table: Table,
}

impl Pairs {
    fn new() -> Self {
        Self {
            pairs: Vec::new(),
            table: Table::new(),
        }
    }

    /// The number of a pair; it is added if it is new and the whole then takes at most `limit`
    /// bytes.
    #[inline]
    fn intern(&mut self, pair: u64, limit: usize) -> Result<u32, Full> {
        let pairs = &self.pairs;
        let room = self
            .table
            .make_room(limit.saturating_sub(8 * pairs.capacity()), |id| {
                hash_word(pairs[id as usize], 0)
            });
        if !self.table.is_ready() {
            room?;
            return Err(Full::Memory);
        }
        let hash = hash_word(pair, 0);
        let at = match self.table.find(hash, |id| pairs[id as usize] == pair) {
            Found::Id(id) => return Ok(id),
            Found::Vacant(at) => at,
        };
        room?;
        make_room(
            &mut self.pairs,
            1,
            limit.saturating_sub(self.table.bytes_used()),
        )?;
        let number = self.pairs.len() as u32;
        self.pairs.push(pair);
        self.table.occupy(at, hash);
        Ok(number)
    }

    fn bytes_used(&self) -> usize {
        8 * self.pairs.capacity() + self.table.bytes_used()
    }
}

/// The words of a state and, level by level, the numbers of their pairs, down to two or one.
type Levels = Vec<Vec<u32>>;

/// Up to this number of words the last state of each length is remembered.
const REMEMBERED: usize = 256;

/// The levels of the last state with each number of words; the longest states share the last place.
#[derive(Debug, Default)]
pub(super) struct Recent(Vec<Levels>);

/// States stored as trees of pairs.
#[derive(Debug)]
pub struct TreeStore {
    roots: Pairs,
    lengths: Lengths,
    inner: Pairs,
    recent: Recent,
    limits: Limits,
}

impl Default for TreeStore {
    fn default() -> Self {
        Self::new()
    }
}

/// The number of words of a state.
fn words(length: usize) -> usize {
    length.div_ceil(4)
}

/// The levels of a tree over this many words, all zero.
fn empty_levels(count: usize) -> Levels {
    let mut levels = vec![vec![0; count]];
    let mut size = count;
    while size > 2 {
        size = size.div_ceil(2);
        levels.push(vec![0; size]);
    }
    levels
}

impl Recent {
    /// The two words at the top of a state's tree; the pairs below get their numbers from `intern`.
    pub fn fold(
        &mut self,
        state: &[u8],
        intern: impl FnMut(u64) -> Result<u32, Full>,
    ) -> Result<u64, Full> {
        let count = words(state.len());
        let slot = count.min(REMEMBERED);
        if self.0.len() <= slot {
            self.0.resize_with(slot + 1, Levels::new);
        }
        // Taken out, and put back only when complete: an error may leave levels half written.
        let mut levels = std::mem::take(&mut self.0[slot]);
        let known = levels.first().is_some_and(|words| words.len() == count);
        if !known {
            levels = empty_levels(count);
        }
        let root = fold_levels(state, &mut levels, known, intern)?;
        self.0[slot] = levels;
        Ok(root)
    }
}

/// Updates the levels of a tree from those of another state (if they are `known`) to this state's.
fn fold_levels(
    state: &[u8],
    levels: &mut Levels,
    known: bool,
    mut intern: impl FnMut(u64) -> Result<u32, Full>,
) -> Result<u64, Full> {
    // The entries of the present level that differ from the last state's.
    let mut changed = Changes::none();
    for (last, (index, chunk)) in levels[0].iter_mut().zip(state.chunks(4).enumerate()) {
        let mut word = [0; 4];
        word[..chunk.len()].copy_from_slice(chunk);
        let word = u32::from_le_bytes(word);
        if *last != word || !known {
            *last = word;
            changed.add(index);
        }
    }
    for level in 1..levels.len() {
        let (below, above) = levels.split_at_mut(level);
        let (below, above) = (&below[level - 1], &mut above[0]);
        let mut next = Changes::none();
        for (index, (last, children)) in above.iter_mut().zip(below.chunks(2)).enumerate() {
            if !changed.any_of_pair(index) {
                continue;
            }
            let value = match *children {
                [left, right] => intern(u64::from(left) << 32 | u64::from(right))?,
                [single] => single,
                _ => 0,
            };
            if *last != value || !known {
                *last = value;
                next.add(index);
            }
        }
        changed = next;
    }
    Ok(match levels.last().map(Vec::as_slice) {
        Some([left, right]) => u64::from(*left) << 32 | u64::from(*right),
        Some([single]) => u64::from(*single) << 32,
        _ => 0,
    })
}

/// Puts together a state of this length from the two words at the top of its tree; `pair` tells what numbers
/// of pairs stand for.
pub(super) fn unfold(root: u64, length: usize, pair: &impl Fn(u32) -> u64, state: &mut Vec<u8>) {
    state.clear();
    let count = words(length);
    let (left, right) = halves(root);
    let mut level = 0;
    while count.div_ceil(1 << level) > 2 {
        level += 1;
    }
    for (index, value) in [left, right].into_iter().enumerate() {
        if index < count.div_ceil(1 << level) {
            unfold_entry(value, (level, index, count), pair, state);
        }
    }
    state.truncate(length);
}

/// Writes the words below an entry of a level, from left to right.
fn unfold_entry(
    value: u32,
    (level, index, count): (u32, usize, usize),
    pair: &impl Fn(u32) -> u64,
    state: &mut Vec<u8>,
) {
    if level == 0 {
        state.extend_from_slice(&value.to_le_bytes());
        return;
    }
    let below = count.div_ceil(1 << (level - 1));
    if 2 * index + 1 < below {
        let (left, right) = halves(pair(value));
        unfold_entry(left, (level - 1, 2 * index, count), pair, state);
        unfold_entry(right, (level - 1, 2 * index + 1, count), pair, state);
    } else {
        unfold_entry(value, (level - 1, 2 * index, count), pair, state);
    }
}

/// The two halves of a pair.
fn halves(pair: u64) -> (u32, u32) {
    ((pair >> 32) as u32, pair as u32)
}

impl TreeStore {
    /// An empty store limited only by the machine.
    pub fn new() -> Self {
        Self::with_limits(Limits::default())
    }

    /// An empty store with limits.
    pub fn with_limits(limits: Limits) -> Self {
        let limits = Limits {
            states: limits.states.min(MAX_ENTRIES),
            ..limits
        };
        let lengths = Lengths::Uniform(0);
        Self {
            roots: Pairs::new(),
            lengths,
            inner: Pairs::new(),
            recent: Recent::default(),
            limits,
        }
    }

    fn outside_inner(&self) -> usize {
        let lengths = match &self.lengths {
            Lengths::Uniform(_) => 0,
            Lengths::Each(lengths) => 4 * lengths.capacity(),
        };
        self.roots.bytes_used() + lengths
    }

    /// Notes the length of the next state.
    fn push_length(&mut self, length: usize, limit: usize) -> Result<(), Full> {
        let count = self.roots.pairs.len();
        match &mut self.lengths {
            Lengths::Uniform(uniform) if count == 0 => *uniform = length,
            Lengths::Uniform(uniform) if *uniform == length => {}
            Lengths::Uniform(uniform) => {
                let mut lengths = Vec::new();
                make_room(&mut lengths, count + 1, limit)?;
                lengths.resize(count, *uniform as u32);
                lengths.push(length as u32);
                self.lengths = Lengths::Each(lengths);
            }
            Lengths::Each(lengths) => {
                make_room(lengths, 1, limit)?;
                lengths.push(length as u32);
            }
        }
        Ok(())
    }
}

impl Store for TreeStore {
    fn hash(&self, _state: &[u8]) -> u64 {
        0
    }

    fn prefetch(&self, _hash: u64) {}

    fn insert_hashed(&mut self, _hash: u64, state: &[u8]) -> Result<(StateId, bool), Full> {
        if state.len() > MAX_LENGTH {
            return Err(Full::Length);
        }
        let rest = self.limits.bytes.saturating_sub(self.outside_inner());
        let inner = &mut self.inner;
        let root = self.recent.fold(state, |pair| inner.intern(pair, rest))?;
        let length = state.len();
        let (pairs, lengths) = (&self.roots.pairs, &self.lengths);
        let outside =
            self.inner.bytes_used() + self.outside_inner() - self.roots.table.bytes_used();
        let rest = self.limits.bytes.saturating_sub(outside);
        let room = self.roots.table.make_room(rest, |id| {
            hash_word(pairs[id as usize], lengths.of(id as usize) as u64)
        });
        if !self.roots.table.is_ready() {
            room?;
            return Err(Full::Memory);
        }
        let hash = hash_word(root, length as u64);
        let is = |id: u32| pairs[id as usize] == root && lengths.of(id as usize) == length;
        let at = match self.roots.table.find(hash, is) {
            Found::Id(id) => return Ok((StateId::new(id), false)),
            Found::Vacant(at) => at,
        };
        room?;
        let number = self.roots.pairs.len() as u32;
        if number >= self.limits.states {
            return Err(Full::Ids);
        }
        let outside = self.bytes_used() - 8 * self.roots.pairs.capacity();
        make_room(
            &mut self.roots.pairs,
            1,
            self.limits.bytes.saturating_sub(outside),
        )?;
        let outside = self.inner.bytes_used() + self.roots.bytes_used();
        self.push_length(length, self.limits.bytes.saturating_sub(outside))?;
        self.roots.pairs.push(root);
        self.roots.table.occupy(at, hash);
        Ok((StateId::new(number), true))
    }

    fn load(&self, id: StateId, state: &mut Vec<u8>) {
        let length = self.lengths.of(id.index());
        let root = self.roots.pairs[id.index()];
        unfold(root, length, &|at| self.inner.pairs[at as usize], state);
    }

    fn len(&self) -> usize {
        self.roots.pairs.len()
    }

    fn bytes_used(&self) -> usize {
        self.inner.bytes_used() + self.outside_inner()
    }

    fn shared(&self, usual: Option<usize>) -> Option<Shared> {
        Some(Shared::tree(self.limits, usual))
    }
}

/// A set of positions, exact for the first 128 and all or nothing beyond.
struct Changes {
    first: u128,
    beyond: bool,
}

impl Changes {
    const EXACT: usize = 128;

    fn none() -> Self {
        Self {
            first: 0,
            beyond: false,
        }
    }

    fn add(&mut self, index: usize) {
        if index < Self::EXACT {
            self.first |= 1 << index;
        } else {
            self.beyond = true;
        }
    }

    /// Whether one of the two children of an entry is in the set.
    fn any_of_pair(&self, index: usize) -> bool {
        if 2 * index < Self::EXACT {
            self.first >> (2 * index) & 3 != 0
        } else {
            self.beyond
        }
    }
}
