//! Sets, functions, records, tuples and actions with subscripts.

use evenhand_source::Diagnostic;

use super::primary::word;
use super::{Parsed, Parser};
use crate::syntax::ast::{Expr, ExprKind, Ident, Pattern, Place, Selector, Update};
use crate::syntax::spelling::may_name;
use crate::syntax::token::{Keyword, TokenKind, known};

/// How far ahead the bracket that closes one is looked for.
const FAR: usize = 500;

impl Parser<'_> {
    /// Expressions with commas between them.
    pub(super) fn expressions(&mut self) -> Parsed<Vec<Expr>> {
        let mut all = vec![self.expression()?];
        while self.eat(TokenKind::Comma).is_some() {
            all.push(self.expression()?);
        }
        Ok(all)
    }

    /// `{a, b}`, `{x \in S : p}`, `{e : x \in S}`
    pub(super) fn braces(&mut self) -> Parsed<Expr> {
        let open = self.bump();
        let kind = if self.kind() == TokenKind::RightBrace {
            ExprKind::SetOf(Vec::new())
        } else if self.at_bound(false) {
            self.filter()?
        } else {
            let first = self.expression()?;
            if self.eat(TokenKind::Colon).is_some() {
                self.check_image(&first)?;
                ExprKind::Image(Box::new(first), self.bounds()?)
            } else {
                self.listed(first)?
            }
        };
        let close = self.expect(TokenKind::RightBrace, "`,` or `}`")?;
        Ok(Expr {
            kind,
            span: open.span.to(close.span),
        })
    }

    fn listed(&mut self, first: Expr) -> Parsed<ExprKind> {
        let mut all = vec![first];
        while self.eat(TokenKind::Comma).is_some() {
            all.push(self.expression()?);
        }
        Ok(ExprKind::SetOf(all))
    }

    /// Behind `{` where `x \in` follows: the set of those for which something holds, or a set of truth values.
    fn filter(&mut self) -> Parsed<ExprKind> {
        let start = self.peek(0).span;
        let pattern = self.pattern()?;
        let sign = self.expect(TokenKind::Operator(known::IN), "`\\in`")?;
        let set = self.expression()?;
        if self.eat(TokenKind::Colon).is_some() {
            let body = self.expression()?;
            return Ok(ExprKind::Filter(pattern, Box::new(set), Box::new(body)));
        }
        let left = match pattern {
            Pattern::Name(ident) => named(ident),
            Pattern::Tuple(all) => Expr {
                kind: ExprKind::Tuple(all.into_iter().map(named).collect()),
                span: start.to(sign.span),
            },
        };
        let span = start.to(set.span);
        let name = self.operator_name(known::IN);
        self.listed(super::expression::applied(
            name,
            sign.span,
            vec![left, set],
            span,
        ))
    }

    /// `{a \in b : c \in d}` could mean two sets.
    fn check_image(&mut self, first: &Expr) -> Parsed<()> {
        let element = self.operator_name(known::IN);
        if let ExprKind::Apply(path) = &first.kind
            && path.last.name == Selector::Name(element)
            && self.text.as_bytes().get(first.span.start as usize) != Some(&b'(')
        {
            let problem =
                Diagnostic::error(first.span, "it is not clear which names this set binds");
            return Err(self.problem(problem.help("put parentheses around what stands before `:`")));
        }
        Ok(())
    }

    /// What begins with `[`.
    pub(super) fn squares(&mut self) -> Parsed<Expr> {
        let open = self.bump();
        let next = self.peek(0);
        let kind = if self.at_bound(true) && !self.ends_in_subscript() {
            let bounds = self.bounds()?;
            self.expect(TokenKind::MapsTo, "`,` or `|->`")?;
            ExprKind::Function(bounds, Box::new(self.expression()?))
        } else if may_name(next.kind, self.text(next)) && self.peek(1).kind == TokenKind::MapsTo {
            ExprKind::Record(self.fields(TokenKind::MapsTo, "`|->`")?)
        } else if next.kind == TokenKind::Identifier && self.peek(1).kind == TokenKind::Colon {
            ExprKind::Records(self.fields(TokenKind::Colon, "`:`")?)
        } else {
            let first = self.expression()?;
            match self.kind() {
                TokenKind::Arrow => {
                    self.bump();
                    ExprKind::Functions(Box::new(first), Box::new(self.expression()?))
                }
                TokenKind::Keyword(Keyword::Except) => {
                    self.bump();
                    ExprKind::Except(Box::new(first), self.updates()?)
                }
                TokenKind::RightSquareSub => {
                    self.bump();
                    let subscript = self.subscript()?;
                    let span = open.span.to(subscript.span);
                    let kind = ExprKind::Square(Box::new(first), Box::new(subscript));
                    return Ok(Expr { kind, span });
                }
                _ => return Err(self.expected("`->`, `EXCEPT`, `]_` or an operator")),
            }
        };
        let close = self.expect(TokenKind::RightSquare, "`,` or `]`")?;
        Ok(Expr {
            kind,
            span: open.span.to(close.span),
        })
    }

    /// Whether the bracket that is open is closed by `]_`: then `x \in S` in it is an action.
    fn ends_in_subscript(&self) -> bool {
        let mut depth = 0usize;
        for ahead in 0..FAR {
            match self.peek(ahead).kind {
                TokenKind::LeftParen
                | TokenKind::LeftBrace
                | TokenKind::LeftSquare
                | TokenKind::LeftAngle => depth += 1,
                TokenKind::RightSquareSub if depth == 0 => return true,
                TokenKind::RightSquare | TokenKind::MapsTo if depth == 0 => return false,
                TokenKind::RightParen
                | TokenKind::RightBrace
                | TokenKind::RightSquare
                | TokenKind::RightSquareSub
                | TokenKind::RightAngle
                | TokenKind::RightAngleSub => depth = depth.saturating_sub(1),
                TokenKind::Define | TokenKind::Footer | TokenKind::End => return false,
                _ => {}
            }
        }
        false
    }

    fn fields(&mut self, sign: TokenKind, what: &str) -> Parsed<Vec<(Ident, Expr)>> {
        let mut all = Vec::new();
        loop {
            let field = self.field("the name of a field")?;
            self.expect(sign, what)?;
            all.push((field, self.expression()?));
            if self.eat(TokenKind::Comma).is_none() {
                return Ok(all);
            }
        }
    }

    fn updates(&mut self) -> Parsed<Vec<Update>> {
        let mut all = Vec::new();
        loop {
            let start = self.expect(TokenKind::Bang, "`!`")?;
            let mut place = Vec::new();
            loop {
                if self.eat(TokenKind::Dot).is_some() {
                    place.push(Place::Field(self.field("the name of a field")?));
                } else if self.eat(TokenKind::LeftSquare).is_some() {
                    place.push(Place::At(self.expressions()?));
                    self.expect(TokenKind::RightSquare, "`,` or `]`")?;
                } else if place.is_empty() {
                    return Err(self.expected("`[` or `.`"));
                } else {
                    break;
                }
            }
            self.expect(TokenKind::Operator(known::EQUALS), "`[`, `.` or `=`")?;
            let value = self.expression()?;
            let span = start.span.to(value.span);
            all.push(Update { place, value, span });
            if self.eat(TokenKind::Comma).is_none() {
                return Ok(all);
            }
        }
    }

    /// `<<a, b>>` or `<<A>>_v`
    pub(super) fn angles(&mut self) -> Parsed<Expr> {
        let open = self.bump();
        let mut all = match self.kind() {
            TokenKind::RightAngle => Vec::new(),
            _ => self.expressions()?,
        };
        if let Some(close) = self.eat(TokenKind::RightAngle) {
            return Ok(Expr {
                kind: ExprKind::Tuple(all),
                span: open.span.to(close.span),
            });
        }
        if all.len() == 1
            && self.eat(TokenKind::RightAngleSub).is_some()
            && let Some(action) = all.pop()
        {
            let subscript = self.subscript()?;
            let span = open.span.to(subscript.span);
            return Ok(Expr {
                kind: ExprKind::Angle(Box::new(action), Box::new(subscript)),
                span,
            });
        }
        Err(self.expected("`,` or `>>`"))
    }

    /// `WF_v(A)` or `SF_v(A)`
    pub(super) fn fairness(&mut self, strong: bool) -> Parsed<Expr> {
        let start = self.bump();
        let mut subscript = self.subscript()?;
        let action = if self.eat(TokenKind::LeftParen).is_some() {
            let action = self.expression()?;
            self.expect(TokenKind::RightParen, "`)`")?;
            action
        } else {
            match self.last_argument(&mut subscript) {
                Some(action) => action,
                None => return Err(self.expected("the action in parentheses")),
            }
        };
        let span = start.span.to(self.before());
        let (subscript, action) = (Box::new(subscript), Box::new(action));
        Ok(Expr {
            kind: ExprKind::Fair {
                strong,
                subscript,
                action,
            },
            span,
        })
    }

    /// In `WF_v(A)` the action was read as the argument of `v`.
    fn last_argument(&self, subscript: &mut Expr) -> Option<Expr> {
        let ExprKind::Apply(path) = &mut subscript.kind else {
            return None;
        };
        if path.last.args.len() != 1 {
            return None;
        }
        let action = path.last.args.pop();
        subscript.span.end = path.last.span.end;
        if let (true, Selector::Name(name)) = (path.prefix.is_empty(), path.last.name)
            && let Some(kind) = word(self.names.text(name))
        {
            subscript.kind = kind;
        }
        action
    }

    /// What stands behind `]_`, `>>_`, `WF_` and `SF_`.
    fn subscript(&mut self) -> Parsed<Expr> {
        match self.kind() {
            TokenKind::Identifier => self.path(),
            TokenKind::LeftParen => self.parentheses(),
            TokenKind::LeftBrace => self.nested(Self::braces),
            TokenKind::LeftSquare => self.nested(Self::squares),
            TokenKind::LeftAngle => self.nested(Self::angles),
            _ => Err(self.expected("a state function: a name or a tuple")),
        }
    }

    /// `(e)`
    pub(super) fn parentheses(&mut self) -> Parsed<Expr> {
        let open = self.bump();
        let mut inner = self.expression()?;
        let close = self.expect(TokenKind::RightParen, "an operator or `)`")?;
        inner.span = open.span.to(close.span);
        Ok(inner)
    }
}

fn named(ident: Ident) -> Expr {
    super::expression::applied(ident.name, ident.span, Vec::new(), ident.span)
}
