//! A PNML text for editors: places and transitions by their ids, and the arcs that mention them.
//!
//! Only a text without mistakes is known: XML has no parts that could be read without the whole.

use std::collections::HashMap;

use evenhand_source::{FileId, Files, Span};
use evenhand_system::fair::{Names, Spec, read as read_fair};
use evenhand_system::outline::{Outline, Symbol, SymbolId, SymbolKind};

use crate::pnml::{self, Node};

/// Elements that editors can offer.
const ELEMENTS: [&str; 9] = [
    "arc",
    "hlinscription",
    "initialMarking",
    "inscription",
    "name",
    "page",
    "place",
    "toolspecific",
    "transition",
];

/// Reads a text for an editor.
pub(crate) fn outline(files: Files, main: FileId) -> Outline {
    let text = files.get(main).text.clone();
    let mut outline = Outline::new(files, main);
    outline.keywords = ELEMENTS.to_vec();
    let Ok(written) = pnml::read(&text, main) else {
        return outline;
    };
    let mut known: HashMap<&str, SymbolId> = HashMap::new();
    let kinds = [
        (&written.places, SymbolKind::Place, "place"),
        (&written.transitions, SymbolKind::Transition, "transition"),
    ];
    for (nodes, kind, word) in kinds {
        for node in nodes {
            let at = value_of(&text, node.span, "id", &node.id).unwrap_or(node.span);
            let extent = whole(&text, node.span, word);
            let symbol = Symbol::new(&*node.id, kind, at, extent).about(about(node, word));
            known.insert(&node.id, outline.add(symbol));
            outline.folds.push(extent);
        }
    }
    for arc in &written.arcs {
        for (attribute, node) in [("source", &arc.source), ("target", &arc.target)] {
            let place = value_of(&text, arc.span, attribute, node);
            if let (Some(place), Some(&symbol)) = (place, known.get(&**node)) {
                outline.mention(place, symbol);
            }
        }
    }
    for (assumption, at) in &written.fairness {
        outline.fairness(assumption, *at, Names::Any);
        if let Ok(Spec::Some(target)) = read_fair(assumption, Names::Any)
            && let Some(&symbol) = known.get(&assumption[target.name.clone()])
        {
            let start = at.start as usize;
            let place = Span::new(main, start + target.name.start, start + target.name.end);
            outline.mention(place, symbol);
        }
    }
    if let Some(net) = text.find("<net") {
        outline.property("deadlock", Span::new(main, net + 1, net + 4));
        let tag = Span::new(main, net, net + 4);
        outline.folds.push(whole(&text, tag, "net"));
    }
    outline.sort();
    outline
}

fn about(node: &Node, word: &str) -> String {
    let mut about = format!("`{}`: a {word}", node.id);
    if let Some(name) = &node.name {
        about += &format!(", called {name}");
    }
    if let Some((tokens, _)) = &node.initial {
        about += &format!(", with {} at the beginning", tokens.trim());
    }
    about
}

/// The value of an attribute of a tag.
fn value_of(text: &str, tag: Span, attribute: &str, value: &str) -> Option<Span> {
    let start = tag.start as usize;
    let tag_text = text.get(start..)?;
    let tag_text = &tag_text[..tag_text.find('>')?];
    ["\"", "'"].iter().find_map(|quote| {
        let wanted = format!("{attribute}={quote}{value}{quote}");
        let found = tag_text.find(&wanted)?;
        let at = start + found + attribute.len() + 2;
        Some(Span::new(tag.file, at, at + value.len()))
    })
}

/// An element from its first tag to its last.
fn whole(text: &str, tag: Span, name: &str) -> Span {
    let start = tag.start as usize;
    let rest = text.get(start..).unwrap_or("");
    let opening = rest.find('>').map_or(rest.len(), |at| at + 1);
    if rest[..opening].ends_with("/>") {
        return Span::new(tag.file, start, start + opening);
    }
    let closing = format!("</{name}>");
    let end = rest.find(&closing).map_or(opening, |at| at + closing.len());
    Span::new(tag.file, start, start + end)
}
