//! From syntax to expressions with types.
//!
//! What a name or a pair of braces means depends on the type that is expected where it stands, so a type is handed
//! down as a hint, and the expression that comes up says which type it has. Where two operands belong
//! together, the one that has a type of its own gives the hint for the other. Functions are replaced by what they
//! stand for.

mod guess;
mod multisets;
mod operators;
mod structure;

use std::sync::Arc;

use evenhand_source::{Diagnostic, Span, spend};

use crate::maria::code::{Counter, Expr, Measure, Op, Part};
use crate::maria::machine::{Machine, NoMarking};
use crate::maria::scope::{Declarations, Frame, Function, Scope, Variable, missing};
use crate::maria::syntax::{Ast, Form, Name, Quantifier};
use crate::maria::types::{Kind, Leaf, TypeId, Types};

/// How many values a quantifier may go through.
pub(crate) const MOST_VALUES: u128 = 1 << 20;
/// How many expressions functions may be replaced by, in one place.
const MOST_MADE: usize = 1 << 18;
/// How deep functions may stand in each other.
const DEEPEST: usize = 60;
/// How deep expressions may stand in each other when functions are replaced by what they stand for, and how
/// many parts an argument may have.
const DEEPEST_MADE: usize = 300;

type Typed<T> = Result<T, Diagnostic>;

/// Gives meaning to expressions.
pub(crate) struct Typer<'d> {
    pub known: &'d Declarations,
    pub scope: Scope,
}

impl<'d> Typer<'d> {
    pub fn new(known: &'d Declarations) -> Typer<'d> {
        let scope = Scope::default();
        Typer { known, scope }
    }

    fn types(&self) -> &'d Types {
        &self.known.types
    }

    /// An expression of a type.
    pub fn value(&mut self, ast: &Ast, ty: TypeId) -> Typed<Expr> {
        let expr = self.infer(ast, Some(ty))?;
        self.coerce(expr, ty)
    }

    /// A condition.
    pub fn truth(&mut self, ast: &Ast) -> Typed<Expr> {
        self.value(ast, Types::TRUTH)
    }

    /// The value of an expression without variables.
    pub fn constant(&mut self, ast: &Ast, ty: TypeId) -> Typed<Box<[i64]>> {
        let expr = self.value(ast, ty)?;
        let mut machine = Machine::new(self.types(), self.scope.size);
        let top = machine.memory.len();
        machine
            .put(&expr, &NoMarking)
            .map_err(|fault| Diagnostic::error(fault.span, fault.kind.to_string()))?;
        Ok(machine.memory[top..].into())
    }

    /// The value of a number without variables.
    pub fn constant_number(&mut self, ast: &Ast, ty: TypeId) -> Typed<i64> {
        Ok(self.constant(ast, ty)?[0])
    }

    /// The expression as one of a type.
    fn coerce(&mut self, expr: Expr, ty: TypeId) -> Typed<Expr> {
        let types = self.types();
        if expr.ty == ty {
            return Ok(expr);
        }
        if matches!(expr.op, Op::Undefined) {
            return Ok(Expr { ty, ..expr });
        }
        if !types.converts(expr.ty, ty) {
            let (expected, found) = (types.called(ty), types.called(expr.ty));
            let message = format!("a value of type {expected} is expected, this is one of {found}");
            return Err(Diagnostic::error(expr.span, message));
        }
        let span = expr.span;
        if types.same_form(expr.ty, ty) && types.is_within(expr.ty, ty) {
            return Ok(relabelled(expr, ty));
        }
        let converted = Expr::new(ty, Op::Convert(Box::new(expr)), span);
        Ok(self.folded(converted))
    }

    /// A constant instead of an expression without variables that has a value.
    fn folded(&mut self, expr: Expr) -> Expr {
        let mut constant = true;
        expr.each(&mut |part| {
            constant &= match part {
                Part::Expr(expr) => !matches!(
                    expr.op,
                    Op::Load(_) | Op::Family { .. } | Op::Undefined | Op::Quantified { .. }
                ),
                Part::Bag(_) => false,
            };
        });
        if !constant || expr.is_constant() {
            return expr;
        }
        let mut machine = Machine::new(self.types(), 0);
        match machine.put(&expr, &NoMarking) {
            Ok(()) => constant_of(self.types(), expr.ty, &machine.memory, expr.span),
            Err(_) => expr,
        }
    }

