//! Propositions that are expressions of a host language.
//!
//! A Promela `ltl` block contains `(x > 3 && len(q) == 2)` or `p[1]@cs`, an SMV file
//! `proc.state = critical`. The formula parser knows nothing of those languages; wherever it
//! expects an operand it asks an [`AtomReader`] whether an atom of the host begins there, and how
//! far it reaches. A front-end passes its own expression parser. [`Terms`] is the reader for
//! everybody else: it finds the end of a comparison or arithmetic term by looking at brackets and
//! operators alone, so that the logical operators stay with the formula parser: `x > 3 && y` is two
//! atoms.
//!
//! A parenthesis may open a formula or a term, `(x + 1) * 2 > y`; it opens a term iff an arithmetic
//! or comparison operator follows its partner.

use crate::spelling::{Spelling, Word};

/// What a reader found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// No atom of the host language begins here: the parser goes on by its own rules.
    NotMine,
    /// An atom of this many bytes.
    Atom(usize),
    /// An atom begins here but is wrong: what is the matter, and where (offset and length in
    /// bytes).
    Wrong(String, usize, usize),
}

/// Reads atoms of a host language.
pub trait AtomReader {
    /// Looks at a text that begins where the formula parser expects an operand (never at a space
    /// and never at a reserved word or sign of the formula language).
    fn read(&mut self, text: &str) -> Reading;

    /// Whether there is no host language, so that everything but a name must stand in quotes.
    fn wants_quotes(&self) -> bool {
        false
    }
}

/// No host language: propositions are names and quoted strings.
#[derive(Clone, Copy, Debug, Default)]
pub struct Names;

impl AtomReader for Names {
    fn read(&mut self, _text: &str) -> Reading {
        Reading::NotMine
    }

    fn wants_quotes(&self) -> bool {
        true
    }
}

/// Reads the longest arithmetic or comparison term of a C-like language.
#[derive(Clone, Copy, Debug)]
pub struct Terms(
    /// The spelling of the formula around the terms: its words end a term.
    pub Spelling,
);

/// Operators inside terms, longest first; `!` alone and the logical signs are not among them.
const OPERATORS: &[&str] = &[
    "<<", ">>", "<=", ">=", "==", "!=", "<", ">", "=", "+", "-", "*", "/", "%",
];

/// Signs that look like an operator of a term but belong to the formula.
const LOGICAL: &[&str] = &["->", "-->", "<->", "<=>", "<-->", "<>", "=>", "/\\"];

fn operator(text: &str) -> Option<usize> {
    if LOGICAL.iter().any(|sign| text.starts_with(sign)) {
        return None;
    }
    OPERATORS
        .iter()
        .find(|sign| text.starts_with(**sign))
        .map(|sign| sign.len())
}

fn word_length(text: &str) -> usize {
    text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | '#')))
        .unwrap_or(text.len())
}

fn spaces(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

/// The length of a bracketed group with its brackets, if they match.
fn group(text: &str) -> Option<usize> {
    let mut open = Vec::new();
    for (i, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => open.push(c),
            ')' | ']' | '}' => {
                let partner = open.pop()?;
                if !matches!((partner, c), ('(', ')') | ('[', ']') | ('{', '}')) {
                    return None;
                }
                if open.is_empty() {
                    return Some(i + c.len_utf8());
                }
            }
            _ => {}
        }
    }
    None
}

impl Terms {
    /// One factor: a word with its subscripts, calls and labels, a number, or a group.
    fn factor(&self, text: &str) -> Option<usize> {
        let mut at = match text.chars().next()? {
            '(' | '{' => group(text)?,
            c if c.is_alphanumeric() || c == '_' => {
                let length = word_length(text);
                match self.0.word(&text[..length]) {
                    Some(Word::Constant(_)) | None => length,
                    Some(_) => return None,
                }
            }
            '-' => return Some(1 + self.factor(&text[1..])?),
            _ => return None,
        };
        loop {
            let rest = &text[at..];
            match rest.chars().next() {
                Some('(' | '[') => at += group(rest)?,
                Some('@' | ':') if word_length(&rest[1..]) > 0 => at += 1 + word_length(&rest[1..]),
                Some('.') if word_length(rest) > 1 => at += word_length(rest),
                _ => return Some(at),
            }
        }
    }
}

impl AtomReader for Terms {
    fn read(&mut self, text: &str) -> Reading {
        let Some(first) = self.factor(text) else {
            return Reading::NotMine;
        };
        let mut end = first;
        let mut terms = 1;
        loop {
            let after = end + spaces(&text[end..]);
            let Some(length) = operator(&text[after..]) else {
                break;
            };
            let next = after + length;
            let next = next + spaces(&text[next..]);
            match self.factor(&text[next..]) {
                Some(factor) => end = next + factor,
                None => {
                    let message = format!(
                        "expected an operand after `{}`",
                        &text[after..after + length]
                    );
                    return Reading::Wrong(message, after, length);
                }
            }
            terms += 1;
        }
        let plain = terms == 1 && (text.starts_with('(') || word_length(text) == first);
        if plain {
            Reading::NotMine
        } else {
            Reading::Atom(end)
        }
    }
}
