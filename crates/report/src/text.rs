//! Runs and verdicts for people.

use std::fmt::Write;

use evenhand_source::Files;
use evenhand_system::explicit::Value;
use evenhand_witness::{Counterexample, StepKind, TraceStep};

use crate::result::{PropertyResult, Verdict};

/// One line about a property.
pub fn summary(result: &PropertyResult) -> String {
    let mut line = format!("{:<9} {}", result.verdict.word(), result.name);
    if let Some(formula) = &result.formula {
        let _ = write!(line, "  {formula}");
    }
    let _ = write!(
        line,
        "  ({} states, {:.2} s)",
        result.states, result.seconds
    );
    if let Verdict::Unknown(reason) = &result.verdict {
        let _ = write!(line, ": {reason}");
    }
    line
}

/// A counterexample, one line per step with the variables that changed.
pub fn counterexample(result: &PropertyResult, run: &Counterexample, files: &Files) -> String {
    let mut text = String::new();
    let steps = run.len();
    let plural = if steps == 1 { "step" } else { "steps" };
    let shortest = if run.shortest { "shortest run" } else { "run" };
    let what = match (&run.fault, result.kind) {
        (Some((kind, span)), _) => {
            let line = files.position(*span).line;
            format!("{kind} ({}:{line})", files.get(span.file).name)
        }
        (None, "deadlock") => "the run ends where it must not".to_string(),
        _ => "the property is violated".to_string(),
    };
    let _ = writeln!(
        text,
        "{}: {what}; {shortest}: {steps} {plural}",
        result.name
    );
    let width = run
        .prefix
        .iter()
        .map(|s| processes(s).len())
        .max()
        .unwrap_or(0);
    let mut before: Option<&TraceStep> = None;
    for (number, step) in run.prefix.iter().enumerate() {
        write_step(&mut text, step, before, number, width, files);
        before = Some(step);
    }
    if result.kind == "deadlock" {
        let _ = writeln!(
            text,
            "  no process can move, and not all are at a proper end"
        );
    }
    text
}

/// One step as a line or several.
pub fn write_step(
    text: &mut String,
    step: &TraceStep,
    before: Option<&TraceStep>,
    number: usize,
    width: usize,
    files: &Files,
) {
    let changes = changes(before, step);
    if step.kind == StepKind::Init {
        let _ = writeln!(text, "  {number:>4}  initial state{}", with_dash(&changes));
        return;
    }
    let line = step
        .span
        .map(|span| files.position(span).line.to_string())
        .unwrap_or_default();
    let who = processes(step);
    let _ = writeln!(
        text,
        "  {number:>4}  {who:<width$}  line {line:<4} {}{}",
        step.action,
        with_dash(&changes)
    );
    if let Some((channel, fields)) = &step.message {
        let fields: Vec<String> = fields.iter().map(value_text).collect();
        let _ = writeln!(
            text,
            "        {:width$}  message on {channel}: {}",
            "",
            fields.join(",")
        );
    }
    for sub in &step.substeps {
        let line = files.position(sub.span).line;
        let _ = writeln!(
            text,
            "        {:width$}    line {line:<4} {}: {}",
            "", sub.process, sub.action
        );
    }
    for printed in step.printed.lines() {
        let _ = writeln!(text, "        {:width$}  | {printed}", "");
    }
}

fn with_dash(changes: &str) -> String {
    if changes.is_empty() {
        String::new()
    } else {
        format!("   [{changes}]")
    }
}

fn processes(step: &TraceStep) -> String {
    step.processes.join(" + ")
}

/// The variables that changed, or all where there is nothing before.
fn changes(before: Option<&TraceStep>, step: &TraceStep) -> String {
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
                        list.push(format!("{name}[{index}] = {}", value_text(b)));
                    }
                }
            }
            _ => list.push(format!("{name} = {}", value_text(value))),
        }
    }
    list.join(", ")
}

fn is_channel(value: &Value) -> bool {
    matches!(value, Value::List(list) if list.iter().any(|v| matches!(v, Value::List(_))))
}

/// A value of a variable.
pub fn value_text(value: &Value) -> String {
    match value {
        Value::Number(number) => number.to_string(),
        Value::Truth(truth) => truth.to_string(),
        Value::Text(text) => text.clone(),
        Value::List(list) => {
            let items: Vec<String> = list.iter().map(value_text).collect();
            format!("[{}]", items.join(", "))
        }
    }
}
