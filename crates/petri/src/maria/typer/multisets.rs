//! Expressions that are multisets.

use evenhand_source::spend;

use super::{Typed, Typer, untyped};
use crate::maria::code::{BagExpr, BagOp, Counter, Expr, Op};
use crate::maria::syntax::{Ast, Form, Name, Quantifier};
use crate::maria::types::{Kind, Leaf, TypeId, Types};

impl Typer<'_> {
    /// Two multisets of the same type.
    pub(super) fn two_bags(
        &mut self,
        a: &Ast,
        b: &Ast,
        ty: Option<TypeId>,
    ) -> Typed<(BagExpr, BagExpr)> {
        let is_place = |ast: &Ast| matches!(ast.kind, Form::Place(_));
        let ty = match ty {
            Some(ty) => Some(ty),
            None if is_place(b) => self.guess(b),
            None => match self.guess(a) {
                Some(ty) => Some(ty),
                None => self.guess(b),
            },
        };
        Ok((self.bag(a, ty)?, self.bag(b, ty)?))
    }

    /// A multiset of values of a type.
    pub fn bag(&mut self, ast: &Ast, ty: Option<TypeId>) -> Typed<BagExpr> {
        spend();
        let span = ast.span;
        let ty = match ty {
            Some(ty) => ty,
            None => match self.guess(ast) {
                Some(ty) => ty,
                None => match &ast.kind {
                    Form::Empty => Types::TRUTH,
                    Form::Place(name) => self.known.places[self.known.place(name)?.index()].ty,
                    _ => return Err(untyped(span)),
                },
            },
        };
        self.deeper(span, |typer| typer.bag_form(ast, ty))
    }

    pub(super) fn bag_form(&mut self, ast: &Ast, ty: TypeId) -> Typed<BagExpr> {
        let span = ast.span;
        let make = |op: BagOp| Ok(BagExpr::new(ty, op, span));
        match &ast.kind {
            Form::Empty => make(BagOp::Empty),
            Form::Place(name) => {
                let place = self.known.place(name)?;
                let own = self.known.places[place.index()].ty;
                let bag = BagExpr::new(own, BagOp::Place(place), span);
                self.converted(bag, ty)
            }
            Form::List(list) => {
                let mut parts = Vec::new();
                for part in list {
                    parts.push(self.bag(part, Some(ty))?);
                }
                make(BagOp::Sum(parts))
            }
            Form::Binary("#", count, inside) => {
                let count = self.infer(count, Some(Types::UNSIGNED))?;
                let count = match self.types().kind(count.ty) {
                    Kind::Leaf(Leaf::Truth, _) => count,
                    _ => self.coerce(count, Types::UNSIGNED)?,
                };
                let inside = Box::new(self.bag(inside, Some(ty))?);
                make(BagOp::Times(count, inside))
            }
            Form::Binary("union", a, b) => {
                let (a, b) = self.two_bags(a, b, Some(ty))?;
                make(BagOp::Sum(vec![a, b]))
            }
            Form::Binary("minus", a, b) => {
                let (a, b) = self.two_bags(a, b, Some(ty))?;
                make(BagOp::Minus(Box::new(a), Box::new(b)))
            }
            Form::Binary("intersect", a, b) => {
                let (a, b) = self.two_bags(a, b, Some(ty))?;
                make(BagOp::Intersect(Box::new(a), Box::new(b)))
            }
            Form::Quantified {
                how: Quantifier::Sum,
                ty: of,
                variable,
                condition,
                inside,
            } => {
                let of = self.known.type_named(of)?;
                let offset = self.counter(variable, of)?;
                let found = self.counted(condition.as_deref(), |typer| typer.bag(inside, Some(ty)));
                let (condition, inside) = found?;
                let counter = Counter {
                    ty: of,
                    offset,
                    condition,
                };
                make(BagOp::Quantified(counter, Box::new(inside)))
            }
            Form::Select(choice, list) => {
                let choice = Box::new(self.choice(choice, list.len())?);
                let mut parts = Vec::new();
                for part in list {
                    parts.push(self.bag(part, Some(ty))?);
                }
                make(BagOp::Select(choice, parts))
            }
            Form::Filter(name, from, condition) => {
                let from = Box::new(self.bag(from, Some(ty))?);
                let offset = self.scope.room(self.types().slots(ty));
                let counter = (name.text.clone(), ty, offset);
                self.scope.counters.push(counter);
                let condition = self.truth(condition);
                self.scope.counters.pop();
                let condition = Box::new(condition?);
                make(BagOp::Filter {
                    offset,
                    from,
                    condition,
                })
            }
            Form::Map(count, name, from, inside) => {
                let from = Box::new(self.bag(from, None)?);
                let offset = self.scope.room(self.types().slots(from.ty));
                self.scope
                    .counters
                    .push((name.text.clone(), from.ty, offset));
                let place = count.as_ref().map(|count| {
                    let place = self.scope.room(1);
                    let counter = (count.text.clone(), Types::UNSIGNED, place);
                    self.scope.counters.push(counter);
                    place
                });
                let found = self.bag(inside, Some(ty));
                let added = 1 + usize::from(place.is_some());
                let left = self.scope.counters.len() - added;
                self.scope.counters.truncate(left);
                let inside = Box::new(found?);
                make(BagOp::Map {
                    count: place,
                    offset,
                    from,
                    inside,
                })
            }
            Form::Atom(inside) => self.bag(inside, Some(ty)),
            Form::Name(name) => self.bag_function(ast, name, &[], ty),
            Form::Call(name, arguments) => self.bag_function(ast, name, arguments, ty),
            _ => {
                let one = self.value(ast, ty)?;
                make(BagOp::One(one))
            }
        }
    }

    /// A function that stands for several values, or a single value.
    pub(super) fn bag_function(
        &mut self,
        ast: &Ast,
        name: &Name,
        arguments: &[Ast],
        ty: TypeId,
    ) -> Typed<BagExpr> {
        let known = self.scope.parameter(&name.text).is_some()
            || self.scope.counter(Some(&name.text)).is_some()
            || self.scope.variable(&name.text).is_some();
        let function = self.function(&name.text).filter(|_| !known);
        let function = function.filter(|(function, _)| is_several(&function.inside));
        let Some((function, local)) = function else {
            let one = self.value(ast, ty)?;
            return Ok(BagExpr::new(ty, BagOp::One(one), ast.span));
        };
        let frame = self.frame(name, &function, local, arguments, ast.span)?;
        self.scope.frames.push(frame);
        let implicit = std::mem::replace(&mut self.scope.implicit, false);
        let found = self.bag(&function.inside, Some(function.ty));
        self.scope.implicit = implicit;
        self.scope.frames.pop();
        let found = found?;
        self.converted(found, ty)
    }

    /// A multiset as one of values of another type.
    pub(super) fn converted(&mut self, bag: BagExpr, ty: TypeId) -> Typed<BagExpr> {
        let types = self.types();
        if bag.ty == ty || (types.same_form(bag.ty, ty) && types.is_within(bag.ty, ty)) {
            return Ok(BagExpr { ty, ..bag });
        }
        let span = bag.span;
        let offset = self.scope.room(types.slots(bag.ty));
        let one = Expr::new(bag.ty, Op::Load(offset), span);
        let one = self.coerce(one, ty)?;
        let inside = Box::new(BagExpr::new(ty, BagOp::One(one), span));
        let op = BagOp::Map {
            count: None,
            offset,
            from: Box::new(bag),
            inside,
        };
        Ok(BagExpr::new(ty, op, span))
    }
}

/// Whether an expression is a multiset for sure.
fn is_several(ast: &Ast) -> bool {
    match &ast.kind {
        Form::List(_) | Form::Empty | Form::Place(_) | Form::Filter(..) | Form::Map(..) => true,
        Form::Binary("#" | "union" | "minus" | "intersect", ..) => true,
        Form::Quantified { how, .. } => *how == Quantifier::Sum,
        Form::Atom(inside) => is_several(inside),
        Form::Select(_, list) => list.iter().any(is_several),
        _ => false,
    }
}
