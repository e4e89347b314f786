//! Normal values: explicit all the way down, so that equal ones have the same form, the same hash and the same bytes.
//!
//! What states hold, what sets contain and what functions are defined on is normal. A node knows
//! that it is, so making normal what already is costs one look. Sets that are given by rules are listed here,
//! and nowhere without a limit. `Nat` and its like have no listing and are normal as they stand.

use evenhand_source::budget::spend_many;

use super::build::no_values;
use super::pairs::Made;
use super::{LazySet, Listed, Value, shared};
use crate::failure::Failure;

/// The most elements of a set that is listed.
pub const MOST_ELEMENTS: u64 = 1 << 24;

impl LazySet {
    /// Whether it is one of the sets that stand for themselves.
    pub(super) fn is_atomic(&self) -> bool {
        self.rank().is_some() || matches!(self, LazySet::Strings)
    }

    /// The place of a set of numbers among those without an end.
    pub(super) fn rank(&self) -> Option<u8> {
        match self {
            LazySet::Naturals => Some(0),
            LazySet::Integers => Some(1),
            LazySet::Reals => Some(2),
            _ => None,
        }
    }
}

impl Value {
    /// Whether it is normal.
    #[inline]
    pub fn is_plain(&self) -> bool {
        match self {
            Value::Truth(_) | Value::Number(_) | Value::Text(_) | Value::Model(..) => true,
            Value::Set(_) => true,
            Value::Tuple(values) => values.known().plain,
            Value::Function(mapping) => mapping.known().plain,
            Value::Lazy(rule) => rule.is_atomic(),
            Value::Interval(..) | Value::Closure(_) => false,
        }
    }

    /// The same value, explicit all the way down.
    ///
    /// # Errors
    /// A set has too many elements to be listed, or is infinite.
    pub fn normal(&self) -> Result<Value, Failure> {
        match self.is_plain() {
            true => Ok(self.clone()),
            false => self.normal_in(&mut Made::new()),
        }
    }

    fn normal_in(&self, made: &mut Made<Value>) -> Result<Value, Failure> {
        if self.is_plain() {
            return Ok(self.clone());
        }
        match self {
            Value::Tuple(values) => {
                made.of(values.address(), values.known(), values.len(), |made| {
                    Ok(Value::tuple(all_normal(values, made)?))
                })
            }
            Value::Function(mapping) => {
                let len = mapping.values().len();
                made.of(mapping.address(), mapping.known(), len, |made| {
                    let values = all_normal(mapping.values(), made)?;
                    Ok(Value::mapping(mapping.keys().clone(), values))
                })
            }
            _ => self.listing(),
        }
    }

    /// A set as a listing: [`Value::Set`], never anything else.
    ///
    /// # Errors
    /// It is no set, it has too many elements to be listed, or it is infinite.
    pub fn listing(&self) -> Result<Value, Failure> {
        Ok(Value::Set(self.listed()?))
    }

    /// The elements of a set in order.
    pub(super) fn listed(&self) -> Result<Listed, Failure> {
        match self {
            Value::Set(elements) => Ok(elements.clone()),
            Value::Interval(low, high) if low > high => Ok(no_values().clone()),
            Value::Interval(low, high) => {
                spend_many(self.not_too_large()? as usize);
                Ok(shared::interval(*low, *high))
            }
            Value::Lazy(rule) => match &**rule {
                LazySet::Union(a, b) => a.listing()?.union(&b.listing()?)?.listed(),
                LazySet::Intersection(a, b) => {
                    let (a, b) = match a.is_finite()? {
                        true => (a, b),
                        false => (b, a),
                    };
                    a.listing()?.intersection(b)?.listed()
                }
                LazySet::Difference(a, b) => a.listing()?.difference(b)?.listed(),
                LazySet::BigUnion(sets) => Value::list_union(sets)?.listed(),
                _ => self.list_rows(),
            },
            Value::Closure(_) => Err(self.inexplicit(self)),
            _ => Err(Failure::new(format!(
                "a set is needed, and {} is {}",
                self.quoted(),
                self.kind()
            ))),
        }
    }

    /// Lists a rule whose elements come in order.
    fn list_rows(&self) -> Result<Listed, Failure> {
        let size = self.not_too_large()?;
        shared::product(self, size, || {
            let mut all = Vec::with_capacity(size as usize);
            let mut elements = self.elements()?;
            while let Some(element) = elements.next()? {
                all.push(element);
            }
            Ok(Listed::new(all))
        })
    }

    /// That a set can be listed, and how many elements it has.
    fn not_too_large(&self) -> Result<u64, Failure> {
        match self.cardinality()? {
            Some(size) if size <= u128::from(MOST_ELEMENTS) => Ok(size as u64),
            Some(size) => Err(Failure::limit(format!(
                "{} has {} elements, too many to be listed",
                self.quoted(),
                match size < u128::from(u64::MAX) {
                    true => size.to_string(),
                    false => "more than 10^19".to_string(),
                }
            ))),
            None => Err(self.endless()),
        }
    }

    /// An infinite set is to be listed or counted.
    #[cold]
    pub(super) fn endless(&self) -> Failure {
        Failure::new(format!(
            "{} is infinite: its elements cannot be listed",
            self.quoted()
        ))
    }
}

fn all_normal(values: &[Value], made: &mut Made<Value>) -> Result<Vec<Value>, Failure> {
    values.iter().map(|value| value.normal_in(made)).collect()
}
