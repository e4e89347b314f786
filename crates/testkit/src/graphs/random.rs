//! Random graphs with marks, of sizes that brute force can decide.
//!
//! Engines go wrong on the order in which edges are met, on nodes that are entered twice, on marks
//! that stand for two things at once. So edges are drawn one by one (parallel edges and loops
//! included), the order of successors is random, there may be several initial nodes or unreachable
//! ones, and now and then two parts of the condition share a mark.

use evenhand_explicit::graph::{Edge, NodeId, PlainGraph};
use evenhand_explicit::marks::{Marks, Pair, Streett};

use crate::promela_programs::random::Random;

/// What sizes to draw from.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The least and the greatest number of nodes.
    pub nodes: (usize, usize),
    /// The greatest number of edges per hundred nodes; at least a hundred.
    pub edges_per_hundred: usize,
    /// The greatest number of edges.
    pub most_edges: usize,
    /// The greatest number of Büchi marks.
    pub buchi: usize,
    /// The greatest number of pairs.
    pub pairs: usize,
}

impl Shape {
    /// Up to 7 nodes, 12 edges, 3 Büchi marks and 4 pairs: subsets of edges can be enumerated.
    pub const SMALL: Shape = Shape {
        nodes: (1, 7),
        edges_per_hundred: 300,
        most_edges: 12,
        buchi: 3,
        pairs: 4,
    };

    /// 10 to 60 nodes, 3 Büchi marks and 4 pairs.
    pub const LARGE: Shape = Shape {
        nodes: (10, 60),
        edges_per_hundred: 250,
        most_edges: usize::MAX,
        buchi: 3,
        pairs: 4,
    };
}

/// A graph of that shape.
pub fn random_graph(random: &mut Random, shape: &Shape) -> PlainGraph<1> {
    let buchi = random.between(0, shape.buchi);
    let pair_count = random.between(0, shape.pairs);
    let mut pairs: Vec<Pair> = (0..pair_count)
        .map(|i| Pair {
            request: (buchi + 2 * i) as u16,
            grant: (buchi + 2 * i + 1) as u16,
        })
        .collect();
    let marks = buchi + 2 * pair_count;
    if random.percent(10) && !pairs.is_empty() {
        let pair = random.below(pairs.len());
        let mark = random.below(marks) as u16;
        if random.percent(50) {
            pairs[pair].request = mark;
        } else {
            pairs[pair].grant = mark;
        }
    }
    let mut graph = PlainGraph::new(
        Streett::new((0..buchi).collect(), pairs),
        random.between(shape.nodes.0, shape.nodes.1),
    );
    let nodes = graph.edges.len();
    let density = random.between(100, shape.edges_per_hundred);
    let most = (nodes * density / 100 + 1).min(shape.most_edges);
    let edges = if nodes < 10 {
        random.between(1, most)
    } else {
        most
    };
    // Büchi marks and grants help, requests hinder: how often they are there decides the verdict.
    let helpful = *random.pick(&[25, 45, 65]);
    let requests = *random.pick(&[10, 30, 50]);
    for _ in 0..edges {
        let edge = Edge {
            target: NodeId(random.below(nodes) as u32),
            marks: (0..marks)
                .filter(|&mark| {
                    let request = mark >= buchi && (mark - buchi).is_multiple_of(2);
                    random.percent(if request { requests } else { helpful })
                })
                .collect::<Marks<1>>(),
        };
        let source = random.below(nodes);
        graph.edges[source].push(edge);
    }
    if random.percent(10) {
        graph.initial.push(NodeId(random.below(nodes) as u32));
    }
    graph
}

/// Puts the edges of each node, and the initial nodes, into another order.
pub fn shuffle_edges(random: &mut Random, graph: &mut PlainGraph<1>) {
    let mut shuffle = |length: usize, swap: &mut dyn FnMut(usize, usize)| {
        for i in (1..length).rev() {
            swap(i, random.below(i + 1));
        }
    };
    for edges in &mut graph.edges {
        shuffle(edges.len(), &mut |a, b| edges.swap(a, b));
    }
    shuffle(graph.initial.len(), &mut |a, b| graph.initial.swap(a, b));
}
