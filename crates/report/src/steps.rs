//! The steps of a run as lines: who, where, what, and the variables that changed.

use std::fmt::Write;

use evenhand_source::{Files, spend};
use evenhand_system::explicit::Value;
use evenhand_witness::{StepKind, TraceStep};

/// Lines are broken where they would become longer than this.
pub(crate) const WIDTH: usize = 100;

/// A step of more statements than this is told without its middle: so many at both ends.
const MOST_SUBSTEPS: usize = 60;
const SUBSTEPS_AT_END: usize = 20;

/// One step as a line or several.
pub fn write_step(
    text: &mut String,
    step: &TraceStep,
    before: Option<&TraceStep>,
    number: usize,
    width: usize,
    files: &Files,
) {
    spend();
    let changes = changes(before, step);
    match step.kind {
        StepKind::Init => {
            let start = format!("  {number:>4}  initial state");
            return write_line(text, start, "", &changes);
        }
        StepKind::Stutter => {
            let what = match step.action.as_str() {
                "" => "nothing can move any more",
                action => action,
            };
            let _ = writeln!(text, "  {number:>4}  {what}");
            return;
        }
        StepKind::Step
            if step.process.is_none() && step.action.is_empty() && changes.is_empty() =>
        {
            let inputs = inputs(step);
            if inputs.is_empty() {
                let _ = writeln!(text, "  {number:>4}  the run stays where it is");
                return;
            }
        }
        StepKind::Step => {}
    }
    let line_of = |span| files.position(span).line.to_string();
    let line = step.span.map(line_of).unwrap_or_default();
    let who = processes(step);
    let margin = format!("        {:width$}  ", "");
    let place = match step.span {
        Some(_) => format!("line {line:<4} {}", step.action),
        // Steps that are given by constraints are told by who takes them, and with which inputs.
        None if step.process.as_ref() == Some(&step.action) => inputs(step),
        // Actions of models written in Rust have names, but stand in no text.
        None => format!("{} {}", step.action, inputs(step))
            .trim_start()
            .to_string(),
    };
    let start = format!("  {number:>4}  {who:<width$}  {place}");
    let message = step
        .message
        .as_ref()
        .map_or_else(String::new, |(_, fields)| {
            let fields: Vec<String> = fields.iter().map(ToString::to_string).collect();
            format!("  (message {})", fields.join(", "))
        });
    let start = start.trim_end();
    // The first statement of an atomic stretch is the line above; what changed stands behind the last.
    let mut open = format!("{start}{message}");
    // What a loop does for itself has no text.
    let told = step.substeps.iter().skip(1);
    let told: Vec<_> = told.filter(|sub| !sub.action.is_empty()).collect();
    let folded = match step.omitted > 0 || told.len() > MOST_SUBSTEPS {
        true => SUBSTEPS_AT_END..told.len().saturating_sub(SUBSTEPS_AT_END),
        false => 0..0,
    };
    for (number, sub) in told.iter().enumerate() {
        if folded.contains(&number) {
            if number == folded.start {
                let _ = writeln!(text, "{open}");
                open = format!("{margin}{}", left_out(folded.len() + step.omitted));
            }
            continue;
        }
        let other = step.process.as_ref() != Some(&sub.process);
        let who = if other {
            format!("{}: ", sub.process)
        } else {
            String::new()
        };
        let _ = writeln!(text, "{open}");
        open = format!("{margin}line {:<4} {who}{}", line_of(sub.span), sub.action);
    }
    write_line(text, open, &margin, &changes);
    for printed in step.printed.lines() {
        let _ = writeln!(text, "{margin}| {printed}");
    }
}

/// What stands in the place of statements that are not shown.
pub(crate) fn left_out(count: usize) -> String {
    format!("… {count} more statements …")
}

/// A line with a list in brackets behind it; a long list continues below.
pub(crate) fn write_line(text: &mut String, start: String, margin: &str, list: &[String]) {
    let mut line = start;
    let indent = margin.chars().count() + 12;
    for (number, item) in list.iter().enumerate() {
        let open = if number == 0 { "   [" } else { " " };
        let close = if number + 1 == list.len() { "]" } else { "," };
        let length = line.chars().count() + open.len() + item.chars().count() + close.len();
        if length > WIDTH && line.chars().count() > indent {
            let _ = writeln!(text, "{line}");
            line = format!("{:indent$}", "");
        }
        let _ = write!(line, "{open}{item}{close}");
    }
    let _ = writeln!(text, "{line}");
}

