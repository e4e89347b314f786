//! Fewer edges: labels that can be joined.
//!
//! Parallel edges with the same marks are a disjunction of cubes. A cube that implies another is
//! dropped, two cubes that differ in one literal's sign become one without it, and again until
//! nothing changes. Not the minimum (that is NP-hard), but what constructions typically leave
//! behind.

use evenhand_source::spend;

use crate::{Automaton, Cube, MarksId, State};
use rustc_hash::FxHashMap;

/// The automaton with parallel edges joined.
pub fn merge_edges(automaton: &Automaton) -> Automaton {
    let mut builder = automaton.like();
    builder.add_states_of(automaton);
    builder.add_initial_of(automaton);
    for state in automaton.states() {
        let mut groups: Vec<(State, MarksId, Vec<Cube>)> = Vec::new();
        let mut places: FxHashMap<(State, MarksId), usize> = FxHashMap::default();
        for edge in automaton.edges_from(state) {
            let place = *places.entry((edge.target, edge.marks)).or_insert_with(|| {
                groups.push((edge.target, edge.marks, Vec::new()));
                groups.len() - 1
            });
            groups[place].2.push(automaton.cube(edge.label).clone());
        }
        for (target, marks, cubes) in groups {
            for cube in join(cubes) {
                builder.add_edge(state, &cube, automaton.marks(marks), target);
            }
        }
    }
    builder.build()
}

/// Cubes with the same disjunction, fewer if possible.
pub(crate) fn join(cubes: Vec<Cube>) -> Vec<Cube> {
    // Beyond this the quadratic search would cost more than it gains.
    if cubes.len() < 2 || cubes.len() > 512 {
        return cubes;
    }
    let mut kept: Vec<Cube> = Vec::new();
    let mut todo: Vec<Cube> = cubes.into_iter().rev().collect();
    while let Some(cube) = todo.pop() {
        spend();
        if kept.iter().any(|k| cube.implies(k)) {
            continue;
        }
        kept.retain(|k| !k.implies(&cube));
        let partner = kept
            .iter()
            .position(|k| without_difference(k, &cube).is_some());
        match partner {
            Some(i) => {
                let other = kept.remove(i);
                todo.extend(without_difference(&other, &cube));
            }
            None => kept.push(cube),
        }
    }
    kept
}

/// The disjunction of two cubes that differ in the sign of one literal alone.
fn without_difference(a: &Cube, b: &Cube) -> Option<Cube> {
    let clash = a
        .positive()
        .intersection(b.negative())
        .union(&a.negative().intersection(b.positive()));
    if clash.len() != 1 {
        return None;
    }
    let prop = crate::Prop::new(clash.first()?);
    let (a, b) = (a.without(prop), b.without(prop));
    (a == b).then_some(a)
}
