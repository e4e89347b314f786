//! Claims: property automata whose edges ask about the state of a system.
//!
//! A claim reads the states of a run one after the other, the initial state first. In the state `s`
//! it takes an edge whose guard holds in `s`; then the system moves on, or, where the run has
//! ended, stays where it is if [`ClaimAutomaton::stutter`] says so. It describes the *bad* runs: a
//! run is bad if the claim can read it for ever and comes through an accepting state infinitely
//! often, or if the claim can come to a state that ends it, whatever follows. Where no edge fits,
//! this way of reading the run is over and nothing bad was found on it.
//!
//! A never claim of Promela is one; so are the questions whether some process is at an `accept`
//! label again and again, or never again at a `progress` label. It differs from an omega-automaton
//! in that its guards are few literals over propositions of the system, and in the states that end
//! it.

use crate::fairness::PropositionId;

/// A property automaton over propositions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimAutomaton {
    /// What its guards speak about.
    pub propositions: Vec<PropositionId>,
    /// Where it begins: an index into `states`.
    pub initial: usize,
    /// Its states.
    pub states: Vec<ClaimState>,
    /// Whether it goes on reading the last state of a run that has ended.
    pub stutter: bool,
}

/// A state of a [`ClaimAutomaton`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimState {
    /// A run that comes here infinitely often is bad.
    pub accept: bool,
    /// A run that comes here is bad, whatever follows; also if it has ended by then.
    pub end: bool,
    /// The ways on.
    pub edges: Vec<ClaimEdge>,
}

/// An edge of a [`ClaimAutomaton`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimEdge {
    /// Literals that must all hold: indices into [`ClaimAutomaton::propositions`], sorted, and the
    /// wanted values.
    pub guard: Vec<(usize, bool)>,
    /// Where it leads.
    pub target: usize,
}

impl ClaimAutomaton {
    /// The states that it can be in after reading, from a set of states, a state of the system in
    /// which the propositions have these values: sorted, each once.
    pub fn step(&self, from: &[usize], values: &[bool]) -> Vec<usize> {
        let mut after: Vec<usize> = from
            .iter()
            .flat_map(|&state| &self.states[state].edges)
            .filter(|edge| edge.guard.iter().all(|&(p, value)| values[p] == value))
            .map(|edge| edge.target)
            .collect();
        after.sort_unstable();
        after.dedup();
        after
    }
}
