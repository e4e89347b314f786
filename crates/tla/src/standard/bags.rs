//! Bags, and BagsExt of the community: functions from elements to how often they are in.

use super::args::{Result, call, fitting, listed, number, pairs, wrong};
use super::tlc::member;
use super::{Host, StandardModule, StandardOperator, native};
use crate::failure::Failure;
use crate::value::{MOST_ELEMENTS, Value};

pub(super) const MODULES: &[StandardModule] = &[
    StandardModule {
        name: "Bags",
        extends: &["TLC"],
        operators: BAGS,
    },
    StandardModule {
        name: "BagsExt",
        extends: &[],
        operators: EXTENDED,
    },
];

const BAGS: &[StandardOperator] = &[
    native("IsABag", &[0], |_, args| Ok(Value::Truth(is_bag(&args[0])))),
    native("BagToSet", &[0], |_, args| args[0].domain()),
    native("SetToBag", &[0], |_, args| {
        let all = listed("SetToBag", &args[0])?;
        let once = all.iter().map(|element| (element.clone(), 1.into()));
        Value::function(once.collect())
    }),
    native("BagIn", &[0, 0], |_, args| {
        Ok(Value::Truth(copies("BagIn", &args[0], &args[1])? > 0))
    }),
    native("EmptyBag", &[], |_, _| Ok(Value::tuple(Vec::new()))),
    native("(+)", &[0, 0], |_, args| {
        let operator = "(+)";
        bag(operator, &args[0])?;
        bag(operator, &args[1])?;
        add(operator, [&args[0], &args[1]].into_iter())
    }),
    native("(-)", &[0, 0], |_, args| subtract(&args[0], &args[1])),
    native("BagUnion", &[0], |_, args| {
        let bags = listed("BagUnion", &args[0])?;
        add("BagUnion", bags.iter())
    }),
    native("\\sqsubseteq", &[0, 0], |_, args| {
        let operator = "\\sqsubseteq";
        for (element, times) in pairs(operator, &args[0])? {
            let left = number(operator, &times)?;
            if left > copies(operator, &element, &args[1])? {
                return Ok(Value::Truth(false));
            }
        }
        Ok(Value::Truth(true))
    }),
    native("SubBag", &[0], |_, args| sub_bags(&args[0])),
    native("BagOfAll", &[1, 0], |host, args| {
        let mut images = Vec::new();
        for (element, times) in pairs("BagOfAll", &args[1])? {
            images.push((call(host, 0, &[element])?, times));
        }
        collect("BagOfAll", images)
    }),
    native("BagCardinality", &[0], |_, args| {
        bag("BagCardinality", &args[0])?;
        total("BagCardinality", &args[0])
    }),
    native("CopiesIn", &[0, 0], |_, args| {
        Ok(copies("CopiesIn", &args[0], &args[1])?.into())
    }),
];

const EXTENDED: &[StandardOperator] = &[
    native("BagAdd", &[0, 0], |_, args| {
        let one = Value::function(vec![(args[1].clone(), 1.into())])?;
        add("BagAdd", [&args[0], &one].into_iter())
    }),
    native("BagRemove", &[0, 0], |_, args| {
        let one = Value::function(vec![(args[1].clone(), 1.into())])?;
        subtract(&args[0], &one)
    }),
    native("BagRemoveAll", &[0, 0], |_, args| {
        let mut kept = pairs("BagRemoveAll", &args[0])?;
        let mut failed = None;
        kept.retain(|(element, _)| match element.equal(&args[1]) {
            Ok(equal) => !equal,
            Err(failure) => {
                failed.get_or_insert(failure);
                true
            }
        });
        match failed {
            Some(failure) => Err(failure),
            None => Value::function(kept),
        }
    }),
    native("FoldBag", &[2, 0, 0], |host, args| {
        fold(host, "FoldBag", &args[2], args[1].clone())
    }),
    native("MapThenFoldBag", &[2, 0, 1, 1, 0], map_then_fold),
    native("SumBag", &[0], |_, args| {
        weigh("SumBag", &args[0], 0, |sum, part, times| {
            sum.saturating_add(part.saturating_mul(times))
        })
    }),
    native("ProductBag", &[0], |_, args| {
        weigh("ProductBag", &args[0], 1, |product, part, times| {
            let power = part.saturating_pow(u32::try_from(times).unwrap_or(u32::MAX));
            product.saturating_mul(power)
        })
    }),
];

fn is_bag(value: &Value) -> bool {
    let positive = |times: &Value| times.number().is_some_and(|times| times > 0);
    value
        .range_values()
        .is_some_and(|values| values.iter().all(positive))
}

fn bag(operator: &str, value: &Value) -> Result<()> {
    match is_bag(value) {
        true => Ok(()),
        false => Err(wrong(operator, "a bag", value)),
    }
}

