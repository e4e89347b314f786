//! Explicit-state exploration: the state store, the searches over it, and the emptiness checks.

pub mod ahead;
pub mod bounds;
mod conditions;
pub mod ctl_star;
pub mod emptiness;
pub mod graph;
pub mod invariants;
pub mod marking;
pub mod marks;
pub mod path_lengths;
pub mod product;
pub mod ranks;
mod recall;
pub mod safety;
pub mod search;
pub mod sieve;
pub mod space;
pub mod state_set;
pub mod store;
pub mod watch;
