//! What the parts of the next-state action look at and change.
//!
//! Whoever learns a relation asks a part of the next-state action once for the values of the variables that it looks at. The
//! action is taken apart here along its disjunctions, through quantifiers, definitions and `LET`; a part is told by the
//! branches that lead to it. What a part reads is everything that its text, and all that this text leads to, could read: bounds
//! of quantifiers and conditions on the way included. A variable that is sometimes assigned and sometimes left unchanged is read
//! too, and so is one whose next value is read where it may be the old one. Where a text has a search of its own
//! (`ENABLED`, `\cdot`), or values come from elsewhere, everything counts as read.

use std::collections::BTreeSet;

use super::Program;
use super::kept::{All, Uses};
use crate::code::{Act, Code, Op, Var};

/// How far the walk goes down.
const DEEPEST: usize = 32;

/// Variables.
pub(crate) type Vars = BTreeSet<Var>;

/// A part of the next-state action.
#[derive(Debug)]
pub(crate) struct Part {
    /// At each disjunction on the way, which branch leads there.
    pub branches: Box<[u32]>,
    /// What its steps depend on.
    pub reads: Vars,
    /// What its steps may change.
    pub writes: Vars,
    /// What it always gives a value of its own.
    pub assigned: Vars,
    /// The action that all of its steps are called after, where that is known.
    pub action: Option<u32>,
    /// The actions of fairness that it has in it.
    pub watched: BTreeSet<u32>,
}

/// The variables that an expression depends on.
#[derive(Debug, Default)]
pub(crate) struct Look {
    now: Vars,
    next: Vars,
    /// Whether it but compares next values with present ones, variable by variable: then what stays the same says nothing.
    compares: bool,
}

impl Look {
    /// The variables that it depends on behind a step of a part.
    pub fn behind(&self, part: &Part) -> Vars {
        if self.compares {
            return self.next.intersection(&part.writes).copied().collect();
        }
        let next = self.next.difference(&part.assigned);
        self.now.iter().chain(next).copied().collect()
    }

    /// The variables that it depends on in a state.
    pub fn here(&self) -> &Vars {
        &self.now
    }

    fn add(&mut self, uses: &Uses, variables: usize) {
        if uses.is_odd {
            self.now.extend(all(variables));
            return;
        }
        for &(row, variable) in &uses.read {
            match row {
                0 => self.now.insert(variable),
                _ => self.next.insert(variable),
            };
        }
    }
}

/// What learning a relation needs to know.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    pub parts: Vec<Part>,
    /// What constraints and properties of steps depend on.
    pub judged: Look,
    /// For each action of fairness, what it takes to know that its subscript changes; none where that is no question of steps.
    pub changed: Vec<Option<Look>>,
    /// For each proposition that is a predicate.
    pub propositions: Vec<Option<Look>>,
}

/// Expressions besides the next-state action.
pub(crate) struct Beside<'c> {
    pub judged: Vec<&'c mut Code>,
    pub changed: Vec<Option<&'c mut Code>>,
    pub propositions: Vec<Option<&'c mut Code>>,
}

fn all(variables: usize) -> impl Iterator<Item = Var> {
    (0..variables).map_while(|variable| Var::try_from(variable).ok())
}

impl Program {
    /// What the parts of the next-state action and other expressions look at and change.
    pub fn effects(&mut self, next: Option<&mut Act>, beside: Beside<'_>) -> Effects {
        let overview = All::of(self);
        let variables = self.variables.len();
        let pieces: Vec<Changes> = self
            .act_pieces
            .iter()
            .map(|piece| Changes::of(&piece.act))
            .collect();
        let mut splitting = Splitting {
            all: &overview,
            pieces: &pieces,
            variables,
            branches: Vec::new(),
            parts: Vec::new(),
        };
        if let Some(next) = next {
            splitting.split(next, &Way::default());
        }
        let parts = splitting.parts;
        let look = |code: &mut Code| {
            let mut look = Look::default();
            let uses = overview.closed(Uses::of(code), &Default::default());
            look.add(&uses, variables);
            look
        };
        let mut judged = Look::default();
        for code in beside.judged {
            let own = look(code);
            judged.now.extend(own.now);
            judged.next.extend(own.next);
        }
        let change = |code: &mut Code| Look {
            compares: self.compares(code),
            ..look(code)
        };
        let changed = beside.changed.into_iter();
        let changed = changed.map(|code| code.map(change)).collect();
        let propositions = beside.propositions.into_iter();
        Effects {
            parts,
            judged,
            changed,
            propositions: propositions.map(|code| code.map(look)).collect(),
        }
    }

    /// Whether code says that a variable, or some of a tuple of them, has another value behind the step.
    fn compares(&self, code: &Code) -> bool {
        let Op::Not(same) = &code.op else {
            return false;
        };
        let Op::Equal(after, before) = &same.op else {
            return false;
        };
        self.is_variables(after, 0) && self.is_variables(before, 0)
    }

    /// Whether code is a variable, or a tuple of them.
    fn is_variables(&self, code: &Code, depth: usize) -> bool {
        match &code.op {
            Op::Variable(..) => true,
            Op::Tuple(parts) => parts.iter().all(|part| self.is_variables(part, depth)),
            Op::Call(number, _, args) if args.is_empty() && depth < DEEPEST => {
                let piece = self.pieces.get(*number as usize);
                piece.is_some_and(|piece| self.is_variables(&piece.code, depth + 1))
            }
            _ => false,
        }
    }
}

