//! The conditions and assignments of the next-state action: what coverage is about.
//!
//! These are the parts of conjunctions and disjunctions, what `IF` and `CASE` ask, and what gives variables values, also
//! in definitions that the action leads to. What depends on nothing is left out.

use std::collections::BTreeSet;

use evenhand_source::Span;

use super::Program;
use crate::code::{Act, Code, Op};

#[derive(Default)]
struct Walk {
    /// Where each stands.
    places: BTreeSet<Span>,
    pieces: BTreeSet<u32>,
    act_pieces: BTreeSet<u32>,
    bodies: BTreeSet<u32>,
}

impl Walk {
    fn condition(&mut self, code: &mut Code) {
        if !code.facts.is_constant() {
            self.places.insert(code.span);
        }
        self.code(code);
    }

    fn code(&mut self, code: &mut Code) {
        match &mut code.op {
            Op::And(list) | Op::Or(list) => {
                list.iter_mut().for_each(|part| self.condition(part));
                return;
            }
            Op::Call(number, ..) => {
                self.pieces.insert(*number);
            }
            Op::Function(_, body) | Op::Filter(_, body) => {
                self.bodies.insert(*body);
            }
            _ => {}
        }
        code.op.parts(&mut |part| self.code(part));
    }

    fn act(&mut self, act: &mut Act) {
        match act {
            Act::And(list) | Act::Or(list) => list.iter_mut().for_each(|part| self.act(part)),
            Act::Exists(binds, body) | Act::All(binds, body, _) => {
                binds.iter_mut().for_each(|bind| self.code(&mut bind.set));
                self.act(body);
            }
            Act::If(condition, yes, no) => {
                self.condition(condition);
                self.act(yes);
                self.act(no);
            }
            Act::Case(arms, other, _) => {
                for (condition, part) in arms {
                    self.condition(condition);
                    self.act(part);
                }
                if let Some(other) = other {
                    self.act(other);
                }
            }
            Act::Let(thunks, body) => {
                thunks
                    .iter_mut()
                    .for_each(|(thunk, _)| self.code(&mut thunk.code));
                self.act(body);
            }
            Act::Assign(_, _, code)
            | Act::AssignIn(_, _, code, _)
            | Act::AssignSubset(_, _, code, _)
            | Act::Test(code) => self.condition(code),
            Act::Compose(_, both) => both.iter_mut().for_each(|act| self.act(act)),
            Act::Named(_, _, body) | Act::Watched(_, _, body) | Act::Kept(_, body) => {
                self.act(body);
            }
            Act::Call(number, _, args, _) => {
                args.iter_mut().for_each(|(arg, _)| self.code(arg));
                self.act_pieces.insert(*number);
            }
            Act::Unchanged(..) => {}
        }
    }
}

impl Program {
    /// Finds the conditions of the next-state action.
    pub fn find_conditions(&mut self, next: &mut Act) {
        let mut walk = Walk::default();
        walk.act(next);
        let mut done = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        loop {
            if let Some(&piece) = walk.pieces.difference(&done.0).next() {
                done.0.insert(piece);
                walk.code(&mut self.pieces[piece as usize].code);
            } else if let Some(&piece) = walk.act_pieces.difference(&done.1).next() {
                done.1.insert(piece);
                walk.act(&mut self.act_pieces[piece as usize].act);
            } else if let Some(&body) = walk.bodies.difference(&done.2).next() {
                done.2.insert(body);
                walk.code(&mut self.bodies[body as usize].code);
            } else {
                break;
            }
        }
        self.conditions = walk.places.into_iter().collect();
    }
}
