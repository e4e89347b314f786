//! States that lie on no cycle and accept what another state accepts.
//!
//! The first step of a run is taken once, so its marks do not matter: if the edges of s and of t
//! cover each other's letters with targets that simulate each other's, marks aside, both accept the
//! same words. Simulation alone misses this when the marks differ, as they do between a state on a
//! cycle and the copy of it that only starts runs. If s lies on no cycle, the edges into s may lead
//! to t instead, provided t cannot reach s: no new cycle arises.

use super::ReduceLimits;
use super::simulation::{Direction, Relation};
use crate::decision::is_covered;
use crate::{Automaton, Cube, State, components};

/// The automaton with the edges into such states led elsewhere; the states themselves become
/// unreachable.
pub fn merge_transient_states(automaton: &Automaton, limits: &ReduceLimits) -> Automaton {
    if automaton.state_count() > limits.states {
        return automaton.clone();
    }
    let components = components(automaton);
    let transient: Vec<State> = (0..components.count())
        .filter(|&c| !components.is_cyclic(automaton, c))
        .map(|c| components.members(c)[0])
        .collect();
    if transient.is_empty() {
        return automaton.clone();
    }
    let relation = Relation::compute(automaton, Direction::Forward, limits.comparisons);
    let Some(relation) = relation else {
        return automaton.clone();
    };
    let mut instead: Vec<State> = automaton.states().collect();
    for &s in &transient {
        // Successors have smaller numbers: a component with a smaller number cannot reach s.
        let below = |t: &State| components.of(*t) < components.of(s) && components.of(*t).is_some();
        let same = |t: &State| {
            first_step_covered(automaton, &relation, s, *t)
                && first_step_covered(automaton, &relation, *t, s)
        };
        if let Some(t) = automaton.states().find(|t| below(t) && same(t)) {
            instead[s.index()] = t;
        }
    }
    // A replacement may itself be replaced; numbers of components fall, so this ends.
    let resolve = |mut s: State| {
        while instead[s.index()] != s {
            s = instead[s.index()];
        }
        s
    };
    let mut builder = automaton.like();
    builder.add_states_of(automaton);
    automaton
        .initial()
        .iter()
        .for_each(|&s| builder.add_initial(resolve(s)));
    for edge in automaton.edges() {
        let (cube, marks) = (automaton.cube(edge.label), automaton.marks(edge.marks));
        builder.add_edge(edge.source, cube, marks, resolve(edge.target));
    }
    builder.build()
}

fn first_step_covered(automaton: &Automaton, relation: &Relation, s: State, t: State) -> bool {
    automaton.edges_from(s).iter().all(|edge| {
        let answers: Vec<&Cube> = (automaton.edges_from(t).iter())
            .filter(|other| relation.holds(edge.target, other.target))
            .map(|other| automaton.cube(other.label))
            .collect();
        is_covered(automaton.cube(edge.label), &answers, &mut 200)
    })
}
