//! Runs that last: `E G p` and what is made of it, where no fairness is assumed.
//!
//! Without fairness a state begins a run inside of a set iff it can always go on there. What cannot is removed,
//! and then what could go on only to it: each state once, each edge twice. With fairness a run must also come
//! by where it has to, and the product with a tester decides.

use evenhand_logic::FormulaId;

use super::Branching;
use super::flat::Flat;
use crate::search::Stop;
use crate::state_set::StateSet;
use crate::store::{StateId, Store};

impl<S: Store> Branching<'_, '_, S> {
    /// Whether every run is fair.
    pub(super) fn is_unfair(&self) -> bool {
        self.space.mark_count() == 0
    }

    /// The states of a set from which some run stays in it for ever; every run must be fair.
    pub(super) fn some_lasting(&mut self, mut set: StateSet) -> Result<StateSet, Stop> {
        let count = self.space.len();
        let mut ways = vec![0u32; count];
        let mut todo: Vec<usize> = Vec::new();
        for state in set.iter() {
            let outgoing = self.space.outgoing(StateId::new(state as u32))?;
            let inside = outgoing.edges().filter(|(to, _)| set.contains(to.index()));
            ways[state] = inside.count() as u32;
            ways[state] += u32::from(self.stutter && outgoing.is_end);
            if ways[state] == 0 {
                todo.push(state);
            }
        }
        let incoming = self.take_incoming()?;
        for &state in &todo {
            set.remove(state);
        }
        while let Some(state) = todo.pop() {
            for &source in incoming.sources(state) {
                let source = source as usize;
                if !set.contains(source) {
                    continue;
                }
                ways[source] -= 1;
                if ways[source] == 0 {
                    set.remove(source);
                    todo.push(source);
                }
            }
        }
        self.incoming = Some(incoming);
        Ok(set)
    }

    /// `E (p W q)`: for ever, or until.
    pub(super) fn some_weak_until(
        &mut self,
        flat: &Flat,
        p: FormulaId,
        q: FormulaId,
    ) -> Result<StateSet, Stop> {
        let lasting = self.some_lasting(flat.states(p, self.space.len()))?;
        Ok(self.some_until(flat, p, q)?.or(&lasting))
    }
}
