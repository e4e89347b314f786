//! From text to trees, and what SANY says about them.
//!
//! [`lexer`] and [`token`] make tokens, [`parser`] makes trees ([`ast`]) of one module, [`config`] reads configurations.
//! [`load`](mod@load) finds all modules of a specification and fixes the order of names, which decides what `CHOOSE`
//! takes; [`check`](mod@check) looks at names, arguments and levels. [`walk`] goes through trees.

pub mod ast;
pub mod check;
pub mod config;
pub mod lexer;
pub mod load;
mod order;
pub mod parser;
mod pluscal;
mod search;
pub mod spelling;
pub mod token;
mod units;
pub mod walk;
mod words;
