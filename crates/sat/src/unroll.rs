//! States and steps, one position after the other.
//!
//! A position has literals for all variables, inputs included: an input belongs to the step out of its
//! position. Invariants of the model are asserted at each position when it is made, steps between two
//! positions and initial conditions where they are asked for. A constraint without a value is not satisfied.

use batsat::Lit;
use evenhand_source::Budget;
use evenhand_system::compose::Valuation;
use evenhand_system::fairness::PropositionId;
use evenhand_system::relation::{ExprId, Relation, Role};

use crate::coding::{Coded, fresh, read};
use crate::expression::{Condition, Encoder, Memo};
use crate::gates::Gates;
use crate::number;
use crate::solver::{Outcome, Solver, Stop};
use crate::successor::guessed;

/// A run of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The values of all variables, by their number, at each position. An input has the value that
    /// the step out of the position takes; at the end of a finite run it means nothing.
    pub states: Vec<Valuation>,
    /// The position to which the step out of the last one returns; none for a finite run.
    pub turn: Option<usize>,
}

/// A position.
struct Position {
    variables: Vec<Coded>,
    memo: Memo,
}

/// A relation, unrolled.
pub(crate) struct Unrolled<'r> {
    pub g: Gates,
    relation: &'r Relation,
    positions: Vec<Position>,
}

