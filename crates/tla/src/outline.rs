//! A TLA+ text for editors: what it declares, and who means what.
//!
//! Everything comes from syntax trees, those of extended modules beside the text included; a unit with a mistake
//! has none. Declarations are collected first, each with the part of the text where it is known: all of a module,
//! a definition, the expression that binds it. A name then means what is declared in the smallest part around it.

use std::collections::HashMap;
use std::path::Path;

use evenhand_source::{FileId, Files, MOST_BYTES, Span, read_file};
use evenhand_system::ReadOptions;
use evenhand_system::outline::{Outline, Symbol, SymbolId, SymbolKind};

use crate::names::Names;
use crate::standard;
use crate::syntax::ast::{
    Bound, Bounds, Declared, Expr, ExprKind, Ident, Module, Path as Operators, Pattern, Selector,
    Unit,
};
use crate::syntax::config::{self, Configuration};
use crate::syntax::token::WORDS;
use crate::syntax::{parser, walk};

/// How many modules are looked at.
const MOST_MODULES: usize = 50;

/// Reads a text for an editor; the configuration says which definitions are properties.
pub(crate) fn outline(
    mut files: Files,
    main: FileId,
    configuration: Option<(String, String)>,
    options: &ReadOptions,
) -> Outline {
    let mut names = Names::new();
    let modules = modules(&mut files, main, &mut names, options);
    let configuration = configuration.and_then(|(name, text)| {
        let file = files.add(name, text);
        config::configuration(&files, file, &mut names).ok()
    });
    let mut reader = Reader {
        names: &names,
        outline: Outline::new(files, main),
        known: HashMap::new(),
        used: Vec::new(),
    };
    for module in &modules {
        reader.module(module, None);
    }
    reader.mentions();
    if let Some(configuration) = &configuration {
        reader.configured(configuration);
    }
    let mut outline = reader.outline;
    outline.keywords = WORDS.to_vec();
    outline.sort();
    outline
}

/// The modules of the text, and those beside it that they need.
fn modules(
    files: &mut Files,
    main: FileId,
    names: &mut Names,
    options: &ReadOptions,
) -> Vec<Module> {
    let folder = Path::new(&files.get(main).name).parent();
    let folder = folder.map(Path::to_path_buf).unwrap_or_default();
    let folders: Vec<_> = std::iter::once(folder)
        .chain(options.include_dirs.iter().cloned())
        .collect();
    let mut found: Vec<Module> = Vec::new();
    let mut from = 0;
    while let Some(read) = parser::module(files, main, from, names) {
        from = read.end.max(from + 1);
        found.extend(read.module);
    }
    let mut looked = 0;
    while looked < found.len() && found.len() < MOST_MODULES {
        let mut needed = Vec::new();
        needed_by(&found[looked], &mut needed);
        looked += 1;
        for ident in needed {
            let name = names.text(ident.name).to_string();
            let is_known = |module: &Module| names.text(module.ident.name) == name;
            if standard::module(&name).is_some() || found.iter().any(is_known) {
                continue;
            }
            let most = options.most_bytes.unwrap_or(MOST_BYTES);
            let place = folders.iter().map(|f| f.join(format!("{name}.tla")));
            let text = place.filter_map(|place| Some((read_file(&place, most).ok()?, place)));
            if let Some((text, place)) = text.into_iter().next() {
                let file = files.add(place.display().to_string(), text);
                let read = parser::module(files, file, 0, names);
                found.extend(read.and_then(|read| read.module));
            }
        }
    }
    found
}

fn needed_by(module: &Module, needed: &mut Vec<Ident>) {
    needed.extend(&module.extends);
    for unit in &module.units {
        match unit {
            Unit::Instance(instance) => needed.push(instance.module),
            Unit::Module(inner) => needed_by(inner, needed),
            _ => {}
        }
    }
}

struct Reader<'n> {
    names: &'n Names,
    outline: Outline,
    /// The symbols of each name.
    known: HashMap<String, Vec<SymbolId>>,
    /// Where names are used.
    used: Vec<Ident>,
}

