//! What values a node of an expression can have, as an interval, from those of its operands, and back.
//!
//! **Idea.** Interval arithmetic in both directions, as in HC4 (Benhamou, Goualard, Granvilliers and Puget 1999).
//! [`forward`] bounds a node by its operands, [`backward`] the operands by what is known of the node: `x + y = 3`
//! bounds each of `x` and `y` by the other, and a guard that is known to be true makes an equation behind it a
//! function.
//!
//! A node that may have no value (a division by zero, a `case` without a condition that holds) is not *sure*.
//! Nothing is concluded backward from such a node: where it has no value is for whoever evaluates it exactly.
//!
//! Bounds are never too narrow; they are exact where all operands have one value.

use super::Relation;
use super::evaluate::operate;
use super::expression::{BinaryOp, ExprId, Node, UnaryOp, Word};

/// Bounds beyond this are no longer counted exactly.
const FAR: i128 = 1 << 120;

/// The values that a node may have where it has one, and whether it has one for certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Interval {
    pub low: i128,
    pub high: i128,
    pub sure: bool,
}

impl Interval {
    pub fn new(low: i128, high: i128) -> Interval {
        Interval {
            low,
            high,
            sure: true,
        }
    }

    pub fn single(value: i128) -> Interval {
        Interval::new(value, value)
    }

    fn either(truth: Option<bool>) -> Interval {
        match truth {
            Some(truth) => Interval::single(truth.into()),
            None => Interval::new(0, 1),
        }
    }

    /// Everything, perhaps nothing at all.
    fn unknown() -> Interval {
        Interval::new(-FAR, FAR).unsure()
    }

    fn unsure(self) -> Interval {
        Interval {
            sure: false,
            ..self
        }
    }

    pub fn is_single(&self) -> bool {
        self.low == self.high
    }

    /// Whether it is true, if that is known.
    pub fn truth(&self) -> Option<bool> {
        match (self.low, self.high) {
            (0, 0) => Some(false),
            (low, high) if low > 0 || high < 0 => Some(true),
            _ => None,
        }
    }

    /// The hull of some values.
    fn hull(values: impl IntoIterator<Item = Option<i128>>) -> Interval {
        let mut hull: Option<Interval> = None;
        for value in values {
            let Some(value) = value.filter(|v| v.abs() <= FAR) else {
                return Interval::unknown();
            };
            let known = hull.unwrap_or(Interval::single(value));
            hull = Some(Interval::new(known.low.min(value), known.high.max(value)));
        }
        hull.unwrap_or_else(Interval::unknown)
    }
}

/// What intervals tell of an expression, whatever values its variables have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Always {
    /// It has a value, which is true.
    True,
    /// It has a value.
    Defined,
    /// Nothing: it may be all of this, or not.
    Unknown,
}

/// What intervals tell of an expression; linear in its size.
pub fn always(relation: &Relation, expr: ExprId) -> Always {
    let pool = &relation.expressions;
    let closure = pool.closure(expr);
    let mut bounds: Vec<Interval> = Vec::with_capacity(closure.len());
    for &id in &closure {
        let node = *pool.node(id);
        let own = match node {
            Node::Current(variable) | Node::Next(variable) => {
                let (low, high) = relation.variables[variable.0 as usize].sort.bounds();
                if low > high {
                    return Always::Unknown;
                }
                Interval::new(low.into(), high.into())
            }
            _ => {
                let mut operands = [Interval::single(0); 3];
                for (operand, id) in operands.iter_mut().zip(node.operands()) {
                    *operand = bounds[closure.binary_search(&id).unwrap_or(0)];
                }
                match node {
                    // What is compared with itself is equal, whatever it is.
                    Node::Binary(BinaryOp::Eq, a, b) if a == b && operands[0].sure => {
                        Interval::single(1)
                    }
                    _ => forward(node, operands),
                }
            }
        };
        bounds.push(own);
    }
    match bounds.last() {
        Some(own) if own.sure && own.truth() == Some(true) => Always::True,
        Some(own) if own.sure => Always::Defined,
        _ => Always::Unknown,
    }
}

