//! Acceptance: which sets of marks may be seen infinitely often.
//!
//! A run is accepting iff the set of marks it sees infinitely often satisfies the condition. The
//! condition is kept as a conjunction of three parts, so that the common cases need no analysis and
//! a product is a union: generalized Büchi marks, Streett pairs, and an Emerson–Lei formula for
//! whatever is left (*true* in the common cases).

use crate::{Bits, Mark};

/// A set of marks.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct MarkSet(pub Bits);

impl MarkSet {
    /// No mark.
    pub const EMPTY: MarkSet = MarkSet(Bits::new());

    /// The marks below `n`.
    pub fn below(n: usize) -> MarkSet {
        MarkSet(Bits::below(n))
    }

    /// Is the mark in the set?
    #[inline]
    pub fn contains(&self, mark: Mark) -> bool {
        self.0.contains(mark.index())
    }

    /// Adds a mark.
    pub fn insert(&mut self, mark: Mark) {
        self.0.insert(mark.index());
    }

    /// Takes a mark out.
    pub fn remove(&mut self, mark: Mark) {
        self.0.remove(mark.index());
    }

    /// Has it no mark?
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The marks in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = Mark> + '_ {
        self.0.iter().map(Mark::new)
    }
}

impl FromIterator<Mark> for MarkSet {
    fn from_iter<T: IntoIterator<Item = Mark>>(marks: T) -> MarkSet {
        MarkSet(marks.into_iter().map(Mark::index).collect())
    }
}

/// A Streett pair: `request` infinitely often implies `grant` infinitely often.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pair {
    /// The mark called L in the papers.
    pub request: Mark,
    /// The mark called U in the papers.
    pub grant: Mark,
}

/// An Emerson–Lei formula.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    /// Every run.
    True,
    /// No run.
    False,
    /// The mark is seen infinitely often.
    Inf(Mark),
    /// The mark is seen finitely often.
    Fin(Mark),
    /// All of them.
    And(Vec<Condition>),
    /// One of them.
    Or(Vec<Condition>),
}

impl Condition {
    /// The conjunction, flat and without the trivial parts.
    pub fn and(parts: impl IntoIterator<Item = Condition>) -> Condition {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Condition::True => {}
                Condition::False => return Condition::False,
                Condition::And(inner) => inner.into_iter().for_each(|p| push_new(&mut flat, p)),
                other => push_new(&mut flat, other),
            }
        }
        match flat.len() {
            0 => Condition::True,
            1 => flat.remove(0),
            _ => Condition::And(flat),
        }
    }

    /// The disjunction, flat and without the trivial parts.
    pub fn or(parts: impl IntoIterator<Item = Condition>) -> Condition {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Condition::False => {}
                Condition::True => return Condition::True,
                Condition::Or(inner) => inner.into_iter().for_each(|p| push_new(&mut flat, p)),
                other => push_new(&mut flat, other),
            }
        }
        match flat.len() {
            0 => Condition::False,
            1 => flat.remove(0),
            _ => Condition::Or(flat),
        }
    }

    /// The condition that holds exactly where this one does not.
    pub fn negated(&self) -> Condition {
        match self {
            Condition::True => Condition::False,
            Condition::False => Condition::True,
            Condition::Inf(m) => Condition::Fin(*m),
            Condition::Fin(m) => Condition::Inf(*m),
            Condition::And(parts) => Condition::or(parts.iter().map(Condition::negated)),
            Condition::Or(parts) => Condition::and(parts.iter().map(Condition::negated)),
        }
    }

    /// Does it hold when exactly `infinitely_often` is seen infinitely often?
    pub fn holds(&self, infinitely_often: &MarkSet) -> bool {
        match self {
            Condition::True => true,
            Condition::False => false,
            Condition::Inf(m) => infinitely_often.contains(*m),
            Condition::Fin(m) => !infinitely_often.contains(*m),
            Condition::And(parts) => parts.iter().all(|p| p.holds(infinitely_often)),
            Condition::Or(parts) => parts.iter().any(|p| p.holds(infinitely_often)),
        }
    }

    /// Replaces every `Inf` and `Fin` by what `f` says of it and simplifies.
    pub fn map(&self, f: &mut impl FnMut(Mark, bool) -> Condition) -> Condition {
        match self {
            Condition::True => Condition::True,
            Condition::False => Condition::False,
            Condition::Inf(m) => f(*m, true),
            Condition::Fin(m) => f(*m, false),
            Condition::And(parts) => {
                let parts: Vec<_> = parts.iter().map(|p| p.map(f)).collect();
                Condition::and(parts)
            }
            Condition::Or(parts) => {
                let parts: Vec<_> = parts.iter().map(|p| p.map(f)).collect();
                Condition::or(parts)
            }
        }
    }

    /// The marks under an `Inf` and those under a `Fin`.
    pub fn polarities(&self) -> (MarkSet, MarkSet) {
        let (mut inf, mut fin) = (MarkSet::EMPTY, MarkSet::EMPTY);
        self.collect(&mut inf, &mut fin);
        (inf, fin)
    }

    fn collect(&self, inf: &mut MarkSet, fin: &mut MarkSet) {
        match self {
            Condition::True | Condition::False => {}
            Condition::Inf(m) => inf.insert(*m),
            Condition::Fin(m) => fin.insert(*m),
            Condition::And(parts) | Condition::Or(parts) => {
                parts.iter().for_each(|p| p.collect(inf, fin));
            }
        }
    }
}

fn push_new(parts: &mut Vec<Condition>, part: Condition) {
    // Long conditions are machine made (pairs, parity): a scan of all of them would be quadratic.
    if parts.len() > 64 || !parts.contains(&part) {
        parts.push(part);
    }
}

