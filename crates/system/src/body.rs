//! A system as a front-end hands it over, and what it can do.
//!
//! Every body can be explored state by state, unless it says why not. Some also come in transition
//! groups, and some are relations: that is for the engines to ask, and nobody asks for the language.
//! A body may have *inputs*: choices that belong to the steps. A question that is about inputs sees
//! states that say which input comes next; all others see states without.

use std::collections::BTreeSet;
use std::sync::Arc;

use evenhand_source::Span;

use crate::explicit::{Explicit, FinishedRuns, Value};
use crate::fairness::PropositionId;
use crate::fault::{Fault, FaultKind};
use crate::foreign::Foreign;
use crate::groups::Groups;
use crate::model::Model;
use crate::program::Program;
use crate::reduce::{Reduced, Reduction, Sight};
use crate::relation::{Refusal, Relation, VarId};
use crate::signature::Signature;

/// Inputs of a body, by number.
pub type Inputs = BTreeSet<VarId>;

/// A source of random numbers: one below the given bound, which is not 0.
pub type Dice<'d> = dyn FnMut(u64) -> u64 + 'd;

/// A random run.
pub struct RandomRun {
    /// The part of the system that the run uses.
    pub system: Box<dyn Explicit>,
    /// Its states.
    pub states: Vec<Vec<u8>>,
    /// How it ended.
    pub end: RandomEnd,
}

/// How a random run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RandomEnd {
    /// It has as many steps as were asked for.
    Long,
    /// Its last state has no successor, or there is no initial state.
    Stuck,
    /// What follows has no value.
    Fault(FaultKind),
    /// No step was found among so many trials: nobody knows whether there is one.
    Unknown(u64),
}

/// A run of the system itself that a run of states which stand for others is.
pub struct Lifted {
    /// The system in which each state stands for itself alone.
    pub system: Box<dyn Explicit>,
    /// Its states, one for each of the others.
    pub states: Vec<Vec<u8>>,
}

/// A condition of steps that was never met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unmet {
    /// Where it stands.
    pub span: Span,
    /// Whether it was evaluated, and never true.
    pub is_evaluated: bool,
}

/// How often an expression was evaluated while steps were looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evaluated {
    /// Where it stands.
    pub span: Span,
    /// How often it was evaluated.
    pub times: u64,
    /// How often it was true; of what is no condition, how often it was evaluated.
    pub met: u64,
}

/// What a search has evaluated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expressions {
    /// Expressions that were evaluated, in the order of the text.
    pub evaluated: Vec<Evaluated>,
    /// Conditions of steps that were never met, in the order of the text.
    pub unmet: Vec<Unmet>,
}

/// A fair system.
pub trait Body: Send + Sync {
    /// What it is about.
    fn signature(&self) -> &Signature;

    /// The system state by state, without inputs in its states.
    ///
    /// # Errors
    /// Where it cannot be explored that way.
    fn explicit(&self) -> Result<&dyn Explicit, Refusal>;

    /// How runs that end are read, unless the user says otherwise.
    fn finished_runs(&self) -> FinishedRuns {
        self.explicit()
            .map_or(FinishedRuns::default(), |system| system.finished_runs())
    }

    /// Its steps in groups.
    ///
    /// # Errors
    /// Where nothing is known about what steps read and write.
    fn groups(&self) -> Result<&dyn Groups, Refusal> {
        Err(Refusal::new(
            "the model has no transition groups: its steps come from code that reads whole states, \
             and are explored state by state only",
        ))
    }

