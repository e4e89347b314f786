//! Proofs that a property holds, and the check that believes nobody.
//!
//! An engine that answers `holds` has looked at everything and found nothing, which cannot be shown
//! like a run. What can be shown is a *certificate*: data from which the answer follows by a look
//! at each edge alone. Engines make certificates; this crate says whether they prove anything. It
//! knows no engine and looks for nothing, it goes through edges once: if the code here is right, a
//! certificate that is accepted proves its claim, wherever it came from.
//!
//! | file | what it does |
//! | --- | --- |
//! | `condition` | which cycles must not be there: Büchi marks and Streett pairs |
//! | `rank` | the certificate as data: lists of numbers, and a reason for each list |
//! | `edge` | does one edge agree with the ranks? Why that is enough |
//! | `graph` | all edges of a graph that somebody else generates |
//! | `marks` | the fairness marks of a step, by their definitions |
//! | `states` | states by their bytes |
//! | `product` | all edges of a product: states are expanded again, the automaton is followed |
//! | `closed` | a set of states that no step leaves, for assertions, ends and invariants |
//! | `formula` | conditions on states and steps |
//! | `file` | certificates to keep |
//! | `flaw` | what can be wrong with a certificate, and why one cannot be checked |

mod closed;
mod condition;
mod edge;
pub mod file;
mod flaw;
mod formula;
mod graph;
mod marks;
mod product;
mod rank;
mod states;

pub use closed::{Claim, check_closed};
pub use condition::{Condition, Pair};
pub use edge::{EdgeFlaw, Rules};
pub use flaw::{Checked, Failure, Flaw, Refusal};
pub use graph::{Edge, Graph, check_graph};
pub use marks::FairnessMarks;
pub use product::{ProductClaim, RankSource, check_product};
pub use rank::{CellId, Cells, Ranks, Reason};
pub use states::States;
