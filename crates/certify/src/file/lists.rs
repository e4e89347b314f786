//! The ranks of one state after the other, as symbols: what writer and reader have in common.
//!
//! The same code runs on both sides. The writer gives what is to come and gets it back; the reader
//! gives anything and gets what the file says.

use std::io;

use evenhand_automata::State;

use super::coder::{Chance, Coder};
use crate::rank::CellId;

/// The ranks of a state.
pub(super) type List = Vec<(State, CellId)>;

/// The symbol of a list that is told.
const NEW: u32 = 254;
/// The symbol of the end.
const END: u32 = 255;
/// Symbols are foreseen by the one before; from this one on it does not matter which.
const CONTEXTS: usize = 16;

/// What both sides know.
pub(super) struct Lists {
    /// The lists that came last, the last one first.
    recent: Vec<List>,
    symbols: Vec<[Chance; 256]>,
    /// The symbol before.
    before: usize,
    counts: [Chance; 64],
    gaps: [Chance; 64],
    differences: [Chance; 64],
    /// The cell that was told last.
    cell: u32,
}

impl Lists {
    pub(super) fn new() -> Lists {
        Lists {
            recent: Vec::new(),
            symbols: vec![[Chance::EVEN; 256]; CONTEXTS],
            before: 0,
            counts: [Chance::EVEN; 64],
            gaps: [Chance::EVEN; 64],
            differences: [Chance::EVEN; 64],
            cell: 0,
        }
    }

    /// The next list; none at the end. States of the automaton are below `bound`.
    pub(super) fn next(
        &mut self,
        coder: &mut impl Coder,
        bound: usize,
        given: Option<&[(State, CellId)]>,
    ) -> io::Result<Option<&List>> {
        let symbol = match given {
            None => END,
            Some(list) => {
                let known = self.recent.iter().position(|recent| recent == list);
                known.map_or(NEW, |place| place as u32)
            }
        };
        let symbol = coder.symbol(&mut self.symbols[self.before], 8, symbol)?;
        self.before = (symbol as usize).min(CONTEXTS - 1);
        match symbol {
            END => return Ok(None),
            NEW => {
                let list = self.list(coder, bound, given.unwrap_or(&[]))?;
                self.recent.truncate(NEW as usize - 1);
                self.recent.insert(0, list);
            }
            place => {
                let place = place as usize;
                let known = self.recent.get_mut(..=place).ok_or_else(wrong)?;
                known.rotate_right(1);
            }
        }
        Ok(self.recent.first())
    }

    /// A list that is told.
    fn list(
        &mut self,
        coder: &mut impl Coder,
        bound: usize,
        given: &[(State, CellId)],
    ) -> io::Result<List> {
        let count = coder.number(&mut self.counts, given.len() as u32)?;
        let mut list = List::new();
        let mut least = 0;
        for place in 0..count as usize {
            let (state, cell) = match given.get(place) {
                Some(&(state, cell)) => (state.0, cell.number()),
                None => (least, self.cell),
            };
            let gap = state.checked_sub(least).ok_or_else(wrong)?;
            let gap = coder.number(&mut self.gaps, gap)?;
            let state = least.checked_add(gap).ok_or_else(wrong)?;
            if state as usize >= bound {
                return Err(wrong());
            }
            least = state + 1;
            let difference = cell.wrapping_sub(self.cell) as i32;
            let folded = (difference << 1 ^ difference >> 31) as u32;
            let folded = coder.number(&mut self.differences, folded)?;
            let difference = (folded >> 1) ^ (folded & 1).wrapping_neg();
            self.cell = self.cell.wrapping_add(difference);
            let cell = CellId::new(self.cell).ok_or_else(wrong)?;
            list.push((State(state), cell));
        }
        Ok(list)
    }
}

/// What is given cannot be written, or what is read makes no sense.
fn wrong() -> io::Error {
    io::Error::from(io::ErrorKind::InvalidData)
}
