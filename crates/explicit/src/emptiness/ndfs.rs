//! Nested depth-first search for a single acceptance set; fairness by monitors in front of it.
//!
//! The outer search leaves a node when all that can be reached from it was visited. At that moment,
//! if accepting edges lead out of it, the inner search looks for a way from their targets back to
//! the node. Because nodes are left in this order, one visit of each node by *all* inner searches
//! together is enough (Courcoubetis, Vardi, Wolper, Yannakakis 1992; with accepting edges instead
//! of nodes).
//!
//! More than one Büchi mark, and pairs, take [monitors](super::monitors): as SPIN and Malinen and
//! Luukkainen do it, with the copies that the other engines do without. Beyond [`MOST_COPIES`] it
//! refuses.
//!
//! Cost: two bits per node of the monitored graph, each node visited at most twice.

use crate::emptiness::components::beat;
use crate::emptiness::monitors::{Degeneralized, Monitored, copies};
use crate::emptiness::{Component, Engine, Statistics};
use crate::graph::{Edge, Graph, NodeId};
use crate::marks::{Marks, Streett};
use crate::search::Stop;
use crate::watch::Watch;

/// The greatest number of copies of the graph that is tried.
pub const MOST_COPIES: u64 = 1 << 20;

/// Nested depth-first search.
pub struct NestedDepthFirst;

impl<const W: usize> Engine<W> for NestedDepthFirst {
    fn name(&self) -> &'static str {
        "ndfs"
    }

    fn about(&self) -> &'static str {
        "nested depth-first search behind fairness monitors, for comparison; few strong items only"
    }

    fn supports(&self, condition: &Streett<W>) -> Result<(), String> {
        if is_single(condition) || copies(condition).is_some_and(|copies| copies <= MOST_COPIES) {
            return Ok(());
        }
        Err(format!(
            "monitors for {} weak and {} strong items make more than {MOST_COPIES} copies of each \
             state; use the engine `streett`, which makes none",
            condition.buchi.iter().count(),
            condition.pairs().len()
        ))
    }

    fn search(
        &self,
        graph: &mut dyn Graph<W>,
        watch: &mut Watch<'_>,
        statistics: &mut Statistics,
    ) -> Result<Option<Component<W>>, Stop> {
        if self.supports(graph.condition()).is_err() {
            return Err(Stop::Memory);
        }
        let requests = graph.condition().requests();
        let mut nodes = Vec::new();
        let mut taken = Marks::EMPTY;
        if is_single(graph.condition()) {
            let Some(cycle) = nested(graph, watch, statistics)? else {
                return Ok(None);
            };
            nodes.extend(cycle.iter().map(|(source, _)| *source));
        } else {
            let mut single = Degeneralized::new(Monitored::new(graph));
            let Some(cycle) = nested(&mut single, watch, statistics)? else {
                return Ok(None);
            };
            for (source, edge) in cycle {
                nodes.push(single.original(source));
                let marks = single.original_marks(source, edge)?;
                debug_assert!(marks.is_some(), "expanding again gave other edges");
                taken = taken.union(marks.unwrap_or(Marks::EMPTY));
            }
        }
        nodes.sort_unstable();
        nodes.dedup();
        Ok(Some(Component {
            nodes,
            avoid: requests.without(taken),
        }))
    }
}

/// Whether no monitor is needed.
fn is_single<const W: usize>(condition: &Streett<W>) -> bool {
    condition.pairs().is_empty() && condition.buchi.iter().count() <= 1
}

/// Visited by the outer search.
const OUTER: u8 = 1;
/// Visited by an inner search.
const INNER: u8 = 2;

struct Frame<const W: usize> {
    node: NodeId,
    /// The edge that led to it.
    entry: Edge<W>,
    /// Where its open edges begin.
    open: usize,
    /// Whether an accepting edge leaves it.
    accepting: bool,
}

/// A closed walk: edges with their sources.
type Cycle<const W: usize> = Vec<(NodeId, Edge<W>)>;

struct Nested<'a, const W: usize> {
    graph: &'a mut dyn Graph<W>,
    condition: Streett<W>,
    visited: Vec<u8>,
    frames: Vec<Frame<W>>,
    open: Vec<Edge<W>>,
    edges: Vec<Edge<W>>,
}

