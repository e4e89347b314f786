//! Why a relation has no step from a state: constraints that exclude each other.
//!
//! A part of the relation has no successor where no values satisfy all of its constraints. Most of them have nothing to do
//! with that; a person wants the few that cannot be satisfied together. So constraints are left out as long as there
//! still is no solution: first half of them at a time, then fewer, at last one by one (the deletion filter of Chinneck and
//! Dravnieks, 1991, in the order of delta debugging). What remains has a solution as soon as any one of it is
//! left out. Each attempt is one search for a single solution; where a search gives no answer the constraints stay.

use evenhand_source::{Span, spend};

use super::expression::{ExprId, VarId};
use super::solve::{Plan, Unknown};
use super::{Enumerated, Relation, Role};
use crate::compose::{ActionId, ProcessId};

impl Enumerated {
    /// For each action of a process that has no step from a state, the places of constraints that exclude each other
    /// there; none where a constraint alone is at fault that stands nowhere in the text.
    pub(super) fn excluded(&self, state: &[i64], process: ProcessId) -> Vec<(ActionId, Vec<Span>)> {
        let relation = self.relation();
        let mut list = Vec::new();
        for (number, part) in relation.trans.iter().enumerate() {
            let own = |(_, action): &(ProcessId, ActionId)| *action;
            let participants = self.participants(number);
            let mut taking = participants.iter().filter(|(p, _)| *p == process).map(own);
            let Some(action) = taking.next() else {
                continue;
            };
            if self.successors(number, state).is_ok_and(|s| s.is_empty()) {
                let core = self.core(&part.constraints, state);
                list.push((action, places(relation, &core)));
            }
        }
        list
    }

    /// Constraints of a part that no step from a state satisfies together, none of them in vain.
    fn core(&self, own: &[ExprId], state: &[i64]) -> Vec<Constraint> {
        let mut relation = self.relation().clone();
        let ids = || (0..self.relation().variables.len() as u32).map(VarId);
        let role = |id: &VarId| self.relation().variables[id.0 as usize].role;
        let frozen: Vec<VarId> = ids().filter(|id| role(id) == Role::Frozen).collect();
        let always = relation.always_next(&frozen);
        // Behind the step the invariant is another expression, written at the same place.
        let written = relation.invar.iter().copied().map(Some);
        let written = written.chain(std::iter::repeat(None));
        let here = relation.invar.iter().chain(own);
        let mut core: Vec<Constraint> = here.map(|&expr| (expr, Some(expr))).collect();
        core.extend(always.into_iter().zip(written));
        let unknowns: Vec<Unknown> = ids()
            .map(|variable| {
                let next = role(&variable) != Role::Input;
                Unknown { variable, next }
            })
            .collect();
        let zeros = vec![0; relation.variables.len()];
        let is_solvable = |constraints: &[Constraint]| {
            spend();
            let exprs: Vec<ExprId> = constraints.iter().map(|(expr, _)| *expr).collect();
            let plan = Plan::new(&relation, &unknowns, &exprs).ok()?;
            plan.has_solution(self.full(state), zeros.clone()).ok()
        };
        let mut size = core.len().div_ceil(2);
        while size > 0 {
            let mut at = 0;
            while at < core.len() {
                let end = (at + size).min(core.len());
                let rest = [&core[..at], &core[end..]].concat();
                match is_solvable(&rest) {
                    Some(false) => core = rest,
                    _ => at = end,
                }
            }
            size = if size == 1 { 0 } else { size.div_ceil(2) };
        }
        core
    }
}

/// A constraint as it is solved, and as it was written.
type Constraint = (ExprId, Option<ExprId>);

/// Where constraints are written, each once, in the order of the text.
fn places(relation: &Relation, constraints: &[Constraint]) -> Vec<Span> {
    let of = |expr: ExprId| {
        relation
            .written
            .iter()
            .filter(move |(known, _)| *known == expr)
    };
    let exprs = constraints.iter().filter_map(|(_, written)| *written);
    let mut places: Vec<Span> = exprs
        .filter_map(|expr| of(expr).next())
        .map(|(_, at)| *at)
        .collect();
    places.sort_unstable();
    places.dedup();
    places
}
