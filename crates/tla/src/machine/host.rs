//! Operators of standard modules: what they ask of the machine.

use super::{Cell, Machine};
use crate::code::Argument;
use crate::failure::Failure;
use crate::names::{Names, Symbol};
use crate::standard::{Host, Native};
use crate::value::Value;

/// A call of an operator.
struct Calling<'m, 'c> {
    machine: &'m mut Machine<'c>,
    args: &'c [Argument],
    base: usize,
}

impl Host for Calling<'_, '_> {
    fn names(&self) -> &Names {
        self.machine.names
    }

    fn text(&mut self, text: &str) -> Symbol {
        self.machine.names.intern_late(text)
    }

    fn apply(&mut self, argument: usize, args: &[Value]) -> Result<Value, Failure> {
        let Some(Argument::Operator(slots, code)) = self.args.get(argument) else {
            return Err(Failure::new("a value stands where an operator is needed"));
        };
        for (slot, value) in slots.iter().zip(args) {
            self.machine.stack[self.base + *slot as usize] = Cell::Value(value.clone());
        }
        let value = self.machine.eval(code, self.base)?;
        self.machine.settled(value)
    }

    fn random(&mut self, below: u64) -> u64 {
        self.machine.registers.random(below)
    }

    fn settle(&mut self, value: &Value) -> Result<Value, Failure> {
        self.machine.settled(value.clone())
    }
}

impl<'c> Machine<'c> {
    /// An operator of a standard module.
    #[inline(never)]
    pub(super) fn native(
        &mut self,
        name: &str,
        native: Native,
        args: &'c [Argument],
        base: usize,
    ) -> Result<Value, Failure> {
        let _ = name;
        const NOTHING: Value = Value::Truth(false);
        // Most operators have few arguments: these need no memory of their own.
        let mut few = [NOTHING; 3];
        let mut many = Vec::new();
        let values = match few.get_mut(..args.len()) {
            Some(few) => few,
            None => {
                many.resize(args.len(), NOTHING);
                many.as_mut_slice()
            }
        };
        for (value, arg) in values.iter_mut().zip(args) {
            if let Argument::Value(code) = arg {
                let given = self.eval(code, base)?;
                *value = self.settled(given)?;
            }
        }
        let mut calling = Calling {
            machine: self,
            args,
            base,
        };
        native(&mut calling, values)?.within_limits()
    }

    /// A draw, each time anew.
    pub(super) fn draw(
        &mut self,
        native: Native,
        values: &[Value],
        base: usize,
    ) -> Result<Value, Failure> {
        let mut calling = Calling {
            machine: self,
            args: &[],
            base,
        };
        native(&mut calling, values)?.within_limits()
    }
}
