//! Automata beside each other: the words of any of them.
//!
//! A run starts in one of the automata and stays there, so shapes of runs are kept: beside each other,
//! tight automata are a tight one.

use std::collections::HashMap;

use evenhand_logic::FormulaId;

use crate::translate::Translation;
use crate::{Acceptance, Bits, Builder, Cube, Mark, MarkSet, State};

/// The words of any of some automata with generalized Büchi conditions; none where one has another
/// condition, or there is no automaton.
pub fn beside(parts: &[Translation]) -> Option<Translation> {
    let automata = || parts.iter().map(|part| &part.automaton);
    let is_plain =
        |marks: usize, acceptance: &Acceptance| *acceptance == Acceptance::generalized_buchi(marks);
    if !automata().all(|a| is_plain(a.mark_count(), a.acceptance()) && a.conditionals().is_empty())
    {
        return None;
    }
    let marks = automata().map(|a| a.mark_count()).max()?;
    let mut propositions: Vec<FormulaId> = Vec::new();
    let mut known: HashMap<FormulaId, usize> = HashMap::new();
    let mut names = Vec::new();
    for part in parts {
        for (&proposition, name) in part.propositions.iter().zip(part.automaton.props()) {
            known.entry(proposition).or_insert_with(|| {
                propositions.push(proposition);
                names.push(name.clone());
                propositions.len() - 1
            });
        }
    }
    let mut builder = Builder::new(names, Acceptance::generalized_buchi(marks));
    for part in parts {
        let automaton = &part.automaton;
        let place = |p: usize| known[&part.propositions[p]];
        let moved = |bits: &Bits| bits.iter().map(place).collect::<Bits>();
        let first = builder.state_count();
        let state = |own: State| State::new(first + own.index());
        // One with fewer marks carries the others everywhere.
        let more = (automaton.mark_count()..marks).map(Mark::new);
        builder.add_states_of(automaton);
        for &own in automaton.initial() {
            builder.add_initial(state(own));
        }
        for edge in automaton.edges() {
            let cube = automaton.cube(edge.label);
            let label = Cube::new(moved(cube.positive()), moved(cube.negative()))?;
            let own = automaton.marks(edge.marks).iter();
            let all: MarkSet = own.chain(more.clone()).collect();
            builder.add_edge(state(edge.source), &label, &all, state(edge.target));
        }
    }
    Some(Translation {
        automaton: builder.build(),
        propositions,
    })
}
