//! A guess at the next state: what the constraints of a step say each variable becomes.
//!
//! **Problem.** That a state has a successor is easy to ask of a solver; that it has none is a question about all
//! values. A dead end is a reachable state for which *every* next state breaks some constraint.
//!
//! **Idea.** Most constraints name the next value of a variable: `next(x) = e`, one of several, or one of them by
//! a condition. So there is a function that guesses a successor, and whether its guess is right is a condition on
//! one state, like any other. Where it always is, each state has a successor. Where it is not, the state
//! is looked at by itself ([`crate::reach`]).
//!
//! Inputs are guessed to be least, and a variable that nothing is said about to stay as it is.

use batsat::Lit;
use evenhand_system::relation::{
    BinaryOp, ExprId, Expressions, Node, Part, Relation, Role, Sort, VarId,
};

use crate::coding::Coded;
use crate::expression::{Encoder, Memo};
use crate::gates::Gates;
use crate::number::{self, Number};
use crate::solver::Outcome;

/// How deep a constraint is looked into.
const DEPTH: usize = 300;

/// Whether the guess from a position is a step of some part of the relation.
pub(crate) fn guessed(g: &mut Gates, relation: &Relation, now: &[Coded]) -> Outcome<Lit> {
    let mut now = now.to_vec();
    for (coded, variable) in now.iter_mut().zip(&relation.variables) {
        if variable.role == Role::Input {
            coded.value = number::constant(g, variable.sort.bounds().0.into());
        }
    }
    let mut right = Vec::new();
    for part in &relation.trans {
        right.push(guessed_by(g, relation, part, &now)?);
    }
    Ok(g.any(&right))
}

fn guessed_by(g: &mut Gates, relation: &Relation, part: &Part, now: &[Coded]) -> Outcome<Lit> {
    let pool = &relation.expressions;
    let constraints = part.constraints.iter();
    let conjuncts: Vec<ExprId> = constraints.flat_map(|&expr| pool.conjuncts(expr)).collect();
    let mut next = now.to_vec();
    let mut memo = Memo::default();
    let mut known = vec![false; now.len()];
    // A value that depends on other next values waits for them.
    loop {
        let mut is_new = false;
        for &conjunct in &conjuncts {
            let (_, mentioned) = pool.support(conjunct);
            for id in mentioned {
                let at = id.0 as usize;
                if known[at] || relation.variables[at].role != Role::State {
                    continue;
                }
                let mut guess = Guess {
                    encoder: Encoder {
                        g,
                        expressions: pool,
                        now,
                        next: Some(&next),
                        memo: &mut memo,
                    },
                    known: &known,
                    variable: id,
                };
                if let Some(value) = guess.value(conjunct, 0)? {
                    next[at].value = value;
                    known[at] = true;
                    is_new = true;
                }
            }
        }
        if !is_new {
            break;
        }
    }
    let mut all = Vec::new();
    for (coded, variable) in next.iter().zip(&relation.variables) {
        if variable.role == Role::State {
            all.push(is_value(g, &variable.sort, &coded.value));
        }
    }
    for &conjunct in &conjuncts {
        let mut encoder = Encoder {
            g,
            expressions: pool,
            now,
            next: Some(&next),
            memo: &mut memo,
        };
        all.push(encoder.condition(conjunct)?.yes);
    }
    let mut memo = Memo::default();
    for &constraint in &relation.invar {
        let mut encoder = Encoder {
            g,
            expressions: pool,
            now: &next,
            next: None,
            memo: &mut memo,
        };
        all.push(encoder.condition(constraint)?.yes);
    }
    Ok(g.all(&all))
}

/// Whether a number is a value of a sort.
fn is_value(g: &mut Gates, sort: &Sort, value: &[Lit]) -> Lit {
    match sort {
        Sort::Values(list) => {
            let mut some = Vec::with_capacity(list.len());
            for &one in list {
                let one = number::constant(g, one.into());
                some.push(number::equal(g, value, &one));
            }
            g.any(&some)
        }
        sort => {
            let (low, high) = sort.bounds();
            let (low, high) = (
                number::constant(g, low.into()),
                number::constant(g, high.into()),
            );
            let (below, above) = (number::less(g, value, &low), number::less(g, &high, value));
            g.and(!below, !above)
        }
    }
}

