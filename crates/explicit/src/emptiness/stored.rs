//! A graph, or a part of one, copied into flat arrays.

use crate::graph::{Edge, Graph, NodeId};
use crate::marks::Streett;
use crate::search::Stop;

/// The edges of some nodes, renumbered from zero in the order in which they were given.
pub(crate) struct Stored<const W: usize> {
    condition: Streett<W>,
    /// What the nodes are called in the graph they come from.
    pub(crate) names: Vec<NodeId>,
    /// Where the edges of each node begin, and where the last ones end.
    starts: Vec<usize>,
    edges: Vec<Edge<W>>,
}

impl<const W: usize> Stored<W> {
    /// A graph without nodes.
    pub(crate) fn new(condition: Streett<W>) -> Stored<W> {
        Stored {
            condition,
            names: Vec::new(),
            starts: vec![0],
            edges: Vec::new(),
        }
    }

    /// Adds the next node.
    pub(crate) fn push(&mut self, name: NodeId, edges: impl Iterator<Item = Edge<W>>) {
        self.names.push(name);
        self.edges.extend(edges);
        self.starts.push(self.edges.len());
    }

    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// How many edges there are.
    pub(crate) fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// The edges of a node.
    pub(crate) fn edges(&self, node: usize) -> &[Edge<W>] {
        &self.edges[self.starts[node]..self.starts[node + 1]]
    }

    /// The numbers of the edges of a node.
    pub(crate) fn edge_numbers(&self, node: usize) -> std::ops::Range<usize> {
        self.starts[node]..self.starts[node + 1]
    }

    /// An edge by its number.
    pub(crate) fn edge(&self, number: usize) -> &Edge<W> {
        &self.edges[number]
    }

    /// Memory taken, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let bytes = self.names.capacity() * size_of::<NodeId>()
            + self.starts.capacity() * size_of::<usize>()
            + self.edges.capacity() * size_of::<Edge<W>>();
        bytes as u64
    }
}

impl<const W: usize> Graph<W> for Stored<W> {
    fn condition(&self) -> &Streett<W> {
        &self.condition
    }

    fn initial(&mut self) -> Result<Vec<NodeId>, Stop> {
        Ok((0..self.len().min(1)).map(|_| NodeId(0)).collect())
    }

    fn expand(&mut self, node: NodeId, edges: &mut Vec<Edge<W>>) -> Result<(), Stop> {
        edges.clear();
        edges.extend_from_slice(self.edges(node.index()));
        Ok(())
    }

    fn bound(&self) -> usize {
        self.len()
    }
}
