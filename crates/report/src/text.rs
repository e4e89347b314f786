//! Runs and verdicts for people.

use std::fmt::Write;

use evenhand_source::Files;
use evenhand_system::explicit::Value;
use evenhand_witness::{Counterexample, Reason, StepKind, TraceStep};

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

/// What deciding a property cost, in a few lines.
pub fn statistics(result: &PropertyResult) -> String {
    let mut text = format!(
        "{}: engine {}; {} states and {} transitions of the model",
        result.name, result.engine, result.states, result.transitions
    );
    if let (Some(states), Some(transitions)) = (result.product_states, result.product_transitions) {
        let _ = write!(text, "; {states} and {transitions} of the product");
    }
    for (what, count) in &result.details {
        let _ = write!(text, "; {what}: {count}");
    }
    text.push('\n');
    text
}

/// A counterexample, one line per step with the variables that changed.
pub fn counterexample(result: &PropertyResult, run: &Counterexample, files: &Files) -> String {
    let mut text = String::new();
    let what = match (&run.fault, result.kind) {
        (Some((kind, span)), _) => {
            let line = files.position(*span).line;
            format!("{kind} ({}:{line})", files.get(span.file).name)
        }
        (None, "deadlock") => "the run ends where it must not".to_string(),
        _ => "the property is violated".to_string(),
    };
    let _ = writeln!(text, "{}: {what}; {}", result.name, extent(run));
    let all = run.prefix.iter().chain(&run.cycle);
    let width = all.map(|s| processes(s).len()).max().unwrap_or(0);
    let mut before: Option<&TraceStep> = None;
    for (number, step) in run.prefix.iter().enumerate() {
        write_step(&mut text, step, before, number, width, files);
        before = Some(step);
    }
    if !run.cycle.is_empty() {
        let _ = writeln!(text, "        -- from here on the run repeats for ever:");
    }
    for (number, step) in run.cycle.iter().enumerate() {
        let number = run.prefix.len() + number;
        write_step(&mut text, step, before, number, width, files);
        before = Some(step);
    }
    if !run.cycle.is_empty() {
        let entry = match run.prefix.len() {
            0 | 1 => "the initial state".to_string(),
            length => format!("the state after step {}", length - 1),
        };
        let _ = writeln!(text, "        -- back in {entry}");
        write_fairness(&mut text, run);
        write_reasons(&mut text, result, run);
    }
    if result.kind == "deadlock" {
        let _ = writeln!(
            text,
            "  no process can move, and not all are at a proper end"
        );
    }
    text
}

/// How long a run is, and whether that is the best.
fn extent(run: &Counterexample) -> String {
    let count = |n: usize| format!("{n} {}", if n == 1 { "step" } else { "steps" });
    let length = match (run.prefix.len().saturating_sub(1), run.cycle.len()) {
        (steps, 0) => count(steps),
        (0, turn) => format!("{} that repeat", count(turn)),
        (steps, turn) => format!("{}, then {} that repeat", count(steps), count(turn)),
    };
    if run.shortest {
        return format!("shortest run: {length}");
    }
    match run.lower_bound {
        0 | 1 => format!("run: {length}"),
        least => format!("run: {length} (no run has fewer than {least})"),
    }
}

/// Why the run is fair: one line for each specification and reason.
fn write_fairness(text: &mut String, run: &Counterexample) {
    if run.evidence.is_empty() {
        return;
    }
    let _ = writeln!(text, "  why this run is fair:");
    // Reasons that name a step are worth a line each; the others are told together.
    for evidence in &run.evidence {
        let step = |number: usize| run.prefix.len() + number;
        let what = &evidence.assumption;
        let line = match evidence.reason {
            Reason::Taken(n) => format!("{what}: it moves in step {}", step(n)),
            Reason::Disabled(0) => format!("{what}: it cannot move where the loop begins"),
            Reason::Disabled(n) => format!("{what}: it cannot move after step {}", step(n) - 1),
            Reason::NeverEnabled => format!("{what}: it can never move in the loop"),
            Reason::Holds(0) => format!("{what}: it holds where the loop begins"),
            Reason::Holds(n) => format!("{what}: it holds after step {}", step(n) - 1),
            Reason::NeverAsked => format!("{what}: the first part never holds in the loop"),
        };
        let _ = writeln!(text, "    {line}");
    }
}

/// Why the run breaks the property.
fn write_reasons(text: &mut String, result: &PropertyResult, run: &Counterexample) {
    let reasons: Vec<String> = match result.kind {
        "progress" => vec!["no process comes to a progress label in the loop".to_string()],
        "acceptance" => vec!["some process comes to an accept label in the loop".to_string()],
        "never" => vec!["the never claim accepts it".to_string()],
        "automaton" => vec!["the automaton of bad runs accepts it".to_string()],
        _ => run.why.clone(),
    };
    if reasons.is_empty() {
        return;
    }
    let _ = writeln!(text, "  why it breaks the property:");
    for reason in reasons {
        let _ = writeln!(text, "    {reason}");
    }
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
    if step.kind == StepKind::Stutter {
        let _ = writeln!(text, "  {number:>4}  the run has ended: nothing moves");
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
    // The first statement of an atomic stretch is the line above.
    for sub in step.substeps.iter().skip(1) {
        let line = files.position(sub.span).line;
        let other = step.process.as_ref() != Some(&sub.process);
        let who = if other {
            format!("{}: ", sub.process)
        } else {
            String::new()
        };
        let _ = writeln!(
            text,
            "        {:width$}  line {line:<4} {who}{}",
            "", sub.action
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
