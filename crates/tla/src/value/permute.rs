//! Permutations of model values, for `SYMMETRY`: each model value of a value is replaced by another one.
//!
//! What has no model values that move is shared with the result. A node knows whether it has no model
//! values at all, so most of a state is never looked at.

use super::pairs::Made;
use super::{Known, Listed, Mapping, Value, sort};
use crate::failure::Failure;
use crate::names::Symbol;

/// Which model value takes the place of which.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Permutation {
    /// By the number of the symbol; what lies beyond the end stays.
    images: Vec<u32>,
}

impl Permutation {
    /// The permutation that moves the first of each pair to the second.
    pub fn new(pairs: impl IntoIterator<Item = (Symbol, Symbol)>) -> Permutation {
        let mut images = Vec::new();
        for (from, to) in pairs {
            while images.len() <= from.index() {
                images.push(images.len() as u32);
            }
            images[from.index()] = to.0;
        }
        Permutation { images }.trimmed()
    }

    /// What stays at the end is left out, so that equal permutations look the same.
    fn trimmed(mut self) -> Permutation {
        while let Some(last) = self.images.last()
            && *last as usize == self.images.len() - 1
        {
            self.images.pop();
        }
        self
    }

    /// This permutation, and another one behind it.
    #[must_use]
    pub fn then(&self, other: &Permutation) -> Permutation {
        let count = self.images.len().max(other.images.len());
        let images = (0..count as u32).map(|from| other.image(self.image(Symbol(from))).0);
        let images = images.collect();
        Permutation { images }.trimmed()
    }

    /// The permutation that a function on model values is, as `Permutations` gives them.
    pub fn of_function(function: &Value) -> Option<Permutation> {
        let mut all = Vec::new();
        for pair in function.pairs()? {
            match pair {
                (Value::Model(from, _), Value::Model(to, _)) => all.push((from, to)),
                _ => return None,
            }
        }
        Some(Permutation::new(all))
    }

    /// What takes the place of a model value.
    #[inline]
    pub fn image(&self, symbol: Symbol) -> Symbol {
        self.images
            .get(symbol.index())
            .map_or(symbol, |to| Symbol(*to))
    }

    /// Whether nothing moves.
    pub fn is_identity(&self) -> bool {
        (0..).zip(&self.images).all(|(from, to)| from == *to)
    }
}

impl Value {
    /// The value after a permutation; the value itself where nothing moves. It is normal before and after.
    ///
    /// # Errors
    /// Elements cannot be compared afterwards, or a set cannot be listed.
    pub fn permuted(&self, permutation: &Permutation) -> Result<Value, Failure> {
        let normal = self.normal()?;
        Ok(permuted(&normal, permutation, &mut Made::new())?.unwrap_or(normal))
    }
}

/// None where nothing moves.
fn permuted(
    value: &Value,
    permutation: &Permutation,
    made: &mut Made<Option<Value>>,
) -> Result<Option<Value>, Failure> {
    match value {
        Value::Model(symbol, letter) => {
            let image = permutation.image(*symbol);
            Ok((image != *symbol).then_some(Value::Model(image, *letter)))
        }
        Value::Set(list) | Value::Tuple(list) if list.known().no_models => Ok(None),
        Value::Set(list) => made.of(list.address(), list.known(), list.len(), |made| {
            let all = all(list.known(), list, permutation, made)?;
            all.map(Value::set).transpose()
        }),
        Value::Tuple(list) => made.of(list.address(), list.known(), list.len(), |made| {
            Ok(all(list.known(), list, permutation, made)?.map(Value::tuple))
        }),
        Value::Function(mapping) if mapping.known().no_models => Ok(None),
        Value::Function(mapping) => {
            let (known, len) = (mapping.known(), mapping.values().len());
            made.of(mapping.address(), known, len, |made| {
                let keys = mapping.keys();
                let moving = all(keys.known(), keys, permutation, made)?;
                let values = all(known, mapping.values(), permutation, made)?;
                match (moving, values) {
                    (None, None) => Ok(None),
                    (None, Some(values)) => Ok(Some(Value::mapping(keys.clone(), values))),
                    (Some(keys), values) => {
                        let values = values.unwrap_or_else(|| mapping.values().to_vec());
                        moved(mapping, keys, values).map(Some)
                    }
                }
            })
        }
        _ => Ok(None),
    }
}

/// All values of a list, where any of them moves.
fn all(
    known: &Known,
    values: &[Value],
    permutation: &Permutation,
    made: &mut Made<Option<Value>>,
) -> Result<Option<Vec<Value>>, Failure> {
    if known.no_models {
        return Ok(None);
    }
    for (place, value) in values.iter().enumerate() {
        if let Some(changed) = permuted(value, permutation, made)? {
            let mut all = Vec::with_capacity(values.len());
            all.extend_from_slice(&values[..place]);
            all.push(changed);
            for value in &values[place + 1..] {
                all.push(permuted(value, permutation, made)?.unwrap_or_else(|| value.clone()));
            }
            return Ok(Some(all));
        }
    }
    Ok(None)
}

/// A function whose arguments moved. Mostly the domain as a whole is what it was, and can be shared.
fn moved(mapping: &Mapping, keys: Vec<Value>, values: Vec<Value>) -> Result<Value, Failure> {
    let pairs: Vec<(Value, Value)> = keys.into_iter().zip(values).collect();
    let pairs = sort::sorted(pairs, &|(a, _), (b, _)| a.compare(b))?;
    let (keys, values): (Vec<Value>, Vec<Value>) = pairs.into_iter().unzip();
    let unchanged = keys
        .iter()
        .zip(mapping.keys().iter())
        .all(|(a, b)| a.same(b));
    let keys = match unchanged {
        true => mapping.keys().clone(),
        false => Listed::new(keys),
    };
    Ok(Value::mapping(keys, values))
}
