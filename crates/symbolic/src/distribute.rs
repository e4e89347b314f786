//! Constraints in small pieces: what a guard says of many variables becomes one constraint for each.
//!
//! **Problem.** `TRANS i = 2 -> (next(x) = x & next(y) = y + z & …)` is one constraint that mentions everything. As one
//! diagram it is large, the order of the variables learns nothing from it, and no variable can be forgotten
//! before the end.
//!
//! **Idea.** `g -> (p & q)` is `(g -> p) & (g -> q)`, and so are `!g | (p & q)` and `g ? (p & q) : r` with `g` about the
//! state before the step. Applied from the outside inward, each piece mentions its guard and one variable or
//! two: pieces that keep a variable are then seen as such (`partition.rs`), and what is added stands together (`order.rs`).
//!
//! **Limits.** A constraint in which something may have no value stays whole: where it is false as a whole, a piece of it
//! need not be. A guard about the next state stays too.

use std::collections::HashMap;

use evenhand_system::relation::{BinaryOp, ExprId, Expressions, Node, Relation};

/// A constraint becomes at most so many.
const MOST: usize = 4096;

/// The same relation with the constraints of its steps in pieces.
pub(crate) fn distributed(relation: &Relation) -> Relation {
    let mut relation = relation.clone();
    let pool = &mut relation.expressions;
    for part in &mut relation.trans {
        let mut pieces = Vec::new();
        for &constraint in &part.constraints {
            match may_fail(pool, constraint) {
                true => pieces.push(constraint),
                false => pieces.extend(pieces_of(pool, constraint)),
            }
        }
        part.constraints = pieces;
    }
    relation
}

fn may_fail(pool: &Expressions, constraint: ExprId) -> bool {
    let risky = |id: ExprId| match *pool.node(id) {
        Node::Undefined(_) => true,
        Node::Binary(op, ..) => matches!(
            op,
            BinaryOp::Div | BinaryOp::Mod | BinaryOp::Shl | BinaryOp::Shr
        ),
        _ => false,
    };
    pool.closure(constraint).into_iter().any(risky)
}

fn pieces_of(pool: &mut Expressions, constraint: ExprId) -> Vec<ExprId> {
    let shapes = shapes(pool, constraint);
    let is_guard = |id: ExprId| shapes.get(&id).is_some_and(|shape| shape.is_guard);
    let is_joint = |id: ExprId| shapes.get(&id).is_some_and(|shape| shape.is_joint);
    let mut pieces = Vec::new();
    // A guard, if there is one, and what holds under it.
    let mut open: Vec<(Option<ExprId>, ExprId)> = vec![(None, constraint)];
    while let Some((guard, expr)) = open.pop() {
        if pieces.len() + open.len() > MOST {
            return vec![constraint];
        }
        match *pool.node(expr) {
            Node::Binary(BinaryOp::And, a, b) => open.extend([(guard, b), (guard, a)]),
            Node::Binary(BinaryOp::Implies, a, b) if is_joint(expr) => {
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
            Node::Conditional(test, a, b) if is_joint(expr) => {
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
    pieces
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
    use evenhand_system::relation::{Compiled, Environment, VarId};

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
            let pieces = pieces_of(&mut pool, constraint);
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
