//! How many elements a set has: by arithmetic where a rule allows it, without listing anything.

use evenhand_source::spend;

use super::order::interval_len;
use super::{LazySet, Value};
use crate::failure::Failure;

impl Value {
    /// The number of elements of a finite set.
    ///
    /// # Errors
    /// It is no set, it is infinite, or the number is none of 32 bits.
    pub fn size(&self) -> Result<u64, Failure> {
        match self.cardinality()? {
            Some(size) if size <= i32::MAX as u128 => Ok(size as u64),
            Some(_) => Err(Failure::new(format!(
                "the number of elements of {} is too large",
                self.quoted()
            ))),
            None => Err(Failure::new(format!(
                "{} is infinite: it has no number of elements",
                self.quoted()
            ))),
        }
    }

    /// Whether a set is finite.
    ///
    /// # Errors
    /// It is no set, or one of which that cannot be told.
    pub fn is_finite(&self) -> Result<bool, Failure> {
        spend();
        match self {
            Value::Set(_) | Value::Interval(..) => Ok(true),
            Value::Lazy(rule) => match &**rule {
                LazySet::Subsets(set) => set.is_finite(),
                // Nothing is listed where all parts are finite.
                LazySet::Functions(a, b) if a.is_finite()? && b.is_finite()? => Ok(true),
                LazySet::Product(sets) if all_finite(sets.iter())? => Ok(true),
                LazySet::Records(fields) if all_finite(fields.iter().map(|(_, set)| set))? => {
                    Ok(true)
                }
                LazySet::Intersection(a, b) if a.is_finite()? || b.is_finite()? => Ok(true),
                LazySet::Difference(a, _) if a.is_finite()? => Ok(true),
                LazySet::Union(a, b) => Ok(a.is_finite()? && b.is_finite()?),
                LazySet::BigUnion(sets) => {
                    let mut sets = Value::members(sets)?;
                    while let Some(set) = sets.next()? {
                        if !set.is_finite()? {
                            return Ok(false);
                        }
                    }
                    Ok(true)
                }
                _ => Ok(self.cardinality()?.is_some()),
            },
            _ => Ok(self.cardinality()?.is_some()),
        }
    }

    /// Whether a set has no elements.
    ///
    /// # Errors
    /// It is no set, or one of which that cannot be told.
    pub fn is_empty_set(&self) -> Result<bool, Failure> {
        match self {
            Value::Set(elements) => Ok(elements.is_empty()),
            Value::Interval(low, high) => Ok(low > high),
            Value::Lazy(rule) => match &**rule {
                LazySet::Union(a, b) => Ok(a.is_empty_set()? && b.is_empty_set()?),
                LazySet::Intersection(..) | LazySet::Difference(..) | LazySet::BigUnion(_) => {
                    Ok(self.elements()?.next()?.is_none())
                }
                LazySet::Functions(domain, range) => {
                    Ok(range.is_empty_set()? && !domain.is_empty_set()?)
                }
                _ => Ok(self.cardinality()? == Some(0)),
            },
            _ => Ok(self.cardinality()? == Some(0)),
        }
    }

    /// The number of elements, none if there is no end of them; beyond 128 bits the largest number.
    pub(crate) fn cardinality(&self) -> Result<Option<u128>, Failure> {
        match self {
            Value::Set(elements) => Ok(Some(elements.len() as u128)),
            Value::Interval(..) => Ok(Some(u128::from(interval_len(self)))),
            Value::Lazy(rule) => self.of_rule(rule),
            Value::Closure(_) => Err(self.inexplicit(self)),
            _ => Err(Failure::new(format!(
                "a set is needed, and {} is {}",
                self.quoted(),
                self.kind()
            ))),
        }
    }

    fn of_rule(&self, rule: &LazySet) -> Result<Option<u128>, Failure> {
        spend();
        match rule {
            LazySet::Naturals | LazySet::Integers | LazySet::Reals | LazySet::Strings => Ok(None),
            LazySet::Sequences(_) => Ok(None),
            LazySet::Subsets(set) => Ok(set.cardinality()?.map(|size| power(2, size))),
            LazySet::Functions(domain, range) => {
                Ok(match (domain.cardinality()?, range.cardinality()?) {
                    (Some(0), _) => Some(1),
                    (_, Some(0)) => Some(0),
                    (Some(size), Some(choices)) => Some(power(choices, size)),
                    _ => None,
                })
            }
            LazySet::Product(sets) => product(sets.iter()),
            LazySet::Records(fields) => product(fields.iter().map(|(_, set)| set)),
            LazySet::Union(..) if !self.is_finite()? => Ok(None),
            LazySet::Difference(a, b) if !a.is_finite()? => match b.is_finite()? {
                true => Ok(None),
                false => Err(self.undecided()),
            },
            LazySet::Intersection(a, b) if !a.is_finite()? && !b.is_finite()? => {
                Err(self.undecided())
            }
            LazySet::BigUnion(_) if !self.is_finite()? => Ok(None),
            LazySet::Union(..)
            | LazySet::Intersection(..)
            | LazySet::Difference(..)
            | LazySet::BigUnion(_) => Ok(Some(self.listed()?.len() as u128)),
        }
    }

    #[cold]
    fn undecided(&self) -> Failure {
        Failure::new(format!(
            "whether {} is finite cannot be told",
            self.quoted()
        ))
    }
}

fn all_finite<'a>(mut sets: impl Iterator<Item = &'a Value>) -> Result<bool, Failure> {
    sets.try_fold(true, |all, set| Ok(all && set.is_finite()?))
}

fn product<'a>(sets: impl Iterator<Item = &'a Value>) -> Result<Option<u128>, Failure> {
    let mut all = Some(1u128);
    for set in sets {
        all = match (all, set.cardinality()?) {
            (Some(0), _) | (_, Some(0)) => Some(0),
            (Some(all), Some(size)) => Some(all.saturating_mul(size)),
            _ => None,
        };
    }
    Ok(all)
}

fn power(base: u128, exponent: u128) -> u128 {
    match base {
        0 | 1 => match exponent {
            0 => 1,
            _ => base,
        },
        _ => base.saturating_pow(exponent.min(200) as u32),
    }
}
