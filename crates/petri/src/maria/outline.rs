//! A net of Maria for editors: what it declares, and who means what.
//!
//! Types, functions, places and transitions are known everywhere, the names inside of a transition or a function from
//! there to the next declaration. Only a text without mistakes has a syntax tree.

use std::collections::HashMap;

use evenhand_source::{FileId, Files, Span};
use evenhand_system::ReadOptions;
use evenhand_system::outline::{Outline, Symbol, SymbolId, SymbolKind};

use super::include::Includes;
use super::lexer::{Kind, Token, WORDS, tokens};
use super::parser;
use super::syntax::{FunctionAst, Item, Name, Part, TypeAst, TypeForm};

/// Reads a text for an editor.
pub(crate) fn outline(mut files: Files, main: FileId, options: &ReadOptions) -> Outline {
    let includes = Includes::new(&files, main, options);
    let read = tokens(&mut files, main, &options.defines, &includes);
    let read = read.and_then(|tokens| parser::net(&tokens).map(|items| (tokens, items)));
    let mut outline = Outline::new(files, main);
    outline.keywords = WORDS.to_vec();
    let Ok((tokens, items)) = read else {
        return outline;
    };
    let mut reader = Reader {
        outline,
        starts: Vec::new(),
        end: tokens.last().map_or(0, |token| token.span.end),
    };
    reader.starts(&items);
    reader.starts.sort_unstable();
    reader.items(&items, None);
    reader.mentions(&tokens);
    let mut outline = reader.outline;
    outline.sort();
    outline
}

struct Reader {
    outline: Outline,
    /// Where declarations begin.
    starts: Vec<Span>,
    end: u32,
}

