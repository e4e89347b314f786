//! Systems written in Rust: any type that implements [`Model`] is a fair system.
//!
//! A model says what its states are, which ones it starts in, and for each state the *complete*
//! list of steps out of it, each with the processes that take part and the action that each of them
//! executes. [`Foreign`] makes it [`Explicit`](crate::Explicit), so that every engine can run it:
//! which fairness items a step takes follows from its participants, an item is enabled where some
//! step takes it.
//!
//! Processes and actions are declared up front and numbered by their place in the declaration. A
//! step that names an undeclared one is a run-time error of the model, not a panic. States are kept
//! as bytes (see [`Pack`]), of any length.
//!
//! Two processes that take two locks in opposite orders, explored by a plain loop:
//!
//! ```
//! use std::collections::{HashSet, VecDeque};
//! use evenhand_system::model::{Foreign, Model, ModelAction, Steps};
//! use evenhand_system::{Explicit, Successors};
//!
//! struct TwoLocks;
//!
//! #[derive(Clone)]
//! struct State {
//!     /// How many locks each process has.
//!     held: [u8; 2],
//!     /// Who has each lock.
//!     owner: [Option<u8>; 2],
//! }
//! evenhand_system::pack_fields!(State { held, owner });
//!
//! impl Model for TwoLocks {
//!     type State = State;
//!
//!     fn processes(&self) -> Vec<String> {
//!         vec!["left".into(), "right".into()]
//!     }
//!
//!     fn actions(&self) -> Vec<ModelAction> {
//!         // Actions 0 and 1 belong to process 0, 2 and 3 to process 1.
//!         (0..2)
//!             .flat_map(|p| [ModelAction::new(p, "lock"), ModelAction::new(p, "release")])
//!             .collect()
//!     }
//!
//!     fn initial(&self) -> Vec<State> {
//!         vec![State { held: [0, 0], owner: [None, None] }]
//!     }
//!
//!     fn steps(&self, state: &State, steps: &mut Steps<State>) {
//!         for p in 0..2 {
//!             let mut next = state.clone();
//!             if state.held[p] < 2 {
//!                 // The left process begins with lock 0, the right one with lock 1.
//!                 let lock = (p + usize::from(state.held[p])) % 2;
//!                 if state.owner[lock].is_none() {
//!                     next.owner[lock] = Some(p as u8);
//!                     next.held[p] += 1;
//!                     steps.step(p, 2 * p, next);
//!                 }
//!             } else {
//!                 next.owner = [None, None];
//!                 next.held[p] = 0;
//!                 steps.step(p, 2 * p + 1, next);
//!             }
//!         }
//!     }
//! }
//!
//! let system = Foreign::new(TwoLocks)?;
//! let mut explorer = system.explorer(&[]);
//! let mut out = Successors::new();
//! explorer.initial(&mut out);
//! let mut seen: HashSet<Vec<u8>> = (0..out.len()).map(|i| out.state(i).to_vec()).collect();
//! let mut queue: VecDeque<Vec<u8>> = seen.iter().cloned().collect();
//! let mut deadlocks = Vec::new();
//! while let Some(state) = queue.pop_front() {
//!     explorer.expand(&state, &mut out);
//!     if out.is_empty() {
//!         deadlocks.push(explorer.describe(&state));
//!     }
//!     for i in 0..out.len() {
//!         if seen.insert(out.state(i).to_vec()) {
//!             queue.push_back(out.state(i).to_vec());
//!         }
//!     }
//! }
//! assert_eq!(seen.len(), 6);
//! assert_eq!(deadlocks.len(), 1); // each has one lock and wants the other
//! # Ok::<(), evenhand_system::model::ModelError>(())
//! ```

use evenhand_source::Span;

use crate::explicit::{FinishedRuns, Value};
use crate::fairness::{Compassion, PropositionId};
use crate::fault::FaultKind;
pub use crate::foreign::{Foreign, ModelError};
use crate::ids::{ActionId, ProcessId};
use crate::pack::Pack;

/// A system written in Rust. Several threads may ask it at once.
pub trait Model: Send + Sync {
    /// What a state is.
    type State: Clone + Pack + Send;

    /// How the model is called.
    fn name(&self) -> String {
        String::new()
    }

    /// The names of the processes; a process is known by its place here.
    fn processes(&self) -> Vec<String>;

    /// The actions; an action is known by its place here.
    fn actions(&self) -> Vec<ModelAction>;

    /// The states it may begin in.
    fn initial(&self) -> Vec<Self::State>;

    /// What goes wrong before there is an initial state.
    fn initial_faults(&self) -> Vec<FaultKind> {
        Vec::new()
    }

    /// All steps out of a state.
    fn steps(&self, state: &Self::State, steps: &mut Steps<Self::State>);

    /// Whether a state without steps is a proper end.
    fn is_valid_end(&self, state: &Self::State) -> bool {
        let _ = state;
        false
    }

    /// What runs that come to an end mean.
    fn finished_runs(&self) -> FinishedRuns {
        FinishedRuns::Stutter
    }

