//! The fair system: one type between all languages and all engines.
//!
//! A system is a [`Signature`] (names, actions, fairness, properties) with a body that says how its
//! states follow each other. What a body can do is said by traits: every body is [`Explicit`].

pub mod explicit;
pub mod fault;
pub mod program;
pub mod signature;

pub use explicit::{Explicit, Explorer, Successors};
pub use fault::{Fault, FaultKind};
pub use program::Program;
pub use signature::{ItemSpec, Signature};
