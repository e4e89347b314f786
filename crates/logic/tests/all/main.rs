//! Formulas: reading, writing, rewriting, testers.

mod parsing;
mod rewriting;
mod tester;
