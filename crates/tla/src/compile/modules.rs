//! Tables of names: what modules and instances define.

use std::rc::Rc;

use super::Compiler;
use super::scope::{Binding, Def, DefId, Defined, FrameId, ScopeId};
use crate::names::Symbol;
use crate::standard;
use crate::syntax::ast::{Expr, ExprKind, Instance, Module, Unit};

/// What takes the place of the constants and variables of a module.
#[derive(Clone, Debug)]
struct Substitution<'a> {
    /// Where the instance stands.
    site: ScopeId,
    list: &'a [(crate::syntax::ast::Ident, Expr)],
}

impl<'a> Compiler<'a> {
    /// The table of a module as it is, made once.
    pub(super) fn plain_table(&mut self, module: &'a Module) -> ScopeId {
        if let Some(&scope) = self.tables.get(&module.ident.name) {
            return scope;
        }
        let scope = self.within(FrameId(0), |this| this.table(module, None, None));
        self.tables.insert(module.ident.name, scope);
        scope
    }

    /// The module of that name, with the scope around it if it is nested.
    fn module(
        &self,
        name: Symbol,
        scope: Option<ScopeId>,
    ) -> Option<(&'a Module, Option<ScopeId>)> {
        let nested = scope.and_then(|scope| self.scopes.module(scope, name));
        if let Some((module, outer)) = nested {
            return Some((module, Some(outer)));
        }
        let modules = self.modules;
        let module = modules.iter().find(|module| module.ident.name == name)?;
        Some((module, None))
    }

    fn table(
        &mut self,
        module: &'a Module,
        outer: Option<ScopeId>,
        how: Option<&Substitution<'a>>,
    ) -> ScopeId {
        let scope = self.scopes.add(outer);
        for extended in &module.extends {
            self.extend(scope, extended.name, outer, how);
        }
        let own = module.ident.name;
        for unit in &module.units {
            self.unit(scope, unit, own, how);
        }
        // What the module has from elsewhere can be replaced inside of it too.
        let settings = self.settings;
        for (&(inside, name), &by) in &settings.replaced_in {
            let names = &self.scopes.get(scope).names;
            if inside == own && names.contains_key(&name) {
                self.scopes.bind(scope, name, Binding::Replaced(by));
            }
        }
        scope
    }

    /// Takes over what a module defines.
    fn extend(
        &mut self,
        scope: ScopeId,
        name: Symbol,
        outer: Option<ScopeId>,
        how: Option<&Substitution<'a>>,
    ) {
        match self.module(name, outer) {
            Some((module, outer)) => {
                let other = match (outer, how) {
                    (None, None) => self.plain_table(module),
                    _ => self.table(module, outer, how),
                };
                self.take_over(scope, other, false);
            }
            None => self.extend_standard(scope, name),
        }
    }

    fn extend_standard(&mut self, scope: ScopeId, name: Symbol) {
        let Some(module) = standard::module(self.names.text(name)) else {
            return;
        };
        let mut open = vec![module];
        while let Some(module) = open.pop() {
            for operator in module.operators {
                // A name that is never written cannot be asked for.
                if let Some(symbol) = self.names.get(operator.name) {
                    let own = self.names.get(module.name);
                    let by = own.and_then(|own| self.settings.replaced_in.get(&(own, symbol)));
                    let value = own.and_then(|own| self.settings.values_in.get(&(own, symbol)));
                    match (by, value) {
                        (Some(&by), _) => {
                            self.scopes.bind(scope, symbol, Binding::Replaced(by));
                        }
                        (None, Some(value)) => {
                            let value = Binding::Constant(value.clone());
                            self.scopes.bind(scope, symbol, value);
                        }
                        (None, None) => {}
                    }
                    let names = &mut self.scopes.get_mut(scope).names;
                    names.entry(symbol).or_insert(Binding::Standard(operator));
                }
            }
            open.extend(
                module
                    .extends
                    .iter()
                    .filter_map(|name| standard::module(name)),
            );
        }
    }

    fn take_over(&mut self, scope: ScopeId, other: ScopeId, local: bool) {
        let from = self.scopes.get(other);
        let visible = from
            .names
            .iter()
            .filter(|(name, _)| !from.local.contains(name));
        let list: Vec<_> = visible
            .map(|(&name, binding)| (name, binding.clone()))
            .collect();
        let modules: Vec<_> = from
            .modules
            .iter()
            .map(|(&name, &module)| (name, module))
            .collect();
        let scope = self.scopes.get_mut(scope);
        for (name, binding) in list {
            if local && !scope.names.contains_key(&name) {
                scope.local.push(name);
            }
            scope.names.entry(name).or_insert(binding);
        }
        scope.modules.extend(modules);
    }