impl<'r> Unrolled<'r> {
    /// No position yet.
    pub fn new(relation: &'r Relation, budget: &Budget) -> Unrolled<'r> {
        Unrolled {
            g: Gates::new(Solver::new(budget)),
            relation,
            positions: Vec::new(),
        }
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// A new position whose variables have values, but satisfy nothing yet.
    fn place(&mut self) {
        let mut variables = Vec::with_capacity(self.relation.variables.len());
        for (id, variable) in self.relation.variables.iter().enumerate() {
            let first = self.positions.first();
            variables.push(match first.filter(|_| variable.role == Role::Frozen) {
                Some(first) => first.variables[id].clone(),
                None => fresh(&mut self.g, &variable.sort),
            });
        }
        let memo = Memo::default();
        self.positions.push(Position { variables, memo });
    }

    /// A new position that satisfies the invariants of the model.
    pub fn extend(&mut self) -> Outcome<()> {
        self.place();
        let at = self.positions.len() - 1;
        for &constraint in &self.relation.invar {
            self.assert_all(at, constraint, None)?;
        }
        Ok(())
    }

    /// A condition at a position, or between it and the next one.
    pub fn condition(&mut self, at: usize, expr: ExprId) -> Outcome<Condition> {
        self.g.solver.spend()?;
        let (here, rest) = self.positions[at..].split_first_mut().ok_or_else(nowhere)?;
        let mut encoder = Encoder {
            g: &mut self.g,
            expressions: &self.relation.expressions,
            now: &here.variables,
            next: rest.first().map(|next| &next.variables[..]),
            memo: &mut here.memo,
        };
        encoder.condition(expr)
    }

    /// A proposition of the model at a position.
    pub fn proposition(&mut self, at: usize, id: PropositionId) -> Outcome<Condition> {
        let known = self.relation.propositions.get(id.0 as usize);
        let unknown = || Stop::Refused("a proposition is not known".to_string());
        let &(_, expr) = known.ok_or_else(unknown)?;
        self.condition(at, expr)
    }

    /// All parts of a conjunction hold at a position, if a literal does.
    fn assert_all(&mut self, at: usize, expr: ExprId, when: Option<Lit>) -> Outcome<()> {
        for conjunct in self.relation.expressions.conjuncts(expr) {
            let yes = self.condition(at, conjunct)?.yes;
            match when {
                None => self.g.solver.clause(&[yes]),
                Some(when) => self.g.solver.clause(&[!when, yes]),
            }
        }
        Ok(())
    }

    /// Whether a position is an initial state.
    pub fn initial(&mut self, at: usize) -> Outcome<Lit> {
        let mut list = Vec::new();
        for &constraint in &self.relation.init {
            list.push(self.condition(at, constraint)?.yes);
        }
        Ok(self.g.all(&list))
    }

    /// The first position is an initial state.
    pub fn begin(&mut self) -> Outcome<()> {
        for &constraint in &self.relation.init {
            self.assert_all(0, constraint, None)?;
        }
        Ok(())
    }

    /// There is a step from a position to the next one.
    pub fn step(&mut self, at: usize) -> Outcome<()> {
        let parts = &self.relation.trans;
        let mut choices = Vec::with_capacity(parts.len());
        for part in parts {
            let chosen = (parts.len() > 1).then(|| self.g.solver.fresh());
            for &constraint in &part.constraints {
                self.assert_all(at, constraint, chosen)?;
            }
            choices.extend(chosen);
        }
        if parts.len() != 1 {
            self.g.solver.clause(&choices);
        }
        Ok(())
    }

    /// Whether a guess at the step out of a position is right.
    pub fn guessed(&mut self, at: usize) -> Outcome<Lit> {
        self.g.solver.spend()?;
        guessed(&mut self.g, self.relation, &self.positions[at].variables)
    }

    /// The literals of the state at a position, without inputs.
    pub fn state_bits(&self, at: usize) -> Vec<Lit> {
        let variables = self.positions[at]
            .variables
            .iter()
            .zip(&self.relation.variables);
        let own = variables.filter(|(_, variable)| variable.role != Role::Input);
        own.flat_map(|(coded, _)| coded.bits.iter().copied())
            .collect()
    }

    /// Whether two positions are the same state; inputs are no part of states.
    pub fn same(&mut self, a: usize, b: usize) -> Lit {
        let mut list = Vec::new();
        for (id, variable) in self.relation.variables.iter().enumerate() {
            if variable.role == Role::State {
                let (x, y) = (
                    &self.positions[a].variables[id],
                    &self.positions[b].variables[id],
                );
                list.push(number::equal(&mut self.g, &x.bits, &y.bits));
            }
        }
        self.g.all(&list)
    }

    /// Whether some of these expressions have no value at a position.
    fn undefined(
        &mut self,
        at: usize,
        expressions: impl IntoIterator<Item = ExprId>,
    ) -> Outcome<Lit> {
        let mut list = Vec::new();
        for expr in expressions {
            let Condition { yes, no } = self.condition(at, expr)?;
            list.push(self.g.and(!yes, !no));
        }
        Ok(self.g.any(&list))
    }

    /// All literals that decide a position, inputs included.
    pub fn bits(&self, at: usize) -> Vec<Lit> {
        let variables = self.positions[at].variables.iter();
        variables
            .flat_map(|coded| coded.bits.iter().copied())
            .collect()
    }

    /// The values of a position in the solution that was found last.
    pub fn values(&self, at: usize) -> Valuation {
        let variables = self.positions[at].variables.iter();
        variables.map(|coded| read(&self.g, coded)).collect()
    }

    /// The values of the state at a position, without inputs.
    pub fn state(&self, at: usize) -> Valuation {
        let values = self.values(at).into_iter().zip(&self.relation.variables);
        let own = values.filter(|(_, variable)| variable.role != Role::Input);
        own.map(|(value, _)| value).collect()
    }
}

fn nowhere() -> Stop {
    Stop::Refused("a position is not there".to_string())
}

/// Whether some expressions have a value whatever the variables have: at one position, and at the next.
pub(crate) fn always_defined(
    relation: &Relation,
    expressions: impl IntoIterator<Item = ExprId>,
    budget: &Budget,
) -> Outcome<bool> {
    let mut unrolled = Unrolled::new(relation, budget);
    unrolled.place();
    unrolled.place();
    let some = unrolled.undefined(0, expressions)?;
    Ok(unrolled.g.known(some) == Some(false) || !unrolled.g.solver.solve(&[some])?)
}

/// Whether all constraints of a relation have a value whatever the variables have.
pub(crate) fn is_defined(relation: &Relation, budget: &Budget) -> Outcome<bool> {
    let states = relation.init.iter().chain(&relation.invar).copied();
    always_defined(relation, states.chain(of_steps(relation)), budget)
}

/// The constraints that say where a step leads.
fn of_steps(relation: &Relation) -> impl Iterator<Item = ExprId> {
    let parts = relation.trans.iter().flat_map(|part| &part.constraints);
    parts.copied()
}

/// A state, and the literal that some constraint has no value there for some next state.
pub(crate) fn faulty<'r>(relation: &'r Relation, budget: &Budget) -> Outcome<(Unrolled<'r>, Lit)> {
    let mut unrolled = Unrolled::new(relation, budget);
    unrolled.place();
    unrolled.place();
    let step = unrolled.undefined(0, of_steps(relation))?;
    let after = unrolled.undefined(1, relation.invar.iter().copied())?;
    let either = unrolled.g.or(step, after);
    Ok((unrolled, either))
}

/// Whether a relation has an initial state.
///
/// # Errors
/// If a limit is reached, or something cannot be encoded.
pub fn has_initial_state(relation: &Relation, budget: &Budget) -> Result<bool, Stop> {
    let mut unrolled = Unrolled::new(relation, budget);
    unrolled.extend()?;
    unrolled.begin()?;
    unrolled.g.solver.solve(&[])
}
