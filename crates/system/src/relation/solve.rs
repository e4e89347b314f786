//! All solutions of constraints over finite variables, by lists of candidates and early tests.
//!
//! The unknown variables get values one after the other; a constraint is tested as soon as all that
//! it mentions is known, and a branch that breaks one is left at once. A constraint that lists the
//! candidates of a variable when the rest of it is known (`choices.rs`) is used that way, so
//! assignments cost nothing, whatever the size of the domain; variables are taken in an order that
//! makes use of that: what is free comes first, what it determines follows. Most models of SMV are solved this way at the cost of one evaluation for each variable.
//!
//! Where values are tried in vain, propagation (`network.rs`) takes over: it is slower for each value, and needs few. Where
//! many combinations of values come before a test, it begins: they would be tried in vain in each state again.
//!
//! A variable with very many values that no constraint mentions is refused; so is, while solving,
//! a question with too many solutions or too many values to try.

use std::collections::BTreeSet;

use evenhand_source::budget::spend_many;

use super::choices::Choices;
use super::evaluate::{Compiled, Environment, Undefined};
use super::expression::{ExprId, VarId};
use super::network::{Go, Network};
use super::{Refusal, Relation, Sort};
use crate::compose::Valuation;

/// Up to how many values of a variable are tried one by one.
const LARGEST_DOMAIN: u64 = 1 << 16;

/// How many values are tried, and how many solutions found, at most.
const MOST_TRIALS: u64 = 1 << 24;
const MOST_SOLUTIONS: u64 = 1 << 18;

/// Beyond so many combinations of values before a test nothing is tried.
const LARGEST_STRETCH: u64 = 1 << 10;

/// Trials are in vain when there are more than these, and more than so many for each level of a solution.
const FEW_TRIALS: u64 = 64;
const TRIALS_PER_LEVEL: u64 = 4;

/// How the unknown variables are found.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    /// Constraints that mention no unknown.
    pub(super) before: Vec<Compiled>,
    pub(super) levels: Vec<Level>,
    /// The same constraints, where something has to be tested.
    pub(super) network: Option<Network>,
    /// Whether there are too many values to be tried.
    is_too_wide: bool,
}

/// One unknown.
#[derive(Clone, Debug)]
pub(super) struct Level {
    pub(super) unknown: Unknown,
    sort: Sort,
    /// Its candidates, where a constraint lists them.
    choices: Option<Choices>,
    /// What can be tested once it is known.
    pub(super) tests: Vec<Compiled>,
}

/// A value to be found: of a variable now (initial states, inputs) or in the next state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Unknown {
    pub variable: VarId,
    pub next: bool,
}

/// A constraint that lists the candidates of an unknown once other unknowns are known.
struct Listing {
    unknown: Unknown,
    constraint: usize,
    choices: Choices,
}

impl Plan {
    /// Orders the unknowns and hands each constraint to the last one that it mentions.
    pub fn new(
        relation: &Relation,
        unknowns: &[Unknown],
        constraints: &[ExprId],
    ) -> Result<Plan, Refusal> {
        let mut plan = Plan::of_any_size(relation, unknowns, constraints)?;
        let wide = |level: &&Level| level.choices.is_none() && level.sort.width() >= LARGEST_DOMAIN;
        if let Some(level) = plan.levels.iter().find(wide) {
            let mentions = |network: &Network| network.mentions(level.unknown);
            if !plan.network.as_ref().is_some_and(mentions) {
                return Err(undetermined(relation, level.unknown));
            }
            plan.is_too_wide = true;
        }
        plan.is_too_wide |= plan.network.is_some() && plan.longest_stretch() > LARGEST_STRETCH;
        Ok(plan)
    }

    /// How many combinations of values come before a test, at most: of levels whose candidates no constraint lists.
    fn longest_stretch(&self) -> u64 {
        let (mut stretch, mut longest) = (1u64, 1);
        for level in &self.levels {
            if level.choices.is_none() {
                stretch = stretch.saturating_mul(level.sort.width().saturating_add(1));
            }
            if !level.tests.is_empty() {
                longest = longest.max(stretch);
                stretch = 1;
            }
        }
        longest
    }

