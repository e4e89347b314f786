//! The model: values as lists that are compared by definition, without any canonical form.

use std::cmp::Ordering;

use evenhand_source::SplitMix64;

use super::super::Value;
use crate::names::Symbol;

/// A value in no particular form.
#[derive(Clone, Debug)]
pub enum Plain {
    Truth(bool),
    Number(i32),
    Text(u32),
    Model(u32),
    /// In any order, with repetitions.
    Set(Vec<Plain>),
    /// Each argument once.
    Function(Vec<(Plain, Plain)>),
}

/// Types, so that values of one type can be compared.
#[derive(Clone, Debug)]
pub enum Type {
    Truth,
    Number,
    Text,
    /// Numbers or model values.
    Either,
    Set(Box<Type>),
    /// Functions on 1..n.
    Sequence(Box<Type>),
    Pair(Box<Type>, Box<Type>),
    /// Functions on strings.
    Record(Box<Type>),
    Function(Box<Type>, Box<Type>),
}

impl Type {
    pub fn random(random: &mut SplitMix64, depth: usize) -> Type {
        let inner = |random: &mut SplitMix64| Box::new(Type::random(random, depth - 1));
        match random.below(if depth == 0 { 4 } else { 9 }) {
            0 => Type::Truth,
            1 => Type::Number,
            2 => Type::Text,
            3 => Type::Either,
            4 => Type::Set(inner(random)),
            5 => Type::Sequence(inner(random)),
            6 => Type::Pair(inner(random), inner(random)),
            7 => Type::Record(inner(random)),
            _ => Type::Function(inner(random), inner(random)),
        }
    }
}

impl Plain {
    pub fn random(random: &mut SplitMix64, of: &Type) -> Plain {
        match of {
            Type::Truth => Plain::Truth(random.below(2) == 0),
            Type::Number => Plain::Number(random.below(6) as i32 - 2),
            Type::Text => Plain::Text(random.below(4) as u32),
            Type::Either => match random.below(2) {
                0 => Plain::Number(random.below(3) as i32),
                _ => Plain::Model(4 + random.below(3) as u32),
            },
            Type::Set(of) => {
                let size = random.below(5);
                Plain::Set((0..size).map(|_| Plain::random(random, of)).collect())
            }
            Type::Sequence(of) => {
                let len = random.below(4) as i32;
                let at = (1..=len).map(|i| (Plain::Number(i), Plain::random(random, of)));
                let at = at.collect();
                shuffled(random.clone(), at)
            }
            Type::Pair(a, b) => {
                let (a, b) = (Plain::random(random, a), Plain::random(random, b));
                Plain::Function(vec![(Plain::Number(2), b), (Plain::Number(1), a)])
            }
            Type::Record(of) => {
                let mut fields = Vec::new();
                for name in 0..4 {
                    if random.below(2) == 0 {
                        fields.push((Plain::Text(name), Plain::random(random, of)));
                    }
                }
                shuffled(random.clone(), fields)
            }
            Type::Function(from, to) => {
                let mut pairs: Vec<(Plain, Plain)> = Vec::new();
                for _ in 0..random.below(4) {
                    let key = Plain::random(random, from);
                    if !pairs.iter().any(|(other, _)| other.equal(&key)) {
                        pairs.push((key, Plain::random(random, to)));
                    }
                }
                Plain::Function(pairs)
            }
        }
    }

    pub fn equal(&self, other: &Plain) -> bool {
        match (self, other) {
            (Plain::Truth(a), Plain::Truth(b)) => a == b,
            (Plain::Number(a), Plain::Number(b)) => a == b,
            (Plain::Text(a), Plain::Text(b)) => a == b,
            (Plain::Model(a), Plain::Model(b)) => a == b,
            (Plain::Set(a), Plain::Set(b)) => {
                let inside = |a: &[Plain], b: &[Plain]| a.iter().all(|x| Plain::within(x, b));
                inside(a, b) && inside(b, a)
            }
            (Plain::Function(a), Plain::Function(b)) => {
                let found = |(key, value): &(Plain, Plain)| {
                    b.iter().any(|(k, v)| k.equal(key) && v.equal(value))
                };
                a.len() == b.len() && a.iter().all(found)
            }
            _ => false,
        }
    }

