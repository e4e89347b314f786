//! Files, spans and diagnostics.
//!
//! Every front-end reads text from [`Files`], names places in it by [`Span`], and says what is wrong
//! with it by [`Diagnostic`]: data, never printed here. Rendering is the business of the command line.

mod diagnostic;
mod files;
mod hint;

pub use diagnostic::{Diagnostic, Label, Severity};
pub use files::{File, FileId, Files, Position, Span};
pub use hint::{nearest, nearest_within};
