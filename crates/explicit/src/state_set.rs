//! Sets of states of a space that is completely known, one bit each.

/// A set of states by their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateSet {
    words: Vec<u64>,
    len: usize,
}

impl StateSet {
    /// The empty set of a universe of that many states.
    pub fn empty(len: usize) -> StateSet {
        StateSet {
            words: vec![0; len.div_ceil(64)],
            len,
        }
    }

    /// All states for which something is true.
    pub fn of(len: usize, mut holds: impl FnMut(usize) -> bool) -> StateSet {
        let mut set = StateSet::empty(len);
        for state in 0..len {
            if holds(state) {
                set.insert(state);
            }
        }
        set
    }

    /// The size of the universe.
    pub fn universe(&self) -> usize {
        self.len
    }

    /// Adds a state; whether it is new.
    pub fn insert(&mut self, state: usize) -> bool {
        let (word, bit) = (state / 64, 1 << (state % 64));
        let new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        new
    }

    /// Takes a state out.
    pub fn remove(&mut self, state: usize) {
        if let Some(word) = self.words.get_mut(state / 64) {
            *word &= !(1 << (state % 64));
        }
    }

    /// Whether a state is in the set.
    #[inline]
    pub fn contains(&self, state: usize) -> bool {
        let word = self.words.get(state / 64);
        word.is_some_and(|word| word >> (state % 64) & 1 == 1)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// The states of both sets.
    #[must_use]
    pub fn and(&self, other: &StateSet) -> StateSet {
        let words = self.words.iter().zip(&other.words).map(|(a, b)| a & b);
        StateSet {
            words: words.collect(),
            len: self.len,
        }
    }

    /// The states of one of two sets.
    #[must_use]
    pub fn or(&self, other: &StateSet) -> StateSet {
        let words = self.words.iter().zip(&other.words).map(|(a, b)| a | b);
        StateSet {
            words: words.collect(),
            len: self.len,
        }
    }

    /// The states of exactly one of two sets.
    #[must_use]
    pub fn xor(&self, other: &StateSet) -> StateSet {
        let words = self.words.iter().zip(&other.words).map(|(a, b)| a ^ b);
        StateSet {
            words: words.collect(),
            len: self.len,
        }
    }

    /// The states that are not in the set.
    #[must_use]
    pub fn complement(&self) -> StateSet {
        let mut words: Vec<u64> = self.words.iter().map(|word| !word).collect();
        if let Some(last) = words.last_mut().filter(|_| !self.len.is_multiple_of(64)) {
            *last &= (1 << (self.len % 64)) - 1;
        }
        StateSet {
            words,
            len: self.len,
        }
    }

    /// The states, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let words = self.words.iter().enumerate();
        words.flat_map(|(at, &word)| {
            let bits = std::iter::successors(Some(word), |&left| Some(left & left.wrapping_sub(1)));
            let bits = bits.take_while(|&left| left != 0);
            bits.map(move |left| 64 * at + left.trailing_zeros() as usize)
        })
    }
}
