//! Omega-automata with marks on transitions.
//!
//! Start at [`Automaton`] and its [`Builder`]. Everything else is an operation in a file of its
//! own:
//!
//! | question | operation |
//! | --- | --- |
//! | which automaton has the words of an LTL formula? | [`translate`](translate::translate) |
//! | has it an accepting run? | [`emptiness`] |
//! | which words do both accept? | [`product`] |
//! | from where does it accept every word? | [`universal_states`] |
//! | which words does it not accept? | [`complement`] |
//! | the same language with another condition | [`degeneralize`], [`remove_fin`], [`streett_to_tgba`], [`expand_conditional_marks`] |
//! | the same language, another shape | [`complete`], [`trim`], [`reduce`](reduce::reduce), [`determinize`], [`minimise_weak`] |
//! | an automaton for a formula | [`translate`](translate::translate) |
//! | an automaton that makes no counterexample longer | [`tight`] |
//! | what does a formula say? | [`facts`](facts::facts) |
//! | text | [`read_hoa`], [`write_hoa`], [`write_dot`], [`write_never_claim`] |

mod acceptance;
mod accepts;
mod automaton;
mod beside;
mod bits;
mod complete;
mod cube;
mod decision;
mod degeneralize;
mod determinize;
mod dot;
pub mod emptiness;
mod expand;
pub mod facts;
mod hoa;
mod ids;
mod lasso;
mod never;
mod pool;
mod product;
pub mod reduce;
mod remove_fin;
mod scc;
mod streett_to_tgba;
#[cfg(test)]
mod testing;
mod tight;
pub mod translate;
mod trim;
mod universal;
mod weak;

pub use acceptance::{Acceptance, Condition, MarkSet, Pair};
pub use accepts::accepts;
pub use automaton::{Automaton, Builder, Conditional, Edge, LimitExceeded};
pub use beside::beside;
pub use bits::Bits;
pub use complete::{complete, missing_letters};
pub use cube::{Cube, Letter, Literal};
pub use degeneralize::{DegeneralizeError, degeneralize, state_based_buchi};
pub use determinize::{complement, determinize};
pub use dot::{cube_text, write_dot};
pub use expand::expand_conditional_marks;
pub use hoa::{HasConditionalMarks, HoaStream, read_hoa, write_hoa};
pub use ids::{CubeId, EdgeId, Mark, MarksId, Prop, State};
pub use lasso::{Lasso, LassoWord, Step};
pub use never::write_never_claim;
pub use product::product;
pub use remove_fin::remove_fin;
pub use scc::{Components, components};
pub use streett_to_tgba::streett_to_tgba;
pub use tight::tight;
pub use trim::trim;
pub use universal::{is_deterministic, universal_states};
pub use weak::{WeakDeterministic, minimise_weak, weak_candidate};
