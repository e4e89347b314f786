//! Expressions that were evaluated before for the same values.
//!
//! Which expressions these are, and which names and variables decide them, is found when the code is made
//! (`compile/values.rs`). The key is the values themselves, compared by a look at their first words: values of variables
//! come from one table, those of names from sets that are kept, so equal ones are most often one and the same. Where they
//! are not, the expression is evaluated once more, and nothing else happens.
//!
//! An argument that nobody needed yet is evaluated for the key only where the expression needs it in any case. Values
//! that are given by code are not kept, and errors are not. An expression that is seldom found is left alone for a while.

use super::eval::Evaluated;
use super::pause::Pause;
use super::{Cell, Machine};
use crate::code::{Code, Key};
use crate::compile::MOST_PARTS;
use crate::value::Value;

/// How many values of an expression are kept at first, and at most.
const LINES: (usize, usize) = (32, 1 << 11);

/// It pays where one evaluation in so many is saved.
const SELDOM: u32 = 2;

/// How many parts a value that is kept has at most, and all that are kept of an expression together.
const LARGEST: usize = 1 << 12;
const MOST_VALUES: usize = 1 << 16;

/// What is kept of an expression.
#[derive(Clone, Default)]
pub(super) struct Known {
    lines: Vec<Line>,
    used: usize,
    /// How many parts the values have that were kept since nothing was.
    parts: usize,
    pause: Pause,
}

/// What decides an expression, and its value.
#[derive(Clone)]
struct Line {
    key: [Value; MOST_PARTS],
    value: Option<Value>,
}

const NOTHING: Value = Value::Truth(false);
const EMPTY: Line = Line {
    key: [NOTHING; MOST_PARTS],
    value: None,
};

/// Whether no part of it is given by code, which may read what is no part of the key.
#[inline]
fn is_fixed(value: &Value) -> bool {
    value.is_plain() || matches!(value, Value::Interval(..))
}

/// One more value of a key.
#[inline]
fn mixed(bits: u64, value: &Value) -> u64 {
    (bits.rotate_left(23) ^ value.identity()).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Where the bits of a key lead in a table of this size.
#[inline]
fn place(bits: u64, size: usize) -> usize {
    (bits >> 40) as usize & (size - 1)
}

/// How many parts a value has.
fn size(value: &Value) -> usize {
    match value {
        Value::Set(list) | Value::Tuple(list) => list.len(),
        Value::Function(mapping) => mapping.values().len(),
        _ => 1,
    }
}

impl Known {
    fn clear(&mut self) {
        self.lines = Vec::new();
        (self.used, self.parts) = (0, 0);
    }

    fn put(&mut self, key: [Value; MOST_PARTS], parts: usize, value: Value) {
        let own = size(&value) + key.iter().map(size).sum::<usize>();
        if own > LARGEST {
            return;
        }
        self.parts += own;
        if self.lines.is_empty() || self.parts > MOST_VALUES {
            self.clear();
            self.parts = own;
            self.lines = vec![EMPTY; LINES.0];
        }
        let bits = |key: &[Value]| key[..parts].iter().fold(0, mixed);
        if self.used * 2 > self.lines.len() && self.lines.len() < LINES.1 {
            let size = self.lines.len() * 4;
            let old = std::mem::replace(&mut self.lines, vec![EMPTY; size]);
            self.used = 0;
            for line in old.into_iter().filter(|line| line.value.is_some()) {
                let at = place(bits(&line.key), size);
                self.used += usize::from(self.lines[at].value.is_none());
                self.lines[at] = line;
            }
        }
        let at = place(bits(&key), self.lines.len());
        let line = &mut self.lines[at];
        self.used += usize::from(line.value.is_none());
        *line = Line {
            key,
            value: Some(value),
        };
    }
}

impl<'c> Machine<'c> {
    /// The value of an expression that may have been evaluated before.
    #[inline(never)]
    pub(super) fn known(&mut self, site: u32, code: &'c Code, base: usize) -> Evaluated {
        if self.covered.is_some() {
            return self.eval(code, base);
        }
        let known = &mut self.knowns[site as usize];
        if known.pause.is_paused(SELDOM) {
            known.clear();
            return self.eval(code, base);
        }
        let program = self.program;
        let keys = &program.known_sites[site as usize];
        if !self.is_ready(keys, base) {
            return self.eval(code, base);
        }
        let known = &self.knowns[site as usize];
        if !known.lines.is_empty() {
            let values = || keys.iter().map(|key| self.key_part(key, base));
            let bits = values().fold(0, |bits, value| mixed(bits, value.unwrap_or(&NOTHING)));
            let line = &known.lines[place(bits, known.lines.len())];
            let mut pairs = line.key.iter().zip(values());
            if let Some(value) = &line.value
                && pairs.all(|(a, b)| b.is_some_and(|b| a.is_identical(b)))
            {
                let value = value.clone();
                self.knowns[site as usize].pause.hit();
                return Ok(value);
            }
        }
        let mut own = [NOTHING; MOST_PARTS];
        for (own, key) in own.iter_mut().zip(keys) {
            if let Some(value) = self.key_part(key, base) {
                *own = value.clone();
            }
        }
        let value = self.eval(code, base)?;
        // A value that is given by code may read what the expression itself does not.
        if value.is_plain() {
            self.knowns[site as usize].put(own, keys.len(), value.clone());
        }
        Ok(value)
    }

    /// Evaluates what the key needs; whether all of it has values.
    #[inline]
    fn is_ready(&mut self, keys: &[Key], base: usize) -> bool {
        for key in keys {
            match *key {
                Key::Variable(row, variable) => match self.rows.get(row, variable) {
                    Some(value) if is_fixed(value) => {}
                    _ => return false,
                },
                Key::Slot(slot, is_needed) => match &self.stack[base + slot as usize] {
                    Cell::Value(value) if is_fixed(value) => {}
                    Cell::Thunk(_, _, true) if is_needed => match self.slot(base, slot) {
                        Ok(value) if is_fixed(&value) => {}
                        _ => return false,
                    },
                    _ => return false,
                },
            }
        }
        true
    }

    #[inline]
    fn key_part(&self, key: &Key, base: usize) -> Option<&Value> {
        match *key {
            Key::Variable(row, variable) => self.rows.get(row, variable),
            Key::Slot(slot, _) => match &self.stack[base + slot as usize] {
                Cell::Value(value) => Some(value),
                _ => None,
            },
        }
    }
}
