//! The relation body: a fair system as constraints over its variables now and in the next state.
//!
//! The initial condition, the invariant and the steps are expressions over typed finite variables;
//! the steps come as a *partition*: a step satisfies all constraints of some [`Part`]. A
//! synchronous model has one part; an interleaving has one for each process, with constraints that
//! keep the variables it does not touch. Justice, compassion and propositions are expressions over
//! one state.
//!
//! The symbolic engine builds its decision diagrams from this; [`Enumerated`] explores it by plain
//! enumeration, which serves small domains, tests, and the replay of counterexamples. A system that
//! can be given this way is [`Relational`]; others refuse and say why.
//!
//! The arithmetic is exact: integers do not wrap around (an overflow is an error), words do where
//! [`Node::Wrap`] says so.

mod along;
mod body;
mod choices;
mod compose;
mod draw;
mod encode;
mod enumerate;
mod evaluate;
mod expression;
mod interval;
mod network;
mod obstacles;
mod solve;
mod wide;

pub use along::Along;
pub use body::RelationBody;
pub use enumerate::Enumerated;
pub use evaluate::{Compiled, Environment, Undefined, operate};
pub use expression::{BinaryOp, ExprId, Expressions, Node, UnaryOp, VarId, Word};
pub use interval::{Always, always};
pub use wide::Wide;

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use evenhand_source::Span;

use crate::compose::ProcessId;
use crate::fairness::{Compassion, PropositionId};
use crate::program::Program;

/// What values a variable has. All are numbers: a truth value 0 or 1, a name its place in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A truth value.
    Bool,
    /// One of some names.
    Enumeration(Vec<String>),
    /// An integer from the first to the second, both included.
    Range(i64, i64),
    /// A machine word.
    Word(Word),
    /// One of these numbers, in ascending order; those from [`FIRST_SYMBOL`] up are names that all
    /// variables share ([`Relation::symbols`]).
    Values(Vec<i64>),
}

/// The number of the first name of [`Relation::symbols`]; integers of a model are smaller.
pub const FIRST_SYMBOL: i64 = 1 << 40;

impl Sort {
    /// The least and the greatest value.
    pub fn bounds(&self) -> (i64, i64) {
        match self {
            Sort::Bool => (0, 1),
            Sort::Enumeration(names) => (0, names.len() as i64 - 1),
            Sort::Range(low, high) => (*low, *high),
            Sort::Word(word) => word.bounds(),
            Sort::Values(list) => match (list.first(), list.last()) {
                (Some(&low), Some(&high)) => (low, high),
                _ => (0, -1),
            },
        }
    }

    /// Whether a number is one of its values.
    pub fn contains(&self, value: i64) -> bool {
        if let Sort::Values(list) = self {
            return list.binary_search(&value).is_ok();
        }
        let (low, high) = self.bounds();
        (low..=high).contains(&value)
    }

    /// All values in ascending order, if there are not more than that many.
    pub fn values(&self, most: usize) -> Option<Vec<i64>> {
        let width = self.width();
        let few = width < most as u64;
        few.then(|| (0..=width).map(|place| self.value(place)).collect())
    }

    /// How many values there are, less one.
    pub(crate) fn width(&self) -> u64 {
        match self {
            Sort::Values(list) => list.len().saturating_sub(1) as u64,
            _ => {
                let (low, high) = self.bounds();
                high.abs_diff(low)
            }
        }
    }

    /// The value at a place, counted from the least one.
    pub(crate) fn value(&self, place: u64) -> i64 {
        match self {
            Sort::Values(list) => list.get(place as usize).copied().unwrap_or(0),
            _ => self.bounds().0.wrapping_add_unsigned(place),
        }
    }
}

/// How a variable changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Part of the state.
    State,
    /// Part of the state, and never changes.
    Frozen,
    /// Belongs to the step and not to the state: the steps mention it as a current variable. So
    /// may propositions, which then are about a state and the input chosen in it.
    Input,
}

