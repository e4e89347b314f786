//! Agglomeration: two transitions with a place between them become one.
//!
//! A place is filled by some transitions and emptied by others, one token at a time, nobody else looks at it, and it is
//! empty at first. Then a run may as well pass through it without stopping, in either of two cases.
//!
//! **Behind** (post-agglomeration). Who empties the place needs nothing else, and what it does cannot be seen. It can fire as soon as
//! the place is filled, and nobody can keep it from doing so. To fire it at once only puts tokens elsewhere earlier: nobody
//! must ask for few tokens there, nor throw them away.
//!
//! **Before** (pre-agglomeration). Who fills the place does nothing else, cannot be seen, and takes tokens that nobody else asks
//! for. It can wait until the place is to be emptied: nobody takes its tokens away, and nobody misses the one that it would have put there.
//! It takes at least one token, so that there is no run of such steps alone.
//!
//! Either way each pair becomes one transition, if there are not too many, and the place is gone. Where runs end is kept too: a place that
//! can always be emptied is empty at the end of a run; and a run that ends with tokens in it is one whose steps into it had better waited,
//! and that ends there as well.

use super::redundant::Facts;
use super::{Growing, Merged};
use crate::net::{Change, MOST_TOKENS, Need, Transition};

/// So many transitions of the net at most are one.
const LONGEST: usize = 64;
/// By so many more transitions at most the net may grow with a place less.
const GROWTH: usize = 1;

/// Who has to do with each place, by their numbers.
struct Around {
    fill: Vec<Vec<u32>>,
    drain: Vec<Vec<u32>>,
    /// Those that ask for a least number of tokens.
    need: Vec<Vec<u32>>,
    /// Places that an arc inhibits or resets.
    is_special: Vec<bool>,
    /// Places that are asked for more than one token, or get more than one, or are only tested.
    is_heavy: Vec<bool>,
}

fn around(growing: &Growing) -> Around {
    let count = growing.initial.len();
    let mut around = Around {
        fill: vec![Vec::new(); count],
        drain: vec![Vec::new(); count],
        need: vec![Vec::new(); count],
        is_special: vec![false; count],
        is_heavy: vec![false; count],
    };
    for (number, merged) in growing.transitions.iter().enumerate() {
        let transition = &merged.whole;
        for need in &transition.needs {
            let place = need.place as usize;
            if need.least > 0 {
                around.need[place].push(number as u32);
            }
            around.is_special[place] |= need.most < MOST_TOKENS;
            // What is asked for is taken, and nothing else.
            let is_taken = change_of(transition, need.place) == -i64::from(need.least);
            around.is_heavy[place] |= need.least != 1 || !is_taken;
        }
        for change in &transition.changes {
            let place = change.place as usize;
            around.is_special[place] |= change.reset;
            around.is_heavy[place] |= change.difference.abs() != 1;
            match change.difference > 0 {
                true => around.fill[place].push(number as u32),
                false => around.drain[place].push(number as u32),
            }
        }
    }
    around
}

/// What a transition does to a place.
fn change_of(transition: &Transition, place: u32) -> i64 {
    let mut changes = transition.changes.iter();
    let own = changes.find(|change| change.place == place);
    own.map_or(0, |change| change.difference)
}

/// Agglomerates around every place where that can be done.
pub(super) fn all(growing: &mut Growing, facts: &mut Facts) {
    let mut at = 0;
    let mut known = around(growing);
    while at < growing.initial.len() {
        let place = at as u32;
        at += 1;
        if !is_between(growing, &known, place) {
            continue;
        }
        let (fill, drain) = (&known.fill[place as usize], &known.drain[place as usize]);
        if !is_behind(growing, &known, drain, place) && !is_before(growing, &known, fill, place) {
            continue;
        }
        let arcs = growing.arcs();
        if !growing.works(arcs) {
            return;
        }
        if merge(growing, place, fill, drain) {
            facts.empties(place);
            known = around(growing);
            at = 0;
        }
    }
}

