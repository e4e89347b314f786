//! The hash table from states to ids: four bytes a slot.
//!
//! The table does not hold states, only where to find them. A slot is a 32-bit word: the low bits
//! are the id plus one, as many bits as the present capacity needs, and all the bits left over are
//! a tag taken from the hash. With ten million states the tag has eight bits, so that only one in
//! 256 of the slots passed by on a search costs a look into the arena. Zero is an empty slot.
//!
//! Collisions go to the next slot (linear probing): sixteen slots share a cache line, so a search
//! is one cache miss in the table and one in the arena. The first slot is the hash scaled to the
//! table's size by a multiplication, which takes the high bits of the hash; tags take the low ones.
//!
//! When three quarters of the slots are taken the table is enlarged in place, cleared, and filled
//! again from the arena: the states are read in order, which is fast, and nothing of the old table
//! is needed, so the two never exist at once. (The alternatives that keep hash bits in the table to
//! avoid reading the states again need eight bytes a slot; `docs/decisions/execution.md` has the
//! measurements.)
//!
//! Cost: 5.3 to 10.7 bytes per state, a rebuild amounts to hashing each state about twice more.
//! Limits: 2^32 − 2 entries; the table never shrinks and cannot forget.

use super::Full;
use super::prefetch::prefetch_read;

/// The most entries a table can have: an id plus one must fit 32 bits.
pub(super) const MAX_ENTRIES: u32 = u32::MAX - 1;

const FIRST_SLOTS: usize = 1 << 6;

/// Ids found by hash; what an id stands for is known to the caller.
#[derive(Debug)]
pub(super) struct Table {
    slots: Vec<u32>,
    /// The bits of a slot that are the tag; the others are the id plus one.
    tag_mask: u32,
    entries: u32,
    /// The number of entries at which the table is enlarged.
    enough: usize,
}

/// What a search ended with.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// The entry is there.
    Id(u32),
    /// It is not; it belongs into this slot.
    Vacant(usize),
}

impl Table {
    pub fn new() -> Self {
        Self {
            slots: Vec::new(),
            tag_mask: 0,
            entries: 0,
            enough: 0,
        }
    }

