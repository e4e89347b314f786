//! Component by component, in stages: Büchi first, Streett only where needed.
//!
//! The maximal components of the graph are found on the fly. One without an edge inside, or without
//! all Büchi marks, is done with at once; one in which all requests are granted is accepting at
//! once. Only the rest is copied and checked for its pairs: edges with requests that nothing in the
//! part grants are removed until that changes nothing more (the edges removed may have granted
//! others), then the part falls into components, which join the queue. A part from which nothing
//! had to be removed is accepting, if it has an edge at all.
//!
//! Latvala and Heljanko, "Coping with strong fairness" (2000), with marks on edges instead of
//! nodes. As printed, a part without edges counts as accepting; here it does not. The counts of
//! each stage show how seldom the expensive one is needed.
//!
//! Cost: O(edges · min(nodes, pairs)); memory for the edges of one component. Decides everything,
//! but learns of an accepting cycle only when its maximal component is finished.

use std::collections::VecDeque;

use crate::emptiness::components::{Components, Step, beat};
use crate::emptiness::stored::Stored;
use crate::emptiness::{Component, Engine, Statistics};
use crate::graph::{Edge, Graph, NodeId};
use crate::marks::{Marks, Streett};
use crate::search::Stop;
use crate::watch::Watch;

/// Component by component, in stages.
pub struct LatvalaHeljanko;

impl<const W: usize> Engine<W> for LatvalaHeljanko {
    fn name(&self) -> &'static str {
        "latvala-heljanko"
    }

    fn about(&self) -> &'static str {
        "finished components, Büchi first and Streett only where needed; any acceptance"
    }

    fn search(
        &self,
        graph: &mut dyn Graph<W>,
        watch: &mut Watch<'_>,
        statistics: &mut Statistics,
    ) -> Result<Option<Component<W>>, Stop> {
        let mut stages = Stages::default();
        let result = search(graph, watch, statistics, &mut stages);
        statistics.stages = vec![
            ("components", stages.components),
            ("with an edge inside", stages.nontrivial),
            ("with all Büchi marks", stages.buchi),
            ("checked for pairs", stages.streett),
            ("parts of these", stages.parts),
        ];
        result
    }
}

/// How many components came to each stage.
#[derive(Default)]
struct Stages {
    components: u64,
    nontrivial: u64,
    buchi: u64,
    streett: u64,
    parts: u64,
}

fn search<const W: usize>(
    graph: &mut dyn Graph<W>,
    watch: &mut Watch<'_>,
    statistics: &mut Statistics,
    stages: &mut Stages,
) -> Result<Option<Component<W>>, Stop> {
    let condition = graph.condition().clone();
    let roots = graph.initial()?;
    let mut components = Components::new();
    components.begin(graph, &roots);
    // The numbers of nodes inside the component they were last copied with.
    let mut inner = Vec::new();
    while let Some(step) = components.next(graph, |_| true)? {
        match step {
            Step::Visited { edges } => {
                statistics.nodes += 1;
                statistics.edges += edges as u64;
                let own = || components.bytes() + inner.capacity() as u64 * 4;
                beat(watch, statistics, graph, own)?;
            }
            Step::Finished { trivial } => {
                stages.components += 1;
                if trivial {
                    continue;
                }
                stages.nontrivial += 1;
                let nodes = components.finished();
                let part = copy(graph, nodes, &mut inner, watch, statistics)?;
                let own = components.bytes() + part.bytes() + inner.capacity() as u64 * 4;
                statistics.bytes = statistics.bytes.max(own);
                let marks = (0..part.len())
                    .flat_map(|node| part.edges(node))
                    .fold(Marks::EMPTY, |marks, edge| marks.union(edge.marks));
                if !marks.covers(condition.buchi) {
                    continue;
                }
                stages.buchi += 1;
                if condition.unfulfilled(marks).is_empty() {
                    return Ok(Some(Component {
                        nodes: part.names,
                        avoid: Marks::EMPTY,
                    }));
                }
                stages.streett += 1;
                if let Some(found) = find_good(part, &condition, watch, statistics, stages)? {
                    return Ok(Some(found));
                }
            }
        }
    }
    statistics.bytes = statistics.bytes.max(components.bytes());
    Ok(None)
}

