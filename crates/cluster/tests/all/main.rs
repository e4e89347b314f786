//! Many processes have the same answers as one.

mod answers;
mod common;
mod kept;
mod strangers;
