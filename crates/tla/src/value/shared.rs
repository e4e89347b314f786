//! Domains that come again: the fields of records, the keys of functions, small intervals, small products.
//!
//! An expression such as `[a |-> 1, b |-> x]` or `[i \in 0..2 |-> 0]` is evaluated for every state, and its domain is
//! the same each time. Domains that were made lately are kept in a small table of the thread, so functions
//! share them: nothing is made twice, and functions with one domain are compared without looking at it. A
//! domain that falls out of the table is made again; nothing depends on it.

use std::cell::RefCell;

use super::{LazySet, Listed, Value};
use crate::failure::Failure;
use crate::names::Symbol;

/// How many domains of each kind are kept.
const SLOTS: usize = 64;
/// How many elements a domain has that is kept.
const LARGEST: u64 = 1024;

type Table<T> = RefCell<[Option<T>; SLOTS]>;

thread_local! {
    static RECORDS: Table<Listed> = const { RefCell::new([const { None }; SLOTS]) };
    static INTERVALS: Table<Listed> = const { RefCell::new([const { None }; SLOTS]) };
    static DOMAINS: Table<Listed> = const { RefCell::new([const { None }; SLOTS]) };
    static PRODUCTS: Table<(Value, Listed)> = const { RefCell::new([const { None }; SLOTS]) };
}

/// A place in the table from some bits.
fn slot(bits: u64) -> usize {
    (bits.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58) as usize
}

/// The domain of records with these fields, which are in order.
pub(super) fn fields(names: impl ExactSizeIterator<Item = Symbol> + Clone) -> Listed {
    let bits = names.clone().fold(names.len() as u64, |bits, name| {
        bits.wrapping_mul(31).wrapping_add(u64::from(name.0))
    });
    RECORDS.with_borrow_mut(|table| {
        let slot = &mut table[slot(bits)];
        let fits = |keys: &Listed| {
            let mut pairs = keys.iter().zip(names.clone());
            keys.len() == names.len() && pairs.all(|(key, name)| key.text() == Some(name))
        };
        match slot {
            Some(keys) if fits(keys) => keys.clone(),
            _ => {
                let keys: Vec<Value> = names.map(Value::Text).collect();
                slot.insert(Listed::new(keys)).clone()
            }
        }
    })
}

/// Keys in order, each once and normal, as a domain.
pub(super) fn domain(keys: Vec<Value>) -> Listed {
    let keys = Listed::new(keys);
    if keys.len() as u64 > LARGEST {
        return keys;
    }
    let slot = slot(keys.hash64());
    DOMAINS.with_borrow_mut(|table| match &table[slot] {
        Some(other) if other.hash64() == keys.hash64() && same(other, &keys) => other.clone(),
        _ => table[slot].insert(keys).clone(),
    })
}

fn same(a: &[Value], b: &[Value]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b))
}

/// The listing of an interval that is not empty and not too large to be listed.
pub(super) fn interval(low: i32, high: i32) -> Listed {
    let list = || {
        let numbers: Vec<Value> = (low..=high).map(Value::Number).collect();
        Listed::new(numbers)
    };
    if i64::from(high) - i64::from(low) >= LARGEST as i64 {
        return list();
    }
    INTERVALS.with_borrow_mut(|table| {
        let slot = &mut table[slot(u64::from(low as u32) << 32 | u64::from(high as u32))];
        let ends = |keys: &Listed| {
            let ends = (keys.first(), keys.last());
            matches!(ends, (Some(Value::Number(a)), Some(Value::Number(b))) if *a == low && *b == high)
        };
        match slot {
            Some(keys) if ends(keys) => keys.clone(),
            _ => slot.insert(list()).clone(),
        }
    })
}

/// The listing of a product, which is made if it is not there.
pub(super) fn product(
    product: &Value,
    size: u64,
    list: impl FnOnce() -> Result<Listed, Failure>,
) -> Result<Listed, Failure> {
    let Value::Lazy(rule) = product else {
        return list();
    };
    let LazySet::Product(sets) = &**rule else {
        return list();
    };
    // Sets that know their hash or are short; of a product without elements a part may be long.
    let simple = |set: &Value| matches!(set, Value::Set(_) | Value::Interval(..));
    if size == 0 || size > LARGEST || !sets.iter().all(simple) {
        return list();
    }
    let slot = slot(product.hash64());
    let known = PRODUCTS.with_borrow(|table| match &table[slot] {
        Some((other, keys)) if other.same(product) => Some(keys.clone()),
        _ => None,
    });
    if let Some(keys) = known {
        return Ok(keys);
    }
    let keys = list()?;
    PRODUCTS.with_borrow_mut(|table| table[slot] = Some((product.clone(), keys.clone())));
    Ok(keys)
}