    pub fn within(&self, all: &[Plain]) -> bool {
        all.iter().any(|other| other.equal(self))
    }

    /// In order, each once.
    pub fn arranged(all: &[Plain]) -> Vec<Plain> {
        let mut arranged: Vec<Plain> = Vec::new();
        for value in all {
            if !value.within(&arranged) {
                let place = arranged
                    .iter()
                    .take_while(|other| other.order(value).is_lt());
                arranged.insert(place.count(), value.clone());
            }
        }
        arranged
    }

    /// The order by its definition.
    pub fn order(&self, other: &Plain) -> Ordering {
        match (self, other) {
            (Plain::Truth(a), Plain::Truth(b)) => a.cmp(b),
            (Plain::Number(a), Plain::Number(b)) => a.cmp(b),
            (Plain::Text(a), Plain::Text(b)) | (Plain::Model(a), Plain::Model(b)) => a.cmp(b),
            (Plain::Model(_), _) => Ordering::Less,
            (_, Plain::Model(_)) => Ordering::Greater,
            (Plain::Set(a), Plain::Set(b)) => lists(&Plain::arranged(a), &Plain::arranged(b)),
            (Plain::Function(a), Plain::Function(b)) => {
                let domain = |f: &[(Plain, Plain)]| {
                    let keys: Vec<Plain> = f.iter().map(|(key, _)| key.clone()).collect();
                    Plain::arranged(&keys)
                };
                let values = |f: &[(Plain, Plain)]| -> Vec<Plain> {
                    let at = |key: &Plain| {
                        let found = f.iter().find(|(k, _)| k.equal(key));
                        found.expect("a key of the function").1.clone()
                    };
                    domain(f).iter().map(at).collect()
                };
                lists(&domain(a), &domain(b)).then_with(|| lists(&values(a), &values(b)))
            }
            _ => panic!("values of different types: {self:?} and {other:?}"),
        }
    }

    /// As a real value, in a form that chance chooses.
    pub fn real(&self, random: &mut SplitMix64) -> Value {
        match self {
            Plain::Truth(truth) => Value::Truth(*truth),
            Plain::Number(number) => Value::Number(*number),
            Plain::Text(symbol) => Value::Text(Symbol(*symbol)),
            Plain::Model(symbol) => Value::Model(Symbol(*symbol), None),
            Plain::Set(elements) => {
                if let Some((low, high)) = interval(elements)
                    && random.below(2) == 0
                {
                    return Value::Interval(low, high);
                }
                let elements = elements.iter().map(|element| element.real(random));
                Value::set(elements.collect()).expect("a set of one type")
            }
            Plain::Function(pairs) => {
                let pairs: Vec<(Value, Value)> = pairs
                    .iter()
                    .map(|(key, value)| (key.real(random), value.real(random)))
                    .collect();
                Value::function(pairs).expect("a function of one type")
            }
        }
    }
}

fn lists(a: &[Plain], b: &[Plain]) -> Ordering {
    let parts = a.iter().zip(b).map(|(a, b)| a.order(b));
    let first = parts.fold(Ordering::Equal, Ordering::then);
    a.len().cmp(&b.len()).then(first)
}

fn shuffled(mut random: SplitMix64, mut pairs: Vec<(Plain, Plain)>) -> Plain {
    for place in (1..pairs.len()).rev() {
        pairs.swap(place, random.below(place + 1));
    }
    Plain::Function(pairs)
}

/// The ends of a set of numbers without gaps.
fn interval(elements: &[Plain]) -> Option<(i32, i32)> {
    let numbers = elements.iter().map(|element| match element {
        Plain::Number(number) => Some(*number),
        _ => None,
    });
    let numbers = numbers.collect::<Option<Vec<i32>>>()?;
    let (low, high) = (*numbers.iter().min()?, *numbers.iter().max()?);
    (low..=high)
        .all(|n| numbers.contains(&n))
        .then_some((low, high))
}
