//! TLC and TLCExt: functions of two parts, permutations, sorting, and what needs the checker.

use super::args::{Result, listed, pairs, sequence, test, wrong};
use super::{Host, MachineOperator, StandardModule, StandardOperator, machine, native, random};
use crate::failure::Failure;
use crate::value::{MOST_ELEMENTS, Value};

pub(super) const MODULES: &[StandardModule] = &[
    StandardModule {
        name: "TLC",
        extends: &[],
        operators: TLC,
    },
    StandardModule {
        name: "TLCExt",
        extends: &[],
        operators: TLC_EXT,
    },
];

const TLC: &[StandardOperator] = &[
    machine("Print", &[0, 0], MachineOperator::Print),
    machine("PrintT", &[0], MachineOperator::PrintT),
    machine("Assert", &[0, 0], MachineOperator::Assert),
    machine("JavaTime", &[], MachineOperator::Time),
    machine("TLCGet", &[0], MachineOperator::Get),
    machine("TLCSet", &[0, 0], MachineOperator::Set),
    native(":>", &[0, 0], |_, args| {
        Value::function(vec![(args[0].clone(), args[1].clone())])
    }),
    native("@@", &[0, 0], |_, args| combine(&args[0], &args[1])),
    native("Permutations", &[0], |_, args| permutations(&args[0])),
    native("SortSeq", &[0, 2], |host, args| {
        let values = sequence("SortSeq", &args[0])?;
        Ok(Value::tuple(sort(host, "SortSeq", values, 1)?))
    }),
    machine(
        "RandomElement",
        &[0],
        MachineOperator::Draw(random::element),
    ),
    machine("Any", &[], MachineOperator::Any),
    native("ToString", &[0], |host, args| {
        let text = args[0].spelled(host.names())?;
        Ok(Value::Text(host.text(&text)))
    }),
    machine("TLCEval", &[0], MachineOperator::Eval),
];

const TLC_EXT: &[StandardOperator] = &[
    machine("AssertEq", &[0, 0], MachineOperator::AssertEq),
    machine("AssertError", &[0, 0], MachineOperator::AssertError),
    machine("TLCGetOrDefault", &[0, 0], MachineOperator::GetOrDefault),
    machine("TLCGetAndSet", &[0, 2, 0, 0], MachineOperator::GetAndSet),
    machine("Trace", &[], MachineOperator::Trace),
    machine("CounterExample", &[], MachineOperator::CounterExample),
    machine("ToTrace", &[0], MachineOperator::ToTrace),
    machine("TLCModelValue", &[0], MachineOperator::ModelValue),
    machine("TLCDefer", &[0], MachineOperator::Defer),
    native("TLCNoOp", &[0], |_, args| Ok(args[0].clone())),
    machine("PickSuccessor", &[0], MachineOperator::PickSuccessor),
    machine("TLCCache", &[0, 0], MachineOperator::Cache),
    machine("TLCFP", &[0], MachineOperator::Fingerprint),
    machine("TLCEvalDefinition", &[0], MachineOperator::EvalDefinition),
];

/// `f @@ g`: where both have a value, the first one's counts.
pub(super) fn combine(first: &Value, second: &Value) -> Result<Value> {
    let mut all = pairs("@@", first)?;
    let domain = first.domain()?;
    for (key, value) in pairs("@@", second)? {
        if !member(&domain, &key)? {
            all.push((key, value));
        }
    }
    Value::function(all)
}

/// Whether a key is in a domain, which may be 1..n and the key no number.
pub(super) fn member(domain: &Value, key: &Value) -> Result<bool> {
    match domain.is_empty_set()? {
        true => Ok(false),
        false => domain.contains(key),
    }
}

/// All bijections of a set with itself, in order.
fn permutations(set: &Value) -> Result<Value> {
    let base = listed("Permutations", set)?;
    let keys = match Value::sorted(base.to_vec()) {
        Value::Set(keys) => keys,
        other => return Err(wrong("Permutations", "a set", &other)),
    };
    let mut all = Vec::new();
    rearrangements("Permutations", &base, |values| {
        all.push(Value::mapping(keys.clone(), values));
    })?;
    Ok(Value::sorted(all))
}

/// All orders of some values, in the order of the places of the first one, then the second one, and so on.
pub(super) fn rearrangements(
    operator: &str,
    values: &[Value],
    mut each: impl FnMut(Vec<Value>),
) -> Result<()> {
    let number = (1..=values.len() as u64).try_fold(1u64, u64::checked_mul);
    if number.is_none_or(|number| number > MOST_ELEMENTS) {
        return Err(Failure::limit(format!(
            "{operator}: {} elements have too many orders to be listed",
            values.len()
        )));
    }
    let mut order: Vec<usize> = (0..values.len()).collect();
    loop {
        evenhand_source::spend();
        each(order.iter().map(|&place| values[place].clone()).collect());
        // The last place that can grow takes the next larger one of those behind it.
        let Some(place) = (1..order.len()).rev().find(|&i| order[i - 1] < order[i]) else {
            return Ok(());
        };
        let pivot = order[place - 1];
        let other = (place..order.len()).rev().find(|&i| order[i] > pivot);
        order.swap(place - 1, other.unwrap_or(place));
        order[place..].reverse();
    }
}

/// Sorted by an operator, by insertion: what it says of equal ones or of a strange order is TLC's.
pub(super) fn sort(
    host: &mut dyn Host,
    operator: &str,
    values: &[Value],
    argument: usize,
) -> Result<Vec<Value>> {
    let mut sorted: Vec<Value> = Vec::with_capacity(values.len());
    for value in values {
        let mut place = sorted.len();
        while place > 0 {
            let pair = [value.clone(), sorted[place - 1].clone()];
            if !test(host, operator, argument, &pair)? {
                break;
            }
            place -= 1;
        }
        sorted.insert(place, value.clone());
    }
    Ok(sorted)
}
