//! Fairness assumptions with their names resolved.
//!
//! What a user writes (`--fair strong:phil`) speaks about types of processes and labels; what an
//! engine needs is a list of items that can be enabled and taken, and of state propositions, each
//! with the kind of fairness that is assumed of it. One text may make many assumptions: an item
//! belongs to one process *instance*. A front-end resolves the texts; this is what comes out.

use crate::fairness::PropositionId;
use crate::signature::ItemSpec;

/// A resolved fairness assumption about one instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumption {
    /// What is assumed, of one instance: `strong:phil[2]@take`.
    pub text: String,
    /// The assumption as it was given, perhaps about many instances: `strong:phil@take`.
    pub source: String,
    /// What it means.
    pub kind: AssumptionKind,
}

/// What a fairness assumption demands of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AssumptionKind {
    /// An item (an index into [`Fairness::items`]) that is enabled from some point on is taken
    /// infinitely often.
    Weak(usize),
    /// An item that is enabled infinitely often is taken infinitely often.
    Strong(usize),
    /// The proposition holds infinitely often.
    Justice(PropositionId),
    /// If the first proposition holds infinitely often, so does the second.
    Compassion {
        /// Infinitely often this …
        when: PropositionId,
        /// … implies infinitely often that.
        then: PropositionId,
    },
}

/// The fairness assumptions of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fairness {
    /// What can be enabled and taken.
    pub items: Vec<ItemSpec>,
    /// What is assumed.
    pub assumptions: Vec<Assumption>,
    /// Items exist only for process numbers below this one; `None` if they exist for all.
    pub pid_bound: Option<usize>,
    /// The places of items that may be enabled where no step takes them: to be fair to one may be more than a run can.
    pub refused: Vec<usize>,
    /// Assumptions, as they were given, that cannot make a difference, and why: one sentence each.
    pub dropped: Vec<String>,
}

impl Fairness {
    /// The texts that the assumptions come from, each once.
    pub fn sources(&self) -> Vec<String> {
        let mut sources: Vec<String> = Vec::new();
        for assumption in &self.assumptions {
            if !sources.contains(&assumption.source) {
                sources.push(assumption.source.clone());
            }
        }
        sources
    }
}
