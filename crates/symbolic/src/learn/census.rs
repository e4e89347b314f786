//! Counting what was learned.
//!
//! Successors that a group has of a row of bytes are counted when it is asked, the same state twice
//! if two ways lead there: so the transitions are, for each group and each number of successors,
//! that number times the reachable states with such a row. Where there are very many ends they are
//! not counted ([`super::safety`]).

use evenhand_system::{Fairness, Groups};

use super::Halt;
use super::explore::Exploration;
use super::fair::Stays;
use super::safety::MOST_ENDS;
use crate::answer::Count;
use crate::census::Census;
use crate::engine::Options;
use crate::image::{Steps, Towards};
use crate::manager::Outcome;
use crate::reach::rings;

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
    let deadlocks = deadlocks.and_then(|ends| explored.number(&ends).0);
    let m = &explored.m;
    let steps = Steps::new(m, explored.pieces(Stays::Nowhere)?)?;
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
}
