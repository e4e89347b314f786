//! Fewer states by simulation, forward and backward.
//!
//! State *t* simulates *s* if for each edge of *s* and each of its letters *t* has an edge under
//! the same letter, with at least the same marks, to a state that simulates the target. Then
//! whatever is accepted from *s* is accepted from *t*. States that simulate each other are merged;
//! an edge is dropped for letters under which a better edge leaves the same state. Backward
//! simulation is the same over incoming edges and merges states that are reached alike.
//!
//! The relation is the greatest fixpoint, computed pair by pair with labels as decision diagrams,
//! so that one edge may be simulated by several that share its letters. Quadratic in edges per
//! round: beyond a bound the graph is returned as it is.

use super::components::{components, trim};
use super::graph::{Arc, Graph};
use evenhand_logic::bdd::{Bdd, Bdds};

/// Comparisons of edges in the search for one simulation, about a second.
const MAX_WORK: usize = 6_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Forward,
    Backward,
}

/// `relation[s][t]`: state `t` simulates state `s`.
type Relation = Vec<Vec<bool>>;

/// The edges seen from their near ends: outgoing ones, or incoming ones with source as target.
fn edges_of(graph: &Graph, direction: Direction) -> Vec<Vec<Arc>> {
    match direction {
        Direction::Forward => graph.edges.clone(),
        Direction::Backward => {
            let mut incoming = vec![Vec::new(); graph.state_count()];
            for (state, edges) in graph.edges.iter().enumerate() {
                for edge in edges {
                    incoming[edge.target].push(Arc {
                        target: state,
                        ..*edge
                    });
                }
            }
            incoming
        }
    }
}

/// The greatest simulation, or `None` if it takes too long to find.
fn simulation(
    edges: &[Vec<Arc>],
    direction: Direction,
    pinned: Option<usize>,
    bdds: &mut Bdds,
) -> Option<Relation> {
    let count = edges.len();
    let edge_count: usize = edges.iter().map(Vec::len).sum();
    if count.saturating_mul(count) > MAX_WORK || edge_count.saturating_mul(edge_count) > MAX_WORK {
        return None;
    }
    let mut relation = vec![vec![true; count]; count];
    if let Some(initial) = pinned {
        // Seen backward, only the start is like the start.
        for t in (0..count).filter(|&t| t != initial) {
            relation[initial][t] = false;
        }
    }
    let order = far_ends_first(edges, direction);
    let mut sources = vec![Vec::new(); count];
    for (state, out) in edges.iter().enumerate() {
        for edge in out {
            sources[edge.target].push(state);
        }
    }
    let mut work = 0;
    let mut dirty = vec![true; count];
    while dirty.contains(&true) {
        for &s in &order {
            if !std::mem::replace(&mut dirty[s], false) {
                continue;
            }
            for &t in &order {
                if s == t || !relation[s][t] {
                    continue;
                }
                work += 1 + edges[s].len() * edges[t].len();
                if !covered(&edges[s], &edges[t], &relation, bdds) {
                    relation[s][t] = false;
                    for &p in &sources[s] {
                        dirty[p] = true;
                    }
                }
            }
        }
        if work > MAX_WORK || bdds.overflowed() {
            return None;
        }
    }
    Some(relation)
}

/// The states in an order in which the far ends of edges come before the near ones, as far as cycles allow:
/// that settles chains in one round. States on a cycle are numbered as they were found, mostly from its
/// beginning.
fn far_ends_first(edges: &[Vec<Arc>], direction: Direction) -> Vec<usize> {
    let graph = Graph {
        edges: edges.to_vec(),
        ..Graph::default()
    };
    // Components are numbered with successors first.
    let parts = components(&graph, |_, _| true);
    let mut order: Vec<usize> = match direction {
        Direction::Forward => (0..edges.len()).rev().collect(),
        Direction::Backward => (0..edges.len()).collect(),
    };
    order.sort_by_key(|&state| parts.of[state]);
    order
}

