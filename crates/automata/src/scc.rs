//! Strongly connected components of the reachable part of an automaton.
//!
//! Tarjan's algorithm in Pearce's form: one number per state serves as index, low link and, once
//! the component is complete, as component number. An explicit stack of (state, next edge) replaces
//! the recursion. Components are numbered in the order in which they are completed, so an edge
//! never leads to a component with a larger number: a walk over the numbers from 0 sees successors
//! first.
//!
//! Cost: O(states + edges) time, four words per state. Only the graph counts here: a label that no
//! letter satisfies cannot occur, and marks are not looked at.

use evenhand_source::spend;

use crate::{Automaton, State};

/// The components of an automaton.
#[derive(Clone, Debug)]
pub struct Components {
    of_state: Vec<u32>,
    members: Vec<State>,
    /// The members of component c are `members[first[c]..first[c + 1]]`.
    first: Vec<u32>,
}

const UNSEEN: u32 = u32::MAX;
/// Component numbers carry this bit while the search runs.
const DONE: u32 = 1 << 31;

impl Components {
    /// The number of components.
    pub fn count(&self) -> usize {
        self.first.len() - 1
    }

    /// The component of a state; `None` if it is not reachable.
    #[inline]
    pub fn of(&self, state: State) -> Option<usize> {
        match self.of_state[state.index()] {
            UNSEEN => None,
            component => Some(component as usize),
        }
    }

    /// The states of a component.
    pub fn members(&self, component: usize) -> &[State] {
        &self.members[self.first[component] as usize..self.first[component + 1] as usize]
    }

    /// Do both states lie in the same component?
    #[inline]
    pub fn same(&self, a: State, b: State) -> bool {
        self.of_state[a.index()] == self.of_state[b.index()] && self.of_state[a.index()] != UNSEEN
    }

    /// Has the component an edge inside?
    pub fn is_cyclic(&self, automaton: &Automaton, component: usize) -> bool {
        let members = self.members(component);
        members.len() > 1
            || members.iter().any(|&s| {
                let mut edges = automaton.edges_from(s).iter();
                edges.any(|e| e.target == s)
            })
    }
}

/// The components that are reachable from the initial states.
pub fn components(automaton: &Automaton) -> Components {
    let mut label = vec![UNSEEN; automaton.state_count()];
    let mut result = Components {
        of_state: Vec::new(),
        members: Vec::new(),
        first: vec![0],
    };
    let mut open: Vec<u32> = Vec::new();
    let mut frames: Vec<Frame> = Vec::new();
    let mut index = 0;
    for root in automaton.initial() {
        if label[root.index()] != UNSEEN {
            continue;
        }
        frames.push(Frame::open(
            root.0, automaton, &mut index, &mut label, &mut open,
        ));
        while let Some(frame) = frames.last_mut() {
            let state = frame.state as usize;
            if frame.next < frame.end {
                let target = automaton.edges()[frame.next as usize].target.0;
                frame.next += 1;
                let seen = label[target as usize];
                if seen == UNSEEN {
                    let child = Frame::open(target, automaton, &mut index, &mut label, &mut open);
                    frames.push(child);
                } else if seen < label[state] {
                    label[state] = seen;
                }
                continue;
            }
            let (low, own) = (label[state], frame.index);
            frames.pop();
            if low == own {
                let component = DONE | (result.first.len() - 1) as u32;
                while let Some(member) = open.pop() {
                    spend();
                    label[member as usize] = component;
                    result.members.push(State(member));
                    if member as usize == state {
                        break;
                    }
                }
                result.first.push(result.members.len() as u32);
            } else if let Some(parent) = frames.last() {
                let parent = parent.state as usize;
                label[parent] = label[parent].min(low);
            }
        }
    }
    for l in &mut label {
        if *l != UNSEEN {
            *l &= !DONE;
        }
    }
    result.of_state = label;
    result
}

struct Frame {
    state: u32,
    index: u32,
    next: u32,
    end: u32,
}

impl Frame {
    fn open(
        state: u32,
        automaton: &Automaton,
        index: &mut u32,
        label: &mut [u32],
        open: &mut Vec<u32>,
    ) -> Frame {
        let range = automaton.edge_range(State(state));
        let frame = Frame {
            state,
            index: *index,
            next: range.start as u32,
            end: range.end as u32,
        };
        label[state as usize] = *index;
        *index += 1;
        open.push(state);
        frame
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Random, random_automaton};

    /// Two states share a component iff each reaches the other, by plain reachability.
    #[test]
    fn agrees_with_mutual_reachability() {
        let mut random = Random::new(3);
        for _ in 0..500 {
            let a = random_automaton(&mut random, 1..=8, 1..=16, 1, crate::Acceptance::all());
            let n = a.state_count();
            let mut reach = vec![vec![false; n]; n];
            for (s, row) in reach.iter_mut().enumerate() {
                let mut todo = vec![s];
                row[s] = true;
                while let Some(x) = todo.pop() {
                    for e in a.edges_from(State::new(x)) {
                        if !std::mem::replace(&mut row[e.target.index()], true) {
                            todo.push(e.target.index());
                        }
                    }
                }
            }
            let reachable = |s: usize| a.initial().iter().any(|i| reach[i.index()][s]);
            let c = components(&a);
            for (s, row) in reach.iter().enumerate() {
                assert_eq!(c.of(State::new(s)).is_some(), reachable(s));
                for (t, back) in reach.iter().enumerate() {
                    let together = reachable(s) && row[t] && back[s];
                    assert_eq!(c.same(State::new(s), State::new(t)), together);
                }
            }
            for e in a.edges() {
                if let (Some(from), Some(to)) = (c.of(e.source), c.of(e.target)) {
                    assert!(to <= from);
                }
            }
            let total: usize = (0..c.count()).map(|i| c.members(i).len()).sum();
            assert_eq!(total, (0..n).filter(|&s| reachable(s)).count());
        }
    }
}
