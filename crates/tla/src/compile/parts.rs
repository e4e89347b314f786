//! Parts of definitions by their places, `Def!2!1`, `Def(a)!:`, `Def!<<`, and by their labels, `Def!lab(x)`.
//!
//! A path is walked from a scope to a definition and from there down its text. Where it ends is a text in a scope, as
//! an argument is.

use super::Compiler;
use super::apply::Given;
use super::scope::{Binding, Defined, ScopeId};
use crate::names::Symbol;
use crate::syntax::ast::{Bound, Bounds, Expr, ExprKind, Ident, Path, Pattern, Segment, Selector};
use crate::syntax::walk::below;
use crate::value::Value;

/// Where a walk is.
#[derive(Clone, Copy)]
enum At<'a> {
    Scope(ScopeId),
    Text(&'a Expr, ScopeId),
    /// An arm of a CASE: its condition, where it has one, and its value.
    Arm(Option<&'a Expr>, &'a Expr, ScopeId),
}

impl<'a> Compiler<'a> {
    /// What a path means that goes into a definition.
    pub(super) fn part(&mut self, path: &'a Path, scope: ScopeId) -> Option<Binding<'a>> {
        let mut at = At::Scope(scope);
        for segment in &path.prefix {
            at = self.step(at, segment, scope)?;
        }
        match (at, path.last.name) {
            // An operator that a LET inside of the definition defines, or a label.
            (At::Text(text, place), Selector::Name(name)) => {
                match self.defined_in_let(text, place, name) {
                    Some(inner) => self.lookup(inner, name),
                    None => {
                        let (text, place) = self.labelled(text, place, &path.last, scope)?;
                        Some(Binding::Text(text, place, None))
                    }
                }
            }
            (At::Text(text, place), Selector::Below) => {
                let (idents, body) = bound_in(text)?;
                let [ident] = idents[..] else {
                    return None;
                };
                Some(Binding::Lambda(std::slice::from_ref(ident), body, place))
            }
            // The name of a field.
            (
                At::Text(
                    Expr {
                        kind: ExprKind::Field(_, field),
                        ..
                    },
                    _,
                ),
                Selector::Part(2),
            ) => Some(Binding::Constant(Value::Text(field.name))),
            _ => match self.step(at, &path.last, scope)? {
                At::Text(text, place) => Some(Binding::Text(text, place, None)),
                At::Scope(_) | At::Arm(..) => None,
            },
        }
    }

    /// One segment further; arguments are texts in the scope of the path.
    fn step(&mut self, at: At<'a>, segment: &'a Segment, site: ScopeId) -> Option<At<'a>> {
        match (at, segment.name) {
            (At::Scope(scope), Selector::Name(name)) => match self.lookup(scope, name)? {
                Binding::Instance(instance, place) => {
                    let made = self.instance_with(instance, place, &segment.args, site)?;
                    Some(At::Scope(made))
                }
                Binding::Definition(id) => {
                    let def = &self.defs[id.0 as usize];
                    let (what, place) = (def.what, def.scope);
                    let Defined::Operator(definition) = what else {
                        return None;
                    };
                    let given = segment.args.iter().map(|arg| Given::Text(arg, site));
                    let given: Vec<Given<'a>> = given.collect();
                    let inner = self.with_parameters(place, &definition.params, &given);
                    Some(At::Text(&definition.body, inner))
                }
                Binding::Text(text, place, _) => Some(At::Text(text, place)),
                _ => None,
            },
            (At::Text(text, place), Selector::Name(name)) => {
                match self.defined_in_let(text, place, name) {
                    Some(inner) => self.step(At::Scope(inner), segment, site),
                    None => {
                        let (text, place) = self.labelled(text, place, segment, site)?;
                        Some(At::Text(text, place))
                    }
                }
            }
            (At::Text(..), Selector::Whole) => Some(at),
            (At::Text(text, place), Selector::Part(number)) => {
                self.child(text, place, number as usize)
            }
            (At::Text(text, place), Selector::Arguments) => {
                let (idents, body) = bound_in(text)?;
                if idents.len() != segment.args.len() {
                    return None;
                }
                let inner = self.scopes.add(Some(place));
                for (ident, arg) in idents.into_iter().zip(&segment.args) {
                    let binding = Binding::Text(arg, site, None);
                    self.scopes.bind(inner, ident.name, binding);
                }
                Some(At::Text(body, inner))
            }
            (At::Arm(condition, value, place), Selector::Part(number)) => {
                let text = match number {
                    1 => condition?,
                    2 => value,
                    _ => return None,
                };
                Some(At::Text(text, place))
            }
            _ => None,
        }
    }

    /// The scope inside of a LET.
    fn inside_let(&mut self, text: &'a Expr, scope: ScopeId) -> Option<ScopeId> {
        let ExprKind::Let(units, _) = &text.kind else {
            return None;
        };
        let inner = self.scopes.add(Some(scope));
        for unit in units {
            self.local_unit(inner, unit);
        }
        Some(inner)
    }

    /// The scope inside of a LET, where that defines a name.
    fn defined_in_let(&mut self, text: &'a Expr, scope: ScopeId, name: Symbol) -> Option<ScopeId> {
        let inner = self.inside_let(text, scope)?;
        let names = &self.scopes.get(inner).names;
        names.contains_key(&name).then_some(inner)
    }

