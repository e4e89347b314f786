//! The Promela front-end.

pub mod ast;
mod lexer;
mod lower;
mod parser;
mod preprocess;
mod token;

pub use lexer::{tokenize, tokenize_with};
pub use lower::{Claim, ClaimKind, Formula, Lowered, LtlProperty, lower};
pub use parser::{parse, parse_expression};
pub use preprocess::{BUDGET, Load, MAX_INCLUDE_DEPTH, MAX_NESTING, Options};
pub use token::{FairComment, Keyword, Name, Punct, Token, TokenKind, Tokens};
