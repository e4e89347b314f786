//! Files, spans and diagnostics.
//!
//! Every front-end reads text from [`Files`], names places in it by [`Span`], and says what is
//! wrong with it by [`Diagnostic`]: data, never printed here. Rendering is the business of the
//! command line.
//!
//! All crates can reach this one; so the one generator of random numbers ([`SplitMix64`]) is here
//! too.

pub mod budget;
mod deep;
mod diagnostic;
mod files;
mod hint;
mod lasting;
mod random;
mod reading;
mod turns;
mod words;

pub use budget::{Budget, Exhausted, spend, spend_turn, spend_turns};
pub use deep::{STACK, with_stack};
pub use diagnostic::{Diagnostic, Label, Severity};
pub use files::{File, FileId, Files, Position, Span};
pub use hint::{nearest, nearest_within};
pub use lasting::Lasting;
pub use random::SplitMix64;
pub use reading::{MOST_BYTES, ReadError, is_below, read_file, read_stream};
pub use turns::Turn;
pub use words::counted;
