//! Runs and verdicts for people.

use std::fmt::Write;

use evenhand_source::{Files, Span, counted};
use evenhand_system::Kind;
use evenhand_verify::{
    Cover, Extent, Hint, Note, Proof, PropertyResult, SAT, StopReason, Verdict, Warning,
};
use evenhand_witness::Counterexample;

use crate::printable::one_line;
use crate::reasons;
use crate::run_layout::{RunStyle, write_run};
pub use crate::steps::write_step;

/// One line about a property.
pub fn summary(result: &PropertyResult) -> String {
    let mut line = word(result).to_string();
    if let Some(proof) = &result.proof {
        let _ = write!(line, " ({})", checked(proof));
    }
    line = format!("{line:<15} {}", result.name);
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

/// The word for an answer: a verdict, unless the question was what a number is.
pub fn word(result: &PropertyResult) -> &'static str {
    match (&result.verdict, &result.value) {
        (Verdict::Holds, Some(_)) => "computed",
        (verdict, _) => verdict.word(),
    }
}

/// What is said of a verdict that was checked.
pub fn checked(proof: &Proof) -> &'static str {
    match (proof.extent, proof.automaton) {
        (Extent::Sets, _) => "sets checked",
        (_, Some(Cover::Believed)) => "checked, automaton believed",
        _ => "checked",
    }
}

/// What was checked, and what was not, in a line.
fn statistics_of(proof: &Proof) -> String {
    let edges = counted(proof.edges, "transition");
    let mut text = match proof.extent {
        Extent::Full => {
            let states = counted(proof.states, "state");
            format!("{states} expanded again, {edges} of the product looked at")
        }
        Extent::Sets => "the final sets solve their equations".to_string(),
        _ => format!("{edges} of the product looked at"),
    };
    match proof.automaton {
        Some(Cover::Shown) => text += "; the automaton accepts all that breaks the formula",
        Some(Cover::Believed) => text += "; the automaton is believed",
        _ => {}
    }
    text
}

/// How many states there are.
pub fn states(result: &PropertyResult) -> String {
    match result.many_states {
        Some(many) => crate::states::many(many.exact, many.about),
        None => counted(result.states, "state"),
    }
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
    let is_counted = result.engine != Some(SAT);
    if result.states > 0 || is_counted && !matches!(result.verdict, Verdict::Unknown(_)) {
        return Some(format!("{}, {seconds}", states(result)));
    }
    result.engine?;
    let known = result.details.iter().filter(|detail| detail.telling);
    let known = known.map(|detail| format!("{} {}", detail.count, detail.name));
    Some(known.chain([seconds]).collect::<Vec<_>>().join(", "))
}

/// What deciding a property cost, in a few lines.
pub fn statistics(result: &PropertyResult) -> String {
    let mut text = format!(
        "{}: engine {}; {} and {} of the {}",
        result.name,
        result.engine.unwrap_or("none"),
        states(result),
        counted(result.transitions, "transition"),
        if result.reduced {
            "reduced model"
        } else {
            "model"
        },
    );
    if result.ahead > 0 {
        let share = 100 * result.ahead / result.states.max(1);
        let _ = write!(text, "; {share}% of them expanded ahead");
    }
    if let (Some(states), Some(transitions)) = (result.product_states, result.product_transitions) {
        let _ = write!(text, "; {states} and {transitions} of the product");
    }
    for detail in &result.details {
        let _ = write!(text, "; {}: {}", detail.name, detail.count);
    }
    if let Some(reason) = &result.unreduced {
        let _ = write!(text, "; not reduced: {reason}");
    }
    if let Some(proof) = &result.proof {
        let _ = write!(text, "; checked: {}", statistics_of(proof));
    }
    text.push('\n');
    text
}

/// A counterexample, one line per step with the variables that changed.
pub fn counterexample(result: &PropertyResult, run: &Counterexample, files: &Files) -> String {
    counterexample_in(result, run, files, RunStyle::default())
}

/// The same in another style.
pub fn counterexample_in(
    result: &PropertyResult,
    run: &Counterexample,
    files: &Files,
    style: RunStyle<'_>,
) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}: {}", result.name, headline(result, run, files));
    // A run that has ended needs no words about a loop.
    let turns = !run.cycle.is_empty() && !run.stays();
    write_run(&mut text, (&run.prefix, &run.cycle), turns, style, files);
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
        // What is about no expression has no place.
        (Some((kind, span)), _) if *span == Span::default() => kind.to_string(),
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

/// How long a run is, and how much of it repeats.
pub fn length(run: &Counterexample) -> String {
    let count = |n: usize| counted(n, "step");
    let repeats = |n: usize| if n == 1 { "repeats" } else { "repeat" };
    match (run.prefix.len().saturating_sub(1), run.cycle.len()) {
        (0, 0) => "no step, the initial state".to_string(),
        (steps, turn) if turn == 0 || run.stays() => count(steps),
        (0, turn) => format!("{} that {}", count(turn), repeats(turn)),
        (steps, turn) => format!(
            "{}, then {} that {}",
            count(steps),
            count(turn),
            repeats(turn)
        ),
    }
}

/// How long a run is, and whether that is the best.
fn extent(run: &Counterexample) -> String {
    let length = length(run);
    if run.shortest {
        return format!("shortest run: {length}");
    }
    match run.lower_bound {
        0 | 1 => format!("run: {length}"),
        least => format!("run: {length} (no run has fewer than {least})"),
    }
}
