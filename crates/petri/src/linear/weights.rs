//! Weights of places that show constraints on tokens to be impossible.
//!
//! Give each constraint a factor that is not negative, and each place a weight that is at least what the constraints
//! with their factors ask of it. Tokens are not negative, so the weighted sum of tokens is at least what the
//! constraints ask for together. If no transition makes that sum larger, it is at most what it is at the beginning. If that
//! is too little, there is no marking that meets them all (Farkas).
//!
//! Everything here is exact: whoever found the weights need not be believed.

use crate::net::Net;

/// A sum of tokens, each place once with a factor, that is to be at least a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Constraint {
    pub sum: Vec<(u32, i64)>,
    pub least: i64,
}

/// Weights of all places and factors of all constraints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Weights {
    pub places: Vec<i64>,
    pub constraints: Vec<i64>,
}

/// Whether weights show that no reachable marking meets the constraints.
pub(super) fn is_proof(net: &Net, constraints: &[Constraint], weights: &Weights) -> bool {
    let Weights {
        places,
        constraints: factors,
    } = weights;
    if places.len() != net.places.len() || factors.len() != constraints.len() {
        return false;
    }
    // What is asked for together, of each place and in sum.
    let mut asked = vec![0i128; places.len()];
    let mut least = 0i128;
    for (constraint, &factor) in constraints.iter().zip(factors) {
        if factor < 0 {
            return false;
        }
        least += i128::from(factor) * i128::from(constraint.least);
        for &(place, by) in &constraint.sum {
            asked[place as usize] += i128::from(factor) * i128::from(by);
        }
    }
    let weight = |place: u32| i128::from(places[place as usize]);
    let is_enough = places
        .iter()
        .zip(&asked)
        .all(|(&own, &asked)| i128::from(own) >= asked);
    let never_grows = net.transitions.iter().all(|transition| {
        let changes = transition.changes.iter();
        // What is thrown away makes the sum no larger if its weight is not negative.
        let mut resets = changes.clone().filter(|change| change.reset);
        let effect: i128 = changes
            .map(|change| weight(change.place) * i128::from(change.difference))
            .sum();
        effect <= 0 && resets.all(|change| weight(change.place) >= 0)
    });
    let tokens = net.places.iter().zip(places);
    let first: i128 = tokens
        .map(|(place, &weight)| i128::from(place.initial) * i128::from(weight))
        .sum();
    is_enough && never_grows && first < least
}
