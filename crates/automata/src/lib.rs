//! Omega-automata with marks on transitions.
//!
//! Start at [`Automaton`] and its [`Builder`]. The rest is operations, one file each.

mod acceptance;
mod automaton;
mod bits;
mod cube;
mod hash;
mod ids;
mod lasso;
pub mod translate;

pub use acceptance::{Acceptance, Condition, MarkSet, Pair};
pub use automaton::{Automaton, Builder, Conditional, Edge, LimitExceeded};
pub use bits::Bits;
pub use cube::{Cube, Letter, Literal};
pub use ids::{CubeId, EdgeId, Mark, MarksId, Prop, State};
pub use lasso::{Lasso, LassoWord, Step};
