//! Values that are kept somewhere, by looking only.
//!
//! Most of what a specification asks is plain: a bound name, a variable, a place in it, compared with a constant. Such
//! code is answered here without counting a reference and without a word on the stack: nothing is evaluated,
//! nothing changes, and what is not plain (a name that was not needed before, a rule, an error) has no answer here. Then it
//! is evaluated as everything else, and whatever is to be said about it is said there.

use super::{Cell, Machine};
use crate::code::{Argument, Arithmetic, Code, Op};

use crate::value::Value;

impl<'c> Machine<'c> {
    /// The value of code where it is kept.
    pub(super) fn look<'m>(&'m self, code: &'m Code, base: usize) -> Option<&'m Value> {
        match &code.op {
            Op::Constant(value) => Some(value),
            Op::Slot(distance, slot) => {
                let frame = self.outwards(base, *distance);
                match &self.stack[frame + *slot as usize] {
                    Cell::Value(value) => Some(value),
                    _ => None,
                }
            }
            Op::Variable(row, variable) => self.rows.get(*row, *variable),
            Op::Apply(function, args) => {
                let [argument] = &**args else { return None };
                let function = self.look(function, base)?;
                if !matches!(function, Value::Tuple(_) | Value::Function(_)) {
                    return None;
                }
                if let Some(argument) = self.look(argument, base) {
                    return function.apply_ref(argument);
                }
                let number = self.look_number(argument, base)?;
                function.apply_ref(&Value::Number(number))
            }
            Op::Field(record, name) => self.look(record, base)?.field_ref(*name),
            Op::Global(number) => self.globals.known(*number),
            Op::Call(number, _, args) if args.is_empty() => {
                let piece = &self.program.pieces[*number as usize];
                match piece.memo {
                    0 => None,
                    _ => self.remembered(*number, piece),
                }
            }
            _ => None,
        }
    }

    /// The number that code is, where that needs no more than a look.
    pub(super) fn look_number(&self, code: &Code, base: usize) -> Option<i32> {
        match &code.op {
            Op::Arithmetic(Arithmetic::Add, a, b) => {
                let a = self.look_number(a, base)?;
                a.checked_add(self.look_number(b, base)?)
            }
            Op::Arithmetic(Arithmetic::Subtract, a, b) => {
                let a = self.look_number(a, base)?;
                a.checked_sub(self.look_number(b, base)?)
            }
            Op::Arithmetic(..) => None,
            Op::Native(name, _, args) => {
                let [Argument::Value(argument)] = &**args else {
                    return None;
                };
                match (*name, self.look(argument, base)?) {
                    ("Len", Value::Tuple(values)) => i32::try_from(values.len()).ok(),
                    ("Cardinality", Value::Set(values)) => i32::try_from(values.len()).ok(),
                    _ => None,
                }
            }
            _ => self.look(code, base)?.number(),
        }
    }

    /// Whether two are equal, where that needs no more than a look.
    #[inline]
    pub(super) fn look_equal(&self, a: &Code, b: &Code, base: usize) -> Option<bool> {
        let (a, b) = (self.look(a, base)?, self.look(b, base)?);
        match (a, b) {
            (Value::Number(a), Value::Number(b)) => Some(a == b),
            (Value::Text(a), Value::Text(b)) => Some(a == b),
            (Value::Truth(a), Value::Truth(b)) => Some(a == b),
            (Value::Closure(_), _) | (_, Value::Closure(_)) => None,
            _ => a.equal(b).ok(),
        }
    }

    /// Whether one is an element of the other, where that needs no more than a look.
    #[inline]
    pub(super) fn look_member(&self, a: &Code, b: &Code, base: usize) -> Option<bool> {
        let (a, b) = (self.look(a, base)?, self.look(b, base)?);
        match (a, b) {
            (Value::Closure(_), _) => None,
            (_, Value::Set(_) | Value::Interval(..)) => b.contains(a).ok(),
            _ => None,
        }
    }

    /// Whether a condition is true, where that needs no more than a look.
    #[inline]
    pub(super) fn look_truth(&self, code: &Code, base: usize) -> Option<bool> {
        match &code.op {
            Op::In(a, b) => self.look_member(a, b, base),
            Op::NotIn(a, b) => Some(!self.look_member(a, b, base)?),
            Op::Arithmetic(what, a, b) => self.look_compare(*what, a, b, base),
            Op::Apply(..) | Op::Field(..) => self.look(code, base)?.truth(),
            _ => None,
        }
    }

    /// How two numbers compare, where that needs no more than a look.
    #[inline]
    pub(super) fn look_compare(
        &self,
        what: Arithmetic,
        a: &Code,
        b: &Code,
        base: usize,
    ) -> Option<bool> {
        if matches!(what, Arithmetic::Interval) {
            return None;
        }
        let a = self.look_number(a, base)?;
        let b = self.look_number(b, base)?;
        match what {
            Arithmetic::Less => Some(a < b),
            Arithmetic::AtMost => Some(a <= b),
            Arithmetic::Greater => Some(a > b),
            Arithmetic::AtLeast => Some(a >= b),
            _ => None,
        }
    }
}
