//! Does an automaton accept this lasso word? Written straight from the definition, for tests.
//!
//! The automaton is run along the word: a node is (state, position), an edge carries the marks of
//! the step under the letter at that position. The word is accepted iff some reachable strongly
//! connected set of edges has an accepting set of marks. To decide that, look at a maximal one: if
//! its marks are accepting, yes; otherwise an accepting subset must miss some mark whose presence
//! hurts: try each. Exponential in the number of such marks, linear without them.
//!
//! This is an oracle: it shares no code with the emptiness checks, and is slow.

use crate::{Automaton, LassoWord, MarkSet, State};
use std::collections::{BTreeMap, BTreeSet};

use evenhand_source::spend;

/// Does the automaton accept the word?
pub fn accepts(automaton: &Automaton, word: &LassoWord) -> bool {
    if word.cycle.is_empty() {
        return false;
    }
    let letters: Vec<_> = word.prefix.iter().chain(&word.cycle).collect();
    let after = |position: usize| match position + 1 {
        next if next < letters.len() => next,
        _ => word.prefix.len(),
    };
    let mut ids: BTreeMap<(State, usize), usize> = BTreeMap::new();
    let mut todo: Vec<(State, usize)> = automaton.initial().iter().map(|&s| (s, 0)).collect();
    for (i, &node) in todo.iter().enumerate() {
        ids.insert(node, i);
    }
    let mut edges = Vec::new();
    while let Some((state, position)) = todo.pop() {
        spend();
        let source = ids[&(state, position)];
        for edge in automaton.edges_from(state) {
            let letter = letters[position];
            if automaton.cube(edge.label).matches(letter) {
                let node = (edge.target, after(position));
                let fresh = ids.len();
                let target = *ids.entry(node).or_insert_with(|| {
                    todo.push(node);
                    fresh
                });
                edges.push((source, target, automaton.step_marks(edge, letter)));
            }
        }
    }
    let (_, hurtful) = automaton.acceptance().polarities();
    let mut tried = BTreeSet::new();
    some_component(
        ids.len(),
        &edges,
        &mut |marks| automaton.acceptance().holds(marks),
        &hurtful,
        &MarkSet::EMPTY,
        &mut tried,
    )
}

type GraphEdge = (usize, usize, MarkSet);

/// Is there a strongly connected set of edges, none with a mark of `without`, whose marks are
/// accepting?
fn some_component(
    nodes: usize,
    edges: &[GraphEdge],
    holds: &mut impl FnMut(&MarkSet) -> bool,
    hurtful: &MarkSet,
    without: &MarkSet,
    tried: &mut BTreeSet<MarkSet>,
) -> bool {
    if !tried.insert(without.clone()) {
        return false;
    }
    let allowed: Vec<&GraphEdge> = edges
        .iter()
        .filter(|e| e.2.0.is_disjoint(&without.0))
        .collect();
    let component = by_reachability(nodes, &allowed);
    let mut marks: BTreeMap<usize, MarkSet> = BTreeMap::new();
    for (source, target, set) in &allowed {
        if component[*source] == component[*target] {
            let all = marks.entry(component[*source]).or_default();
            all.0.union_with(&set.0);
        }
    }
    if marks.values().any(&mut *holds) {
        return true;
    }
    let present: MarkSet = marks.values().flat_map(MarkSet::iter).collect();
    let choices: Vec<_> = present.iter().filter(|&m| hurtful.contains(m)).collect();
    choices.into_iter().any(|mark| {
        let mut more = without.clone();
        more.insert(mark);
        some_component(nodes, edges, holds, hurtful, &more, tried)
    })
}

/// A name of the strongly connected component of each node: the pivot it was found with.
fn by_reachability(nodes: usize, edges: &[&GraphEdge]) -> Vec<usize> {
    let mut forward = vec![Vec::new(); nodes];
    let mut backward = vec![Vec::new(); nodes];
    for (source, target, _) in edges {
        forward[*source].push(*target);
        backward[*target].push(*source);
    }
    let mut component = vec![usize::MAX; nodes];
    for pivot in 0..nodes {
        if component[pivot] != usize::MAX {
            continue;
        }
        let after = reach(pivot, &forward, &component);
        let before = reach(pivot, &backward, &component);
        for node in 0..nodes {
            if after[node] && before[node] {
                component[node] = pivot;
            }
        }
    }
    component
}

fn reach(from: usize, next: &[Vec<usize>], component: &[usize]) -> Vec<bool> {
    let mut seen = vec![false; next.len()];
    seen[from] = true;
    let mut todo = vec![from];
    while let Some(node) = todo.pop() {
        spend();
        for &n in &next[node] {
            // A finished component cannot be crossed: its members were all found at once.
            if component[n] == usize::MAX && !seen[n] {
                seen[n] = true;
                todo.push(n);
            }
        }
    }
    seen
}
