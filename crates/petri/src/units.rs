//! Units: parts of a net that behave like processes, as nested-unit Petri nets (NUPN) declare them.
//!
//! **What is said.** Every place belongs to one unit, and units lie inside of others. The file says that the net is
//! *unit-safe*: no place has two tokens, and of a unit and those inside of it no two places are marked at the same time
//! (a unit that has a token itself has none in its sub-units).
//!
//! **What is believed.** Names of processes in runs cost nothing if they are wrong. That places exclude each other is
//! used to pack markings ([`crate::layout`]), where a lie would lose markings: it is believed only if [`Units::are_safe`]
//! proves it. The proof is by induction over steps. Two places *clash* if they are the same or their units are the same
//! or inside of each other. The claim: no two clashing places have a token each, and none has two. It holds at the
//! beginning, and a transition keeps it if, for each place that it fills, whatever clashes with that place was empty
//! already or is emptied by the step. A place was empty if it clashes with another place that the transition takes
//! from or tests.
//!
//! **Limits.** Unit-safe nets whose proof needs more than that are not believed; nothing is lost but bytes.

use std::collections::HashMap;

use evenhand_source::{Diagnostic, spend};

use crate::net::Net;
use crate::pnml::Written;

/// How deep units may be nested.
const MOST_DEPTH: usize = 200;

/// The units of a net.
#[derive(Clone, Debug, Default)]
pub(crate) struct Units {
    /// How they are called.
    pub names: Vec<String>,
    /// The unit around each.
    parents: Vec<Option<u32>>,
    /// The unit of each place.
    of_place: Vec<u32>,
    /// The places of each.
    pub places: Vec<Vec<u32>>,
}

impl Units {
    /// The units that a file declares, if it does; a warning if what it says makes no sense.
    pub fn read(written: &Written, net: &Net) -> Result<Option<Units>, Diagnostic> {
        let Some(first) = written.units.first() else {
            return Ok(None);
        };
        let wrong = |message: String| Diagnostic::warning(first.span, message);
        let mut numbers = HashMap::new();
        let mut units = Units::default();
        for unit in &written.units {
            let number = units.names.len() as u32;
            if numbers.insert(unit.id.as_str(), number).is_some() {
                return Err(wrong(format!("there are two units `{}`", unit.id)));
            }
            units.names.push(unit.id.clone());
            units.places.push(Vec::new());
        }
        units.parents = vec![None; units.names.len()];
        let mut of_place = vec![None; net.places.len()];
        for (number, unit) in written.units.iter().enumerate() {
            for id in &unit.places {
                let place = net.place_names.get(id).and_then(|list| list.first());
                let Some(&place) = place else {
                    return Err(wrong(format!("unit `{}` has no place `{id}`", unit.id)));
                };
                if of_place[place as usize].replace(number as u32).is_some() {
                    return Err(wrong(format!("place `{id}` is in two units")));
                }
                units.places[number].push(place);
            }
            for id in &unit.units {
                let Some(&inner) = numbers.get(id.as_str()) else {
                    return Err(wrong(format!("unit `{}` has no unit `{id}`", unit.id)));
                };
                let parent = &mut units.parents[inner as usize];
                if parent.replace(number as u32).is_some() {
                    return Err(wrong(format!("unit `{id}` is in two units")));
                }
            }
        }
        let missing = of_place.iter().position(Option::is_none);
        if let Some(place) = missing {
            let id = &net.places[place].id;
            return Err(wrong(format!("place `{id}` is in no unit")));
        }
        units.of_place = of_place.into_iter().flatten().collect();
        let deepest = |unit: u32| units.around(unit).take(MOST_DEPTH + 1).count() > MOST_DEPTH;
        if (0..units.names.len() as u32).any(deepest) {
            let message = format!("more than {MOST_DEPTH} units inside each other, or a circle");
            return Err(wrong(message));
        }
        Ok(Some(units))
    }

    /// A unit and those around it, from the inside.
    fn around(&self, unit: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(Some(unit), |&unit| self.parents[unit as usize])
    }

    /// Whether one of two units is inside of the other, or they are the same.
    fn clash(&self, one: u32, other: u32) -> bool {
        self.around(one).any(|unit| unit == other) || self.around(other).any(|unit| unit == one)
    }

    /// The unit of a place.
    pub fn of(&self, place: u32) -> u32 {
        self.of_place[place as usize]
    }

