//! The TLA+ front-end of Evenhand: a module and its configuration become a fair system.
//!
//! A specification means what TLC makes of it. The text goes through [`syntax`] (tokens, trees, modules, names
//! and levels) and a configuration file; [`value`] has the values and their order; [`standard`] has the modules
//! that come with the language.

mod blocks;
mod body;
mod build;
mod code;
mod compile;
pub mod failure;
mod fairness;
mod history;
mod lift;
mod linear;
mod machine;
pub mod names;
mod outline;
mod settings;
mod specification;
mod stack;
pub mod standard;
mod steps;
mod symmetry;
pub mod syntax;
mod table;
pub mod value;

pub use specification::Tla;
