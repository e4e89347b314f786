//! Tests of the TLA+ front-end.

mod answers;
mod checks;
mod configurations;
mod corpus;
mod expressions;
mod hostile;
mod loading;
mod meaning;
mod memory;
mod modules;
mod random;
mod search;
mod show;
mod steps;
mod tlc;
