//! The parts of a formula, what a state asks of the next one, and the states that meet it.

use evenhand_logic::{Binary, Unary};
use evenhand_source::spend;

use super::NoTableau;

/// The parts that are true, a bit for each.
pub(super) type Truth = u128;

/// A part of the formula; operands by place, all before it.
#[derive(Clone, Debug)]
pub(super) enum Part {
    Constant(bool),
    Proposition,
    Not(usize),
    All(Vec<usize>),
    Any(Vec<usize>),
    Implies(usize, usize),
    Equal(usize, usize),
    Different(usize, usize),
    Next(usize),
    /// What it is worth in the beginning, where nothing was before.
    Yesterday(usize, bool),
    Recursion(Recursion),
    /// Whether a recursion is decided here.
    Decided(usize),
}

/// An operator that is decided here, or has the value of the state next to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recursion {
    /// `g or (f and …)`, as until; otherwise `g and (f or …)`, as release.
    pub is_until: bool,
    /// Whether the state next to it is the one before.
    pub is_past: bool,
    /// The value of what is never decided.
    pub default: bool,
    /// The first operand; where there is none, it decides nothing.
    pub left: Option<usize>,
    pub right: usize,
}

impl Recursion {
    /// The value where the operands decide it.
    pub fn decided(&self, truth: Truth) -> Option<bool> {
        let right = is_true(truth, self.right);
        if right == self.is_until {
            return Some(right);
        }
        let left = self.left.map(|left| is_true(truth, left));
        (left == Some(!self.is_until)).then_some(!self.is_until)
    }
}

/// What is asked of a state: parts that must be true or false, and what was true before. `before` has,
/// in the place of an operator of the past, what it takes over from the state before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Demand {
    pub must: Truth,
    pub must_not: Truth,
    pub before: Truth,
}

pub(super) fn is_true(truth: Truth, place: usize) -> bool {
    truth >> place & 1 == 1
}

pub(super) fn bit(place: usize, value: bool) -> Truth {
    Truth::from(value) << place
}

/// What operators of the past take over where nothing was before.
pub(super) fn in_the_beginning(parts: &[Part]) -> Truth {
    let mut before = 0;
    for (place, part) in parts.iter().enumerate() {
        match part {
            Part::Yesterday(_, value) => before |= bit(place, *value),
            Part::Recursion(past) if past.is_past => before |= bit(place, past.default),
            _ => {}
        }
    }
    before
}

pub(super) fn unary(operator: Unary, f: usize) -> Part {
    let recursion = |is_until, is_past| {
        Part::Recursion(Recursion {
            is_until,
            is_past,
            default: !is_until,
            left: None,
            right: f,
        })
    };
    match operator {
        Unary::Next => Part::Next(f),
        Unary::Yesterday => Part::Yesterday(f, false),
        Unary::WeakYesterday => Part::Yesterday(f, true),
        Unary::Finally => recursion(true, false),
        Unary::Globally => recursion(false, false),
        Unary::Once => recursion(true, true),
        Unary::Historically => recursion(false, true),
    }
}

pub(super) fn binary(operator: Binary, f: usize, g: usize) -> Part {
    let (is_until, is_past, default) = match operator {
        Binary::Until => (true, false, false),
        Binary::WeakUntil => (true, false, true),
        Binary::Release => (false, false, true),
        Binary::StrongRelease => (false, false, false),
        Binary::Since => (true, true, false),
        Binary::Trigger => (false, true, true),
    };
    Part::Recursion(Recursion {
        is_until,
        is_past,
        default,
        left: Some(f),
        right: g,
    })
}

/// What a state asks of the next one.
pub(super) fn demand(parts: &[Part], truth: Truth) -> Demand {
    let mut demand = Demand::default();
    for (place, part) in parts.iter().enumerate() {
        let value = is_true(truth, place);
        match *part {
            Part::Next(f) => {
                demand.must |= bit(f, value);
                demand.must_not |= bit(f, !value);
            }
            Part::Yesterday(f, _) => demand.before |= bit(place, is_true(truth, f)),
            Part::Recursion(past) if past.is_past => demand.before |= bit(place, value),
            Part::Recursion(ahead) if ahead.decided(truth).is_none() => {
                demand.must |= bit(place, value);
                demand.must_not |= bit(place, !value);
            }
            _ => {}
        }
    }
    demand
}

/// The search for all states that meet a demand: part by part.
pub(super) struct Meeting<'p> {
    parts: &'p [Part],
    demand: Demand,
    found: Vec<Truth>,
    /// How much may still be looked at.
    left: &'p mut usize,
}

impl Meeting<'_> {
    /// All states that meet a demand.
    pub fn all(parts: &[Part], demand: Demand, left: &mut usize) -> Result<Vec<Truth>, NoTableau> {
        let mut search = Meeting {
            parts,
            demand,
            found: Vec::new(),
            left,
        };
        search.part(0, 0)?;
        Ok(search.found)
    }

    /// All ways to go on from the values of the parts before this one.
    fn part(&mut self, place: usize, truth: Truth) -> Result<(), NoTableau> {
        spend();
        *self.left = self.left.checked_sub(1).ok_or(NoTableau::TooLarge)?;
        if place == self.parts.len() {
            self.found.push(truth);
            return Ok(());
        }
        let of = |f: &usize| is_true(truth, *f);
        let before = is_true(self.demand.before, place);
        // Where the operands do not decide it, both values are tried.
        let value = match &self.parts[place] {
            Part::Constant(value) => Some(*value),
            Part::Proposition | Part::Next(_) => None,
            Part::Not(f) => Some(!of(f)),
            Part::All(list) => Some(list.iter().all(of)),
            Part::Any(list) => Some(list.iter().any(of)),
            Part::Implies(f, g) => Some(!of(f) || of(g)),
            Part::Equal(f, g) => Some(of(f) == of(g)),
            Part::Different(f, g) => Some(of(f) != of(g)),
            Part::Yesterday(..) => Some(before),
            Part::Decided(place) => match &self.parts[*place] {
                Part::Recursion(recursion) => Some(recursion.decided(truth).is_some()),
                _ => Some(true),
            },
            Part::Recursion(past) if past.is_past => Some(past.decided(truth).unwrap_or(before)),
            Part::Recursion(ahead) => ahead.decided(truth),
        };
        for choice in [false, true] {
            let is_forbidden = match choice {
                true => is_true(self.demand.must_not, place),
                false => is_true(self.demand.must, place),
            };
            if value.is_none_or(|value| value == choice) && !is_forbidden {
                self.part(place + 1, truth | bit(place, choice))?;
            }
        }
        Ok(())
    }
}
