//! Tests of the Petri net front-end.

mod campaign;
mod coloured;
mod common;
mod corpus;
mod fair_runs;
mod folded;
mod groups;
mod hostile;
mod maria;
mod maximal_paths;
mod models;
mod promela;
mod reductions;
mod semantics;
