//! Random SMV models, and what NuSMV says of them.
//!
//! **Problem.** The meaning of an SMV model is what NuSMV makes of it: which expressions are well
//! typed, how operators bind, what `signed word[3]` division gives, when a `case` is exhaustive.
//!
//! **Idea.** Two kinds of random models whose number of reachable states NuSMV computes in a few
//! milliseconds. [`expression_model`] has frozen variables and one random condition on them: the
//! count is the number of solutions, which checks parsing, typing and evaluation of every operator.
//! [`model`] is a model with modules, assignments, sets, constraints, inputs and processes: the
//! count checks how they work together. Some of them are wrong on purpose; then both must refuse
//! them.
//!
//! [`property_model`] has free variables and properties: both must take or refuse them.
//!
//! [`checked_model`] has steps, fairness and one property whose verdict or value is compared.
//!
//! [`expressions`] writes typed expressions, [`formulas`] properties, [`models`] whole models,
//! [`nusmv`] asks NuSMV.

pub mod checked;
pub mod expressions;
pub mod formulas;
pub mod models;
pub mod nusmv;

pub use checked::{Checked, checked_model};
pub use formulas::{property_model, verdict_model};
pub use models::{expression_model, model};
