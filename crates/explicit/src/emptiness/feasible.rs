//! Feasible nodes by fixpoints of sets, on the whole reachable graph.
//!
//! Each round shrinks a set of nodes and the edges between them: for each Büchi mark to the nodes
//! from which an edge with that mark can be reached; for each pair by the requests from which no
//! grant can be reached; then by the nodes left without an edge. What is left when nothing changes
//! any more, the core, is empty iff there is no accepting run: in a component of the core that no
//! edge leaves, each mark that can be reached is met again and again.
//!
//! Kesten, Pnueli, Raviv and Shahar, "Model checking with strong fairness" (2001), with marks on
//! edges: instead of a node, the edge with the request is deleted. As printed, the verdict asks for
//! an initial node in the core, which is wrong where a request on the way there was deleted; here
//! it asks for any node. The edges are restricted to the set after each step; the variant that is
//! not brings deleted nodes back.
//!
//! Cost: O(nodes · edges) in the worst case, a few rounds in practice; all edges and their inverses
//! in memory. Not on the fly, but each step is a breadth-first search: the form that parallelises.

use crate::emptiness::components::{Components, Step, beat};
use crate::emptiness::stored::Stored;
use crate::emptiness::{Component, Engine, Statistics};
use crate::graph::{Edge, Graph, NodeId};
use crate::marks::{Marks, Streett};
use crate::search::{Progress, Stop};
use crate::watch::Watch;

/// Fixpoints of sets.
pub struct Feasible;

impl<const W: usize> Engine<W> for Feasible {
    fn name(&self) -> &'static str {
        "feasible"
    }

    fn about(&self) -> &'static str {
        "fixpoints of sets on the whole reachable graph; any acceptance"
    }

    fn search(
        &self,
        graph: &mut dyn Graph<W>,
        watch: &mut Watch<'_>,
        statistics: &mut Statistics,
    ) -> Result<Option<Component<W>>, Stop> {
        let stored = store(graph, watch, statistics)?;
        let condition = graph.condition().clone();
        let mut core = Core::new(stored)?;
        statistics.bytes = statistics.bytes.max(core.bytes());
        let mut rounds = 0;
        let bytes = core.bytes() + graph.bytes_used() as u64;
        let mut look = || {
            watch.look(&Progress {
                states: statistics.nodes,
                expanded: statistics.nodes,
                transitions: statistics.edges,
                depth: 0,
                bytes,
            })
        };
        while core.shrink(&condition, &mut look)? {
            rounds += 1;
        }
        let left = core.members.iter().filter(|&&member| member).count() as u64;
        statistics.stages = vec![("rounds", rounds + 1), ("core", left)];
        statistics.refinements = rounds;
        core.terminal(&condition)
    }
}

/// Copies the reachable graph, breadth first.
fn store<const W: usize>(
    graph: &mut dyn Graph<W>,
    watch: &mut Watch<'_>,
    statistics: &mut Statistics,
) -> Result<Stored<W>, Stop> {
    let mut nodes: Vec<NodeId> = Vec::new();
    // One more than the place of each node in `nodes`.
    let mut place: Vec<u32> = Vec::new();
    let mut number = |nodes: &mut Vec<NodeId>, node: NodeId, bound: usize| {
        place.resize(bound.max(place.len()), 0);
        if place[node.index()] == 0 {
            nodes.push(node);
            place[node.index()] = nodes.len() as u32;
        }
        NodeId(place[node.index()] - 1)
    };
    for node in graph.initial()? {
        number(&mut nodes, node, graph.bound());
    }
    let mut stored = Stored::new(graph.condition().clone());
    let mut edges = Vec::new();
    let mut next = 0;
    while next < nodes.len() {
        let node = nodes[next];
        next += 1;
        graph.expand(node, &mut edges)?;
        for edge in &mut edges {
            edge.target = number(&mut nodes, edge.target, graph.bound());
        }
        stored.push(node, edges.iter().copied());
        statistics.nodes += 1;
        statistics.edges += edges.len() as u64;
        let lists = 4 * (nodes.capacity() + graph.bound()) as u64;
        beat(watch, statistics, graph, || stored.bytes() + lists)?;
    }
    Ok(stored)
}

/// What is left of the graph.
struct Core<const W: usize> {
    graph: Stored<W>,
    /// The sources of all edges.
    sources: Vec<u32>,
    /// The edges into each node, and where they begin.
    incoming: Vec<u32>,
    starts: Vec<usize>,
    members: Vec<bool>,
    /// Edges whose requests cannot be granted.
    removed: Vec<bool>,
    /// Nodes that reach the edges last asked for.
    reaching: Vec<bool>,
    todo: Vec<u32>,
}

