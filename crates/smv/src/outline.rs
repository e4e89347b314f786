//! An SMV text for editors: what it declares, and who means what.
//!
//! Modules, variables, definitions, constants and properties come from the syntax tree; names are looked up
//! token by token, so that broken declarations have meaning too. A name is one of its module, else a
//! constant, else a module; behind a dot it belongs to the module that the instance in front of it is of.

use std::collections::HashMap;

use evenhand_source::{FileId, Files, Span};
use evenhand_system::fair::Names as Fair;
use evenhand_system::outline::{Outline, Symbol, SymbolId, SymbolKind};

use crate::ast::{
    EnumValue, Ident, Item, Model, Module, PropertyItem, PropertyItemKind, TypeExpr, TypeKind,
    VariableKind,
};
use crate::lexer::tokenize;
use crate::parser::parse;
use crate::token::{RESERVED, SECTIONS, Token, TokenKind, is_reserved};

/// Reads a text for an editor.
pub(crate) fn outline(files: Files, main: FileId) -> Outline {
    let (tokens, _) = tokenize(&files, main);
    let (tree, _) = parse(&tokens);
    let mut names = Names {
        outline: Outline::new(files, main),
        members: HashMap::new(),
        instances: HashMap::new(),
        scopes: Vec::new(),
    };
    let end = tokens
        .last()
        .map_or(Span::new(main, 0, 0), |token| token.span);
    names.declare(&tree, end);
    names.properties(&tree);
    names.mentions(&tokens);
    let mut outline = names.outline;
    fairness(&mut outline, &tree, &tokens);
    folds(&mut outline, &tokens);
    outline.keywords = RESERVED.to_vec();
    outline.sort();
    outline
}

struct Names {
    outline: Outline,
    /// The names of each module; under no module the constants and the modules.
    members: HashMap<(Option<String>, String), SymbolId>,
    /// The module that a variable is an instance of.
    instances: HashMap<SymbolId, String>,
    /// Where modules are.
    scopes: Vec<(Span, String)>,
}

impl Names {
    fn declare(&mut self, tree: &Model, end: Span) {
        for (number, module) in tree.modules.iter().enumerate() {
            let behind = tree
                .modules
                .get(number + 1)
                .map_or(end, |next| next.name.span);
            let extent = Span {
                end: behind.start,
                ..module.name.span
            };
            self.module(module, extent);
        }
    }

    fn add(&mut self, module: Option<&str>, symbol: Symbol) -> SymbolId {
        let key = (module.map(str::to_string), symbol.name.clone());
        let id = self.outline.add(symbol);
        self.members.entry(key).or_insert(id);
        id
    }

    fn module(&mut self, module: &Module, extent: Span) {
        let name = &*module.name.name;
        let parameters: Vec<&str> = module.parameters.iter().map(|p| &*p.name).collect();
        let about = match parameters.is_empty() {
            true => format!("`MODULE {name}`"),
            false => format!("`MODULE {name}({})`", parameters.join(", ")),
        };
        let symbol = Symbol::new(name, SymbolKind::Module, module.name.span, extent).about(about);
        let parent = Some(self.add(None, symbol));
        self.scopes.push((extent, name.to_string()));
        for parameter in &module.parameters {
            let about = format!("`{}`: a parameter of `{name}`", parameter.name);
            self.own(
                name,
                parameter,
                SymbolKind::Parameter,
                about,
                (parent, extent),
            );
        }
        for item in &module.items {
            match item {
                Item::Variable(kind, ident, of) => {
                    let about = self.variable(*kind, ident, of);
                    let id = self.own(name, ident, SymbolKind::Variable, about, (parent, extent));
                    self.values(of);
                    if let Some(instance) = instance_of(of) {
                        self.instances.insert(id, instance.name.to_string());
                    }
                }
                Item::Define(ident, value) => {
                    let text = shortened(self.outline.files.text(value.span));
                    let about = format!("`{} := {text}`: a definition", ident.name);
                    self.own(name, ident, SymbolKind::Function, about, (parent, extent));
                }
                Item::Constants(list) => {
                    for constant in list {
                        self.constant(&constant.name, constant.span);
                    }
                }
                _ => {}
            }
        }
    }

    /// A name that belongs to a module.
    fn own(
        &mut self,
        module: &str,
        ident: &Ident,
        kind: SymbolKind,
        about: String,
        (parent, scope): (Option<SymbolId>, Span),
    ) -> SymbolId {
        let symbol = Symbol::new(&*ident.name, kind, ident.span, ident.span);
        let symbol = symbol.about(about).inside(parent).within(Some(scope));
        self.add(Some(module), symbol)
    }

