//! Copies of formulas in another store, with some parts replaced.
//!
//! A property is cut out of the store that it shares with others, or its quantified parts are
//! replaced by propositions once their truth is known. The copy is made bottom-up along the ids, so
//! neither depth nor sharing costs anything.

use std::collections::BTreeSet;

use evenhand_source::spend;

use crate::formula::{FormulaId, Formulas, Map, Node};

/// Copies a formula into another store. `stands` may give what stands there for a part; it is asked
/// once per part, and what is inside of such a part is not copied.
pub fn transplant(
    from: &Formulas,
    formula: FormulaId,
    into: &mut Formulas,
    stands: &mut dyn FnMut(&mut Formulas, FormulaId) -> Option<FormulaId>,
) -> FormulaId {
    let mut copies: Map<FormulaId, FormulaId> = Map::default();
    let mut parts: BTreeSet<FormulaId> = BTreeSet::new();
    let mut open = vec![formula];
    while let Some(part) = open.pop() {
        spend();
        if copies.contains_key(&part) || !parts.insert(part) {
            continue;
        }
        match stands(into, part) {
            Some(copy) => {
                copies.insert(part, copy);
            }
            None => open.extend(from.node(part).operands()),
        }
    }
    for part in parts {
        if copies.contains_key(&part) {
            continue;
        }
        // Operands have smaller ids: they are known.
        let of = |f: &FormulaId| copies.get(f).copied().unwrap_or(FormulaId::FALSE);
        let copy = match from.node(part) {
            Node::Constant(value) => into.constant(*value),
            Node::Atom(atom) => {
                let atom = from.atom_info(*atom);
                match atom.host {
                    true => into.host_atom(&atom.text),
                    false => into.atom(&atom.text),
                }
            }
            Node::Not(f) => into.not(of(f)),
            Node::And(list) => {
                let list: Vec<FormulaId> = list.iter().map(of).collect();
                into.and(list)
            }
            Node::Or(list) => {
                let list: Vec<FormulaId> = list.iter().map(of).collect();
                into.or(list)
            }
            Node::Implies(f, g) => into.implies(of(f), of(g)),
            Node::Iff(f, g) => into.iff(of(f), of(g)),
            Node::Xor(f, g) => into.xor(of(f), of(g)),
            Node::Unary(operator, f) => into.unary(*operator, of(f)),
            Node::Binary(operator, f, g) => into.binary(*operator, of(f), of(g)),
            Node::Path(quantifier, f) => into.path(*quantifier, of(f)),
        };
        copies.insert(part, copy);
    }
    copies.get(&formula).copied().unwrap_or(FormulaId::FALSE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Spelling, parse, print};

    fn read(store: &mut Formulas, text: &str) -> FormulaId {
        parse(store, text, Spelling::Spot).expect(text)
    }

    #[test]
    fn a_copy_says_the_same() {
        let mut store = Formulas::new();
        let f = read(&mut store, "G (a -> (b U X !c)) & (a <-> Y b) & (b xor a)");
        let mut other = Formulas::new();
        other.atom("z");
        let copy = transplant(&store, f, &mut other, &mut |_, _| None);
        assert_eq!(
            print(&other, copy, Spelling::Spot).len(),
            print(&store, f, Spelling::Spot).len()
        );
        let back = transplant(&other, copy, &mut store, &mut |_, _| None);
        assert_eq!(back, f);
    }

    #[test]
    fn parts_are_replaced() {
        let mut store = Formulas::new();
        let f = read(&mut store, "G (a -> F b) & F b");
        let inner = read(&mut store, "F b");
        let mut other = Formulas::new();
        let mut replace =
            |into: &mut Formulas, part: FormulaId| (part == inner).then(|| into.atom("p"));
        let copy = transplant(&store, f, &mut other, &mut replace);
        let expected = read(&mut other, "G (a -> p) & p");
        assert_eq!(copy, expected);
    }
}
