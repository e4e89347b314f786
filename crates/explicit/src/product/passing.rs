//! Nodes of a product that no accepting cycle visits, handed over in one go.
//!
//! Of the automaton alone it is known which of its states no accepting run visits again and again: those that it never comes back
//! to, and those of a component whose edges miss a Büchi mark. Most formulas have such a state at the beginning, which
//! waits for what they are about, and it goes with every state of the system. A search need not know more of such a node than
//! where it leads: it is dead from the start (`sieve`, `emptiness::streett`).
//!
//! The search comes next to the last edge whose target was not visited, as of any node; so as long as that is a node of the same
//! kind, its edges follow at once, and nothing is handed to and fro.

use evenhand_automata::{self as automata, Automaton};

use super::{Product, Row, bound};
use crate::graph::NodeId;
use crate::marks::{Marks, Streett};
use crate::search::Stop;
use crate::sieve::Sieve;
use crate::store::Store;

/// So many nodes are passed before the search looks at its limits.
const MOST_PASSED: usize = 64;

impl<S: Store, const W: usize> Product<'_, '_, S, W> {
    /// Hands over the edges of a node that is passed, and of those that a search comes to next as long as they are passed.
    pub(super) fn pass(&mut self, mut at: NodeId, sieve: &mut Sieve<'_, W>) -> Result<(), Stop> {
        let count = self.count;
        let mut left = MOST_PASSED;
        loop {
            let Row { state, place, row } = self.row(at)?;
            sieve.cover(bound(self.space, count)?);
            sieve.pass(at);
            let outgoing = self.space.record(place);
            let moves = &self.moves[self.first[row] as usize..self.first[row + 1] as usize];
            let stays = outgoing.is_end && self.stutter;
            let (marked, plain) = (outgoing.marked_edges(), outgoing.plain_edges());
            sieve.expect((usize::from(stays) + marked.len() + plain.len()) * moves.len());
            for &(target, _) in moves.iter().rev().filter(|_| stays) {
                sieve.targets([NodeId(state.number() * count + target)].into_iter());
            }
            if let &[(target, _)] = moves {
                let node = |to: u32| NodeId(to * count + target);
                sieve.targets(marked.iter().rev().map(|&[to, _]| node(to)));
                sieve.targets(plain.iter().rev().map(|&to| node(to)));
            } else {
                let marked = marked.iter().rev().map(|&[to, _]| to);
                for to in marked.chain(plain.iter().rev().copied()) {
                    let moves = moves.iter().rev();
                    sieve.targets(moves.map(|&(target, _)| NodeId(to * count + target)));
                }
            }
            left -= 1;
            match sieve.upcoming() {
                Some(next) if left > 0 && self.passing[(next.0 % count) as usize] => at = next,
                _ => return Ok(()),
            }
            sieve.take_next();
        }
    }
}

/// For each state of an automaton, whether no accepting run visits it again and again: the edges between the states that
/// it can come back from miss a Büchi mark of the automaton, or there are none. Marks of the automaton begin at `offset`.
pub(super) fn states<const W: usize>(
    automaton: &Automaton,
    offset: usize,
    condition: &Streett<W>,
) -> Vec<bool> {
    let components = automata::components(automaton);
    // Conditional marks may be marks of any edge.
    let conditional = automaton.conditionals().iter().map(|own| own.mark);
    let conditional: Marks<W> = conditional.map(|mark| offset + mark.index()).collect();
    let others: Marks<W> = (0..offset).collect();
    let mut passing = vec![false; automaton.state_count()];
    for component in 0..components.count() {
        let members = components.members(component);
        let edges = members.iter().flat_map(|&from| automaton.edges_from(from));
        let inside = edges.filter(|edge| components.same(edge.source, edge.target));
        let marks = inside.flat_map(|edge| automaton.marks(edge.marks).iter());
        let marks: Marks<W> = marks.map(|mark| offset + mark.index()).collect();
        let seen = marks.union(conditional).union(others);
        if !components.is_cyclic(automaton, component) || !seen.covers(condition.buchi) {
            for member in members {
                passing[member.index()] = true;
            }
        }
    }
    passing
}
