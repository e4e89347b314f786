//! Texts that do nothing to a terminal but appear on it.
//!
//! Names, strings, printed texts and file names come from models, and a model may come from anywhere. A
//! control character in them can move the cursor, colour or hide what follows, or change the terminal's
//! settings; a character that changes the direction of writing can make a line read as something else.
//! So everything that a person reads passes through here: such characters are shown as `\u{1b}`. Line
//! breaks and tabs stay. What programs read (JSON, automata) is left as it is.

use std::borrow::Cow;

/// Whether a character does something else than to appear.
fn acts(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t') || turns(c)
}

/// Whether a character changes the direction of writing, or breaks a line without being a line break.
fn turns(c: char) -> bool {
    matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

/// The text with its harmful characters written out.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match acts(c) {
            true => out.extend(c.escape_unicode()),
            false => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// The same for a text that is one line, such as a name of a file.
pub fn one_line(text: &str) -> Cow<'_, str> {
    match text.contains(['\n', '\t']) {
        true => {
            let text = text.replace('\n', "\\n").replace('\t', "\\t");
            Cow::Owned(printable(&text).into_owned())
        }
        false => printable(text),
    }
}

/// A source text with other characters instead of harmful ones: places in it stay where they are, by bytes and
/// by characters. Control characters of one byte are left: those who show source lines have
/// signs for them.
pub(crate) fn in_place(text: &str) -> Cow<'_, str> {
    let is_harmful = |c: char| c.len_utf8() > 1 && acts(c);
    if !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    let other = |c: char| match (is_harmful(c), c.len_utf8()) {
        (true, 2) => '¿',
        (true, _) => '\u{fffd}',
        (false, _) => c,
    };
    Cow::Owned(text.chars().map(other).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harmful_characters_are_written_out() {
        assert_eq!(
            printable("a\u{1b}[2Jb\u{202e}c\r"),
            "a\\u{1b}[2Jb\\u{202e}c\\u{d}"
        );
        assert_eq!(
            printable("\u{9b}31m\u{7f}\u{200f}"),
            "\\u{9b}31m\\u{7f}\\u{200f}"
        );
        let harmless = "x = 1 → 2\n\té \u{5d0} 日本 👍";
        assert!(matches!(printable(harmless), Cow::Borrowed(text) if text == harmless));
        assert_eq!(one_line("a\nb\u{1b}"), "a\\nb\\u{1b}");
    }

    #[test]
    fn every_character_that_acts_is_replaced_and_places_stay() {
        for c in ('\0'..='\u{10ffff}').filter(|&c| acts(c)) {
            let text = format!("a{c}b");
            assert!(!printable(&text).contains(acts), "{c:?}");
            let shown = in_place(&text);
            assert_eq!(shown.len(), text.len());
            assert_eq!(shown.chars().count(), text.chars().count());
            assert!(c.len_utf8() == 1 || !shown.contains(acts), "{c:?}");
        }
    }
}