    fn define(&mut self, scope: ScopeId, what: Defined<'a>, local: bool, own: Option<Symbol>) {
        let def = Def {
            what,
            scope,
            frame: self.frame,
            recursive: false,
            large: false,
            large_act: false,
        };
        let name = def.ident().name;
        let replaced = own.and_then(|own| self.settings.replaced_in.get(&(own, name)));
        let value = own.and_then(|own| self.settings.values_in.get(&(own, name)));
        let id = DefId(u32::try_from(self.defs.len()).unwrap_or(u32::MAX));
        self.defs.push(def);
        let binding = match (replaced, value) {
            (Some(&by), _) => Binding::Replaced(by),
            (None, Some(value)) => Binding::Constant(value.clone()),
            (None, None) => Binding::Definition(id),
        };
        self.scopes.bind(scope, name, binding);
        if local {
            self.scopes.get_mut(scope).local.push(name);
        }
    }

    /// Adds what a unit of a module or of a `LET` defines.
    pub(super) fn local_unit(&mut self, scope: ScopeId, unit: &'a Unit) {
        self.unit_of(scope, unit, None, None);
    }

    fn unit(
        &mut self,
        scope: ScopeId,
        unit: &'a Unit,
        own: Symbol,
        how: Option<&Substitution<'a>>,
    ) {
        self.unit_of(scope, unit, Some(own), how);
    }

    fn unit_of(
        &mut self,
        scope: ScopeId,
        unit: &'a Unit,
        own: Option<Symbol>,
        how: Option<&Substitution<'a>>,
    ) {
        match unit {
            Unit::Variables(idents) => {
                for ident in idents {
                    let binding = match how {
                        Some(how) => self.substituted_variable(how, ident.name),
                        None => Some(self.declared_variable(ident.name)),
                    };
                    self.scopes.bind(
                        scope,
                        ident.name,
                        binding.unwrap_or(Binding::Unassigned(*ident)),
                    );
                }
            }
            Unit::Constants(list) => {
                for declared in list {
                    let ident = declared.ident;
                    let binding = match how {
                        Some(how) => self.substituted(how, ident.name, declared.arity),
                        None => self.constant(ident.name, own),
                    };
                    self.scopes.bind(
                        scope,
                        ident.name,
                        binding.unwrap_or(Binding::Unassigned(ident)),
                    );
                }
            }
            Unit::Recursive(list) => {
                let names = list.iter().map(|declared| declared.ident.name);
                self.recursive.extend(names.map(|name| (scope, name)));
            }
            Unit::Operator(definition) => {
                let recursive = self.recursive.contains(&(scope, definition.ident.name));
                self.define(scope, Defined::Operator(definition), definition.local, own);
                if let Some(def) = self.defs.last_mut() {
                    def.recursive = recursive;
                }
            }
            Unit::Function(definition) => {
                self.define(scope, Defined::Function(definition), definition.local, own);
            }
            Unit::Instance(instance) => match instance.ident {
                Some(ident) => {
                    self.scopes
                        .bind(scope, ident.name, Binding::Instance(instance, scope));
                    if instance.local {
                        self.scopes.get_mut(scope).local.push(ident.name);
                    }
                }
                None => {
                    let other = self.instance(instance, scope);
                    if let Some(other) = other {
                        self.take_over(scope, other, instance.local);
                    } else {
                        self.extend_standard_locally(scope, instance);
                    }
                }
            },
            Unit::Module(module) => {
                let modules = &mut self.scopes.get_mut(scope).modules;
                modules.insert(module.ident.name, module);
            }
            Unit::Assume { .. } | Unit::Theorem { .. } => {}
        }
        // A named theorem or assumption can be referred to.
        let stated = match unit {
            Unit::Assume { ident, body, .. } => ident.zip(Some(body)),
            Unit::Theorem { ident, body, .. } => ident.zip(body.as_ref()),
            _ => None,
        };
        if let Some((ident, body)) = stated {
            self.scopes
                .bind(scope, ident.name, Binding::Text(body, scope, None));
        }
    }

    fn extend_standard_locally(&mut self, scope: ScopeId, instance: &'a Instance) {
        let own = self.scopes.add(None);
        self.extend_standard(own, instance.module.name);
        self.take_over(scope, own, instance.local);
    }