    /// The units that a transition has arcs with, in the order of its places.
    pub fn of_transition(&self, net: &Net, transition: usize) -> Vec<u32> {
        let transition = &net.transitions[transition];
        let asked = transition.needs.iter().map(|need| need.place);
        let changed = transition.changes.iter().map(|change| change.place);
        let mut units = Vec::new();
        for place in asked.chain(changed) {
            let unit = self.of(place);
            if !units.contains(&unit) {
                units.push(unit);
            }
        }
        units
    }

    /// Whether no two places that clash are ever marked at the same time, and none has two tokens: true only if
    /// that is proved.
    pub fn are_safe(&self, net: &Net) -> bool {
        let marked = |place: &u32| net.places[*place as usize].initial > 0;
        let marked: Vec<u32> = (0..net.places.len() as u32).filter(marked).collect();
        let is_single = |place: &u32| net.places[*place as usize].initial == 1;
        if !marked.iter().all(is_single) {
            return false;
        }
        let mut at_first: Vec<u32> = marked.iter().map(|&place| self.of(place)).collect();
        at_first.sort_unstable();
        if at_first.windows(2).any(|pair| pair[0] == pair[1]) {
            return false;
        }
        // No marked unit is inside of another one.
        let is_marked = |unit: &u32| at_first.binary_search(unit).is_ok();
        if at_first
            .iter()
            .any(|&unit| self.around(unit).skip(1).any(|outer| is_marked(&outer)))
        {
            return false;
        }
        let inside = self.inside();
        (0..net.transitions.len()).all(|transition| self.keeps(net, transition, &inside))
    }

    /// For each unit those that lie directly inside of it.
    fn inside(&self) -> Vec<Vec<u32>> {
        let mut inside = vec![Vec::new(); self.names.len()];
        for (unit, parent) in self.parents.iter().enumerate() {
            if let Some(parent) = parent {
                inside[*parent as usize].push(unit as u32);
            }
        }
        inside
    }

    /// Whether a transition keeps the claim.
    fn keeps(&self, net: &Net, transition: usize, inside: &[Vec<u32>]) -> bool {
        spend();
        let transition = &net.transitions[transition];
        // The units of the places that had a token before the step: one each, or it could not fire.
        let needs = transition.needs.iter().filter(|need| need.least > 0);
        let had: Vec<u32> = needs.clone().map(|need| self.of(need.place)).collect();
        if needs.clone().any(|need| need.least > 1) {
            // Then it never fires.
            return true;
        }
        let pairs = |list: &[u32]| {
            let pair = |(at, &one): (usize, &u32)| {
                list[at + 1..].iter().any(|&other| self.clash(one, other))
            };
            list.iter().enumerate().any(pair)
        };
        if pairs(&had) {
            // It asks for two tokens where there is at most one.
            return true;
        }
        // The places that have a token behind it, as far as they are known to: kept and filled ones.
        let change_of = |place: u32| transition.changes.iter().find(|c| c.place == place);
        let mut has: Vec<u32> = Vec::new();
        for need in needs {
            let behind = change_of(need.place).map_or(Some(1), |change| change.apply(1));
            match behind {
                Some(0) => {}
                Some(1) => has.push(self.of(need.place)),
                _ => return false,
            }
        }
        for change in &transition.changes {
            let mut asked = transition.needs.iter().filter(|need| need.least > 0);
            if asked.any(|need| need.place == change.place) {
                continue;
            }
            match change.apply(0) {
                Some(0) => {}
                Some(1) => {
                    // What clashes with it must have been empty: all of it clashes with what was taken.
                    let unit = self.of(change.place);
                    if !self.was_empty(unit, &had, inside) {
                        return false;
                    }
                    has.push(unit);
                }
                _ => return false,
            }
        }
        !pairs(&has)
    }

