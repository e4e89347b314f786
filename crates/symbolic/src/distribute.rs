//! Constraints in small pieces: what a guard says of many variables becomes one constraint for each.
//!
//! **Problem.** `TRANS i = 2 -> (next(x) = x & next(y) = y + z & …)` is one constraint that mentions everything. As one
//! diagram it is large, the order of the variables learns nothing from it, and no variable can be forgotten
//! before the end.
//!
//! **Idea.** `g -> (p & q)` is `(g -> p) & (g -> q)`, and so are `!g | (p & q)` and `g ? (p & q) : r` with `g` about the
//! state before the step. Applied from the outside inward, each piece mentions its guard and one variable or
//! two: pieces that keep a variable are then seen as such (`partition.rs`), and what is added stands together (`order.rs`).
//! Before that, choices are brought to the outside (`lift.rs`). What is related is seen from smaller pieces still.
//!
//! **Limits.** A constraint in which something may have no value stays whole: where it is false as a whole, a piece of it
//! need not be. A guard about the next state stays too.

use std::collections::{BTreeSet, HashMap};

use evenhand_source::spend;
use evenhand_system::relation::{
    BinaryOp, Compiled, Environment, ExprId, Expressions, Node, Relation, UnaryOp, VarId, Variable,
};

use crate::lift::{Over, lifted};

/// A constraint becomes at most so many.
const MOST: usize = 4096;

/// So many cases of a constraint are looked at by themselves, and so many nodes are evaluated to find those that never come.
const MOST_CASES: usize = 256;
const MOST_EVALUATED: usize = 1 << 20;

/// The same relation with the constraints of its steps in pieces.
pub(crate) fn distributed(relation: &Relation) -> Relation {
    let mut relation = relation.clone();
    let pool = &mut relation.expressions;
    for part in &mut relation.trans {
        let mut pieces = Vec::new();
        for &constraint in &part.constraints {
            let constraint = lifted(pool, constraint, Over::Choices);
            match may_fail(pool, constraint) {
                true => pieces.push(constraint),
                false => match parts_of(pool, constraint, Apart::Pieces) {
                    Some(parts) => pieces.extend(parts),
                    None => pieces.push(constraint),
                },
            }
        }
        part.constraints = pieces;
    }
    relation
}

/// What is related to each other: sets of variables, as small as can be seen.
pub(crate) struct Related {
    /// By the constraints of steps and states.
    pub steps: BTreeSet<Vec<VarId>>,
    /// By what is initial, and by what properties and fairness compare.
    pub others: BTreeSet<Vec<VarId>>,
}

/// What a relation relates to each other. Each choice counts by itself, if it can be made.
pub(crate) fn related(relation: &Relation) -> Related {
    let mut pool = relation.expressions.clone();
    let mut left = MOST_EVALUATED;
    let mut edges_of = |constraints: &mut dyn Iterator<Item = ExprId>| {
        let mut edges = BTreeSet::new();
        for constraint in constraints {
            let lifted = lifted(&mut pool, constraint, Over::All);
            for piece in parts_of(&mut pool, lifted, Apart::Cases).unwrap_or(vec![constraint]) {
                if !is_idle(&pool, &relation.variables, piece, &mut left) {
                    let (now, next) = pool.support(piece);
                    edges.insert(now.union(&next).copied().collect());
                }
            }
        }
        edges
    };
    let steps = relation.trans.iter().flat_map(|part| &part.constraints);
    let steps = edges_of(&mut steps.chain(&relation.invar).copied());
    let asked = relation.propositions.iter();
    let asked = asked.flat_map(|&(_, expr)| compared(&relation.expressions, expr));
    let mut others = edges_of(&mut relation.init.iter().copied().chain(asked));
    others.retain(|edge| !steps.contains(edge));
    Related { steps, others }
}

