//! Values as bytes: for states that travel, and as keys, since equal normal values have equal bytes.
//!
//! A number from 0 to 127 is one byte, which most are. Everything else begins with a byte that says what it is;
//! lengths, symbols and other numbers follow in groups of seven bits. Symbols are numbers, so both sides must
//! have read the same texts.

use evenhand_source::budget::spend_many;
use evenhand_source::spend;

use super::{DEEPEST, LazySet, Value, shared};
use crate::names::Symbol;

const FALSE: u8 = 0;
const TRUE: u8 = 1;
const NUMBER: u8 = 2;
const TEXT: u8 = 3;
const MODEL: u8 = 4;
const SET: u8 = 5;
const TUPLE: u8 = 6;
const FUNCTION: u8 = 7;
const NATURALS: u8 = 8;
const INTEGERS: u8 = 9;
const REALS: u8 = 10;
const STRINGS: u8 = 11;
const SEQUENCES: u8 = 12;
const SUBSETS: u8 = 13;
const FUNCTIONS: u8 = 14;
const RECORDS: u8 = 15;
const PRODUCT: u8 = 16;
const UNION: u8 = 17;
const INTERSECTION: u8 = 18;
const DIFFERENCE: u8 = 19;
const BIG_UNION: u8 = 20;
/// A closure has no bytes; whoever needs them makes it explicit before.
const CLOSURE: u8 = 21;
/// A number of seven bits.
const SMALL: u8 = 0x80;
/// A value of more bytes stays where it is.
pub const MOST_BYTES: usize = 1 << 27;

impl Value {
    /// Appends the bytes of a value, unless these are too many: then some of them. An interval has those of its listing.
    pub fn encode(&self, out: &mut Vec<u8>) {
        if out.len() > MOST_BYTES {
            return;
        }
        match self {
            Value::Truth(false) => out.push(FALSE),
            Value::Truth(true) => out.push(TRUE),
            Value::Number(number) => put_number(*number, out),
            Value::Text(symbol) => {
                out.push(TEXT);
                put(symbol.0, out);
            }
            Value::Model(symbol, letter) => {
                out.push(MODEL);
                put(symbol.0, out);
                put(letter.map_or(0, u32::from), out);
            }
            Value::Interval(low, high) => {
                out.push(SET);
                let len = match low <= high {
                    true => high.wrapping_sub(*low) as u32 + 1,
                    false => 0,
                };
                put(len, out);
                (*low..=*high).for_each(|number| put_number(number, out));
            }
            Value::Set(elements) => put_list(SET, elements, out),
            Value::Tuple(values) => put_list(TUPLE, values, out),
            Value::Function(mapping) => {
                put_list(FUNCTION, mapping.keys(), out);
                mapping.values().iter().for_each(|value| value.encode(out));
            }
            Value::Lazy(rule) => put_rule(rule, out),
            Value::Closure(_) => out.push(CLOSURE),
        }
    }

    /// Reads a value from the front of some bytes; none if they are not those of a value.
    pub fn decode(bytes: &mut &[u8]) -> Option<Value> {
        read(bytes, DEEPEST + 1)
    }
}

