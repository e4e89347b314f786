//! The SMV front-end: text in, a fair system and its properties or diagnostics out.
//!
//! The stations, one file or folder each: `lexer` makes tokens, `parser` a syntax tree, `lower` a
//! relation with formulas. The language is the finite-state part of NuSMV 2.6; formulas of
//! branching time may be any of CTL*, with past operators.

pub mod ast;
mod lexer;
mod lower;
mod model;
mod outline;
mod parser;
mod properties;
mod specification;
mod token;
pub mod types;

pub use lexer::tokenize;
pub use model::{Asked, SmvModel, SmvSystem, load};
pub use parser::{parse, parse_expression};
pub use properties::{SmvProperty, SmvPropertyKind};
pub use specification::Smv;
pub use token::{Name, Token, TokenKind, WordConstant, is_reserved};
