//! Against all reachable markings of random nets.

use std::collections::{HashSet, VecDeque};

use evenhand_source::{Span, SplitMix64};

use super::weights::Weights;
use super::*;
use crate::flat::transition;
use crate::net::{Arcs, Place};

/// A small net; with some arcs that inhibit, test or reset.
fn random(dice: &mut SplitMix64) -> Net {
    let count = 2 + dice.below(5);
    let mut net = Net::default();
    for place in 0..count {
        net.places.push(Place {
            id: format!("p{place}"),
            initial: dice.below(4) as u32 / 2,
        });
    }
    for _ in 0..1 + dice.below(6) {
        let mut arcs = vec![Arcs::default(); count];
        for _ in 0..1 + dice.below(2) {
            arcs[dice.below(count)].takes += 1 + dice.below(4) as u64 / 3;
        }
        for _ in 0..1 + dice.below(2) {
            arcs[dice.below(count)].gives += 1 + dice.below(4) as u64 / 3;
        }
        match dice.below(10) {
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

fn condition(dice: &mut SplitMix64, net: &Net, depth: usize) -> Condition {
    let some = |dice: &mut SplitMix64| {
        let count = 1 + dice.below(3);
        (0..count)
            .map(|_| condition(dice, net, depth - 1))
            .collect()
    };
    match dice.below(if depth == 0 { 5 } else { 9 }) {
        0 => {
            let all = 0..net.transitions.len() as u32;
            Condition::Fireable(all.filter(|_| dice.below(3) == 0).collect())
        }
        1..5 => {
            let sum = (0..1 + dice.below(3))
                .map(|_| {
                    (
                        dice.below(net.places.len()) as u32,
                        dice.below(4) as i64 - 1,
                    )
                })
                .collect();
            let signs = [
                Sign::Less,
                Sign::AtMost,
                Sign::Equal,
                Sign::Different,
                Sign::AtLeast,
                Sign::More,
            ];
            let sign = signs[dice.below(signs.len())];
            crate::atom::compare(sum, sign, dice.below(6) as i64 - 1)
        }
        5 | 6 => Condition::All(some(dice)),
        7 => Condition::Any(some(dice)),
        _ => Condition::Not(Box::new(condition(dice, net, depth - 1))),
    }
}

/// Whether a condition holds in a marking of numbers.
fn holds(net: &Net, condition: &Condition, marking: &[u32]) -> bool {
    let fires = |t: u32| net.is_enabled(t as usize, marking);
    match condition {
        Condition::Constant(value) => *value,
        Condition::Fireable(list) => list.iter().any(|&t| fires(t)),
        Condition::Dead => !(0..net.transitions.len() as u32).any(fires),
        Condition::Compare { sum, sign, number } => {
            let tokens = |place: u32| i128::from(marking[place as usize]);
            let sum = sum.iter().map(|&(p, f)| i128::from(f) * tokens(p)).sum();
            sign.holds(sum, i128::from(*number))
        }
        Condition::Not(inner) => !holds(net, inner, marking),
        Condition::All(list) => list.iter().all(|part| holds(net, part, marking)),
        Condition::Any(list) => list.iter().any(|part| holds(net, part, marking)),
    }
}

/// Reachable markings, nearest first; perhaps not all, and whether these are all.
fn reachable(net: &Net) -> (Vec<Vec<u32>>, bool) {
    let mut seen: HashSet<Vec<u32>> = [net.initial()].into();
    let mut all = Vec::new();
    let mut open: VecDeque<Vec<u32>> = [net.initial()].into();
    while let Some(marking) = open.pop_front() {
        for t in 0..net.transitions.len() {
            let mut behind = marking.clone();
            if net.is_enabled(t, &marking)
                && net.fire(t, &mut behind)
                && seen.insert(behind.clone())
            {
                open.push_back(behind);
            }
        }
        all.push(marking);
        if all.len() == 600 {
            return (all, false);
        }
    }
    (all, true)
}

#[test]
fn what_is_constant_is_so_in_every_marking() {
    let cases = std::env::var("EVENHAND_CASES")
        .ok()
        .and_then(|text| text.parse().ok());
    let mut dice = SplitMix64::new(0x57a7e);
    let (mut found, mut truly, mut with_resets) = (0, 0, 0);
    for _ in 0..cases.unwrap_or(1500) {
        let net = random(&mut dice);
        let (markings, is_all) = reachable(&net);
        let has_reset = net
            .transitions
            .iter()
            .flat_map(|t| &t.changes)
            .any(|c| c.reset);
        for _ in 0..4 {
            let condition = condition(&mut dice, &net, 2);
            let mut values: Vec<bool> = markings
                .iter()
                .map(|m| holds(&net, &condition, m))
                .collect();
            values.dedup();
            let known = StateEquation::new(&net).constant(&condition);
            if let Some(value) = known {
                assert_eq!(values, [value], "{net:?}\n{condition:?}");
                found += 1;
                with_resets += usize::from(has_reset);
            }
            truly += usize::from(is_all && values.len() == 1);
        }
    }
    println!("{found} of {truly} are told, {with_resets} of nets with resets");
    assert!(
        found * 10 > truly * 7 && with_resets * 30 > found,
        "{found} of {truly}, {with_resets}"
    );
}

/// Two processes that share a key: the state equation alone sees that they exclude each other.
#[test]
fn a_key_excludes() {
    let mut net = Net::default();
    for initial in [1, 0, 1, 0, 1] {
        let id = String::new();
        net.places.push(Place { id, initial });
    }
    for (from, to, takes) in [(0, 1, true), (1, 0, false), (2, 3, true), (3, 2, false)] {
        let one = |takes: u64, gives: u64| Arcs {
            takes,
            gives,
            ..Arcs::default()
        };
        let key = if takes { one(1, 0) } else { one(0, 1) };
        let arcs = [(from, one(1, 0)), (to, one(0, 1)), (4, key)].into();
        let made = transition("", Span::default(), &arcs);
        net.transitions.push(made.expect("small weights"));
    }
    let inside = |number| crate::atom::compare(vec![(1, 1), (3, 1)], Sign::AtLeast, number);
    let mut equation = StateEquation::new(&net);
    assert_eq!(equation.constant(&inside(2)), Some(false));
    assert_eq!(equation.constant(&inside(1)), None);
    let both = Condition::All(vec![
        Condition::Fireable(vec![1]),
        Condition::Fireable(vec![3]),
    ]);
    assert_eq!(equation.constant(&both), Some(false));
}

/// Weights that show nothing are not believed.
#[test]
fn wrong_weights_are_no_proof() {
    let mut net = Net::default();
    for initial in [1, 0] {
        let id = String::new();
        net.places.push(Place { id, initial });
    }
    let one = |takes: u64, gives: u64| Arcs {
        takes,
        gives,
        ..Arcs::default()
    };
    let arcs = [(0, one(1, 0)), (1, one(0, 1))].into();
    let made = transition("", Span::default(), &arcs);
    net.transitions.push(made.expect("small weights"));
    let asks = |sum: &[(u32, i64)], least| Constraint {
        sum: sum.to_vec(),
        least,
    };
    let proves = |constraint: Constraint, places: [i64; 2], factor: i64| {
        let weights = Weights {
            places: places.into(),
            constraints: vec![factor],
        };
        is_proof(&net, &[constraint], &weights)
    };
    assert!(proves(asks(&[(1, 1)], 2), [1, 1], 1));
    // It can be met.
    assert!(!proves(asks(&[(1, 1)], 1), [1, 1], 1));
    // The sum grows.
    assert!(!proves(asks(&[(1, 1)], 2), [0, 1], 1));
    // A place weighs less than what is asked of it.
    assert!(!proves(asks(&[(0, 1), (1, 1)], 2), [0, 0], 1));
    // A factor is negative.
    assert!(!proves(asks(&[(1, -1)], 0), [0, 0], -1));
    let change = &mut net.transitions[0].changes[0];
    (change.reset, change.difference) = (true, 0);
    assert!(!proves_reset(&net));
}

/// A negative weight of a place whose tokens are thrown away.
fn proves_reset(net: &Net) -> bool {
    let constraint = Constraint {
        sum: vec![(0, -1)],
        least: 0,
    };
    let weights = Weights {
        places: vec![-1, 0],
        constraints: vec![1],
    };
    is_proof(net, &[constraint], &weights)
}
