//! Naturals, Integers and Reals: numbers of 32 bits. What leaves them is an error, never another number.

use super::args::{Result, fitting, number, wrong};
use super::{Host, StandardModule, StandardOperator, native};
use crate::failure::Failure;
use crate::value::{LazySet, Value};

pub(super) const MODULES: &[StandardModule] = &[
    StandardModule {
        name: "Naturals",
        extends: &[],
        operators: NATURALS,
    },
    StandardModule {
        name: "Integers",
        extends: &["Naturals"],
        operators: INTEGERS,
    },
    StandardModule {
        name: "Reals",
        extends: &["Integers"],
        operators: REALS,
    },
];

const TWO: &[u8] = &[0, 0];

const NATURALS: &[StandardOperator] = &[
    native("Nat", &[], |_, _| Ok(Value::lazy(LazySet::Naturals))),
    native("+", TWO, |_, args| arithmetic("+", args, |a, b| Ok(a + b))),
    native("-", TWO, |_, args| arithmetic("-", args, |a, b| Ok(a - b))),
    native("*", TWO, |_, args| arithmetic("*", args, |a, b| Ok(a * b))),
    native("^", TWO, |_, args| arithmetic("^", args, power)),
    native("\\div", TWO, |_, args| arithmetic("\\div", args, divide)),
    native("%", TWO, |_, args| arithmetic("%", args, remainder)),
    native("<", TWO, |_, args| comparison("<", args, |a, b| a < b)),
    native(">", TWO, |_, args| comparison(">", args, |a, b| a > b)),
    native("<=", TWO, |_, args| comparison("<=", args, |a, b| a <= b)),
    native(">=", TWO, |_, args| comparison(">=", args, |a, b| a >= b)),
    native("..", TWO, interval),
];

const INTEGERS: &[StandardOperator] = &[
    native("Int", &[], |_, _| Ok(Value::lazy(LazySet::Integers))),
    native("-.", &[0], |_, args| {
        fitting("-", -i64::from(number("-", &args[0])?))
    }),
];

const REALS: &[StandardOperator] = &[
    native("Real", &[], |_, _| Ok(Value::lazy(LazySet::Reals))),
    native("/", TWO, |_, _| {
        Err(Failure::new(
            "a / b is a real number, and only whole ones have values here: use \\div",
        ))
    }),
    native("Infinity", &[], |_, _| {
        Err(Failure::new("Infinity has no value here"))
    }),
];

fn arithmetic(
    operator: &str,
    args: &[Value],
    compute: fn(i64, i64) -> Result<i64>,
) -> Result<Value> {
    let (a, b) = (number(operator, &args[0])?, number(operator, &args[1])?);
    let result = compute(i64::from(a), i64::from(b))?;
    match i32::try_from(result) {
        Ok(number) => Ok(Value::Number(number)),
        Err(_) => Err(Failure::new(format!(
            "{a} {operator} {b} is no number of 32 bits"
        ))),
    }
}

fn comparison(operator: &str, args: &[Value], holds: fn(i32, i32) -> bool) -> Result<Value> {
    match args {
        [Value::Number(a), Value::Number(b)] => Ok(Value::Truth(holds(*a, *b))),
        [Value::Number(_), other] | [other, ..] => Err(wrong(operator, "numbers", other)),
        [] => Err(Failure::new("numbers are missing")),
    }
}

fn interval(_: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let (low, high) = (number("..", &args[0])?, number("..", &args[1])?);
    Ok(Value::Interval(low, high))
}

/// Rounded down, whatever the signs are.
pub(super) fn divide(a: i64, b: i64) -> Result<i64> {
    match b {
        0 => Err(Failure::new("a division by zero")),
        _ => Ok(a.div_euclid(b) - i64::from(b < 0 && a.rem_euclid(b) != 0)),
    }
}

fn remainder(a: i64, b: i64) -> Result<i64> {
    match b {
        1.. => Ok(a.rem_euclid(b)),
        _ => Err(Failure::new(format!(
            "% needs a positive number on its right side, not {b}"
        ))),
    }
}

fn power(base: i64, exponent: i64) -> Result<i64> {
    match (base, exponent) {
        (_, ..0) => Err(Failure::new(format!(
            "^ needs a natural number on its right side, not {exponent}"
        ))),
        (0, 0) => Err(Failure::new("0 ^ 0 has no value")),
        (_, 0) | (1, _) => Ok(1),
        (0, _) => Ok(0),
        (-1, _) => Ok(if exponent % 2 == 0 { 1 } else { -1 }),
        // Whatever leaves 32 bits stays outside of them.
        _ => Ok(base.saturating_pow(u32::try_from(exponent).unwrap_or(u32::MAX))),
    }
}