/// The bounds of a node, from those of its operands.
pub(super) fn forward(node: Node, [a, b, c]: [Interval; 3]) -> Interval {
    let own = match node {
        Node::Const(value) => return Interval::single(value.into()),
        Node::Undefined(_) => return Interval::unknown(),
        Node::Current(_) | Node::Next(_) => return a,
        Node::Conditional(..) => return conditional(a, b, c),
        Node::Binary(BinaryOp::And, ..) => return connected(a, b, false),
        Node::Binary(BinaryOp::Or, ..) => return connected(a, b, true),
        Node::Binary(BinaryOp::Implies, ..) => return connected(negated(a), b, true),
        Node::Unary(op, _) => {
            if a.is_single() && a.sure {
                return exact(node, [a, a, a]);
            }
            match op {
                UnaryOp::Not => negated(a),
                UnaryOp::Neg => Interval::new(-a.high, -a.low),
                UnaryOp::Complement => Interval::new(-a.high - 1, -a.low - 1),
            }
        }
        Node::Wrap(word, _) => wrapped(word, a),
        Node::Binary(op, ..) => {
            if a.is_single() && b.is_single() && a.sure && b.sure {
                return exact(node, [a, b, b]);
            }
            let own = binary(op, a, b);
            match a.sure && b.sure {
                true => own,
                false => own.unsure(),
            }
        }
    };
    match a.sure {
        true => own,
        false => own.unsure(),
    }
}

fn exact(node: Node, operands: [Interval; 3]) -> Interval {
    match operate(node, operands.map(|o| Ok(o.low))) {
        Ok(value) => Interval::single(value),
        Err(_) => Interval::unknown(),
    }
}

fn negated(a: Interval) -> Interval {
    Interval {
        sure: a.sure,
        ..Interval::either(a.truth().map(|truth| !truth))
    }
}

fn connected(a: Interval, b: Interval, by: bool) -> Interval {
    let decides = |o: Interval| o.truth() == Some(by);
    if decides(a) && a.sure || decides(b) && b.sure {
        return Interval::either(Some(by));
    }
    let truth = match (a.truth(), b.truth()) {
        _ if decides(a) || decides(b) => Some(by),
        (Some(_), Some(_)) => Some(!by),
        _ => None,
    };
    Interval {
        sure: a.sure && b.sure,
        ..Interval::either(truth)
    }
}

fn conditional(test: Interval, a: Interval, b: Interval) -> Interval {
    let chosen = match test.truth() {
        Some(true) => a,
        Some(false) => b,
        None => Interval {
            low: a.low.min(b.low),
            high: a.high.max(b.high),
            sure: a.sure && b.sure,
        },
    };
    Interval {
        sure: chosen.sure && test.sure,
        ..chosen
    }
}

fn wrapped(word: Word, a: Interval) -> Interval {
    let (low, high) = (word.wrap(a.low), word.wrap(a.high));
    let period = 1i128 << u32::from(word.bits.clamp(1, 64));
    if a.high - a.low < period && low <= high {
        return Interval::new(low, high);
    }
    match word.signed {
        true => Interval::new(-(period / 2), period / 2 - 1),
        false => Interval::new(0, period - 1),
    }
}

