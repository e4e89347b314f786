//! Composition of fair systems.
//!
//! A [`FairSystem`] here is the fair discrete system of Kesten, Pnueli, Raviv and Shahar with its
//! states in the open: a state is a valuation of named variables, and two systems share a variable
//! iff both have one of that name. That is what composition needs to see and a packed state hides.
//! Three operations build larger systems from smaller ones, each in a file of its own:
//!
//! - [`Asynchronous`]: one component moves, the private variables of the other keep their values;
//! - [`Synchronous`]: both move at once and agree on the shared variables;
//! - [`Product`]: automata that move together on the symbols they share and alone on the others
//!   (Malinen and Luukkainen, definition 5).
//!
//! All of them compute successors on demand from those of the components, so a composition costs
//! nothing until it is explored, and compositions nest. In each the justice and compassion are
//! those of the components together. [`Valued`] makes a model of a fair system, and thereby a body
//! for the engines; [`FairGraph`] is a fair system as plain data.

mod asynchronous;
mod graph;
mod join;
mod product;
mod synchronous;
mod valued;

pub use asynchronous::Asynchronous;
pub use graph::{FairGraph, TooManyStates};
pub use product::{Automaton, Buchi, Product, SymbolId};
pub use synchronous::Synchronous;
pub use valued::{PackedValuation, Valued};

pub use crate::ids::{ActionId, ProcessId};

use crate::fairness::{Compassion, PropositionId};

/// The values of a system's variables, in the order of [`FairSystem::variables`].
pub type Valuation = Vec<i64>;

/// A step out of a state.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move {
    /// Who takes part with which action; the first one begins the step.
    pub participants: Vec<(ProcessId, ActionId)>,
    /// Where it leads.
    pub target: Valuation,
}

/// A fair discrete system whose states are valuations of named variables.
pub trait FairSystem {
    /// The names of the variables, no two the same.
    fn variables(&self) -> Vec<String>;

    /// The names of the processes.
    fn processes(&self) -> Vec<String>;

    /// The actions: a process and a name each.
    fn actions(&self) -> Vec<(ProcessId, String)>;

    /// The initial states.
    fn initial(&self) -> Vec<Valuation>;

    /// All steps out of a state. None for a valuation that is not a state of the system.
    fn moves(&self, state: &[i64]) -> Vec<Move>;

    /// The names of the propositions.
    fn propositions(&self) -> Vec<String>;

    /// Whether a proposition holds in a state.
    fn holds(&self, proposition: PropositionId, state: &[i64]) -> bool;

    /// Propositions that a fair run meets infinitely often.
    fn justice(&self) -> Vec<PropositionId>;

    /// Pairs: a fair run that meets the first infinitely often meets the second so too.
    fn compassion(&self) -> Vec<Compassion>;
}

impl<S: FairSystem + ?Sized> FairSystem for &S {
    fn variables(&self) -> Vec<String> {
        (**self).variables()
    }
    fn processes(&self) -> Vec<String> {
        (**self).processes()
    }
    fn actions(&self) -> Vec<(ProcessId, String)> {
        (**self).actions()
    }
    fn initial(&self) -> Vec<Valuation> {
        (**self).initial()
    }
    fn moves(&self, state: &[i64]) -> Vec<Move> {
        (**self).moves(state)
    }
    fn propositions(&self) -> Vec<String> {
        (**self).propositions()
    }
    fn holds(&self, proposition: PropositionId, state: &[i64]) -> bool {
        (**self).holds(proposition, state)
    }
    fn justice(&self) -> Vec<PropositionId> {
        (**self).justice()
    }
    fn compassion(&self) -> Vec<Compassion> {
        (**self).compassion()
    }
}
