//! Misspelt keywords: what may have been meant.
//!
//! A keyword with a slip in it is a name to the parser, and the error comes one token late or in
//! other words. So where something unexpected stands, the word there and the one in front of it are
//! compared with the words of the language. A section whose name is nearly right is read as what it
//! was meant to be, so that one slip is one error.

use evenhand_source::{Diagnostic, nearest, nearest_within};

use super::Parser;
use crate::token::{Name, RESERVED, SECTIONS, TokenKind, is_reserved};

/// Other names for sections, from other languages or from speech.
const SYNONYMS: [(&str, &str); 8] = [
    ("VARIABLES", "VAR"),
    ("INPUT", "IVAR"),
    ("INPUTS", "IVAR"),
    ("LTL", "LTLSPEC"),
    ("CTL", "CTLSPEC"),
    ("INVARIANT", "INVARSPEC"),
    ("DEFINITIONS", "DEFINE"),
    ("FAIR", "FAIRNESS"),
];

impl Parser<'_> {
    /// The section that the word ahead was meant to begin, if it cannot be a declaration.
    pub(super) fn meant_section(&self) -> Option<&'static str> {
        let word = self.word().filter(|word| !is_reserved(word))?;
        if let TokenKind::Sign(":" | ":=" | "." | "[") = self.ahead(1).kind {
            return None;
        }
        // `int(x) := 0` is an assignment.
        if let (TokenKind::Sign("("), Some(_)) = (&self.ahead(1).kind, meant_moment(word)) {
            return None;
        }
        section_near(word)
    }

    /// Says that a section is misspelt.
    pub(super) fn misspelt_section(&mut self, word: &str, meant: &str) {
        let message = format!("there is no section `{word}`");
        let diagnostic = Diagnostic::error(self.span(), message);
        let _ = self.report::<()>(diagnostic.help(format!("did you mean `{meant}`?")));
    }

    /// `init` or `next`, if the word ahead was meant to be that.
    pub(super) fn meant_moment(&self) -> Option<&'static str> {
        let word = self.word().filter(|word| !is_reserved(word))?;
        match self.ahead(1).kind {
            TokenKind::Sign("(") => meant_moment(word),
            _ => None,
        }
    }

    /// What to say about a keyword that is nearly one, here or in front of here.
    pub(super) fn misspelt(&self) -> Option<String> {
        let here = self.word().and_then(keyword_near);
        let before = match &self.tokens.get(self.at.checked_sub(1)?)?.kind {
            TokenKind::Word(word) => keyword_near(word).map(|(d, near)| (d, near, word)),
            _ => None,
        };
        match (before, here) {
            (Some((d, near, word)), other) if other.is_none_or(|(e, _)| d <= e) => {
                Some(format!("did you mean `{near}` instead of `{word}`?"))
            }
            (_, Some((_, near))) => Some(format!("did you mean `{near}`?")),
            _ => None,
        }
    }
}

fn section_near(word: &str) -> Option<&'static str> {
    let upper = word.to_uppercase();
    let synonym = SYNONYMS.iter().find(|(name, _)| *name == upper);
    synonym
        .map(|(_, section)| *section)
        .or_else(|| Some(nearest_within(word, SECTIONS.iter().copied(), limit(word))?.1))
}

fn meant_moment(word: &str) -> Option<&'static str> {
    nearest(word, ["init", "next"])
}

/// So many slips are likely in a keyword.
fn limit(word: &str) -> usize {
    if word.chars().count() > 5 { 2 } else { 1 }
}

/// The keyword that a word is nearly, and how nearly; none for names of one letter, and for
/// keywords.
fn keyword_near(word: &Name) -> Option<(usize, &'static str)> {
    if is_reserved(word) || word.chars().count() < 2 {
        return None;
    }
    // A word in the case it is written in is nearer than one in the other.
    let is_lower = word.chars().any(char::is_lowercase);
    let long = RESERVED.iter().copied().filter(|k| k.len() > 2);
    let same_case = |k: &&str| k.chars().any(char::is_lowercase) == is_lower;
    let limit = limit(word);
    nearest_within(word, long.clone().filter(same_case), limit)
        .or_else(|| nearest_within(word, long, limit))
}

/// The type that a name of a module was meant to be.
pub(crate) fn type_near(word: &str) -> Option<&'static str> {
    match word {
        "bool" | "Bool" => Some("boolean"),
        _ => nearest(word, ["boolean"]),
    }
}
