//! Graphs with marks: random ones, brute force, and an independent look at what an engine found.

mod brute_force;
mod judge;
mod random;

pub use brute_force::{by_components, by_subsets};
pub use judge::judge;
pub use random::{Shape, random_graph, shuffle_edges};
