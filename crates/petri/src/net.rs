//! A place/transition net: what all formats become.
//!
//! A transition asks for a number of tokens in some places, from a least one (what its arcs take, or
//! test) to a most one (an inhibitor arc), and changes some places when it fires: by a difference, or, behind
//! a reset arc, to a number of its own. Arcs between the same nodes were added up.

use std::collections::HashMap;

use evenhand_source::Span;

/// The most tokens that are counted in a place.
pub(crate) const MOST_TOKENS: u32 = u32::MAX;

/// A net.
#[derive(Clone, Debug, Default)]
pub(crate) struct Net {
    pub places: Vec<Place>,
    pub transitions: Vec<Transition>,
    /// The places of the file in its order, and what each has become.
    pub place_families: Vec<(String, Vec<u32>)>,
    /// The transitions of the file likewise.
    pub transition_families: Vec<(String, Vec<u32>)>,
    /// Places by what formulas call them: of a coloured net all that one place was unfolded to.
    pub place_names: HashMap<String, Vec<u32>>,
    /// Transitions likewise.
    pub transition_names: HashMap<String, Vec<u32>>,
}

/// A place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Place {
    pub id: String,
    pub initial: u32,
}

/// A transition.
#[derive(Clone, Debug, Default)]
pub(crate) struct Transition {
    pub id: String,
    pub span: Span,
    pub needs: Vec<Need>,
    pub changes: Vec<Change>,
}

/// What a transition asks of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Need {
    pub place: u32,
    pub least: u32,
    pub most: u32,
}

/// What a transition does to a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub place: u32,
    /// Whether the tokens that are there are thrown away first.
    pub reset: bool,
    pub difference: i64,
}

impl Change {
    /// The tokens behind the change; none if there are more than are counted.
    #[inline]
    pub fn apply(&self, tokens: u32) -> Option<u32> {
        let before = if self.reset { 0 } else { i64::from(tokens) };
        u32::try_from(before + self.difference).ok()
    }
}

/// What arcs ask of one place and do to it, before they are added up.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Arcs {
    pub takes: u64,
    pub gives: u64,
    pub tests: u64,
    /// The weight of the smallest inhibitor arc.
    pub inhibits: Option<u64>,
    pub resets: bool,
}

impl Arcs {
    /// What they mean together; none if a sum is larger than any number of tokens.
    pub fn meaning(&self, place: u32) -> Option<(Option<Need>, Option<Change>)> {
        let least = u32::try_from(self.takes.max(self.tests)).ok()?;
        let (takes, gives) = (
            u32::try_from(self.takes).ok()?,
            u32::try_from(self.gives).ok()?,
        );
        let most = match self.inhibits {
            None => MOST_TOKENS,
            Some(weight) => u32::try_from(weight.saturating_sub(1)).unwrap_or(MOST_TOKENS),
        };
        let need = Need { place, least, most };
        let change = match self.resets {
            // What is taken is taken before the rest is thrown away.
            true => Some(Change {
                place,
                reset: true,
                difference: gives.into(),
            }),
            false => {
                let difference = i64::from(gives) - i64::from(takes);
                let change = Change {
                    place,
                    reset: false,
                    difference,
                };
                (difference != 0).then_some(change)
            }
        };
        let asks = least > 0 || most < MOST_TOKENS;
        Some((asks.then_some(need), change))
    }
}

impl Net {
    /// Makes the lists of what each node of the file has become, once all names are known.
    pub fn gather(&mut self, places: &[String], transitions: &[String]) {
        let gather = |ids: &[String], names: &HashMap<String, Vec<u32>>| {
            let of = |id: &String| (id.clone(), names.get(id).cloned().unwrap_or_default());
            ids.iter().map(of).collect()
        };
        self.place_families = gather(places, &self.place_names);
        self.transition_families = gather(transitions, &self.transition_names);
    }

    /// The marking at the beginning.
    pub fn initial(&self) -> Vec<u32> {
        self.places.iter().map(|place| place.initial).collect()
    }

    /// Whether a transition can fire in a marking.
    pub fn is_enabled(&self, transition: usize, marking: &[u32]) -> bool {
        let mut needs = self.transitions[transition].needs.iter();
        needs.all(|need| (need.least..=need.most).contains(&marking[need.place as usize]))
    }

    /// Fires a transition that is enabled; whether all tokens could be counted.
    pub fn fire(&self, transition: usize, marking: &mut [u32]) -> bool {
        let mut counted = true;
        for change in &self.transitions[transition].changes {
            let tokens = &mut marking[change.place as usize];
            match change.apply(*tokens) {
                Some(behind) => *tokens = behind,
                None => counted = false,
            }
        }
        counted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arcs_are_added_up() {
        let arcs = Arcs {
            takes: 2,
            gives: 1,
            tests: 3,
            ..Arcs::default()
        };
        let need = Need {
            place: 7,
            least: 3,
            most: MOST_TOKENS,
        };
        let change = Change {
            place: 7,
            reset: false,
            difference: -1,
        };
        assert_eq!(arcs.meaning(7), Some((Some(need), Some(change))));
        let loops = Arcs {
            takes: 2,
            gives: 2,
            ..Arcs::default()
        };
        assert!(
            loops
                .meaning(0)
                .is_some_and(|(need, change)| need.is_some() && change.is_none())
        );
        let free = Arcs {
            inhibits: Some(1),
            resets: true,
            gives: 4,
            ..Arcs::default()
        };
        let (need, change) = free.meaning(0).unwrap_or_default();
        assert_eq!(
            need,
            Some(Need {
                place: 0,
                least: 0,
                most: 0
            })
        );
        assert_eq!(change.and_then(|change| change.apply(9)), Some(4));
        assert_eq!(
            Arcs {
                takes: 1 << 32,
                ..Arcs::default()
            }
            .meaning(0),
            None
        );
    }

    #[test]
    fn tokens_are_counted_or_not_but_never_wrap() {
        let change = Change {
            place: 0,
            reset: false,
            difference: 2,
        };
        assert_eq!(change.apply(u32::MAX - 2), Some(u32::MAX));
        assert_eq!(change.apply(u32::MAX - 1), None);
    }
}
