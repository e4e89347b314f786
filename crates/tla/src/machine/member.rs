//! Whether a value is an element of the set that an expression is: sets are asked, not listed, where they can be.

use super::Machine;
use crate::code::{Code, Op};
use crate::failure::Failure;
use crate::value::Value;

impl<'c> Machine<'c> {
    pub(super) fn member(
        &mut self,
        a: &'c Code,
        b: &'c Code,
        base: usize,
    ) -> Result<bool, Failure> {
        let a = self.eval(a, base)?;
        let a = self.settled(a)?;
        self.is_in(&a, b, base)
    }

    /// Whether a value is an element of the set that code is. A filter is asked, not listed.
    pub(super) fn is_in(
        &mut self,
        value: &Value,
        set: &'c Code,
        base: usize,
    ) -> Result<bool, Failure> {
        match &set.op {
            Op::SetOf(parts) => self.among(value, parts, base),
            Op::Filter(whole, body) => {
                if !self.is_in(value, whole, base)? {
                    return Ok(false);
                }
                let program = self.program;
                let inside = &program.bodies[*body as usize];
                self.bind(base, &inside.targets[0], value.clone())?;
                self.condition(&inside.code, base)
            }
            Op::Let(thunks, body) => {
                self.thunks(thunks, base);
                self.is_in(value, body, base)
            }
            Op::If(condition, yes, no) => match self.condition(condition, base)? {
                true => self.is_in(value, yes, base),
                false => self.is_in(value, no, base),
            },
            Op::Call(number, distance, args) => {
                self.check_depth()?;
                let frame = self.frame_of(*number, *distance, args, base);
                let program = self.program;
                let piece = &program.pieces[*number as usize];
                let inside = self.is_in(value, &piece.code, frame);
                self.stack.truncate(frame);
                inside
            }
            _ => {
                let set = self.eval(set, base)?;
                self.contains(&set, value)
            }
        }
    }

    /// Whether code is a filter, perhaps behind names.
    pub(super) fn is_filter(&self, code: &'c Code) -> bool {
        let program = self.program;
        let mut code = code;
        loop {
            code = match &code.op {
                Op::Filter(..) => return true,
                Op::Let(_, body) | Op::Known(_, body) => body,
                Op::Call(number, ..) => {
                    let inside = &program.pieces[*number as usize].code;
                    match &inside.op {
                        Op::Filter(..) => return true,
                        // What leads to itself is looked at no further.
                        Op::Let(_, body) => return matches!(body.op, Op::Filter(..)),
                        _ => return false,
                    }
                }
                _ => return false,
            };
        }
    }

    /// Whether a value is one of those that are listed: they are compared one after the other, and those behind it
    /// may be of any kind.
    fn among(&mut self, value: &Value, parts: &'c [Code], base: usize) -> Result<bool, Failure> {
        let mut found = false;
        for part in parts {
            // All of them are evaluated, as all of a set are.
            let other = self.eval(part, base)?;
            let other = self.settled(other)?;
            found = found || other.equal(value)?;
        }
        Ok(found)
    }
}
