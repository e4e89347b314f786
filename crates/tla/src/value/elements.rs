//! The elements of a set, one after the other, in order.
//!
//! Listed sets and intervals cost nothing per element. Subsets come by size and then in order; functions, records and
//! tuples like the numbers of a counter, the last place fastest. That is the order of values, so what is drawn
//! from a rule needs no sorting; and a search that ends early never sees the rest.

use evenhand_source::budget::spend_many;
use evenhand_source::spend;

use super::{LazySet, Listed, Value, shared};
use crate::failure::Failure;

/// An iteration over a set.
#[derive(Debug)]
pub struct Elements(Kind);

#[derive(Debug)]
enum Kind {
    /// The elements and the place of the next one.
    Listed(Listed, usize),
    /// The next number and the last one.
    Interval(i64, i64),
    Subsets(Subsets),
    Rows(Rows),
}

/// Subsets: those of one size after those of the next smaller one.
#[derive(Debug)]
struct Subsets {
    base: Listed,
    /// The places of the elements of the next subset; none when all were given.
    places: Option<Vec<usize>>,
}

/// Functions, records or tuples: a value for each place.
#[derive(Debug)]
struct Rows {
    /// The domain; tuples have none.
    keys: Option<Listed>,
    /// What each place may be.
    choices: Vec<Listed>,
    /// The next choice of each place; none when all were given.
    next: Option<Vec<usize>>,
}

impl Value {
    /// The elements of a set.
    ///
    /// # Errors
    /// It is no set, or one whose elements cannot be listed.
    pub fn elements(&self) -> Result<Elements, Failure> {
        spend();
        Ok(Elements(match self {
            Value::Set(elements) => Kind::Listed(elements.clone(), 0),
            Value::Interval(low, high) => Kind::Interval(i64::from(*low), i64::from(*high)),
            Value::Lazy(rule) => self.of_lazy(rule)?,
            _ => Kind::Listed(self.listed()?, 0),
        }))
    }

    /// The members of a set of sets, or of a tuple of them.
    pub(super) fn members(sets: &Value) -> Result<Elements, Failure> {
        match sets {
            Value::Tuple(sets) => Ok(Elements(Kind::Listed(sets.clone(), 0))),
            _ => sets.elements(),
        }
    }

    fn of_lazy(&self, rule: &LazySet) -> Result<Kind, Failure> {
        Ok(match rule {
            LazySet::Naturals
            | LazySet::Integers
            | LazySet::Reals
            | LazySet::Strings
            | LazySet::Sequences(_) => return Err(self.endless()),
            LazySet::Subsets(set) => Kind::Subsets(Subsets {
                base: set.listed()?,
                places: Some(Vec::new()),
            }),
            LazySet::Functions(domain, range) => {
                let keys = domain.listed()?;
                // No function of nothing looks at its range.
                let choices = match keys.len() {
                    0 => Vec::new(),
                    _ => vec![range.listed()?; keys.len()],
                };
                Kind::Rows(Rows::new(Some(keys), choices))
            }
            LazySet::Records(fields) => {
                let keys = shared::fields(fields.iter().map(|(name, _)| *name));
                let choices = fields.iter().map(|(_, set)| set.listed());
                let choices = choices.collect::<Result<_, _>>()?;
                Kind::Rows(Rows::new(Some(keys), choices))
            }
            LazySet::Product(sets) => {
                let choices = sets.iter().map(Value::listed).collect::<Result<_, _>>()?;
                Kind::Rows(Rows::new(None, choices))
            }
            LazySet::Union(..)
            | LazySet::Intersection(..)
            | LazySet::Difference(..)
            | LazySet::BigUnion(_) => Kind::Listed(self.listed()?, 0),
        })
    }
}

impl Elements {
    /// The next element.
    ///
    /// # Errors
    /// There is no way to say what it is.
    #[inline]
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<Value>, Failure> {
        Ok(match &mut self.0 {
            Kind::Listed(elements, place) => {
                let element = elements.get(*place).cloned();
                *place += 1;
                element
            }
            Kind::Interval(next, last) if *next <= *last => {
                if *next & 255 == 0 {
                    spend_many(256);
                }
                *next += 1;
                Some(Value::Number((*next - 1) as i32))
            }
            Kind::Interval(..) => None,
            Kind::Subsets(subsets) => subsets.next(),
            Kind::Rows(rows) => rows.next(),
        })
    }
}

impl Subsets {
    fn next(&mut self) -> Option<Value> {
        let places = self.places.as_mut()?;
        spend();
        let subset = match places.is_empty() {
            true => Value::empty_set(),
            false => Value::Set(Listed::of(places.len(), |at| &self.base[places[at]])),
        };
        // The last place that can move does, those behind it follow closely.
        let (size, all) = (places.len(), self.base.len());
        match (0..size).rev().find(|&i| places[i] < all - size + i) {
            Some(moving) => {
                let first = places[moving] + 1;
                for (offset, place) in places[moving..].iter_mut().enumerate() {
                    *place = first + offset;
                }
            }
            None if size < all => *places = (0..=size).collect(),
            None => self.places = None,
        }
        Some(subset)
    }
}

impl Rows {
    fn new(keys: Option<Listed>, choices: Vec<Listed>) -> Rows {
        let none = choices.iter().any(|choices| choices.is_empty());
        let next = (!none).then(|| vec![0; choices.len()]);
        Rows {
            keys,
            choices,
            next,
        }
    }

    fn next(&mut self) -> Option<Value> {
        let next = self.next.as_mut()?;
        spend();
        let row = next.iter().zip(&self.choices);
        let row: Vec<Value> = row.map(|(&place, all)| all[place].clone()).collect();
        let moving = (0..next.len())
            .rev()
            .find(|&place| next[place] + 1 < self.choices[place].len());
        match moving {
            Some(place) => {
                next[place] += 1;
                next[place + 1..].fill(0);
            }
            None => self.next = None,
        }
        Some(match &self.keys {
            Some(keys) => Value::mapping(keys.clone(), row),
            None => Value::tuple(row),
        })
    }
}
