//! The value of an expression in a state or in a pair of states.
//!
//! An expression is flattened once into a list in which operands come first, then evaluated by one
//! pass over the list. What is not defined (a division by zero, an overflow) is a value like
//! others: it spoils a result only where it matters, so that `x = 0 | 10 / x > 2` is true for
//! `x = 0`, in whatever order the operands stand.
//!
//! Values between the variables and the result have 128 bits, so that sums and products of any two
//! variables are exact.

use super::expression::{BinaryOp, ExprId, Expressions, Node, UnaryOp, VarId, Word};

/// Why an expression has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Undefined {
    /// Division or remainder by zero.
    DivisionByZero,
    /// A result that is too large, or a shift by a negative or too large distance.
    Overflow,
    /// No condition of a `case` holds.
    NoCase,
    /// An index is outside of its array.
    Index,
    /// A word is shifted by less than 0 or by more than its width.
    Shift,
    /// No question of values: there are more solutions, or more values to try, than a search for
    /// solutions takes upon itself.
    TooMany,
}

/// The values of the variables.
#[derive(Clone, Copy, Debug)]
pub struct Environment<'a> {
    /// Now.
    pub current: &'a [i64],
    /// In the next state.
    pub next: &'a [i64],
}

/// An expression ready to be evaluated often.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// Operands come before what uses them; numbers are places in this list.
    steps: Vec<Step>,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Const(i64),
    Current(VarId),
    Next(VarId),
    Unary(UnaryOp, usize),
    Binary(BinaryOp, usize, usize),
    Conditional(usize, usize, usize),
    Wrap(Word, usize),
    /// Sum, difference or product of words: wraps around whatever the integers would do.
    WrapBinary(Word, BinaryOp, usize, usize),
    Undefined(Undefined),
}

type Outcome = Result<i128, Undefined>;

/// The value of a node whose operands have these values; a variable has the first one.
///
/// # Errors
/// Where the node is not defined.
pub fn operate(node: Node, operands: [Outcome; 3]) -> Outcome {
    let [a, b, c] = operands;
    match node {
        Node::Const(value) => Ok(value.into()),
        Node::Undefined(reason) => Err(reason),
        Node::Current(_) | Node::Next(_) => a,
        Node::Unary(op, _) => a.and_then(|a| unary(op, a)),
        Node::Binary(op, ..) => binary(op, a, b),
        Node::Conditional(..) => a.and_then(|test| if test != 0 { b } else { c }),
        Node::Wrap(word, _) => a.map(|a| word.wrap(a)),
    }
}

impl Compiled {
    /// Flattens an expression.
    pub fn new(expressions: &Expressions, expr: ExprId) -> Compiled {
        let closure = expressions.closure(expr);
        let place = |id: ExprId| closure.binary_search(&id).unwrap_or(0);
        let steps = closure.iter().map(|&id| match *expressions.node(id) {
            Node::Const(value) => Step::Const(value),
            Node::Current(variable) => Step::Current(variable),
            Node::Next(variable) => Step::Next(variable),
            Node::Unary(op, a) => Step::Unary(op, place(a)),
            Node::Binary(op, a, b) => Step::Binary(op, place(a), place(b)),
            Node::Conditional(a, b, c) => Step::Conditional(place(a), place(b), place(c)),
            Node::Wrap(word, a) => match *expressions.node(a) {
                Node::Binary(op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul), a, b) => {
                    Step::WrapBinary(word, op, place(a), place(b))
                }
                _ => Step::Wrap(word, place(a)),
            },
            Node::Undefined(reason) => Step::Undefined(reason),
        });
        Compiled {
            steps: steps.collect(),
        }
    }

    /// The value; a variable that the environment lacks counts as 0.
    ///
    /// # Errors
    /// Where the expression is not defined.
    pub fn value(&self, environment: Environment<'_>) -> Result<i64, Undefined> {
        let mut values: Vec<Outcome> = Vec::with_capacity(self.steps.len());
        let read = |list: &[i64], id: VarId| list.get(id.0 as usize).map_or(0, |&v| v.into());
        for step in &self.steps {
            let value = match *step {
                Step::Const(value) => Ok(value.into()),
                Step::Undefined(reason) => Err(reason),
                Step::Current(id) => Ok(read(environment.current, id)),
                Step::Next(id) => Ok(read(environment.next, id)),
                Step::Unary(op, a) => values[a].and_then(|a| unary(op, a)),
                Step::Binary(op, a, b) => binary(op, values[a], values[b]),
                Step::Conditional(a, b, c) => {
                    values[a].and_then(|test| if test != 0 { values[b] } else { values[c] })
                }
                Step::Wrap(word, a) => values[a].map(|a| word.wrap(a)),
                Step::WrapBinary(word, op, a, b) => values[a].and_then(|a| {
                    let b = values[b]?;
                    Ok(word.wrap(match op {
                        BinaryOp::Add => a.wrapping_add(b),
                        BinaryOp::Sub => a.wrapping_sub(b),
                        _ => a.wrapping_mul(b),
                    }))
                }),
            };
            values.push(value);
        }
        let value = values.pop().unwrap_or(Ok(0))?;
        i64::try_from(value).map_err(|_| Undefined::Overflow)
    }

    /// Whether the value is true, which is a value other than 0.
    ///
    /// # Errors
    /// Where the expression is not defined.
    pub fn is_true(&self, environment: Environment<'_>) -> Result<bool, Undefined> {
        self.value(environment).map(|value| value != 0)
    }
}

