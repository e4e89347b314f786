//! Bitwise, Combinatorics and DyadicRationals of the community: arithmetic with numbers of 32 bits.

use super::args::{Result, fitting, number, wrong};
use super::{Host, StandardModule, StandardOperator, native};
use crate::failure::Failure;
use crate::value::Value;

pub(super) const MODULES: &[StandardModule] = &[
    StandardModule {
        name: "Bitwise",
        extends: &[],
        operators: BITWISE,
    },
    StandardModule {
        name: "Combinatorics",
        extends: &["Naturals"],
        operators: COMBINATORICS,
    },
    StandardModule {
        name: "DyadicRationals",
        extends: &[],
        operators: DYADIC,
    },
];

const BITWISE: &[StandardOperator] = &[
    native("&", &[0, 0], |_, args| bits("&", args, |a, b| a & b)),
    native("|", &[0, 0], |_, args| bits("|", args, |a, b| a | b)),
    native("^^", &[0, 0], |_, args| bits("^^", args, |a, b| a ^ b)),
    native("Not", &[0], |_, args| {
        let number = natural("Not", &args[0])?;
        // Those bits that the number has.
        let mask = (1u64 << (32 - number.leading_zeros())) - 1;
        Ok(Value::Number((u64::from(!number) & mask) as i32))
    }),
    native("shiftR", &[0, 0], |_, args| {
        let (number, by) = (natural("shiftR", &args[0])?, natural("shiftR", &args[1])?);
        Ok(Value::Number(number.checked_shr(by).unwrap_or(0) as i32))
    }),
];

const COMBINATORICS: &[StandardOperator] = &[
    native("factorial", &[], |_, _| factorials()),
    native("choose", &[0, 0], |_, args| {
        let (n, k) = (natural("choose", &args[0])?, natural("choose", &args[1])?);
        if k > n {
            return Err(wrong("choose", "a number that is not larger", &args[1]));
        }
        let mut ways = 1i64;
        for i in 0..k.min(n - k) {
            ways = ways * i64::from(n - i) / i64::from(i + 1);
            fitting("choose", ways)?;
        }
        fitting("choose", ways)
    }),
];

const DYADIC: &[StandardOperator] = &[
    native("IsDyadicRational", &[0], |host, args| {
        let (_, below) = fraction(host, "IsDyadicRational", &args[0])?;
        Ok(Value::Truth(below > 0 && below & (below - 1) == 0))
    }),
    native("Zero", &[], |host, _| rational(host, 0, 1)),
    native("One", &[], |host, _| rational(host, 1, 1)),
    native("Add", &[0, 0], |host, args| {
        let (a, b) = fraction(host, "Add", &args[0])?;
        let (c, d) = fraction(host, "Add", &args[1])?;
        if (a, b) == (0, 1) {
            return Ok(args[1].clone());
        }
        let below = b.max(d);
        reduced(host, a * (below / b) + c * (below / d), below)
    }),
    native("Half", &[0], |host, args| {
        let (above, below) = fraction(host, "Half", &args[0])?;
        reduced(host, above, 2 * below)
    }),
    native("PrettyPrint", &[0], |host, args| {
        let (above, below) = fraction(host, "PrettyPrint", &args[0])?;
        let text = match (above, below) {
            (0 | 1, 1) => above.to_string(),
            _ => format!("{above}/{below}"),
        };
        Ok(Value::Text(host.text(&text)))
    }),
];

fn natural(operator: &str, value: &Value) -> Result<u32> {
    u32::try_from(number(operator, value)?).map_err(|_| wrong(operator, "a natural number", value))
}

fn bits(operator: &str, args: &[Value], compute: fn(i32, i32) -> i32) -> Result<Value> {
    let (a, b) = (number(operator, &args[0])?, number(operator, &args[1])?);
    Ok(Value::Number(compute(a, b)))
}

/// As far as numbers of 32 bits go.
fn factorials() -> Result<Value> {
    let mut product = 1;
    let pairs = (0..=12).map(|n: i32| {
        product *= n.max(1);
        (Value::Number(n), Value::Number(product))
    });
    Value::function(pairs.collect())
}

fn rational(host: &mut dyn Host, above: i64, below: i64) -> Result<Value> {
    let (num, den) = (host.text("num"), host.text("den"));
    let fields = vec![(num, fitting("/", above)?), (den, fitting("/", below)?)];
    Ok(Value::record(fields))
}

fn reduced(host: &mut dyn Host, above: i64, below: i64) -> Result<Value> {
    let (mut a, mut b) = (above.abs(), below.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    let common = a.max(1);
    rational(host, above / common, below / common)
}

/// The two parts of a fraction.
fn fraction(host: &mut dyn Host, operator: &str, value: &Value) -> Result<(i64, i64)> {
    let (num, den) = (host.text("num"), host.text("den"));
    let above = number(operator, &value.field(num)?)?;
    match number(operator, &value.field(den)?)? {
        0 => Err(Failure::new("a fraction with nothing but 0 below")),
        below => Ok((i64::from(above), i64::from(below))),
    }
}
