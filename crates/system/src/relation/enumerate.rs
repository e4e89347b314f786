//! Exploring a relation by enumeration.
//!
//! The initial states and the successors of a state are the solutions of the constraints;
//! `solve.rs` finds them. This is right for small domains and for replaying steps, not for large
//! models.
//!
//! A constraint that is not defined (division by zero) is a run-time error of the explored model,
//! even where another constraint would rule the step out: which one is tested first is not for the
//! model to rely on.

use std::collections::BTreeSet;

use evenhand_source::Span;

use super::evaluate::{Compiled, Environment, Undefined};
use super::expression::{ExprId, VarId};
use super::solve::{Plan, Unknown};
use super::{Refusal, Relation, Role};
use crate::compose::{ActionId, FairSystem, Move, PackedValuation, ProcessId, Valuation};
use crate::explicit::{FinishedRuns, Value};
use crate::fairness::{Compassion, PropositionId};
use crate::fault::FaultKind;
use crate::model::{Model, ModelAction, Steps};

/// A relation that can be explored.
///
/// States are valuations of all variables but the inputs, in their order.
#[derive(Clone, Debug)]
pub struct Enumerated {
    relation: Relation,
    /// The variables of a state.
    state: Vec<VarId>,
    initial: Plan,
    parts: Vec<Plan>,
    /// The first action of each part.
    actions: Vec<usize>,
    propositions: Vec<Compiled>,
}

impl Enumerated {
    /// Prepares a relation.
    ///
    /// # Errors
    /// Where it is not well formed, or a variable has too many values to be tried.
    pub fn new(mut relation: Relation) -> Result<Enumerated, Refusal> {
        relation.check()?;
        let ids = || (0..relation.variables.len() as u32).map(VarId);
        let role = |id: &VarId| relation.variables[id.0 as usize].role;
        let state: Vec<VarId> = ids().filter(|id| role(id) != Role::Input).collect();
        let inputs: Vec<VarId> = ids().filter(|id| role(id) == Role::Input).collect();
        let frozen: Vec<VarId> = ids().filter(|id| role(id) == Role::Frozen).collect();
        let unknown = |next| move |&variable: &VarId| Unknown { variable, next };

        let now: Vec<Unknown> = state.iter().map(unknown(false)).collect();
        let constraints: Vec<ExprId> = [&relation.init[..], &relation.invar].concat();
        let initial = Plan::new(&relation, &now, &constraints)?;

        let always = relation.always_next(&frozen);
        let mut unknowns: Vec<Unknown> = inputs.iter().map(unknown(false)).collect();
        unknowns.extend(state.iter().map(unknown(true)));
        let mut parts = Vec::new();
        let mut actions = Vec::new();
        let mut count = 0;
        for part in &relation.trans {
            let constraints: Vec<ExprId> =
                [&part.constraints[..], &always, &relation.invar].concat();
            parts.push(Plan::new(&relation, &unknowns, &constraints)?);
            actions.push(count);
            count += part.participants.len();
        }
        let propositions = relation.propositions.iter();
        let propositions = propositions
            .map(|&(_, expr)| Compiled::new(&relation.expressions, expr))
            .collect();
        Ok(Enumerated {
            relation,
            state,
            initial,
            parts,
            actions,
            propositions,
        })
    }

    /// The relation.
    pub fn relation(&self) -> &Relation {
        &self.relation
    }

    /// The initial states, in order.
    ///
    /// # Errors
    /// Where a constraint is not defined.
    pub fn initial_states(&self) -> Result<BTreeSet<Valuation>, Undefined> {
        let mut found = BTreeSet::new();
        let zeros = vec![0; self.relation.variables.len()];
        self.initial.solve(zeros.clone(), zeros, |current, _| {
            found.insert(self.part_of_state(current));
        })?;
        Ok(found)
    }

    /// Where a part leads from a state, in order.
    ///
    /// # Errors
    /// Where a constraint is not defined.
    pub fn successors(&self, part: usize, state: &[i64]) -> Result<BTreeSet<Valuation>, Undefined> {
        let mut found = BTreeSet::new();
        let Some(plan) = self.parts.get(part) else {
            return Ok(found);
        };
        if !self.is_state(state) {
            return Ok(found);
        }
        let zeros = vec![0; self.relation.variables.len()];
        plan.solve(self.full(state), zeros, |_, next| {
            found.insert(self.part_of_state(next));
        })?;
        Ok(found)
    }

