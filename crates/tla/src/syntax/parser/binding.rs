//! What binds names: quantifiers, patterns, declarations of operators.

use super::{Parsed, Parser};
use crate::syntax::ast::{Bound, Bounds, Declared, Ident, Pattern};
use crate::syntax::token::{Fix, TokenKind, known};

const IN: TokenKind = TokenKind::Operator(known::IN);

impl Parser<'_> {
    /// What a quantifier binds: names alone, or names with sets.
    pub(super) fn quantified(&mut self) -> Parsed<Bounds> {
        let mut ahead = 0;
        while self.peek(ahead).kind == TokenKind::Identifier {
            match self.peek(ahead + 1).kind {
                TokenKind::Comma => ahead += 2,
                TokenKind::Colon => return Ok(Bounds::Free(self.idents("a name")?)),
                _ => break,
            }
        }
        Ok(Bounds::In(self.bounds()?))
    }

    /// `x, y \in S, <<a, b>> \in T`
    pub(super) fn bounds(&mut self) -> Parsed<Vec<Bound>> {
        let mut all = vec![self.bound()?];
        while self.eat(TokenKind::Comma).is_some() {
            all.push(self.bound()?);
        }
        Ok(all)
    }

    fn bound(&mut self) -> Parsed<Bound> {
        let patterns = match self.kind() {
            TokenKind::LeftAngle => vec![self.pattern()?],
            _ => self
                .idents("a name")?
                .into_iter()
                .map(Pattern::Name)
                .collect(),
        };
        self.expect(IN, "`\\in`")?;
        let set = self.expression()?;
        Ok(Bound { patterns, set })
    }

    /// A name or a tuple of names.
    pub(super) fn pattern(&mut self) -> Parsed<Pattern> {
        if self.eat(TokenKind::LeftAngle).is_none() {
            return Ok(Pattern::Name(self.ident("a name")?));
        }
        let names = match self.kind() {
            TokenKind::RightAngle => Vec::new(),
            _ => self.idents("a name")?,
        };
        self.expect(TokenKind::RightAngle, "`,` or `>>`")?;
        Ok(Pattern::Tuple(names))
    }

    /// Whether a name or a tuple of names comes with `\in` behind it; several names where that is allowed.
    pub(super) fn at_bound(&self, several: bool) -> bool {
        let tuple = self.kind() == TokenKind::LeftAngle;
        let mut ahead = usize::from(tuple);
        loop {
            if self.peek(ahead).kind != TokenKind::Identifier {
                return false;
            }
            match self.peek(ahead + 1).kind {
                TokenKind::Comma if tuple || several => ahead += 2,
                TokenKind::RightAngle if tuple => return self.peek(ahead + 2).kind == IN,
                kind => return kind == IN && !tuple,
            }
        }
    }

    /// Declarations with commas between them: `a, Op(_, _), _+_`.
    pub(super) fn declarations(&mut self) -> Parsed<Vec<Declared>> {
        let mut all = vec![self.declared()?];
        while self.eat(TokenKind::Comma).is_some() {
            all.push(self.declared()?);
        }
        Ok(all)
    }

    /// One of them.
    pub(super) fn declared(&mut self) -> Parsed<Declared> {
        let what = "a name, or an operator with `_` for its arguments";
        match self.kind() {
            TokenKind::Operator(id) if id.operator().fix == Fix::Prefix => {
                let token = self.bump();
                self.expect(TokenKind::Underscore, "`_`")?;
                let ident = Ident {
                    name: self.operator_name(id),
                    span: token.span,
                };
                Ok(Declared { ident, arity: 1 })
            }
            TokenKind::Underscore => {
                self.bump();
                let TokenKind::Operator(id) = self.kind() else {
                    return Err(self.expected("an operator"));
                };
                let token = self.bump();
                let ident = Ident {
                    name: self.operator_name(id),
                    span: token.span,
                };
                let postfix = id.operator().fix == Fix::Postfix;
                if !postfix {
                    self.expect(TokenKind::Underscore, "`_`")?;
                }
                Ok(Declared {
                    ident,
                    arity: if postfix { 1 } else { 2 },
                })
            }
            _ => {
                let ident = self.ident(what)?;
                let mut arity = 0;
                if self.kind() == TokenKind::LeftParen && self.peek(1).kind == TokenKind::Underscore
                {
                    self.bump();
                    loop {
                        self.expect(TokenKind::Underscore, "`_`")?;
                        arity += 1;
                        if self.eat(TokenKind::Comma).is_none() {
                            break;
                        }
                    }
                    self.expect(TokenKind::RightParen, "`,` or `)`")?;
                }
                Ok(Declared { ident, arity })
            }
        }
    }
}
