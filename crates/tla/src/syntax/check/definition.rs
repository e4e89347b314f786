//! Definitions, assumptions and theorems, of a module or of a `LET`.

use std::rc::Rc;

use evenhand_source::Diagnostic;

use super::Checker;
use super::level::{ACTION, CONSTANT, Level, word};
use super::scope::{Entry, Facts, Meaning, Param};
use crate::syntax::ast::{Declared, Definition, FunctionDefinition, Ident, Unit};

impl Checker<'_> {
    pub(super) fn param(&mut self, declared: &Declared) -> Param {
        Param {
            id: self.levels.id(),
            arity: declared.arity,
        }
    }

    /// A unit of a module or of a `LET`.
    pub(super) fn unit(&mut self, unit: &Unit, inside: bool) {
        match unit {
            Unit::Recursive(all) => {
                for declared in all {
                    let params = (0..declared.arity).map(|_| Param {
                        id: self.levels.id(),
                        arity: 0,
                    });
                    let params: Vec<Param> = params.collect();
                    let level = Level::from(params.iter().map(|param| param.id).collect());
                    let facts = Facts {
                        promised: Some(self.lets),
                        ..Facts::new(params, level)
                    };
                    self.define(
                        declared.ident,
                        Meaning::Operator(Rc::new(facts)),
                        false,
                        inside,
                    );
                }
            }
            Unit::Operator(definition) => self.operator(definition, inside),
            Unit::Function(definition) => self.function(definition, inside),
            Unit::Instance(instance) => self.instance(instance, inside),
            Unit::Assume { ident, body, .. } => {
                let level = self.expression(body);
                if level.base() > CONSTANT {
                    let found = word(level.base());
                    let message =
                        format!("an assumption is about constants, and this is of {found} level");
                    self.error(body.span, message);
                }
                self.levels.limit(&level, ACTION);
                self.statement(*ident, level, true);
            }
            Unit::Theorem { ident, body, .. } => {
                let level = body.as_ref().map(|body| self.expression(body));
                let expression = level.is_some();
                self.statement(*ident, level.unwrap_or_default(), expression);
            }
            Unit::Variables(_) | Unit::Constants(_) | Unit::Module(_) => {}
        }
    }

    fn statement(&mut self, ident: Option<Ident>, level: Level, expression: bool) {
        if let Some(ident) = ident {
            self.define(ident, Meaning::Statement(level, expression), false, false);
        }
    }

    fn operator(&mut self, definition: &Definition, inside: bool) {
        let arities: Vec<u32> = definition.params.iter().map(|param| param.arity).collect();
        let recursive = self.check_promise(definition.ident, &arities);
        let open = self.scope.locals.len();
        let mut params = Vec::new();
        for declared in &definition.params {
            let param = self.param(declared);
            self.bind(declared.ident, Meaning::Constant(param));
            params.push(param);
        }
        // The parameters count: none has the name of the operator.
        if !recursive {
            self.check_new(definition.ident);
        }
        let level = self.expression(&definition.body);
        self.scope.locals.truncate(open);
        if recursive
            && params
                .iter()
                .any(|param| self.levels.most(param.id) < ACTION)
        {
            let message = "a recursive operator cannot prime its parameters";
            self.error(definition.ident.span, message.to_string());
        }
        let entry = Entry {
            meaning: Meaning::Operator(Rc::new(Facts::new(params, level))),
            span: Some(definition.ident.span),
            local: definition.local,
        };
        self.put(definition.ident.name, entry, inside);
    }

    fn function(&mut self, definition: &FunctionDefinition, inside: bool) {
        let recursive = self.check_promise(definition.ident, &[]);
        if !recursive {
            self.check_new(definition.ident);
        }
        let open = self.scope.locals.len();
        let mut level = self.bounds(&definition.bounds);
        let patterns = definition.bounds.iter().flat_map(|bound| &bound.patterns);
        let function = Some(patterns.count());
        let entry = |level: Level, local: bool| Entry {
            meaning: Meaning::Operator(Rc::new(Facts {
                function,
                ..Facts::new(Vec::new(), level)
            })),
            span: Some(definition.ident.span),
            local,
        };
        // The function may be applied in its own values.
        self.scope
            .locals
            .push((definition.ident.name, entry(Level::default(), true)));
        level.join(&self.expression(&definition.body));
        self.scope.locals.truncate(open);
        self.put(
            definition.ident.name,
            entry(level, definition.local),
            inside,
        );
    }

    /// Whether `RECURSIVE` declares what is defined here; it must do so in the same place with the same parameters.
    fn check_promise(&mut self, ident: Ident, arities: &[u32]) -> bool {
        let Some(entry) = self.scope.get(ident.name) else {
            return false;
        };
        let Meaning::Operator(facts) = &entry.meaning else {
            return false;
        };
        let Some(lets) = facts.promised else {
            return false;
        };
        let wrong = facts.params.len() != arities.len() || arities.iter().any(|arity| *arity > 0);
        if wrong {
            self.error(
                ident.span,
                "this has other parameters than its RECURSIVE declaration".to_string(),
            );
        }
        if lets != self.lets {
            self.error(
                ident.span,
                "this is not defined where RECURSIVE declares it".to_string(),
            );
        }
        true
    }

    /// Reports what `RECURSIVE` declares and nobody defines.
    pub(super) fn check_promises(&mut self, units: &[Unit]) {
        let all = units.iter().filter_map(|unit| match unit {
            Unit::Recursive(all) => Some(all),
            _ => None,
        });
        for declared in all.flatten() {
            if self.promised(declared.ident.name) {
                let name = self.text(declared.ident.name).to_string();
                let message = format!("`{name}` is declared by RECURSIVE and never defined");
                self.problem(Diagnostic::error(declared.ident.span, message));
            }
        }
    }
}
