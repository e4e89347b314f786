//! Breadth-first distances, layer by layer, and shortest paths from distances alone.
//!
//! The searches for a shortest lasso need the distance of each node from the start, but only down
//! to a depth that shrinks while they run, so the exploration can be continued: each call of
//! [`Distances::advance`] expands one more layer. What is kept per node is its distance and its
//! place in the order of discovery, no parents.
//!
//! A path to a node is found backwards, as in algorithm 1 of Gastin and Moro ("Minimal
//! counterexample generation for SPIN", 2007), whose printed form writes the distance of the wrong
//! node and loses closed paths: here some node of the layer before has an edge to the current node,
//! and the layers are looked through until it is met. That expands each node above the target at
//! most once. A closed path must not be empty although its ends are at distance zero from each
//! other; it has a function of its own, [`Distances::closed_path`].

use evenhand_explicit::graph::{Edge, Graph, NodeId};
use evenhand_explicit::search::Stop;

use crate::meter::{Halt, Meter};

/// Distances from a set of nodes.
#[derive(Clone, Debug)]
pub struct Distances {
    /// The distance plus one; zero if the node was not met.
    depth: Vec<u32>,
    order: Vec<NodeId>,
    /// Where each layer begins in `order`; the last entry is the beginning of the layer that is
    /// complete but not expanded.
    layers: Vec<usize>,
    /// Nodes from here on are left out.
    bound: usize,
}

impl Distances {
    /// Only the sources, at distance zero.
    pub fn from(sources: &[NodeId]) -> Distances {
        Distances::within(sources, usize::MAX)
    }

    /// The same in the part of the graph whose nodes are below a bound.
    pub fn within(sources: &[NodeId], bound: usize) -> Distances {
        let mut distances = Distances {
            depth: Vec::new(),
            order: Vec::new(),
            layers: vec![0],
            bound,
        };
        for &source in sources {
            distances.meet(source, 0);
        }
        distances
    }

    /// The distance of a node, if it was met.
    #[inline]
    pub fn of(&self, node: NodeId) -> Option<u32> {
        self.depth.get(node.index())?.checked_sub(1)
    }

    /// How many layers are expanded: all nodes at a distance below this were, and all nodes up to
    /// this distance are known.
    pub fn expanded(&self) -> usize {
        self.layers.len() - 1
    }

    /// The nodes at a distance below `depth` that were expanded, nearest first.
    pub fn nodes_above(&self, depth: usize) -> &[NodeId] {
        &self.order[..self.layers[depth.min(self.expanded())]]
    }

    /// The nodes that were met, nearest first.
    pub fn nodes(&self) -> &[NodeId] {
        &self.order
    }

    /// Whether there is nothing left to expand.
    pub fn is_complete(&self) -> bool {
        self.layers.last() == Some(&self.order.len())
    }

    /// Memory it takes, in bytes.
    pub fn bytes(&self) -> usize {
        4 * (self.depth.capacity() + self.order.capacity()) + 8 * self.layers.capacity()
    }

    /// Expands the next layer. After an error the layer counts as not expanded; the nodes of the
    /// layer behind it that were met remain known.
    ///
    /// # Errors
    /// If the budget is used up or a limit was reached.
    pub fn advance<const W: usize>(
        &mut self,
        graph: &mut dyn Graph<W>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<(), Halt> {
        let begin = self.layers.last().copied().unwrap_or(0);
        // What an interrupted attempt has met of the next layer does not belong to this one.
        let depth = self.expanded() as u32;
        let end = begin
            + self.order[begin..].partition_point(|&n| self.of(n).is_some_and(|d| d == depth));
        let mut edges = Vec::new();
        for position in begin..end {
            let node = self.order[position];
            meter.expansion(graph, || self.bytes())?;
            graph.expand(node, &mut edges)?;
            for edge in &edges {
                self.meet(edge.target, depth + 1);
            }
        }
        self.layers.push(end);
        Ok(())
    }

    fn meet(&mut self, node: NodeId, depth: u32) {
        let index = node.index();
        if index >= self.bound {
            return;
        }
        if index >= self.depth.len() {
            self.depth.resize(index + 1, 0);
        }
        if self.depth[index] == 0 {
            self.depth[index] = depth + 1;
            self.order.push(node);
        }
    }

    /// A shortest path to a node that was met: from a source to the node, both included.
    ///
    /// # Errors
    /// If a limit was reached.
    pub fn path_to<const W: usize>(
        &self,
        graph: &mut dyn Graph<W>,
        node: NodeId,
    ) -> Result<Option<Vec<NodeId>>, Stop> {
        let Some(depth) = self.of(node) else {
            return Ok(None);
        };
        let mut path = vec![node];
        let mut at = node;
        let mut edges: Vec<Edge<W>> = Vec::new();
        for layer in (0..depth as usize).rev() {
            let mut before = None;
            let end = self.layers.get(layer + 1).copied();
            let end = end.unwrap_or(self.order.len());
            for &candidate in &self.order[self.layers[layer]..end] {
                graph.expand(candidate, &mut edges)?;
                if edges.iter().any(|edge| edge.target == at) {
                    before = Some(candidate);
                    break;
                }
            }
            let Some(before) = before else {
                return Ok(None);
            };
            path.push(before);
            at = before;
        }
        path.reverse();
        Ok(Some(path))
    }

    /// A shortest path of at least one edge from a node back to it: both ends included.
    ///
    /// # Errors
    /// If the budget is used up or a limit was reached.
    pub fn closed_path<const W: usize>(
        graph: &mut dyn Graph<W>,
        node: NodeId,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Option<Vec<NodeId>>, Halt> {
        let mut distances = Distances::from(&[node]);
        let mut edges: Vec<Edge<W>> = Vec::new();
        while !distances.is_complete() {
            let layer = distances.layers[distances.expanded()]..distances.order.len();
            for &last in &distances.order[layer] {
                graph.expand(last, &mut edges)?;
                if edges.iter().any(|edge| edge.target == node) {
                    let path = distances.path_to(graph, last)?;
                    return Ok(path.map(|mut path| {
                        path.push(node);
                        path
                    }));
                }
            }
            distances.advance(graph, meter)?;
        }
        Ok(None)
    }
}
