//! A relation as the body of a system: explored by enumeration, or as the constraints that it is.

use std::sync::OnceLock;

use crate::body::{Body, Dice, Inputs, RandomEnd, RandomRun};
use crate::compose::PackedValuation;
use crate::explicit::{Explicit, FinishedRuns, Value};
use crate::fairness::PropositionId;
use crate::foreign::Foreign;
use crate::model::Model;
use crate::pack::Pack;
use crate::relation::draw::{Drawn, DrawnEnd, draw};
use crate::relation::{Along, Enumerated, Refusal, Relation, Role, VarId, Variable};
use crate::signature::Signature;

/// A relation with what it is about.
#[derive(Debug)]
pub struct RelationBody {
    relation: Relation,
    signature: Signature,
    /// The system without inputs, once somebody asked for it.
    plain: OnceLock<Result<Foreign<Enumerated>, Refusal>>,
}

impl RelationBody {
    /// A body. Its runs are infinite: where one ends it is none.
    pub fn new(relation: Relation, signature: Signature) -> RelationBody {
        RelationBody {
            relation,
            signature,
            plain: OnceLock::new(),
        }
    }

    /// A random run, and the part of the system that it uses.
    fn drawn(&self, dice: &mut Dice<'_>, steps: u64) -> Result<RandomRun, Refusal> {
        let Drawn { positions, end } = draw(&self.relation, dice, steps)?;
        let end = match end {
            DrawnEnd::Long => RandomEnd::Long,
            DrawnEnd::Stuck => RandomEnd::Stuck,
            DrawnEnd::Undefined(undefined) => RandomEnd::Fault(undefined.into()),
            DrawnEnd::Unknown(trials) => RandomEnd::Unknown(trials),
        };
        let along = Along::new(self.relation.clone(), positions, None)?;
        let packed = |state: PackedValuation| {
            let mut bytes = Vec::new();
            state.pack(&mut bytes);
            bytes
        };
        let states = along.states().into_iter().map(packed).collect();
        Ok(RandomRun {
            system: Box::new(self.described(along)?),
            states,
            end,
        })
    }

    fn enumerated(&self, relation: Relation) -> Result<Foreign<Enumerated>, Refusal> {
        self.described(Enumerated::new(relation)?)
    }

    /// A part of the system, with what the whole is about.
    fn described<M: Model>(&self, model: M) -> Result<Foreign<M>, Refusal> {
        let system = Foreign::new(model).map_err(|error| Refusal::new(error.to_string()))?;
        Ok(system.described(|signature| signature.describe_as(&self.signature)))
    }
}

impl Body for RelationBody {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn explicit(&self) -> Result<&dyn Explicit, Refusal> {
        let plain = self
            .plain
            .get_or_init(|| self.enumerated(self.relation.clone()));
        match plain {
            Ok(system) => Ok(system),
            Err(refusal) => Err(refusal.clone()),
        }
    }

    fn finished_runs(&self) -> FinishedRuns {
        FinishedRuns::Ignore
    }

    fn relation(&self) -> Result<&Relation, Refusal> {
        Ok(&self.relation)
    }

    fn draw(&self, dice: &mut Dice<'_>, steps: u64) -> Option<Result<RandomRun, Refusal>> {
        Some(self.drawn(dice, steps))
    }

    fn along(
        &self,
        positions: &[Vec<(String, Value)>],
        turn: Option<usize>,
    ) -> Option<Result<Box<dyn Explicit>, Refusal>> {
        let positions = positions
            .iter()
            .map(|values| self.relation.valuation(values));
        let along = Along::new(self.relation.clone(), positions.collect(), turn);
        let system = along.and_then(|along| self.described(along));
        Some(system.map(|system| Box::new(system) as Box<dyn Explicit>))
    }

    fn inputs_read(&self, propositions: &[PropositionId]) -> Inputs {
        let mut inputs = Inputs::new();
        for id in propositions {
            let Some(&(_, expr)) = self.relation.propositions.get(id.0 as usize) else {
                continue;
            };
            let (current, _) = self.relation.expressions.support(expr);
            let is_input = |id: &VarId| self.relation.variables[id.0 as usize].role == Role::Input;
            inputs.extend(current.into_iter().filter(is_input));
        }
        inputs
    }

    fn with_inputs(&self, inputs: &Inputs) -> Result<Box<dyn Explicit>, Refusal> {
        let mut relation = self.relation.clone();
        for id in inputs {
            relation.variables[id.0 as usize].role = Role::State;
        }
        Ok(Box::new(self.enumerated(relation)?))
    }

    fn without_inputs(&self, inputs: &Inputs, state: &[u8]) -> Vec<u8> {
        let mut rest = state;
        let Some(PackedValuation(values)) = PackedValuation::unpack(&mut rest) else {
            return state.to_vec();
        };
        let is_read = |id: usize| inputs.contains(&VarId(id as u32));
        let is_there = |(id, v): &(usize, &Variable)| v.role != Role::Input || is_read(*id);
        let variables = self.relation.variables.iter().enumerate().filter(is_there);
        let own = values.into_iter().zip(variables);
        let own = own.filter(|(_, (_, variable))| variable.role != Role::Input);
        let mut key = Vec::new();
        PackedValuation(own.map(|(value, _)| value).collect()).pack(&mut key);
        key
    }
}
