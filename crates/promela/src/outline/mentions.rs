//! Which symbol a name means, by the tokens around it.
//!
//! A name behind a `.` is a field, behind `goto` or `@` a label, behind `p[i]:` a variable of that process; any
//! other is what is declared in the smallest scope around it. A token from a macro stands in the definition of
//! the macro, and means what it means at its use; the use itself mentions the macro.

use std::collections::HashMap;

use evenhand_source::Span;
use evenhand_system::fair::{Names, Spec, read};
use evenhand_system::outline::{Outline, SymbolId, SymbolKind, covers};

use crate::token::{Keyword, Punct, Token, TokenKind, Tokens};

pub(super) fn add(outline: &mut Outline, tokens: &Tokens) {
    let mut table = Table::new(outline);
    let list = &tokens.tokens;
    // What each token was found to mean: the base of `a.b` is asked again by `b`.
    let mut means: Vec<Option<SymbolId>> = vec![None; list.len()];
    for (at, token) in list.iter().enumerate() {
        let TokenKind::Ident(name) = &token.kind else {
            continue;
        };
        let found = match table.places.get(&token.expansion.unwrap_or(token.span)) {
            Some(&declared) => Some(declared),
            None => table.meaning(outline, list, &means, at, name),
        };
        means[at] = found;
        if let Some(symbol) = found {
            table
                .found
                .push((token.expansion.unwrap_or(token.span), symbol));
        }
    }
    // Uses of macros: all tokens of one have its place.
    let mut last = None;
    for token in list.iter().filter(|token| token.expansion.is_some()) {
        if last == Some(token.span) {
            continue;
        }
        last = Some(token.span);
        let text = outline.files.text(token.span);
        let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_'));
        let name = &text[..end.unwrap_or(text.len())];
        if let Some(&symbol) = table.macros.get(name) {
            let start = token.span.start as usize;
            let place = Span::new(token.span.file, start, start + name.len());
            table.found.push((place, symbol));
        }
    }
    for comment in &tokens.fair {
        table.assumption(outline, &comment.text, comment.span);
    }
    for (place, symbol) in table.found {
        outline.mention(place, symbol);
    }
}

struct Table {
    /// The symbols of each name.
    names: HashMap<String, Vec<SymbolId>>,
    /// Where symbols are declared.
    places: HashMap<Span, SymbolId>,
    macros: HashMap<String, SymbolId>,
    /// The record that a variable or a field is of.
    found: Vec<(Span, SymbolId)>,
}

impl Table {
    fn new(outline: &Outline) -> Table {
        let mut table = Table {
            names: HashMap::new(),
            places: HashMap::new(),
            macros: HashMap::new(),
            found: Vec::new(),
        };
        for (index, symbol) in outline.symbols.iter().enumerate() {
            let id = SymbolId(index);
            table.places.insert(symbol.at, id);
            if symbol.kind == SymbolKind::Macro {
                table.macros.insert(symbol.name.clone(), id);
            } else {
                let same = table.names.entry(symbol.name.clone()).or_default();
                same.push(id);
            }
        }
        table
    }

    fn named(&self, name: &str) -> impl Iterator<Item = SymbolId> {
        self.names.get(name).into_iter().flatten().copied()
    }

    fn meaning(
        &self,
        outline: &Outline,
        list: &[Token],
        means: &[Option<SymbolId>],
        at: usize,
        name: &str,
    ) -> Option<SymbolId> {
        let place = list[at].span;
        let kind = |n: usize| at.checked_sub(n).map(|at| &list[at].kind);
        match kind(1) {
            Some(TokenKind::Punct(Punct::Dot)) => {
                let base = base_of(list, at - 1).and_then(|base| means[base]);
                self.field(outline, base, name)
            }
            Some(TokenKind::Keyword(Keyword::Goto)) => self.label(outline, name, place),
            Some(TokenKind::Punct(Punct::At)) => {
                let process = base_of(list, at - 1).and_then(|base| means[base])?;
                self.label(outline, name, outline.symbol(process).at)
            }
            Some(TokenKind::Punct(Punct::Colon)) => {
                let process = base_of(list, at - 1).and_then(|base| means[base]);
                let process = process.map(|id| outline.symbol(id));
                match process.filter(|symbol| symbol.kind == SymbolKind::Process) {
                    Some(process) => self.value(outline, name, process.at),
                    None => self.value(outline, name, place),
                }
            }
            _ => self.value(outline, name, place),
        }
    }

