//! A hash of normal values that is the same in every run, kept in shared nodes.
//!
//! The parts are mixed by multiplication and folding of the 128-bit product, so one bit of a part changes about
//! half of the hash. A node keeps its hash; threads may compute it at the same time and find the same one.

use std::sync::atomic::Ordering::Relaxed;

use evenhand_source::budget::spend_many;
use evenhand_source::spend;

use super::order::interval_len;
use super::{Known, LazySet, Listed, Mapping, Value};

const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
const STEP: u64 = 0xd6e8_feb8_6659_fd93;
/// Where lists begin: not the seed, which would make the first product nothing.
const START: u64 = 0x2545_f491_4f6c_dd1d;

#[inline]
fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a ^ SEED) * u128::from(b ^ STEP);
    (product as u64) ^ ((product >> 64) as u64)
}

#[inline]
fn leaf(tag: u64, bits: u64) -> u64 {
    mix(tag.wrapping_mul(STEP), bits.wrapping_add(SEED))
}

impl Known {
    fn hash(&self, compute: impl FnOnce() -> u64) -> u64 {
        match self.hash.load(Relaxed) {
            0 => {
                let hash = compute().max(1);
                self.hash.store(hash, Relaxed);
                hash
            }
            hash => hash,
        }
    }

    /// Whether both hashes are known and different.
    #[inline]
    pub(super) fn differs(&self, other: &Known) -> bool {
        let (a, b) = (self.hash.load(Relaxed), other.hash.load(Relaxed));
        a != b && a != 0 && b != 0
    }
}

/// Of values one after the other. Sets and tuples of the same values have different ones by their tags.
fn of_values<'a>(values: impl Iterator<Item = &'a Value>) -> u64 {
    values.fold(START, |hash, value| mix(hash, value.hash64()))
}

impl Listed {
    pub(super) fn hash64(&self) -> u64 {
        self.known().hash(|| {
            spend_many(self.len());
            of_values(self.iter())
        })
    }
}

impl Mapping {
    fn hash64(&self) -> u64 {
        self.known().hash(|| {
            spend_many(self.values().len());
            mix(self.keys().hash64(), of_values(self.values().iter()))
        })
    }
}

impl Value {
    /// The hash of a normal value; an interval has that of its listing.
    pub fn hash64(&self) -> u64 {
        match self {
            Value::Truth(truth) => leaf(1, u64::from(*truth)),
            Value::Number(number) => leaf(2, u64::from(*number as u32)),
            Value::Text(symbol) => leaf(3, u64::from(symbol.0)),
            Value::Model(symbol, _) => leaf(4, u64::from(symbol.0)),
            Value::Interval(low, high) => {
                spend_many(interval_len(self) as usize);
                let all = (*low..=*high).fold(START, |hash, number| {
                    mix(hash, Value::Number(number).hash64())
                });
                leaf(5, all.max(1))
            }
            Value::Set(values) => leaf(5, values.hash64()),
            Value::Tuple(values) => leaf(6, values.hash64()),
            Value::Function(mapping) => leaf(7, mapping.hash64()),
            Value::Lazy(rule) => of_rule(rule),
            Value::Closure(closure) => leaf(9, u64::from(closure.code)),
        }
    }
}

/// Of a rule as it stands.
fn of_rule(rule: &LazySet) -> u64 {
    spend();
    let two = |tag, a: &Value, b: &Value| mix(leaf(8, tag), mix(a.hash64(), b.hash64()));
    match rule {
        LazySet::Naturals => leaf(8, 1),
        LazySet::Integers => leaf(8, 2),
        LazySet::Reals => leaf(8, 3),
        LazySet::Strings => leaf(8, 4),
        LazySet::Sequences(set) => mix(leaf(8, 5), set.hash64()),
        LazySet::Subsets(set) => mix(leaf(8, 6), set.hash64()),
        LazySet::BigUnion(set) => mix(leaf(8, 7), set.hash64()),
        LazySet::Functions(domain, range) => two(8, domain, range),
        LazySet::Union(a, b) => two(9, a, b),
        LazySet::Intersection(a, b) => two(10, a, b),
        LazySet::Difference(a, b) => two(11, a, b),
        LazySet::Product(sets) => mix(leaf(8, 12), of_values(sets.iter())),
        LazySet::Records(fields) => fields.iter().fold(leaf(8, 13), |hash, (name, set)| {
            mix(mix(hash, u64::from(name.0)), set.hash64())
        }),
    }
}
