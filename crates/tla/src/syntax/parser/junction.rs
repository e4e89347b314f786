//! Lists of `/\` or `\/`, one item below the other.
//!
//! A list begins where an expression is due and `/\` or `\/` comes. Its items begin with the same sign in the same
//! column; whatever is not to the right of that column ends the item. Brackets do not change that, so a token that
//! an item cannot do without (a `)`, a `THEN`) and that is not to the right is a mistake.

use evenhand_source::{Diagnostic, Span};

use super::{Failed, MOST_PROBLEMS, Parsed, Parser};
use crate::syntax::ast::{Expr, ExprKind};
use crate::syntax::token::{OperatorId, Token, TokenKind, known};

/// How many columns beside a list a sign looks like one of its own.
const NEAR: u32 = 2;

/// A list that is open.
#[derive(Clone, Copy, Debug)]
pub(super) struct List {
    sign: OperatorId,
    column: u32,
    /// The sign of the item that is being read.
    item: Span,
    /// Whether something to the left of it was reported.
    told: bool,
}

impl Parser<'_> {
    /// Whether the next token may belong to the innermost list.
    pub(super) fn inside(&self) -> bool {
        let column = self.peek(0).column;
        self.lists.last().is_none_or(|list| column > list.column)
    }

    /// Reports a token that belongs to an item of a list but is not to the right of its sign.
    pub(super) fn check_column(&mut self, token: Token) {
        let Some(list) = self.lists.last_mut() else {
            return;
        };
        if token.column > list.column || list.told || token.kind == TokenKind::End {
            return;
        }
        list.told = true;
        let (sign, item) = (list.sign.operator().name, list.item);
        let text = self.text(token);
        let message = format!("`{text}` is not to the right of the `{sign}` it belongs to");
        let problem = Diagnostic::error(token.span, message).label(item, "the item begins here");
        self.problem(problem.help("move it to the right, or move the list to the left"));
    }

    /// Reports that an expression is due and what comes is not to the right of the list.
    pub(super) fn outside(&mut self) -> Failed {
        let token = self.peek(0);
        match token.kind {
            TokenKind::Identifier | TokenKind::Number | TokenKind::Text | TokenKind::LeftParen => {
                self.check_column(token);
                Failed
            }
            _ => self.expected("an expression"),
        }
    }

    /// Warns of a sign at the beginning of a line that is nearly in the column of a list: it is no item of it.
    pub(super) fn check_alignment(&mut self, sign: OperatorId) {
        let token = self.peek(0);
        let line = self.tokens[self.at.saturating_sub(1)].line;
        if !matches!(sign, known::AND | known::OR) || token.line == line {
            return;
        }
        let ended = self
            .closed
            .filter(|(_, before)| *before == self.at)
            .map(|(list, _)| list);
        let near = |list: &List| list.sign == sign && list.column.abs_diff(token.column) <= NEAR;
        let Some(list) = self
            .lists
            .last()
            .copied()
            .filter(near)
            .or(ended.filter(near))
        else {
            return;
        };
        let name = sign.operator().name;
        let message =
            format!("this `{name}` is not in the column of the list, so it is no item of it");
        let warning = Diagnostic::warning(token.span, message).label(list.item, "the last item");
        let told =
            |warning: &Diagnostic| warning.labels.iter().any(|label| label.span == list.item);
        if self.warnings.len() < MOST_PROBLEMS && !self.warnings.iter().any(told) {
            self.warnings
                .push(warning.help("the items of a list begin in one column"));
        }
    }

    /// A list whose first sign is next.
    pub(super) fn list(&mut self, sign: OperatorId) -> Parsed<Expr> {
        let first = self.bump();
        let open = self.lists.len();
        self.lists.push(List {
            sign,
            column: first.column,
            item: first.span,
            told: false,
        });
        let items = self.items(sign, first.column);
        self.closed = self.lists.get(open).map(|list| (*list, self.at));
        self.lists.truncate(open);
        let items = items?;
        let span = first.span.to(self.before());
        let kind = if sign == known::AND {
            ExprKind::And(items)
        } else {
            ExprKind::Or(items)
        };
        Ok(Expr { kind, span })
    }

    fn items(&mut self, sign: OperatorId, column: u32) -> Parsed<Vec<Expr>> {
        let mut items = vec![self.expression()?];
        loop {
            let next = self.peek(0);
            if next.kind != TokenKind::Operator(sign) || next.column != column {
                return Ok(items);
            }
            if let Some(list) = self.lists.last_mut() {
                list.item = next.span;
            }
            self.at += 1;
            items.push(self.expression()?);
        }
    }
}