    /// The variables of a state as people know them.
    fn describe(&self, state: &Self::State) -> Vec<(String, Value)> {
        let _ = state;
        Vec::new()
    }

    /// Inputs with which a step leads from one state to another, as people know them.
    fn inputs(&self, from: &Self::State, to: &Self::State) -> Vec<(String, Value)> {
        let _ = (from, to);
        Vec::new()
    }

    /// For each action of a process that has no step from a state, the places of conditions that no step satisfies
    /// together, as far as the model can say.
    fn conflicts(&self, state: &Self::State, process: ProcessId) -> Vec<(ActionId, Vec<Span>)> {
        let _ = (state, process);
        Vec::new()
    }

    /// All inputs with which a step leads from one state to another, but at most `limit` of them.
    fn all_inputs(
        &self,
        from: &Self::State,
        to: &Self::State,
        limit: usize,
    ) -> Vec<Vec<(String, Value)>> {
        let _ = limit;
        let one = self.inputs(from, to);
        (!one.is_empty()).then_some(one).into_iter().collect()
    }

    /// The names of the propositions; a proposition is known by its place here.
    fn propositions(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether a proposition holds in a state.
    fn holds(&self, proposition: PropositionId, state: &Self::State) -> bool {
        let _ = (proposition, state);
        false
    }

    /// Whether a proposition holds in a state, for models in which one may have no value there. Engines ask this.
    ///
    /// # Errors
    /// What goes wrong where it has none: a division by zero, say.
    fn truth(&self, proposition: PropositionId, state: &Self::State) -> Result<bool, FaultKind> {
        Ok(self.holds(proposition, state))
    }

    /// Propositions that hold infinitely often on every fair run.
    fn justice(&self) -> Vec<PropositionId> {
        Vec::new()
    }

    /// Pairs of propositions: infinitely often the first implies infinitely often the second.
    fn compassion(&self) -> Vec<Compassion> {
        Vec::new()
    }

    /// Fairness assumptions about processes and actions, as text of the `--fair` option.
    fn fairness(&self) -> Vec<String> {
        Vec::new()
    }

    /// Properties that it should have: names, and formulas of linear time over its propositions.
    fn properties(&self) -> Vec<(String, String)> {
        Vec::new()
    }
}

/// An action of a [`Model`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelAction {
    /// The process it belongs to, by its place.
    pub process: usize,
    /// Its name: also its label in fairness assumptions.
    pub name: String,
}

impl ModelAction {
    /// An action of a process.
    pub fn new(process: usize, name: impl Into<String>) -> ModelAction {
        ModelAction {
            process,
            name: name.into(),
        }
    }
}

/// Receives the steps out of a state.
#[derive(Clone, Debug)]
pub struct Steps<S> {
    pub(crate) steps: Vec<ModelStep<S>>,
    pub(crate) participants: Vec<(ProcessId, ActionId)>,
    pub(crate) faults: Vec<FaultKind>,
}

#[derive(Clone, Debug)]
pub(crate) struct ModelStep<S> {
    pub target: S,
    /// Where its participants end.
    pub end: usize,
    pub violates: bool,
}

impl<S> Default for Steps<S> {
    fn default() -> Steps<S> {
        Steps {
            steps: Vec::new(),
            participants: Vec::new(),
            faults: Vec::new(),
        }
    }
}

impl<S> Steps<S> {
    /// A process executes an action: the places of both in the lists that the model declares.
    pub fn step(&mut self, process: usize, action: usize, target: S) {
        self.joint(&[(process, action)], target);
    }

    /// Several processes take part, each with an action of its own; the first one begins it.
    pub fn joint(&mut self, participants: &[(usize, usize)], target: S) {
        let named = participants.iter();
        self.joined(
            named.map(|&(process, action)| (ProcessId::new(process), ActionId::new(action))),
            target,
        );
    }

    /// The same for participants that are known by their numbers.
    pub(crate) fn joined(
        &mut self,
        participants: impl IntoIterator<Item = (ProcessId, ActionId)>,
        target: S,
    ) {
        self.participants.extend(participants);
        self.steps.push(ModelStep {
            target,
            end: self.participants.len(),
            violates: false,
        });
    }

    /// A process executes an action that breaks an assertion; the run goes on behind it.
    pub fn violation(&mut self, process: usize, action: usize, target: S) {
        self.step(process, action, target);
        if let Some(last) = self.steps.last_mut() {
            last.violates = true;
        }
    }

    /// Something goes wrong in this state, and the run ends there.
    pub fn fault(&mut self, kind: FaultKind) {
        self.faults.push(kind);
    }

    /// The steps received: participants and target of each.
    pub fn iter(&self) -> impl Iterator<Item = (&[(ProcessId, ActionId)], &S)> {
        self.steps.iter().enumerate().map(|(number, step)| {
            let start = number.checked_sub(1).map_or(0, |n| self.steps[n].end);
            (&self.participants[start..step.end], &step.target)
        })
    }

    pub(crate) fn clear(&mut self) {
        self.steps.clear();
        self.participants.clear();
        self.faults.clear();
    }
}
