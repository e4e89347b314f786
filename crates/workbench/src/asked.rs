//! What a call asks of a model.

use evenhand_system::{Asking, Granularity, Wanted};
use serde_json::Value as Json;

/// A call's text is at most this many questions and assumptions long.
const MOST: usize = 500;

/// The questions and the fairness of a call: `questions` are pairs of a kind and a text, `fair` are texts, and
/// `declared` says whether what the model declares counts.
///
/// # Errors
/// If a question has no known kind; in words.
pub(crate) fn asking(call: &Json) -> Result<Asking, String> {
    let mut asking = Asking::default();
    let request = &mut asking.request;
    let mut names = Vec::new();
    for question in list(call, "questions")? {
        let text = question["text"].as_str().unwrap_or_default().to_string();
        match question["kind"].as_str() {
            Some("property") => names.push(text),
            Some("invariant") => request.invariants.push(text),
            Some("ltl") => request.linear.push(text),
            Some("ctl") => request.branching.push(text),
            _ => return Err("a question of an unknown kind".to_string()),
        }
    }
    request.properties = Wanted::Named(names);
    let fair = list(call, "fair")?.iter();
    request.fair = fair
        .map(|text| text.as_str().unwrap_or_default().to_string())
        .collect();
    request.no_fairness = call["declared"] == false;
    Ok(asking)
}

fn list<'c>(call: &'c Json, name: &str) -> Result<&'c [Json], String> {
    let found = call[name].as_array().map_or(&[][..], Vec::as_slice);
    match found.len() > MOST {
        true => Err(format!("more than {MOST} {name}")),
        false => Ok(found),
    }
}

/// What a candidate for fairness is, in a call.
pub(crate) fn granularity(call: &Json) -> Granularity {
    match call["by"].as_str() {
        Some("instance") => Granularity::Instance,
        Some("label") => Granularity::Label,
        _ => Granularity::Type,
    }
}

/// The choices of a path: numbers.
pub(crate) fn path(call: &Json) -> Vec<usize> {
    let numbers = call["path"].as_array().into_iter().flatten();
    numbers
        .map_while(|number| usize::try_from(number.as_u64()?).ok())
        .collect()
}
