//! Many processes, on one machine or on many: the same answers where the states do not fit one.
//!
//! | file | what it does |
//! | --- | --- |
//! | `token`, `join` | processes find each other, prove that they belong together, and compare what they are about |
//! | `alarm`, `pulse`, `link` | what happens when one of them is gone |
//! | `post` | letters between workers on timely dataflow, and when there are no more of them |
//! | `crew` | the workers of a process |
//! | `wire` | numbers and bytes in letters |
//! | `shard`, `nodes`, `edges`, `reading` | the states that a worker owns, their nodes and edges, and what is read in them |
//! | `explore`, `path` | breadth-first exploration, and the way to what was found |
//! | `checkpoint` | an exploration that can be continued |
//! | `feasible`, `lasso` | fair cycles as a fixpoint of closures, and a lasso in what it leaves |
//! | `closure`, `classes`, `labels` | what leads to some nodes, and where formulas of branching time hold |
//! | `engine`, `linear`, `branching`, `census` | the engine, its parts for formulas, and the number of states |
//!
//! Nothing here knows a language, and nothing here prints.

mod alarm;
mod branching;
mod census;
mod checkpoint;
mod classes;
mod closure;
mod crew;
mod edges;
mod engine;
mod explore;
mod feasible;
mod join;
mod labels;
mod lasso;
mod linear;
mod link;
mod nodes;
mod path;
mod post;
mod pulse;
mod reading;
mod shard;
mod stops;
mod token;
mod wire;

pub use census::{Census, explore};
pub use checkpoint::{Checkpoint, Held};
pub use crew::Cluster;
pub use engine::{ClusterEngine, NAME};
pub use feasible::{Order, Strategy};
pub use join::{Door, Joining, NotJoined};
pub use token::{Token, digest, digest_of};
