//! When values are equal, and when the question has no answer.
//!
//! [`Value::equal`] is the `=` of specifications: values of different kinds cannot be compared, a model value without a
//! type differs from everything else. The first difference decides, so `<<1, "a">> = <<2, 3>>` is false and
//! `{1} = {"a"}` has no value; sets of different sizes differ without being looked at. [`Value::same`] is
//! for normal values that are known to be comparable or need not be: it never fails.

use std::sync::Arc;

use evenhand_source::spend;

use super::order::{interval_len, numbers_from};
use super::pairs::Pairs;
use super::{LazySet, Listed, Mapping, Value};
use crate::failure::Failure;

impl Value {
    /// Whether it is the same by a look at the first words: shared, or small and equal.
    #[inline]
    pub fn is_identical(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Truth(a), Value::Truth(b)) => a == b,
            (Value::Number(a), Value::Number(b)) => a == b,
            (Value::Text(a), Value::Text(b)) => a == b,
            (Value::Model(a, _), Value::Model(b, _)) => a == b,
            (Value::Set(a), Value::Set(b)) | (Value::Tuple(a), Value::Tuple(b)) => a.is(b),
            (Value::Function(a), Value::Function(b)) => a.is(b),
            (Value::Interval(a, b), Value::Interval(c, d)) => (a, b) == (c, d),
            _ => false,
        }
    }

    /// Bits that are the same for what is the same by a look at the first words.
    #[inline]
    pub(crate) fn identity(&self) -> u64 {
        let small = |kind: u64, bits: u32| kind << 32 | u64::from(bits);
        match self {
            Value::Truth(truth) => small(1, u32::from(*truth)),
            Value::Number(number) => small(2, *number as u32),
            Value::Text(symbol) => small(3, symbol.0),
            Value::Model(symbol, _) => small(4, symbol.0),
            Value::Interval(low, high) => u64::from(*low as u32) << 32 | u64::from(*high as u32),
            Value::Set(list) | Value::Tuple(list) => list.address(),
            Value::Function(mapping) => mapping.address(),
            Value::Lazy(_) | Value::Closure(_) => 0,
        }
    }

    /// Whether two values are equal.
    ///
    /// # Errors
    /// They are of kinds that cannot be compared, or a set cannot be listed.
    pub fn equal(&self, other: &Value) -> Result<bool, Failure> {
        self.equal_in(other, &mut Pairs::default())
    }

    fn equal_in(&self, other: &Value, pairs: &mut Pairs) -> Result<bool, Failure> {
        match (self, other) {
            (Value::Number(a), Value::Number(b)) => Ok(a == b),
            (Value::Text(a), Value::Text(b)) => Ok(a == b),
            (Value::Truth(a), Value::Truth(b)) => Ok(a == b),
            (Value::Model(a, s), Value::Model(b, t)) => match (s, t) {
                (Some(s), Some(t)) if s != t => Err(self.clash(other)),
                _ => Ok(a == b),
            },
            (Value::Model(_, None), _) | (_, Value::Model(_, None)) => Ok(false),
            (Value::Tuple(a), Value::Tuple(b)) => equal_lists(a, b, pairs),
            (Value::Set(a), Value::Set(b)) => equal_lists(a, b, pairs),
            (Value::Function(a), Value::Function(b)) => equal_functions(a, b, pairs),
            (Value::Tuple(a), Value::Function(b)) | (Value::Function(b), Value::Tuple(a)) => {
                equal_tuple(a, b)
            }
            (Value::Closure(_), _) | (_, Value::Closure(_)) => Err(self.inexplicit(other)),
            (a, b) if a.is_set() && b.is_set() => equal_sets(a, b),
            _ => Err(self.clash(other)),
        }
    }

    /// Whether two values are one and the same as they stand: for normal ones, whether they are equal.
    pub fn same(&self, other: &Value) -> bool {
        self.same_in(other, &mut Pairs::default())
    }

    fn same_in(&self, other: &Value, pairs: &mut Pairs) -> bool {
        match (self, other) {
            (Value::Number(a), Value::Number(b)) => a == b,
            (Value::Text(a), Value::Text(b)) => a == b,
            (Value::Truth(a), Value::Truth(b)) => a == b,
            (Value::Model(a, s), Value::Model(b, t)) => a == b && s == t,
            (Value::Tuple(a), Value::Tuple(b)) | (Value::Set(a), Value::Set(b)) => {
                same_lists(a, b, pairs)
            }
            (Value::Function(a), Value::Function(b)) => {
                a.is(b)
                    || !a.known().differs(b.known())
                        && same_lists(a.keys(), b.keys(), pairs)
                        && (pairs.met((a.address(), b.address()), a.known(), a.values().len())
                            || same_values(a.values(), b.values(), pairs))
            }
            (Value::Interval(a, b), Value::Interval(c, d)) => (a, b) == (c, d) || a > b && c > d,
            (Value::Interval(low, _), Value::Set(set))
            | (Value::Set(set), Value::Interval(low, _)) => {
                let interval = match self {
                    Value::Interval(..) => self,
                    _ => other,
                };
                interval_len(interval) == set.len() as u64
                    && numbers_from(*low)
                        .zip(set.iter())
                        .all(|(number, element)| number.same(element))
            }
            (Value::Lazy(a), Value::Lazy(b)) => Arc::ptr_eq(a, b) || same_rules(a, b, pairs),
            (Value::Closure(a), Value::Closure(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

fn same_values(a: &[Value], b: &[Value], pairs: &mut Pairs) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same_in(b, pairs))
}

fn same_lists(a: &Listed, b: &Listed, pairs: &mut Pairs) -> bool {
    a.is(b)
        || a.len() == b.len()
            && !a.known().differs(b.known())
            && (pairs.met((a.address(), b.address()), a.known(), a.len())
                || same_values(a, b, pairs))
}

/// Whether two rules are written in the same way.
fn same_rules(a: &LazySet, b: &LazySet, pairs: &mut Pairs) -> bool {
    spend();
    match (a, b) {
        (LazySet::Naturals, LazySet::Naturals)
        | (LazySet::Integers, LazySet::Integers)
        | (LazySet::Reals, LazySet::Reals)
        | (LazySet::Strings, LazySet::Strings) => true,
        (LazySet::Sequences(s), LazySet::Sequences(t))
        | (LazySet::Subsets(s), LazySet::Subsets(t))
        | (LazySet::BigUnion(s), LazySet::BigUnion(t)) => s.same_in(t, pairs),
        (LazySet::Functions(d, r), LazySet::Functions(e, s))
        | (LazySet::Union(d, r), LazySet::Union(e, s))
        | (LazySet::Intersection(d, r), LazySet::Intersection(e, s))
        | (LazySet::Difference(d, r), LazySet::Difference(e, s)) => {
            d.same_in(e, pairs) && r.same_in(s, pairs)
        }
        (LazySet::Product(s), LazySet::Product(t)) => same_values(s, t, pairs),
        (LazySet::Records(s), LazySet::Records(t)) => {
            s.len() == t.len()
                && s.iter()
                    .zip(t.iter())
                    .all(|((n, s), (m, t))| n == m && s.same_in(t, pairs))
        }
        _ => false,
    }
}

fn equal_values(a: &[Value], b: &[Value], pairs: &mut Pairs) -> Result<bool, Failure> {
    for (a, b) in a.iter().zip(b) {
        if !a.equal_in(b, pairs)? {
            return Ok(false);
        }
    }
    Ok(a.len() == b.len())
}

fn equal_lists(a: &Listed, b: &Listed, pairs: &mut Pairs) -> Result<bool, Failure> {
    if a.is(b) {
        return Ok(true);
    }
    Ok(a.len() == b.len()
        && (pairs.met((a.address(), b.address()), a.known(), a.len())
            || equal_values(a, b, pairs)?))
}

fn equal_functions(a: &Mapping, b: &Mapping, pairs: &mut Pairs) -> Result<bool, Failure> {
    if a.is(b) {
        return Ok(true);
    }
    Ok(equal_lists(a.keys(), b.keys(), pairs)?
        && (pairs.met((a.address(), b.address()), a.known(), a.values().len())
            || equal_values(a.values(), b.values(), pairs)?))
}

/// A tuple and a function whose domain is no 1..n: never equal, but maybe not comparable.
fn equal_tuple(tuple: &[Value], function: &Mapping) -> Result<bool, Failure> {
    if tuple.len() != function.keys().len() {
        return Ok(false);
    }
    for (index, key) in (1..).zip(function.keys().iter()) {
        if !Value::Number(index).equal(key)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Sets, at least one of which is not listed. They may be equal although parts of their rules differ, and listings are
/// made for a while only, so each comparison of parts stands for itself.
fn equal_sets(a: &Value, b: &Value) -> Result<bool, Failure> {
    spend();
    match (a, b) {
        (Value::Interval(..), Value::Interval(..)) => Ok(a.same(b)),
        (Value::Interval(low, _), Value::Set(set)) | (Value::Set(set), Value::Interval(low, _)) => {
            let interval = match a {
                Value::Interval(..) => a,
                _ => b,
            };
            if interval_len(interval) != set.len() as u64 {
                return Ok(false);
            }
            for (number, element) in numbers_from(*low).zip(set.iter()) {
                if !number.equal(element)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        _ if a.same(b) => Ok(true),
        (Value::Lazy(s), Value::Lazy(t)) => match equal_rules(s, t)? {
            Some(answer) => Ok(answer),
            None => by_listing(a, b),
        },
        _ => by_listing(a, b),
    }
}

/// Rules of the same form are equal if their parts are, unless they have no elements at all.
fn equal_rules(a: &LazySet, b: &LazySet) -> Result<Option<bool>, Failure> {
    if a.rank().is_some() && b.rank().is_some() {
        return Ok(Some(a.rank() == b.rank()));
    }
    match (a, b) {
        (LazySet::Subsets(s), LazySet::Subsets(t))
        | (LazySet::Sequences(s), LazySet::Sequences(t)) => Ok(Some(s.equal(t)?)),
        (LazySet::Functions(d, r), LazySet::Functions(e, s)) => Ok(match d.equal(e)? {
            true if r.equal(s)? => Some(true),
            true => Some(d.is_empty_set()?),
            false => Some(
                !d.is_empty_set()? && !e.is_empty_set()? && {
                    r.is_empty_set()? && s.is_empty_set()?
                },
            ),
        }),
        (LazySet::Product(s), LazySet::Product(t)) => {
            let none = (any_empty(s.iter())?, any_empty(t.iter())?);
            Ok(Some(match none {
                (false, false) => equal_values(s, t, &mut Pairs::default())?,
                (a, b) => a == b,
            }))
        }
        (LazySet::Records(s), LazySet::Records(t)) => {
            let fields = |rule: &[(_, Value)]| any_empty(rule.iter().map(|(_, set)| set));
            match (fields(s)?, fields(t)?) {
                (false, false) => {
                    if s.len() != t.len() {
                        return Ok(Some(false));
                    }
                    for ((n, s), (m, t)) in s.iter().zip(t.iter()) {
                        if n != m || !s.equal(t)? {
                            return Ok(Some(false));
                        }
                    }
                    Ok(Some(true))
                }
                (a, b) => Ok(Some(a == b)),
            }
        }
        _ => Ok(None),
    }
}

fn any_empty<'a>(mut sets: impl Iterator<Item = &'a Value>) -> Result<bool, Failure> {
    sets.try_fold(false, |any, set| Ok(any || set.is_empty_set()?))
}

/// Both are listed, unless their sizes say that they differ.
fn by_listing(a: &Value, b: &Value) -> Result<bool, Failure> {
    if let (Ok(s), Ok(t)) = (a.size(), b.size())
        && s != t
    {
        return Ok(false);
    }
    a.listing()?.equal(&b.listing()?)
}
