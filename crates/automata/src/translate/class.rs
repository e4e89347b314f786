//! The class of a formula in the hierarchy of temporal properties: of what it says, not of how it is written.
//!
//! 1. *Safety*: whoever breaks it does so in a finite prefix. The automaton of the formula without its marks accepts the
//!    words all of whose prefixes can be gone on with; it has no word in common with the negation. A guarantee is the same
//!    the other way round (Alpern and Schneider 1987).
//! 2. *Recurrence*: in a deterministic automaton no cycle that is accepted lies within one that is not (Landweber 1969). With
//!    priorities, of which the least decides: no component of the edges from an even priority on, that has this
//!    priority, has an accepted cycle. *Persistence*: the same with the roles exchanged. An *obligation* is both, and what
//!    is neither is of the highest class.
//!
//! Syntax bounds the class, and answers first where that is the lowest. Determinizing is exponential, hence limits, beyond which
//! the class stays unknown.

use super::components::{components, trim};
use super::compose::product;
use super::graph::{Arc, Graph};
use super::job::Job;
use super::{Options, TranslateError};
use crate::{Automaton, Mark, MarkSet, determinize};
use evenhand_logic::bdd::{Bdd, Bdds};
use evenhand_logic::{Class, FormulaId, Formulas, Simplifier};

/// States that a product may have.
const MAX_STATES: usize = 20_000;

/// States that the deterministic automaton may have.
const MAX_DETERMINISTIC: usize = 400;

/// Edges of the automaton that is made deterministic.
const MAX_EDGES: usize = 2_000;

/// The lowest class of what a formula says; `None` if deciding it would be too expensive.
///
/// # Errors
/// If the formula has path quantifiers, or its automaton is too large.
pub fn class(
    store: &mut Formulas,
    f: FormulaId,
    options: &Options,
) -> Result<Option<Class>, TranslateError> {
    if store.properties(f).has_quantifier() {
        return Err(TranslateError::NotLinear);
    }
    let mut simplifier = Simplifier::default();
    let simple = simplifier.simplify(store, f);
    let syntax = store.properties(simple);
    if syntax.is_safety() {
        return Ok(Some(Class::Safety));
    }
    let negation = simplifier.negate(store, simple);
    let negation = simplifier.simplify(store, negation);
    let mut job = Job::new(simplifier, options, store.atoms_of(f));
    let mut bdds = Bdds::new(options.limits.nodes);
    let graph = job.by_cases(store, simple, &mut bdds)?;
    let broken = job.by_cases(store, negation, &mut bdds)?;
    match meets_closure(&graph, &broken, &mut bdds) {
        Some(true) => {}
        Some(false) => return Ok(Some(Class::Safety)),
        None => return Ok(None),
    }
    match meets_closure(&broken, &graph, &mut bdds) {
        Some(true) => {}
        Some(false) => return Ok(Some(Class::Guarantee)),
        None => return Ok(None),
    }
    if syntax.is_obligation() {
        return Ok(Some(Class::Obligation));
    }
    // The smaller of both; what the one recurs to, the other persists in.
    let is_negated = broken.state_count() < graph.state_count();
    let chosen = if is_negated { &broken } else { &graph };
    let names = (0..job.atoms().len()).map(|atom| format!("p{atom}"));
    let automaton = chosen.to_builder(&mut bdds, names.collect()).build();
    if bdds.overflowed() || automaton.edge_count() > MAX_EDGES {
        return Ok(None);
    }
    let Ok(deterministic) = determinize(&automaton, MAX_DETERMINISTIC) else {
        return Ok(None);
    };
    let mut recurs = !is_nested(&deterministic, 0);
    let mut persists = !is_nested(&deterministic, 1);
    if is_negated {
        (recurs, persists) = (persists, recurs);
    }
    Ok(Some(match (recurs, persists) {
        (true, true) => Class::Obligation,
        (true, false) => Class::Recurrence,
        (false, true) => Class::Persistence,
        (false, false) => Class::Reactivity,
    }))
}

/// Whether the words that the first graph can go on with at any time, for ever, meet those of the second.
fn meets_closure(graph: &Graph, other: &Graph, bdds: &mut Bdds) -> Option<bool> {
    let mut closure = trim(graph);
    closure.marks = 0;
    for edge in closure.edges.iter_mut().flatten() {
        edge.marks = 0;
    }
    let both = product(&closure, other, MAX_STATES, bdds)?;
    if bdds.overflowed() {
        return None;
    }
    let reachable = both.reachable();
    let parts = components(&both, |s, _| reachable[s]);
    let all = both.all_marks();
    Some((0..parts.marks.len()).any(|c| parts.accepting(c, all)))
}

/// Whether some cycle whose least priority is of this parity contains one of the other parity. A cycle without priority
/// is of the even ones.
fn is_nested(automaton: &Automaton, parity: usize) -> bool {
    let most = automaton.mark_count();
    let of = |marks: &MarkSet| {
        marks
            .iter()
            .map(Mark::index)
            .min()
            .unwrap_or(most + most % 2)
    };
    let priorities: Vec<usize> = (automaton.edges().iter())
        .map(|edge| of(automaton.marks(edge.marks)))
        .collect();
    let cyclic = |from: usize| Cyclic::new(automaton, &priorities, from);
    (parity..most).step_by(2).any(|outer| {
        let outside = cyclic(outer);
        let least = outside.components_with(automaton, &priorities, outer);
        (outer + 1..=most + most % 2).step_by(2).any(|inner| {
            let inside = cyclic(inner);
            (automaton.edges().iter().zip(&priorities)).any(|(edge, &priority)| {
                let (s, t) = (edge.source.index(), edge.target.index());
                priority == inner && inside.of[s] == inside.of[t] && least[outside.of[s]]
            })
        })
    })
}

/// The components of the edges from a priority on.
struct Cyclic {
    of: Vec<usize>,
}

impl Cyclic {
    fn new(automaton: &Automaton, priorities: &[usize], from: usize) -> Cyclic {
        let mut graph = Graph {
            edges: vec![Vec::new(); automaton.state_count()],
            ..Graph::default()
        };
        for (edge, &priority) in automaton.edges().iter().zip(priorities) {
            if priority >= from {
                graph.edges[edge.source.index()].push(Arc {
                    label: Bdd::TRUE,
                    marks: 0,
                    target: edge.target.index(),
                });
            }
        }
        Cyclic {
            of: components(&graph, |_, _| true).of,
        }
    }

    /// For each component, whether an edge inside has this priority.
    fn components_with(
        &self,
        automaton: &Automaton,
        priorities: &[usize],
        wanted: usize,
    ) -> Vec<bool> {
        let count = self.of.iter().max().map_or(0, |most| most + 1);
        let mut found = vec![false; count];
        for (edge, &priority) in automaton.edges().iter().zip(priorities) {
            let (s, t) = (self.of[edge.source.index()], self.of[edge.target.index()]);
            if s == t && priority == wanted {
                found[s] = true;
            }
        }
        found
    }
}
