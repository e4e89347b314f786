//! What a configuration can say something about: constants and definitions by their names, with instances (`A!B`) or a
//! module (`B <-[M] C`) where they are meant.

use super::Compiler;
use super::scope::{Binding, DefId, Defined, ScopeId};
use crate::names::Symbol;
use crate::standard;
use crate::syntax::ast::{Ident, Unit};

/// What a name of a configuration means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Configured {
    Nothing,
    Variable,
    /// A constant or a definition with so many parameters.
    Operator(usize),
    /// Something whose parameters are not known here.
    Something,
}

impl Compiler<'_> {
    /// What a name of the configuration means.
    pub fn configured(&mut self, path: &[Ident], module: Option<Symbol>) -> Configured {
        match (path, module) {
            ([ident], None) => match self.bound(self.root, ident.name) {
                Configured::Nothing => self.elsewhere(ident.name),
                found => found,
            },
            ([ident], Some(module)) => self.of_module(module, ident.name),
            ([instance, ident], None) => {
                let found = self.scopes.find(self.root, instance.name).cloned();
                let Some(Binding::Instance(instance, place)) = found else {
                    return Configured::Nothing;
                };
                // With parameters it has no table of its own.
                if !instance.params.is_empty() {
                    return Configured::Something;
                }
                match self.instance(instance, place) {
                    Some(table) => self.bound(table, ident.name),
                    None => Configured::Something,
                }
            }
            _ => Configured::Nothing,
        }
    }

    /// What a name means in a scope, whatever the configuration has put in its place.
    fn bound(&self, scope: ScopeId, name: Symbol) -> Configured {
        match self.scopes.find(scope, name) {
            None => match self.builtins.contains_key(&name) {
                true => Configured::Something,
                false => Configured::Nothing,
            },
            Some(Binding::Variable(_)) => Configured::Variable,
            Some(&Binding::Definition(DefId(id))) => match self.defs[id as usize].what {
                Defined::Operator(definition) => Configured::Operator(definition.params.len()),
                Defined::Function(_) => Configured::Operator(0),
            },
            Some(Binding::Standard(operator) | Binding::Original(operator)) => {
                Configured::Operator(operator.params.len())
            }
            Some(Binding::Lambda(params, ..)) => Configured::Operator(params.len()),
            Some(Binding::Instance(..)) => Configured::Something,
            Some(_) => self.declared(name),
        }
    }

    /// How many parameters a constant has that some module declares.
    fn declared(&self, name: Symbol) -> Configured {
        let units = self.modules.iter().flat_map(|module| &module.units);
        let mut arities = units.filter_map(|unit| match unit {
            Unit::Constants(list) => list.iter().find(|declared| declared.ident.name == name),
            _ => None,
        });
        arities.next().map_or(Configured::Something, |declared| {
            Configured::Operator(declared.arity as usize)
        })
    }

    /// A name that means something in a module that takes part, and nothing in the root module.
    fn elsewhere(&self, name: Symbol) -> Configured {
        let mut tables = self.tables.values();
        match tables.any(|&table| self.scopes.find(table, name).is_some()) {
            true => Configured::Something,
            false => Configured::Nothing,
        }
    }

    /// What a name means inside of a module.
    fn of_module(&self, module: Symbol, name: Symbol) -> Configured {
        if let Some(&table) = self.tables.get(&module) {
            return match self.scopes.find(table, name) {
                // What it replaces there is not seen any more.
                Some(Binding::Replaced(_)) => Configured::Something,
                _ => self.bound(table, name),
            };
        }
        let is_known = self.modules.iter().any(|known| known.ident.name == module)
            || standard::module(self.names.text(module)).is_some();
        match is_known {
            true => Configured::Something,
            false => Configured::Nothing,
        }
    }
}
