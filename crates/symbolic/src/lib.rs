//! The symbolic engine: systems given as constraints, explored as sets.
//!
//! The method is that of Kesten, Pnueli, Raviv and Shahar (2001), corrected: justice and compassion
//! at the level of the algorithm, formulas as testers beside the model, past operators, and all of
//! CTL*.
//!
//! | station | what it does |
//! | --- | --- |
//! | `manager`, `watch` | the diagrams and their limits |
//! | `lift`, `distribute` | constraints in small pieces, and what they relate |
//! | `order`, `sift` | the order of the variables, before and during the work |
//! | `coding`, `encode`, `circuit` | variables as bits, expressions as diagrams |
//! | `valued` | propositions that have no value in some state |
//! | `partition`, `image`, `reach` | the steps in pieces, predecessors and successors, fixpoints |
//! | `feasible`, `compassion`, `witness` | the states with a fair run, and such a run |
//! | `equations` | the final sets, held against what they solve |
//! | `product`, `tester`, `light`, `ctlstar` | formulas of linear and branching time |
//! | `automaton` | omega-automata beside a model |
//! | `census` | numbers of states and transitions |
//! | `learn` | systems given by code: relations learned from their transition groups |
//! | `engine`, `questions`, `answer` | questions and answers |

mod answer;
mod automaton;
mod census;
mod circuit;
mod coding;
mod compassion;
mod ctlstar;
mod distribute;
mod encode;
mod engine;
mod equations;
mod explain;
mod feasible;
mod image;
mod learn;
mod lift;
mod light;
mod manager;
mod order;
mod partition;
mod product;
mod questions;
mod reach;
mod room;
mod sift;
mod tester;
mod valued;
mod watch;
mod witness;

pub use answer::{Answer, Count, Reachable, Run, Statistics, Warning};
pub use census::Census;
pub use compassion::CompassionAs;
pub use engine::{Options, Symbolic};
pub use evenhand_system::question::Length;
pub use feasible::{DeadEnds, Direction, Method, Restriction};
pub use learn::{ByteAnswer, ByteRun, Halt, Learned, Lessons, Path, Safety, Wrong, census, safety};
pub use watch::{Gauge, Shared, Stop, Watch};
