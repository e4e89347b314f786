//! Choices on the outside: an operator applied to two choices by the same tests is a choice.
//!
//! **Problem.** `next(r) = a[i] + b[i]` chooses twice, each time among all elements. As diagrams every element of `a` is
//! added to every element of `b`, and the order of the variables (`order.rs`) sees one constraint about everything.
//!
//! **Idea.** `(t ? a : b) + (t ? c : d)` is `t ? (a + c) : (b + d)`, and `x = (t ? a : b)` is `t ? x = a : x = b`. What chooses by a choice comes last: `(t ? p : q) ? (t ? a : b) : c`, which is what the larger of two
//! elements looks like, is `t ? (p ? a : c) : (q ? b : c)`. Then each choice is about what belongs together. A test
//! that has no value leaves the whole without one before and after.
//!
//! **Cost.** Linear in the length of the choices. Choices that test different things stay; where it is only to be seen what is
//! related they are lifted too, up to a limit: `next(r[i]) = a[i]`, where the index of `r` is that after the step, relates each
//! element to each.

use std::collections::HashMap;

use evenhand_system::relation::{BinaryOp, ExprId, Expressions, Node};

/// How deep choices are followed, and how many nodes are added at most.
const DEEPEST: usize = 100;
const MOST: usize = 50_000;

/// What a choice is lifted over.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Over {
    /// Choices by the same tests.
    Choices,
    /// Everything: to see what is related, for it may become much longer.
    All,
}

/// The same expression with its choices on the outside.
pub(crate) fn lifted(pool: &mut Expressions, expr: ExprId, over: Over) -> ExprId {
    let mut known: HashMap<ExprId, ExprId> = HashMap::new();
    let mut left = MOST;
    for id in pool.closure(expr) {
        let node = pool.node(id).map(|operand| known[&operand]);
        let new = match node {
            Node::Binary(op, a, b) if is_lifted(op) => {
                operator(pool, (op, a, b), over, 0, &mut left)
            }
            Node::Conditional(test, a, b) => choice(pool, (test, a, b), 0, &mut left),
            _ => pool.add(node),
        };
        known.insert(id, new);
    }
    known[&expr]
}

/// Connectives decide without knowing both operands: they stay where they are.
fn is_lifted(op: BinaryOp) -> bool {
    !matches!(
        op,
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Implies | BinaryOp::Iff
    )
}

fn operator(
    pool: &mut Expressions,
    (op, a, b): (BinaryOp, ExprId, ExprId),
    over: Over,
    depth: usize,
    left: &mut usize,
) -> ExprId {
    let parts = match (*pool.node(a), *pool.node(b)) {
        _ if depth > DEEPEST || *left == 0 => None,
        (Node::Conditional(s, a, c), Node::Conditional(t, b, d)) if s == t => {
            Some((s, (a, b), (c, d)))
        }
        (_, Node::Conditional(..)) | (Node::Conditional(..), _) if over == Over::Choices => None,
        (Node::Conditional(t, a, c), _) => Some((t, (a, b), (c, b))),
        (_, Node::Conditional(t, b, d)) => Some((t, (a, b), (a, d))),
        _ => None,
    };
    match parts {
        Some((test, (a, b), (c, d))) => {
            *left -= 1;
            let yes = operator(pool, (op, a, b), over, depth + 1, left);
            let no = operator(pool, (op, c, d), over, depth + 1, left);
            pool.add(Node::Conditional(test, yes, no))
        }
        None => pool.binary(op, a, b),
    }
}

/// A choice whose test is one by a test that its results choose by too.
fn choice(
    pool: &mut Expressions,
    (test, a, b): (ExprId, ExprId, ExprId),
    depth: usize,
    left: &mut usize,
) -> ExprId {
    let under = |pool: &Expressions, test: ExprId, expr: ExprId| match *pool.node(expr) {
        Node::Conditional(t, yes, no) if t == test => Some((yes, no)),
        _ => None,
    };
    if let Node::Conditional(outer, p, q) = *pool.node(test)
        && depth <= DEEPEST
        && *left > 0
    {
        let parts = (under(pool, outer, a), under(pool, outer, b));
        if parts.0.is_some() || parts.1.is_some() {
            *left -= 1;
            let (a, c) = parts.0.unwrap_or((a, a));
            let (b, d) = parts.1.unwrap_or((b, b));
            let yes = choice(pool, (p, a, b), depth + 1, left);
            let no = choice(pool, (q, c, d), depth + 1, left);
            return pool.add(Node::Conditional(outer, yes, no));
        }
    }
    pool.add(Node::Conditional(test, a, b))
}

