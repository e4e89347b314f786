//! The library as its users see it: answers of all engines about models of all languages, against
//! brute force, peers and each other.

mod advise_constraints;
mod architecture;
mod bounded;
mod common;
mod learned_engines;
mod ltl_differential;
mod no_value;
mod obstacles;
mod own_language;
mod proofs;
mod readme;
mod reductions;
mod rust_models;
mod sat;
mod shortest_runs;
mod smv_check;
mod smv_corpus;
mod smv_engines;
mod threads;
mod tla;
mod tla_temporal;
mod told;
