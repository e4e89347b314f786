//! Transitions such that every cycle of markings fires one of them.
//!
//! **Problem.** Where steps are left out ([`crate::stubborn`]), none may be put off for ever. That is so if every
//! cycle has a marking with all its steps: some transitions are *sticky*, are never among those that stand for all,
//! and every cycle fires one.
//!
//! **Idea.** What fires along a cycle of markings changes nothing together: it is a T-semiflow. So the others must have
//! none among them, and by Farkas' lemma that is so iff there are weights of places, of any sign, by which each of them
//! makes the weighted sum of tokens smaller. Weights are looked for as a perceptron learns, beginning with
//! how far places are from marked ones, and what resists is made sticky. Whatever the weights are, the answer is right:
//! who does not make the sum smaller, in exact numbers, is sticky.
//!
//! What resets a place has no fixed effect, and is sticky too.

use evenhand_source::budget::spend_many;

use crate::net::{Net, Transition};

/// How much work the search for weights may be, in arcs that are looked at.
const EFFORT: usize = 20_000_000;
/// How often weights are corrected before what resists most is given up.
const EPOCHS: usize = 20;
/// By how much a weight is changed at most at a time.
const LARGEST: i64 = 16;

/// For each transition whether it is sticky; those that are given are not needed for anything else.
pub(crate) fn sticky(net: &Net, given: &[bool]) -> Vec<bool> {
    let has_effect = |t: &Transition| !t.changes.is_empty() && t.changes.iter().all(|c| !c.reset);
    let mut others: Vec<usize> = (0..net.transitions.len())
        .filter(|&t| !given[t] && has_effect(&net.transitions[t]))
        .collect();
    let mut weights: Vec<i64> = distances(net).into_iter().map(|far| -far).collect();
    let arcs: usize = net.transitions.iter().map(|t| t.changes.len() + 1).sum();
    let mut left = EFFORT / (EPOCHS * arcs.max(1)) + 1;
    loop {
        let mut wrong = vec![0usize; net.transitions.len()];
        let mut is_done = false;
        for _ in 0..EPOCHS {
            spend_many(arcs);
            is_done = true;
            for &t in &others {
                let transition = &net.transitions[t];
                if effect(transition, &weights) < 0 {
                    continue;
                }
                (is_done, wrong[t]) = (false, wrong[t] + 1);
                for change in &transition.changes {
                    let by = change.difference.clamp(-LARGEST, LARGEST);
                    weights[change.place as usize] -= by;
                }
            }
            if is_done {
                break;
            }
        }
        left -= 1;
        if is_done || left == 0 || others.is_empty() {
            break;
        }
        // A tenth of them are given up, those that resisted most.
        others.sort_by_key(|&t| wrong[t]);
        let kept = others.len() - (others.len() / 10).max(1);
        others.truncate(kept);
        others.sort_unstable();
    }
    let is_sticky = |t: &Transition| !has_effect(t) || effect(t, &weights) >= 0;
    let transitions = net.transitions.iter().zip(given);
    transitions
        .map(|(t, &given)| given || is_sticky(t))
        .collect()
}

/// By how much a transition changes the weighted sum.
fn effect(transition: &Transition, weights: &[i64]) -> i128 {
    let changes = transition.changes.iter();
    let parts = changes.map(|c| i128::from(c.difference) * i128::from(weights[c.place as usize]));
    parts.sum()
}

/// How many transitions lead from a place that is marked at the beginning to each place, at least.
fn distances(net: &Net) -> Vec<i64> {
    let far = net.places.len() as i64 + 1;
    let start = |initial: u32| if initial > 0 { 0 } else { far };
    let mut distances: Vec<i64> = net.places.iter().map(|p| start(p.initial)).collect();
    // A few rounds are enough for a beginning.
    for _ in 0..64 {
        let mut changed = false;
        spend_many(net.transitions.len());
        for transition in &net.transitions {
            let taken = transition.needs.iter().filter(|need| need.least > 0);
            let from = taken.map(|need| distances[need.place as usize]);
            let behind = from.max().unwrap_or(0) + 1;
            for change in transition.changes.iter().filter(|c| c.difference > 0) {
                let known = &mut distances[change.place as usize];
                if behind < *known {
                    (*known, changed) = (behind, true);
                }
            }
        }
        if !changed {
            break;
        }
    }
    distances
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{Change, Need, Place};

    /// Transitions that move a token from one place to another, a token in the first place.
    fn moves(places: usize, list: &[(u32, u32)]) -> Net {
        let place = |number| Place {
            id: String::new(),
            initial: u32::from(number == 0),
        };
        let change = |place, difference| Change {
            place,
            reset: false,
            difference,
        };
        let transition = |&(from, to): &(u32, u32)| Transition {
            needs: vec![Need {
                place: from,
                least: 1,
                most: u32::MAX,
            }],
            changes: match from == to {
                true => Vec::new(),
                false => vec![change(from, -1), change(to, 1)],
            },
            ..Transition::default()
        };
        Net {
            places: (0..places).map(place).collect(),
            transitions: list.iter().map(transition).collect(),
            ..Net::default()
        }
    }

    #[test]
    fn one_step_of_a_circle_is_enough() {
        let net = moves(4, &[(0, 1), (1, 2), (2, 3), (3, 0)]);
        assert_eq!(sticky(&net, &[false; 4]), [false, false, false, true]);
        let given = [false, true, false, false];
        assert_eq!(sticky(&net, &given), [false, true, false, false]);
        let stays = moves(2, &[(0, 0), (0, 1)]);
        assert_eq!(sticky(&stays, &[false; 2]), [true, false]);
    }

    #[test]
    fn every_cycle_has_one() {
        let mut dice = evenhand_source::SplitMix64::new(5);
        let mut free = 0;
        for _ in 0..2000 {
            let places = 2 + dice.below(5);
            let mut draw = || (dice.below(places) as u32, dice.below(places) as u32);
            let list: Vec<(u32, u32)> = (0..8).map(|_| draw()).collect();
            let sticky = sticky(&moves(places, &list), &[false; 8]);
            // Without them there is an order of places.
            let kept = list.iter().zip(&sticky).filter(|(_, sticky)| !**sticky);
            let kept: Vec<(u32, u32)> = kept.map(|(edge, _)| *edge).collect();
            free += kept.len();
            let mut reach = vec![vec![false; places]; places];
            kept.iter()
                .for_each(|&(a, b)| reach[a as usize][b as usize] = true);
            for middle in 0..places {
                for a in 0..places {
                    for b in 0..places {
                        reach[a][b] |= reach[a][middle] && reach[middle][b];
                    }
                }
            }
            assert!(
                (0..places).all(|place| !reach[place][place]),
                "{list:?} {sticky:?}"
            );
        }
        assert!(free > 6000, "{free} of 16000 are free");
    }
}
