//! `x[i].a[j]`: a way into a value that is kept.
//!
//! Most expressions of a specification look into functions of variables, and records in them. To evaluate such a chain part
//! by part would count references to everything on the way; here the arguments are evaluated first, then the way is walked
//! by looking only, and what is at its end is taken. Where the way is not plain (a definition that is not evaluated
//! yet, a rule, an argument outside of a domain) nothing is decided here.

use super::{Cell, Machine};
use crate::code::{Code, Op};
use crate::failure::Failure;
use crate::names::Symbol;
use crate::value::Value;

/// The longest way that is walked so.
const LONGEST: usize = 4;

/// One step of the way.
enum Turn<'c> {
    At(&'c Code, Value),
    Field(Symbol),
}

impl<'c> Machine<'c> {
    /// The value at the end of a chain that begins at a variable or a bound name; none where that is not plain.
    ///
    /// # Errors
    /// An argument has no value.
    #[inline]
    pub(super) fn navigate(
        &mut self,
        code: &'c Code,
        base: usize,
    ) -> Result<Option<Value>, Failure> {
        let mut turns: [Option<Turn<'c>>; LONGEST] = [const { None }; LONGEST];
        let mut count = 0;
        let mut at = code;
        loop {
            let (turn, inner) = match &at.op {
                Op::Apply(function, args) => match &**args {
                    [one] => (Turn::At(one, Value::Truth(false)), function),
                    _ => return Ok(None),
                },
                Op::Field(record, name) => (Turn::Field(*name), record),
                Op::Variable(..) | Op::Slot(..) => break,
                _ => return Ok(None),
            };
            if count == LONGEST {
                return Ok(None);
            }
            turns[count] = Some(turn);
            count += 1;
            at = inner;
        }
        // What is not plain is evaluated elsewhere, arguments included: they must not be evaluated twice.
        if self.kept_function(at, base).is_none() {
            return Ok(None);
        }
        for turn in &mut turns[..count] {
            if let Some(Turn::At(code, value)) = turn {
                let argument = self.eval(code, base)?;
                *value = self.settled(argument)?;
            }
        }
        let Some(mut value) = self.kept_function(at, base) else {
            return Ok(None);
        };
        for turn in turns[..count].iter().rev() {
            let inner = match turn {
                Some(Turn::At(_, argument)) => value.apply_ref(argument),
                Some(Turn::Field(name)) => value.field_ref(*name),
                None => None,
            };
            match inner {
                Some(inner) => value = inner,
                None => return Ok(None),
            }
        }
        Ok(Some(value.clone()))
    }

    /// The function that a variable or a bound name is, where it is kept with its values.
    #[inline]
    fn kept_function(&self, code: &Code, base: usize) -> Option<&Value> {
        let value = match &code.op {
            Op::Variable(row, variable) => self.rows.get(*row, *variable)?,
            Op::Slot(distance, slot) => {
                let frame = self.outwards(base, *distance);
                match &self.stack[frame + *slot as usize] {
                    Cell::Value(value) => value,
                    _ => return None,
                }
            }
            _ => return None,
        };
        matches!(value, Value::Tuple(_) | Value::Function(_)).then_some(value)
    }
}
