//! Strongly connected components of a graph, useless states and superfluous marks.
//!
//! A state is useful if it is reachable and reaches a component that carries all marks. On edges
//! that lie in no such component marks mean nothing; inside one, a mark that comes whenever another
//! one does is implied by it and dropped. What is left is numbered afresh per component, so that
//! components share marks.
//!
//! Two equivalent ways to place marks: *sparse*, none where they mean nothing; *saturated*, a mark
//! on each edge of the component that lies only on cycles that carry the mark anyway. Simulation
//! compares marks by inclusion, and either placement may let it find more.

use evenhand_source::spend;

use super::graph::{Arc, Graph};
use evenhand_logic::bdd::Bdds;

/// Components in reverse topological order: edges lead to the same or a smaller number.
pub(super) struct Components {
    /// The component of each state.
    pub(super) of: Vec<usize>,
    /// The union of the marks inside; `None` if no edge lies inside.
    pub(super) marks: Vec<Option<u64>>,
}

impl Components {
    pub(super) fn inside(&self, state: usize, edge: &Arc) -> bool {
        self.of[state] == self.of[edge.target]
    }

    pub(super) fn accepting(&self, component: usize, all: u64) -> bool {
        self.marks[component].is_some_and(|marks| marks & all == all)
    }
}

/// Tarjan's algorithm over the edges that pass a filter, without recursion.
pub(super) fn components(graph: &Graph, keep: impl Fn(usize, &Arc) -> bool) -> Components {
    let count = graph.state_count();
    const NEW: usize = usize::MAX;
    let mut index = vec![NEW; count];
    let mut low = vec![0; count];
    let mut of = vec![NEW; count];
    let mut stack = Vec::new();
    let mut next = 0;
    let mut found = 0;
    for root in 0..count {
        if index[root] != NEW {
            continue;
        }
        let mut path: Vec<(usize, usize)> = vec![(root, 0)];
        while let Some(&mut (state, ref mut at)) = path.last_mut() {
            if *at == 0 {
                index[state] = next;
                low[state] = next;
                next += 1;
                stack.push(state);
            }
            let edge = graph.edges[state].get(*at).copied();
            *at += 1;
            match edge {
                Some(edge) => {
                    if !keep(state, &edge) {
                        continue;
                    }
                    let target = edge.target;
                    if index[target] == NEW {
                        path.push((target, 0));
                    } else if of[target] == NEW {
                        low[state] = low[state].min(index[target]);
                    }
                }
                None => {
                    path.pop();
                    if let Some(&(parent, _)) = path.last() {
                        low[parent] = low[parent].min(low[state]);
                    }
                    if low[state] == index[state] {
                        while let Some(member) = stack.pop() {
                            spend();
                            of[member] = found;
                            if member == state {
                                break;
                            }
                        }
                        found += 1;
                    }
                }
            }
        }
    }
    let mut marks = vec![None; found];
    for (state, edges) in graph.edges.iter().enumerate() {
        for edge in edges {
            if of[state] == of[edge.target] && keep(state, edge) {
                *marks[of[state]].get_or_insert(0) |= edge.marks;
            }
        }
    }
    Components { of, marks }
}

/// The graph without states that no accepting run visits.
pub(super) fn trim(graph: &Graph) -> Graph {
    let components = components(graph, |_, _| true);
    let all = graph.all_marks();
    let mut useful: Vec<bool> = (0..components.marks.len())
        .map(|c| components.accepting(c, all))
        .collect();
    // Components are numbered so that successors come first.
    let mut order: Vec<usize> = (0..graph.state_count()).collect();
    order.sort_by_key(|&state| components.of[state]);
    for state in order {
        for edge in &graph.edges[state] {
            if useful[components.of[edge.target]] {
                useful[components.of[state]] = true;
            }
        }
    }
    let reachable = graph.reachable();
    let keep: Vec<bool> = (0..graph.state_count())
        .map(|state| reachable[state] && useful[components.of[state]])
        .collect();
    if keep.iter().all(|&k| k) {
        return graph.clone();
    }
    graph.restricted(&keep)
}

/// How marks are placed where there is a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Placement {
    Sparse,
    Saturated,
}

/// An equivalent graph with as few marks as this analysis finds, placed as told.
pub(super) fn clean_marks(graph: &Graph, placement: Placement, bdds: &mut Bdds) -> Graph {
    let parts = components(graph, |_, _| true);
    let all = graph.all_marks();
    let saturated = saturate(graph, &parts);
    let mut kept: Vec<Vec<u32>> = vec![Vec::new(); parts.marks.len()];
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); parts.marks.len()];
    for (state, &c) in parts.of.iter().enumerate() {
        members[c].push(state);
    }
    let mut most = 0;
    for c in 0..parts.marks.len() {
        if parts.accepting(c, all) {
            let words: Vec<u64> = members[c]
                .iter()
                .flat_map(|&s| saturated.edges[s].iter().map(move |e| (s, e)))
                .filter(|(s, e)| parts.inside(*s, e))
                .map(|(_, e)| e.marks)
                .collect();
            kept[c] = needed(&words, graph.marks);
            most = most.max(kept[c].len() as u32);
        }
    }
    // A cycle that accepts nothing must lack some mark.
    let rejecting = |c: usize| parts.marks[c].is_some() && !parts.accepting(c, all);
    if most == 0 && (0..parts.marks.len()).any(rejecting) {
        most = 1;
    }
    let mut result = Graph {
        edges: Vec::with_capacity(graph.state_count()),
        initial: graph.initial,
        marks: most,
    };
    let everything = result.all_marks();
    let source = match placement {
        Placement::Sparse => graph,
        Placement::Saturated => &saturated,
    };
    for (state, edges) in source.edges.iter().enumerate() {
        let c = parts.of[state];
        let place = |edge: &Arc| {
            let inside = parts.inside(state, edge);
            let marks = if inside && parts.accepting(c, all) {
                let mut marks = everything & !low(kept[c].len());
                for (new, &old) in kept[c].iter().enumerate() {
                    marks |= (edge.marks >> old & 1) << new;
                }
                marks
            } else if !inside && placement == Placement::Saturated {
                everything
            } else {
                0
            };
            Arc { marks, ..*edge }
        };
        result.edges.push(edges.iter().map(place).collect());
    }
    result.join_edges(bdds);
    result
}

fn low(n: usize) -> u64 {
    if n >= 64 { !0 } else { (1 << n) - 1 }
}

/// Adds each mark to the edges that lie on no cycle without it.
fn saturate(graph: &Graph, parts: &Components) -> Graph {
    let mut result = graph.clone();
    for mark in 0..graph.marks {
        let without = components(graph, |s, e| parts.inside(s, e) && e.marks >> mark & 1 == 0);
        for (state, edges) in result.edges.iter_mut().enumerate() {
            for edge in edges {
                if without.of[state] != without.of[edge.target] {
                    edge.marks |= 1 << mark;
                }
            }
        }
    }
    result
}

/// The marks that no other one implies, given the mark sets of the edges of a component. Marks that
/// every edge carries are not needed.
fn needed(words: &[u64], marks: u32) -> Vec<u32> {
    let common = words.iter().fold(!0, |a, b| a & b);
    let mut kept: Vec<u32> = Vec::new();
    let implies = |a: u32, b: u32| words.iter().all(|w| w >> a & 1 == 0 || w >> b & 1 == 1);
    for mark in (0..marks).filter(|m| common >> m & 1 == 0) {
        if kept.iter().any(|&k| implies(k, mark)) {
            continue;
        }
        kept.retain(|&k| !implies(mark, k));
        kept.push(mark);
    }
    kept
}
