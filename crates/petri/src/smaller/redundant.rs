//! Nodes that make no difference: transitions that are there twice, places that never keep a transition from firing.
//!
//! **Twins.** Of transitions that ask and do the same one is enough.
//!
//! **Parallel places.** Two places to which every transition does the same differ by a fixed number of tokens. If whoever asks for one
//! asks for enough of the other, the one is not needed.
//!
//! **Implied places.** By a P-invariant ([`crate::invariants`]) the tokens of a place follow from those of others. Where a
//! transition finds all its other tokens, invariants bound what can be in these others; if what is left for
//! the place is always what is asked of it, it is not needed. A place that nobody asks for is the simplest case.
//!
//! A place that is left out has tokens that follow from those of others, so a run of the smaller net that comes back to
//! where it was does so on the net too.

use std::collections::HashMap;

use super::Growing;
use crate::invariants::Invariant;
use crate::net::MOST_TOKENS;

/// A transition that asks for the place in question.
struct Asker {
    /// What it needs of other places.
    others: Vec<(u32, i128)>,
    /// What that is in each of the known sums.
    found: Vec<i128>,
    /// What it needs of the place.
    least: i128,
}

/// Sums of tokens that are the same in all markings of the net, about places that are not left out.
pub(super) struct Facts(Vec<Invariant>);

impl Facts {
    /// The P-invariants of a net.
    pub fn new(invariants: &[Invariant]) -> Facts {
        Facts(invariants.to_vec())
    }

    /// A place is left out that is empty wherever it could be seen.
    pub fn empties(&mut self, place: u32) {
        for fact in &mut self.0 {
            fact.weights.retain(|&(p, _)| p != place);
        }
    }

    /// A place is left out, and what is in it is not known any more.
    fn forgets(&mut self, place: u32) {
        self.0
            .retain(|fact| fact.weights.iter().all(|&(p, _)| p != place));
    }
}

/// Leaves out transitions that are there twice.
pub(super) fn twins(growing: &mut Growing) {
    let mut known = std::collections::HashSet::new();
    growing.transitions.retain(|merged| {
        let needs: Vec<_> = merged
            .whole
            .needs
            .iter()
            .map(|n| (n.place, n.least, n.most))
            .collect();
        let changes = merged.whole.changes.iter();
        let changes: Vec<_> = changes.map(|c| (c.place, c.reset, c.difference)).collect();
        // One that can be seen on its way is not the same as one that cannot.
        known.insert((needs, changes, merged.is_visible))
    });
}

/// Leaves out places beside others to which the same is done.
pub(super) fn parallel(growing: &mut Growing, facts: &mut Facts) {
    let mut effects: Vec<Vec<(u32, i64)>> = vec![Vec::new(); growing.initial.len()];
    let mut is_reset = vec![false; growing.initial.len()];
    for (number, merged) in growing.transitions.iter().enumerate() {
        for change in &merged.whole.changes {
            effects[change.place as usize].push((number as u32, change.difference));
            is_reset[change.place as usize] |= change.reset;
        }
    }
    let mut alike: HashMap<Vec<(u32, i64)>, Vec<u32>> = HashMap::new();
    for (place, effects) in effects.into_iter().enumerate() {
        if growing.is_kept[place] && !is_reset[place] && !effects.is_empty() {
            alike.entry(effects).or_default().push(place as u32);
        }
    }
    let mut groups: Vec<Vec<u32>> = alike.into_values().filter(|list| list.len() > 1).collect();
    groups.sort_unstable();
    for group in groups {
        for &place in &group {
            let is_beside = |&other: &u32| {
                other != place
                    && growing.is_kept[other as usize]
                    && is_enough(growing, place, other)
            };
            if !growing.seen[place as usize] && group.iter().any(is_beside) {
                growing.drop_place(place);
                facts.forgets(place);
            }
        }
    }
}

/// Whether whoever finds enough tokens in another place finds enough in this one, where both always differ by the same.
fn is_enough(growing: &Growing, place: u32, other: u32) -> bool {
    let tokens = |place: u32| i64::from(growing.initial[place as usize]);
    let more = tokens(place) - tokens(other);
    growing.transitions.iter().all(|merged| {
        let need = |place: u32| merged.whole.needs.iter().find(|need| need.place == place);
        let found = need(other).map_or(0, |need| i64::from(need.least));
        need(place).is_none_or(|need| {
            need.most == MOST_TOKENS && found.max(0) + more >= i64::from(need.least)
        })
    })
}

/// Leaves out places that never keep a transition from firing, by invariants.
pub(super) fn implied(growing: &mut Growing, facts: &mut Facts) {
    let mut place = 0;
    while place < growing.initial.len() as u32 {
        if growing.is_kept[place as usize]
            && !growing.seen[place as usize]
            && is_implied(growing, facts, place)
        {
            growing.drop_place(place);
            facts.forgets(place);
        }
        place += 1;
    }
}

fn is_implied(growing: &mut Growing, facts: &Facts, place: u32) -> bool {
    // Which sums each place is part of, and with which weight.
    let mut parts: Vec<Vec<(usize, i128)>> = vec![Vec::new(); growing.initial.len()];
    for (number, fact) in facts.0.iter().enumerate() {
        for &(at, weight) in &fact.weights {
            parts[at as usize].push((number, i128::from(weight)));
        }
    }
    let own = &parts[place as usize];
    if own.is_empty() {
        return false;
    }
    let size: usize = facts.0.iter().map(|fact| fact.weights.len()).sum();
    if !growing.works(size) {
        return false;
    }
    let mut askers: Vec<Asker> = Vec::new();
    for merged in &growing.transitions {
        let needs = &merged.whole.needs;
        let Some(need) = needs.iter().find(|n| n.place == place) else {
            continue;
        };
        if need.most != MOST_TOKENS {
            return false;
        }
        let others = needs.iter().filter(|n| n.place != place);
        let others: Vec<_> = others.map(|n| (n.place, i128::from(n.least))).collect();
        // What the others make of each sum.
        let mut found = vec![0i128; facts.0.len()];
        for &(at, least) in &others {
            for &(number, weight) in &parts[at as usize] {
                found[number] += weight * least;
            }
        }
        askers.push(Asker {
            others,
            found,
            least: i128::from(need.least),
        });
    }
    // One invariant must be enough for all, so that it says how many tokens there are.
    own.iter().any(|&(number, by)| {
        askers.iter().all(|asker| {
            if !growing.works(size) {
                return false;
            }
            // The most that can be in a place where the others are found.
            let most_in = |at: u32| {
                let there = asker.others.iter().find(|(p, _)| *p == at);
                let there = there.map_or(0, |(_, least)| *least);
                let bounds = parts[at as usize].iter().map(|&(number, weight)| {
                    let rest = asker.found[number] - weight * there;
                    (i128::from(facts.0[number].sum) - rest).max(0) / weight
                });
                bounds.min()
            };
            let fact = &facts.0[number];
            let mut taken = 0i128;
            for &(at, w) in fact.weights.iter().filter(|(p, _)| *p != place) {
                match most_in(at) {
                    Some(most) => taken += i128::from(w) * most,
                    None => return false,
                }
            }
            i128::from(fact.sum) - taken >= by * asker.least
        })
    })
}
