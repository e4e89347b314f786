//! Sequences. A string can be joined, measured and cut like a sequence of its letters, as in TLC.

use evenhand_source::budget::spend_many;

use super::args::{Result, count, number, sequence, test, text, wrong};
use super::{Host, StandardModule, StandardOperator, native};
use crate::failure::Failure;
use crate::value::{Value, room, room_for_text};

pub(super) const MODULES: &[StandardModule] = &[StandardModule {
    name: "Sequences",
    extends: &[],
    operators: SEQUENCES,
}];

const SEQUENCES: &[StandardOperator] = &[
    native("Seq", &[0], |_, args| args[0].sequences()),
    native("Len", &[0], |host, args| len(host, &args[0])),
    native("\\o", &[0, 0], |host, args| {
        concat(host, &args[0], &args[1])
    }),
    native("Append", &[0, 0], |_, args| append(&args[0], &args[1])),
    native("Head", &[0], head),
    native("Tail", &[0], tail),
    native("SubSeq", &[0, 0, 0], |host, args| {
        let (from, to) = (number("SubSeq", &args[1])?, number("SubSeq", &args[2])?);
        sub_seq(host, &args[0], from, to)
    }),
    native("SelectSeq", &[0, 1], select),
];

pub(super) fn len(host: &mut dyn Host, value: &Value) -> Result<Value> {
    match value {
        Value::Text(symbol) => Ok(count(host.names().text(*symbol).chars().count())),
        _ => Ok(count(sequence("Len", value)?.len())),
    }
}

/// `s \o t`
pub(super) fn concat(host: &mut dyn Host, first: &Value, second: &Value) -> Result<Value> {
    if let Value::Text(a) = first {
        let b = text("\\o after a string", second)?;
        let parts = [host.names().text(*a), host.names().text(b)];
        room_for_text(parts[0].len() + parts[1].len())?;
        let joined = parts.concat();
        return Ok(Value::Text(host.text(&joined)));
    }
    let (a, b) = (sequence("\\o", first)?, sequence("\\o", second)?);
    if a.is_empty() || b.is_empty() {
        return Ok(if a.is_empty() { second } else { first }.clone());
    }
    joined(&[a, b])
}

/// Sequences one behind the other as one.
pub(super) fn joined(parts: &[&[Value]]) -> Result<Value> {
    let len = parts.iter().map(|part| part.len()).sum();
    room(len)?;
    spend_many(len);
    let mut all = Vec::with_capacity(len);
    parts.iter().for_each(|part| all.extend_from_slice(part));
    Ok(Value::tuple(all))
}

pub(super) fn append(tuple: &Value, value: &Value) -> Result<Value> {
    let values = sequence("Append", tuple)?;
    joined(&[values, std::slice::from_ref(value)])?.within_limits()
}

fn head(_: &mut dyn Host, args: &[Value]) -> Result<Value> {
    match sequence("Head", &args[0])? {
        [first, ..] => Ok(first.clone()),
        [] => Err(Failure::new("Head of the empty sequence has no value")),
    }
}

fn tail(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let empty = || Failure::new("Tail of the empty sequence has no value");
    if let Value::Text(symbol) = &args[0] {
        let mut letters = host.names().text(*symbol).chars();
        letters.next().ok_or_else(empty)?;
        let rest = letters.as_str().to_string();
        return Ok(Value::Text(host.text(&rest)));
    }
    match sequence("Tail", &args[0])? {
        [_, rest @ ..] => Ok(Value::tuple(rest.to_vec())),
        [] => Err(empty()),
    }
}

/// `SubSeq(s, from, to)`
pub(super) fn sub_seq(host: &mut dyn Host, value: &Value, from: i32, to: i32) -> Result<Value> {
    let len = match value {
        Value::Text(symbol) => host.names().text(*symbol).chars().count(),
        _ => sequence("SubSeq", value)?.len(),
    };
    let inside = |place: i32| place >= 1 && place as usize <= len;
    if from <= to && !(inside(from) && inside(to)) {
        let whole = value.quoted();
        return Err(Failure::new(format!(
            "SubSeq from {from} to {to} leaves {whole}, which has {len} places"
        )));
    }
    let (skip, take) = match from <= to {
        true => (from as usize - 1, (to - from) as usize + 1),
        false => (0, 0),
    };
    if let Value::Text(symbol) = value {
        let letters = host.names().text(*symbol).chars();
        let part: String = letters.skip(skip).take(take).collect();
        return Ok(Value::Text(host.text(&part)));
    }
    if take == len {
        return Ok(value.clone());
    }
    let values = sequence("SubSeq", value)?;
    Ok(Value::tuple(values[skip..skip + take].to_vec()))
}

fn select(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let mut kept = Vec::new();
    for value in sequence("SelectSeq", &args[0])? {
        if test(host, "SelectSeq", 1, std::slice::from_ref(value))? {
            kept.push(value.clone());
        }
    }
    Ok(Value::tuple(kept))
}

/// The length of a sequence or of a string as a number.
pub(super) fn length(host: &mut dyn Host, value: &Value) -> Result<i32> {
    len(host, value)?
        .number()
        .ok_or_else(|| wrong("Len", "a sequence", value))
}
