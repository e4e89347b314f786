//! Names, numbers of arguments and levels, as SANY checks them: over all definitions, used or not.
//!
//! A name is declared before it is used, nothing hides anything, and an operator gets as many arguments as it has
//! parameters. Every expression has a level: constant, state, action or temporal (`level.rs`). Where SANY only warns,
//! nothing is said here; where it is not known what SANY would say, neither.

mod builtin;
mod definition;
mod expression;
mod instance;
mod level;
mod module;
mod path;
mod scope;
mod unknown;

use std::collections::HashMap;
use std::rc::Rc;

use evenhand_source::{Diagnostic, Span};

use super::ast::Expr;
use super::load::Sources;
use crate::names::{Names, Symbol};
use level::Levels;
use module::{ByName, ModuleInfo};
use scope::Scope;

/// The modules that are built in.
pub trait Standard {
    /// The operators of a module, with the number of arguments that each parameter takes (0 for a value); none if
    /// there is no such module or nothing is known of its operators.
    fn operators(&self, module: &str) -> Option<Vec<(&'static str, &'static [u8])>>;
    /// The modules whose operators are seen through one.
    fn extends(&self, module: &str) -> &'static [&'static str];
}

/// Everything that is wrong with names, arguments and levels.
pub fn check(sources: &Sources, standard: &dyn Standard) -> Vec<Diagnostic> {
    let mut checker = Checker::new(&sources.names, standard);
    checker.all(&by_name(sources), &sources.modules);
    checker.problems
}

/// The names that mean nothing, and the operators with a wrong number of arguments, in expressions that stand behind the
/// main module. Whoever asks something from outside may hide names, and levels are looked at where it is compiled.
pub fn check_expressions<'e>(
    sources: &Sources,
    names: &Names,
    standard: &dyn Standard,
    expressions: impl Iterator<Item = &'e Expr>,
) -> Vec<Diagnostic> {
    let mut checker = Checker::new(names, standard);
    checker.all(&by_name(sources), &sources.modules);
    checker.module(&sources.modules[sources.root]);
    checker.misnamed.clear();
    for expression in expressions {
        checker.expression(expression);
    }
    checker.misnamed
}

/// Modules come before those that they need: the order of analysis is found by asking for each.
fn by_name(sources: &Sources) -> ByName<'_> {
    let all = sources.modules.iter();
    all.map(|module| (module.ident.name, module)).collect()
}

/// How many problems are told.
const MOST_PROBLEMS: usize = 50;

struct Checker<'s> {
    names: &'s Names,
    standard: &'s dyn Standard,
    /// What is known of modules that were checked.
    infos: HashMap<Symbol, Rc<ModuleInfo>>,
    levels: Levels,
    scope: Scope,
    problems: Vec<Diagnostic>,
    /// Those about names and the number of their arguments.
    misnamed: Vec<Diagnostic>,
    /// In how many `LET`s the expression is that is checked.
    lets: usize,
    /// Whether `@` means something.
    at_allowed: bool,
    /// Whether names may come from a module of which nothing is known.
    unknown: bool,
}

impl<'s> Checker<'s> {
    fn new(names: &'s Names, standard: &'s dyn Standard) -> Checker<'s> {
        Checker {
            names,
            standard,
            infos: HashMap::new(),
            levels: Levels::default(),
            scope: Scope::default(),
            problems: Vec::new(),
            misnamed: Vec::new(),
            lets: 0,
            at_allowed: false,
            unknown: false,
        }
    }

    fn text(&self, symbol: Symbol) -> &str {
        self.names.text(symbol)
    }

    fn problem(&mut self, problem: Diagnostic) {
        if self.problems.len() < MOST_PROBLEMS && !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// A problem of a name or of the number of its arguments.
    fn misnamed(&mut self, problem: Diagnostic) {
        if self.misnamed.len() < MOST_PROBLEMS && !self.misnamed.contains(&problem) {
            self.misnamed.push(problem.clone());
        }
        self.problem(problem);
    }

    fn error(&mut self, span: Span, message: String) {
        self.problem(Diagnostic::error(span, message));
    }
}
