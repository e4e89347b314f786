//! The symbolic engine against brute force, the explicit engine and the corpus.

mod agreement;
mod automata;
mod common;
mod corpus;
mod learned;
mod orders;
mod small;