/// The nodes with the edges between them.
fn copy<const W: usize>(
    graph: &mut dyn Graph<W>,
    nodes: &[NodeId],
    inner: &mut Vec<u32>,
    watch: &mut Watch<'_>,
    statistics: &mut Statistics,
) -> Result<Stored<W>, Stop> {
    inner.resize(graph.bound().max(inner.len()), 0);
    for (number, node) in nodes.iter().enumerate() {
        inner[node.index()] = number as u32;
    }
    // A number left by an earlier component is of no consequence: the name says otherwise.
    let number = |inner: &[u32], node: NodeId| {
        let number = inner[node.index()];
        (nodes.get(number as usize) == Some(&node)).then_some(NodeId(number))
    };
    let mut stored = Stored::new(graph.condition().clone());
    let mut edges = Vec::new();
    for &node in nodes {
        graph.expand(node, &mut edges)?;
        let kept = edges.iter().filter_map(|edge| {
            let target = number(inner, edge.target)?;
            Some(Edge { target, ..*edge })
        });
        stored.push(node, kept);
        statistics.revisits += 1;
        beat(watch, statistics, graph, || stored.bytes())?;
    }
    Ok(stored)
}

/// A part of a component, without edges that carry marks of `avoid`.
struct Part<const W: usize> {
    nodes: Vec<NodeId>,
    avoid: Marks<W>,
}

/// An accepting part of a component.
fn find_good<const W: usize>(
    mut graph: Stored<W>,
    condition: &Streett<W>,
    watch: &mut Watch<'_>,
    statistics: &mut Statistics,
    stages: &mut Stages,
) -> Result<Option<Component<W>>, Stop> {
    let mut part_of = vec![0u32; graph.len()];
    let mut components = Components::new();
    let mut queue = VecDeque::from([Part {
        nodes: (0..graph.len() as u32).map(NodeId).collect(),
        avoid: Marks::EMPTY,
    }]);
    let mut number = 0;
    while let Some(mut part) = queue.pop_front() {
        stages.parts += 1;
        number += 1;
        for node in &part.nodes {
            part_of[node.index()] = number;
        }
        let allows = |edge: &Edge<W>, avoid: Marks<W>| {
            part_of[edge.target.index()] == number && !edge.marks.meets(avoid)
        };
        let mut changed = false;
        let edges_left = loop {
            let mut marks = Marks::EMPTY;
            let mut edges_left = false;
            for node in &part.nodes {
                for edge in graph.edges(node.index()) {
                    if allows(edge, part.avoid) {
                        edges_left = true;
                        marks = marks.union(edge.marks);
                    }
                }
            }
            let bad = condition.unfulfilled(marks);
            if bad.is_empty() {
                break edges_left && marks.covers(condition.buchi);
            }
            part.avoid = part.avoid.union(bad);
            changed = true;
        };
        if !edges_left {
            continue;
        }
        if !changed {
            let name = |node: NodeId| graph.names[node.index()];
            return Ok(Some(Component {
                nodes: part.nodes.into_iter().map(name).collect(),
                avoid: part.avoid,
            }));
        }
        statistics.refinements += 1;
        components.begin(&graph, &part.nodes);
        while let Some(step) = components.next(&mut graph, |edge| allows(edge, part.avoid))? {
            match step {
                Step::Visited { .. } => {
                    beat(watch, statistics, &graph, || {
                        components.bytes() + graph.bytes()
                    })?;
                }
                Step::Finished { trivial } => {
                    if !trivial {
                        let (nodes, avoid) = (components.finished().to_vec(), part.avoid);
                        queue.push_back(Part { nodes, avoid });
                    }
                }
            }
        }
    }
    Ok(None)
}
