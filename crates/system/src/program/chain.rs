//! Atomic stretches: what happens between two states that other processes can see.
//!
//! After an atomic transition the process keeps control. The states in between are explored
//! depth-first here and never leave this file; what comes out are the states where the stretch
//! ends, or where it blocks. A stretch that can return to one of its own states could go on for
//! ever: that is a run-time error.
//!
//! Most stretches are two or three statements, and most long ones are loops whose states have one
//! successor each. Such a *line* needs no memory of where it was: it is compared with one earlier
//! state of itself, which moves on at powers of two (Brent's cycle detection). What is remembered
//! are the states in which lines begin: those behind a choice. That is enough, since a stretch that
//! goes on for ever either chooses for ever, and then comes to one of these again, or ends in a
//! line that does.

use std::collections::HashMap;

use crate::explicit::Step;
use crate::fairness::append;

/// After how many states in between the beginnings of lines are remembered, and lines are watched.
const REMEMBER_AFTER: usize = 64;

/// How many states in between one expansion may have, and how many bytes of them are kept: nobody
/// can look in from outside and stop it.
pub(super) const MAX_STATES: usize = 1_000_000;
const MAX_BYTES: usize = 512 << 20;

/// A state in the middle of an atomic stretch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    /// Its bytes in [`Chain::bytes`].
    start: usize,
    end: usize,
    /// Its items in [`Chain::taken`].
    taken: usize,
    /// Who has control.
    pub pid: u8,
    /// The step it belongs to.
    pub step: Step,
    pub record: u32,
    /// Whether it is the only successor of the state before it.
    alone: bool,
    /// The second visit of an entry closes it: its number among those that are remembered.
    open: Option<u32>,
}

/// The states in the middle of atomic stretches that are still to be explored.
#[derive(Debug, Default)]
pub(crate) struct Chain {
    bytes: Vec<u8>,
    taken: Vec<u64>,
    stack: Vec<Pending>,
    visited: usize,
    /// The line that is being followed.
    line: Line,
    /// Where lines of a long stretch begin, by number.
    begins: HashMap<Box<[u8]>, u32>,
    /// Which of them are on the current path.
    on_path: Vec<bool>,
    /// The bytes that they take.
    kept: usize,
}

/// What to do with the next entry.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Next {
    /// Nothing is left.
    Done,
    /// Explore this one; its bytes and items were copied out.
    Explore(Pending),
    /// The stretch can come back to this state.
    Endless(Pending),
    /// There are too many states in between: see [`Chain::leave_out`].
    TooLong(Pending),
}

/// States that follow each other without a choice.
#[derive(Debug, Default)]
pub(crate) struct Line {
    steps: usize,
    /// An earlier state: location, who has control, state, items.
    at: (u16, u8),
    state: Vec<u8>,
    taken: Vec<u64>,
}

impl Line {
    /// Goes on to a state; whether it was there before.
    #[inline]
    pub fn is_back(&mut self, at: (u16, u8), state: &[u8], taken: &[u64]) -> bool {
        self.steps += 1;
        if self.steps <= REMEMBER_AFTER {
            return false;
        }
        if self.at == at && self.state == state && self.taken == taken {
            return true;
        }
        if self.steps.is_power_of_two() {
            self.at = at;
            self.state.clear();
            self.state.extend_from_slice(state);
            self.taken.clear();
            self.taken.extend_from_slice(taken);
        }
        false
    }

    fn begin(&mut self) {
        self.steps = 0;
        self.state.clear();
    }
}

