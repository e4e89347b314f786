//! States in memory.
//!
//! The bytes lie back to back; a table of places (open addressing, at most three quarters full) finds them by a
//! hash, and keeps a part of the hash to look at few bytes in vain.

/// States in memory.
#[derive(Debug, Default)]
pub(super) struct InMemory {
    bytes: Vec<u8>,
    /// Where each state ends.
    ends: Vec<usize>,
    /// One more than the number of a state, or 0, and a part of its hash; the length is a power of two.
    places: Vec<(u32, u32)>,
}

impl InMemory {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn get(&self, number: usize) -> &[u8] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[number]]
    }

    pub fn find(&self, state: &[u8], hash: u64) -> Option<usize> {
        if self.places.is_empty() {
            return None;
        }
        let (number, _) = self.places[self.place(state, hash)];
        (number as usize).checked_sub(1)
    }

    /// Adds a state that is not there.
    pub fn push(&mut self, state: &[u8], hash: u64, number: u32) {
        if 4 * (self.len() + 1) > 3 * self.places.len() {
            self.grow();
        }
        let place = self.place(state, hash);
        self.bytes.extend_from_slice(state);
        self.ends.push(self.bytes.len());
        self.places[place] = (number + 1, (hash >> 32) as u32);
    }

    pub fn bytes_used(&self) -> usize {
        let ends = self.ends.capacity() * size_of::<usize>();
        self.bytes.capacity() + ends + self.places.capacity() * size_of::<(u32, u32)>()
    }

    /// Where a state stands in the table, or should.
    fn place(&self, state: &[u8], hash: u64) -> usize {
        let (mut place, part) = (hash as usize, (hash >> 32) as u32);
        let mask = self.places.len() - 1;
        loop {
            place &= mask;
            let (number, known) = self.places[place];
            if number == 0 || known == part && self.get(number as usize - 1) == state {
                return place;
            }
            place += 1;
        }
    }

    fn grow(&mut self) {
        let length = (2 * self.places.len()).max(16);
        self.places = vec![(0, 0); length];
        for number in 0..self.len() {
            let state = self.get(number);
            let hash = super::hash(state);
            let place = self.place(state, hash);
            self.places[place] = (number as u32 + 1, (hash >> 32) as u32);
        }
    }
}
