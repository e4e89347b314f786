//! What can be told from the arcs alone: transitions that never fire, places that never change.
//!
//! A transition needs a token in a place that nothing fills, or none in one that nothing empties: it never fires, and
//! what only it fills stays empty too. This goes on until nothing more follows. Tokens are thought of as
//! never used up, so that what is left out can truly never fire; what is left in may still not.
//!
//! Such transitions are left out. Places that no transition changes take no room in markings, and what transitions ask of
//! them is known: it is not asked again in every marking. Formulas may speak of all of them as before.

use evenhand_source::spend;

use crate::net::{MOST_TOKENS, Need, Net};

/// What was left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LeftOut {
    /// Transitions that can never fire, by their ids.
    transitions: Vec<String>,
    /// Places that never change.
    places: Vec<String>,
}

impl LeftOut {
    /// What to say about it.
    pub fn said(&self) -> Vec<String> {
        let mut said = Vec::new();
        let mut say = |list: &[String], one: &str, more: &str| match list {
            [] => {}
            [id] => said.push(format!("`{id}` {one}")),
            list => {
                let ids: Vec<String> = list.iter().take(5).map(|id| format!("`{id}`")).collect();
                let dots = if list.len() > 5 { ", …" } else { "" };
                said.push(format!("{} {more}: {}{dots}", list.len(), ids.join(", ")));
            }
        };
        let (one, more) = (
            "can never fire and is left out",
            "transitions can never fire and are left out",
        );
        say(&self.transitions, one, more);
        say(&self.places, "never changes", "places never change");
        said
    }
}

/// Leaves out what makes no difference.
pub(crate) fn simplify(net: &mut Net) -> LeftOut {
    let mut left_out = LeftOut::default();
    let fires = possible(net);
    if fires.contains(&false) {
        let mut new = vec![None; fires.len()];
        let mut count = 0;
        for (number, fires) in fires.iter().enumerate() {
            if *fires {
                (new[number], count) = (Some(count), count + 1);
            }
        }
        let mut kept = fires.iter();
        net.transitions.retain(|transition| {
            let fires = kept.next().copied().unwrap_or(true);
            if !fires {
                left_out.transitions.push(transition.id.clone());
            }
            fires
        });
        for list in net.transition_names.values_mut() {
            *list = list.iter().filter_map(|&t| new[t as usize]).collect();
        }
    }
    let changes = changes(net);
    for transition in &mut net.transitions {
        // What is asked of a place that never changes is so: the transition can fire.
        transition.needs.retain(|need| changes[need.place as usize]);
    }
    let same = net.places.iter().zip(&changes).filter(|(_, c)| !**c);
    left_out.places = same.map(|(place, _)| place.id.clone()).collect();
    left_out
}

/// Which places some transition changes.
pub(crate) fn changes(net: &Net) -> Vec<bool> {
    let mut changes = vec![false; net.places.len()];
    for change in net.transitions.iter().flat_map(|t| &t.changes) {
        changes[change.place as usize] = true;
    }
    changes
}

/// Which transitions could fire if tokens that were once in a place stayed there, and were once away stayed away.
fn possible(net: &Net) -> Vec<bool> {
    // The most and the fewest tokens in each place, as far as is known.
    let mut most: Vec<u32> = net.places.iter().map(|place| place.initial).collect();
    let mut least = most.clone();
    // Who may be able to fire once there are more tokens in a place, or fewer.
    let mut waiting: Vec<Vec<u32>> = vec![Vec::new(); net.places.len()];
    for (number, transition) in net.transitions.iter().enumerate() {
        spend();
        for need in &transition.needs {
            waiting[need.place as usize].push(number as u32);
        }
    }
    let mut fires = vec![false; net.transitions.len()];
    let mut open: Vec<u32> = (0..net.transitions.len() as u32).rev().collect();
    while let Some(number) = open.pop() {
        spend();
        let transition = &net.transitions[number as usize];
        let is_met = |need: &Need| {
            let place = need.place as usize;
            most[place] >= need.least && least[place] <= need.most
        };
        if fires[number as usize] || !transition.needs.iter().all(is_met) {
            continue;
        }
        fires[number as usize] = true;
        for change in &transition.changes {
            let place = change.place as usize;
            // How often it fires is not known.
            let grows = change.difference > 0 && most[place] < MOST_TOKENS;
            let shrinks = (change.difference < 0 || change.reset) && least[place] > 0;
            if grows {
                most[place] = MOST_TOKENS;
            }
            if shrinks {
                least[place] = 0;
            }
            if grows || shrinks {
                open.extend(&waiting[place]);
            }
        }
    }
    fires
}

#[cfg(test)]
mod tests {
    use evenhand_source::Span;

    use super::*;
    use crate::flat::transition;
    use crate::net::{Arcs, Place};

    /// A chain, written from its end: as quick as any other order.
    #[test]
    fn long_chains_are_followed_once() {
        const LONG: usize = 100_000;
        let mut net = Net::default();
        for place in 0..=LONG {
            net.places.push(Place {
                id: format!("p{place}"),
                initial: u32::from(place == 0),
            });
        }
        for place in (0..LONG).rev() {
            let (takes, gives) = (1, 1);
            let taken = Arcs {
                takes,
                ..Arcs::default()
            };
            let given = Arcs {
                gives,
                ..Arcs::default()
            };
            let arcs = [(place, taken), (place + 1, given)].into();
            let made = transition("", Span::default(), &arcs);
            net.transitions.push(made.expect("small weights"));
        }
        assert_eq!(simplify(&mut net), LeftOut::default());
        net.places[0].initial = 0;
        simplify(&mut net);
        assert!(net.transitions.is_empty());
    }
}
