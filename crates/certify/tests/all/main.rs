//! What the checks accept and what they reject, case by case. That whatever they accept is true is put to
//! the test on random graphs and programs by those who make proofs (`evenhand-explicit`).

mod branching;
mod closed;
mod edge;
mod file;
mod links;
mod product;
mod simulation;
mod table;