impl Chain {
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.taken.clear();
        self.stack.clear();
        self.visited = 0;
        if !self.begins.is_empty() {
            self.begins = HashMap::new(); // clearing a large table costs more than a new one
            self.on_path.clear();
            self.kept = 0;
        }
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.stack.is_empty()
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.stack.len()
    }

    pub fn push(&mut self, state: &[u8], taken: &[u64], pid: u8, step: Step, record: u32) {
        let (start, first) = (self.bytes.len(), self.taken.len());
        self.bytes.extend_from_slice(state);
        append(&mut self.taken, taken);
        let end = self.bytes.len();
        self.stack.push(Pending {
            start,
            end,
            taken: first,
            pid,
            step,
            record,
            alone: false,
            open: None,
        });
    }

    /// Takes the next state to explore, copying it out.
    pub fn pop(&mut self, state: &mut Vec<u8>, taken: &mut Vec<u64>) -> Next {
        while let Some(&top) = self.stack.last() {
            if let Some(number) = top.open {
                self.on_path[number as usize] = false;
                self.drop_last();
                continue;
            }
            let bytes = &self.bytes[top.start..top.end];
            if state.len() == bytes.len() {
                state.copy_from_slice(bytes);
            } else {
                state.clear();
                state.extend_from_slice(bytes);
            }
            taken.clear();
            append(taken, &self.taken[top.taken..]);
            if self.is_full() {
                return Next::TooLong(top);
            }
            self.visited += 1;
            if top.alone || self.visited <= REMEMBER_AFTER {
                self.drop_last();
                return Next::Explore(top);
            }
            let key = key(state, taken, top.pid);
            match self.begins.get(&*key) {
                None => {
                    let number = self.on_path.len() as u32;
                    self.kept += key.len();
                    self.begins.insert(key, number);
                    self.on_path.push(true);
                    if let Some(top) = self.stack.last_mut() {
                        top.open = Some(number); // stays below its children until they are done
                    }
                    return Next::Explore(top);
                }
                Some(&known) => {
                    self.drop_last();
                    if self.on_path[known as usize] {
                        return Next::Endless(top);
                    }
                }
            }
        }
        Next::Done
    }

    fn is_full(&self) -> bool {
        self.visited >= MAX_STATES || self.kept + self.bytes.len() > MAX_BYTES
    }

    /// How many states more there may be, and the line that they belong to.
    pub fn line(&mut self) -> (usize, &mut Line) {
        (MAX_STATES - self.visited.min(MAX_STATES), &mut self.line)
    }

    /// Counts states of a line that were never here.
    pub fn passed(&mut self, states: usize) {
        self.visited += states;
    }

    /// Follows a line no further.
    pub fn end_line(&mut self) {
        self.line.begin();
    }

    /// Leaves out all entries of a step, which lie on top of the others, and goes on with those as if
    /// nothing had been. How many of them nobody has looked at.
    pub fn leave_out(&mut self, step: Step) -> usize {
        let mut unseen = 0;
        while self.stack.last().is_some_and(|top| top.step == step) {
            unseen += usize::from(self.stack.last().is_some_and(|top| top.open.is_none()));
            self.drop_last();
        }
        self.visited = 0;
        self.begins = HashMap::new();
        self.on_path.clear();
        self.kept = 0;
        unseen
    }

    /// Takes the last entry, copying it out.
    pub fn take_last(&mut self, state: &mut Vec<u8>, taken: &mut Vec<u64>) -> Option<Pending> {
        let top = *self.stack.last()?;
        state.clear();
        state.extend_from_slice(&self.bytes[top.start..top.end]);
        taken.clear();
        append(taken, &self.taken[top.taken..]);
        self.drop_last();
        Some(top)
    }

    /// Takes the last entry back.
    pub fn drop_last(&mut self) {
        if let Some(top) = self.stack.pop() {
            self.bytes.truncate(top.start);
            self.taken.truncate(top.taken);
        }
    }

    /// The last entry: its state, and who has control.
    pub fn last(&self) -> Option<(&[u8], u8)> {
        let top = self.stack.last()?;
        Some((&self.bytes[top.start..top.end], top.pid))
    }

    /// The line goes on with the last entry, where control is at a location; whether it was there
    /// before.
    pub fn go_on(&mut self, at: u16) -> bool {
        let Some(top) = self.stack.last_mut() else {
            return false;
        };
        top.alone = true;
        let (state, taken) = (&self.bytes[top.start..top.end], &self.taken[top.taken..]);
        self.line.is_back((at, top.pid), state, taken)
    }
}

fn key(state: &[u8], taken: &[u64], pid: u8) -> Box<[u8]> {
    let mut key = Vec::with_capacity(state.len() + 8 * taken.len() + 1);
    key.extend_from_slice(state);
    taken.iter().for_each(|word| key.extend(word.to_le_bytes()));
    key.push(pid);
    key.into()
}
