//! What the tests of Evenhand share: random inputs, oracles, and the comparison with other tools.

pub mod graphs;
pub mod lassos;
mod piped;
pub mod promela_programs;
pub mod smv_models;
pub mod tla_specifications;

pub use piped::piped;