    /// The field of a record; of any record if it is not known of which.
    fn field(&self, outline: &Outline, base: Option<SymbolId>, name: &str) -> Option<SymbolId> {
        let fields = self.named(name);
        let mut fields = fields.filter(|&id| outline.symbol(id).kind == SymbolKind::Field);
        let record = base.and_then(|base| record_of(outline, base));
        let Some(record) = record else {
            let first = fields.next();
            return first.filter(|_| fields.next().is_none());
        };
        fields.find(|&id| {
            let parent = outline.symbol(id).parent;
            parent.is_some_and(|parent| outline.symbol(parent).name == record)
        })
    }

    fn label(&self, outline: &Outline, name: &str, place: Span) -> Option<SymbolId> {
        self.named(name).find(|&id| {
            let symbol = outline.symbol(id);
            symbol.kind == SymbolKind::Label && symbol.is_known_at(place)
        })
    }

    /// What is declared in the smallest scope.
    fn value(&self, outline: &Outline, name: &str, place: Span) -> Option<SymbolId> {
        let known = self.named(name).filter(|&id| {
            let symbol = outline.symbol(id);
            symbol.after.is_empty() && symbol.is_known_at(place)
        });
        known.min_by_key(|&id| {
            let scope = outline.symbol(id).scope;
            scope.map_or(u32::MAX, |scope| scope.end - scope.start)
        })
    }

    /// The names in a fairness comment.
    fn assumption(&mut self, outline: &Outline, text: &str, place: Span) {
        let Ok(Spec::Some(target)) = read(text, Names::Identifiers) else {
            return;
        };
        let at = |range: &std::ops::Range<usize>| {
            let start = place.start as usize;
            Span::new(place.file, start + range.start, start + range.end)
        };
        let process = self.value(outline, &text[target.name.clone()], place);
        let Some(process) = process else { return };
        self.found.push((at(&target.name), process));
        if let Some(range) = target.label {
            let inside = outline.symbol(process).at;
            if let Some(label) = self.label(outline, &text[range.clone()], inside) {
                self.found.push((at(&range), label));
            }
        }
    }
}

/// The name in front of a sign: `a` of `a.`, of `a[i].` and of `a[i]@`.
fn base_of(list: &[Token], sign: usize) -> Option<usize> {
    let mut at = sign.checked_sub(1)?;
    if list[at].kind == TokenKind::Punct(Punct::RBracket) {
        let mut open = 0usize;
        loop {
            match list[at].kind {
                TokenKind::Punct(Punct::RBracket) => open += 1,
                TokenKind::Punct(Punct::LBracket) => open -= 1,
                _ => {}
            }
            at = at.checked_sub(1)?;
            if open == 0 {
                break;
            }
        }
    }
    matches!(list[at].kind, TokenKind::Ident(_)).then_some(at)
}

/// The record that a variable is of: the type in front of it in its declaration.
fn record_of(outline: &Outline, variable: SymbolId) -> Option<&str> {
    let symbol = outline.symbol(variable);
    let text = outline.files.text(symbol.extent);
    let known = |word: &str| {
        let mut symbols = outline.symbols.iter();
        symbols.any(|s| s.kind == SymbolKind::Type && s.name == word)
    };
    debug_assert!(covers(symbol.extent, symbol.at));
    let mut words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words
        .find(|word| !word.is_empty() && !["hidden", "show", "local"].contains(word))
        .filter(|word| known(word))
}
