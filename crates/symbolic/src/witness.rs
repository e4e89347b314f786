//! WITNESS: a fair run as a path and a cycle.
//!
//! **Problem.** The core of FEASIBLE says that a fair run exists; people want to see one.
//!
//! **Idea.** As corrected from Kesten, Pnueli, Raviv and Shahar (2001): from some state of the core
//! go down to a terminal component, which is fair (a walk of single states first: sets are small
//! behind it). The prefix is a shortest path to it. The cycle visits each justice set, and the
//! second set of each pair whose first one occurs in the component, by shortest paths, skipping
//! what it has met already, and closes with at least one step. Each path is one computation of
//! rings around its end, then a walk from ring to ring.
//!
//! **Limits.** The core must be the one of the *backward* search and not its closure. The run is
//! short, not shortest.

use crate::feasible::Fairness;
use crate::image::{Step, Steps, Towards};
use crate::manager::{Manager, Outcome, Set};
use crate::product::Product;
use crate::reach::{closure, rings};
use crate::watch::Stop;

/// A state by the values of all variables of the diagrams.
pub(crate) type Point = Vec<bool>;

/// A run in terms of the diagrams.
#[derive(Clone, Debug, Default)]
pub(crate) struct Walk {
    /// The states; the last one of a lasso is the one where the cycle began.
    pub states: Vec<Point>,
    /// Where the cycle begins; none for a finite run.
    pub turn: Option<usize>,
}

/// The most steps of a walk to where less can be reached.
const DESCENT: usize = 200;

struct Walker<'a> {
    m: &'a Manager,
    product: &'a Product,
}

/// A fair run from an initial state, inside of the reachable states, if the core is not empty.
pub(crate) fn lasso(m: &Manager, product: &Product, core: &Set) -> Outcome<Option<Walk>> {
    let walker = Walker { m, product };
    let Some(component) = walker.terminal(core)? else {
        return Ok(None);
    };
    let Some(prefix) = walker.path(&product.init, &component, None)? else {
        return Ok(None);
    };
    walker
        .cycle(prefix, &component, &product.fairness)
        .map(Some)
}

/// A shortest path from some states to a goal, inside of a set of states.
pub(crate) fn path_inside(
    m: &Manager,
    product: &Product,
    (from, within, goal): (&Set, &Set, &Set),
) -> Outcome<Option<Vec<Point>>> {
    let walker = Walker { m, product };
    walker.path(from, goal, Some(&m.or(within, goal)?))
}

/// A step from some states into a goal.
pub(crate) fn step_into(
    m: &Manager,
    product: &Product,
    from: &Set,
    goal: &Set,
) -> Outcome<Option<Vec<Point>>> {
    let walker = Walker { m, product };
    let before = m.and(&product.steps.image(m, goal, Towards::Past)?, from)?;
    if m.is_empty(&before) {
        return Ok(None);
    }
    let start = walker.pick(&before)?;
    let here = point(m, product, &start)?;
    let after = product.steps.image(m, &here, Towards::Future)?;
    let end = walker.pick(&m.and(&after, goal)?)?;
    Ok(Some(vec![start, end]))
}

/// A fair run from one of some states that stays inside of a set, or of what can be reached; the
/// core is the one inside of it.
pub(crate) fn onward(
    m: &Manager,
    product: &Product,
    core: &Set,
    (from, within): (&Set, Option<&Set>),
) -> Outcome<Option<Walk>> {
    let walker = Walker { m, product };
    let Some(mut prefix) = walker.path(from, core, within)? else {
        return Ok(None);
    };
    let state = prefix.last().cloned().unwrap_or_default();
    let component = walker.terminal_from(state.clone(), core)?;
    let here = point(m, product, &state)?;
    let Some(rest) = walker.path(&here, &component, Some(core))? else {
        return Ok(None);
    };
    prefix.extend(rest.into_iter().skip(1));
    walker
        .cycle(prefix, &component, &product.fairness)
        .map(Some)
}

/// A shortest path from the initial states to a set.
pub(crate) fn shortest(m: &Manager, product: &Product, goal: &Set) -> Outcome<Option<Walk>> {
    let walker = Walker { m, product };
    let states = walker.path(&product.init, goal, None)?;
    Ok(states.map(|states| Walk { states, turn: None }))
}

/// The literal of each bit of a state.
pub(crate) fn point(m: &Manager, product: &Product, state: &Point) -> Outcome<Set> {
    let mut set = m.yes();
    let mut bits: Vec<_> = product.bits.iter().map(|b| b.now).collect();
    bits.sort_unstable();
    for bit in bits.into_iter().rev() {
        let literal = m.variable(bit)?;
        set = match state.get(bit as usize) {
            Some(true) => m.and(&literal, &set)?,
            _ => m.minus(&set, &literal)?,
        };
    }
    Ok(set)
}

/// The step between two states, and the values of the inputs on it.
pub(crate) fn step_between<'s>(
    m: &Manager,
    product: &Product,
    steps: &'s Steps,
    from: &Set,
    to: &Point,
) -> Outcome<Option<(&'s Step, Point)>> {
    for step in &steps.list {
        let piece = &step.piece;
        let mut here = from.clone();
        for bit in &product.bits {
            let value = to.get(bit.now as usize).copied().unwrap_or(false);
            let is_changed = piece.changed.contains(bit);
            let Some(level) = (if is_changed { bit.next } else { Some(bit.now) }) else {
                continue;
            };
            let literal = m.variable(level)?;
            here = match value {
                true => m.and(&here, &literal)?,
                false => m.minus(&here, &literal)?,
            };
            if m.is_empty(&here) {
                break;
            }
        }
        for conjunct in piece.conjuncts.iter().chain(&piece.after) {
            if m.is_empty(&here) {
                break;
            }
            here = m.and(&here, conjunct)?;
        }
        if let Some(point) = m.pick(&here) {
            return Ok(Some((step, point)));
        }
    }
    Ok(None)
}

