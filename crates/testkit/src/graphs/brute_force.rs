//! Has a graph an accepting cycle? Decided twice, as plainly as possible.
//!
//! The edges that a run takes infinitely often are a strongly connected set, and each such set
//! belongs to a run. [`by_subsets`] tries all sets of edges: nothing to get wrong, good for twelve
//! edges. [`by_components`] goes over components and leaves out requests that are not granted, on
//! closures of the edge relation (bit sets, up to 64 nodes): no depth-first search, so that it
//! shares no idea with the engines. It is compared with the first before it is believed.

use evenhand_explicit::graph::PlainGraph;
use evenhand_explicit::marks::{Marks, Streett};

/// An edge with its source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrow {
    pub source: usize,
    pub target: usize,
    pub marks: Marks<1>,
}

/// Tries every set of reachable edges.
///
/// # Panics
/// If more than 20 edges are reachable.
pub fn by_subsets(graph: &PlainGraph<1>) -> bool {
    let arrows = reachable_arrows(graph);
    assert!(arrows.len() <= 20, "too many edges to try all sets");
    (1u32..1 << arrows.len()).any(|set| {
        let chosen: Vec<Arrow> = (0..arrows.len())
            .filter(|i| set >> i & 1 == 1)
            .map(|i| arrows[i])
            .collect();
        let marks = union(&chosen);
        is_accepting(&graph.condition, marks) && is_closed_walk(&chosen)
    })
}

/// Components of closures, refined.
///
/// # Panics
/// If there are more than 64 nodes.
pub fn by_components(graph: &PlainGraph<1>) -> bool {
    has_accepting_walk(&graph.condition, &reachable_arrows(graph))
}

/// Whether some closed walk over these edges is accepting, wherever it begins.
pub(super) fn has_accepting_walk(condition: &Streett<1>, arrows: &[Arrow]) -> bool {
    let reach = closure(arrows);
    let mut seen = 0u64;
    for node in 0..64 {
        // On a cycle at all, and not yet looked at.
        if reach[node] >> node & 1 == 0 || seen >> node & 1 == 1 {
            continue;
        }
        let component: u64 = (0..64)
            .filter(|&other| reach[node] >> other & 1 == 1 && reach[other] >> node & 1 == 1)
            .map(|other| 1 << other)
            .sum();
        seen |= component;
        let inside: Vec<Arrow> = arrows
            .iter()
            .filter(|a| component >> a.source & 1 == 1 && component >> a.target & 1 == 1)
            .copied()
            .collect();
        let marks = union(&inside);
        if is_accepting(condition, marks) {
            return true;
        }
        let open: Vec<usize> = condition
            .pairs()
            .iter()
            .filter(|p| marks.contains(p.request.into()) && !marks.contains(p.grant.into()))
            .map(|p| p.request.into())
            .collect();
        let rest: Vec<Arrow> = inside
            .iter()
            .filter(|a| !open.iter().any(|&mark| a.marks.contains(mark)))
            .copied()
            .collect();
        if rest.len() < inside.len() && has_accepting_walk(condition, &rest) {
            return true;
        }
    }
    false
}

/// The nodes that runs visit, as a bit set.
///
/// # Panics
/// If there are more than 64 nodes.
pub fn reachable(graph: &PlainGraph<1>) -> u64 {
    assert!(graph.edges.len() <= 64, "too many nodes for bit sets");
    let mut reached: u64 = graph.initial.iter().fold(0, |set, n| set | 1 << n.0);
    loop {
        let mut more = reached;
        for (source, edges) in graph.edges.iter().enumerate() {
            if reached >> source & 1 == 1 {
                edges.iter().for_each(|e| more |= 1 << e.target.0);
            }
        }
        if more == reached {
            return reached;
        }
        reached = more;
    }
}

fn reachable_arrows(graph: &PlainGraph<1>) -> Vec<Arrow> {
    let reached = reachable(graph);
    let mut arrows = Vec::new();
    for (source, edges) in graph.edges.iter().enumerate() {
        if reached >> source & 1 == 1 {
            arrows.extend(edges.iter().map(|e| Arrow {
                source,
                target: e.target.index(),
                marks: e.marks,
            }));
        }
    }
    arrows
}

fn union(arrows: &[Arrow]) -> Marks<1> {
    arrows
        .iter()
        .fold(Marks::EMPTY, |marks, a| marks.union(a.marks))
}

/// The definition, spelled out mark by mark.
fn is_accepting(condition: &Streett<1>, marks: Marks<1>) -> bool {
    condition.buchi.iter().all(|mark| marks.contains(mark))
        && condition
            .pairs()
            .iter()
            .all(|p| !marks.contains(p.request.into()) || marks.contains(p.grant.into()))
}

/// Whether the edges are those of one closed walk: each end of an edge reaches each end.
fn is_closed_walk(arrows: &[Arrow]) -> bool {
    let reach = closure(arrows);
    let ends: u64 = arrows
        .iter()
        .fold(0, |set, a| set | 1 << a.source | 1 << a.target);
    ends != 0 && (0..64).all(|node| ends >> node & 1 == 0 || reach[node] & ends == ends)
}

/// For each node the nodes that one or more edges lead to (Warshall).
fn closure(arrows: &[Arrow]) -> [u64; 64] {
    let mut reach = [0u64; 64];
    let mut nodes = 0;
    for a in arrows {
        reach[a.source] |= 1 << a.target;
        nodes = nodes.max(a.source + 1).max(a.target + 1);
    }
    for middle in 0..nodes {
        let beyond = reach[middle];
        for from in &mut reach[..nodes] {
            if *from >> middle & 1 == 1 {
                *from |= beyond;
            }
        }
    }
    reach
}
