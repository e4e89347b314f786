//! Accepting cores: the parts of a graph in which the search for a cycle cannot go wrong.
//!
//! An engine stops at the first sign of an accepting cycle: its component may have edges that
//! nobody has looked at, with requests that nothing there grants. Refinement run to the end removes
//! them. A set of nodes is split into strongly connected components; a component without an edge or
//! without some Büchi mark holds no accepting cycle and is dropped; one in which all requests are
//! granted is a core; in all others the edges with ungranted requests are removed, and what remains
//! is split again. Only edges that lie on no accepting closed walk are ever removed, so each
//! accepting closed walk within the nodes lies inside exactly one core, and a walk through all
//! edges of a core is accepting.
//!
//! The splitting is Dijkstra's path-based search with marks gathered at the merges, on explicit
//! stacks; nodes are expanded anew for each refinement instead of keeping copies. With k pairs each
//! node is visited at most k + 1 times; memory is two words per node and the search stack.
//!
//! A [`Core`] is the copy of one core with dense numbers, for searches that walk through it often.

use std::sync::Arc;

use evenhand_explicit::emptiness::Component;
use evenhand_explicit::graph::{Edge, Graph, NodeId};
use evenhand_explicit::marks::{Marks, Streett};
use evenhand_explicit::search::Stop;

use crate::meter::{Halt, Meter};

/// All accepting cores within the edges between some nodes that carry no mark of `avoid`: for a
/// component of an engine its nodes and avoided marks, for a whole graph all reachable nodes.
///
/// # Errors
/// If the budget is used up or a limit was reached.
pub fn cores_of<const W: usize>(
    graph: &mut dyn Graph<W>,
    nodes: &[NodeId],
    avoid: Marks<W>,
    meter: &mut Meter<'_, '_>,
) -> Result<Vec<Component<W>>, Halt> {
    let condition = graph.condition().clone();
    let size = nodes.iter().map(|n| n.index() + 1).max().unwrap_or(0);
    let mut splitter = Splitter {
        scope: vec![0; size],
        number: vec![0; size],
        scopes: 0,
        roots: Vec::new(),
        members: Vec::new(),
        frames: Vec::new(),
        pending: Vec::new(),
        edges: Vec::new(),
    };
    let mut cores = Vec::new();
    let mut work = vec![Component {
        nodes: nodes.to_vec(),
        avoid,
    }];
    while let Some(part) = work.pop() {
        splitter.split(graph, &part, meter, |nodes, seen| {
            if !seen.covers(condition.buchi) {
                return;
            }
            let open = condition.unfulfilled(seen);
            let avoid = part.avoid.union(open);
            let mut nodes = nodes.to_vec();
            nodes.sort_unstable();
            let found = Component { nodes, avoid };
            if open.is_empty() {
                cores.push(found);
            } else {
                work.push(found);
            }
        })?;
    }
    cores.sort_unstable_by_key(|core| core.nodes[0]);
    Ok(cores)
}

/// The entry of a component that is not finished yet.
struct Root<const W: usize> {
    number: u32,
    /// The marks of the edge that led to it.
    entered: Marks<W>,
    /// The marks of the edges within the component.
    inside: Marks<W>,
    closed_walk: bool,
}

struct Frame {
    node: NodeId,
    /// Where its edges begin in `pending`.
    first: usize,
}

struct Splitter<const W: usize> {
    /// The number of the refinement each node belongs to.
    scope: Vec<u32>,
    /// The position of each node in the search, from one; zero if unseen.
    number: Vec<u32>,
    scopes: u32,
    roots: Vec<Root<W>>,
    members: Vec<NodeId>,
    frames: Vec<Frame>,
    /// Edges of the nodes on the search path that are not followed yet.
    pending: Vec<Edge<W>>,
    edges: Vec<Edge<W>>,
}

impl<const W: usize> Splitter<W> {
    /// Calls `found` with the nodes and marks of each component that has an edge.
    fn split(
        &mut self,
        graph: &mut dyn Graph<W>,
        part: &Component<W>,
        meter: &mut Meter<'_, '_>,
        mut found: impl FnMut(&[NodeId], Marks<W>),
    ) -> Result<(), Halt> {
        self.scopes += 1;
        let scope = self.scopes;
        for node in &part.nodes {
            self.scope[node.index()] = scope;
            self.number[node.index()] = 0;
        }
        let mut numbers = 0;
        for &start in &part.nodes {
            if self.scope[start.index()] != scope || self.number[start.index()] != 0 {
                continue;
            }
            self.enter(graph, start, Marks::EMPTY, part.avoid, &mut numbers, meter)?;
            while let Some(frame) = self.frames.last() {
                if self.pending.len() == frame.first {
                    self.leave(&mut found);
                    continue;
                }
                let Some(edge) = self.pending.pop() else {
                    break;
                };
                let index = edge.target.index();
                if self.scope.get(index) != Some(&scope) {
                    continue;
                }
                match self.number[index] {
                    0 => self.enter(
                        graph,
                        edge.target,
                        edge.marks,
                        part.avoid,
                        &mut numbers,
                        meter,
                    )?,
                    number => self.merge(number, edge.marks),
                }
            }
        }
        Ok(())
    }

