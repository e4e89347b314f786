//! What can be reached from a set, in either direction.
//!
//! **Idea.** A least fixpoint. Where only the whole set matters the steps are *chained*: what one
//! piece adds is used by the next one at once, and each piece is applied only to what it has not
//! seen yet. In interleavings that takes far fewer rounds than breadth first search, and smaller
//! sets in between. Where distances matter, [`rings`] goes breadth first.

use crate::image::{Steps, Towards};
use crate::manager::{Manager, Outcome, Set};

/// Everything that can be reached (or can reach), staying inside of a set.
pub(crate) fn closure(
    m: &Manager,
    steps: &Steps,
    from: &Set,
    within: Option<&Set>,
    towards: Towards,
) -> Outcome<Set> {
    let Some(within) = within else {
        return unbounded(m, steps, from, towards);
    };
    let mut reached = m.and(from, within)?;
    let mut missing = m.minus(within, &reached)?;
    let mut few_missing = m.size(&missing) < m.size(&reached);
    // What was reached when a step was applied last.
    let mut seen: Vec<Set> = vec![m.no(); steps.list.len()];
    loop {
        m.round();
        let mut is_stable = true;
        for (step, seen) in steps.list.iter().zip(&mut seen) {
            if *seen == reached || step.is_idle() {
                continue;
            }
            if m.is_empty(&missing) {
                return Ok(reached);
            }
            // Look for the few that are missing, or go on from the few that are new.
            let image = if few_missing {
                step.image_in(m, &reached, towards, Some(&missing))?
            } else {
                let new = m.minus(&reached, seen)?;
                m.and(&step.image(m, &new, towards)?, &missing)?
            };
            *seen = reached.clone();
            if !m.is_empty(&image) {
                is_stable = false;
                reached = m.or(&reached, &image)?;
                missing = m.minus(&missing, &image)?;
                few_missing = m.size(&missing) < m.size(&reached);
            }
        }
        if is_stable {
            return Ok(reached);
        }
    }
}

/// Everything that can be reached.
fn unbounded(m: &Manager, steps: &Steps, from: &Set, towards: Towards) -> Outcome<Set> {
    let mut reached = from.clone();
    let mut seen: Vec<Set> = vec![m.no(); steps.list.len()];
    loop {
        m.round();
        let mut is_stable = true;
        for (step, seen) in steps.list.iter().zip(&mut seen) {
            if *seen == reached || step.is_idle() {
                continue;
            }
            let new = m.minus(&reached, seen)?;
            *seen = reached.clone();
            let image = step.image(m, &new, towards)?;
            let grown = m.or(&reached, &image)?;
            if grown != reached {
                is_stable = false;
                reached = grown;
            }
        }
        if is_stable {
            return Ok(reached);
        }
    }
}

/// The sets of states at distance 0, 1, 2, … from a set, each state in the first one only, until
/// nothing is new or `enough` says so of the last one.
pub(crate) fn rings(
    m: &Manager,
    steps: &Steps,
    from: &Set,
    within: Option<&Set>,
    towards: Towards,
    mut enough: impl FnMut(&Set) -> Outcome<bool>,
) -> Outcome<Vec<Set>> {
    let mut all = match within {
        Some(within) => m.and(from, within)?,
        None => from.clone(),
    };
    let mut rings = Vec::new();
    let mut ring = all.clone();
    while !m.is_empty(&ring) {
        m.round();
        let stop = enough(&ring)?;
        rings.push(ring.clone());
        if stop {
            break;
        }
        ring = m.minus(&steps.image(m, &ring, towards)?, &all)?;
        if let Some(within) = within {
            ring = m.and(&ring, within)?;
        }
        all = m.or(&all, &ring)?;
    }
    Ok(rings)
}