    /// The same for those who do not try all values of a variable.
    pub fn of_any_size(
        relation: &Relation,
        unknowns: &[Unknown],
        constraints: &[ExprId],
    ) -> Result<Plan, Refusal> {
        let expressions = &relation.expressions;
        let mut open: BTreeSet<Unknown> = unknowns.iter().copied().collect();
        let conjuncts: BTreeSet<ExprId> = constraints
            .iter()
            .flat_map(|&expr| expressions.conjuncts(expr))
            .collect();
        // For each constraint the unknowns that it mentions and that are not known yet.
        let mut needs: Vec<(ExprId, BTreeSet<Unknown>)> = conjuncts
            .into_iter()
            .map(|expr| (expr, mentioned(relation, expr, &open)))
            .collect();
        let mut plan = Plan::default();
        needs.retain(|(expr, missing)| {
            if missing.is_empty() {
                plan.before.push(Compiled::new(expressions, *expr));
            }
            !missing.is_empty()
        });
        let tested: Vec<ExprId> = needs.iter().map(|(expr, _)| *expr).collect();
        let mut listings = listings(relation, &needs);
        while !open.is_empty() {
            // A list is ready when its unknown is all that is missing; single values come first.
            let ready = listings
                .iter()
                .enumerate()
                .filter(|(_, l)| open.contains(&l.unknown) && needs[l.constraint].1.len() == 1)
                .min_by_key(|(at, l)| (!l.choices.single, *at))
                .map(|(at, _)| at);
            let (unknown, from) = match ready {
                Some(at) => {
                    let listing = listings.swap_remove(at);
                    (listing.unknown, Some((listing.constraint, listing.choices)))
                }
                None => match freest(relation, open.iter(), &listings) {
                    Some(unknown) => (unknown, None),
                    None => break,
                },
            };
            open.remove(&unknown);
            let mut tests = Vec::new();
            for (at, (expr, missing)) in needs.iter_mut().enumerate() {
                let answered = missing.remove(&unknown) && missing.is_empty();
                let listed = from
                    .as_ref()
                    .is_some_and(|(c, list)| *c == at && list.exact);
                if answered && !listed {
                    tests.push(Compiled::new(expressions, *expr));
                }
            }
            plan.levels.push(Level {
                unknown,
                sort: relation.variables[unknown.variable.0 as usize].sort.clone(),
                choices: from.map(|(_, choices)| choices),
                tests,
            });
        }
        if plan.levels.iter().any(|level| !level.tests.is_empty()) {
            plan.network = Some(Network::new(relation, unknowns, &tested));
        }
        Ok(plan)
    }

    /// Hands out every solution, some perhaps twice: the values of the variables now and in the next state. What is
    /// known is given; the places of the unknowns are overwritten.
    pub fn solve(
        &self,
        current: Valuation,
        next: Valuation,
        mut found: impl FnMut(&[i64], &[i64]),
    ) -> Result<(), Undefined> {
        let mut values = Values { current, next };
        if !values.satisfy(&self.before)? {
            return Ok(());
        }
        let mut solutions = 0;
        let mut found = |values: &Values| {
            solutions += 1;
            spend_many(self.levels.len());
            if solutions > MOST_SOLUTIONS {
                return Err(Undefined::TooMany);
            }
            found(&values.current, &values.next);
            Ok(Go::On)
        };
        if !self.is_too_wide && self.try_values(&mut values, &mut found)? {
            return Ok(());
        }
        match &self.network {
            Some(network) => network.solve(&mut values, None, found),
            None => Err(Undefined::TooMany),
        }
    }

    /// Whether there is a solution.
    pub fn has_solution(&self, current: Valuation, next: Valuation) -> Result<bool, Undefined> {
        let mut values = Values { current, next };
        if !values.satisfy(&self.before)? {
            return Ok(false);
        }
        let mut is_found = false;
        let mut found = |_: &Values| {
            is_found = true;
            Ok(Go::Stop)
        };
        if self.is_too_wide || !self.try_values(&mut values, &mut found)? {
            match &self.network {
                Some(network) => network.solve(&mut values, None, found)?,
                None => return Err(Undefined::TooMany),
            }
        }
        Ok(is_found)
    }

    /// Hands out solutions level by level, until there are none or enough; whether that came to its end.
    fn try_values(
        &self,
        values: &mut Values,
        found: &mut impl FnMut(&Values) -> Result<Go, Undefined>,
    ) -> Result<bool, Undefined> {
        let (mut trials, mut solutions) = (0, 0);
        let mut lists: Vec<Vec<i64>> = vec![Vec::new(); self.levels.len()];
        // For each level entered, the place of the next candidate and the number of candidates.
        let mut open: Vec<(u64, u64)> = Vec::with_capacity(self.levels.len());
        loop {
            match self.levels.get(open.len()) {
                Some(level) => {
                    let count = level.candidates(values, &mut lists[open.len()])?;
                    open.push((0, count));
                }
                None => {
                    solutions += 1;
                    if found(values)? == Go::Stop {
                        return Ok(true);
                    }
                }
            }
            // Go on to the next value that passes its tests, leaving exhausted levels.
            loop {
                let at = open.len().wrapping_sub(1);
                let Some((place, count)) = open.last_mut() else {
                    return Ok(true);
                };
                if place == count {
                    open.pop();
                    continue;
                }
                let level = &self.levels[at];
                let value = level.candidate(*place, &lists[at]);
                *place += 1;
                trials += 1;
                // A value that is tried costs little beside the constraints that are evaluated for it.
                spend_many(1 + level.tests.len());
                if self.is_in_vain(trials, solutions) {
                    return Ok(false);
                }
                values.set(level.unknown, value);
                if values.satisfy(&level.tests)? {
                    break;
                }
            }
        }
    }

