//! Graphs of parts of a formula, put together: product, union, and "again and again".
//!
//! A conjunction whose obligation part has a tiny minimal automaton is often smaller as a product
//! than as a tableau of the whole; a disjunction as a union. `G F φ` with `φ` a guarantee repeats
//! the deterministic automaton that finds the next `φ` (Esparza, Křetínský and Sickert 2018 use the
//! same for determinization), or any automaton of `φ` whose beginning is guessed. The caller keeps the smallest of
//! what it has.

use super::components::components;
use super::graph::{Arc, Graph, MAX_MARKS};
use evenhand_logic::bdd::{Bdd, Bdds};
use rustc_hash::FxHashMap;

/// The words of both graphs; none if it would have more than `limit` states or too many marks.
pub(super) fn product(a: &Graph, b: &Graph, limit: usize, bdds: &mut Bdds) -> Option<Graph> {
    if (a.marks + b.marks) as usize > MAX_MARKS {
        return None;
    }
    let marks = |e: &Arc, f: &Arc| e.marks | f.marks.checked_shl(a.marks).unwrap_or(0);
    let (edges, _) = in_step(a, b, limit, bdds, marks)?;
    Some(Graph {
        edges,
        marks: a.marks + b.marks,
        ..Graph::default()
    })
}

/// The edges of each state of a product, and the pairs of states that these are, the initial ones
/// first.
pub(super) type InStep = (Vec<Vec<Arc>>, Vec<(usize, usize)>);

/// Both graphs reading the same letters, with the marks that `marks` makes of those of two edges;
/// none if there are more than `limit` states.
pub(super) fn in_step(
    a: &Graph,
    b: &Graph,
    limit: usize,
    bdds: &mut Bdds,
    marks: impl Fn(&Arc, &Arc) -> u64,
) -> Option<InStep> {
    let mut pairs = vec![(a.initial, b.initial)];
    let mut known: FxHashMap<(usize, usize), usize> = FxHashMap::default();
    known.insert(pairs[0], 0);
    let mut all = Vec::new();
    while all.len() < pairs.len() {
        let (s, t) = pairs[all.len()];
        let mut edges = Vec::new();
        for e in &a.edges[s] {
            for f in &b.edges[t] {
                let label = bdds.and(e.label, f.label);
                if label != Bdd::FALSE {
                    let pair = (e.target, f.target);
                    let target = *known.entry(pair).or_insert_with(|| {
                        pairs.push(pair);
                        pairs.len() - 1
                    });
                    let marks = marks(e, f);
                    edges.push(Arc {
                        label,
                        marks,
                        target,
                    });
                }
            }
        }
        all.push(edges);
        if pairs.len() > limit {
            return None;
        }
    }
    Some((all, pairs))
}

/// The words of any of some graphs; none if there is no graph.
pub(super) fn union(graphs: &[Graph]) -> Option<Graph> {
    if let [only] = graphs {
        return Some(only.clone());
    }
    let marks = graphs.iter().map(|graph| graph.marks).max()?;
    let all = Graph {
        marks,
        ..Graph::default()
    }
    .all_marks();
    // A graph with fewer marks carries the others everywhere.
    let mut edges: Vec<Vec<Arc>> = Vec::new();
    let mut first = Vec::new();
    for graph in graphs {
        let offset = edges.len();
        let more = all & !graph.all_marks();
        let moved = |e: &Arc| Arc {
            marks: e.marks | more,
            target: e.target + offset,
            ..*e
        };
        let own = graph.edges.iter();
        edges.extend(own.map(|out| out.iter().map(moved).collect()));
        first.extend(graph.edges[graph.initial].iter().map(moved));
    }
    edges.push(first);
    Some(Graph {
        initial: edges.len() - 1,
        edges,
        marks,
    })
}

