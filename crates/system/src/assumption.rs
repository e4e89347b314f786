//! Fairness assumptions, resolved: each about one instance.

use crate::fairness::PropositionId;
use crate::signature::ItemSpec;

/// A resolved fairness assumption about one instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumption {
    /// What it says, about this instance.
    pub text: String,
    /// The specification it comes from, as it was given.
    pub source: String,
    /// What kind of assumption.
    pub kind: AssumptionKind,
}

/// Kinds of assumptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssumptionKind {
    /// An item that is enabled from some point on is taken again and again.
    Weak(usize),
    /// An item that is enabled again and again is taken again and again.
    Strong(usize),
    /// A proposition holds again and again.
    Justice(PropositionId),
    /// If the first holds again and again, so does the second.
    Compassion {
        /// The first.
        when: PropositionId,
        /// The second.
        then: PropositionId,
    },
}

/// The fairness assumptions of a question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fairness {
    /// What can be enabled and taken.
    pub items: Vec<ItemSpec>,
    /// What is assumed.
    pub assumptions: Vec<Assumption>,
    /// Items exist for process numbers below this; none for all.
    pub pid_bound: Option<usize>,
}