/// A closed walk over an accepting edge; the condition has at most one mark and no pairs.
fn nested<const W: usize>(
    graph: &mut dyn Graph<W>,
    watch: &mut Watch<'_>,
    statistics: &mut Statistics,
) -> Result<Option<Cycle<W>>, Stop> {
    let before = graph.bytes_used();
    let roots = graph.initial()?;
    let condition = graph.condition().clone();
    let mut search = Nested {
        condition,
        visited: vec![0; graph.bound()],
        graph,
        frames: Vec::new(),
        open: Vec::new(),
        edges: Vec::new(),
    };
    let result = search.outer(&roots, watch, statistics);
    let monitors = search.graph.bytes_used().saturating_sub(before) as u64;
    statistics.bytes = search.bytes() + monitors;
    result
}

impl<const W: usize> Nested<'_, W> {
    fn outer(
        &mut self,
        roots: &[NodeId],
        watch: &mut Watch<'_>,
        statistics: &mut Statistics,
    ) -> Result<Option<Cycle<W>>, Stop> {
        for &root in roots {
            if self.visited[root.index()] & OUTER != 0 {
                continue;
            }
            let entry = Edge {
                target: root,
                marks: Marks::EMPTY,
            };
            statistics.nodes += 1;
            statistics.edges += self.visit(entry, OUTER)?;
            while let Some(frame) = self.frames.last() {
                if self.open.len() > frame.open
                    && let Some(edge) = self.open.pop()
                {
                    if self.visited[edge.target.index()] & OUTER == 0 {
                        statistics.nodes += 1;
                        statistics.edges += self.visit(edge, OUTER)?;
                        beat(watch, statistics, self.graph, || self.bytes())?;
                    }
                    continue;
                }
                let (node, accepting) = (frame.node, frame.accepting);
                if accepting && let Some(cycle) = self.inner(node, watch, statistics)? {
                    return Ok(Some(cycle));
                }
                self.frames.pop();
            }
        }
        Ok(None)
    }

    /// A walk from an accepting edge of the node back to it.
    fn inner(
        &mut self,
        seed: NodeId,
        watch: &mut Watch<'_>,
        statistics: &mut Statistics,
    ) -> Result<Option<Cycle<W>>, Stop> {
        let bottom = self.frames.len();
        let mut edges = Vec::new();
        self.graph.expand(seed, &mut edges)?;
        for first in edges {
            if !self.condition.accepts(first.marks) {
                continue;
            }
            if first.target == seed {
                return Ok(Some(vec![(seed, first)]));
            }
            if self.visited[first.target.index()] & INNER != 0 {
                continue;
            }
            statistics.revisits += 1;
            self.visit(first, INNER)?;
            while self.frames.len() > bottom
                && let Some(frame) = self.frames.last()
            {
                if self.open.len() > frame.open
                    && let Some(edge) = self.open.pop()
                {
                    if edge.target == seed {
                        return Ok(Some(self.cycle(seed, bottom, edge)));
                    }
                    if self.visited[edge.target.index()] & INNER == 0 {
                        statistics.revisits += 1;
                        self.visit(edge, INNER)?;
                        beat(watch, statistics, self.graph, || self.bytes())?;
                    }
                    continue;
                }
                self.frames.pop();
            }
        }
        Ok(None)
    }

    /// Visits the target of an edge; how many edges it has.
    fn visit(&mut self, entry: Edge<W>, search: u8) -> Result<u64, Stop> {
        let node = entry.target;
        self.visited[node.index()] |= search;
        self.graph.expand(node, &mut self.edges)?;
        self.visited
            .resize(self.graph.bound().max(self.visited.len()), 0);
        let accepts = |edge: &Edge<W>| self.condition.accepts(edge.marks);
        self.frames.push(Frame {
            node,
            entry,
            open: self.open.len(),
            accepting: search == OUTER && self.edges.iter().any(accepts),
        });
        self.open.extend(self.edges.iter().rev());
        Ok(self.edges.len() as u64)
    }

    /// The walk along the frames of the inner search and the edge that closes it.
    fn cycle(&self, seed: NodeId, bottom: usize, last: Edge<W>) -> Cycle<W> {
        let mut cycle = Vec::new();
        let mut source = seed;
        for frame in &self.frames[bottom..] {
            cycle.push((source, frame.entry));
            source = frame.node;
        }
        cycle.push((source, last));
        cycle
    }

    fn bytes(&self) -> u64 {
        let bytes = self.visited.capacity()
            + self.frames.capacity() * size_of::<Frame<W>>()
            + self.open.capacity() * size_of::<Edge<W>>();
        bytes as u64
    }
}
