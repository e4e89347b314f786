//! Runs and verdicts for people.

use std::fmt::Write;

use evenhand_source::{Files, counted};
use evenhand_system::Kind;
use evenhand_system::explicit::Value;
use evenhand_verify::{Hint, Note, PropertyResult, StopReason, Verdict, Warning};
use evenhand_witness::{Counterexample, StepKind, TraceStep};

use crate::printable::one_line;
use crate::reasons;

/// One line about a property.
pub fn summary(result: &PropertyResult) -> String {
    let mut line = format!("{:<9} {}", result.verdict.word(), result.name);
    if let Some(formula) = &result.formula {
        let _ = write!(line, "  {formula}");
    }
    if let Some(value) = &result.value {
        let _ = write!(line, " = {value}");
    }
    if let Some(known) = explored(result) {
        let _ = write!(line, "  ({known})");
    }
    if let Verdict::Unknown(why) = &result.verdict {
        let _ = write!(line, ": {}", reason(why));
    }
    line
}

/// A warning as the command says it: with the options that it is about.
pub fn warning(result: &PropertyResult, warning: &Warning) -> String {
    let advice = match result.kind {
        // Advice is about formulas.
        Kind::Ltl => "; `evenhand advise` finds the least that is needed",
        _ => "",
    };
    match warning {
        Warning::ImproperEnd => format!("{warning} (--deadlock error)"),
        Warning::Hint(Hint::Weak) => format!("{warning} (--fair weak){advice}"),
        Warning::Hint(Hint::Strong) => format!("{warning} (--fair strong){advice}"),
        Warning::Hint(Hint::Stronger) => format!("{warning}{advice}"),
        _ => warning.to_string(),
    }
}

/// A note as the command says it.
pub fn note(note: &Note) -> String {
    match note {
        Note::Labels { prefix, property } => {
            format!("the model has `{prefix}` labels; `-p {property}` is about them")
        }
        _ => note.to_string(),
    }
}

/// Why there is no verdict, as the command says it.
pub fn reason(reason: &StopReason) -> String {
    match reason {
        StopReason::Depth => "longer runs than --max-depth allows were not looked at".to_string(),
        _ => reason.to_string(),
    }
}

/// How far a search came: states and seconds; what an engine that ended early knows instead of states;
/// nothing where there was no search.
fn explored(result: &PropertyResult) -> Option<String> {
    let seconds = format!("{:.2} s", result.seconds);
    if result.states > 0 || !matches!(result.verdict, Verdict::Unknown(_)) {
        return Some(format!("{}, {seconds}", counted(result.states, "state")));
    }
    result.engine?;
    let known = result.details.iter().filter(|detail| detail.telling);
    let known = known.map(|detail| format!("{} {}", detail.count, detail.name));
    Some(known.chain([seconds]).collect::<Vec<_>>().join(", "))
}

/// What deciding a property cost, in a few lines.
pub fn statistics(result: &PropertyResult) -> String {
    let mut text = format!(
        "{}: engine {}; {} and {} of the model",
        result.name,
        result.engine.unwrap_or("none"),
        counted(result.states, "state"),
        counted(result.transitions, "transition")
    );
    if let (Some(states), Some(transitions)) = (result.product_states, result.product_transitions) {
        let _ = write!(text, "; {states} and {transitions} of the product");
    }
    for detail in &result.details {
        let _ = write!(text, "; {}: {}", detail.name, detail.count);
    }
    text.push('\n');
    text
}

/// A counterexample, one line per step with the variables that changed.
pub fn counterexample(result: &PropertyResult, run: &Counterexample, files: &Files) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}: {}", result.name, headline(result, run, files));
    let all = run.prefix.iter().chain(&run.cycle);
    let width = all.map(|s| processes(s).len()).max().unwrap_or(0);
    let mut before: Option<&TraceStep> = None;
    for (number, step) in run.prefix.iter().enumerate() {
        write_step(&mut text, step, before, number, width, files);
        before = Some(step);
    }
    // A run that has ended needs no words about a loop.
    let turns = !run.cycle.is_empty() && !run.stays();
    if turns {
        let _ = writeln!(text, "        -- the following repeats for ever:");
    }
    for (number, step) in run.cycle.iter().enumerate() {
        let number = run.prefix.len() + number;
        write_step(&mut text, step, before, number, width, files);
        before = Some(step);
    }
    if turns {
        let entry = match run.prefix.len() {
            0 | 1 => "the initial state".to_string(),
            length => format!("the state after step {}", length - 1),
        };
        let _ = writeln!(text, "        -- back in {entry}");
    }
    reasons::write_fairness(&mut text, run);
    if !run.cycle.is_empty() || result.kind.is_temporal() {
        reasons::write_reasons(&mut text, result, run);
    }
    if result.kind == Kind::Deadlock {
        let _ = writeln!(
            text,
            "  no process can move, and not all are at a proper end"
        );
    }
    text
}

/// What went wrong, and how long the run is.
pub(crate) fn headline(result: &PropertyResult, run: &Counterexample, files: &Files) -> String {
    let what = match (&run.fault, result.kind) {
        (Some((kind, span)), _) => {
            let line = files.position(*span).line;
            format!("{kind} ({}:{line})", one_line(&files.get(span.file).name))
        }
        (None, Kind::Deadlock) => "the run ends where it must not".to_string(),
        (None, Kind::Trace) => "the run breaks the trace declaration".to_string(),
        _ => "the property is violated".to_string(),
    };
    format!("{what}; {}", extent(run))
}

/// How long a run is, and whether that is the best.
fn extent(run: &Counterexample) -> String {
    let count = |n: usize| counted(n, "step");
    let repeats = |n: usize| if n == 1 { "repeats" } else { "repeat" };
    let length = match (run.prefix.len().saturating_sub(1), run.cycle.len()) {
        (0, 0) => "no step, the initial state".to_string(),
        (steps, turn) if turn == 0 || run.stays() => count(steps),
        (0, turn) => format!("{} that {}", count(turn), repeats(turn)),
        (steps, turn) => format!(
            "{}, then {} that {}",
            count(steps),
            count(turn),
            repeats(turn)
        ),
    };
    if run.shortest {
        return format!("shortest run: {length}");
    }
    match run.lower_bound {
        0 | 1 => format!("run: {length}"),
        least => format!("run: {length} (no run has fewer than {least})"),
    }
}

/// Lines are broken where they would become longer than this.
const WIDTH: usize = 100;

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
    let changes = changes(before, step);
    match step.kind {
        StepKind::Init => {
            let start = format!("  {number:>4}  initial state");
            return write_line(text, start, "", &changes);
        }
        StepKind::Stutter => {
            let _ = writeln!(text, "  {number:>4}  nothing can move any more");
            return;
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
fn write_line(text: &mut String, start: String, margin: &str, list: &[String]) {
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
fn inputs(step: &TraceStep) -> String {
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
fn changes(before: Option<&TraceStep>, step: &TraceStep) -> Vec<String> {
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
            _ => list.push(format!("{name} = {value}")),
        }
    }
    list
}

fn is_channel(value: &Value) -> bool {
    matches!(value, Value::List(list) if list.iter().any(|v| matches!(v, Value::List(_))))
}
