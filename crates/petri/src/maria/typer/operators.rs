//! Operators on numbers, truth values and buffers.

use evenhand_source::{Diagnostic, Span};

use super::{Typed, Typer, several};
use crate::maria::code::{Arithmetic, Comparison, Expr, Op};
use crate::maria::syntax::{Ast, Form};
use crate::maria::types::{Kind, Leaf, TypeId, Types};

impl Typer<'_> {
    pub(super) fn unary(
        &mut self,
        sign: &str,
        inside: &Ast,
        hint: Option<TypeId>,
        span: Span,
    ) -> Typed<Expr> {
        let types = self.types();
        let make = |ty: TypeId, op: Op| Ok(Expr::new(ty, op, span));
        match sign {
            "!" => {
                let inside = self.truth(inside)?;
                make(Types::TRUTH, Op::Not(Box::new(inside)))
            }
            "~" => {
                let inside = self.number_in(inside, hint)?;
                make(
                    self.arithmetic_type(&inside, None),
                    Op::Complement(Box::new(inside)),
                )
            }
            "+" | "|" => {
                let inside = self.infer(inside, hint)?;
                if !types.get(inside.ty).ordered {
                    let message = "values of identifiers have no order";
                    return Err(Diagnostic::error(span, message));
                }
                let (ty, inside) = (inside.ty, Box::new(inside));
                match sign {
                    "+" => make(ty, Op::Next(inside)),
                    _ => make(ty, Op::Previous(inside)),
                }
            }
            "-" => {
                if let Form::Number(number) = inside.kind {
                    let ty = self.number_type(-number, hint);
                    return make(ty, Op::Number(-number));
                }
                let (buffer, index) = self.buffer_place(inside, hint)?;
                if let Kind::Buffer { .. } = types.kind(buffer.ty) {
                    let (ty, buffer) = (buffer.ty, Box::new(buffer));
                    let count = None;
                    return make(
                        ty,
                        Op::Remove {
                            buffer,
                            index,
                            count,
                        },
                    );
                }
                self.check_number(&buffer)?;
                let ty = self.arithmetic_type(&buffer, None);
                make(ty, Op::Negate(Box::new(buffer)))
            }
            _ => {
                let (buffer, index) = self.buffer_place(inside, None)?;
                let Kind::Buffer { element, .. } = types.kind(buffer.ty) else {
                    let found = types.called(buffer.ty);
                    let message = format!("a queue or a stack is expected, this is {found}");
                    return Err(Diagnostic::error(buffer.span, message));
                };
                let buffer = Box::new(buffer);
                match sign {
                    "*" => make(*element, Op::Peek(buffer, index)),
                    "/" => make(Types::UNSIGNED, Op::Used(buffer)),
                    _ => make(Types::UNSIGNED, Op::Free(buffer)),
                }
            }
        }
    }

    /// A value; of a buffer with an index behind it the buffer, and the index.
    pub(super) fn buffer_place(
        &mut self,
        ast: &Ast,
        hint: Option<TypeId>,
    ) -> Typed<(Expr, Option<Box<Expr>>)> {
        if let Form::Index(buffer, index) = &ast.kind
            && self.is_buffer(buffer)
        {
            let buffer = self.infer(buffer, None)?;
            let index = self.value(index, Types::UNSIGNED)?;
            return Ok((buffer, Some(Box::new(index))));
        }
        Ok((self.infer(ast, hint)?, None))
    }

    pub(super) fn is_number(&self, ty: TypeId) -> bool {
        let kind = self.types().kind(ty);
        matches!(
            kind,
            Kind::Leaf(
                Leaf::Signed | Leaf::Unsigned | Leaf::Enum(_) | Leaf::Character,
                _
            )
        )
    }

    pub(super) fn check_number(&self, expr: &Expr) -> Typed<()> {
        if self.is_number(expr.ty) || matches!(expr.op, Op::Undefined) {
            return Ok(());
        }
        let found = self.types().called(expr.ty);
        let message = format!("a number is expected, this is a value of type {found}");
        Err(Diagnostic::error(expr.span, message))
    }

    pub(super) fn number_in(&mut self, ast: &Ast, hint: Option<TypeId>) -> Typed<Expr> {
        let expr = self.infer(ast, hint)?;
        self.check_number(&expr)?;
        Ok(expr)
    }

    pub(super) fn arithmetic_type(&self, a: &Expr, b: Option<&Expr>) -> TypeId {
        let signed =
            |expr: &Expr| matches!(self.types().kind(expr.ty), Kind::Leaf(Leaf::Signed, _));
        match signed(a) || b.is_some_and(signed) {
            true => Types::SIGNED,
            false => Types::UNSIGNED,
        }
    }

    pub(super) fn binary(
        &mut self,
        sign: &'static str,
        a: &Ast,
        b: &Ast,
        span: Span,
    ) -> Typed<Expr> {
        let make = |ty: TypeId, op: Op| Ok(Expr::new(ty, op, span));
        let comparison = match sign {
            "==" => Some(Comparison::Equal),
            "!=" => Some(Comparison::Different),
            "<" => Some(Comparison::Less),
            "<=" => Some(Comparison::AtMost),
            ">" => Some(Comparison::More),
            ">=" => Some(Comparison::AtLeast),
            _ => None,
        };
        if let Some(comparison) = comparison {
            return self.comparison(comparison, a, b, span);
        }
        match sign {
            "=>" => {
                let (a, b) = (self.truth(a)?, self.truth(b)?);
                let span = a.span;
                let not = Expr::new(Types::TRUTH, Op::Not(Box::new(a)), span);
                make(Types::TRUTH, Op::Or(vec![not, b]))
            }
            "<=>" | "^^" => {
                let (a, b) = (self.truth(a)?, self.truth(b)?);
                let same = Expr::new(Types::TRUTH, Op::Same(Box::new(a), Box::new(b)), span);
                match sign {
                    "<=>" => Ok(same),
                    _ => make(Types::TRUTH, Op::Not(Box::new(same))),
                }
            }
            "equals" | "subset" => {
                let (a, b) = self.two_bags(a, b, None)?;
                let (a, b) = (Box::new(a), Box::new(b));
                match sign {
                    "equals" => make(Types::TRUTH, Op::Equal(a, b)),
                    _ => make(Types::TRUTH, Op::Within(a, b)),
                }
            }
            "#" | "union" | "minus" | "intersect" => Err(several(span)),
            "until" | "release" => {
                let message = "a temporal operator may stand in formulas alone";
                Err(Diagnostic::error(span, message))
            }
            _ => self.arithmetic(sign, a, b, span),
        }
    }

    pub(super) fn comparison(
        &mut self,
        comparison: Comparison,
        a: &Ast,
        b: &Ast,
        span: Span,
    ) -> Typed<Expr> {
        let types = self.types();
        let (own, other) = (self.guess(a), self.guess(b));
        let (mut left, mut right);
        if own.is_none() && other.is_some() {
            right = self.infer(b, None)?;
            left = self.infer(a, Some(right.ty))?;
        } else {
            left = self.infer(a, own)?;
            right = self.infer(b, Some(left.ty))?;
        }
        let is_leaf = |ty: TypeId| matches!(types.kind(ty), Kind::Leaf(..));
        let both_leaves =
            is_leaf(left.ty) && is_leaf(right.ty) && types.same_form(left.ty, right.ty);
        if !both_leaves && left.ty != right.ty {
            if types.converts(right.ty, left.ty) {
                right = self.coerce(right, left.ty)?;
            } else {
                left = self.coerce(left, right.ty)?;
            }
        }
        let by_order = !matches!(comparison, Comparison::Equal | Comparison::Different);
        if by_order && !types.get(left.ty).ordered {
            let message = "values of identifiers have no order";
            return Err(Diagnostic::error(span, message));
        }
        let op = Op::Compare(comparison, Box::new(left), Box::new(right));
        Ok(Expr::new(Types::TRUTH, op, span))
    }

    pub(super) fn arithmetic(&mut self, sign: &str, a: &Ast, b: &Ast, span: Span) -> Typed<Expr> {
        let types = self.types();
        let own = self.guess(a);
        let hint = match own {
            None => self.guess(b).filter(|&ty| self.is_number(ty)),
            own => own,
        };
        let (left, index) = match sign {
            "+" | "-" => self.buffer_place(a, hint)?,
            _ => (self.infer(a, hint)?, None),
        };
        match (types.kind(left.ty), sign) {
            (Kind::Buffer { element, .. }, "+") => {
                let item = Box::new(self.value(b, *element)?);
                let (ty, buffer) = (left.ty, Box::new(left));
                let op = Op::Insert {
                    buffer,
                    index,
                    item,
                };
                return Ok(Expr::new(ty, op, span));
            }
            (Kind::Buffer { .. }, "-") => {
                let count = Some(Box::new(self.value(b, Types::UNSIGNED)?));
                let (ty, buffer) = (left.ty, Box::new(left));
                let op = Op::Remove {
                    buffer,
                    index,
                    count,
                };
                return Ok(Expr::new(ty, op, span));
            }
            (Kind::Array { .. }, "<<" | ">>") => {
                let by = self.number_in(b, None)?;
                let (ty, array, by) = (left.ty, Box::new(left), Box::new(by));
                let up = sign == ">>";
                return Ok(Expr::new(ty, Op::Rotate { array, by, up }, span));
            }
            _ => {}
        }
        self.check_number(&left)?;
        let right = self.number_in(b, Some(left.ty))?;
        let ty = self.arithmetic_type(&left, Some(&right));
        let operator = match sign {
            "+" => Arithmetic::Add,
            "-" => Arithmetic::Subtract,
            "*" => Arithmetic::Multiply,
            "/" => Arithmetic::Divide,
            "%" => Arithmetic::Remainder,
            "&" => Arithmetic::And,
            "|" => Arithmetic::Or,
            "^" => Arithmetic::Xor,
            "<<" => Arithmetic::Left,
            _ => Arithmetic::Right,
        };
        let op = Op::Arithmetic(operator, Box::new(left), Box::new(right));
        Ok(Expr::new(ty, op, span))
    }
}
