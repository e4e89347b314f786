//! Shortest walks through a core, one after the other.
//!
//! A quick cycle is made of breadth-first searches that mostly end soon. The notes of one are told
//! from those of the next by the number of the search, so nothing is cleared in between, and memory
//! that no search has touched costs nothing.

use evenhand_explicit::graph::{Edge, NodeId};

use crate::cores::Core;
use crate::meter::{Halt, Meter};

/// Makes walks through a core.
pub(crate) struct Walker<'c, const W: usize> {
    core: &'c Core<W>,
    search: u32,
    /// The search that met each node last, and the node and the edge it was reached by.
    met: Vec<u32>,
    before: Vec<u32>,
    by: Vec<u32>,
    queue: Vec<NodeId>,
}

impl<'c, const W: usize> Walker<'c, W> {
    pub fn new(core: &'c Core<W>) -> Walker<'c, W> {
        Walker {
            core,
            search: 0,
            met: vec![0; core.size()],
            before: vec![0; core.size()],
            by: vec![0; core.size()],
            queue: Vec::new(),
        }
    }

    /// A shortest walk of at least one edge whose last edge is `wanted`; none if there is no such
    /// edge to be reached.
    pub fn walk(
        &mut self,
        from: NodeId,
        wanted: impl Fn(&Edge<W>) -> bool,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Option<Vec<Edge<W>>>, Halt> {
        let core = self.core;
        let bytes = core.bytes() + 12 * core.size();
        self.search += 1;
        self.met[from.index()] = self.search;
        self.queue.clear();
        self.queue.push(from);
        let mut next = 0;
        while let Some(&node) = self.queue.get(next) {
            next += 1;
            meter.round(|| bytes)?;
            for number in core.edge_numbers(node) {
                let edge = &core.all_edges()[number];
                if wanted(edge) {
                    return Ok(Some(self.path(from, node, *edge)));
                }
                let target = edge.target.index();
                if self.met[target] != self.search {
                    self.met[target] = self.search;
                    self.before[target] = node.0;
                    self.by[target] = number as u32;
                    self.queue.push(edge.target);
                }
            }
        }
        Ok(None)
    }

    fn path(&self, from: NodeId, to: NodeId, last: Edge<W>) -> Vec<Edge<W>> {
        let mut walk = vec![last];
        let mut at = to;
        while at != from {
            walk.push(self.core.all_edges()[self.by[at.index()] as usize]);
            at = NodeId(self.before[at.index()]);
        }
        walk.reverse();
        walk
    }
}
