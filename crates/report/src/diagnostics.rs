//! Diagnostics with the source line and a marker, like a compiler's.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use evenhand_source::{Diagnostic, Files, Severity, Span};

use crate::printable::{in_place, one_line, printable};

/// How many diagnostics are shown to people.
const MOST_SHOWN: usize = 30;

/// Renders diagnostics, an empty line behind each; of very many the first ones.
pub fn render_all(diagnostics: &[Diagnostic], files: &Files, colour: bool) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics.iter().take(MOST_SHOWN) {
        text.push_str(&render(diagnostic, files, colour));
        text.push_str("\n\n");
    }
    if diagnostics.len() > MOST_SHOWN {
        let more = diagnostics.len() - MOST_SHOWN;
        text.push_str(&format!("{more} more are not shown\n"));
    }
    text
}

/// Renders one diagnostic.
pub fn render(diagnostic: &Diagnostic, files: &Files, colour: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let message = printable(&diagnostic.message);
    let mut group = Group::with_title(level.primary_title(message.as_ref()));
    if let Some(span) = diagnostic.span {
        let file = files.get(span.file);
        let mut snippet = Snippet::source(in_place(&file.text))
            .path(one_line(&file.name))
            .annotation(AnnotationKind::Primary.span(range(&file.text, span)));
        for label in diagnostic
            .labels
            .iter()
            .filter(|l| l.span.file == span.file)
        {
            snippet = snippet.annotation(
                AnnotationKind::Context
                    .span(range(&file.text, label.span))
                    .label(printable(&label.text)),
            );
        }
        group = group.element(snippet);
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(printable(help)));
    }
    let renderer = if colour {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    renderer.render(&[group])
}

/// The bytes of a span, on character boundaries and inside of the text.
fn range(text: &str, span: Span) -> std::ops::Range<usize> {
    let clamp = |offset: u32| {
        let mut at = (offset as usize).min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = clamp(span.start);
    start..clamp(span.end).max(start)
}
