//! Coloured nets, unfolded: a place for each place and colour, a transition for each transition and
//! binding of its variables.
//!
//! **Problem.** A transition with five variables of forty values has a hundred million bindings, of which
//! few can ever fire: its guard forbids most of the others, or a place that nothing is put into lacks
//! the token.
//!
//! **Idea.** Values are bound one variable after the other, and each part of the guard, and each token taken
//! from a place that no transition fills, is looked at as soon as its last variable is bound. What is left
//! and still cannot fire, because it needs a token that nobody can ever produce, is found afterwards by a
//! fixpoint and left out together with the places that are never marked.
//!
//! **Limits.** Bindings are counted before the first transition is made: a net with more of them than somebody
//! wants, or with more than [`MOST_TRIALS`] trials, is not unfolded.

use std::collections::{BTreeMap, HashMap};

use evenhand_source::{Diagnostic, spend};

use super::sorts::Colour;
use super::terms::{Guard, Term};
use super::{ColouredNet, Pattern};
use crate::flat::{add, transition};
use crate::net::{Arcs, Net, Place};
use crate::pnml::ArcKind;

/// How often a variable is bound in one net.
const MOST_TRIALS: u64 = 100_000_000;
/// The net that a coloured one is unfolded to; none if it has more bindings than `most`.
///
/// # Errors
/// The first thing that has no meaning.
pub(crate) fn unfold(coloured: &ColouredNet, most: usize) -> Result<Option<Net>, Diagnostic> {
    let mut unfolding = Unfolding {
        coloured,
        colours: Vec::new(),
        numbers: vec![HashMap::new(); coloured.places.len()],
        found: Vec::new(),
        trials: 0,
        counted: Some(0),
        most,
    };
    unfolding.number_initial();
    for counted in [Some(0), None] {
        (unfolding.counted, unfolding.trials) = (counted, 0);
        for (number, pattern) in coloured.patterns.iter().enumerate() {
            match unfolding.bindings(number, pattern) {
                Ok(()) => {}
                Err(Stopped::TooLarge) => return Ok(None),
                Err(Stopped::Wrong(problem)) => return Err(problem),
            }
        }
    }
    unfolding.net().map(Some)
}

/// Why a net is not unfolded.
enum Stopped {
    TooLarge,
    Wrong(Diagnostic),
}

/// The arcs of a transition for one binding: by places of the unfolded net.
struct Bound {
    pattern: usize,
    binding: Vec<u32>,
    arcs: BTreeMap<usize, Arcs>,
}

struct Unfolding<'u> {
    coloured: &'u ColouredNet,
    /// For each unfolded place its place and colour.
    colours: Vec<(usize, Colour)>,
    /// The numbers of the colours of each place, as they are met.
    numbers: Vec<HashMap<Colour, usize>>,
    found: Vec<Bound>,
    trials: u64,
    /// The bindings that were counted, while nothing is made of them.
    counted: Option<usize>,
    most: usize,
}

