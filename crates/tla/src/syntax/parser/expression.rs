//! Operators with ranges of precedences, by a stack.
//!
//! Between two operators the one whose range is higher binds its operand. Ranges that overlap are a conflict, unless
//! both are the same operator and it associates to the left. Behind an operator anything may come: `a + ~b = c` is
//! `a + ~(b = c)`. Quantifiers, `IF`, `CASE`, `LET` and `CHOOSE` reach as far as they can.

use evenhand_source::{Diagnostic, Span};

use super::{MAX_HEIGHT, Parsed, Parser};
use crate::syntax::ast::{Expr, ExprKind, Path, Segment, Selector};
use crate::syntax::token::{APPLICATION, Fix, Keyword, OperatorId, TokenKind, known};

/// An operand: the tree, its height, and the operator that it applies, unless there are parentheses around it.
pub(super) struct Operand {
    pub expr: Expr,
    height: u32,
    top: Option<OperatorId>,
}

/// Operands and operators that are not applied yet.
#[derive(Default)]
pub(super) struct Stack {
    pub operands: Vec<Operand>,
    pub waiting: Vec<(OperatorId, Span)>,
}

impl Parser<'_> {
    /// An expression.
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.nested(Self::operators)
    }

    fn operators(&mut self) -> Parsed<Expr> {
        let tallest = std::mem::take(&mut self.tallest);
        let mut stack = Stack::default();
        loop {
            self.prefixes(&mut stack)?;
            if !self.inside() {
                return Err(self.outside());
            }
            self.tallest = 0;
            if self.begins_open() {
                let expr = self.open()?;
                stack.push(expr, self.tallest + 1);
                break;
            }
            let expr = self.primary()?;
            stack.push(expr, self.tallest + 1);
            self.postfixes(&mut stack)?;
            if let TokenKind::Operator(id) = self.kind()
                && id.operator().fix == Fix::Infix
                && self.inside()
            {
                self.check_alignment(id);
                self.reduce(&mut stack, Some(id))?;
                let token = self.bump();
                stack.waiting.push((id, token.span));
            } else {
                break;
            }
        }
        self.reduce(&mut stack, None)?;
        let Some(operand) = stack.operands.pop() else {
            return Err(self.expected("an expression"));
        };
        self.tallest = tallest.max(operand.height);
        self.top = operand.top;
        Ok(operand.expr)
    }

    fn begins_open(&self) -> bool {
        use Keyword as K;
        matches!(
            self.kind(),
            TokenKind::Keyword(
                K::Case
                    | K::Choose
                    | K::Exists
                    | K::ExistsTemporal
                    | K::ForAll
                    | K::ForAllTemporal
                    | K::If
                    | K::Let
            )
        )
    }

    /// Operators before an operand.
    fn prefixes(&mut self, stack: &mut Stack) -> Parsed<()> {
        while let TokenKind::Operator(id) = self.kind()
            && self.inside()
        {
            let id = match id {
                known::MINUS => known::NEGATIVE,
                // Its name is also that of the operator itself.
                known::NEGATIVE => return Ok(()),
                id if id.operator().fix == Fix::Prefix => id,
                _ => return Ok(()),
            };
            let token = self.peek(0);
            if id == known::NEGATIVE
                && let Some(&(before, _)) = stack.waiting.last()
                && before.operator().low > id.operator().high
            {
                return Err(self.conflict(before, id, token.span));
            }
            self.bump();
            stack.waiting.push((id, token.span));
        }
        Ok(())
    }

    /// Operators and arguments behind an operand.
    fn postfixes(&mut self, stack: &mut Stack) -> Parsed<()> {
        while self.inside() {
            match self.kind() {
                TokenKind::Operator(id) if id.operator().fix == Fix::Postfix => {
                    let span = self.peek(0).span;
                    if let Some(&(before, _)) = stack.waiting.last()
                        && before.operator().high >= id.operator().low
                    {
                        return Err(self.conflict(before, id, span));
                    }
                    self.bump();
                    let name = self.operator_name(id);
                    self.extend(stack, span, |expr, whole| {
                        applied(name, span, vec![expr], whole)
                    })?;
                    if let Some(operand) = stack.operands.last_mut() {
                        operand.top = Some(id);
                    }
                }
                TokenKind::Dot => {
                    self.bump();
                    let field = self.field("the name of a field")?;
                    self.extend(stack, field.span, |expr, span| Expr {
                        kind: ExprKind::Field(Box::new(expr), field),
                        span,
                    })?;
                }
                TokenKind::LeftSquare => {
                    debug_assert!(
                        stack
                            .waiting
                            .iter()
                            .all(|(id, _)| id.operator().high < APPLICATION)
                    );
                    self.bump();
                    self.tallest = 0;
                    let mut args = vec![self.expression()?];
                    while self.eat(TokenKind::Comma).is_some() {
                        args.push(self.expression()?);
                    }
                    let close = self.expect(TokenKind::RightSquare, "`,` or `]`")?;
                    self.extend(stack, close.span, |expr, span| Expr {
                        kind: ExprKind::At1(Box::new(expr), args),
                        span,
                    })?;
                }
                TokenKind::DoubleColon => return self.label(stack),
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    /// Makes more of the last operand.
    fn extend(
        &mut self,
        stack: &mut Stack,
        end: Span,
        make: impl FnOnce(Expr, Span) -> Expr,
    ) -> Parsed<()> {
        let Some(operand) = stack.operands.pop() else {
            return Err(self.expected("an expression"));
        };
        let height = operand.height.max(std::mem::take(&mut self.tallest)) + 1;
        let span = operand.expr.span.to(end);
        self.check_height(span, height)?;
        stack.push(make(operand.expr, span), height);
        Ok(())
    }

    /// Applies the operators that bind stronger than the next one.
    fn reduce(&mut self, stack: &mut Stack, next: Option<OperatorId>) -> Parsed<()> {
        while let Some(&(id, span)) = stack.waiting.last() {
            let before = id.operator();
            if let Some(next) = next {
                let after = next.operator();
                let reduces = before.low > after.high || (id == next && before.left);
                if !reduces {
                    if before.high < after.low {
                        return Ok(());
                    }
                    let place = self.peek(0).span;
                    return Err(self.conflict(id, next, place));
                }
            }
            stack.waiting.pop();
            let (Some(right), prefix) = (stack.operands.pop(), before.fix == Fix::Prefix) else {
                return Err(self.expected("an expression"));
            };
            if prefix {
                let whole = span.to(right.expr.span);
                let height = right.height + 1;
                self.check_height(whole, height)?;
                let name = self.operator_name(id);
                stack.push(applied(name, span, vec![right.expr], whole), height);
                continue;
            }
            let Some(left) = stack.operands.pop() else {
                return Err(self.expected("an expression"));
            };
            let whole = left.expr.span.to(right.expr.span);
            let operand = self.join(id, span, left, right, whole);
            self.check_height(whole, operand.height)?;
            stack.operands.push(operand);
        }
        Ok(())
    }

    /// An operator between two operands; `a /\ b /\ c` and `S \X T \X U` are one.
    fn join(
        &mut self,
        id: OperatorId,
        span: Span,
        left: Operand,
        right: Operand,
        whole: Span,
    ) -> Operand {
        let several = matches!(id, known::AND | known::OR | known::TIMES);
        let goes_on = several && left.top == Some(id);
        let height = match goes_on {
            true => left.height.max(right.height + 1),
            false => left.height.max(right.height) + 1,
        };
        let kind = match (left.expr.kind, goes_on) {
            (ExprKind::And(mut all), true) => {
                all.push(right.expr);
                ExprKind::And(all)
            }
            (ExprKind::Or(mut all), true) => {
                all.push(right.expr);
                ExprKind::Or(all)
            }
            (ExprKind::Product(mut all), true) => {
                all.push(right.expr);
                ExprKind::Product(all)
            }
            (kind, _) => {
                let both = vec![
                    Expr {
                        kind,
                        span: left.expr.span,
                    },
                    right.expr,
                ];
                match id {
                    known::AND => ExprKind::And(both),
                    known::OR => ExprKind::Or(both),
                    known::TIMES => ExprKind::Product(both),
                    _ => {
                        let name = self.operator_name(id);
                        applied(name, span, both, whole).kind
                    }
                }
            }
        };
        Operand {
            expr: Expr { kind, span: whole },
            height,
            top: Some(id),
        }
    }

    pub(super) fn check_height(&mut self, span: Span, height: u32) -> Parsed<()> {
        if height > MAX_HEIGHT {
            Err(self.too_deep(span, MAX_HEIGHT))
        } else {
            Ok(())
        }
    }

    fn conflict(&mut self, left: OperatorId, right: OperatorId, span: Span) -> super::Failed {
        let (left, right) = (left.operator().name, right.operator().name);
        let message = format!("`{left}` and `{right}` have no order of precedence here");
        self.problem(
            Diagnostic::error(span, message).help("put parentheses around what belongs together"),
        )
    }
}

impl Stack {
    pub fn push(&mut self, expr: Expr, height: u32) {
        self.operands.push(Operand {
            expr,
            height,
            top: None,
        });
    }
}

/// An operator with its operands.
pub(super) fn applied(
    name: crate::names::Symbol,
    span: Span,
    args: Vec<Expr>,
    whole: Span,
) -> Expr {
    let last = Segment {
        name: Selector::Name(name),
        args,
        span,
    };
    Expr {
        kind: ExprKind::Apply(Path {
            prefix: Vec::new(),
            last,
        }),
        span: whole,
    }
}
