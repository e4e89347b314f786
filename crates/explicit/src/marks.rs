//! Sets of marks of a fixed width, and the condition that says which of them are accepting.
//!
//! An engine touches the marks of every edge it meets, so they are plain words without indirection:
//! `W` words, chosen once per run by [`with_width!`](crate::with_width) to hold all marks of a
//! question. The condition is generalized Büchi and Streett pairs: all that fairness and LTL need.

use std::fmt;

use evenhand_automata::{Acceptance, Mark, MarkSet};

/// A set of marks below `64 * W`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Marks<const W: usize>([u64; W]);

impl<const W: usize> Default for Marks<W> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<const W: usize> fmt::Debug for Marks<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl<const W: usize> Marks<W> {
    /// No mark.
    pub const EMPTY: Marks<W> = Marks([0; W]);

    /// How many marks there can be.
    pub const CAPACITY: usize = 64 * W;

    /// The set with these words, low bits first.
    pub const fn from_words(words: [u64; W]) -> Marks<W> {
        Marks(words)
    }

    /// The words of the set, low bits first.
    #[inline]
    pub const fn words(self) -> [u64; W] {
        self.0
    }

    /// One mark.
    pub fn single(mark: usize) -> Marks<W> {
        let mut set = Marks::EMPTY;
        set.insert(mark);
        set
    }

    /// Adds a mark.
    #[inline]
    pub fn insert(&mut self, mark: usize) {
        self.0[mark / 64] |= 1 << (mark % 64);
    }

    /// Whether a mark is in the set.
    #[inline]
    pub fn contains(self, mark: usize) -> bool {
        self.0[mark / 64] >> (mark % 64) & 1 == 1
    }

    /// Whether there is no mark.
    #[inline]
    pub fn is_empty(self) -> bool {
        (0..W).all(|at| self.0[at] == 0)
    }

    /// The marks of either set.
    #[inline]
    #[must_use]
    pub fn union(self, other: Marks<W>) -> Marks<W> {
        self.combine(other, |a, b| a | b)
    }

    /// The marks of both sets.
    #[inline]
    #[must_use]
    pub fn intersection(self, other: Marks<W>) -> Marks<W> {
        self.combine(other, |a, b| a & b)
    }

    /// The marks of this set that are not in the other.
    #[inline]
    #[must_use]
    pub fn without(self, other: Marks<W>) -> Marks<W> {
        self.combine(other, |a, b| a & !b)
    }

    /// Whether the sets have a mark in common.
    #[inline]
    pub fn meets(self, other: Marks<W>) -> bool {
        (0..W).any(|at| self.0[at] & other.0[at] != 0)
    }

    /// Whether all marks of the other set are in this one.
    #[inline]
    pub fn covers(self, other: Marks<W>) -> bool {
        (0..W).all(|at| other.0[at] & !self.0[at] == 0)
    }

    /// The marks, ascending.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..W).flat_map(move |word| {
            let mut bits = self.0[word];
            std::iter::from_fn(move || {
                if bits == 0 {
                    return None;
                }
                let bit = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                Some(64 * word + bit)
            })
        })
    }

    /// Word by word: iterators over arrays are not always seen through.
    #[inline(always)]
    fn combine(mut self, other: Marks<W>, f: impl Fn(u64, u64) -> u64) -> Marks<W> {
        for at in 0..W {
            self.0[at] = f(self.0[at], other.0[at]);
        }
        self
    }
}

impl<const W: usize> FromIterator<usize> for Marks<W> {
    fn from_iter<T: IntoIterator<Item = usize>>(marks: T) -> Marks<W> {
        let mut set = Marks::EMPTY;
        for mark in marks {
            set.insert(mark);
        }
        set
    }
}

impl<const W: usize> From<&MarkSet> for Marks<W> {
    fn from(set: &MarkSet) -> Marks<W> {
        set.iter().map(Mark::index).collect()
    }
}

/// A Streett pair: the request infinitely often implies the grant infinitely often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The mark called L in the papers.
    pub request: u16,
    /// The mark called U in the papers.
    pub grant: u16,
}

/// Which sets of marks, seen infinitely often, are accepting: all of `buchi`, and each pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Streett<const W: usize> {
    /// Marks that must all be seen.
    pub buchi: Marks<W>,
    pairs: Vec<Pair>,
    requests: Marks<W>,
}

