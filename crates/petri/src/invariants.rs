//! P-invariants: weights of places by which no transition changes the weighted sum of tokens.
//!
//! **Problem.** How many tokens a place can hold, and which places exclude each other, without exploring.
//!
//! **Idea** (Farkas). Begin with one row for each place: its column of the incidence matrix and a weight of 1. Take the
//! transitions one after the other; rows in which it has an effect are combined in pairs of opposite signs, so that the effect is
//! gone, and then dropped. What is left at the end has no effect anywhere: its weights are an invariant, and none is
//! negative. A place is then bounded by the sum at the beginning by its weight.
//!
//! **Limits.** There may be exponentially many. Rows that become too many or too large are dropped, and the search
//! ends after some effort: fewer invariants are found, none is wrong. Each is tested against all transitions before
//! it is handed out. Places that are reset are in none.

use evenhand_source::budget::spend_many;

use crate::net::Net;

/// Weights of places, each at least 1, and the sum of tokens that never changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Invariant {
    pub weights: Vec<(u32, i64)>,
    pub sum: i64,
}

/// Larger nets are not looked at.
const MOST_PLACES: usize = 20_000;
/// More rows than this, or twice as many as places, are not kept at a time.
const MOST_ROWS: usize = 4_000;
/// How much work the search may be, in numbers that are looked at.
const EFFORT: usize = 30_000_000;
/// Rows with larger numbers are dropped.
const LARGEST: i64 = 1 << 20;

/// A row: the effects of transitions that are left, by number, and the weights, by place.
#[derive(Clone, Debug)]
struct Row {
    effects: Vec<(u32, i64)>,
    weights: Vec<(u32, i64)>,
}

/// Some invariants of a net.
pub(crate) fn invariants(net: &Net) -> Vec<Invariant> {
    if net.places.len() > MOST_PLACES {
        return Vec::new();
    }
    let mut rows = rows(net);
    let most = MOST_ROWS.max(2 * rows.len());
    let mut left = EFFORT;
    loop {
        // The transition that makes the fewest rows.
        let mut signs = vec![(0u32, 0u32); net.transitions.len()];
        let mut size = 0;
        for (transition, effect) in rows.iter().flat_map(|row| &row.effects) {
            let (plus, minus) = &mut signs[*transition as usize];
            *(if *effect > 0 { plus } else { minus }) += 1;
            size += 1;
        }
        let used = signs.iter().enumerate().filter(|(_, s)| **s != (0, 0));
        let cost = |(plus, minus): (u32, u32)| {
            let (plus, minus) = (i64::from(plus), i64::from(minus));
            plus * minus - plus - minus
        };
        let next = used.min_by_key(|(_, signs)| cost(**signs));
        let Some((transition, _)) = next else {
            break;
        };
        let work = size + net.transitions.len();
        spend_many(work);
        left = match left.checked_sub(work) {
            Some(left) => left,
            None => break,
        };
        eliminate(&mut rows, transition as u32, most, &mut left);
    }
    let done = rows.into_iter().filter(|row| row.effects.is_empty());
    let found = done.filter_map(|row| proved(net, row.weights));
    found.collect()
}

/// A row for each place that could be in an invariant.
fn rows(net: &Net) -> Vec<Row> {
    let mut effects = vec![Vec::new(); net.places.len()];
    let mut is_reset = vec![false; net.places.len()];
    for (number, transition) in net.transitions.iter().enumerate() {
        for change in &transition.changes {
            is_reset[change.place as usize] |= change.reset;
            effects[change.place as usize].push((number as u32, change.difference));
        }
    }
    let places = effects.into_iter().zip(is_reset).enumerate();
    // One that never changes is an invariant that says nothing.
    let meant = places.filter(|(_, (effects, is_reset))| !effects.is_empty() && !is_reset);
    let row = |(place, (effects, _)): (usize, (Vec<(u32, i64)>, bool))| Row {
        effects,
        weights: vec![(place as u32, 1)],
    };
    meant.map(row).collect()
}