/// The parts of a proposition inside of its connectives: what is compared in them stands together, whatever they say of it.
fn compared(pool: &Expressions, proposition: ExprId) -> BTreeSet<ExprId> {
    let (mut parts, mut seen) = (BTreeSet::new(), BTreeSet::new());
    let mut open = vec![proposition];
    while let Some(expr) = open.pop() {
        if !seen.insert(expr) {
            continue;
        }
        match *pool.node(expr) {
            Node::Unary(UnaryOp::Not, a) => open.push(a),
            Node::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Implies, a, b) => {
                open.extend([a, b]);
            }
            _ => {
                parts.insert(expr);
            }
        }
    }
    parts
}

fn may_fail(pool: &Expressions, constraint: ExprId) -> bool {
    let risky = |id: ExprId| match *pool.node(id) {
        Node::Undefined(_) => true,
        Node::Binary(BinaryOp::Div | BinaryOp::Mod, _, by) => {
            !matches!(*pool.node(by), Node::Const(by) if by != 0)
        }
        Node::Binary(op, ..) => matches!(op, BinaryOp::Shl | BinaryOp::Shr),
        _ => false,
    };
    pool.closure(constraint).into_iter().any(risky)
}

/// Whether a piece says nothing, since its guard is never true: seen where its variables have few values together.
fn is_idle(pool: &Expressions, variables: &[Variable], piece: ExprId, left: &mut usize) -> bool {
    let Node::Binary(BinaryOp::Implies, guard, _) = *pool.node(piece) else {
        return false;
    };
    let (now, next) = pool.support(guard);
    let sort = |id: &VarId| &variables[id.0 as usize].sort;
    let lists: Option<Vec<Vec<i64>>> = now.iter().map(|id| sort(id).values(MOST_CASES)).collect();
    let Some(lists) = lists.filter(|_| next.is_empty()) else {
        return false;
    };
    let sizes = lists.iter().map(Vec::len);
    let all = sizes.fold(1, usize::saturating_mul);
    let cost = all.saturating_mul(pool.closure(guard).len());
    if cost > *left {
        return false;
    }
    *left -= cost;
    let compiled = Compiled::new(pool, guard);
    let mut current = vec![0; variables.len()];
    (0..all).all(|number| {
        spend();
        let mut rest = number;
        for (id, list) in now.iter().zip(&lists) {
            current[id.0 as usize] = list[rest % list.len()];
            rest /= list.len();
        }
        let environment = Environment {
            current: &current,
            next: &[],
        };
        compiled.is_true(environment) == Ok(false)
    })
}

/// What becomes of a constraint.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Apart {
    /// What conjunctions come apart into.
    Pieces,
    /// What guards tell apart, too.
    Cases,
}

/// The parts of a constraint: it holds where all of them do. None, if they are too many.
fn parts_of(pool: &mut Expressions, constraint: ExprId, into: Apart) -> Option<Vec<ExprId>> {
    let shapes = shapes(pool, constraint);
    let is_guard = |id: ExprId| shapes.get(&id).is_some_and(|shape| shape.is_guard);
    let is_joint = |id: ExprId| shapes.get(&id).is_some_and(|shape| shape.is_joint);
    let comes_apart = |whole, guard| is_joint(whole) || into == Apart::Cases && is_guard(guard);
    let most = match into {
        Apart::Pieces => MOST,
        Apart::Cases => MOST_CASES,
    };
    let mut pieces = Vec::new();
    // A guard, if there is one, and what holds under it.
    let mut open: Vec<(Option<ExprId>, ExprId)> = vec![(None, constraint)];
    while let Some((guard, expr)) = open.pop() {
        if pieces.len() + open.len() > most {
            return None;
        }
        match *pool.node(expr) {
            Node::Binary(BinaryOp::And, a, b) => open.extend([(guard, b), (guard, a)]),
            Node::Binary(BinaryOp::Implies, a, b) if comes_apart(expr, a) => {
                let both = both(pool, guard, a);
                open.push((Some(both), b));
            }
            Node::Binary(BinaryOp::Or, a, b) if is_joint(expr) => {
                let (a, b) = if is_guard(a) && is_joint(b) {
                    (a, b)
                } else {
                    (b, a)
                };
                let not = pool.not(a);
                let both = both(pool, guard, not);
                open.push((Some(both), b));
            }
            Node::Conditional(test, a, b) if comes_apart(expr, test) => {
                let not = pool.not(test);
                let (yes, no) = (both(pool, guard, test), both(pool, guard, not));
                open.extend([(Some(no), b), (Some(yes), a)]);
            }
            _ => pieces.push(match guard {
                Some(guard) => pool.binary(BinaryOp::Implies, guard, expr),
                None => expr,
            }),
        }
    }
    Some(pieces)
}

