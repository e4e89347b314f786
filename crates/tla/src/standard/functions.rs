//! Folds and Functions of the community: ranges, restrictions, inverses, injections, folds over functions.

use super::args::{
    Result, call, elements, fitting, function_values, listed, number, pairs, test, wrong,
};
use super::{Host, StandardModule, StandardOperator, native};
use crate::failure::Failure;
use crate::value::Value;

pub(super) const MODULES: &[StandardModule] = &[
    StandardModule {
        name: "Folds",
        extends: &[],
        operators: &[native("MapThenFoldSet", &[2, 0, 1, 1, 0], map_then_fold)],
    },
    StandardModule {
        name: "Functions",
        extends: &["Integers", "Folds"],
        operators: FUNCTIONS,
    },
];

const FUNCTIONS: &[StandardOperator] = &[
    native("Restrict", &[0, 0], |_, args| restrict(&args[0], &args[1])),
    native("RestrictDomain", &[0, 1], |host, args| {
        keep(host, "RestrictDomain", &args[0], |(key, _)| key)
    }),
    native("RestrictValues", &[0, 1], |host, args| {
        keep(host, "RestrictValues", &args[0], |(_, value)| value)
    }),
    native("IsRestriction", &[0, 0], |_, args| is_restriction(args)),
    native("Range", &[0], |_, args| {
        Value::set(function_values("Range", &args[0])?.to_vec())
    }),
    native("Pointwise", &[0, 0, 2], pointwise),
    native("Inverse", &[0, 0, 0], |_, args| {
        inverse(&args[0], &args[1], &args[2])
    }),
    native("AntiFunction", &[0], |_, args| {
        let pairs = pairs("AntiFunction", &args[0])?;
        Value::function(pairs.into_iter().map(|(key, value)| (value, key)).collect())
    }),
    native("IsInjective", &[0], |_, args| {
        let values = function_values("IsInjective", &args[0])?;
        Ok(Value::Truth(all_differ(values)?))
    }),
    native("Injection", &[0, 0], |_, args| {
        those(args, |f, _| all_differ(f))
    }),
    native("Surjection", &[0, 0], |_, args| those(args, covers)),
    native("Bijection", &[0, 0], |_, args| {
        those(args, |f, range| Ok(all_differ(f)? && covers(f, range)?))
    }),
    native("ExistsInjection", &[0, 0], |_, args| {
        Ok(Value::Truth(args[0].size()? <= args[1].size()?))
    }),
    native("ExistsSurjection", &[0, 0], |_, args| {
        let (from, to) = (args[0].size()?, args[1].size()?);
        Ok(Value::Truth(from >= to && (to > 0 || from == 0)))
    }),
    native("ExistsBijection", &[0, 0], |_, args| {
        Ok(Value::Truth(args[0].size()? == args[1].size()?))
    }),
    native("FoldFunction", &[2, 0, 0], |host, args| {
        let domain = args[2].domain()?;
        fold(host, "FoldFunction", args[1].clone(), &args[2], &domain)
    }),
    native("FoldFunctionOnSet", &[2, 0, 0, 0], |host, args| {
        fold(
            host,
            "FoldFunctionOnSet",
            args[1].clone(),
            &args[2],
            &args[3],
        )
    }),
    native("SumFunction", &[0], |_, args| {
        sum(&args[0], &args[0].domain()?)
    }),
    native("SumFunctionOnSet", &[0, 0], |_, args| {
        sum(&args[0], &args[1])
    }),
];

/// `MapThenFoldSet(op, base, f, choose, S)`: the element that is chosen first is outermost.
fn map_then_fold(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let mut rest = args[4].listing()?;
    let mut chosen = Vec::new();
    while !rest.is_empty_set()? {
        let element = call(host, 3, std::slice::from_ref(&rest))?;
        let smaller = rest.difference(&Value::set(vec![element.clone()])?)?;
        if smaller.size()? == rest.size()? {
            return Err(Failure::new(format!(
                "MapThenFoldSet: {} was chosen, which is not in {}",
                element.quoted(),
                rest.quoted()
            )));
        }
        rest = smaller;
        chosen.push(element);
    }
    let mut folded = args[1].clone();
    for element in chosen.into_iter().rev() {
        let mapped = call(host, 2, &[element])?;
        folded = call(host, 0, &[mapped, folded])?;
    }
    Ok(folded)
}

