//! A graph whose nodes get their numbers as they are met, as those of a product do.

use evenhand_explicit::graph::{Edge, Graph, NodeId, PlainGraph};
use evenhand_explicit::marks::Streett;
use evenhand_explicit::search::Stop;

/// A plain graph behind numbers that are handed out on demand.
#[derive(Clone, Debug)]
pub struct OnDemand {
    graph: PlainGraph<1>,
    /// For each number the node of the plain graph.
    names: Vec<NodeId>,
}

impl OnDemand {
    /// The graph, with no number handed out.
    pub fn new(graph: PlainGraph<1>) -> OnDemand {
        OnDemand {
            graph,
            names: Vec::new(),
        }
    }

    /// The node of the plain graph that has this number.
    ///
    /// # Panics
    /// If the number was not handed out.
    pub fn name(&self, number: NodeId) -> NodeId {
        self.names[number.index()]
    }

    /// The number of a node of the plain graph; a new one if it has none.
    pub fn number(&mut self, name: NodeId) -> NodeId {
        let known = self.names.iter().position(|&known| known == name);
        let number = known.unwrap_or_else(|| {
            self.names.push(name);
            self.names.len() - 1
        });
        NodeId(number as u32)
    }
}

impl Graph<1> for OnDemand {
    fn condition(&self) -> &Streett<1> {
        &self.graph.condition
    }

    fn initial(&mut self) -> Result<Vec<NodeId>, Stop> {
        let names = self.graph.initial.clone();
        Ok(names.into_iter().map(|name| self.number(name)).collect())
    }

    fn expand(&mut self, node: NodeId, edges: &mut Vec<Edge<1>>) -> Result<(), Stop> {
        let name = self.name(node);
        self.graph.expand(name, edges)?;
        for edge in edges {
            edge.target = self.number(edge.target);
        }
        Ok(())
    }

    fn bound(&self) -> usize {
        self.names.len()
    }
}
