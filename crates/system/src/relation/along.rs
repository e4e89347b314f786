//! A relation along one run: what is needed to execute a run again, whatever the size of the model.
//!
//! Enumerating all initial states and all successors of a state is out of the question where there
//! are too many. But a run that somebody claims to have found names its states and inputs: it is
//! enough to evaluate the constraints on them. So this is the part of the system that consists of
//! the states of the run, and of those steps from one position to the next that the relation really
//! has. A run that is none has a step that is missing here.
//!
//! Only the states of the run are known: an item of fairness is not enabled because of others, and
//! an end of the run says nothing about ends of the system. Justice and compassion over conditions
//! need neither.

use super::evaluate::{Compiled, Environment};
use super::expression::{ExprId, VarId};
use super::{Part, Refusal, Relation, Role, Sort, Variable};
use crate::compose::{ActionId, PackedValuation, Valuation};
use crate::explicit::{FinishedRuns, Value};
use crate::fairness::PropositionId;
use crate::fault::FaultKind;
use crate::model::{Model, ModelAction, Steps};

/// A relation along a run.
#[derive(Clone, Debug)]
pub struct Along {
    relation: Relation,
    state: Vec<VarId>,
    init: Vec<Compiled>,
    invar: Vec<Compiled>,
    parts: Vec<Vec<Compiled>>,
    /// The first action of each part.
    actions: Vec<usize>,
    propositions: Vec<Compiled>,
    positions: Vec<Valuation>,
    /// Where the step out of the last position leads.
    turn: Option<usize>,
}

impl Along {
    /// The part of a relation that a run uses: the values of all variables at its positions, by
    /// their numbers, and the position to which the last step returns.
    ///
    /// # Errors
    /// Where the relation is not well formed.
    pub fn new(
        relation: Relation,
        positions: Vec<Valuation>,
        turn: Option<usize>,
    ) -> Result<Along, Refusal> {
        relation.check()?;
        let compile = |&expr: &ExprId| Compiled::new(&relation.expressions, expr);
        let constraints = |part: &Part| part.constraints.iter().map(compile).collect();
        let mut actions = Vec::new();
        let mut count = 0;
        for part in &relation.trans {
            actions.push(count);
            count += part.participants.len();
        }
        let ids = (0..relation.variables.len() as u32).map(VarId);
        let is_state = |id: &VarId| relation.variables[id.0 as usize].role != Role::Input;
        Ok(Along {
            state: ids.filter(is_state).collect(),
            init: relation.init.iter().map(compile).collect(),
            invar: relation.invar.iter().map(compile).collect(),
            parts: relation.trans.iter().map(constraints).collect(),
            actions,
            propositions: relation
                .propositions
                .iter()
                .map(|(_, e)| compile(e))
                .collect(),
            positions,
            turn,
            relation,
        })
    }

    /// The states of the run.
    pub fn states(&self) -> Vec<PackedValuation> {
        let states = self
            .positions
            .iter()
            .map(|values| self.part_of_state(values));
        states.map(PackedValuation).collect()
    }

    fn part_of_state(&self, values: &[i64]) -> Valuation {
        let value = |id: &VarId| values.get(id.0 as usize).copied().unwrap_or(0);
        self.state.iter().map(value).collect()
    }

    fn are_true(list: &[Compiled], current: &[i64], next: &[i64]) -> bool {
        let environment = Environment { current, next };
        list.iter().all(|c| c.is_true(environment) == Ok(true))
    }

    /// Whether each variable has one of its values, and the invariant holds.
    fn is_state(&self, values: &[i64]) -> bool {
        let variables = &self.relation.variables;
        values.len() == variables.len()
            && self.state.iter().all(|id| {
                let at = id.0 as usize;
                variables[at].sort.contains(values[at])
            })
            && Along::are_true(&self.invar, values, &[])
    }

    fn keeps_frozen(&self, current: &[i64], next: &[i64]) -> bool {
        let variables = self.relation.variables.iter().enumerate();
        let mut frozen = variables.filter(|(_, v)| v.role == Role::Frozen);
        frozen.all(|(at, _)| current[at] == next[at])
    }

    /// Whether the inputs at a position are values of theirs.
    fn has_inputs(&self, values: &[i64]) -> bool {
        let variables = self.relation.variables.iter().zip(values);
        let mut inputs = variables.filter(|(v, _)| v.role == Role::Input);
        inputs.all(|(variable, &value)| variable.sort.contains(value))
    }