    /// Whether all places that clash with those of a unit were empty, apart from those in which a token was asked
    /// for, given the units in which one was.
    fn was_empty(&self, unit: u32, had: &[u32], inside: &[Vec<u32>]) -> bool {
        if had
            .iter()
            .any(|&taken| self.around(unit).any(|outer| outer == taken))
        {
            // Around that unit, in it and inside of it there is no other token, and this unit is one of those.
            return true;
        }
        // Otherwise every unit here and inside must clash with one of them; those around do if one is inside.
        let is_inside = |taken: u32| self.around(taken).any(|outer| outer == unit);
        if !had.iter().any(|&taken| is_inside(taken)) {
            return false;
        }
        let mut open = vec![unit];
        while let Some(unit) = open.pop() {
            spend();
            let is_covered = had.iter().any(|&taken| self.clash(unit, taken));
            if !is_covered && !self.places[unit as usize].is_empty() {
                return false;
            }
            // Where a token was, there is none inside.
            if !had.contains(&unit) {
                open.extend(&inside[unit as usize]);
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use evenhand_source::{Span, SplitMix64};

    use super::*;
    use crate::flat::transition;
    use crate::layout::Layouts;
    use crate::net::{Arcs, Place};

    /// A random net, mostly with transitions that move tokens, and random units.
    fn random(dice: &mut SplitMix64) -> (Net, Units) {
        let count = 2 + dice.below(7);
        let mut units = Units::default();
        for unit in 0..1 + dice.below(4) {
            units.names.push(format!("u{unit}"));
            let parent = dice.below(unit + 1);
            units
                .parents
                .push((parent < unit && dice.below(3) > 0).then_some(parent as u32));
        }
        units.places = vec![Vec::new(); units.names.len()];
        let mut net = Net::default();
        for place in 0..count {
            let unit = dice.below(units.names.len());
            units.of_place.push(unit as u32);
            units.places[unit].push(place as u32);
            net.places.push(Place {
                id: format!("p{place}"),
                initial: u32::from(dice.below(4) == 0),
            });
        }
        for _ in 0..1 + dice.below(5) {
            let mut arcs = vec![Arcs::default(); count];
            for _ in 0..1 + dice.below(2) {
                arcs[dice.below(count)].takes = 1;
            }
            for _ in 0..dice.below(3) {
                arcs[dice.below(count)].gives = 1;
            }
            match dice.below(12) {
                0 => arcs[dice.below(count)].tests = 1,
                1 => arcs[dice.below(count)].resets = true,
                2 => arcs[dice.below(count)].inhibits = Some(1),
                _ => {}
            }
            let arcs = arcs.into_iter().enumerate().collect();
            let made = transition("", Span::default(), &arcs);
            net.transitions.push(made.expect("small weights"));
        }
        (net, units)
    }

    fn markings(net: &Net) -> Vec<Vec<u32>> {
        let mut all = vec![net.initial()];
        let mut seen = HashSet::from([net.initial()]);
        let mut next = 0;
        while next < all.len() && all.len() < 2000 {
            for transition in 0..net.transitions.len() {
                if net.is_enabled(transition, &all[next]) {
                    let mut behind = all[next].clone();
                    assert!(net.fire(transition, &mut behind));
                    if seen.insert(behind.clone()) {
                        all.push(behind);
                    }
                }
            }
            next += 1;
        }
        all
    }

    /// What is believed is true, in every marking that can be reached; and then markings keep their bytes apart.
    #[test]
    fn what_is_believed_of_units_is_true() {
        let mut dice = SplitMix64::new(0x0417);
        let (mut believed, mut moving, mut wrong) = (0, 0, 0);
        for _ in 0..40_000 {
            let (net, units) = random(&mut dice);
            let all = markings(&net);
            let clash = |marking: &Vec<u32>| {
                let marked = |place: &usize| marking[*place] > 0;
                let marked: Vec<usize> = (0..marking.len()).filter(marked).collect();
                let two = marked.iter().any(|&place| marking[place] > 1);
                let pair = |(at, &p): (usize, &usize)| {
                    let mut others = marked[at + 1..].iter();
                    others.any(|&q| units.clash(units.of(p as u32), units.of(q as u32)))
                };
                two || marked.iter().enumerate().any(pair)
            };
            let is_safe = !all.iter().any(clash);
            wrong += usize::from(!is_safe);
            if !units.are_safe(&net) {
                continue;
            }
            assert!(is_safe, "{net:?} {units:?}");
            believed += 1;
            moving += usize::from(all.len() > 2);
            let layouts = Layouts::new(&net, &units.places, &[]);
            let mut bytes = HashSet::new();
            for marking in &all {
                let (mut packed, mut back) = (Vec::new(), Vec::new());
                layouts.pack(marking, &mut packed);
                layouts.unpack(&packed, &mut back);
                assert_eq!(&back, marking);
                assert!(bytes.insert(packed));
            }
        }
        assert!(
            believed > 1000 && moving > 300 && wrong > 1000,
            "{believed} {moving} {wrong}"
        );
    }
}
