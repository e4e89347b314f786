//! The lengths of the shortest and the longest ways from some states to others (`COMPUTE` of SMV).
//!
//! Both are about fair states alone: those with a fair run. The shortest way is found breadth
//! first. The longest is the greatest number of steps that a way can take before it comes to a goal
//! for the first time: the ways that avoid the goal form a graph; if a cycle of it can be reached
//! from a start, there is no bound; otherwise its longest path is found in the order of its
//! depth-first search. All of a fair state's successors that matter are fair, so a longest way ends
//! in front of a goal. As in NuSMV, the longest is undefined where no start or no goal can be
//! reached, and the shortest infinite. Cost: linear.

use evenhand_system::question::Length;

use crate::ctl_star::Branching;
use crate::search::Stop;
use crate::state_set::StateSet;
use crate::store::{StateId, Store};

/// The length of a shortest way.
///
/// # Errors
/// If a limit was reached.
pub fn shortest_length<S: Store>(
    branching: &mut Branching<'_, '_, S>,
    from: &StateSet,
    to: &StateSet,
) -> Result<Length, Stop> {
    let fair = branching.fair().clone();
    let goal = to.and(&fair);
    let mut seen = from.and(&fair);
    let mut level: Vec<usize> = seen.iter().collect();
    let mut steps = 0;
    while !level.is_empty() {
        if level.iter().any(|&state| goal.contains(state)) {
            return Ok(Length::Steps(steps));
        }
        let mut next = Vec::new();
        for &state in &level {
            for target in branching.successors(StateId::new(state as u32))? {
                if fair.contains(target) && seen.insert(target) {
                    next.push(target);
                }
            }
        }
        level = next;
        steps += 1;
    }
    Ok(Length::Infinite)
}

/// The number of steps after which the last way has come to a goal.
///
/// # Errors
/// If a limit was reached.
pub fn longest_length<S: Store>(
    branching: &mut Branching<'_, '_, S>,
    from: &StateSet,
    to: &StateSet,
) -> Result<Length, Stop> {
    let fair = branching.fair().clone();
    if from.and(&fair).is_empty() || to.and(&fair).is_empty() {
        return Ok(Length::Undefined);
    }
    let avoiding = fair.and(&to.complement());
    let starts = from.and(&avoiding);
    // How many steps a way from a state can take in front of a goal, the last one included.
    let mut left: Vec<u64> = vec![0; fair.universe()];
    let mut entered = StateSet::empty(fair.universe());
    let mut finished = StateSet::empty(fair.universe());
    let mut longest = 0;
    for start in starts.iter() {
        let mut stack: Vec<(usize, Vec<usize>)> = Vec::new();
        if entered.insert(start) {
            stack.push((start, branching.successors(StateId::new(start as u32))?));
        }
        while let Some((state, targets)) = stack.last_mut() {
            let state = *state;
            let Some(target) = targets.pop() else {
                stack.pop();
                finished.insert(state);
                // The state itself is a step more than what can follow it.
                left[state] = left[state].max(1);
                let own = left[state];
                if let Some((parent, _)) = stack.last() {
                    left[*parent] = left[*parent].max(own + 1);
                }
                continue;
            };
            if !avoiding.contains(target) {
                continue;
            }
            if entered.insert(target) {
                let targets = branching.successors(StateId::new(target as u32))?;
                stack.push((target, targets));
            } else if !finished.contains(target) {
                return Ok(Length::Infinite);
            } else {
                left[state] = left[state].max(left[target] + 1);
            }
        }
        longest = longest.max(left[start]);
    }
    Ok(Length::Steps(longest))
}
