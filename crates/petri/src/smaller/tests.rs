//! Each rule by itself against all markings of random nets: what is seen in some marking, what is seen where runs end, and
//! whether there is a run without end that nobody sees. Whole formulas and runs are asked in `tests/all/campaign.rs`.

use std::collections::{BTreeSet, HashMap};

use evenhand_source::{Span, SplitMix64};

use super::*;
use crate::flat::transition;
use crate::invariants::invariants;
use crate::net::Arcs;

fn random(dice: &mut SplitMix64) -> Net {
    let count = 3 + dice.below(5);
    let mut net = Net::default();
    for place in 0..count {
        net.places.push(Place {
            id: format!("p{place}"),
            initial: u32::from(dice.below(3) == 0) * (1 + dice.below(4) as u32 / 3),
        });
    }
    for _ in 0..2 + dice.below(6) {
        let mut arcs = vec![Arcs::default(); count];
        arcs[dice.below(count)].takes += 1 + dice.below(10) as u64 / 9;
        if dice.below(3) == 0 {
            arcs[dice.below(count)].takes += 1;
        }
        for _ in 0..1 + dice.below(3) / 2 {
            arcs[dice.below(count)].gives += 1;
        }
        match dice.below(20) {
            0 => arcs[dice.below(count)].resets = true,
            1 => arcs[dice.below(count)].inhibits = Some(1 + dice.below(2) as u64),
            2 => arcs[dice.below(count)].tests = 1,
            _ => {}
        }
        let arcs = arcs.into_iter().enumerate().collect();
        let made = transition("", Span::default(), &arcs);
        net.transitions.push(made.expect("small weights"));
    }
    // Some with a place beside another one, or one that has what another one lacks.
    for _ in 0..dice.below(3) {
        let (of, place) = (dice.below(count) as u32, net.places.len() as u32);
        let sign = if dice.below(2) == 0 { 1 } else { -1 };
        let initial = (2 + i64::from(net.places[of as usize].initial) * sign) as u32;
        let id = format!("p{place}");
        net.places.push(Place { id, initial });
        for transition in &mut net.transitions {
            let change = transition.changes.iter().find(|c| c.place == of).copied();
            if let Some(change) = change {
                let difference = sign * change.difference;
                if difference < 0 {
                    transition.needs.push(crate::net::Need {
                        place,
                        least: -difference as u32,
                        most: MOST_TOKENS,
                    });
                }
                transition.changes.push(crate::net::Change {
                    place,
                    reset: change.reset,
                    difference,
                });
            }
        }
    }
    net
}

/// What the question sees of all markings, of those where runs end, and of those from which a run may go on for ever
/// unseen; none if there are too many.
type Sights = [BTreeSet<Vec<u32>>; 3];

fn sights(net: &Net, seen: &[u32], visible: &[bool]) -> Option<Sights> {
    let mut numbers: HashMap<Vec<u32>, usize> = [(net.initial(), 0)].into();
    let mut all = vec![net.initial()];
    let mut unseen: Vec<Vec<usize>> = Vec::new();
    let mut found = Sights::default();
    let look = |marking: &[u32]| {
        seen.iter()
            .map(|&p| marking[p as usize])
            .collect::<Vec<u32>>()
    };
    while unseen.len() < all.len() {
        let marking = all[unseen.len()].clone();
        found[0].insert(look(&marking));
        let (mut is_end, mut quiet) = (true, Vec::new());
        for t in (0..net.transitions.len()).filter(|&t| net.is_enabled(t, &marking)) {
            is_end = false;
            let mut behind = marking.clone();
            if !net.fire(t, &mut behind) || all.len() > 1500 {
                return None;
            }
            let next = all.len();
            let number = *numbers.entry(behind.clone()).or_insert(next);
            if number == next {
                all.push(behind);
            }
            if !visible[t] {
                quiet.push(number);
            }
        }
        if is_end {
            found[1].insert(look(&marking));
        }
        unseen.push(quiet);
    }
    // Take away what has no unseen step to what is left.
    let mut stays = vec![true; all.len()];
    while let Some(gone) =
        (0..all.len()).find(|&at| stays[at] && !unseen[at].iter().any(|&next| stays[next]))
    {
        stays[gone] = false;
    }
    let kept = all.iter().zip(&stays).filter(|(_, stays)| **stays);
    found[2] = kept.map(|(marking, _)| look(marking)).collect();
    Some(found)
}

/// The net that a rule makes, with which of its transitions are visible, and the places that are seen in it.
fn shrunk(growing: &Growing, seen: &[u32]) -> (Net, Vec<bool>, Vec<u32>) {
    let place = |&initial: &u32| Place {
        id: String::new(),
        initial,
    };
    let net = Net {
        places: growing.initial.iter().map(place).collect(),
        transitions: growing
            .transitions
            .iter()
            .map(|m| m.whole.clone())
            .collect(),
        ..Net::default()
    };
    let visible = growing.transitions.iter().map(|m| m.is_visible).collect();
    (net, visible, seen.to_vec())
}

