//! Formulas without quantifiers: over sets of states, and over the truth of their parts.

use std::collections::{BTreeMap, BTreeSet};

use evenhand_logic::{FormulaId, Formulas, Node};

use crate::state_set::StateSet;

/// The labels of quantified formulas.
pub(super) type Inner = BTreeMap<FormulaId, StateSet>;

pub(super) enum Source {
    Letter(usize),
    Label(FormulaId),
}

/// A formula of linear time over sets of states.
pub(super) struct Flat {
    pub store: Formulas,
    pub formula: FormulaId,
    /// Where each atom holds.
    pub columns: Vec<StateSet>,
}

impl Default for Flat {
    fn default() -> Flat {
        Flat {
            store: Formulas::new(),
            formula: FormulaId::TRUE,
            columns: Vec::new(),
        }
    }
}

impl Flat {
    /// Where a formula without temporal operators holds: part by part, for all states at once.
    pub fn states(&self, formula: FormulaId, count: usize) -> StateSet {
        let mut known: BTreeMap<FormulaId, StateSet> = BTreeMap::new();
        for part in self.store.subformulas(formula) {
            let of = |f: &FormulaId| known.get(f).cloned();
            let of = |f: &FormulaId| of(f).unwrap_or_else(|| StateSet::empty(count));
            let all = |list: &[FormulaId]| {
                let all = StateSet::empty(count).complement();
                list.iter().fold(all, |all, f| all.and(&of(f)))
            };
            let some = |list: &[FormulaId]| {
                let none = StateSet::empty(count);
                list.iter().fold(none, |some, f| some.or(&of(f)))
            };
            let set = match self.store.node(part) {
                Node::Constant(false) => StateSet::empty(count),
                Node::Constant(true) => StateSet::empty(count).complement(),
                Node::Atom(atom) => self.columns[atom.index()].clone(),
                Node::Not(f) => of(f).complement(),
                Node::And(list) => all(list),
                Node::Or(list) => some(list),
                Node::Implies(f, g) => of(f).complement().or(&of(g)),
                Node::Iff(f, g) => of(f).xor(&of(g)).complement(),
                Node::Xor(f, g) => of(f).xor(&of(g)),
                // There are none of these.
                Node::Unary(..) | Node::Binary(..) | Node::Path(..) => StateSet::empty(count),
            };
            known.insert(part, set);
        }
        known
            .remove(&formula)
            .unwrap_or_else(|| StateSet::empty(count))
    }
}

/// The parts of a formula down to its outermost quantifiers, operands first, and those quantifiers.
pub(super) fn skeleton(store: &Formulas, formula: FormulaId) -> (Vec<FormulaId>, Vec<FormulaId>) {
    let mut parts: BTreeSet<FormulaId> = BTreeSet::new();
    let mut open = vec![formula];
    while let Some(part) = open.pop() {
        if parts.insert(part) && !matches!(store.node(part), Node::Path(..)) {
            open.extend(store.node(part).operands());
        }
    }
    let parts: Vec<FormulaId> = parts.into_iter().collect();
    let is_path = |part: &&FormulaId| matches!(store.node(**part), Node::Path(..));
    let outer = parts.iter().filter(is_path).copied().collect();
    (parts, outer)
}

/// The truth of the last of some parts, each of which comes after its operands.
pub(super) fn propositional(
    store: &Formulas,
    parts: &[FormulaId],
    truth: &dyn Fn(FormulaId) -> Option<bool>,
) -> bool {
    let mut values: Vec<bool> = Vec::with_capacity(parts.len());
    for &part in parts {
        let of = |f: &FormulaId| {
            let place = parts.binary_search(f).ok();
            place
                .and_then(|at| values.get(at).copied())
                .unwrap_or(false)
        };
        let value = truth(part).unwrap_or_else(|| match store.node(part) {
            Node::Constant(value) => *value,
            Node::Not(f) => !of(f),
            Node::And(list) => list.iter().all(of),
            Node::Or(list) => list.iter().any(of),
            Node::Implies(f, g) => !of(f) || of(g),
            Node::Iff(f, g) => of(f) == of(g),
            Node::Xor(f, g) => of(f) != of(g),
            // Temporal operators stand under quantifiers.
            Node::Atom(_) | Node::Unary(..) | Node::Binary(..) | Node::Path(..) => false,
        });
        values.push(value);
    }
    values.last().copied().unwrap_or(false)
}
