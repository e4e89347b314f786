//! States from which every word is accepted.
//!
//! Once an automaton of bad runs is in such a state nothing can make the run good again: a finite
//! run is a counterexample. Found here are the largest set of states in which every letter has an
//! edge within the set that carries all Büchi marks, where no pair asks for anything. That is
//! sufficient, and for deterministic weak automata, in which safety properties end up, it is all of
//! them.

use crate::complete::missing_letters;
use crate::{Automaton, MarkSet, State};

/// For each state, whether every word is accepted from it, as far as that is easily seen.
pub fn universal_states(automaton: &Automaton) -> Vec<bool> {
    let acceptance = automaton.acceptance();
    let mut universal = vec![false; automaton.state_count()];
    if !acceptance.is_streett() || !automaton.conditionals().is_empty() {
        return universal;
    }
    let quiet = |marks: &MarkSet| {
        let mut pairs = acceptance.pairs.iter();
        acceptance.buchi.iter().all(|m| marks.contains(m))
            && pairs.all(|p| !marks.contains(p.request) || marks.contains(p.grant))
    };
    // Determinism is not asked for: one good edge for each letter is enough.
    universal.fill(true);
    loop {
        // Only the good edges, to see which letters they miss.
        let mut good = automaton.like();
        good.reserve_states(automaton.state_count());
        for edge in automaton.edges() {
            let marks = automaton.marks(edge.marks);
            if universal[edge.target.index()] && quiet(marks) {
                good.add_edge(edge.source, automaton.cube(edge.label), marks, edge.target);
            }
        }
        let good = good.build();
        let full = |s: State| missing_letters(&good, s).is_ok_and(|missing| missing.is_empty());
        let smaller: Vec<bool> = good
            .states()
            .map(|s| universal[s.index()] && full(s))
            .collect();
        if smaller == universal {
            return universal;
        }
        universal = smaller;
    }
}

/// Whether no letter leaves a choice, and there is one beginning.
pub fn is_deterministic(automaton: &Automaton) -> bool {
    automaton.initial().len() <= 1
        && automaton.states().all(|state| {
            let edges = automaton.edges_from(state);
            edges.iter().enumerate().all(|(number, e)| {
                let label = automaton.cube(e.label);
                let mut others = edges[number + 1..].iter();
                !others.any(|other| label.intersects(automaton.cube(other.label)))
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::translate::{Options, translate};
    use evenhand_logic::{Formulas, Spelling, parse};

    #[test]
    fn violated_safety_ends_in_a_universal_state() {
        let cases = [
            ("F p", 1),
            ("F (p & X q)", 1),
            ("(!p) U q", 1),
            ("G p", 0),
            ("F G p", 0),
            ("true", 1),
            ("F p & G F q", 0),
        ];
        for (text, count) in cases {
            let mut store = Formulas::new();
            let f = parse(&mut store, text, Spelling::Spot).expect("a formula");
            let found = translate(&mut store, f, &Options::streett()).expect("small");
            let universal = universal_states(&found.automaton);
            let seen = universal.iter().filter(|&&u| u).count();
            assert_eq!(seen, count, "{text}");
        }
    }
}
