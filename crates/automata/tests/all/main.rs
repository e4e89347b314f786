//! The translation and what is done with automata, against definitions and laws.

mod class;
mod laws;
mod translate;
