//! FiniteSets, and FiniteSetsExt of the community: folds, extremes, subsets of a size.
//!
//! A fold begins with the least element, which is the innermost application; with operators that are
//! associative and commutative, as they should be, nobody sees it.

use super::args::{Result, call, count, elements, fitting, listed, number, test};
use super::{Host, StandardModule, StandardOperator, native};
use crate::failure::Failure;
use crate::value::{MOST_ELEMENTS, Value, room};

pub(super) const MODULES: &[StandardModule] = &[
    StandardModule {
        name: "FiniteSets",
        extends: &[],
        operators: FINITE_SETS,
    },
    StandardModule {
        name: "FiniteSetsExt",
        extends: &["Integers", "FiniteSets", "Folds", "Functions"],
        operators: EXTENDED,
    },
];

const FINITE_SETS: &[StandardOperator] = &[
    native("IsFiniteSet", &[0], |_, args| {
        Ok(Value::Truth(args[0].is_finite()?))
    }),
    native("Cardinality", &[0], |_, args| {
        Ok(count(args[0].size()? as usize))
    }),
];

const EXTENDED: &[StandardOperator] = &[
    native("FoldSet", &[2, 0, 0], |host, args| {
        fold(host, "FoldSet", &args[2], args[1].clone())
    }),
    native("ReduceSet", &[2, 0, 0], |host, args| {
        fold(host, "ReduceSet", &args[1], args[2].clone())
    }),
    native("SumSet", &[0], |_, args| sum(&args[0])),
    native("ProductSet", &[0], |_, args| product(&args[0])),
    native("MapThenSumSet", &[1, 0], map_then_sum),
    native("FlattenSet", &[0], |_, args| args[0].big_union()),
    native("SymDiff", &[0, 0], |_, args| {
        let (a, b) = (&args[0], &args[1]);
        a.difference(b)?.union(&b.difference(a)?)
    }),
    native("Quantify", &[0, 1], quantify),
    native("kSubset", &[0, 0], |_, args| {
        subsets_of_size(number("kSubset", &args[0])?, &args[1])
    }),
    native("Max", &[0], |_, args| {
        extreme("Max", &args[0], |a, b| a > b)
    }),
    native("Min", &[0], |_, args| {
        extreme("Min", &args[0], |a, b| a < b)
    }),
    native("Choices", &[0], |_, args| choices(&args[0])),
    native("ChooseUnique", &[0, 1], choose_unique),
];

/// `op(x3, op(x2, op(x1, base)))`; the operator is the first argument.
fn fold(host: &mut dyn Host, operator: &str, set: &Value, base: Value) -> Result<Value> {
    let mut all = elements(operator, set)?;
    let mut folded = base;
    while let Some(element) = all.next()? {
        folded = call(host, 0, &[element, folded])?;
    }
    Ok(folded)
}

fn sum(set: &Value) -> Result<Value> {
    let mut all = elements("SumSet", set)?;
    let mut sum = 0;
    while let Some(element) = all.next()? {
        sum += i64::from(number("SumSet", &element)?);
        fitting("SumSet", sum)?;
    }
    fitting("SumSet", sum)
}

fn product(set: &Value) -> Result<Value> {
    let mut all = elements("ProductSet", set)?;
    let mut product = 1;
    while let Some(element) = all.next()? {
        product *= i64::from(number("ProductSet", &element)?);
        fitting("ProductSet", product)?;
    }
    fitting("ProductSet", product)
}

fn map_then_sum(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let mut all = elements("MapThenSumSet", &args[1])?;
    let mut sum = 0;
    while let Some(element) = all.next()? {
        let part = call(host, 0, &[element])?;
        sum += i64::from(number("MapThenSumSet", &part)?);
        fitting("MapThenSumSet", sum)?;
    }
    fitting("MapThenSumSet", sum)
}

fn quantify(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let mut all = elements("Quantify", &args[0])?;
    let mut those = 0;
    while let Some(element) = all.next()? {
        those += usize::from(test(host, "Quantify", 1, &[element])?);
    }
    Ok(count(those))
}

/// The subsets of a set that have a size, in order.
pub(super) fn subsets_of_size(size: i32, set: &Value) -> Result<Value> {
    let base = listed("kSubset", set)?;
    let size = match usize::try_from(size) {
        Ok(size) if size <= base.len() => size,
        _ => return Ok(Value::empty_set()),
    };
    let mut all = Vec::new();
    let mut places: Vec<usize> = (0..size).collect();
    let mut parts = 0;
    loop {
        parts += 1 + size;
        evenhand_source::budget::spend_many(1 + size);
        let subset = places.iter().map(|&place| base[place].clone());
        all.push(Value::sorted(subset.collect()));
        if parts as u64 > MOST_ELEMENTS {
            return Err(Failure::limit(format!(
                "too many subsets of {size} elements of {}",
                set.quoted()
            )));
        }
        let moving = (0..size).rev().find(|&i| places[i] < base.len() - size + i);
        let Some(moving) = moving else {
            return Ok(Value::sorted(all));
        };
        let first = places[moving] + 1;
        for (offset, place) in places[moving..].iter_mut().enumerate() {
            *place = first + offset;
        }
    }
}

fn extreme(operator: &str, set: &Value, better: fn(i32, i32) -> bool) -> Result<Value> {
    if let Value::Interval(low, high) = set
        && low <= high
    {
        let end = if better(*high, *low) { high } else { low };
        return Ok(Value::Number(*end));
    }
    let mut all = elements(operator, set)?;
    let mut best: Option<i32> = None;
    while let Some(element) = all.next()? {
        let candidate = number(operator, &element)?;
        if best.is_none_or(|best| better(candidate, best)) {
            best = Some(candidate);
        }
    }
    best.map(Value::Number)
        .ok_or_else(|| Failure::new(format!("{operator} of the empty set has no value")))
}

/// The sets that have an element of each of some sets.
fn choices(sets: &Value) -> Result<Value> {
    let mut so_far = vec![Value::empty_set()];
    for set in listed("Choices", sets)?.iter() {
        let mut next = Vec::new();
        for element in listed("Choices", set)?.iter() {
            let single = Value::sorted(vec![element.clone()]);
            for chosen in &so_far {
                evenhand_source::spend();
                next.push(chosen.union(&single)?);
                room(next.len())?;
            }
        }
        so_far = listed("Choices", &Value::set(next)?)?.into_owned();
    }
    Ok(Value::sorted(so_far))
}

fn choose_unique(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let mut all = elements("ChooseUnique", &args[0])?;
    let mut found = None;
    while let Some(element) = all.next()? {
        if test(host, "ChooseUnique", 1, std::slice::from_ref(&element))? {
            if found.is_some() {
                return Err(Failure::new(format!(
                    "ChooseUnique finds more than one element in {}",
                    args[0].quoted()
                )));
            }
            found = Some(element);
        }
    }
    found.ok_or_else(|| {
        Failure::new(format!(
            "ChooseUnique finds no element in {}",
            args[0].quoted()
        ))
    })
}