#[test]
fn each_rule_keeps_what_is_seen() {
    let cases = std::env::var("EVENHAND_CASES")
        .ok()
        .and_then(|text| text.parse().ok());
    let mut dice = SplitMix64::new(0xa99);
    type Rule = fn(&mut Growing, &mut Facts);
    let rules: [(&str, Rule); 5] = [
        ("agglomeration", |growing, facts| {
            agglomerate::all(growing, facts)
        }),
        ("twins", |growing, _| redundant::twins(growing)),
        ("parallel places", redundant::parallel),
        ("implied places", redundant::implied),
        ("all", |growing, facts| growing.shrink(facts)),
    ];
    let mut used = [0; 5];
    for _ in 0..cases.unwrap_or(6000) {
        let net = random(&mut dice);
        let all = 0..net.places.len() as u32;
        let seen: Vec<u32> = all.filter(|_| dice.below(5) == 0).collect();
        let mut is_seen = vec![false; net.places.len()];
        seen.iter()
            .for_each(|&place| is_seen[place as usize] = true);
        let whole = Growing::new(&net, is_seen);
        let (original, visible, _) = shrunk(&whole, &seen);
        let Some(expected) = sights(&original, &seen, &visible) else {
            continue;
        };
        for (number, (name, rule)) in rules.iter().enumerate() {
            let mut growing = whole.clone();
            rule(&mut growing, &mut Facts::new(&invariants(&net)));
            let is_same = growing.transitions.len() == net.transitions.len()
                && growing.is_kept.iter().all(|kept| *kept);
            if is_same {
                continue;
            }
            used[number] += 1;
            let (small, visible, seen) = shrunk(&growing, &seen);
            let found = sights(&small, &seen, &visible);
            assert_eq!(
                found.as_ref(),
                Some(&expected),
                "{name}: {net:?}\n{small:?}"
            );
        }
    }
    println!("used: {used:?}");
    assert!(used.iter().all(|&count| count > 150), "{used:?}");
}

/// A transition that takes a token from each of some places and puts one into each of others; and perhaps asks that a place is
/// empty.
fn moves(takes: &[usize], gives: &[usize], empty: Option<usize>) -> Transition {
    let mut arcs = std::collections::BTreeMap::<usize, Arcs>::new();
    takes
        .iter()
        .for_each(|&place| arcs.entry(place).or_default().takes += 1);
    gives
        .iter()
        .for_each(|&place| arcs.entry(place).or_default().gives += 1);
    if let Some(place) = empty {
        arcs.entry(place).or_default().inhibits = Some(1);
    }
    transition("", Span::default(), &arcs).expect("small weights")
}

/// Nets that look as if a place could be passed over, each with what is seen: whoever merges there loses a marking.
#[test]
fn what_is_seen_or_needed_is_not_merged() {
    type Case<'c> = (&'c str, &'c [u32], Vec<Transition>, &'c [u32]);
    let cases: [Case<'_>; 4] = [
        // Another one that is seen may come between the two.
        (
            "what empties the place is seen",
            &[1, 0, 0, 0, 0],
            vec![
                moves(&[0], &[1, 2], None),
                moves(&[1], &[3], None),
                moves(&[2], &[4], None),
            ],
            &[3, 4],
        ),
        (
            "somebody asks for few tokens behind it",
            &[1, 0, 0, 0, 0],
            vec![
                moves(&[0], &[1, 2], None),
                moves(&[1], &[3], None),
                moves(&[2], &[4], Some(3)),
            ],
            &[4],
        ),
        (
            "what fills the place is seen",
            &[1, 0, 0, 0],
            vec![moves(&[0], &[1], None), moves(&[1, 2], &[3], None)],
            &[0],
        ),
        (
            "a pair of which one is seen is seen",
            &[1, 0, 1, 0, 0, 0],
            vec![
                moves(&[0], &[1], None),
                moves(&[1, 2], &[3], None),
                moves(&[3, 4], &[5], None),
            ],
            &[2],
        ),
    ];
    for (name, initial, transitions, seen) in cases {
        let place = |&initial: &u32| Place {
            id: String::new(),
            initial,
        };
        let net = Net {
            places: initial.iter().map(place).collect(),
            transitions,
            ..Net::default()
        };
        let mut is_seen = vec![false; initial.len()];
        seen.iter()
            .for_each(|&place| is_seen[place as usize] = true);
        let whole = Growing::new(&net, is_seen);
        let (original, visible, _) = shrunk(&whole, seen);
        let mut growing = whole.clone();
        agglomerate::all(&mut growing, &mut Facts::new(&[]));
        let (small, small_visible, _) = shrunk(&growing, seen);
        let (expected, found) = (
            sights(&original, seen, &visible),
            sights(&small, seen, &small_visible),
        );
        assert!(
            expected.is_some() && found == expected,
            "{name}: {found:?}, not {expected:?}"
        );
    }
}

/// What fires without any token goes on for ever, wherever its tokens go.
#[test]
fn what_needs_nothing_does_not_wait() {
    let net = Net {
        places: vec![Place::default(); 3],
        transitions: vec![moves(&[], &[0], None), moves(&[0, 1], &[2], None)],
        ..Net::default()
    };
    let mut growing = Growing::new(&net, vec![false; 3]);
    agglomerate::all(&mut growing, &mut Facts::new(&[]));
    assert_eq!(growing.transitions.len(), 2);
    assert!(growing.is_kept.iter().all(|kept| *kept));
}
