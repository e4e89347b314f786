//! Parts of the next-state action that were searched before with the same values.
//!
//! Which parts these are, and which names and variables decide what they do, is found when the code is made
//! (`compile/kept.rs`). The numbers of those values are the key. The first time the part is searched as any other, and
//! the states that it finds are noted: the number of each variable, or that it stays as it was. The next time they are
//! told from the note, without evaluating anything.
//!
//! What is noted lies in tables of a limited size, where later notes take the place of older ones. A part for which notes
//! are seldom found is left alone for a while, longer each time. Errors are not kept, nor what is found when
//! somebody wants to know how a step is called.

use super::action::{Rest, Searched, Sink};
use super::pause::Pause;
use super::{Cell, Found, Machine};
use crate::code::{Act, Site, Var};
use crate::compile::MOST_KEYS;
use crate::failure::Failure;
use crate::table::ValueTable;
use crate::value::Value;

/// Stands for the number of a variable that stays as it was.
const SAME: u32 = u32::MAX;
/// Stands for a step that is called after nothing.
const NAMELESS: u32 = u32::MAX;
/// At most so many values of a name are told apart.
const MOST_VALUES: usize = 64;
/// How many notes a part has at first, and at most.
const LINES: (usize, usize) = (64, 1 << 14);
/// How many numbers a note has at most, and all notes of a part together.
const LONGEST: usize = 1 << 10;
const MOST_NUMBERS: usize = 1 << 20;
/// It pays where one search in so many is saved.
const SELDOM: u32 = 5;
type Key = [u32; MOST_KEYS];

/// What is kept of the next-state action.
#[derive(Default)]
pub(crate) struct Kept<'c> {
    parts: Vec<Part>,
    /// The values of variables by their numbers; without them nothing is kept.
    pub table: Option<&'c ValueTable>,
    /// Whether the steps that are found must be called by their names.
    pub is_told: bool,
    /// The variables that were given the values that they had.
    pub(super) copied: u64,
    /// What the part that is being searched has found up to now.
    noted: Option<Vec<u32>>,
    row: Vec<u32>,
}

/// One part.
#[derive(Clone, Default)]
struct Part {
    /// The values of each name that were met.
    values: Vec<Vec<Value>>,
    lines: Vec<Line>,
    used: usize,
    /// How many numbers were put into the notes since they were empty.
    numbers: usize,
    pause: Pause,
}

/// What is found with the values of a key: for each state the name of the step, and the numbers of all variables.
#[derive(Clone)]
struct Line {
    key: Key,
    states: Option<Box<[u32]>>,
}

impl<'c> Kept<'c> {
    pub fn new(parts: usize) -> Kept<'c> {
        Kept {
            parts: vec![Part::default(); parts],
            ..Kept::default()
        }
    }

    /// What is being noted depends on more than its key.
    #[inline]
    pub fn forget(&mut self) {
        self.noted = None;
    }

    /// A variable that has a value is compared: where it has the value that it had, that one decides, and need not be part
    /// of the key.
    #[inline]
    pub fn compare(&mut self, variable: Var) {
        if self.copied >> (variable % 64) & 1 != 0 {
            self.forget();
        }
    }

    /// Nothing is noted during another search.
    pub fn interrupt(&mut self) -> (Option<Vec<u32>>, u64) {
        (self.noted.take(), std::mem::take(&mut self.copied))
    }

    pub fn resume(&mut self, (noted, copied): (Option<Vec<u32>>, u64)) {
        self.noted = noted;
        self.copied = copied;
    }
}

impl Part {
    fn clear(&mut self) {
        self.lines = Vec::new();
        (self.used, self.numbers) = (0, 0);
    }

    fn put(&mut self, key: Key, states: Box<[u32]>) {
        self.numbers += states.len();
        if self.lines.is_empty() || self.numbers > MOST_NUMBERS {
            self.clear();
            self.numbers = states.len();
            self.lines = vec![EMPTY; LINES.0];
        }
        if self.used * 2 > self.lines.len() && self.lines.len() < LINES.1 {
            let size = self.lines.len() * 4;
            let old = std::mem::replace(&mut self.lines, vec![EMPTY; size]);
            self.used = 0;
            for line in old.into_iter().filter(|line| line.states.is_some()) {
                let at = place(&line.key, size);
                self.used += usize::from(self.lines[at].states.is_none());
                self.lines[at] = line;
            }
        }
        let at = place(&key, self.lines.len());
        let line = &mut self.lines[at];
        self.used += usize::from(line.states.is_none());
        *line = Line {
            key,
            states: Some(states),
        };
    }
}

const EMPTY: Line = Line {
    key: [0; MOST_KEYS],
    states: None,
};

