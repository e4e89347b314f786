//! The plainest interpreter of specifications, for the tests: it shares the syntax trees with the front-end and nothing else.
//!
//! Values are ordered lists, names are looked up in one list, expressions are read from their trees whenever they are
//! needed, and nothing is remembered. So it is slow, and short enough to be compared with TLC's meaning line by line. Its
//! answers are those of TLC's breadth-first search: what is found first, how many states there are, how many
//! were generated, and at which depth.

mod act;
mod eval;
pub mod graph;
mod names;
mod search;
mod value;

use std::cell::{Cell, OnceCell};
use std::rc::Rc;

use evenhand_tla::names::{Names, Symbol};
use evenhand_tla::syntax::ast::{Module, Unit};
use evenhand_tla::syntax::config::{Assignment, ConfigValue, Configuration};
use evenhand_tla::syntax::load::Sources;

use names::{List, Meaning, Row};
pub use search::{Answer, Kind};
use value::{Fail, Result, V};

/// How deep expressions may lie inside of each other while they are evaluated.
const DEEPEST: u32 = 3000;

/// A specification that is interpreted.
struct Plain<'a> {
    names: &'a Names,
    modules: &'a [Module],
    configuration: &'a Configuration,
    root: OnceCell<List<'a>>,
    variables: Vec<Symbol>,
    /// A row without values.
    nothing: Rc<Row<'a>>,
    /// How many more expressions may be evaluated.
    budget: Cell<u64>,
    depth: Cell<u32>,
}

/// What a specification with its configuration comes to.
pub fn answer(sources: &Sources, budget: u64, most_states: usize) -> Answer {
    let found = interpreter(sources, budget, |plain, root| {
        Some(search::run(plain, root, most_states))
    });
    found.unwrap_or(Answer::of(Kind::Error))
}

/// Does something with the interpreter of a specification.
fn interpreter<T>(
    sources: &Sources,
    budget: u64,
    run: impl for<'a> FnOnce(&Plain<'a>, &'a Module) -> Option<T>,
) -> Option<T> {
    let configuration = sources.configuration.as_ref()?;
    let root = &sources.modules[sources.root];
    let mut plain = Plain {
        names: &sources.names,
        modules: &sources.modules,
        configuration,
        root: OnceCell::new(),
        variables: Vec::new(),
        nothing: Rc::default(),
        budget: Cell::new(budget),
        depth: Cell::new(0),
    };
    plain.declare(root);
    plain.nothing = Rc::new(vec![None; plain.variables.len()]);
    let list = plain.whole(root).ok()?;
    plain.root.get_or_init(|| list);
    run(&plain, root)
}

impl<'a> Plain<'a> {
    /// Notes the variables of a module and of those that it extends.
    fn declare(&mut self, module: &'a Module) {
        for extended in &module.extends {
            if let Some(module) = self.module(extended.name) {
                self.declare(module);
            }
        }
        for unit in &module.units {
            if let Unit::Variables(idents) = unit {
                for ident in idents {
                    if !self.variables.contains(&ident.name) {
                        self.variables.push(ident.name);
                    }
                }
            }
        }
    }

    fn root(&self) -> List<'a> {
        self.root.get().cloned().flatten()
    }

    fn text(&self, name: Symbol) -> &'a str {
        self.names.text(name)
    }

    fn module(&self, name: Symbol) -> Option<&'a Module> {
        let modules = self.modules;
        modules.iter().find(|module| module.ident.name == name)
    }

    fn variable(&self, name: Symbol) -> usize {
        let found = self.variables.iter().position(|known| *known == name);
        found.expect("a variable that was declared")
    }

    fn nothing(&self) -> Rc<Row<'a>> {
        self.nothing.clone()
    }

    /// What a configuration puts in the place of a name.
    fn replaced(&self, name: Symbol) -> Option<Symbol> {
        let mut all = self.configuration.constants.iter();
        all.find_map(|assignment| match assignment {
            Assignment::Replace { path, by, .. } if path[0].name == name => Some(by.name),
            _ => None,
        })
    }

    /// What a constant means.
    fn constant(&self, name: Symbol) -> Meaning<'a> {
        if let Some(by) = self.replaced(name) {
            return Meaning::Replaced(by);
        }
        for assignment in &self.configuration.constants {
            if let Assignment::Value { path, value, .. } = assignment
                && path[0].name == name
                && let Ok(value) = self.given(value)
            {
                return Meaning::Value(value);
            }
        }
        Meaning::BuiltIn(name)
    }

    /// The value that a configuration gives.
    fn given(&self, value: &ConfigValue) -> Result<V<'a>> {
        Ok(match value {
            ConfigValue::Number(number) => V::Int(*number),
            ConfigValue::Text(text) => V::Text(*text),
            ConfigValue::Truth(truth) => V::Truth(*truth),
            ConfigValue::Model(name) => {
                let mut letters = self.text(*name).chars();
                let letter = letters.next();
                V::Model(*name, letter.filter(|_| letters.next() == Some('_')))
            }
            ConfigValue::Set(parts, _) => V::set(
                parts
                    .iter()
                    .map(|part| self.given(part))
                    .collect::<Result<_>>()?,
            )?,
        })
    }

    /// One more expression, one step deeper.
    fn spend(&self) -> Result<()> {
        let left = self.budget.get();
        let depth = self.depth.get();
        if left == 0 || depth > DEEPEST {
            return Err(Fail::Limit);
        }
        self.budget.set(left - 1);
        self.depth.set(depth + 1);
        Ok(())
    }

    fn unwind(&self) {
        self.depth.set(self.depth.get() - 1);
    }
}
