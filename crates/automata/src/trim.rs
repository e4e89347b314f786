//! Trimming: only states that some accepting run visits stay.
//!
//! A state is useful iff it is reachable and some component with an accepting core can be reached
//! from it. Components are numbered with successors first, so one pass in that order decides all of
//! them. Cost: that of an emptiness check of every component.

use crate::emptiness::core_of_component;
use crate::{Automaton, State, components};

/// The automaton without its useless states; the numbering of the others keeps its order.
pub fn trim(automaton: &Automaton) -> Automaton {
    let components = components(automaton);
    let mut useful = vec![false; components.count()];
    for c in 0..components.count() {
        let leads_on = components.members(c).iter().any(|&s| {
            let mut targets = automaton
                .edges_from(s)
                .iter()
                .filter_map(|e| components.of(e.target));
            targets.any(|t| t != c && useful[t])
        });
        useful[c] = leads_on || core_of_component(automaton, &components, c).is_some();
    }
    keep_states(automaton, |s| components.of(s).is_some_and(|c| useful[c]))
}

/// The automaton restricted to some states.
pub(crate) fn keep_states(automaton: &Automaton, keep: impl Fn(State) -> bool) -> Automaton {
    let mut builder = automaton.like();
    let mut place: Vec<Option<State>> = vec![None; automaton.state_count()];
    for state in automaton.states().filter(|&s| keep(s)) {
        place[state.index()] = Some(builder.add_named_state(automaton.state_name(state)));
    }
    for state in automaton.initial() {
        if let Some(s) = place[state.index()] {
            builder.add_initial(s);
        }
    }
    for e in automaton.edges() {
        if let (Some(source), Some(target)) = (place[e.source.index()], place[e.target.index()]) {
            builder.add_edge(
                source,
                automaton.cube(e.label),
                automaton.marks(e.marks),
                target,
            );
        }
    }
    builder.build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accepts;
    use crate::emptiness::is_empty;
    use crate::testing::*;

    #[test]
    fn trimming_keeps_the_language_and_only_useful_states() {
        let mut random = Random::new(52);
        let words = short_words(2, 1, 2);
        for _ in 0..cases(200) {
            let acceptance = random_acceptance(&mut random);
            let a = random_automaton(&mut random, 1..=6, 1..=9, 2, acceptance);
            let t = trim(&a);
            for w in &words {
                assert_eq!(accepts(&a, w), accepts(&t, w));
            }
            assert_eq!(t.state_count() == 0, is_empty(&a));
            for s in t.states() {
                let mut from_here = t.like();
                from_here.reserve_states(t.state_count());
                from_here.add_initial(s);
                for e in t.edges() {
                    from_here.add_edge(e.source, t.cube(e.label), t.marks(e.marks), e.target);
                }
                assert!(!is_empty(&from_here.build()));
            }
        }
    }
}
