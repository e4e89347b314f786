//! Maximal strongly connected components, one after the other (Tarjan 1972).
//!
//! The engines that work component by component drive this search step by step, look at each
//! component as soon as it is finished, and may stop there. Components come in reverse topological
//! order: what a component leads to was finished before it. A filter leaves out edges, so that the
//! same search serves whole graphs and parts of them. One number per node, no recursion.

use crate::emptiness::Statistics;
use crate::graph::{Edge, Graph, NodeId};
use crate::search::{Progress, Stop};
use crate::watch::Watch;

const UNSEEN: u32 = 0;
const DONE: u32 = u32::MAX;

/// What happened last.
pub(super) enum Step {
    /// A node was visited for the first time; it has that many edges, whatever the filter says.
    Visited { edges: usize },
    /// The nodes of [`Components::finished`] are a component; a trivial one has no edge inside.
    Finished { trivial: bool },
}

struct Frame {
    node: NodeId,
    /// The least place on the stack that is known to be reachable from it.
    low: u32,
    /// Where its open edges begin.
    open: usize,
    /// Whether it has an edge to itself.
    looped: bool,
}

/// A search for components.
pub(super) struct Components<const W: usize> {
    /// For each node [`UNSEEN`], [`DONE`], or one more than its place on the stack.
    place: Vec<u32>,
    stack: Vec<NodeId>,
    frames: Vec<Frame>,
    open: Vec<Edge<W>>,
    edges: Vec<Edge<W>>,
    roots: Vec<NodeId>,
    finished: Vec<NodeId>,
}

impl<const W: usize> Components<W> {
    /// A search that has not begun.
    pub(super) fn new() -> Components<W> {
        Components {
            place: Vec::new(),
            stack: Vec::new(),
            frames: Vec::new(),
            open: Vec::new(),
            edges: Vec::new(),
            roots: Vec::new(),
            finished: Vec::new(),
        }
    }

    /// Begins a search from these nodes; they are forgotten if they were visited before, so that a
    /// part of a graph can be searched again if all its nodes are given.
    pub(super) fn begin(&mut self, graph: &dyn Graph<W>, roots: &[NodeId]) {
        self.place
            .resize(graph.bound().max(self.place.len()), UNSEEN);
        for root in roots {
            self.place[root.index()] = UNSEEN;
        }
        self.roots.clear();
        self.roots.extend(roots.iter().rev());
    }

    /// The component that was finished last.
    pub(super) fn finished(&self) -> &[NodeId] {
        &self.finished
    }

    /// Goes on to the next event; none at the end. Follows the edges that `allows` lets pass.
    pub(super) fn next(
        &mut self,
        graph: &mut dyn Graph<W>,
        allows: impl Fn(&Edge<W>) -> bool,
    ) -> Result<Option<Step>, Stop> {
        loop {
            let Some(frame) = self.frames.last_mut() else {
                let Some(root) = self.roots.pop() else {
                    return Ok(None);
                };
                if self.place[root.index()] == UNSEEN {
                    return self.visit(graph, root, allows).map(Some);
                }
                continue;
            };
            if self.open.len() > frame.open
                && let Some(edge) = self.open.pop()
            {
                match self.place[edge.target.index()] {
                    UNSEEN => return self.visit(graph, edge.target, allows).map(Some),
                    DONE => {}
                    place => {
                        frame.low = frame.low.min(place);
                        frame.looped |= edge.target == frame.node;
                    }
                }
                continue;
            }
            let (low, looped) = (frame.low, frame.looped);
            let place = self.place[frame.node.index()];
            self.frames.pop();
            if let Some(parent) = self.frames.last_mut() {
                parent.low = parent.low.min(low);
            }
            if low == place {
                let first = place as usize - 1;
                self.finished.clear();
                self.finished.extend(self.stack.drain(first..));
                for node in &self.finished {
                    self.place[node.index()] = DONE;
                }
                let trivial = self.finished.len() == 1 && !looped;
                return Ok(Some(Step::Finished { trivial }));
            }
        }
    }

    fn visit(
        &mut self,
        graph: &mut dyn Graph<W>,
        node: NodeId,
        allows: impl Fn(&Edge<W>) -> bool,
    ) -> Result<Step, Stop> {
        self.stack.push(node);
        let place = u32::try_from(self.stack.len()).unwrap_or(DONE);
        if place == DONE {
            return Err(Stop::Memory);
        }
        self.place[node.index()] = place;
        self.frames.push(Frame {
            node,
            low: place,
            open: self.open.len(),
            looped: false,
        });
        graph.expand(node, &mut self.edges)?;
        self.place
            .resize(graph.bound().max(self.place.len()), UNSEEN);
        let allowed = self.edges.iter().rev().filter(|&edge| allows(edge));
        self.open.extend(allowed);
        let edges = self.edges.len();
        Ok(Step::Visited { edges })
    }

    /// Memory taken, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        let bytes = self.place.capacity() * size_of::<u32>()
            + (self.stack.capacity() + self.finished.capacity()) * size_of::<NodeId>()
            + self.frames.capacity() * size_of::<Frame>()
            + self.open.capacity() * size_of::<Edge<W>>();
        bytes as u64
    }
}

/// Looks at the limits, now and then; `own` is the memory of the engine.
pub(super) fn beat<const W: usize>(
    watch: &mut Watch<'_>,
    statistics: &mut Statistics,
    graph: &dyn Graph<W>,
    own: impl Fn() -> u64,
) -> Result<(), Stop> {
    watch.tick(|| {
        statistics.bytes = statistics.bytes.max(own());
        Progress {
            states: statistics.nodes,
            expanded: statistics.nodes + statistics.revisits,
            transitions: statistics.edges,
            depth: 0,
            bytes: statistics.bytes + graph.bytes_used() as u64,
        }
    })
}
