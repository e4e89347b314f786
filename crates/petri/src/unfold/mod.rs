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
//! **Limits.** More than [`MOST_TRIALS`] trials, or [`MOST_TRANSITIONS`] transitions, are refused.

mod sorts;
mod terms;

use std::collections::{BTreeMap, HashMap};

use evenhand_source::{Diagnostic, spend};

use self::sorts::{Colour, Sorts};
use self::terms::{Guard, Multiset, Term, compile_guard, compile_multiset};
use crate::flat::{add, transition};
use crate::net::{Arcs, Net, Place};
use crate::pnml::{ArcKind, Node, Written};
use crate::xml::Tree;

/// How often a variable is bound in one net.
const MOST_TRIALS: u64 = 100_000_000;
/// How many transitions a net may be unfolded to.
const MOST_TRANSITIONS: usize = 2_000_000;

/// A place with its colours: a number for each.
struct Coloured {
    domain: Vec<usize>,
    initial: BTreeMap<Colour, u32>,
    /// Whether some transition puts tokens here that it does not take from here.
    is_filled: bool,
    /// The numbers of its colours as places, as they are met.
    numbers: HashMap<Colour, usize>,
}

/// A transition before it is unfolded.
struct Pattern<'w> {
    node: &'w Node,
    guard: Vec<Guard>,
    /// The place, what kind, whether to the transition, and what.
    arcs: Vec<(usize, ArcKind, bool, Multiset)>,
    /// The slots of its variables, in the order they are bound in.
    slots: Vec<usize>,
}

/// The net that a coloured one is unfolded to.
pub(crate) fn unfold(written: &Written) -> Result<Net, Diagnostic> {
    let sorts = Sorts::read(&written.declarations)?;
    let mut places = Vec::new();
    for node in &written.places {
        places.push(coloured(&sorts, node)?);
    }
    let mut patterns: Vec<Pattern<'_>> = Vec::new();
    for node in &written.transitions {
        let guard = match structure(node, "condition") {
            Some(tree) => compile_guard(&sorts, tree)?,
            None => Vec::new(),
        };
        let (arcs, slots) = (Vec::new(), Vec::new());
        patterns.push(Pattern {
            node,
            guard,
            arcs,
            slots,
        });
    }
    for arc in &written.arcs {
        let (place, number, takes) = written.ends(arc)?;
        let tree = arc.term.as_ref().and_then(|term| term.child("structure"));
        let tree = tree.and_then(|tree| tree.children.first());
        let what = match tree {
            Some(tree) => compile_multiset(&sorts, tree, &places[place].domain)?,
            None if places[place].domain.is_empty() => Multiset::one_dot(),
            None => {
                let message = "an arc without an inscription";
                return Err(Diagnostic::error(arc.span, message));
            }
        };
        patterns[number].arcs.push((place, arc.kind, takes, what));
    }
    for pattern in &patterns {
        for place in pattern.fills() {
            places[place].is_filled = true;
        }
    }
    let mut unfolding = Unfolding {
        sorts: &sorts,
        places,
        colours: Vec::new(),
        found: Vec::new(),
        trials: 0,
    };
    unfolding.number_initial();
    for (number, pattern) in patterns.iter_mut().enumerate() {
        pattern.order();
        unfolding.bindings(number, pattern)?;
    }
    unfolding.net(written, &patterns)
}

/// The term inside of a part of a node.
fn structure<'t>(node: &'t Node, name: &str) -> Option<&'t Tree> {
    let part = node.terms.iter().find(|tree| tree.name() == name)?;
    part.child("structure")?.children.first()
}

fn coloured(sorts: &Sorts, node: &Node) -> Result<Coloured, Diagnostic> {
    let domain = match structure(node, "type") {
        Some(tree) => sorts.domain(tree)?,
        None => Vec::new(),
    };
    let mut initial = BTreeMap::new();
    if let Some(tree) = structure(node, "hlinitialMarking") {
        let what = compile_multiset(sorts, tree, &domain)?;
        for (colour, count) in what.evaluate(sorts, &[]) {
            let count = u32::try_from(count).map_err(|_| {
                let message = "a marking has between 0 and 4294967295 tokens of each colour";
                Diagnostic::error(tree.element.span, message)
            })?;
            initial.insert(colour, count);
        }
    }
    Ok(Coloured {
        domain,
        initial,
        is_filled: false,
        numbers: HashMap::new(),
    })
}

impl Pattern<'_> {
    /// The places that it puts more into than it takes.
    fn fills(&self) -> impl Iterator<Item = usize> {
        let gives = self.arcs.iter().filter(|(_, _, takes, _)| !takes);
        gives.filter_map(|(place, _, _, what)| {
            let mut taken = self.arcs.iter().filter(|(from, kind, takes, _)| {
                from == place && *takes && *kind == ArcKind::Normal
            });
            let mut given = self
                .arcs
                .iter()
                .filter(|(to, _, takes, _)| to == place && !takes);
            let (first, only) = (taken.next(), given.nth(1).is_none());
            let is_returned = first.is_some_and(|(.., from)| only && what.is_part_of(from));
            (!is_returned).then_some(*place)
        })
    }

    /// Chooses the order of its variables: those of the arcs and the guard, as they are met.
    fn order(&mut self) {
        // Tokens that are taken bind best: they come first.
        self.arcs
            .sort_by_key(|(_, kind, takes, _)| (*kind != ArcKind::Normal, !takes));
        let mut slots = Vec::new();
        let mut meet = |slot: usize| {
            if !slots.contains(&slot) {
                slots.push(slot);
            }
        };
        self.arcs
            .iter()
            .for_each(|(.., what)| what.slots(&mut meet));
        self.guard.iter().for_each(|guard| guard.slots(&mut meet));
        self.slots = slots;
    }
}