fn binary(op: BinaryOp, a: Interval, b: Interval) -> Interval {
    let less = |a: Interval, b: Interval| match () {
        () if a.high < b.low => Some(true),
        () if a.low >= b.high => Some(false),
        () => None,
    };
    let same = match () {
        () if a.low > b.high || b.low > a.high => Some(false),
        () if a.is_single() && b.is_single() => Some(true),
        () => None,
    };
    let not = |truth: Option<bool>| truth.map(|truth| !truth);
    let alike = || Some(a.truth()? == b.truth()?);
    let ends = |of: &dyn Fn(i128, i128) -> Option<i128>| {
        let pairs = [
            (a.low, b.low),
            (a.low, b.high),
            (a.high, b.low),
            (a.high, b.high),
        ];
        Interval::hull(pairs.map(|(x, y)| of(x, y)))
    };
    match op {
        BinaryOp::And | BinaryOp::Or | BinaryOp::Implies => Interval::new(0, 1),
        BinaryOp::Iff => Interval::either(alike()),
        BinaryOp::Xor => Interval::either(not(alike())),
        BinaryOp::Eq => Interval::either(same),
        BinaryOp::Ne => Interval::either(not(same)),
        BinaryOp::Lt => Interval::either(less(a, b)),
        BinaryOp::Ge => Interval::either(not(less(a, b))),
        BinaryOp::Gt => Interval::either(less(b, a)),
        BinaryOp::Le => Interval::either(not(less(b, a))),
        BinaryOp::Add => ends(&|x, y| x.checked_add(y)),
        BinaryOp::Sub => ends(&|x, y| x.checked_sub(y)),
        BinaryOp::Mul => ends(&|x, y| x.checked_mul(y)),
        BinaryOp::Div if b.low > 0 || b.high < 0 => ends(&|x, y| x.checked_div(y)),
        BinaryOp::Div => {
            let most = a.low.abs().max(a.high.abs());
            Interval::new(-most, most).unsure()
        }
        BinaryOp::Mod if b.is_single() && b.low == 0 => Interval::unknown(),
        BinaryOp::Mod => {
            let most = b.low.abs().max(b.high.abs()) - 1;
            let low = if a.low < 0 { a.low.max(-most) } else { 0 };
            let high = if a.high > 0 { a.high.min(most) } else { 0 };
            let bounds = Interval::new(low.min(high), high.max(low));
            match b.low > 0 || b.high < 0 {
                true => bounds,
                false => bounds.unsure(),
            }
        }
        BinaryOp::BitAnd if a.low >= 0 && b.low >= 0 => Interval::new(0, a.high.min(b.high)),
        BinaryOp::BitAnd if a.low >= 0 => Interval::new(0, a.high),
        BinaryOp::BitAnd if b.low >= 0 => Interval::new(0, b.high),
        BinaryOp::BitOr | BinaryOp::BitXor if a.low >= 0 && b.low >= 0 => {
            let low = match op {
                BinaryOp::BitOr => a.low.max(b.low),
                _ => 0,
            };
            Interval::new(low, ones(a.high.max(b.high)))
        }
        BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
            let ends = [a.low, a.high, b.low, b.high];
            let most = ends.map(|end| ones(end.max(!end)));
            let most = most.into_iter().max().unwrap_or(0);
            Interval::new(-most - 1, most)
        }
        BinaryOp::Shl if b.low >= 0 && b.high < 120 => ends(&|x, y| x.checked_mul(1 << y)),
        BinaryOp::Shr if b.low >= 0 && b.high < 127 => ends(&|x, y| Some(x >> y)),
        BinaryOp::Shl | BinaryOp::Shr => Interval::unknown(),
    }
}

/// The least number of ones only that is not smaller.
fn ones(value: i128) -> i128 {
    match value {
        i128::MIN..=0 => 0,
        _ => (1i128 << (128 - value.leading_zeros()).min(126)) - 1,
    }
}

/// What is known of the operands of a node whose bounds are these: new bounds for each, which are to be met with
/// the old ones. The node is sure.
pub(super) fn backward(node: Node, own: Interval, [a, b, c]: [Interval; 3]) -> [Interval; 3] {
    let kept = [a, b, c];
    match node {
        Node::Const(_) | Node::Current(_) | Node::Next(_) | Node::Undefined(_) => kept,
        Node::Unary(UnaryOp::Not, _) => [meant(a, own.truth().map(|t| !t)), b, c],
        Node::Unary(UnaryOp::Neg, _) => [Interval::new(-own.high, -own.low), b, c],
        Node::Unary(UnaryOp::Complement, _) => [Interval::new(-own.high - 1, -own.low - 1), b, c],
        Node::Wrap(word, _) => [unwrapped(word, own, a), b, c],
        Node::Conditional(..) => match a.truth() {
            Some(true) => [a, own, c],
            Some(false) => [a, b, own],
            None if apart(b, own) => [meant(a, Some(false)), b, c],
            None if apart(c, own) => [meant(a, Some(true)), b, c],
            None => kept,
        },
        Node::Binary(op, ..) => {
            let [x, y] = operands(op, own, a, b);
            [x, y, c]
        }
    }
}

fn apart(a: Interval, b: Interval) -> bool {
    a.low > b.high || b.low > a.high
}

/// The bounds of an operand whose truth is known.
fn meant(a: Interval, truth: Option<bool>) -> Interval {
    match truth {
        Some(false) => Interval::single(0),
        Some(true) if a.low == 0 => Interval::new(1, a.high),
        Some(true) if a.high == 0 => Interval::new(a.low, -1),
        _ => a,
    }
}

