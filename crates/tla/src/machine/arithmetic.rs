//! Numbers: 32 bits, and an error where the result has more.

use crate::code::Arithmetic;
use crate::failure::Failure;
use crate::value::Value;

/// The value of an operator on two numbers.
#[inline]
pub(super) fn arithmetic(what: Arithmetic, a: &Value, b: &Value) -> Result<Value, Failure> {
    let (&Value::Number(x), &Value::Number(y)) = (a, b) else {
        return Err(no_number(what, a, b));
    };
    let result = match what {
        Arithmetic::Add => x.checked_add(y),
        Arithmetic::Subtract => x.checked_sub(y),
        Arithmetic::Multiply => x.checked_mul(y),
        Arithmetic::Less => return Ok(Value::Truth(x < y)),
        Arithmetic::AtMost => return Ok(Value::Truth(x <= y)),
        Arithmetic::Greater => return Ok(Value::Truth(x > y)),
        Arithmetic::AtLeast => return Ok(Value::Truth(x >= y)),
        Arithmetic::Interval => return Ok(Value::Interval(x, y)),
    };
    match result {
        Some(number) => Ok(Value::Number(number)),
        None => Err(Failure::new(format!(
            "{x} {} {y} is too large: numbers have 32 bits",
            sign(what)
        ))),
    }
}

fn sign(what: Arithmetic) -> &'static str {
    match what {
        Arithmetic::Add => "+",
        Arithmetic::Subtract => "-",
        Arithmetic::Multiply => "*",
        Arithmetic::Less => "<",
        Arithmetic::AtMost => "<=",
        Arithmetic::Greater => ">",
        Arithmetic::AtLeast => ">=",
        Arithmetic::Interval => "..",
    }
}

#[cold]
fn no_number(what: Arithmetic, a: &Value, b: &Value) -> Failure {
    let (side, value) = match a {
        Value::Number(_) => ("right", b),
        _ => ("left", a),
    };
    Failure::new(format!(
        "the {side} side of `{}` is {}, {}, not a number",
        sign(what),
        value.quoted(),
        value.kind()
    ))
}
