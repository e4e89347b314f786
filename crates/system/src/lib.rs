//! The fair system: one type between all languages and all engines.
//!
//! A system is a [`Signature`] (names, actions, fairness, properties) with a [`Body`] that says how
//! its states follow each other: a [`Program`], a [`Relation`], or a Rust type ([`Model`]). What a
//! body can do is said by traits: every body is [`Explicit`], some have [`Groups`] or are relations.
//!
//! What is asked of a system is a [`Question`]. Texts become systems and questions by way of a
//! [`Language`] and its [`Specification`]s.

pub mod asking;
pub mod assumption;
pub mod body;
pub mod claim;
pub mod compose;
pub mod diagram;
pub mod explicit;
pub mod fair;
pub mod fairness;
pub mod fault;
mod foreign;
pub mod groups;
pub mod ids;
pub mod model;
pub mod outline;
pub mod pack;
pub mod program;
pub mod question;
pub mod reduce;
pub mod relation;
pub mod rust;
pub mod signature;
pub mod specification;
mod whole;

pub use asking::{Asking, AutomatonText};
pub use assumption::{Assumption, AssumptionKind, Fairness};
pub use body::{Body, Dice, Inputs, RandomEnd, RandomRun};
pub use claim::{ClaimAutomaton, ClaimEdge, ClaimState};
pub use explicit::{Explicit, Explorer, FinishedRuns, Successors};
pub use fairness::{AmountId, Compassion, Conditions, PropositionId};
pub use fault::{Fault, FaultKind};
pub use groups::{GroupExplorer, Groups};
pub use ids::{ActionId, ProcessId, ProcessTypeId};
pub use model::{Foreign, Model};
pub use outline::Outline;
pub use program::Program;
pub use question::{BadRuns, Formula, Kind, Linear, Question, What};
pub use reduce::Sight;
pub use relation::{Refusal, Relation, Relational};
pub use rust::RustSpecification;
pub use signature::{ItemSpec, Signature};
pub use specification::{
    Assumptions, Candidate, Content, Granularity, Inquiry, Language, ReadOptions, Reading,
    Rejected, Request, Specification, Study, Unresolved, Wanted,
};