    /// The same system with fewer steps and states, for a question that sees no more than this.
    ///
    /// # Errors
    /// Where nothing is known about the steps that would allow to leave some out.
    fn reduced<'a>(&'a self, sight: &Sight, how: Reduction) -> Result<Reduced<'a>, Refusal> {
        let _ = (sight, how);
        Err(Refusal::new(
            "it is not known which steps of the system depend on each other",
        ))
    }

    /// Whether it can prove that propositions have the same value in every reachable state.
    fn proves_constants(&self) -> bool {
        false
    }

    /// The value that a proposition has in every reachable state, where that can be proved without exploring them.
    fn constant(&self, proposition: PropositionId) -> Option<bool> {
        let _ = proposition;
        None
    }

    /// The system as constraints.
    ///
    /// # Errors
    /// Where it cannot be given that way.
    fn relation(&self) -> Result<&Relation, Refusal> {
        Err(Refusal::new("the system is not given by constraints"))
    }

    /// A random run of at most so many steps, where one can be found without listing all successors.
    fn draw(&self, dice: &mut Dice<'_>, steps: u64) -> Option<Result<RandomRun, Refusal>> {
        let _ = (dice, steps);
        None
    }

    /// The part of the system that consists of the positions of a run and the steps between them, where
    /// that can be had without listing all successors: for each position the variables and the inputs of the step out
    /// of it, and the position to which the last step returns.
    fn along(
        &self,
        positions: &[Vec<(String, Value)>],
        turn: Option<usize>,
    ) -> Option<Result<Box<dyn Explicit>, Refusal>> {
        let _ = (positions, turn);
        None
    }

    /// A smaller system in which states stand for others that are the same, where each state of this one stands for
    /// itself. It says the same about errors, ends and what holds in all states, and nothing about whole runs.
    fn quotient(&self) -> Option<Arc<dyn Body>> {
        None
    }

    /// Where states stand for others that are the same: the run of the system itself that a path of such
    /// states is, if one was found.
    fn lifted(&self, path: &[Vec<u8>]) -> Option<Option<Lifted>> {
        let _ = path;
        None
    }

    /// For each action of the signature, how many steps of it were found since this was asked before, where somebody
    /// counts.
    fn coverage(&self) -> Option<Vec<u64>> {
        None
    }

    /// From now on it is looked which expressions are evaluated, and which conditions of steps are met.
    fn look_at_expressions(&self) {}

    /// What was evaluated since somebody looked; nobody looks any more.
    fn expressions(&self) -> Expressions {
        Expressions::default()
    }

    /// What the system itself printed since this was asked before, line by line.
    fn printed(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether a condition on the whole exploration holds, now that it is over
    /// ([`What::Afterwards`](crate::What::Afterwards)).
    ///
    /// # Errors
    /// If the system has no such condition, or it has no value.
    fn concluded(&self, condition: PropositionId) -> Result<bool, Fault> {
        let _ = condition;
        let (kind, span) = (FaultKind::BadState, Default::default());
        Err(Fault { kind, span })
    }

    /// The inputs that some propositions are about.
    fn inputs_read(&self, propositions: &[PropositionId]) -> Inputs {
        let _ = propositions;
        Inputs::new()
    }

    /// The system state by state, with these inputs in its states.
    ///
    /// # Errors
    /// As [`Body::explicit`].
    fn with_inputs(&self, inputs: &Inputs) -> Result<Box<dyn Explicit>, Refusal> {
        let _ = inputs;
        Err(Refusal::new("the system has no inputs"))
    }

    /// What is left of such a state without the inputs.
    fn without_inputs(&self, inputs: &Inputs, state: &[u8]) -> Vec<u8> {
        let _ = inputs;
        state.to_vec()
    }
}

impl Body for Program {
    fn signature(&self) -> &Signature {
        Explicit::signature(self)
    }

    fn explicit(&self) -> Result<&dyn Explicit, Refusal> {
        Ok(self)
    }

    fn groups(&self) -> Result<&dyn Groups, Refusal> {
        Ok(self)
    }

    fn reduced<'a>(&'a self, sight: &Sight, how: Reduction) -> Result<Reduced<'a>, Refusal> {
        self.reduce(sight, how)
    }
}

impl<M: Model> Body for Foreign<M> {
    fn signature(&self) -> &Signature {
        Explicit::signature(self)
    }

    fn explicit(&self) -> Result<&dyn Explicit, Refusal> {
        Ok(self)
    }

    fn groups(&self) -> Result<&dyn Groups, Refusal> {
        Ok(self)
    }
}
