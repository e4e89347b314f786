//! Where a fair run satisfies a formula: the product with its tester, built and searched.
//!
//! The nodes are those that can be reached from the beginnings of runs, so that past operators have
//! the values that they have there. A node counts if it asserts the formula and begins an accepting
//! run.

use evenhand_logic::{AtomId, Tester};
use rustc_hash::FxHashMap;

use super::flat::Flat;
use super::stepper::{MOST_VARIABLES, Stepper, Values};
use super::{Branching, Undecided};
use crate::emptiness::closure::feasible_nodes;
use crate::emptiness::stored::Stored;
use crate::graph::{Edge, NodeId};
use crate::marks::{Marks, Pair, Streett};
use crate::search::{Progress, Stop};
use crate::state_set::StateSet;
use crate::store::{StateId, Store};
use crate::watch::Watch;

type Table = FxHashMap<(u32, Values), u32>;

impl<S: Store> Branching<'_, '_, S> {
    pub(super) fn product<const W: usize>(
        &mut self,
        tester: &Tester,
        flat: &Flat,
        start: bool,
        watch: &mut Watch<'_>,
    ) -> Result<StateSet, Undecided> {
        let truth = |atom: AtomId, state: usize| {
            flat.columns
                .get(atom.index())
                .is_some_and(|column| column.contains(state))
        };
        let Some(mut stepper) = Stepper::new(tester, &truth) else {
            return Err(Undecided::Formula(format!(
                "a formula under one quantifier has more than {MOST_VARIABLES} temporal operators"
            )));
        };
        let condition = self.condition::<W>(tester.justice.len());
        let offset = self.space.mark_count();
        let (mut sources, mut grants) = (vec![Marks::EMPTY], vec![Marks::EMPTY]);
        if offset > 0 {
            let all = 0..self.space.sources() as u32;
            sources = all.map(|s| self.space.source_marks(s).collect()).collect();
            let all = 0..self.space.grants() as u32;
            grants = all.map(|g| self.space.grant_marks(g).collect()).collect();
        }
        // Staying takes nothing.
        grants.push(Marks::EMPTY);
        let nothing = grants.len() as u32 - 1;
        let mut nodes: Vec<(u32, Values)> = Vec::new();
        let mut table = Table::default();
        let mut valuations = Vec::new();
        for state in &self.initial {
            stepper.beginnings(state.index(), &mut valuations);
            for &values in &valuations {
                if !start || stepper.is_asserted(state.index(), values) {
                    number(&mut table, &mut nodes, state.number(), values)?;
                }
            }
        }
        let beginnings = nodes.len();
        let mut graph = Stored::new(condition.clone());
        let (mut just, mut edges) = (Vec::new(), Vec::new());
        let mut at = 0;
        while let Some(&(state, values)) = nodes.get(at) {
            stepper.justice(state as usize, values, &mut just);
            let own: Marks<W> = just.iter().map(|j| offset + j).collect();
            edges.clear();
            let outgoing = self.space.outgoing(StateId::new(state))?;
            let stay = outgoing.is_end && self.stutter;
            let stay = stay.then_some((StateId::new(state), nothing));
            let own = own.union(sources[outgoing.source as usize]);
            for (to, grant) in outgoing.edges().chain(stay) {
                stepper.successors(state as usize, values, to.index(), &mut valuations);
                for &next in &valuations {
                    let target = number(&mut table, &mut nodes, to.number(), next)?;
                    let marks = own.union(grants[grant as usize]);
                    edges.push(Edge { target, marks });
                }
            }
            graph.push(NodeId(at as u32), edges.iter().copied());
            at += 1;
            watch.tick(|| self.progress(at, nodes.len(), graph.bytes()))?;
        }
        self.nodes += graph.len() as u64;
        self.edges += graph.edge_count() as u64;
        let progress = self.progress(at, nodes.len(), graph.bytes());
        let mut look = |_| watch.look(&progress);
        let feasible = feasible_nodes(&mut graph, &condition, &mut look)?;
        let mut set = StateSet::empty(self.space.len());
        let counted = if start { beginnings } else { nodes.len() };
        for (number, &(state, values)) in nodes[..counted].iter().enumerate() {
            if feasible[number] && stepper.is_asserted(state as usize, values) {
                set.insert(state as usize);
            }
        }
        Ok(set)
    }

    fn progress(&self, done: usize, nodes: usize, bytes: u64) -> Progress {
        Progress {
            states: nodes as u64,
            expanded: done as u64,
            transitions: 0,
            depth: 0,
            // A node is kept in a list and a table.
            bytes: self.space.bytes_used() as u64 + bytes + 48 * nodes as u64,
        }
    }

    /// The fairness of the system and the justice of a tester.
    fn condition<const W: usize>(&self, justice: usize) -> Streett<W> {
        let offset = self.space.mark_count();
        let (buchi, pairs) = self.space.condition();
        let own = offset..offset + justice;
        let buchi = buchi.iter().copied().chain(own).collect();
        let pair = |&(request, grant): &(usize, usize)| Pair {
            request: request as u16,
            grant: grant as u16,
        };
        Streett::new(buchi, pairs.iter().map(pair).collect())
    }
}

/// The number of a node, new or known.
fn number(
    table: &mut Table,
    nodes: &mut Vec<(u32, Values)>,
    state: u32,
    values: Values,
) -> Result<NodeId, Stop> {
    let next = u32::try_from(nodes.len()).map_err(|_| Stop::States)?;
    let number = *table.entry((state, values)).or_insert_with(|| {
        nodes.push((state, values));
        next
    });
    Ok(NodeId(number))
}
