//! Comments that look like a fairness assumption and are none.
//!
//! `/*@ fair weak */` is an assumption, every other comment is prose: a slip in it takes the assumption
//! away without a word, and verdicts change. So a comment is worth a warning if its first word
//! is nearly `fair`, or if what it says is an assumption but for the way it begins.

use std::ops::Range;

use evenhand_source::nearest;
use evenhand_system::fair::{Names, read};

/// The part of a comment that was probably meant as an assumption, what is wrong, and what to write.
pub(super) fn slip(comment: &str) -> Option<(Range<usize>, String, String)> {
    let trimmed = comment.trim_start();
    let is_assumption = |text: &str| read(text.trim(), Names::Identifiers).is_ok();
    let write = |text: &str| format!("write `/*@ fair {} */`", text.trim());
    let message = "this comment is no fairness assumption";
    let Some(note) = trimmed.strip_prefix('@').map(str::trim_start) else {
        // Without the `@` it is prose, unless nothing but an assumption stands there.
        let rest = trimmed.strip_prefix("fair ")?;
        let start = comment.len() - trimmed.len();
        let place = start..start + trimmed.trim_end().len();
        let message = format!("{message}: the `@` is missing");
        return is_assumption(rest).then(|| (place, message, write(rest)));
    };
    let word_end = note.find(|c: char| !(c.is_alphanumeric() || c == '_'));
    let (word, rest) = note.split_at(word_end.unwrap_or(note.len()));
    let start = comment.len() - note.len();
    let place = start..start + note.trim_end().len();
    if trimmed.len() < comment.len() && word == "fair" {
        // Between the slashes and the `@` nothing may stand.
        let help = format!("{}, without a blank before the `@`", write(rest));
        return is_assumption(rest).then(|| (place, message.to_string(), help));
    }
    if word == "fair" {
        return None;
    }
    if is_assumption(note) {
        return Some((place, message.to_string(), write(note)));
    }
    // Other tools have annotations too.
    let is_near = nearest(word, ["fair", "fairness", "fairly"]).is_some();
    let is_meant = is_near && !rest.trim().is_empty() || is_assumption(rest);
    is_meant.then(|| {
        let message = format!("{message}: it begins with `{word}`");
        (start..start + word.len(), message, write(rest))
    })
}

#[cfg(test)]
mod tests {
    use super::slip;

    #[test]
    fn slips_are_told_and_prose_is_not() {
        let slips = [
            "@ fiar weak ",
            "@fari strong:phil",
            "@ Fair weak",
            "@ fairness weak:p[2]",
            "@ faire just:x == 1",
            "@ weak",
            "@ strong:phil@take",
            " @ fair weak",
            "@ assume weak:p",
            " fair weak:lift ",
            "fair strong",
        ];
        for comment in slips {
            let (place, _, help) = slip(comment).unwrap_or_else(|| panic!("{comment}"));
            assert!(comment.get(place).is_some_and(|part| !part.is_empty()));
            assert!(help.starts_with("write `/*@ fair "), "{help}");
        }
        let prose = [
            "@ fair weak",
            "@ requires x > 0",
            "@",
            "",
            " a fair coin",
            "@ fair",
            "@ unfair",
            "@author somebody",
            "@ loop invariant x",
            " fiar weak",
            " fair enough",
            " fair weak or not",
            " fairly weak",
        ];
        for comment in prose {
            assert_eq!(slip(comment), None, "{comment}");
        }
    }
}
