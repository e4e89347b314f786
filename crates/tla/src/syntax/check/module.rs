//! The units of a module, one after the other.

use std::collections::HashMap;
use std::rc::Rc;

use super::Checker;
use super::level::{ACTION, CONSTANT, Id, Level, STATE};
use super::scope::{Entry, Facts, Meaning, Param, Scope};
use crate::names::Symbol;
use crate::syntax::ast::{Ident, Module, Unit};

/// What is known of a module that was checked.
#[derive(Default)]
pub(super) struct ModuleInfo {
    /// What others see, in order.
    pub entries: Vec<(Symbol, Entry)>,
    pub constants: Vec<(Symbol, Param)>,
    pub variables: Vec<(Symbol, Id)>,
    pub modules: HashMap<Symbol, Rc<ModuleInfo>>,
    /// Whether there are only constants in it.
    pub constant: bool,
    /// Whether nothing is known of it, or of one that it extends.
    pub unknown: bool,
    /// Whether it is built in.
    pub standard: bool,
}

/// The modules by their names.
pub(super) type ByName<'m> = HashMap<Symbol, &'m Module>;

impl Checker<'_> {
    /// Checks all modules, each behind those that it needs.
    pub(super) fn all<'m>(&mut self, by_name: &ByName<'m>, modules: &'m [Module]) {
        for module in modules {
            self.ensure(by_name, module);
        }
    }

    fn ensure(&mut self, by_name: &ByName<'_>, module: &Module) {
        if self.infos.contains_key(&module.ident.name) {
            return;
        }
        // Modules that need each other in a circle were refused; this is for those who skip that.
        self.infos.insert(
            module.ident.name,
            Rc::new(ModuleInfo {
                unknown: true,
                ..ModuleInfo::default()
            }),
        );
        let mut needed = Vec::new();
        crate::syntax::units::needed(module, &mut needed);
        for name in needed {
            if let Some(module) = by_name.get(&name) {
                self.ensure(by_name, module);
            }
        }
        let scope = std::mem::take(&mut self.scope);
        let unknown = std::mem::take(&mut self.unknown);
        let info = self.module(module);
        self.scope = scope;
        self.unknown = unknown;
        self.infos.insert(module.ident.name, Rc::new(info));
    }

    /// What is known of the module of a name.
    pub(super) fn info(&mut self, name: Symbol) -> Rc<ModuleInfo> {
        if let Some(info) = self
            .scope
            .modules
            .get(&name)
            .or_else(|| self.infos.get(&name))
        {
            return info.clone();
        }
        let text = self.text(name).to_string();
        let info = Rc::new(self.standard_info(&text, 0));
        self.infos.insert(name, info.clone());
        info
    }

    /// What is known of a module that is built in.
    fn standard_info(&mut self, name: &str, depth: u32) -> ModuleInfo {
        let mut info = ModuleInfo {
            constant: true,
            standard: true,
            ..ModuleInfo::default()
        };
        let Some(operators) = self.standard.operators(name) else {
            info.unknown = true;
            return info;
        };
        for module in self.standard.extends(name) {
            if depth < 20 {
                let more = self.standard_info(module, depth + 1);
                info.entries.extend(more.entries);
                info.unknown |= more.unknown;
            }
        }
        for (operator, arities) in operators {
            // A name that no text has is asked for by nobody.
            let Some(symbol) = self.names.get(operator) else {
                continue;
            };
            let params: Vec<Param> = arities
                .iter()
                .map(|&arity| Param {
                    id: self.levels.id(),
                    arity: u32::from(arity),
                })
                .collect();
            let mut level = Level::default();
            // In the text of the module a product is TRUE, whatever its factors are.
            if PURE.contains(&name) && operator != "*" {
                level = Level::from(params.iter().map(|param| param.id).collect());
                self.levels.limit(&level, ACTION);
            }
            let facts = Facts {
                standard: true,
                ..Facts::new(params, level)
            };
            let entry = Entry {
                meaning: Meaning::Operator(Rc::new(facts)),
                span: None,
                local: false,
            };
            info.entries.push((symbol, entry));
        }
        info.entries.sort_by_key(|(name, _)| *name);
        info
    }

    /// Checks a module; what can be seen at its end stays.
    pub(super) fn module(&mut self, module: &Module) -> ModuleInfo {
        // What was visible outside is visible inside, but is not part of the module.
        let outer = self.scope.globals.clone();
        let mut info = ModuleInfo {
            constant: true,
            ..ModuleInfo::default()
        };
        for extended in &module.extends {
            self.extend(*extended, &mut info);
        }
        for unit in &module.units {
            match unit {
                Unit::Module(inner) => {
                    let scope: Scope = self.scope.clone();
                    let inner_info = Rc::new(self.module(inner));
                    self.scope = scope;
                    self.scope
                        .modules
                        .insert(inner.ident.name, inner_info.clone());
                    info.modules.insert(inner.ident.name, inner_info);
                }
                Unit::Variables(all) => {
                    for ident in all {
                        let id = self.levels.variable();
                        self.define(*ident, Meaning::Variable(id), false, false);
                        info.variables.push((ident.name, id));
                    }
                }
                Unit::Constants(all) => {
                    for declared in all {
                        let param = self.param(declared);
                        self.define(declared.ident, Meaning::Constant(param), false, false);
                        info.constants.push((declared.ident.name, param));
                    }
                }
                unit => self.unit(unit, false),
            }
        }
        self.check_promises(&module.units);
        for (&name, entry) in &self.scope.globals {
            if !entry.local && outer.get(&name).is_none_or(|old| old.span != entry.span) {
                info.entries.push((name, entry.clone()));
            }
        }
        info.entries.sort_by_key(|(name, _)| *name);
        info.unknown |= self.unknown;
        let above = |entry: &Entry| matches!(&entry.meaning, Meaning::Operator(facts) if facts.level.base() > CONSTANT);
        info.constant =
            info.variables.is_empty() && !info.entries.iter().any(|(_, entry)| above(entry));
        info
    }

    fn extend(&mut self, extended: Ident, into: &mut ModuleInfo) {
        let info = self.info(extended.name);
        self.unknown |= info.unknown;
        for (name, entry) in &info.entries {
            self.import(*name, entry.clone(), extended.span, false, true);
        }
        for (name, param) in &info.constants {
            if !into.constants.iter().any(|(_, old)| old.id == param.id) {
                into.constants.push((*name, *param));
            }
        }
        for (name, id) in &info.variables {
            if !into.variables.iter().any(|(_, old)| old == id) {
                into.variables.push((*name, *id));
            }
        }
        for (name, module) in &info.modules {
            self.scope.modules.insert(*name, module.clone());
            into.modules.insert(*name, module.clone());
        }
    }
}

/// Modules whose operators are made of their arguments; others have definitions in which arguments play no part, such
/// as `PrintT(out) == TRUE`.
const PURE: [&str; 6] = [
    "Naturals",
    "Integers",
    "Reals",
    "Sequences",
    "FiniteSets",
    "Bags",
];

/// The highest level of what takes the place of a constant or a variable of a module with variables.
pub(super) const REPLACED: (u8, u8) = (CONSTANT, STATE);
