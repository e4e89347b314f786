//! `SYMMETRY`: states that differ by a permutation of model values are one state.
//!
//! The permutations that the configuration names generate a group. Of all rows that the group makes of a state the
//! least one is kept, in the order that TLC gives to values. What can be asked then are questions about single states and
//! steps; a run of such states is a run of the specification only up to names, so temporal formulas are asked without it.
//!
//! Most variables of a state had their values before: what permutations make of them is kept for a while.

use std::cmp::Ordering;
use std::collections::HashSet;

use crate::failure::Failure;
use crate::value::{Permutation, Value};

/// At most so many permutations.
const MOST: usize = 50_000;

/// A group of permutations, without the one that moves nothing.
#[derive(Debug, Default)]
pub(crate) struct Symmetry {
    permutations: Vec<Permutation>,
}

/// What permutations made of values lately.
#[derive(Debug, Default)]
pub(crate) struct Images {
    lines: Vec<Option<Image>>,
}

/// What a permutation makes of a value.
#[derive(Clone, Debug)]
struct Image {
    permutation: usize,
    value: Value,
    image: Value,
}

/// How many are kept.
const KEPT: usize = 1 << 13;

impl Images {
    /// What a permutation, whose number it is, makes of a normal value.
    fn image(
        &mut self,
        number: usize,
        permutation: &Permutation,
        value: &Value,
    ) -> Result<Value, Failure> {
        if !matches!(value, Value::Set(_) | Value::Tuple(_) | Value::Function(_)) {
            return value.permuted(permutation);
        }
        if self.lines.is_empty() {
            self.lines.resize(KEPT, None);
        }
        let bits = value.hash64() ^ (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let line = &mut self.lines[(bits >> 20) as usize % KEPT];
        if let Some(known) = line
            && known.permutation == number
            && known.value.same(value)
        {
            return Ok(known.image.clone());
        }
        let image = value.permuted(permutation)?;
        *line = Some(Image {
            permutation: number,
            value: value.clone(),
            image: image.clone(),
        });
        Ok(image)
    }
}

impl Symmetry {
    /// The group that functions on model values generate, as sets of them.
    ///
    /// # Errors
    /// Why there is none.
    pub fn generated(sets: &[Value]) -> Result<Symmetry, String> {
        let told = |failure: Failure| failure.to_string();
        let mut generators = Vec::new();
        for set in sets {
            let mut elements = set.elements().map_err(told)?;
            while let Some(function) = elements.next().map_err(told)? {
                let Some(permutation) = Permutation::of_function(&function) else {
                    return Err("it has an element that permutes no model values".to_string());
                };
                if !permutation.is_identity() {
                    generators.push(permutation);
                }
            }
        }
        let mut known: HashSet<Permutation> = HashSet::new();
        let mut permutations = Vec::new();
        let mut open = generators.clone();
        while let Some(permutation) = open.pop() {
            evenhand_source::spend();
            if permutation.is_identity() || !known.insert(permutation.clone()) {
                continue;
            }
            if known.len() > MOST {
                return Err(format!("it has more than {MOST} permutations"));
            }
            open.extend(generators.iter().map(|other| permutation.then(other)));
            permutations.push(permutation);
        }
        Ok(Symmetry { permutations })
    }

    /// Whether nothing moves.
    pub fn is_empty(&self) -> bool {
        self.permutations.is_empty()
    }

