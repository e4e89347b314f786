//! What is told of a search when it is over: how many states there are, and paths to some.

use super::Search;
use crate::store::{StateId, Store};

/// The states that people count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// How many.
    pub states: u64,
    /// How often one was generated, initial ones and steps to known ones included.
    pub generated: u64,
    /// How many levels breadth-first has.
    pub depth: u64,
}

impl<S: Store> Search<'_, S> {
    /// Those of the states that people count.
    pub fn counted(&self) -> Counted {
        let mut generated = self.found.initial + self.found.progress.transitions;
        if self.system.has_inner_states() {
            generated += self.inner_states();
        }
        if self.system.counts_all() {
            let states = self.states.len() as u64;
            return Counted {
                states,
                generated,
                depth: self.found.depth + u64::from(states > 0),
            };
        }
        let (mut states, mut depth) = (0, 0);
        let mut state = Vec::new();
        let (mut level, mut ends) = (1, self.found.levels.iter().peekable());
        for number in 0..self.states.len() as u32 {
            if ends.next_if(|&&end| end == number).is_some() {
                level += 1;
            }
            self.states.load(StateId::new(number), &mut state);
            if self.system.is_counted(&state) {
                (states, depth) = (states + 1, level);
            }
        }
        Counted {
            states,
            generated,
            depth,
        }
    }

    /// The states that lie inside of steps: each state is expanded once more.
    fn inner_states(&self) -> u64 {
        let mut explorer = self.system.explorer(&[]);
        let (mut inner, mut state) = (0, Vec::new());
        for number in 0..self.states.len() as u32 {
            self.states.load(StateId::new(number), &mut state);
            inner += explorer.inner_states(&state);
        }
        inner
    }

    /// The states from an initial one to `to`, by the parents that were kept.
    pub fn path(&self, to: StateId) -> Vec<Vec<u8>> {
        let mut path = Vec::new();
        if to.index() >= self.states.len() {
            return path; // the error is in the making of the initial state
        }
        let mut at = to;
        loop {
            let mut state = Vec::new();
            self.states.load(at, &mut state);
            path.push(state);
            match self.found.parents.get(at.index()) {
                Some(&parent) if parent != at.number() => at = StateId::new(parent),
                _ => break,
            }
        }
        path.reverse();
        path
    }
}
