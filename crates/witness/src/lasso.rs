//! Lassos of a graph, and the check that one is what it says.
//!
//! A lasso is a path from an initial node to an entry, and a closed walk from the entry back to it
//! whose marks are accepting: the run that follows the path once and the walk for ever. The walk
//! may pass a node more than once. Its length is the number of edges of both.
//!
//! [`GraphLasso::check`] asks the graph alone, so that an error of a search cannot hide behind it:
//! it expands the nodes of the lasso again and looks for each edge, with its marks.

use std::fmt;

use evenhand_explicit::graph::{Edge, Graph, NodeId};
use evenhand_explicit::marks::Marks;
use evenhand_explicit::search::Stop;

/// A path from an initial node, and a closed walk at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphLasso<const W: usize> {
    /// The nodes of the path: the first is initial, the last is the entry of the cycle.
    pub prefix: Vec<NodeId>,
    /// The edges of the cycle: the first leaves the entry, the last leads back to it.
    pub cycle: Vec<Edge<W>>,
}

impl<const W: usize> GraphLasso<W> {
    /// Its length in edges.
    pub fn len(&self) -> usize {
        self.prefix.len().saturating_sub(1) + self.cycle.len()
    }

    /// Whether it has no edges: then it is no lasso.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where the cycle begins and ends.
    pub fn entry(&self) -> Option<NodeId> {
        self.prefix.last().copied()
    }

    /// All marks of the cycle.
    pub fn marks(&self) -> Marks<W> {
        self.cycle
            .iter()
            .fold(Marks::EMPTY, |all, edge| all.union(edge.marks))
    }

    /// Whether the graph has this lasso and accepts its cycle.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&self, graph: &mut dyn Graph<W>) -> Result<(), LassoError> {
        let initial = graph.initial()?;
        let Some((&start, path)) = self.prefix.split_first() else {
            return Err(LassoError::NoPrefix);
        };
        if !initial.contains(&start) {
            return Err(LassoError::NotInitial(start));
        }
        let mut edges = Vec::new();
        let mut at = start;
        for (position, &node) in path.iter().enumerate() {
            graph.expand(at, &mut edges)?;
            if !edges.iter().any(|edge| edge.target == node) {
                return Err(LassoError::NoEdge(position));
            }
            at = node;
        }
        let entry = at;
        if self.cycle.is_empty() {
            return Err(LassoError::NoCycle);
        }
        for (position, step) in self.cycle.iter().enumerate() {
            graph.expand(at, &mut edges)?;
            if !edges.contains(step) {
                return Err(LassoError::NoEdge(path.len() + position));
            }
            at = step.target;
        }
        if at != entry {
            return Err(LassoError::NotClosed(at));
        }
        if !graph.condition().accepts(self.marks()) {
            return Err(LassoError::NotAccepting);
        }
        Ok(())
    }
}

/// What is wrong with a lasso.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LassoError {
    /// The path has no nodes.
    NoPrefix,
    /// The path does not begin in an initial node.
    NotInitial(NodeId),
    /// The graph has no such edge; its position from the start.
    NoEdge(usize),
    /// The cycle has no edges.
    NoCycle,
    /// The cycle ends elsewhere.
    NotClosed(NodeId),
    /// The marks of the cycle are not accepting.
    NotAccepting,
    /// A limit was reached before the check was done.
    Stopped(Stop),
}

impl From<Stop> for LassoError {
    fn from(stop: Stop) -> LassoError {
        LassoError::Stopped(stop)
    }
}

impl fmt::Display for LassoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LassoError::NoPrefix => f.write_str("the lasso has no first node"),
            LassoError::NotInitial(node) => write!(f, "node {} is not initial", node.0),
            LassoError::NoEdge(position) => write!(f, "step {} is no edge", position + 1),
            LassoError::NoCycle => f.write_str("the lasso has no cycle"),
            LassoError::NotClosed(node) => write!(f, "the cycle ends in node {}", node.0),
            LassoError::NotAccepting => f.write_str("the marks of the cycle are not accepting"),
            LassoError::Stopped(stop) => stop.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_explicit::graph::PlainGraph;
    use evenhand_explicit::marks::Streett;

    fn graph() -> PlainGraph<1> {
        let mut graph = PlainGraph::new(Streett::new(Marks::single(0), Vec::new()), 3);
        graph.add(0, &[], 1);
        graph.add(1, &[0], 2);
        graph.add(2, &[], 1);
        graph.add(2, &[], 2);
        graph
    }

    fn lasso(prefix: &[u32], cycle: &[(u32, &[usize])]) -> GraphLasso<1> {
        GraphLasso {
            prefix: prefix.iter().map(|&n| NodeId(n)).collect(),
            cycle: cycle
                .iter()
                .map(|&(target, marks)| Edge {
                    target: NodeId(target),
                    marks: marks.iter().copied().collect(),
                })
                .collect(),
        }
    }

    #[test]
    fn a_lasso_of_the_graph_passes() {
        let good = lasso(&[0, 1], &[(2, &[0]), (1, &[])]);
        assert_eq!(good.check(&mut graph()), Ok(()));
        assert_eq!((good.len(), good.entry()), (3, Some(NodeId(1))));
    }

    #[test]
    fn each_defect_has_a_name() {
        let verdict = |prefix: &[u32], cycle: &[(u32, &[usize])]| {
            lasso(prefix, cycle).check(&mut graph()).unwrap_err()
        };
        assert_eq!(verdict(&[], &[]), LassoError::NoPrefix);
        assert_eq!(verdict(&[1], &[]), LassoError::NotInitial(NodeId(1)));
        assert_eq!(verdict(&[0, 2], &[]), LassoError::NoEdge(0));
        assert_eq!(verdict(&[0, 1], &[]), LassoError::NoCycle);
        assert_eq!(verdict(&[0, 1], &[(2, &[])]), LassoError::NoEdge(1));
        let open = verdict(&[0, 1], &[(2, &[0])]);
        assert_eq!(open, LassoError::NotClosed(NodeId(2)));
        let idle = verdict(&[0, 1, 2], &[(2, &[])]);
        assert_eq!(idle, LassoError::NotAccepting);
    }
}
