//! Formulas by cases of what is constant along a word, such as `G F p`.
//!
//! **Problem.** `(G F a | F G b) & (G F c | F G d) & …` says nothing about any prefix, but a tableau follows what was
//! promised at each position, and where such formulas stand below other operators it asks for them again and again.
//!
//! **Idea.** The formula is the disjunction of what it says in each case ([`Simplifier::cases`]), and its graph a union.
//! Where the whole formula is constant, so is each case that matters, and the choice can be made at any time:
//! *one* state waits for it, and is at home in the case that never needs to be chosen, if there is one. A case with `F G b`
//! begins when `b` will never fail any more (compositional suspension: Babiak and others, SPIN 2013, with the
//! simplest of skeletons).
//!
//! **Cost.** As many cases as the constants have minimal choices, hence a limit. A choice at the beginning is no deterministic automaton,
//! so the caller keeps the smaller one.
//!
//! [`Simplifier::cases`]: evenhand_logic::Simplifier::cases

use super::components::{Placement, clean_marks, trim};
use super::graph::{Arc, Graph, MAX_MARKS};
use super::job::Job;
use super::shrink::{leaner, shrink};
use super::{parts, prepare};
use crate::LimitExceeded;
use evenhand_logic::bdd::{Bdd, Bdds};
use evenhand_logic::{FormulaId, Formulas, Node, Unary};

/// Graphs up to so many states are not tried case by case.
pub(super) const SMALL: usize = 8;

/// Beyond so many states of a constant formula no tableau is tried.
pub(super) const MANY: usize = 12;

/// At most so many cases of a constant formula, of which each adds little.
const MOST_CONSTANT: usize = 1024;

/// At most so many cases of another one.
const MOST: usize = 16;

/// Whether something constant stands below another operator.
pub(super) fn are_below(store: &Formulas, f: FormulaId) -> bool {
    let properties = store.properties(f);
    let is_constant = |g: &FormulaId| store.properties(*g).is_suspendable();
    !properties.has_past()
        && !properties.is_suspendable()
        && store
            .subformulas(f)
            .iter()
            .any(|g| is_constant(g) && !store.properties(*g).is_boolean())
}

/// The graph of a formula with constants below other operators, case by case; none if it has none, or they make too many cases.
pub(super) fn by_cases(
    job: &mut Job<'_>,
    store: &mut Formulas,
    f: FormulaId,
    bdds: &mut Bdds,
) -> Result<Option<Graph>, LimitExceeded> {
    let Some(cases) = job.simplifier.cases(store, f, MOST) else {
        return Ok(None);
    };
    if cases.len() < 2 {
        let [only] = cases[..] else {
            return Ok(Some(Graph::empty()));
        };
        return Ok(Some(job.whole(store, only, bdds)?));
    }
    let union = parts::union(job, store, cases, bdds)?;
    Ok(union.map(|union| shrink(union, bdds)))
}

/// The graph of a combination of constants; none if the formula is none, or has too many cases.
pub(super) fn anytime(
    job: &mut Job<'_>,
    store: &mut Formulas,
    f: FormulaId,
    bdds: &mut Bdds,
) -> Result<Option<Graph>, LimitExceeded> {
    let is_combined = matches!(store.node(f), Node::And(_) | Node::Or(_));
    if !job.reduces() || !is_combined || !store.properties(f).is_suspendable() {
        return Ok(None);
    }
    let most = MOST_CONSTANT.min(job.limits().states);
    let Some(cases) = job.simplifier.cases(store, f, most) else {
        return Ok(None);
    };
    let mut edges = 0;
    let (mut home, mut others) = (None, Vec::new());
    for case in cases {
        let gathered = prepare::gather(store, case);
        let begun = match *store.node(gathered) {
            Node::Unary(Unary::Finally, body) => body,
            _ => case,
        };
        let graph = job.whole(store, begun, bdds)?;
        edges += graph.edge_count();
        if edges > job.limits().edges {
            return Err(job.too_many_edges());
        }
        match home.is_none() && reads_everything(&graph, bdds) {
            true => home = Some(graph),
            false => others.push(graph),
        }
    }
    let Some(graph) = joined(home, &others) else {
        return Ok(None);
    };
    let plain = clean_marks(&trim(&graph), Placement::Sparse, bdds);
    let small = shrink(plain.clone(), bdds);
    Ok(Some(leaner(plain, small, bdds)))
}

/// One state that reads every letter.
fn reads_everything(graph: &Graph, bdds: &mut Bdds) -> bool {
    let [edges] = &graph.edges[..] else {
        return false;
    };
    let labels = edges.iter().map(|edge| edge.label);
    labels.fold(Bdd::FALSE, |sum, label| bdds.or(sum, label)) == Bdd::TRUE
}

/// A state that is the only one of `home`, or waits, and from which each of the others can begin at any time. None if there
/// are too many marks.
fn joined(home: Option<Graph>, others: &[Graph]) -> Option<Graph> {
    let waiting = Graph {
        edges: vec![vec![Arc {
            label: Bdd::TRUE,
            marks: 0,
            target: 0,
        }]],
        initial: 0,
        marks: 1,
    };
    let home = home.unwrap_or(waiting);
    let most = others.iter().map(|graph| graph.marks).max().unwrap_or(0);
    let mut result = Graph {
        marks: most.max(home.marks),
        ..Graph::default()
    };
    if result.marks as usize > MAX_MARKS {
        return None;
    }
    let all = result.all_marks();
    let moved = |graph: &Graph, edges: &[Arc], offset: usize| -> Vec<Arc> {
        // A graph with fewer marks carries the others everywhere.
        let more = all & !graph.all_marks();
        let moved = |edge: &Arc| Arc {
            marks: edge.marks | more,
            target: edge.target + offset,
            ..*edge
        };
        edges.iter().map(moved).collect()
    };
    result.edges.push(moved(&home, &home.edges[0], 0));
    for graph in others {
        let offset = result.edges.len();
        let begin = moved(graph, &graph.edges[graph.initial], offset);
        result.edges[0].extend(begin);
        for edges in &graph.edges {
            result.edges.push(moved(graph, edges, offset));
        }
    }
    Some(result)
}
