//! Negation normal form.
//!
//! Negations are pushed to the propositions through the dual operators, implication, equivalence
//! and exclusive disjunction are spelled out. `f <-> g` becomes `(f & g) | (!f & !g)`: exponential
//! as a tree, linear as the shared graph that it is here. Both polarities of every subformula are
//! computed bottom-up, without recursion.

use evenhand_source::spend;

use crate::formula::{Binary, FormulaId, Formulas, Map, Node, Quantifier, Unary};

impl Unary {
    /// The operator with `!(op f) = dual (!f)`.
    pub fn dual(self) -> Unary {
        match self {
            Unary::Next => Unary::Next,
            Unary::Finally => Unary::Globally,
            Unary::Globally => Unary::Finally,
            Unary::Yesterday => Unary::WeakYesterday,
            Unary::WeakYesterday => Unary::Yesterday,
            Unary::Once => Unary::Historically,
            Unary::Historically => Unary::Once,
        }
    }
}

impl Binary {
    /// The operator with `!(f op g) = !f dual !g`.
    pub fn dual(self) -> Binary {
        match self {
            Binary::Until => Binary::Release,
            Binary::Release => Binary::Until,
            Binary::WeakUntil => Binary::StrongRelease,
            Binary::StrongRelease => Binary::WeakUntil,
            Binary::Since => Binary::Trigger,
            Binary::Trigger => Binary::Since,
        }
    }
}

impl Quantifier {
    /// The quantifier with `!(Q f) = dual (!f)`.
    pub fn dual(self) -> Quantifier {
        match self {
            Quantifier::All => Quantifier::Exists,
            Quantifier::Exists => Quantifier::All,
        }
    }
}

/// The negation normal form of `f`, or of `!f`.
pub fn normal_form(store: &mut Formulas, f: FormulaId, negated: bool) -> FormulaId {
    Normalizer::default().normal_form(store, f, negated)
}

/// Remembers the normal forms already made, positive and negative.
#[derive(Clone, Debug, Default)]
pub(crate) struct Normalizer {
    forms: Map<FormulaId, (FormulaId, FormulaId)>,
}

impl Normalizer {
    pub(crate) fn normal_form(
        &mut self,
        store: &mut Formulas,
        f: FormulaId,
        negated: bool,
    ) -> FormulaId {
        if let Some(&(positive, negative)) = self.forms.get(&f) {
            return if negated { negative } else { positive };
        }
        let mut todo = vec![f];
        let mut parts = std::collections::BTreeSet::new();
        while let Some(g) = todo.pop() {
            spend();
            if !self.forms.contains_key(&g) && parts.insert(g) {
                todo.extend(store.node(g).operands());
            }
        }
        for g in parts {
            let form = self.both(store, g);
            self.forms.insert(g, form);
            // The normal form of a normal form is itself.
            self.forms.entry(form.0).or_insert(form);
            self.forms.entry(form.1).or_insert((form.1, form.0));
        }
        self.normal_form(store, f, negated)
    }

    fn of(&self, f: FormulaId) -> (FormulaId, FormulaId) {
        self.forms.get(&f).copied().unwrap_or((f, f)) // operands are always there
    }

    fn both(&self, store: &mut Formulas, f: FormulaId) -> (FormulaId, FormulaId) {
        match store.node(f).clone() {
            Node::Constant(value) => (f, store.constant(!value)),
            Node::Atom(_) => (f, store.not(f)),
            Node::Not(g) => {
                let (positive, negative) = self.of(g);
                (negative, positive)
            }
            Node::And(list) => (
                store.and(list.iter().map(|&g| self.of(g).0)),
                store.or(list.iter().map(|&g| self.of(g).1)),
            ),
            Node::Or(list) => (
                store.or(list.iter().map(|&g| self.of(g).0)),
                store.and(list.iter().map(|&g| self.of(g).1)),
            ),
            Node::Implies(g, h) => {
                let (g, h) = (self.of(g), self.of(h));
                (store.or([g.1, h.0]), store.and([g.0, h.1]))
            }
            Node::Iff(g, h) => {
                let (g, h) = (self.of(g), self.of(h));
                (same(store, g, h), same(store, g, (h.1, h.0)))
            }
            Node::Xor(g, h) => {
                let (g, h) = (self.of(g), self.of(h));
                (same(store, g, (h.1, h.0)), same(store, g, h))
            }
            Node::Unary(op, g) => {
                let g = self.of(g);
                (store.unary(op, g.0), store.unary(op.dual(), g.1))
            }
            Node::Binary(op, g, h) => {
                let (g, h) = (self.of(g), self.of(h));
                (
                    store.binary(op, g.0, h.0),
                    store.binary(op.dual(), g.1, h.1),
                )
            }
            Node::Path(q, g) => {
                let g = self.of(g);
                (store.path(q, g.0), store.path(q.dual(), g.1))
            }
        }
    }
}

/// `g <-> h` from both polarities of each.
fn same(store: &mut Formulas, g: (FormulaId, FormulaId), h: (FormulaId, FormulaId)) -> FormulaId {
    let both = store.and([g.0, h.0]);
    let neither = store.and([g.1, h.1]);
    store.or([both, neither])
}
