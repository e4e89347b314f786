//! What names mean at a place.

use std::collections::HashMap;
use std::rc::Rc;

use evenhand_source::{Diagnostic, Span};

use super::Checker;
use super::level::{Id, Level};
use super::module::ModuleInfo;
use crate::names::Symbol;
use crate::syntax::ast::Ident;

/// A parameter with the number of its arguments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Param {
    pub id: Id,
    pub arity: u32,
}

/// What a name means.
#[derive(Clone)]
pub(super) enum Meaning {
    /// A constant, or a parameter of an operator.
    Constant(Param),
    /// A variable.
    Variable(Id),
    /// A name that a quantifier or the like binds: a constant, or a variable of `\EE` and `\AA`.
    Bound(u8),
    /// A definition.
    Operator(Rc<Facts>),
    /// An instance with a name.
    Instance(Rc<InstanceInfo>),
    /// A theorem or an assumption; whether it is an expression.
    Statement(Level, bool),
}

/// What is known of a definition.
pub(super) struct Facts {
    pub params: Vec<Param>,
    pub level: Level,
    /// In how many `LET`s it is declared by `RECURSIVE`, while it is not defined.
    pub promised: Option<usize>,
    /// The number of arguments of a function.
    pub function: Option<usize>,
    /// Whether it belongs to a module that is built in.
    pub standard: bool,
}

impl Facts {
    pub fn new(params: Vec<Param>, level: Level) -> Facts {
        Facts {
            params,
            level,
            promised: None,
            function: None,
            standard: false,
        }
    }
}

/// What takes the place of constants and variables.
pub(super) type Replaced = HashMap<Id, Level>;

/// An instance with a name.
pub(super) struct InstanceInfo {
    pub params: Vec<Param>,
    pub module: Rc<ModuleInfo>,
    pub replaced: Replaced,
}

/// A name with its meaning.
#[derive(Clone)]
pub(super) struct Entry {
    pub meaning: Meaning,
    /// Where it is defined; none if it is built in.
    pub span: Option<Span>,
    pub local: bool,
}

/// Names that can be seen: those of the module, and those of the expression around.
#[derive(Default, Clone)]
pub(super) struct Scope {
    pub globals: HashMap<Symbol, Entry>,
    pub locals: Vec<(Symbol, Entry)>,
    /// Modules inside of this one and of those that it extends.
    pub modules: HashMap<Symbol, Rc<ModuleInfo>>,
}

impl Scope {
    pub fn get(&self, name: Symbol) -> Option<&Entry> {
        let local = self.locals.iter().rev().find(|(found, _)| *found == name);
        local
            .map(|(_, entry)| entry)
            .or_else(|| self.globals.get(&name))
    }
}

impl Entry {
    /// A kind of symbols that may stand for each other.
    fn kind(&self) -> u8 {
        match self.meaning {
            Meaning::Constant(_) => 0,
            Meaning::Variable(_) => 1,
            Meaning::Bound(_) => 2,
            Meaning::Operator(_) => 3,
            Meaning::Instance(_) => 4,
            Meaning::Statement(..) => 5,
        }
    }

    /// The number of arguments.
    pub fn arity(&self) -> usize {
        match &self.meaning {
            Meaning::Constant(param) => param.arity as usize,
            Meaning::Operator(facts) => facts.params.len(),
            Meaning::Instance(info) => info.params.len(),
            _ => 0,
        }
    }

    fn is_declared(&self) -> bool {
        let statement = matches!(self.meaning, Meaning::Statement(..));
        statement || !self.is_defined()
    }

    /// Whether it is part of what an instance defines.
    pub fn is_defined(&self) -> bool {
        !matches!(self.meaning, Meaning::Constant(_) | Meaning::Variable(_))
    }

    pub fn is_standard(&self) -> bool {
        matches!(&self.meaning, Meaning::Operator(facts) if facts.standard)
    }
}

impl Checker<'_> {
    /// Binds a name in an expression: it must be new.
    pub(super) fn bind(&mut self, ident: Ident, meaning: Meaning) {
        self.check_new(ident);
        let entry = Entry {
            meaning,
            span: Some(ident.span),
            local: true,
        };
        self.scope.locals.push((ident.name, entry));
    }

    /// Reports a name that has a meaning already.
    pub(super) fn check_new(&mut self, ident: Ident) {
        let name = self.text(ident.name).to_string();
        if let Some(entry) = self.scope.get(ident.name) {
            let problem =
                Diagnostic::error(ident.span, format!("`{name}` has a meaning here already"));
            let problem = match entry.span {
                Some(span) => problem.label(span, "it is defined here"),
                None => problem.help("it comes from a module that is built in"),
            };
            self.problem(
                problem.maybe_help(Some("names cannot be hidden: take another one".to_string())),
            );
        } else if super::builtin::reserved(&name) {
            self.error(ident.span, format!("`{name}` is part of the language"));
        }
    }

    /// Defines a name of the module or of a `LET`. Declarations may come twice if they say the same.
    pub(super) fn define(&mut self, ident: Ident, meaning: Meaning, local: bool, inside: bool) {
        let entry = Entry {
            meaning,
            span: Some(ident.span),
            local,
        };
        let again = self.scope.get(ident.name).is_some_and(|old| {
            entry.is_declared() && old.kind() == entry.kind() && old.arity() == entry.arity()
        });
        if again {
            return;
        }
        if !self.promised(ident.name) {
            self.check_new(ident);
        }
        self.put(ident.name, entry, inside);
    }

    pub(super) fn promised(&self, name: Symbol) -> bool {
        let entry = self.scope.get(name);
        entry.is_some_and(
            |entry| matches!(&entry.meaning, Meaning::Operator(facts) if facts.promised.is_some()),
        )
    }

    /// Gives a name a meaning, whatever it had.
    pub(super) fn put(&mut self, name: Symbol, entry: Entry, inside: bool) {
        if !inside {
            self.scope.globals.insert(name, entry);
            return;
        }
        match self
            .scope
            .locals
            .iter_mut()
            .rev()
            .find(|(found, _)| *found == name)
        {
            Some((_, old)) => *old = entry,
            None => self.scope.locals.push((name, entry)),
        }
    }

    /// Adds a name from another module; the same name may come by several ways.
    pub(super) fn import(
        &mut self,
        name: Symbol,
        entry: Entry,
        at: Span,
        inside: bool,
        extended: bool,
    ) {
        if let Some(old) = self.scope.get(name) {
            let same_kind = old.kind() == entry.kind();
            let fits = same_kind && (extended || old.arity() == entry.arity());
            if fits || old.is_standard() || entry.is_standard() {
                return;
            }
            let text = self.text(name).to_string();
            let message = format!("this module brings another meaning of `{text}`");
            let mut problem = Diagnostic::error(at, message);
            if let Some(span) = old.span {
                problem = problem.label(span, "the one that it has here");
            }
            if let Some(span) = entry.span {
                problem = problem.label(span, "the other one");
            }
            self.problem(problem);
            return;
        }
        self.put(name, entry, inside);
    }
}
