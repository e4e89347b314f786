//! The order of values, which is TLC's: `CHOOSE` takes the least one, so it decides how many states there are.
//!
//! Numbers by value, FALSE before TRUE, strings and model values by the place where they were met first; sets by
//! size, then element by element; functions by the size of the domain, then the domains, then the values. A
//! model value without a type stands before everything that is none. Between other kinds there is no order.

use std::cmp::Ordering;
use std::sync::Arc;

use evenhand_source::spend;

use super::pairs::Pairs;
use super::{LazySet, Listed, Mapping, Value};
use crate::failure::Failure;

impl Value {
    /// Which of two values comes first.
    ///
    /// # Errors
    /// They are of kinds that cannot be compared, or a set cannot be listed.
    pub fn compare(&self, other: &Value) -> Result<Ordering, Failure> {
        self.compare_in(other, &mut Pairs::default())
    }

    fn compare_in(&self, other: &Value, pairs: &mut Pairs) -> Result<Ordering, Failure> {
        match (self, other) {
            (Value::Number(a), Value::Number(b)) => Ok(a.cmp(b)),
            (Value::Text(a), Value::Text(b)) => Ok(a.cmp(b)),
            (Value::Truth(a), Value::Truth(b)) => Ok(a.cmp(b)),
            (Value::Model(a, s), Value::Model(b, t)) => match (s, t) {
                (Some(s), Some(t)) if s != t => Err(self.clash(other)),
                _ => Ok(a.cmp(b)),
            },
            (Value::Model(_, None), _) => Ok(Ordering::Less),
            (_, Value::Model(_, None)) => Ok(Ordering::Greater),
            (Value::Tuple(a), Value::Tuple(b)) => by_size(a, b, pairs),
            (Value::Set(a), Value::Set(b)) => by_size(a, b, pairs),
            (Value::Function(a), Value::Function(b)) => compare_functions(a, b, pairs),
            (Value::Tuple(a), Value::Function(b)) => compare_tuple(a, b),
            (Value::Function(a), Value::Tuple(b)) => Ok(compare_tuple(b, a)?.reverse()),
            (Value::Closure(_), _) | (_, Value::Closure(_)) => Err(self.inexplicit(other)),
            (a, b) if a.is_set() && b.is_set() => compare_sets(a, b),
            _ => Err(self.clash(other)),
        }
    }

    /// Two values have kinds that cannot be compared.
    #[cold]
    pub(super) fn clash(&self, other: &Value) -> Failure {
        let (a, b) = (self.quoted(), other.quoted());
        Failure::new(format!(
            "{a} and {b} cannot be compared: {} and {}",
            self.kind(),
            match (self, other) {
                (Value::Model(_, Some(_)), Value::Model(_, Some(_))) =>
                    "a model value of another type",
                _ => other.kind(),
            }
        ))
    }

    /// A closure was met where only the evaluator can look into it.
    #[cold]
    pub(super) fn inexplicit(&self, other: &Value) -> Failure {
        let closure = match self {
            Value::Closure(_) => self,
            _ => other,
        };
        Failure::new(format!("{} is given by a rule alone", closure.kind()))
    }
}

/// Lists: by size, then one by one.
fn by_size(a: &Listed, b: &Listed, pairs: &mut Pairs) -> Result<Ordering, Failure> {
    if a.is(b) {
        return Ok(Ordering::Equal);
    }
    match a.len().cmp(&b.len()) {
        Ordering::Equal if pairs.met((a.address(), b.address()), a.known(), a.len()) => {
            Ok(Ordering::Equal)
        }
        Ordering::Equal => one_by_one(a, b, pairs),
        different => Ok(different),
    }
}

fn one_by_one(a: &[Value], b: &[Value], pairs: &mut Pairs) -> Result<Ordering, Failure> {
    for (a, b) in a.iter().zip(b) {
        let order = a.compare_in(b, pairs)?;
        if order != Ordering::Equal {
            return Ok(order);
        }
    }
    Ok(Ordering::Equal)
}

fn compare_functions(a: &Mapping, b: &Mapping, pairs: &mut Pairs) -> Result<Ordering, Failure> {
    if a.is(b) {
        return Ok(Ordering::Equal);
    }
    match by_size(a.keys(), b.keys(), pairs)? {
        Ordering::Equal if pairs.met((a.address(), b.address()), a.known(), a.values().len()) => {
            Ok(Ordering::Equal)
        }
        Ordering::Equal => one_by_one(a.values(), b.values(), pairs),
        different => Ok(different),
    }
}

/// A tuple and a function whose domain is no 1..n.
fn compare_tuple(tuple: &[Value], function: &Mapping) -> Result<Ordering, Failure> {
    let sizes = tuple.len().cmp(&function.keys().len());
    if sizes != Ordering::Equal {
        return Ok(sizes);
    }
    for (index, key) in (1..).zip(function.keys().iter()) {
        let order = Value::Number(index).compare(key)?;
        if order != Ordering::Equal {
            return Ok(order);
        }
    }
    one_by_one(tuple, function.values(), &mut Pairs::default())
}

/// Sets, at least one of which is not listed.
fn compare_sets(a: &Value, b: &Value) -> Result<Ordering, Failure> {
    spend();
    match (a, b) {
        (Value::Interval(..), Value::Interval(..)) => Ok(compare_intervals(a, b)),
        (Value::Interval(low, _), Value::Set(set)) => compare_interval(*low, interval_len(a), set),
        (Value::Set(set), Value::Interval(low, _)) => {
            Ok(compare_interval(*low, interval_len(b), set)?.reverse())
        }
        (Value::Lazy(s), Value::Lazy(t)) if Arc::ptr_eq(s, t) => Ok(Ordering::Equal),
        (Value::Lazy(s), Value::Lazy(t)) => match (&**s, &**t) {
            (LazySet::Subsets(s), LazySet::Subsets(t)) => s.compare(t),
            _ if a.same(b) => Ok(Ordering::Equal),
            (s, t) if s.rank().is_some() && t.rank().is_some() => Ok(s.rank().cmp(&t.rank())),
            _ => a.listing()?.compare(&b.listing()?),
        },
        _ => a.listing()?.compare(&b.listing()?),
    }
}

/// How many numbers an interval has.
pub(super) fn interval_len(interval: &Value) -> u64 {
    match *interval {
        Value::Interval(low, high) if low <= high => (i64::from(high) - i64::from(low) + 1) as u64,
        _ => 0,
    }
}

/// Numbers from one on; whoever asks knows where they end.
pub(super) fn numbers_from(low: i32) -> impl Iterator<Item = Value> {
    (i64::from(low)..).map(|number| Value::Number(number as i32))
}

fn compare_intervals(a: &Value, b: &Value) -> Ordering {
    let sizes = interval_len(a).cmp(&interval_len(b));
    match (a, b) {
        (Value::Interval(low, _), Value::Interval(other, _))
            if sizes == Ordering::Equal && interval_len(a) > 0 =>
        {
            low.cmp(other)
        }
        _ => sizes,
    }
}

fn compare_interval(low: i32, len: u64, set: &[Value]) -> Result<Ordering, Failure> {
    let sizes = len.cmp(&(set.len() as u64));
    if sizes != Ordering::Equal {
        return Ok(sizes);
    }
    for (number, element) in numbers_from(low).zip(set) {
        let order = number.compare(element)?;
        if order != Ordering::Equal {
            return Ok(order);
        }
    }
    Ok(Ordering::Equal)
}
