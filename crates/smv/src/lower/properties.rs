//! Properties: formulas whose propositions are conditions on states.
//!
//! The largest parts of a formula without temporal operators become propositions of the relation.
//! Bounded operators and conditions that mention the next state are written out (`bounded.rs`).

use std::collections::HashMap;

use evenhand_logic::{Binary, FormulaId};
use evenhand_source::{Diagnostic, Span};
use evenhand_system::fairness::PropositionId;
use evenhand_system::relation::ExprId;

use super::constraints::About;
use super::expressions::Typed;
use super::{InstanceId, Lowering, Result, build};
use crate::ast::{Expr, ExprKind, Item, Operator, PropertyItem, PropertyItemKind};
use crate::properties::{SmvProperty, SmvPropertyKind};

/// What a formula may contain.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Logic {
    /// Path quantifiers.
    branching: bool,
    /// Temporal operators, here.
    temporal: bool,
    /// Conditions on inputs and on the next state.
    steps: bool,
}

impl<'m> Lowering<'m> {
    pub(super) fn state_properties(&mut self, asked: &'m [Item]) {
        let mut counts: HashMap<&'static str, usize> = HashMap::new();
        let asked = asked.iter().map(|item| (InstanceId(0), item));
        let items: Vec<(InstanceId, &'m Item)> = self.items.iter().copied().chain(asked).collect();
        for (context, item) in items {
            let _ = match item {
                Item::Property(property) => self.property(property, context, &mut counts),
                Item::Condition(expr) => self.fairness(expr, context).map(|proposition| {
                    self.conditions.push(proposition);
                }),
                _ => continue,
            };
        }
    }

    fn property(
        &mut self,
        item: &'m PropertyItem,
        context: InstanceId,
        counts: &mut HashMap<&'static str, usize>,
    ) -> Result<()> {
        let context = match &item.context {
            Some(path) => self.find_instance(path, context)?,
            None => context,
        };
        let body = &item.body;
        let state = Logic {
            branching: true,
            temporal: false,
            steps: false,
        };
        let linear = Logic {
            branching: false,
            temporal: true,
            steps: true,
        };
        let (kind, formula) = match &item.kind {
            PropertyItemKind::Invariant => self.invariant(body, context)?,
            PropertyItemKind::Ltl => (SmvPropertyKind::Ltl, self.formula(body, context, linear)?),
            PropertyItemKind::Ctl => (SmvPropertyKind::Ctl, self.formula(body, context, state)?),
            PropertyItemKind::Psl => {
                let branching = has_quantifier(body);
                let logic = if branching { state } else { linear };
                let formula = self.formula(body, context, logic)?;
                (SmvPropertyKind::Psl { branching }, formula)
            }
            PropertyItemKind::Compute(minimum, to) => {
                let from = self.formula(body, context, state)?;
                let to = self.formula(to, context, state)?;
                let minimum = *minimum;
                (SmvPropertyKind::Compute { minimum, to }, from)
            }
        };
        let count = counts.entry(kind.word()).or_default();
        let unnamed = format!("{}_{count}", kind.word());
        *count += 1;
        let instance = self.instances[context.0].name.clone();
        let name = match &item.name {
            Some(path) => self.text(path, InstanceId(0)),
            None => unnamed,
        };
        if item.name.is_some()
            && let Some(first) = self.properties.iter().find(|p| p.name == name)
        {
            let diagnostic =
                Diagnostic::error(item.span, format!("there are two properties `{name}`"))
                    .label(first.span, "the first one");
            return self.report(diagnostic);
        }
        self.properties.push(SmvProperty {
            name,
            kind,
            formula,
            text: String::new(),
            instance,
            span: body.span,
        });
        Ok(())
    }

    fn invariant(
        &mut self,
        body: &'m Expr,
        context: InstanceId,
    ) -> Result<(SmvPropertyKind, FormulaId)> {
        let typed = self.condition(body, context)?;
        let expr = self.restrict(&typed, About::Step, body.span)?;
        let step = typed.has_next.then_some(expr);
        let formula = self.atom(&typed, body, context)?;
        Ok((SmvPropertyKind::Invariant { step }, formula))
    }

    fn formula(&mut self, expr: &'m Expr, context: InstanceId, logic: Logic) -> Result<FormulaId> {
        if !is_temporal(expr) {
            let typed = self.condition(expr, context)?;
            let about = if logic.steps {
                About::Step
            } else {
                About::State
            };
            self.restrict(&typed, about, expr.span)?;
            return self.atom(&typed, expr, context);
        }
        match &expr.kind {
            ExprKind::Not(operand) => {
                let operand = self.formula(operand, context, logic)?;
                Ok(self.formulas.not(operand))
            }
            ExprKind::Implies(left, right) => {
                let (left, right) = (
                    self.formula(left, context, logic)?,
                    self.formula(right, context, logic)?,
                );
                Ok(self.formulas.implies(left, right))
            }
            ExprKind::Conditional(test, yes, no) => {
                let test = self.formula(test, context, logic)?;
                let (yes, no) = (
                    self.formula(yes, context, logic)?,
                    self.formula(no, context, logic)?,
                );
                Ok(self.if_then_else(test, yes, no))
            }
            ExprKind::Case(branches) => {
                let mut result = None;
                for (test, value) in branches.iter().rev() {
                    let test_formula = self.formula(test, context, logic)?;
                    let value = self.formula(value, context, logic)?;
                    result = Some(match result {
                        Some(rest) => self.if_then_else(test_formula, value, rest),
                        None if test_formula == FormulaId::TRUE => value,
                        None => {
                            let message = "the last condition must be `TRUE`: \
                                           the values are temporal formulas";
                            return self.error(test.span, message);
                        }
                    });
                }
                Ok(result.unwrap_or(FormulaId::TRUE))
            }
            ExprKind::Chain(first, rest) => {
                let mut left = self.formula_operand(first, rest, context, logic)?;
                for (operator, right) in rest {
                    if operator.is_temporal() {
                        self.require_temporal(expr.span, logic)?;
                    }
                    let right = self.formula(right, context, logic)?;
                    left = self.connect(*operator, left, right, expr.span)?;
                }
                Ok(left)
            }
            ExprKind::Temporal(operator, bounds, operand) => {
                self.require_temporal(expr.span, logic)?;
                let operand = self.formula(operand, context, logic)?;
                match bounds {
                    None => Ok(self.formulas.unary(*operator, operand)),
                    Some(bounds) => self.bounded(*operator, *bounds, operand, expr.span),
                }
            }
            ExprKind::Path(quantifier, operand) => {
                self.require_branching(expr.span, logic)?;
                let inner = Logic {
                    temporal: true,
                    ..logic
                };
                let operand = self.formula(operand, context, inner)?;
                Ok(self.formulas.path(*quantifier, operand))
            }
            ExprKind::BoundedPath(quantifier, finally, range, operand) => {
                self.require_branching(expr.span, logic)?;
                let range = self.time_range(*range, expr.span)?;
                let operand = self.formula(operand, context, logic)?;
                Ok(self.bounded_path(*quantifier, *finally, range, operand))
            }
            ExprKind::BoundedUntil(quantifier, left, range, right) => {
                self.require_branching(expr.span, logic)?;
                let range = self.time_range(*range, expr.span)?;
                let (left, right) = (
                    self.formula(left, context, logic)?,
                    self.formula(right, context, logic)?,
                );
                Ok(self.bounded_until(*quantifier, left, range, right))
            }
            _ => self.report(
                Diagnostic::error(expr.span, "a temporal operator cannot stand inside of this")
                    .help("temporal formulas are joined by `! & | xor xnor -> <-> ? :` alone"),
            ),
        }
    }

    /// The first operand of a chain, whose operators must join formulas.
    fn formula_operand(
        &mut self,
        first: &'m Expr,
        rest: &[(Operator, Expr)],
        context: InstanceId,
        logic: Logic,
    ) -> Result<FormulaId> {
        use Operator::{And, Iff, Or, Xnor, Xor};
        let joins = |op: Operator| op.is_temporal() || matches!(op, And | Or | Xor | Xnor | Iff);
        if let Some((operator, operand)) = rest.iter().find(|(op, _)| !joins(*op)) {
            let message = format!("`{}` cannot join temporal formulas", operator.sign());
            return self.report(
                Diagnostic::error(first.span.to(operand.span), message)
                    .help("temporal formulas are joined by `! & | xor xnor -> <-> ? :` alone"),
            );
        }
        self.formula(first, context, logic)
    }

    fn require_temporal(&mut self, span: Span, logic: Logic) -> Result<()> {
        if logic.temporal {
            return Ok(());
        }
        self.report(
            Diagnostic::error(
                span,
                "a temporal operator must stand under a path quantifier here",
            )
            .help("write `A` or `E` before it, or state the property with `LTLSPEC`"),
        )
    }

    fn require_branching(&mut self, span: Span, logic: Logic) -> Result<()> {
        if logic.branching {
            return Ok(());
        }
        self.report(
            Diagnostic::error(
                span,
                "a path quantifier cannot stand in a formula of linear time",
            )
            .help("state the property with `CTLSPEC`, which takes all of CTL*"),
        )
    }

    fn connect(
        &mut self,
        operator: Operator,
        left: FormulaId,
        right: FormulaId,
        span: Span,
    ) -> Result<FormulaId> {
        let formulas = &mut self.formulas;
        Ok(match operator {
            Operator::And => formulas.and([left, right]),
            Operator::Or => formulas.or([left, right]),
            Operator::Xor => formulas.xor(left, right),
            Operator::Xnor | Operator::Iff => formulas.iff(left, right),
            Operator::Until => formulas.binary(Binary::Until, left, right),
            Operator::WeakUntil => formulas.binary(Binary::WeakUntil, left, right),
            Operator::Release => formulas.binary(Binary::Release, left, right),
            Operator::Since => formulas.binary(Binary::Since, left, right),
            Operator::Trigger => formulas.binary(Binary::Trigger, left, right),
            _ => return self.error(span, "this operator cannot join temporal formulas"),
        })
    }

    fn if_then_else(&mut self, test: FormulaId, yes: FormulaId, no: FormulaId) -> FormulaId {
        let formulas = &mut self.formulas;
        let yes = formulas.and([test, yes]);
        let not = formulas.not(test);
        let no = formulas.and([not, no]);
        formulas.or([yes, no])
    }

    /// The formula that a condition is.
    fn atom(&mut self, typed: &Typed, expr: &'m Expr, context: InstanceId) -> Result<FormulaId> {
        let Some(condition) = typed.scalar() else {
            return self.error(expr.span, "this must be a boolean");
        };
        self.must_be_defined(condition, expr.span);
        let text = self.text(expr, context);
        match typed.has_next {
            false => Ok(self.atom_of(text, condition)),
            true => Ok(self.split(&text, condition)),
        }
    }

    pub(super) fn atom_of(&mut self, text: String, condition: ExprId) -> FormulaId {
        if let Some(value) = build::constant(&self.relation.expressions, condition) {
            return self.formulas.constant(value != 0);
        }
        let proposition = self.proposition(text, condition);
        let (name, _) = &self.relation.propositions[proposition.0 as usize];
        self.formulas.host_atom(name)
    }

    /// The proposition that is a condition; the first text it is known by is its name. Another
    /// condition with the same text gets a number.
    pub(super) fn proposition(&mut self, text: String, condition: ExprId) -> PropositionId {
        if let Some(&known) = self.propositions.get(&condition) {
            return known;
        }
        let mut name = text.clone();
        let mut number = 1;
        while !self.names.insert(name.clone()) {
            number += 1;
            name = format!("{text} #{number}");
        }
        let id = self.relation.add_proposition(name, condition);
        self.propositions.insert(condition, id);
        id
    }
}

/// Whether an expression has temporal operators.
fn is_temporal(expr: &Expr) -> bool {
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        match &expr.kind {
            ExprKind::Temporal(..)
            | ExprKind::Path(..)
            | ExprKind::BoundedPath(..)
            | ExprKind::BoundedUntil(..) => return true,
            ExprKind::Chain(_, rest) if rest.iter().any(|(op, _)| op.is_temporal()) => {
                return true;
            }
            _ => open.extend(expr.operands()),
        }
    }
    false
}

fn has_quantifier(expr: &Expr) -> bool {
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        if let ExprKind::Path(..) = expr.kind {
            return true;
        }
        open.extend(expr.operands());
    }
    false
}
