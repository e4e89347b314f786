//! Ranks for the nodes of a simulation: why no cycle breaks an objective.
//!
//! Edges with the good event are left out. What is left falls into components, each of which must miss a
//! mark: of the tableau, or the request that the objective is about.

use super::components::{Graph, cells};
use super::{Arena, NotShown, Objective, Strategy};
use crate::rank::{Cells, Ranks, Reason};

/// Ranks for each objective.
///
/// # Errors
/// If an objective is broken.
pub(super) fn ranks(arena: &Arena<'_>, strategy: &Strategy) -> Result<Vec<Ranks>, NotShown> {
    let mut numbers = vec![u32::MAX; arena.places()];
    for (number, &node) in strategy.nodes.iter().enumerate() {
        numbers[arena.place(node)] = number as u32;
    }
    let mut all = Vec::new();
    for objective in arena.objectives() {
        let graph = graph(arena, strategy, &numbers, objective)?;
        let components = graph.components();
        let marks = arena.tableau.marks() + usize::from(objective.is_asked());
        let reasons = 0..components.inside.len();
        let reasons: Option<Vec<Reason>> = reasons.map(|c| components.reason(c, marks)).collect();
        let reasons = reasons.ok_or(NotShown::NoSimulation)?;
        let mut ranks = Cells::new();
        let top = ranks.add(None, 0, Reason::NotGranted { pair: 0 });
        let top = top.map_err(NotShown::Flawed)?;
        let cell_of = cells(&mut ranks, Some(top), &reasons).map_err(NotShown::Flawed)?;
        let of_node = components.of_node.iter().map(|&c| cell_of[c as usize]);
        all.push(Ranks::new(ranks, of_node.collect()));
    }
    Ok(all)
}

/// The edges without the event.
fn graph(
    arena: &Arena<'_>,
    strategy: &Strategy,
    numbers: &[u32],
    objective: Objective,
) -> Result<Graph, NotShown> {
    let mut graph = Graph::default();
    for (number, &node) in strategy.nodes.iter().enumerate() {
        let successors = arena.tableau.successors(node.state);
        for (&edge, &state) in strategy.of(number).iter().zip(successors) {
            let step = arena.reading.find(node.state, edge);
            let step = step.ok_or(NotShown::NoSimulation)?;
            let (marks, event) = arena.edge_marks(objective, node, step);
            if !event {
                let target = arena.target(node, step, state as usize);
                graph.add_edge(numbers[arena.place(target)] as usize, marks);
            }
        }
        graph.add_node();
    }
    Ok(graph)
}
