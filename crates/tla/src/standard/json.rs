//! Json: values as texts. Files are outside of what a specification may touch here.

use evenhand_source::spend;

use super::args::{Result, listed, wrong};
use super::{Host, MachineOperator, StandardModule, StandardOperator, machine, native};
use crate::names::Names;
use crate::value::{Value, room_for_text};

pub(super) const MODULES: &[StandardModule] = &[StandardModule {
    name: "Json",
    extends: &[],
    operators: JSON,
}];

const FILES: MachineOperator = MachineOperator::Unsupported("files are not read or written");

const JSON: &[StandardOperator] = &[
    native("ToJson", &[0], |host, args| {
        written(host, |names, out| write(&args[0], names, out))
    }),
    native("ToJsonArray", &[0], |host, args| {
        written(host, |names, out| array(&args[0], names, out))
    }),
    native("ToJsonObject", &[0], |host, args| {
        written(host, |names, out| object(&args[0], names, out))
    }),
    machine("JsonSerialize", &[0, 0], FILES),
    machine("JsonDeserialize", &[0], FILES),
    machine("ndJsonSerialize", &[0, 0], FILES),
    machine("ndJsonDeserialize", &[0], FILES),
];

fn written(
    host: &mut dyn Host,
    write: impl FnOnce(&Names, &mut String) -> Result<()>,
) -> Result<Value> {
    let mut out = String::new();
    write(host.names(), &mut out)?;
    room_for_text(out.len())?;
    Ok(Value::Text(host.text(&out)))
}

fn write(value: &Value, names: &Names, out: &mut String) -> Result<()> {
    spend();
    room_for_text(out.len())?;
    match value {
        Value::Truth(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Value::Number(number) => out.push_str(&number.to_string()),
        Value::Text(symbol) | Value::Model(symbol, _) => quote(names.text(*symbol), out),
        Value::Function(_) => object(value, names, out)?,
        _ => array(value, names, out)?,
    }
    Ok(())
}

fn array(value: &Value, names: &Names, out: &mut String) -> Result<()> {
    let values = match value.range_values() {
        Some(values) => values.into(),
        None => listed("ToJsonArray", value)?,
    };
    out.push('[');
    for (place, value) in values.iter().enumerate() {
        if place > 0 {
            out.push(',');
        }
        write(value, names, out)?;
    }
    out.push(']');
    Ok(())
}

fn object(value: &Value, names: &Names, out: &mut String) -> Result<()> {
    let pairs = value.pairs();
    let pairs = pairs.ok_or_else(|| wrong("ToJsonObject", "a function", value))?;
    let tuple = value.as_tuple().is_some();
    out.push('{');
    for (place, (key, value)) in pairs.iter().enumerate() {
        if place > 0 {
            out.push(',');
        }
        match key {
            Value::Text(symbol) => quote(names.text(*symbol), out),
            // The places of a tuple are counted from 0.
            _ if tuple => quote(&place.to_string(), out),
            _ => quote(&key.spelled(names)?, out),
        }
        out.push(':');
        write(value, names, out)?;
    }
    out.push('}');
    Ok(())
}

fn quote(text: &str, out: &mut String) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\0'..='\u{1f}' | '\u{2028}' | '\u{2029}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(letter)));
            }
            _ => out.push(letter),
        }
    }
    out.push('"');
}
