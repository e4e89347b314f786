//! Expressions: from the tree to typed values over the variables of the relation.
//!
//! Types are checked as NuSMV checks them. This file has the tree walk and what is not elsewhere:
//! names are in `definitions.rs`, choices, sets and arrays in `choices.rs`, operators on two
//! operands in `words.rs`.

use std::rc::Rc;

use evenhand_source::{Diagnostic, Span};
use evenhand_system::relation::{BinaryOp, ExprId, Node, Role, UnaryOp, VarId, Word};

use super::sets::SetId;
use super::wide_words::{NARROW, is_wide};
use super::{InstanceId, Lowering, Result, build};
use crate::ast::{Expr, ExprKind, Function, Operator};
use crate::types::Type;

/// How deep expressions may nest with what their names stand for.
const MAX_DEPTH: u32 = 600;

/// A value with its type.
#[derive(Clone, Debug)]
pub(super) struct Typed {
    pub typ: Type,
    pub value: Value,
    /// Whether it mentions the next state.
    pub has_next: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Value {
    Scalar(ExprId),
    Set(SetId),
    /// A word of more than 64 bits: its limbs, the lowest first.
    Wide(Rc<[ExprId]>),
    Array(Rc<[Value]>),
}

/// What is known about a definition or an argument.
#[derive(Clone, Debug)]
pub(super) enum Memo {
    Open,
    Done(Typed),
    Failed,
}

impl Typed {
    pub fn new(typ: Type, expr: ExprId) -> Typed {
        Typed {
            typ,
            value: Value::Scalar(expr),
            has_next: false,
        }
    }

    pub fn scalar(&self) -> Option<ExprId> {
        match self.value {
            Value::Scalar(expr) => Some(expr),
            _ => None,
        }
    }
}

impl<'m> Lowering<'m> {
    /// The typed value of an expression.
    pub(super) fn expression(&mut self, expr: &'m Expr, context: InstanceId) -> Result<Typed> {
        if self.depth >= MAX_DEPTH {
            return self.error(expr.span, "this nests too deeply");
        }
        self.depth += 1;
        let result = self.expression_inner(expr, context);
        self.depth -= 1;
        result
    }

    fn expression_inner(&mut self, expr: &'m Expr, context: InstanceId) -> Result<Typed> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Truth(value) => Ok(self.constant_of(Type::Boolean, i64::from(*value))),
            ExprKind::Number(value) => Ok(self.constant_of(Type::Integer, *value)),
            ExprKind::Word(constant) => {
                let word = Word {
                    signed: constant.signed,
                    bits: constant.bits,
                };
                Ok(match word.bits > NARROW {
                    true => self.wide_constant(word, |bit| constant.bit(bit)),
                    false => self.word_constant(word, constant.value()),
                })
            }
            ExprKind::Name(_) | ExprKind::Itself | ExprKind::Dot(..) => {
                self.reference(expr, context)
            }
            ExprKind::Index(base, index) => match self.follow(expr, context) {
                Some(_) => self.reference(expr, context),
                None => {
                    let base = self.expression(base, context)?;
                    let at = self.expression(index, context)?;
                    self.element(base, at, span)
                }
            },
            ExprKind::Bits(word, high, low) => {
                let word = self.expression(word, context)?;
                let (high, low) = (self.number(high, context)?, self.number(low, context)?);
                self.select_bits(word, high, low, span)
            }
            ExprKind::Not(operand) => {
                let operand = self.expression(operand, context)?;
                self.negation(operand, span)
            }
            ExprKind::Negative(operand) => {
                let operand = self.expression(operand, context)?;
                self.negative(operand, span)
            }
            ExprKind::Next(operand) => {
                let operand = self.expression(operand, context)?;
                self.next_of(operand, span)
            }
            ExprKind::Call(function, list) => self.call(*function, list, context, span),
            ExprKind::Case(list) => {
                let mut branches = Vec::with_capacity(list.len());
                for (condition, value) in list {
                    let test = self.condition(condition, context)?;
                    branches.push((test, self.expression(value, context)?));
                }
                self.case(branches, span)
            }
            ExprKind::Conditional(test, yes, no) => {
                let test = self.condition(test, context)?;
                let (yes, no) = (
                    self.expression(yes, context)?,
                    self.expression(no, context)?,
                );
                self.choose(test, yes, no, span)
            }
            ExprKind::Chain(first, rest) => {
                let mut left = self.expression(first, context)?;
                for (operator, right) in rest {
                    let right = self.expression(right, context)?;
                    left = self.binary(*operator, left, right, span)?;
                }
                Ok(left)
            }
            ExprKind::Implies(left, right) => {
                let (left, right) = (
                    self.expression(left, context)?,
                    self.expression(right, context)?,
                );
                self.implication(left, right, span)
            }
            ExprKind::Set(list) => {
                let mut all: Option<Typed> = None;
                for element in list {
                    let element = self.expression(element, context)?;
                    all = Some(match all {
                        None => element,
                        Some(set) => self.union(set, element, span)?,
                    });
                }
                all.map_or_else(|| self.error(span, "a set cannot be empty"), Ok)
            }
            ExprKind::Range(low, high) => {
                let (low, high) = (self.number(low, context)?, self.number(high, context)?);
                if low > high {
                    return self.error(span, format!("{low}..{high} has no elements"));
                }
                Ok(Typed {
                    typ: Type::IntegerSet,
                    value: Value::Set(self.sets.range(low, high)),
                    has_next: false,
                })
            }
            ExprKind::Array(list) => self.array(list, context, span),
            ExprKind::Temporal(..)
            | ExprKind::Path(..)
            | ExprKind::BoundedPath(..)
            | ExprKind::BoundedUntil(..) => self.report(
                Diagnostic::error(span, "a temporal operator cannot stand here")
                    .help("temporal operators belong into properties, outside of all comparisons"),
            ),
        }
    }

