//! The shortest lasso of a small graph, found in two ways that share nothing with the real
//! searches.
//!
//! [`by_walks`] enumerates all walks from the initial nodes, by length, and looks at each end for a
//! closed part with accepting marks: nothing to get wrong, but exponential, so it may give up.
//! [`by_sets`] keeps for each start of a cycle the pairs of a node and the set of *all* marks seen
//! on the way to it: exponential only in the marks, so it always answers, also that there is no
//! lasso. It is compared with the first before it is believed. Neither splits components, forgets
//! marks or knows bounds.
//!
//! [`random_graph`] draws graphs for them: few nodes, loops, parallel edges, several initial nodes,
//! marks that play two roles, and all kinds of conditions.

use std::collections::{BTreeSet, VecDeque};

use evenhand_explicit::graph::{Edge, NodeId, PlainGraph};
use evenhand_explicit::marks::{Marks, Pair, Streett};

pub use crate::promela_programs::random::Random;

/// What an enumeration found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enumerated {
    /// The length of the shortest lasso.
    Length(usize),
    /// All walks up to this length were seen, and none holds a lasso.
    Longer(usize),
}

/// Looks through all walks, up to a number of steps taken altogether.
pub fn by_walks(graph: &PlainGraph<1>, most_steps: usize) -> Enumerated {
    let mut steps = most_steps;
    // Where no walk is that long, nothing counts the steps.
    let longest = 64;
    for length in 1..=longest {
        for &start in &graph.initial {
            let mut walk = Walk {
                graph,
                nodes: vec![start],
                marks: Vec::new(),
                steps,
            };
            match walk.extend(length) {
                Some(true) => return Enumerated::Length(length),
                Some(false) => steps = walk.steps,
                None => return Enumerated::Longer(length - 1),
            }
        }
    }
    Enumerated::Longer(longest)
}

struct Walk<'g> {
    graph: &'g PlainGraph<1>,
    nodes: Vec<NodeId>,
    marks: Vec<Marks<1>>,
    steps: usize,
}

impl Walk<'_> {
    /// Whether some extension by that many edges ends with an accepting closed part; none if the
    /// steps are used up.
    fn extend(&mut self, length: usize) -> Option<bool> {
        let end = self.nodes[self.nodes.len() - 1];
        if length == 0 {
            let mut seen = Marks::EMPTY;
            for begin in (0..self.marks.len()).rev() {
                seen = seen.union(self.marks[begin]);
                if self.nodes[begin] == end && is_accepting(&self.graph.condition, seen) {
                    return Some(true);
                }
            }
            return Some(false);
        }
        let graph = self.graph;
        for edge in &graph.edges[end.index()] {
            self.steps = self.steps.checked_sub(1)?;
            self.nodes.push(edge.target);
            self.marks.push(edge.marks);
            let found = self.extend(length - 1);
            self.nodes.pop();
            self.marks.pop();
            if found != Some(false) {
                return found;
            }
        }
        Some(false)
    }
}

/// The length of the shortest lasso, over pairs of a node and the set of all marks seen.
pub fn by_sets(graph: &PlainGraph<1>) -> Option<usize> {
    let every = || (0..graph.edges.len()).filter_map(|i| by_sets_from(graph, NodeId(i as u32)));
    every().min()
}

/// The same for lassos whose cycle begins in a node.
pub fn by_sets_from(graph: &PlainGraph<1>, entry: NodeId) -> Option<usize> {
    let start: Vec<_> = graph.initial.iter().map(|&n| (n, Marks::EMPTY)).collect();
    let prefix = distance(graph, start, false, |node, _| node == entry)?;
    let accepted = |node, seen| node == entry && is_accepting(&graph.condition, seen);
    let cycle = distance(graph, vec![(entry, Marks::EMPTY)], true, accepted)?;
    Some(prefix + cycle)
}

/// How many edges lead to the nearest goal.
fn distance(
    graph: &PlainGraph<1>,
    start: Vec<(NodeId, Marks<1>)>,
    nonempty: bool,
    goal: impl Fn(NodeId, Marks<1>) -> bool,
) -> Option<usize> {
    if !nonempty && start.iter().any(|&(node, seen)| goal(node, seen)) {
        return Some(0);
    }
    let mut known: BTreeSet<_> = start.iter().copied().collect();
    let mut queue: VecDeque<_> = start.into_iter().map(|s| (s, 0)).collect();
    while let Some(((node, seen), length)) = queue.pop_front() {
        for edge in &graph.edges[node.index()] {
            let next = (edge.target, seen.union(edge.marks));
            if goal(next.0, next.1) {
                return Some(length + 1);
            }
            if known.insert(next) {
                queue.push_back((next, length + 1));
            }
        }
    }
    None
}

