//! Obligations as minimal weak deterministic automata.
//!
//! An obligation (a boolean combination of safety and guarantee) is recognised by a deterministic
//! automaton in which each component accepts everything or nothing, and the minimal one is unique
//! and found like that of finite words (Löding 2001; used for LTL by Dax, Eisinger and Klaedtke
//! 2007).
//!
//! 1. Subset construction over the graph of the formula; letters are kept apart by diagrams.
//! 2. A component of the result is accepting iff the word of some cycle in it is accepted from
//!    there by the graph (in an obligation all its cycles agree).
//! 3. Components that lie on no cycle take the colour that their successors allow; states are
//!    merged by partition refinement.
//! 4. Unless the syntax says that the formula is an obligation: the result is equivalent iff its
//!    product with the graph of the negation and the product of its complement with the graph are
//!    both empty.
//!
//! Exponential by 1, hence a limit, beyond which there is no result.

use super::components::{components, trim};
use super::compose::in_step;
use super::graph::{Arc, Graph};
use evenhand_logic::bdd::{Bdd, Bdds};
use std::collections::{BTreeMap, HashMap};

use evenhand_source::spend;

/// A deterministic complete graph with accepting states; marks are not used.
struct Weak {
    graph: Graph,
    accepting: Vec<bool>,
}

/// The minimal weak deterministic automaton, if the subset construction stays within `limit` states
/// and, where `negation` is given, the result is equivalent to the graph.
pub(super) fn minimal_weak(
    graph: &Graph,
    negation: Option<&Graph>,
    limit: usize,
    bdds: &mut Bdds,
) -> Option<Graph> {
    let (powerset, subsets) = determinize(graph, limit, bdds)?;
    let colours = colour(graph, &powerset, &subsets, bdds);
    let weak = minimize(&powerset, &colours, bdds);
    if bdds.overflowed() {
        return None;
    }
    if let Some(negation) = negation {
        let complement: Vec<bool> = weak.accepting.iter().map(|a| !a).collect();
        if meets(&weak.graph, &weak.accepting, negation, bdds)
            || meets(&weak.graph, &complement, graph, bdds)
        {
            return None;
        }
    }
    Some(with_marks(&weak))
}

fn determinize(graph: &Graph, limit: usize, bdds: &mut Bdds) -> Option<(Graph, Vec<Vec<usize>>)> {
    let mut subsets = vec![vec![graph.initial]];
    let mut known: HashMap<Vec<usize>, usize> = [(subsets[0].clone(), 0)].into();
    let mut result = Graph::default();
    while result.edges.len() < subsets.len() {
        // The letters, refined by each edge in turn.
        let mut parts: Vec<(Bdd, Vec<usize>)> = vec![(Bdd::TRUE, Vec::new())];
        for &state in &subsets[result.edges.len()] {
            for edge in &graph.edges[state] {
                parts = refine(parts, edge, bdds);
                if parts.len() > 8 * limit {
                    return None;
                }
            }
        }
        let mut labels: BTreeMap<Vec<usize>, Bdd> = BTreeMap::new();
        for (label, subset) in parts {
            let sum = labels.entry(subset).or_insert(Bdd::FALSE);
            *sum = bdds.or(*sum, label);
        }
        let mut edges = Vec::new();
        for (subset, label) in labels {
            let target = match known.get(&subset) {
                Some(&state) => state,
                None => {
                    known.insert(subset.clone(), subsets.len());
                    subsets.push(subset);
                    subsets.len() - 1
                }
            };
            edges.push(Arc {
                label,
                marks: 0,
                target,
            });
        }
        result.edges.push(edges);
        if subsets.len() > limit || bdds.overflowed() {
            return None;
        }
    }
    Some((result, subsets))
}

fn refine(parts: Vec<(Bdd, Vec<usize>)>, edge: &Arc, bdds: &mut Bdds) -> Vec<(Bdd, Vec<usize>)> {
    let other = bdds.not(edge.label);
    let mut next = Vec::with_capacity(parts.len());
    for (label, subset) in parts {
        let with = bdds.and(label, edge.label);
        let without = bdds.and(label, other);
        if with != Bdd::FALSE {
            let mut more = subset.clone();
            if let Err(place) = more.binary_search(&edge.target) {
                more.insert(place, edge.target);
            }
            next.push((with, more));
        }
        if without != Bdd::FALSE {
            next.push((without, subset));
        }
    }
    next
}

/// Löding's colours: even for accepting, and states without a cycle as their successors allow.
fn colour(graph: &Graph, powerset: &Graph, subsets: &[Vec<usize>], bdds: &mut Bdds) -> Vec<usize> {
    let parts = components(powerset, |_, _| true);
    let count = parts.marks.len();
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (state, &c) in parts.of.iter().enumerate() {
        members[c].push(state);
    }
    // Components come with successors first; colours fall from a large even number.
    let top = 2 * count + 2;
    let mut colours = vec![top; count];
    for c in 0..count {
        let successors = members[c]
            .iter()
            .flat_map(|&s| powerset.edges[s].iter())
            .map(|e| parts.of[e.target])
            .filter(|&d| d != c)
            .map(|d| colours[d])
            .min();
        colours[c] = match parts.marks[c] {
            None => successors.unwrap_or(top + 1),
            Some(_) => {
                let accepting =
                    accepts_cycle(graph, powerset, subsets, &parts.of, &members[c], bdds);
                match successors {
                    None => top + usize::from(!accepting),
                    Some(l) if (l % 2 == 0) == accepting => l,
                    Some(l) => l - 1,
                }
            }
        };
    }
    parts.of.iter().map(|&c| colours[c]).collect()
}