    /// The least of the rows that permutations make of this one; none if it is the row itself.
    ///
    /// # Errors
    /// Values cannot be compared or listed.
    pub fn least(
        &self,
        row: &[Option<Value>],
        images: &mut Images,
    ) -> Result<Option<Vec<Value>>, Failure> {
        let mut own = Vec::with_capacity(row.len());
        for value in row.iter().flatten() {
            own.push(value.normal()?);
        }
        let mut least: Option<Vec<Value>> = None;
        let mut candidate = Vec::with_capacity(own.len());
        for (number, permutation) in self.permutations.iter().enumerate() {
            candidate.clear();
            let best = least.as_ref().unwrap_or(&own);
            let mut order = Ordering::Equal;
            for (value, best) in own.iter().zip(best) {
                let value = images.image(number, permutation, value)?;
                if order == Ordering::Equal {
                    order = value.compare(best)?;
                    if order == Ordering::Greater {
                        break;
                    }
                }
                candidate.push(value);
            }
            if order == Ordering::Less {
                least = Some(std::mem::take(&mut candidate));
            }
        }
        Ok(least)
    }
}

#[cfg(test)]
mod tests {
    use evenhand_source::SplitMix64;

    use super::*;
    use crate::names::Symbol;

    fn model(number: u64) -> Value {
        Value::Model(Symbol(number as u32), None)
    }

    /// A function on model values, by the images of the first few.
    fn function(images: &[u64]) -> Value {
        let keys = (0..images.len() as u64).map(model).collect();
        let keys = Value::set(keys).expect("model values");
        let keys = keys.as_listed().expect("a set").clone();
        Value::mapping(keys, images.iter().map(|&image| model(image)).collect())
    }

    fn random_value(random: &mut SplitMix64, depth: u32) -> Value {
        match random.number() % if depth == 0 { 2 } else { 5 } {
            0 => Value::Number((random.number() % 3) as i32),
            1 => model(random.number() % 4),
            2 => {
                let models = (0..random.number() % 4).map(|_| model(random.number() % 4));
                Value::set(models.collect()).expect("model values")
            }
            3 => {
                let count = 1 + random.number() % 3;
                let values = (0..count).map(|_| random_value(random, depth - 1));
                Value::tuple(values.collect())
            }
            _ => {
                let images: Vec<u64> = (0..4).map(|_| random.number() % 4).collect();
                function(&images)
            }
        }
    }

    /// What is kept of a row, as values.
    fn kept(symmetry: &Symmetry, row: &[Value], images: &mut Images) -> Vec<Value> {
        let row: Vec<Option<Value>> = row.iter().cloned().map(Some).collect();
        let least = symmetry.least(&row, images).expect("values of one shape");
        least.unwrap_or_else(|| row.into_iter().flatten().collect())
    }

    #[test]
    fn the_least_row_is_the_same_for_all_of_an_orbit() {
        let swap = function(&[1, 0, 2, 3]);
        let turn = function(&[1, 2, 3, 0]);
        let set = Value::set(vec![swap, turn]).expect("functions");
        let symmetry = Symmetry::generated(&[set]).expect("a group");
        assert_eq!(symmetry.permutations.len(), 23, "all of four but one");
        let mut moved = 0;
        // What is kept from one row serves the next.
        let mut images = Images::default();
        for seed in 0..3000 {
            let mut random = SplitMix64::new(seed);
            let row: Vec<Value> = (0..3).map(|_| random_value(&mut random, 2)).collect();
            let least = kept(&symmetry, &row, &mut images);
            let mut met = least.iter().zip(&row).all(|(a, b)| a.same(b));
            moved += usize::from(!met);
            for permutation in &symmetry.permutations {
                let other = row.iter().map(|value| value.permuted(permutation));
                let other: Vec<Value> = other.collect::<Result<_, _>>().expect("values");
                let same = kept(&symmetry, &other, &mut images);
                assert!(
                    least.iter().zip(&same).all(|(a, b)| a.same(b)),
                    "seed {seed}"
                );
                met |= least.iter().zip(&other).all(|(a, b)| a.same(b));
            }
            assert!(met, "seed {seed}: the least row is one of the orbit");
        }
        assert!(moved > 500, "{moved} are too few to show anything");
    }

    #[test]
    fn what_permutes_nothing_is_refused() {
        let numbers = Value::tuple(vec![Value::Number(2), Value::Number(1)]);
        let set = Value::set(vec![numbers]).expect("a set");
        assert!(Symmetry::generated(&[set]).is_err());
    }
}
