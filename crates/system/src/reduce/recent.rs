//! States in which chains ended lately, so that it need not be found out again: a table of a bounded size in which
//! the new takes the place of the old.
//!
//! Most states that are asked for are not in it, and memory is slow: a bit for each of them, in far less room, says
//! for most that it need not be looked at.

/// How many places there are at first, and at most.
const FEW: usize = 1 << 12;
const MANY: usize = 1 << 19;

/// How many bits there are for each place.
const BITS: usize = 8;

/// A hash of a state; never 0.
pub(super) fn hash_of(state: &[u8]) -> u64 {
    let mut hash = state.len() as u64;
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

/// States that are no links of chains, by their hashes. That two states are taken for each other does no
/// harm: one is kept that could have been passed over.
#[derive(Default)]
pub(super) struct Stops {
    /// Two places for each value of the first bits of a hash: the new one, and the one before.
    places: Vec<[u64; 2]>,
    /// Whether a hash may be there.
    bits: Vec<u64>,
    /// How many were added since bits were set for what is there.
    added: usize,
}

impl Stops {
    #[inline]
    pub fn knows(&self, hash: u64) -> bool {
        let last = self.bits.len().wrapping_sub(1);
        let word = self.bits.get((hash >> 6) as usize & last);
        word.is_some_and(|word| word >> (hash % 64) & 1 == 1) && self.has(hash)
    }

    fn has(&self, hash: u64) -> bool {
        let last = self.places.len().wrapping_sub(1);
        let pair = self.places.get((hash >> 20) as usize & last);
        pair.is_some_and(|pair| pair.contains(&hash))
    }

    pub fn add(&mut self, hash: u64) {
        let is_growing = self.places.len() < MANY;
        if self.added >= self.places.len() >> usize::from(is_growing) {
            self.renew();
        }
        self.added += 1;
        self.put(hash);
    }

    /// Makes more room while there may be more, and sets the bits of what is there alone.
    fn renew(&mut self) {
        let count = (4 * self.places.len()).clamp(FEW, MANY);
        let old = std::mem::replace(&mut self.places, vec![[0; 2]; count]);
        self.bits.clear();
        self.bits.resize(count * BITS / 64, 0);
        self.added = 0;
        for [new, before] in old {
            for hash in [before, new].into_iter().filter(|&hash| hash != 0) {
                self.put(hash);
            }
        }
    }

    fn put(&mut self, hash: u64) {
        let last = self.places.len() - 1;
        let pair = &mut self.places[(hash >> 20) as usize & last];
        *pair = [hash, pair[0]];
        let last = self.bits.len() - 1;
        self.bits[(hash >> 6) as usize & last] |= 1 << (hash % 64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_lately_is_known() {
        let mut stops = Stops::default();
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
    fn every_byte_counts() {
        let state: Vec<u8> = (0..21).collect();
        for at in 0..state.len() {
            let mut other = state.clone();
            other[at] ^= 1;
            assert_ne!(hash_of(&state), hash_of(&other));
        }
        assert_ne!(hash_of(&[0]), hash_of(&[0, 0]));
    }
}