/// Combines rows such that a transition has no effect in any.
fn eliminate(rows: &mut Vec<Row>, transition: u32, most: usize, left: &mut usize) {
    let effect = |row: &Row| {
        let place = row.effects.binary_search_by_key(&transition, |(t, _)| *t);
        place.map_or(0, |at| row.effects[at].1)
    };
    let (touched, mut kept): (Vec<Row>, Vec<Row>) = std::mem::take(rows)
        .into_iter()
        .partition(|row| effect(row) != 0);
    let (plus, minus): (Vec<Row>, Vec<Row>) = touched.into_iter().partition(|row| effect(row) > 0);
    for one in &plus {
        for other in &minus {
            let work = one.effects.len() + other.effects.len() + one.weights.len();
            *left = left.saturating_sub(work);
            spend_many(work);
            if *left == 0 || kept.len() >= most {
                break;
            }
            let (a, b) = (effect(one), -effect(other));
            let (by_one, by_other) = (b / gcd(a, b), a / gcd(a, b));
            let effects = sum(&one.effects, by_one, &other.effects, by_other);
            let weights = sum(&one.weights, by_one, &other.weights, by_other);
            if let (Some(effects), Some(weights)) = (effects, weights) {
                let mut row = Row { effects, weights };
                row.shorten();
                kept.push(row);
            }
        }
    }
    *rows = kept;
}

impl Row {
    /// Divides by what all numbers have in common.
    fn shorten(&mut self) {
        let all = self.effects.iter().chain(&self.weights);
        let common = all.fold(0, |common, (_, number)| gcd(common, *number));
        if common > 1 {
            let all = self.effects.iter_mut().chain(&mut self.weights);
            all.for_each(|(_, number)| *number /= common);
        }
    }
}

