//! Completion: every state has an edge for every letter.
//!
//! The letters that a state lacks lead to a sink that rejects. A sink must reject under any
//! condition and whatever letters set conditional marks: it lacks a Büchi mark that no letter can
//! set (one is added to all other edges if there is none), so the language stays.

use crate::decision::Decisions;
use crate::{Automaton, Cube, LimitExceeded, Mark, MarkSet, State};

/// A complete automaton with the same language; the same automaton if nothing is missing.
pub fn complete(automaton: &Automaton) -> Result<Automaton, LimitExceeded> {
    let mut missing: Vec<(State, Cube)> = Vec::new();
    for state in automaton.states() {
        missing.extend(
            missing_letters(automaton, state)?
                .into_iter()
                .map(|c| (state, c)),
        );
    }
    if missing.is_empty() && !automaton.initial().is_empty() {
        return Ok(automaton.clone());
    }
    let mut builder = automaton.like();
    let settable = |m: &Mark| automaton.conditionals().iter().any(|c| c.mark == *m);
    let fresh = if automaton.acceptance().buchi.iter().any(|m| !settable(&m)) {
        None
    } else {
        let mark = builder.add_mark();
        let mut acceptance = automaton.acceptance().clone();
        acceptance.buchi.insert(mark);
        builder.set_acceptance(acceptance);
        Some(mark)
    };
    builder.add_states_of(automaton);
    let sink = builder.add_state();
    builder.add_initial_of(automaton);
    if automaton.initial().is_empty() {
        builder.add_initial(sink);
    }
    for edge in automaton.edges() {
        let mut marks = automaton.marks(edge.marks).clone();
        fresh.into_iter().for_each(|m| marks.insert(m));
        builder.add_edge(edge.source, automaton.cube(edge.label), &marks, edge.target);
    }
    for (state, cube) in missing {
        builder.add_edge(state, &cube, &MarkSet::EMPTY, sink);
    }
    builder.add_edge(sink, &Cube::TRUE, &MarkSet::EMPTY, sink);
    Ok(builder.build())
}

/// The letters for which a state has no edge, as disjoint cubes.
pub fn missing_letters(automaton: &Automaton, state: State) -> Result<Vec<Cube>, LimitExceeded> {
    let edges = automaton.edges_from(state);
    if edges.iter().any(|e| automaton.cube(e.label).is_true()) {
        return Ok(Vec::new());
    }
    let items: Vec<(Cube, u32)> = edges
        .iter()
        .map(|e| (automaton.cube(e.label).clone(), 0))
        .collect();
    let mut decisions = Decisions::default();
    let covered = decisions.of_cubes(&items, &mut |present| u32::from(!present.is_empty()))?;
    let paths = decisions.paths(covered).into_iter();
    Ok(paths.filter(|(_, v)| *v == 0).map(|(c, _)| c).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::*;
    use crate::{Bits, Letter, accepts};

    #[test]
    fn completion_adds_edges_and_no_words() {
        let mut random = Random::new(51);
        let words = short_words(2, 1, 2);
        for _ in 0..cases(150) {
            let acceptance = random_acceptance(&mut random);
            let mut a = random_automaton(&mut random, 1..=3, 1..=7, 2, acceptance);
            if random.chance(40) {
                a = with_random_conditionals(&mut random, &a);
            }
            let c = complete(&a).unwrap();
            for s in c.states() {
                for w in 0..4 {
                    let letter = Letter(Bits::from_word(w));
                    let mut edges = c.edges_from(s).iter();
                    assert!(edges.any(|e| c.cube(e.label).matches(&letter)));
                }
            }
            for w in &words {
                assert_eq!(accepts(&a, w), accepts(&c, w), "{a:?}");
            }
        }
    }
}
