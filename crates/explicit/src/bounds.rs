//! The largest values of amounts: all reachable states, breadth first.
//!
//! One search answers all questions at once; each state is looked at once for each amount. Fairness plays no
//! part: a bound is about everything that can be reached.

use evenhand_system::{AmountId, Explorer, Fault};

use crate::search::{Progress, Stop};
use crate::space::Space;
use crate::store::{StateId, Store};
use crate::watch::Watch;

/// What the search found out about one amount: its largest value, none if there is no state; or why it
/// has no value somewhere.
pub type Largest = Result<Option<i64>, Fault>;

/// The largest value of each amount.
///
/// # Errors
/// If the search came to no end.
pub fn largest<S: Store>(
    space: &mut Space<'_, S>,
    explorer: &mut dyn Explorer,
    amounts: &[AmountId],
    watch: &mut Watch<'_>,
) -> Result<Vec<Largest>, Stop> {
    let mut found: Vec<Largest> = vec![Ok(None); amounts.len()];
    let mut seen: Vec<bool> = Vec::new();
    let mut queue: Vec<StateId> = Vec::new();
    let mut reach = |queue: &mut Vec<StateId>, state: StateId| {
        if seen.len() <= state.index() {
            seen.resize(state.index() + 1, false);
        }
        if !std::mem::replace(&mut seen[state.index()], true) {
            queue.push(state);
        }
    };
    for state in space.initial()? {
        reach(&mut queue, state);
    }
    let (mut next, mut bytes) = (0, Vec::new());
    while next < queue.len() {
        let state = queue[next];
        next += 1;
        space.load(state, &mut bytes);
        for (largest, &amount) in found.iter_mut().zip(amounts) {
            if let Ok(known) = largest {
                *largest = explorer
                    .amount(amount, &bytes)
                    .map(|value| (*known).max(Some(value)));
            }
        }
        let outgoing = space.outgoing_partly(state)?;
        for (target, _) in outgoing.edges() {
            reach(&mut queue, target);
        }
        watch.tick(|| Progress {
            states: space.len() as u64,
            expanded: next as u64,
            transitions: space.transitions(),
            depth: 0,
            bytes: space.bytes_used() as u64,
        })?;
    }
    Ok(found)
}