/// Whether a place is only passed through, one token at a time.
fn is_between(growing: &Growing, around: &Around, place: u32) -> bool {
    let at = place as usize;
    let (fill, drain) = (around.fill[at].len(), around.drain[at].len());
    let is_small = fill * drain <= fill + drain + GROWTH;
    let is_plain = !around.is_special[at] && !around.is_heavy[at];
    growing.is_kept[at]
        && !growing.seen[at]
        && growing.initial[at] == 0
        && is_plain
        && fill > 0
        && drain > 0
        && is_small
        // Who fills it does not ask for it.
        && around.need[at].len() == drain
}

/// Whether whoever empties a place can do so at once.
fn is_behind(growing: &Growing, around: &Around, drain: &[u32], place: u32) -> bool {
    drain.iter().all(|&t| {
        let merged = &growing.transitions[t as usize];
        let needs_this = merged.whole.needs.iter().all(|need| need.place == place);
        let mut gives = merged.whole.changes.iter().filter(|c| c.place != place);
        let is_harmless = gives.all(|c| !c.reset && !around.is_special[c.place as usize]);
        !merged.is_visible && needs_this && is_harmless
    })
}

/// Whether whoever fills a place can wait.
fn is_before(growing: &Growing, around: &Around, fill: &[u32], place: u32) -> bool {
    fill.iter().all(|&t| {
        let merged = &growing.transitions[t as usize];
        let transition = &merged.whole;
        let takes = |need: &Need| {
            let from = need.place as usize;
            need.most == MOST_TOKENS
                && change_of(transition, need.place) == -i64::from(need.least)
                && !around.is_special[from]
                && around.need[from].iter().all(|other| fill.contains(other))
        };
        let does = |change: &Change| change.place == place || change.difference < 0;
        !merged.is_visible
            && !transition.needs.is_empty()
            && transition.needs.iter().all(takes)
            && transition
                .changes
                .iter()
                .all(|change| !change.reset && does(change))
    })
}

/// Puts pairs in the place of those around a place; whether that could be done.
fn merge(growing: &mut Growing, place: u32, fill: &[u32], drain: &[u32]) -> bool {
    let mut pairs = Vec::new();
    for &first in fill {
        for &second in drain {
            let one = &growing.transitions[first as usize];
            let other = &growing.transitions[second as usize];
            match one.then(other) {
                Some(pair) if pair.parts.len() <= LONGEST => pairs.push(pair),
                _ => return false,
            }
        }
    }
    let mut number = 0;
    growing.transitions.retain(|_| {
        let is_old = fill.contains(&number) || drain.contains(&number);
        number += 1;
        !is_old
    });
    growing.transitions.extend(pairs);
    growing.drop_place(place);
    true
}

impl Merged {
    /// This and then another one; none if numbers become too large, or something is reset.
    fn then(&self, other: &Merged) -> Option<Merged> {
        let (first, second) = (&self.whole, &other.whole);
        let mut changes = first.changes.iter().chain(&second.changes);
        if changes.any(|change| change.reset) || self.is_visible && other.is_visible {
            return None;
        }
        let mut needs: Vec<Need> = first.needs.clone();
        for need in &second.needs {
            // What the first one does is there already.
            let before = change_of(first, need.place);
            let least = u32::try_from((i64::from(need.least) - before).max(0)).ok()?;
            let most = match need.most {
                MOST_TOKENS => MOST_TOKENS,
                most => u32::try_from(i64::from(most) - before).ok()?,
            };
            match needs.iter_mut().find(|known| known.place == need.place) {
                Some(known) => {
                    known.least = known.least.max(least);
                    known.most = known.most.min(most);
                }
                None => needs.push(Need {
                    place: need.place,
                    least,
                    most,
                }),
            }
        }
        needs.retain(|need| need.least > 0 || need.most < MOST_TOKENS);
        needs.sort_unstable_by_key(|need| need.place);
        let mut changes: Vec<Change> = first.changes.clone();
        for change in &second.changes {
            match changes.iter_mut().find(|known| known.place == change.place) {
                Some(known) => {
                    known.difference = known.difference.checked_add(change.difference)?
                }
                None => changes.push(*change),
            }
        }
        changes.retain(|change| change.difference != 0);
        changes.sort_unstable_by_key(|change| change.place);
        Some(Merged {
            whole: Transition {
                id: first.id.clone(),
                span: first.span,
                needs,
                changes,
            },
            parts: [&self.parts[..], &other.parts[..]].concat(),
            is_visible: self.is_visible || other.is_visible,
        })
    }
}
