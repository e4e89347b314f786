//! What names mean while code is made of a text.
//!
//! A *scope* is a table with the scope around it. Modules, instances, `LET` and bound names have scopes of their own.
//! Nothing is copied for an instance but the table: a definition means its text in a scope, and what is substituted
//! is a text in the scope of the instance.

use std::collections::HashMap;
use std::rc::Rc;

use crate::code::{Row, Slot, Var};
use crate::names::Symbol;
use crate::standard::StandardOperator;
use crate::syntax::ast::{Definition, Expr, FunctionDefinition, Ident, Instance};
use crate::value::Value;

/// A scope, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ScopeId(pub u32);

/// A definition in a scope, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct DefId(pub u32);

/// A frame, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct FrameId(pub u32);

/// The variables of instances that have columns of their own in a row, by the number of their set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Columns(pub u16);

/// Which rows the unprimed and the primed variables are in, and what has columns of its own there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Rows {
    pub now: Row,
    pub now_columns: Columns,
    pub next: Option<Row>,
    pub next_columns: Columns,
}

impl Rows {
    /// The row of a state.
    pub const STATE: Rows = Rows {
        now: 0,
        now_columns: Columns(0),
        next: None,
        next_columns: Columns(0),
    };

    /// The rows of a step.
    pub const STEP: Rows = Rows {
        next: Some(1),
        ..Rows::STATE
    };

    /// The rows of what is primed.
    pub fn primed(self) -> Option<Rows> {
        self.next.map(|next| Rows {
            now: next,
            now_columns: self.next_columns,
            next: None,
            next_columns: Columns::default(),
        })
    }

    /// The rows of a step from here into another row.
    pub fn into(self, row: Row, columns: Columns) -> Rows {
        Rows {
            next: Some(row),
            next_columns: columns,
            ..self
        }
    }

    /// The first row that is neither a state's, nor a next state's, nor one of these.
    pub fn unused(self) -> Row {
        1 + self.now.max(self.next.unwrap_or(0)).max(1)
    }
}

/// What a name means.
#[derive(Clone, Debug)]
pub(super) enum Binding<'a> {
    Variable(Var),
    Constant(Value),
    /// A constant without a value.
    Unassigned(Ident),
    /// What the configuration puts in its place: a definition of the root module.
    Replaced(Symbol),
    /// A constant operator that is given by a table.
    Table(Rc<Vec<(Vec<Value>, Value)>>),
    /// A bound name.
    Slot(FrameId, Slot),
    /// An argument that a definition with a frame of its own was called with, and where its variables were read.
    Param(FrameId, Slot, Row),
    /// A text in a scope, and the slot with its value for some rows.
    Text(&'a Expr, ScopeId, Option<(FrameId, Slot, Rows)>),
    /// What stands for a variable of an instance, and which variable of which instance it is.
    Substituted(Rc<Binding<'a>>, u32),
    /// Code that depends on nothing.
    Global(u32),
    Definition(DefId),
    Lambda(&'a [Ident], &'a Expr, ScopeId),
    Instance(&'a Instance, ScopeId),
    Standard(&'static StandardOperator),
    /// The same, where the configuration has something in its place elsewhere.
    Original(&'static StandardOperator),
    /// An operator of the language itself.
    Builtin(Symbol),
}

/// What is defined.
#[derive(Clone, Copy, Debug)]
pub(super) enum Defined<'a> {
    Operator(&'a Definition),
    Function(&'a FunctionDefinition),
}

/// A definition in a scope.
#[derive(Clone, Debug)]
pub(super) struct Def<'a> {
    pub what: Defined<'a>,
    pub scope: ScopeId,
    pub frame: FrameId,
    pub recursive: bool,
    /// Whether it is too large to be expanded again, as a value and as an action.
    pub large: bool,
    pub large_act: bool,
}

impl<'a> Def<'a> {
    pub fn ident(&self) -> Ident {
        match self.what {
            Defined::Operator(definition) => definition.ident,
            Defined::Function(definition) => definition.ident,
        }
    }
}

/// A table of names.
#[derive(Debug, Default)]
pub(super) struct Scope<'a> {
    pub outer: Option<ScopeId>,
    /// The frame that was made when it was.
    pub frame: Option<FrameId>,
    pub names: HashMap<Symbol, Binding<'a>>,
    /// Names that stay here when the module is extended or instantiated.
    pub local: Vec<Symbol>,
    pub modules: HashMap<Symbol, &'a crate::syntax::ast::Module>,
}

/// All scopes.
#[derive(Debug, Default)]
pub(super) struct Scopes<'a> {
    list: Vec<Scope<'a>>,
    /// The frame at hand.
    pub frame: Option<FrameId>,
}

impl<'a> Scopes<'a> {
    pub fn add(&mut self, outer: Option<ScopeId>) -> ScopeId {
        evenhand_source::spend();
        let id = ScopeId(u32::try_from(self.list.len()).unwrap_or(u32::MAX));
        self.list.push(Scope {
            outer,
            frame: self.frame,
            ..Scope::default()
        });
        id
    }

    /// A scope with one more name.
    pub fn with(&mut self, outer: ScopeId, name: Symbol, binding: Binding<'a>) -> ScopeId {
        let scope = self.add(Some(outer));
        self.bind(scope, name, binding);
        scope
    }

    pub fn bind(&mut self, scope: ScopeId, name: Symbol, binding: Binding<'a>) {
        self.list[scope.0 as usize].names.insert(name, binding);
    }

    pub fn get(&self, scope: ScopeId) -> &Scope<'a> {
        &self.list[scope.0 as usize]
    }

    pub fn get_mut(&mut self, scope: ScopeId) -> &mut Scope<'a> {
        &mut self.list[scope.0 as usize]
    }

    /// What a name means in a scope or around it.
    pub fn find(&self, scope: ScopeId, name: Symbol) -> Option<&Binding<'a>> {
        let mut at = Some(scope);
        while let Some(id) = at {
            let scope = self.get(id);
            if let Some(binding) = scope.names.get(&name) {
                return Some(binding);
            }
            at = scope.outer;
        }
        None
    }

    /// The module of that name that is nested in a scope or around it.
    pub fn module(
        &self,
        scope: ScopeId,
        name: Symbol,
    ) -> Option<(&'a crate::syntax::ast::Module, ScopeId)> {
        let mut at = Some(scope);
        while let Some(id) = at {
            let scope = self.get(id);
            if let Some(module) = scope.modules.get(&name) {
                return Some((module, id));
            }
            at = scope.outer;
        }
        None
    }
}