/// Where a key leads in a table of this size.
#[inline]
fn place(key: &Key, size: usize) -> usize {
    let mut bits = 0u64;
    for number in key {
        bits = (bits.rotate_left(23) ^ u64::from(*number)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    (bits >> 40) as usize & (size - 1)
}

impl<'c> Machine<'c> {
    /// Searches with a part of the next-state action, or finds what it found before.
    pub(super) fn act_kept(
        &mut self,
        site: u32,
        body: &'c Act,
        base: usize,
        rest: &Rest<'_, 'c>,
        sink: &mut dyn Sink<'c>,
    ) -> Searched {
        let program = self.program;
        let is_whole = matches!(rest, Rest::Nothing) && self.open == self.program.variables.len();
        let kept = &mut self.kept;
        let is_covered = self.covered.is_some();
        if !is_whole || is_covered || kept.is_told || kept.noted.is_some() || kept.table.is_none() {
            return self.act(body, base, rest, sink);
        }
        let part = &mut kept.parts[site as usize];
        if part.pause.is_paused(SELDOM) {
            part.clear();
            return self.act(body, base, rest, sink);
        }
        let Some(key) = self.key(site, &program.sites[site as usize], base) else {
            return self.act(body, base, rest, sink);
        };
        let part = &mut self.kept.parts[site as usize];
        let size = part.lines.len();
        if size > 0 {
            let at = place(&key, size);
            let line = &mut part.lines[at];
            if line.key == key
                && let Some(states) = line.states.take()
            {
                part.pause.hit();
                let searched = self.tell(&states, base, sink);
                self.kept.parts[site as usize].lines[at].states = Some(states);
                return searched;
            }
        }
        self.kept.noted = Some(Vec::new());
        let searched = self.act(body, base, rest, sink);
        if let (Some(noted), Ok(Found::GoOn)) = (self.kept.noted.take(), &searched) {
            self.kept.parts[site as usize].put(key, noted.into());
        }
        searched
    }

    /// The numbers of what decides a part; none where something has none.
    fn key(&mut self, number: u32, site: &Site, base: usize) -> Option<Key> {
        let mut key = [0; MOST_KEYS];
        let (names, numbers) = key.split_at_mut(site.slots.len());
        for (number, variable) in numbers.iter_mut().zip(&site.reads) {
            *number = self.rows.number(0, *variable)?;
        }
        let part = &mut self.kept.parts[number as usize];
        if part.values.len() < names.len() {
            part.values.resize(names.len(), Vec::new());
        }
        for ((number, slot), known) in names.iter_mut().zip(&site.slots).zip(&mut part.values) {
            let Cell::Value(value) = &self.stack[base + *slot as usize] else {
                return None;
            };
            let place = match known.iter().position(|other| other.is_identical(value)) {
                Some(place) => place,
                None if known.len() < MOST_VALUES && value.is_plain() => {
                    known.push(value.clone());
                    known.len() - 1
                }
                None => return None,
            };
            *number = place as u32;
        }
        Some(key)
    }

    /// Notes the state that was found, if somebody wants to remember it.
    #[inline]
    pub(super) fn note_found(&mut self, found: Found) {
        if let Some(noted) = &mut self.kept.noted {
            let variables = self.program.variables.len();
            if found == Found::Enough || noted.len() > LONGEST {
                self.kept.noted = None;
                return;
            }
            noted.push(self.action.map_or(NAMELESS, |(action, ..)| action));
            for variable in 0..variables {
                if self.kept.copied >> variable & 1 != 0 {
                    noted.push(SAME);
                    continue;
                }
                match self.rows.number(1, variable as u16) {
                    Some(number) => noted.push(number),
                    None => {
                        self.kept.noted = None;
                        return;
                    }
                }
            }
        }
    }

    /// Tells the states of a note.
    fn tell(&mut self, states: &[u32], base: usize, sink: &mut dyn Sink<'c>) -> Searched {
        let variables = self.program.variables.len();
        let before = self.action;
        let mut row = std::mem::take(&mut self.kept.row);
        let mut searched = Ok(Found::GoOn);
        for state in states.chunks_exact(variables + 1) {
            self.action = match state[0] {
                NAMELESS => None,
                action => Some((action, &[], base)),
            };
            row.clear();
            for (variable, &number) in state[1..].iter().enumerate() {
                row.push(match number {
                    // The state at hand was read by its numbers.
                    SAME => self.rows.number(0, variable as u16).ok_or_else(|| {
                        Failure::new("a variable that stays as it was has no value".to_string())
                    })?,
                    number => number,
                });
            }
            searched = match sink.found_again(self, &row) {
                Some(found) => Ok(found),
                None => self.tell_values(&row, sink),
            };
            self.found += 1;
            if searched != Ok(Found::GoOn) {
                break;
            }
        }
        self.kept.row = row;
        if searched.is_ok() {
            self.action = before;
        }
        searched
    }

    /// Tells a state of values with these numbers.
    fn tell_values(&mut self, numbers: &[u32], sink: &mut dyn Sink<'c>) -> Searched {
        let Some(table) = self.kept.table else {
            return Ok(Found::GoOn);
        };
        for (variable, &number) in numbers.iter().enumerate() {
            if let Some(value) = table.value(number) {
                self.load(1, variable, value.clone(), number);
            }
        }
        let open = std::mem::take(&mut self.open);
        let searched = sink.found(self);
        self.open = open;
        self.clear(1);
        searched
    }
}