    pub(super) fn constant_of(&mut self, typ: Type, value: i64) -> Typed {
        Typed::new(typ, self.relation.expressions.constant(value))
    }

    /// An expression that must be a truth value.
    pub(super) fn condition(&mut self, expr: &'m Expr, context: InstanceId) -> Result<Typed> {
        let typed = self.expression(expr, context)?;
        self.require_boolean(typed, expr.span)
    }

    pub(super) fn require_boolean(&mut self, typed: Typed, span: Span) -> Result<Typed> {
        if typed.typ == Type::Boolean {
            return Ok(typed);
        }
        let mut diagnostic = Diagnostic::error(
            span,
            format!("this must be a boolean, but it is of type {}", typed.typ),
        );
        if let Some(expr) = typed.scalar()
            && let Some(value @ (0 | 1)) = build::constant(&self.relation.expressions, expr)
        {
            let word = if value == 1 { "TRUE" } else { "FALSE" };
            diagnostic = diagnostic.help(format!("write `{word}`: numbers are no truth values"));
        }
        self.report(diagnostic)
    }

    /// The same in the next state.
    fn next_of(&mut self, typed: Typed, span: Span) -> Result<Typed> {
        if typed.has_next {
            return self.error(span, "`next` cannot stand inside of `next`");
        }
        let value = self.prime(&typed.value, span)?;
        Ok(Typed {
            has_next: true,
            value,
            ..typed
        })
    }

    fn prime(&mut self, value: &Value, span: Span) -> Result<Value> {
        Ok(match value {
            Value::Scalar(expr) => {
                if self.reads_inputs(*expr) {
                    let message = "an input belongs to a step: it has no next value";
                    return self.error(span, message);
                }
                Value::Scalar(self.relation.expressions.primed(*expr))
            }
            Value::Set(set) => {
                let pool = std::cell::RefCell::new(&mut self.relation.expressions);
                let mut prime = |expr: ExprId| pool.borrow_mut().primed(expr);
                let mut also = |expr: ExprId| pool.borrow_mut().primed(expr);
                Value::Set(self.sets.map(*set, &mut prime, &mut also))
            }
            Value::Wide(row) => {
                let limb = |expr: &ExprId| match self.prime(&Value::Scalar(*expr), span)? {
                    Value::Scalar(expr) => Ok(expr),
                    _ => Ok(*expr),
                };
                let row: Result<Vec<ExprId>> = row.iter().map(limb).collect();
                Value::Wide(row?.into())
            }
            Value::Array(list) => {
                let list: Result<Vec<Value>> = list.iter().map(|v| self.prime(v, span)).collect();
                Value::Array(list?.into())
            }
        })
    }

    pub(super) fn reads_inputs(&self, expr: ExprId) -> bool {
        let (current, _) = self.relation.expressions.support(expr);
        let role = |id: VarId| self.relation.variables[id.0 as usize].role;
        current.into_iter().any(|id| role(id) == Role::Input)
    }

    pub(super) fn mismatch<T>(
        &mut self,
        sign: &str,
        a: &Typed,
        b: &Typed,
        span: Span,
    ) -> Result<T> {
        let message = format!("`{sign}` cannot be applied to {} and {}", a.typ, b.typ);
        let mut diagnostic = Diagnostic::error(span, message);
        match (&a.typ, &b.typ) {
            (Type::Boolean, Type::Integer) | (Type::Integer, Type::Boolean) => {
                diagnostic = diagnostic
                    .help("truth values are `TRUE` and `FALSE`; `toint` makes them numbers");
            }
            (Type::Word(_), Type::Word(_)) if sign == "union" => {
                diagnostic = diagnostic.help(
                    "sets have truth values, numbers or symbols: for words write `w = a | w = b`, \
                     after `init` and `next` in `INIT` and `TRANS`",
                );
            }
            (Type::Word(_), Type::Word(_)) => {
                diagnostic = diagnostic.help(
                    "both words must have the same width and sign: see `resize`, `signed`, \
                     `unsigned`",
                );
            }
            (Type::Word(_), Type::Integer) | (Type::Integer, Type::Word(_)) => {
                diagnostic = diagnostic.help(
                    "write the number as a word such as `0ud8_5`, or use `toint` on the word",
                );
            }
            _ if a.typ.is_set() || b.typ.is_set() => {
                diagnostic = diagnostic.help("use `in` to ask whether a value is in a set");
            }
            _ => {}
        }
        self.report(diagnostic)
    }