#[cfg(test)]
mod tests {
    use evenhand_system::relation::{Compiled, Environment, Undefined, VarId};

    use super::*;

    /// Whatever it is before, it is afterwards, also where it is nothing.
    #[test]
    fn lifting_changes_no_value() {
        let mut pool = Expressions::default();
        let x = pool.current(VarId(0));
        let y = pool.current(VarId(1));
        let z = pool.next(VarId(0));
        let nothing = pool.add(Node::Undefined(Undefined::Index));
        let three = pool.constant(3);
        let tests: Vec<ExprId> = (0..3)
            .map(|n| {
                let n = pool.constant(n);
                pool.equal(x, n)
            })
            .collect();
        let spoilt = pool.binary(BinaryOp::Div, three, y);
        let choice = |pool: &mut Expressions, tests: &[ExprId], values: [ExprId; 3], last| {
            let both = tests.iter().zip(values).rev();
            both.fold(last, |rest, (&test, value)| {
                pool.add(Node::Conditional(test, value, rest))
            })
        };
        let a = choice(&mut pool, &tests, [x, y, three], nothing);
        let b = choice(&mut pool, &tests, [y, z, x], nothing);
        let odd = choice(&mut pool, &[spoilt, tests[1], tests[2]], [x, y, z], three);
        let also = choice(&mut pool, &[spoilt, tests[2], tests[1]], [y, x, y], z);
        let mut count = 0;
        for op in [BinaryOp::Add, BinaryOp::Mul, BinaryOp::Lt, BinaryOp::Div] {
            for (left, right) in [(a, b), (a, z), (three, b), (odd, also), (odd, a)] {
                let sum = pool.binary(op, left, right);
                let whole = pool.equal(z, sum);
                let new = lifted(&mut pool, whole, Over::All);
                let half = lifted(&mut pool, whole, Over::Choices);
                count += usize::from(new != whole);
                for values in 0..4i64.pow(3) {
                    let environment = Environment {
                        current: &[values & 3, values >> 2 & 3],
                        next: &[values >> 4],
                    };
                    let value = |e| Compiled::new(&pool, e).value(environment).map_err(|_| ());
                    assert_eq!(value(new), value(whole), "{op:?} {values}");
                    assert_eq!(value(half), value(whole), "{op:?} {values}");
                }
            }
        }
        assert!(count >= 12, "{count}");
        // The larger of two elements, and other choices by a comparison of two choices.
        let mut count = 0;
        for (left, right) in [(a, b), (b, a), (odd, also), (odd, a), (a, odd), (a, three)] {
            let above = pool.binary(BinaryOp::Gt, left, right);
            for (yes, no) in [(left, right), (left, z), (y, right), (also, odd)] {
                let larger = pool.add(Node::Conditional(above, yes, no));
                let sum = pool.binary(BinaryOp::Add, larger, yes);
                let whole = pool.equal(z, sum);
                let new = lifted(&mut pool, whole, Over::All);
                let half = lifted(&mut pool, whole, Over::Choices);
                count += usize::from(half != whole);
                for values in 0..4i64.pow(3) {
                    let environment = Environment {
                        current: &[values & 3, values >> 2 & 3],
                        next: &[values >> 4],
                    };
                    let value = |e| Compiled::new(&pool, e).value(environment).map_err(|_| ());
                    assert_eq!(value(new), value(whole), "{values}");
                    assert_eq!(value(half), value(whole), "{values}");
                }
            }
        }
        assert!(count >= 12, "{count}");
    }
}
