//! What editors ask of a text: its names, where they are declared and used, what can be folded.
//!
//! An [`Outline`] is data that a front-end makes from its syntax tree, of texts with mistakes too:
//! whoever types has one in most moments. The language server asks nothing else, so it knows no language.
//! A *symbol* is a name with the place where it is declared; a *mention* is a place that means a symbol, the
//! declaration included. Hence definitions, references and renaming are searches in one sorted list.
//!
//! Front-ends add symbols first and mentions then, by [`Outline::add`] and [`Outline::mention`];
//! [`Outline::sort`] ends it.

use evenhand_source::{FileId, Files, Span};

use crate::fair::{self, Names, Spec};

/// A symbol of an [`Outline`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolId(pub usize);

/// What a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum SymbolKind {
    Module,
    Process,
    Type,
    Field,
    Variable,
    Parameter,
    Constant,
    Function,
    Macro,
    Label,
    Place,
    Transition,
    Property,
}

/// A name and its declaration.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// The name.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// The name in its declaration.
    pub at: Span,
    /// The whole declaration.
    pub extent: Span,
    /// Where the name has this meaning; everywhere if there is none.
    pub scope: Option<Span>,
    /// What it is inside of.
    pub parent: Option<SymbolId>,
    /// What it is, in words: its type, its range.
    pub about: String,
    /// What stands before the name where it is used; empty if that may be anything.
    pub after: &'static [&'static str],
}

impl Symbol {
    /// A symbol that is known everywhere.
    pub fn new(name: impl Into<String>, kind: SymbolKind, at: Span, extent: Span) -> Symbol {
        Symbol {
            name: name.into(),
            kind,
            at,
            extent: extent.to(at),
            scope: None,
            parent: None,
            about: String::new(),
            after: &[],
        }
    }

    /// With words about it.
    #[must_use]
    pub fn about(mut self, text: impl Into<String>) -> Symbol {
        self.about = text.into();
        self
    }

    /// Known in a part of the text only.
    #[must_use]
    pub fn within(mut self, scope: Option<Span>) -> Symbol {
        self.scope = scope;
        self
    }

    /// Inside of another one.
    #[must_use]
    pub fn inside(mut self, parent: Option<SymbolId>) -> Symbol {
        self.parent = parent;
        self
    }

    /// Used behind certain texts only.
    #[must_use]
    pub fn behind(mut self, texts: &'static [&'static str]) -> Symbol {
        self.after = texts;
        self
    }

    /// Whether the name means it at a place, as far as scopes go.
    pub fn is_known_at(&self, place: Span) -> bool {
        self.scope.is_none_or(|scope| covers(scope, place))
    }
}

/// Whether the second span lies in the first.
pub fn covers(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
}

/// A place that means a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mention {
    /// The place.
    pub at: Span,
    /// What it means.
    pub symbol: SymbolId,
}

/// A property that can be checked by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyPlace {
    /// The name, as `-p` takes it.
    pub name: String,
    /// Where it stands.
    pub at: Span,
}

/// What editors ask of a text.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// The files that were read for it.
    pub files: Files,
    /// The file that it is about.
    pub main: FileId,
    /// The symbols.
    pub symbols: Vec<Symbol>,
    /// Where they are mentioned, in the order of the text.
    pub mentions: Vec<Mention>,
    /// Words about places that are no symbols.
    pub notes: Vec<(Span, String)>,
    /// What can be folded.
    pub folds: Vec<Span>,
    /// The properties that stand in the text.
    pub properties: Vec<PropertyPlace>,
    /// Words of the language.
    pub keywords: Vec<&'static str>,
}

impl Outline {
    /// Of a text in which nothing was found yet.
    pub fn new(files: Files, main: FileId) -> Outline {
        Outline {
            files,
            main,
            ..Outline::default()
        }
    }

    /// Adds a symbol; its declaration mentions it.
    pub fn add(&mut self, symbol: Symbol) -> SymbolId {
        let id = SymbolId(self.symbols.len());
        self.mention(symbol.at, id);
        self.symbols.push(symbol);
        id
    }

    /// The symbol.
    pub fn symbol(&self, id: SymbolId) -> &Symbol {
        &self.symbols[id.0]
    }

    /// A place means a symbol.
    pub fn mention(&mut self, at: Span, symbol: SymbolId) {
        self.mentions.push(Mention { at, symbol });
    }

    /// A property stands at a place.
    pub fn property(&mut self, name: impl Into<String>, at: Span) {
        let name = name.into();
        self.properties.push(PropertyPlace { name, at });
    }

    /// A fairness assumption stands at a place: what it means is told there.
    pub fn fairness(&mut self, text: &str, at: Span, names: Names) {
        if let Ok(spec) = fair::read(text, names) {
            self.notes.push((at, meaning(text, &spec)));
        }
    }