/// What can be done with an expression.
struct Shape {
    /// It is about the state before the step.
    is_guard: bool,
    /// It comes apart.
    is_joint: bool,
}

/// The shapes of all parts of a constraint, operands first.
fn shapes(pool: &Expressions, constraint: ExprId) -> HashMap<ExprId, Shape> {
    let mut shapes: HashMap<ExprId, Shape> = HashMap::new();
    for id in pool.closure(constraint) {
        let node = *pool.node(id);
        let is_guard = |id: &ExprId| shapes[id].is_guard;
        let is_joint = |id: &ExprId| shapes[id].is_joint;
        let guards = |a: &ExprId, b: &ExprId| is_guard(a) && is_joint(b);
        let shape = Shape {
            is_guard: !matches!(node, Node::Next(_)) && node.operands().all(|o| is_guard(&o)),
            is_joint: match &node {
                Node::Binary(BinaryOp::And, ..) => true,
                Node::Binary(BinaryOp::Implies, a, b) => guards(a, b),
                Node::Binary(BinaryOp::Or, a, b) => guards(a, b) || guards(b, a),
                Node::Conditional(test, a, b) => guards(test, a) || guards(test, b),
                _ => false,
            },
        };
        shapes.insert(id, shape);
    }
    shapes
}

fn both(pool: &mut Expressions, guard: Option<ExprId>, other: ExprId) -> ExprId {
    match guard {
        Some(guard) => pool.binary(BinaryOp::And, guard, other),
        None => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pieces hold together exactly where the constraint does.
    #[test]
    fn pieces_say_the_same() {
        let mut pool = Expressions::default();
        let now: Vec<ExprId> = (0..3).map(|v| pool.current(VarId(v))).collect();
        let next: Vec<ExprId> = (0..3).map(|v| pool.next(VarId(v))).collect();
        let kept: Vec<ExprId> = (0..3).map(|v| pool.equal(next[v], now[v])).collect();
        let all = pool.all(kept.clone());
        let two = pool.all([kept[0], kept[1]]);
        let not = pool.not(next[2]);
        let other = pool.binary(BinaryOp::And, not, two);
        let guarded = pool.binary(BinaryOp::Implies, now[0], all);
        let either = pool.binary(BinaryOp::Or, all, now[1]);
        let chosen = pool.add(Node::Conditional(now[2], other, either));
        let nested = pool.binary(BinaryOp::Implies, now[1], chosen);
        let ahead = pool.binary(BinaryOp::Implies, next[1], all);
        for (constraint, count) in [
            (guarded, 3),
            (either, 3),
            (chosen, 6),
            (nested, 6),
            (ahead, 1),
        ] {
            let pieces = parts_of(&mut pool, constraint, Apart::Pieces).expect("few");
            assert_eq!(pieces.len(), count);
            for values in 0..64 {
                let bit = |at: usize| i64::from(values >> at & 1);
                let (current, next): (Vec<i64>, Vec<i64>) =
                    ((0..3).map(bit).collect(), (3..6).map(bit).collect());
                let environment = Environment {
                    current: &current,
                    next: &next,
                };
                let truth = |&e: &ExprId| Compiled::new(&pool, e).is_true(environment) == Ok(true);
                assert_eq!(pieces.iter().all(truth), truth(&constraint), "{values}");
            }
        }
    }
}
