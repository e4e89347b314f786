//! What every run can always still reach: `A G E F p` at the beginning, where no fairness is assumed.
//!
//! A run that is as unhelpful as can be ends up in a strongly connected component that no edge leaves. So `A G E F p`
//! holds in the initial state iff each of these has a state with `p`. They are found once (Tarjan 1972), however many
//! such formulas are asked, where labelling would go backwards from `p` through everything each time: whether a net is live
//! asks it of every transition.

use evenhand_logic::{FormulaId, Node, Quantifier, Unary};

use super::{Asked, Branching};
use crate::search::Stop;
use crate::state_set::StateSet;
use crate::store::{StateId, Store};

/// No component, or no number yet.
const NONE: u32 = u32::MAX;

/// The components that no edge leaves: for each state the number of its own, if it is in one.
pub(super) struct Bottoms {
    of: Vec<u32>,
    count: usize,
}

/// The `p` of a formula `A G E F p` that has no further quantifier.
pub(super) fn recurrent(asked: Asked<'_>, part: FormulaId) -> Option<FormulaId> {
    let store = asked.store;
    let Node::Path(Quantifier::All, always) = *store.node(part) else {
        return None;
    };
    let Node::Unary(Unary::Globally, inner) = *store.node(always) else {
        return None;
    };
    let Node::Path(Quantifier::Exists, some) = *store.node(inner) else {
        return None;
    };
    match *store.node(some) {
        Node::Unary(Unary::Finally, p) if store.properties(p).is_boolean() => Some(p),
        _ => None,
    }
}

impl<S: Store> Branching<'_, '_, S> {
    /// Whether `A G E F p` can be decided this way: all states have a run, all runs are fair, and there is one
    /// beginning.
    pub(super) fn has_bottoms(&self) -> bool {
        let all_fair = self.fair.complement().is_empty();
        self.is_unfair() && all_fair && self.initial.len() == 1 && self.classes.is_none()
    }

    /// Whether each component that no edge leaves has a state of a set.
    pub(super) fn is_recurrent(&mut self, set: &StateSet) -> Result<bool, Stop> {
        let bottoms = match self.bottoms.take() {
            Some(known) => known,
            None => self.find_bottoms()?,
        };
        let mut met = vec![false; bottoms.count];
        let mut missing = bottoms.count;
        for state in set.iter() {
            let own = bottoms.of[state];
            if own != NONE && !std::mem::replace(&mut met[own as usize], true) {
                missing -= 1;
                if missing == 0 {
                    break;
                }
            }
        }
        self.bottoms = Some(bottoms);
        Ok(missing == 0)
    }

    fn find_bottoms(&mut self) -> Result<Bottoms, Stop> {
        let count = self.space.len();
        // The order of visits; a state that is done has no place on the stack.
        let (mut number, mut low) = (vec![NONE; count], vec![NONE; count]);
        let mut is_done = vec![false; count];
        // Whether an edge leaves the component that is being collected above a state.
        let mut leaves = vec![false; count];
        let mut bottoms = Bottoms {
            of: vec![NONE; count],
            count: 0,
        };
        let (mut visits, mut stack) = (0, Vec::new());
        let mut frames: Vec<(u32, u32)> = Vec::new();
        for root in 0..count {
            if number[root] != NONE {
                continue;
            }
            frames.push((root as u32, 0));
            while let Some(&(state, next)) = frames.last() {
                let at = state as usize;
                if next == 0 {
                    (number[at], low[at]) = (visits, visits);
                    visits += 1;
                    stack.push(state);
                }
                let outgoing = self.space.outgoing(StateId::new(state))?;
                let edge = outgoing.edges().nth(next as usize);
                if let Some((to, _)) = edge {
                    let to = to.index();
                    if let Some(frame) = frames.last_mut() {
                        frame.1 += 1;
                    }
                    if number[to] == NONE {
                        frames.push((to as u32, 0));
                    } else if is_done[to] {
                        leaves[at] = true;
                    } else {
                        low[at] = low[at].min(number[to]);
                    }
                    continue;
                }
                frames.pop();
                if low[at] == number[at] {
                    // Its own component is complete: everything above it on the stack.
                    let is_bottom = !leaves[at];
                    while let Some(member) = stack.pop() {
                        is_done[member as usize] = true;
                        if is_bottom {
                            bottoms.of[member as usize] = bottoms.count as u32;
                        }
                        if member == state {
                            break;
                        }
                    }
                    bottoms.count += usize::from(is_bottom);
                    leaves[at] = true;
                }
                if let Some(&(below, _)) = frames.last() {
                    let below = below as usize;
                    low[below] = low[below].min(low[at]);
                    leaves[below] |= leaves[at];
                }
            }
        }
        Ok(bottoms)
    }
}
