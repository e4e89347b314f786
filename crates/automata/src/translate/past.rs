//! Past operators over operands that speak of the future.
//!
//! The tableau follows past operators with memory bits, which needs operands whose truth the
//! letters up to now decide. An operand such as the `F p` in `O (F p)` is not of that kind. It is
//! replaced by a fresh proposition *y* together with `G (y → F p)`: a word satisfies the formula
//! iff *y* can be chosen along it so that it satisfies the result (choose *y* true where the
//! operand is; conversely, in negation normal form every operator is monotone, so truth with the
//! stronger *y* is truth with the operand). The tableau hides *y* again.

use evenhand_logic::{AtomId, FormulaId, Formulas, Node};
use std::collections::HashMap;

/// An equivalent formula up to the choice of fresh atoms, whose past operators have operands
/// without future, and those atoms.
pub(super) fn separate(store: &mut Formulas, f: FormulaId) -> (FormulaId, Vec<AtomId>) {
    let mut image: HashMap<FormulaId, FormulaId> = HashMap::new();
    let mut definitions = Vec::new();
    let mut fresh = Vec::new();
    for g in store.subformulas(f) {
        let node = store.node(g).clone();
        let of = |h: &FormulaId| image.get(h).copied().unwrap_or(*h);
        let past = super::unfold::is_past(&node);
        let mut operand = |store: &mut Formulas, h: FormulaId| {
            if !past || !store.properties(h).has_future() {
                return h;
            }
            let y = store.host_atom(&format!("\u{1}{}", fresh.len()));
            if let Node::Atom(atom) = store.node(y) {
                fresh.push(*atom);
            }
            let not = store.not(y);
            let implied = store.or([not, h]);
            definitions.push(store.globally(implied));
            y
        };
        let result = match node {
            Node::And(list) => store.and(list.iter().map(of)),
            Node::Or(list) => store.or(list.iter().map(of)),
            Node::Unary(op, h) => {
                let h = operand(store, of(&h));
                store.unary(op, h)
            }
            Node::Binary(op, h, k) => {
                let (h, k) = (of(&h), of(&k));
                let h = operand(store, h);
                let k = operand(store, k);
                store.binary(op, h, k)
            }
            _ => g,
        };
        image.insert(g, result);
    }
    let main = image.get(&f).copied().unwrap_or(f);
    definitions.push(main);
    (store.and(definitions), fresh)
}
