//! Why a transition cannot fire: how far the search for a binding comes, and what ends it there.
//!
//! The search goes along the stages of the transition as in `fire.rs`, and keeps the binding that came furthest. What its
//! next stage asks is what stands in the way: a token that is not there, or a condition that is false for these values.

use evenhand_source::{Span, spend};
use evenhand_system::explicit::Obstacle;
use evenhand_system::{ActionId, Signature};

use super::body::{NetExplorer, binding};
use super::machine::NoMarking;
use super::transition::{Stage, Transition, set};

/// So many partial bindings are looked at.
const MOST: usize = 100_000;

/// The furthest that the search came: the stage, and the binding then.
struct Furthest {
    stage: usize,
    binding: String,
    left: usize,
}

impl<'a> NetExplorer<'a> {
    /// What stands in the way of a transition in the state that was read.
    pub(super) fn obstacle(&mut self, number: usize, signature: &Signature) -> Option<Obstacle> {
        let transition = self.net.transitions.get(number)?;
        let mut furthest = Furthest {
            stage: 0,
            binding: String::new(),
            left: MOST,
        };
        self.machine.clear(self.body.room);
        self.reach(transition, 0, &mut furthest);
        self.machine.clear(self.body.room);
        let text = |span: Span| {
            let words = signature.files.text(span).split_whitespace();
            words.collect::<Vec<_>>().join(" ")
        };
        let name = |place: super::code::PlaceId| &*self.net.known.places[place.index()].name;
        let empty = |place: super::code::PlaceId| self.marking[place.index()].len() == 0;
        let reason = match transition.stages.get(furthest.stage) {
            Some(Stage::Take(term) | Stage::Choose { term, .. }) if empty(term.place) => {
                format!("`{}` is empty", name(term.place))
            }
            Some(Stage::Take(term) | Stage::Choose { term, .. }) => {
                let (place, token) = (name(term.place), text(term.pattern.span));
                format!("`{place}` has no token for `{token}`")
            }
            Some(Stage::TakeAll(place, _)) => {
                format!("`{}` has not all tokens that are taken", name(*place))
            }
            Some(Stage::Check(gates)) => match gates.as_slice() {
                [gate] => format!("`{}` is false", text(gate.condition.span)),
                _ => "a condition of the gate is false".to_string(),
            },
            Some(Stage::Draw { .. }) => "no value of an output variable will do".to_string(),
            Some(Stage::Set(..)) => "a value cannot be computed".to_string(),
            None => "a transition with a higher priority can fire".to_string(),
        };
        // Where nothing is left to be found, all variables have values.
        let mut left = transition.stages[furthest.stage..].iter();
        let finds = |stage: &Stage| {
            matches!(
                stage,
                Stage::Choose { .. } | Stage::Set(..) | Stage::Draw { .. }
            )
        };
        let reason = match transition.cells.is_empty() || left.any(finds) {
            true => reason,
            false => format!("{reason} for {}", furthest.binding),
        };
        let action = ActionId::new(number);
        Some(Obstacle { action, reason })
    }

    /// Goes on from a stage.
    fn reach(&mut self, transition: &'a Transition, stage: usize, furthest: &mut Furthest) {
        if furthest.left == 0 {
            return;
        }
        spend();
        furthest.left -= 1;
        if stage > furthest.stage {
            furthest.stage = stage;
            furthest.binding = binding(self.net, transition, &self.machine.memory);
        }
        let Some(here) = transition.stages.get(stage) else {
            return;
        };
        match here {
            Stage::Check(gates) => {
                if self.check(gates) == Ok(true) {
                    self.reach(transition, stage + 1, furthest);
                }
            }
            Stage::Take(term) => {
                if let Ok(Some((at, count))) = self.known_token(term) {
                    let place = term.place.index();
                    if count > 0 {
                        self.taken[place][at] += count;
                    }
                    self.reach(transition, stage + 1, furthest);
                    if count > 0 {
                        self.taken[place][at] -= count;
                    }
                }
            }
            Stage::Choose {
                term,
                binds,
                matches,
            } => {
                set(&mut self.machine.memory, &term.settings);
                let Ok(count) = self.count(&term.counts) else {
                    return;
                };
                let place = term.place.index();
                for at in 0..self.marking[place].len() {
                    if self.marking[place].counts[at] - self.taken[place][at] < count {
                        continue;
                    }
                    set(&mut self.machine.memory, &term.settings);
                    if self.matches(place, at, binds, matches) == Ok(true) {
                        self.taken[place][at] += count;
                        self.reach(transition, stage + 1, furthest);
                        self.taken[place][at] -= count;
                    }
                }
            }
            Stage::TakeAll(place, expr) => {
                let Ok(bag) = self.machine.bag(expr, &NoMarking) else {
                    return;
                };
                let place = place.index();
                let own = &self.marking[place];
                let is_there = |at: usize| {
                    own.place(bag.value(at)).is_ok_and(|found| {
                        own.counts[found] - self.taken[place][found] >= bag.counts[at]
                    })
                };
                if (0..bag.len()).all(is_there) {
                    self.take_bag(place, &bag, true);
                    self.reach(transition, stage + 1, furthest);
                    self.take_bag(place, &bag, false);
                }
                self.machine.give_bag(bag);
            }
            Stage::Set(offset, expr) => {
                let top = self.machine.memory.len();
                if let Ok(at) = self.machine.view(expr, &NoMarking) {
                    let size = self.net.known.types.slots(expr.ty);
                    self.machine.memory.copy_within(at..at + size, *offset);
                    self.machine.memory.truncate(top);
                    self.reach(transition, stage + 1, furthest);
                }
            }
            Stage::Draw {
                ty,
                offset,
                condition,
            } => {
                let types = &self.net.known.types;
                let range = *offset..offset + types.slots(*ty);
                let mut value = types.first(*ty);
                while furthest.left > 0 {
                    furthest.left -= 1;
                    self.machine.memory[range.clone()].copy_from_slice(&value);
                    let fits = match condition {
                        Some(condition) => self.machine.truth(condition, &NoMarking),
                        None => Ok(true),
                    };
                    if fits == Ok(true) {
                        self.reach(transition, stage + 1, furthest);
                    }
                    if types.next(*ty, &mut value) {
                        return;
                    }
                }
            }
        }
    }
}