/// Reads the next value of a variable off a constraint.
struct Guess<'e, 'k> {
    encoder: Encoder<'e>,
    /// The variables whose next values are guessed already.
    known: &'k [bool],
    variable: VarId,
}

impl Guess<'_, '_> {
    fn value(&mut self, expr: ExprId, depth: usize) -> Outcome<Option<Number>> {
        if depth > DEPTH {
            return Ok(None);
        }
        let pool: &Expressions = self.encoder.expressions;
        match *pool.node(expr) {
            Node::Binary(BinaryOp::Eq, a, b) => {
                let is_it = |expr: ExprId| *pool.node(expr) == Node::Next(self.variable);
                let value = match (is_it(a), is_it(b)) {
                    (true, _) => b,
                    (false, true) => a,
                    _ => return Ok(None),
                };
                let (_, next) = pool.support(value);
                match next.into_iter().all(|id| self.known[id.0 as usize]) {
                    true => self.encoder.value(value).map(Some),
                    false => Ok(None),
                }
            }
            // The variable itself is a condition: it becomes true.
            Node::Next(id) if id == self.variable => Ok(Some(number::constant(self.encoder.g, 1))),
            Node::Unary(evenhand_system::relation::UnaryOp::Not, a)
                if *pool.node(a) == Node::Next(self.variable) =>
            {
                Ok(Some(number::constant(self.encoder.g, 0)))
            }
            Node::Binary(BinaryOp::Iff, a, b) => {
                let is_it = |expr: ExprId| *pool.node(expr) == Node::Next(self.variable);
                let value = match (is_it(a), is_it(b)) {
                    (true, _) => b,
                    (false, true) => a,
                    _ => return Ok(None),
                };
                let (_, next) = pool.support(value);
                match next.into_iter().all(|id| self.known[id.0 as usize]) {
                    true => {
                        let truth = self.encoder.condition(value)?.yes;
                        Ok(Some(vec![truth, self.encoder.g.no()]))
                    }
                    false => Ok(None),
                }
            }
            Node::Binary(BinaryOp::And, a, b) => match self.value(a, depth + 1)? {
                Some(value) => Ok(Some(value)),
                None => self.value(b, depth + 1),
            },
            Node::Binary(BinaryOp::Implies, _, b) => self.value(b, depth + 1),
            Node::Binary(BinaryOp::Or, a, b) => {
                let (first, other) = (self.value(a, depth + 1)?, self.value(b, depth + 1)?);
                match (first, other) {
                    (Some(first), Some(other)) => {
                        let guard = self.guard(a)?;
                        Ok(Some(number::choice(self.encoder.g, guard, &first, &other)))
                    }
                    (first, other) => Ok(first.or(other)),
                }
            }
            Node::Conditional(test, a, b) => {
                let (_, next) = pool.support(test);
                if !next.into_iter().all(|id| self.known[id.0 as usize]) {
                    return Ok(None);
                }
                let (first, other) = (self.value(a, depth + 1)?, self.value(b, depth + 1)?);
                match (first, other) {
                    (Some(first), Some(other)) => {
                        let test = self.encoder.condition(test)?.yes;
                        Ok(Some(number::choice(self.encoder.g, test, &first, &other)))
                    }
                    (first, other) => Ok(first.or(other)),
                }
            }
            _ => Ok(None),
        }
    }

    /// What a conjunction says about the state that the step leaves.
    fn guard(&mut self, expr: ExprId) -> Outcome<Lit> {
        let pool: &Expressions = self.encoder.expressions;
        let mut all = Vec::new();
        for conjunct in pool.conjuncts(expr) {
            if pool.support(conjunct).1.is_empty() {
                all.push(self.encoder.condition(conjunct)?.yes);
            }
        }
        Ok(self.encoder.g.all(&all))
    }
}
