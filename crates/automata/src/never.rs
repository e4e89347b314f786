//! Promela never claims.
//!
//! A never claim is a Büchi automaton with acceptance on states, one label per state: those that
//! accept begin with `accept`, the first is where the claim starts. Any generalized Büchi automaton
//! is converted ([`state_based_buchi`]). SPIN starts in one state: several initial states get a
//! common start that copies their edges.

use crate::{Automaton, Cube, DegeneralizeError, Mark, State, state_based_buchi};
use std::fmt::Write;

/// The automaton as a never claim.
pub fn write_never_claim(
    automaton: &Automaton,
    edge_limit: usize,
) -> Result<String, DegeneralizeError> {
    let claim = single_start(&state_based_buchi(automaton, edge_limit)?);
    let mut out = String::from("never {");
    if let Some(name) = claim.name() {
        let _ = write!(out, " /* {} */", name.replace("*/", "* /"));
    }
    out.push('\n');
    let Some(&start) = claim.initial().first() else {
        out.push_str("T0_init:\n  false;\n}\n");
        return Ok(out);
    };
    let mut order: Vec<State> = claim.states().collect();
    order.sort_by_key(|s| *s != start);
    for state in order {
        let _ = writeln!(out, "{}:", label(&claim, start, state));
        let edges = claim.edges_from(state);
        if edges.is_empty() {
            out.push_str("  false;\n");
            continue;
        }
        out.push_str("  do\n");
        for edge in edges {
            let guard = guard(&claim, claim.cube(edge.label));
            let _ = writeln!(
                out,
                "  :: ({guard}) -> goto {}",
                label(&claim, start, edge.target)
            );
        }
        out.push_str("  od;\n");
    }
    out.push_str("}\n");
    Ok(out)
}

fn label(claim: &Automaton, start: State, state: State) -> String {
    let edges = claim.edges_from(state);
    let accepting = edges.iter().any(|e| claim.marks(e.marks).contains(Mark(0)));
    let kind = if accepting { "accept" } else { "T0" };
    match state == start {
        true => format!("{kind}_init"),
        false => format!("{kind}_S{}", state.0),
    }
}

fn guard(claim: &Automaton, cube: &Cube) -> String {
    if cube.is_true() {
        return "1".into();
    }
    let literal = |l: crate::Literal| {
        let name = &claim.props()[l.prop.index()];
        let word = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let name = if word {
            name.clone()
        } else {
            format!("({name})")
        };
        if l.positive { name } else { format!("!{name}") }
    };
    cube.literals()
        .map(literal)
        .collect::<Vec<_>>()
        .join(" && ")
}

fn single_start(claim: &Automaton) -> Automaton {
    if claim.initial().len() < 2 {
        return claim.clone();
    }
    let mut builder = claim.like();
    builder.add_states_of(claim);
    let start = builder.add_state();
    builder.add_initial(start);
    for edge in claim.edges() {
        let cube = claim.cube(edge.label);
        builder.add_edge(edge.source, cube, claim.marks(edge.marks), edge.target);
        if claim.initial().contains(&edge.source) {
            builder.add_edge(start, cube, &crate::MarkSet::EMPTY, edge.target);
        }
    }
    builder.build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::*;
    use crate::{Acceptance, Builder, Literal, MarkSet, Prop, accepts};

    #[test]
    fn infinitely_often_p() {
        let mut b = Builder::new(vec!["x > 1".into()], Acceptance::generalized_buchi(1));
        b.name = Some("G F \"x > 1\"".into());
        let s = b.add_state();
        b.add_initial(s);
        let p = Literal {
            prop: Prop(0),
            positive: true,
        };
        b.add_edge(s, &Cube::literal(p), &MarkSet::below(1), s);
        b.add_edge(s, &Cube::literal(p.negated()), &MarkSet::EMPTY, s);
        let expected = "never { /* G F \"x > 1\" */\nT0_init:\n  do\n  \
                        :: ((x > 1)) -> goto accept_S1\n  \
                        :: (!(x > 1)) -> goto T0_init\n  od;\naccept_S1:\n  do\n  \
                        :: ((x > 1)) -> goto accept_S1\n  \
                        :: (!(x > 1)) -> goto T0_init\n  od;\n}\n";
        assert_eq!(write_never_claim(&b.build(), 100).unwrap(), expected);
    }

    #[test]
    fn one_start_for_several_keeps_the_language() {
        let mut random = Random::new(91);
        let words = short_words(2, 1, 2);
        for _ in 0..cases(60) {
            let mut b = random_automaton(
                &mut random,
                2..=4,
                2..=9,
                2,
                Acceptance::generalized_buchi(1),
            )
            .to_builder();
            b.add_initial(State(1));
            let claim = state_based_buchi(&b.build(), 1000).unwrap();
            let single = single_start(&claim);
            assert_eq!(single.initial().len(), 1);
            for w in &words {
                assert_eq!(accepts(&claim, w), accepts(&single, w));
            }
        }
    }
}
