//! Which expressions are worth remembering, and by what they are found again.
//!
//! A definition inside of another, an argument, the new value of a variable: such an expression is evaluated again and
//! again for the same values of the names and variables in it. Where making the value takes a loop or makes a function or a
//! set, it is marked ([`Op::Known`]) with what decides it, and the machine looks whether it was evaluated for
//! these before (`machine/known.rs`). What sees other frames, searches or is no function of the state is left as it is.

use std::collections::BTreeSet;

use super::Program;
use super::kept::{All, Uses};
use crate::code::{Act, Argument, Code, Key, Op, Slot};

/// At most so many names and variables decide an expression that is remembered.
pub(crate) const MOST_PARTS: usize = 4;

/// The walk through all code.
pub(super) struct Values<'p> {
    pub all: &'p All,
    pub sites: &'p mut Vec<Box<[Key]>>,
}

impl Values<'_> {
    /// Marks what is in an action.
    pub fn act(&mut self, act: &mut Act) {
        match act {
            Act::And(list) | Act::Or(list) => list.iter_mut().for_each(|part| self.act(part)),
            Act::Exists(binds, body) | Act::All(binds, body, _) => {
                binds.iter_mut().for_each(|bind| self.whole(&mut bind.set));
                self.act(body);
            }
            Act::If(condition, yes, no) => {
                self.inside(condition);
                self.act(yes);
                self.act(no);
            }
            Act::Case(arms, other, _) => {
                for (condition, part) in arms {
                    self.inside(condition);
                    self.act(part);
                }
                if let Some(other) = other {
                    self.act(other);
                }
            }
            Act::Let(thunks, body) => {
                for (thunk, _) in thunks.iter_mut() {
                    self.whole(&mut thunk.code);
                }
                self.act(body);
            }
            Act::Assign(_, _, code) => self.whole(code),
            Act::AssignIn(_, _, code, _) | Act::AssignSubset(_, _, code, _) => self.inside(code),
            Act::Test(code) => self.inside(code),
            Act::Named(_, _, body) | Act::Watched(_, _, body) | Act::Kept(_, body) => {
                self.act(body);
            }
            Act::Call(_, _, args, _) => {
                args.iter_mut().for_each(|(arg, _)| self.whole(arg));
            }
            Act::Unchanged(..) | Act::Compose(..) => {}
        }
    }

    /// Marks what is in an expression.
    pub fn inside(&mut self, code: &mut Code) {
        match &mut code.op {
            Op::Let(thunks, body) => {
                for thunk in thunks.iter_mut() {
                    self.whole(&mut thunk.code);
                }
                self.inside(body);
            }
            Op::Call(_, _, args) => args.iter_mut().for_each(|arg| self.whole(arg)),
            op => op.parts(&mut |part| self.inside(part)),
        }
    }

    /// Marks an expression, or what is in it.
    fn whole(&mut self, code: &mut Code) {
        self.inside(code);
        if !is_made(&code.op) || !code.facts.is_pure() {
            return;
        }
        let uses = self.all.closed(Uses::of(code), &Default::default());
        if uses.is_odd {
            return;
        }
        let needed = certain(code);
        let slots = uses.slots.difference(&uses.bound);
        let slots = slots.map(|slot| Key::Slot(*slot, needed.contains(slot)));
        let variables = uses.read.iter().map(|(row, own)| Key::Variable(*row, *own));
        let keys: Box<[Key]> = slots.chain(variables).collect();
        let Ok(number) = u32::try_from(self.sites.len()) else {
            return;
        };
        if keys.is_empty() || keys.len() > MOST_PARTS {
            return;
        }
        self.sites.push(keys);
        let (span, facts) = (code.span, code.facts);
        let op = std::mem::replace(&mut code.op, Op::Global(0));
        let inner = Code { op, span, facts };
        code.op = Op::Known(number, Box::new(inner));
    }
}

/// Whether evaluating it makes something that is not small.
fn is_made(op: &Op) -> bool {
    match op {
        Op::Except(..) | Op::Sets(..) | Op::Image(..) | Op::Filter(..) | Op::Function(..) => true,
        Op::BigUnion(_) | Op::Choose(..) => true,
        Op::Native(name, ..) => !matches!(*name, "Len" | "Head" | "Last" | "Cardinality"),
        Op::Call(_, _, args) => !args.is_empty(),
        Op::Let(_, body) => is_made(&body.op),
        _ => false,
    }
}

/// The slots that are evaluated whenever the code is.
fn certain(code: &mut Code) -> BTreeSet<Slot> {
    let mut slots = BTreeSet::new();
    add_certain(code, &mut slots);
    slots
}

fn add_certain(code: &mut Code, slots: &mut BTreeSet<Slot>) {
    match &mut code.op {
        Op::Slot(0, slot) => {
            slots.insert(*slot);
        }
        Op::Not(_)
        | Op::PowerSet(_)
        | Op::BigUnion(_)
        | Op::Domain(_)
        | Op::Equal(..)
        | Op::Different(..)
        | Op::In(..)
        | Op::NotIn(..)
        | Op::SubsetOf(..)
        | Op::Arithmetic(..)
        | Op::Sets(..)
        | Op::SetOf(_)
        | Op::Tuple(_)
        | Op::Record(_)
        | Op::Except(..)
        | Op::Functions(..) => code.op.parts(&mut |part| add_certain(part, slots)),
        // Of a function that is applied only one value may be needed.
        Op::Apply(_, args) => args.iter_mut().for_each(|arg| add_certain(arg, slots)),
        Op::Native(_, _, args) => {
            for arg in args {
                if let Argument::Value(code) = arg {
                    add_certain(code, slots);
                }
            }
        }
        Op::Image(_, binds) => {
            if let Some(bind) = binds.first_mut() {
                add_certain(&mut bind.set, slots);
            }
        }
        Op::Choose(bind, _) => add_certain(&mut bind.set, slots),
        Op::Filter(set, _) => add_certain(set, slots),
        Op::Function(sets, _) => {
            if let Some(set) = sets.first_mut() {
                add_certain(set, slots);
            }
        }
        Op::If(condition, ..) => add_certain(condition, slots),
        _ => {}
    }
}

impl Program {
    /// Marks expressions that are remembered, in all code but the cells.
    pub(super) fn keep_values(&mut self, next: &mut Act, all: &All) {
        let mut sites = Vec::new();
        let mut values = Values {
            all,
            sites: &mut sites,
        };
        for piece in &mut self.pieces {
            values.inside(&mut piece.code);
        }
        for piece in &mut self.act_pieces {
            values.act(&mut piece.act);
        }
        for body in &mut self.bodies {
            values.inside(&mut body.code);
        }
        values.act(next);
        self.known_sites = sites;
    }
}