    /// A function that is known here, and whether it belongs to the transition.
    fn function(&self, name: &str) -> Option<(Function, bool)> {
        if self.scope.sees_variables() {
            let piece = self.scope.piece;
            let mut own = self.scope.functions.iter().rev();
            let found = own.find(|(p, own, _)| (*p == piece || *p == 0) && **own == *name);
            if let Some((_, _, function)) = found {
                return Some((function.clone(), true));
            }
        }
        let knows = self.scope.frames.last().map_or(usize::MAX, |f| f.knows);
        let found = self.known.known_function(name, knows)?;
        Some((found.clone(), false))
    }

    /// An expression with the type that it has; the hint helps where it has none by itself.
    pub fn infer(&mut self, ast: &Ast, hint: Option<TypeId>) -> Typed<Expr> {
        spend();
        self.scope.made += 1;
        if self.scope.made > MOST_MADE {
            let message = format!("functions make more than {MOST_MADE} expressions of this");
            return Err(Diagnostic::error(ast.span, message));
        }
        let expr = self.deeper(ast.span, |typer| typer.infer_form(ast, hint))?;
        Ok(self.folded(expr))
    }

    fn deeper<T>(&mut self, span: Span, inside: impl FnOnce(&mut Self) -> Typed<T>) -> Typed<T> {
        if self.scope.depth == DEEPEST_MADE {
            let message = format!("functions make this more than {DEEPEST_MADE} deep");
            return Err(Diagnostic::error(span, message));
        }
        self.scope.depth += 1;
        let found = inside(self);
        self.scope.depth -= 1;
        found
    }

