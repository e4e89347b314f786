//! Letters and cubes: the labels of edges.
//!
//! A letter says of every proposition whether it holds. A cube is a conjunction of literals, kept
//! as the set of propositions that must hold and the set of those that must not: whether a letter
//! satisfies it is two mask operations per 64 propositions. Labels that are not conjunctions become
//! several edges.

use crate::{Bits, Prop};

/// A letter: the set of propositions that hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Letter(pub Bits);

impl Letter {
    /// Does `prop` hold?
    pub fn holds(&self, prop: Prop) -> bool {
        self.0.contains(prop.index())
    }
}

/// A proposition or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Literal {
    /// The proposition.
    pub prop: Prop,
    /// `false` for its negation.
    pub positive: bool,
}

impl Literal {
    /// The opposite literal.
    pub fn negated(self) -> Literal {
        Literal {
            positive: !self.positive,
            ..self
        }
    }
}

/// A satisfiable conjunction of literals; without literals it is *true*.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Cube {
    positive: Bits,
    negative: Bits,
}

impl Cube {
    /// The cube that every letter satisfies.
    pub const TRUE: Cube = Cube {
        positive: Bits::new(),
        negative: Bits::new(),
    };

    /// The conjunction of the propositions `positive` and the negations of `negative`; `None` where
    /// they meet (the conjunction is false).
    pub fn new(positive: Bits, negative: Bits) -> Option<Cube> {
        positive
            .is_disjoint(&negative)
            .then_some(Cube { positive, negative })
    }

    /// One literal.
    pub fn literal(literal: Literal) -> Cube {
        let mut cube = Cube::TRUE;
        if literal.positive {
            cube.positive.insert(literal.prop.index());
        } else {
            cube.negative.insert(literal.prop.index());
        }
        cube
    }

    /// The propositions that must hold.
    #[inline]
    pub fn positive(&self) -> &Bits {
        &self.positive
    }

    /// The propositions that must not hold.
    #[inline]
    pub fn negative(&self) -> &Bits {
        &self.negative
    }

    /// Is it *true*?
    pub fn is_true(&self) -> bool {
        self.positive.is_empty() && self.negative.is_empty()
    }

    /// The number of literals.
    pub fn len(&self) -> usize {
        self.positive.len() + self.negative.len()
    }

    /// Has it no literal?
    pub fn is_empty(&self) -> bool {
        self.is_true()
    }

    /// Does the letter satisfy it?
    #[inline]
    pub fn matches(&self, letter: &Letter) -> bool {
        self.positive.is_subset(&letter.0) && self.negative.is_disjoint(&letter.0)
    }

    /// The conjunction, if satisfiable.
    pub fn and(&self, other: &Cube) -> Option<Cube> {
        self.intersects(other).then(|| Cube {
            positive: self.positive.union(&other.positive),
            negative: self.negative.union(&other.negative),
        })
    }

    /// Is the conjunction with `other` satisfiable?
    #[inline]
    pub fn intersects(&self, other: &Cube) -> bool {
        self.positive.is_disjoint(&other.negative) && self.negative.is_disjoint(&other.positive)
    }

    /// Does every letter of this cube satisfy `other`?
    #[inline]
    pub fn implies(&self, other: &Cube) -> bool {
        other.positive.is_subset(&self.positive) && other.negative.is_subset(&self.negative)
    }

    /// What the cube says of a proposition: must hold, must not, or either.
    pub fn value(&self, prop: Prop) -> Option<bool> {
        if self.positive.contains(prop.index()) {
            Some(true)
        } else if self.negative.contains(prop.index()) {
            Some(false)
        } else {
            None
        }
    }

    /// The cube with this literal, whatever it said of the proposition before.
    pub fn with(&self, literal: Literal) -> Cube {
        let mut cube = self.without(literal.prop);
        if literal.positive {
            cube.positive.insert(literal.prop.index());
        } else {
            cube.negative.insert(literal.prop.index());
        }
        cube
    }

    /// The cube without its literal of this proposition.
    pub fn without(&self, prop: Prop) -> Cube {
        let mut cube = self.clone();
        cube.positive.remove(prop.index());
        cube.negative.remove(prop.index());
        cube
    }

    /// The literals, by proposition.
    pub fn literals(&self) -> impl Iterator<Item = Literal> + '_ {
        let both = self.positive.union(&self.negative);
        let props: Vec<usize> = both.iter().collect();
        props.into_iter().map(|i| Literal {
            prop: Prop::new(i),
            positive: self.positive.contains(i),
        })
    }

    /// The letter that satisfies the cube and in which as little as possible holds.
    pub fn least_letter(&self) -> Letter {
        Letter(self.positive.clone())
    }

    /// The cube with every proposition renamed. `rename` must be injective.
    pub fn renamed(&self, rename: &[Prop]) -> Cube {
        let map = |set: &Bits| set.iter().map(|i| rename[i].index()).collect();
        Cube {
            positive: map(&self.positive),
            negative: map(&self.negative),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cubes(props: usize) -> Vec<Cube> {
        (0..3usize.pow(props as u32))
            .map(|mut code| {
                let mut cube = Cube::TRUE;
                for p in 0..props {
                    match code % 3 {
                        1 => cube.positive.insert(p),
                        2 => cube.negative.insert(p),
                        _ => {}
                    }
                    code /= 3;
                }
                cube
            })
            .collect()
    }

    #[test]
    fn operations_mean_what_they_say_on_letters() {
        let letters: Vec<Letter> = (0..8).map(|w| Letter(Bits::from_word(w))).collect();
        for a in cubes(3) {
            assert!(a.matches(&a.least_letter()));
            for b in cubes(3) {
                let both = |l: &&Letter| a.matches(l) && b.matches(l);
                assert_eq!(a.intersects(&b), letters.iter().any(|l| both(&l)));
                let implied = letters.iter().all(|l| !a.matches(l) || b.matches(l));
                assert_eq!(a.implies(&b), implied);
                if let Some(c) = a.and(&b) {
                    assert!(letters.iter().all(|l| c.matches(l) == both(&l)));
                }
            }
        }
    }
}