impl<const W: usize> Streett<W> {
    /// A condition.
    pub fn new(buchi: Marks<W>, pairs: Vec<Pair>) -> Streett<W> {
        let requests = pairs.iter().map(|p| usize::from(p.request)).collect();
        Streett {
            buchi,
            pairs,
            requests,
        }
    }

    /// The condition of an automaton; none if it has parts that are neither Büchi marks nor pairs.
    pub fn of(acceptance: &Acceptance) -> Option<Streett<W>> {
        if !acceptance.is_streett() || acceptance.mark_bound() > Marks::<W>::CAPACITY {
            return None;
        }
        let pair = |p: &evenhand_automata::Pair| Pair {
            request: p.request.index() as u16,
            grant: p.grant.index() as u16,
        };
        let pairs = acceptance.pairs.iter().map(pair).collect();
        Some(Streett::new((&acceptance.buchi).into(), pairs))
    }

    /// The condition without a Büchi mark, or without the pairs that it grants.
    #[must_use]
    pub fn without(&self, mark: usize) -> Streett<W> {
        let pairs = self.pairs.iter().filter(|p| usize::from(p.grant) != mark);
        Streett::new(
            self.buchi.without(Marks::single(mark)),
            pairs.copied().collect(),
        )
    }

    /// The pairs.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// The requests of all pairs.
    pub fn requests(&self) -> Marks<W> {
        self.requests
    }

    /// Whether a set of marks is accepting.
    #[inline]
    pub fn accepts(&self, seen: Marks<W>) -> bool {
        let kept =
            |pair: &Pair| !seen.contains(pair.request.into()) || seen.contains(pair.grant.into());
        seen.covers(self.buchi) && (!seen.meets(self.requests) || self.pairs.iter().all(kept))
    }

    /// The requests in the set whose grants are not.
    pub fn unfulfilled(&self, seen: Marks<W>) -> Marks<W> {
        let mut open = Marks::EMPTY;
        if !seen.meets(self.requests) {
            return open;
        }
        for pair in &self.pairs {
            if seen.contains(pair.request.into()) && !seen.contains(pair.grant.into()) {
                open.insert(pair.request.into());
            }
        }
        open
    }
}

/// Calls `$call` with the constant `$width` bound to the least supported number of words that holds
/// `$marks` marks; `$else` if there are too many.
#[macro_export]
macro_rules! with_width {
    ($marks:expr, $width:ident => $call:expr, else $otherwise:expr) => {
        match $marks {
            0..=64 => {
                const $width: usize = 1;
                $call
            }
            65..=128 => {
                const $width: usize = 2;
                $call
            }
            129..=256 => {
                const $width: usize = 4;
                $call
            }
            257..=1024 => {
                const $width: usize = 16;
                $call
            }
            1025..=4096 => {
                const $width: usize = 64;
                $call
            }
            _ => $otherwise,
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_behave_like_sets() {
        let a: Marks<2> = [0, 5, 64, 127].into_iter().collect();
        let b: Marks<2> = [5, 127].into_iter().collect();
        assert!(a.covers(b) && !b.covers(a) && a.meets(b));
        assert_eq!(a.without(b).iter().collect::<Vec<_>>(), [0, 64]);
        assert_eq!(a.without(b).union(b), a);
        assert_eq!(a.intersection(b), b);
        assert!(!Marks::<2>::EMPTY.meets(a) && a.covers(Marks::EMPTY));
    }

    #[test]
    fn pairs_ask_for_their_grants() {
        let pair = |request, grant| Pair { request, grant };
        let condition: Streett<1> = Streett::new(Marks::single(0), vec![pair(1, 2), pair(3, 4)]);
        let set = |marks: &[usize]| marks.iter().copied().collect::<Marks<1>>();
        assert!(condition.accepts(set(&[0])));
        assert!(!condition.accepts(set(&[])));
        assert!(!condition.accepts(set(&[0, 1])));
        assert!(condition.accepts(set(&[0, 1, 2])));
        assert_eq!(condition.unfulfilled(set(&[0, 1, 2, 3])), set(&[3]));
    }
}
