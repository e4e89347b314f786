//! A random run of a relation, without listing what could be chosen.
//!
//! A step with forty free inputs has 2^40 outcomes: to choose one, nobody needs the others. The unknown
//! values of a step are found one after the other as in `solve.rs`, with the same tests as early as
//! possible, but the candidates of each begin at a random place, and the first solution is taken. Where
//! a test fails the search goes back, so a solution is found if there is one, or the
//! number of trials comes to an end: then nobody knows.
//!
//! Where values fail in vain, propagation (`network.rs`) takes over, with its splits in a random order.
//!
//! The cost of a step is that of one solution where the constraints determine values or are tested early.
//! Solutions are not equally likely: each value is, given those before it.

use evenhand_source::spend;

use super::evaluate::Undefined;
use super::expression::{ExprId, VarId};
use super::network::{Go, Network};
use super::solve::{Plan, Unknown, Values};
use super::{Refusal, Relation, Role};
use crate::body::Dice;
use crate::compose::Valuation;

/// How many values are tried for one step at most.
const MOST_TRIALS: u64 = 1 << 22;

/// How a random run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DrawnEnd {
    /// It has as many steps as were asked for.
    Long,
    /// Its last state has no successor, or there is no initial state.
    Stuck,
    /// A constraint has no value.
    Undefined(Undefined),
    /// No step was found among so many trials.
    Unknown(u64),
}

/// The positions of a random run, each with the values of all variables and the inputs of the step out of it.
pub(super) struct Drawn {
    pub positions: Vec<Valuation>,
    pub end: DrawnEnd,
}

/// Draws a run of at most so many steps.
///
/// # Errors
/// If the relation is not well formed.
pub(super) fn draw(relation: &Relation, dice: &mut Dice<'_>, steps: u64) -> Result<Drawn, Refusal> {
    let mut relation = relation.clone();
    relation.check()?;
    let plans = Plans::new(&mut relation)?;
    let zeros = vec![0; relation.variables.len()];
    let mut drawn = Drawn {
        positions: Vec::new(),
        end: DrawnEnd::Long,
    };
    match plans.initial.draw(zeros.clone(), zeros.clone(), dice) {
        Ok(Some((first, _))) => drawn.positions.push(first),
        Ok(None) => drawn.end = DrawnEnd::Stuck,
        Err(end) => drawn.end = end,
    }
    for _ in 0..steps {
        let Some(last) = drawn.positions.last_mut() else {
            break;
        };
        let count = plans.parts.len();
        let first = match count {
            0 | 1 => 0,
            _ => dice(count as u64) as usize,
        };
        let mut found = Ok(None);
        for part in (0..count).map(|n| (first + n) % count) {
            found = plans.parts[part].draw(last.clone(), zeros.clone(), dice);
            if !matches!(found, Ok(None)) {
                break;
            }
        }
        match found {
            Ok(Some((current, next))) => {
                *last = current;
                drawn.positions.push(next);
            }
            Ok(None) => drawn.end = DrawnEnd::Stuck,
            Err(end) => drawn.end = end,
        }
        if drawn.end != DrawnEnd::Long {
            break;
        }
    }
    Ok(drawn)
}

/// How the unknowns of the beginning and of each kind of step are found.
struct Plans {
    initial: Plan,
    parts: Vec<Plan>,
}

impl Plans {
    fn new(relation: &mut Relation) -> Result<Plans, Refusal> {
        let ids = || (0..relation.variables.len() as u32).map(VarId);
        let role = |id: &VarId| relation.variables[id.0 as usize].role;
        let unknown = |next| move |variable: VarId| Unknown { variable, next };
        let states = || ids().filter(|id| role(id) != Role::Input);
        let now: Vec<Unknown> = states().map(unknown(false)).collect();
        let inputs = ids()
            .filter(|id| role(id) == Role::Input)
            .map(unknown(false));
        let unknowns: Vec<Unknown> = inputs.chain(states().map(unknown(true))).collect();
        let frozen: Vec<VarId> = ids().filter(|id| role(id) == Role::Frozen).collect();
        let always = relation.always_next(&frozen);
        let constraints: Vec<ExprId> = [&relation.init[..], &relation.invar].concat();
        let initial = Plan::of_any_size(relation, &now, &constraints)?;
        let mut parts = Vec::new();
        for part in &relation.trans {
            let constraints: Vec<ExprId> =
                [&part.constraints[..], &always, &relation.invar].concat();
            parts.push(Plan::of_any_size(relation, &unknowns, &constraints)?);
        }
        Ok(Plans { initial, parts })
    }
}

impl Plan {
    /// A random solution: the values now and in the next state; none if there is none.
    fn draw(
        &self,
        current: Valuation,
        next: Valuation,
        dice: &mut Dice<'_>,
    ) -> Result<Option<(Valuation, Valuation)>, DrawnEnd> {
        let mut values = Values { current, next };
        if !values.satisfy(&self.before).map_err(DrawnEnd::Undefined)? {
            return Ok(None);
        }
        let mut lists: Vec<Vec<i64>> = vec![Vec::new(); self.levels.len()];
        // For each level entered: where its candidates begin, how many were tried, and how many there are.
        let mut open: Vec<(u64, u64, u64)> = Vec::with_capacity(self.levels.len());
        let mut trials = 0;
        loop {
            let Some(level) = self.levels.get(open.len()) else {
                return Ok(Some((values.current, values.next)));
            };
            let list = &mut lists[open.len()];
            let count = level.candidates(&values, list);
            let count = count.map_err(DrawnEnd::Undefined)?;
            let start = match count {
                0 | 1 => 0,
                _ => dice(count),
            };
            open.push((start, 0, count));
            // Go on to the next value that passes its tests, leaving exhausted levels.
            loop {
                let at = open.len().wrapping_sub(1);
                let Some((start, tried, count)) = open.last_mut() else {
                    return Ok(None);
                };
                if tried == count {
                    open.pop();
                    continue;
                }
                let level = &self.levels[at];
                let place = ((u128::from(*start) + u128::from(*tried)) % u128::from(*count)) as u64;
                *tried += 1;
                trials += 1;
                spend();
                if let Some(network) = &self.network
                    && self.is_in_vain(trials, 0)
                {
                    return drawn_from(network, values, dice);
                }
                if trials > MOST_TRIALS {
                    return Err(DrawnEnd::Unknown(MOST_TRIALS));
                }
                values.set(level.unknown, level.candidate(place, &lists[at]));
                if values.satisfy(&level.tests).map_err(DrawnEnd::Undefined)? {
                    break;
                }
            }
        }
    }
}

/// A random solution by propagation.
fn drawn_from(
    network: &Network,
    mut values: Values,
    dice: &mut Dice<'_>,
) -> Result<Option<(Valuation, Valuation)>, DrawnEnd> {
    let mut drawn = None;
    let mut one = |values: &Values| {
        drawn = Some((values.current.clone(), values.next.clone()));
        Ok(Go::Stop)
    };
    match network.solve(&mut values, Some(dice), &mut one) {
        Ok(()) => Ok(drawn),
        Err(Undefined::TooMany) => Err(DrawnEnd::Unknown(MOST_TRIALS)),
        Err(undefined) => Err(DrawnEnd::Undefined(undefined)),
    }
}
