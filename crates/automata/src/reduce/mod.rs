//! Smaller automata for the same language.
//!
//! [`reduce`] runs the reductions of this folder round after round while the automaton shrinks:
//! useless states, [acceptance marks](simplify_acceptance) that say nothing new, edges and states
//! that others simulate. All are exact: the language stays. All are bounded: what would cost too
//! much on a large automaton is skipped.

mod edges;
mod marks;
mod simulation;
mod transient;

pub use edges::merge_edges;
pub use marks::simplify_acceptance;
pub use simulation::{Direction, simulation_quotient};
pub use transient::merge_transient_states;

use crate::{Automaton, trim};

/// How much work a reduction may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReduceLimits {
    /// Automata with more states are not searched for simulations (the relation is a square).
    pub states: usize,
    /// Comparisons of edges per search; when they run out the search is given up.
    pub comparisons: usize,
    /// Rounds of all reductions.
    pub rounds: usize,
}

impl Default for ReduceLimits {
    fn default() -> ReduceLimits {
        ReduceLimits {
            states: 2000,
            comparisons: 20_000_000,
            rounds: 6,
        }
    }
}

/// A smaller automaton with the same language, or the same.
pub fn reduce(automaton: &Automaton, limits: &ReduceLimits) -> Automaton {
    let mut best = merge_edges(&simplify_acceptance(&trim(automaton)));
    for _ in 0..limits.rounds {
        let size = |a: &Automaton| (a.state_count(), a.edge_count(), a.mark_count());
        let mut next = best.clone();
        for direction in [Direction::Forward, Direction::Backward] {
            next = simulation_quotient(&next, direction, limits);
            next = merge_edges(&simplify_acceptance(&trim(&next)));
        }
        next = merge_edges(&trim(&merge_transient_states(&next, limits)));
        if size(&next) >= size(&best) {
            break;
        }
        best = next;
    }
    best
}

#[cfg(test)]
mod tests;
