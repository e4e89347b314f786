//! Atomic stretches: what happens between two states that other processes can see.
//!
//! After an atomic transition the process keeps control. The states in between are explored
//! depth-first here and never leave this file; what comes out are the states where the stretch
//! ends, or where it blocks. A stretch that can return to one of its own states could go on for
//! ever: that is a run-time error. States in between are remembered only in long stretches, since
//! most are two or three statements.

use std::collections::HashMap;

use crate::explicit::Step;

/// After how many states in between they are remembered.
const REMEMBER_AFTER: usize = 64;

/// How many states in between one expansion may have, and how many bytes of them are kept: nobody
/// can look in from outside and stop it.
const MAX_STATES: usize = 1_000_000;
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
    /// The second visit of an entry closes it.
    open: bool,
}

/// The states in the middle of atomic stretches that are still to be explored.
#[derive(Debug, Default)]
pub(crate) struct Chain {
    bytes: Vec<u8>,
    taken: Vec<u64>,
    stack: Vec<Pending>,
    visited: usize,
    /// Bytes of the states that are remembered.
    kept: usize,
    /// States in between of a long stretch, and whether they are on the current path.
    seen: HashMap<(Vec<u8>, Vec<u64>, u8), bool>,
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
    /// There are too many states in between: the rest is left out.
    TooLong(Pending),
}

impl Chain {
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.taken.clear();
        self.stack.clear();
        self.visited = 0;
        self.kept = 0;
        self.seen.clear();
    }

    pub fn is_empty(&self) -> bool {
        self.stack.is_empty()
    }

    pub fn push(&mut self, state: &[u8], taken: &[u64], pid: u8, step: Step, record: u32) {
        let (start, first) = (self.bytes.len(), self.taken.len());
        self.bytes.extend_from_slice(state);
        self.taken.extend_from_slice(taken);
        let end = self.bytes.len();
        self.stack.push(Pending {
            start,
            end,
            taken: first,
            pid,
            step,
            record,
            open: false,
        });
    }

    /// Takes the next state to explore, copying it out.
    pub fn pop(&mut self, state: &mut Vec<u8>, taken: &mut Vec<u64>) -> Next {
        while let Some(top) = self.stack.last_mut() {
            if top.open {
                let key = self.seen_key();
                if let Some(on_path) = self.seen.get_mut(&key) {
                    *on_path = false;
                }
                self.drop_top();
                continue;
            }
            let pending = *top;
            state.clear();
            state.extend_from_slice(&self.bytes[pending.start..pending.end]);
            taken.clear();
            taken.extend_from_slice(&self.taken[pending.taken..]);
            if self.visited >= MAX_STATES || self.kept + self.bytes.len() > MAX_BYTES {
                self.stack.clear();
                return Next::TooLong(pending);
            }
            self.visited += 1;
            if self.visited <= REMEMBER_AFTER {
                self.drop_top();
                return Next::Explore(pending);
            }
            let key = self.seen_key();
            match self.seen.get(&key) {
                None => {
                    self.kept += key.0.len();
                    self.seen.insert(key, true);
                    if let Some(top) = self.stack.last_mut() {
                        top.open = true; // stays below its children until they are done
                    }
                    return Next::Explore(pending);
                }
                Some(true) => {
                    self.drop_top();
                    return Next::Endless(pending);
                }
                Some(false) => self.drop_top(),
            }
        }
        Next::Done
    }

    fn seen_key(&self) -> (Vec<u8>, Vec<u64>, u8) {
        let top = self.stack[self.stack.len() - 1];
        (
            self.bytes[top.start..top.end].to_vec(),
            self.taken[top.taken..].to_vec(),
            top.pid,
        )
    }

    fn drop_top(&mut self) {
        if let Some(top) = self.stack.pop() {
            self.bytes.truncate(top.start);
            self.taken.truncate(top.taken);
        }
    }
}