fn operands(op: BinaryOp, own: Interval, a: Interval, b: Interval) -> [Interval; 2] {
    let truth = own.truth();
    let not = |truth: Option<bool>| truth.map(|truth| !truth);
    match op {
        BinaryOp::And => joined(truth, a, b, false),
        BinaryOp::Or => joined(truth, a, b, true),
        BinaryOp::Implies => {
            let [x, y] = joined(truth, negated(a), b, true);
            [meant(a, not(x.truth())), y]
        }
        BinaryOp::Iff | BinaryOp::Xor => {
            let alike = if op == BinaryOp::Iff {
                truth
            } else {
                not(truth)
            };
            let like = |other: Interval| Some(other.truth()? == alike?);
            [meant(a, like(b)), meant(b, like(a))]
        }
        BinaryOp::Eq => equal(truth, a, b),
        BinaryOp::Ne => equal(not(truth), a, b),
        BinaryOp::Lt => less(truth, a, b),
        BinaryOp::Ge => less(not(truth), a, b),
        BinaryOp::Gt => {
            let [y, x] = less(truth, b, a);
            [x, y]
        }
        BinaryOp::Le => {
            let [y, x] = less(not(truth), b, a);
            [x, y]
        }
        BinaryOp::Add => [minus(own, b), minus(own, a)],
        BinaryOp::Sub => [
            Interval::new(own.low + b.low, own.high + b.high),
            minus(a, own),
        ],
        BinaryOp::Mul => [factor(own, a, b), factor(own, b, a)],
        BinaryOp::Div if b.is_single() && b.low > 0 => {
            let by = b.low;
            let rest = |is_there: bool| if is_there { by - 1 } else { 0 };
            let low = own.low.saturating_mul(by);
            let high = own.high.saturating_mul(by);
            let low = low.saturating_sub(rest(own.low <= 0));
            [
                Interval::new(low, high.saturating_add(rest(own.high >= 0))),
                b,
            ]
        }
        BinaryOp::Shl if b.is_single() && (0..64).contains(&b.low) => {
            [factor(own, a, Interval::single(1 << b.low)), b]
        }
        BinaryOp::Shr if b.is_single() && (0..64).contains(&b.low) => {
            let by = 1i128 << b.low;
            match own.low.checked_mul(by).zip(own.high.checked_mul(by)) {
                Some((low, high)) => [Interval::new(low, high.saturating_add(by - 1)), b],
                None => [a, b],
            }
        }
        _ => [a, b],
    }
}

/// Of a conjunction (`by` false) or disjunction (`by` true), one operand that is `by` decides it.
fn joined(truth: Option<bool>, a: Interval, b: Interval, by: bool) -> [Interval; 2] {
    match truth {
        Some(truth) if truth != by => [meant(a, Some(!by)), meant(b, Some(!by))],
        Some(_) if a.truth() == Some(!by) => [a, meant(b, Some(by))],
        Some(_) if b.truth() == Some(!by) => [meant(a, Some(by)), b],
        _ => [a, b],
    }
}

fn equal(truth: Option<bool>, a: Interval, b: Interval) -> [Interval; 2] {
    let without = |from: Interval, other: Interval| match other.is_single() {
        true if from.low == other.low => Interval::new(from.low + 1, from.high),
        true if from.high == other.low => Interval::new(from.low, from.high - 1),
        _ => from,
    };
    match truth {
        Some(true) => [b, a],
        Some(false) => [without(a, b), without(b, a)],
        None => [a, b],
    }
}

fn less(truth: Option<bool>, a: Interval, b: Interval) -> [Interval; 2] {
    match truth {
        Some(true) => [
            Interval::new(a.low, b.high - 1),
            Interval::new(a.low + 1, b.high),
        ],
        Some(false) => [Interval::new(b.low, a.high), Interval::new(b.low, a.high)],
        None => [a, b],
    }
}

fn minus(a: Interval, b: Interval) -> Interval {
    Interval::new(a.low - b.high, a.high - b.low)
}

/// The bounds of `a` where `a * b` has some.
fn factor(own: Interval, a: Interval, b: Interval) -> Interval {
    if !b.is_single() || b.low == 0 {
        return a;
    }
    let by = b.low.abs();
    let floor = |x: i128| x.div_euclid(by);
    let ceiling = |x: i128| floor(x) + i128::from(x.rem_euclid(by) != 0);
    match b.low > 0 {
        true => Interval::new(ceiling(own.low), floor(own.high)),
        false => Interval::new(-floor(own.high), -ceiling(own.low)),
    }
}

/// The bounds of a number whose low bits are known to lie within bounds.
fn unwrapped(word: Word, own: Interval, a: Interval) -> Interval {
    let period = 1i128 << u32::from(word.bits.clamp(1, 64));
    // How far up, and how far down, the next number is whose word is within the bounds.
    let from_low = match word.wrap(a.low) {
        r if r < own.low => own.low - r,
        r if r > own.high => period - r + own.low,
        _ => 0,
    };
    let from_high = match word.wrap(a.high) {
        r if r > own.high => r - own.high,
        r if r < own.low => period + r - own.high,
        _ => 0,
    };
    Interval::new(a.low + from_low, a.high - from_high)
}
