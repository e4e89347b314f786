//! Definitions of operators and functions, and instances.

use evenhand_source::{Diagnostic, Span};

use super::{Parsed, Parser};
use crate::syntax::ast::{Declared, Definition, FunctionDefinition, Ident, Instance, Unit};
use crate::syntax::token::{Fix, Keyword, TokenKind, known};

/// How far behind a name the `==` of its definition is looked for.
const FAR: usize = 2000;

impl Parser<'_> {
    /// Whether a definition begins so many tokens ahead.
    pub(super) fn at_definition(&self, ahead: usize) -> bool {
        let kind = |more: usize| self.peek(ahead + more).kind;
        match kind(0) {
            TokenKind::Identifier => match kind(1) {
                TokenKind::Define => true,
                TokenKind::LeftParen | TokenKind::LeftSquare => {
                    self.behind_brackets(ahead + 1) == Some(TokenKind::Define)
                }
                TokenKind::Operator(id) => match id.operator().fix {
                    Fix::Infix => kind(2) == TokenKind::Identifier && kind(3) == TokenKind::Define,
                    Fix::Postfix => kind(2) == TokenKind::Define,
                    Fix::Prefix => false,
                },
                _ => false,
            },
            TokenKind::Operator(id) => {
                let prefix = id.operator().fix == Fix::Prefix || id == known::MINUS;
                prefix && kind(1) == TokenKind::Identifier && kind(2) == TokenKind::Define
            }
            _ => false,
        }
    }

    /// What comes behind the bracket that closes the one so many tokens ahead.
    fn behind_brackets(&self, ahead: usize) -> Option<TokenKind> {
        let mut depth = 0usize;
        for more in ahead..ahead + FAR {
            match self.peek(more).kind {
                TokenKind::LeftParen | TokenKind::LeftSquare | TokenKind::LeftBrace => depth += 1,
                TokenKind::RightParen | TokenKind::RightSquare | TokenKind::RightBrace => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(self.peek(more + 1).kind);
                    }
                }
                TokenKind::Define | TokenKind::Footer | TokenKind::Header | TokenKind::End => {
                    return None;
                }
                _ => {}
            }
        }
        None
    }

    /// The definitions of a `LET`.
    pub(super) fn let_units(&mut self) -> Parsed<Vec<Unit>> {
        let mut units = Vec::new();
        loop {
            if self.kind() == TokenKind::Keyword(Keyword::Recursive) {
                self.bump();
                units.push(Unit::Recursive(self.declarations()?));
            } else if self.at_definition(0) || self.kind() == TokenKind::Keyword(Keyword::Local) {
                units.push(self.definition()?);
            } else if units.is_empty() {
                return Err(self.not_a_definition());
            } else {
                return Ok(units);
            }
        }
    }

    /// Reports that a definition should begin here.
    pub(super) fn not_a_definition(&mut self) -> super::Failed {
        let next = self.peek(1);
        if self.kind() == TokenKind::Identifier && next.kind == TokenKind::Operator(known::EQUALS) {
            let problem = Diagnostic::error(next.span, "`=` does not define anything");
            return self.problem(problem.help("a definition is written with `==`"));
        }
        if self.kind() == TokenKind::Define {
            let problem = Diagnostic::error(self.peek(0).span, "`==` does not compare anything");
            return self.problem(problem.help("write `=` to compare; `==` defines an operator"));
        }
        self.expected("a definition")
    }

    /// A definition, or an instance without a name behind `LOCAL`.
    pub(super) fn definition(&mut self) -> Parsed<Unit> {
        let start = self.peek(0).span;
        let local = self.eat_keyword(Keyword::Local).is_some();
        if self.kind() == TokenKind::Keyword(Keyword::Instance) {
            return self.instance(start, None, Vec::new(), local);
        }
        if !self.at_definition(0) {
            return Err(self.not_a_definition());
        }
        let token = self.peek(0);
        let (ident, params) = match (token.kind, self.peek(1).kind) {
            (TokenKind::Operator(id), _) => {
                self.bump();
                let id = if id == known::MINUS {
                    known::NEGATIVE
                } else {
                    id
                };
                let ident = Ident {
                    name: self.operator_name(id),
                    span: token.span,
                };
                (ident, vec![self.parameter()?])
            }
            (_, TokenKind::Operator(id)) => {
                let mut params = vec![self.parameter()?];
                let sign = self.bump();
                let ident = Ident {
                    name: self.operator_name(id),
                    span: sign.span,
                };
                if id.operator().fix == Fix::Infix {
                    params.push(self.parameter()?);
                }
                (ident, params)
            }
            (_, TokenKind::LeftSquare) => return self.function(start, local),
            (_, TokenKind::LeftParen) => {
                let ident = self.ident("a name")?;
                self.bump();
                let params = self.declarations()?;
                self.expect(TokenKind::RightParen, "`,` or `)`")?;
                (ident, params)
            }
            _ => (self.ident("a name")?, Vec::new()),
        };
        self.expect(TokenKind::Define, "`==`")?;
        if self.kind() == TokenKind::Keyword(Keyword::Instance) {
            return self.instance(start, Some(ident), params, local);
        }
        let body = self.expression()?;
        let span = start.to(body.span);
        Ok(Unit::Operator(Box::new(Definition {
            ident,
            params,
            body,
            local,
            span,
        })))
    }

    fn parameter(&mut self) -> Parsed<Declared> {
        Ok(Declared {
            ident: self.ident("a name")?,
            arity: 0,
        })
    }

    /// `f[x \in S] == e`
    fn function(&mut self, start: Span, local: bool) -> Parsed<Unit> {
        let ident = self.ident("a name")?;
        self.bump();
        let bounds = self.bounds()?;
        self.expect(TokenKind::RightSquare, "`,` or `]`")?;
        self.expect(TokenKind::Define, "`==`")?;
        let body = self.expression()?;
        let span = start.to(body.span);
        Ok(Unit::Function(Box::new(FunctionDefinition {
            ident,
            bounds,
            body,
            local,
            span,
        })))
    }

    /// `INSTANCE M WITH a <- e`
    pub(super) fn instance(
        &mut self,
        start: Span,
        ident: Option<Ident>,
        params: Vec<Declared>,
        local: bool,
    ) -> Parsed<Unit> {
        self.expect_keyword(Keyword::Instance, "`INSTANCE`")?;
        let module = self.field("the name of a module")?;
        let mut substitutions = Vec::new();
        if self.eat_keyword(Keyword::With).is_some() {
            loop {
                let token = self.peek(0);
                let replaced = match token.kind {
                    TokenKind::Operator(id) => {
                        self.bump();
                        Ident {
                            name: self.operator_name(id),
                            span: token.span,
                        }
                    }
                    _ => self.ident("the name of a constant or a variable")?,
                };
                self.expect(TokenKind::Substitute, "`<-`")?;
                substitutions.push((replaced, self.argument()?));
                if self.eat(TokenKind::Comma).is_none() {
                    break;
                }
            }
        }
        let span = start.to(self.before());
        Ok(Unit::Instance(Box::new(Instance {
            ident,
            params,
            module,
            substitutions,
            local,
            span,
        })))
    }
}
