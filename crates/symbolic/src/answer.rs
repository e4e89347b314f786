//! What the engine says.

use std::time::Duration;

use evenhand_system::compose::Valuation;

/// A run of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The values of all variables, by their number, at each position. An input has the value that
    /// the step out of the position takes; at the end of a finite run it means nothing.
    pub states: Vec<Valuation>,
    /// The part of the relation that makes each step; the last step of a lasso goes back.
    pub parts: Vec<usize>,
    /// The position to which the step out of the last one returns; none for a finite run.
    pub turn: Option<usize>,
}

impl Run {
    /// A finite run, and one that begins in its last state.
    pub(crate) fn followed_by(mut self, rest: Run) -> Run {
        self.states.pop();
        self.turn = rest.turn.map(|turn| turn + self.states.len());
        self.states.extend(rest.states);
        self.parts.extend(rest.parts);
        self
    }
}

/// A number of states.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Count {
    /// Exactly, unless it is too large.
    pub exact: Option<u128>,
    /// About.
    pub about: f64,
}

/// What the user should know beside the verdict.
#[derive(Clone, Debug, PartialEq)]
pub enum Warning {
    /// Some reachable states have no successor: a shortest path to one.
    DeadEnd(Run),
    /// So many initial states have no fair run; a quantifier over their runs is about nothing.
    NoFairRun {
        /// How many.
        states: Count,
        /// Whether these are all initial states.
        all: bool,
    },
    /// A constraint has no value (a division by zero, no case) in a state that can be reached: a
    /// shortest path to one. Steps that depend on it do not exist here.
    Fault(Run),
}

/// How much was done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Rounds of fixpoints.
    pub rounds: u64,
    /// Operations on diagrams.
    pub operations: u64,
    /// The most nodes at once.
    pub peak_nodes: usize,
    /// How often garbage was collected.
    pub collections: u64,
    /// How often the order of the variables was improved.
    pub reorderings: u64,
    /// The bits of a state.
    pub bits: usize,
    /// The pieces that the steps are split into.
    pub pieces: usize,
    /// The time.
    pub time: Duration,
}

/// An answer: whether the property holds, and what shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Whether it holds.
    pub holds: bool,
    /// A run that shows that it does not; for `feasible` and for `E` formulas, that it does.
    pub run: Option<Run>,
    /// What the user should know.
    pub warnings: Vec<Warning>,
    /// Whether all final sets were held against their equations.
    pub solved: bool,
    /// How much was done.
    pub statistics: Statistics,
}

/// What can be reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Reachable {
    /// The number of states.
    pub states: Count,
    /// The number of initial states.
    pub initial: Count,
    /// What the user should know.
    pub warnings: Vec<Warning>,
    /// How much was done.
    pub statistics: Statistics,
}