    /// Puts everything in order; mentions of texts that are not the name (from macros) are left out.
    pub fn sort(&mut self) {
        let Outline {
            files,
            symbols,
            mentions,
            ..
        } = self;
        mentions.retain(|mention| files.text(mention.at) == symbols[mention.symbol.0].name);
        mentions.sort_unstable();
        mentions.dedup_by_key(|mention| mention.at);
        self.notes.sort_by_key(|(at, _)| *at);
        self.folds.sort_unstable();
        self.folds.dedup();
    }

    /// What is mentioned at an offset of a file; the place behind a name still belongs to it.
    pub fn mention_at(&self, file: FileId, offset: u32) -> Option<Mention> {
        let end = self
            .mentions
            .partition_point(|mention| (mention.at.file, mention.at.start) <= (file, offset));
        let mention = *self.mentions[..end].last()?;
        (mention.at.file == file && offset <= mention.at.end).then_some(mention)
    }

    /// All places that mean a symbol, its declaration first.
    pub fn mentions_of(&self, symbol: SymbolId) -> Vec<Span> {
        let declared = self.symbol(symbol).at;
        let all = self.mentions.iter().filter(|m| m.symbol == symbol);
        let others = all.map(|m| m.at).filter(|&at| at != declared);
        std::iter::once(declared).chain(others).collect()
    }

    /// The words about a place that is no symbol.
    pub fn note_at(&self, file: FileId, offset: u32) -> Option<&(Span, String)> {
        let place = Span {
            file,
            start: offset,
            end: offset,
        };
        self.notes.iter().find(|(at, _)| covers(*at, place))
    }
}

/// What a fairness assumption means, in words.
fn meaning(text: &str, spec: &Spec) -> String {
    let kind = |strong: bool| match strong {
        true => ("Strong", "is enabled again and again"),
        false => ("Weak", "is enabled from some point on"),
    };
    match spec {
        Spec::All { strong, as_partner } => {
            let (word, when) = kind(*strong);
            let handshakes = match as_partner {
                true => "A handshake counts for both partners.",
                false => "As in SPIN, a handshake counts for the sender alone.",
            };
            format!(
                "{word} fairness of every process: a process that {when} takes a step again and again. {handshakes}"
            )
        }
        Spec::Some(target) => {
            let (word, when) = kind(target.strong);
            let name = &text[target.name.clone()];
            let whose = match &target.pid {
                Some((pid, _)) => format!("`{name}[{pid}]`"),
                None => format!("every `{name}`"),
            };
            match &target.label {
                Some(label) => {
                    let label = &text[label.clone()];
                    format!(
                        "{word} fairness of what stands at `{label}` in {whose}: what {when} is executed again and again."
                    )
                }
                None => {
                    format!("{word} fairness of {whose}: what {when} takes a step again and again.")
                }
            }
        }
        Spec::Justice(place) => {
            let condition = &text[place.clone()];
            format!("Justice: only runs count on which `{condition}` holds again and again.")
        }
        Spec::Compassion(when, then) => {
            let (when, then) = (&text[when.clone()], &text[then.clone()]);
            format!(
                "Compassion: only runs count on which, if `{when}` holds again and again, so does `{then}`."
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline() -> Outline {
        let mut files = Files::new();
        let main = files.add("m", "byte x; x = x; N");
        let mut outline = Outline::new(files, main);
        let at = |start, end| Span::new(main, start, end);
        let x = outline.add(Symbol::new("x", SymbolKind::Variable, at(5, 6), at(0, 7)));
        outline.mention(at(12, 13), x);
        outline.mention(at(8, 9), x);
        outline.mention(at(15, 16), x);
        outline.sort();
        outline
    }

    #[test]
    fn names_are_found_where_they_stand_and_macros_mention_nothing() {
        let outline = outline();
        let main = outline.main;
        assert_eq!(outline.mentions_of(SymbolId(0)).len(), 3);
        assert_eq!(outline.mention_at(main, 7), None);
        assert_eq!(outline.mention_at(main, 15), None, "`N` is not `x`");
        for offset in [5, 6, 8, 9, 12, 13] {
            assert!(outline.mention_at(main, offset).is_some(), "{offset}");
        }
    }

    #[test]
    fn fairness_is_told_in_words() {
        let mut outline = outline();
        let at = Span::new(outline.main, 0, 4);
        for (text, part) in [
            ("weak", "Weak fairness of every process"),
            ("strong:phil[2]@eat", "at `eat` in `phil[2]`"),
            ("compassion:x == 1=>y", "if `x == 1` holds"),
            ("just:x", "on which `x` holds"),
        ] {
            outline.notes.clear();
            outline.fairness(text, at, Names::Identifiers);
            let told = &outline.note_at(outline.main, 2).expect(text).1;
            assert!(told.contains(part), "{told}");
        }
    }
}
