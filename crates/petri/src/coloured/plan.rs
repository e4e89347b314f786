//! In which order the variables of a transition get their values.
//!
//! **Problem.** A transition with five variables of forty values has a hundred million bindings. In one marking few of them
//! can fire, since few tokens are there.
//!
//! **Idea.** A term on an arc that takes or tests is a pattern: held against a token that is there, it says
//! what its variables are, or that the token is another one. So terms are matched one after the other, each against the
//! tokens of its place; next comes always the term with the fewest values that are still open, since it has the fewest
//! tokens that fit. Variables that no term can tell are tried value by value. Which variables are known behind each stage is
//! the same in all markings, hence all of this is laid down once, and a part of the guard is looked at behind the
//! stage that binds its last variable.
//!
//! Each binding is found once: it says which token each term is.

use evenhand_source::Diagnostic;

use super::sorts::Sorts;
use super::terms::Term;
use super::{ColouredNet, Pattern};
use crate::pnml::ArcKind;

/// A transition may have so many terms and variables: they are followed by recursion.
const MOST_STAGES: usize = 500;

/// One value of a colour.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    Constant(u32),
    /// The value of a slot, so many places on in a circle of a size.
    Slot {
        slot: usize,
        by: u32,
        size: u32,
    },
    /// Each of so many values.
    Each(u32),
}

impl Part {
    /// The value so many places on.
    fn shifted(self, further: u32, size: u32) -> Part {
        match self {
            Part::Constant(value) => Part::Constant((value + further) % size),
            Part::Slot { slot, by, size } => {
                let by = (by + further) % size;
                Part::Slot { slot, by, size }
            }
            Part::Each(size) => Part::Each(size),
        }
    }

    /// Its value under a binding; each value of a sort has none.
    #[inline]
    pub fn value(self, binding: &[u32]) -> Option<u32> {
        match self {
            Part::Constant(value) => Some(value),
            Part::Slot { slot, by, size } => Some((binding[slot] + by) % size),
            Part::Each(_) => None,
        }
    }
}

/// The values of a term, one after the other.
pub(super) fn parts(sorts: &Sorts, term: &Term) -> Vec<Part> {
    match term {
        Term::Slots(slots) => {
            let slots = slots.clone();
            let part = |slot| Part::Slot {
                slot,
                by: 0,
                size: sorts.slot_size(slot),
            };
            slots.map(part).collect()
        }
        Term::Constant(value) => vec![Part::Constant(*value)],
        Term::Shift(of, by, size) => {
            let mut parts = parts(sorts, of);
            if let Some(last) = parts.last_mut() {
                *last = last.shifted(*by, *size);
            }
            parts
        }
        Term::Tuple(list) => list.iter().flat_map(|term| parts(sorts, term)).collect(),
        Term::All(domain) => {
            let each = domain.iter().map(|&sort| Part::Each(sorts.size(sort)));
            each.collect()
        }
    }
}

/// What is done next.
#[derive(Debug)]
pub(super) enum Stage {
    /// Tokens of a place are held against values. Of each it is said whether its slot is bound by that.
    Token {
        place: usize,
        parts: Vec<(Part, bool)>,
    },
    /// A slot gets one value after the other.
    Value { slot: usize, size: u32 },
}

/// The stages of a transition; with each the parts of the guard that can be looked at behind it.
#[derive(Debug)]
pub(super) struct Plan {
    pub stages: Vec<(Stage, Vec<usize>)>,
    /// The parts of the guard without variables.
    pub first: Vec<usize>,
}

impl Plan {
    /// The order for a transition.
    ///
    /// # Errors
    /// If it has too many terms.
    pub fn new(net: &ColouredNet, pattern: &Pattern) -> Result<Plan, Diagnostic> {
        let sorts = &net.sorts;
        let mut open: Vec<(usize, Vec<Part>)> = Vec::new();
        for (place, kind, takes, what) in &pattern.arcs {
            // Where something is taken away from the multiset, a token may not be needed after all.
            if !*takes || !matches!(kind, ArcKind::Normal | ArcKind::Test) {
                continue;
            }
            for (count, term) in what.terms().unwrap_or_default() {
                let parts = parts(sorts, term);
                let is_one = !parts.iter().any(|part| matches!(part, Part::Each(_)));
                if *count > 0 && is_one {
                    open.push((*place, parts));
                }
            }
        }
        let mut known = vec![false; sorts.slot_count()];
        let mut plan = Plan {
            stages: Vec::new(),
            first: Vec::new(),
        };
        while !open.is_empty() {
            let unknown = |(_, parts): &(usize, Vec<Part>)| {
                let slots = parts.iter().filter(|part| match part {
                    Part::Slot { slot, .. } => !known[*slot],
                    _ => false,
                });
                slots.count()
            };
            let best = (0..open.len()).min_by_key(|&at| unknown(&open[at]));
            let (place, parts) = open.remove(best.unwrap_or(0));
            let bound = parts.into_iter().map(|part| match part {
                Part::Slot { slot, .. } => {
                    let is_new = !std::mem::replace(&mut known[slot], true);
                    (part, is_new)
                }
                _ => (part, false),
            });
            let parts = bound.collect();
            plan.stages
                .push((Stage::Token { place, parts }, Vec::new()));
        }
        for &slot in pattern.slots.iter().filter(|&&slot| !known[slot]) {
            let size = sorts.slot_size(slot);
            plan.stages.push((Stage::Value { slot, size }, Vec::new()));
        }
        if plan.stages.len() > MOST_STAGES {
            let message = format!(
                "the net has too many colours to be unfolded, and `{}` has more than {MOST_STAGES} terms and variables",
                pattern.id
            );
            return Err(Diagnostic::error(pattern.span, message));
        }
        plan.place_guards(pattern);
        Ok(plan)
    }

    /// Puts each part of the guard behind the stage that binds its last variable.
    fn place_guards(&mut self, pattern: &Pattern) {
        let binds = |stage: &Stage, wanted: usize| {
            match stage {
            Stage::Token { parts, .. } => parts.iter().any(
                |(part, is_new)| matches!(part, Part::Slot { slot, .. } if *is_new && *slot == wanted),
            ),
            Stage::Value { slot, .. } => *slot == wanted,
        }
        };
        for (number, guard) in pattern.guard.iter().enumerate() {
            let mut last = 0;
            guard.slots(&mut |slot| {
                let at = self.stages.iter().position(|(stage, _)| binds(stage, slot));
                last = last.max(at.map_or(0, |at| at + 1));
            });
            match last.checked_sub(1) {
                Some(stage) => self.stages[stage].1.push(number),
                None => self.first.push(number),
            }
        }
    }
}