    /// The steps of the run out of a state: the position, the part, and the next position.
    fn taken(&self, state: &[i64]) -> Vec<(usize, usize, usize)> {
        let mut found = Vec::new();
        for (at, current) in self.positions.iter().enumerate() {
            let next = match at + 1 < self.positions.len() {
                true => Some(at + 1),
                false => self.turn,
            };
            let Some(to) = next.filter(|&to| to < self.positions.len()) else {
                continue;
            };
            let target = &self.positions[to];
            let is_step = self.part_of_state(current) == state
                && self.is_state(current)
                && self.has_inputs(current)
                && self.is_state(target)
                && self.keeps_frozen(current, target);
            if !is_step {
                continue;
            }
            for (part, constraints) in self.parts.iter().enumerate() {
                if Along::are_true(constraints, current, target) {
                    found.push((at, part, to));
                }
            }
        }
        found
    }
}

impl Model for Along {
    type State = PackedValuation;

    fn name(&self) -> String {
        self.relation.name.clone()
    }

    fn processes(&self) -> Vec<String> {
        self.relation.processes.clone()
    }

    fn actions(&self) -> Vec<ModelAction> {
        let participants = self.relation.trans.iter().flat_map(|p| &p.participants);
        participants
            .map(|(process, name)| ModelAction::new(process.index(), name.clone()))
            .collect()
    }

    fn initial(&self) -> Vec<PackedValuation> {
        let is_initial =
            |values: &&Valuation| self.is_state(values) && Along::are_true(&self.init, values, &[]);
        let states = self.positions.iter().filter(is_initial);
        let states = states.map(|values| self.part_of_state(values));
        states.map(PackedValuation).collect()
    }

    fn steps(&self, state: &PackedValuation, steps: &mut Steps<PackedValuation>) {
        for (_, part, to) in self.taken(&state.0) {
            let list = self.relation.trans[part].participants.iter();
            let participants = list
                .zip(self.actions[part]..)
                .map(|(&(process, _), action)| (process, ActionId::new(action)));
            let target = self.part_of_state(&self.positions[to]);
            steps.joined(participants, PackedValuation(target));
        }
    }

    fn finished_runs(&self) -> FinishedRuns {
        FinishedRuns::Ignore
    }

    fn describe(&self, state: &PackedValuation) -> Vec<(String, Value)> {
        let values = self.state.iter().zip(&state.0);
        self.relation.told(values.map(|(&id, &value)| (id, value)))
    }

    fn inputs(&self, from: &PackedValuation, to: &PackedValuation) -> Vec<(String, Value)> {
        let taken = self.taken(&from.0).into_iter();
        let mut fitting =
            taken.filter(|&(_, _, at)| self.part_of_state(&self.positions[at]) == to.0);
        let Some((at, ..)) = fitting.next() else {
            return Vec::new();
        };
        let values = self.relation.inputs_of(&self.positions[at]);
        self.relation.told(values)
    }

    fn propositions(&self) -> Vec<String> {
        let names = self
            .relation
            .propositions
            .iter()
            .map(|(name, _)| name.clone());
        names.collect()
    }

    fn holds(&self, proposition: PropositionId, state: &PackedValuation) -> bool {
        self.truth(proposition, state) == Ok(true)
    }

    fn truth(
        &self,
        proposition: PropositionId,
        state: &PackedValuation,
    ) -> Result<bool, FaultKind> {
        let mut current = vec![0; self.relation.variables.len()];
        for (id, &value) in self.state.iter().zip(&state.0) {
            current[id.0 as usize] = value;
        }
        let compiled = self.propositions.get(proposition.0 as usize);
        let environment = Environment {
            current: &current,
            next: &[],
        };
        compiled.map_or(Ok(false), |c| {
            c.is_true(environment).map_err(FaultKind::from)
        })
    }
}

impl Relation {
    /// A value as people write it.
    pub fn shown(&self, sort: &Sort, value: i64) -> Value {
        match sort {
            Sort::Bool => Value::Truth(value != 0),
            Sort::Values(_) => match self.symbol_name(value) {
                Some(name) => Value::Text(name.to_string()),
                None => Value::Number(value),
            },
            Sort::Word(word) if !word.signed && value < 0 => {
                Value::Text((value as u64).to_string())
            }
            Sort::Enumeration(names) => {
                let name = usize::try_from(value).ok().and_then(|v| names.get(v));
                name.map_or(Value::Number(value), |name| Value::Text(name.clone()))
            }
            Sort::Range(..) | Sort::Word(_) => Value::Number(value),
        }
    }
}

