//! A disjunction of many parts as a union of their graphs.
//!
//! The negation of a conjunction of n properties is a disjunction, and a tableau follows all its parts at
//! once: its states are sets of parts, up to 2^n of them. A run breaks the conjunction if it breaks one
//! conjunct, so the automaton may choose one at the start: the sizes add up, and the product with a
//! system is as large as the products for the conjuncts one by one. Where a part is `F g`, the choice
//! waits until `g` begins: all such parts share the state that waits.
//!
//! A choice at the start is no deterministic automaton, and for few parts one tableau is often smaller. So a
//! few parts are one tableau, many are a union, and in between the smaller one is taken.

use super::components::trim;
use super::graph::{Arc, Graph, MAX_MARKS};
use super::job::Job;
use super::{compose, fairness, prepare};
use crate::LimitExceeded;
use evenhand_logic::bdd::{Bdd, Bdds};
use evenhand_logic::{FormulaId, Formulas, Node, Unary};

/// Up to so many parts are one tableau.
const FEW: usize = 3;

/// Beyond so many parts no tableau of all of them is tried.
pub(super) const MANY: usize = 8;

/// At most so many parts; what would make more of them is no choice.
const MOST: usize = 1024;

/// The parts of a disjunction, if there are more than a few: what is under operators that choose may be
/// chosen before.
pub(super) fn several(store: &mut Formulas, f: FormulaId) -> Option<Vec<FormulaId>> {
    if store.properties(f).has_past() {
        return None;
    }
    let parts = disjuncts(store, f, MOST);
    (parts.len() > FEW).then_some(parts)
}

/// Formulas whose disjunction is the formula, at most so many, at least one.
///
/// Whatever is about one letter is one part, and so is a Streett pair: it needs no states.
pub fn disjuncts(store: &mut Formulas, f: FormulaId, most: usize) -> Vec<FormulaId> {
    if store.properties(f).is_boolean() || fairness::is_fairness(store, f) {
        return vec![f];
    }
    match store.node(f).clone() {
        Node::Or(list) => {
            let mut all = Vec::new();
            for (done, &part) in list.iter().enumerate() {
                let left = most.saturating_sub(all.len() + list.len() - done - 1);
                all.extend(disjuncts(store, part, left.max(1)));
            }
            all.sort_unstable();
            all.dedup();
            match all.len() <= most {
                true => all,
                false => vec![f],
            }
        }
        Node::And(list) => {
            // One of the conjuncts chooses: the numbers of parts are not multiplied.
            let all = list.iter().map(|&part| disjuncts(store, part, most));
            let all: Vec<Vec<FormulaId>> = all.collect();
            let widest = (0..all.len()).rev().max_by_key(|&place| all[place].len());
            let Some(widest) = widest.filter(|&place| all[place].len() > 1) else {
                return vec![f];
            };
            let with = |choice: &FormulaId| {
                let others = list
                    .iter()
                    .enumerate()
                    .filter(|&(place, _)| place != widest);
                let others = others.map(|(_, &part)| part).collect::<Vec<_>>();
                store.and([others.as_slice(), &[*choice]].concat())
            };
            all[widest].iter().map(with).collect()
        }
        Node::Unary(op @ (Unary::Finally | Unary::Next), g) => {
            let parts = disjuncts(store, g, most);
            parts.into_iter().map(|g| store.unary(op, g)).collect()
        }
        _ => vec![f],
    }
}

/// The graph of a disjunction; none if there are too many marks.
pub(super) fn union(
    job: &mut Job<'_>,
    store: &mut Formulas,
    parts: Vec<FormulaId>,
    bdds: &mut Bdds,
) -> Result<Option<Graph>, LimitExceeded> {
    let (mut waiting, mut others) = (Vec::new(), Vec::new());
    for part in parts {
        let part = job.simplifier.simplify(store, part);
        let gathered = prepare::gather(store, part);
        match *store.node(gathered) {
            Node::Unary(Unary::Finally, body) => waiting.push(job.whole(store, body, bdds)?),
            _ => others.push(job.whole(store, part, bdds)?),
        }
    }
    if !waiting.is_empty() {
        let Some(graph) = compose::union(&waiting).and_then(later) else {
            return Ok(None);
        };
        others.push(graph);
    }
    Ok(compose::union(&others).map(|graph| trim(&graph)))
}

/// From the graph of `g` that of `F g`: a state that waits, and may begin at any letter.
fn later(mut graph: Graph) -> Option<Graph> {
    // Whoever waits for ever is not to be accepted.
    if graph.marks == 0 {
        graph.marks = 1;
        for edge in graph.edges.iter_mut().flatten() {
            edge.marks = 1;
        }
    }
    let wait = graph.state_count();
    let mut edges = graph.edges[graph.initial].clone();
    edges.push(Arc {
        label: Bdd::TRUE,
        marks: 0,
        target: wait,
    });
    graph.edges.push(edges);
    graph.initial = wait;
    (graph.marks as usize <= MAX_MARKS).then_some(graph)
}
