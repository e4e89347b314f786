//! Finite counterexamples to temporal properties: runs that are bad whatever follows.
//!
//! Where a property is a safety property, a finite run shows the violation, and a person need not
//! read how it goes on. In the product the run is bad as soon as the automaton can go to a state
//! from which it accepts everything: a breadth-first search finds the nearest such step. The
//! automaton reads the letter of the state that a step leaves, so that state is the last of the
//! run.
//!
//! As for infinite runs, what is found is executed again, and judged by code that knows nothing of
//! the product: a formula must be seen to be false within the run, an automaton must have come to a
//! universal state.

use evenhand_automata::{Automaton, Bits, Letter, State, universal_states};
use evenhand_explicit::graph::{Graph, NodeId};
use evenhand_explicit::search::Stop;
use evenhand_explicit::watch::Watch;
use evenhand_logic::{AtomId, Lasso, is_informative};
use evenhand_system::{Explicit, Successors};

use crate::distances::Distances;
use crate::explain::why_false;
use crate::judge::Charge;
use crate::meter::{Budget, Meter};
use crate::replay::{Counterexample, ReplayError, Teller};
use crate::word::Letters;

/// A shortest path from an initial node to one from which a single step leads to a goal, if there
/// is one of at most `most` steps and it is found within the budget.
///
/// # Errors
/// If a limit of the run was reached.
pub fn nearest<const W: usize, G: Graph<W>>(
    graph: &mut G,
    goal: &dyn Fn(&G, NodeId) -> bool,
    most: usize,
    budget: Budget,
    watch: &mut Watch<'_>,
) -> Result<Option<Vec<NodeId>>, Stop> {
    let mut meter = Meter::unlimited(watch);
    meter.allow(budget, graph.bytes_used());
    let sources = graph.initial()?;
    let mut distances = Distances::from(&sources);
    let mut looked = sources.len();
    while !distances.is_complete() && distances.expanded() <= most {
        if distances.advance(graph, &mut meter).is_err() {
            return Ok(None);
        }
        let met = &distances.nodes()[looked..];
        if let Some(&node) = met.iter().find(|&&node| goal(graph, node)) {
            let path = distances.path_to(graph, node)?;
            return Ok(path.map(|mut path| {
                path.pop();
                path
            }));
        }
        looked = distances.nodes().len();
    }
    Ok(None)
}

/// Executes a finite run again; none if it does not show that the property is violated.
///
/// # Errors
/// If it is no run.
pub fn judge_finite(
    system: &dyn Explicit,
    states: &[Vec<u8>],
    charge: Charge<'_>,
) -> Result<Option<Counterexample>, ReplayError> {
    let mut teller = Teller {
        system,
        explorer: system.explorer(&[]),
        out: Successors::new(),
    };
    let Some(first) = states.first() else {
        return Ok(None);
    };
    let mut told = Counterexample {
        prefix: vec![teller.initial(first)?],
        processes: teller.processes(states.first().into_iter().chain(states.last())),
        ..Counterexample::default()
    };
    for (position, pair) in states.windows(2).enumerate() {
        let step = teller.infinite_step(&pair[0], &pair[1], position + 1, &|_, _| true)?;
        told.prefix.push(step);
    }
    let (Charge::Formula {
        atoms: propositions,
        ..
    }
    | Charge::Automaton { propositions, .. }) = charge;
    let shown = states.iter().map(Vec::as_slice);
    let letters = Letters::new(&mut *teller.explorer, shown, propositions);
    if let Charge::Formula { store, formula, .. } = charge {
        let letters = letters.filled(u32::MAX);
        let holds = |i: usize, atom: AtomId| letters[i][atom.index()];
        // Any continuation will do for the sentences; say, that the last state stays.
        let lasso = Lasso {
            prefix: states.len() - 1,
            cycle: 1,
        };
        told.why = why_false(store, formula, lasso, &holds);
    }
    told.why.extend(letters.remarks());
    let shown = letters.always(|letters| match charge {
        Charge::Formula { store, formula, .. } => {
            let holds = |i: usize, atom: AtomId| letters[i][atom.index()];
            is_informative(&mut store.clone(), formula, letters.len(), &holds)
        }
        Charge::Automaton { automaton, .. } => ends_universal(automaton, letters),
    });
    Ok(shown.then_some(told))
}

/// Whether an automaton can be in a universal state behind some letters.
fn ends_universal(automaton: &Automaton, letters: &[Vec<bool>]) -> bool {
    let mut current: Vec<State> = automaton.initial().to_vec();
    for held in letters {
        let bits = held.iter().enumerate().filter(|&(_, &h)| h);
        let letter = Letter(bits.map(|(i, _)| i).collect::<Bits>());
        let mut next: Vec<State> = Vec::new();
        for &state in &current {
            for edge in automaton.edges_from(state) {
                if automaton.cube(edge.label).matches(&letter) && !next.contains(&edge.target) {
                    next.push(edge.target);
                }
            }
        }
        current = next;
    }
    let universal = universal_states(automaton);
    current.iter().any(|s| universal[s.index()])
}