impl Relation {
    /// A value from how people write it, if it is one of the sort.
    fn read(&self, sort: &Sort, value: &Value) -> Option<i64> {
        let number = match (sort, value) {
            (Sort::Bool, Value::Truth(truth)) => i64::from(*truth),
            (Sort::Values(list), Value::Text(text)) => {
                let named = |value: &&i64| self.symbol_name(**value) == Some(text);
                *list.iter().find(named)?
            }
            (Sort::Enumeration(names), Value::Text(text)) => {
                names.iter().position(|name| name == text)? as i64
            }
            (Sort::Word(_), Value::Text(text)) => text.parse::<u64>().ok()? as i64,
            (_, Value::Number(number)) => *number,
            _ => return None,
        };
        sort.contains(number).then_some(number)
    }

    /// The values of all variables, by their names; what is not named has the least of its values.
    pub(super) fn valuation(&self, named: &[(String, Value)]) -> Valuation {
        let variables = (0..).map(VarId).zip(&self.variables);
        let value = |(id, variable): (VarId, &Variable)| {
            if let Some(limb) = self.limb_from(id, named) {
                return limb;
            }
            let known = named.iter().find(|(name, _)| *name == variable.name);
            let known = known.and_then(|(_, value)| self.read(&variable.sort, value));
            known.unwrap_or_else(|| variable.sort.bounds().0)
        };
        variables.map(value).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compose::ProcessId;
    use crate::relation::BinaryOp;

    /// A counter from 0 to 3 that an input lets go on; it must not be 2 and stay.
    fn counter(positions: Vec<Valuation>, turn: Option<usize>) -> Along {
        let mut relation = Relation {
            processes: vec!["main".into()],
            ..Relation::default()
        };
        let n = relation.add(Variable::new("n", Sort::Range(0, 3)));
        let mut input = Variable::new("go", Sort::Bool);
        input.role = Role::Input;
        let go = relation.add(input);
        let e = &mut relation.expressions;
        let (now, next, go) = (e.current(n), e.next(n), e.current(go));
        let zero = e.constant(0);
        let init = e.equal(now, zero);
        let sum = e.binary(BinaryOp::Add, now, go);
        let step = e.equal(next, sum);
        relation.init.push(init);
        relation.trans.push(Part {
            participants: vec![(ProcessId::new(0), "main".into())],
            constraints: vec![step],
        });
        Along::new(relation, positions, turn).expect("a relation")
    }

    fn count_of_steps(along: &Along, n: i64) -> usize {
        let mut steps = Steps::default();
        along.steps(&PackedValuation(vec![n]), &mut steps);
        steps.iter().count()
    }

    #[test]
    fn a_run_of_the_relation_is_there() {
        let along = counter(vec![vec![0, 1], vec![1, 0], vec![1, 0]], Some(1));
        assert_eq!(along.initial(), [PackedValuation(vec![0])]);
        assert_eq!(count_of_steps(&along, 0), 1);
        assert_eq!(count_of_steps(&along, 1), 2);
        let go = |truth| vec![("go".to_string(), Value::Truth(truth))];
        let state = |n| PackedValuation(vec![n]);
        assert_eq!(along.inputs(&state(0), &state(1)), go(true));
        assert_eq!(along.inputs(&state(1), &state(1)), go(false));
    }

    #[test]
    fn what_is_no_run_is_not() {
        // The input does not let it go on; it does not begin in 1; 4 is no value.
        let along = counter(vec![vec![0, 0], vec![1, 0]], None);
        assert_eq!(count_of_steps(&along, 0), 0);
        assert!(counter(vec![vec![1, 0]], Some(0)).initial().is_empty());
        let along = counter(vec![vec![3, 1], vec![4, 0]], None);
        assert_eq!(count_of_steps(&along, 3), 0);
        // Nor is 2 an input.
        let along = counter(vec![vec![0, 2], vec![2, 0]], None);
        assert_eq!(count_of_steps(&along, 0), 0);
    }
}
