//! States of bytes as bits, with codes that are learned.
//!
//! A state is a row of *positions*: which fairness items the last step took, which layout the state
//! has, then its bytes; behind the end of a short state the bytes are absent. A position has as
//! many bits as the values met so far need, and a value's code is its place in the order of their
//! meeting. When a new value needs one bit more, the codes of all earlier ones have 0 there:
//! whoever keeps sets that speak of the position must say so in each of them ([`super::explore`]
//! does).

use std::collections::HashMap;

use crate::coding::Bit;
use crate::manager::{Manager, Outcome, Set};

/// A place in the row that a state is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Position(pub usize);

/// The fairness items that the last step took: a number of a set of them.
pub(super) const TAKEN: Position = Position(0);
/// The layout, by number.
pub(super) const LAYOUT: Position = Position(1);
/// The first byte.
const FIRST_BYTE: usize = 2;

/// The value of a byte behind the end of the state.
pub(super) const ABSENT: u32 = 256;

impl Position {
    /// The position of a byte.
    pub fn of_byte(at: usize) -> Position {
        Position(at + FIRST_BYTE)
    }

    /// The byte at the position, if it is one of a byte.
    pub fn byte(self) -> Option<usize> {
        self.0.checked_sub(FIRST_BYTE)
    }
}

/// What is known about a position.
#[derive(Clone, Debug, Default)]
pub(super) struct Column {
    values: Vec<u32>,
    codes: HashMap<u32, u32>,
    /// Its bits, the lowest first.
    pub bits: Vec<Bit>,
}

impl Column {
    /// The value with a code.
    pub fn value(&self, code: u32) -> Option<u32> {
        self.values.get(code as usize).copied()
    }

    /// All values, in the order of their codes.
    pub fn values(&self) -> &[u32] {
        &self.values
    }

    /// The code of a value that was met.
    pub fn code(&self, value: u32) -> Option<u32> {
        self.codes.get(&value).copied()
    }

    /// Gives a value the next code; whether it needs one bit more.
    fn add(&mut self, value: u32) -> bool {
        if self.codes.contains_key(&value) {
            return false;
        }
        self.codes.insert(value, self.values.len() as u32);
        self.values.push(value);
        self.values.len() > 1 << self.bits.len()
    }
}

/// A bit of a state, now or in the next one, and its value.
pub(super) type Literal = (oxidd::VarNo, bool);

/// All positions.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub columns: Vec<Column>,
}

impl Table {
    /// Positions for states of that many bytes; whether new ones are absent in what is known so
    /// far.
    pub fn lengthen(&mut self, bytes: usize, absent: bool) {
        while self.columns.len() < FIRST_BYTE + bytes {
            let mut column = Column::default();
            if absent {
                column.add(ABSENT);
            }
            self.columns.push(column);
        }
    }

    /// Gives a value a code; the bit that had to be added for it, if any.
    pub fn intern(&mut self, m: &Manager, at: Position, value: u32) -> Outcome<Option<Bit>> {
        if !self.columns[at.0].add(value) {
            return Ok(None);
        }
        let added = m.add_variables(2)?;
        let bit = Bit {
            now: added[0],
            next: Some(added[1]),
        };
        // Next to its siblings, where there are some.
        if let Some(sibling) = self.columns[at.0].bits.last() {
            m.move_below(&added, sibling.next.unwrap_or(sibling.now));
        }
        self.columns[at.0].bits.push(bit);
        Ok(Some(bit))
    }

    /// Values that are known before any set is built, with codes in ascending order.
    pub fn prepare(&mut self, at: Position, values: impl Iterator<Item = u32>) {
        values.for_each(|value| {
            self.columns[at.0].add(value);
        });
    }

    /// The bits of a prepared position.
    pub fn allocate(&mut self, m: &Manager, at: Position) -> Outcome<()> {
        let column = &mut self.columns[at.0];
        while column.values.len() > 1 << column.bits.len() {
            let added = m.add_variables(2)?;
            column.bits.push(Bit {
                now: added[0],
                next: Some(added[1]),
            });
        }
        Ok(())
    }

    /// All positions.
    pub fn positions(&self) -> impl Iterator<Item = Position> + use<> {
        (0..self.columns.len()).map(Position)
    }

    /// The bits of some positions.
    pub fn bits(&self, of: impl IntoIterator<Item = Position>) -> Vec<Bit> {
        let columns = of.into_iter().map(|p| &self.columns[p.0]);
        columns.flat_map(|c| c.bits.iter().copied()).collect()
    }

    /// The literals that say a value; the value must have been met.
    pub fn literals(&self, at: Position, value: u32, next: bool, out: &mut Vec<Literal>) {
        let column = &self.columns[at.0];
        let code = column.code(value).unwrap_or(0);
        for (place, bit) in column.bits.iter().enumerate() {
            let variable = match next {
                true => bit.next.unwrap_or(bit.now),
                false => bit.now,
            };
            out.push((variable, code >> place & 1 == 1));
        }
    }

    /// The value of a byte of a state, or that it is absent.
    pub fn byte_value(state: &[u8], at: usize) -> u32 {
        state.get(at).map_or(ABSENT, |&b| u32::from(b))
    }
}

/// A conjunction of literals; `level` says where each variable stands.
pub(super) fn conjunction(
    m: &Manager,
    literals: &mut [Literal],
    level: &[usize],
    start: Set,
) -> Outcome<Set> {
    // From the bottom: each literal is one node on top.
    literals.sort_by_key(|l| std::cmp::Reverse(level.get(l.0 as usize).copied().unwrap_or(0)));
    let mut set = start;
    for &(variable, value) in literals.iter() {
        let literal = m.variable(variable)?;
        set = match value {
            true => m.and(&literal, &set)?,
            false => m.minus(&set, &literal)?,
        };
    }
    Ok(set)
}

/// The place of each variable in the order.
pub(super) fn levels(m: &Manager) -> Vec<usize> {
    let order = m.order();
    let mut level = vec![0; order.len()];
    for (place, &variable) in order.iter().enumerate() {
        level[variable as usize] = place;
    }
    level
}
