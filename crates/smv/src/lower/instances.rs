//! The tree of module instances, flattened.
//!
//! Beginning with `main` every declaration of a module is visited once for each instance of it, in
//! the order of the text; an instance is visited where it is declared, which is also the order in
//! which NuSMV numbers properties. `ISA` visits the declarations of another module in the same
//! instance. A `process` instance begins a process, to which the instances inside of it belong.

use evenhand_source::{Diagnostic, Span, nearest, spend};

use super::names::Target;
use super::{Instance, InstanceId, Lowering, ProcessIndex, Result, Symbol};
use crate::ast::{Expr, Ident, Item, Module, TypeKind};
use crate::parser::type_near;

/// How deep instances may contain each other, and how many declarations there may be in all.
const MAX_DEPTH: usize = 100;
const MAX_ITEMS: usize = 2_000_000;

/// `base.name`, or `name` in `main`.
pub(super) fn join(base: &str, name: &str) -> String {
    match base {
        "" => name.to_string(),
        _ => format!("{base}.{name}"),
    }
}

impl<'m> Lowering<'m> {
    pub(super) fn instantiate_main(&mut self) -> Result<()> {
        let modules = &self.model.modules;
        for (at, module) in modules.iter().enumerate() {
            let name = &module.name;
            if let Some(first) = modules[..at].iter().find(|m| m.name.name == name.name) {
                let diagnostic = Diagnostic::error(
                    name.span,
                    format!("module `{}` is declared twice", name.name),
                )
                .label(first.name.span, "it is also declared here");
                return self.report(diagnostic);
            }
        }
        let Some(main) = modules.iter().find(|m| &*m.name.name == "main") else {
            let nearest = nearest("main", modules.iter().map(|m| &*m.name.name));
            let help = nearest.map(|name| format!("is `{name}` meant to be the main module?"));
            return self.report(Diagnostic::global("there is no module `main`").maybe_help(help));
        };
        self.processes.push("main".into());
        let span = main.name.span;
        if !main.parameters.is_empty() {
            return self.error(span, "module `main` cannot have parameters");
        }
        self.instances.push(Instance {
            name: String::new(),
            process: ProcessIndex(0),
        });
        self.visit(main, InstanceId(0), &mut vec![main])?;
        self.insert_remote()?;
        if self.processes.len() > 1 {
            for (index, name) in self.processes.clone().into_iter().enumerate() {
                let base = if index == 0 { "" } else { &name };
                let running = Symbol::Running(ProcessIndex(index));
                self.insert(&join(base, "running"), running, span)?;
            }
        }
        Ok(())
    }

    /// Definitions of parts of other instances, `p.name := …`, where `p` may be a parameter: what
    /// it stands for is known when all instances are.
    fn insert_remote(&mut self) -> Result<()> {
        for (instance, name, symbol) in std::mem::take(&mut self.remote) {
            let mut flat = self.instances[instance.0].name.clone();
            let mut parts = name.name.split('.').peekable();
            while let Some(part) = parts.next() {
                flat = join(&flat, part);
                if parts.peek().is_some() {
                    match self.argument(&flat) {
                        Some(Target::Flat(name)) => flat = name,
                        _ => return self.error(name.span, "this is not an instance of a module"),
                    }
                }
            }
            self.insert(&flat, symbol, name.span)?;
        }
        Ok(())
    }

    /// Makes a flat name known.
    fn insert(&mut self, name: &str, symbol: Symbol<'m>, span: Span) -> Result<()> {
        if let Some(known) = self.symbols.get(name) {
            let first = match known {
                Symbol::Declared(_, _, _, span) | Symbol::Define(_, _, span) => Some(*span),
                _ => None,
            };
            let mut diagnostic = Diagnostic::error(span, format!("`{name}` is declared twice"));
            if let Some(first) = first {
                diagnostic = diagnostic.label(first, "it is also declared here");
            }
            return self.report(diagnostic);
        }
        self.order.push(name.to_string());
        self.symbols.insert(name.to_string(), symbol);
        Ok(())
    }

