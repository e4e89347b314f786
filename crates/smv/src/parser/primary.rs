//! Primaries: constants, names with what follows them, calls, `case`, sets, parentheses.

use evenhand_source::Diagnostic;

use super::{Parser, Result};
use crate::ast::{Expr, ExprKind, Function};
use crate::token::TokenKind;

impl Parser<'_> {
    /// A primary with what follows it: `.name`, `[index]`, `[high:low]`.
    pub(super) fn postfix(&mut self) -> Result<Expr> {
        let start = self.span();
        let mut expr = self.nested(Self::primary)?;
        for depth in 0.. {
            self.limit(depth)?;
            let kind = if self.eat_sign(".") {
                let is_path = matches!(
                    expr.kind,
                    ExprKind::Name(_) | ExprKind::Dot(..) | ExprKind::Index(..) | ExprKind::Itself
                );
                if !is_path {
                    let message = "only an instance of a module has parts";
                    return self.report(Diagnostic::error(start, message));
                }
                ExprKind::Dot(Box::new(expr), self.part_name()?)
            } else if self.eat_sign("[") {
                let index = Box::new(self.expression()?);
                if self.eat_sign(":") {
                    let low = Box::new(self.expression()?);
                    self.expect("]")?;
                    ExprKind::Bits(Box::new(expr), index, low)
                } else {
                    self.expect("]")?;
                    ExprKind::Index(Box::new(expr), index)
                }
            } else if self.at_sign("(") {
                return self.report(
                    Diagnostic::error(self.span(), "functions are not supported")
                        .help("if this is a new section, a `;` or an operator may be missing"),
                );
            } else {
                return Ok(expr);
            };
            expr = Expr::new(kind, start.to(self.previous()));
        }
        Ok(expr)
    }

    fn primary(&mut self) -> Result<Expr> {
        let start = self.span();
        let kind = match self.kind() {
            TokenKind::Number(value) => {
                self.advance();
                ExprKind::Number(*value)
            }
            TokenKind::WordNumber(constant) => {
                self.advance();
                ExprKind::Word(constant.clone())
            }
            TokenKind::Real => {
                let message = "real numbers are not supported";
                return self.report(Diagnostic::error(start, message).help(
                    "the finite-state language has booleans, enumerations, ranges and words",
                ));
            }
            TokenKind::Sign("(") => {
                self.advance();
                let inner = self.expression()?;
                self.expect(")")?;
                return Ok(Expr::new(inner.kind, start.to(self.previous())));
            }
            TokenKind::Sign("{") => {
                self.advance();
                let mut list = vec![self.expression()?];
                while self.eat_sign(",") {
                    list.push(self.expression()?);
                }
                self.expect("}")?;
                ExprKind::Set(list)
            }
            TokenKind::Sign("!") => {
                self.advance();
                ExprKind::Not(Box::new(self.postfix()?))
            }
            TokenKind::Sign("-") => {
                self.advance();
                ExprKind::Negative(Box::new(self.postfix()?))
            }
            TokenKind::Sign("+") if matches!(self.ahead(1).kind, TokenKind::Number(_)) => {
                self.advance();
                return self.primary();
            }
            TokenKind::Word(word) => return self.word_expression(word),
            _ => return self.unexpected("an expression"),
        };
        Ok(Expr::new(kind, start.to(self.previous())))
    }

    fn word_expression(&mut self, word: &str) -> Result<Expr> {
        let start = self.span();
        let kind = match word {
            "TRUE" | "FALSE" => {
                self.advance();
                ExprKind::Truth(word == "TRUE")
            }
            "self" => {
                self.advance();
                ExprKind::Itself
            }
            "case" => self.case()?,
            "next" => {
                self.advance();
                self.expect("(")?;
                let inner = self.expression()?;
                self.expect(")")?;
                ExprKind::Next(Box::new(inner))
            }
            _ => match function(word) {
                Some((function, least, most)) => self.call(word, function, least, most)?,
                None => ExprKind::Name(self.name("an expression")?),
            },
        };
        Ok(Expr::new(kind, start.to(self.previous())))
    }

    pub(super) fn case(&mut self) -> Result<ExprKind> {
        self.advance();
        let mut list = Vec::new();
        loop {
            let condition = self.expression()?;
            self.expect(":")?;
            let value = self.expression()?;
            self.expect(";")?;
            list.push((condition, value));
            if self.eat_word("esac") {
                return Ok(ExprKind::Case(list));
            }
        }
    }

    fn call(
        &mut self,
        word: &str,
        function: Function,
        least: usize,
        most: usize,
    ) -> Result<ExprKind> {
        let start = self.span();
        self.advance();
        if function == Function::Unbounded {
            return self.report(
                Diagnostic::error(start, "arrays without fixed bounds are not supported")
                    .help("declare an array with bounds: `array 0..7 of boolean`"),
            );
        }
        self.expect("(")?;
        let mut list = vec![self.expression()?];
        while self.eat_sign(",") {
            list.push(self.expression()?);
        }
        self.expect(")")?;
        if list.len() < least || list.len() > most {
            let message = format!("`{word}` has {least} arguments, not {}", list.len());
            return self.report(Diagnostic::error(start, message));
        }
        Ok(ExprKind::Call(function, list))
    }

    /// `[a, b]` or `[[a, b], [c, d]]`.
    pub(super) fn array_literal(&mut self) -> Result<Expr> {
        let start = self.span();
        self.expect("[")?;
        let mut list = Vec::new();
        loop {
            list.push(match self.at_sign("[") {
                true => self.nested(Self::array_literal)?,
                false => self.expression()?,
            });
            if !self.eat_sign(",") {
                break;
            }
        }
        self.expect("]")?;
        Ok(Expr::new(ExprKind::Array(list), start.to(self.previous())))
    }
}

/// A built-in function with the least and the greatest number of its arguments.
fn function(word: &str) -> Option<(Function, usize, usize)> {
    Some(match word {
        "bool" => (Function::Bool, 1, 1),
        "word1" => (Function::Word1, 1, 1),
        "toint" => (Function::Toint, 1, 1),
        "signed" => (Function::Signed, 1, 1),
        "unsigned" => (Function::Unsigned, 1, 1),
        "extend" => (Function::Extend, 2, 2),
        "resize" => (Function::Resize, 2, 2),
        "sizeof" => (Function::Sizeof, 1, 1),
        "uwconst" => (Function::Uwconst, 2, 2),
        "swconst" => (Function::Swconst, 2, 2),
        "abs" => (Function::Abs, 1, 1),
        "min" => (Function::Min, 2, 2),
        "max" => (Function::Max, 2, 2),
        "count" => (Function::Count, 1, usize::MAX),
        "READ" | "WRITE" | "CONSTARRAY" => (Function::Unbounded, 0, 0),
        _ => return None,
    })
}
