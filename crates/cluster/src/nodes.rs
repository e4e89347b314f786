//! The nodes of a product: states of the system with states of the automaton, numbered as they are met.
//!
//! A state meets few states of the automaton, so its nodes are a chain from the one that was met last, and looking one
//! up is a walk along it. Where the automaton is large a table finds them. The chain also says which nodes of a state
//! are waiting: its successors are generated once for all of them. A node takes twelve bytes, a state four.

use evenhand_explicit::search::Stop;
use evenhand_explicit::store::{PlainStore, StateId, Store};

/// Automata of at most this many states need no table.
const SMALL: usize = 16;

/// No node.
const NONE: u32 = u32::MAX;

/// A state of the system and one of the automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pair {
    state: u32,
    automaton: u32,
}

/// The nodes that one worker owns.
#[derive(Debug)]
pub(crate) struct Nodes {
    pairs: Vec<Pair>,
    /// For each node, the one of the same state that was met before it.
    before: Vec<u32>,
    /// For each state, the node that was met last.
    last: Vec<u32>,
    table: Option<PlainStore>,
}

impl Nodes {
    /// Of an automaton with so many states.
    pub fn new(automaton: usize) -> Nodes {
        Nodes {
            pairs: Vec::new(),
            before: Vec::new(),
            last: Vec::new(),
            table: (automaton > SMALL).then(PlainStore::new),
        }
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// The states of a node.
    pub fn parts(&self, node: u32) -> (StateId, u32) {
        let pair = self.pairs[node as usize];
        (StateId::new(pair.state), pair.automaton)
    }

    /// The number of a node, and whether it is new.
    #[inline]
    pub fn meet(&mut self, state: StateId, automaton: u32) -> Result<(u32, bool), Stop> {
        let place = state.index();
        if self.last.len() <= place {
            self.last.resize(place + 1, NONE);
        }
        let next = self.pairs.len() as u32;
        let found = match &mut self.table {
            None => self.of(state).find(|&(_, own)| own == automaton),
            Some(table) => {
                let key = u64::from(state.number()) << 32 | u64::from(automaton);
                let (id, new) = table.insert(&key.to_le_bytes())?;
                (!new).then_some((id.number(), automaton))
            }
        };
        if let Some((node, _)) = found {
            return Ok((node, false));
        }
        if next >= NONE - 1 {
            return Err(Stop::States);
        }
        self.pairs.push(Pair {
            state: state.number(),
            automaton,
        });
        self.before.push(self.last[place]);
        self.last[place] = next;
        Ok((next, true))
    }

    /// The nodes of a state with their states of the automaton, from the one that was met last.
    #[inline]
    pub fn of(&self, state: StateId) -> impl Iterator<Item = (u32, u32)> + '_ {
        let mut next = self.last.get(state.index()).copied().unwrap_or(NONE);
        std::iter::from_fn(move || {
            let node = next;
            let pair = self.pairs.get(node as usize)?;
            next = self.before[node as usize];
            Some((node, pair.automaton))
        })
    }

    /// The memory taken.
    pub fn bytes_used(&self) -> usize {
        let table = self.table.as_ref().map_or(0, Store::bytes_used);
        let pairs = self.pairs.capacity() * size_of::<Pair>();
        table + pairs + 4 * (self.before.capacity() + self.last.capacity())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_and_the_table_number_alike() {
        let (mut small, mut large) = (Nodes::new(2), Nodes::new(1000));
        let mut number = 1u64;
        for _ in 0..40_000 {
            number = number
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let state = StateId::new((number >> 40) as u32 % 300);
            let automaton = (number >> 20) as u32 % 7;
            assert_eq!(small.meet(state, automaton), large.meet(state, automaton));
        }
        assert_eq!((small.len(), large.len()), (2100, 2100));
        for node in 0..2100 {
            let (state, automaton) = small.parts(node);
            assert_eq!(small.meet(state, automaton), Ok((node, false)));
            let all: Vec<u32> = small.of(state).map(|(node, _)| node).collect();
            assert!(all.is_sorted_by(|a, b| a > b) && all.len() == 7 && all.contains(&node));
        }
    }
}