impl Walker<'_> {
    fn pick(&self, set: &Set) -> Outcome<Point> {
        let lost = || Stop::Refused("a set lost its elements: please report".into());
        self.m.pick(set).ok_or_else(lost)
    }

    fn closure(&self, from: &Set, within: &Set, towards: Towards) -> Outcome<Set> {
        closure(self.m, &self.product.steps, from, Some(within), towards)
    }

    /// A terminal component of a set.
    fn terminal(&self, core: &Set) -> Outcome<Option<Set>> {
        match self.m.pick(core) {
            Some(state) => self.terminal_from(state, core).map(Some),
            None => Ok(None),
        }
    }

    /// A terminal component of a set that can be reached from one of its states inside of it.
    fn terminal_from(&self, state: Point, core: &Set) -> Outcome<Set> {
        let mut state = self.descend(state, core)?;
        let mut within = core.clone();
        loop {
            let here = point(self.m, self.product, &state)?;
            let after = self.closure(&here, &within, Towards::Future)?;
            let both = self.closure(&here, &after, Towards::Past)?;
            let rest = self.m.minus(&after, &both)?;
            if self.m.is_empty(&rest) {
                return Ok(both);
            }
            within = after;
            state = self.descend(self.pick(&rest)?, &within)?;
        }
    }

    /// The end of a walk that visits no state twice. It costs little, and where it ends there is
    /// less to be reached than where it began.
    fn descend(&self, start: Point, within: &Set) -> Outcome<Point> {
        let m = self.m;
        let mut state = start;
        let mut seen = m.no();
        for _ in 0..DESCENT {
            let here = point(m, self.product, &state)?;
            seen = m.or(&seen, &here)?;
            let after = self.product.steps.image(m, &here, Towards::Future)?;
            let new = m.minus(&m.and(&after, within)?, &seen)?;
            match m.pick(&new) {
                Some(next) => state = next,
                None => break,
            }
        }
        Ok(state)
    }

    /// A shortest path between two sets, inside of a set or of what can be reached; possibly
    /// without a step.
    fn path(&self, from: &Set, to: &Set, within: Option<&Set>) -> Outcome<Option<Vec<Point>>> {
        let m = self.m;
        let steps = &self.product.steps;
        let met = |ring: &Set| m.meet(ring, from);
        // Predecessors may be no states, so some set must bound them.
        let within = match within.or(self.product.reached.as_ref()) {
            Some(within) => within.clone(),
            None => closure(m, steps, from, None, Towards::Future)?,
        };
        let rings = rings(m, steps, to, Some(&within), Towards::Past, met)?;
        let Some((last, inner)) = rings.split_last() else {
            return Ok(None);
        };
        let start = m.and(last, from)?;
        if m.is_empty(&start) {
            return Ok(None);
        }
        let mut states = vec![self.pick(&start)?];
        for ring in inner.iter().rev() {
            let here = point(m, self.product, states.last().unwrap_or(&Vec::new()))?;
            let next = m.and(&steps.image(m, &here, Towards::Future)?, ring)?;
            states.push(self.pick(&next)?);
        }
        Ok(Some(states))
    }

    /// Goes on from the last state by a shortest path to a set.
    fn extend(&self, states: &mut Vec<Point>, to: &Set, within: &Set) -> Outcome<()> {
        let here = point(self.m, self.product, states.last().unwrap_or(&Vec::new()))?;
        if let Some(path) = self.path(&here, to, Some(within))? {
            states.extend(path.into_iter().skip(1));
        }
        Ok(())
    }

    fn cycle(&self, prefix: Vec<Point>, component: &Set, fairness: &Fairness) -> Outcome<Walk> {
        let m = self.m;
        let turn = prefix.len() - 1;
        let mut states = prefix;
        let mut goals = fairness.justice.clone();
        for (when, then) in &fairness.compassion {
            if m.meet(component, when)? {
                goals.push(then.clone());
            }
        }
        for goal in goals {
            let is_met = |state: &Point| {
                let bits = self.product.bits.iter().map(|b| b.now);
                let bits = bits.map(|v| (v, state.get(v as usize) == Some(&true)));
                m.contains(&goal, &bits.collect::<Vec<_>>())
            };
            if !states[turn..].iter().any(is_met) {
                self.extend(&mut states, &m.and(component, &goal)?, component)?;
            }
        }
        let start = point(m, self.product, &states[turn])?;
        if states.len() == turn + 1 {
            // At least one step: to the successor that is nearest to the start.
            let successors = self.product.steps.image(m, &start, Towards::Future)?;
            let successors = m.and(&successors, component)?;
            let back = self.path(&successors, &start, Some(component))?;
            states.extend(back.unwrap_or_default());
        } else {
            self.extend(&mut states, &start, component)?;
        }
        Ok(Walk {
            states,
            turn: Some(turn),
        })
    }
}
