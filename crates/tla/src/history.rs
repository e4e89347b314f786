//! What a search has met so far: for what a specification says about the search itself.
//!
//! `VIEW` makes states one that look the same: the first that is met stands for all others. `TLCGet("level")` is the
//! distance at which a state was first met, and `TLCGet("stats")` counts. None of this is a function of the state, so
//! it is kept beside the states; whoever explores with it does so with one thread, breadth-first.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use crate::machine::{Cover, Registers, Statistics};

/// Printed lines that wait to be told, at most.
const MOST_LINES: usize = 10_000;

/// Adds a line to others; the one behind the last for which there is room says that there were more.
pub(crate) fn add_line(lines: &mut Vec<String>, most: usize, line: String) {
    match lines.len().cmp(&most) {
        Ordering::Less => lines.push(line),
        Ordering::Equal => lines.push(format!("(only the first {most} lines)")),
        Ordering::Greater => {}
    }
}

/// What a search has met so far. Explorers of one body share it.
#[derive(Debug, Default)]
pub(crate) struct History {
    met: Mutex<Met>,
    /// What of the configuration some state or step has shown to be possible, by its number, and how much that is.
    possible: RwLock<BTreeSet<usize>>,
    possible_count: AtomicUsize,
}

#[derive(Debug, Default)]
struct Met {
    /// For what is odd about a state and the number of its view, the state that stands for all such.
    first: HashMap<(u16, u32), Box<[u8]>>,
    /// The level of each state, and whether it was expanded.
    levels: HashMap<Box<[u8]>, (u32, bool)>,
    statistics: Statistics,
    /// What the explorer that was dropped last has left in its registers.
    registers: Option<Registers>,
    /// How many steps each action has.
    steps: Vec<u64>,
    /// The conditions that were met, where somebody looks.
    conditions: Option<Cover>,
    printed: Vec<String>,
}

impl History {
    fn met(&self) -> MutexGuard<'_, Met> {
        self.met.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether everything of the configuration is possible, which is so many.
    #[inline]
    pub fn is_all_possible(&self, count: usize) -> bool {
        count == 0 || self.possible_count.load(Relaxed) == count
    }

    /// Whether some state or step has shown it to be possible.
    pub fn is_possible(&self, number: usize) -> bool {
        let possible = self.possible.read();
        possible
            .unwrap_or_else(PoisonError::into_inner)
            .contains(&number)
    }

    /// A state or a step has shown it to be possible.
    pub fn show_possible(&self, number: usize) {
        let possible = self.possible.write();
        let mut possible = possible.unwrap_or_else(PoisonError::into_inner);
        possible.insert(number);
        self.possible_count.store(possible.len(), Relaxed);
    }

    /// Puts the state in place that stands for those with this view.
    pub fn stand_in(&self, flags: u16, view: u32, state: &mut Vec<u8>) {
        let mut met = self.met();
        let known = met.first.entry((flags, view));
        let known = known.or_insert_with(|| state.as_slice().into());
        state.clear();
        state.extend_from_slice(known);
    }

    /// The state that stands for those with this view, if one was met.
    pub fn standing(&self, flags: u16, view: u32) -> Option<Vec<u8>> {
        self.met()
            .first
            .get(&(flags, view))
            .map(|state| state.to_vec())
    }

    /// A state was generated; `counts` says whether it is one of those that are counted.
    pub fn reach(&self, state: &[u8], level: u32, is_initial: bool, counts: bool) {
        let mut met = self.met();
        met.statistics.generated += 1;
        met.statistics.initial += u32::from(is_initial);
        if met.levels.contains_key(state) {
            return;
        }
        met.levels.insert(state.into(), (level, false));
        if counts {
            met.statistics.distinct += 1;
            met.statistics.queue += 1;
            met.statistics.diameter = met.statistics.diameter.max(level);
        }
    }

    /// The level of a state, 0 if it was never met; and whether it is expanded for the first time.
    pub fn expand(&self, state: &[u8]) -> (u32, bool) {
        let mut met = self.met();
        let Some((level, expanded)) = met.levels.get_mut(state) else {
            return (0, false);
        };
        let level = *level;
        let is_first = !std::mem::replace(expanded, true);
        if is_first {
            met.statistics.queue = met.statistics.queue.saturating_sub(1);
        }
        (level, is_first)
    }

    /// The level of a state, 0 if it was never met.
    pub fn level(&self, state: &[u8]) -> u32 {
        self.met().levels.get(state).map_or(0, |(level, _)| *level)
    }

    /// The counts so far.
    pub fn statistics(&self) -> Statistics {
        self.met().statistics
    }

    /// Keeps what an explorer has in its registers.
    pub fn leave(&self, registers: &Registers) {
        self.met().registers = Some(registers.clone());
    }

    /// Adds steps of actions.
    pub fn cover(&self, steps: &[u64]) {
        let all = &mut self.met().steps;
        all.resize(all.len().max(steps.len()), 0);
        for (all, own) in all.iter_mut().zip(steps) {
            *all += own;
        }
    }

    /// From now on it is looked which conditions are met.
    pub fn look_at_conditions(&self) {
        self.met().conditions = Some(Cover::default());
    }

    /// Whether somebody looks which conditions are met.
    pub fn looks_at_conditions(&self) -> bool {
        self.met().conditions.is_some()
    }

    /// Adds conditions that were met.
    pub fn meet(&self, conditions: Cover) {
        if let Some(all) = &mut self.met().conditions {
            for (span, times) in conditions {
                *all.entry(span).or_default() += times;
            }
        }
    }

    /// The conditions that were met; nobody looks any more.
    pub fn conditions(&self) -> Option<Cover> {
        self.met().conditions.take()
    }

    /// Adds what was printed.
    pub fn print(&self, lines: &mut Vec<String>) {
        if !lines.is_empty() {
            let mut met = self.met();
            for line in lines.drain(..) {
                add_line(&mut met.printed, MOST_LINES, line);
            }
        }
    }

    /// What was printed since this was asked before.
    pub fn printed(&self) -> Vec<String> {
        std::mem::take(&mut self.met().printed)
    }

    /// How many steps each action has, since this was asked before.
    pub fn covered(&self) -> Vec<u64> {
        std::mem::take(&mut self.met().steps)
    }

    /// What the explorer that was dropped last had in its registers.
    pub fn left(&self) -> Option<Registers> {
        self.met().registers.clone()
    }
}