impl<const W: usize> Core<W> {
    fn new(graph: Stored<W>) -> Result<Core<W>, Stop> {
        let nodes = graph.len();
        let count = graph.edge_count();
        let most = u32::try_from(count).map_err(|_| Stop::Memory)?;
        let mut sources = vec![0; count];
        let mut starts = vec![0; nodes + 1];
        for source in 0..nodes {
            for number in graph.edge_numbers(source) {
                sources[number] = source as u32;
                starts[graph.edge(number).target.index() + 1] += 1;
            }
        }
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut incoming = vec![0; count];
        for number in 0..most {
            let target = graph.edge(number as usize).target.index();
            incoming[next[target]] = number;
            next[target] += 1;
        }
        Ok(Core {
            graph,
            sources,
            incoming,
            starts,
            members: vec![true; nodes],
            removed: vec![false; count],
            reaching: vec![false; nodes],
            todo: Vec::new(),
        })
    }

    /// One round; whether anything changed.
    fn shrink(
        &mut self,
        condition: &Streett<W>,
        look: &mut dyn FnMut() -> Result<(), Stop>,
    ) -> Result<bool, Stop> {
        let mut changed = false;
        for mark in condition.buchi.iter() {
            look()?;
            self.reach(mark);
            for (member, reaching) in self.members.iter_mut().zip(&self.reaching) {
                changed |= *member && !reaching;
                *member &= reaching;
            }
        }
        for pair in condition.pairs() {
            look()?;
            self.reach(pair.grant.into());
            for number in 0..self.sources.len() {
                if self.is_left(number)
                    && self.graph.edge(number).marks.contains(pair.request.into())
                    && !self.reaching[self.sources[number] as usize]
                {
                    self.removed[number] = true;
                    changed = true;
                }
            }
        }
        Ok(changed | self.drop_dead_ends())
    }

    /// Whether an edge is still there: not removed, and both ends are members.
    fn is_left(&self, number: usize) -> bool {
        !self.removed[number]
            && self.members[self.sources[number] as usize]
            && self.members[self.graph.edge(number).target.index()]
    }

    /// Finds the members from which an edge with this mark can be reached.
    fn reach(&mut self, mark: usize) {
        self.reaching.fill(false);
        for number in 0..self.sources.len() {
            if self.graph.edge(number).marks.contains(mark) && self.is_left(number) {
                self.add(self.sources[number]);
            }
        }
        while let Some(node) = self.todo.pop() {
            for i in self.starts[node as usize]..self.starts[node as usize + 1] {
                let number = self.incoming[i] as usize;
                if self.is_left(number) {
                    self.add(self.sources[number]);
                }
            }
        }
    }

    fn add(&mut self, node: u32) {
        if !self.reaching[node as usize] {
            self.reaching[node as usize] = true;
            self.todo.push(node);
        }
    }

    /// Removes members without an edge to a member until all have one; whether there were any.
    fn drop_dead_ends(&mut self) -> bool {
        let mut left = vec![0u32; self.graph.len()];
        for number in 0..self.sources.len() {
            if self.is_left(number) {
                left[self.sources[number] as usize] += 1;
            }
        }
        let is_stuck = |&node: &u32| self.members[node as usize] && left[node as usize] == 0;
        let mut stuck: Vec<u32> = (0..self.graph.len() as u32).filter(is_stuck).collect();
        let changed = !stuck.is_empty();
        while let Some(node) = stuck.pop() {
            for i in self.starts[node as usize]..self.starts[node as usize + 1] {
                let number = self.incoming[i] as usize;
                if self.is_left(number) {
                    let source = self.sources[number];
                    left[source as usize] -= 1;
                    if left[source as usize] == 0 {
                        stuck.push(source);
                    }
                }
            }
            self.members[node as usize] = false;
        }
        changed
    }

    /// A component of the core that no edge leaves; none if the core is empty.
    fn terminal(&self, condition: &Streett<W>) -> Result<Option<Component<W>>, Stop> {
        let members: Vec<usize> = (0..self.graph.len()).filter(|&n| self.members[n]).collect();
        let Some(&first) = members.first() else {
            return Ok(None);
        };
        let mut rest = Stored::new(condition.clone());
        for node in 0..self.graph.len() {
            let numbers = self.graph.edge_numbers(node);
            let left = numbers.filter(|&number| self.is_left(number));
            rest.push(
                self.graph.names[node],
                left.map(|number| *self.graph.edge(number)),
            );
        }
        let mut components = Components::new();
        components.begin(&rest, &[NodeId(first as u32)]);
        while let Some(step) = components.next(&mut rest, |_: &Edge<W>| true)? {
            // The first one finished leads nowhere else.
            if let Step::Finished { trivial } = step {
                debug_assert!(!trivial, "the core has a dead end");
                let nodes = components.finished();
                let marks = (nodes.iter())
                    .flat_map(|node| rest.edges(node.index()))
                    .fold(Marks::EMPTY, |marks, edge| marks.union(edge.marks));
                debug_assert!(condition.accepts(marks), "the core is not fair");
                let name = |node: &NodeId| rest.names[node.index()];
                return Ok(Some(Component {
                    nodes: nodes.iter().map(name).collect(),
                    avoid: condition.requests().without(marks),
                }));
            }
        }
        Ok(None)
    }

    fn bytes(&self) -> u64 {
        let bytes = 4 * (self.sources.len() + self.incoming.len())
            + 8 * self.starts.len()
            + self.removed.len()
            + 2 * self.members.len();
        self.graph.bytes() + bytes as u64
    }
}
