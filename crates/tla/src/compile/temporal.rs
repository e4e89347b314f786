//! Formulas taken apart: levels, and the conjuncts of specifications and properties.

use std::collections::HashSet;

use super::apply::Given;
use super::expr::Builtin;
use super::scope::{Binding, Defined, ScopeId};
use super::{Compiler, DefId};
use crate::names::Symbol;
use crate::syntax::ast::{Bounds, Definition, Expr, ExprKind, Place, Quantifier, Unit};
use crate::syntax::walk::below;

/// What a formula is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// Nothing that changes.
    Constant,
    /// One state.
    State,
    /// Two states.
    Action,
    /// Whole behaviours.
    Temporal,
}

/// A conjunct of a specification or of a property.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Conjunct<'a> {
    /// A predicate of the first state.
    Initial(&'a Expr, ScopeId),
    /// `[]P`
    Always(&'a Expr, ScopeId),
    /// `[][A]_v`: the action, and the state function.
    Steps(&'a Expr, &'a Expr, ScopeId),
    /// Anything else.
    Other(&'a Expr, ScopeId),
}

impl<'a> Compiler<'a> {
    /// The definition of a name of the root module without parameters.
    pub fn named(&self, name: Symbol) -> Option<(&'a Expr, ScopeId)> {
        match self.lookup(self.root, name)? {
            Binding::Definition(id) => {
                let def = &self.defs[id.0 as usize];
                match def.what {
                    Defined::Operator(definition) if definition.params.is_empty() => {
                        Some((&definition.body, def.scope))
                    }
                    _ => None,
                }
            }
            ref binding @ (Binding::Text(..) | Binding::Substituted(..)) => self.text_of(binding),
            _ => None,
        }
    }

    /// The definition without parameters that has a name.
    pub fn definition_named(&self, name: Symbol) -> Option<&'a Definition> {
        let Binding::Definition(id) = self.lookup(self.root, name)? else {
            return None;
        };
        match self.defs[id.0 as usize].what {
            Defined::Operator(definition) if definition.params.is_empty() => Some(definition),
            _ => None,
        }
    }

    /// The conjuncts of a formula, through definitions, names and instances.
    pub fn conjuncts(&mut self, expr: &'a Expr, scope: ScopeId) -> Vec<Conjunct<'a>> {
        let mut list = Vec::new();
        self.take_apart(expr, scope, &mut list, 0);
        list
    }

    fn take_apart(
        &mut self,
        expr: &'a Expr,
        scope: ScopeId,
        list: &mut Vec<Conjunct<'a>>,
        depth: u32,
    ) {
        if self.is_deep(expr.span) {
            return;
        }
        if self.level(expr, scope) <= Level::State {
            list.push(Conjunct::Initial(expr, scope));
            return;
        }
        match &expr.kind {
            ExprKind::And(parts) => {
                for part in parts {
                    self.take_apart(part, scope, list, depth);
                }
            }
            ExprKind::Label(_, _, body) => self.take_apart(body, scope, list, depth),
            // A conjunction over constants.
            ExprKind::Quantified(Quantifier::All, Bounds::In(bounds), body) => {
                let mut parts = Vec::new();
                let unrolled = self.unrolled(bounds, scope, &mut |this, inner| {
                    this.take_apart(body, inner, &mut parts, depth + 1);
                });
                match unrolled {
                    Ok(()) => list.extend(parts),
                    Err(_) => list.push(Conjunct::Other(expr, scope)),
                }
            }
            ExprKind::Let(units, body) => {
                let inner = self.scopes.add(Some(scope));
                for unit in units {
                    self.local_unit(inner, unit);
                }
                self.take_apart(body, inner, list, depth);
            }
            ExprKind::Apply(path) if depth < super::DEEPEST => match self.resolve(path, scope) {
                Some(Binding::Builtin(name)) => {
                    let what = self.builtins.get(&name).copied();
                    match (what, path.last.args.as_slice()) {
                        (Some(Builtin::And), [a, b]) => {
                            self.take_apart(a, scope, list, depth);
                            self.take_apart(b, scope, list, depth);
                        }
                        (Some(Builtin::Temporal), [inside]) if self.names.text(name) == "[]" => {
                            self.always(expr, inside, scope, list);
                        }
                        _ => list.push(Conjunct::Other(expr, scope)),
                    }
                }
                Some(Binding::Definition(id)) => {
                    let def = &self.defs[id.0 as usize];
                    let (what, place) = (def.what, def.scope);
                    let Defined::Operator(definition) = what else {
                        list.push(Conjunct::Other(expr, scope));
                        return;
                    };
                    let given = path.last.args.iter().map(|arg| Given::Text(arg, scope));
                    let given: Vec<Given<'a>> = given.collect();
                    let inner = self.with_parameters(place, &definition.params, &given);
                    self.take_apart(&definition.body, inner, list, depth + 1);
                }
                Some(binding @ (Binding::Text(..) | Binding::Substituted(..))) => {
                    let Some((text, place)) = self.text_of(&binding) else {
                        list.push(Conjunct::Other(expr, scope));
                        return;
                    };
                    self.take_apart(text, place, list, depth + 1)
                }
                _ => list.push(Conjunct::Other(expr, scope)),
            },
            _ => list.push(Conjunct::Other(expr, scope)),
        }
    }

    /// What `[]` stands in front of.
    fn always(
        &mut self,
        expr: &'a Expr,
        inside: &'a Expr,
        scope: ScopeId,
        list: &mut Vec<Conjunct<'a>>,
    ) {
        let (mut inside, mut place) = (inside, scope);
        // `[]` of a definition that is `[A]_v`.
        for _ in 0..super::DEEPEST {
            match &inside.kind {
                ExprKind::Square(action, subscript) => {
                    list.push(Conjunct::Steps(action, subscript, place));
                    return;
                }
                ExprKind::Label(_, _, body) => inside = body,
                ExprKind::Apply(path) => match self.resolve(path, place) {
                    Some(Binding::Definition(id)) if self.level(inside, place) == Level::Action => {
                        let def = &self.defs[id.0 as usize];
                        let (what, outer) = (def.what, def.scope);
                        let Defined::Operator(definition) = what else {
                            break;
                        };
                        let given = path.last.args.iter().map(|arg| Given::Text(arg, place));
                        let given: Vec<Given<'a>> = given.collect();
                        place = self.with_parameters(outer, &definition.params, &given);
                        inside = &definition.body;
                    }
                    Some(binding @ (Binding::Text(..) | Binding::Substituted(..))) => {
                        let Some(text) = self.text_of(&binding) else {
                            break;
                        };
                        (inside, place) = text;
                    }
                    _ => break,
                },
                _ => break,
            }
        }
        match self.level(inside, place) {
            Level::Constant | Level::State => list.push(Conjunct::Always(inside, place)),
            _ => list.push(Conjunct::Other(expr, scope)),
        }
    }

    /// The level of a definition without parameters, looked at once.
    pub(super) fn level_of_body(&mut self, id: DefId, body: &'a Expr, scope: ScopeId) -> Level {
        if let Some(&level) = self.body_levels.get(&id) {
            return level;
        }
        let level = self.level(body, scope);
        self.body_levels.insert(id, level);
        level
    }

    /// Whether an expression asks how the search goes (`TLCGet`), by itself or by a definition.
    pub fn asks_search(&mut self, expr: &'a Expr, scope: ScopeId) -> bool {
        let (mut seen, mut open) = (HashSet::new(), vec![(expr, scope)]);
        while let Some((expr, scope)) = open.pop() {
            if let ExprKind::Apply(path) = &expr.kind {
                match self.resolve(path, scope) {
                    Some(Binding::Standard(operator)) if operator.name == "TLCGet" => return true,
                    Some(Binding::Definition(id)) if seen.insert(id) => {
                        let def = &self.defs[id.0 as usize];
                        if let Defined::Operator(definition) = def.what {
                            open.push((&definition.body, def.scope));
                        }
                    }
                    _ => {}
                }
            }
            below(expr, &mut |part| open.push((part, scope)));
        }
        false
    }

    /// The level of an expression.
    pub fn level(&mut self, expr: &'a Expr, scope: ScopeId) -> Level {
        if self.is_deep(expr.span) {
            return Level::Constant;
        }
        let parts = |this: &mut Self, parts: &[&'a Expr]| {
            let levels = parts.iter().map(|part| this.level(part, scope));
            levels.max().unwrap_or(Level::Constant)
        };
        match &expr.kind {
            ExprKind::Number(_) | ExprKind::Decimal(_) | ExprKind::Text(_) | ExprKind::Truth(_) => {
                Level::Constant
            }
            ExprKind::Boolean | ExprKind::Strings | ExprKind::At => Level::Constant,
            ExprKind::And(list) | ExprKind::Or(list) | ExprKind::SetOf(list) => {
                let list: Vec<&Expr> = list.iter().collect();
                parts(self, &list)
            }
            ExprKind::Tuple(list) | ExprKind::Product(list) => {
                let list: Vec<&Expr> = list.iter().collect();
                parts(self, &list)
            }
            ExprKind::Quantified(quantifier, bounds, body) => {
                use crate::syntax::ast::Quantifier::{AllTemporal, ExistsTemporal};
                let own = match quantifier {
                    AllTemporal | ExistsTemporal => Level::Temporal,
                    _ => Level::Constant,
                };
                let sets = match bounds {
                    Bounds::In(list) => {
                        self.level_of_sets(list.iter().map(|bound| &bound.set), scope)
                    }
                    Bounds::Free(_) => Level::Constant,
                };
                let names = match bounds {
                    Bounds::In(list) => list
                        .iter()
                        .flat_map(|bound| bound.patterns.iter())
                        .collect(),
                    Bounds::Free(_) => Vec::new(),
                };
                let inner = self.with_bound(&names, scope);
                own.max(sets).max(self.level(body, inner))
            }
            ExprKind::Choose(pattern, set, body) => {
                let set = set
                    .as_ref()
                    .map_or(Level::Constant, |set| self.level(set, scope));
                let inner = self.with_bound(&[pattern], scope);
                set.max(self.level(body, inner))
            }
            ExprKind::Filter(pattern, set, body) => {
                let set = self.level(set, scope);
                let inner = self.with_bound(&[pattern], scope);
                set.max(self.level(body, inner))
            }
            ExprKind::Image(body, bounds) | ExprKind::Function(bounds, body) => {
                let sets = self.level_of_sets(bounds.iter().map(|bound| &bound.set), scope);
                let names: Vec<_> = bounds
                    .iter()
                    .flat_map(|bound| bound.patterns.iter())
                    .collect();
                let inner = self.with_bound(&names, scope);
                sets.max(self.level(body, inner))
            }
            ExprKind::Functions(a, b) => parts(self, &[a, b]),
            ExprKind::At1(function, args) => {
                let args = self.level_of_sets(args.iter(), scope);
                args.max(self.level(function, scope))
            }
            ExprKind::Except(function, updates) => {
                let mut level = self.level(function, scope);
                for update in updates {
                    level = level.max(self.level(&update.value, scope));
                    for place in &update.place {
                        if let Place::At(args) = place {
                            level = level.max(self.level_of_sets(args.iter(), scope));
                        }
                    }
                }
                level
            }
            ExprKind::Record(fields) | ExprKind::Records(fields) => {
                self.level_of_sets(fields.iter().map(|(_, value)| value), scope)
            }
            ExprKind::Field(record, _) => self.level(record, scope),
            ExprKind::If(a, b, c) => parts(self, &[a, b, c]),
            ExprKind::Case(arms, other) => {
                let mut level = other
                    .as_ref()
                    .map_or(Level::Constant, |other| self.level(other, scope));
                for (condition, value) in arms {
                    level = level
                        .max(self.level(condition, scope))
                        .max(self.level(value, scope));
                }
                level
            }
            ExprKind::Let(units, body) => {
                let inner = self.scopes.add(Some(scope));
                for unit in units {
                    self.local_unit(inner, unit);
                }
                self.level(body, inner)
            }
            ExprKind::Square(..) | ExprKind::Angle(..) => Level::Action,
            ExprKind::Fair { .. } => Level::Temporal,
            ExprKind::Lambda(params, body) => {
                let inner = self.scopes.add(Some(scope));
                for ident in params {
                    self.scopes.bind(
                        inner,
                        ident.name,
                        Binding::Constant(crate::value::Value::Truth(true)),
                    );
                }
                self.level(body, inner)
            }
            ExprKind::Label(_, _, body) => self.level(body, scope),
            ExprKind::Apply(path) => {
                let args = self.level_of_sets(path.last.args.iter(), scope);
                let Some(binding) = self.resolve(path, scope) else {
                    return args;
                };
                match binding {
                    Binding::Builtin(name) => match self.builtins.get(&name) {
                        Some(Builtin::Prime | Builtin::Unchanged | Builtin::Compose) => {
                            Level::Action
                        }
                        Some(Builtin::Enabled) => Level::State,
                        Some(Builtin::Temporal) => Level::Temporal,
                        _ => args,
                    },
                    other => args.max(self.level_of(&other)),
                }
            }
        }
    }

    fn level_of_sets(&mut self, list: impl Iterator<Item = &'a Expr>, scope: ScopeId) -> Level {
        let mut level = Level::Constant;
        for expr in list {
            level = level.max(self.level(expr, scope));
        }
        level
    }

    /// A scope in which names are bound to something that never changes.
    fn with_bound(
        &mut self,
        patterns: &[&'a crate::syntax::ast::Pattern],
        scope: ScopeId,
    ) -> ScopeId {
        use crate::syntax::ast::Pattern;
        let inner = self.scopes.add(Some(scope));
        for pattern in patterns {
            let idents = match pattern {
                Pattern::Name(ident) => std::slice::from_ref(ident),
                Pattern::Tuple(idents) => idents.as_slice(),
            };
            for ident in idents {
                let anything = Binding::Constant(crate::value::Value::Truth(true));
                self.scopes.bind(inner, ident.name, anything);
            }
        }
        inner
    }

    fn level_of(&mut self, binding: &Binding<'a>) -> Level {
        match binding {
            Binding::Variable(_) => Level::State,
            Binding::Text(text, scope, _) => self.level(text, *scope),
            Binding::Substituted(inner, _) => self.level_of(&inner.clone()),
            Binding::Lambda(params, body, scope) => {
                let inner = self.scopes.add(Some(*scope));
                for ident in *params {
                    let anything = Binding::Constant(crate::value::Value::Truth(true));
                    self.scopes.bind(inner, ident.name, anything);
                }
                self.level(body, inner)
            }
            Binding::Definition(id) => {
                if let Some(&level) = self.levels.get(id) {
                    return level;
                }
                // What is recursive is as high as its other parts.
                self.levels.insert(*id, Level::Constant);
                let def = &self.defs[id.0 as usize];
                let (what, scope) = (def.what, def.scope);
                let level = match what {
                    Defined::Operator(definition) => {
                        let inner = self.scopes.add(Some(scope));
                        for declared in &definition.params {
                            let anything = Binding::Constant(crate::value::Value::Truth(true));
                            self.scopes.bind(inner, declared.ident.name, anything);
                        }
                        self.level(&definition.body, inner)
                    }
                    Defined::Function(definition) => {
                        let names: Vec<_> = definition
                            .bounds
                            .iter()
                            .flat_map(|b| b.patterns.iter())
                            .collect();
                        let inner = self.with_bound(&names, scope);
                        let sets =
                            self.level_of_sets(definition.bounds.iter().map(|b| &b.set), scope);
                        sets.max(self.level(&definition.body, inner))
                    }
                };
                self.levels.insert(*id, level);
                level
            }
            _ => Level::Constant,
        }
    }

    /// The assumptions of the modules that take part, with the scopes they are meant in.
    pub fn assumptions(&self) -> Vec<(&'a Expr, ScopeId)> {
        let mut list = Vec::new();
        for module in self.modules {
            let Some(&scope) = self.tables.get(&module.ident.name) else {
                continue;
            };
            for unit in &module.units {
                if let Unit::Assume {
                    body, axiom: false, ..
                } = unit
                {
                    list.push((body, scope));
                }
            }
        }
        list
    }
}
