//! One piece of code for a whole deterministic sequence.
//!
//! The nodes of a `d_step` are actions with two ways on: one if the action was executable, one if
//! not. Conditions and assignments are code already; here their codes are put one behind the other
//! with jumps between them, so that a loop runs inside of the machine without coming back for each
//! action. Where the code meets what it cannot do (a send, a failed assertion, an action that
//! blocks) it hands back the number of that node, and `sequence.rs` goes on from there.
//!
//! A jump backwards is a [`Op::Turn`]: it costs fuel. Without fuel the code hands back the node it
//! would go to, so that somebody can look whether the sequence ever ends.

use evenhand_source::Span;

use super::code::{Code, CodeId, Mode, Op};
use super::expr::BinaryOp;
use super::memo::Region;
use super::{CompiledAction, CompiledNode};

/// What the code hands back at the end of the sequence.
pub(super) const ENDED: i32 = -1;

/// Makes one piece of code of the nodes; each that can be done there gets its entry.
pub(super) fn fuse(nodes: &mut [CompiledNode], code: &mut Code) {
    let mut fusion = Fusion {
        code,
        entries: vec![None; nodes.len()],
        exits: vec![None; nodes.len()],
        ways_back: vec![None; nodes.len()],
        jumps: Vec::new(),
        heads: Vec::new(),
    };
    for number in 0..nodes.len() {
        fusion.node(number as u32, nodes);
    }
    fusion.land();
    let Fusion { entries, heads, .. } = fusion;
    for (number, (node, entry)) in nodes.iter_mut().zip(entries).enumerate() {
        node.fused = entry.map(CodeId);
        let head = node.fused.filter(|_| heads.contains(&(number as u32)));
        if let Some(region) = head.and_then(|head| Region::of(code, head)) {
            node.region = Some(code.regions.len() as u32);
            code.regions.push(region);
        }
    }
}

/// Whether a node can be done in one piece of code with others.
fn has_code(node: Option<&CompiledNode>) -> bool {
    node.is_some_and(|node| {
        matches!(
            node.action,
            CompiledAction::Skip
                | CompiledAction::Else
                | CompiledAction::Print(_)
                | CompiledAction::Assign(_)
                | CompiledAction::Condition(_)
                | CompiledAction::Assert(..)
        )
    })
}

/// An operation that does the same.
fn shorter(op: Op) -> Op {
    match op {
        Op::BinaryConst(BinaryOp::Add, value) => Op::Add(value),
        Op::BinaryConst(BinaryOp::Sub, value) => Op::Add(value.wrapping_neg()),
        Op::BinaryConst(BinaryOp::Rem, value) if value != 0 => Op::Rem(value),
        _ => op,
    }
}

/// For which orders of its operands a comparison holds.
fn holds(op: BinaryOp) -> Option<u8> {
    Some(match op {
        BinaryOp::Lt => 0b001,
        BinaryOp::Le => 0b011,
        BinaryOp::Eq => 0b010,
        BinaryOp::Ne => 0b101,
        BinaryOp::Ge => 0b110,
        BinaryOp::Gt => 0b100,
        _ => return None,
    })
}

struct Fusion<'c> {
    code: &'c mut Code,
    /// Where the code of each node begins; none if it has none here.
    entries: Vec<Option<u32>>,
    /// Where the code is that hands a node back, or goes back to it.
    exits: Vec<Option<u32>>,
    ways_back: Vec<Option<u32>>,
    /// Jumps to the code of a node, or to where it is handed back.
    jumps: Vec<(usize, To)>,
    /// Nodes where loops begin.
    heads: Vec<u32>,
}

/// Where a jump leads.
#[derive(Clone, Copy)]
enum To {
    Node(u32),
    /// Where it costs fuel to go back to a node.
    Back(u32),
    HandBack(u32),
}

