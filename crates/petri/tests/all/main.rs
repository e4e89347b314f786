//! Tests of the Petri net front-end.

mod coloured;
mod common;
mod corpus;
mod groups;
mod hostile;
mod maximal_paths;
mod models;
mod promela;
mod semantics;