fn covered(edges: &[Arc], by: &[Arc], relation: &Relation, bdds: &mut Bdds) -> bool {
    edges.iter().all(|e| {
        let better = |f: &&Arc| e.marks & !f.marks == 0 && relation[e.target][f.target];
        if by.iter().any(|f| f.label == e.label && better(&f)) {
            return true;
        }
        let mut label = e.label;
        for f in by.iter().filter(better) {
            let rest = bdds.not(f.label);
            label = bdds.and(label, rest);
            if label == Bdd::FALSE {
                return true;
            }
        }
        false
    })
}

/// One round: merge states that simulate each other, drop edges that better ones make superfluous.
pub(super) fn reduce(graph: &Graph, direction: Direction, bdds: &mut Bdds) -> Graph {
    let edges = edges_of(graph, direction);
    let pinned = (direction == Direction::Backward).then_some(graph.initial);
    let Some(relation) = simulation(&edges, direction, pinned, bdds) else {
        return graph.clone();
    };
    let count = graph.state_count();
    let class: Vec<usize> = (0..count)
        .map(|s| {
            (0..=s)
                .find(|&t| relation[s][t] && relation[t][s])
                .unwrap_or(s)
        })
        .collect();
    // All edges of a class, between representatives.
    let mut merged = vec![Vec::new(); count];
    for (state, out) in edges.iter().enumerate() {
        merged[class[state]].extend(out.iter().map(|e| Arc {
            target: class[e.target],
            ..*e
        }));
    }
    for out in &mut merged {
        *out = super::graph::joined(std::mem::take(out), bdds);
        prune(out, &relation, bdds);
    }
    let edges = match direction {
        Direction::Forward => merged,
        Direction::Backward => {
            let turned = Graph {
                edges: merged,
                ..*graph
            };
            edges_of(&turned, Direction::Backward)
        }
    };
    let mut result = Graph {
        edges,
        initial: class[graph.initial],
        marks: graph.marks,
    };
    result.join_edges(bdds);
    trim(&result)
}

/// Leads the edges into a state that lies on no cycle to a state that accepts the same words, if it
/// finds one. The first step of a run is taken once, so its marks do not count in the comparison;
/// simulation proper misses such a pair when they differ.
pub(super) fn merge_transient(graph: &Graph, bdds: &mut Bdds) -> Graph {
    let mut best = graph.clone();
    while let Some(next) = merge_one(&best, bdds) {
        best = next;
    }
    best
}

fn merge_one(graph: &Graph, bdds: &mut Bdds) -> Option<Graph> {
    let parts = components(graph, |_, _| true);
    let transient = |s: &usize| parts.marks[parts.of[*s]].is_none();
    let mut candidates = (0..graph.state_count()).filter(transient).peekable();
    candidates.peek()?;
    let relation = simulation(&graph.edges, Direction::Forward, None, bdds)?;
    let bare: Vec<Vec<Arc>> = graph
        .edges
        .iter()
        .map(|edges| edges.iter().map(|e| Arc { marks: 0, ..*e }).collect())
        .collect();
    for s in candidates {
        // Components are numbered with successors first: a smaller number cannot reach `s`.
        let other = (0..graph.state_count()).find(|&t| {
            parts.of[t] < parts.of[s]
                && covered(&bare[s], &bare[t], &relation, bdds)
                && covered(&bare[t], &bare[s], &relation, bdds)
        });
        if let Some(t) = other {
            let mut result = graph.clone();
            for edge in result.edges.iter_mut().flatten() {
                if edge.target == s {
                    edge.target = t;
                }
            }
            if result.initial == s {
                result.initial = t;
            }
            result.join_edges(bdds);
            return Some(trim(&result));
        }
    }
    None
}

/// Takes from each edge the letters under which another edge is better.
fn prune(edges: &mut Vec<Arc>, relation: &Relation, bdds: &mut Bdds) {
    for i in 0..edges.len() {
        let e = edges[i];
        let mut label = e.label;
        for f in edges.iter().filter(|f| f.target != e.target) {
            if e.marks & !f.marks == 0 && relation[e.target][f.target] {
                let rest = bdds.not(f.label);
                label = bdds.and(label, rest);
            }
        }
        edges[i].label = label;
    }
    edges.retain(|e| e.label != Bdd::FALSE);
}
