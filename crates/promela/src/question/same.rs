//! Whether two expressions are the same, wherever they stand.
//!
//! The atoms of a formula and the conditions of a claim repeat each other; equal ones become one
//! proposition, which is evaluated once per state and makes the automaton smaller. Equal means
//! equal trees apart from places in the text: no algebra. Linear in the smaller tree.

use evenhand_system::program::expr::{Expr, Index, Pattern, Place, Receive};

/// Whether two expressions are equal apart from where they stand.
pub(super) fn same(a: &Expr, b: &Expr) -> bool {
    match (a, b) {
        (Expr::Const(a), Expr::Const(b)) => a == b,
        (Expr::Load(a), Expr::Load(b)) => same_place(a, b),
        (Expr::Unary(op, a), Expr::Unary(other, b)) => op == other && same(a, b),
        (Expr::Binary(op, a, _), Expr::Binary(other, b, _)) => {
            op == other && same(&a.0, &b.0) && same(&a.1, &b.1)
        }
        (Expr::Conditional(a), Expr::Conditional(b)) => {
            same(&a.0, &b.0) && same(&a.1, &b.1) && same(&a.2, &b.2)
        }
        (Expr::Pid, Expr::Pid)
        | (Expr::LastPid, Expr::LastPid)
        | (Expr::ProcessCount, Expr::ProcessCount)
        | (Expr::Timeout, Expr::Timeout)
        | (Expr::NonProgress, Expr::NonProgress)
        | (Expr::Accepting, Expr::Accepting) => true,
        (Expr::Channel(query, a, _), Expr::Channel(other, b, _)) => query == other && same(a, b),
        (Expr::Poll(a), Expr::Poll(b)) => same_receive(a, b),
        (Expr::Enabled(a), Expr::Enabled(b))
        | (Expr::LocationOf(a), Expr::LocationOf(b))
        | (Expr::PriorityOf(a), Expr::PriorityOf(b)) => same(a, b),
        (Expr::AtLocation(a), Expr::AtLocation(b)) => {
            a.process == b.process && same_option(&a.pid, &b.pid) && a.locations == b.locations
        }
        (Expr::Remote(a), Expr::Remote(b)) => {
            a.process == b.process && same_option(&a.pid, &b.pid) && same_place(&a.place, &b.place)
        }
        _ => false, // a `run` is never the same as another one
    }
}

fn same_option(a: &Option<Expr>, b: &Option<Expr>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => same(a, b),
        (None, None) => true,
        _ => false,
    }
}

fn same_place(a: &Place, b: &Place) -> bool {
    let index = |(a, b): (&Index, &Index)| {
        a.len == b.len && a.stride == b.stride && same(&a.value, &b.value)
    };
    a.scope == b.scope
        && a.offset == b.offset
        && a.scalar == b.scalar
        && a.indices.len() == b.indices.len()
        && a.indices.iter().zip(&b.indices).all(index)
}

fn same_receive(a: &Receive, b: &Receive) -> bool {
    let pattern = |(a, b): (&Pattern, &Pattern)| match (a, b) {
        (Pattern::Any, Pattern::Any) => true,
        (Pattern::Equal(a), Pattern::Equal(b)) => same(a, b),
        (Pattern::Bind(a), Pattern::Bind(b)) => same_place(a, b),
        _ => false,
    };
    (a.anywhere, a.keep) == (b.anywhere, b.keep)
        && same(&a.channel, &b.channel)
        && a.patterns.len() == b.patterns.len()
        && a.patterns.iter().zip(&b.patterns).all(pattern)
}
