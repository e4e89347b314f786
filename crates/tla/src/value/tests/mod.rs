//! Values against the plainest model of them, and the points in which TLC is particular.

mod lazies;
mod plain;
mod random;
mod said;

use super::Value;
use crate::names::{Names, Symbol};

/// Names for strings `a`, `b`, ... and model values `m0`, `m1`, ... in a known order.
fn names() -> Names {
    let mut names = Names::new();
    for text in [
        "b", "a", "c", "d", "m1", "m0", "m2", "m3", "T_x", "T_y", "U_x",
    ] {
        names.intern(text);
    }
    names
}

fn text(text: &str) -> Value {
    Value::Text(symbol(text))
}

fn model(text: &str) -> Value {
    let letter = text
        .split_once('_')
        .and_then(|(type_, _)| type_.chars().next());
    Value::Model(symbol(text), letter)
}

fn symbol(text: &str) -> Symbol {
    names().get(text).expect("a name of the tests")
}

fn numbers(values: impl IntoIterator<Item = i32>) -> Vec<Value> {
    values.into_iter().map(Value::Number).collect()
}

fn set(values: Vec<Value>) -> Value {
    Value::set(values).expect("a set")
}

#[test]
fn a_value_is_two_words() {
    assert_eq!(size_of::<Value>(), 16);
    assert_eq!(size_of::<Result<Value, crate::failure::Failure>>(), 16);
}
