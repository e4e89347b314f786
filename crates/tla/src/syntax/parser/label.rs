//! Labels: `name :: e`, with the bound names that the label keeps in parentheses.

use evenhand_source::{Diagnostic, Span};

use super::expression::Stack;
use super::{Parsed, Parser};
use crate::syntax::ast::{Expr, ExprKind, Ident, Segment, Selector};

impl Parser<'_> {
    /// `label :: e`: the label was read as an operand.
    pub(super) fn label(&mut self, stack: &mut Stack) -> Parsed<()> {
        let colons = self.peek(0).span;
        let operand = stack.operands.pop();
        let Some((ident, params, span)) = operand.and_then(|operand| as_label(operand.expr)) else {
            return Err(self.problem(
                Diagnostic::error(colons, "only a label may stand before `::`")
                    .help("a label is a name, or a name with the bound names that it keeps: l(x)"),
            ));
        };
        self.bump();
        self.tallest = 0;
        let body = self.expression()?;
        let height = self.tallest + 1;
        if let (Some(&(before, _)), Some(top)) = (stack.waiting.last(), self.top)
            && before.operator().high >= top.operator().low
        {
            let problem = Diagnostic::error(
                span,
                "without this label the expression would mean something else",
            );
            return Err(self.problem(problem.help("put parentheses around what has the label")));
        }
        let span = span.to(body.span);
        self.check_height(span, height)?;
        stack.push(
            Expr {
                kind: ExprKind::Label(ident, params, Box::new(body)),
                span,
            },
            height,
        );
        Ok(())
    }
}

/// The label that was read as a name or an application.
fn as_label(expr: Expr) -> Option<(Ident, Vec<Ident>, Span)> {
    let name = |segment: &Segment| match segment.name {
        Selector::Name(name) => Some(Ident {
            name,
            span: segment.span,
        }),
        _ => None,
    };
    let span = expr.span;
    let ExprKind::Apply(path) = expr.kind else {
        return None;
    };
    if !path.prefix.is_empty() {
        return None;
    }
    // Neither an operator before its operand nor something in parentheses.
    if path.last.span.start != span.start {
        return None;
    }
    let ident = name(&path.last)?;
    let mut params = Vec::new();
    for arg in &path.last.args {
        match &arg.kind {
            ExprKind::Apply(path) if path.prefix.is_empty() && path.last.args.is_empty() => {
                params.push(name(&path.last)?);
            }
            _ => return None,
        }
    }
    Some((ident, params, span))
}
