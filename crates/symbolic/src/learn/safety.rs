//! What can go wrong in a learned system: assertions, run-time errors, improper ends, trace
//! assertions.
//!
//! A group says of a row of bytes whether something goes wrong, so the states in which something
//! does are a set like every other. Ends are states without a step; which of them are proper is
//! asked of each one. The nearest state of a kind has a shortest path, from the rings around it.
//! All this is about all runs, whatever the fairness.
//!
//! **Limits.** All reachable states are computed first, even if an error is near. Very many ends
//! are not looked at one by one; whether there is an improper one is then unknown.

use evenhand_system::{Fairness, Groups};

use super::Halt;
use super::explore::{Exploration, cube, union};
use super::fair::Stays;
use super::table::{LAYOUT, Position, TAKEN, levels};
use crate::answer::Count;
use crate::engine::Options;
use crate::feasible;
use crate::manager::{Outcome, Set};
use crate::product::Product;
use crate::watch::Stop;
use crate::witness::{Point, shortest};

/// More ends are not looked at.
pub(super) const MOST_ENDS: u128 = 1_000_000;
/// Ends are looked at in portions.
const PORTION: usize = 20_000;

/// A kind of error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wrong {
    /// An assertion that fails, or a run-time error.
    Fault,
    /// A run that ends where it must not.
    End,
    /// A trace assertion that is violated.
    Trace,
}

/// Packed states from an initial one on.
pub type Path = Vec<Vec<u8>>;

/// What was found out.
#[derive(Clone, Debug, PartialEq)]
pub struct Safety {
    /// For each kind that was asked for: a shortest path to a state in which it happens; none if it
    /// never does, or why that is not known.
    pub paths: Vec<(Wrong, Result<Option<Path>, String>)>,
    /// The reachable states.
    pub states: Count,
}

/// Looks for errors of some kinds.
///
/// # Errors
/// If a limit is reached.
pub fn safety(system: &dyn Groups, wanted: &[Wrong], options: &Options) -> Result<Safety, Halt> {
    let mut explored = Exploration::new(system, &Fairness::default(), options)?;
    explored.run()?;
    let mut goals = Vec::new();
    for &wrong in wanted {
        let goal = match wrong {
            Wrong::End => explored.improper_ends()?,
            Wrong::Fault => Some(explored.going_wrong(|g| &g.faults)?),
            Wrong::Trace => Some(explored.going_wrong(|g| &g.traces)?),
        };
        goals.push((wrong, goal));
    }
    let m = &explored.m;
    let (exact, about) = explored.number(&explored.reached);
    let bits = explored.table.bits(explored.table.positions());
    let pieces = explored.pieces(Stays::Nowhere)?;
    let nothing = feasible::Fairness::default();
    let product = Product::new(m, &explored.initial, &pieces, &bits, &nothing, &[])?;
    let mut paths = Vec::new();
    for (wrong, goal) in goals {
        let is_hidden = wrong == Wrong::End && system.ends_at_faults();
        if let (true, Some(report)) = (is_hidden, explored.faults.first()) {
            paths.push((wrong, Err(Halt::Unknown(report.fault).to_string())));
            continue;
        }
        let Some(goal) = goal else {
            let reason = format!("there are more than {MOST_ENDS} ends");
            paths.push((wrong, Err(reason)));
            continue;
        };
        let walk = match m.is_empty(&goal) {
            true => None,
            false => shortest(m, &product, &goal)?,
        };
        let path = walk.map(|walk| {
            let states = walk.states.iter().map(|point| explored.bytes_of(point));
            let lost = || Stop::Refused("a state of a run does not exist: please report".into());
            states.collect::<Option<Vec<_>>>().ok_or_else(lost)
        });
        paths.push((wrong, Ok(path.transpose()?)));
    }
    Ok(Safety {
        paths,
        states: Count { exact, about },
    })
}

impl Exploration<'_> {
    /// The number of states of a set.
    pub fn number(&self, set: &Set) -> (Option<u128>, f64) {
        let positions = self.table.positions().filter(|&p| p != TAKEN);
        self.m.count(set, self.table.bits(positions).len())
    }

    /// The reachable states in which some group meets something.
    fn going_wrong(&self, what: impl Fn(&super::explore::Learned) -> &Set) -> Outcome<Set> {
        let all = self.groups.iter().map(|g| what(g).clone()).collect();
        self.m.and(&self.reached, &union(&self.m, all)?)
    }

    /// The reachable states in which a run ends where it must not; none if there are too many ends.
    pub fn improper_ends(&mut self) -> Outcome<Option<Set>> {
        let ends = self.ends()?;
        if self.number(&ends).0.is_none_or(|n| n > MOST_ENDS) {
            return Ok(None);
        }
        let mut improper = Vec::new();
        for layout in 0..self.layouts.len() {
            let own = self.m.and(&ends, &self.of_layout(layout)?)?;
            let bytes = 0..self.layouts[layout].len;
            let reads: Vec<Position> = bytes.map(Position::of_byte).collect();
            // What is behind the end of a state says nothing.
            let others = self.table.positions();
            let others = others.filter(|p| *p != LAYOUT && *p != TAKEN && !reads.contains(p));
            let bits = self.table.bits(others);
            let others = cube(&self.m, bits.iter().map(|b| b.now))?;
            let mut open = self.m.exists(&own, &others)?;
            while !self.m.is_empty(&open) {
                let rows = self.rows(&open, &reads, PORTION)?;
                let level = levels(&self.m);
                let (mut seen, mut bad) = (Vec::new(), Vec::new());
                for row in &rows {
                    let state = self.mixture(layout, &reads, row);
                    let set = self.row_set(layout, &reads, row, &level)?;
                    if !self.explorer.is_valid_end(&state) {
                        bad.push(set.clone());
                    }
                    seen.push(set);
                }
                open = self.m.minus(&open, &union(&self.m, seen)?)?;
                improper.push(self.m.and(&own, &union(&self.m, bad)?)?);
            }
        }
        Ok(Some(union(&self.m, improper)?))
    }

    /// The bytes of a state.
    fn bytes_of(&self, point: &Point) -> Option<Vec<u8>> {
        let value = |position: Position| {
            let column = &self.table.columns[position.0];
            let bits = column.bits.iter().enumerate();
            let is_set = |v: oxidd::VarNo| point.get(v as usize) == Some(&true);
            let code = bits.fold(0, |code, (place, bit)| {
                code | u32::from(is_set(bit.now)) << place
            });
            column.value(code)
        };
        let layout = self.layouts.get(value(LAYOUT)? as usize)?;
        let bytes = (0..layout.len).map(|at| value(Position::of_byte(at)));
        bytes
            .map(|v| v.and_then(|v| u8::try_from(v).ok()))
            .collect()
    }
}
