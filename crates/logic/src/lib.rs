//! Temporal logic: LTL with past, CTL*.
//!
//! Formulas live hash-consed in a [`Formulas`] store.
//!
//! | station | what it does |
//! | --- | --- |
//! | [`parse()`], [`parse_with`] | text in SPIN's, NuSMV's or Spot's [`Spelling`] to formula; propositions may be expressions of a host language ([`AtomReader`]) |
//! | [`print()`] | formula to text, read back to the same formula |
//! | [`normal_form`], [`simplify()`] | equivalent formulas |
//! | [`Simplifier::cases`] | a formula as a disjunction, by what holds everywhere or nowhere on a word |
//! | [`Properties`] | what the shape says: safety, guarantee, …, eventual, universal, stutter-invariant |
//! | [`evaluate()`] | the truth on a lasso word, straight from the definition: the judge |
//! | [`without_universal_quantifiers`] | what one run must break to refute a formula of branching time |
//! | [`tester()`] | a formula as constraints that run beside a model |
//! | [`transplant()`] | a copy in another store, with some parts replaced |
//!
//! The translation to automata is in the crate `evenhand-automata`; [`bdd`] is shared with it.

mod atoms;
pub mod bdd;
mod cases;
mod erase;
mod evaluate;
mod formula;
mod implication;
mod informative;
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
mod transplant;

pub use atoms::{AtomReader, Names, Reading, Terms};
pub use erase::without_universal_quantifiers;
pub use evaluate::{Lasso, NotLinear, Valuation, evaluate, evaluate_everywhere};
pub use formula::{Atom, AtomId, Binary, FormulaId, Formulas, Node, Quantifier, Unary};
pub use informative::is_informative;
pub use normal::normal_form;
pub use parse::{MAX_DEPTH, Place, parse, parse_with};
pub use print::print;
pub use properties::{Class, Properties};
pub use simplify::{Simplifier, simplify};
pub use spelling::Spelling;
pub use tester::{Assignment, Exactness, Term, TermId, Tester, TesterVariable, When, tester};
pub use transplant::transplant;
