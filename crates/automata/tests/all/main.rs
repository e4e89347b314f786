//! The translation and what is done with automata, against definitions and laws.

mod laws;
mod translate;
