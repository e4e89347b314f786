//! What follows from an outline: definitions, references, symbols, completion, folds.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use evenhand::system::Outline;
use evenhand::system::outline::{Symbol, SymbolId, SymbolKind};
use evenhand::{FileId, Span};
use lsp_types::{
    self as lsp, CompletionItem, CompletionItemKind, DocumentHighlight, DocumentSymbol,
    FoldingRange, Location, Position, Uri,
};

use crate::place::address_of;
use crate::text::Text;

/// The outline of a text, and the text.
pub(crate) struct Page {
    pub uri: Uri,
    pub text: Arc<Text>,
    pub outline: Outline,
}

impl Page {
    fn main(&self) -> FileId {
        self.outline.main
    }

    pub(crate) fn offset(&self, position: Position) -> u32 {
        u32::try_from(self.text.offset(position)).unwrap_or(u32::MAX)
    }

    /// The symbol at a position.
    pub(crate) fn symbol_at(&self, position: Position) -> Option<SymbolId> {
        let offset = self.offset(position);
        let mention = self.outline.mention_at(self.main(), offset)?;
        Some(mention.symbol)
    }

    /// A span as the protocol says it.
    fn location(&self, span: Span) -> Option<Location> {
        if span.file == self.main() {
            return Some(Location::new(self.uri.clone(), self.text.range(span)));
        }
        let file = self.outline.files.get(span.file);
        let range = Text::new(&*file.text).range(span);
        Some(Location::new(address_of(Path::new(&file.name))?, range))
    }

    pub(crate) fn definition(&self, position: Position) -> Option<Location> {
        let symbol = self.symbol_at(position)?;
        self.location(self.outline.symbol(symbol).at)
    }

    pub(crate) fn references(&self, position: Position, with_declaration: bool) -> Vec<Location> {
        let Some(symbol) = self.symbol_at(position) else {
            return Vec::new();
        };
        let all = self.outline.mentions_of(symbol);
        let all = all.into_iter().skip(usize::from(!with_declaration));
        all.filter_map(|span| self.location(span)).collect()
    }

    pub(crate) fn highlights(&self, position: Position) -> Vec<DocumentHighlight> {
        let Some(symbol) = self.symbol_at(position) else {
            return Vec::new();
        };
        let all = self.outline.mentions_of(symbol);
        let here = all.into_iter().filter(|span| span.file == self.main());
        here.map(|span| DocumentHighlight {
            range: self.text.range(span),
            kind: None,
        })
        .collect()
    }

    /// The symbols of the text, those inside of others below them.
    pub(crate) fn symbols(&self) -> Vec<DocumentSymbol> {
        let mut children: HashMap<Option<SymbolId>, Vec<SymbolId>> = HashMap::new();
        for (index, symbol) in self.outline.symbols.iter().enumerate() {
            if symbol.at.file == self.main() {
                let list = children.entry(symbol.parent).or_default();
                list.push(SymbolId(index));
            }
        }
        for list in children.values_mut() {
            list.sort_by_key(|&id| self.outline.symbol(id).at);
        }
        self.level(None, &children)
    }

    fn level(
        &self,
        parent: Option<SymbolId>,
        children: &HashMap<Option<SymbolId>, Vec<SymbolId>>,
    ) -> Vec<DocumentSymbol> {
        let list = children.get(&parent).map_or(&[][..], Vec::as_slice);
        list.iter()
            .map(|&id| {
                let symbol = self.outline.symbol(id);
                let below = self.level(Some(id), children);
                #[expect(deprecated, reason = "the field is there, and none")]
                DocumentSymbol {
                    name: symbol.name.clone(),
                    detail: None,
                    kind: kind_of(symbol.kind),
                    tags: None,
                    deprecated: None,
                    range: self.text.range(symbol.extent),
                    selection_range: self.text.range(symbol.at),
                    children: (!below.is_empty()).then_some(below),
                }
            })
            .collect()
    }

