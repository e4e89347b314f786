//! Has an automaton an accepting run?
//!
//! [`accepting_core`] is the entry: it splits the reachable part into components and hands each to
//! the check that fits the condition — `streett` for generalized Büchi marks and Streett pairs,
//! `emerson_lei` for everything else. Both answer with a [`Core`]: a strongly connected part all of
//! whose marks together are accepting. [`accepting_lasso`] walks the core and gives a run with its
//! word; [`check_lasso`] judges such a run and shares nothing with the search.

mod check;
mod emerson_lei;
mod lasso;
mod split;
mod streett;

pub use check::{LassoError, check_lasso};
pub use lasso::lasso_through;

use crate::scc::{Components, components};
use crate::{Automaton, Bits, Cube, Lasso, LimitExceeded, MarkSet, State};
use emerson_lei::OutOfSplits;
use split::{Graph, MarkWord};

/// A part of an automaton in which an accepting run can stay: these states, strongly connected by
/// the edges between them that carry no mark of `avoid`; the marks of those edges together are
/// accepting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Core {
    /// The states, ascending.
    pub states: Vec<State>,
    /// The marks that must not occur. A conditional mark is avoided by choosing the letter.
    pub avoid: MarkSet,
}

/// Is there no accepting run?
pub fn is_empty(automaton: &Automaton) -> bool {
    accepting_core(automaton).is_none()
}

/// A core, if there is an accepting run. Linear memory; time O(edges · (pairs + 1)) for generalized
/// Büchi and Streett conditions, exponential in the number of `Fin` for hostile others: see
/// [`accepting_core_within`].
pub fn accepting_core(automaton: &Automaton) -> Option<Core> {
    let components = components(automaton);
    (0..components.count()).find_map(|c| core_of_component(automaton, &components, c))
}

/// A core, if there is an accepting run; an error if a general condition needs more than `splits`
/// searches for components.
pub fn accepting_core_within(
    automaton: &Automaton,
    splits: usize,
) -> Result<Option<Core>, LimitExceeded> {
    let components = components(automaton);
    let mut left = splits;
    for c in 0..components.count() {
        match core_within(automaton, &components, c, &mut left) {
            Ok(None) => {}
            Ok(core) => return Ok(core),
            Err(_) => {
                return Err(LimitExceeded {
                    what: "searches for components under a general acceptance condition",
                    limit: splits,
                });
            }
        }
    }
    Ok(None)
}

/// A core inside one component.
pub fn core_of_component(
    automaton: &Automaton,
    components: &Components,
    component: usize,
) -> Option<Core> {
    core_within(automaton, components, component, &mut usize::MAX.clone())
        .ok()
        .flatten()
}

/// An accepting run, if there is one.
pub fn accepting_lasso(automaton: &Automaton) -> Option<Lasso> {
    accepting_core(automaton).and_then(|core| lasso_through(automaton, &core))
}

fn core_within(
    automaton: &Automaton,
    components: &Components,
    component: usize,
    splits: &mut usize,
) -> Result<Option<Core>, OutOfSplits> {
    if !components.is_cyclic(automaton, component) {
        return Ok(None);
    }
    if automaton.mark_count() <= 64 {
        search::<u64>(automaton, components, component, splits)
    } else {
        search::<Bits>(automaton, components, component, splits)
    }
}

fn search<M: MarkWord>(
    automaton: &Automaton,
    components: &Components,
    component: usize,
    splits: &mut usize,
) -> Result<Option<Core>, OutOfSplits> {
    let graph = Graph::<M>::of_component(automaton, components, component);
    let acceptance = automaton.acceptance();
    let found = if acceptance.is_streett() {
        streett::find(graph, acceptance)
    } else {
        emerson_lei::find(graph, &acceptance.to_condition(), splits)?
    };
    Ok(found.map(|(mut members, avoid)| {
        for m in &mut members {
            *m = components.members(component)[*m as usize].0;
        }
        members.sort_unstable();
        Core {
            states: members.into_iter().map(State).collect(),
            avoid: avoid.to_set(),
        }
    }))
}

/// The letters that set none of these marks by a condition; `None` if there is no such letter.
pub(crate) fn letters_without(automaton: &Automaton, avoid: &MarkSet) -> Option<Cube> {
    let mut cube = Cube::TRUE;
    for c in automaton.conditionals() {
        if avoid.contains(c.mark) {
            cube = cube.and(&Cube::literal(c.literal.negated()))?;
        }
    }
    Some(cube)
}

/// Whether an automaton accepts anything.
#[derive(Clone, Debug)]
pub enum Emptiness {
    /// It accepts nothing.
    Empty,
    /// It accepts the word of this run, which was checked.
    Accepts(Lasso),
    /// A limit was reached: which, in words.
    Unknown(String),
    /// The run that was found is none: a defect of this tool.
    Broken(String),
}

/// Searches for components that a general acceptance condition may cost.
const SPLITS: usize = 10_000_000;

/// Whether an automaton accepts anything, with a run that was checked.
pub fn emptiness(automaton: &Automaton) -> Emptiness {
    let core = match accepting_core_within(automaton, SPLITS) {
        Ok(Some(core)) => core,
        Ok(None) => return Emptiness::Empty,
        Err(limit) => return Emptiness::Unknown(limit.to_string()),
    };
    let Some(lasso) = lasso_through(automaton, &core) else {
        return Emptiness::Broken("no run through the accepting component".into());
    };
    match check_lasso(automaton, &lasso) {
        Ok(()) => Emptiness::Accepts(lasso),
        Err(error) => Emptiness::Broken(error.to_string()),
    }
}

#[cfg(test)]
mod tests;
