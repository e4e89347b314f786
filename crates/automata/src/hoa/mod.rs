//! The Hanoi omega-automata format, in and out.

mod body;
mod claims;
mod label;
mod lexer;
mod reader;
mod writer;

pub use reader::{HoaStream, read_hoa};
pub(crate) use writer::condition_text;
pub use writer::{HasConditionalMarks, write_hoa};

#[cfg(test)]
mod tests;