/// A fold over the values at some arguments, the least argument innermost; the operator is the first argument.
pub(super) fn fold(
    host: &mut dyn Host,
    operator: &str,
    base: Value,
    function: &Value,
    indices: &Value,
) -> Result<Value> {
    let mut all = elements(operator, indices)?;
    let mut folded = base;
    while let Some(index) = all.next()? {
        folded = call(host, 0, &[function.apply(&index)?, folded])?;
    }
    Ok(folded)
}

fn sum(function: &Value, indices: &Value) -> Result<Value> {
    let mut all = elements("SumFunction", indices)?;
    let mut sum = 0;
    while let Some(index) = all.next()? {
        sum += i64::from(number("SumFunction", &function.apply(&index)?)?);
        fitting("SumFunction", sum)?;
    }
    fitting("SumFunction", sum)
}

fn restrict(function: &Value, domain: &Value) -> Result<Value> {
    let keys = listed("Restrict", domain)?;
    let pairs = keys
        .iter()
        .map(|key| Ok((key.clone(), function.apply(key)?)));
    Value::function(pairs.collect::<Result<_>>()?)
}

/// The part of a function for which a test of the key or the value is true.
fn keep(
    host: &mut dyn Host,
    operator: &str,
    function: &Value,
    tested: fn(&(Value, Value)) -> &Value,
) -> Result<Value> {
    let mut kept = Vec::new();
    for pair in pairs(operator, function)? {
        if test(host, operator, 1, std::slice::from_ref(tested(&pair)))? {
            kept.push(pair);
        }
    }
    Value::function(kept)
}

fn is_restriction(args: &[Value]) -> Result<Value> {
    let (narrow, wide) = (&args[0], &args[1]);
    if !narrow.domain()?.subset_of(&wide.domain()?)? {
        return Ok(Value::Truth(false));
    }
    for (key, value) in pairs("IsRestriction", narrow)? {
        if !value.equal(&wide.apply(&key)?)? {
            return Ok(Value::Truth(false));
        }
    }
    Ok(Value::Truth(true))
}

fn pointwise(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let mut all = Vec::new();
    for (key, value) in pairs("Pointwise", &args[0])? {
        let other = args[1].apply(&key)?;
        let both = call(host, 2, &[value, other])?;
        all.push((key, both));
    }
    Value::function(all)
}

/// For each of `to` the least of `from` that is mapped to it, or the least at all if none is.
fn inverse(function: &Value, from: &Value, to: &Value) -> Result<Value> {
    let none = || Failure::new("Inverse: an element of the range has no argument in the set");
    let range = Value::set(function_values("Inverse", function)?.to_vec())?;
    let from = listed("Inverse", from)?;
    let mut all = Vec::new();
    for target in listed("Inverse", to)?.iter() {
        let mut chosen = None;
        match range.contains(target)? {
            false => chosen = from.first(),
            true => {
                for source in from.iter() {
                    if function.apply(source)?.equal(target)? {
                        chosen = Some(source);
                        break;
                    }
                }
            }
        }
        all.push((target.clone(), chosen.ok_or_else(none)?.clone()));
    }
    Value::function(all)
}

/// Whether all values are different.
pub(super) fn all_differ(values: &[Value]) -> Result<bool> {
    Ok(Value::set(values.to_vec())?.size()? == values.len() as u64)
}

/// Whether every element of a set is a value.
fn covers(values: &[Value], range: &Value) -> Result<bool> {
    range.subset_of(&Value::set(values.to_vec())?)
}

/// The functions from the first set to the second one that pass a test.
fn those(args: &[Value], passes: fn(&[Value], &Value) -> Result<bool>) -> Result<Value> {
    let mut all = Value::functions(args[0].clone(), args[1].clone())?.elements()?;
    let mut kept = Vec::new();
    while let Some(function) = all.next()? {
        let values = function
            .range_values()
            .ok_or_else(|| wrong("Injection", "a function", &function))?;
        if passes(values, &args[1])? {
            kept.push(function);
        }
    }
    Ok(Value::sorted(kept))
}
