//! Hints as edits.
//!
//! A hint says what to write instead of what stands at the place of a diagnostic: "did you mean `x`?", "write `==`
//! to compare". Hints are words, and some are about more than the place; so each edit is tried before it is
//! offered: the text that it makes must have fewer errors.

use evenhand::{Diagnostic, Severity};
use lsp_types::{CodeAction, CodeActionKind, Range, TextEdit, WorkspaceEdit};

use crate::analysis::{Job, Remark, diagnostics};
use crate::text::Text;

/// How many edits are tried for one question.
const MOST: usize = 8;

/// The edits for what is wrong in a range.
pub(crate) fn fixes(job: &Job, remarks: &[Remark], range: Range) -> Vec<CodeAction> {
    let touches = |remark: &&Remark| {
        let said = remark.said.range;
        remark.uri.as_ref() == Some(&job.uri) && said.start <= range.end && range.start <= said.end
    };
    let wrong = count(job);
    let mut fixes = Vec::new();
    for remark in remarks.iter().filter(touches).take(MOST) {
        let Some(replacement) = replacement(&remark.diagnostic) else {
            continue;
        };
        let old = job.text.as_str();
        // What was said may be about an older text.
        let Some(place) = place(&remark.diagnostic, old) else {
            continue;
        };
        let (before, behind) = (&old[..place.start], &old[place.end..]);
        let new = format!("{before}{replacement}{behind}");
        if count(&job.with_text(Text::new(new))) >= wrong {
            continue;
        }
        let range = Range::new(job.text.position(place.start), job.text.position(place.end));
        let edit = TextEdit::new(range, replacement.to_string());
        #[expect(
            clippy::mutable_key_type,
            reason = "the protocol's type has addresses as keys"
        )]
        let changes = [(job.uri.clone(), vec![edit])].into_iter().collect();
        fixes.push(CodeAction {
            title: format!("write `{replacement}`"),
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics: Some(vec![remark.said.clone()]),
            edit: Some(WorkspaceEdit::new(changes)),
            is_preferred: Some(true),
            ..CodeAction::default()
        });
    }
    fixes
}

/// What a hint is about: one word at the place of the diagnostic, or, where that is more than a word, the one that the
/// message names.
fn place(diagnostic: &Diagnostic, text: &str) -> Option<std::ops::Range<usize>> {
    let span = diagnostic.span?;
    let (start, end) = (span.start as usize, span.end as usize);
    let there = text.get(start..end)?;
    if !there.contains(char::is_whitespace) {
        return Some(start..end);
    }
    let named = diagnostic.message.rsplit('`').nth(1)?;
    let mut found = there.match_indices(named);
    let at = start + found.next()?.0;
    found.next().is_none().then(|| at..at + named.len())
}

/// How much is wrong with a text: errors, then warnings.
fn count(job: &Job) -> (usize, usize) {
    let found = diagnostics(job, None).1.unwrap_or_default();
    let errors = found.iter().filter(|d| d.severity == Severity::Error);
    let errors = errors.count();
    (errors, found.len() - errors)
}

/// What a hint says to write: its first word in quotes, if the hint begins with saying so.
fn replacement(diagnostic: &Diagnostic) -> Option<&str> {
    let help = diagnostic.help.as_deref()?;
    let rest = help
        .strip_prefix("did you mean `")
        .or_else(|| help.strip_prefix("write `"))?;
    let (replacement, _) = rest.split_once('`')?;
    (!replacement.contains('…')).then_some(replacement)
}

#[cfg(test)]
mod tests {
    use evenhand::{FileId, Span};

    use super::*;

    #[test]
    fn a_hint_is_about_one_word() {
        let about = |text: &str, message: &str| {
            let span = Span::new(FileId(0), 0, text.len());
            let found = place(&Diagnostic::error(span, message), text);
            found.map(|place| text[place].to_string())
        };
        assert_eq!(about("x1", "no `x1`").as_deref(), Some("x1"));
        let tag = "<arc source='ab' target='c'/>";
        assert_eq!(about(tag, "there is no place `ab`").as_deref(), Some("ab"));
        assert_eq!(
            about(tag, "there is no place `a`"),
            None,
            "it is there twice"
        );
        assert_eq!(about(tag, "wrong"), None);
    }

    #[test]
    fn hints_that_say_what_to_write_are_edits() {
        let said = |help: &str| {
            let diagnostic = Diagnostic::global("wrong").help(help);
            replacement(&diagnostic).map(str::to_string)
        };
        assert_eq!(said("did you mean `count`?").as_deref(), Some("count"));
        assert_eq!(said("write `==` to compare").as_deref(), Some("=="));
        assert_eq!(said("write `x = …`"), None);
        assert_eq!(said("a keyword cannot be used as a name"), None);
    }
}
