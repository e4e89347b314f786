//! What a configuration says about names, and whether it fits the modules.
//!
//! A configuration is read without the modules (`syntax::config`). Here its assignments become what the compiler puts in the
//! place of names, and what TLC refuses of it is refused: names that nobody declared, operators with another number of
//! arguments, sets whose elements cannot be compared.

use evenhand_source::{Diagnostic, Span, nearest};

use crate::build::{Builder, COMMAND, Problems};
use crate::compile::{Compiler, Configured, Level, Settings};
use crate::names::Names;
use crate::syntax::config::{Assignment, ConfigValue, Configuration};
use crate::value::Value;

impl Builder<'_> {
    /// An invariant is about single states.
    pub(crate) fn check_invariant(&mut self, name: &str, span: Span, level: Level) {
        let (what, help) = match level {
            Level::Constant | Level::State => return,
            Level::Action => ("an action", "as PROPERTY, `[][A]_vars` is about all steps"),
            Level::Temporal => ("a temporal formula", "name it after PROPERTY"),
        };
        let message = format!("`{name}` is {what}: an invariant is about single states");
        self.problems
            .push(Diagnostic::error(span, message).help(help));
    }

    /// Every constant has a value, every name that gets one is a constant or a definition, and what takes the place
    /// of another is there and has as many parameters.
    pub(crate) fn check_constants(
        &mut self,
        compiler: &mut Compiler<'_>,
        configuration: &Configuration,
    ) {
        for assignment in &configuration.constants {
            let by = match assignment {
                Assignment::Value { .. } => None,
                Assignment::Replace { by, .. } => Some(*by),
            };
            let (path, module) = assignment.place();
            let found = compiler.configured(path, module.map(|ident| ident.name));
            let name = path.iter().map(|ident| self.names.text(ident.name));
            let name = name.collect::<Vec<_>>().join("!");
            let Some(ident) = path.last() else { continue };
            if let Configured::Nothing = found {
                let message = match module {
                    Some(module) => {
                        let module = self.names.text(module.name);
                        format!("there is no module `{module}` with a definition `{name}`")
                    }
                    None => format!("there is no constant and no definition `{name}`"),
                };
                let help = match (path.len(), module) {
                    (1, None) => self.like(compiler, &name),
                    _ => None,
                };
                self.superfluous(ident.span, message, help, by.is_some());
            }
            if let Configured::Variable = found {
                let message =
                    format!("`{name}` is a variable: a configuration gives values to constants");
                self.superfluous(ident.span, message, None, by.is_some());
            }
            let Some(by) = by else { continue };
            let by_name = self.names.text(by.name).to_string();
            let arguments = |count: usize| match count {
                1 => "1 parameter".to_string(),
                count => format!("{count} parameters"),
            };
            match (found, compiler.configured(&[by], None)) {
                (_, Configured::Nothing) => {
                    let message = format!("there is no constant and no definition `{by_name}`");
                    let help = self.like(compiler, &by_name);
                    let problem = Diagnostic::error(by.span, message);
                    self.problems.push(problem.maybe_help(help));
                }
                (Configured::Operator(wanted), Configured::Operator(given)) if wanted != given => {
                    let message = format!(
                        "`{by_name}` cannot stand for `{name}`: it has {}, and `{name}` has {wanted}",
                        arguments(given)
                    );
                    self.problems.push(Diagnostic::error(by.span, message));
                }
                _ => {}
            }
        }
    }

    /// A name of the root module that is much like another one.
    fn like(&self, compiler: &Compiler<'_>, name: &str) -> Option<String> {
        let known = compiler.constants();
        let known: Vec<&str> = known.iter().map(|&known| self.names.text(known)).collect();
        let hint = nearest(name, known)?;
        Some(format!("did you mean `{hint}`?"))
    }

    /// What a configuration says too much. TLC passes over values; who gives one on a command line means it.
    fn superfluous(&mut self, span: Span, message: String, help: Option<String>, replaces: bool) {
        match replaces || self.files.get(span.file).name == COMMAND {
            true => {
                let problem = Diagnostic::error(span, message);
                self.problems.push(problem.maybe_help(help));
            }
            false => {
                let warning = Diagnostic::warning(span, message);
                self.warnings.push(warning.maybe_help(help));
            }
        }
    }

    /// Where a configuration says what is explored, every constant has a value.
    pub(crate) fn check_values(&mut self, compiler: &Compiler<'_>, configuration: &Configuration) {
        let c = configuration;
        let named = [c.specification, c.init, c.next];
        if named.iter().all(Option::is_none) {
            return;
        }
        for ident in compiler.unassigned() {
            let name = self.names.text(ident.name);
            let message = format!("the constant `{name}` has no value");
            let help = format!("give it one in the configuration, or by --constant '{name} = ...'");
            self.problems
                .push(Diagnostic::error(ident.span, message).help(help));
        }
    }

    /// What stands for a constant is one: how the search goes is none.
    pub(crate) fn check_replaced(
        &mut self,
        compiler: &mut Compiler<'_>,
        configuration: &Configuration,
    ) {
        for assignment in &configuration.constants {
            let Assignment::Replace { path, by, .. } = assignment else {
                continue;
            };
            let [ident] = path.as_slice() else { continue };
            let is_constant = compiler.is_replaced_constant(ident.name);
            let Some((expr, scope)) = compiler.named(by.name).filter(|_| is_constant) else {
                continue;
            };
            if compiler.asks_search(expr, scope) {
                let (name, by_name) = (self.names.text(ident.name), self.names.text(by.name));
                let message = format!(
                    "`{by_name}` cannot stand for the constant `{name}`: it asks how the search goes"
                );
                self.problems.push(Diagnostic::error(by.span, message));
            }
        }
    }

    /// Every name of the configuration has a definition.
    pub(crate) fn check_names(&mut self, compiler: &Compiler<'_>, configuration: &Configuration) {
        let c = configuration;
        let single = [&c.specification, &c.init, &c.next, &c.view, &c.alias];
        let lists = [
            &c.invariants,
            &c.properties,
            &c.constraints,
            &c.action_constraints,
            &c.symmetry,
            &c.postconditions,
            &c.possible,
        ];
        let all = single
            .into_iter()
            .flatten()
            .chain(lists.into_iter().flatten());
        for ident in all {
            if compiler.named(ident.name).is_none() {
                let name = self.names.text(ident.name);
                let message = format!(
                    "the configuration names `{name}`, which is not defined without parameters"
                );
                let known = compiler.definitions();
                let known: Vec<&str> = known
                    .iter()
                    .map(|&symbol| self.names.text(symbol))
                    .collect();
                let hint = nearest(name, known);
                let diagnostic = Diagnostic::error(ident.span, message);
                let help = hint.map(|hint| format!("did you mean `{hint}`?"));
                self.problems.push(diagnostic.maybe_help(help));
            }
        }
    }
}

