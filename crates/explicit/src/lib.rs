//! Explicit-state exploration: the state store and the searches over it.

pub mod safety;
pub mod search;
pub mod store;
