//! States that were handed over lately.
//!
//! Most steps of a search lead to states that were met before, and most of these were met a moment ago: independent steps lead
//! to the same state in either order. Whoever generates successors for somebody else need not hand over such a state
//! once more. So it keeps those that it handed over last, in a table in which a newer one takes the place of an older one.
//!
//! States are compared byte by byte: a state that is left out is one that was handed over.

/// A table of states.
#[derive(Default)]
pub(crate) struct Recent {
    /// For each place the hash of the state there, with its lowest bit set, and its length; 0 if there is none.
    tags: Vec<(u64, usize)>,
    bytes: Vec<u8>,
    /// The bytes of each place.
    room: usize,
}

/// The bytes of a table: it should stay in the cache of a core beside what else is there.
const MOST_BYTES: usize = 1 << 19;

impl Recent {
    /// Whether a state is there; it is from now on.
    #[inline]
    pub fn knows(&mut self, hash: u64, state: &[u8]) -> bool {
        if state.len() > self.room || self.tags.is_empty() {
            self.begin(state.len());
        }
        let place = hash as usize >> 7 & (self.tags.len() - 1);
        let kept = &mut self.bytes[place * self.room..][..state.len()];
        let tag = (hash | 1, state.len());
        if self.tags[place] == tag && kept == state {
            return true;
        }
        self.tags[place] = tag;
        kept.copy_from_slice(state);
        false
    }

    /// Nothing was handed over.
    pub fn clear(&mut self) {
        self.tags.clear();
    }

    /// An empty table for states of this length and a little more.
    #[cold]
    fn begin(&mut self, length: usize) {
        self.room = length + length / 4;
        let most = MOST_BYTES / (self.room + size_of::<(u64, usize)>());
        let count = 1 << most.max(1).ilog2();
        self.tags.clear();
        self.tags.resize(count, (0, 0));
        self.bytes.clear();
        self.bytes.resize(count * self.room, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::Recent;
    use crate::store::hash;

    /// Whatever is left out was handed over; what was handed over last is left out.
    #[test]
    fn what_is_known_was_told() {
        let mut recent = Recent::default();
        let mut told = std::collections::HashSet::new();
        let mut known = 0;
        for number in 0..200_000u64 {
            let value = number * number % 5_003;
            let state = value.to_le_bytes().repeat(10);
            // Of the longer ones some are too long for the table that there is.
            let state = &state[..8 + (value % (1 + number / 3_000)) as usize];
            for hash in [hash(state), number % 3] {
                let is_known = recent.knows(hash, state);
                assert!(!is_known || told.contains(state));
                known += usize::from(is_known);
                told.insert(state.to_vec());
                assert!(recent.knows(hash, state), "it was there a moment ago");
            }
        }
        assert!(known > 1_000, "{known} were known");
        recent.clear();
        assert!(!recent.knows(0, &[0; 8]), "an empty table has no states");
        assert!(!recent.knows(0, &[0; 7]), "one of another length");
        assert!(!recent.knows(0, &[]), "and the empty one");
    }
}
