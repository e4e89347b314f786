//! Expressions that reach as far as they can: quantifiers, `CHOOSE`, `IF`, `CASE`, `LET`; and `LAMBDA`.

use super::{Parsed, Parser};
use crate::syntax::ast::{Bounds, Expr, ExprKind, Quantifier};
use crate::syntax::token::{Keyword, TokenKind, known};

impl Parser<'_> {
    /// One of them.
    pub(super) fn open(&mut self) -> Parsed<Expr> {
        let start = self.bump();
        let kind = match start.kind {
            TokenKind::Keyword(Keyword::Exists) => self.quantifier(Quantifier::Exists)?,
            TokenKind::Keyword(Keyword::ForAll) => self.quantifier(Quantifier::All)?,
            TokenKind::Keyword(Keyword::ExistsTemporal) => {
                self.quantifier(Quantifier::ExistsTemporal)?
            }
            TokenKind::Keyword(Keyword::ForAllTemporal) => {
                self.quantifier(Quantifier::AllTemporal)?
            }
            TokenKind::Keyword(Keyword::Choose) => self.choose()?,
            TokenKind::Keyword(Keyword::If) => {
                let condition = self.expression()?;
                self.expect_keyword(Keyword::Then, "an operator or `THEN`")?;
                let yes = self.expression()?;
                self.expect_keyword(Keyword::Else, "an operator or `ELSE`")?;
                let no = self.expression()?;
                ExprKind::If(Box::new(condition), Box::new(yes), Box::new(no))
            }
            TokenKind::Keyword(Keyword::Case) => self.case()?,
            _ => {
                let units = self.let_units()?;
                self.expect_keyword(Keyword::In, "a definition or `IN`")?;
                ExprKind::Let(units, Box::new(self.expression()?))
            }
        };
        Ok(Expr {
            kind,
            span: start.span.to(self.before()),
        })
    }

    fn quantifier(&mut self, quantifier: Quantifier) -> Parsed<ExprKind> {
        let bounds = match quantifier {
            Quantifier::All | Quantifier::Exists => self.quantified()?,
            _ => Bounds::Free(self.idents("a name")?),
        };
        self.expect(TokenKind::Colon, "`,` or `:`")?;
        Ok(ExprKind::Quantified(
            quantifier,
            bounds,
            Box::new(self.expression()?),
        ))
    }

    fn choose(&mut self) -> Parsed<ExprKind> {
        let pattern = self.pattern()?;
        let set = match self.eat(TokenKind::Operator(known::IN)) {
            Some(_) => Some(Box::new(self.expression()?)),
            None => None,
        };
        self.expect(TokenKind::Colon, "`:`")?;
        Ok(ExprKind::Choose(pattern, set, Box::new(self.expression()?)))
    }

    fn case(&mut self) -> Parsed<ExprKind> {
        let mut arms = Vec::new();
        let mut other = None;
        loop {
            if !arms.is_empty() && self.eat_keyword(Keyword::Other).is_some() {
                self.expect(TokenKind::Arrow, "`->`")?;
                other = Some(Box::new(self.expression()?));
                break;
            }
            let guard = self.expression()?;
            self.expect(TokenKind::Arrow, "an operator or `->`")?;
            arms.push((guard, self.expression()?));
            if self.kind() != TokenKind::Operator(known::ALWAYS) || !self.inside() {
                break;
            }
            self.bump();
        }
        Ok(ExprKind::Case(arms, other))
    }

    /// `LAMBDA x, y : e`
    pub(super) fn lambda(&mut self) -> Parsed<Expr> {
        let start = self.bump();
        let params = self.idents("a name")?;
        self.expect(TokenKind::Colon, "`,` or `:`")?;
        let body = self.expression()?;
        let span = start.span.to(body.span);
        Ok(Expr {
            kind: ExprKind::Lambda(params, Box::new(body)),
            span,
        })
    }
}
