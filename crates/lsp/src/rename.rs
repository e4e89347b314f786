//! New names, where nothing else changes its meaning.
//!
//! All mentions get the new name; then the new text is outlined and compared with the old one. It must have the
//! same symbols and the same mentions of each at the places that follow from the edits, and no new errors. So a
//! name that is taken, hidden by another one, no name at all, or used in another file is refused, whatever the
//! language.

use evenhand::system::Outline;
use evenhand::{Severity, Span};
use lsp_types::{Position, Range, TextEdit};

use crate::analysis::{Job, diagnostics};
use crate::answers::Page;
use crate::text::Text;

/// The place of the name at a position, if it can get a new one.
pub(crate) fn prepare(page: &Page, position: Position) -> Option<Range> {
    let symbol = page.symbol_at(position)?;
    let main = page.outline.main;
    let mentions = page.outline.mentions_of(symbol);
    if mentions.iter().any(|span| span.file != main) {
        return None;
    }
    let offset = page.offset(position);
    let mention = page.outline.mention_at(main, offset)?;
    Some(page.text.range(mention.at))
}

/// The edits that give the name at a position a new one.
///
/// # Errors
/// Why it cannot be done.
pub(crate) fn rename(
    page: &Page,
    job: &Job,
    position: Position,
    name: &str,
) -> Result<Vec<TextEdit>, String> {
    let symbol = page.symbol_at(position).ok_or("there is no name here")?;
    let main = page.outline.main;
    let mut places = page.outline.mentions_of(symbol);
    if places.iter().any(|span| span.file != main) {
        return Err("the name is used in other files too".into());
    }
    places.sort_unstable();
    let old = page.text.as_str();
    let mut new = String::with_capacity(old.len());
    let mut done = 0;
    for place in &places {
        new.push_str(&old[done..place.start as usize]);
        new.push_str(name);
        done = place.end as usize;
    }
    new.push_str(&old[done..]);
    let job = job.with_text(Text::new(new));
    let outline = job.outline().ok_or("the new text cannot be read")?;
    if !is_same(&page.outline, &outline, &places, name.len()) {
        return Err(format!("`{name}` would change what other names mean"));
    }
    let errors = |job: &Job| {
        let found = diagnostics(job, None).1.unwrap_or_default();
        let errors = found.iter().filter(|d| d.severity == Severity::Error);
        errors.count()
    };
    if errors(&job) > errors(&job.with_text((*page.text).clone())) {
        return Err(format!("with `{name}` the text has no meaning"));
    }
    let edit = |place: &Span| TextEdit::new(page.text.range(*place), name.to_string());
    Ok(places.iter().map(edit).collect())
}

/// Whether two outlines differ by the edits alone.
fn is_same(old: &Outline, new: &Outline, edits: &[Span], length: usize) -> bool {
    let moved = |span: Span| -> (usize, usize) {
        // Each edit in front of a place moves it; one that is the place changes its end.
        let grown = |until: u32| {
            let before = edits.iter().filter(|edit| edit.end <= until);
            before.fold(until as i64, |at, edit| {
                at + length as i64 - i64::from(edit.end - edit.start)
            })
        };
        (grown(span.start) as usize, grown(span.end) as usize)
    };
    // What is meant is known by where it is declared.
    let mentions = |outline: &Outline, moved: &dyn Fn(Span) -> (usize, usize)| {
        let here = outline.mentions.iter();
        let here = here.filter(|mention| mention.at.file == outline.main);
        let told = here.map(|mention| {
            let declared = outline.symbol(mention.symbol).at;
            let declared = match declared.file == outline.main {
                true => moved(declared),
                false => (declared.start as usize, declared.end as usize),
            };
            (moved(mention.at), declared)
        });
        told.collect::<Vec<_>>()
    };
    let stays = |span: Span| (span.start as usize, span.end as usize);
    old.symbols.len() == new.symbols.len()
        && old.properties.len() == new.properties.len()
        && mentions(old, &moved) == mentions(new, &stays)
}
