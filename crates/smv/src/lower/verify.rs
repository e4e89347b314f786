//! What must hold whatever values the variables have.
//!
//! NuSMV refuses a model in which, for some values of its variables (reachable or not), no
//! condition of a `case` holds, a value is assigned that its variable does not have, something is
//! divided by zero, or an index is out of bounds; so does this. Each constraint and each right side
//! that intervals do not settle is one question to the diagrams of `diagram.rs`, and a refusal names values for which it goes
//! wrong. A question that is too large for them stays open with a warning: when such a state is met
//! in a run, it is a run-time error there.

use std::collections::{BTreeMap, BTreeSet};

use evenhand_source::{Diagnostic, Span};
use evenhand_system::relation::{
    Always, BinaryOp, Compiled, Environment, ExprId, Node, Sort, Undefined, VarId, always,
};

use super::diagram::{Diagrams, Level, Outcome, TooLarge};
use super::expressions::Value;
use super::{Lowering, Obligation};

impl Lowering<'_> {
    pub(super) fn verify_all(&mut self) {
        let mut obligations = std::mem::take(&mut self.obligations);
        obligations.retain(|o| !self.is_harmless(o.expr, o.assigned.is_some()));
        let asked = obligations.iter().map(|obligation| obligation.expr);
        let mut diagrams = Diagrams::about(&self.relation, asked);
        // One expression may be several questions, one for each limb of a long word: it is told of once.
        let mut told: BTreeSet<(Span, String)> = BTreeSet::new();
        for obligation in obligations {
            if let Some(diagnostic) = self.verify(&mut diagrams, &obligation)
                && told.insert((obligation.span, diagnostic.message.clone()))
            {
                let _ = self.report::<()>(diagnostic);
            }
        }
    }

    /// What is wrong with what must hold, or whether that is not known.
    fn verify(&self, diagrams: &mut Diagrams, obligation: &Obligation) -> Option<Diagnostic> {
        let expr = obligation.expr;
        let is_assigned = obligation.assigned.is_some();
        let unwanted = |outcome: Outcome| match outcome {
            Ok(value) => is_assigned && value == 0,
            Err(_) => true,
        };
        Some(match diagrams.search(&self.relation, expr, unwanted) {
            Ok(None) => return None,
            Ok(Some((outcome, values))) => self.explain(obligation, outcome, &values),
            Err(TooLarge) => Diagnostic::warning(
                obligation.span,
                "whether this has a value in every state is too much to decide here",
            )
            .help("where it has none while the model is explored, that is a run-time error"),
        })
    }

    /// Whether nothing can go wrong: the common case, seen from the expression or from the bounds of its variables.
    fn is_harmless(&self, expr: ExprId, is_assigned: bool) -> bool {
        let pool = &self.relation.expressions;
        let risky = |id: ExprId| match *pool.node(id) {
            Node::Undefined(_) | Node::Binary(BinaryOp::Div | BinaryOp::Mod, ..) => true,
            Node::Binary(BinaryOp::Eq, a, b) => is_assigned && a != b,
            Node::Binary(op, ..) => is_assigned && op == BinaryOp::Le,
            Node::Const(value) => is_assigned && value == 0,
            _ => false,
        };
        if !pool.closure(expr).into_iter().any(risky) {
            return true;
        }
        match always(&self.relation, expr) {
            Always::True => true,
            Always::Defined => !is_assigned,
            Always::Unknown => false,
        }
    }

    fn explain(
        &self,
        obligation: &Obligation,
        outcome: Outcome,
        values: &BTreeMap<Level, i64>,
    ) -> Diagnostic {
        let span = obligation.span;
        let shown: Vec<String> = values
            .iter()
            .take(8)
            .map(|(&(id, next), &value)| {
                let variable = &self.relation.variables[id.0 as usize];
                let name = match next {
                    true => format!("next({})", variable.name),
                    false => variable.name.clone(),
                };
                format!("{name} = {}", self.shown(&variable.sort, value))
            })
            .collect();
        let example = match shown.is_empty() {
            true => None,
            false => Some(format!("for example if {}", shown.join(", "))),
        };
        let (message, help) = match outcome {
            Ok(_) => (self.out_of_range(obligation, values), None),
            Err(Undefined::NoCase) => (
                "the conditions of this `case` are not exhaustive".to_string(),
                Some("add a last branch `TRUE : …;`"),
            ),
            Err(Undefined::DivisionByZero) => ("this divides by zero".to_string(), None),
            Err(Undefined::Index) => ("an array index is out of bounds here".to_string(), None),
            Err(Undefined::Shift) => (
                "a shift distance is out of range here".to_string(),
                Some("a word is shifted by 0 up to its width"),
            ),
            Err(Undefined::Overflow | Undefined::TooMany) => {
                ("a number is too large here".to_string(), None)
            }
        };
        let help = match (help, example) {
            (Some(help), Some(example)) => Some(format!("{help} ({example})")),
            (help, example) => help.map(str::to_string).or(example),
        };
        Diagnostic::error(span, message).maybe_help(help)
    }

    fn shown(&self, sort: &Sort, value: i64) -> String {
        match sort {
            Sort::Bool if value != 0 => "TRUE".into(),
            Sort::Bool => "FALSE".into(),
            _ => match self.relation.symbol_name(value) {
                Some(name) => name.to_string(),
                None => value.to_string(),
            },
        }
    }

    fn out_of_range(&self, obligation: &Obligation, values: &BTreeMap<Level, i64>) -> String {
        let Some((id, value)) = &obligation.assigned else {
            return "this is never true".into();
        };
        let variable = &self.relation.variables[id.0 as usize];
        let name = &variable.name;
        match value {
            Value::Scalar(expr) => match self.value_at(*expr, values) {
                Some(value) => {
                    let value = self.shown(&Sort::Range(value, value), value);
                    format!("{value} is assigned to `{name}`, which cannot have that value")
                }
                None => format!("a value is assigned to `{name}` that it cannot have"),
            },
            _ => format!("the values assigned to `{name}` are not all values of it"),
        }
    }

    fn value_at(&self, expr: ExprId, values: &BTreeMap<Level, i64>) -> Option<i64> {
        let count = self.relation.variables.len();
        // Variables that do not matter have some value of theirs.
        let any = |id: usize| self.relation.variables[id].sort.bounds().0;
        let mut sides = [false, true].map(|side| {
            let value = |id: usize| values.get(&(VarId(id as u32), side)).copied();
            let list = (0..count).map(|id| value(id).unwrap_or_else(|| any(id)));
            list.collect::<Vec<i64>>()
        });
        let next = std::mem::take(&mut sides[1]);
        let environment = Environment {
            current: &sides[0],
            next: &next,
        };
        Compiled::new(&self.relation.expressions, expr)
            .value(environment)
            .ok()
    }
}
