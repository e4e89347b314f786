//! Values as numbers, so that a state is a row of numbers.
//!
//! Equal values get the same number, whoever asks first; numbers are never given back. Finding the number of a value
//! takes the lock of one of many parts of the table; finding the value of a number takes none.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::blocks::Blocks;
use crate::failure::Failure;
use crate::value::Value;

const SHARDS: usize = 64;

/// All values that states have.
#[derive(Debug)]
pub(crate) struct ValueTable {
    shards: Vec<Mutex<Shard>>,
    values: Blocks<Value>,
    next: AtomicU32,
}

/// Numbers by hash: open addressing, a free place is `u32::MAX`.
#[derive(Debug, Default)]
struct Shard {
    places: Vec<(u32, u32)>,
    used: usize,
}

const FREE: u32 = u32::MAX;
/// The most values there may be.
const MOST: u32 = FREE - (1 << 20);

impl Default for ValueTable {
    fn default() -> ValueTable {
        ValueTable {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            values: Blocks::default(),
            next: AtomicU32::new(0),
        }
    }
}

impl ValueTable {
    /// The value of a number.
    #[inline]
    pub fn value(&self, number: u32) -> Option<&Value> {
        self.values.get(number)
    }

    /// How many values there are.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.next.load(Ordering::Relaxed) as usize
    }

    /// The number of a value, which is made explicit for that.
    pub fn number(&self, value: &Value) -> Result<u32, Failure> {
        let value = match value.is_plain() {
            true => Cow::Borrowed(value),
            false => Cow::Owned(value.normal()?),
        };
        let hash = value.hash64();
        let shard = &self.shards[(hash >> 58) as usize % SHARDS];
        let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
        let tag = hash as u32;
        if shard.used * 4 >= shard.places.len() * 3 {
            shard.grow();
        }
        let mask = shard.places.len() - 1;
        let mut at = tag as usize & mask;
        loop {
            let (known, number) = shard.places[at];
            if number == FREE {
                break;
            }
            if known == tag && self.value(number).is_some_and(|other| other.same(&value)) {
                return Ok(number);
            }
            at = (at + 1) & mask;
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        if number >= MOST || !self.values.put(number, value.into_owned()) {
            return Err(Failure::limit("there are more values than can be numbered"));
        }
        shard.places[at] = (tag, number);
        shard.used += 1;
        Ok(number)
    }
}

impl Shard {
    fn grow(&mut self) {
        let size = (self.places.len() * 2).max(16);
        let old = std::mem::replace(&mut self.places, vec![(0, FREE); size]);
        for (tag, number) in old {
            if number == FREE {
                continue;
            }
            let mut at = tag as usize & (size - 1);
            while self.places[at].1 != FREE {
                at = (at + 1) & (size - 1);
            }
            self.places[at] = (tag, number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ValueTable;
    use crate::value::Value;

    #[test]
    fn equal_values_have_one_number() {
        let table = ValueTable::default();
        for round in 0..2 {
            for number in 0..5000 {
                let known = table.number(&Value::Number(number)).expect("a number");
                assert_eq!(known, number.unsigned_abs(), "round {round}");
            }
        }
        let listed = Value::set(vec![Value::Number(2), Value::Number(1)]).expect("a set");
        let interval = table.number(&Value::Interval(1, 2)).expect("a number");
        assert_eq!(table.number(&listed).expect("a number"), interval);
        assert_eq!(table.len(), 5001);
        assert!(table.value(5001).is_none());
    }
}
