//! States by their bytes: a list that knows the place of each.
//!
//! The bytes lie back to back; a table of places (open addressing, at most three quarters full) finds them by a
//! hash, and keeps a part of the hash to look at few bytes in vain. Two states are the same if their
//! bytes are: the hash only says where to look.

use std::hash::{DefaultHasher, Hasher};

use crate::flaw::Flaw;

/// A list of different states.
#[derive(Clone, Debug, Default)]
pub struct States {
    bytes: Vec<u8>,
    /// Where each state ends.
    ends: Vec<usize>,
    /// One more than the number of a state, or 0, and a part of its hash; the length is a power of two.
    places: Vec<(u32, u32)>,
}

impl States {
    /// No state.
    pub fn new() -> States {
        States::default()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// A state by its number.
    ///
    /// # Panics
    /// If it is not there.
    pub fn get(&self, number: usize) -> &[u8] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[number]]
    }

    /// The number of a state.
    pub fn find(&self, state: &[u8]) -> Option<usize> {
        if self.places.is_empty() {
            return None;
        }
        let (place, _) = self.place(state);
        let (number, _) = self.places[place];
        (number as usize).checked_sub(1)
    }

    /// Adds a state.
    ///
    /// # Errors
    /// If it is there already, or there are too many.
    pub fn add(&mut self, state: &[u8]) -> Result<usize, Flaw> {
        if 4 * (self.len() + 1) > 3 * self.places.len() {
            self.grow();
        }
        let (place, part) = self.place(state);
        if self.places[place].0 != 0 {
            return Err(Flaw::Order);
        }
        let number = u32::try_from(self.len() + 1).map_err(|_| Flaw::NoRoom)?;
        self.bytes.extend_from_slice(state);
        self.ends.push(self.bytes.len());
        self.places[place] = (number, part);
        Ok(self.len() - 1)
    }

    /// Memory taken, in bytes.
    pub fn bytes_used(&self) -> usize {
        let ends = self.ends.capacity() * size_of::<usize>();
        self.bytes.capacity() + ends + self.places.capacity() * size_of::<(u32, u32)>()
    }

    /// Where a state stands in the table, or should; and the part of its hash that is kept.
    fn place(&self, state: &[u8]) -> (usize, u32) {
        let mut hasher = DefaultHasher::new();
        hasher.write(state);
        let hash = hasher.finish();
        let (mut place, part) = (hash as usize, (hash >> 32) as u32);
        let mask = self.places.len() - 1;
        loop {
            place &= mask;
            let (number, known) = self.places[place];
            if number == 0 || known == part && self.get(number as usize - 1) == state {
                return (place, part);
            }
            place += 1;
        }
    }

    fn grow(&mut self) {
        let length = (2 * self.places.len()).max(16);
        self.places = vec![(0, 0); length];
        for number in 0..self.len() {
            let (place, part) = self.place(self.get(number));
            self.places[place] = (number as u32 + 1, part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_found_by_their_bytes() {
        let mut states = States::new();
        assert_eq!(states.find(b""), None);
        let texts: Vec<Vec<u8>> = (0u32..1000)
            .map(|n| n.to_le_bytes()[..(n % 4 + 1) as usize].to_vec())
            .collect();
        let mut known: Vec<Vec<u8>> = Vec::new();
        for text in texts {
            let place = known.iter().position(|k| *k == text);
            assert_eq!(states.find(&text), place);
            match place {
                Some(_) => assert_eq!(states.add(&text), Err(Flaw::Order)),
                None => {
                    assert_eq!(states.add(&text), Ok(known.len()));
                    known.push(text);
                }
            }
        }
        assert!(
            known
                .iter()
                .enumerate()
                .all(|(n, k)| states.get(n) == k && states.find(k) == Some(n))
        );
        assert_eq!(states.len(), known.len());
    }
}
