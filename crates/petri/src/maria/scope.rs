//! What names mean: declarations of the net, and the variables of a transition.

use std::collections::HashMap;
use std::sync::Arc;

use evenhand_source::{Diagnostic, Span, nearest};

use super::code::{BagExpr, Expr, PlaceId};
use super::syntax::{Ast, FunctionAst, Name};
use super::types::{Numbers, TypeId, Types};

/// A function or a constant.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub ty: TypeId,
    pub parameters: Vec<(Arc<str>, TypeId)>,
    pub inside: Ast,
    /// How many functions of the net it knows.
    pub knows: usize,
}

/// A place.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub name: Arc<str>,
    pub span: Span,
    pub ty: TypeId,
    /// How many tokens it may have; none if any number.
    pub capacity: Option<Numbers>,
    pub constant: bool,
    pub initial: Option<BagExpr>,
    /// Room for the counters of its initial marking.
    pub size: usize,
}

/// What a net declares, apart from its transitions.
#[derive(Clone, Debug)]
pub(crate) struct Declarations {
    pub types: Types,
    pub functions: Vec<(Arc<str>, Function)>,
    pub places: Vec<Place>,
    pub place_names: HashMap<Arc<str>, PlaceId>,
    /// Conditions with names, usable in formulas.
    pub propositions: Vec<(Name, Ast)>,
}

impl Declarations {
    pub fn new() -> Declarations {
        Declarations {
            types: Types::new(),
            functions: Vec::new(),
            places: Vec::new(),
            place_names: HashMap::new(),
            propositions: Vec::new(),
        }
    }

    pub fn place(&self, name: &Name) -> Result<PlaceId, Diagnostic> {
        self.place_names.get(&name.text).copied().ok_or_else(|| {
            let known = self.place_names.keys().map(|name| &**name);
            missing("place", name, nearest(&name.text, known))
        })
    }

    pub fn type_named(&self, name: &Name) -> Result<TypeId, Diagnostic> {
        self.types
            .named(&name.text)
            .ok_or_else(|| missing("type", name, nearest(&name.text, self.types.names())))
    }

    /// A function as it is known after so many.
    pub fn function(&self, ast: &FunctionAst, knows: usize) -> Result<Function, Diagnostic> {
        let mut parameters = Vec::new();
        for (ty, name) in &ast.parameters {
            parameters.push((name.text.clone(), self.type_named(ty)?));
        }
        Ok(Function {
            ty: self.type_named(&ast.ty)?,
            parameters,
            inside: ast.inside.clone(),
            knows,
        })
    }

    /// A function of the net, among so many.
    pub fn known_function(&self, name: &str, among: usize) -> Option<&Function> {
        let among = among.min(self.functions.len());
        let mut known = self.functions[..among].iter().rev();
        known
            .find(|(own, _)| **own == *name)
            .map(|(_, function)| function)
    }
}

/// Something of that name does not exist.
pub(crate) fn missing(what: &str, name: &Name, hint: Option<&str>) -> Diagnostic {
    let message = format!("there is no {what} `{}`", name.text.escape_debug());
    let help = hint.map(|hint| format!("did you mean `{hint}`?"));
    Diagnostic::error(name.span, message).maybe_help(help)
}

/// A variable of a transition.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub name: Arc<str>,
    pub span: Span,
    pub ty: TypeId,
    /// Which piece of the transition it belongs to; those of piece 0 are known to all.
    pub piece: usize,
    pub offset: usize,
    /// The type for whose values there is one each, and how many these are.
    pub family: Option<(TypeId, usize)>,
    /// Whether its values are drawn when everything else is known, and under which condition.
    pub output: Option<Option<Expr>>,
}

/// A function that is being replaced by what it stands for.
pub(crate) struct Frame {
    pub parameters: Vec<(Arc<str>, Expr)>,
    /// Counters below this one are not known inside.
    pub counters: usize,
    /// How many functions of the net are known inside.
    pub knows: usize,
    /// Whether it belongs to the transition, so that its variables are known inside.
    pub local: bool,
}

/// What is known where an expression stands.
#[derive(Default)]
pub(crate) struct Scope {
    pub frames: Vec<Frame>,
    pub counters: Vec<(Arc<str>, TypeId, usize)>,
    pub variables: Vec<Variable>,
    /// Functions of the transition, by piece.
    pub functions: Vec<(usize, Arc<str>, Function)>,
    pub piece: usize,
    /// Room in memory.
    pub size: usize,
    /// Whether a name that is unknown becomes a variable.
    pub implicit: bool,
    /// Whether output variables may be declared.
    pub outputs: bool,
    /// Whether conditions with names are known.
    pub propositions: bool,
    /// How many expressions were made.
    pub made: usize,
    /// How many expressions the one at hand stands in.
    pub depth: usize,
}

impl Scope {
    /// Whether variables of the transition are known here.
    pub fn sees_variables(&self) -> bool {
        self.frames.last().is_none_or(|frame| frame.local)
    }

    pub fn variable(&self, name: &str) -> Option<&Variable> {
        if !self.sees_variables() {
            return None;
        }
        let mut known = self.variables.iter();
        known.find(|v| (v.piece == self.piece || v.piece == 0) && &*v.name == name)
    }

    pub fn counter(&self, name: Option<&str>) -> Option<(TypeId, usize)> {
        let base = self.frames.last().map_or(0, |frame| frame.counters);
        let mut known = self.counters[base..].iter().rev();
        known
            .find(|(own, ..)| name.is_none_or(|name| **own == *name))
            .map(|(_, ty, offset)| (*ty, *offset))
    }

    pub fn parameter(&self, name: &str) -> Option<&Expr> {
        let frame = self.frames.last()?;
        let mut known = frame.parameters.iter();
        known.find(|(own, _)| **own == *name).map(|(_, expr)| expr)
    }

    /// Room for a value; one without numbers has a place of its own all the same.
    pub fn room(&mut self, slots: usize) -> usize {
        let offset = self.size;
        self.size += slots.max(1);
        offset
    }
}
