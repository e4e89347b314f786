//! A specification with all modules that it needs.
//!
//! Everything is read twice, from the same tokens. The first time says which modules are needed, and in which order SANY reads and
//! analyses them: extended modules before instantiated ones, each time the first that is missing. From that follows
//! the order of names (`order.rs`), and with these names everything is read again.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use evenhand_source::{Diagnostic, FileId, Files, Span};

use super::ast::Module;
use super::config::{self, Configuration};
use super::lexer::{self, Lexed};
use super::order;
use super::parser;
use super::pluscal;
use super::search::{Found, Search};
use super::units::{Needs, Unit};
use super::words::ADDED;
use crate::names::Names;

/// How many modules a specification may need.
const MOST_MODULES: usize = 500;

/// How a specification is read.
pub struct LoadOptions<'o> {
    /// The configuration, with its name.
    pub configuration: Option<(String, String)>,
    /// Where modules are looked for that are not beside the specification.
    pub include_dirs: Vec<PathBuf>,
    /// The folder of the specification; none where it comes from no file.
    pub folder: Option<PathBuf>,
    /// Whether files outside of these folders stay closed.
    pub confined: bool,
    /// How many bytes a file may have.
    pub most_bytes: Option<u64>,
    /// Which modules are built in.
    pub standard: &'o dyn Fn(&str) -> bool,
}

/// A specification with all modules that it needs.
#[derive(Clone, Debug)]
pub struct Sources {
    /// All texts.
    pub files: Files,
    /// All names, in TLC's order.
    pub names: Names,
    /// The modules in the order in which they were read; those that are built in are not among them.
    pub modules: Vec<Module>,
    /// Which of them is the specification.
    pub root: usize,
    /// The configuration: the one of the call, or the one behind the module.
    pub configuration: Option<Configuration>,
    /// An algorithm in PlusCal without a translation, if there is one.
    pub untranslated: Option<Span>,
    /// What should be said although everything was read.
    pub warnings: Vec<Diagnostic>,
}

/// Reads a specification and all modules that it needs.
///
/// # Errors
/// What is wrong, with the texts in which it is.
pub fn load(
    mut files: Files,
    main: FileId,
    options: &LoadOptions<'_>,
) -> Result<Sources, (Files, Vec<Diagnostic>)> {
    let configured = options
        .configuration
        .as_ref()
        .map(|(name, text)| files.add(name.clone(), text.clone()));
    let mut loader = Loader {
        search: Search::new(options, main),
        units: Vec::new(),
        places: HashMap::new(),
        scratch: Names::new(),
        problems: Vec::new(),
    };
    let read = loader.read_all(&mut files, main);
    if read.is_none() || !loader.problems.is_empty() {
        return Err((files, loader.problems));
    }
    let Loader { units, scratch, .. } = loader;
    let analysed = match order::analysed(&units) {
        Ok(analysed) => analysed,
        Err(problem) => return Err((files, vec![problem])),
    };
    let config_text = configured
        .map(|file| (file, 0..files.get(file).text.len()))
        .or_else(|| {
            let name = units.first().map_or("", |unit| unit.name.as_str());
            config::embedded(&files.get(main).text, name).map(|range| (main, range))
        });
    let mut names = order::names(&files, config_text.clone(), &units, &analysed, &scratch);
    let mut problems = Vec::new();
    let mut warnings = Vec::new();
    let mut modules = Vec::new();
    for unit in &units {
        let Some((file, tokens)) = &unit.text else {
            continue;
        };
        let read = parser::module_of(&files.get(*file).text, tokens, &mut names);
        problems.extend(read.problems);
        warnings.extend(read.warnings);
        modules.extend(read.module);
    }
    let configuration = config_text
        .map(|(file, range)| config::within(&files.get(file).text, file, range, &mut names));
    let configuration = match configuration {
        Some(Err(wrong)) => {
            problems.extend(wrong);
            None
        }
        Some(Ok(read)) => Some(read),
        None => None,
    };
    if !problems.is_empty() {
        return Err((files, problems));
    }
    let untranslated = pluscal::untranslated(&files, main);
    let misnamed = misnamed(&files, main, &names, &modules);
    warnings.extend(misnamed.into_iter().chain(pluscal::changed(&files, main)));
    Ok(Sources {
        files,
        names,
        modules,
        root: 0,
        configuration,
        untranslated,
        warnings,
    })
}

/// TLC finds a module by the name of its file.
fn misnamed(files: &Files, main: FileId, names: &Names, modules: &[Module]) -> Option<Diagnostic> {
    let ident = modules.first()?.ident;
    let stem = Path::new(&files.get(main).name)
        .file_name()?
        .to_str()?
        .strip_suffix(".tla")?;
    let name = names.text(ident.name);
    let message = format!("TLC looks for the module `{name}` in a file {name}.tla");
    (stem != name).then(|| Diagnostic::warning(ident.span, message))
}

struct Loader<'o> {
    search: Search<'o>,
    units: Vec<Unit>,
    /// The place of each unit by its name.
    places: HashMap<String, usize>,
    scratch: Names,
    problems: Vec<Diagnostic>,
}

