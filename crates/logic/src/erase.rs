//! Formulas of branching time that one run can refute.
//!
//! If every quantifier of a formula in negation normal form is an `A`, a state that satisfies it
//! has only runs that satisfy the formula without its quantifiers: what holds on all runs from all
//! states on the way holds on this one. So a run that breaks the formula without quantifiers shows
//! that the formula fails where the run begins. Past operators under inner quantifiers are about
//! every way to a state, the one along the run among them. The reverse does not hold: `A G A F p`
//! and `A F A G p` fail with a run for the formula without quantifiers always and sometimes.

use crate::formula::{FormulaId, Formulas, Map, Node, Quantifier};
use crate::normal::normal_form;

/// The formula of linear time whose breaking by a run refutes `f`; none if `f` has quantifiers that
/// no run can refute.
pub fn without_universal_quantifiers(store: &mut Formulas, f: FormulaId) -> Option<FormulaId> {
    let normal = normal_form(store, f, false);
    let mut copies: Map<FormulaId, FormulaId> = Map::default();
    for part in store.subformulas(normal) {
        let of = |f: &FormulaId| copies.get(f).copied().unwrap_or(FormulaId::FALSE);
        let copy = match store.node(part).clone() {
            Node::Path(Quantifier::Exists, _) => return None,
            Node::Path(Quantifier::All, body) => of(&body),
            Node::And(list) => store.and(list.iter().map(of).collect::<Vec<_>>()),
            Node::Or(list) => store.or(list.iter().map(of).collect::<Vec<_>>()),
            Node::Unary(operator, f) => store.unary(operator, of(&f)),
            Node::Binary(operator, f, g) => store.binary(operator, of(&f), of(&g)),
            // Nothing else holds operators in normal form.
            Node::Constant(_) | Node::Atom(_) | Node::Not(_) => part,
            Node::Implies(..) | Node::Iff(..) | Node::Xor(..) => part,
        };
        copies.insert(part, copy);
    }
    copies.get(&normal).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Spelling, parse};

    #[test]
    fn quantifiers_of_one_kind_go_away() {
        for (text, expected) in [
            ("A G (p -> A F q)", Some("G (!p | F q)")),
            ("!E F (p & E G !q)", Some("G (!p | F q)")),
            ("A G p & (q -> A X A X p)", Some("G p & (!q | X X p)")),
            ("A G E F p", None),
            ("E F p", None),
            ("A (p <-> A F q)", None),
            ("p & !q", Some("p & !q")),
        ] {
            let mut store = Formulas::new();
            let f = parse(&mut store, text, Spelling::Nusmv).expect(text);
            let expected = expected.map(|e| parse(&mut store, e, Spelling::Nusmv).expect(e));
            assert_eq!(
                without_universal_quantifiers(&mut store, f),
                expected,
                "{text}"
            );
        }
    }
}
