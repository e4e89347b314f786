//! Tests of the TLA+ front-end.

mod answers;
mod checks;
mod configurations;
mod corpus;
mod expressions;
mod hostile;
mod loading;
mod meaning;
mod modules;
mod show;
mod steps;
mod tlc;