    fn declared_variable(&mut self, name: Symbol) -> Binding<'a> {
        let variables = &mut self.program.variables;
        let place = variables.iter().position(|&other| other == name);
        let place = place.unwrap_or_else(|| {
            variables.push(name);
            variables.len() - 1
        });
        Binding::Variable(u16::try_from(place).unwrap_or(u16::MAX))
    }

    fn constant(&self, name: Symbol, own: Option<Symbol>) -> Option<Binding<'a>> {
        let settings = self.settings;
        if let Some(own) = own {
            if let Some(value) = settings.values_in.get(&(own, name)) {
                return Some(Binding::Constant(value.clone()));
            }
            if let Some(&by) = settings.replaced_in.get(&(own, name)) {
                return Some(Binding::Replaced(by));
            }
        }
        if let Some(value) = settings.values.get(&name) {
            return Some(Binding::Constant(value.clone()));
        }
        if let Some(table) = settings.tables.get(&name) {
            return Some(Binding::Table(Rc::new(table.clone())));
        }
        let &by = settings.replaced.get(&name)?;
        Some(Binding::Replaced(by))
    }

    /// What stands for a variable of an instance.
    fn substituted_variable(
        &mut self,
        how: &Substitution<'a>,
        name: Symbol,
    ) -> Option<Binding<'a>> {
        match self.substituted(how, name, 0)? {
            // What is one already stays the one it is.
            variable @ (Binding::Variable(_) | Binding::Substituted(..)) => Some(variable),
            other => {
                self.substitutes += 1;
                let other = Rc::new(other);
                Some(Binding::Substituted(other, self.substitutes - 1))
            }
        }
    }

    /// What stands for a constant or a variable of an instance.
    fn substituted(
        &mut self,
        how: &Substitution<'a>,
        name: Symbol,
        arity: u32,
    ) -> Option<Binding<'a>> {
        let expr = how.list.iter().find(|(ident, _)| ident.name == name);
        match expr {
            Some((_, expr)) if arity > 0 => Some(self.operator_argument(expr, how.site)),
            Some((_, expr)) => Some(Binding::Text(expr, how.site, None)),
            None => self.scopes.find(how.site, name).cloned(),
        }
    }

    /// The table of an instance without parameters.
    pub(super) fn instance(&mut self, instance: &'a Instance, scope: ScopeId) -> Option<ScopeId> {
        let key = (std::ptr::from_ref(instance), scope);
        if let Some(&known) = self.instances.get(&key) {
            return Some(known);
        }
        // It belongs where it stands, not where it is first used.
        let frame = self.scopes.get(scope).frame.unwrap_or(FrameId(0));
        let made = self.within(frame, |this| this.instance_at(instance, scope, scope))?;
        self.instances.insert(key, made);
        Some(made)
    }

    /// The table of an instance that stands in a scope, where its parameters have got a meaning in `site`.
    pub(super) fn instance_at(
        &mut self,
        instance: &'a Instance,
        scope: ScopeId,
        site: ScopeId,
    ) -> Option<ScopeId> {
        let substitution = Substitution {
            site,
            list: &instance.substitutions,
        };
        match self.module(instance.module.name, Some(scope)) {
            Some((module, outer)) => Some(self.table(module, outer, Some(&substitution))),
            None => {
                standard::module(self.names.text(instance.module.name))?;
                let own = self.scopes.add(None);
                self.extend_standard(own, instance.module.name);
                Some(own)
            }
        }
    }

    /// What an argument that is to be an operator means.
    pub(super) fn operator_argument(&mut self, expr: &'a Expr, scope: ScopeId) -> Binding<'a> {
        match &expr.kind {
            ExprKind::Lambda(params, body) => Binding::Lambda(params, body, scope),
            ExprKind::Apply(path) if path.last.args.is_empty() => {
                let found = self.resolve(path, scope);
                found.unwrap_or(Binding::Text(expr, scope, None))
            }
            _ => Binding::Text(expr, scope, None),
        }
    }

    /// Lets the configuration replace definitions.
    pub(super) fn replace_definitions(&mut self) {
        let settings = self.settings;
        for (&name, &by) in &settings.replaced {
            let original = match self.scopes.find(self.root, name) {
                Some(&Binding::Definition(id)) => {
                    self.replaced.insert(id, by);
                    // The same definition under a number that nothing replaces.
                    let copy = DefId(u32::try_from(self.defs.len()).unwrap_or(u32::MAX));
                    let def = self.defs[id.0 as usize].clone();
                    self.defs.push(def);
                    Binding::Definition(copy)
                }
                Some(&Binding::Standard(operator)) => {
                    self.replaced_standard.insert(operator.name, by);
                    Binding::Original(operator)
                }
                _ => continue,
            };
            // What stands for a definition may itself use that definition.
            if let Some(&Binding::Definition(id)) = self.scopes.find(self.root, by) {
                let scope = self.defs[id.0 as usize].scope;
                let scope = self.scopes.with(scope, name, original);
                self.defs[id.0 as usize].scope = scope;
            }
        }
        for (&name, value) in &settings.values {
            match self.scopes.find(self.root, name) {
                Some(Binding::Definition(id)) => {
                    self.valued.insert(*id, value.clone());
                }
                Some(&Binding::Standard(operator)) => {
                    self.valued_standard.insert(operator.name, value.clone());
                }
                _ => {}
            }
        }
    }
}
