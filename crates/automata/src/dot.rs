//! Graphviz output.
//!
//! Parallel edges with the same marks are drawn as one with the disjunction of their labels. Marks
//! are shown in braces behind the label, the condition and the table of conditional marks in the
//! caption.

use crate::hoa::condition_text;
use crate::{Automaton, Cube, MarksId, State};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// The automaton as a graph in the dot language.
pub fn write_dot(automaton: &Automaton) -> String {
    let mut out = String::from("digraph automaton {\n  rankdir=LR\n  node [shape=circle]\n");
    let mut caption = String::new();
    if let Some(name) = automaton.name() {
        caption.push_str(name);
        caption.push('\n');
    }
    caption.push_str(&condition_text(&automaton.acceptance().to_condition()));
    for c in automaton.conditionals() {
        let not = if c.literal.positive { "" } else { "!" };
        let prop = &automaton.props()[c.literal.prop.index()];
        let _ = write!(caption, "\n{} iff {not}{prop}", c.mark.0);
    }
    let _ = writeln!(out, "  label={}\n  labelloc=t", quoted(&caption));
    for (i, state) in automaton.initial().iter().enumerate() {
        let _ = writeln!(
            out,
            "  start{i} [shape=point, style=invis]\n  start{i} -> {}",
            state.0
        );
    }
    for state in automaton.states() {
        let name = match automaton.state_name(state) {
            "" => state.0.to_string(),
            name => name.to_owned(),
        };
        let _ = writeln!(out, "  {} [label={}]", state.0, quoted(&name));
        edges(&mut out, automaton, state);
    }
    out.push_str("}\n");
    out
}

fn edges(out: &mut String, automaton: &Automaton, state: State) {
    let mut groups: Vec<(State, MarksId, Vec<String>)> = Vec::new();
    let mut places: FxHashMap<(State, MarksId), usize> = FxHashMap::default();
    for edge in automaton.edges_from(state) {
        let place = *places.entry((edge.target, edge.marks)).or_insert_with(|| {
            groups.push((edge.target, edge.marks, Vec::new()));
            groups.len() - 1
        });
        groups[place]
            .2
            .push(cube_text(automaton, automaton.cube(edge.label)));
    }
    for (target, marks, labels) in groups {
        let marks: Vec<String> = automaton
            .marks(marks)
            .iter()
            .map(|m| m.0.to_string())
            .collect();
        let mut label = labels.join(" | ");
        if !marks.is_empty() {
            let _ = write!(label, "\n{{{}}}", marks.join(" "));
        }
        let _ = writeln!(
            out,
            "  {} -> {} [label={}]",
            state.0,
            target.0,
            quoted(&label)
        );
    }
}

/// A cube with the names of the propositions, `&` between literals; `1` for true.
pub fn cube_text(automaton: &Automaton, cube: &Cube) -> String {
    if cube.is_true() {
        return "1".into();
    }
    let literal = |l: crate::Literal| {
        let not = if l.positive { "" } else { "!" };
        format!("{not}{}", automaton.props()[l.prop.index()])
    };
    cube.literals().map(literal).collect::<Vec<_>>().join(" & ")
}

fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", escaped.replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Acceptance, Builder, Literal, Mark, MarkSet, Prop};

    #[test]
    fn a_small_graph() {
        let mut b = Builder::new(vec!["p".into(), "q\"".into()], Acceptance::streett(1));
        b.name = Some("GF p -> GF q".into());
        let s = b.add_state();
        b.add_initial(s);
        let literal = |i, positive| Literal {
            prop: Prop(i),
            positive,
        };
        b.add_conditional(Mark(0), literal(0, true));
        let cube = Cube::literal(literal(1, true));
        b.add_edge(s, &cube, &[Mark(1)].into_iter().collect(), s);
        b.add_edge(s, &cube.with(literal(1, false)), &MarkSet::EMPTY, s);
        let expected = r#"digraph automaton {
  rankdir=LR
  node [shape=circle]
  label="GF p -> GF q\nFin(0) | Inf(1)\n0 iff p"
  labelloc=t
  start0 [shape=point, style=invis]
  start0 -> 0
  0 [label="0"]
  0 -> 0 [label="q\"\n{1}"]
  0 -> 0 [label="!q\""]
}
"#;
        assert_eq!(write_dot(&b.build()), expected);
    }
}
