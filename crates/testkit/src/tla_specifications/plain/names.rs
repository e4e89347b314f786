//! What names mean: one list from the innermost name outwards, and modules as such lists.
//!
//! A definition sees itself and what stands before it in its own list. What a module extends is put into its list as
//! pointers into the other list. An instance is its module's list, made again for each use, with expressions of the one
//! who uses it in the place of constants and variables: substitution is nothing but another meaning of a name.

use std::rc::Rc;

use evenhand_tla::names::Symbol;
use evenhand_tla::syntax::ast::{
    Declared, Expr, ExprKind, FunctionDefinition, Ident, Instance, Module, Path, Selector, Unit,
};

use super::Plain;
use super::value::{Result, V, undefined};

/// Values of variables, before and behind a step.
#[derive(Clone)]
pub struct Rows<'a> {
    pub now: Rc<Row<'a>>,
    pub next: Rc<Row<'a>>,
}

/// The values of all variables, as far as they have some.
pub type Row<'a> = Vec<Option<V<'a>>>;

/// A list of names.
pub type List<'a> = Option<Rc<Node<'a>>>;

/// A name in front of a list.
pub struct Node<'a> {
    pub name: Symbol,
    pub meaning: Meaning<'a>,
    pub up: List<'a>,
}

/// What a name is.
#[derive(Clone)]
pub enum Meaning<'a> {
    Value(V<'a>),
    Variable(usize),
    /// An expression that is evaluated where its value is needed, with what its names mean.
    Text(&'a Expr, List<'a>),
    Operator(Vec<Declared>, &'a Expr),
    /// `LAMBDA`, with what its names mean.
    Lambda(&'a [Ident], &'a Expr, List<'a>),
    Function(&'a FunctionDefinition),
    Instance(&'a Instance),
    /// What the name of another list means.
    Elsewhere(Rc<Node<'a>>),
    /// Another name of the specification, which a configuration puts in its place.
    Replaced(Symbol),
    /// An operator that is built in.
    BuiltIn(Symbol),
    Module(&'a Module),
    /// `LOCAL`, so it is not seen outside.
    Hidden(Box<Meaning<'a>>),
}

/// A meaning with the list in which its text is to be read.
#[derive(Clone)]
pub struct Found<'a> {
    pub meaning: Meaning<'a>,
    pub list: List<'a>,
}

/// A list with a name in front of it.
pub fn put<'a>(list: &List<'a>, name: Symbol, meaning: Meaning<'a>) -> List<'a> {
    Some(Rc::new(Node {
        name,
        meaning,
        up: list.clone(),
    }))
}

/// The place of a name in a list.
pub fn node<'a>(list: &List<'a>, name: Symbol) -> Option<Rc<Node<'a>>> {
    let mut at = list.clone();
    while let Some(node) = at {
        if node.name == name {
            return Some(node);
        }
        at = node.up.clone();
    }
    None
}

impl<'a> Plain<'a> {
    /// What a name means.
    pub fn find(&self, list: &List<'a>, name: Symbol) -> Found<'a> {
        match node(list, name) {
            Some(node) => self.found(&node),
            None => match self.replaced(name) {
                Some(by) if by != name => self.find(&self.root(), by),
                _ => Found {
                    meaning: Meaning::BuiltIn(name),
                    list: None,
                },
            },
        }
    }

    fn found(&self, node: &Rc<Node<'a>>) -> Found<'a> {
        let mut meaning = &node.meaning;
        if let Meaning::Hidden(inside) = meaning {
            meaning = inside;
        }
        match meaning {
            Meaning::Elsewhere(node) => self.found(node),
            Meaning::Replaced(by) => self.find(&self.root(), *by),
            _ => Found {
                meaning: meaning.clone(),
                list: Some(node.clone()),
            },
        }
    }

    /// What a path means; its own arguments are not looked at.
    pub fn resolve(&self, path: &'a Path, list: &List<'a>) -> Result<Found<'a>> {
        let mut inside = list.clone();
        for segment in &path.prefix {
            let Selector::Name(name) = segment.name else {
                return undefined();
            };
            let found = self.find(&inside, name);
            let Meaning::Instance(instance) = found.meaning else {
                return undefined();
            };
            let scope = self.with_arguments(&instance.params, &segment.args, &found.list, list);
            inside = self.instance(instance, &scope)?;
        }
        match path.last.name {
            Selector::Name(name) => Ok(self.find(&inside, name)),
            _ => undefined(),
        }
    }

    /// A list with parameters in front of it that mean arguments, which are read in another list.
    pub fn with_arguments(
        &self,
        params: &[Declared],
        args: &'a [Expr],
        list: &List<'a>,
        outside: &List<'a>,
    ) -> List<'a> {
        let mut inner = list.clone();
        for (param, arg) in params.iter().zip(args) {
            let meaning = match param.arity {
                0 => Meaning::Text(arg, outside.clone()),
                _ => self.operator(arg, outside),
            };
            inner = put(&inner, param.ident.name, meaning);
        }
        inner
    }

    /// An operator as an argument.
    pub fn operator(&self, arg: &'a Expr, list: &List<'a>) -> Meaning<'a> {
        match &arg.kind {
            ExprKind::Lambda(params, body) => Meaning::Lambda(params, body, list.clone()),
            ExprKind::Apply(path) if path.prefix.is_empty() => {
                let Selector::Name(name) = path.last.name else {
                    return Meaning::Text(arg, list.clone());
                };
                match node(list, name) {
                    Some(node) => Meaning::Elsewhere(node),
                    None => Meaning::BuiltIn(name),
                }
            }
            ExprKind::Apply(path) => match self.resolve(path, list) {
                Ok(Found {
                    list: Some(node), ..
                }) => Meaning::Elsewhere(node),
                _ => Meaning::Text(arg, list.clone()),
            },
            _ => Meaning::Text(arg, list.clone()),
        }
    }

    /// The list of an instance's module; what takes the place of names is read in `scope`.
    pub fn instance(&self, instance: &'a Instance, scope: &List<'a>) -> Result<List<'a>> {
        let name = instance.module.name;
        let (module, base) = match node(scope, name).map(|node| self.found(&node)) {
            Some(Found {
                meaning: Meaning::Module(module),
                list,
            }) => (module, list),
            _ => match self.module(name) {
                Some(module) => (module, None),
                None => return Ok(None),
            },
        };
        let with = |declared: Symbol| {
            let own = instance
                .substitutions
                .iter()
                .find(|(ident, _)| ident.name == declared);
            (
                own,
                match node(scope, declared) {
                    Some(node) => Meaning::Elsewhere(node),
                    None => Meaning::BuiltIn(declared),
                },
            )
        };
        // Whoever uses the instance has declared what counts for him.
        let variable = |name: Symbol| {
            let meaning = match with(name) {
                (Some((_, expr)), _) => Meaning::Text(expr, scope.clone()),
                (None, same) => same,
            };
            Meaning::Hidden(Box::new(meaning))
        };
        let constant = |declared: &Declared| match (with(declared.ident.name), declared.arity) {
            ((_, _), 0) => variable(declared.ident.name),
            ((Some((_, expr)), _), _) => Meaning::Hidden(Box::new(self.operator(expr, scope))),
            ((None, same), _) => Meaning::Hidden(Box::new(same)),
        };
        self.units(module, base, &constant, &variable)
    }

    /// The list of a module that is the specification, or that it extends.
    pub fn whole(&self, module: &'a Module) -> Result<List<'a>> {
        let declared = |declared: &Declared| self.constant(declared.ident.name);
        let variable = |name: Symbol| Meaning::Variable(self.variable(name));
        self.units(module, None, &declared, &variable)
    }

    fn units(
        &self,
        module: &'a Module,
        base: List<'a>,
        constant: &dyn Fn(&Declared) -> Meaning<'a>,
        variable: &dyn Fn(Symbol) -> Meaning<'a>,
    ) -> Result<List<'a>> {
        let mut list = base;
        for extended in &module.extends {
            if let Some(module) = self.module(extended.name) {
                let inside = self.units(module, None, constant, variable)?;
                list = seen(&list, &inside, &None);
            }
        }
        for unit in &module.units {
            match unit {
                Unit::Variables(idents) => {
                    for ident in idents {
                        list = put(&list, ident.name, variable(ident.name));
                    }
                }
                Unit::Constants(all) => {
                    for declared in all {
                        list = put(&list, declared.ident.name, constant(declared));
                    }
                }
                Unit::Module(module) => {
                    list = put(&list, module.ident.name, Meaning::Module(module));
                }
                unit => list = self.unit(unit, &list)?,
            }
        }
        Ok(list)
    }

    /// A list with what a unit defines.
    pub fn unit(&self, unit: &'a Unit, list: &List<'a>) -> Result<List<'a>> {
        let (name, meaning, local) = match unit {
            Unit::Operator(definition) => {
                let meaning = Meaning::Operator(definition.params.clone(), &definition.body);
                (definition.ident.name, meaning, definition.local)
            }
            Unit::Function(definition) => (
                definition.ident.name,
                Meaning::Function(definition),
                definition.local,
            ),
            Unit::Instance(instance) => match instance.ident {
                Some(ident) => (ident.name, Meaning::Instance(instance), instance.local),
                None => {
                    let inside = self.instance(instance, list)?;
                    return Ok(seen(list, &inside, list));
                }
            },
            _ => return Ok(list.clone()),
        };
        let meaning = match self.replaced(name) {
            Some(by) => Meaning::Replaced(by),
            None => meaning,
        };
        let meaning = match local {
            true => Meaning::Hidden(Box::new(meaning)),
            false => meaning,
        };
        Ok(put(list, name, meaning))
    }
}

/// A list with all names of another one in front that are seen outside, down to where both are the same.
fn seen<'a>(list: &List<'a>, other: &List<'a>, until: &List<'a>) -> List<'a> {
    let mut names = Vec::new();
    let mut at = other.clone();
    while let Some(node) = at {
        if let Some(end) = until
            && Rc::ptr_eq(end, &node)
        {
            break;
        }
        names.push(node.clone());
        at = node.up.clone();
    }
    let mut list = list.clone();
    for node in names.into_iter().rev() {
        if !matches!(node.meaning, Meaning::Hidden(_)) {
            list = put(&list, node.name, Meaning::Elsewhere(node));
        }
    }
    list
}