/// A variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its values.
    pub sort: Sort,
    /// How it changes.
    pub role: Role,
}

impl Variable {
    /// A variable of the state.
    pub fn new(name: impl Into<String>, sort: Sort) -> Variable {
        Variable {
            name: name.into(),
            sort,
            role: Role::State,
        }
    }
}

/// One way to make a step: all constraints hold. Frozen variables keep their values by themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Who takes part, and the name of what each does; the first one begins the step.
    pub participants: Vec<(ProcessId, String)>,
    /// The constraints, over current and next variables.
    pub constraints: Vec<ExprId>,
}

/// A fair system as constraints.
#[derive(Clone, Debug, Default)]
pub struct Relation {
    /// Its name.
    pub name: String,
    /// The variables.
    pub variables: Vec<Variable>,
    /// All expressions.
    pub expressions: Expressions,
    /// The names of the processes; at least one.
    pub processes: Vec<String>,
    /// What initial states satisfy, all of it.
    pub init: Vec<ExprId>,
    /// What every state satisfies, all of it.
    pub invar: Vec<ExprId>,
    /// The ways to make a step.
    pub trans: Vec<Part>,
    /// Variables that are told as one.
    pub wide: Vec<Wide>,
    /// The names that variables may have as values, in the order of their numbers.
    pub symbols: Vec<String>,
    /// Named conditions on states.
    pub propositions: Vec<(String, ExprId)>,
    /// Propositions that a fair run meets infinitely often.
    pub justice: Vec<PropositionId>,
    /// Pairs: a fair run that meets the first infinitely often meets the second so too.
    pub compassion: Vec<Compassion>,
    /// Where constraints are written, as far as they are.
    pub written: Vec<(ExprId, Span)>,
}

/// Why a system cannot be given as a relation, or a relation not be enumerated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The reason, as a sentence.
    pub reason: String,
}

impl Refusal {
    pub(crate) fn new(reason: impl Into<String>) -> Refusal {
        Refusal {
            reason: reason.into(),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Refusal {}

/// A system that may be given as constraints.
pub trait Relational {
    /// Initial condition, partitioned steps, invariant and fairness of the system.
    ///
    /// # Errors
    /// Where the system cannot be given that way; the reason is meant for people.
    fn relation(&self) -> Result<Cow<'_, Relation>, Refusal>;
}

impl Relational for Relation {
    fn relation(&self) -> Result<Cow<'_, Relation>, Refusal> {
        self.check()?;
        Ok(Cow::Borrowed(self))
    }
}

impl Relational for Program {
    fn relation(&self) -> Result<Cow<'_, Relation>, Refusal> {
        Err(Refusal::new(
            "a program has no relation of its own: it is learned from its transition groups",
        ))
    }
}

/// Where an expression stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    State,
    Proposition,
    Step,
}

impl Relation {
    /// The number of a name as a value of variables; new names are added.
    pub fn symbol(&mut self, name: &str) -> i64 {
        let known = self.symbols.iter().position(|s| s == name);
        let at = known.unwrap_or_else(|| {
            self.symbols.push(name.to_string());
            self.symbols.len() - 1
        });
        FIRST_SYMBOL.saturating_add_unsigned(at as u64)
    }

    /// The name that a value stands for, if it does.
    pub fn symbol_name(&self, value: i64) -> Option<&str> {
        let at = value.checked_sub(FIRST_SYMBOL)?;
        let name = self.symbols.get(usize::try_from(at).ok()?)?;
        Some(name)
    }

    /// Whether a proposition is about the input chosen in a state, besides the state.
    pub fn reads_inputs(&self, proposition: PropositionId) -> bool {
        let Some(&(_, expr)) = self.propositions.get(proposition.0 as usize) else {
            return false;
        };
        let (current, _) = self.expressions.support(expr);
        let role = |id: VarId| self.variables.get(id.0 as usize).map(|v| v.role);
        current.into_iter().any(|id| role(id) == Some(Role::Input))
    }

