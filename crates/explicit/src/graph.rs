//! What an emptiness check sees: a graph with marks on its edges, generated on demand.
//!
//! Nodes are known by numbers. A product of a system with a property, a plain graph in memory and a
//! monitor in front of another graph all look alike, so one engine serves them all. Expanding a
//! node again gives the same edges in the same order, and is expected to be cheap: engines that
//! refine components ask twice instead of keeping copies.

use crate::marks::{Marks, Streett};
use crate::search::Stop;
use crate::sieve::Sieve;

/// A node of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The number as an index into vectors.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// An edge, as seen from its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge<const W: usize> {
    /// Where it leads.
    pub target: NodeId,
    /// Its marks.
    pub marks: Marks<W>,
}

/// A graph with marks, generated on demand.
pub trait Graph<const W: usize> {
    /// Which cycles are looked for.
    fn condition(&self) -> &Streett<W>;

    /// The initial nodes.
    ///
    /// # Errors
    /// If a limit was reached.
    fn initial(&mut self) -> Result<Vec<NodeId>, Stop>;

    /// Puts all edges out of a node in place of what `edges` held.
    ///
    /// # Errors
    /// If a limit was reached.
    fn expand(&mut self, node: NodeId, edges: &mut Vec<Edge<W>>) -> Result<(), Stop>;

    /// Hands all edges out of a node to a sieve, the last one first; `own` is room for those who list them in order.
    ///
    /// # Errors
    /// If a limit was reached.
    fn sift(
        &mut self,
        node: NodeId,
        sieve: &mut Sieve<'_, W>,
        own: &mut Vec<Edge<W>>,
    ) -> Result<(), Stop> {
        self.expand(node, own)?;
        sieve.cover(self.bound());
        sieve.expect(own.len());
        sieve.edges(own.iter().rev().map(|edge| (edge.target, edge.marks)));
        Ok(())
    }

    /// All node numbers handed out so far are below this.
    fn bound(&self) -> usize;

    /// Memory taken so far, in bytes.
    fn bytes_used(&self) -> usize {
        0
    }
}

/// A graph in memory.
#[derive(Clone, Debug)]
pub struct PlainGraph<const W: usize> {
    /// Which cycles are looked for.
    pub condition: Streett<W>,
    /// The initial nodes.
    pub initial: Vec<NodeId>,
    /// The edges of each node.
    pub edges: Vec<Vec<Edge<W>>>,
}

impl<const W: usize> PlainGraph<W> {
    /// A graph of that many nodes without edges; runs begin in node 0, if there is one.
    pub fn new(condition: Streett<W>, nodes: usize) -> PlainGraph<W> {
        PlainGraph {
            condition,
            initial: (0..nodes.min(1)).map(|_| NodeId(0)).collect(),
            edges: vec![Vec::new(); nodes],
        }
    }

    /// Adds an edge; both nodes must exist.
    pub fn add(&mut self, source: usize, marks: &[usize], target: usize) {
        self.edges[source].push(Edge {
            target: NodeId(target as u32),
            marks: marks.iter().copied().collect(),
        });
    }
}

impl<const W: usize> Graph<W> for PlainGraph<W> {
    fn condition(&self) -> &Streett<W> {
        &self.condition
    }

    fn initial(&mut self) -> Result<Vec<NodeId>, Stop> {
        Ok(self.initial.clone())
    }

    fn expand(&mut self, node: NodeId, edges: &mut Vec<Edge<W>>) -> Result<(), Stop> {
        edges.clear();
        edges.extend_from_slice(&self.edges[node.index()]);
        Ok(())
    }

    fn bound(&self) -> usize {
        self.edges.len()
    }
}
