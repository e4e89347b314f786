//! Algorithms in PlusCal are comments; what counts is their translation, which stands in the same file.
//!
//! The translator writes two check sums beside the translation: of the algorithm as it understood it, which only a
//! translator can compute, and of the lines of the translation, which is computed here.

use evenhand_source::{Diagnostic, FileId, Files, Span};

/// An algorithm without a translation.
pub(super) fn untranslated(files: &Files, main: FileId) -> Option<Span> {
    let text = &files.get(main).text;
    let begins =
        |line: &str| line.trim_start().starts_with("\\*") && line.contains("BEGIN TRANSLATION");
    if text.lines().any(begins) {
        return None;
    }
    let (start, end) = algorithm(text)?;
    Some(Span::new(main, start, end))
}

/// Where an algorithm begins.
fn algorithm(text: &str) -> Option<(usize, usize)> {
    let mut from = 0;
    while let Some(place) = text[from..].find("--").map(|place| place + from) {
        let rest = &text[place + 2..];
        let word = rest
            .strip_prefix("fair")
            .map(str::trim_start)
            .unwrap_or(rest);
        if word.starts_with("algorithm") {
            let end = text.len() - word.len() + "algorithm".len();
            return Some((place, end));
        }
        from = place + 2;
    }
    None
}

/// A translation that is not what the translator wrote.
pub(super) fn changed(files: &Files, main: FileId) -> Option<Diagnostic> {
    let text = &files.get(main).text;
    let mut at = 0;
    let mut lines = text.split_inclusive('\n').map(|line| {
        let start = at;
        at += line.len();
        (start, line.trim_end_matches(['\n', '\r']))
    });
    let (start, expected) = lines.find_map(|(start, line)| {
        let sums = line.split_once("BEGIN TRANSLATION")?.1;
        let sum = sums.split_once("chksum(tla)")?.1.split('"').nth(1)?;
        Some((start, u32::from_str_radix(sum, 16).ok()?))
    })?;
    let mut sum = u32::MAX;
    for (_, line) in lines.by_ref() {
        if line.trim_start().starts_with("\\*") && line.contains("END TRANSLATION") {
            let span = Span::new(main, start, start + "\\* BEGIN TRANSLATION".len());
            let message = "this translation was changed after the algorithm was translated";
            let problem = Diagnostic::warning(span, message);
            return (!sum != expected).then(|| {
                problem.help("the translation counts, not the algorithm; translate it again")
            });
        }
        sum = line.bytes().fold(sum, step);
    }
    None
}

/// One byte of the cyclic redundancy check of Ethernet, which is that of the translator.
fn step(sum: u32, byte: u8) -> u32 {
    (0..8).fold(sum ^ u32::from(byte), |sum, _| match sum & 1 {
        0 => sum >> 1,
        _ => (sum >> 1) ^ 0xEDB8_8320,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_that_of_ethernet() {
        let sum = "123456789".bytes().fold(u32::MAX, step);
        assert_eq!(!sum, 0xCBF4_3926);
    }

    #[test]
    fn a_translation_that_was_changed_is_noticed() {
        let said = |line: &str| {
            let mut files = Files::new();
            let text = format!(
                "\\* BEGIN TRANSLATION (chksum(pcal) = \"0\" /\\ chksum(tla) = \"cbf43926\")\n1234\n{line}\n\\* END TRANSLATION\n"
            );
            let file = files.add("M", text);
            changed(&files, file).is_some()
        };
        assert!(!said("56789"));
        assert!(said("56780"));
    }
}
