//! Sets of small integers: one machine word up to 64, more words beyond.
//!
//! Cubes, letters and mark sets are all sets of indices that rarely pass 64 but may be any number.
//! The first word lies inline, the others in a vector that is empty (and then never allocated) in
//! the usual case, so that a test of two sets is one mask compare and a look at a length. The
//! vector never ends in a zero word: equal sets are equal values.

use std::fmt;

/// A finite set of integers from 0.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Bits {
    low: u64,
    high: Vec<u64>,
}

impl Bits {
    /// The empty set.
    pub const fn new() -> Bits {
        Bits {
            low: 0,
            high: Vec::new(),
        }
    }

    /// The subset of 0..64 given by a word.
    pub const fn from_word(word: u64) -> Bits {
        Bits {
            low: word,
            high: Vec::new(),
        }
    }

    /// The set of all integers below `n`.
    pub fn below(n: usize) -> Bits {
        let mut set = Bits {
            low: low_mask(n),
            high: Vec::new(),
        };
        let mut left = n.saturating_sub(64);
        while left > 0 {
            set.high.push(low_mask(left));
            left = left.saturating_sub(64);
        }
        set
    }

    /// The part below 64.
    #[inline]
    pub fn low(&self) -> u64 {
        self.low
    }

    /// Whether all elements are below 64: then [`Bits::low`] is the whole set.
    #[inline]
    pub fn fits_word(&self) -> bool {
        self.high.is_empty()
    }

    /// The 64 elements from `64 * index`.
    #[inline]
    pub fn word(&self, index: usize) -> u64 {
        match index {
            0 => self.low,
            _ => self.high.get(index - 1).copied().unwrap_or(0),
        }
    }

    /// Is it the empty set?
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.low == 0 && self.high.is_empty()
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        let high: u32 = self.high.iter().map(|w| w.count_ones()).sum();
        (self.low.count_ones() + high) as usize
    }

    /// Is `i` an element?
    #[inline]
    pub fn contains(&self, i: usize) -> bool {
        self.word(i / 64) >> (i % 64) & 1 == 1
    }

    /// Adds `i`.
    pub fn insert(&mut self, i: usize) {
        if i < 64 {
            self.low |= 1 << i;
            return;
        }
        let index = i / 64 - 1;
        if self.high.len() <= index {
            self.high.resize(index + 1, 0);
        }
        self.high[index] |= 1 << (i % 64);
    }

    /// Takes `i` out.
    pub fn remove(&mut self, i: usize) {
        if i < 64 {
            self.low &= !(1 << i);
        } else if let Some(word) = self.high.get_mut(i / 64 - 1) {
            *word &= !(1 << (i % 64));
            self.trim();
        }
    }

    /// Adds all elements of `other`.
    #[inline]
    pub fn union_with(&mut self, other: &Bits) {
        self.low |= other.low;
        if !other.high.is_empty() {
            if self.high.len() < other.high.len() {
                self.high.resize(other.high.len(), 0);
            }
            for (word, o) in self.high.iter_mut().zip(&other.high) {
                *word |= o;
            }
        }
    }

    /// Takes all elements of `other` out.
    pub fn subtract(&mut self, other: &Bits) {
        self.low &= !other.low;
        for (word, o) in self.high.iter_mut().zip(&other.high) {
            *word &= !o;
        }
        self.trim();
    }

    /// Keeps the elements of `other` only.
    pub fn intersect_with(&mut self, other: &Bits) {
        self.low &= other.low;
        self.high.truncate(other.high.len());
        for (word, o) in self.high.iter_mut().zip(&other.high) {
            *word &= o;
        }
        self.trim();
    }

    /// The union.
    pub fn union(&self, other: &Bits) -> Bits {
        let mut result = self.clone();
        result.union_with(other);
        result
    }

    /// The intersection.
    pub fn intersection(&self, other: &Bits) -> Bits {
        let mut result = self.clone();
        result.intersect_with(other);
        result
    }

    /// The elements that `other` does not have.
    pub fn difference(&self, other: &Bits) -> Bits {
        let mut result = self.clone();
        result.subtract(other);
        result
    }

    /// Is every element in `other`?
    #[inline]
    pub fn is_subset(&self, other: &Bits) -> bool {
        self.low & !other.low == 0
            && (self.high.is_empty()
                || (self.high.len() <= other.high.len()
                    && self.high.iter().zip(&other.high).all(|(a, b)| a & !b == 0)))
    }

    /// Is there no common element?
    #[inline]
    pub fn is_disjoint(&self, other: &Bits) -> bool {
        self.low & other.low == 0
            && (self.high.is_empty() || self.high.iter().zip(&other.high).all(|(a, b)| a & b == 0))
    }

    /// The elements in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        std::iter::once(self.low)
            .chain(self.high.iter().copied())
            .enumerate()
            .flat_map(|(index, word)| ones(word).map(move |bit| index * 64 + bit))
    }

    /// The smallest element.
    pub fn first(&self) -> Option<usize> {
        self.iter().next()
    }

    /// The set with `offset` added to each element.
    pub fn shifted(&self, offset: usize) -> Bits {
        if offset == 0 {
            return self.clone();
        }
        self.iter().map(|i| i + offset).collect()
    }

    fn trim(&mut self) {
        while self.high.last() == Some(&0) {
            self.high.pop();
        }
    }
}

fn low_mask(n: usize) -> u64 {
    if n >= 64 { u64::MAX } else { (1 << n) - 1 }
}

fn ones(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if word == 0 {
            return None;
        }
        let bit = word.trailing_zeros() as usize;
        word &= word - 1;
        Some(bit)
    })
}

impl FromIterator<usize> for Bits {
    fn from_iter<T: IntoIterator<Item = usize>>(items: T) -> Bits {
        let mut set = Bits::new();
        for i in items {
            set.insert(i);
        }
        set
    }
}

impl fmt::Debug for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::Bits;
    use std::collections::BTreeSet;

    /// Every operation against the standard library's sets, across word borders.
    #[test]
    fn behaves_like_a_set() {
        let mut seed = 7u64;
        let mut next = |n: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1);
            (seed >> 33) % n
        };
        for round in 0..2000 {
            let range = [10, 64, 65, 130, 200][round % 5];
            let mut model = [BTreeSet::new(), BTreeSet::new()];
            let mut sets = [Bits::new(), Bits::new()];
            for _ in 0..next(20) {
                let (which, i) = (next(2) as usize, next(range) as usize);
                if next(4) == 0 {
                    model[which].remove(&i);
                    sets[which].remove(i);
                } else {
                    model[which].insert(i);
                    sets[which].insert(i);
                }
            }
            let [a, b] = &sets;
            let [x, y] = &model;
            let as_bits = |s: &BTreeSet<usize>| s.iter().copied().collect::<Bits>();
            assert_eq!(
                a.iter().collect::<Vec<_>>(),
                x.iter().copied().collect::<Vec<_>>()
            );
            assert_eq!(a.union(b), as_bits(&(x | y)));
            assert_eq!(a.intersection(b), as_bits(&(x & y)));
            assert_eq!(a.difference(b), as_bits(&(x - y)));
            assert_eq!(a.is_subset(b), x.is_subset(y));
            assert_eq!(a.is_disjoint(b), x.is_disjoint(y));
            assert_eq!((a.len(), a.is_empty()), (x.len(), x.is_empty()));
            assert_eq!(a == b, x == y);
            assert_eq!(a.shifted(70), x.iter().map(|i| i + 70).collect());
        }
        assert_eq!(Bits::below(130).len(), 130);
        assert_eq!(Bits::below(128), (0..128).collect());
    }
}