/// What an action may do to variables.
#[derive(Clone, Debug, Default)]
struct Changes {
    assigned: Vars,
    unchanged: Vars,
    pieces: BTreeSet<u32>,
    watched: BTreeSet<u32>,
    /// Whether steps in it may be called after other actions than those around it.
    names: bool,
    /// Whether it cannot be told what it changes.
    is_odd: bool,
}

impl Changes {
    fn of(act: &Act) -> Changes {
        let mut changes = Changes::default();
        changes.add(act);
        changes
    }

    fn add(&mut self, act: &Act) {
        match act {
            Act::And(list) | Act::Or(list) => list.iter().for_each(|part| self.add(part)),
            Act::Exists(_, body) | Act::All(_, body, _) | Act::Let(_, body) => self.add(body),
            Act::Kept(_, body) => self.add(body),
            Act::If(_, yes, no) => {
                self.add(yes);
                self.add(no);
            }
            Act::Case(arms, other, _) => {
                arms.iter().for_each(|(_, part)| self.add(part));
                if let Some(other) = other {
                    self.add(other);
                }
            }
            Act::Assign(row, variable, _)
            | Act::AssignIn(row, variable, ..)
            | Act::AssignSubset(row, variable, ..) => {
                self.is_odd |= *row != 1;
                self.assigned.insert(*variable);
            }
            Act::Unchanged(next, now, variable, _) => {
                self.is_odd |= (*next, *now) != (1, 0);
                self.unchanged.insert(*variable);
            }
            Act::Test(_) => {}
            Act::Compose(..) => self.is_odd = true,
            Act::Named(_, _, body) => {
                self.names = true;
                self.add(body);
            }
            Act::Watched(number, _, body) => {
                self.watched.insert(*number);
                self.add(body);
            }
            Act::Call(number, ..) => {
                self.names = true;
                self.pieces.insert(*number);
            }
        }
    }

    /// With the definitions that it calls.
    fn closed(mut self, pieces: &[Changes]) -> Changes {
        let mut done = BTreeSet::new();
        while let Some(&piece) = self.pieces.difference(&done).next() {
            done.insert(piece);
            match pieces.get(piece as usize) {
                Some(other) => {
                    self.assigned.extend(&other.assigned);
                    self.unchanged.extend(&other.unchanged);
                    self.pieces.extend(&other.pieces);
                    self.watched.extend(&other.watched);
                    self.is_odd |= other.is_odd;
                }
                None => self.is_odd = true,
            }
        }
        self
    }
}

/// What lies on the way to a part.
#[derive(Clone, Debug, Default)]
struct Way {
    uses: Uses,
    action: Option<u32>,
    watched: BTreeSet<u32>,
    depth: usize,
}

/// The walk through the next-state action.
struct Splitting<'p> {
    all: &'p All,
    pieces: &'p [Changes],
    variables: usize,
    branches: Vec<u32>,
    parts: Vec<Part>,
}

impl Splitting<'_> {
    fn split(&mut self, act: &mut Act, way: &Way) {
        let mut way = way.clone();
        way.depth += 1;
        if way.depth > DEEPEST {
            self.part(act, way);
            return;
        }
        match act {
            Act::Or(list) if !list.is_empty() => {
                for (number, part) in (0..).zip(list.iter_mut()) {
                    self.branches.push(number);
                    self.split(part, &way);
                    self.branches.pop();
                }
            }
            // The last one has nothing behind it.
            Act::And(list) if is_guarded(list) => {
                let Some((last, before)) = list.split_last_mut() else {
                    return;
                };
                before.iter_mut().for_each(|test| way.uses.add_act(test));
                self.split(last, &way);
            }
            Act::Exists(binds, body) => {
                let sets = binds.iter_mut();
                sets.for_each(|bind| way.uses.add(&mut bind.set));
                self.split(body, &way);
            }
            Act::Let(thunks, body) => {
                let codes = thunks.iter_mut();
                codes.for_each(|(thunk, _)| way.uses.add(&mut thunk.code));
                self.split(body, &way);
            }
            Act::Named(number, args, body) => {
                args.iter_mut().for_each(|arg| way.uses.add(arg));
                way.action = Some(*number);
                self.split(body, &way);
            }
            Act::Watched(number, args, body) => {
                args.iter_mut().for_each(|arg| way.uses.add(arg));
                way.watched.insert(*number);
                self.split(body, &way);
            }
            Act::Kept(_, body) => self.split(body, &way),
            _ => self.part(act, way),
        }
    }

    fn part(&mut self, act: &mut Act, mut way: Way) {
        let changes = Changes::of(act).closed(self.pieces);
        way.uses.add_act(act);
        let uses = self.all.closed(way.uses, &Default::default());
        let both = changes.assigned.intersection(&changes.unchanged);
        let mut reads: Vars = both.copied().collect();
        let mut writes = changes.assigned.clone();
        let mut assigned: Vars = changes.assigned;
        assigned.retain(|variable| !changes.unchanged.contains(variable));
        if uses.is_odd || changes.is_odd {
            reads.extend(all(self.variables));
            assigned.clear();
        }
        if changes.is_odd {
            writes.extend(all(self.variables));
        }
        for &(row, variable) in &uses.read {
            if row == 0 || !assigned.contains(&variable) {
                reads.insert(variable);
            }
        }
        way.watched.extend(changes.watched);
        self.parts.push(Part {
            branches: self.branches.clone().into(),
            reads,
            writes,
            assigned,
            action: way.action.filter(|_| !changes.names),
            watched: way.watched,
        });
    }
}

/// Whether all but the last of some actions are conditions.
fn is_guarded(list: &[Act]) -> bool {
    let Some((_, before)) = list.split_last() else {
        return false;
    };
    before.iter().all(|part| matches!(part, Act::Test(_)))
}
