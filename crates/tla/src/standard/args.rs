//! What natives expect of their arguments, and what they say when it is something else.

use std::borrow::Cow;

use super::Host;
use crate::failure::Failure;
use crate::names::Symbol;
use crate::value::{Elements, Value};

pub(super) type Result<T> = std::result::Result<T, Failure>;

/// An argument is not what an operator needs.
#[cold]
pub(super) fn wrong(operator: &str, needed: &str, value: &Value) -> Failure {
    Failure::new(format!(
        "{operator} needs {needed}, and {} is {}",
        value.quoted(),
        value.kind()
    ))
}

pub(super) fn number(operator: &str, value: &Value) -> Result<i32> {
    match value {
        Value::Number(number) => Ok(*number),
        _ => Err(wrong(operator, "a number", value)),
    }
}

/// A number that fits, or else an overflow.
pub(super) fn fitting(operator: &str, number: i64) -> Result<Value> {
    match i32::try_from(number) {
        Ok(number) => Ok(Value::Number(number)),
        Err(_) => Err(Failure::new(format!(
            "{operator} has a result that is no number of 32 bits: {number}"
        ))),
    }
}

/// The number of something.
pub(super) fn count(number: usize) -> Value {
    Value::Number(number as i32)
}

pub(super) fn sequence<'a>(operator: &str, value: &'a Value) -> Result<&'a [Value]> {
    value
        .as_tuple()
        .ok_or_else(|| wrong(operator, "a sequence", value))
}

/// The values of a function, a tuple or a record, by their arguments.
pub(super) fn function_values<'a>(operator: &str, value: &'a Value) -> Result<&'a [Value]> {
    value
        .range_values()
        .ok_or_else(|| wrong(operator, "a function", value))
}

/// The arguments of a function with their values.
pub(super) fn pairs(operator: &str, value: &Value) -> Result<Vec<(Value, Value)>> {
    value
        .pairs()
        .ok_or_else(|| wrong(operator, "a function", value))
}

pub(super) fn elements(operator: &str, value: &Value) -> Result<Elements> {
    match value.is_set() {
        true => value.elements(),
        false => Err(wrong(operator, "a set", value)),
    }
}

/// The elements of a finite set, in order.
pub(super) fn listed<'a>(operator: &str, value: &'a Value) -> Result<Cow<'a, [Value]>> {
    if let Some(elements) = value.as_listed() {
        return Ok(Cow::Borrowed(elements));
    }
    if !value.is_set() {
        return Err(wrong(operator, "a set", value));
    }
    match value.listing()? {
        Value::Set(elements) => Ok(Cow::Owned(elements.to_vec())),
        _ => Err(wrong(operator, "a set", value)),
    }
}

pub(super) fn text(operator: &str, value: &Value) -> Result<Symbol> {
    value
        .text()
        .ok_or_else(|| wrong(operator, "a string", value))
}

/// The result of an operator that was given as an argument, explicit.
pub(super) fn call(host: &mut dyn Host, argument: usize, args: &[Value]) -> Result<Value> {
    evenhand_source::spend();
    let value = host.apply(argument, args)?;
    host.settle(&value)?.within_limits()
}

/// The same for an operator that says yes or no.
pub(super) fn test(
    host: &mut dyn Host,
    operator: &str,
    argument: usize,
    args: &[Value],
) -> Result<bool> {
    evenhand_source::spend();
    let value = host.apply(argument, args)?;
    value
        .truth()
        .ok_or_else(|| wrong(operator, "an operator with truth values", &value))
}
