//! `INIT`, `INVAR`, `TRANS`, `JUSTICE`, `COMPASSION`.

use evenhand_source::{Diagnostic, Span};
use evenhand_system::fairness::{Compassion, PropositionId};
use evenhand_system::relation::ExprId;

use super::expressions::Typed;
use super::{InstanceId, Lowering, Obligation, Result};
use crate::ast::{Expr, Item};

/// What a condition may be about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum About {
    /// One state.
    State,
    /// A state and the input chosen in it.
    StateAndInput,
    /// A state, an input and the next state.
    Step,
}

impl<'m> Lowering<'m> {
    pub(super) fn constrain_all(&mut self) {
        let mut trans = Vec::new();
        for (context, item) in self.items.clone() {
            let _ = match item {
                Item::Init(expr) => self.constraint(expr, context, About::State).map(|e| {
                    self.said.constrain(e, true, expr.span);
                    self.relation.init.push(e);
                }),
                Item::Invar(expr) => self.constraint(expr, context, About::State).map(|e| {
                    self.relation.written.push((e, expr.span));
                    self.relation.invar.push(e);
                }),
                Item::Trans(expr) => {
                    let constraint = self.constraint(expr, context, About::Step);
                    constraint.map(|e| {
                        self.said.constrain(e, false, expr.span);
                        self.relation.written.push((e, expr.span));
                        trans.push(e);
                    })
                }
                Item::Justice(expr) => {
                    let proposition = self.fairness(expr, context);
                    proposition.map(|p| self.relation.justice.push(p))
                }
                Item::Compassion(when, then) => {
                    let when = self.fairness(when, context);
                    let then = self.fairness(then, context);
                    match (when, then) {
                        (Ok(when), Ok(then)) => {
                            self.relation.compassion.push(Compassion { when, then });
                            Ok(())
                        }
                        _ => continue,
                    }
                }
                _ => continue,
            };
        }
        self.build_parts(&trans);
    }

    /// A condition, each part of which must be defined.
    fn constraint(&mut self, expr: &'m Expr, context: InstanceId, about: About) -> Result<ExprId> {
        let typed = self.condition(expr, context)?;
        let condition = self.restrict(&typed, about, expr.span)?;
        self.must_be_defined(condition, expr.span);
        Ok(condition)
    }

    pub(super) fn must_be_defined(&mut self, condition: ExprId, span: Span) {
        for expr in self.relation.expressions.conjuncts(condition) {
            self.obligations.push(Obligation {
                expr,
                span,
                assigned: None,
            });
        }
    }

    /// The expression of a condition, if it is about no more than it may.
    pub(super) fn restrict(&mut self, typed: &Typed, about: About, span: Span) -> Result<ExprId> {
        let Some(expr) = typed.scalar() else {
            return self.error(span, "this must be a boolean");
        };
        if typed.has_next && about != About::Step {
            return self.report(
                Diagnostic::error(span, "`next` cannot stand here")
                    .help("conditions on steps belong into `TRANS`"),
            );
        }
        if about == About::State && self.reads_inputs(expr) {
            return self.report(
                Diagnostic::error(span, "an input belongs to a step, not to a state")
                    .help("conditions on inputs belong into `TRANS`"),
            );
        }
        Ok(expr)
    }

    /// A condition on states and inputs as a proposition.
    pub(super) fn fairness(
        &mut self,
        expr: &'m Expr,
        context: InstanceId,
    ) -> Result<PropositionId> {
        let typed = self.condition(expr, context)?;
        let condition = self.restrict(&typed, About::StateAndInput, expr.span)?;
        self.must_be_defined(condition, expr.span);
        let text = self.text(expr, context);
        Ok(self.proposition(text, condition))
    }
}
