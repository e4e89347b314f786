//! The fair system: one type between all languages and all engines.
//!
//! A system is a [`Signature`] (names, actions, fairness, properties) with a body that says how its
//! states follow each other: a [`Program`], a [`Relation`], or a Rust type ([`Model`]). What a body can
//! do is said by traits: every body is [`Explicit`], some have [`Groups`] or are [`Relational`].

pub mod assumption;
pub mod claim;
pub mod compose;
pub mod explicit;
pub mod fairness;
pub mod fault;
mod foreign;
pub mod groups;
pub mod model;
pub mod pack;
pub mod program;
pub mod relation;
pub mod signature;
mod whole;

pub use assumption::{Assumption, AssumptionKind, Fairness};
pub use claim::{ClaimAutomaton, ClaimEdge, ClaimState};
pub use explicit::{Explicit, Explorer, Successors};
pub use fairness::{Compassion, Conditions, PropositionId};
pub use fault::{Fault, FaultKind};
pub use groups::{GroupExplorer, Groups};
pub use model::{Foreign, Model};
pub use program::Program;
pub use relation::{Refusal, Relation, Relational};
pub use signature::{ItemSpec, Signature};
