//! What is known of a module before all are read: which others it needs.

use evenhand_source::{FileId, Span};

use super::ast::{self, Expr, ExprKind, Module};
use super::lexer::Lexed;
use super::order::built_in;
use super::walk;
use crate::names::{Names, Symbol};

/// A module that was read, or one that is built in.
pub(super) struct Unit {
    /// Its name.
    pub name: String,
    /// Its file and its tokens; none if it is built in.
    pub text: Option<(FileId, Lexed)>,
    /// What it needs, then what each module inside of it needs.
    pub needs: Vec<Needs>,
    /// The module with scratch names.
    pub module: Option<Module>,
}

/// The modules that one needs, in the order in which they are named.
#[derive(Default)]
pub(super) struct Needs {
    /// The name of the module.
    pub name: String,
    /// Those that it extends.
    pub extends: Vec<(String, Span)>,
    /// Those of which it has instances.
    pub instances: Vec<(String, Span)>,
}

impl Unit {
    /// A module that is built in, named at a place.
    pub fn built_in(name: &str, span: Span) -> Unit {
        let listed = |names: &[&str]| names.iter().map(|name| (name.to_string(), span)).collect();
        let needs = built_in(name).map_or_else(Needs::default, |text| Needs {
            name: name.to_string(),
            extends: listed(text.extends),
            instances: listed(text.instances),
        });
        Unit {
            name: name.to_string(),
            text: None,
            needs: vec![needs],
            module: None,
        }
    }
}

impl Needs {
    /// What a module needs, and what those inside of it need.
    pub fn of(module: &Module, names: &Names) -> Vec<Needs> {
        let mut all = vec![Needs::default()];
        collect(module, names, &mut all, 0);
        all
    }
}

fn collect(module: &Module, names: &Names, all: &mut Vec<Needs>, own: usize) {
    let named = |ident: &ast::Ident| (names.text(ident.name).to_string(), ident.span);
    all[own].name = names.text(module.ident.name).to_string();
    all[own].extends = module.extends.iter().map(named).collect();
    for unit in &module.units {
        match unit {
            ast::Unit::Module(inner) => {
                all.push(Needs::default());
                let place = all.len() - 1;
                collect(inner, names, all, place);
            }
            _ => instances(unit, &mut |instance| {
                all[own].instances.push(named(&instance.module))
            }),
        }
    }
}

/// The instances of a unit, those in its `LET`s too.
fn instances<'e>(unit: &'e ast::Unit, each: &mut dyn FnMut(&'e ast::Instance)) {
    if let ast::Unit::Instance(instance) = unit {
        each(instance);
    }
    walk::inside(unit, &mut |expr| {
        walk::all(expr, &mut |expr: &'e Expr| {
            if let ExprKind::Let(units, _) = &expr.kind {
                for unit in units {
                    if let ast::Unit::Instance(instance) = unit {
                        each(instance);
                    }
                }
            }
        });
    });
}

/// The names of the modules that one needs.
pub(super) fn needed(module: &Module, into: &mut Vec<Symbol>) {
    into.extend(module.extends.iter().map(|ident| ident.name));
    for unit in &module.units {
        match unit {
            ast::Unit::Module(inner) => needed(inner, into),
            _ => instances(unit, &mut |instance| into.push(instance.module.name)),
        }
    }
}