    /// Whether each variable has one of its values.
    fn is_state(&self, state: &[i64]) -> bool {
        let sort = |id: &VarId| &self.relation.variables[id.0 as usize].sort;
        state.len() == self.state.len()
            && self
                .state
                .iter()
                .zip(state)
                .all(|(id, &value)| sort(id).contains(value))
    }

    fn part_of_state(&self, values: &[i64]) -> Valuation {
        self.state.iter().map(|id| values[id.0 as usize]).collect()
    }

    /// The state with inputs, which are 0.
    pub(super) fn full(&self, state: &[i64]) -> Valuation {
        let mut full = vec![0; self.relation.variables.len()];
        for (id, &value) in self.state.iter().zip(state) {
            full[id.0 as usize] = value;
        }
        full
    }

    pub(super) fn participants(&self, part: usize) -> Vec<(ProcessId, ActionId)> {
        let list = self.relation.trans[part].participants.iter();
        list.zip(self.actions[part]..)
            .map(|(&(process, _), action)| (process, ActionId::new(action)))
            .collect()
    }

    fn truth_of(&self, proposition: PropositionId, state: &[i64]) -> Result<bool, Undefined> {
        let current = &self.full(state)[..];
        let environment = Environment { current, next: &[] };
        let compiled = self.propositions.get(proposition.0 as usize);
        compiled.map_or(Ok(false), |c| c.is_true(environment))
    }
}

impl From<Undefined> for FaultKind {
    fn from(undefined: Undefined) -> FaultKind {
        match undefined {
            Undefined::DivisionByZero => FaultKind::DivisionByZero,
            Undefined::Overflow => FaultKind::Overflow,
            Undefined::NoCase => FaultKind::NoCase,
            Undefined::Index => FaultKind::NoElement,
            Undefined::Shift => FaultKind::ShiftDistance,
            Undefined::TooMany => FaultKind::TooManySuccessors,
        }
    }
}

impl Relation {
    /// What holds behind every step: the invariant, and that nothing changes which never does.
    pub(super) fn always_next(&mut self, frozen: &[VarId]) -> Vec<ExprId> {
        let mut always = self.invar.clone();
        for constraint in &mut always {
            *constraint = self.expressions.primed(*constraint);
        }
        for &id in frozen {
            let (now, next) = (self.expressions.current(id), self.expressions.next(id));
            always.push(self.expressions.equal(next, now));
        }
        always
    }
}

/// For composition. A constraint or a proposition that is not defined counts as false here; explored
/// as a [`Model`] it is a run-time error.
impl FairSystem for Enumerated {
    fn variables(&self) -> Vec<String> {
        let names = self
            .state
            .iter()
            .map(|id| &self.relation.variables[id.0 as usize].name);
        names.cloned().collect()
    }

    fn processes(&self) -> Vec<String> {
        self.relation.processes.clone()
    }

    fn actions(&self) -> Vec<(ProcessId, String)> {
        let parts = self.relation.trans.iter();
        parts
            .flat_map(|part| part.participants.iter().cloned())
            .collect()
    }

    fn initial(&self) -> Vec<Valuation> {
        self.initial_states()
            .unwrap_or_default()
            .into_iter()
            .collect()
    }

    fn moves(&self, state: &[i64]) -> Vec<Move> {
        let mut moves = Vec::new();
        for part in 0..self.parts.len() {
            let targets = self.successors(part, state).unwrap_or_default();
            moves.extend(targets.into_iter().map(|target| Move {
                participants: self.participants(part),
                target,
            }));
        }
        moves
    }

    fn propositions(&self) -> Vec<String> {
        self.relation
            .propositions
            .iter()
            .map(|(name, _)| name.clone())
            .collect()
    }

    fn holds(&self, proposition: PropositionId, state: &[i64]) -> bool {
        self.truth_of(proposition, state) == Ok(true)
    }

    fn justice(&self) -> Vec<PropositionId> {
        self.relation.justice.clone()
    }