/// The inputs of a step; which process was selected is told by its name.
pub(crate) fn inputs(step: &TraceStep) -> String {
    let shown = step
        .inputs
        .iter()
        .filter(|(name, _)| !name.starts_with('_'));
    let list: Vec<String> = shown
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    match list.is_empty() {
        true => String::new(),
        false => format!("with {}", list.join(", ")),
    }
}

fn processes(step: &TraceStep) -> String {
    step.processes.join(" + ")
}

/// The variables that changed, or all where there is nothing before.
pub(crate) fn changes(before: Option<&TraceStep>, step: &TraceStep) -> Vec<String> {
    let mut list = Vec::new();
    for (name, value) in &step.state {
        let old = before
            .and_then(|b| b.state.iter().find(|(n, _)| n == name))
            .map(|(_, v)| v);
        match (old, value) {
            (Some(old), _) if old == value => {}
            (Some(Value::List(old)), Value::List(new))
                if old.len() == new.len() && old.len() > 1 && !is_channel(value) =>
            {
                for (index, (a, b)) in old.iter().zip(new).enumerate() {
                    if a != b {
                        list.push(format!("{name}[{index}] = {b}"));
                    }
                }
            }
            (Some(old), _) => changed_parts(name, old, value, &mut list),
            (None, _) => list.push(format!("{name} = {value}")),
        }
    }
    list
}

/// Adds what has changed in a value: the parts, where it has the same ones before and after.
fn changed_parts(name: &str, old: &Value, new: &Value, list: &mut Vec<String>) {
    let (Value::Whole(_, before), Value::Whole(_, after)) = (old, new) else {
        return list.push(format!("{name} = {new}"));
    };
    let same = before.len() == after.len() && before.iter().zip(after).all(|(a, b)| a.0 == b.0);
    if !same || after.len() < 2 {
        return list.push(format!("{name} = {new}"));
    }
    for ((key, old), (_, new)) in before.iter().zip(after) {
        if old != new {
            changed_parts(&format!("{name}{key}"), old, new, list);
        }
    }
}

fn is_channel(value: &Value) -> bool {
    matches!(value, Value::List(list) if list.iter().any(|v| matches!(v, Value::List(_))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str, parts: &[(&str, Value)]) -> Value {
        let parts = parts
            .iter()
            .map(|(key, value)| (key.to_string(), value.clone()));
        Value::Whole(text.to_string(), parts.collect())
    }

    fn changed(old: &Value, new: &Value) -> Vec<String> {
        let mut list = Vec::new();
        changed_parts("f", old, new, &mut list);
        list
    }

    #[test]
    fn of_a_value_the_parts_are_told_that_changed() {
        let number = Value::Number;
        let pair = |a: i64, b: i64| {
            let parts = [(".a", number(a)), (".b", number(b))];
            whole(&format!("[a |-> {a}, b |-> {b}]"), &parts)
        };
        let both = |a: Value, b: Value| {
            let text = format!("<<{a}, {b}>>");
            whole(&text, &[("[1]", a), ("[2]", b)])
        };
        assert_eq!(changed(&pair(1, 2), &pair(1, 3)), ["f.b = 3"]);
        assert_eq!(changed(&pair(1, 2), &pair(4, 3)), ["f.a = 4", "f.b = 3"]);
        let (old, new) = (both(pair(1, 2), pair(3, 4)), both(pair(1, 2), pair(3, 5)));
        assert_eq!(changed(&old, &new), ["f[2].b = 5"]);
        // Where a part comes or goes, the whole is told.
        let one = whole("[a |-> 1]", &[(".a", number(1))]);
        assert_eq!(changed(&one, &pair(1, 2)), ["f = [a |-> 1, b |-> 2]"]);
        assert_eq!(changed(&pair(1, 2), &number(7)), ["f = 7"]);
    }
}
