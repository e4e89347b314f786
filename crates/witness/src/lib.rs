//! Counterexamples: from the component an engine found to a run that somebody can read.
//!
//! A search for finite runs hands over packed states: [`replay()`] re-executes the system along
//! them. A search for infinite runs hands over a
//! [`Component`](evenhand_explicit::emptiness::Component) of a marked graph: [`first()`] makes a
//! lasso of it at once, [`shortest()`] looks for the shortest of the whole graph within a budget.
//! The way of the data through the files:
//!
//! | file | what it does |
//! | --- | --- |
//! | `lasso` | what a lasso of a graph is, and the check that shares nothing with the searches |
//! | `meter` | the budget of a search beside the limits of the run |
//! | `distances` | breadth-first distances, and paths from distances alone |
//! | `cores` | from a component to the parts in which every edge lies on accepting cycles |
//! | `lazy`, `eager`, `walker` | an accepting cycle quickly, two ways |
//! | `direct` | the same at once, where the component is simple |
//! | `first` | the lasso of the component that was met first |
//! | `quest` | a core with only the marks that matter |
//! | `gastin_moro` | the shortest lasso for one acceptance set |
//! | `exact`, `visited` | the shortest lasso for any condition |
//! | `minimal` | which of the two for which core |
//! | `shortest` | the shortest lasso of a graph: how deep to look, and when to stop |
//! | `fold` | the canonical form of a lasso of states |
//! | `replay` | finite runs of a system, re-executed and told |
//! | `follow` | the run of a system that a record tells |
//! | `judge` | infinite runs: executed again, tested for fairness, the property evaluated |
//! | `finite` | finite runs that are bad whatever follows |
//! | `explain` | why a formula is false on a lasso |
//! | `observe` | what the automaton of bad runs does along a run |

pub mod cores;
pub mod direct;
pub mod distances;
pub mod eager;
mod exact;
mod explain;
pub mod finite;
pub mod first;
pub mod fold;
mod follow;
mod gastin_moro;
mod judge;
pub mod lasso;
pub mod lazy;
pub mod meter;
pub mod minimal;
mod observe;
mod quest;
pub mod replay;
pub mod shortest;
mod visited;
mod walker;
mod word;

pub use direct::direct;
pub use finite::{judge_finite, nearest};
pub use first::{Reach, first};
pub use fold::fold;
pub use follow::{Followed, Lost, Script, follow};
pub use judge::{Charge, CycleStep, Run, is_certain, judge};
pub use lasso::{GraphLasso, LassoError};
pub use meter::Budget;
pub use observe::{Moment, Observed, observe, possible};
pub use replay::{
    Counterexample, Evidence, Passage, Reason, ReplayError, StepKind, SubStep, TraceStep, replay,
    tell_state, tell_step, tell_successor,
};
pub use shortest::{Bounded, Shortest, all_shortest, bounded, shortest};
