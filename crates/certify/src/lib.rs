//! Proofs that a property holds, and the check that believes nobody.
//!
//! An engine that answers `holds` has looked at everything and found nothing, which cannot be shown
//! like a run. What can be shown is a *certificate*: data from which the answer follows by a look
//! at each edge alone. Engines make certificates; this crate says whether they prove anything. It
//! knows no engine and looks for nothing, it goes through edges once: if the code here is right, a
//! certificate that is accepted proves its claim, wherever it came from. One thing is looked for here, how an
//! automaton can follow a tableau; what is found is checked like everything else.
//!
//! | file | what it does |
//! | --- | --- |
//! | `condition` | which cycles must not be there: Büchi marks and Streett pairs |
//! | `rank` | the certificate as data: lists of numbers, and a reason for each list |
//! | `edge` | does one edge agree with the ranks? Why that is enough |
//! | `graph` | all edges of a graph that somebody else generates |
//! | `marks` | the fairness marks of a step, by their definitions |
//! | `states` | states by their bytes, in memory or in a file |
//! | `rank_lists` | lists of ranks, each kept once |
//! | `product` | all edges of a product: states are expanded again, the automaton is followed |
//! | `tableau` | the plainest automaton of a formula |
//! | `simulation` | an automaton accepts every word on which a formula has a value |
//! | `branching` | formulas of branching time: from which nodes is there a fair run? |
//! | `closed` | a set of states that no step leaves, for assertions, ends and invariants |
//! | `formula` | conditions on states and steps |
//! | `file` | certificates to keep |
//! | `statement` | what a kept certificate says |
//! | `kept` | a kept certificate against a model |
//! | `flaw` | what can be wrong with a certificate, and why one cannot be checked |

pub mod branching;
mod closed;
mod condition;
mod edge;
pub mod file;
mod flaw;
mod formula;
mod graph;
mod kept;
mod marks;
mod product;
mod rank;
mod rank_lists;
mod simulation;
mod statement;
mod states;
mod tableau;

pub use closed::{Claim, check_closed, check_reachable};
pub use condition::{Condition, Pair};
pub use edge::{EdgeFlaw, Rules};
pub use flaw::{Checked, Failure, Flaw, Refusal};
pub use graph::{Edge, Graph, check_graph};
pub use kept::{Cover, Kept, Proven, Room, Untrue};
pub use marks::FairnessMarks;
pub use product::{ProductClaim, RankSource, check_product, check_product_with};
pub use rank::{CellId, Cells, Ranks, Reason};
pub use simulation::{NotShown, Simulated, Words, accepts_all};
pub use statement::{Form, Reading, Statement, as_text, from_text};
pub use states::States;
pub use tableau::{NoTableau, Tableau, Wanted};
