//! Smaller graphs for the same words, and the smaller of two.
//!
//! Simulation compares marks by inclusion, so what it finds depends on where marks are placed that mean nothing: each round tries
//! both placements, in both directions, until nothing changes.

use super::components::{Placement, clean_marks};
use super::graph::Graph;
use super::simulate::{Direction, merge_transient, reduce};
use evenhand_logic::bdd::Bdds;

/// The second, if it has fewer states and no more edges as they are written, or as many states and fewer edges.
pub(super) fn leaner(a: Graph, b: Graph, bdds: &mut Bdds) -> Graph {
    if b.state_count() > a.state_count() {
        return a;
    }
    let mut written = |graph: &Graph| -> usize {
        let labels = graph.edges.iter().flatten().map(|edge| edge.label);
        labels.map(|label| bdds.sum_of_products(label).len()).sum()
    };
    let (first, second) = (written(&a), written(&b));
    match second < first || second == first && b.state_count() < a.state_count() {
        true => b,
        false => a,
    }
}

/// The second, if it has fewer states.
pub(super) fn smaller(a: Graph, b: Graph) -> Graph {
    match b.state_count() < a.state_count() {
        true => b,
        false => a,
    }
}

/// Simulation in both directions under both placements of marks, until nothing changes.
pub(super) fn shrink(graph: Graph, bdds: &mut Bdds) -> Graph {
    let mut best = graph;
    let mut size = (usize::MAX, usize::MAX);
    for _ in 0..8 {
        for placement in [Placement::Sparse, Placement::Saturated] {
            best = clean_marks(&best, placement, bdds);
            best = reduce(&best, Direction::Forward, bdds);
            best = reduce(&best, Direction::Backward, bdds);
        }
        best = merge_transient(&best, bdds);
        let now = (best.state_count(), best.edge_count());
        if now >= size {
            break;
        }
        size = now;
    }
    clean_marks(&best, Placement::Sparse, bdds)
}
