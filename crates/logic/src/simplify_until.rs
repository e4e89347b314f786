//! The rules for `U` and `W`; `R` and `M` are their duals. See [`crate::simplify`].

use crate::formula::{Binary, FormulaId, Formulas, Node, Unary};
use crate::simplify::{Simplifier, split};

impl Simplifier {
    /// `f U g` of simplified operands.
    pub(crate) fn until(&mut self, store: &mut Formulas, f: FormulaId, g: FormulaId) -> FormulaId {
        if matches!(store.node(g), Node::Constant(_)) || f == FormulaId::FALSE || f == g {
            return g;
        }
        if f == FormulaId::TRUE || self.covers(store, f, g) {
            return self.unary(store, Unary::Finally, g);
        }
        if store.properties(g).is_eventual()
            || self.known_implies(store, f, g)
            || self.absorbs(store, f, g, true)
        {
            return g;
        }
        if let (&Node::Unary(Unary::Next, a), &Node::Unary(Unary::Next, b)) =
            (store.node(f), store.node(g))
        {
            let inner = self.until(store, a, b);
            return self.unary(store, Unary::Next, inner);
        }
        if let Some(rest) = self.pull_eventual(store, g) {
            let inner = self.until(store, f, rest.1);
            let mut list = rest.0;
            list.push(inner);
            return self.or(store, list);
        }
        if store.properties(f).is_universal() {
            let later = self.unary(store, Unary::Finally, g);
            let both = self.and(store, vec![f, later]);
            return self.or(store, vec![g, both]);
        }
        if let Some(smaller) = self.shrink_left(store, f, g) {
            return self.until(store, smaller, g);
        }
        store.binary(Binary::Until, f, g)
    }

    /// `f W g` of simplified operands.
    pub(crate) fn weak_until(
        &mut self,
        store: &mut Formulas,
        f: FormulaId,
        g: FormulaId,
    ) -> FormulaId {
        if f == FormulaId::TRUE || g == FormulaId::TRUE || self.covers(store, f, g) {
            return FormulaId::TRUE;
        }
        if g == FormulaId::FALSE {
            return self.unary(store, Unary::Globally, f);
        }
        if f == FormulaId::FALSE
            || self.known_implies(store, f, g)
            || self.absorbs(store, f, g, false)
        {
            return g;
        }
        if store.properties(f).is_universal() {
            return self.or(store, vec![f, g]);
        }
        if store.properties(g).is_eventual() {
            let always = self.unary(store, Unary::Globally, f);
            return self.or(store, vec![always, g]);
        }
        if let (&Node::Unary(Unary::Next, a), &Node::Unary(Unary::Next, b)) =
            (store.node(f), store.node(g))
        {
            let inner = self.weak_until(store, a, b);
            return self.unary(store, Unary::Next, inner);
        }
        if let Some(rest) = self.pull_eventual(store, g) {
            let inner = self.weak_until(store, f, rest.1);
            let mut list = rest.0;
            list.push(inner);
            return self.or(store, list);
        }
        if let Some(smaller) = self.shrink_left(store, f, g) {
            return self.weak_until(store, smaller, g);
        }
        store.binary(Binary::WeakUntil, f, g)
    }

    /// Does going through `f` to `g` already make `g` true? `g` is then an operator that `f` feeds.
    fn absorbs(&mut self, store: &Formulas, f: FormulaId, g: FormulaId, strong: bool) -> bool {
        match *store.node(g) {
            Node::Binary(Binary::Until, c, _) => strong && self.known_implies(store, f, c),
            Node::Binary(Binary::WeakUntil, c, _) => self.known_implies(store, f, c),
            Node::Binary(Binary::StrongRelease, _, d) => strong && self.known_implies(store, f, d),
            Node::Binary(Binary::Release, _, d) => self.known_implies(store, f, d),
            Node::Unary(Unary::Globally, d) => self.known_implies(store, f, d),
            _ => false,
        }
    }

    /// The eventual disjuncts of a formula and the disjunction of the others.
    fn pull_eventual(
        &mut self,
        store: &mut Formulas,
        g: FormulaId,
    ) -> Option<(Vec<FormulaId>, FormulaId)> {
        let Node::Or(list) = store.node(g) else {
            return None;
        };
        let (eventual, rest) = split(list.to_vec(), |h| store.properties(h).is_eventual());
        if eventual.is_empty() {
            return None;
        }
        Some((eventual, self.or(store, rest)))
    }

    /// A smaller `f` that matters as much before `g`: only positions without `g` count.
    fn shrink_left(
        &mut self,
        store: &mut Formulas,
        f: FormulaId,
        g: FormulaId,
    ) -> Option<FormulaId> {
        match store.node(f).clone() {
            Node::Or(list) => {
                let (_, rest) = split(list.to_vec(), |h| self.known_implies(store, h, g));
                (rest.len() < list.len()).then(|| self.or(store, rest))
            }
            Node::And(list) => {
                let mut rest = Vec::new();
                for &h in list.iter() {
                    if !self.covers(store, h, g) {
                        rest.push(h);
                    }
                }
                (rest.len() < list.len()).then(|| self.and(store, rest))
            }
            Node::Binary(Binary::Until | Binary::WeakUntil, c, d) => {
                self.known_implies(store, c, g).then_some(d)
            }
            _ => None,
        }
    }
}
