//! Operands: numbers, strings, names with what stands in front of them, and whatever has brackets.

use evenhand_source::Diagnostic;

use super::{Parsed, Parser};
use crate::syntax::ast::{Expr, ExprKind, Path, Segment, Selector};
use crate::syntax::spelling::{characters, number};
use crate::syntax::token::{Keyword, TokenKind, known};

impl Parser<'_> {
    /// An operand.
    pub(super) fn primary(&mut self) -> Parsed<Expr> {
        let token = self.peek(0);
        match token.kind {
            // A name before `==` begins the next definition.
            TokenKind::Identifier if self.peek(1).kind == TokenKind::Define => {
                Err(self.expected("an expression"))
            }
            TokenKind::Identifier => self.path(),
            TokenKind::Number => self.number(),
            TokenKind::Text => {
                self.bump();
                let text = characters(self.text(token));
                let kind = ExprKind::Text(self.names.intern(&text));
                Ok(Expr {
                    kind,
                    span: token.span,
                })
            }
            TokenKind::At => {
                self.bump();
                Ok(Expr {
                    kind: ExprKind::At,
                    span: token.span,
                })
            }
            TokenKind::LeftParen => self.parentheses(),
            TokenKind::LeftBrace => self.braces(),
            TokenKind::LeftSquare => self.squares(),
            TokenKind::LeftAngle => self.angles(),
            TokenKind::WeakFair => self.fairness(false),
            TokenKind::StrongFair => self.fairness(true),
            TokenKind::Operator(id @ (known::AND | known::OR)) => self.list(id),
            TokenKind::Operator(_) if self.peek(1).kind == TokenKind::LeftParen => self.path(),
            TokenKind::Step(_)
                if !self.proofs.is_empty() && !self.text(token).ends_with(['>', '.']) =>
            {
                self.path()
            }
            TokenKind::Keyword(Keyword::Lambda) => Err(self.problem(
                Diagnostic::error(token.span, "LAMBDA may only be an argument of an operator")
                    .help("a function is written [x \\in S |-> e]"),
            )),
            _ => Err(self.expected("an expression")),
        }
    }

    /// A number, with a fraction or without.
    fn number(&mut self) -> Parsed<Expr> {
        let whole = self.bump();
        if self.kind() == TokenKind::Dot && self.peek(1).kind == TokenKind::Number {
            self.bump();
            let fraction = self.bump();
            let text = format!("{}.{}", self.text(whole), self.text(fraction));
            let kind = ExprKind::Decimal(self.names.intern(&text));
            return Ok(Expr {
                kind,
                span: whole.span.to(fraction.span),
            });
        }
        let kind = ExprKind::Number(number(self.text(whole)));
        Ok(Expr {
            kind,
            span: whole.span,
        })
    }

    /// A name with its arguments and what stands in front of it.
    pub(super) fn path(&mut self) -> Parsed<Expr> {
        let start = self.peek(0);
        let mut last = self.segment()?;
        let mut prefix = Vec::new();
        while self.eat(TokenKind::Bang).is_some() {
            prefix.push(last);
            last = self.segment_behind()?;
        }
        let span = start.span.to(self.before());
        if prefix.is_empty() && last.args.is_empty() && start.kind == TokenKind::Identifier {
            let kind = word(self.text(start));
            if let Some(kind) = kind {
                return Ok(Expr { kind, span });
            }
        }
        Ok(Expr {
            kind: ExprKind::Apply(Path { prefix, last }),
            span,
        })
    }

    /// A name or an operator, with arguments if there are any.
    fn segment(&mut self) -> Parsed<Segment> {
        let token = self.bump();
        let name = match token.kind {
            TokenKind::Operator(id) => self.operator_name(id),
            _ => {
                let text = canonical(self.text(token));
                self.names.intern(text)
            }
        };
        let args = self.arguments()?;
        Ok(Segment {
            name: Selector::Name(name),
            args,
            span: token.span,
        })
    }

    /// A part behind `!`.
    fn segment_behind(&mut self) -> Parsed<Segment> {
        let token = self.peek(0);
        let name = match token.kind {
            TokenKind::Identifier | TokenKind::Operator(_) | TokenKind::Step(_) => {
                return self.segment();
            }
            TokenKind::LeftParen => {
                let args = self.arguments()?;
                return Ok(Segment {
                    name: Selector::Arguments,
                    args,
                    span: token.span,
                });
            }
            TokenKind::LeftAngle => Selector::Part(1),
            TokenKind::RightAngle => Selector::Part(2),
            TokenKind::Colon => Selector::Whole,
            TokenKind::At => Selector::Below,
            TokenKind::Number => match number(self.text(token)).and_then(|n| u32::try_from(n).ok())
            {
                Some(part) => Selector::Part(part),
                None => return Err(self.expected("the number of a part")),
            },
            _ => return Err(self.expected("a name or a part of a definition")),
        };
        self.bump();
        Ok(Segment {
            name,
            args: Vec::new(),
            span: token.span,
        })
    }

    /// `(a, b)` if it is there.
    fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        if self.kind() != TokenKind::LeftParen {
            return Ok(Vec::new());
        }
        self.nested(|p| {
            p.bump();
            let mut args = vec![p.argument()?];
            while p.eat(TokenKind::Comma).is_some() {
                args.push(p.argument()?);
            }
            p.expect(TokenKind::RightParen, "`,`, `)` or an operator")?;
            Ok(args)
        })
    }

    /// An argument: an expression, an operator by its name, a `LAMBDA`.
    pub(super) fn argument(&mut self) -> Parsed<Expr> {
        match self.kind() {
            TokenKind::Keyword(Keyword::Lambda) => self.nested(Self::lambda),
            TokenKind::Operator(id) if self.ends_argument(1) => {
                let token = self.bump();
                if id == known::TIMES {
                    let problem = Diagnostic::error(
                        token.span,
                        "`\\X` is no operator that could be an argument",
                    );
                    return Err(self.problem(problem));
                }
                let name = self.operator_name(id);
                Ok(super::expression::applied(
                    name,
                    token.span,
                    Vec::new(),
                    token.span,
                ))
            }
            _ => self.expression(),
        }
    }

    /// Whether an argument that is one operator ends before a token.
    fn ends_argument(&self, ahead: usize) -> bool {
        matches!(
            self.peek(ahead).kind,
            TokenKind::Comma | TokenKind::RightParen
        ) || self.ends_unit(ahead)
            || self.at_definition(ahead)
    }
}

/// The name of a set of numbers, however it is spelled.
fn canonical(text: &str) -> &str {
    match text {
        "ℕ" => "Nat",
        "ℤ" => "Int",
        "ℝ" => "Real",
        text => text,
    }
}

/// The meaning of a name that is part of the language.
pub(super) fn word(text: &str) -> Option<ExprKind> {
    Some(match text {
        "TRUE" => ExprKind::Truth(true),
        "FALSE" => ExprKind::Truth(false),
        "BOOLEAN" => ExprKind::Boolean,
        "STRING" => ExprKind::Strings,
        _ => return None,
    })
}