    fn constant(&mut self, name: &str, at: Span) {
        if !self.members.contains_key(&(None, name.to_string())) {
            let about = format!("`{name}`: a constant");
            let symbol = Symbol::new(name, SymbolKind::Constant, at, at).about(about);
            self.add(None, symbol);
        }
    }

    /// The names that an enumeration brings.
    fn values(&mut self, of: &TypeExpr) {
        match &of.kind {
            TypeKind::Enumeration(values) => {
                for (value, at) in values {
                    if let EnumValue::Name(name) = value {
                        self.constant(name, *at);
                    }
                }
            }
            TypeKind::Array(_, _, element) => self.values(element),
            _ => {}
        }
    }

    /// The type of a variable and its range, in words.
    fn variable(&self, kind: VariableKind, ident: &Ident, of: &TypeExpr) -> String {
        let what = match (kind, instance_of(of)) {
            (_, Some(module)) => {
                return format!("`{}`: an instance of `{}`", ident.name, module.name);
            }
            (VariableKind::State, _) => "a variable",
            (VariableKind::Frozen, _) => "a variable that keeps its first value",
            (VariableKind::Input, _) => "an input, any value in each step",
        };
        let text = shortened(self.outline.files.text(of.span));
        let name = &ident.name;
        let range = match &of.kind {
            TypeKind::Boolean => ": FALSE, TRUE".to_string(),
            TypeKind::Enumeration(values) => format!(" of {} values", values.len()),
            _ => String::new(),
        };
        format!("`{name} : {text}`: {what}{range}")
    }

    /// Properties of `main` by the names that they are checked by. Unnamed ones are counted through all instances,
    /// so where other modules have some of the kind, their numbers are not told here.
    fn properties(&mut self, tree: &Model) {
        let mut counts: HashMap<&'static str, usize> = HashMap::new();
        let elsewhere = |word: &str| {
            let others = tree.modules.iter().filter(|m| &*m.name.name != "main");
            others
                .flat_map(|m| &m.items)
                .any(|item| matches!(item, Item::Property(property) if word_of(property) == word))
        };
        let mains = tree.modules.iter().filter(|m| &*m.name.name == "main");
        let mut found: Vec<(String, Span, Option<Span>)> = Vec::new();
        for item in mains.flat_map(|module| &module.items) {
            let Item::Property(property) = item else {
                continue;
            };
            let word = word_of(property);
            let count = counts.entry(word).or_default();
            let unnamed = format!("{word}_{count}");
            *count += 1;
            match &property.name {
                Some(name) => {
                    let text = self.outline.files.text(name.span).to_string();
                    found.push((text, property.span, Some(name.span)));
                }
                None if !elsewhere(word) => found.push((unnamed, property.span, None)),
                None => {}
            }
        }
        for (name, extent, at) in found {
            let text = shortened(self.outline.files.text(extent));
            let first = Span {
                end: extent.start,
                ..extent
            };
            let at = at.unwrap_or(first);
            let symbol = Symbol::new(&*name, SymbolKind::Property, at, extent);
            self.outline
                .add(symbol.about(format!("`{name}`: `{text}`")));
            self.outline.property(name, at);
        }
    }

    fn mentions(&mut self, tokens: &[Token]) {
        let mut means: Vec<Option<SymbolId>> = vec![None; tokens.len()];
        let declared: HashMap<Span, SymbolId> = (self.outline.symbols.iter().enumerate())
            .map(|(index, symbol)| (symbol.at, SymbolId(index)))
            .collect();
        let mut scope = 0;
        for (at, token) in tokens.iter().enumerate() {
            let TokenKind::Word(name) = &token.kind else {
                continue;
            };
            if is_reserved(name) {
                continue;
            }
            while scope + 1 < self.scopes.len() && self.scopes[scope].0.end <= token.span.start {
                scope += 1;
            }
            let module = self.scopes.get(scope).map(|(_, name)| name.clone());
            let found = match declared.get(&token.span) {
                Some(&id) => Some(id),
                None => self.meaning(tokens, &means, at, name, module),
            };
            means[at] = found;
            if let Some(symbol) = found {
                self.outline.mention(token.span, symbol);
            }
        }
    }

