//! Values as people read them: as a whole, or part by part.

use evenhand_source::{Files, Span};

use crate::names::Names;
use crate::value::Value;

/// The fields of a record, by their names; none if it is no record.
pub(super) fn fields(
    record: &Value,
    names: &Names,
) -> Option<Vec<(String, evenhand_system::explicit::Value)>> {
    let mut list = Vec::new();
    let mut keys = record.domain().ok()?.elements().ok()?;
    let mut keys_left = Vec::new();
    while let Some(key) = keys.next().ok()? {
        keys_left.push(key);
    }
    for key in keys_left {
        let Value::Text(name) = &key else {
            return None;
        };
        let value = record.apply(&key).ok()?;
        list.push((names.text(*name).to_string(), shown(&value, names)));
    }
    (!list.is_empty()).then_some(list)
}

/// A value of more parts than this is shown as a whole, and so is what lies deeper than a few parts in each other.
const MOST_PARTS: usize = 200;
const DEEPEST_PARTS: u32 = 3;

/// A value as people write it.
pub(super) fn shown(value: &Value, names: &Names) -> evenhand_system::explicit::Value {
    shown_to(value, names, DEEPEST_PARTS)
}

fn shown_to(value: &Value, names: &Names, depth: u32) -> evenhand_system::explicit::Value {
    use evenhand_system::explicit::Value as Told;
    match value {
        Value::Truth(truth) => Told::Text(if *truth { "TRUE" } else { "FALSE" }.to_string()),
        Value::Number(number) => Told::Number(i64::from(*number)),
        _ => {
            let (text, is_whole) = value.told_whole(names);
            let parts = match depth {
                0 => None,
                _ if !is_whole => None,
                _ => parts(value, names, depth - 1),
            };
            match parts {
                Some(parts) => Told::Whole(text, parts),
                None => Told::Text(text),
            }
        }
    }
}

/// The text of an expression in one line; of a long one the beginning.
pub(super) fn shown_text(files: &Files, span: Span) -> String {
    const MOST: usize = 100;
    let words: Vec<&str> = files.text(span).split_whitespace().collect();
    let text = words.join(" ");
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text,
    }
}

/// Whether a text can stand behind a point.
fn is_word(text: &str) -> bool {
    let mut letters = text.chars();
    letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_') && !text.is_empty()
}

/// The parts of a function: what is written behind its name to get one, and the value; none of other values.
fn parts(
    function: &Value,
    names: &Names,
    depth: u32,
) -> Option<Vec<evenhand_system::explicit::Part>> {
    let domain = function.domain().ok()?;
    let mut keys = domain.elements().ok()?;
    let mut list = Vec::new();
    while let Some(key) = keys.next().ok()? {
        if list.len() >= MOST_PARTS {
            return None;
        }
        let name = match &key {
            Value::Text(field) if is_word(names.text(*field)) => {
                format!(".{}", names.text(*field))
            }
            _ => format!("[{}]", key.told(names)),
        };
        let part = function.apply(&key).ok()?;
        list.push((name, shown_to(&part, names, depth)));
    }
    Some(list)
}
