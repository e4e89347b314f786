//! SMV models: what they mean, against NuSMV where it is there, and that no text does harm.

mod common;
mod corpus;
mod formulas;
mod nusmv_differential;
mod robustness;
mod semantics;
mod steps;
mod verdicts;
mod wide;
