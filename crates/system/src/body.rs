//! A system as a front-end hands it over, and what it can do.
//!
//! Every body can be explored state by state, unless it says why not. Some also come in transition
//! groups, and some are relations: that is for the engines to ask, and nobody asks for the language.
//! A body may have *inputs*: choices that belong to the steps. A question that is about inputs sees
//! states that say which input comes next; all others see states without.

use std::collections::BTreeSet;

use crate::explicit::{Explicit, FinishedRuns};
use crate::fairness::PropositionId;
use crate::foreign::Foreign;
use crate::groups::Groups;
use crate::model::Model;
use crate::program::Program;
use crate::relation::{Refusal, Relation, VarId};
use crate::signature::Signature;

/// Inputs of a body, by number.
pub type Inputs = BTreeSet<VarId>;

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

    /// Its steps in groups, where it has them.
    fn groups(&self) -> Option<&dyn Groups> {
        None
    }

    /// The system as constraints.
    ///
    /// # Errors
    /// Where it cannot be given that way.
    fn relation(&self) -> Result<&Relation, Refusal> {
        Err(Refusal::new("the system is not given by constraints"))
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

    fn groups(&self) -> Option<&dyn Groups> {
        Some(self)
    }
}

impl<M: Model> Body for Foreign<M> {
    fn signature(&self) -> &Signature {
        Explicit::signature(self)
    }

    fn explicit(&self) -> Result<&dyn Explicit, Refusal> {
        Ok(self)
    }

    fn groups(&self) -> Option<&dyn Groups> {
        Some(self)
    }
}
