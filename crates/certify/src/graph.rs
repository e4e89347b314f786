//! All edges of a graph that somebody else generates.
//!
//! The initial nodes have ranks, the edges of each node with a rank lead to nodes with ranks, and
//! each agrees with them. So runs meet ranked nodes alone, and `edge` says why none is accepting.
//! What is believed is that the graph tells all its initial nodes and edges, with their marks: the
//! search has generated it, and this looks at what was kept.

use crate::condition::Condition;
use crate::edge::Rules;
use crate::flaw::{Checked, Failure, Flaw};
use crate::rank::Ranks;

/// An edge, as seen from its source.
pub trait Edge {
    /// Where it leads.
    fn target(&self) -> usize;

    /// Whether it has a mark.
    fn has(&self, mark: usize) -> bool;
}

/// A graph with marks on its edges.
pub trait Graph {
    /// Its edges.
    type Edge: Edge;

    /// Why it cannot go on.
    type Stop;

    /// All initial nodes.
    ///
    /// # Errors
    /// If it cannot go on.
    fn initial(&mut self) -> Result<Vec<usize>, Self::Stop>;

    /// Puts all edges out of a node in place of what `edges` held.
    ///
    /// # Errors
    /// If it cannot go on.
    fn edges(&mut self, node: usize, edges: &mut Vec<Self::Edge>) -> Result<(), Self::Stop>;

    /// All nodes that it has told of are below this.
    fn bound(&self) -> usize;
}

/// Whether ranks prove that a graph has no accepting run.
///
/// # Errors
/// What is wrong with them; or why the graph cannot go on.
pub fn check_graph<G: Graph>(
    graph: &mut G,
    condition: &Condition,
    ranks: &Ranks,
) -> Result<Checked, Failure<G::Stop>> {
    let rules = Rules::new(&ranks.cells, condition)?;
    let rank_of = |node: usize| ranks.of(node).filter(|&cell| rules.has(cell));
    for node in graph.initial().map_err(Failure::Stopped)? {
        rank_of(node).ok_or(Flaw::Initial { node })?;
    }
    let mut checked = Checked::default();
    let mut edges = Vec::new();
    for node in 0..ranks.bound() {
        if ranks.of(node).is_none() {
            continue;
        }
        let rank = rank_of(node).ok_or(Flaw::NoCell)?;
        if node >= graph.bound() {
            return Err(Flaw::NoNode { node }.into());
        }
        graph.edges(node, &mut edges).map_err(Failure::Stopped)?;
        for edge in &edges {
            let target = edge.target();
            let below = rank_of(target).ok_or(Flaw::Successor { node, target })?;
            let fits = rules.edge(rank, below, |mark| edge.has(mark));
            fits.map_err(|flaw| Flaw::Edge { node, target, flaw })?;
        }
        checked.nodes += 1;
        checked.edges += edges.len() as u64;
    }
    Ok(checked)
}
