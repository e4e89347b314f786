//! States in which chains ended lately, so that it need not be found out again: a table of a bounded size in which
//! the new takes the place of the old.
//!
//! Most states that are asked for are not in it, and memory is slow: a bit for each of them, in far less room, says
//! for most that it need not be looked at.
//!
//! All threads that explore a reduced system share what they found out. A place is one atomic word, so what is
//! found there was put there; what gets lost when two write at once, or when the table grows, is found out once more.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// How many places there are at first, and at most; each table has four times as many as the one before.
const FEW: usize = 1 << 12;
const MANY: usize = 1 << 19;
const TABLES: usize = 5;

/// How many bits there are for each place.
const BITS: usize = 8;

/// One in so many is counted, for all of them: who counts writes what others read.
const COUNTED: u64 = 64;

/// A hash of a state; never 0.
pub(super) fn hash_of(state: &[u8]) -> u64 {
    // Not the length itself: a state begins with a small number, and those of different lengths have different ones.
    let mut hash = (state.len() as u64).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let (words, rest) = state.as_chunks::<8>();
    let rest = rest
        .iter()
        .fold(0, |word, &byte| word << 8 | u64::from(byte));
    let words = words.iter().map(|&word| u64::from_le_bytes(word));
    for word in words.chain([rest]) {
        hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^= hash >> 29;
    }
    hash.max(1)
}

/// States that are no links of chains, by their hashes. That two states are taken for each other makes no answer wrong:
/// one is kept that could have been passed over. But it must not happen in practice, since the number of states would
/// depend on who was first.
#[derive(Default)]
pub(super) struct Stops {
    tables: [OnceLock<Table>; TABLES],
    /// The number of the one that is in use.
    current: AtomicUsize,
}

struct Table {
    /// Two places for each value of the first bits of a hash: the new one, and the one before.
    places: Box<[[AtomicU64; 2]]>,
    /// Whether a hash may be there.
    bits: Box<[AtomicU64]>,
    /// About how many were added since bits were set for what is there.
    added: AtomicUsize,
}

impl Stops {
    #[inline]
    pub fn knows(&self, hash: u64) -> bool {
        let table = self.tables[self.current.load(Relaxed)].get();
        table.is_some_and(|table| table.may_have(hash) && table.has(hash))
    }

    pub fn add(&self, hash: u64) {
        let number = self.current.load(Relaxed);
        let table = self.tables[number].get_or_init(|| Table::new(FEW));
        table.put(hash);
        if !hash.is_multiple_of(COUNTED) {
            return;
        }
        let added = table.added.fetch_add(COUNTED as usize, Relaxed);
        let is_last = number + 1 == TABLES;
        if added >= table.places.len() >> usize::from(!is_last) {
            match is_last {
                true => table.renew(),
                false => self.grow(number),
            }
        }
    }

    /// A larger table, with what is in the one of this number.
    #[cold]
    fn grow(&self, number: usize) {
        self.tables[number + 1].get_or_init(|| {
            let old = self.tables[number].get();
            let known = old.map_or(&[][..], |table| &table.places);
            let table = Table::new((4 * known.len()).clamp(FEW, MANY));
            for pair in known {
                table.put_all(pair);
            }
            table
        });
        self.current.fetch_max(number + 1, Relaxed);
    }
}

impl Table {
    fn new(count: usize) -> Table {
        let zero = |_| AtomicU64::new(0);
        Table {
            places: (0..count).map(|_| [zero(()), zero(())]).collect(),
            bits: (0..count * BITS / 64).map(|_| zero(())).collect(),
            added: AtomicUsize::new(0),
        }
    }

    #[inline]
    fn may_have(&self, hash: u64) -> bool {
        let word = &self.bits[(hash >> 6) as usize & (self.bits.len() - 1)];
        word.load(Relaxed) >> (hash % 64) & 1 == 1
    }

    fn pair(&self, hash: u64) -> &[AtomicU64; 2] {
        &self.places[(hash >> 20) as usize & (self.places.len() - 1)]
    }

    fn has(&self, hash: u64) -> bool {
        let pair = self.pair(hash);
        pair.iter().any(|place| place.load(Relaxed) == hash)
    }

    fn put(&self, hash: u64) {
        let [new, before] = self.pair(hash);
        before.store(new.load(Relaxed), Relaxed);
        new.store(hash, Relaxed);
        self.note(hash);
    }

    fn note(&self, hash: u64) {
        let word = &self.bits[(hash >> 6) as usize & (self.bits.len() - 1)];
        // Not at once: a bit that another thread sets meanwhile may get lost.
        word.store(word.load(Relaxed) | 1 << (hash % 64), Relaxed);
    }

    fn put_all(&self, [new, before]: &[AtomicU64; 2]) {
        for place in [before, new] {
            let hash = place.load(Relaxed);
            if hash != 0 {
                self.put(hash);
            }
        }
    }

    /// Sets the bits of what is there alone.
    #[cold]
    fn renew(&self) {
        self.added.store(0, Relaxed);
        for word in &self.bits {
            word.store(0, Relaxed);
        }
        for place in self.places.iter().flatten() {
            let hash = place.load(Relaxed);
            if hash != 0 {
                self.note(hash);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_lately_is_known() {
        let stops = Stops::default();
        let hashes: Vec<u64> = (0..100_000_u32)
            .map(|n| hash_of(&n.to_le_bytes()))
            .collect();
        assert!(!hashes.iter().any(|&hash| stops.knows(hash)));
        let mut known = 0;
        for (number, &hash) in hashes.iter().enumerate() {
            stops.add(hash);
            assert!(stops.knows(hash));
            known += usize::from(stops.knows(hashes[number / 2]));
        }
        assert!(known > 80_000, "{known}");
    }

    #[test]
    fn what_one_thread_adds_others_know() {
        let stops = Stops::default();
        let hash = |n: u64| hash_of(&n.to_le_bytes());
        std::thread::scope(|scope| {
            for thread in 0..3 {
                let stops = &stops;
                scope.spawn(move || {
                    for n in (thread..2_000_000).step_by(3) {
                        stops.add(hash(n));
                        assert!(!stops.knows(hash(n + 2_000_000)), "{n} was never added");
                    }
                });
            }
        });
        let known = (1_900_000..2_000_000).filter(|&n| stops.knows(hash(n)));
        assert!(known.count() > 60_000);
    }

    #[test]
    fn every_byte_counts() {
        let state: Vec<u8> = (0..21).collect();
        for at in 0..state.len() {
            let mut other = state.clone();
            other[at] ^= 1;
            assert_ne!(hash_of(&state), hash_of(&other));
        }
        assert_ne!(hash_of(&[0]), hash_of(&[0, 0]));
    }

    #[test]
    fn states_of_different_lengths_and_shapes_differ() {
        let mut seen = std::collections::HashSet::new();
        for length in 2..200 {
            let mut state = vec![0; length];
            for shape in 0..64 {
                state[0] = shape;
                assert!(seen.insert(hash_of(&state)), "{length}, {shape}");
            }
        }
    }
}
