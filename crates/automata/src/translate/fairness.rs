//! Fairness-shaped conjuncts become marks.
//!
//! The negation of a property under fairness hypotheses is a conjunction `GF p → GF q`, `GF p`, …
//! and the violation proper. Whether such a conjunct holds depends only on which letters are seen
//! infinitely often, so it needs no states: mark the letters with *p* and those with *q*, and ask
//! for the Streett pair (p, q) (the remark that ends Duret-Lutz, Poitrenaud and Couvreur 2009).
//! Here the marks are [conditional](crate::Conditional), so there are no more edges either.
//!
//! A conditional mark is set by literals, one or several: a disjunction of literals is a mark.
//! Other boolean formulas are given a proposition of their own, if the caller allows it, or split
//! the edges.

use evenhand_logic::{FormulaId, Formulas, Node, Unary};

/// One conjunct taken out of a formula; the operands are boolean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fairness {
    /// `GF p`.
    Often(FormulaId),
    /// `GF p → GF q`; with `q = false` this is `FG !p`.
    Granted(FormulaId, FormulaId),
}

/// Splits a simplified formula into fairness conjuncts and the rest.
pub(super) fn extract(
    store: &mut Formulas,
    f: FormulaId,
    persistence: bool,
) -> (Vec<Fairness>, FormulaId) {
    let conjuncts = match store.node(f) {
        Node::And(list) => list.to_vec(),
        _ => vec![f],
    };
    let mut found = Vec::new();
    let mut rest = Vec::new();
    for g in conjuncts {
        match fairness(store, g) {
            Some(Fairness::Granted(_, FormulaId::FALSE)) if !persistence => rest.push(g),
            Some(fairness) => found.push(fairness),
            None => rest.push(g),
        }
    }
    (found, store.and(rest))
}

/// Whether a formula depends only on which letters are seen infinitely often, in a way that marks say.
pub(super) fn is_fairness(store: &mut Formulas, f: FormulaId) -> bool {
    fairness(store, f).is_some()
}

fn fairness(store: &mut Formulas, f: FormulaId) -> Option<Fairness> {
    if let Some(p) = often(store, f) {
        return Some(Fairness::Often(p));
    }
    if let Some(p) = persistent(store, f) {
        let bad = evenhand_logic::normal_form(store, p, true);
        return Some(Fairness::Granted(bad, FormulaId::FALSE));
    }
    let Node::Or(list) = store.node(f).clone() else {
        return None;
    };
    let mut grants = Vec::new();
    let mut requests = Vec::new();
    for &g in list.iter() {
        if let Some(p) = often(store, g) {
            grants.push(p);
        } else {
            requests.push(persistent(store, g)?);
        }
    }
    let [good] = requests[..] else {
        return None; // FG p | FG q is no single pair
    };
    let request = evenhand_logic::normal_form(store, good, true);
    Some(Fairness::Granted(request, store.or(grants)))
}

/// `p` of `G F p`.
fn often(store: &Formulas, f: FormulaId) -> Option<FormulaId> {
    nested(store, f, Unary::Globally, Unary::Finally)
}

/// `p` of `F G p`.
fn persistent(store: &Formulas, f: FormulaId) -> Option<FormulaId> {
    nested(store, f, Unary::Finally, Unary::Globally)
}

fn nested(store: &Formulas, f: FormulaId, outer: Unary, inner: Unary) -> Option<FormulaId> {
    match *store.node(f) {
        Node::Unary(op, g) if op == outer => match *store.node(g) {
            Node::Unary(op, p) if op == inner && store.properties(p).is_boolean() => Some(p),
            _ => None,
        },
        _ => None,
    }
}

/// The literals of a disjunction of literals (a single one, or `false` for none): the formula of
/// the proposition and whether it is positive.
pub(super) fn clause(store: &Formulas, p: FormulaId) -> Option<Vec<(FormulaId, bool)>> {
    let literal = |f: FormulaId| match *store.node(f) {
        Node::Atom(_) => Some((f, true)),
        Node::Not(g) if matches!(store.node(g), Node::Atom(_)) => Some((g, false)),
        _ => None,
    };
    match store.node(p) {
        Node::Constant(false) => Some(Vec::new()),
        Node::Or(list) => list.iter().map(|&f| literal(f)).collect(),
        _ => literal(p).map(|l| vec![l]),
    }
}