    fn compassion(&self) -> Vec<Compassion> {
        self.relation.compassion.clone()
    }
}

impl Model for Enumerated {
    type State = PackedValuation;

    fn name(&self) -> String {
        self.relation.name.clone()
    }

    fn processes(&self) -> Vec<String> {
        self.relation.processes.clone()
    }

    fn actions(&self) -> Vec<ModelAction> {
        let actions = FairSystem::actions(self).into_iter();
        actions
            .map(|(process, name)| ModelAction::new(process.index(), name))
            .collect()
    }

    fn initial(&self) -> Vec<PackedValuation> {
        FairSystem::initial(self)
            .into_iter()
            .map(PackedValuation)
            .collect()
    }

    fn initial_faults(&self) -> Vec<FaultKind> {
        self.initial_states()
            .err()
            .map(FaultKind::from)
            .into_iter()
            .collect()
    }

    fn steps(&self, state: &PackedValuation, steps: &mut Steps<PackedValuation>) {
        if !self.is_state(&state.0) {
            return steps.fault(FaultKind::BadState);
        }
        for part in 0..self.parts.len() {
            let participants = self.participants(part);
            match self.successors(part, &state.0) {
                Ok(targets) => {
                    for target in targets {
                        steps.joined(participants.iter().copied(), PackedValuation(target));
                    }
                }
                Err(undefined) => steps.fault(undefined.into()),
            }
        }
    }

    fn conflicts(&self, state: &PackedValuation, process: ProcessId) -> Vec<(ActionId, Vec<Span>)> {
        match self.is_state(&state.0) {
            true => self.excluded(&state.0, process),
            false => Vec::new(),
        }
    }

    /// A relation has infinite runs only.
    fn finished_runs(&self) -> FinishedRuns {
        FinishedRuns::Ignore
    }

    fn describe(&self, state: &PackedValuation) -> Vec<(String, Value)> {
        let values = self.state.iter().zip(&state.0);
        self.relation.told(values.map(|(&id, &value)| (id, value)))
    }

    fn inputs(&self, from: &PackedValuation, to: &PackedValuation) -> Vec<(String, Value)> {
        let one = self.all_inputs(from, to, 1);
        one.into_iter().next().unwrap_or_default()
    }

    fn all_inputs(
        &self,
        from: &PackedValuation,
        to: &PackedValuation,
        limit: usize,
    ) -> Vec<Vec<(String, Value)>> {
        let variables = self.relation.variables.iter().enumerate();
        let inputs: Vec<_> = variables.filter(|(_, v)| v.role == Role::Input).collect();
        if inputs.is_empty() || !self.is_state(&from.0) {
            return Vec::new();
        }
        let mut found: Vec<Vec<i64>> = Vec::new();
        for plan in &self.parts {
            let zeros = vec![0; self.relation.variables.len()];
            let solved = plan.solve(self.full(&from.0), zeros, |current, next| {
                if found.len() < limit && self.part_of_state(next) == to.0 {
                    let values: Vec<i64> = inputs.iter().map(|&(at, _)| current[at]).collect();
                    if !found.contains(&values) {
                        found.push(values);
                    }
                }
            });
            if solved.is_err() || found.len() >= limit {
                break;
            }
        }
        let shown = |values: Vec<i64>| {
            let pairs = inputs.iter().zip(values);
            self.relation
                .told(pairs.map(|(&(at, _), value)| (VarId(at as u32), value)))
        };
        found.into_iter().map(shown).collect()
    }

    fn propositions(&self) -> Vec<String> {
        FairSystem::propositions(self)
    }

    fn holds(&self, proposition: PropositionId, state: &PackedValuation) -> bool {
        self.truth(proposition, state) == Ok(true)
    }

    fn truth(
        &self,
        proposition: PropositionId,
        state: &PackedValuation,
    ) -> Result<bool, FaultKind> {
        match state.0.len() == self.state.len() {
            true => self
                .truth_of(proposition, &state.0)
                .map_err(FaultKind::from),
            false => Err(FaultKind::BadState),
        }
    }

    fn justice(&self) -> Vec<PropositionId> {
        self.relation.justice.clone()
    }

    fn compassion(&self) -> Vec<Compassion> {
        self.relation.compassion.clone()
    }
}
