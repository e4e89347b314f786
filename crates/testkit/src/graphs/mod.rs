//! Graphs with marks: random ones, brute force, and an independent look at what an engine found.

mod brute_force;
mod judge;
mod on_demand;
mod processes;
mod random;

pub use brute_force::{by_components, by_subsets, reachable};
pub use judge::judge;
pub use on_demand::OnDemand;
pub use processes::{Fairness, Processes, random_processes, random_pursuit};
pub use random::{Shape, random_graph, shuffle_edges};