    /// The expression below a text that has a label, where what is bound on the way has got a meaning in `site`.
    fn labelled(
        &mut self,
        text: &'a Expr,
        place: ScopeId,
        segment: &'a Segment,
        site: ScopeId,
    ) -> Option<(&'a Expr, ScopeId)> {
        let Selector::Name(name) = segment.name else {
            return None;
        };
        let mut lets = Vec::new();
        let (kept, body) = find_label(text, name, &mut lets)?;
        if kept.len() != segment.args.len() {
            return None;
        }
        // No name is bound again below, so these mean the same all the way down.
        let mut inner = self.scopes.add(Some(place));
        for (ident, arg) in kept.iter().zip(&segment.args) {
            let binding = Binding::Text(arg, site, None);
            self.scopes.bind(inner, ident.name, binding);
        }
        for text in lets {
            inner = self.inside_let(text, inner)?;
        }
        Some((body, inner))
    }

    /// A part of a text, counted from 1.
    fn child(&mut self, text: &'a Expr, place: ScopeId, number: usize) -> Option<At<'a>> {
        let index = number.checked_sub(1)?;
        let found: &'a Expr = match &text.kind {
            ExprKind::Label(_, _, body) => return self.child(body, place, number),
            ExprKind::And(list) | ExprKind::Or(list) | ExprKind::SetOf(list) => list.get(index)?,
            ExprKind::Tuple(list) | ExprKind::Product(list) => list.get(index)?,
            ExprKind::Apply(path) => path.last.args.get(index)?,
            ExprKind::At1(function, args) => match index {
                0 => function,
                _ => args.get(index - 1)?,
            },
            ExprKind::Field(record, _) | ExprKind::Except(record, _) if index == 0 => record,
            ExprKind::Record(fields) | ExprKind::Records(fields) => &fields.get(index)?.1,
            ExprKind::Functions(a, b) => [a, b].get(index).copied()?,
            ExprKind::If(a, b, c) => [a, b, c].get(index).copied()?,
            ExprKind::Square(a, b) | ExprKind::Angle(a, b) => [a, b].get(index).copied()?,
            ExprKind::Fair {
                subscript, action, ..
            } => [subscript, action].get(index).copied()?,
            ExprKind::Case(arms, other) => {
                let arm = match arms.get(index) {
                    Some((condition, value)) => At::Arm(Some(condition), value, place),
                    None if index == arms.len() => At::Arm(None, other.as_deref()?, place),
                    None => return None,
                };
                return Some(arm);
            }
            ExprKind::Let(_, body) if index == 0 => {
                let inner = self.inside_let(text, place)?;
                return Some(At::Text(body, inner));
            }
            ExprKind::Quantified(_, Bounds::In(bounds), _)
            | ExprKind::Function(bounds, _)
            | ExprKind::Image(_, bounds) => &bounds.get(index)?.set,
            ExprKind::Choose(_, Some(set), _) if index == 0 => set,
            ExprKind::Filter(_, set, _) if index == 0 => set,
            _ => return None,
        };
        Some(At::Text(found, place))
    }
}

/// The names that an expression binds, and what they are bound in.
fn bound_in(text: &Expr) -> Option<(Vec<&Ident>, &Expr)> {
    fn names(pattern: &Pattern) -> &[Ident] {
        match pattern {
            Pattern::Name(ident) => std::slice::from_ref(ident),
            Pattern::Tuple(idents) => idents,
        }
    }
    fn of_bounds(bounds: &[Bound]) -> Vec<&Ident> {
        let patterns = bounds.iter().flat_map(|bound| &bound.patterns);
        patterns.flat_map(names).collect()
    }
    Some(match &text.kind {
        ExprKind::Label(_, _, body) => return bound_in(body),
        ExprKind::Quantified(_, Bounds::In(bounds), body)
        | ExprKind::Function(bounds, body)
        | ExprKind::Image(body, bounds) => (of_bounds(bounds), body),
        ExprKind::Quantified(_, Bounds::Free(idents), body) => (idents.iter().collect(), body),
        ExprKind::Filter(pattern, _, body) | ExprKind::Choose(pattern, _, body) => {
            (names(pattern).iter().collect(), body)
        }
        _ => return None,
    })
}

/// The names that a label keeps, and what it stands in front of; with the `LET`s on the way there. What is below another
/// label is found by that one first, and what a `LET` defines by its name.
fn find_label<'e>(
    text: &'e Expr,
    name: Symbol,
    lets: &mut Vec<&'e Expr>,
) -> Option<(&'e [Ident], &'e Expr)> {
    match &text.kind {
        ExprKind::Label(ident, kept, body) => (ident.name == name).then_some((kept, body)),
        ExprKind::Let(_, body) => {
            lets.push(text);
            let found = find_label(body, name, lets);
            if found.is_none() {
                lets.pop();
            }
            found
        }
        _ => {
            let mut found = None;
            below(text, &mut |part| {
                if found.is_none() {
                    found = find_label(part, name, lets);
                }
            });
            found
        }
    }
}
