//! The part of a product in which bad runs can stay, kept once for all assignments.
//!
//! Without any fairness of items, the bad runs end up in the accepting cores of the product. More
//! fairness only takes runs away, so whatever assignment is asked about, its bad runs stay inside these
//! cores: only their nodes and edges are copied, with the marks of all items at all levels. An
//! assignment is a condition on these marks, and deciding it is one refinement of the copy into accepting
//! cores (Lichtenstein and Pnueli; see `evenhand_witness::cores`): none is left, or each of
//! them is a run, the walk through all its edges, which is as fair as the core allows.
//!
//! Cost of a check: at most k + 1 passes over the copy for k strong assumptions.

use evenhand_explicit::emptiness::Component;
use evenhand_explicit::graph::{Edge, Graph, NodeId};
use evenhand_explicit::marks::{Marks, Streett};
use evenhand_explicit::search::{Progress, Stop};
use evenhand_explicit::watch::Watch;
use evenhand_witness::cores::cores_of;
use evenhand_witness::distances::Distances;
use evenhand_witness::meter::{Halt, Meter};

use crate::hitting::{Clause, Level};

/// How an item shows in the marks of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ItemMarks {
    /// Each must be seen under weak fairness.
    pub weak: Vec<usize>,
    /// Pairs of request and grant under strong fairness.
    pub strong: Vec<(usize, usize)>,
}

/// The accepting cores of a graph, copied.
#[derive(Clone, Debug)]
pub struct CoreGraph<const W: usize> {
    items: Vec<ItemMarks>,
    /// The condition that holds whatever is assumed of items.
    base: Streett<W>,
    condition: Streett<W>,
    nodes: Vec<NodeId>,
    first: Vec<usize>,
    edges: Vec<Edge<W>>,
    /// Nodes of the whole graph.
    pub size: u64,
}

impl<const W: usize> CoreGraph<W> {
    /// Copies the cores of a graph under its condition, which asks for nothing of the items.
    ///
    /// # Errors
    /// If a limit was reached.
    pub fn new(
        graph: &mut dyn Graph<W>,
        items: Vec<ItemMarks>,
        watch: &mut Watch<'_>,
    ) -> Result<CoreGraph<W>, Stop> {
        let base = graph.condition().clone();
        let initial = graph.initial()?;
        let mut meter = Meter::unlimited(watch);
        let mut distances = Distances::from(&initial);
        while !distances.is_complete() {
            let advanced = distances.advance(graph, &mut meter);
            advanced.map_err(Halt::into_stop)?;
        }
        let reached = distances.nodes();
        let cores = cores_of(graph, reached, Marks::EMPTY, &mut meter).map_err(Halt::into_stop)?;
        let mut copy = CoreGraph {
            items,
            condition: base.clone(),
            base,
            nodes: Vec::new(),
            first: vec![0],
            edges: Vec::new(),
            size: reached.len() as u64,
        };
        let mut number = vec![u32::MAX; graph.bound()];
        // Which core each node belongs to, from one.
        let mut core_of = vec![0u32; graph.bound()];
        let mut count = 0;
        for (core, component) in cores.iter().enumerate() {
            for node in &component.nodes {
                number[node.index()] = count;
                core_of[node.index()] = core as u32 + 1;
                count += 1;
            }
        }
        copy.nodes = (0..count).map(NodeId).collect();
        let mut edges = Vec::new();
        for (core, component) in cores.iter().enumerate() {
            for &node in &component.nodes {
                graph.expand(node, &mut edges)?;
                let inside = |edge: &&Edge<W>| {
                    core_of.get(edge.target.index()) == Some(&(core as u32 + 1))
                        && !edge.marks.meets(component.avoid)
                };
                copy.edges
                    .extend(edges.iter().filter(inside).map(|edge| Edge {
                        target: NodeId(number[edge.target.index()]),
                        marks: edge.marks,
                    }));
                copy.first.push(copy.edges.len());
            }
            let bytes = graph.bytes_used() + copy.bytes_used();
            watch.tick(|| Progress {
                states: count.into(),
                bytes: bytes as u64,
                ..Progress::default()
            })?;
        }
        Ok(copy)
    }

    /// The condition of an assignment.
    pub fn condition_of(&self, assignment: &[Level]) -> Streett<W> {
        let mut buchi = self.base.buchi;
        let mut pairs = self.base.pairs().to_vec();
        for (marks, level) in self.items.iter().zip(assignment) {
            match level {
                Level::Absent => {}
                Level::Weak => marks.weak.iter().for_each(|&mark| buchi.insert(mark)),
                Level::Strong => pairs.extend(marks.strong.iter().map(|&(request, grant)| {
                    evenhand_explicit::marks::Pair {
                        request: request as u16,
                        grant: grant as u16,
                    }
                })),
            }
        }
        Streett::new(buchi, pairs)
    }

    /// Runs that an assignment does not exclude; none if and only if there is none at all.
    ///
    /// # Errors
    /// If a limit was reached.
    pub fn check(
        &mut self,
        assignment: &[Level],
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Clause>, Stop> {
        self.condition = self.condition_of(assignment);
        let nodes = std::mem::take(&mut self.nodes);
        let mut meter = Meter::unlimited(watch);
        let cores = cores_of(self, &nodes, Marks::EMPTY, &mut meter);
        self.nodes = nodes;
        let mut clauses: Vec<Clause> = Vec::new();
        let mut member = vec![0u32; self.nodes.len()];
        for (core, component) in cores.map_err(Halt::into_stop)?.iter().enumerate() {
            let seen = self.marks_within(component, core as u32 + 1, &mut member);
            let clause = self.clause(seen);
            if !clauses.contains(&clause) {
                clauses.push(clause);
            }
        }
        Ok(clauses)
    }

    /// The marks of the edges inside a core.
    fn marks_within(&self, core: &Component<W>, number: u32, member: &mut [u32]) -> Marks<W> {
        for node in &core.nodes {
            member[node.index()] = number;
        }
        let mut seen = Marks::EMPTY;
        for node in &core.nodes {
            for edge in self.edges_of(*node) {
                if member[edge.target.index()] == number && !edge.marks.meets(core.avoid) {
                    seen = seen.union(edge.marks);
                }
            }
        }
        seen
    }

    /// From which level on each item excludes a run with these marks.
    fn clause(&self, seen: Marks<W>) -> Clause {
        let level = |item: &ItemMarks| {
            let breaks = |&(request, grant): &(usize, usize)| {
                seen.contains(request) && !seen.contains(grant)
            };
            if item.weak.iter().any(|&mark| !seen.contains(mark)) {
                Some(Level::Weak)
            } else {
                item.strong.iter().any(breaks).then_some(Level::Strong)
            }
        };
        Clause(self.items.iter().map(level).collect())
    }

    fn edges_of(&self, node: NodeId) -> &[Edge<W>] {
        &self.edges[self.first[node.index()]..self.first[node.index() + 1]]
    }
}

impl<const W: usize> Graph<W> for CoreGraph<W> {
    fn condition(&self) -> &Streett<W> {
        &self.condition
    }

    fn initial(&mut self) -> Result<Vec<NodeId>, Stop> {
        Ok(self.nodes.clone())
    }

    fn expand(&mut self, node: NodeId, edges: &mut Vec<Edge<W>>) -> Result<(), Stop> {
        edges.clear();
        edges.extend_from_slice(self.edges_of(node));
        Ok(())
    }

    fn bound(&self) -> usize {
        self.first.len() - 1
    }

    fn bytes_used(&self) -> usize {
        self.edges.len() * size_of::<Edge<W>>() + 12 * self.first.len()
    }
}
