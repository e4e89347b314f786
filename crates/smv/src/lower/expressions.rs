//! Expressions: from the tree to typed values over the variables of the relation.
//!
//! Types are checked as NuSMV checks them. Every definition and every argument of an instance is
//! expanded once; an explicit stack takes them in the order of their dependencies, so that long chains
//! of definitions do not nest, and finds those that depend on themselves.

use std::rc::Rc;

use evenhand_source::{Diagnostic, Span};
use evenhand_system::relation::{BinaryOp, ExprId, Node, Role, UnaryOp, Undefined, VarId, Word};

use super::names::Target;
use super::sets::SetId;
use super::{InstanceId, Lowering, Reported, Result, Symbol, build};
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
    /// Expands every definition, so that unused ones are checked too.
    pub(super) fn define_all(&mut self) {
        for name in self.order.clone() {
            if let Some(Symbol::Define(..)) = self.symbols.get(&name) {
                let _ = self.expand(&name);
            }
        }
    }

    /// The tree behind a name that has one, and where it was written.
    fn body(&self, flat: &str) -> Option<(&'m Expr, InstanceId)> {
        match self.symbols.get(flat) {
            Some(&Symbol::Define(body, context, _) | &Symbol::Parameter(body, context)) => {
                Some((body, context))
            }
            _ => None,
        }
    }

    /// The definitions and arguments that an expression mentions and that are not expanded yet.
    fn missing(&self, expr: &'m Expr, context: InstanceId) -> Vec<String> {
        let mut found = Vec::new();
        let mut open = vec![expr];
        while let Some(expr) = open.pop() {
            let flat = match self.follow(expr, context) {
                Some(Target::Flat(name)) => name,
                Some(Target::Argument(_, _, name)) => name,
                None => {
                    open.extend(expr.operands());
                    continue;
                }
            };
            if self.body(&flat).is_some()
                && !matches!(self.memo.get(&flat), Some(Memo::Done(_) | Memo::Failed))
            {
                found.push(flat);
            }
        }
        found
    }

    /// The value of a definition or an argument.
    fn expand(&mut self, flat: &str) -> Result<Typed> {
        let mut stack = vec![flat.to_string()];
        while let Some(name) = stack.last().cloned() {
            let Some((body, context)) = self.body(&name) else {
                break;
            };
            match self.memo.get(&name) {
                Some(Memo::Done(_) | Memo::Failed) => {
                    stack.pop();
                    continue;
                }
                Some(Memo::Open) => {
                    // What it depends on is expanded now.
                    let result = self.expression(body, context);
                    let memo = result.map_or(Memo::Failed, Memo::Done);
                    self.memo.insert(name, memo);
                    stack.pop();
                    continue;
                }
                None => {}
            }
            self.memo.insert(name.clone(), Memo::Open);
            for part in self.missing(body, context) {
                if let Some(Memo::Open) = self.memo.get(&part) {
                    self.memo.insert(name.clone(), Memo::Failed);
                    let _ = self.circular(&part, &name);
                    continue;
                }
                stack.push(part);
            }
        }
        match self.memo.get(flat) {
            Some(Memo::Done(typed)) => Ok(typed.clone()),
            _ => Err(Reported),
        }
    }

    fn circular(&mut self, part: &str, whole: &str) -> Result<()> {
        let span = |name: &str| match self.symbols.get(name) {
            Some(&Symbol::Define(_, _, span)) => Some(span),
            Some(&Symbol::Parameter(argument, _)) => Some(argument.span),
            _ => None,
        };
        let message = format!("`{part}` is defined by itself");
        let mut diagnostic = match span(part) {
            Some(span) => Diagnostic::error(span, message),
            None => Diagnostic::global(message),
        };
        if let Some(span) = span(whole)
            && whole != part
        {
            diagnostic = diagnostic.label(span, "this depends on it, and it on this");
        }
        self.report(diagnostic)
    }

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
                Ok(self.word_constant(word, constant.value))
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

    fn constant_of(&mut self, typ: Type, value: i64) -> Typed {
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

    /// What a name stands for.
    fn reference(&mut self, expr: &'m Expr, context: InstanceId) -> Result<Typed> {
        let flat = match self.follow(expr, context) {
            Some(Target::Flat(name)) => name,
            Some(Target::Argument(_, _, name)) => return self.expand(&name),
            None => {
                let message = "this is not an instance of a module, so it has no parts";
                return self.error(expr.span, message);
            }
        };
        let span = expr.span;
        match self.symbols.get(&flat) {
            Some(Symbol::Define(..) | Symbol::Parameter(..)) => self.expand(&flat),
            Some(Symbol::Instance(_)) => self.error(
                span,
                format!("`{flat}` is an instance of a module, not a value"),
            ),
            None if flat.is_empty() => {
                self.error(span, "`self` is an instance of a module, not a value")
            }
            Some(Symbol::Declared(..)) => self.report(
                Diagnostic::error(span, "a variable cannot stand in a type")
                    .help("bounds and widths are constants"),
            ),
            Some(Symbol::Running(process)) => {
                let process = *process;
                self.running(process)
            }
            Some(_) => self.variable(&flat, span),
            None => {
                let text = written(expr);
                match text.and_then(|text| self.constants.get(&*text)) {
                    Some(&code) => Ok(self.constant_of(Type::Symbolic, code)),
                    None => self.unknown(span, context, &flat),
                }
            }
        }
    }

    /// The value of a variable, or of an array of variables.
    fn variable(&mut self, flat: &str, span: Span) -> Result<Typed> {
        match self.symbols.get(flat).cloned() {
            Some(Symbol::Variable(id, typ)) => Ok(self.read(id, typ)),
            Some(Symbol::Single(value, typ)) => Ok(self.constant_of(typ, value)),
            Some(Symbol::Array(low, high, element)) => {
                let mut list = Vec::new();
                for index in low..=high {
                    list.push(self.variable(&format!("{flat}[{index}]"), span)?.value);
                }
                Ok(Typed {
                    typ: Type::Array(low, high, Box::new(element)),
                    value: Value::Array(list.into()),
                    has_next: false,
                })
            }
            _ => self.error(span, format!("`{flat}` has no value")),
        }
    }

    fn read(&mut self, id: VarId, typ: Type) -> Typed {
        let pool = &mut self.relation.expressions;
        let expr = pool.current(id);
        match typ {
            // Kept as a signed number with the same bits.
            Type::Word(word) if !word.signed && word.bits == 64 => {
                Typed::new(typ, build::wrap(pool, word, expr))
            }
            _ => Typed::new(typ, expr),
        }
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

    fn array(&mut self, list: &'m [Expr], context: InstanceId, span: Span) -> Result<Typed> {
        let mut values = Vec::new();
        let mut typ: Option<Type> = None;
        let mut has_next = false;
        for element in list {
            let element = self.expression(element, context)?;
            has_next |= element.has_next;
            typ = match typ {
                None => Some(element.typ.clone()),
                Some(known) => match known.common(&element.typ) {
                    Some(common) => Some(common),
                    None => {
                        let message = format!(
                            "the elements of this array have types {known} and {}",
                            element.typ
                        );
                        return self.error(span, message);
                    }
                },
            };
            values.push(element.value);
        }
        let Some(typ) = typ else {
            return self.error(span, "an array cannot be empty");
        };
        Ok(Typed {
            typ: Type::Array(0, values.len() as i64 - 1, Box::new(typ)),
            value: Value::Array(values.into()),
            has_next,
        })
    }

    /// An element of an array at a constant or variable index.
    fn element(&mut self, base: Typed, index: Typed, span: Span) -> Result<Typed> {
        let (Type::Array(low, high, typ), Value::Array(list)) = (&base.typ, &base.value) else {
            return self.report(
                Diagnostic::error(
                    span,
                    format!("a value of type {} has no elements", base.typ),
                )
                .help("for one bit of a word write `w[3:3]`"),
            );
        };
        let at = match (&index.typ, index.scalar()) {
            (Type::Integer | Type::Boolean | Type::Word(_), Some(at)) => at,
            _ => {
                let message = format!("a value of type {} cannot be an index", index.typ);
                return self.error(span, message);
            }
        };
        let has_next = base.has_next || index.has_next;
        let pool = &mut self.relation.expressions;
        if let Some(number) = build::constant(pool, at) {
            let place = usize::try_from(number.saturating_sub(*low)).ok();
            let Some(value) = place.and_then(|place| list.get(place)) else {
                let message = format!("index {number} is outside of {low}..{high}");
                return self.error(span, message);
            };
            return Ok(Typed {
                typ: (**typ).clone(),
                value: value.clone(),
                has_next,
            });
        }
        let Some(shape) = list.first() else {
            return self.error(span, "an array cannot be empty");
        };
        let mut result = self.undefined_like(&shape.clone(), Undefined::Index);
        for (place, value) in list.iter().enumerate().rev() {
            let pool = &mut self.relation.expressions;
            let number = pool.constant(low.saturating_add_unsigned(place as u64));
            let test = build::equal(pool, at, number);
            result = self.pick(test, value, &result);
        }
        Ok(Typed {
            typ: (**typ).clone(),
            value: result,
            has_next,
        })
    }

    fn undefined_like(&mut self, shape: &Value, reason: Undefined) -> Value {
        match shape {
            Value::Scalar(_) => {
                Value::Scalar(build::undefined(&mut self.relation.expressions, reason))
            }
            Value::Set(_) => Value::Set(self.sets.undefined(reason)),
            Value::Array(list) => {
                let list: Vec<Value> = list
                    .iter()
                    .map(|value| self.undefined_like(value, reason))
                    .collect();
                Value::Array(list.into())
            }
        }
    }

    /// One of two values of the same shape.
    fn pick(&mut self, test: ExprId, yes: &Value, no: &Value) -> Value {
        let pool = &mut self.relation.expressions;
        match (yes, no) {
            (Value::Scalar(a), Value::Scalar(b)) => {
                Value::Scalar(build::conditional(pool, test, *a, *b))
            }
            (Value::Array(a), Value::Array(b)) => {
                let list: Vec<Value> = a
                    .iter()
                    .zip(b.iter())
                    .map(|(a, b)| self.pick(test, a, b))
                    .collect();
                Value::Array(list.into())
            }
            (a, b) => match (build::constant(pool, test), self.set_of(a), self.set_of(b)) {
                (Some(0), _, Some(b)) => Value::Set(b),
                (Some(_), Some(a), _) => Value::Set(a),
                (_, Some(a), Some(b)) => Value::Set(self.sets.choose(test, a, b)),
                _ => a.clone(),
            },
        }
    }

    /// A value as a set.
    pub(super) fn set_of(&mut self, value: &Value) -> Option<SetId> {
        match value {
            Value::Scalar(expr) => Some(self.sets.one(*expr)),
            Value::Set(set) => Some(*set),
            Value::Array(_) => None,
        }
    }

    /// A value as a set of a type. Among names and numbers truth values are names of their own:
    /// `TRUE` is not 1.
    pub(super) fn set_for(&mut self, typed: &Typed, typ: Option<&Type>) -> Option<SetId> {
        let set = self.set_of(&typed.value)?;
        let truth = matches!(typed.typ, Type::Boolean | Type::BooleanSet);
        if !truth || typ != Some(&Type::MixedSet) {
            return Some(set);
        }
        let (yes, no) = (
            self.constant(&"TRUE".into()),
            self.constant(&"FALSE".into()),
        );
        let pool = &mut self.relation.expressions;
        let (yes, no) = (pool.constant(yes), pool.constant(no));
        let mut name = |expr: ExprId| build::conditional(pool, expr, yes, no);
        Some(self.sets.map(set, &mut name, &mut |test| test))
    }

    fn case(&mut self, branches: Vec<(Typed, Typed)>, span: Span) -> Result<Typed> {
        let mut result: Option<Typed> = None;
        for (test, value) in branches.into_iter().rev() {
            let rest = match result {
                Some(rest) => rest,
                None => Typed {
                    typ: value.typ.clone(),
                    value: self.undefined_like(&value.value.clone(), Undefined::NoCase),
                    has_next: false,
                },
            };
            result = Some(self.choose(test, value, rest, span)?);
        }
        result.map_or_else(|| self.error(span, "a `case` needs a branch"), Ok)
    }

    fn choose(&mut self, test: Typed, yes: Typed, no: Typed, span: Span) -> Result<Typed> {
        let set = yes.typ.is_set() || no.typ.is_set();
        let as_set = |typ: &Type| match set {
            true => typ.to_set(),
            false => Some(typ.clone()),
        };
        let common = as_set(&yes.typ)
            .zip(as_set(&no.typ))
            .and_then(|(a, b)| a.common(&b));
        let (Some(typ), Some(condition)) = (common, test.scalar()) else {
            let (a, b) = (&yes.typ, &no.typ);
            let message = format!("the branches have types {a} and {b}, which do not mix");
            return self.error(span, message);
        };
        let has_next = test.has_next || yes.has_next || no.has_next;
        let value = match typ {
            Type::MixedSet => {
                let sets = self
                    .set_for(&yes, Some(&typ))
                    .zip(self.set_for(&no, Some(&typ)));
                let Some((yes, no)) = sets else {
                    return self.error(span, "arrays cannot be elements of a set");
                };
                self.pick(condition, &Value::Set(yes), &Value::Set(no))
            }
            _ => self.pick(condition, &yes.value, &no.value),
        };
        Ok(Typed {
            typ,
            value,
            has_next,
        })
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
            (Type::Word(_), Type::Word(_)) => {
                diagnostic = diagnostic
                    .help("both words must have the same width and sign: see `resize`, `signed`, `unsigned`");
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

    pub(super) fn union(&mut self, a: Typed, b: Typed, span: Span) -> Result<Typed> {
        let typ = a.typ.to_set().zip(b.typ.to_set());
        let typ = typ.and_then(|(x, y)| x.common(&y));
        let sets = self
            .set_for(&a, typ.as_ref())
            .zip(self.set_for(&b, typ.as_ref()));
        let (Some(typ), Some((x, y))) = (typ, sets) else {
            return self.mismatch("union", &a, &b, span);
        };
        Ok(Typed {
            typ,
            value: Value::Set(self.sets.union(x, y)),
            has_next: a.has_next || b.has_next,
        })
    }

    fn negation(&mut self, operand: Typed, span: Span) -> Result<Typed> {
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

/// The text of a path, as constants with dots are written.
fn written(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name.to_string()),
        ExprKind::Dot(base, name) => Some(format!("{}.{name}", written(base)?)),
        _ => None,
    }
}
