//! Finite words that already make a formula false.
//!
//! A safety property that is violated is violated after finitely many steps, whatever follows. A
//! finite word shows it if the negation of the formula, in negation normal form, can be seen to be
//! true within the word: what lies behind its end counts as unknown, and unknown is not enough.
//! Words that show it in this way are called informative (Kupferman and Vardi, "Model checking of
//! safety properties", 2001). What they show is true: every infinite continuation makes the formula
//! false. There are bad prefixes that are not informative; they belong to formulas that say things
//! in a roundabout way.
//!
//! One pass over the subformulas, operands first: linear in word times formula.

use crate::evaluate::Valuation;
use crate::formula::{Binary, FormulaId, Formulas, Map, Node, Unary};
use crate::normal::normal_form;

/// Whether the finite word of `length` letters shows that `f` is false, whatever follows. Formulas
/// with path quantifiers are never shown to be.
pub fn is_informative(
    store: &mut Formulas,
    f: FormulaId,
    length: usize,
    holds: Valuation<'_>,
) -> bool {
    if store.properties(f).has_quantifier() {
        return false;
    }
    let negation = normal_form(store, f, true);
    let mut tables: Map<FormulaId, Vec<bool>> = Map::default();
    for g in store.subformulas(negation) {
        let at = |h: FormulaId, i: usize| tables.get(&h).is_some_and(|t| t[i]);
        let mut table = vec![false; length];
        match *store.node(g) {
            Node::Constant(value) => table.fill(value),
            Node::Atom(atom) => (0..length).for_each(|i| table[i] = holds(i, atom)),
            // In normal form a negation stands in front of an atom.
            Node::Not(h) => (0..length).for_each(|i| table[i] = !at(h, i)),
            Node::And(ref list) => {
                (0..length).for_each(|i| table[i] = list.iter().all(|&h| at(h, i)));
            }
            Node::Or(ref list) => {
                (0..length).for_each(|i| table[i] = list.iter().any(|&h| at(h, i)));
            }
            Node::Unary(op, h) => match op {
                Unary::Next => (1..length).for_each(|i| table[i - 1] = at(h, i)),
                Unary::Finally => backwards(&mut table, |i, later| at(h, i) || later),
                Unary::Globally => {}
                Unary::Yesterday => (1..length).for_each(|i| table[i] = at(h, i - 1)),
                Unary::WeakYesterday => {
                    (0..length).for_each(|i| table[i] = i == 0 || at(h, i - 1));
                }
                Unary::Once => forwards(&mut table, false, |i, before| at(h, i) || before),
                Unary::Historically => forwards(&mut table, true, |i, before| at(h, i) && before),
            },
            Node::Binary(op, h, k) => match op {
                Binary::Until | Binary::WeakUntil => {
                    backwards(&mut table, |i, later| at(k, i) || at(h, i) && later);
                }
                Binary::Release | Binary::StrongRelease => {
                    backwards(&mut table, |i, later| at(k, i) && (at(h, i) || later));
                }
                Binary::Since => {
                    forwards(&mut table, false, |i, before| {
                        at(k, i) || at(h, i) && before
                    });
                }
                Binary::Trigger => {
                    forwards(&mut table, true, |i, before| {
                        at(k, i) && (at(h, i) || before)
                    });
                }
            },
            _ => return false, // not in normal form: cannot happen
        }
        tables.insert(g, table);
    }
    tables
        .get(&negation)
        .is_some_and(|t| t.first() == Some(&true))
}

/// From the end, behind which nothing is known, to the start.
fn backwards(table: &mut [bool], value: impl Fn(usize, bool) -> bool) {
    let mut later = false;
    for i in (0..table.len()).rev() {
        later = value(i, later);
        table[i] = later;
    }
}

/// From the start, in front of which the value is known, to the end.
fn forwards(table: &mut [bool], first: bool, value: impl Fn(usize, bool) -> bool) {
    let mut before = first;
    for (i, slot) in table.iter_mut().enumerate() {
        before = value(i, before);
        *slot = before;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Random, Word};
    use crate::{Lasso, Spelling, parse};

    /// What is shown is true: all continuations up to a length, of random formulas.
    #[test]
    fn continuations_of_informative_words_are_false() {
        let mut random = Random::new(5);
        let (mut shown, mut bad) = (0, 0);
        for _ in 0..2000 {
            let mut store = Formulas::new();
            let size = 1 + random.below(4);
            for atom in ["p0", "p1"] {
                store.atom(atom);
            }
            let f = random.formula(&mut store, size, 2, true);
            let word: Vec<u64> = (0..1 + random.below(3))
                .map(|_| random.number() & 3)
                .collect();
            let holds = |i: usize, atom: crate::AtomId| word[i] >> atom.index() & 1 == 1;
            let informative = is_informative(&mut store, f, word.len(), &holds);
            let shape = Lasso {
                prefix: 1,
                cycle: 2,
            };
            let all_false = Word::all(shape, 2).all(|tail| {
                let mut letters = word.clone();
                letters.extend(&tail.letters);
                let lasso = Lasso {
                    prefix: word.len() + 1,
                    cycle: 2,
                };
                !Word { letters, lasso }.satisfies(&store, f)
            });
            assert!(!informative || all_false);
            shown += usize::from(informative);
            bad += usize::from(all_false);
        }
        assert!(shown > 200 && shown * 10 > bad * 7, "{shown} of {bad}");
    }

    #[test]
    fn promises_are_not_broken_by_finite_words() {
        let mut store = Formulas::new();
        for (text, shown) in [
            ("[] p", true),
            ("<> p", false),
            ("q U p", true),
            ("[] (q -> <> p)", false),
            ("[] (q -> X p)", false),
            ("q W p", true),
        ] {
            let f = parse(&mut store, text, Spelling::Spin).expect("a formula");
            let none = |_: usize, _: crate::AtomId| false;
            assert_eq!(is_informative(&mut store, f, 2, &none), shown, "{text}");
        }
    }
}
