//! Runs as TLC prints them, for tools that read its output.
//!
//! Each state has its number, counted from 1, the action that leads to it with its place, and all variables, one below the
//! other. A run that repeats ends with the number of the state that it comes back to; one that stays where it is, with
//! `Stuttering`.

use std::fmt::Write;
use std::path::Path;

use evenhand_source::{Files, spend};
use evenhand_witness::{StepKind, TraceStep};

/// Writes the steps of a run: those before its loop, and the loop.
pub(crate) fn write_run(
    text: &mut String,
    prefix: &[TraceStep],
    cycle: &[TraceStep],
    files: &Files,
) {
    let _ = writeln!(
        text,
        "Error: {}\n",
        match cycle {
            [] => "The behavior up to this point is:",
            _ => "The following behavior constitutes a counter-example:",
        }
    );
    for (index, step) in prefix.iter().enumerate() {
        write_state(text, step, index + 1, files);
    }
    let Some((last, before)) = cycle.split_last() else {
        return;
    };
    let first = prefix.len().max(1);
    for (index, step) in before.iter().enumerate() {
        write_state(text, step, first + index + 1, files);
    }
    let _ = match (before, is_still(last)) {
        ([], true) => writeln!(text, "State {}: Stuttering", first + 1),
        _ => writeln!(text, "Back to state {first}: {}", heading(last, files)),
    };
}

fn write_state(text: &mut String, step: &TraceStep, number: usize, files: &Files) {
    spend();
    let _ = writeln!(text, "State {number}: {}", heading(step, files));
    for (name, value) in &step.state {
        // One variable alone stands without a list around it.
        let bullet = if step.state.len() == 1 { "" } else { "/\\ " };
        let _ = writeln!(text, "{bullet}{name} = {value}");
    }
    text.push('\n');
}

/// Whether nobody moves in it.
fn is_still(step: &TraceStep) -> bool {
    let is_nobody = step.process.is_none() && step.action.is_empty();
    step.kind == StepKind::Stutter || step.kind == StepKind::Step && is_nobody
}

/// What leads to a state.
fn heading(step: &TraceStep, files: &Files) -> String {
    if step.kind == StepKind::Init {
        return "<Initial predicate>".to_string();
    }
    if is_still(step) {
        return "Stuttering".to_string();
    }
    let Some(span) = step.body.or(step.span) else {
        return format!("<{}>", step.action);
    };
    let file = files.get(span.file);
    let (from, to) = (
        file.position(span.start),
        file.position(span.end.max(1) - 1),
    );
    let module = Path::new(&*file.name).file_stem().unwrap_or_default();
    format!(
        "<{} line {}, col {} to line {}, col {} of module {}>",
        step.action,
        from.line,
        from.column,
        to.line,
        to.column,
        module.display()
    )
}
