//! Counting what was learned.
//!
//! Successors that a group has of a row of bytes are counted when it is asked, the same state twice if two
//! ways lead there: so the transitions are, for each group and each number of successors, that number
//! times the reachable states with such a row. Whether an end is a proper one is asked of each end; where
//! there are very many ends they are not counted.

use evenhand_system::{Fairness, Groups};

use super::Halt;
use super::explore::{Exploration, cube, union};
use super::table::{LAYOUT, Position, TAKEN, levels};
use crate::answer::Count;
use crate::census::Census;
use crate::engine::Options;
use crate::image::{Steps, Towards};
use crate::manager::{Outcome, Set};
use crate::reach::rings;

/// More ends are not looked at.
const MOST_ENDS: u128 = 1_000_000;
/// Ends are looked at in portions.
const PORTION: usize = 20_000;

/// Counts the states and transitions of a system.
///
/// # Errors
/// If a limit is reached.
pub fn census(system: &dyn Groups, options: &Options) -> Result<Census, Halt> {
    let mut explored = Exploration::new(system, &Fairness::default(), options)?;
    explored.run()?;
    let (exact, about) = explored.number(&explored.reached);
    let transitions = explored.transitions()?;
    let deadlocks = explored.improper_ends()?;
    let m = &explored.m;
    let steps = Steps::new(m, explored.pieces(false)?)?;
    let rings = rings(m, &steps, &explored.initial, None, Towards::Future, |_| {
        Ok(false)
    })?;
    let mut missing = Vec::new();
    if transitions.is_none() {
        missing.push("the transitions are too many".to_string());
    }
    if deadlocks.is_none() {
        missing.push(format!("there are more than {MOST_ENDS} ends"));
    }
    Ok(Census {
        states: Count { exact, about },
        transitions,
        deadlocks,
        depth: rings.len().saturating_sub(1) as u64,
        missing,
        peak_nodes: m.peak(),
    })
}

impl Exploration<'_> {
    /// The number of states of a set.
    fn number(&self, set: &Set) -> (Option<u128>, f64) {
        let positions = self.table.positions().filter(|&p| p != TAKEN);
        self.m.count(set, self.table.bits(positions).len())
    }

    /// The number of steps between reachable states.
    fn transitions(&self) -> Outcome<Option<u128>> {
        let mut sum: u128 = 0;
        for (&degree, rows) in self.groups.iter().flat_map(|g| &g.degrees) {
            let states = self.m.and(&self.reached, rows)?;
            let Some(number) = self.number(&states).0 else {
                return Ok(None);
            };
            sum = sum.saturating_add(number.saturating_mul(degree as u128));
        }
        Ok(Some(sum))
    }

    /// The number of reachable states in which a run ends where it must not.
    fn improper_ends(&mut self) -> Outcome<Option<u128>> {
        let ends = self.ends()?;
        let few = self.number(&ends).0.is_some_and(|n| n <= MOST_ENDS);
        if !few {
            return Ok(None);
        }
        let mut improper = 0;
        for layout in 0..self.layouts.len() {
            let own = self.m.and(&ends, &self.of_layout(layout)?)?;
            let bytes = 0..self.layouts[layout].len;
            let reads: Vec<Position> = bytes.map(Position::of_byte).collect();
            // What is beyond the end of a state says nothing.
            let others = self.table.positions();
            let others = others.filter(|p| *p != LAYOUT && *p != TAKEN && !reads.contains(p));
            let bits = self.table.bits(others);
            let others = cube(&self.m, bits.iter().map(|b| b.now))?;
            let mut open = self.m.exists(&own, &others)?;
            while !self.m.is_empty(&open) {
                let rows = self.rows(&open, &reads, PORTION)?;
                let level = levels(&self.m);
                let mut seen = Vec::new();
                for row in &rows {
                    let state = self.mixture(layout, &reads, row);
                    if !self.explorer.is_valid_end(&state) {
                        improper += 1;
                    }
                    seen.push(self.row_set(layout, &reads, row, &level)?);
                }
                open = self.m.minus(&open, &union(&self.m, seen)?)?;
            }
        }
        Ok(Some(improper))
    }
}
