//! Formulas of a model, cut out of the store that all its properties share.

use std::collections::{BTreeSet, HashMap};

use evenhand_logic::{FormulaId, Formulas, Node};
use evenhand_system::PropositionId;

/// Copies a formula into a store of its own; the propositions are those of its atoms. Where `stands`
/// knows a name and a proposition for a subformula, that becomes an atom.
pub(crate) fn cut_out(
    store: &Formulas,
    formula: FormulaId,
    propositions: &[PropositionId],
    stands: &dyn Fn(FormulaId) -> Option<(String, PropositionId)>,
) -> (Formulas, FormulaId, Vec<PropositionId>) {
    let mut own = Formulas::new();
    let mut atoms: Vec<PropositionId> = Vec::new();
    let mut copies: HashMap<FormulaId, FormulaId> = HashMap::new();
    let mut last = FormulaId::TRUE;
    for part in needed(store, formula, stands) {
        let of = |f: &FormulaId| copies[f];
        let known = stands(part);
        let known = known.or_else(|| match store.node(part) {
            Node::Atom(atom) => {
                let text = store.atom_info(*atom).text.clone();
                let proposition = propositions.get(atom.index()).copied();
                Some((text, proposition.unwrap_or(PropositionId(u32::MAX))))
            }
            _ => None,
        });
        last = match (known, store.node(part)) {
            (Some((text, proposition)), _) => {
                let copy = own.host_atom(&text);
                if let Node::Atom(atom) = own.node(copy)
                    && atom.index() == atoms.len()
                {
                    atoms.push(proposition);
                }
                copy
            }
            (None, Node::Constant(value)) => own.constant(*value),
            (None, Node::Atom(_)) => FormulaId::FALSE, // has a name
            (None, Node::Not(f)) => own.not(of(f)),
            (None, Node::And(list)) => own.and(list.iter().map(of)),
            (None, Node::Or(list)) => own.or(list.iter().map(of)),
            (None, Node::Implies(f, g)) => own.implies(of(f), of(g)),
            (None, Node::Iff(f, g)) => own.iff(of(f), of(g)),
            (None, Node::Xor(f, g)) => own.xor(of(f), of(g)),
            (None, Node::Unary(operator, f)) => own.unary(*operator, of(f)),
            (None, Node::Binary(operator, f, g)) => own.binary(*operator, of(f), of(g)),
            (None, Node::Path(quantifier, f)) => own.path(*quantifier, of(f)),
        };
        copies.insert(part, last);
    }
    (own, last, atoms)
}

/// The subformulas down to those that something stands for, operands first.
fn needed(
    store: &Formulas,
    formula: FormulaId,
    stands: &dyn Fn(FormulaId) -> Option<(String, PropositionId)>,
) -> Vec<FormulaId> {
    let mut seen: BTreeSet<FormulaId> = BTreeSet::new();
    let mut open = vec![formula];
    while let Some(part) = open.pop() {
        if seen.insert(part) && stands(part).is_none() {
            open.extend(store.node(part).operands());
        }
    }
    seen.into_iter().collect()
}
