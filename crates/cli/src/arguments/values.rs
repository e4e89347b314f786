//! Values of options: languages, macros, sizes and times.

use std::time::Duration;

use evenhand::{Language, language, languages};

/// A language by its name.
pub(super) fn parse_language(text: &str) -> Result<&'static dyn Language, String> {
    language(text).ok_or_else(|| {
        let names: Vec<&str> = languages().iter().rev().map(|l| l.name()).collect();
        format!("known languages: {}", names.join(", "))
    })
}

/// A macro: `NAME` or `NAME=VALUE`.
pub(super) fn parse_define(text: &str) -> Result<(String, Option<String>), String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value.to_string())),
        None => (text, None),
    };
    let mut chars = name.chars();
    let starts = chars
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    if !starts || !chars.all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(format!("`{name}` is not a macro name"));
    }
    Ok((name.to_string(), value))
}

/// A number of bytes: `500M`, `4G`, `1024`.
pub(super) fn parse_size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor: u64 = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        "t" | "tb" | "tib" => 1 << 40,
        unit => return Err(format!("unknown unit `{unit}`: use K, M, G or T")),
    };
    let number: f64 = digits
        .parse()
        .map_err(|_| format!("`{digits}` is not a number"))?;
    if !(number >= 0.0 && number * (factor as f64) < u64::MAX as f64) {
        return Err("the size is out of range".to_string());
    }
    Ok((number * factor as f64) as u64)
}

/// A time: `500ms`, `30s`, `5m`, `1h`, `30`.
pub(super) fn parse_duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match &text[digits.len()..] {
        "ms" => 0.001,
        "" | "s" | "sec" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        unit => return Err(format!("unknown unit `{unit}`: use ms, s, m or h")),
    };
    let number: f64 = digits
        .parse()
        .map_err(|_| format!("`{digits}` is not a number"))?;
    Duration::try_from_secs_f64(number * factor).map_err(|_| "the time is out of range".to_string())
}
