//! States between processes: values in full.
//!
//! The number of a value says who met it first, so between processes a state is a row of values as
//! [bytes](crate::value), each behind its length, with what is odd about it in front. Each explorer remembers the bytes
//! of numbers and the numbers of bytes, so a value is written once and read once.
//!
//! Symbols are the same in processes that have read the same texts. Strings that expressions make are not: they are
//! numbered as they are made, and their order may decide what `CHOOSE` takes. Once an expression has made a new one, no
//! state leaves the process.

use std::collections::HashMap;

use super::Model;
use crate::value::{MOST_BYTES, Value};

/// Nothing was written yet.
const UNKNOWN: (u32, u32) = (u32::MAX, 0);

/// What an explorer knows of values between processes.
#[derive(Debug, Default)]
pub(super) struct Portable {
    /// The bytes of values with their lengths, one behind the other.
    bytes: Vec<u8>,
    /// Where those of a number begin and end.
    places: Vec<(u32, u32)>,
    numbers: HashMap<Box<[u8]>, u32>,
}

/// Writes a length.
fn put(mut number: usize, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads a length.
fn take(bytes: &mut &[u8]) -> Option<usize> {
    let mut number = 0usize;
    for shift in (0..28).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= usize::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

impl Portable {
    /// Writes a state; whether it may leave.
    pub fn export(&mut self, model: &Model, state: &[u8], out: &mut Vec<u8>) -> bool {
        out.clear();
        if model.names.late_len() != model.late_names {
            return false;
        }
        let flags = model.flag_bytes().min(state.len());
        let (flags, numbers) = state.split_at(flags);
        out.extend_from_slice(flags);
        for bytes in numbers.as_chunks::<4>().0 {
            let number = u32::from_le_bytes(*bytes);
            match self.written(model, number) {
                Some(bytes) => out.extend_from_slice(bytes),
                None => return false,
            }
        }
        true
    }

    /// The bytes of a value behind their length.
    fn written(&mut self, model: &Model, number: u32) -> Option<&[u8]> {
        let place = number as usize;
        if self.places.len() <= place {
            self.places.resize(place + 1, UNKNOWN);
        }
        if self.places[place] == UNKNOWN {
            let mut bytes = Vec::new();
            model.table.value(number)?.encode(&mut bytes);
            if bytes.len() > MOST_BYTES {
                return None;
            }
            let start = u32::try_from(self.bytes.len()).ok()?;
            put(bytes.len(), &mut self.bytes);
            self.bytes.extend_from_slice(&bytes);
            let end = u32::try_from(self.bytes.len()).ok()?;
            self.places[place] = (start, end);
        }
        let (start, end) = self.places[place];
        self.bytes.get(start as usize..end as usize)
    }

    /// Reads a state; whether the bytes are one.
    pub fn import(&mut self, model: &Model, mut bytes: &[u8], state: &mut Vec<u8>) -> bool {
        state.clear();
        if model.initial.is_none() {
            return bytes.is_empty();
        }
        let Some((flags, rest)) = bytes.split_at_checked(model.flag_bytes()) else {
            return false;
        };
        state.extend_from_slice(flags);
        bytes = rest;
        for _ in 0..model.program.variables.len() {
            let Some(number) = self.number(model, &mut bytes) else {
                return false;
            };
            state.extend(number.to_le_bytes());
        }
        bytes.is_empty()
    }

    /// The number of the value in front of some bytes.
    fn number(&mut self, model: &Model, bytes: &mut &[u8]) -> Option<u32> {
        let length = take(bytes)?;
        let (own, rest) = bytes.split_at_checked(length)?;
        *bytes = rest;
        if let Some(&number) = self.numbers.get(own) {
            return Some(number);
        }
        let mut left = own;
        let value = Value::decode(&mut left).filter(|_| left.is_empty())?;
        let number = model.table.number(&value).ok()?;
        self.numbers.insert(own.into(), number);
        Some(number)
    }
}
