//! Omega-automata with marks on transitions.
//!
//! Start at [`Automaton`] and its [`Builder`]. The rest is operations, one file each.

mod acceptance;
mod accepts;
mod automaton;
mod bits;
mod cube;
pub mod emptiness;
mod hash;
mod hoa;
mod ids;
mod lasso;
mod scc;
#[cfg(test)]
mod testing;

pub use acceptance::{Acceptance, Condition, MarkSet, Pair};
pub use accepts::accepts;
pub use automaton::{Automaton, Builder, Conditional, Edge, LimitExceeded};
pub use bits::Bits;
pub use cube::{Cube, Letter, Literal};
pub use hoa::{HasConditionalMarks, HoaStream, read_hoa, write_hoa};
pub use ids::{CubeId, EdgeId, Mark, MarksId, Prop, State};
pub use lasso::{Lasso, LassoWord, Step};
pub use scc::{Components, components};