    /// Names that are known at a position, and words of the language.
    pub(crate) fn completion(&self, position: Position) -> Vec<CompletionItem> {
        let offset = self.text.offset(position);
        let before = &self.text.as_str()[..offset];
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let before = before.trim_end_matches(is_word);
        let sign = before.trim_end();
        let place = Span::new(self.main(), offset, offset);
        let follows = |text: &&str| sign.ends_with(*text);
        let special = |symbol: &&Symbol| symbol.after.iter().any(follows);
        let known = self.outline.symbols.iter();
        let known = known.filter(|symbol| symbol.is_known_at(place) || !symbol.after.is_empty());
        // Behind a sign that asks for certain names, these alone.
        let asked: Vec<&Symbol> = known.clone().filter(special).collect();
        let (symbols, words) = match asked.is_empty() {
            false => (asked, &[][..]),
            true => {
                let plain = known.filter(|symbol| symbol.after.is_empty());
                (plain.collect(), self.outline.keywords.as_slice())
            }
        };
        let mut items: Vec<CompletionItem> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for symbol in symbols {
            if seen.insert(&symbol.name) {
                items.push(CompletionItem {
                    label: symbol.name.clone(),
                    kind: Some(item_kind(symbol.kind)),
                    detail: Some(symbol.about.replace('`', "")),
                    ..CompletionItem::default()
                });
            }
        }
        items.extend(words.iter().map(|word| CompletionItem {
            label: (*word).to_string(),
            kind: Some(CompletionItemKind::KEYWORD),
            ..CompletionItem::default()
        }));
        items
    }

    pub(crate) fn folds(&self) -> Vec<FoldingRange> {
        let here = self.outline.folds.iter();
        let here = here.filter(|span| span.file == self.main());
        let ranges = here.map(|&span| self.text.range(span));
        ranges
            .filter(|range| range.start.line < range.end.line)
            .map(|range| FoldingRange {
                start_line: range.start.line,
                end_line: range.end.line,
                ..FoldingRange::default()
            })
            .collect()
    }
}

fn kind_of(kind: SymbolKind) -> lsp::SymbolKind {
    match kind {
        SymbolKind::Module => lsp::SymbolKind::MODULE,
        SymbolKind::Process => lsp::SymbolKind::CLASS,
        SymbolKind::Type => lsp::SymbolKind::STRUCT,
        SymbolKind::Field => lsp::SymbolKind::FIELD,
        SymbolKind::Variable | SymbolKind::Parameter => lsp::SymbolKind::VARIABLE,
        SymbolKind::Constant | SymbolKind::Macro => lsp::SymbolKind::CONSTANT,
        SymbolKind::Function => lsp::SymbolKind::FUNCTION,
        SymbolKind::Label => lsp::SymbolKind::KEY,
        SymbolKind::Place => lsp::SymbolKind::OBJECT,
        SymbolKind::Transition => lsp::SymbolKind::EVENT,
        SymbolKind::Property => lsp::SymbolKind::PROPERTY,
    }
}

fn item_kind(kind: SymbolKind) -> CompletionItemKind {
    match kind {
        SymbolKind::Module => CompletionItemKind::MODULE,
        SymbolKind::Process => CompletionItemKind::CLASS,
        SymbolKind::Type => CompletionItemKind::STRUCT,
        SymbolKind::Field => CompletionItemKind::FIELD,
        SymbolKind::Variable | SymbolKind::Parameter => CompletionItemKind::VARIABLE,
        SymbolKind::Constant | SymbolKind::Macro => CompletionItemKind::CONSTANT,
        SymbolKind::Function => CompletionItemKind::FUNCTION,
        SymbolKind::Label => CompletionItemKind::REFERENCE,
        SymbolKind::Place => CompletionItemKind::VALUE,
        SymbolKind::Transition => CompletionItemKind::EVENT,
        SymbolKind::Property => CompletionItemKind::PROPERTY,
    }
}
