//! Loops that were run before.
//!
//! A loop inside of a `d_step` is executed in thousands of states that differ in what it never
//! looks at: other processes, other variables. What it does depends on the bytes it may read alone,
//! so the effect of a long one is kept under the values of those bytes: next time it is copied.
//!
//! The bytes are found from the code, from where the loop begins to where the sequence ends or
//! hands back. Those that it may write belong to them, since it may also leave them as they are.
//! Code that looks at anything else (channels, other processes) is not kept, nor are loops that
//! touch many bytes. If few executions are found again, nobody looks for them any more.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::code::{Code, CodeId, Mode, Op};
use super::machine::Frame;

/// How many bytes a loop may touch.
const MOST_BYTES: usize = 64;

/// How many operations its code may have.
const MOST_CODE: usize = 1 << 12;

/// How many bytes of effects are kept.
const ROOM: usize = 16 << 20;

/// After so many executions one in four must have been found.
const TRIAL: u32 = 1 << 10;

/// The bytes that a piece of code may touch: whether locals, offset, number.
#[derive(Debug)]
pub(crate) struct Region {
    ranges: Vec<(bool, u32, u32)>,
}

impl Region {
    /// What the code from an entry on may touch; none if that is more than some variables.
    pub fn of(code: &Code, CodeId(entry): CodeId) -> Option<Region> {
        let mut touched: BTreeSet<(bool, u32)> = BTreeSet::new();
        let mut seen: HashSet<usize> = HashSet::new();
        let mut open = vec![entry as usize];
        while let Some(at) = open.pop() {
            if !seen.insert(at) {
                continue;
            }
            if seen.len() > MOST_CODE {
                return None;
            }
            let op = code.ops[at];
            if op == Op::End {
                continue;
            }
            let (local, offset, len) = range(op)?;
            touched.extend((offset..offset + len).map(|byte| (local, byte)));
            if touched.len() > MOST_BYTES {
                return None;
            }
            if let Op::JumpIfZero(to) | Op::JumpIfNot(to) | Op::Jump(to) | Op::Turn(to) = op {
                open.push(to as usize);
            }
            if !matches!(op, Op::Jump(_)) {
                open.push(at + 1);
            }
            if matches!(op, Op::Test { .. }) {
                open.push(at + 2);
            }
        }
        let mut ranges: Vec<(bool, u32, u32)> = Vec::new();
        for (local, byte) in touched {
            match ranges.last_mut() {
                Some((same, start, len)) if *same == local && *start + *len == byte => *len += 1,
                _ => ranges.push((local, byte, 1)),
            }
        }
        Some(Region { ranges })
    }

    fn slices(&self, frame: Frame) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        self.ranges.iter().map(move |&(local, offset, len)| {
            let start = if local { frame.base + offset } else { offset } as usize;
            start..start + len as usize
        })
    }
}

/// The bytes that an operation touches, perhaps none; nothing if it looks at other things.
fn range(op: Op) -> Option<(bool, u32, u32)> {
    let place = |mode: Mode, offset: u32, len: u32| {
        let local = matches!(
            mode,
            Mode::Local8 | Mode::Local16 | Mode::LocalI8 | Mode::LocalI16 | Mode::Local32
        );
        Some((local, offset, len))
    };
    match op {
        Op::Load(mode, offset) | Op::Store(mode, offset) => place(mode, offset, mode.bytes()),
        Op::LoadAt(_, u16::MAX, _) | Op::StoreAt(_, u16::MAX, _) => None,
        Op::LoadAt(mode, len, offset) | Op::StoreAt(mode, len, offset) => {
            place(mode, offset, len.into())
        }
        Op::BinaryGlobal8(_, offset) => Some((false, offset, 1)),
        Op::BinaryLocal8(_, offset) => Some((true, offset, 1)),
        Op::Test { local, offset, .. } | Op::Bump { local, offset, .. } => {
            Some((local, offset.into(), 1))
        }
        Op::Const(_)
        | Op::Push
        | Op::Swap
        | Op::Binary(_)
        | Op::BinaryConst(..)
        | Op::Add(_)
        | Op::Rem(_)
        | Op::Unary(_)
        | Op::Bool
        | Op::Check(_)
        | Op::Scale(_)
        | Op::JumpIfZero(_)
        | Op::JumpIfNot(_)
        | Op::Jump(_)
        | Op::Turn(_)
        | Op::Keep(_)
        | Op::Pid
        | Op::End => Some((false, 0, 0)),
        Op::LastPid
        | Op::ProcessCount
        | Op::Timeout
        | Op::NonProgress
        | Op::Accepting
        | Op::Channel(_)
        | Op::Enabled
        | Op::LocationOf
        | Op::PriorityOf
        | Op::Complex(_) => None,
    }
}

/// The effects that one explorer has seen.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    /// By region.
    tables: Vec<Table>,
    key: Vec<u8>,
    room: usize,
}

/// The bytes after a loop, and what its code hands back.
#[derive(Debug)]
struct Effect {
    bytes: Box<[u8]>,
    next: i32,
}

#[derive(Debug, Default)]
struct Table {
    effects: HashMap<Box<[u8]>, Effect>,
    looks: u32,
    found: u32,
}

impl Table {
    /// Whether it is worth looking.
    fn is_of_use(&self) -> bool {
        self.looks < TRIAL || self.found >= self.looks / 4
    }
}

impl Memo {
    /// Does to a state what a loop is known to do; what its code hands back. If that is not known
    /// yet, [`Memo::learn`] may tell it afterwards.
    pub fn apply(
        &mut self,
        (number, region): (u32, &Region),
        state: &mut [u8],
        frame: Frame,
    ) -> Option<i32> {
        let number = number as usize;
        if self.tables.len() <= number {
            self.tables.resize_with(number + 1, Table::default);
        }
        self.key.clear();
        let table = &mut self.tables[number];
        if !table.is_of_use() {
            return None;
        }
        self.key.push(frame.pid);
        for slice in region.slices(frame) {
            self.key.extend_from_slice(&state[slice]);
        }
        table.looks += 1;
        let Effect { bytes, next } = table.effects.get(&self.key[..])?;
        table.found += 1;
        let mut at = 0;
        for slice in region.slices(frame) {
            let len = slice.len();
            state[slice].copy_from_slice(&bytes[at..at + len]);
            at += len;
        }
        Some(*next)
    }

    /// Keeps what a loop did since [`Memo::apply`] was asked.
    pub fn learn(
        &mut self,
        (number, region): (u32, &Region),
        state: &[u8],
        frame: Frame,
        next: i32,
    ) {
        if self.key.is_empty() || self.room + 2 * self.key.len() > ROOM {
            return;
        }
        let mut bytes = Vec::with_capacity(self.key.len());
        for slice in region.slices(frame) {
            bytes.extend_from_slice(&state[slice]);
        }
        self.room += self.key.len() + bytes.len();
        let key = std::mem::take(&mut self.key);
        let table = &mut self.tables[number as usize];
        let bytes = bytes.into();
        table.effects.insert(key.into(), Effect { bytes, next });
    }
}
