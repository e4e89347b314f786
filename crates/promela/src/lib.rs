//! The Promela front-end.

mod lexer;
mod preprocess;
mod token;

pub use lexer::{tokenize, tokenize_with};
pub use preprocess::{BUDGET, Load, MAX_INCLUDE_DEPTH, MAX_NESTING, Options};
pub use token::{FairComment, Keyword, Name, Punct, Token, TokenKind, Tokens};
