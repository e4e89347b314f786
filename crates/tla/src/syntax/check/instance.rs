//! Instances: what takes the place of the constants and variables of a module, and what they define.

use std::rc::Rc;

use evenhand_source::{Diagnostic, spend};

use super::Checker;
use super::level::Level;
use super::module::{ModuleInfo, REPLACED};
use super::scope::{Entry, Facts, InstanceInfo, Meaning, Param, Replaced};
use crate::names::Symbol;
use crate::syntax::ast::{Expr, ExprKind, Instance, Path, Segment, Selector};

impl Checker<'_> {
    /// An instance, with a name or without.
    pub(super) fn instance(&mut self, instance: &Instance, inside: bool) {
        let info = self.info(instance.module.name);
        let open = self.scope.locals.len();
        let mut params = Vec::new();
        for declared in &instance.params {
            let param = self.param(declared);
            self.bind(declared.ident, Meaning::Constant(param));
            params.push(param);
        }
        let replaced = self.substitutions(instance, &info);
        self.scope.locals.truncate(open);
        match instance.ident {
            Some(ident) => {
                let meaning = InstanceInfo {
                    params,
                    module: info,
                    replaced,
                };
                self.define(
                    ident,
                    Meaning::Instance(Rc::new(meaning)),
                    instance.local,
                    inside,
                );
            }
            None => {
                self.unknown |= info.unknown;
                for (name, entry) in info.entries.iter().filter(|(_, entry)| entry.is_defined()) {
                    let mut entry = substituted(entry, &replaced);
                    entry.local = instance.local;
                    self.import(*name, entry, instance.module.span, inside, false);
                }
            }
        }
    }

    /// What takes the place of each constant and variable.
    fn substitutions(&mut self, instance: &Instance, info: &ModuleInfo) -> Replaced {
        let variables = info
            .variables
            .iter()
            .map(|(name, id)| (*name, Param { id: *id, arity: 0 }, true));
        let constants = info
            .constants
            .iter()
            .map(|(name, param)| (*name, *param, false));
        let declared: Vec<(Symbol, Param, bool)> = constants.chain(variables).collect();
        for (place, (ident, by)) in instance.substitutions.iter().enumerate() {
            let twice = instance.substitutions[..place]
                .iter()
                .any(|(other, _)| other.name == ident.name);
            let known = info.unknown
                || info.standard
                || declared.iter().any(|(name, ..)| *name == ident.name);
            if known && !twice {
                continue;
            }
            let (name, module) = (
                self.text(ident.name).to_string(),
                self.text(instance.module.name).to_string(),
            );
            let message = match twice {
                true => format!("`{name}` is replaced twice"),
                false => format!("the module `{module}` has no constant or variable `{name}`"),
            };
            self.error(ident.span, message);
            if !known && !matches!(by.kind, ExprKind::Lambda(..)) {
                self.expression(by);
            }
        }
        let mut replaced = Replaced::new();
        for (name, param, variable) in declared {
            let own = instance
                .substitutions
                .iter()
                .find(|(ident, _)| ident.name == name);
            let implied;
            let by = match own {
                Some((_, by)) => by,
                None => {
                    if self.scope.get(name).is_none() && !self.unknown {
                        let (text, module) = (
                            self.text(name).to_string(),
                            self.text(instance.module.name).to_string(),
                        );
                        let kind = if variable { "variable" } else { "constant" };
                        let message = format!(
                            "nothing takes the place of the {kind} `{text}` of the module `{module}`"
                        );
                        let problem = Diagnostic::error(instance.module.span, message);
                        self.problem(problem.help(format!(
                            "write WITH {text} <- ..., or declare `{text}` here"
                        )));
                    }
                    if self.scope.get(name).is_none() {
                        continue;
                    }
                    implied = same_name(name, instance);
                    &implied
                }
            };
            let level = self.argument(name, param, by);
            let most = match (info.constant, variable) {
                (true, _) => self.levels.most(param.id),
                (false, false) => REPLACED.0.min(self.levels.most(param.id)),
                (false, true) => REPLACED.1.min(self.levels.most(param.id)),
            };
            if !self.levels.limit(&level, most) {
                let what = format!("what takes the place of `{}`", self.text(name));
                self.too_high(by.span, &level, most, &what);
            }
            replaced.insert(param.id, level);
        }
        replaced
    }
}

/// The name that stands for itself.
fn same_name(name: Symbol, instance: &Instance) -> Expr {
    let span = instance.module.span;
    let last = Segment {
        name: Selector::Name(name),
        args: Vec::new(),
        span,
    };
    Expr {
        kind: ExprKind::Apply(Path {
            prefix: Vec::new(),
            last,
        }),
        span,
    }
}

impl InstanceInfo {
    /// All names that it defines.
    pub fn names(&self) -> Vec<Symbol> {
        let defined = self
            .module
            .entries
            .iter()
            .filter(|(_, entry)| entry.is_defined());
        defined.map(|(name, _)| *name).collect()
    }

    /// What the instance defines by a name.
    pub fn get(&self, name: Symbol) -> Option<Entry> {
        let entries = &self.module.entries;
        let place = entries
            .binary_search_by_key(&name, |(name, _)| *name)
            .ok()?;
        let (_, entry) = &entries[place];
        entry
            .is_defined()
            .then(|| substituted(entry, &self.replaced))
    }
}

/// A definition after substitution.
fn substituted(entry: &Entry, replaced: &Replaced) -> Entry {
    spend();
    let replace = |level: &Level| level.replaced(|id| replaced.get(&id));
    let meaning = match &entry.meaning {
        Meaning::Operator(facts) => Meaning::Operator(Rc::new(Facts {
            promised: None,
            function: facts.function,
            standard: facts.standard,
            ..Facts::new(facts.params.clone(), replace(&facts.level))
        })),
        Meaning::Instance(info) => {
            // What the inner instance replaces is made of what the outer one replaces.
            let inner = info.replaced.iter().map(|(id, by)| (*id, replace(by)));
            let mut both: Replaced = replaced.clone();
            both.extend(inner);
            Meaning::Instance(Rc::new(InstanceInfo {
                params: info.params.clone(),
                module: info.module.clone(),
                replaced: both,
            }))
        }
        Meaning::Statement(level, expression) => Meaning::Statement(replace(level), *expression),
        other => other.clone(),
    };
    Entry {
        meaning,
        span: entry.span,
        local: entry.local,
    }
}