    fn module(&mut self, name: &Ident) -> Result<&'m Module> {
        let modules = &self.model.modules;
        if let Some(module) = modules.iter().find(|m| m.name.name == name.name) {
            return Ok(module);
        }
        let diagnostic = match &*name.name {
            "integer" | "real" | "clock" | "Integer" | "Real" => {
                let message = format!("the type `{}` has infinitely many values", name.name);
                Diagnostic::error(name.span, message)
                    .help("this is not supported: use a range such as `0..9`, or a word")
            }
            _ => {
                let near = nearest(&name.name, modules.iter().map(|m| &*m.name.name));
                let near = near.or_else(|| type_near(&name.name));
                let message = format!("there is no type or module `{}`", name.name);
                Diagnostic::error(name.span, message)
                    .maybe_help(near.map(|near| format!("did you mean `{near}`?")))
            }
        };
        self.report(diagnostic)
    }

    fn visit(
        &mut self,
        module: &'m Module,
        instance: InstanceId,
        stack: &mut Vec<&'m Module>,
    ) -> Result<()> {
        if self.items.len() + self.symbols.len() > MAX_ITEMS {
            return self.error(module.name.span, "the instances of modules are too many");
        }
        for item in &module.items {
            let base = self.instances[instance.0].name.clone();
            match item {
                Item::Variable(_, name, ty) => {
                    let flat = join(&base, &name.name);
                    if let TypeKind::Instance(of, arguments, process) = &ty.kind {
                        self.instantiate(
                            (name, &flat),
                            of,
                            arguments,
                            (*process, instance),
                            stack,
                        )?;
                        continue;
                    }
                    let Item::Variable(kind, ..) = item else {
                        continue;
                    };
                    let symbol = Symbol::Declared(*kind, ty, instance, name.span);
                    self.insert(&flat, symbol, name.span)?;
                }
                Item::Define(name, body) => {
                    let symbol = Symbol::Define(body, instance, name.span);
                    match name.name.contains('.') {
                        true => self.remote.push((instance, name, symbol)),
                        false => self.insert(&join(&base, &name.name), symbol, name.span)?,
                    }
                }
                Item::Isa(name) => {
                    let included = self.module(name)?;
                    self.enter(included, name.span, stack)?;
                    self.visit(included, instance, stack)?;
                    stack.pop();
                }
                _ => self.items.push((instance, item)),
            }
        }
        Ok(())
    }

    fn enter(&mut self, module: &'m Module, span: Span, stack: &mut Vec<&'m Module>) -> Result<()> {
        let name = &module.name.name;
        if stack.iter().any(|m| m.name.name == *name) {
            return self.error(span, format!("module `{name}` contains itself"));
        }
        if stack.len() >= MAX_DEPTH {
            return self.error(span, "modules contain each other too deeply");
        }
        stack.push(module);
        Ok(())
    }

    fn instantiate(
        &mut self,
        (declared, flat): (&Ident, &str),
        of: &Ident,
        arguments: &'m [Expr],
        (process, parent): (bool, InstanceId),
        stack: &mut Vec<&'m Module>,
    ) -> Result<()> {
        spend();
        let module = self.module(of)?;
        let (expected, given) = (module.parameters.len(), arguments.len());
        if expected != given {
            let message = format!(
                "module `{}` has {expected} parameters, {given} are given",
                of.name
            );
            let diagnostic = Diagnostic::error(of.span, message)
                .label(module.name.span, "the module is declared here");
            return self.report(diagnostic);
        }
        let belongs = match process {
            true => {
                self.processes.push(flat.to_string());
                ProcessIndex(self.processes.len() - 1)
            }
            false => self.instances[parent.0].process,
        };
        let id = InstanceId(self.instances.len());
        self.instances.push(Instance {
            name: flat.to_string(),
            process: belongs,
        });
        self.insert(flat, Symbol::Instance(id), declared.span)?;
        for (parameter, argument) in module.parameters.iter().zip(arguments) {
            let symbol = Symbol::Parameter(argument, parent);
            self.insert(&join(flat, &parameter.name), symbol, parameter.span)?;
        }
        self.enter(module, of.span, stack)?;
        self.visit(module, id, stack)?;
        stack.pop();
        Ok(())
    }
}