    fn negation(&mut self, operand: Typed, span: Span) -> Result<Typed> {
        if is_wide(&operand.typ)
            && let Some(flipped) = self.wide_complement(&operand)
        {
            return Ok(flipped);
        }
        let pool = &mut self.relation.expressions;
        match (&operand.typ, operand.scalar()) {
            (Type::Boolean, Some(expr)) => Ok(Typed {
                value: Value::Scalar(build::not(pool, expr)),
                ..operand
            }),
            (Type::Word(word), Some(expr)) => {
                let flipped = build::add(pool, Node::Unary(UnaryOp::Complement, expr));
                Ok(Typed {
                    value: Value::Scalar(build::wrap(pool, *word, flipped)),
                    ..operand
                })
            }
            _ => {
                let typ = &operand.typ;
                let message = format!("`!` needs a boolean or a word, but this is of type {typ}");
                self.error(span, message)
            }
        }
    }

    fn negative(&mut self, operand: Typed, span: Span) -> Result<Typed> {
        if is_wide(&operand.typ)
            && let Some(negative) = self.wide_negative(&operand)
        {
            return Ok(negative);
        }
        let pool = &mut self.relation.expressions;
        match (&operand.typ, operand.scalar()) {
            (typ @ (Type::Integer | Type::Word(_)), Some(expr)) => {
                let mut value = build::add(pool, Node::Unary(UnaryOp::Neg, expr));
                if let Type::Word(word) = typ {
                    value = build::wrap(pool, *word, value);
                }
                Ok(Typed {
                    value: Value::Scalar(value),
                    ..operand
                })
            }
            _ => {
                let typ = &operand.typ;
                let message = format!("`-` needs a number or a word, but this is of type {typ}");
                self.error(span, message)
            }
        }
    }

    pub(super) fn scalar_result(typ: Type, expr: ExprId, a: &Typed, b: &Typed) -> Typed {
        Typed {
            typ,
            value: Value::Scalar(expr),
            has_next: a.has_next || b.has_next,
        }
    }

    fn implication(&mut self, a: Typed, b: Typed, span: Span) -> Result<Typed> {
        if is_wide(&a.typ) && a.typ == b.typ {
            let not = self.negation(a, span)?;
            return self.binary(Operator::Or, not, b, span);
        }
        let (Some(x), Some(y)) = (a.scalar(), b.scalar()) else {
            return self.mismatch("->", &a, &b, span);
        };
        match (&a.typ, &b.typ) {
            (Type::Boolean, Type::Boolean) => {
                let pool = &mut self.relation.expressions;
                let expr = build::binary(pool, BinaryOp::Implies, x, y);
                Ok(Self::scalar_result(Type::Boolean, expr, &a, &b))
            }
            (Type::Word(_), Type::Word(_)) if a.typ == b.typ => {
                let not = self.negation(a, span)?;
                self.binary(Operator::Or, not, b, span)
            }
            _ => self.mismatch("->", &a, &b, span),
        }
    }

    fn call(
        &mut self,
        function: Function,
        list: &'m [Expr],
        context: InstanceId,
        span: Span,
    ) -> Result<Typed> {
        let Some(first) = list.first() else {
            return self.error(span, "this function needs arguments");
        };
        if let Function::Uwconst | Function::Swconst = function {
            let signed = function == Function::Swconst;
            let Some(width) = list.get(1) else {
                return self.error(span, "this function needs two arguments");
            };
            let (value, bits) = (self.number(first, context)?, self.number(width, context)?);
            return self.made_word(signed, value, bits, span);
        }
        if function == Function::Count {
            return self.count(list, context);
        }
        let a = self.expression(first, context)?;
        let Some(second) = list.get(1) else {
            return self.unary_call(function, a, span);
        };
        match function {
            Function::Extend | Function::Resize => {
                let bits = self.number(second, context)?;
                self.resized(function == Function::Extend, a, bits, span)
            }
            _ => {
                let b = self.expression(second, context)?;
                let less = self.binary(Operator::Less, a.clone(), b.clone(), span)?;
                match function {
                    Function::Min => self.choose(less, a, b, span),
                    _ => self.choose(less, b, a, span),
                }
            }
        }
    }

    fn count(&mut self, list: &'m [Expr], context: InstanceId) -> Result<Typed> {
        let mut sum = self.constant_of(Type::Integer, 0);
        for expr in list {
            let typed = self.condition(expr, context)?;
            let (Some(a), Some(b)) = (sum.scalar(), typed.scalar()) else {
                continue;
            };
            let pool = &mut self.relation.expressions;
            let value = build::binary(pool, BinaryOp::Add, a, b);
            sum = Self::scalar_result(Type::Integer, value, &sum, &typed);
        }
        Ok(sum)
    }
}