fn unary(op: UnaryOp, a: i128) -> Outcome {
    match op {
        UnaryOp::Not => Ok(i128::from(a == 0)),
        UnaryOp::Neg => a.checked_neg().ok_or(Undefined::Overflow),
        UnaryOp::Complement => Ok(!a),
    }
}

fn binary(op: BinaryOp, a: Outcome, b: Outcome) -> Outcome {
    // The logical operators need not know both operands.
    let truth = |outcome: Outcome| outcome.map(|value| value != 0);
    match op {
        BinaryOp::And => return decided(truth(a), truth(b), false),
        BinaryOp::Or => return decided(truth(a), truth(b), true),
        BinaryOp::Implies => return decided(truth(a).map(|a| !a), truth(b), true),
        _ => {}
    }
    let (a, b) = (a?, b?);
    let distance = || u32::try_from(b).ok().filter(|&d| d < 127);
    let result = match op {
        BinaryOp::And | BinaryOp::Or | BinaryOp::Implies => None,
        BinaryOp::Xor => Some(i128::from((a != 0) != (b != 0))),
        BinaryOp::Iff => Some(i128::from((a != 0) == (b != 0))),
        BinaryOp::Eq => Some(i128::from(a == b)),
        BinaryOp::Ne => Some(i128::from(a != b)),
        BinaryOp::Lt => Some(i128::from(a < b)),
        BinaryOp::Le => Some(i128::from(a <= b)),
        BinaryOp::Gt => Some(i128::from(a > b)),
        BinaryOp::Ge => Some(i128::from(a >= b)),
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::Div | BinaryOp::Mod if b == 0 => return Err(Undefined::DivisionByZero),
        BinaryOp::Div => a.checked_div(b),
        BinaryOp::Mod => Some(a.wrapping_rem(b)),
        BinaryOp::BitAnd => Some(a & b),
        BinaryOp::BitOr => Some(a | b),
        BinaryOp::BitXor => Some(a ^ b),
        BinaryOp::Shl => distance().and_then(|d| a.checked_mul(1 << d)),
        BinaryOp::Shr => distance().map(|d| a >> d),
    };
    result.ok_or(Undefined::Overflow)
}

/// A conjunction (`by` false) or disjunction (`by` true): one operand that is `by` decides it.
fn decided(a: Result<bool, Undefined>, b: Result<bool, Undefined>, by: bool) -> Outcome {
    if a == Ok(by) || b == Ok(by) {
        return Ok(i128::from(by));
    }
    a.and(b).map(|_| i128::from(!by))
}
