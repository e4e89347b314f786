//! Explicit-state exploration: the state store and the searches over it.

pub mod store;
