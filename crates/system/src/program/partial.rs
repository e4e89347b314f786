//! Conditions of which a part has no value.
//!
//! `a[2] == 3 && x == 1` has no value where `a` has two elements; but where `x` is 0 it is false
//! whatever stands for the first operand. The code of a condition goes from left to right and ends
//! with the first run-time error. Only then are its operands asked one by one, in the logic of
//! Kleene: one that decides is enough, on whichever side it stands.

use super::code::{Code, CodeId};
use super::expr::{BinaryOp, Expr, UnaryOp};
use super::machine::{Env, Failure, Frame};

/// The connectives at the top of a condition, and the code of what they connect.
#[derive(Debug)]
pub(crate) enum Parts {
    Condition(CodeId),
    Not(Box<Parts>),
    /// The operands, and the value of one that decides: false of a conjunction.
    Joined(Box<(Parts, Parts)>, bool),
}

impl Parts {
    /// The parts of an expression, if it has two or more.
    pub fn of(expr: &Expr, code: &mut Code) -> Option<Parts> {
        is_joined(expr).then(|| Parts::compile(expr, code))
    }

    fn compile(expr: &Expr, code: &mut Code) -> Parts {
        match expr {
            Expr::Unary(UnaryOp::Not, operand) if is_joined(operand) => {
                Parts::Not(Box::new(Parts::compile(operand, code)))
            }
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), operands, _) => {
                let (left, right) = &**operands;
                let parts = (Parts::compile(left, code), Parts::compile(right, code));
                Parts::Joined(Box::new(parts), *op == BinaryOp::Or)
            }
            _ => Parts::Condition(code.value(expr)),
        }
    }

    /// The value in a state.
    ///
    /// # Errors
    /// If it depends on a part that has none: what is wrong with that.
    pub fn holds(&self, env: &mut Env<'_>, state: &[u8], frame: Frame) -> Result<bool, Failure> {
        match self {
            Parts::Condition(code) => Ok(env.value(*code, state, frame)? != 0),
            Parts::Not(operand) => Ok(!operand.holds(env, state, frame)?),
            Parts::Joined(operands, decisive) => {
                let left = operands.0.holds(env, state, frame);
                if left.as_ref().is_ok_and(|value| value == decisive) {
                    return left;
                }
                let right = operands.1.holds(env, state, frame);
                match right {
                    Ok(value) if value == *decisive => Ok(value),
                    _ => left.and(right),
                }
            }
        }
    }
}

fn is_joined(mut expr: &Expr) -> bool {
    while let Expr::Unary(UnaryOp::Not, operand) = expr {
        expr = operand;
    }
    matches!(expr, Expr::Binary(BinaryOp::And | BinaryOp::Or, ..))
}
