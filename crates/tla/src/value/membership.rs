//! Whether a value is an element of a set. Sets that are given by rules are asked, not listed.
//!
//! What has an answer is TLC's: a number is not in `Nat` or is, a string can be asked neither; a model value without a
//! type is in no set of numbers, strings or functions.

use std::cmp::Ordering;

use evenhand_source::spend;

use super::{LazySet, Value};
use crate::failure::Failure;
use crate::names::Symbol;

impl Value {
    /// Whether a value is an element of this set.
    ///
    /// # Errors
    /// This is no set, or the question has no answer.
    pub fn contains(&self, value: &Value) -> Result<bool, Failure> {
        match self {
            Value::Set(elements) => Ok(place_of(elements, value)?.is_some()),
            Value::Interval(low, high) => match value {
                Value::Number(number) => Ok(low <= number && number <= high),
                Value::Model(_, None) => Ok(false),
                _ if low > high => Ok(false),
                _ => Err(self.undecidable(value)),
            },
            Value::Lazy(rule) => self.rule_contains(rule, value),
            Value::Closure(_) => Err(self.inexplicit(self)),
            _ => Err(Failure::new(format!(
                "whether {} is an element of {} has no answer: that is {}, no set",
                value.quoted(),
                self.quoted(),
                self.kind()
            ))),
        }
    }

    fn rule_contains(&self, rule: &LazySet, value: &Value) -> Result<bool, Failure> {
        spend();
        match rule {
            LazySet::Naturals => match value {
                Value::Number(number) => Ok(*number >= 0),
                _ => self.stranger(value),
            },
            LazySet::Integers | LazySet::Reals => match value {
                Value::Number(_) => Ok(true),
                _ => self.stranger(value),
            },
            LazySet::Strings => match value {
                Value::Text(_) => Ok(true),
                _ => self.stranger(value),
            },
            LazySet::Sequences(set) => match value {
                Value::Tuple(values) => all_in(set, values.iter()),
                _ => self.stranger(value),
            },
            LazySet::Subsets(set) => match value.is_set() {
                true => value.subset_of(set),
                false => Err(self.undecidable(value)),
            },
            LazySet::Functions(domain, range) => match value {
                Value::Tuple(values) => {
                    let own = Value::Interval(1, values.len() as i32);
                    Ok(own.equal(domain)? && all_in(range, values.iter())?)
                }
                Value::Function(mapping) => {
                    let own = Value::Set(mapping.keys().clone());
                    Ok(domain.equal(&own)? && all_in(range, mapping.values().iter())?)
                }
                _ => self.stranger(value),
            },
            LazySet::Records(fields) => self.records_contain(fields, value),
            LazySet::Product(sets) => self.product_contains(sets, value),
            LazySet::Union(a, b) => Ok(a.contains(value)? || b.contains(value)?),
            LazySet::Intersection(a, b) => Ok(a.contains(value)? && b.contains(value)?),
            LazySet::Difference(a, b) => Ok(a.contains(value)? && !b.contains(value)?),
            LazySet::BigUnion(sets) => {
                let mut sets = Value::members(sets)?;
                while let Some(set) = sets.next()? {
                    if set.contains(value)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }

    fn records_contain(&self, fields: &[(Symbol, Value)], value: &Value) -> Result<bool, Failure> {
        match value {
            Value::Tuple(values) if values.is_empty() => Ok(fields.is_empty()),
            Value::Function(mapping) if mapping.is_record() => {
                if mapping.keys().len() != fields.len() {
                    return Ok(false);
                }
                let own = mapping.keys().iter().zip(mapping.values().iter());
                for ((name, set), (key, value)) in fields.iter().zip(own) {
                    if key.text() != Some(*name) || !set.contains(value)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => self.stranger(value),
        }
    }

    fn product_contains(&self, sets: &[Value], value: &Value) -> Result<bool, Failure> {
        match value {
            Value::Tuple(values) => {
                if values.len() != sets.len() {
                    return Ok(false);
                }
                for (set, value) in sets.iter().zip(values.iter()) {
                    if !set.contains(value)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Value::Function(mapping) if mapping.keys().iter().all(|key| key.number().is_some()) => {
                Ok(false)
            }
            _ => self.stranger(value),
        }
    }

    /// A value of a kind that the set has none of.
    fn stranger(&self, value: &Value) -> Result<bool, Failure> {
        match value {
            Value::Model(_, None) => Ok(false),
            Value::Closure(_) => Err(value.inexplicit(value)),
            _ => Err(self.undecidable(value)),
        }
    }

    #[cold]
    fn undecidable(&self, value: &Value) -> Failure {
        Failure::new(format!(
            "whether {} is an element of {} has no answer: {} is {}",
            value.quoted(),
            self.quoted(),
            value.quoted(),
            value.kind()
        ))
    }
}

fn all_in<'a>(set: &Value, values: impl Iterator<Item = &'a Value>) -> Result<bool, Failure> {
    for value in values {
        if !set.contains(value)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The place of a value among values in order.
pub(super) fn place_of(values: &[Value], value: &Value) -> Result<Option<usize>, Failure> {
    // Numbers without a gap are frequent.
    if let (Some(Value::Number(first)), Some(Value::Number(last)), Value::Number(number)) =
        (values.first(), values.last(), value)
    {
        let place = i64::from(*number) - i64::from(*first);
        if place < 0 || number > last {
            return Ok(None);
        }
        if i64::from(*last) - i64::from(*first) + 1 == values.len() as i64 {
            return Ok(Some(place as usize));
        }
    }
    let (mut low, mut high) = (0, values.len());
    while low < high {
        let middle = (low + high) / 2;
        match value.compare(&values[middle])? {
            Ordering::Equal => return Ok(Some(middle)),
            Ordering::Less => high = middle,
            Ordering::Greater => low = middle + 1,
        }
    }
    Ok(None)
}