    fn meaning(
        &self,
        tokens: &[Token],
        means: &[Option<SymbolId>],
        at: usize,
        name: &str,
        module: Option<String>,
    ) -> Option<SymbolId> {
        let is_dot = |at: usize| tokens[at].kind == TokenKind::Sign(".");
        let of = |module: Option<String>| self.members.get(&(module, name.to_string())).copied();
        if at == 0 || !is_dot(at - 1) {
            return of(module).or_else(|| of(None));
        }
        let base = base_of(tokens, at - 1)?;
        if let TokenKind::Word(word) = &tokens[base].kind
            && &**word == "self"
        {
            return of(module);
        }
        let instance = means[base].and_then(|id| self.instances.get(&id));
        if let Some(instance) = instance {
            return of(Some(instance.clone()));
        }
        // Of a parameter it is not known here what it is: the only one of that name is meant.
        let mut all = self
            .members
            .iter()
            .filter(|((module, known), _)| module.is_some() && known == name);
        let first = all.next().map(|(_, &id)| id);
        first.filter(|_| all.next().is_none())
    }
}

/// The name in front of a dot, over an index.
fn base_of(tokens: &[Token], dot: usize) -> Option<usize> {
    let mut at = dot.checked_sub(1)?;
    let mut open = 0usize;
    loop {
        match tokens[at].kind {
            TokenKind::Sign("]") => open += 1,
            TokenKind::Sign("[") => open = open.checked_sub(1)?,
            TokenKind::Word(_) if open == 0 => return Some(at),
            _ if open == 0 => return None,
            _ => {}
        }
        at = at.checked_sub(1)?;
    }
}

fn instance_of(of: &TypeExpr) -> Option<&Ident> {
    match &of.kind {
        TypeKind::Instance(module, _, _) => Some(module),
        TypeKind::Array(_, _, element) => instance_of(element),
        _ => None,
    }
}

/// The word that unnamed properties of the kind are called by.
fn word_of(property: &PropertyItem) -> &'static str {
    match property.kind {
        PropertyItemKind::Invariant => "invar",
        PropertyItemKind::Ltl => "ltl",
        PropertyItemKind::Ctl => "ctl",
        PropertyItemKind::Psl => "psl",
        PropertyItemKind::Compute(..) => "compute",
    }
}

/// A text in one line, of a length that can be read.
fn shortened(text: &str) -> String {
    const MOST: usize = 80;
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

/// What constraints of fairness mean, told at their words.
fn fairness(outline: &mut Outline, tree: &Model, tokens: &[Token]) {
    let begins = |token: &&Token| match &token.kind {
        TokenKind::Word(word) => matches!(&**word, "FAIRNESS" | "JUSTICE" | "COMPASSION"),
        _ => false,
    };
    let words: Vec<Span> = tokens.iter().filter(begins).map(|t| t.span).collect();
    let items = tree.modules.iter().flat_map(|module| &module.items);
    for item in items {
        let text = |span: Span| shortened(outline.files.text(span));
        let (told, first, last) = match item {
            Item::Justice(holds) => (format!("just:{}", text(holds.span)), holds.span, holds.span),
            Item::Compassion(when, then) => (
                format!("compassion:{}=>{}", text(when.span), text(then.span)),
                when.span,
                then.span,
            ),
            _ => continue,
        };
        let before = words.iter().rev().find(|word| word.start < first.start);
        if let Some(word) = before {
            outline.fairness(&told, word.to(last), Fair::Any);
        }
    }
}

/// Sections of modules, and `case … esac`.
fn folds(outline: &mut Outline, tokens: &[Token]) {
    let mut section: Option<Span> = None;
    let mut cases: Vec<Span> = Vec::new();
    let mut last = None;
    for token in tokens {
        let word = match &token.kind {
            TokenKind::Word(word) => &**word,
            TokenKind::Eof => "MODULE",
            _ => "",
        };
        if SECTIONS.contains(&word) {
            if let (Some(begun), Some(last)) = (section, last) {
                outline.folds.push(begun.to(last));
            }
            section = Some(token.span);
        }
        match word {
            "case" => cases.push(token.span),
            "esac" => outline
                .folds
                .extend(cases.pop().map(|case| case.to(token.span))),
            _ => {}
        }
        last = Some(token.span);
    }
    let modules = outline.symbols.iter();
    let modules = modules.filter(|symbol| symbol.kind == SymbolKind::Module);
    let modules: Vec<Span> = modules.map(|symbol| symbol.extent).collect();
    outline.folds.extend(modules);
}
