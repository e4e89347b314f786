//! Formulas of a model, cut out of the store that all its properties share.

use evenhand_logic::{FormulaId, Formulas, Node, transplant};
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
    let mut replace = |own: &mut Formulas, part: FormulaId| {
        let known = stands(part).or_else(|| match store.node(part) {
            Node::Atom(atom) => {
                let text = store.atom_info(*atom).text.clone();
                let proposition = propositions.get(atom.index()).copied();
                Some((text, proposition.unwrap_or(PropositionId(u32::MAX))))
            }
            _ => None,
        });
        let (text, proposition) = known?;
        let copy = own.host_atom(&text);
        if let Node::Atom(atom) = own.node(copy)
            && atom.index() == atoms.len()
        {
            atoms.push(proposition);
        }
        Some(copy)
    };
    let copy = transplant(store, formula, &mut own, &mut replace);
    (own, copy, atoms)
}
