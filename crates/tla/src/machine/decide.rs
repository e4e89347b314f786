//! An action whose variables all have values: a predicate of the step.
//!
//! TLC looks for further ways only as long as a variable has no value. From then on what remains of an action is
//! evaluated from left to right, and a disjunction is true as soon as one part is. So the same state is
//! not found once for each true part.

use super::{Found, Machine, Sink};
use crate::code::{Act, Row};
use crate::failure::Failure;

/// Decides the second of two actions from each state that the first one leads to.
struct Second<'c> {
    act: &'c Act,
    base: usize,
    held: bool,
}

impl<'c> Sink<'c> for Second<'c> {
    fn found(&mut self, machine: &mut Machine<'c>) -> Result<Found, Failure> {
        self.held = machine.decide(self.act, self.base)?;
        Ok(match self.held {
            true => Found::Enough,
            false => Found::GoOn,
        })
    }
}

/// Whether an action gives no variable a value and has one way at most, wherever it is searched: then it is decided,
/// and what remains is searched once.
pub(super) fn has_tests_alone(act: &Act) -> bool {
    match act {
        Act::Test(_) => true,
        Act::And(list) => list.iter().all(has_tests_alone),
        Act::If(_, yes, no) => has_tests_alone(yes) && has_tests_alone(no),
        Act::Case(arms, other, _) => {
            let mut bodies = arms.iter().map(|(_, body)| body);
            bodies.all(has_tests_alone) && other.as_deref().is_none_or(has_tests_alone)
        }
        Act::All(_, body, _) | Act::Let(_, body) => has_tests_alone(body),
        _ => false,
    }
}

impl<'c> Machine<'c> {
    /// Whether the step is one of the first action and then one of the second.
    pub(super) fn is_composed(
        &mut self,
        row: Row,
        both: &'c [Act; 2],
        base: usize,
    ) -> Result<bool, Failure> {
        let [first, second] = both;
        let mut second = Second {
            act: second,
            base,
            held: false,
        };
        self.search_row(row, first, base, &mut second)?;
        Ok(second.held)
    }

    /// Whether an action that [has tests alone](has_tests_alone) is true, in the order in which it is searched while
    /// variables have no value.
    pub(super) fn decide_tests(&mut self, act: &'c Act, base: usize) -> Result<bool, Failure> {
        match act {
            Act::And(list) => {
                for part in list {
                    if !self.decide_tests(part, base)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Act::All(binds, body, _) => {
                let (targets, all) = self.conjuncts(binds, base)?;
                for values in all {
                    for (target, value) in targets.iter().zip(values) {
                        self.bind(base, target, value)?;
                    }
                    if !self.decide_tests(body, base)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Act::If(condition, yes, no) => match self.condition(condition, base)? {
                true => self.decide_tests(yes, base),
                false => self.decide_tests(no, base),
            },
            Act::Case(arms, other, span) => {
                for (condition, body) in arms {
                    if self.condition(condition, base)? {
                        return self.decide_tests(body, base);
                    }
                }
                match other {
                    Some(other) => self.decide_tests(other, base),
                    None => Err(Self::no_arm(*span)),
                }
            }
            Act::Let(thunks, body) => {
                self.put_thunks(thunks, base);
                self.decide_tests(body, base)
            }
            // A test.
            _ => self.decide(act, base),
        }
    }

    /// Whether the step satisfies an action.
    pub(super) fn decide(&mut self, act: &'c Act, base: usize) -> Result<bool, Failure> {
        match act {
            Act::And(list) => {
                for part in list {
                    if !self.decide(part, base)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Act::Or(list) => {
                self.check_depth()?;
                for part in list {
                    if self.decide(part, base)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Act::Exists(binds, body) => {
                let none = self.each(binds, base, &mut |this| Ok(!this.decide(body, base)?))?;
                Ok(!none)
            }
            Act::All(binds, body, _) => self.each(binds, base, &mut |this| this.decide(body, base)),
            Act::If(condition, yes, no) => match self.condition(condition, base)? {
                true => self.decide(yes, base),
                false => self.decide(no, base),
            },
            Act::Case(arms, other, span) => {
                for (condition, body) in arms {
                    if self.condition(condition, base)? {
                        return self.decide(body, base);
                    }
                }
                match other {
                    Some(other) => self.decide(other, base),
                    None => Err(Self::no_arm(*span)),
                }
            }
            Act::Let(thunks, body) => {
                self.put_thunks(thunks, base);
                self.decide(body, base)
            }
            Act::Named(_, _, body) | Act::Watched(_, _, body) | Act::Kept(_, body) => {
                self.decide(body, base)
            }
            Act::Call(number, distance, args, _) => {
                let frame = self.frame_of_act(*number, *distance, args, base)?;
                let program = self.program;
                let piece = &program.act_pieces[*number as usize];
                let held = self.decide(&piece.act, frame);
                self.stack.truncate(frame);
                held.map_err(|failure| failure.limit_at(piece.span))
            }
            Act::Test(code) => self.test(code, base),
            Act::Compose(row, both) => self.is_composed(*row, both, base),
            Act::Assign(row, variable, code) => {
                self.cover(code.span, true);
                let value = self.eval(code, base)?;
                let value = self.settled(value)?;
                self.kept.compare(*variable);
                let known = self.variable(*row, *variable)?;
                known.equal(&value).map_err(|failure| failure.at(code.span))
            }
            Act::Unchanged(next, now, variable, span) => {
                self.kept.forget();
                let before = self.variable(*now, *variable);
                let after = self.variable(*next, *variable);
                let same = before.and_then(|before| after?.equal(&before));
                same.map_err(|failure| failure.at(*span))
            }
            Act::AssignIn(row, variable, code, span) => {
                self.cover(code.span, true);
                self.kept.compare(*variable);
                let known = self.variable(*row, *variable)?;
                let inside = self.is_in(&known, code, base);
                inside.map_err(|failure| failure.at(*span))
            }
            Act::AssignSubset(row, variable, code, span) => {
                self.cover(code.span, true);
                let set = self.eval(code, base)?;
                let set = self.settled(set)?;
                self.kept.compare(*variable);
                let known = self.variable(*row, *variable)?;
                known.subset_of(&set).map_err(|failure| failure.at(*span))
            }
        }
    }
}