fn put(mut number: u32, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn put_number(number: i32, out: &mut Vec<u8>) {
    match number {
        0..=0x7f => out.push(SMALL | number as u8),
        _ => {
            out.push(NUMBER);
            put(((number << 1) ^ (number >> 31)) as u32, out);
        }
    }
}

fn put_list(tag: u8, values: &[Value], out: &mut Vec<u8>) {
    spend_many(1 + values.len());
    out.push(tag);
    put(values.len() as u32, out);
    values.iter().for_each(|value| value.encode(out));
}

fn put_rule(rule: &LazySet, out: &mut Vec<u8>) {
    spend();
    let mut parts = |tag: u8, parts: &[&Value]| {
        out.push(tag);
        parts.iter().for_each(|part| part.encode(out));
    };
    match rule {
        LazySet::Naturals => parts(NATURALS, &[]),
        LazySet::Integers => parts(INTEGERS, &[]),
        LazySet::Reals => parts(REALS, &[]),
        LazySet::Strings => parts(STRINGS, &[]),
        LazySet::Sequences(set) => parts(SEQUENCES, &[set]),
        LazySet::Subsets(set) => parts(SUBSETS, &[set]),
        LazySet::Functions(domain, range) => parts(FUNCTIONS, &[domain, range]),
        LazySet::Union(a, b) => parts(UNION, &[a, b]),
        LazySet::Intersection(a, b) => parts(INTERSECTION, &[a, b]),
        LazySet::Difference(a, b) => parts(DIFFERENCE, &[a, b]),
        LazySet::BigUnion(sets) => parts(BIG_UNION, &[sets]),
        LazySet::Product(sets) => put_list(PRODUCT, sets, out),
        LazySet::Records(fields) => {
            out.push(RECORDS);
            put(fields.len() as u32, out);
            for (name, set) in fields {
                put(name.0, out);
                set.encode(out);
            }
        }
    }
}

fn byte(bytes: &mut &[u8]) -> Option<u8> {
    let (first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(*first)
}

fn take(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0u32;
    for shift in (0..35).step_by(7) {
        let part = byte(bytes)?;
        let bits = u32::from(part & 0x7f);
        number |= bits.checked_shl(shift)?;
        if part & 0x80 == 0 {
            return ((bits << shift) >> shift == bits).then_some(number);
        }
    }
    None
}

fn symbol(bytes: &mut &[u8]) -> Option<Symbol> {
    take(bytes).map(Symbol)
}

fn read(bytes: &mut &[u8], depth: u16) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    let tag = byte(bytes)?;
    if tag & SMALL != 0 {
        return Some(Value::Number(i32::from(tag & !SMALL)));
    }
    Some(match tag {
        FALSE => Value::Truth(false),
        TRUE => Value::Truth(true),
        NUMBER => {
            let bits = take(bytes)?;
            Value::Number((bits >> 1) as i32 ^ -((bits & 1) as i32))
        }
        TEXT => Value::Text(symbol(bytes)?),
        MODEL => {
            let name = symbol(bytes)?;
            match take(bytes)? {
                0 => Value::Model(name, None),
                letter => Value::Model(name, Some(char::from_u32(letter)?)),
            }
        }
        SET => Value::sorted(read_list(bytes, depth)?),
        TUPLE => Value::tuple(read_list(bytes, depth)?),
        FUNCTION => {
            let keys = read_list(bytes, depth)?;
            let values = read_many(keys.len(), bytes, depth)?;
            Value::mapping(shared::domain(keys), values)
        }
        _ => Value::lazy(read_rule(tag, bytes, depth)?),
    })
}

fn read_list(bytes: &mut &[u8], depth: u16) -> Option<Vec<Value>> {
    let len = take(bytes)? as usize;
    read_many(len, bytes, depth)
}

fn read_many(len: usize, bytes: &mut &[u8], depth: u16) -> Option<Vec<Value>> {
    // Each value has a byte at least, so no length makes room that the bytes cannot fill.
    if len > bytes.len() {
        return None;
    }
    (0..len).map(|_| read(bytes, depth)).collect()
}

fn read_rule(tag: u8, bytes: &mut &[u8], depth: u16) -> Option<LazySet> {
    let mut part = || read(bytes, depth);
    Some(match tag {
        NATURALS => LazySet::Naturals,
        INTEGERS => LazySet::Integers,
        REALS => LazySet::Reals,
        STRINGS => LazySet::Strings,
        SEQUENCES => LazySet::Sequences(part()?),
        SUBSETS => LazySet::Subsets(part()?),
        FUNCTIONS => LazySet::Functions(part()?, part()?),
        UNION => LazySet::Union(part()?, part()?),
        INTERSECTION => LazySet::Intersection(part()?, part()?),
        DIFFERENCE => LazySet::Difference(part()?, part()?),
        BIG_UNION => LazySet::BigUnion(part()?),
        PRODUCT => LazySet::Product(read_list(bytes, depth)?.into()),
        RECORDS => {
            let len = take(bytes)? as usize;
            if len > bytes.len() {
                return None;
            }
            let fields = (0..len).map(|_| Some((symbol(bytes)?, read(bytes, depth)?)));
            LazySet::Records(fields.collect::<Option<_>>()?)
        }
        _ => return None,
    })
}