    /// Whether so many trials are too many for so many solutions.
    pub(super) fn is_in_vain(&self, trials: u64, solutions: u64) -> bool {
        let fair = TRIALS_PER_LEVEL * self.levels.len() as u64 * (solutions + 1);
        match self.network {
            Some(_) => trials > FEW_TRIALS + fair,
            None => trials > MOST_TRIALS,
        }
    }
}

impl Level {
    /// The number of candidates; those that a constraint lists are put into `list`.
    pub(super) fn candidates(
        &self,
        values: &Values,
        list: &mut Vec<i64>,
    ) -> Result<u64, Undefined> {
        let Some(choices) = &self.choices else {
            return Ok(self.sort.width().saturating_add(1));
        };
        list.clear();
        choices.list(values.environment(), list)?;
        list.retain(|&value| self.sort.contains(value));
        if list.len() > 1 {
            list.sort_unstable();
            list.dedup();
        }
        Ok(list.len() as u64)
    }

    /// The candidate at a place; `list` has those that a constraint lists.
    pub(super) fn candidate(&self, place: u64, list: &[i64]) -> i64 {
        match self.choices {
            Some(_) => list[place as usize],
            None => self.sort.value(place),
        }
    }
}

/// The values so far.
pub(super) struct Values {
    pub current: Valuation,
    pub next: Valuation,
}

impl Values {
    pub(super) fn set(&mut self, unknown: Unknown, value: i64) {
        let side = if unknown.next {
            &mut self.next
        } else {
            &mut self.current
        };
        side[unknown.variable.0 as usize] = value;
    }

    pub(super) fn get(&self, unknown: Unknown) -> i64 {
        let side = if unknown.next {
            &self.next
        } else {
            &self.current
        };
        side[unknown.variable.0 as usize]
    }

    pub(super) fn environment(&self) -> Environment<'_> {
        Environment {
            current: &self.current,
            next: &self.next,
        }
    }

    pub(super) fn satisfy(&self, tests: &[Compiled]) -> Result<bool, Undefined> {
        for test in tests {
            if !test.is_true(self.environment())? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn mentioned(relation: &Relation, expr: ExprId, unknowns: &BTreeSet<Unknown>) -> BTreeSet<Unknown> {
    let (current, next) = relation.expressions.support(expr);
    let now = current.into_iter().map(|variable| Unknown {
        variable,
        next: false,
    });
    let then = next.into_iter().map(|variable| Unknown {
        variable,
        next: true,
    });
    now.chain(then).filter(|u| unknowns.contains(u)).collect()
}

/// The constraints that list candidates, for each unknown that they mention.
fn listings(relation: &Relation, constraints: &[(ExprId, BTreeSet<Unknown>)]) -> Vec<Listing> {
    let mut list = Vec::new();
    for (constraint, (expr, unknowns)) in constraints.iter().enumerate() {
        for &unknown in unknowns {
            let truth = relation.variables[unknown.variable.0 as usize].sort == Sort::Bool;
            let choices = Choices::new(&relation.expressions, *expr, unknown, truth);
            list.extend(choices.map(|choices| Listing {
                unknown,
                constraint,
                choices,
            }));
        }
    }
    list
}

/// The distance from the least to the greatest value.
fn width(relation: &Relation, unknown: Unknown) -> u64 {
    let sort = &relation.variables[unknown.variable.0 as usize].sort;
    sort.width()
}

/// The first unknown that can be enumerated, if there is one; rather one that no constraint lists, such as an input: what is
/// listed depends on those.
fn freest<'u>(
    relation: &Relation,
    unknowns: impl Iterator<Item = &'u Unknown>,
    listings: &[Listing],
) -> Option<Unknown> {
    let is_listed = |u: &Unknown| listings.iter().any(|listing| listing.unknown == *u);
    unknowns
        .copied()
        .min_by_key(|u| (width(relation, *u) >= LARGEST_DOMAIN, is_listed(u), *u))
}

fn undetermined(relation: &Relation, unknown: Unknown) -> Refusal {
    let name = match relation.wide_of(unknown.variable) {
        Some((wide, _)) => &wide.name,
        None => &relation.variables[unknown.variable.0 as usize].name,
    };
    Refusal::new(format!(
        "`{name}` has too many values to try them all, and nothing determines it"
    ))
}
