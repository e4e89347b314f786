//! Answers as text, as JSON and as a page. Nothing here prints: the command line does.

pub mod diagnostics;
pub mod html;
pub mod json;
pub mod paint;
pub mod printable;
mod reasons;
pub mod result;
pub mod text;

pub use result::{PropertyResult, Verdict};
