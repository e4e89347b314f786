//! Lists of ranks, each kept once: of a million states few have different ones.
//!
//! A list says for states of an automaton, in their order, which rank the node has. Lists lie back to back, and a
//! table finds them by a hash. Where all are different each costs its own size, and some more.

use std::hash::{DefaultHasher, Hash, Hasher};

use evenhand_automata::State;

use crate::flaw::Flaw;
use crate::rank::CellId;

/// Different lists, by number.
#[derive(Debug, Default)]
pub(crate) struct RankLists {
    entries: Vec<(State, CellId)>,
    /// Where each list ends.
    ends: Vec<usize>,
    /// One more than the number of a list, or 0; the length is a power of two.
    places: Vec<u32>,
}

impl RankLists {
    pub fn get(&self, number: u32) -> &[(State, CellId)] {
        let number = number as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.entries[start..self.ends[number]]
    }

    /// The rank of a state of the automaton in a list.
    pub fn rank(&self, number: u32, automaton: State) -> Option<CellId> {
        let list = self.get(number);
        let place = list.binary_search_by_key(&automaton, |&(state, _)| state);
        place.ok().map(|place| list[place].1)
    }

    /// The number of a list.
    pub fn meet(&mut self, list: &[(State, CellId)]) -> Result<u32, Flaw> {
        if 2 * (self.ends.len() + 1) > self.places.len() {
            self.grow();
        }
        let place = self.place(list);
        if let Some(number) = self.places[place].checked_sub(1) {
            return Ok(number);
        }
        let number = u32::try_from(self.ends.len()).ok();
        let number = number.filter(|&number| number < u32::MAX);
        let number = number.ok_or(Flaw::NoRoom)?;
        self.entries.extend_from_slice(list);
        self.ends.push(self.entries.len());
        self.places[place] = number + 1;
        Ok(number)
    }

    /// Where a list stands in the table, or should.
    fn place(&self, list: &[(State, CellId)]) -> usize {
        let mut hasher = DefaultHasher::new();
        list.hash(&mut hasher);
        let (mut place, mask) = (hasher.finish() as usize, self.places.len() - 1);
        loop {
            place &= mask;
            match self.places[place].checked_sub(1) {
                Some(number) if self.get(number) != list => place += 1,
                _ => return place,
            }
        }
    }

    fn grow(&mut self) {
        let length = (2 * self.places.len()).max(64);
        self.places = vec![0; length];
        for number in 0..self.ends.len() as u32 {
            let place = self.place(self.get(number));
            self.places[place] = number + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lists_have_one_number() {
        let mut lists = RankLists::default();
        let list = |n: u32| -> Vec<(State, CellId)> {
            let cell = |k: u32| CellId::new(n * k).expect("small");
            (0..n % 5).map(|k| (State(2 * k), cell(k))).collect()
        };
        let numbers: Vec<u32> = (0..500)
            .map(|n| lists.meet(&list(n)).expect("room"))
            .collect();
        for n in 0..500u32 {
            let number = numbers[n as usize];
            assert_eq!(lists.meet(&list(n)), Ok(number));
            assert_eq!(lists.get(number), list(n));
            assert_eq!(lists.rank(number, State(2)), list(n).get(1).map(|e| e.1));
            assert_eq!(lists.rank(number, State(1)), None);
        }
        // All empty lists are one, and so are all of length one: its only rank is 0.
        assert_eq!(lists.ends.len(), 302);
    }
}