    fn infer_form(&mut self, ast: &Ast, hint: Option<TypeId>) -> Typed<Expr> {
        let span = ast.span;
        let types = self.types();
        let make = |ty: TypeId, op: Op| Ok(Expr::new(ty, op, span));
        match &ast.kind {
            Form::Truth(value) => make(Types::TRUTH, Op::Number(i64::from(*value))),
            Form::Number(number) => make(self.number_type(*number, hint), Op::Number(*number)),
            Form::Character(value) => {
                let value = i64::from(*value);
                let own = hint.filter(|&ty| {
                    let is_char = matches!(types.kind(ty), Kind::Leaf(Leaf::Character, _));
                    is_char && types.contains(ty, &[value])
                });
                make(own.unwrap_or(Types::CHARACTER), Op::Number(value))
            }
            Form::Undefined => make(hint.unwrap_or(Types::TRUTH), Op::Undefined),
            Form::CountOf(name) => {
                let ty = self.known.type_named(name)?;
                let count = types.get(ty).count.and_then(|n| u32::try_from(n).ok());
                match count {
                    Some(count) => make(Types::UNSIGNED, Op::Number(count.into())),
                    None => {
                        let message = format!("the type `{}` has too many values", name.text);
                        Err(Diagnostic::error(span, message))
                    }
                }
            }
            Form::Smallest(name) | Form::Largest(name) => {
                let ty = self.known.type_named(name)?;
                let value = match ast.kind {
                    Form::Smallest(_) => types.first(ty),
                    _ => types.last(ty),
                };
                Ok(constant_of(types, ty, &value, span))
            }
            Form::Name(name) => self.name(name, hint),
            Form::Call(name, arguments) => self.call(name, arguments, span),
            Form::Indexed { name, of, before } => self.indexed(name, of.as_ref(), *before, hint),
            Form::Unary(sign, inside) => self.unary(sign, inside, hint, span),
            Form::Binary(sign, a, b) => self.binary(sign, a, b, span),
            Form::And(list) | Form::Or(list) => {
                let mut parts = Vec::new();
                for part in list {
                    parts.push(self.truth(part)?);
                }
                let op = match ast.kind {
                    Form::And(_) => Op::And(parts),
                    _ => Op::Or(parts),
                };
                make(Types::TRUTH, op)
            }
            Form::Cast(name, inside) => {
                let ty = self.known.type_named(name)?;
                let mut expr = self.value(inside, ty)?;
                expr.span = span;
                Ok(expr)
            }
            Form::IsActive(inside, name) => {
                let inside = self.infer(inside, None)?;
                let (tag, _) = self.component_of_union(inside.ty, name)?;
                make(Types::TRUTH, Op::IsActive(Box::new(inside), tag))
            }
            Form::UnionValue(name, inside) => {
                let Some(ty) = hint else {
                    return Err(untyped(span));
                };
                let (tag, part) = self.component_of_union(ty, name)?;
                let inside = self.value(inside, part)?;
                make(ty, Op::Union(tag, Box::new(inside)))
            }
            Form::Braces(list) => self.braces(list, hint, span),
            Form::Component(inside, name) => {
                let inside = self.infer(inside, None)?;
                if let Kind::Union(_) = types.kind(inside.ty) {
                    let (tag, ty) = self.component_of_union(inside.ty, name)?;
                    return make(ty, Op::Component(Box::new(inside), tag));
                }
                let (offset, ty) = self.component_of_struct(inside.ty, name)?;
                Ok(part_of(inside, offset, ty, span))
            }
            Form::WithComponent(inside, name, value) => {
                let inside = self.infer(inside, hint)?;
                let (offset, part) = self.component_of_struct(inside.ty, name)?;
                let value = self.value(value, part)?;
                let ty = inside.ty;
                make(ty, Op::WithPart(Box::new(inside), offset, Box::new(value)))
            }
            Form::Index(inside, index) => {
                let array = self.infer(inside, None)?;
                let (index, element) = self.index(&array, index)?;
                let (array, index) = (Box::new(array), Box::new(index));
                make(element, Op::Item { array, index })
            }
            Form::WithItem(inside, index, value) => {
                let array = self.infer(inside, hint)?;
                let (index, element) = self.index(&array, index)?;
                let item = Box::new(self.value(value, element)?);
                let ty = array.ty;
                let (array, index) = (Box::new(array), Box::new(index));
                make(ty, Op::WithItem { array, index, item })
            }
            Form::Select(choice, list) => self.select(choice, list, hint, span),
            Form::Atom(inside) => self.infer(inside, hint),
            Form::Measure(word, inside) => {
                let bag = self.bag(inside, None)?;
                let measure = match *word {
                    "cardinality" => Measure::Cardinality,
                    "max" => Measure::Largest,
                    _ => Measure::Smallest,
                };
                make(Types::UNSIGNED, Op::Measure(measure, Box::new(bag)))
            }
            Form::Quantified {
                how: how @ (Quantifier::All | Quantifier::Some),
                ty,
                variable,
                condition,
                inside,
            } => {
                let all = *how == Quantifier::All;
                let counter = (ty, variable, condition.as_deref());
                self.quantified(all, counter, span, &|typer| typer.truth(inside))
            }
            Form::Output {
                ty,
                variable,
                condition,
            } => self.output(ty, variable.as_ref(), condition.as_deref(), span),
            Form::List(_) | Form::Empty | Form::Place(_) | Form::Filter(..) | Form::Map(..) => {
                Err(several(span))
            }
            Form::Quantified { .. } => Err(several(span)),
            Form::Temporal(..) => {
                let message = "a temporal operator may stand in formulas alone";
                Err(Diagnostic::error(span, message))
            }
            Form::Instances(..) => {
                let message = "a transition may stand in fairness sets alone";
                Err(Diagnostic::error(span, message))
            }
        }
    }

