//! What was evaluated and can be used again.
//!
//! A definition without parameters that reads variables has one value as long as these stay what they are: it is
//! evaluated once per state, however many actions and invariants mention it. Where it reads few variables, and their values
//! have numbers, its value is found by these numbers: most states share most values with others. A function that is given by code is
//! asked for the same argument again and again, by itself most of all: its values are kept as long as the function and the rows
//! that it reads are the same. Errors are not kept.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::sync::Arc;

use super::Machine;
use crate::code::{Body, Piece, Row, Var};
use crate::value::{Closure, Value};

/// At most so many values of a function are kept.
const MOST: usize = 1 << 14;

/// What is kept of a program's evaluation.
#[derive(Debug)]
pub(super) struct Memos {
    /// By the number of the definition.
    definitions: Vec<Memo>,
    /// By the number of the definition: its values by the numbers of what it reads.
    tables: Vec<Vec<Line>>,
    /// By the number of the code of a function: its values for the function that was asked last.
    functions: Vec<Applied>,
}

/// A value and the time of the rows that it was found with; 0 for none.
#[derive(Clone, Debug, Default)]
struct Memo {
    stamp: u64,
    value: Option<Value>,
}

/// The numbers of the values that a definition reads, and what it is then.
#[derive(Clone, Debug)]
struct Line {
    numbers: Numbers,
    value: Option<Value>,
}

/// At most so many variables decide what a definition is that is found by numbers.
pub(crate) const MOST_READ: usize = 4;

type Numbers = [u32; MOST_READ];

/// How many values of a definition are kept at first, and at most.
const LINES: (usize, usize) = (64, 1 << 12);

/// Where numbers lead in a table of this size.
#[inline]
fn place(numbers: &Numbers, size: usize) -> usize {
    let mut bits = 0u64;
    for number in numbers {
        bits = (bits.rotate_left(23) ^ u64::from(*number)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    (bits >> 40) as usize & (size - 1)
}

/// The values of a function that is given by code.
#[derive(Clone, Debug, Default)]
struct Applied {
    stamp: u64,
    closure: Option<Arc<Closure>>,
    values: HashMap<Key, Value, BuildHasherDefault<Given>>,
}

/// An argument: a normal value.
#[derive(Clone, Debug)]
struct Key(Value);

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        self.0.same(&other.0)
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash64());
    }
}

/// Takes a hash as it is.
#[derive(Default)]
struct Given(u64);

impl Hasher for Given {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

impl Memos {
    pub fn new(definitions: usize, functions: usize) -> Memos {
        Memos {
            definitions: vec![Memo::default(); definitions],
            tables: vec![Vec::new(); definitions],
            functions: vec![Applied::default(); functions],
        }
    }
}

impl Machine<'_> {
    /// The value of a definition without parameters, where it is known.
    #[inline]
    pub(super) fn remembered(&self, number: u32, piece: &Piece) -> Option<&Value> {
        let memo = &self.memos.definitions[number as usize];
        if memo.stamp == self.rows.stamp(piece.memo) {
            return memo.value.as_ref();
        }
        let table = &self.memos.tables[number as usize];
        if table.is_empty() {
            return None;
        }
        let numbers = self.numbers(&piece.reads)?;
        let line = &table[place(&numbers, table.len())];
        match line.numbers == numbers {
            true => line.value.as_ref(),
            false => None,
        }
    }

    /// Keeps the value of a definition.
    #[inline]
    pub(super) fn remember(&mut self, number: u32, piece: &Piece, value: &Value) {
        let stamp = self.rows.stamp(piece.memo);
        self.memos.definitions[number as usize] = Memo {
            stamp,
            value: Some(value.clone()),
        };
        // A value that is given by code may read what the definition itself does not.
        if !value.is_plain() {
            return;
        }
        let Some(numbers) = self.numbers(&piece.reads) else {
            return;
        };
        let table = &mut self.memos.tables[number as usize];
        let empty = Line {
            numbers: [u32::MAX; MOST_READ],
            value: None,
        };
        if table.is_empty() {
            table.resize(LINES.0, empty.clone());
        }
        let mut at = place(&numbers, table.len());
        // A table where values drive each other out is too small.
        if table[at].value.is_some() && table.len() < LINES.1 {
            let size = table.len() * 2;
            let old = std::mem::replace(table, vec![empty; size]);
            for line in old.into_iter().filter(|line| line.value.is_some()) {
                let at = place(&line.numbers, size);
                table[at] = line;
            }
            at = place(&numbers, size);
        }
        table[at] = Line {
            numbers,
            value: Some(value.clone()),
        };
    }

    /// The numbers of the values of some variables, where all have one.
    #[inline]
    fn numbers(&self, reads: &[(Row, Var)]) -> Option<Numbers> {
        if reads.is_empty() {
            return None;
        }
        let mut numbers = [u32::MAX; MOST_READ];
        for (number, (row, variable)) in numbers.iter_mut().zip(reads) {
            *number = self.rows.number(*row, *variable)?;
        }
        Some(numbers)
    }

    /// The rows that the values of a function depend on, as bits; none if its values are not kept.
    pub(super) fn rows_of(inside: &Body, closure: &Closure, argument: &Value) -> Option<u16> {
        if !inside.code.facts.is_pure() || !argument.is_plain() {
            return None;
        }
        // What it has taken along may be code that reads rows of its own.
        let simple = |value: &Value| value.is_plain() || matches!(value, Value::Interval(..));
        match closure.captured.iter().all(simple) {
            true => Some(inside.code.facts.rows),
            false => Some(u16::MAX),
        }
    }

    /// The value of a function at an argument, where it is known.
    pub(super) fn applied(
        &self,
        closure: &Arc<Closure>,
        rows: u16,
        argument: &Value,
    ) -> Option<&Value> {
        let applied = &self.memos.functions[closure.code as usize];
        let own = applied.closure.as_ref()?;
        if !Arc::ptr_eq(own, closure) || applied.stamp != self.rows.stamp(rows) {
            return None;
        }
        applied.values.get(&Key(argument.clone()))
    }

    /// Keeps the value of a function at an argument.
    pub(super) fn keep_applied(
        &mut self,
        closure: &Arc<Closure>,
        rows: u16,
        argument: &Value,
        value: &Value,
    ) {
        let stamp = self.rows.stamp(rows);
        let applied = &mut self.memos.functions[closure.code as usize];
        let own = applied.closure.as_ref();
        let is_own = own.is_some_and(|own| Arc::ptr_eq(own, closure)) && applied.stamp == stamp;
        if !is_own || applied.values.len() >= MOST {
            applied.values.clear();
            applied.closure = Some(closure.clone());
            applied.stamp = stamp;
        }
        applied.values.insert(Key(argument.clone()), value.clone());
    }
}