    /// The slot where the search for a hash begins.
    #[inline(always)]
    fn first(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.slots.len() as u128) >> 64) as usize
    }

    /// Brings the slots of a hash nearer to the processor.
    #[inline(always)]
    pub fn prefetch(&self, hash: u64) {
        prefetch_read(self.slots.as_ptr().wrapping_add(self.first(hash)).cast());
    }

    /// The first entry near by whose tag is that of a hash.
    #[inline(always)]
    pub fn likely(&self, hash: u64) -> Option<u32> {
        let wanted = hash as u32 & self.tag_mask;
        let near = self.slots.get(self.first(hash)..)?.iter().take(8);
        let mut taken = near.take_while(|&&slot| slot != 0);
        let found = taken.find(|&slot| slot & self.tag_mask == wanted)?;
        Some((found & !self.tag_mask) - 1)
    }

    /// Searches for an entry with this hash that `is` the one sought. There must be a free slot.
    #[inline]
    pub fn find(&self, hash: u64, mut is: impl FnMut(u32) -> bool) -> Found {
        debug_assert!((self.entries as usize) < self.slots.len());
        let wanted = hash as u32 & self.tag_mask;
        let mut at = self.first(hash);
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return Found::Vacant(at);
            }
            if slot & self.tag_mask == wanted {
                let id = (slot & !self.tag_mask) - 1;
                if is(id) {
                    return Found::Id(id);
                }
            }
            at += 1;
            if at == self.slots.len() {
                at = 0;
            }
        }
    }

    /// Puts the next id into a vacant slot that [`Self::find`] gave.
    #[inline]
    pub fn occupy(&mut self, at: usize, hash: u64) {
        debug_assert!(self.slots[at] == 0 && self.entries < MAX_ENTRIES);
        self.entries += 1;
        self.slots[at] = hash as u32 & self.tag_mask | self.entries;
    }

    /// Makes room for one more entry, if the table then takes at most `limit` bytes; `hash_of`
    /// tells the hash of an entry. On an error the table is as it was.
    #[inline]
    pub fn make_room(&mut self, limit: usize, hash_of: impl Fn(u32) -> u64) -> Result<(), Full> {
        if (self.entries as usize) < self.enough {
            return Ok(());
        }
        self.enlarge(limit, hash_of)
    }

    #[cold]
    fn enlarge(&mut self, limit: usize, hash_of: impl Fn(u32) -> u64) -> Result<(), Full> {
        if self.entries >= MAX_ENTRIES {
            return Err(Full::Ids);
        }
        let old = self.slots.len();
        let wish = (2 * old).max(FIRST_SLOTS);
        // Below the limit there may be room for less than double; an eighth more is worth the work.
        let slots = wish.min(limit / size_of::<u32>());
        if slots < (old + old / 8).max(16) {
            return Err(Full::Memory);
        }
        self.slots
            .try_reserve_exact(slots - old)
            .map_err(|_| Full::Memory)?;
        self.slots.fill(0);
        self.slots.resize(slots, 0);
        self.enough = slots / 4 * 3;
        let most = self.enough.min(MAX_ENTRIES as usize) as u32 + 1;
        self.tag_mask = !(u32::MAX >> most.leading_zeros());
        self.fill(hash_of);
        Ok(())
    }

    /// Fills the empty table with the ids of all entries. Hashes are computed a batch ahead, so
    /// that the slots they lead to have arrived when they are written.
    fn fill(&mut self, hash_of: impl Fn(u32) -> u64) {
        let mut hashes = [0; 32];
        let entries = std::mem::take(&mut self.entries);
        for start in (0..entries).step_by(hashes.len()) {
            let end = entries.min(start + hashes.len() as u32);
            for (hash, id) in hashes.iter_mut().zip(start..end) {
                *hash = hash_of(id);
                self.prefetch(*hash);
            }
            for (hash, _) in hashes.iter().zip(start..end) {
                let mut at = self.first(*hash);
                while self.slots[at] != 0 {
                    at += 1;
                    if at == self.slots.len() {
                        at = 0;
                    }
                }
                self.occupy(at, *hash);
            }
        }
    }

    /// The memory taken.
    pub fn bytes_used(&self) -> usize {
        size_of::<u32>() * self.slots.capacity()
    }

    /// Whether a search may be made: an empty table has no slots at all.
    #[inline]
    pub fn is_ready(&self) -> bool {
        (self.entries as usize) < self.slots.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Interns numbers with a given hash function, and compares with the plain meaning.
    fn check(numbers: &[u64], hash: impl Fn(u64) -> u64) {
        let mut table = Table::new();
        let mut known: Vec<u64> = Vec::new();
        for &number in numbers {
            table
                .make_room(usize::MAX, |id| hash(known[id as usize]))
                .expect("no limit");
            let expected = known.iter().position(|k| *k == number).map(|at| at as u32);
            match table.find(hash(number), |id| known[id as usize] == number) {
                Found::Id(id) => assert_eq!(Some(id), expected),
                Found::Vacant(at) => {
                    assert_eq!(expected, None, "{number} was lost");
                    table.occupy(at, hash(number));
                    known.push(number);
                }
            }
        }
    }

    #[test]
    fn any_hash_function_is_right() {
        let numbers: Vec<u64> = (0..4000u64).map(|n| n * n % 3001).collect();
        check(&numbers, |n| crate::store::hash(&n.to_le_bytes()));
        check(&numbers[..1500], |_| 0);
        check(&numbers[..1500], |_| u64::MAX);
        check(&numbers[..1500], |n| n << 60);
        check(&numbers, |n| n << 52 | n);
    }

    #[test]
    fn the_limit_is_kept() {
        let hash = |n: u32| crate::store::hash(&n.to_le_bytes());
        for limit in [0, 60, 64, 4096, 5000, 10_000] {
            let mut table = Table::new();
            let mut n = 0;
            let error = loop {
                if let Err(error) = table.make_room(limit, hash) {
                    break error;
                }
                match table.find(hash(n), |id| id == n) {
                    Found::Vacant(at) => table.occupy(at, hash(n)),
                    Found::Id(id) => panic!("{n} found as {id}"),
                }
                n += 1;
                assert!(table.bytes_used() <= limit);
            };
            assert_eq!(error, Full::Memory);
            assert!(n as usize >= limit / 64 * 8, "{n} entries in {limit} bytes");
            assert_eq!(table.is_ready(), n > 0);
            assert!((0..n).all(|k| table.find(hash(k), |id| id == k) == Found::Id(k)));
        }
    }
}