impl Loader<'_> {
    /// Reads the main module and whatever is missing, until nothing is.
    fn read_all(&mut self, files: &mut Files, main: FileId) -> Option<()> {
        let text = &files.get(main).text;
        let Some(tokens) = lexer::module(text, main, 0) else {
            let span = Span::new(main, 0, 0);
            let problem = Diagnostic::error(span, "there is no module in this text");
            self.problems
                .push(problem.help("a module begins with a line `---- MODULE Name ----`"));
            return None;
        };
        let read = parser::module_of(text, &tokens, &mut self.scratch);
        self.problems.extend(read.problems);
        self.add(read.module?, main, tokens);
        loop {
            let next = self.next_missing(true).or_else(|| self.next_missing(false));
            let Some((name, span)) = next else {
                return Some(());
            };
            if self.units.len() >= MOST_MODULES {
                let message = format!("this specification needs more than {MOST_MODULES} modules");
                self.problems.push(Diagnostic::error(span, message));
                return None;
            }
            self.read_one(files, &name, span)?;
        }
    }

    fn add(&mut self, module: Module, file: FileId, tokens: Lexed) {
        let name = self.scratch.text(module.ident.name).to_string();
        let mut needs = Needs::of(&module, &self.scratch);
        if self.units.is_empty() {
            // For the order of names: TLC extends the specification by a module of its own.
            needs[0]
                .extends
                .push((ADDED.to_string(), module.ident.span));
        }
        self.places.insert(name.clone(), self.units.len());
        self.units.push(Unit {
            name,
            text: Some((file, tokens)),
            needs,
            module: Some(module),
        });
    }

    /// Reads a module that another one names.
    fn read_one(&mut self, files: &mut Files, name: &str, span: Span) -> Option<()> {
        let found = match name {
            ADDED => Ok(Found::BuiltIn),
            name => self.search.find(files, name, span),
        };
        let (file, from) = match found {
            Ok(Found::BuiltIn) => {
                self.places.insert(name.to_string(), self.units.len());
                self.units.push(Unit::built_in(name, span));
                return Some(());
            }
            Ok(Found::Text(file, from)) => (file, from),
            // What a module that is built in would need from outside is nobody's trouble.
            Err(_) if self.only_built_in(name) => {
                self.places.insert(name.to_string(), self.units.len());
                self.units.push(Unit::built_in(name, span));
                return Some(());
            }
            Err(problem) => {
                self.problems.push(problem);
                return None;
            }
        };
        let text = &files.get(file).text;
        let Some(tokens) = lexer::module(text, file, from) else {
            let message = format!("there is no module in {}", files.get(file).name);
            self.problems.push(Diagnostic::error(span, message));
            return None;
        };
        let read = parser::module_of(text, &tokens, &mut self.scratch);
        self.problems.extend(read.problems);
        let module = read.module?;
        if self.scratch.text(module.ident.name) != name {
            let problem = Diagnostic::error(
                module.ident.span,
                format!("this file should have the module `{name}`"),
            );
            self.problems
                .push(problem.label(span, "which is named here"));
            return None;
        }
        self.add(module, file, tokens);
        Some(())
    }

    /// Whether only modules that are built in need one.
    fn only_built_in(&self, name: &str) -> bool {
        let needs = |needs: &Needs| {
            needs
                .extends
                .iter()
                .chain(&needs.instances)
                .any(|(needed, _)| needed == name)
        };
        let mut own = self.units.iter().filter(|unit| unit.text.is_some());
        !own.any(|unit| unit.needs.iter().any(needs))
    }

    /// The next module that was not read: of those that are extended, or of those that are instantiated.
    fn next_missing(&self, extended: bool) -> Option<(String, Span)> {
        let mut seen = vec![false; self.units.len()];
        self.missing_from(0, extended, &mut seen)
    }

    fn missing_from(
        &self,
        unit: usize,
        extended: bool,
        seen: &mut [bool],
    ) -> Option<(String, Span)> {
        if std::mem::replace(seen.get_mut(unit)?, true) {
            return None;
        }
        for (place, needs) in self.units[unit].needs.iter().enumerate() {
            let wanted = if extended {
                &needs.extends
            } else {
                &needs.instances
            };
            for (name, span) in wanted {
                // A module does not extend what is inside of it.
                let inner = !(extended && place == 0) && self.is_inner(unit, name, needs);
                if !self.places.contains_key(name) && !inner {
                    return Some((name.clone(), *span));
                }
            }
            for (name, _) in needs.extends.iter().chain(&needs.instances) {
                if let Some(&place) = self.places.get(name)
                    && let Some(found) = self.missing_from(place, extended, seen)
                {
                    return Some(found);
                }
            }
        }
        None
    }

    /// Whether a name is that of a module inside of this one, or inside of one that it extends.
    fn is_inner(&self, unit: usize, name: &str, needs: &Needs) -> bool {
        let mut seen = vec![false; self.units.len()];
        let mut waiting = vec![unit];
        let extended = needs
            .extends
            .iter()
            .filter_map(|(name, _)| self.places.get(name).copied());
        waiting.extend(extended);
        while let Some(unit) = waiting.pop() {
            if std::mem::replace(&mut seen[unit], true) {
                continue;
            }
            let unit = &self.units[unit];
            if unit.needs.iter().skip(1).any(|inner| inner.name == name) {
                return true;
            }
            let outer = unit
                .needs
                .first()
                .into_iter()
                .flat_map(|needs| &needs.extends);
            waiting.extend(outer.filter_map(|(name, _)| self.places.get(name).copied()));
        }
        false
    }
}
