//! Draws: RandomElement and the module Randomization. The numbers come from whoever evaluates, so a run can be had again.

use super::args::{Result, listed, number, wrong};
use super::{Host, MachineOperator, StandardModule, StandardOperator, machine};
use crate::failure::Failure;
use crate::value::{LazySet, MOST_ELEMENTS, Value};

pub(super) const MODULES: &[StandardModule] = &[StandardModule {
    name: "Randomization",
    extends: &[],
    operators: RANDOMIZATION,
}];

const RANDOMIZATION: &[StandardOperator] = &[
    machine("RandomSubset", &[0, 0], MachineOperator::Draw(subset)),
    machine(
        "RandomSetOfSubsets",
        &[0, 0, 0],
        MachineOperator::Draw(set_of_subsets),
    ),
    machine(
        "TestRandomSetOfSubsets",
        &[0, 0, 0],
        MachineOperator::Draw(test_set_of_subsets),
    ),
];

/// `RandomElement(S)`; sets given by rules are not listed.
pub(super) fn element(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    draw(host, &args[0])
}

fn draw(host: &mut dyn Host, set: &Value) -> Result<Value> {
    match set {
        Value::Interval(low, high) if low <= high => {
            let below = (i64::from(*high) - i64::from(*low) + 1) as u64;
            Ok(Value::Number(
                (i64::from(*low) + host.random(below) as i64) as i32,
            ))
        }
        Value::Lazy(rule) => match &**rule {
            LazySet::Functions(domain, range) => {
                let keys = listed("RandomElement", domain)?;
                let pairs = keys.iter().map(|key| Ok((key.clone(), draw(host, range)?)));
                Value::function(pairs.collect::<Result<_>>()?)
            }
            LazySet::Records(fields) => {
                let drawn = fields
                    .iter()
                    .map(|(name, set)| Ok((*name, draw(host, set)?)));
                Ok(Value::record(drawn.collect::<Result<_>>()?))
            }
            LazySet::Product(sets) => {
                let drawn = sets.iter().map(|set| draw(host, set));
                Ok(Value::tuple(drawn.collect::<Result<_>>()?))
            }
            LazySet::Subsets(set) => {
                let base = listed("RandomElement", set)?;
                let kept = base.iter().filter(|_| host.random(2) == 1);
                Ok(Value::sorted(kept.cloned().collect()))
            }
            _ => draw_listed(host, set),
        },
        _ => draw_listed(host, set),
    }
}

fn draw_listed(host: &mut dyn Host, set: &Value) -> Result<Value> {
    let all = listed("RandomElement", set)?;
    match all.len() {
        0 => Err(Failure::new("RandomElement of the empty set has no value")),
        len => Ok(all[host.random(len as u64) as usize].clone()),
    }
}

/// `RandomSubset(k, S)`: k elements, or all if there are not as many.
fn subset(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let wanted = number("RandomSubset", &args[0])?;
    let Ok(wanted) = usize::try_from(wanted) else {
        return Err(wrong("RandomSubset", "a natural number", &args[0]));
    };
    let all = listed("RandomSubset", &args[1])?;
    // One after the other, each with the chance that makes the number come out.
    let mut left = wanted.min(all.len());
    let mut kept = Vec::with_capacity(left);
    for (place, element) in all.iter().enumerate() {
        if host.random((all.len() - place) as u64) < left as u64 {
            kept.push(element.clone());
            left -= 1;
        }
    }
    Ok(Value::sorted(kept))
}

/// `RandomSetOfSubsets(k, n, S)`: at most k subsets with about n elements each.
fn set_of_subsets(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let operator = "RandomSetOfSubsets";
    let (wanted, about) = (number(operator, &args[0])?, number(operator, &args[1])?);
    let all = listed(operator, &args[2])?;
    if wanted < 0 || all.len() < 31 && i64::from(wanted) > 1 << all.len() {
        let needed = "a natural number that is no larger than the number of subsets";
        return Err(wrong(operator, needed, &args[0]));
    }
    if about < 0 || about as usize > all.len() {
        let needed = "a natural number that is no larger than the set";
        return Err(wrong(operator, needed, &args[1]));
    }
    if wanted as u64 > MOST_ELEMENTS {
        return Err(Failure::limit(format!(
            "{wanted} subsets are too many to be drawn"
        )));
    }
    let mut subsets = Vec::new();
    for _ in 0..wanted {
        evenhand_source::spend();
        let kept = all
            .iter()
            .filter(|_| host.random(all.len() as u64) < about as u64);
        subsets.push(Value::sorted(kept.cloned().collect()));
    }
    Value::set(subsets)
}

fn test_set_of_subsets(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let sizes = (0..5).map(|_| {
        let drawn = set_of_subsets(host, args)?;
        Ok(Value::Number(drawn.size()? as i32))
    });
    Ok(Value::tuple(sizes.collect::<Result<_>>()?))
}
