//! The values of variables, row by row, and when they changed last.
//!
//! Every change of a row moves a clock, and the row keeps its time. So whoever remembers a value that depends on some
//! rows can tell whether they are still the same by one number: the latest of their times.

use super::Machine;
use crate::code::{Row, Var};
use crate::value::Value;

/// The number of a value that nobody asked for: there are never so many.
const UNKNOWN: u32 = u32::MAX;

/// All rows.
#[derive(Debug)]
pub(super) struct Rows {
    values: Vec<Vec<Option<Value>>>,
    /// The number of each value, where it is known.
    numbers: Vec<Vec<u32>>,
    /// When each row changed last.
    changed: Vec<u64>,
    clock: u64,
}

impl Rows {
    pub fn new(rows: usize, variables: usize) -> Rows {
        Rows {
            values: vec![vec![None; variables]; rows],
            numbers: vec![vec![UNKNOWN; variables]; rows],
            changed: vec![1; rows],
            clock: 1,
        }
    }

    /// The value of a variable, if it has one. Variables of instances have columns only in rows that are searched for.
    #[inline]
    pub fn get(&self, row: Row, variable: Var) -> Option<&Value> {
        self.values[usize::from(row)]
            .get(usize::from(variable))?
            .as_ref()
    }

    #[inline]
    pub fn set(&mut self, row: Row, variable: Var, value: Option<Value>) {
        self.touch(usize::from(row));
        self.values[usize::from(row)][usize::from(variable)] = value;
        if let Some(number) = self.numbers[usize::from(row)].get_mut(usize::from(variable)) {
            *number = UNKNOWN;
        }
    }

    /// The number of a value of a row, where it is known.
    #[inline]
    pub fn number(&self, row: Row, variable: Var) -> Option<u32> {
        let number = *self.numbers[usize::from(row)].get(usize::from(variable))?;
        (number != UNKNOWN).then_some(number)
    }

    /// Puts another row in the place of one.
    pub fn replace(&mut self, row: Row, values: Vec<Option<Value>>) -> Vec<Option<Value>> {
        self.touch(usize::from(row));
        self.numbers[usize::from(row)].fill(UNKNOWN);
        std::mem::replace(&mut self.values[usize::from(row)], values)
    }

    #[inline]
    fn touch(&mut self, row: usize) {
        self.clock += 1;
        self.changed[row] = self.clock;
    }

    /// The time of the last change to any of some rows, which are given as bits; never 0.
    #[inline]
    pub fn stamp(&self, rows: u16) -> u64 {
        let mut stamp = 1;
        let mut left = rows;
        while left != 0 {
            let row = left.trailing_zeros() as usize;
            stamp = stamp.max(self.changed.get(row).copied().unwrap_or(self.clock));
            left &= left - 1;
        }
        stamp
    }
}

impl Machine<'_> {
    /// The variables of a row.
    #[inline]
    pub fn row(&self, row: usize) -> &[Option<Value>] {
        &self.rows.values[row]
    }

    /// Gives a variable of a row a value, which has this number.
    #[inline]
    pub fn load(&mut self, row: usize, variable: usize, value: Value, number: u32) {
        self.rows.touch(row);
        self.rows.values[row][variable] = Some(value);
        self.rows.numbers[row][variable] = number;
    }

    /// The number of the value of a variable, where it is known.
    #[inline]
    pub fn known_number(&self, row: usize, variable: usize) -> Option<u32> {
        self.rows.number(row as Row, variable as Var)
    }

    /// Says which number the value of a variable has.
    #[inline]
    pub fn is_numbered(&mut self, row: usize, variable: usize, number: u32) {
        self.rows.numbers[row][variable] = number;
    }

    /// Puts other values in the place of a row.
    pub fn exchange(&mut self, row: usize, values: Vec<Option<Value>>) -> Vec<Option<Value>> {
        self.rows.touch(row);
        self.rows.numbers[row].fill(UNKNOWN);
        std::mem::replace(&mut self.rows.values[row], values)
    }

    /// Takes the values of a row away.
    pub fn clear(&mut self, row: usize) {
        self.rows.touch(row);
        self.rows.values[row].fill(None);
        self.rows.numbers[row].fill(UNKNOWN);
    }
}