fn is_accepting(condition: &Streett<1>, seen: Marks<1>) -> bool {
    condition.buchi.iter().all(|mark| seen.contains(mark))
        && condition
            .pairs()
            .iter()
            .all(|pair| !seen.contains(pair.request.into()) || seen.contains(pair.grant.into()))
}

/// Which conditions a random graph has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Every cycle is accepting.
    None,
    /// One Büchi mark.
    One,
    /// Two to four Büchi marks.
    Several,
    /// One to three pairs.
    Pairs,
    /// Büchi marks and pairs, now and then with roles in common.
    Mixed,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 5] = [
        Kind::None,
        Kind::One,
        Kind::Several,
        Kind::Pairs,
        Kind::Mixed,
    ];
}

/// A graph of at most `nodes` nodes, about two edges for each.
pub fn random_graph(random: &mut Random, kind: Kind, nodes: usize) -> PlainGraph<1> {
    let (buchi, pairs) = match kind {
        Kind::None => (0, 0),
        Kind::One => (1, 0),
        Kind::Several => (random.between(2, 4), 0),
        Kind::Pairs => (0, random.between(1, 3)),
        Kind::Mixed => (random.between(1, 3), random.between(1, 3)),
    };
    let marks = buchi + 2 * pairs;
    let mut list: Vec<Pair> = (0..pairs)
        .map(|i| Pair {
            request: (buchi + 2 * i) as u16,
            grant: (buchi + 2 * i + 1) as u16,
        })
        .collect();
    if kind == Kind::Mixed && random.percent(25) {
        let pair = random.below(pairs);
        let role = random.below(marks) as u16;
        if random.percent(50) {
            list[pair].request = role;
        } else {
            list[pair].grant = role;
        }
    }
    let condition = Streett::new((0..buchi).collect(), list);
    let nodes = random.between(1, nodes);
    let mut graph = PlainGraph::new(condition, nodes);
    if random.percent(20) {
        graph.initial = (0..random.between(1, 3))
            .map(|_| NodeId(random.below(nodes) as u32))
            .collect();
    }
    let density = [15, 35, 50][random.below(3)];
    for _ in 0..random.between(1, 2 * nodes + 2) {
        let drawn: Vec<usize> = (0..marks).filter(|_| random.percent(density)).collect();
        let (source, target) = (random.below(nodes), random.below(nodes));
        graph.add(source, &drawn, target);
    }
    graph
}

/// How many random cases a test runs: `EVENHAND_CASES` or the default.
pub fn cases(default: usize) -> usize {
    let wanted = std::env::var("EVENHAND_CASES").ok();
    wanted.and_then(|v| v.parse().ok()).unwrap_or(default)
}

/// With one Büchi mark: the length of the shortest lasso through an edge with the mark, for each
/// reachable node that such an edge on a cycle leaves; ascending.
pub fn through_each_accepting_node(graph: &PlainGraph<1>) -> Vec<usize> {
    let far = |from: NodeId, to: NodeId| distance_of(graph, &[from], to, false);
    let nodes = || (0..graph.edges.len() as u32).map(NodeId);
    let through = |node: NodeId| {
        let accepting = graph.edges[node.index()].iter();
        let accepting = accepting.filter(|edge| edge.marks.contains(0));
        let entries = accepting.flat_map(|edge| nodes().map(move |entry| (edge.target, entry)));
        let lengths = entries.filter_map(|(target, entry)| {
            let prefix = distance_of(graph, &graph.initial, entry, false)?;
            Some(prefix + far(entry, node)? + 1 + far(target, entry)?)
        });
        lengths.min()
    };
    let mut lengths: Vec<usize> = nodes().filter_map(through).collect();
    lengths.sort_unstable();
    lengths
}

/// How many edges lead from some of the nodes to a node; at least one if so asked.
pub fn distance_of(
    graph: &PlainGraph<1>,
    from: &[NodeId],
    to: NodeId,
    nonempty: bool,
) -> Option<usize> {
    let bare = |edge: &Edge<1>| Edge {
        marks: Marks::EMPTY,
        ..*edge
    };
    let mut graph = graph.clone();
    for edges in &mut graph.edges {
        *edges = edges.iter().map(bare).collect();
    }
    let start = from.iter().map(|&n| (n, Marks::EMPTY)).collect();
    distance(&graph, start, nonempty, |node, _| node == to)
}

/// Whether each node of a sequence has an edge to the next.
pub fn is_path(graph: &PlainGraph<1>, nodes: &[NodeId]) -> bool {
    let step = |pair: &[NodeId]| {
        let edges = &graph.edges[pair[0].index()];
        edges.iter().any(|edge| edge.target == pair[1])
    };
    nodes.windows(2).all(step)
}
