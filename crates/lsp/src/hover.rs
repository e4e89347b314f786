//! Words about a place.
//!
//! What a symbol is, the front-end says. Of a property of linear time the automaton of its bad runs is
//! translated, within a second and beside the server: its size says what the product costs.

use std::time::Duration;

use evenhand::verify::LinearQuestion;
use evenhand::{Budget, Request, Wanted};
use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind, Position};

use crate::analysis::Job;
use crate::answers::Page;

/// What is said at a position, and the property that stands there.
pub(crate) fn hover(page: &Page, position: Position) -> Option<(Hover, Option<String>)> {
    let offset = page.offset(position);
    let outline = &page.outline;
    if let Some(mention) = outline.mention_at(outline.main, offset) {
        let symbol = outline.symbol(mention.symbol);
        let property = outline.properties.iter().find(|p| p.at == symbol.at);
        let name = property.map(|property| property.name.clone());
        if symbol.about.is_empty() && name.is_none() {
            return None;
        }
        return Some((told(page, &symbol.about, mention.at), name));
    }
    let (span, words) = outline.note_at(outline.main, offset)?;
    Some((told(page, words, *span), None))
}

fn told(page: &Page, words: &str, span: evenhand::Span) -> Hover {
    Hover {
        contents: HoverContents::Markup(MarkupContent {
            kind: MarkupKind::Markdown,
            value: words.to_string(),
        }),
        range: Some(page.text.range(span)),
    }
}

/// Adds a line.
pub(crate) fn add(hover: &mut Hover, line: &str) {
    if let HoverContents::Markup(content) = &mut hover.contents {
        content.value += &format!("\n\n{line}");
    }
}

/// The size of the automaton of a property's bad runs, if it is of linear time and soon translated.
pub(crate) fn automaton(job: &Job, property: &str) -> Option<String> {
    let budget = Budget::unlimited().within(Some(Duration::from_secs(1)));
    let size = budget.run(|| {
        let model = job.model().ok()?;
        let mut request = Request::default();
        request.properties = Wanted::Named(vec![property.to_string()]);
        let inquiry = model.specification().resolve(&request).ok()?;
        let question = inquiry.questions.first()?;
        let linear = LinearQuestion::of(question)?;
        let bad = linear.bad.ok()?;
        Some((bad.states().len(), bad.edges().len()))
    });
    let (states, edges) = size.ok()??;
    let plural = |count: usize, word: &str| match count {
        1 => format!("1 {word}"),
        _ => format!("{count} {word}s"),
    };
    Some(format!(
        "The automaton of the runs that break it has {} and {}.",
        plural(states, "state"),
        plural(edges, "edge")
    ))
}