    /// The same system with its inputs as variables of the state: each state also says which input
    /// the next step takes. Runs are the same, states are more; every proposition is one of states.
    pub fn inputs_in_states(mut self) -> Relation {
        for variable in &mut self.variables {
            if variable.role == Role::Input {
                variable.role = Role::State;
            }
        }
        self
    }

    /// Adds a variable.
    pub fn add(&mut self, variable: Variable) -> VarId {
        self.variables.push(variable);
        VarId(self.variables.len() as u32 - 1)
    }

    /// Adds a proposition.
    pub fn add_proposition(&mut self, name: impl Into<String>, expr: ExprId) -> PropositionId {
        self.propositions.push((name.into(), expr));
        PropositionId(self.propositions.len() as u32 - 1)
    }

    /// Whether everything that is mentioned exists and stands where it may.
    ///
    /// # Errors
    /// The first thing that does not.
    pub fn check(&self) -> Result<(), Refusal> {
        let mut names = HashSet::new();
        for variable in &self.variables {
            let name = &variable.name;
            let (low, high) = variable.sort.bounds();
            if low > high {
                return Err(Refusal::new(format!("variable `{name}` has no values")));
            }
            if let Sort::Word(word) = variable.sort
                && !word.is_supported()
            {
                let reason = format!("variable `{name}` is a word of {} bits", word.bits);
                return Err(Refusal::new(reason));
            }
            if let Sort::Values(list) = &variable.sort
                && !list.is_sorted_by(|a, b| a < b)
            {
                let reason = format!("the values of `{name}` are not in ascending order");
                return Err(Refusal::new(reason));
            }
            if !names.insert(name) {
                return Err(Refusal::new(format!("there are two variables `{name}`")));
            }
        }
        let propositions = self.propositions.iter().map(|&(_, expr)| expr);
        for &expr in self.init.iter().chain(&self.invar) {
            self.check_expression(expr, Place::State)?;
        }
        for expr in propositions {
            self.check_expression(expr, Place::Proposition)?;
        }
        for part in &self.trans {
            for &expr in &part.constraints {
                self.check_expression(expr, Place::Step)?;
            }
            let known = |p: &ProcessId| p.index() < self.processes.len();
            if part.participants.is_empty() || !part.participants.iter().all(|(p, _)| known(p)) {
                return Err(Refusal::new("a step in which no known process takes part"));
            }
        }
        let known = |p: &PropositionId| (p.0 as usize) < self.propositions.len();
        let pairs = self.compassion.iter().flat_map(|c| [&c.when, &c.then]);
        if !self.justice.iter().chain(pairs).all(known) {
            return Err(Refusal::new("fairness mentions an unknown proposition"));
        }
        Ok(())
    }

    fn check_expression(&self, expr: ExprId, place: Place) -> Result<(), Refusal> {
        if !self.expressions.contains(expr) {
            return Err(Refusal::new("an expression does not exist"));
        }
        for node in self.expressions.closure(expr) {
            let (id, next) = match *self.expressions.node(node) {
                Node::Current(id) => (id, false),
                Node::Next(id) => (id, true),
                Node::Wrap(word, _) if !word.is_supported() => {
                    return Err(Refusal::new(format!("a word of {} bits", word.bits)));
                }
                _ => continue,
            };
            let Some(variable) = self.variables.get(id.0 as usize) else {
                return Err(Refusal::new("an expression mentions an unknown variable"));
            };
            let name = &variable.name;
            if next && place != Place::Step {
                let reason = format!("the next value of `{name}` in a condition on one state");
                return Err(Refusal::new(reason));
            }
            if variable.role == Role::Input && (next || place == Place::State) {
                let reason = format!("input `{name}` stands where only states may be mentioned");
                return Err(Refusal::new(reason));
            }
        }
        Ok(())
    }
}