impl Fusion<'_> {
    fn emit(&mut self, op: Op) -> usize {
        self.code.ops.push(op);
        self.code.spans.push(Span::default());
        self.code.ops.len() - 1
    }

    fn here(&self) -> u32 {
        self.code.ops.len() as u32
    }

    fn jump(&mut self, op: fn(u32) -> Op, to: To) {
        let at = self.emit(op(0));
        self.jumps.push((at, to));
    }

    fn node(&mut self, number: u32, nodes: &[CompiledNode]) {
        let here = self.here();
        let node = &nodes[number as usize];
        if !has_code(Some(node)) {
            return;
        }
        match node.action {
            CompiledAction::Assign(code) => self.copy(code),
            CompiledAction::Condition(code) => {
                self.copy(code);
                self.shorten_test(here as usize);
                let otherwise = match node.otherwise {
                    Some(otherwise) if otherwise > number => To::Node(otherwise),
                    Some(otherwise) => {
                        self.heads.push(otherwise);
                        To::Back(otherwise)
                    }
                    None => To::HandBack(number),
                };
                self.jump(Op::JumpIfZero, otherwise);
            }
            CompiledAction::Assert(code, _) => {
                self.copy(code);
                self.jump(Op::JumpIfZero, To::HandBack(number));
            }
            _ => {}
        }
        self.entries[number as usize] = Some(here);
        match node.next {
            None => {
                self.emit(Op::Const(ENDED));
                self.emit(Op::End);
            }
            // The code of the next node in the list follows at once, if it has some.
            Some(next) if next == number + 1 && has_code(nodes.get(next as usize)) => {}
            Some(next) if next > number => self.jump(Op::Jump, To::Node(next)),
            Some(next) => {
                self.heads.push(next);
                self.jump(Op::Turn, To::Node(next));
                self.emit(Op::Const(next as i32));
                self.emit(Op::End);
            }
        }
    }

    /// The operations of a piece of code, without its end.
    fn copy(&mut self, CodeId(start): CodeId) {
        let mut at = start as usize;
        let here = self.here();
        while self.code.ops[at] != Op::End {
            let mut op = self.code.ops[at];
            if let Op::JumpIfZero(to) | Op::JumpIfNot(to) | Op::Jump(to) = &mut op {
                *to = *to - start + here;
            }
            let span = self.code.spans[at];
            self.code.ops.push(shorter(op));
            self.code.spans.push(span);
            at += 1;
        }
        self.shorten(here as usize);
    }

    /// Puts one operation in the place of some that count a byte up or down.
    fn shorten(&mut self, start: usize) {
        let [
            Op::Load(from, offset),
            Op::Add(value),
            Op::Store(to, target),
        ] = self.code.ops[start..]
        else {
            return;
        };
        let is_byte = matches!(from, Mode::Global8 | Mode::Local8);
        if let (true, true, Ok(small)) = (from == to, offset == target, u16::try_from(offset))
            && is_byte
        {
            self.code.ops.truncate(start);
            self.code.spans.truncate(start);
            self.emit(Op::Bump {
                local: from == Mode::Local8,
                offset: small,
                value: value as u8,
            });
        }
    }

    /// The same for a comparison of a byte; a jump must follow.
    fn shorten_test(&mut self, start: usize) {
        let [Op::Load(from, offset), Op::BinaryConst(op, value)] = self.code.ops[start..] else {
            return;
        };
        let is_byte = matches!(from, Mode::Global8 | Mode::Local8);
        let (small, value) = (u16::try_from(offset), i16::try_from(value));
        if let (true, Some(holds), Ok(offset), Ok(value)) = (is_byte, holds(op), small, value) {
            self.code.ops.truncate(start);
            self.code.spans.truncate(start);
            self.emit(Op::Test {
                holds,
                local: from == Mode::Local8,
                offset,
                value,
            });
        }
    }

    /// Gives all jumps their targets.
    fn land(&mut self) {
        for (at, to) in std::mem::take(&mut self.jumps) {
            let target = match to {
                To::Node(number) => self.entry(number),
                To::Back(number) => self.way_back(number),
                To::HandBack(number) => self.exit(number),
            };
            if let Op::JumpIfZero(to) | Op::Jump(to) | Op::Turn(to) = &mut self.code.ops[at] {
                *to = target;
            }
        }
    }

    /// Where the code of a node is, or that which hands it back.
    fn entry(&mut self, number: u32) -> u32 {
        match self.entries[number as usize] {
            Some(entry) => entry,
            None => self.exit(number),
        }
    }

    /// Where the code is that goes back to a node as long as there is fuel.
    fn way_back(&mut self, number: u32) -> u32 {
        if let Some(known) = self.ways_back[number as usize] {
            return known;
        }
        let entry = self.entry(number);
        let here = self.here();
        self.ways_back[number as usize] = Some(here);
        self.emit(Op::Turn(entry));
        self.emit(Op::Const(number as i32));
        self.emit(Op::End);
        here
    }

    /// Where the code is that hands a node back.
    fn exit(&mut self, number: u32) -> u32 {
        if let Some(known) = self.exits[number as usize] {
            return known;
        }
        let here = self.here();
        self.exits[number as usize] = Some(here);
        self.emit(Op::Const(number as i32));
        self.emit(Op::End);
        here
    }
}
