//! Many processes have the same answers as one.

mod answers;
mod branching;
mod common;
mod kept;
mod strangers;
mod strategies;
