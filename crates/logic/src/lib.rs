//! Temporal logic: LTL with past, CTL*.
//!
//! Formulas live hash-consed in a [`Formulas`] store; [`parse`] reads SPIN's, NuSMV's and Spot's
//! spellings and [`print`] writes them; [`evaluate`] judges a lasso word straight from the definition.

mod atoms;
pub mod bdd;
mod evaluate;
mod formula;
mod implication;
mod normal;
mod parse;
mod print;
mod properties;
pub mod random;
mod simplify;
mod simplify_and;
mod simplify_until;
mod spelling;
mod tester;

pub use atoms::{AtomReader, Names, Reading, Terms};
pub use evaluate::{Lasso, NotLinear, Valuation, evaluate, evaluate_everywhere};
pub use formula::{Atom, AtomId, Binary, FormulaId, Formulas, Node, Quantifier, Unary};
pub use normal::normal_form;
pub use parse::{MAX_DEPTH, Place, parse, parse_with};
pub use print::print;
pub use properties::{Class, Properties};
pub use simplify::{Simplifier, simplify};
pub use spelling::Spelling;
pub use tester::{Assignment, Exactness, Term, TermId, Tester, TesterVariable, When, tester};
