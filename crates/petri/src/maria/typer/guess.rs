//! The type that an expression has by itself, wherever it stands; nothing is declared by asking.

use std::sync::Arc;

use evenhand_source::spend;

use super::Typer;
use crate::maria::syntax::{Ast, Form, Quantifier};
use crate::maria::types::{Kind, Leaf, TypeId, Types};

impl Typer<'_> {
    /// The type that an expression has by itself, if it has one.
    pub fn guess(&mut self, ast: &Ast) -> Option<TypeId> {
        spend();
        let types = self.types();
        let element = |ty: TypeId| match types.kind(ty) {
            Kind::Array { element, .. } | Kind::Buffer { element, .. } => Some(*element),
            _ => None,
        };
        match &ast.kind {
            Form::Truth(_) | Form::And(_) | Form::Or(_) | Form::IsActive(..) => Some(Types::TRUTH),
            Form::Character(_) => Some(Types::CHARACTER),
            Form::CountOf(_) | Form::Measure(..) => Some(Types::UNSIGNED),
            Form::Smallest(ty) | Form::Largest(ty) | Form::Cast(ty, _) => types.named(&ty.text),
            Form::Output { ty, .. } => types.named(&ty.text),
            Form::Name(name) => self.guess_name(&name.text),
            Form::Call(name, _) => self.function(&name.text).map(|(f, _)| f.ty),
            Form::Indexed { name, .. } => self.scope.variable(&name.text).map(|v| v.ty),
            Form::Unary("!", _) => Some(Types::TRUTH),
            Form::Unary("/" | "%", _) => Some(Types::UNSIGNED),
            Form::Unary("*", inside) => {
                let (buffer, _) = self.guess_buffer(inside)?;
                element(buffer)
            }
            Form::Unary("-", inside) => match &inside.kind {
                Form::Number(_) => Some(Types::SIGNED),
                _ => self.guess_buffer(inside).map(|(ty, _)| ty),
            },
            Form::Unary(_, inside) | Form::Atom(inside) => self.guess(inside),
            Form::Binary("equals" | "subset" | "=>" | "<=>" | "^^", ..) => Some(Types::TRUTH),
            Form::Binary("==" | "!=" | "<" | ">" | "<=" | ">=", ..) => Some(Types::TRUTH),
            Form::Binary("#", _, inside) => self.guess(inside),
            Form::Binary(_, a, b) => {
                let a = match self.guess_buffer(a) {
                    Some((ty, true)) => return Some(ty),
                    found => found.map(|(ty, _)| ty),
                };
                let b = self.guess(b);
                let found = a.or(b)?;
                match types.kind(found) {
                    Kind::Leaf(Leaf::Signed, _) => Some(Types::SIGNED),
                    Kind::Leaf(..)
                        if matches!(
                            &ast.kind,
                            Form::Binary("union" | "minus" | "intersect", ..)
                        ) =>
                    {
                        Some(found)
                    }
                    Kind::Leaf(..) => Some(Types::UNSIGNED),
                    _ => Some(found),
                }
            }
            Form::Component(inside, name) => {
                let ty = self.guess(inside)?;
                let (Kind::Struct(list) | Kind::Union(list)) = types.kind(ty) else {
                    return None;
                };
                list.iter().find(|p| p.name == name.text).map(|p| p.ty)
            }
            Form::WithComponent(inside, ..) | Form::WithItem(inside, ..) => self.guess(inside),
            Form::Index(inside, _) => self.guess(inside).and_then(element),
            Form::Select(_, list) | Form::List(list) => {
                list.iter().find_map(|part| self.guess(part))
            }
            Form::Place(name) => {
                let place = self.known.place_names.get(&name.text)?;
                Some(self.known.places[place.index()].ty)
            }
            Form::Filter(_, from, _) => self.guess(from),
            Form::Map(_, name, from, inside) => {
                let ty = self.guess(from)?;
                self.with_guess(&name.text, ty, inside)
            }
            Form::Quantified {
                how: Quantifier::Sum,
                ty,
                variable,
                inside,
                ..
            } => {
                let ty = types.named(&ty.text)?;
                self.with_guess(&variable.text, ty, inside)
            }
            Form::Quantified { .. } => Some(Types::TRUTH),
            _ => None,
        }
    }

    /// The same of what may be a buffer with an index behind it: then the type of the buffer, and that it is one.
    pub(super) fn guess_buffer(&mut self, ast: &Ast) -> Option<(TypeId, bool)> {
        let Form::Index(inside, _) = &ast.kind else {
            return self.guess(ast).map(|ty| (ty, false));
        };
        let ty = self.guess(inside)?;
        match self.types().kind(ty) {
            Kind::Buffer { .. } => Some((ty, true)),
            Kind::Array { element, .. } => Some((*element, false)),
            _ => None,
        }
    }

    pub(super) fn with_guess(
        &mut self,
        name: &Arc<str>,
        ty: TypeId,
        inside: &Ast,
    ) -> Option<TypeId> {
        self.scope.counters.push((name.clone(), ty, usize::MAX));
        let found = self.guess(inside);
        self.scope.counters.pop();
        found
    }

    pub(super) fn guess_name(&mut self, name: &str) -> Option<TypeId> {
        if let Some(expr) = self.scope.parameter(name) {
            return Some(expr.ty);
        }
        if let Some((ty, _)) = self.scope.counter(Some(name)) {
            return Some(ty);
        }
        if let Some(variable) = self.scope.variable(name) {
            return Some(variable.ty);
        }
        self.function(name).map(|(function, _)| function.ty)
    }

    pub(super) fn is_buffer(&mut self, ast: &Ast) -> bool {
        let ty = self.guess(ast);
        ty.is_some_and(|ty| matches!(self.types().kind(ty), Kind::Buffer { .. }))
    }
}
