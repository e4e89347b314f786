//! All solutions of constraints over finite variables, by enumeration with early tests.
//!
//! The unknown variables get values one after the other; a constraint is tested as soon as all that
//! it mentions is known, and a branch that breaks one is left at once. A constraint `x' = e` gives its
//! variable its only candidate when the rest of it is known, so assignments cost nothing, whatever
//! the size of the domain; variables are taken in an order that makes use of that. What remains is
//! exponential in the number of variables that no assignment determines.
//!
//! A variable with very many values that no assignment determines is refused.

use std::collections::BTreeSet;

use super::evaluate::{Compiled, Environment, Undefined};
use super::expression::{BinaryOp, ExprId, Node, VarId};
use super::{Refusal, Relation};
use crate::compose::Valuation;

/// Up to how many values of a variable are tried one by one.
const LARGEST_DOMAIN: i64 = 1 << 16;

/// How the unknown variables are found.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    /// Constraints that mention no unknown.
    before: Vec<Compiled>,
    levels: Vec<Level>,
}

/// One unknown.
#[derive(Clone, Debug)]
struct Level {
    unknown: Unknown,
    bounds: (i64, i64),
    /// Its only candidate, where a constraint gives one.
    candidate: Option<Compiled>,
    /// What can be tested once it is known.
    tests: Vec<Compiled>,
}

/// A value to be found: of a variable now (initial states, inputs) or in the next state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Unknown {
    pub variable: VarId,
    pub next: bool,
}

/// An unknown, the expression it must equal, and the unknowns that expression mentions.
type Assignment = (Unknown, ExprId, BTreeSet<Unknown>);

impl Plan {
    /// Orders the unknowns and hands each constraint to the last one that it mentions.
    pub fn new(
        relation: &Relation,
        unknowns: &[Unknown],
        constraints: &[ExprId],
    ) -> Result<Plan, Refusal> {
        let expressions = &relation.expressions;
        let unknowns: BTreeSet<Unknown> = unknowns.iter().copied().collect();
        let conjuncts = constraints
            .iter()
            .flat_map(|&expr| expressions.conjuncts(expr));
        let constraints: Vec<(ExprId, BTreeSet<Unknown>)> = conjuncts
            .map(|expr| (expr, mentioned(relation, expr, &unknowns)))
            .collect();
        let mut assignments: Vec<Assignment> = Vec::new();
        for &(expr, _) in &constraints {
            assignments.extend(assignments_in(relation, expr, &unknowns));
        }
        let mut known: BTreeSet<Unknown> = BTreeSet::new();
        let mut plan = Plan::default();
        for (expr, _) in constraints.iter().filter(|(_, needs)| needs.is_empty()) {
            plan.before.push(Compiled::new(expressions, *expr));
        }
        while known.len() < unknowns.len() {
            let ready = assignments
                .iter()
                .find(|(unknown, _, needs)| !known.contains(unknown) && needs.is_subset(&known));
            let (unknown, candidate) = match ready {
                Some(&(unknown, value, _)) => (unknown, Some(Compiled::new(expressions, value))),
                None => match smallest(relation, unknowns.difference(&known)) {
                    Some(unknown) => (enumerable(relation, unknown)?, None),
                    None => break,
                },
            };
            known.insert(unknown);
            let testable = constraints
                .iter()
                .filter(|(_, needs)| needs.contains(&unknown) && needs.is_subset(&known));
            plan.levels.push(Level {
                unknown,
                bounds: relation.variables[unknown.variable.0 as usize]
                    .sort
                    .bounds(),
                candidate,
                tests: testable
                    .map(|&(expr, _)| Compiled::new(expressions, expr))
                    .collect(),
            });
        }
        Ok(plan)
    }

    /// Hands out every solution: the values of the variables now and in the next state. What is
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
        // For each level entered, the values still to be tried: from the first to the second.
        let mut open: Vec<(i64, i64)> = Vec::with_capacity(self.levels.len());
        loop {
            match self.levels.get(open.len()) {
                Some(level) => open.push(level.candidates(&values)?),
                None => found(&values.current, &values.next),
            }
            // Go on to the next value that passes its tests, leaving exhausted levels.
            loop {
                let Some(&(value, last)) = open.last() else {
                    return Ok(());
                };
                if value > last {
                    open.pop();
                    continue;
                }
                let level = &self.levels[open.len() - 1];
                let at = open.len() - 1;
                open[at] = match value.checked_add(1) {
                    Some(following) => (following, last),
                    None => (1, 0),
                };
                values.set(level.unknown, value);
                if values.satisfy(&level.tests)? {
                    break;
                }
            }
        }
    }
}

impl Level {
    fn candidates(&self, values: &Values) -> Result<(i64, i64), Undefined> {
        let (low, high) = self.bounds;
        match &self.candidate {
            None => Ok((low, high)),
            Some(expr) => {
                let value = expr.value(values.environment())?;
                Ok((value.max(low), value.min(high))) // none if it is out of bounds
            }
        }
    }
}

struct Values {
    current: Valuation,
    next: Valuation,
}

impl Values {
    fn set(&mut self, unknown: Unknown, value: i64) {
        let side = if unknown.next {
            &mut self.next
        } else {
            &mut self.current
        };
        side[unknown.variable.0 as usize] = value;
    }

    fn environment(&self) -> Environment<'_> {
        Environment {
            current: &self.current,
            next: &self.next,
        }
    }

    fn satisfy(&self, tests: &[Compiled]) -> Result<bool, Undefined> {
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

/// The assignments that an equation can be read as.
fn assignments_in(
    relation: &Relation,
    expr: ExprId,
    unknowns: &BTreeSet<Unknown>,
) -> Vec<Assignment> {
    let Node::Binary(BinaryOp::Eq, left, right) = *relation.expressions.node(expr) else {
        return Vec::new();
    };
    let sides = [(left, right), (right, left)].into_iter();
    sides
        .filter_map(|(side, value)| {
            let (variable, next) = match *relation.expressions.node(side) {
                Node::Current(variable) => (variable, false),
                Node::Next(variable) => (variable, true),
                _ => return None,
            };
            let unknown = Unknown { variable, next };
            let is_unknown = unknowns.contains(&unknown);
            is_unknown.then(|| (unknown, value, mentioned(relation, value, unknowns)))
        })
        .collect()
}

/// The distance from the least to the greatest value.
fn width(relation: &Relation, unknown: Unknown) -> i64 {
    let (low, high) = relation.variables[unknown.variable.0 as usize]
        .sort
        .bounds();
    high.saturating_sub(low)
}

/// The first unknown that can be enumerated; if none can, the first one.
fn smallest<'u>(
    relation: &Relation,
    unknowns: impl Iterator<Item = &'u Unknown>,
) -> Option<Unknown> {
    unknowns
        .copied()
        .min_by_key(|u| (width(relation, *u) >= LARGEST_DOMAIN, *u))
}

fn enumerable(relation: &Relation, unknown: Unknown) -> Result<Unknown, Refusal> {
    if width(relation, unknown) < LARGEST_DOMAIN {
        return Ok(unknown);
    }
    let name = &relation.variables[unknown.variable.0 as usize].name;
    Err(Refusal::new(format!(
        "`{name}` has too many values to try them all, and nothing determines it"
    )))
}