impl Reader<'_> {
    fn add(&mut self, ident: Ident, kind: SymbolKind, extent: Span) -> Symbol {
        Symbol::new(self.names.text(ident.name), kind, ident.span, extent)
    }

    fn put(&mut self, symbol: Symbol) -> SymbolId {
        let name = symbol.name.clone();
        let id = self.outline.add(symbol);
        self.known.entry(name).or_default().push(id);
        id
    }

    fn module(&mut self, module: &Module, parent: Option<SymbolId>) {
        let name = self.names.text(module.ident.name).to_string();
        let about = format!("`MODULE {name}`");
        let symbol = self.add(module.ident, SymbolKind::Module, module.span);
        let id = Some(self.put(symbol.about(about).inside(parent)));
        self.outline.folds.push(module.span);
        self.used.extend(&module.extends);
        // What a module declares is known to all that extend it: everywhere, as far as this goes.
        let scope = parent.map(|_| module.span);
        self.units(&module.units, id, scope);
    }

    fn units(&mut self, units: &[Unit], parent: Option<SymbolId>, scope: Option<Span>) {
        for unit in units {
            self.unit(unit, parent, scope);
        }
    }

    fn unit(&mut self, unit: &Unit, parent: Option<SymbolId>, scope: Option<Span>) {
        match unit {
            Unit::Variables(list) => {
                for &ident in list {
                    let about = format!("`{}`: a variable", self.names.text(ident.name));
                    let symbol = self.add(ident, SymbolKind::Variable, ident.span);
                    self.put(symbol.about(about).inside(parent).within(scope));
                }
            }
            Unit::Constants(list) | Unit::Recursive(list) => {
                let is_constant = matches!(unit, Unit::Constants(_));
                for declared in list {
                    // What is declared as recursive is defined below.
                    if !is_constant {
                        self.used.push(declared.ident);
                        continue;
                    }
                    let name = self.names.text(declared.ident.name);
                    let about = match declared.arity {
                        0 => format!("`{name}`: a constant"),
                        arity => format!("`{name}`: a constant operator of {arity}"),
                    };
                    let symbol =
                        self.add(declared.ident, SymbolKind::Constant, declared.ident.span);
                    self.put(symbol.about(about).inside(parent).within(scope));
                }
            }
            Unit::Operator(definition) => {
                let ident = definition.ident;
                let shown = self.head(ident, &definition.params);
                let body = shortened(self.outline.files.text(definition.body.span));
                let symbol = self.add(ident, SymbolKind::Function, definition.span);
                let symbol = symbol.about(format!("`{shown} == {body}`: a definition"));
                let id = self.put(symbol.inside(parent).within(scope));
                self.outline.folds.push(definition.span);
                self.parameters(&definition.params, id, definition.span);
                self.expression(&definition.body, Some(id));
            }
            Unit::Function(definition) => {
                let name = self.names.text(definition.ident.name);
                let about = format!("`{name}[…] == …`: a function");
                let symbol = self.add(definition.ident, SymbolKind::Function, definition.span);
                let id = self.put(symbol.about(about).inside(parent).within(scope));
                self.outline.folds.push(definition.span);
                self.bounds(&definition.bounds, Some(id), definition.span);
                self.expression(&definition.body, Some(id));
            }
            Unit::Instance(instance) => {
                self.used.push(instance.module);
                let mut id = parent;
                if let Some(ident) = instance.ident {
                    let module = self.names.text(instance.module.name);
                    let about = format!(
                        "`{}`: an instance of `{module}`",
                        self.names.text(ident.name)
                    );
                    let symbol = self.add(ident, SymbolKind::Module, instance.span);
                    let own = self.put(symbol.about(about).inside(parent).within(scope));
                    self.parameters(&instance.params, own, instance.span);
                    id = Some(own);
                }
                for (_, value) in &instance.substitutions {
                    self.expression(value, id);
                }
            }
            Unit::Assume {
                ident, body, span, ..
            } => {
                self.named(*ident, "an assumption", *span, parent, scope);
                self.expression(body, parent);
            }
            Unit::Theorem { ident, body, span } => {
                self.named(
                    *ident,
                    "a theorem, which is not checked",
                    *span,
                    parent,
                    scope,
                );
                body.iter().for_each(|body| self.expression(body, parent));
            }
            Unit::Module(module) => self.module(module, parent),
        }
    }

    fn named(
        &mut self,
        ident: Option<Ident>,
        what: &str,
        span: Span,
        parent: Option<SymbolId>,
        scope: Option<Span>,
    ) {
        if let Some(ident) = ident {
            let about = format!("`{}`: {what}", self.names.text(ident.name));
            let symbol = self.add(ident, SymbolKind::Function, span);
            self.put(symbol.about(about).inside(parent).within(scope));
        }
    }

    fn head(&self, ident: Ident, params: &[Declared]) -> String {
        let name = self.names.text(ident.name);
        let params: Vec<&str> = params
            .iter()
            .map(|p| self.names.text(p.ident.name))
            .collect();
        match params.is_empty() {
            true => name.to_string(),
            false => format!("{name}({})", params.join(", ")),
        }
    }

    fn parameters(&mut self, params: &[Declared], of: SymbolId, scope: Span) {
        for declared in params {
            self.bound(declared.ident, "a parameter", Some(of), scope);
        }
    }

    /// A name that is known in a part of the text.
    fn bound(&mut self, ident: Ident, what: &str, parent: Option<SymbolId>, scope: Span) {
        let about = format!("`{}`: {what}", self.names.text(ident.name));
        let symbol = self.add(ident, SymbolKind::Parameter, ident.span);
        self.put(symbol.about(about).inside(parent).within(Some(scope)));
    }

    fn bounds(&mut self, bounds: &[Bound], parent: Option<SymbolId>, scope: Span) {
        for bound in bounds {
            for pattern in &bound.patterns {
                self.pattern(pattern, &bound.set, parent, scope);
            }
            self.expression(&bound.set, parent);
        }
    }

    fn pattern(&mut self, pattern: &Pattern, set: &Expr, parent: Option<SymbolId>, scope: Span) {
        let text = self.outline.files.text(set.span);
        let text: Vec<&str> = text.split_whitespace().collect();
        let what = format!("an element of `{}`", text.join(" "));
        match pattern {
            Pattern::Name(ident) => self.bound(*ident, &what, parent, scope),
            Pattern::Tuple(idents) => {
                let what = what.replacen("an element", "a part of an element", 1);
                idents
                    .iter()
                    .for_each(|&ident| self.bound(ident, &what, parent, scope));
            }
        }
    }

    /// What a conjunct of fairness means, told at its word.
    fn fairness(&mut self, strong: bool, subscript: Span, action: Span, all: Span) {
        let text = |span: Span| {
            let words = self.outline.files.text(span).split_whitespace();
            words.collect::<Vec<_>>().join(" ")
        };
        let (word, when) = match strong {
            true => ("Strong", "again and again"),
            false => ("Weak", "from some point on, all the time"),
        };
        let step = format!(
            "a step `{}` that changes `{}`",
            text(action),
            text(subscript)
        );
        let told =
            format!("{word} fairness: if {step} is possible {when}, one is taken again and again.");
        self.outline.notes.push((all, told));
    }

    fn expression(&mut self, expr: &Expr, parent: Option<SymbolId>) {
        let scope = expr.span;
        match &expr.kind {
            ExprKind::Fair {
                strong,
                subscript,
                action,
            } => self.fairness(*strong, subscript.span, action.span, scope),
            ExprKind::Apply(path) => self.path(path),
            ExprKind::Quantified(_, Bounds::In(bounds), body) => {
                self.bounds(bounds, parent, scope);
                return self.expression(body, parent);
            }
            ExprKind::Quantified(_, Bounds::Free(idents), _) => {
                for &ident in idents {
                    self.bound(ident, "a bound name", parent, scope);
                }
            }
            ExprKind::Choose(pattern, set, _) => match (pattern, set) {
                (pattern, Some(set)) => self.pattern(pattern, set, parent, scope),
                (Pattern::Name(ident), None) => self.bound(*ident, "a bound name", parent, scope),
                (Pattern::Tuple(_), None) => {}
            },
            ExprKind::Filter(pattern, set, _) => self.pattern(pattern, set, parent, scope),
            ExprKind::Image(body, bounds) | ExprKind::Function(bounds, body) => {
                self.bounds(bounds, parent, scope);
                return self.expression(body, parent);
            }
            ExprKind::Lambda(idents, _) => {
                for &ident in idents {
                    self.bound(ident, "a parameter", parent, scope);
                }
            }
            ExprKind::Let(units, body) => {
                self.units(units, parent, Some(scope));
                return self.expression(body, parent);
            }
            _ => {}
        }
        let mut inner = Vec::new();
        walk::below(expr, &mut |expr| inner.push(expr));
        for expr in inner {
            self.expression(expr, parent);
        }
    }

    fn path(&mut self, path: &Operators) {
        for segment in path.prefix.iter().chain([&path.last]) {
            if let Selector::Name(name) = segment.name {
                let text = self.names.text(name);
                // The place of a segment may cover its arguments.
                let start = segment.span.start as usize;
                let span = Span::new(segment.span.file, start, start + text.len());
                self.used.push(Ident { name, span });
            }
        }
    }

    /// What a name means at a place.
    fn meaning(&self, name: &str, place: Span) -> Option<SymbolId> {
        let known = self.known.get(name).into_iter().flatten().copied();
        let known = known.filter(|&id| self.outline.symbol(id).is_known_at(place));
        known.min_by_key(|&id| {
            let scope = self.outline.symbol(id).scope;
            scope.map_or(u32::MAX, |scope| scope.end - scope.start)
        })
    }

    fn mentions(&mut self) {
        for ident in std::mem::take(&mut self.used) {
            let name = self.names.text(ident.name);
            if let Some(symbol) = self.meaning(name, ident.span) {
                self.outline.mention(ident.span, symbol);
            }
        }
    }

    /// Definitions that the configuration names are properties; the configuration mentions them.
    fn configured(&mut self, configuration: &Configuration) {
        let stated = configuration.invariants.iter();
        let stated = stated.chain(&configuration.properties);
        let others = [
            &configuration.specification,
            &configuration.init,
            &configuration.next,
        ];
        let others = others.into_iter().flatten();
        let all: Vec<(Ident, bool)> = stated
            .map(|&ident| (ident, true))
            .chain(others.map(|&ident| (ident, false)))
            .collect();
        for (ident, is_property) in all {
            let name = self.names.text(ident.name);
            let Some(symbol) = self.meaning(name, ident.span) else {
                continue;
            };
            self.outline.mention(ident.span, symbol);
            let at = self.outline.symbol(symbol).at;
            if is_property && at.file == self.outline.main {
                let stated = &mut self.outline.symbols[symbol.0];
                stated.kind = SymbolKind::Property;
                stated.about += ", which the configuration asks about";
                self.outline.property(name, at);
            }
        }
    }
}

/// A text in one line, of a length that can be read.
fn shortened(text: &str) -> String {
    const MOST: usize = 120;
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
