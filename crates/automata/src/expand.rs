//! Expanding conditional marks: the table becomes marks on edges.
//!
//! An edge whose label leaves a proposition of the table open is split in two, once per such
//! proposition whose marks it does not carry anyway. That is exponential in the propositions of the
//! table, which is why the table exists: use this for output to tools that have no such table, and
//! for constructions that need to see each step, and give a limit.

use evenhand_source::spend;

use crate::{Automaton, Builder, Cube, Edge, LimitExceeded, MarkSet};

/// An automaton with the same language without conditional marks, of at most `edge_limit` edges.
pub fn expand_conditional_marks(
    automaton: &Automaton,
    edge_limit: usize,
) -> Result<Automaton, LimitExceeded> {
    if automaton.conditionals().is_empty() {
        return Ok(automaton.clone());
    }
    let mut builder = Builder::new(automaton.props().to_vec(), automaton.acceptance().clone());
    builder.name = automaton.name().map(str::to_owned);
    builder.reserve_marks(automaton.mark_count());
    builder.add_states_of(automaton);
    builder.add_initial_of(automaton);
    for edge in automaton.edges() {
        for (cube, marks) in steps(automaton, edge) {
            builder.add_edge(edge.source, &cube, &marks, edge.target);
            if builder.edge_count() > edge_limit {
                return Err(LimitExceeded {
                    what: "edges after expanding conditional marks",
                    limit: edge_limit,
                });
            }
        }
    }
    Ok(builder.build())
}

/// The edge split by what the table says: disjoint cubes, each with all its marks. Lazy, since
/// there may be very many.
fn steps<'a>(automaton: &'a Automaton, edge: &Edge) -> impl Iterator<Item = (Cube, MarkSet)> + 'a {
    let start = (
        automaton.cube(edge.label).clone(),
        automaton.marks(edge.marks).clone(),
    );
    let mut todo = vec![start];
    std::iter::from_fn(move || {
        while let Some((cube, mut marks)) = todo.pop() {
            spend();
            // Decided conditions first, so that a mark that is set anyway splits nothing.
            for c in automaton.conditionals() {
                if cube.value(c.literal.prop) == Some(c.literal.positive) {
                    marks.insert(c.mark);
                }
            }
            let mut table = automaton.conditionals().iter();
            let open =
                table.find(|c| cube.value(c.literal.prop).is_none() && !marks.contains(c.mark));
            let Some(c) = open else {
                return Some((cube, marks));
            };
            todo.push((cube.with(c.literal.negated()), marks.clone()));
            todo.push((cube.with(c.literal), marks));
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accepts;
    use crate::testing::*;

    #[test]
    fn expansion_keeps_the_language() {
        let mut random = Random::new(53);
        let words = short_words(2, 1, 2);
        for _ in 0..cases(200) {
            let acceptance = random_acceptance(&mut random);
            let a = random_automaton(&mut random, 1..=3, 1..=7, 2, acceptance);
            let a = with_random_conditionals(&mut random, &a);
            let b = expand_conditional_marks(&a, 1000).unwrap();
            assert!(b.conditionals().is_empty());
            for w in &words {
                assert_eq!(accepts(&a, w), accepts(&b, w));
            }
            if b.edge_count() > a.edge_count() {
                assert!(expand_conditional_marks(&a, a.edge_count()).is_err());
            }
        }
    }
}
