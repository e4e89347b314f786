//! Levels: constant 0, state 1, action 2, temporal 3.
//!
//! The level of an expression is at least some number, and at least that of the parameters that flow into it: those of
//! the operators around it, and the constants and variables of the module, which an instance replaces. What a
//! definition does with a parameter limits the level of the argument: in `F(x) == x'` it is a state function.

use std::collections::HashMap;

/// A parameter, a constant or a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Id {
    number: u32,
    variable: bool,
}

/// The level of an expression.
#[derive(Clone, Debug, Default)]
pub(super) struct Level {
    /// What it is at least, whatever flows into it.
    fixed: u8,
    /// What flows into it, in order.
    pub flows: Vec<Id>,
}

pub(super) const CONSTANT: u8 = 0;
pub(super) const STATE: u8 = 1;
pub(super) const ACTION: u8 = 2;
pub(super) const TEMPORAL: u8 = 3;

/// So many are put in one by one, most often at the end.
const FEW: usize = 8;

/// The words for levels.
pub(super) fn word(level: u8) -> &'static str {
    match level {
        CONSTANT => "constant",
        STATE => "state",
        ACTION => "action",
        _ => "temporal",
    }
}

impl Level {
    /// A level that depends on nothing.
    pub fn of(fixed: u8) -> Level {
        Level {
            fixed,
            flows: Vec::new(),
        }
    }

    /// The level of parameters, constants and variables.
    pub fn from(flows: Vec<Id>) -> Level {
        Level {
            fixed: CONSTANT,
            flows,
        }
    }

    /// What it is where it stands: variables are of state level, parameters may be constants.
    pub fn base(&self) -> u8 {
        match self.flows.iter().any(|id| id.variable) {
            true => self.fixed.max(STATE),
            false => self.fixed,
        }
    }

    /// The same with other levels in the place of what flows into it; none where it stays.
    pub fn replaced<'l>(&self, by: impl Fn(Id) -> Option<&'l Level>) -> Level {
        let mut result = Level::of(self.fixed);
        for &id in &self.flows {
            match by(id) {
                Some(level) => result.join(level),
                None => result.join(&Level::from(vec![id])),
            }
        }
        result
    }

    /// At least another level.
    pub fn join(&mut self, other: &Level) {
        self.fixed = self.fixed.max(other.fixed);
        if other.flows.len() <= FEW {
            for id in &other.flows {
                if let Err(place) = self.flows.binary_search(id) {
                    self.flows.insert(place, *id);
                }
            }
            return;
        }
        self.flows.extend(&other.flows);
        self.flows.sort_unstable();
        self.flows.dedup();
    }
}

/// What limits parameters.
#[derive(Default)]
pub(super) struct Levels {
    count: u32,
    most: HashMap<Id, u8>,
}

impl Levels {
    /// A new parameter or constant.
    pub fn id(&mut self) -> Id {
        self.count += 1;
        Id {
            number: self.count,
            variable: false,
        }
    }

    /// A new variable.
    pub fn variable(&mut self) -> Id {
        Id {
            variable: true,
            ..self.id()
        }
    }

    /// The highest level that may take the place of a parameter.
    pub fn most(&self, id: Id) -> u8 {
        self.most.get(&id).copied().unwrap_or(TEMPORAL)
    }

    /// Limits what flows into a level; whether the level itself is allowed.
    pub fn limit(&mut self, level: &Level, most: u8) -> bool {
        if most < TEMPORAL {
            for &id in &level.flows {
                let limit = self.most.entry(id).or_insert(most);
                *limit = most.min(*limit);
            }
        }
        level.base() <= most
    }
}
