//! Values that have parts: structs, unions, arrays, buffers; and the choice between several values.

use evenhand_source::{Diagnostic, Span, nearest};

use super::{Typed, Typer, untyped};
use crate::maria::code::{Expr, Op};
use crate::maria::scope::missing;
use crate::maria::syntax::{Ast, Name};
use crate::maria::types::{Kind, Leaf, TypeId, Types};

impl Typer<'_> {
    pub(super) fn braces(
        &mut self,
        list: &[(Option<Name>, Ast)],
        hint: Option<TypeId>,
        span: Span,
    ) -> Typed<Expr> {
        let Some(ty) = hint else {
            return Err(untyped(span));
        };
        let wrong = |message: String| Err(Diagnostic::error(span, message));
        let types = self.types();
        match types.kind(ty) {
            Kind::Struct(parts) => {
                if parts.len() != list.len() {
                    let what = types.called(ty);
                    let (wanted, found) = (parts.len(), list.len());
                    return wrong(format!("{what} has {wanted} components, not {found}"));
                }
                let mut row = Vec::new();
                for (number, part) in parts.iter().enumerate() {
                    let by_name = list
                        .iter()
                        .find(|(name, _)| name.as_ref().is_some_and(|name| name.text == part.name));
                    let (name, inside) = by_name.unwrap_or(&list[number]);
                    if let Some(name) = name.as_ref().filter(|name| name.text != part.name) {
                        return Err(missing("component", name, None));
                    }
                    row.push(self.value(inside, part.ty)?);
                }
                Ok(Expr::new(ty, Op::Row(row), span))
            }
            Kind::Array { element, len, .. } => {
                if list.len() != *len {
                    return wrong(format!("the array has {len} items, not {}", list.len()));
                }
                Ok(Expr::new(ty, Op::Row(self.items(list, *element)?), span))
            }
            Kind::Buffer {
                element, capacity, ..
            } => {
                if list.len() > *capacity {
                    let found = list.len();
                    return wrong(format!(
                        "the buffer has room for {capacity}, not for {found}"
                    ));
                }
                Ok(Expr::new(ty, Op::Buffer(self.items(list, *element)?), span))
            }
            _ => wrong(format!(
                "a value of type {} has no braces",
                types.called(ty)
            )),
        }
    }

    pub(super) fn items(
        &mut self,
        list: &[(Option<Name>, Ast)],
        element: TypeId,
    ) -> Typed<Vec<Expr>> {
        let mut row = Vec::new();
        for (name, inside) in list {
            if let Some(name) = name {
                return Err(missing("component", name, None));
            }
            row.push(self.value(inside, element)?);
        }
        Ok(row)
    }

    pub(super) fn component_of_struct(&self, ty: TypeId, name: &Name) -> Typed<(usize, TypeId)> {
        let types = self.types();
        let Kind::Struct(list) = types.kind(ty) else {
            let message = format!("a value of type {} has no components", types.called(ty));
            return Err(Diagnostic::error(name.span, message));
        };
        match list.iter().find(|part| part.name == name.text) {
            Some(part) => Ok((part.offset, part.ty)),
            None => {
                let known = list.iter().map(|part| &*part.name);
                let hint = nearest(&name.text, known);
                Err(missing("component", name, hint))
            }
        }
    }

    pub(super) fn component_of_union(&self, ty: TypeId, name: &Name) -> Typed<(usize, TypeId)> {
        let types = self.types();
        let Kind::Union(list) = types.kind(ty) else {
            let message = format!("a value of type {} is no union", types.called(ty));
            return Err(Diagnostic::error(name.span, message));
        };
        match list.iter().position(|part| part.name == name.text) {
            Some(tag) => Ok((tag, list[tag].ty)),
            None => {
                let known = list.iter().map(|part| &*part.name);
                let hint = nearest(&name.text, known);
                Err(missing("component", name, hint))
            }
        }
    }

    pub(super) fn index(&mut self, array: &Expr, index: &Ast) -> Typed<(Expr, TypeId)> {
        let types = self.types();
        let Kind::Array {
            index: ty, element, ..
        } = types.kind(array.ty)
        else {
            let message = match types.kind(array.ty) {
                Kind::Buffer { .. } => {
                    "an index of a buffer stands behind `*`, `-`, or before `+` or `-`".to_string()
                }
                _ => format!("a value of type {} is no array", types.called(array.ty)),
            };
            return Err(Diagnostic::error(array.span, message));
        };
        Ok((self.value(index, *ty)?, *element))
    }

    pub(super) fn select(
        &mut self,
        choice: &Ast,
        list: &[Ast],
        hint: Option<TypeId>,
        span: Span,
    ) -> Typed<Expr> {
        let choice = self.choice(choice, list.len())?;
        let hint = match hint {
            Some(hint) => Some(hint),
            None => list.iter().find_map(|part| self.guess(part)),
        };
        let mut parts = Vec::new();
        for part in list {
            parts.push(self.infer(part, hint)?);
        }
        let typed = |part: &&Expr| !matches!(part.op, Op::Undefined);
        let first = parts.iter().find(typed).map(|part| part.ty);
        let mut ty = first.or(hint).unwrap_or(Types::TRUTH);
        if parts.iter().filter(typed).any(|part| part.ty != ty) {
            let signed =
                |part: &Expr| matches!(self.types().kind(part.ty), Kind::Leaf(Leaf::Signed, _));
            ty = match parts
                .iter()
                .filter(typed)
                .all(|part| self.is_number(part.ty))
            {
                true if parts.iter().any(signed) => Types::SIGNED,
                true => Types::UNSIGNED,
                false => hint.unwrap_or(ty),
            };
        }
        let mut row = Vec::new();
        for part in parts {
            row.push(self.coerce(part, ty)?);
        }
        Ok(Expr::new(ty, Op::Select(Box::new(choice), row), span))
    }

    /// What chooses between several expressions.
    pub(super) fn choice(&mut self, choice: &Ast, count: usize) -> Typed<Expr> {
        let choice = self.infer(choice, None)?;
        let own = self.types().get(choice.ty).count;
        if own != Some(count as u128) {
            let own = own.map_or("too many".to_string(), |n| n.to_string());
            let message = format!("this has {own} values, but {count} expressions follow `?`");
            return Err(Diagnostic::error(choice.span, message));
        }
        Ok(choice)
    }
}
