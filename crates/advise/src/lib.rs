//! Which fairness does a property need?
//!
//! The answer is a list of minimal assignments: of each item nothing, weak or strong fairness is
//! assumed, the property holds, and lowering any item breaks it. The space is explored once with the
//! marks of all items at both levels ([`items`]); the part of the product in which bad runs can stay is
//! copied ([`core_graph`]); candidates are decided on the copy, and what they fail by prunes the others
//! ([`hitting`]). For each item that is needed the shortest run that appears without it is found by the
//! same code that finds those of a check, judged by the same judge.
//!
//! Fairness of processes and statements never takes all runs away. Conditions may, together with it: an
//! assignment under which no fair run is left is rejected, and so is everything above.
//!
//! What an item is, is for the front-end to say: a process type, a process, the statements at a label,
//! or a constraint that the model declares.

mod advice;
mod advise;
mod advisor;
pub mod core_graph;
pub mod hitting;
pub mod items;

pub use advice::{Advice, AdviseOptions, AdviseReport, Advised, Cost, Need, Outcome};
pub use advise::advise;
