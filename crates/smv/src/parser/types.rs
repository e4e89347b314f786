//! Types as they are written in declarations.

use evenhand_source::Diagnostic;

use super::{Parser, Result};
use crate::ast::{EnumValue, Expr, TypeExpr, TypeKind};
use crate::token::{TokenKind, is_reserved};

impl Parser<'_> {
    pub(super) fn type_expression(&mut self) -> Result<TypeExpr> {
        let start = self.span();
        let word = self.word().cloned();
        let kind = match word.as_deref() {
            Some("boolean") => {
                self.advance();
                TypeKind::Boolean
            }
            Some("bool") => {
                let diagnostic = Diagnostic::error(start, "there is no type `bool`");
                return self.report(diagnostic.help("did you mean `boolean`?"));
            }
            Some("word" | "Word" | "unsigned" | "signed") => self.word_type()?,
            Some("array") => {
                self.advance();
                self.array_type()?
            }
            Some("process") => {
                self.advance();
                self.instance(true)?
            }
            Some(name) if !is_reserved(name) && self.is_instance() => self.instance(false)?,
            _ if self.at_sign("{") => self.enumeration()?,
            _ => {
                let (low, high) = self.bounds()?;
                TypeKind::Range(low, high)
            }
        };
        Ok(TypeExpr {
            kind,
            span: start.to(self.previous()),
        })
    }

    /// Whether the name ahead is that of a module: an expression would go on in another way.
    fn is_instance(&self) -> bool {
        matches!(self.ahead(1).kind, TokenKind::Sign("(" | ";"))
    }

    fn word_type(&mut self) -> Result<TypeKind> {
        let signed = self.at_word("signed");
        if signed || self.at_word("unsigned") {
            self.advance();
        }
        if !self.eat_word("word") && !self.eat_word("Word") {
            return self.unexpected("`word`");
        }
        self.expect("[")?;
        let width = self.expression()?;
        self.expect("]")?;
        Ok(TypeKind::Word(signed, width))
    }

    fn array_type(&mut self) -> Result<TypeKind> {
        let unbounded = self.at_word("of") || self.at_word("word") || self.at_word("Word");
        let bounds = match unbounded {
            true if self.at_word("of") => None,
            true => {
                self.word_type()?;
                None
            }
            false => Some(self.bounds()?),
        };
        if !self.eat_word("of") {
            return self.unexpected("`of`");
        }
        let start = self.span();
        let element = self.nested(Self::type_expression)?;
        if let TypeKind::Instance(..) = element.kind {
            return self.report(
                Diagnostic::error(start, "arrays of modules are not supported")
                    .help("declare the instances one by one"),
            );
        }
        Ok(match bounds {
            Some((low, high)) => TypeKind::Array(low, high, Box::new(element)),
            None => TypeKind::Unbounded,
        })
    }

    fn bounds(&mut self) -> Result<(Expr, Expr)> {
        let low = self.arithmetic()?;
        self.expect("..")?;
        let high = self.arithmetic()?;
        Ok((low, high))
    }

    fn instance(&mut self, process: bool) -> Result<TypeKind> {
        let name = self.ident("the name of a module")?;
        let mut arguments = Vec::new();
        if self.eat_sign("(") && !self.eat_sign(")") {
            arguments.push(self.expression()?);
            while self.eat_sign(",") {
                arguments.push(self.expression()?);
            }
            self.expect(")")?;
        }
        Ok(TypeKind::Instance(name, arguments, process))
    }

    fn enumeration(&mut self) -> Result<TypeKind> {
        self.expect("{")?;
        let mut values = Vec::new();
        loop {
            let start = self.span();
            let value = match self.word().map(|w| &**w) {
                Some("TRUE") => EnumValue::Truth(true),
                Some("FALSE") => EnumValue::Truth(false),
                Some(_) => EnumValue::Name(self.complex_atom()?.name),
                None => EnumValue::Number(self.integer()?),
            };
            if let EnumValue::Truth(_) = value {
                self.advance();
            }
            values.push((value, start.to(self.previous())));
            if !self.eat_sign(",") {
                break;
            }
        }
        self.expect("}")?;
        Ok(TypeKind::Enumeration(values))
    }
}