/// Takes some cycle of a component and asks the graph about its word.
fn accepts_cycle(
    graph: &Graph,
    powerset: &Graph,
    subsets: &[Vec<usize>],
    of: &[usize],
    members: &[usize],
    bdds: &mut Bdds,
) -> bool {
    let Some(&first) = members.first() else {
        return false;
    };
    // Walk inside until a state comes back.
    let mut seen: HashMap<usize, usize> = HashMap::new();
    let mut walk: Vec<(usize, Bdd)> = Vec::new();
    let mut state = first;
    while !seen.contains_key(&state) {
        seen.insert(state, walk.len());
        let inside = powerset.edges[state]
            .iter()
            .find(|e| of[e.target] == of[state]);
        let Some(edge) = inside else {
            return false;
        };
        walk.push((state, edge.label));
        state = edge.target;
    }
    let letters: Vec<Bdd> = walk[seen[&state]..]
        .iter()
        .map(|w| one_letter(w.1, bdds))
        .collect();
    subsets[state]
        .iter()
        .any(|&q| accepts_power(graph, q, &letters, bdds))
}

/// Some cube of a label that is a single letter as far as any label can tell: it fixes one path of
/// the diagram, and every other variable to false.
fn one_letter(label: Bdd, bdds: &mut Bdds) -> Bdd {
    let cube = bdds.sum_of_products(label).into_iter().next();
    let cube = cube.unwrap_or_default();
    bdds.cube(&cube)
}

/// Is the letter sequence, repeated forever, accepted from a state?
fn accepts_power(graph: &Graph, from: usize, letters: &[Bdd], bdds: &mut Bdds) -> bool {
    // The product with the cycle of letters; a letter may still be a cube, so take letters that any
    // label either contains or not: narrow them by the labels they meet.
    let mut letters = letters.to_vec();
    for letter in &mut letters {
        for edge in graph.edges.iter().flatten() {
            let both = bdds.and(*letter, edge.label);
            if both != Bdd::FALSE {
                *letter = both;
            }
        }
    }
    let length = letters.len();
    let mut product = Graph {
        edges: vec![Vec::new(); graph.state_count() * length],
        initial: from * length,
        marks: graph.marks,
    };
    for (state, edges) in graph.edges.iter().enumerate() {
        for (i, &letter) in letters.iter().enumerate() {
            for edge in edges {
                if bdds.implies(letter, edge.label) {
                    product.edges[state * length + i].push(Arc {
                        target: edge.target * length + (i + 1) % length,
                        ..*edge
                    });
                }
            }
        }
    }
    !is_empty(&product)
}

fn is_empty(graph: &Graph) -> bool {
    let reachable = graph.reachable();
    let parts = components(graph, |s, _| reachable[s]);
    let all = graph.all_marks();
    (0..parts.marks.len()).all(|c| !parts.accepting(c, all))
}

/// Does a weak deterministic graph with these accepting states share a word with another graph?
fn meets(weak: &Graph, accepting: &[bool], other: &Graph, bdds: &mut Bdds) -> bool {
    let joint = in_step(weak, other, usize::MAX, bdds, |_, f| f.marks);
    let (edges, pairs) = joint.expect("there is no limit");
    let product = Graph {
        edges,
        marks: other.marks,
        ..Graph::default()
    };
    // In a weak graph all states of a component agree: look at the accepting ones only.
    let parts = components(&product, |s, e| {
        accepting[pairs[s].0] && accepting[pairs[e.target].0]
    });
    let all = product.all_marks();
    (0..parts.marks.len()).any(|c| parts.accepting(c, all))
}

/// Merges states of the same colour parity that no word tells apart.
fn minimize(powerset: &Graph, colours: &[usize], bdds: &mut Bdds) -> Weak {
    let count = powerset.state_count();
    let mut class: Vec<usize> = colours.iter().map(|c| c % 2).collect();
    let mut classes = 0;
    loop {
        let mut known: HashMap<(usize, Vec<(usize, Bdd)>), usize> = HashMap::new();
        let mut next = Vec::with_capacity(count);
        for state in 0..count {
            spend();
            let mut labels: BTreeMap<usize, Bdd> = BTreeMap::new();
            for edge in &powerset.edges[state] {
                let sum = labels.entry(class[edge.target]).or_insert(Bdd::FALSE);
                *sum = bdds.or(*sum, edge.label);
            }
            let signature = (class[state], labels.into_iter().collect());
            let fresh = known.len();
            next.push(*known.entry(signature).or_insert(fresh));
        }
        class = next;
        if known.len() == classes {
            break;
        }
        classes = known.len();
    }
    let mut graph = Graph {
        edges: vec![Vec::new(); classes],
        initial: class[powerset.initial],
        marks: 0,
    };
    let mut accepting = vec![false; classes];
    for state in 0..count {
        if graph.edges[class[state]].is_empty() {
            graph.edges[class[state]] = powerset.edges[state]
                .iter()
                .map(|e| Arc {
                    target: class[e.target],
                    ..*e
                })
                .collect();
            accepting[class[state]] = colours[state].is_multiple_of(2);
        }
    }
    graph.join_edges(bdds);
    Weak { graph, accepting }
}

/// Weak acceptance as marks: one on every edge inside an accepting component.
fn with_marks(weak: &Weak) -> Graph {
    let mut graph = weak.graph.clone();
    graph.marks = 1;
    for (state, edges) in graph.edges.iter_mut().enumerate() {
        for edge in edges {
            edge.marks = u64::from(weak.accepting[state] && weak.accepting[edge.target]);
        }
    }
    trim(&graph)
}