impl Reader {
    fn starts(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Function(function) => self.starts.push(function.name.span),
                Item::Place(place) => self.starts.push(place.name.span),
                Item::Transition(transition) => self.starts.push(transition.name.span),
                Item::Type(_, name) | Item::Proposition(name, _) => self.starts.push(name.span),
                Item::Subnet(items, _) => self.starts(items),
                _ => {}
            }
        }
    }

    /// From a name to the next declaration.
    fn extent(&self, name: Span) -> Span {
        let next = self.starts.partition_point(|&start| start <= name);
        let next = self.starts.get(next).filter(|next| next.file == name.file);
        Span {
            end: next.map_or(self.end.max(name.end), |next| next.start),
            ..name
        }
    }

    fn add(&mut self, name: &Name, kind: SymbolKind, about: String, extent: Span) -> SymbolId {
        let symbol = Symbol::new(&*name.text, kind, name.span, extent);
        self.outline.add(symbol.about(about))
    }

    fn items(&mut self, items: &[Item], parent: Option<SymbolId>) {
        for item in items {
            self.item(item, parent);
        }
    }

    fn item(&mut self, item: &Item, parent: Option<SymbolId>) {
        match item {
            Item::Type(of, name) => {
                let text = self.shown(of.span);
                let about = format!("`typedef {text} {}`", name.text);
                let id = self.add(name, SymbolKind::Type, about, of.span.to(name.span));
                self.parts(of, id);
            }
            Item::Function(function) => self.function(function, parent),
            Item::Place(place) => {
                let text = self.shown(place.ty.span);
                let about = format!("`place {} {text}`", place.name.text);
                let extent = self.extent(place.name.span);
                self.add(&place.name, SymbolKind::Place, about, extent);
            }
            Item::Transition(transition) => {
                let about = format!("`trans {}`", transition.name.text);
                let extent = self.extent(transition.name.span);
                let id = self.add(&transition.name, SymbolKind::Transition, about, extent);
                self.outline.folds.push(extent);
                for part in &transition.parts {
                    match part {
                        Part::Variable { ty, name, .. } => {
                            let about = format!("`{} {}`: a variable", ty.text, name.text);
                            self.inner(name, about, id, extent);
                        }
                        Part::Function(function) => self.function(function, Some(id)),
                        _ => {}
                    }
                }
            }
            Item::Proposition(name, _) => {
                let about = format!("`prop {}`", name.text);
                self.add(name, SymbolKind::Function, about, name.span);
            }
            Item::Deadlock(condition) => self.outline.property("deadlock", condition.span),
            Item::Reject(condition) => self.outline.property("reject", condition.span),
            Item::Sets(..) => {}
            Item::Subnet(items, _) => self.items(items, parent),
        }
    }

    fn function(&mut self, function: &FunctionAst, parent: Option<SymbolId>) {
        let FunctionAst {
            ty,
            name,
            parameters,
            inside,
        } = function;
        let extent = name.span.to(inside.span);
        let listed: Vec<String> = parameters
            .iter()
            .map(|(ty, name)| format!("{} {}", ty.text, name.text))
            .collect();
        let about = format!("`{} {}({})`", ty.text, name.text, listed.join(", "));
        let symbol = Symbol::new(&*name.text, SymbolKind::Function, name.span, extent);
        let id = self.outline.add(symbol.about(about).inside(parent));
        for (ty, parameter) in parameters {
            let about = format!("`{} {}`: a parameter", ty.text, parameter.text);
            self.inner(parameter, about, id, extent);
        }
    }

    fn inner(&mut self, name: &Name, about: String, parent: SymbolId, scope: Span) {
        let symbol = Symbol::new(&*name.text, SymbolKind::Parameter, name.span, name.span);
        let symbol = symbol.about(about).inside(Some(parent));
        self.outline.add(symbol.within(Some(scope)));
    }

    /// The names that a type brings.
    fn parts(&mut self, of: &TypeAst, parent: SymbolId) {
        match &of.kind {
            TypeForm::Enum(values) => {
                for (name, _) in values {
                    let about = format!("`{}`: a value", name.text);
                    let symbol =
                        Symbol::new(&*name.text, SymbolKind::Constant, name.span, name.span);
                    self.outline.add(symbol.about(about).inside(Some(parent)));
                }
            }
            TypeForm::Struct(fields) | TypeForm::Union(fields) => {
                for (of, name) in fields {
                    let about = format!("`{} {}`: a component", self.shown(of.span), name.text);
                    let symbol = Symbol::new(&*name.text, SymbolKind::Field, name.span, name.span);
                    self.outline.add(symbol.about(about).inside(Some(parent)));
                }
            }
            TypeForm::Constrained(of, _) => self.parts(of, parent),
            _ => {}
        }
    }

    fn shown(&self, span: Span) -> String {
        let words: Vec<&str> = self.outline.files.text(span).split_whitespace().collect();
        words.join(" ")
    }

    fn mentions(&mut self, tokens: &[Token]) {
        let mut known: HashMap<String, Vec<SymbolId>> = HashMap::new();
        for (index, symbol) in self.outline.symbols.iter().enumerate() {
            let same = known.entry(symbol.name.clone()).or_default();
            same.push(SymbolId(index));
        }
        for (at, token) in tokens.iter().enumerate() {
            let Kind::Name(name) = &token.kind else {
                continue;
            };
            // The word in front of a name says what it is.
            let kind = match at.checked_sub(1).map(|at| &tokens[at].kind) {
                Some(Kind::Word("place")) => Some(SymbolKind::Place),
                Some(Kind::Word("trans")) => Some(SymbolKind::Transition),
                Some(Kind::Sign(".")) => Some(SymbolKind::Field),
                _ => None,
            };
            let outline = &self.outline;
            let all = known.get(&**name).into_iter().flatten().copied();
            let all = all.filter(|&id| {
                let symbol = outline.symbol(id);
                symbol.is_known_at(token.span) && kind.is_none_or(|kind| symbol.kind == kind)
            });
            let found = all.min_by_key(|&id| {
                let scope = outline.symbol(id).scope;
                scope.map_or(u32::MAX, |scope| scope.end - scope.start)
            });
            if let Some(symbol) = found {
                self.outline.mention(token.span, symbol);
            }
        }
    }
}
