//! Bounded model checking: systems given as constraints, unrolled step by step for a SAT solver.
//!
//! Runs are looked for in the order of their length, so the first one that is found is a shortest one. A
//! property is proved only by induction over the length of runs; otherwise what is known is that no
//! run up to some length breaks it.
//!
//! | station | what it does |
//! | --- | --- |
//! | `solver` | the SAT solver and its limits |
//! | `gates`, `number` | conjunctions, choices and arithmetic as clauses |
//! | `coding`, `expression` | variables as bits, expressions as circuits |
//! | `unroll` | states and steps, one position after the other |
//! | `reach` | invariants: shortest paths, and induction over simple paths |
//! | `successor` | a guess at the next state, for whether there is one |
//! | `lasso` | infinite runs: where they return, justice and compassion |
//! | `formula` | linear temporal logic with past on such a run |

mod coding;
mod expression;
mod formula;
mod gates;
mod lasso;
mod number;
mod reach;
mod solver;
mod successor;
mod unroll;

pub use lasso::Lassos;
pub use reach::{Goal, Paths, Round};
pub use solver::{Statistics, Stop};
pub use unroll::{Run, has_initial_state};
