//! Tests of the TLA+ front-end.

mod answers;
mod checks;
mod configurations;
mod configured;
mod corpus;
mod coverage;
mod differences;
mod expressions;
mod groups;
mod hostile;
mod loading;
mod meaning;
mod memory;
mod modules;
mod random;
mod remembered;
mod search;
mod show;
mod steps;
mod tlc;
