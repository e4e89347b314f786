//! Words that many messages need.

use std::fmt::Display;

/// A number of things: `1 state`, `2 states`.
pub fn counted(number: impl TryInto<u64> + Display + Copy, thing: &str) -> String {
    match number.try_into().is_ok_and(|n: u64| n == 1) {
        true => format!("{number} {thing}"),
        false => format!("{number} {thing}s"),
    }
}