/// What the configuration says about names.
pub(crate) fn settings(configuration: &Configuration, names: &Names) -> Result<Settings, Problems> {
    let mut settings = Settings::default();
    let mut problems = Vec::new();
    for assignment in &configuration.constants {
        match assignment {
            Assignment::Value {
                path,
                args,
                module,
                value: given,
            } => {
                let ([.., ident], true) = (path.as_slice(), path.len() <= 2) else {
                    continue;
                };
                let name = ident.name;
                let known = value(given, names);
                let args = args.iter().map(|arg| value(arg, names));
                let args = args.collect::<Result<Vec<_>, _>>();
                let (known, args) = match (known, args) {
                    (Ok(known), Ok(args)) => (known, args),
                    (Err(problem), _) | (_, Err(problem)) => {
                        problems.push(problem);
                        continue;
                    }
                };
                if let [instance, _] = path.as_slice() {
                    settings.valued_paths.insert((instance.name, name), known);
                    continue;
                }
                match (args.is_empty(), module) {
                    (false, _) => settings.tables.entry(name).or_default().push((args, known)),
                    (true, None) => drop(settings.values.insert(name, known)),
                    (true, Some(module)) => {
                        settings.values_in.insert((module.name, name), known);
                    }
                }
            }
            Assignment::Replace { path, module, by } => {
                let ([.., ident], true) = (path.as_slice(), path.len() <= 2) else {
                    continue;
                };
                let name = ident.name;
                if let [instance, _] = path.as_slice() {
                    settings
                        .replaced_paths
                        .insert((instance.name, name), by.name);
                    continue;
                }
                match module {
                    None => settings.replaced.insert(name, by.name),
                    Some(module) => settings.replaced_in.insert((module.name, name), by.name),
                };
            }
        }
    }
    match problems.is_empty() {
        true => Ok(settings),
        false => Err(problems),
    }
}

/// The value that a configuration gives, or what is wrong with a set in it.
fn value(given: &ConfigValue, names: &Names) -> Result<Value, Diagnostic> {
    Ok(match given {
        ConfigValue::Number(number) => Value::Number(*number),
        ConfigValue::Text(text) => Value::Text(*text),
        ConfigValue::Truth(truth) => Value::Truth(*truth),
        ConfigValue::Model(name) => Value::model(*name, names.text(*name)),
        ConfigValue::Set(list, span) => {
            let elements = list.iter().map(|element| value(element, names));
            Value::set(elements.collect::<Result<_, _>>()?).map_err(|failure| {
                let message = format!("this is no set: {}", failure.told(names));
                Diagnostic::error(*span, message)
            })?
        }
    })
}
