//! What is worth remembering, and by what it is found again.
//!
//! A part of a condition that reads variables and no bound name has the same value wherever these variables have the same values. Where
//! finding it takes a loop, it becomes a definition of its own, which the machine evaluates once for the same
//! values. When all code is there, each such definition is told which variables it reads, however deep in others.

use std::collections::BTreeSet;

use super::{Compiler, PieceState, Program};
use crate::code::{Argument, Code, Op, Piece, Row, Slot, Var};
use crate::machine::MOST_READ;

impl Compiler<'_> {
    /// Makes a condition a definition of its own, where it is worth it.
    pub(super) fn keep(&mut self, code: &mut Code) {
        let facts = code.facts;
        let is_alone = facts.lowest == Slot::MAX && facts.rows != 0 && facts.is_pure();
        if !is_alone || matches!(&code.op, Op::Call(_, _, args) if args.is_empty()) {
            return;
        }
        if !is_costly(code) {
            return;
        }
        let number = u32::try_from(self.open_pieces.len()).unwrap_or(u32::MAX);
        let op = std::mem::replace(&mut code.op, Op::Call(number, 0, Box::default()));
        let span = code.span;
        self.open_pieces.push(Some(Piece {
            frame: self.first(),
            params: Box::default(),
            code: Code { op, span, facts },
            memo: facts.rows,
            reads: Box::default(),
        }));
        let needs = Vec::new();
        self.piece_states.push(PieceState::Done { facts, needs });
    }
}

/// Whether evaluating code takes a loop.
fn is_costly(code: &mut Code) -> bool {
    match &mut code.op {
        Op::Exists(..) | Op::All(..) | Op::Choose(..) | Op::Filter(..) | Op::Image(..) => true,
        Op::Function(..) | Op::BigUnion(_) | Op::SubsetOf(..) => true,
        Op::In(value, _) if matches!(value.op, Op::Variable(..)) => true,
        Op::Call(_, _, args) if !args.is_empty() => true,
        Op::Native(_, _, args) if args.iter().any(|arg| matches!(arg, Argument::Operator(..))) => {
            true
        }
        Op::Enabled(..) | Op::Composed(..) => false,
        op => {
            let mut costly = false;
            op.parts(&mut |part| costly = costly || is_costly(part));
            costly
        }
    }
}

/// What a piece of code reads by itself, and what else it leads to.
#[derive(Debug, Default)]
struct Reads {
    variables: BTreeSet<(Row, Var)>,
    pieces: Vec<u32>,
    bodies: Vec<u32>,
    /// Whether it has a search of its own, which reads more than can be told.
    searches: bool,
}

impl Reads {
    fn of(code: &mut Code) -> Reads {
        let mut reads = Reads::default();
        reads.add(code);
        reads
    }

    fn add(&mut self, code: &mut Code) {
        match &mut code.op {
            Op::Variable(row, variable) => {
                self.variables.insert((*row, *variable));
            }
            Op::Call(number, ..) => self.pieces.push(*number),
            Op::Function(_, body) | Op::Filter(_, body) => self.bodies.push(*body),
            Op::Enabled(..) | Op::Composed(..) => self.searches = true,
            _ => {}
        }
        code.op.parts(&mut |part| self.add(part));
    }
}

impl Program {
    /// Tells definitions whose values are kept which variables they read, where these are few.
    pub(super) fn find_reads(&mut self) {
        let pieces = self.pieces.iter_mut();
        let pieces: Vec<Reads> = pieces.map(|piece| Reads::of(&mut piece.code)).collect();
        let bodies = self.bodies.iter_mut();
        let bodies: Vec<Reads> = bodies.map(|body| Reads::of(&mut body.code)).collect();
        for (number, piece) in self.pieces.iter_mut().enumerate() {
            if piece.memo == 0 {
                continue;
            }
            let mut seen = (vec![false; pieces.len()], vec![false; bodies.len()]);
            seen.0[number] = true;
            let mut open = vec![&pieces[number]];
            let mut all = BTreeSet::new();
            let mut searches = false;
            while let Some(reads) = open.pop() {
                searches |= reads.searches;
                all.extend(reads.variables.iter().copied());
                for &other in &reads.pieces {
                    if !std::mem::replace(&mut seen.0[other as usize], true) {
                        open.push(&pieces[other as usize]);
                    }
                }
                for &other in &reads.bodies {
                    if !std::mem::replace(&mut seen.1[other as usize], true) {
                        open.push(&bodies[other as usize]);
                    }
                }
            }
            if !searches && all.len() <= MOST_READ {
                piece.reads = all.into_iter().collect();
            }
        }
    }
}