    /// Whether all, or some, values satisfy a condition.
    pub fn quantified(
        &mut self,
        all: bool,
        (ty, variable, condition): (&Name, &Name, Option<&Ast>),
        span: Span,
        inside: &dyn Fn(&mut Self) -> Typed<Expr>,
    ) -> Typed<Expr> {
        let ty = self.known.type_named(ty)?;
        let offset = self.counter(variable, ty)?;
        let (condition, inside) = self.counted(condition, inside)?;
        let counter = Counter {
            ty,
            offset,
            condition,
        };
        let inside = Box::new(inside);
        let op = Op::Quantified {
            all,
            counter,
            inside,
        };
        Ok(Expr::new(Types::TRUTH, op, span))
    }

    /// The type of a number where it stands.
    fn number_type(&self, number: i64, hint: Option<TypeId>) -> TypeId {
        let types = self.types();
        let fits = |ty: &TypeId| match types.kind(*ty) {
            Kind::Leaf(Leaf::Signed | Leaf::Unsigned | Leaf::Enum(_), _) => {
                types.contains(*ty, &[number])
            }
            _ => false,
        };
        let is_signed = |ty: &TypeId| matches!(types.kind(*ty), Kind::Leaf(Leaf::Signed, _));
        match hint {
            Some(ty) if fits(&ty) => ty,
            Some(ty) if is_signed(&ty) => Types::SIGNED,
            _ if number < 0 => Types::SIGNED,
            _ => Types::UNSIGNED,
        }
    }

    fn name(&mut self, name: &Name, hint: Option<TypeId>) -> Typed<Expr> {
        let types = self.types();
        let span = name.span;
        if let Some(expr) = self.scope.parameter(&name.text) {
            let expr = expr.clone();
            let mut size = 0;
            expr.each(&mut |_| size += 1);
            self.scope.made += size;
            return Ok(expr);
        }
        if let Some((ty, offset)) = self.scope.counter(Some(&name.text)) {
            return Ok(Expr::new(ty, Op::Load(offset), span));
        }
        if let Some(variable) = self.scope.variable(&name.text) {
            if variable.family.is_some() {
                let message = format!("there are several variables `{}`", name.text);
                let help = format!("write `.{}` inside of a quantifier", name.text);
                return Err(Diagnostic::error(span, message).help(help));
            }
            return Ok(Expr::new(variable.ty, Op::Load(variable.offset), span));
        }
        if let Some((function, local)) = self.function(&name.text) {
            return self.expand(name, function, local, &[], span);
        }
        if let Some(ty) = hint
            && let Kind::Leaf(Leaf::Enum(list), _) = types.kind(ty)
            && let Some((_, value)) = list.iter().find(|(own, _)| *own == name.text)
        {
            return Ok(Expr::new(ty, Op::Number(*value), span));
        }
        if self.scope.propositions && self.scope.frames.is_empty() {
            let mut known = self.known.propositions.iter();
            if let Some((_, ast)) = known.find(|(own, _)| own.text == name.text) {
                let ast = ast.clone();
                return self.alone(|typer| typer.truth(&ast));
            }
        }
        let can = self.scope.implicit && self.scope.sees_variables();
        match hint.filter(|_| can) {
            Some(ty) => {
                let offset = self.declare(&name.text, span, ty, None, None);
                Ok(Expr::new(ty, Op::Load(offset), span))
            }
            None => {
                let known = self.scope.variables.iter().map(|v| &*v.name);
                let hint = evenhand_source::nearest(&name.text, known);
                Err(missing("variable or constant", name, hint))
            }
        }
    }

    /// Something that knows nothing of what is around it.
    fn alone<T>(&mut self, inside: impl FnOnce(&mut Self) -> Typed<T>) -> Typed<T> {
        self.scope.frames.push(Frame {
            parameters: Vec::new(),
            counters: self.scope.counters.len(),
            knows: usize::MAX,
            local: false,
        });
        let found = inside(self);
        self.scope.frames.pop();
        found
    }

    /// A new variable; where it is kept.
    pub fn declare(
        &mut self,
        name: &Arc<str>,
        span: Span,
        ty: TypeId,
        family: Option<(TypeId, usize)>,
        output: Option<Option<Expr>>,
    ) -> usize {
        let count = family.map_or(1, |(_, count)| count);
        let offset = self.scope.room(self.types().slots(ty) * count);
        self.scope.variables.push(Variable {
            name: name.clone(),
            span,
            ty,
            piece: self.scope.piece,
            offset,
            family,
            output,
        });
        offset
    }