/// The sum of two lists with factors, without zeros; none if numbers become too large.
fn sum(a: &[(u32, i64)], by_a: i64, b: &[(u32, i64)], by_b: i64) -> Option<Vec<(u32, i64)>> {
    let mut all = Vec::with_capacity(a.len() + b.len());
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    loop {
        let (key, number) = match (a.peek(), b.peek()) {
            (None, None) => return Some(all),
            (Some(&&(x, m)), other) if other.is_none_or(|&&(y, _)| x < y) => {
                a.next();
                (x, m.checked_mul(by_a)?)
            }
            (other, Some(&&(y, n))) if other.is_none_or(|&&(x, _)| y < x) => {
                b.next();
                (y, n.checked_mul(by_b)?)
            }
            (Some(&&(x, m)), Some(&&(_, n))) => {
                a.next();
                b.next();
                let (m, n) = (m.checked_mul(by_a)?, n.checked_mul(by_b)?);
                (x, m.checked_add(n)?)
            }
            _ => return None,
        };
        if number.abs() > LARGEST {
            return None;
        }
        if number != 0 {
            all.push((key, number));
        }
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// An invariant, tested against all transitions.
fn proved(net: &Net, weights: Vec<(u32, i64)>) -> Option<Invariant> {
    let weight = |place: u32| {
        let known = weights.binary_search_by_key(&place, |(p, _)| *p);
        known.map_or(0, |at| i128::from(weights[at].1))
    };
    let holds = net.transitions.iter().all(|transition| {
        let changes = transition.changes.iter();
        let effect: i128 = changes
            .clone()
            .map(|c| weight(c.place) * i128::from(c.difference))
            .sum();
        let mut resets = changes.filter(|c| c.reset);
        effect == 0 && !resets.any(|c| weight(c.place) != 0)
    });
    let is_positive = weights.iter().all(|(_, weight)| *weight > 0);
    let tokens = |place: u32| i128::from(net.places[place as usize].initial);
    let sum: i128 = weights
        .iter()
        .map(|&(p, w)| i128::from(w) * tokens(p))
        .sum();
    let sum = i64::try_from(sum).ok()?;
    (holds && is_positive).then_some(Invariant { weights, sum })
}

/// The most tokens of each place that invariants allow.
pub(crate) fn bounds(net: &Net, all: &[Invariant]) -> Vec<Option<u64>> {
    let mut bounds = vec![None; net.places.len()];
    for invariant in all {
        for &(place, weight) in &invariant.weights {
            let bound = &mut bounds[place as usize];
            let own = (invariant.sum / weight) as u64;
            *bound = Some(bound.map_or(own, |known: u64| known.min(own)));
        }
    }
    bounds
}

/// Lists of places of which at most one has a token, and one alone; no place is in two. Some lists may be known
/// already.
pub(crate) fn exclusive(net: &Net, all: &[Invariant], known: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let is_one = |invariant: &&Invariant| {
        let first = invariant.weights.first().map_or(0, |(_, weight)| *weight);
        let alike = invariant.weights.iter().all(|(_, weight)| *weight == first);
        alike && invariant.sum == first
    };
    let places =
        |invariant: &Invariant| invariant.weights.iter().map(|(place, _)| *place).collect();
    let mut candidates: Vec<Vec<u32>> = all.iter().filter(is_one).map(places).collect();
    candidates.extend_from_slice(known);
    // The largest save most; the first among equals, whatever the order they were found in.
    candidates.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    let mut is_taken = vec![false; net.places.len()];
    let mut lists = Vec::new();
    for mut places in candidates {
        // A part of a list is one, too.
        places.retain(|&place| !is_taken[place as usize]);
        if places.len() >= 3 {
            places.iter().for_each(|&p| is_taken[p as usize] = true);
            lists.push(places);
        }
    }
    lists
}

#[cfg(test)]
mod tests {
    use evenhand_source::{Span, SplitMix64};

    use super::*;
    use crate::flat::transition;
    use crate::net::{Arcs, Place};

    fn random(dice: &mut SplitMix64) -> Net {
        let count = 2 + dice.below(5);
        let mut net = Net::default();
        for place in 0..count {
            net.places.push(Place {
                id: format!("p{place}"),
                initial: dice.below(3) as u32 / (1 + dice.below(2)) as u32,
            });
        }
        for _ in 0..1 + dice.below(5) {
            let mut arcs = vec![Arcs::default(); count];
            for _ in 0..1 + dice.below(2) {
                arcs[dice.below(count)].takes += 1 + dice.below(4) as u64 / 3;
            }
            for _ in 0..1 + dice.below(2) {
                arcs[dice.below(count)].gives += 1 + dice.below(4) as u64 / 3;
            }
            match dice.below(12) {
                0 => arcs[dice.below(count)].resets = true,
                1 => arcs[dice.below(count)].inhibits = Some(1),
                2 => arcs[dice.below(count)].tests = 1,
                _ => {}
            }
            let arcs = arcs.into_iter().enumerate().collect();
            let made = transition("", Span::default(), &arcs);
            net.transitions.push(made.expect("small weights"));
        }
        net
    }

    #[test]
    fn sums_never_change_and_bounds_are_kept() {
        let mut dice = SplitMix64::new(0x1f);
        let (mut found, mut groups) = (0, 0);
        for _ in 0..5000 {
            let net = random(&mut dice);
            let all = invariants(&net);
            let (bounds, lists) = (bounds(&net, &all), exclusive(&net, &all, &[]));
            found += all.len();
            groups += lists.len();
            let mut marking = net.initial();
            for _ in 0..40 {
                for invariant in &all {
                    let parts = invariant.weights.iter();
                    let sum: i64 = parts
                        .map(|&(p, w)| w * i64::from(marking[p as usize]))
                        .sum();
                    assert_eq!(sum, invariant.sum, "{net:?}");
                }
                for (bound, &tokens) in bounds.iter().zip(&marking) {
                    assert!(bound.is_none_or(|bound| u64::from(tokens) <= bound));
                }
                for list in &lists {
                    let tokens: u32 = list.iter().map(|&p| marking[p as usize]).sum();
                    assert!(tokens <= 1, "{net:?} {list:?}");
                }
                let all = 0..net.transitions.len();
                let enabled: Vec<usize> = all.filter(|&t| net.is_enabled(t, &marking)).collect();
                let Some(&next) = enabled.get(dice.below(enabled.len().max(1))) else {
                    break;
                };
                if !net.fire(next, &mut marking) {
                    break;
                }
            }
        }
        assert!(
            found > 1000 && groups > 20,
            "{found} invariants, {groups} lists"
        );
    }

    #[test]
    fn a_circle_is_an_invariant() {
        let arcs = |takes: u64, gives: u64| Arcs {
            takes,
            gives,
            ..Arcs::default()
        };
        let mut net = Net::default();
        for place in 0..3 {
            let initial = u32::from(place == 0);
            let id = String::new();
            net.places.push(Place { id, initial });
            let arcs = [(place, arcs(1, 0)), ((place + 1) % 3, arcs(0, 1))].into();
            let made = transition("", Span::default(), &arcs);
            net.transitions.push(made.expect("small weights"));
        }
        let all = invariants(&net);
        let weights = vec![(0, 1), (1, 1), (2, 1)];
        assert_eq!(all, [Invariant { weights, sum: 1 }]);
        assert_eq!(bounds(&net, &all), [Some(1); 3]);
        assert_eq!(exclusive(&net, &all, &[]), [vec![0, 1, 2]]);
    }
}
