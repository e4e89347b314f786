//! Making expressions of a relation, with constants folded.
//!
//! Constants come from widths, bounds and parameters; folding them keeps the relation small and
//! lets conditions that are always true disappear. An operation whose value is not defined is left
//! as it is.

use evenhand_system::relation::{
    BinaryOp, Compiled, Environment, ExprId, Expressions, Node, UnaryOp, Undefined, Word,
};

/// The value of an expression that is a constant.
pub(super) fn constant(pool: &Expressions, expr: ExprId) -> Option<i64> {
    match *pool.node(expr) {
        Node::Const(value) => Some(value),
        _ => None,
    }
}

/// Adds a node; its value, if it follows from constants.
pub(super) fn add(pool: &mut Expressions, node: Node) -> ExprId {
    let expr = pool.add(node);
    let is_leaf = node.operands().next().is_none();
    if is_leaf || !node.operands().all(|o| constant(pool, o).is_some()) {
        return expr;
    }
    let environment = Environment {
        current: &[],
        next: &[],
    };
    match Compiled::new(pool, expr).value(environment) {
        Ok(value) => pool.constant(value),
        Err(_) => expr,
    }
}

pub(super) fn undefined(pool: &mut Expressions, reason: Undefined) -> ExprId {
    pool.add(Node::Undefined(reason))
}

pub(super) fn not(pool: &mut Expressions, operand: ExprId) -> ExprId {
    match *pool.node(operand) {
        Node::Unary(UnaryOp::Not, inner) => inner,
        _ => add(pool, Node::Unary(UnaryOp::Not, operand)),
    }
}

pub(super) fn binary(pool: &mut Expressions, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
    add(pool, Node::Binary(op, a, b))
}

pub(super) fn and(pool: &mut Expressions, a: ExprId, b: ExprId) -> ExprId {
    match (constant(pool, a), constant(pool, b)) {
        (Some(0), _) | (_, Some(0)) => pool.constant(0),
        (Some(_), _) => b,
        (_, Some(_)) => a,
        _ if a == b => a,
        _ => pool.binary(BinaryOp::And, a, b),
    }
}

pub(super) fn or(pool: &mut Expressions, a: ExprId, b: ExprId) -> ExprId {
    match (constant(pool, a), constant(pool, b)) {
        (Some(0), _) => b,
        (_, Some(0)) => a,
        (Some(_), _) | (_, Some(_)) => pool.constant(1),
        _ if a == b => a,
        _ => pool.binary(BinaryOp::Or, a, b),
    }
}

/// A disjunction that is defined only if both operands are.
pub(super) fn strict_or(pool: &mut Expressions, a: ExprId, b: ExprId) -> ExprId {
    match is_defined(pool, a) && is_defined(pool, b) {
        true => or(pool, a, b),
        false => binary(pool, BinaryOp::BitOr, a, b),
    }
}

/// Whether an expression has a value whatever the variables are, as far as its operators tell.
pub(super) fn is_defined(pool: &Expressions, expr: ExprId) -> bool {
    let risky = |id: &ExprId| {
        matches!(
            pool.node(*id),
            Node::Undefined(_) | Node::Binary(BinaryOp::Div | BinaryOp::Mod, ..)
        )
    };
    !pool.closure(expr).iter().any(risky)
}

pub(super) fn equal(pool: &mut Expressions, a: ExprId, b: ExprId) -> ExprId {
    binary(pool, BinaryOp::Eq, a, b)
}

pub(super) fn conditional(pool: &mut Expressions, test: ExprId, yes: ExprId, no: ExprId) -> ExprId {
    match constant(pool, test) {
        Some(0) => no,
        Some(_) => yes,
        // Even with equal values the test decides whether the whole is defined.
        None => pool.add(Node::Conditional(test, yes, no)),
    }
}

pub(super) fn wrap(pool: &mut Expressions, word: Word, operand: ExprId) -> ExprId {
    add(pool, Node::Wrap(word, operand))
}

/// Whether an expression lies between two numbers.
pub(super) fn between(pool: &mut Expressions, expr: ExprId, low: i64, high: i64) -> ExprId {
    let (low, high) = (pool.constant(low), pool.constant(high));
    let above = binary(pool, BinaryOp::Le, low, expr);
    let below = binary(pool, BinaryOp::Le, expr, high);
    and(pool, above, below)
}
