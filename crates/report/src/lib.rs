//! Answers as text and as JSON. Nothing here prints: the command line does.

pub mod diagnostics;
pub mod json;
pub mod paint;
mod reasons;
pub mod result;
pub mod text;

pub use result::{PropertyResult, Verdict};
