//! A last rewriting before the tableau, which makes formulas longer but automata smaller.
//!
//! The simplifier pulls eventual formulas out of `F`: `F (a | GF b)` becomes `F a | GF b`, which
//! shows more fairness conjuncts. For the tableau the opposite is better: `F a | GF b` is a choice
//! that the first state makes at once, so it cannot be one of the states that wait; `F (a | GF b)`
//! is itself the state that waits.

use evenhand_logic::{FormulaId, Formulas, Node, Unary};
use std::collections::HashMap;

/// Gathers the eventual disjuncts of each disjunction under one `F`, where there is one, and the
/// conjuncts that do not depend on the position under the only `F` of a conjunction.
pub(super) fn gather(store: &mut Formulas, f: FormulaId) -> FormulaId {
    let mut image: HashMap<FormulaId, FormulaId> = HashMap::new();
    for g in store.subformulas(f) {
        let of = |h: &FormulaId| image.get(h).copied().unwrap_or(*h);
        let result = match store.node(g).clone() {
            Node::And(list) => {
                let list: Vec<FormulaId> = list.iter().map(of).collect();
                conjunction(store, list)
            }
            Node::Or(list) => {
                let list: Vec<FormulaId> = list.iter().map(of).collect();
                disjunction(store, list)
            }
            Node::Unary(op, h) => store.unary(op, of(&h)),
            Node::Binary(op, h, k) => store.binary(op, of(&h), of(&k)),
            _ => g,
        };
        image.insert(g, result);
    }
    image.get(&f).copied().unwrap_or(f)
}

/// `F f & q = F (f & q)` for `q` that holds everywhere or nowhere: nothing of `q` is followed while
/// waiting for `f`.
fn conjunction(store: &mut Formulas, list: Vec<FormulaId>) -> FormulaId {
    let waiting: Vec<FormulaId> = list
        .iter()
        .copied()
        .filter(|&g| matches!(store.node(g), Node::Unary(Unary::Finally, _)))
        .collect();
    let (still, rest): (Vec<FormulaId>, Vec<FormulaId>) = list
        .iter()
        .partition(|&&g| store.properties(g).is_suspendable() && !waiting.contains(&g));
    let [wait] = waiting[..] else {
        return store.and(list);
    };
    let Node::Unary(_, body) = *store.node(wait) else {
        return store.and(list);
    };
    if still.is_empty() {
        return store.and(list);
    }
    let inner = store.and(still.into_iter().chain([body]));
    let gathered = store.finally(inner);
    let rest: Vec<FormulaId> = rest.into_iter().filter(|&g| g != wait).collect();
    store.and(rest.into_iter().chain([gathered]))
}

fn disjunction(store: &mut Formulas, list: Vec<FormulaId>) -> FormulaId {
    let (eventual, rest): (Vec<FormulaId>, Vec<FormulaId>) = list
        .iter()
        .partition(|&&g| store.properties(g).is_eventual());
    let body = |g: FormulaId| match *store.node(g) {
        Node::Unary(Unary::Finally, h) => Some(h),
        _ => None,
    };
    if eventual.len() < 2 || !eventual.iter().any(|&g| body(g).is_some()) {
        return store.or(list);
    }
    let bodies: Vec<FormulaId> = eventual.iter().map(|&g| body(g).unwrap_or(g)).collect();
    let inner = store.or(bodies);
    let gathered = store.finally(inner);
    store.or(rest.into_iter().chain([gathered]))
}