/// How often an element is in a bag.
fn copies(operator: &str, element: &Value, bag: &Value) -> Result<i32> {
    if !bag.is_function() {
        return Err(wrong(operator, "a bag", bag));
    }
    match member(&bag.domain()?, element)? {
        true => number(operator, &bag.apply(element)?),
        false => Ok(0),
    }
}

/// A bag of elements with numbers, where elements may come several times.
fn collect(operator: &str, elements: Vec<(Value, Value)>) -> Result<Value> {
    let keys = elements.iter().map(|(element, _)| element.clone());
    let keys = Value::set(keys.collect())?;
    let mut sums = vec![0i64; keys.size()? as usize];
    let ordered = listed(operator, &keys)?;
    for (element, times) in &elements {
        // It is there, so the search finds its place.
        let element = element.normal()?;
        let place = ordered
            .binary_search_by(|key| key.compare(&element).unwrap_or(std::cmp::Ordering::Equal));
        let (Ok(place) | Err(place)) = place;
        sums[place] += i64::from(number(operator, times)?);
    }
    let sums = sums.into_iter().map(|sum| fitting(operator, sum));
    let pairs = ordered.iter().zip(sums);
    let pairs = pairs.map(|(element, sum)| Ok((element.clone(), sum?)));
    Value::function(pairs.collect::<Result<_>>()?)
}

fn add<'a>(operator: &str, bags: impl Iterator<Item = &'a Value>) -> Result<Value> {
    let mut all = Vec::new();
    for bag in bags {
        all.extend(pairs(operator, bag)?);
    }
    collect(operator, all)
}

fn subtract(first: &Value, second: &Value) -> Result<Value> {
    let mut left = Vec::new();
    for (element, times) in pairs("(-)", first)? {
        let less = i64::from(copies("(-)", &element, second)?);
        let times = i64::from(number("(-)", &times)?) - less;
        if times > 0 {
            left.push((element, fitting("(-)", times)?));
        }
    }
    Value::function(left)
}

fn total(operator: &str, bag: &Value) -> Result<Value> {
    let mut sum = 0;
    for (_, times) in pairs(operator, bag)? {
        sum += i64::from(number(operator, &times)?);
    }
    fitting(operator, sum)
}

/// All bags that are included in a bag.
fn sub_bags(whole: &Value) -> Result<Value> {
    bag("SubBag", whole)?;
    let elements = pairs("SubBag", whole)?;
    let mut number_of = 1u64;
    for (_, times) in &elements {
        let choices = 1 + number("SubBag", times)?.max(0) as u64;
        number_of = number_of.saturating_mul(choices);
    }
    if number_of > MOST_ELEMENTS {
        let what = whole.quoted();
        return Err(Failure::limit(format!(
            "{number_of} bags are included in {what}, too many to be listed"
        )));
    }
    let mut all = vec![Vec::new()];
    for (element, times) in elements {
        let mut next = Vec::new();
        for chosen in all {
            for some in 1..=number("SubBag", &times)? {
                evenhand_source::spend();
                let mut more: Vec<(Value, Value)> = chosen.clone();
                more.push((element.clone(), some.into()));
                next.push(more);
            }
            next.push(chosen);
        }
        all = next;
    }
    let bags = all.into_iter().map(Value::function);
    Value::set(bags.collect::<Result<_>>()?)
}

/// `op(op(base, x1), x1)` and so on: the accumulated value stands on the left here.
fn fold(host: &mut dyn Host, operator: &str, whole: &Value, base: Value) -> Result<Value> {
    bag(operator, whole)?;
    let mut folded = base;
    for (element, times) in pairs(operator, whole)? {
        for _ in 0..number(operator, &times)? {
            folded = call(host, 0, &[folded, element.clone()])?;
        }
    }
    Ok(folded)
}

/// Each element is first folded with itself as often as it is in, then all of these.
fn map_then_fold(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let operator = "MapThenFoldBag";
    bag(operator, &args[4])?;
    let mut folded = args[1].clone();
    let all = pairs(operator, &args[4])?;
    for (element, times) in all.into_iter().rev() {
        let mapped = call(host, 2, &[element])?;
        let mut power = args[1].clone();
        for _ in 0..number(operator, &times)? {
            power = call(host, 0, &[power, mapped.clone()])?;
        }
        folded = call(host, 0, &[power, folded])?;
    }
    Ok(folded)
}

fn weigh(
    operator: &str,
    whole: &Value,
    start: i64,
    step: fn(i64, i64, i64) -> i64,
) -> Result<Value> {
    bag(operator, whole)?;
    let mut all = start;
    for (element, times) in pairs(operator, whole)? {
        let (part, times) = (number(operator, &element)?, number(operator, &times)?);
        all = step(all, i64::from(part), i64::from(times));
        fitting(operator, all)?;
    }
    fitting(operator, all)
}
