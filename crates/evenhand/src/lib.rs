//! Evenhand: does this temporal property hold on every fair run, and if not, what is the shortest
//! fair run that breaks it?
//!
//! This crate is the façade: [`Model::load`] reads a model, [`check`] answers questions about it.

pub mod advise;
mod bounded;
pub mod check;
mod hints;
pub mod memory;
pub mod model;
pub mod question;
mod runs;
pub mod smv;
mod temporal;
pub mod trail;
mod vacuity;

pub use check::{CheckOptions, check};
pub use model::{Language, LoadError, LoadOptions, Model};