    fn call(&mut self, name: &Name, arguments: &[Ast], span: Span) -> Typed<Expr> {
        let Some((function, local)) = self.function(&name.text) else {
            let known = self.known.functions.iter().map(|(name, _)| &**name);
            let hint = evenhand_source::nearest(&name.text, known);
            return Err(missing("function", name, hint));
        };
        self.expand(name, function, local, arguments, span)
    }

    /// Arguments of a function, and what is known inside of it.
    fn frame(
        &mut self,
        name: &Name,
        function: &Function,
        local: bool,
        arguments: &[Ast],
        span: Span,
    ) -> Typed<Frame> {
        if function.parameters.len() != arguments.len() {
            let (wanted, found) = (function.parameters.len(), arguments.len());
            let message = format!("`{}` has {wanted} parameters, not {found}", name.text);
            return Err(Diagnostic::error(span, message));
        }
        if self.scope.frames.len() == DEEPEST {
            let message = format!("functions stand in each other more than {DEEPEST} deep");
            return Err(Diagnostic::error(span, message));
        }
        let mut parameters = Vec::new();
        for ((parameter, ty), argument) in function.parameters.iter().zip(arguments) {
            let value = self.value(argument, *ty)?;
            let mut parts = 0;
            value.each(&mut |_| parts += 1);
            if parts > DEEPEST_MADE {
                let message = format!("an argument has at most {DEEPEST_MADE} parts");
                return Err(Diagnostic::error(argument.span, message));
            }
            parameters.push((parameter.clone(), value));
        }
        Ok(Frame {
            parameters,
            counters: self.scope.counters.len(),
            knows: function.knows,
            local,
        })
    }

    fn expand(
        &mut self,
        name: &Name,
        function: Function,
        local: bool,
        arguments: &[Ast],
        span: Span,
    ) -> Typed<Expr> {
        let frame = self.frame(name, &function, local, arguments, span)?;
        self.scope.frames.push(frame);
        // Unknown names inside are mistakes, not variables.
        let implicit = std::mem::replace(&mut self.scope.implicit, false);
        let found = self.value(&function.inside, function.ty);
        self.scope.implicit = implicit;
        self.scope.frames.pop();
        found
    }

    fn indexed(
        &mut self,
        name: &Name,
        of: Option<&Name>,
        before: bool,
        hint: Option<TypeId>,
    ) -> Typed<Expr> {
        let span = name.span;
        let Some((index, counter)) = self.scope.counter(of.map(|name| &*name.text)) else {
            let message = "this stands in no quantifier";
            return Err(Diagnostic::error(of.map_or(span, |n| n.span), message));
        };
        let known = self.scope.variable(&name.text);
        let (ty, base) = match known {
            Some(variable) => match variable.family {
                Some((own, _)) if own == index => (variable.ty, variable.offset),
                _ => {
                    let message = format!("`{}` is no variable for values of this type", name.text);
                    return Err(Diagnostic::error(span, message));
                }
            },
            None => {
                let Some(ty) = hint.filter(|_| self.scope.implicit) else {
                    return Err(missing("variable", name, None));
                };
                let count = self.values(index, span)? as usize;
                if count > 1 << 12 || self.types().slots(ty) * count > 1 << 14 {
                    let message = format!("`{}` stands for too many variables", name.text);
                    return Err(Diagnostic::error(span, message));
                }
                (
                    ty,
                    self.declare(&name.text, span, ty, Some((index, count)), None),
                )
            }
        };
        let op = Op::Family {
            base,
            index,
            counter,
            before,
        };
        Ok(Expr::new(ty, op, span))
    }