/// The arcs of a transition for one binding: by places of the unfolded net.
struct Bound {
    pattern: usize,
    binding: Vec<u32>,
    arcs: BTreeMap<usize, Arcs>,
}

struct Unfolding<'u> {
    sorts: &'u Sorts,
    places: Vec<Coloured>,
    /// For each unfolded place its place and colour.
    colours: Vec<(usize, Colour)>,
    found: Vec<Bound>,
    trials: u64,
}

impl Unfolding<'_> {
    fn number_initial(&mut self) {
        for place in 0..self.places.len() {
            let colours: Vec<Colour> = self.places[place].initial.keys().cloned().collect();
            for colour in colours {
                self.number(place, &colour);
            }
        }
    }

    fn number(&mut self, place: usize, colour: &Colour) -> usize {
        if let Some(&known) = self.places[place].numbers.get(colour) {
            return known;
        }
        let number = self.colours.len();
        self.colours.push((place, colour.clone()));
        self.places[place].numbers.insert(colour.clone(), number);
        number
    }

    /// All bindings of a transition that its guard allows.
    fn bindings(&mut self, number: usize, pattern: &Pattern<'_>) -> Result<(), Diagnostic> {
        let mut binding = vec![0; self.sorts.slot_count()];
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
            if asks && !self.places[*place].is_filled {
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
            } else if next[depth] < self.sorts.slot_size(slots[depth]) {
                binding[slots[depth]] = next[depth];
                next[depth] += 1;
                self.trial(pattern)?;
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

    fn trial(&mut self, pattern: &Pattern<'_>) -> Result<(), Diagnostic> {
        spend();
        self.trials += 1;
        if self.trials > MOST_TRIALS {
            let message = format!(
                "the net has too many colours to be unfolded: more than {MOST_TRIALS} trials up to `{}`",
                pattern.node.id
            );
            return Err(Diagnostic::error(pattern.node.span, message));
        }
        Ok(())
    }

    fn passes(&self, checks: &[Check<'_>], binding: &[u32]) -> bool {
        checks.iter().all(|check| match check {
            Check::Guard(guard) => guard.holds(self.sorts, binding),
            Check::Tokens(place, count, term) => {
                let initial = &self.places[*place].initial;
                let tokens = |colour: &Colour| initial.get(colour).copied().unwrap_or(0);
                let wanted = term.colours(self.sorts, binding);
                wanted
                    .iter()
                    .all(|colour| *count <= i64::from(tokens(colour)))
            }
        })
    }

    /// Adds a transition for a binding.
    fn bound(
        &mut self,
        number: usize,
        pattern: &Pattern<'_>,
        binding: &[u32],
    ) -> Result<(), Diagnostic> {
        let wrong = |message: &str| Err(Diagnostic::error(pattern.node.span, message));
        let mut arcs: BTreeMap<usize, Arcs> = BTreeMap::new();
        for (place, kind, takes, what) in &pattern.arcs {
            for (colour, count) in what.evaluate(self.sorts, binding) {
                let Ok(count) = u64::try_from(count) else {
                    return wrong("an arc of this transition moves less than nothing");
                };
                if count == 0 {
                    continue;
                }
                let place = self.number(*place, &colour);
                add(arcs.entry(place).or_default(), *kind, *takes, count);
            }
        }
        if self.found.len() >= MOST_TRANSITIONS {
            let message =
                format!("the net is unfolded to more than {MOST_TRANSITIONS} transitions");
            return wrong(&message);
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
            let initial = &self.places[*place].initial;
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

    fn net(self, written: &Written, patterns: &[Pattern<'_>]) -> Result<Net, Diagnostic> {
        let (marked, fires) = self.possible();
        let mut net = Net::default();
        for node in &written.places {
            net.place_names.insert(node.id.clone(), Vec::new());
        }
        for node in &written.transitions {
            net.transition_names.insert(node.id.clone(), Vec::new());
        }
        // Places in the order of the text, their colours in order.
        let mut order: Vec<usize> = (0..self.colours.len()).filter(|&at| marked[at]).collect();
        order.sort_by(|&a, &b| self.colours[a].cmp(&self.colours[b]));
        let mut new = vec![None; self.colours.len()];
        for (number, &at) in order.iter().enumerate() {
            new[at] = Some(number);
            let (place, colour) = &self.colours[at];
            let coloured = &self.places[*place];
            let node = &written.places[*place];
            let id = self.sorts.named(&node.id, &coloured.domain, colour);
            enter(&mut net.place_names, &node.id, &id, number);
            let initial = coloured.initial.get(colour).copied().unwrap_or(0);
            net.places.push(Place { id, initial });
        }
        for (bound, _) in self.found.iter().zip(&fires).filter(|(_, fires)| **fires) {
            let pattern = &patterns[bound.pattern];
            let slots = pattern.slots.iter();
            let domain: Vec<usize> = slots.map(|&slot| self.sorts.slot_sort(slot)).collect();
            let id = self.sorts.named(&pattern.node.id, &domain, &bound.binding);
            // A place that is never marked inhibits nobody, and nobody can take from it.
            let arcs = bound.arcs.iter();
            let arcs = arcs
                .filter_map(|(&place, arcs)| Some((new[place]?, *arcs)))
                .collect();
            enter(
                &mut net.transition_names,
                &pattern.node.id,
                &id,
                net.transitions.len(),
            );
            net.transitions
                .push(transition(&id, pattern.node.span, &arcs)?);
        }
        Ok(net)
    }
}

/// Enters a node under its own name, and under that of the node it was unfolded from.
fn enter(names: &mut HashMap<String, Vec<u32>>, family: &str, own: &str, number: usize) {
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