/// From the graph of `φ` that of `G F φ`, if all it accepts is decided by a prefix: its only accepting
/// component is one state that accepts everything.
///
/// A state waits until some `φ` begins, and is where the run is again when it has been seen; that
/// carries the mark. Whoever sees infinitely many of them finds them one after the other, whatever overlaps. The
/// graph guesses where one begins, so it has no more states than that of `φ`, where a deterministic one keeps in mind all that
/// may have begun.
pub(super) fn sometimes(graph: &Graph, bdds: &mut Bdds) -> Option<Graph> {
    let all = graph.all_marks();
    let parts = components(graph, |_, _| true);
    let is_goal = |s: usize| match graph.edges[s][..] {
        [e] => e.target == s && e.label == Bdd::TRUE && e.marks == all,
        _ => false,
    };
    let goal = (0..graph.state_count()).find(|&s| is_goal(s))?;
    let others = (0..parts.marks.len()).filter(|&part| part != parts.of[goal]);
    if goal == graph.initial || { others }.any(|part| parts.accepting(part, all)) {
        return None;
    }
    let wait = goal;
    let turned = |e: &Arc| Arc {
        marks: u64::from(e.target == goal),
        ..*e
    };
    let mut edges: Vec<Vec<Arc>> = graph
        .edges
        .iter()
        .map(|out| out.iter().map(turned).collect())
        .collect();
    edges[wait] = edges[graph.initial].clone();
    edges[wait].push(Arc {
        label: Bdd::TRUE,
        marks: 0,
        target: wait,
    });
    let mut result = Graph {
        edges,
        initial: wait,
        marks: 1,
    };
    result.join_edges(bdds);
    Some(result)
}

/// From the graph of `F φ` that of `G F φ`, if the graph is deterministic and complete with one
/// state that accepts everything, as that of a guarantee is.
///
/// An edge that reaches the goal gets the mark and starts over, its letter being the first of the
/// next search: searches overlap in one letter, so infinitely many of them find infinitely many
/// positions. `G F φ` does not depend on any prefix, so the graph may start in any of its states:
/// the smallest component that is never left.
pub(super) fn again(graph: &Graph, bdds: &mut Bdds) -> Option<Graph> {
    let all = graph.all_marks();
    let full = |s: usize| {
        graph.edges[s]
            .iter()
            .any(|e| e.target == s && e.label == Bdd::TRUE && e.marks == all)
    };
    let goal = (0..graph.state_count()).find(|&s| full(s))?;
    if goal == graph.initial || !is_deterministic(graph, bdds) {
        return None;
    }
    let mut result = Graph {
        edges: Vec::with_capacity(graph.state_count()),
        initial: graph.initial,
        marks: 1,
    };
    for edges in &graph.edges {
        let mut out = Vec::new();
        for e in edges {
            if e.target != goal {
                out.push(Arc { marks: 0, ..*e });
                continue;
            }
            for f in &graph.edges[graph.initial] {
                let label = bdds.and(e.label, f.label);
                let target = match f.target == goal {
                    true => graph.initial,
                    false => f.target,
                };
                if label != Bdd::FALSE {
                    out.push(Arc {
                        label,
                        marks: 1,
                        target,
                    });
                }
            }
        }
        result.edges.push(out);
    }
    let reachable = result.reachable();
    let parts = components(&result, |_, _| true);
    let mut size = vec![0usize; parts.marks.len()];
    let mut left = vec![false; parts.marks.len()];
    for (state, edges) in result.edges.iter().enumerate() {
        size[parts.of[state]] += 1;
        for edge in edges {
            left[parts.of[state]] |= !parts.inside(state, edge);
        }
    }
    result.initial = (0..result.state_count())
        .filter(|&s| reachable[s] && !left[parts.of[s]])
        .min_by_key(|&s| size[parts.of[s]])?;
    result.join_edges(bdds);
    Some(result)
}

fn is_deterministic(graph: &Graph, bdds: &mut Bdds) -> bool {
    graph.edges.iter().all(|edges| {
        let mut sum = Bdd::FALSE;
        for e in edges {
            if bdds.and(sum, e.label) != Bdd::FALSE {
                return false;
            }
            sum = bdds.or(sum, e.label);
        }
        sum == Bdd::TRUE
    })
}
