//! A graph as constraints: each step a conjunction of equations, each part their disjunction.
//!
//! The variables range from the least to the greatest value that the graph mentions. Steps with the
//! same participants are one part. The size is that of the graph times its number of variables.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::{ExprId, Expressions, Part, Refusal, Relation, Relational, Sort, VarId, Variable};
use crate::compose::{ActionId, FairGraph, ProcessId, Valuation};

impl Relational for FairGraph {
    fn relation(&self) -> Result<Cow<'_, Relation>, Refusal> {
        encode(self).map(Cow::Owned)
    }
}

fn encode(graph: &FairGraph) -> Result<Relation, Refusal> {
    let moves = graph.moves.iter();
    let states: Vec<&Valuation> = moves
        .flat_map(|(source, out)| out.iter().map(|m| &m.target).chain([source]))
        .chain(&graph.initial)
        .chain(graph.propositions.iter().flat_map(|(_, set)| set))
        .collect();
    if states.iter().any(|s| s.len() != graph.variables.len()) {
        return Err(Refusal::new(
            "a state of the graph has another number of variables",
        ));
    }
    let mut relation = Relation {
        processes: graph.processes.clone(),
        justice: graph.justice.clone(),
        compassion: graph.compassion.clone(),
        ..Relation::default()
    };
    for (index, name) in graph.variables.iter().enumerate() {
        let values = states.iter().map(|s| s[index]);
        let (low, high) = (values.clone().min().unwrap_or(0), values.max().unwrap_or(0));
        relation.add(Variable::new(name, Sort::Range(low, high)));
    }
    let pool = &mut relation.expressions;
    let initial: Vec<ExprId> = graph.initial.iter().map(|s| is(pool, s, false)).collect();
    relation.init = vec![pool.any(initial)];
    for (name, set) in &graph.propositions {
        let states: Vec<ExprId> = set.iter().map(|s| is(pool, s, false)).collect();
        relation.propositions.push((name.clone(), pool.any(states)));
    }
    let mut parts: BTreeMap<Vec<(ProcessId, ActionId)>, Vec<ExprId>> = BTreeMap::new();
    for (source, out) in &graph.moves {
        for step in out {
            let (from, to) = (is(pool, source, false), is(pool, &step.target, true));
            let both = pool.all([from, to]);
            parts
                .entry(step.participants.clone())
                .or_default()
                .push(both);
        }
    }
    for (participants, steps) in parts {
        let named: Option<Vec<(ProcessId, String)>> = participants
            .iter()
            .map(|&(process, action)| {
                let (_, name) = graph.actions.get(action.index())?;
                Some((process, name.clone()))
            })
            .collect();
        let participants = named.ok_or_else(|| Refusal::new("a step with an unknown action"))?;
        let constraints = vec![relation.expressions.any(steps)];
        relation.trans.push(Part {
            participants,
            constraints,
        });
    }
    relation.check()?;
    Ok(relation)
}

/// "The state is this one."
fn is(pool: &mut Expressions, state: &[i64], next: bool) -> ExprId {
    let equations: Vec<ExprId> = (0..)
        .map(VarId)
        .zip(state)
        .map(|(id, &value)| {
            let variable = if next {
                pool.next(id)
            } else {
                pool.current(id)
            };
            let value = pool.constant(value);
            pool.equal(variable, value)
        })
        .collect();
    pool.all(equations)
}
