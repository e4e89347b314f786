//! Maria's net language: high-level nets whose transitions carry fairness with data.
//!
//! The stations, one file each: `lexer` (with `include`) makes tokens of a text and carries out its directives,
//! `expression` and `parser` make a syntax tree (`syntax`). `types` says what values there are; `declare` carries out
//! declarations (`scope`), `fuse` puts transitions together from their blocks and subnets, `typer` gives expressions a
//! type (`code`), and `machine` evaluates them over multisets (`bag`). `transition` finds an order in which variables
//! get their values, `packing` makes bytes of markings, `fire` finds bindings for the `body` and `memo` remembers. `sets` are the sets of instances that `fairness`
//! is about, `formula` understands temporal logic, `specification` is what the others see.

mod bag;
mod body;
mod code;
mod declare;
mod expression;
mod fairness;
mod fire;
mod formula;
mod fuse;
mod include;
mod lexer;
mod machine;
mod memo;
mod net;
mod obstacles;
mod outline;
mod packing;
mod parser;
mod scope;
mod sets;
mod specification;
mod syntax;
mod transition;
mod typer;
mod types;

pub use specification::Maria;
