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
    /// How often, in a thousand, an edge has a Büchi mark, a grant, a request.
    pub frequencies: &'static [[usize; 3]],
}

impl Shape {
    /// Up to 7 nodes, 12 edges, 3 Büchi marks and 4 pairs: subsets of edges can be enumerated.
    pub const SMALL: Shape = Shape {
        nodes: (1, 7),
        edges_per_hundred: 300,
        most_edges: 12,
        buchi: 3,
        pairs: 4,
        frequencies: &[
            [300, 300, 300],
            [600, 500, 500],
            [700, 150, 300],
            [800, 100, 200],
            [800, 50, 400],
            [600, 50, 100],
        ],
    };

    /// 10 to 60 nodes, 3 Büchi marks and 4 pairs.
    pub const LARGE: Shape = Shape {
        nodes: (10, 60),
        edges_per_hundred: 250,
        most_edges: usize::MAX,
        buchi: 3,
        pairs: 4,
        frequencies: &[
            [50, 20, 300],
            [100, 5, 200],
            [300, 5, 300],
            [200, 10, 300],
            [500, 10, 400],
            [30, 30, 100],
        ],
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
    // Where grants are rare, components have to be refined, often more than once.
    let [often, granted, requested] = *random.pick(shape.frequencies);
    // A ring makes one component of all nodes.
    let ring = random.percent(60);
    for i in 0..edges {
        let marks = (0..marks).filter(|&mark| {
            let frequency = match mark.checked_sub(buchi) {
                None => often,
                Some(mark) if mark.is_multiple_of(2) => requested,
                Some(_) => granted,
            };
            random.below(1000) < frequency
        });
        let marks: Marks<1> = marks.collect();
        let (source, target) = if ring && i < nodes {
            (i, (i + 1) % nodes)
        } else {
            (random.below(nodes), random.below(nodes))
        };
        graph.edges[source].push(Edge {
            target: NodeId(target as u32),
            marks,
        });
    }
    // The numbers of nodes and the order of edges say nothing.
    if ring {
        shuffle_nodes(random, &mut graph);
    }
    shuffle_edges(random, &mut graph);
    if random.percent(10) {
        graph.initial.push(NodeId(random.below(nodes) as u32));
    }
    graph
}

/// Renames all nodes but the first.
fn shuffle_nodes(random: &mut Random, graph: &mut PlainGraph<1>) {
    let mut names: Vec<u32> = (0..graph.edges.len() as u32).collect();
    for i in (2..names.len()).rev() {
        names.swap(i, 1 + random.below(i));
    }
    let old = std::mem::take(&mut graph.edges);
    graph.edges = vec![Vec::new(); old.len()];
    for (source, mut edges) in old.into_iter().enumerate() {
        for edge in &mut edges {
            edge.target = NodeId(names[edge.target.index()]);
        }
        graph.edges[names[source] as usize] = edges;
    }
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
