//! Modules and what they consist of.

use evenhand_source::Diagnostic;

use super::{Failed, Parsed, Parser};
use crate::syntax::ast::{Ident, Module, Unit};
use crate::syntax::token::{Keyword, TokenKind};

impl Parser<'_> {
    /// A module whose header is next.
    pub(super) fn module(&mut self) -> Parsed<Module> {
        let start = self.expect(TokenKind::Header, "`---- MODULE`")?;
        let ident = self.field("the name of the module")?;
        self.expect(TokenKind::Separator, "`----`")?;
        let mut extends = Vec::new();
        if self.eat_keyword(Keyword::Extends).is_some() {
            let read = self.extended(&mut extends);
            if read.is_err() {
                self.recover(0);
            }
        }
        let units = self.units();
        if self.eat(TokenKind::Footer).is_none() {
            let problem = Diagnostic::error(ident.span, "this module has no end");
            self.problem(problem.help("a module ends with a line `====`"));
        }
        Ok(Module {
            ident,
            extends,
            units,
            span: start.span.to(self.before()),
        })
    }

    fn extended(&mut self, extends: &mut Vec<Ident>) -> Parsed<()> {
        loop {
            extends.push(self.field("the name of a module")?);
            if self.eat(TokenKind::Comma).is_none() {
                return Ok(());
            }
        }
    }

    /// Units up to the end of the module.
    fn units(&mut self) -> Vec<Unit> {
        let mut units = Vec::new();
        loop {
            let start = self.peek(0);
            match start.kind {
                TokenKind::Footer | TokenKind::End => return units,
                TokenKind::Separator => {
                    self.bump();
                    continue;
                }
                _ => {}
            }
            let at = self.at;
            match self.unit() {
                Ok(unit) => units.extend(unit),
                Err(Failed) => {
                    self.lists.clear();
                    self.proofs.clear();
                    if self.at == at {
                        self.bump();
                    }
                    self.recover(start.column);
                }
            }
        }
    }

    /// Passes over tokens up to one that begins a unit: a word of its own, or a definition that begins its line not to
    /// the right of the unit that could not be read.
    fn recover(&mut self, column: u32) {
        loop {
            let token = self.peek(0);
            let line = self.tokens[self.at.saturating_sub(1)].line;
            if self.ends_unit(0)
                || (token.line != line && token.column <= column.max(1) && self.at_definition(0))
            {
                return;
            }
            self.bump();
        }
    }

    /// Whether a word that begins a unit, or the end, is so many tokens ahead.
    pub(super) fn ends_unit(&self, ahead: usize) -> bool {
        use Keyword as K;
        matches!(
            self.peek(ahead).kind,
            TokenKind::Footer
                | TokenKind::Header
                | TokenKind::Separator
                | TokenKind::End
                | TokenKind::Keyword(
                    K::Assume
                        | K::Assumption
                        | K::Axiom
                        | K::Constant
                        | K::Instance
                        | K::Local
                        | K::Recursive
                        | K::Theorem
                        | K::Variable
                )
        )
    }

    /// A unit; none where it says nothing to a checker.
    fn unit(&mut self) -> Parsed<Option<Unit>> {
        let start = self.peek(0);
        let unit = match start.kind {
            TokenKind::Header => {
                return self
                    .nested(Self::module)
                    .map(|module| Some(Unit::Module(Box::new(module))));
            }
            TokenKind::Keyword(word) => match word {
                Keyword::Variable => {
                    self.bump();
                    Unit::Variables(self.idents("a name")?)
                }
                Keyword::Constant => {
                    self.bump();
                    Unit::Constants(self.declarations()?)
                }
                Keyword::Recursive => {
                    self.bump();
                    Unit::Recursive(self.declarations()?)
                }
                Keyword::Local => self.definition()?,
                Keyword::Instance => self.instance(start.span, None, Vec::new(), false)?,
                Keyword::Assume | Keyword::Assumption | Keyword::Axiom => {
                    self.bump();
                    let ident = self.statement_name()?;
                    let body = self.expression()?;
                    let span = start.span.to(body.span);
                    Unit::Assume {
                        ident,
                        body,
                        axiom: word == Keyword::Axiom,
                        span,
                    }
                }
                Keyword::Theorem => self.theorem()?,
                Keyword::Use | Keyword::Hide => {
                    self.bump();
                    self.facts()?;
                    return Ok(None);
                }
                _ => return Err(self.expected("a definition, a declaration or `====`")),
            },
            _ => self.definition()?,
        };
        Ok(Some(unit))
    }

    /// `Name ==` in front of a statement.
    fn statement_name(&mut self) -> Parsed<Option<Ident>> {
        if self.kind() != TokenKind::Identifier || self.peek(1).kind != TokenKind::Define {
            return Ok(None);
        }
        let ident = self.ident("a name")?;
        self.bump();
        Ok(Some(ident))
    }

    /// A theorem; its proof is passed over.
    fn theorem(&mut self) -> Parsed<Unit> {
        let start = self.bump();
        let ident = self.statement_name()?;
        let body = match self.at_assumptions() {
            true => {
                self.assumptions()?;
                None
            }
            false => Some(self.expression()?),
        };
        let span = start.span.to(self.before());
        if self.begins_proof() && self.proof().is_err() {
            self.lists.clear();
            self.recover(start.column);
        }
        Ok(Unit::Theorem { ident, body, span })
    }
}
