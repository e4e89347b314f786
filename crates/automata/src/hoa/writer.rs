//! Writes the HOA format, version 1.
//!
//! Edges of one state with the same target and marks become one edge whose label is the disjunction
//! of their cubes. The format has no conditional marks: they must be expanded first
//! ([`expand_conditional_marks`](crate::expand_conditional_marks)), which may split every edge, so
//! it is left to the caller to set the limit.

use crate::{Acceptance, Automaton, Condition, Cube, MarksId, State};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// The automaton has conditional marks, which HOA cannot say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HasConditionalMarks;

impl std::fmt::Display for HasConditionalMarks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "conditional marks cannot be written: expand them first")
    }
}

impl std::error::Error for HasConditionalMarks {}

/// The automaton as HOA text, ending in a newline.
pub fn write_hoa(automaton: &Automaton) -> Result<String, HasConditionalMarks> {
    if !automaton.conditionals().is_empty() {
        return Err(HasConditionalMarks);
    }
    let mut out = String::new();
    header(&mut out, automaton);
    out.push_str("--BODY--\n");
    for state in automaton.states() {
        body_state(&mut out, automaton, state);
    }
    out.push_str("--END--\n");
    Ok(out)
}

// Writing to a string cannot fail: the results of write! are dropped here.
fn header(out: &mut String, automaton: &Automaton) {
    out.push_str("HOA: v1\n");
    if let Some(name) = automaton.name() {
        let _ = writeln!(out, "name: {}", quoted(name));
    }
    let _ = writeln!(out, "States: {}", automaton.state_count());
    for start in automaton.initial() {
        let _ = writeln!(out, "Start: {}", start.0);
    }
    let _ = write!(out, "AP: {}", automaton.props().len());
    for name in automaton.props() {
        let _ = write!(out, " {}", quoted(name));
    }
    out.push('\n');
    if let Some(name) = acceptance_name(automaton.acceptance(), automaton.mark_count()) {
        let _ = writeln!(out, "acc-name: {name}");
    }
    let condition = automaton.acceptance().to_condition();
    let _ = writeln!(
        out,
        "Acceptance: {} {}",
        automaton.mark_count(),
        condition_text(&condition)
    );
    out.push_str("properties: trans-labels explicit-labels trans-acc\n");
}

fn body_state(out: &mut String, automaton: &Automaton, state: State) {
    let _ = write!(out, "State: {}", state.0);
    if !automaton.state_name(state).is_empty() {
        let _ = write!(out, " {}", quoted(automaton.state_name(state)));
    }
    out.push('\n');
    let mut groups: Vec<(State, MarksId, Vec<&Cube>)> = Vec::new();
    let mut places: FxHashMap<(State, MarksId), usize> = FxHashMap::default();
    for edge in automaton.edges_from(state) {
        let key = (edge.target, edge.marks);
        let place = *places.entry(key).or_insert_with(|| {
            groups.push((edge.target, edge.marks, Vec::new()));
            groups.len() - 1
        });
        groups[place].2.push(automaton.cube(edge.label));
    }
    for (target, marks, cubes) in groups {
        out.push('[');
        for (i, cube) in cubes.iter().enumerate() {
            out.push_str(if i == 0 { "" } else { " | " });
            label(out, cube);
        }
        let _ = write!(out, "] {}", target.0);
        let marks: Vec<String> = automaton
            .marks(marks)
            .iter()
            .map(|m| m.0.to_string())
            .collect();
        if !marks.is_empty() {
            let _ = write!(out, " {{{}}}", marks.join(" "));
        }
        out.push('\n');
    }
}

fn label(out: &mut String, cube: &Cube) {
    if cube.is_true() {
        out.push('t');
    }
    for (i, literal) in cube.literals().enumerate() {
        let and = if i == 0 { "" } else { "&" };
        let not = if literal.positive { "" } else { "!" };
        let _ = write!(out, "{and}{not}{}", literal.prop.0);
    }
}

/// The formula in the syntax of HOA.
pub(crate) fn condition_text(condition: &Condition) -> String {
    let inside = |part: &Condition| match part {
        Condition::Or(_) | Condition::And(_) => format!("({})", condition_text(part)),
        _ => condition_text(part),
    };
    let join = |parts: &[Condition], with: &str| {
        let texts: Vec<String> = parts.iter().map(inside).collect();
        texts.join(with)
    };
    match condition {
        Condition::True => "t".into(),
        Condition::False => "f".into(),
        Condition::Inf(m) => format!("Inf({})", m.0),
        Condition::Fin(m) => format!("Fin({})", m.0),
        Condition::And(parts) => join(parts, " & "),
        Condition::Or(parts) => join(parts, " | "),
    }
}

/// What HOA calls the condition, where it is exactly one of the standard forms.
fn acceptance_name(acceptance: &Acceptance, marks: usize) -> Option<String> {
    if *acceptance == Acceptance::generalized_buchi(marks) {
        return Some(match marks {
            0 => "all".into(),
            1 => "Buchi".into(),
            n => format!("generalized-Buchi {n}"),
        });
    }
    if marks.is_multiple_of(2) && *acceptance == Acceptance::streett(marks / 2) {
        return Some(format!("Streett {}", marks / 2));
    }
    (marks == 0 && acceptance.other == Condition::False).then(|| "none".into())
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
