//! Conditions that no reachable marking satisfies, told from the arcs: the state equation.
//!
//! **Problem.** Is there a reachable marking that satisfies a condition? Often there is none for a simple reason, a sum
//! of tokens that never grows, and no marking needs to be explored to know that.
//!
//! **Idea** (Murata; Esparza and Melzer). A reachable marking is the first one plus the effect of each transition times how often
//! it fired, and nothing in it is negative. Constraints on tokens that no such marking meets, whole numbers or not, are
//! never met. A condition is taken apart into constraints; where there is a choice, every alternative must be
//! impossible. That one set of constraints is impossible is shown by weights ([`weights`]), which the simplex
//! method finds ([`simplex`]) in floating point, and which are believed only if they are right in exact numbers.
//!
//! **Limits.** What is not shown to be impossible may still be: nothing is said then. The effort for one condition is
//! bounded.

mod simplex;
mod weights;

use evenhand_source::budget::spend_many;

use self::simplex::Tableau;
use self::weights::{Constraint, is_proof};
use crate::condition::{Condition, Sign};
use crate::net::{MOST_TOKENS, Net};

/// Larger tableaus are not begun, in numbers.
const MOST_NUMBERS: usize = 3_000_000;
/// How much work one condition may be, in numbers that are written.
const EFFORT: usize = 50_000_000;
/// How many alternatives are looked at for one condition.
const MOST_TRIALS: usize = 400;

/// What the arcs of a net say about conditions.
pub(crate) struct StateEquation<'n> {
    net: &'n Net,
    work: usize,
    trials: usize,
}

/// What a condition asks for, with negations gone.
#[derive(Clone, Debug)]
enum Goal {
    /// Nothing meets it.
    Never,
    /// What it asks for is not looked at.
    Anything,
    AtLeast(Constraint),
    All(Vec<Goal>),
    Any(Vec<Goal>),
}

impl<'n> StateEquation<'n> {
    /// That of a net.
    pub fn new(net: &'n Net) -> StateEquation<'n> {
        StateEquation {
            net,
            work: 0,
            trials: 0,
        }
    }

    /// The value that a condition has in every reachable marking, if that can be told.
    pub fn constant(&mut self, condition: &Condition) -> Option<bool> {
        if self.is_never(condition, true) {
            return Some(false);
        }
        self.is_never(condition, false).then_some(true)
    }

    /// Whether no reachable marking gives a condition this value.
    fn is_never(&mut self, condition: &Condition, value: bool) -> bool {
        (self.work, self.trials) = (0, 0);
        let goal = self.goal(condition, value);
        self.refute(Vec::new(), vec![goal])
    }

    fn goal(&self, condition: &Condition, value: bool) -> Goal {
        let list = |parts: &[Condition], all: bool| {
            let parts = parts.iter().map(|part| self.goal(part, value)).collect();
            if all == value {
                Goal::All(parts)
            } else {
                Goal::Any(parts)
            }
        };
        match condition {
            Condition::Constant(constant) if *constant == value => Goal::Anything,
            Condition::Constant(_) => Goal::Never,
            Condition::Fireable(transitions) => {
                let fires = transitions.iter().map(|&t| self.fires(t, value)).collect();
                if value {
                    Goal::Any(fires)
                } else {
                    Goal::All(fires)
                }
            }
            Condition::Dead => Goal::Anything,
            Condition::Compare { sum, sign, number } => compared(sum, *sign, *number, value),
            Condition::Not(inner) => self.goal(inner, !value),
            Condition::All(parts) => list(parts, true),
            Condition::Any(parts) => list(parts, false),
        }
    }

    /// That a transition can fire, or cannot.
    fn fires(&self, transition: u32, value: bool) -> Goal {
        let mut parts = Vec::new();
        for need in &self.net.transitions[transition as usize].needs {
            let sum = [(need.place, 1)];
            if need.least > 0 {
                parts.push(compared(&sum, Sign::AtLeast, need.least.into(), value));
            }
            if need.most < MOST_TOKENS {
                parts.push(compared(&sum, Sign::AtMost, need.most.into(), value));
            }
        }
        if value {
            Goal::All(parts)
        } else {
            Goal::Any(parts)
        }
    }

    /// Whether constraints and goals are never met together.
    fn refute(&mut self, mut constraints: Vec<Constraint>, mut open: Vec<Goal>) -> bool {
        let mut choices: Vec<Vec<Goal>> = Vec::new();
        let mut is_new = false;
        while let Some(goal) = open.pop() {
            match goal {
                Goal::Never => return true,
                Goal::Anything => {}
                Goal::AtLeast(constraint) => {
                    is_new = true;
                    constraints.push(constraint);
                }
                Goal::All(parts) => open.extend(parts),
                Goal::Any(mut parts) if parts.len() == 1 => open.extend(parts.pop()),
                Goal::Any(parts) => choices.push(parts),
            }
        }
        if is_new && self.is_impossible(&constraints) {
            return true;
        }
        // The choice with the fewest alternatives first.
        let fewest = choices
            .iter()
            .enumerate()
            .min_by_key(|(_, parts)| parts.len());
        let Some(fewest) = fewest.map(|(at, _)| at) else {
            return false;
        };
        let alternatives = choices.swap_remove(fewest);
        alternatives.into_iter().all(|alternative| {
            self.trials += 1;
            let mut open: Vec<Goal> = choices.iter().cloned().map(Goal::Any).collect();
            open.push(alternative);
            self.trials <= MOST_TRIALS && self.refute(constraints.clone(), open)
        })
    }

    /// Whether no marking of the state equation meets all constraints.
    fn is_impossible(&mut self, constraints: &[Constraint]) -> bool {
        let size = Tableau::size(self.net, constraints);
        if size > MOST_NUMBERS || self.work + size > EFFORT {
            return false;
        }
        let mut tableau = Tableau::new(self.net, constraints);
        let left = EFFORT - self.work;
        let (found, work) = tableau.infeasible(left);
        self.work += size + work;
        spend_many(size);
        found.is_some_and(|found| found.rounded().any(|w| is_proof(self.net, constraints, &w)))
    }
}

/// A comparison, or its opposite, as constraints.
fn compared(sum: &[(u32, i64)], sign: Sign, number: i64, value: bool) -> Goal {
    let least = |number: Option<i64>| match number {
        Some(least) => Goal::AtLeast(Constraint {
            sum: sum.to_vec(),
            least,
        }),
        None => Goal::Anything,
    };
    let most = |number: Option<i64>| {
        let negated = sum
            .iter()
            .map(|&(place, factor)| (place, factor.checked_neg()));
        let negated = negated.map(|(place, factor)| Some((place, factor?)));
        match (
            negated.collect::<Option<Vec<_>>>(),
            number.and_then(i64::checked_neg),
        ) {
            (Some(sum), Some(least)) => Goal::AtLeast(Constraint { sum, least }),
            _ => Goal::Anything,
        }
    };
    let (above, below) = (number.checked_add(1), number.checked_sub(1));
    match (sign, value) {
        (Sign::Less, true) | (Sign::AtLeast, false) => most(below),
        (Sign::AtMost, true) | (Sign::More, false) => most(Some(number)),
        (Sign::AtLeast, true) | (Sign::Less, false) => least(Some(number)),
        (Sign::More, true) | (Sign::AtMost, false) => least(above),
        (Sign::Equal, true) | (Sign::Different, false) => {
            Goal::All(vec![least(Some(number)), most(Some(number))])
        }
        (Sign::Equal, false) | (Sign::Different, true) => {
            Goal::Any(vec![least(above), most(below)])
        }
    }
}

#[cfg(test)]
mod tests;