    fn enter(
        &mut self,
        graph: &mut dyn Graph<W>,
        node: NodeId,
        entered: Marks<W>,
        avoid: Marks<W>,
        numbers: &mut u32,
        meter: &mut Meter<'_, '_>,
    ) -> Result<(), Halt> {
        let own = 8 * self.scope.len()
            + size_of::<Edge<W>>() * self.pending.capacity()
            + size_of::<Root<W>>() * self.roots.capacity();
        meter.expansion(graph, || own)?;
        *numbers += 1;
        self.number[node.index()] = *numbers;
        self.members.push(node);
        self.roots.push(Root {
            number: *numbers,
            entered,
            inside: Marks::EMPTY,
            closed_walk: false,
        });
        self.frames.push(Frame {
            node,
            first: self.pending.len(),
        });
        graph.expand(node, &mut self.edges)?;
        // The last one is followed first: keep the order of the graph.
        let allowed = self.edges.iter().rev().filter(|e| !e.marks.meets(avoid));
        self.pending.extend(allowed);
        Ok(())
    }

    /// An edge back to a node of an unfinished component: all from there on is one component.
    fn merge(&mut self, number: u32, marks: Marks<W>) {
        let mut seen = marks;
        while let Some(root) = self.roots.last()
            && root.number > number
        {
            seen = seen.union(root.entered).union(root.inside);
            self.roots.pop();
        }
        if let Some(root) = self.roots.last_mut() {
            root.inside = root.inside.union(seen);
            root.closed_walk = true;
        }
    }

    fn leave(&mut self, found: &mut impl FnMut(&[NodeId], Marks<W>)) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        let number = self.number[frame.node.index()];
        if self.roots.last().is_none_or(|root| root.number != number) {
            return;
        }
        let Some(root) = self.roots.pop() else {
            return;
        };
        let first = self.members.iter().rposition(|&n| n == frame.node);
        let first = first.unwrap_or(0);
        for node in &self.members[first..] {
            self.scope[node.index()] = 0;
        }
        if root.closed_walk {
            found(&self.members[first..], root.inside);
        }
        self.members.truncate(first);
    }
}

/// A core in memory, its nodes numbered from zero in the order of the graph. It is a graph itself.
#[derive(Clone, Debug)]
pub struct Core<const W: usize> {
    condition: Arc<Streett<W>>,
    nodes: Vec<NodeId>,
    offsets: Vec<u32>,
    edges: Vec<Edge<W>>,
}

impl<const W: usize> Core<W> {
    /// Copies cores out of a graph.
    ///
    /// # Errors
    /// If the budget is used up or a limit was reached.
    pub fn load(
        graph: &mut dyn Graph<W>,
        parts: &[Component<W>],
        meter: &mut Meter<'_, '_>,
    ) -> Result<Vec<Core<W>>, Halt> {
        let condition = Arc::new(graph.condition().clone());
        let last = parts.iter().flat_map(|part| &part.nodes).max();
        // The number of a node in its core, from one; zero outside.
        let mut local = vec![0u32; last.map_or(0, |n| n.index() + 1)];
        let mut taken = 4 * local.len();
        let mut out = Vec::new();
        let mut cores = Vec::new();
        for part in parts {
            for (number, node) in (1..).zip(&part.nodes) {
                local[node.index()] = number;
            }
            let mut core = Core {
                condition: condition.clone(),
                nodes: part.nodes.clone(),
                offsets: vec![0],
                edges: Vec::new(),
            };
            for &node in &part.nodes {
                meter.expansion(graph, || taken + core.bytes())?;
                graph.expand(node, &mut out)?;
                for edge in &out {
                    let target = local.get(edge.target.index()).copied().unwrap_or(0);
                    if target != 0 && !edge.marks.meets(part.avoid) {
                        core.edges.push(Edge {
                            target: NodeId(target - 1),
                            marks: edge.marks,
                        });
                    }
                }
                core.offsets.push(core.edges.len() as u32);
            }
            for node in &part.nodes {
                local[node.index()] = 0;
            }
            taken += core.bytes();
            cores.push(core);
        }
        Ok(cores)
    }

    /// Which cycles are looked for.
    pub fn condition(&self) -> &Streett<W> {
        &self.condition
    }

    /// How many nodes it has.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// The node of the graph that has this number here.
    pub fn outside(&self, node: NodeId) -> NodeId {
        self.nodes[node.index()]
    }

    /// The nodes in the order of their numbers here, as the graph knows them.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// The edges out of a node, between numbers of the core.
    pub fn edges(&self, node: NodeId) -> &[Edge<W>] {
        &self.edges[self.edge_numbers(node)]
    }

    /// The numbers of the edges out of a node.
    pub(crate) fn edge_numbers(&self, node: NodeId) -> std::ops::Range<usize> {
        self.offsets[node.index()] as usize..self.offsets[node.index() + 1] as usize
    }

    /// All edges, by source.
    pub fn all_edges(&self) -> &[Edge<W>] {
        &self.edges
    }

    /// A walk of the core in the numbers of the graph.
    pub fn translate(&self, walk: &[Edge<W>]) -> Vec<Edge<W>> {
        let outside = |edge: &Edge<W>| Edge {
            target: self.outside(edge.target),
            marks: edge.marks,
        };
        walk.iter().map(outside).collect()
    }

    /// Memory it takes, in bytes.
    pub fn bytes(&self) -> usize {
        8 * self.nodes.capacity() + size_of::<Edge<W>>() * self.edges.capacity()
    }
}

impl<const W: usize> Graph<W> for Core<W> {
    fn condition(&self) -> &Streett<W> {
        &self.condition
    }

    fn initial(&mut self) -> Result<Vec<NodeId>, Stop> {
        Ok((0..self.nodes.len() as u32).map(NodeId).collect())
    }

    fn expand(&mut self, node: NodeId, edges: &mut Vec<Edge<W>>) -> Result<(), Stop> {
        edges.clear();
        edges.extend_from_slice(self.edges(node));
        Ok(())
    }

    fn bound(&self) -> usize {
        self.nodes.len()
    }
}