    /// How many values a type has, if a quantifier may go through them.
    pub fn values(&self, ty: TypeId, span: Span) -> Typed<u128> {
        match self.types().get(ty).count {
            Some(count) if count <= MOST_VALUES => Ok(count),
            count => {
                let count = count.map_or("too many".to_string(), |n| n.to_string());
                let what = self.types().called(ty);
                let message =
                    format!("{what} has {count} values, a quantifier goes through {MOST_VALUES}");
                Err(Diagnostic::error(span, message))
            }
        }
    }

    /// A new counter; where it is kept.
    pub fn counter(&mut self, name: &Name, ty: TypeId) -> Typed<usize> {
        self.values(ty, name.span)?;
        let offset = self.scope.room(self.types().slots(ty));
        self.scope.counters.push((name.text.clone(), ty, offset));
        Ok(offset)
    }

    /// What stands inside of the quantifier whose counter is the last one, which ends here.
    fn counted<T>(
        &mut self,
        condition: Option<&Ast>,
        inside: impl FnOnce(&mut Self) -> Typed<T>,
    ) -> Typed<(Option<Box<Expr>>, T)> {
        let condition = condition.map(|condition| self.truth(condition));
        let found = match condition.transpose() {
            Ok(condition) => inside(self).map(|inside| (condition.map(Box::new), inside)),
            Err(error) => Err(error),
        };
        self.scope.counters.pop();
        found
    }

    fn output(
        &mut self,
        ty: &Name,
        variable: Option<&Name>,
        condition: Option<&Ast>,
        span: Span,
    ) -> Typed<Expr> {
        let name: Arc<str> = match variable {
            Some(name) => name.text.clone(),
            None => format!(":{}", ty.span.start).into(),
        };
        let ty = self.known.type_named(ty)?;
        let mut known = self.scope.variables.iter();
        let piece = self.scope.piece;
        if let Some(known) = known.find(|v| v.piece == piece && v.name == name) {
            if known.output.is_none() || known.ty != ty {
                let message = format!("`{name}` is another variable already");
                return Err(Diagnostic::error(span, message));
            }
            return Ok(Expr::new(ty, Op::Load(known.offset), span));
        }
        if !self.scope.outputs {
            let message = "an output variable may stand in transitions alone";
            return Err(Diagnostic::error(span, message));
        }
        self.values(ty, span)?;
        let offset = self.declare(&name, span, ty, None, Some(None));
        if let Some(condition) = condition {
            self.scope.counters.push((name.clone(), ty, offset));
            let condition = self.truth(condition);
            self.scope.counters.pop();
            let condition = condition?;
            let mut known = self.scope.variables.iter_mut();
            if let Some(own) = known.find(|v| v.piece == piece && v.name == name) {
                own.output = Some(Some(condition));
            }
        }
        Ok(Expr::new(ty, Op::Load(offset), span))
    }
}

/// The same value as one of a type of the same form.
fn relabelled(expr: Expr, ty: TypeId) -> Expr {
    let span = expr.span;
    match expr.op {
        Op::Number(_) | Op::Constant(_) | Op::Load(_) => Expr { ty, ..expr },
        _ => Expr::new(ty, Op::Part(Box::new(expr), 0), span),
    }
}

/// A part of a value.
fn part_of(expr: Expr, offset: usize, ty: TypeId, span: Span) -> Expr {
    match expr.op {
        Op::Load(at) => Expr::new(ty, Op::Load(at + offset), span),
        Op::Part(inner, at) => Expr::new(ty, Op::Part(inner, at + offset), span),
        _ => Expr::new(ty, Op::Part(Box::new(expr), offset), span),
    }
}

/// A constant.
pub(crate) fn constant_of(types: &Types, ty: TypeId, value: &[i64], span: Span) -> Expr {
    let op = match types.kind(ty) {
        Kind::Leaf(..) => Op::Number(value[0]),
        _ => Op::Constant(value.into()),
    };
    Expr::new(ty, op, span)
}

fn untyped(span: Span) -> Diagnostic {
    let message = "the type of this is not known here";
    Diagnostic::error(span, message).help("write `is TYPE` in front of it")
}

fn several(span: Span) -> Diagnostic {
    Diagnostic::error(span, "one value is expected here, this is a multiset")
}