/// An acceptance condition: the conjunction of its parts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Acceptance {
    /// Each of these is seen infinitely often (generalized Büchi).
    pub buchi: MarkSet,
    /// Each of these holds (Streett).
    pub pairs: Vec<Pair>,
    /// This holds (Emerson–Lei).
    pub other: Condition,
}

impl Acceptance {
    /// Every infinite run is accepting.
    pub fn all() -> Acceptance {
        Acceptance::generalized_buchi(0)
    }

    /// The marks below `n` are all seen infinitely often.
    pub fn generalized_buchi(n: usize) -> Acceptance {
        Acceptance {
            buchi: MarkSet::below(n),
            pairs: Vec::new(),
            other: Condition::True,
        }
    }

    /// `n` pairs, requests and grants alternating as in HOA's `Streett n`: (0, 1), (2, 3), …
    pub fn streett(n: usize) -> Acceptance {
        let pair = |i| Pair {
            request: Mark::new(2 * i),
            grant: Mark::new(2 * i + 1),
        };
        Acceptance {
            buchi: MarkSet::EMPTY,
            pairs: (0..n).map(pair).collect(),
            other: Condition::True,
        }
    }

    /// Sorts the conjuncts of a formula into the three parts.
    pub fn from_condition(condition: Condition) -> Acceptance {
        let mut acceptance = Acceptance::all();
        let parts = match condition {
            Condition::And(parts) => parts,
            single => vec![single],
        };
        let mut rest = Vec::new();
        for part in parts {
            match &part {
                Condition::Inf(m) => acceptance.buchi.insert(*m),
                Condition::Or(two) => match two[..] {
                    [Condition::Fin(request), Condition::Inf(grant)]
                    | [Condition::Inf(grant), Condition::Fin(request)] => {
                        acceptance.pairs.push(Pair { request, grant });
                    }
                    _ => rest.push(part),
                },
                _ => rest.push(part),
            }
        }
        acceptance.other = Condition::and(rest);
        acceptance
    }

    /// The whole condition as one formula.
    pub fn to_condition(&self) -> Condition {
        let buchi = self.buchi.iter().map(Condition::Inf);
        let pairs = self
            .pairs
            .iter()
            .map(|p| Condition::or([Condition::Fin(p.request), Condition::Inf(p.grant)]));
        Condition::and(buchi.chain(pairs).chain([self.other.clone()]))
    }

    /// Does it hold when exactly `infinitely_often` is seen infinitely often?
    pub fn holds(&self, infinitely_often: &MarkSet) -> bool {
        let granted =
            |p: &Pair| !infinitely_often.contains(p.request) || infinitely_often.contains(p.grant);
        self.buchi.0.is_subset(&infinitely_often.0)
            && self.pairs.iter().all(granted)
            && self.other.holds(infinitely_often)
    }

    /// Generalized Büchi alone?
    pub fn is_generalized_buchi(&self) -> bool {
        self.pairs.is_empty() && self.other == Condition::True
    }

    /// Generalized Büchi and Streett pairs alone?
    pub fn is_streett(&self) -> bool {
        self.other == Condition::True
    }

    /// The marks whose presence helps and those whose presence hurts; a mark may be in both.
    pub fn polarities(&self) -> (MarkSet, MarkSet) {
        let (mut inf, mut fin) = self.other.polarities();
        inf.0.union_with(&self.buchi.0);
        for pair in &self.pairs {
            inf.insert(pair.grant);
            fin.insert(pair.request);
        }
        (inf, fin)
    }

    /// The smallest number of marks that covers all marks of the condition.
    pub fn mark_bound(&self) -> usize {
        let (inf, fin) = self.polarities();
        let last = |set: &MarkSet| set.0.iter().last().map_or(0, |m| m + 1);
        last(&inf).max(last(&fin))
    }

    /// The condition with every mark renamed.
    pub fn renamed(&self, rename: impl Fn(Mark) -> Mark) -> Acceptance {
        let pair = |p: &Pair| Pair {
            request: rename(p.request),
            grant: rename(p.grant),
        };
        Acceptance {
            buchi: self.buchi.iter().map(&rename).collect(),
            pairs: self.pairs.iter().map(pair).collect(),
            other: self.other.map(&mut |m, inf| match inf {
                true => Condition::Inf(rename(m)),
                false => Condition::Fin(rename(m)),
            }),
        }
    }

    /// Both conditions.
    pub fn and(mut self, other: Acceptance) -> Acceptance {
        self.buchi.0.union_with(&other.buchi.0);
        self.pairs.extend(other.pairs);
        self.other = Condition::and([self.other, other.other]);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_parts_mean_the_formula() {
        use Condition::*;
        let m = |i| Mark::new(i);
        let formula = And(vec![
            Inf(m(0)),
            Or(vec![Fin(m(1)), Inf(m(2))]),
            Or(vec![Inf(m(3)), Fin(m(0)), Inf(m(1))]),
            Fin(m(4)),
        ]);
        let acceptance = Acceptance::from_condition(formula.clone());
        assert_eq!(acceptance.buchi, [m(0)].into_iter().collect());
        assert_eq!(acceptance.pairs.len(), 1);
        for set in 0..32 {
            let set = MarkSet(Bits::from_word(set));
            assert_eq!(acceptance.holds(&set), formula.holds(&set));
            assert_eq!(acceptance.to_condition().holds(&set), formula.holds(&set));
            assert_eq!(formula.negated().holds(&set), !formula.holds(&set));
        }
        assert_eq!(acceptance.mark_bound(), 5);
    }
}
