//! States of a tableau from which no run counts are left out: an automaton need not follow there.
//!
//! They are those from which no component can be reached that has all marks. All successors of such a state
//! are such states, and the numbers of components are ranks, which are checked before they are believed.
//!
//! States with the same demand have the same successors; so the graph has a node for each demand as well: a
//! state leads to its demand, with the marks of the state, and the demand to the states that meet it.

use std::convert::Infallible;

use super::NotShown;
use super::components::{self, Components, cells};
use crate::condition::Condition;
use crate::flaw::Failure;
use crate::graph::{Edge, Graph, check_graph};
use crate::rank::{Cells, Ranks, Reason};
use crate::tableau::Tableau;

/// Leaves them out.
///
/// # Errors
/// If the proof that no run counts is none.
pub(crate) fn leave_out_dead(tableau: &mut Tableau) -> Result<(), NotShown> {
    let components = split(tableau);
    let dead = dead(tableau, &components);
    if !dead.contains(&true) {
        return Ok(());
    }
    let reasons = dead.iter().enumerate().map(|(component, is_dead)| {
        let reason = components.reason(component, tableau.marks());
        reason.filter(|_| *is_dead).unwrap_or(Reason::NoEdge)
    });
    let mut ranks = Cells::new();
    let cell_of = cells(&mut ranks, None, &reasons.collect::<Vec<_>>());
    let cell_of = cell_of.map_err(NotShown::Flawed)?;
    let of_node = components.of_node.iter().map(|&c| match dead[c as usize] {
        true => cell_of[c as usize],
        false => u32::MAX,
    });
    let ranks = Ranks::new(ranks, of_node.collect());
    let condition = Condition {
        buchi: (0..tableau.marks()).collect(),
        pairs: Vec::new(),
    };
    // Every node with a rank is checked, so all may be taken for initial ones.
    let checked = check_graph(&mut Bipartite(tableau), &condition, &ranks);
    checked.map_err(|failure| match failure {
        Failure::Flawed(flaw) => NotShown::Flawed(flaw),
        Failure::Stopped(never) => match never {},
    })?;
    tableau.leave_out(|state| ranks.of(state as usize).is_some());
    Ok(())
}

/// The components of states and, behind them, of demands.
fn split(tableau: &Tableau) -> Components {
    let mut graph = components::Graph::default();
    for state in 0..tableau.len() {
        graph.add_edge(
            tableau.len() + tableau.demand(state),
            tableau.marks_of(state),
        );
        graph.add_node();
    }
    for demand in 0..tableau.demands() {
        for &state in tableau.meeting(demand) {
            graph.add_edge(state as usize, 0);
        }
        graph.add_node();
    }
    graph.components()
}

/// Whether no component with all marks can be reached from each component.
fn dead(tableau: &Tableau, components: &Components) -> Vec<bool> {
    let marks = tableau.marks();
    let inside = 0..components.inside.len();
    let mut dead: Vec<bool> = inside
        .map(|c| components.reason(c, marks).is_some())
        .collect();
    let of = |node: usize| components.of_node[node] as usize;
    // What can be reached has smaller numbers, so one pass in their order is enough.
    let mut nodes: Vec<usize> = (0..components.of_node.len()).collect();
    nodes.sort_unstable_by_key(|&node| components.of_node[node]);
    for node in nodes {
        let demand = of(match node < tableau.len() {
            true => tableau.len() + tableau.demand(node),
            false => node,
        });
        let is_dead = match node.checked_sub(tableau.len()) {
            None => dead[demand],
            Some(demand) => (tableau.meeting(demand).iter()).all(|&state| dead[of(state as usize)]),
        };
        dead[of(node)] &= is_dead;
    }
    dead
}

/// The graph of states and demands, for the check.
struct Bipartite<'t>(&'t Tableau);

struct Arrow {
    target: usize,
    marks: u128,
}

impl Edge for Arrow {
    fn target(&self) -> usize {
        self.target
    }

    fn has(&self, mark: usize) -> bool {
        self.marks >> mark & 1 == 1
    }
}

impl Graph for Bipartite<'_> {
    type Edge = Arrow;
    type Stop = Infallible;

    fn initial(&mut self) -> Result<Vec<usize>, Infallible> {
        Ok(Vec::new())
    }

    fn edges(&mut self, node: usize, edges: &mut Vec<Arrow>) -> Result<(), Infallible> {
        edges.clear();
        let states = self.0.len();
        match node.checked_sub(states) {
            None => edges.push(Arrow {
                target: states + self.0.demand(node),
                marks: self.0.marks_of(node),
            }),
            Some(demand) => {
                let meeting = self.0.meeting(demand).iter();
                edges.extend(meeting.map(|&state| Arrow {
                    target: state as usize,
                    marks: 0,
                }));
            }
        }
        Ok(())
    }

    fn bound(&self) -> usize {
        self.0.len() + self.0.demands()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flaw::Flaw;
    use crate::tableau::Wanted;
    use evenhand_logic::{Formulas, Spelling, parse};
    use evenhand_system::PropositionId;

    fn tableau(text: &str) -> Tableau {
        let mut store = Formulas::new();
        let formula = parse(&mut store, text, Spelling::Any).expect(text);
        let (values, atoms) = ([(formula, true)], [PropositionId(0)]);
        Tableau::new(&store, &values, &atoms, Wanted::default(), 100).expect("small")
    }

    #[test]
    fn what_cannot_be_true_has_no_initial_state() {
        for (text, is_possible) in [
            ("G F p", true),
            ("F p & G !p", false),
            ("G p & F X X !p", false),
            ("G F p & F G !p", false),
            ("p & X !p & F G p", true),
            ("O p & !p", false),
            ("X O p & !p", true),
        ] {
            let mut tableau = tableau(text);
            assert_eq!(leave_out_dead(&mut tableau), Ok(()));
            assert_eq!(!tableau.initial().is_empty(), is_possible, "{text}");
        }
    }

    #[test]
    fn ranks_that_leave_out_too_much_are_rejected() {
        let tableau = tableau("G F p");
        let count = tableau.len() + tableau.demands();
        let condition = Condition {
            buchi: (0..tableau.marks()).collect(),
            pairs: Vec::new(),
        };
        for mark in 0..tableau.marks() as u32 {
            let mut ranks = Cells::new();
            let cell = ranks.add(None, 0, Reason::Missing { mark }).expect("room");
            let ranks = Ranks::new(ranks, vec![cell.number(); count]);
            let checked = check_graph(&mut Bipartite(&tableau), &condition, &ranks);
            let is_seen = matches!(checked, Err(Failure::Flawed(Flaw::Edge { .. })));
            assert!(is_seen, "{checked:?}");
        }
    }
}