impl Unfolding<'_> {
    fn number_initial(&mut self) {
        for (place, coloured) in self.coloured.places.iter().enumerate() {
            for colour in coloured.initial.keys() {
                self.number(place, colour);
            }
        }
    }

    fn number(&mut self, place: usize, colour: &Colour) -> usize {
        if let Some(&known) = self.numbers[place].get(colour) {
            return known;
        }
        let number = self.colours.len();
        self.colours.push((place, colour.clone()));
        self.numbers[place].insert(colour.clone(), number);
        number
    }

    /// All bindings of a transition that its guard allows.
    fn bindings(&mut self, number: usize, pattern: &Pattern) -> Result<(), Stopped> {
        let sorts = &self.coloured.sorts;
        let mut binding = vec![0; sorts.slot_count()];
        let slots = &pattern.slots;
        let place_of = |slot: usize| slots.iter().position(|&s| s == slot).map_or(0, |at| at + 1);
        // What can be looked at when so many variables are bound.
        let mut checks: Vec<Vec<Check<'_>>> = (0..=slots.len()).map(|_| Vec::new()).collect();
        for guard in &pattern.guard {
            let mut last = 0;
            guard.slots(&mut |slot| last = last.max(place_of(slot)));
            checks[last].push(Check::Guard(guard));
        }
        for (place, kind, takes, what) in &pattern.arcs {
            let asks = *takes && matches!(kind, ArcKind::Normal | ArcKind::Test);
            if asks && !self.coloured.places[*place].is_filled {
                for (count, term) in what.terms().unwrap_or_default() {
                    let mut last = 0;
                    term.slots(&mut |slot| last = last.max(place_of(slot)));
                    checks[last].push(Check::Tokens(*place, *count, term));
                }
            }
        }
        if !self.passes(&checks[0], &binding) {
            return Ok(());
        }
        // The value of each variable that is tried now.
        let mut depth = 0;
        let mut next = vec![0; slots.len() + 1];
        loop {
            if depth == slots.len() {
                self.bound(number, pattern, &binding)?;
            } else if next[depth] < sorts.slot_size(slots[depth]) {
                binding[slots[depth]] = next[depth];
                next[depth] += 1;
                self.trial()?;
                if self.passes(&checks[depth + 1], &binding) {
                    depth += 1;
                    next[depth] = 0;
                }
                continue;
            }
            match depth.checked_sub(1) {
                Some(before) => depth = before,
                None => return Ok(()),
            }
        }
    }

    fn trial(&mut self) -> Result<(), Stopped> {
        spend();
        self.trials += 1;
        match self.trials > MOST_TRIALS {
            true => Err(Stopped::TooLarge),
            false => Ok(()),
        }
    }

    fn passes(&self, checks: &[Check<'_>], binding: &[u32]) -> bool {
        checks.iter().all(|check| match check {
            Check::Guard(guard) => guard.holds(&self.coloured.sorts, binding),
            Check::Tokens(place, count, term) => {
                let initial = &self.coloured.places[*place].initial;
                let tokens = |colour: &Colour| initial.get(colour).copied().unwrap_or(0);
                let wanted = term.colours(&self.coloured.sorts, binding);
                wanted
                    .iter()
                    .all(|colour| *count <= i64::from(tokens(colour)))
            }
        })
    }

    /// Adds a transition for a binding.
    fn bound(&mut self, number: usize, pattern: &Pattern, binding: &[u32]) -> Result<(), Stopped> {
        if let Some(count) = &mut self.counted {
            *count += 1;
            return match *count > self.most {
                true => Err(Stopped::TooLarge),
                false => Ok(()),
            };
        }
        let mut arcs: BTreeMap<usize, Arcs> = BTreeMap::new();
        for (place, kind, takes, what) in &pattern.arcs {
            for (colour, count) in what.evaluate(&self.coloured.sorts, binding) {
                let Ok(count) = u64::try_from(count) else {
                    let message = "an arc of this transition moves less than nothing";
                    return Err(Stopped::Wrong(Diagnostic::error(pattern.span, message)));
                };
                if count == 0 {
                    continue;
                }
                let place = self.number(*place, &colour);
                add(arcs.entry(place).or_default(), *kind, *takes, count);
            }
        }
        self.found.push(Bound {
            pattern: number,
            binding: pattern.slots.iter().map(|&slot| binding[slot]).collect(),
            arcs,
        });
        Ok(())
    }

    /// Which places can be marked, and which transitions could fire if all tokens were kept.
    fn possible(&self) -> (Vec<bool>, Vec<bool>) {
        let tokens = |(place, colour): &(usize, Colour)| {
            let initial = &self.coloured.places[*place].initial;
            initial.get(colour).is_some_and(|&count| count > 0)
        };
        let mut marked: Vec<bool> = self.colours.iter().map(tokens).collect();
        // For each transition how many places it asks for are never marked as far as is known, and who waits for a
        // place.
        let asks = |arcs: &Arcs| arcs.takes.max(arcs.tests) > 0;
        let mut missing = vec![0u32; self.found.len()];
        let mut waiting: Vec<Vec<u32>> = vec![Vec::new(); marked.len()];
        for (number, bound) in self.found.iter().enumerate() {
            spend();
            for (&place, _) in bound.arcs.iter().filter(|(_, arcs)| asks(arcs)) {
                if !marked[place] {
                    missing[number] += 1;
                    waiting[place].push(number as u32);
                }
            }
        }
        let mut fires = vec![false; self.found.len()];
        let ready = (0..self.found.len()).filter(|&number| missing[number] == 0);
        let mut open: Vec<u32> = ready.map(|number| number as u32).collect();
        while let Some(number) = open.pop() {
            spend();
            fires[number as usize] = true;
            let arcs = self.found[number as usize].arcs.iter();
            for (&place, _) in arcs.filter(|(_, arcs)| arcs.gives > 0) {
                if std::mem::replace(&mut marked[place], true) {
                    continue;
                }
                for &other in &waiting[place] {
                    missing[other as usize] -= 1;
                    if missing[other as usize] == 0 {
                        open.push(other);
                    }
                }
            }
        }
        (marked, fires)
    }

    fn net(self) -> Result<Net, Diagnostic> {
        let (sorts, patterns) = (&self.coloured.sorts, &self.coloured.patterns);
        let (marked, fires) = self.possible();
        let mut net = Net::default();
        for place in &self.coloured.places {
            net.place_names.insert(place.id.clone(), Vec::new());
        }
        for pattern in patterns {
            net.transition_names.insert(pattern.id.clone(), Vec::new());
        }
        // Places in the order of the text, their colours in order.
        let mut order: Vec<usize> = (0..self.colours.len()).filter(|&at| marked[at]).collect();
        order.sort_by(|&a, &b| self.colours[a].cmp(&self.colours[b]));
        let mut new = vec![None; self.colours.len()];
        for (number, &at) in order.iter().enumerate() {
            new[at] = Some(number);
            let (place, colour) = &self.colours[at];
            let coloured = &self.coloured.places[*place];
            let id = sorts.named(&coloured.id, &coloured.domain, colour);
            enter(&mut net.place_names, &coloured.id, &id, number);
            let initial = coloured.initial.get(colour).copied().unwrap_or(0);
            net.places.push(Place { id, initial });
        }
        for (bound, _) in self.found.iter().zip(&fires).filter(|(_, fires)| **fires) {
            let pattern = &patterns[bound.pattern];
            let slots = pattern.slots.iter();
            let domain: Vec<usize> = slots.map(|&slot| sorts.slot_sort(slot)).collect();
            let id = sorts.named(&pattern.id, &domain, &bound.binding);
            // A place that is never marked inhibits nobody, and nobody can take from it.
            let arcs = bound.arcs.iter();
            let arcs = arcs
                .filter_map(|(&place, arcs)| Some((new[place]?, *arcs)))
                .collect();
            enter(
                &mut net.transition_names,
                &pattern.id,
                &id,
                net.transitions.len(),
            );
            net.transitions.push(transition(&id, pattern.span, &arcs)?);
        }
        Ok(net)
    }
}

/// Enters a node under its own name, and under that of the node it was unfolded from.
pub(super) fn enter(names: &mut HashMap<String, Vec<u32>>, family: &str, own: &str, number: usize) {
    names
        .entry(family.to_string())
        .or_default()
        .push(number as u32);
    if own != family {
        names
            .entry(own.to_string())
            .or_default()
            .push(number as u32);
    }
}

/// What is looked at before a binding is complete.
enum Check<'p> {
    Guard(&'p Guard),
    /// The tokens are there, in a place that nobody fills.
    Tokens(usize, i64, &'p Term),
}
