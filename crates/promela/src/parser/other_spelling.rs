//! Formulas as other tools spell them: what to write in Promela instead.
//!
//! `G`, `and`, `~>` are words and signs of other logics. In an `ltl` block they are names of variables or
//! no operators at all, so a syntax error follows: beside the word, or behind it, since a name can begin
//! an expression. Here the parser looks at the place of the error for such an operator and
//! says what SPIN calls it. Nothing is read in another way; a word that the model declares is its own.

use evenhand_source::{Diagnostic, Span};

use super::Parser;
use crate::token::{Keyword, Punct, TokenKind};

/// A word between two formulas, in lower case, and what it is here.
const INFIX: [(&str, &str); 12] = [
    ("and", "`&&`"),
    ("or", "`||`"),
    ("xor", "`!=`"),
    ("iff", "`<->`"),
    ("imply", "`->`"),
    ("implies", "`->`"),
    ("then", "`->`"),
    ("leadsto", LEADS_TO),
    ("leads_to", LEADS_TO),
    ("wuntil", "`W`"),
    ("releases", "`V`"),
    ("awaits", "`W`"),
];

/// A word before a formula, in lower case.
const PREFIX: [(&str, &str); 7] = [
    ("not", "`!`"),
    ("globally", "`[]`"),
    ("henceforth", "`[]`"),
    ("box", "`[]`"),
    ("finally", "`<>`"),
    ("sometimes", "`<>`"),
    ("diamond", "`<>`"),
];

const LEADS_TO: &str = "`[] (p -> <> q)`, with `p` and `q` for what stands around it,";

/// Operators of the past.
const PAST: [&str; 13] = [
    "Y",
    "Z",
    "O",
    "H",
    "S",
    "T",
    "yesterday",
    "weakyesterday",
    "once",
    "historically",
    "since",
    "triggered",
    "previously",
];

impl Parser {
    /// What is wrong if the error ahead comes from an operator of another logic.
    pub(super) fn other_spelling(&self) -> Option<Diagnostic> {
        if !self.in_ltl {
            return None;
        }
        self.sign()
            .or_else(|| self.infix())
            .or_else(|| self.prefix())
    }

    fn spelled(&self, (text, span): (&str, Span), instead: &str) -> Diagnostic {
        let message = format!("`{text}` is no operator here");
        Diagnostic::error(span, message).help(format!("write {instead} for `{text}`"))
    }

    /// Signs that are cut into others: `~>`, `==>`, `<=>`; the parser is at their first or last part.
    fn sign(&self) -> Option<Diagnostic> {
        let at = self.cursor.pos;
        let signs: [(Punct, Punct, &str, &str); 4] = [
            (Punct::Tilde, Punct::Gt, "~>", LEADS_TO),
            (Punct::Eq, Punct::Gt, "==>", "`->`"),
            (Punct::Le, Punct::Gt, "<=>", "`<->`"),
            (Punct::Lt, Punct::Gt, "<>", "`!=`"),
        ];
        for (first, second, text, instead) in signs {
            for start in [Some(at), at.checked_sub(1)].into_iter().flatten() {
                let Some([a, b]) = self.cursor.tokens.get(start..start + 2) else {
                    continue;
                };
                let kinds = (TokenKind::Punct(first), TokenKind::Punct(second));
                if (&a.kind, &b.kind) != (&kinds.0, &kinds.1) || !b.glued {
                    continue;
                }
                // Behind an operand `<>` compares in other languages; elsewhere it is what it is.
                if text == "<>" && (start != at || self.word_before().is_some_and(is_prefix)) {
                    continue;
                }
                return Some(self.spelled((text, a.span.to(b.span)), instead));
            }
        }
        None
    }

    fn infix(&self) -> Option<Diagnostic> {
        let TokenKind::Ident(word) = self.cursor.kind() else {
            return None;
        };
        let span = self.cursor.span();
        if self.names.is_none() && PAST.contains(&&**word) {
            return Some(self.past(word, span));
        }
        let instead = find(&INFIX, word)?;
        Some(self.spelled((word, span), instead))
    }

    /// A word that was read as a variable, and is followed by what can only follow an operator.
    fn prefix(&self) -> Option<Diagnostic> {
        let begins_operand = match self.cursor.kind() {
            TokenKind::Ident(_) | TokenKind::Number(_) => true,
            TokenKind::Keyword(keyword) => matches!(
                keyword,
                Keyword::True | Keyword::False | Keyword::Len | Keyword::Empty | Keyword::Full
            ),
            TokenKind::Punct(punct) => matches!(
                punct,
                Punct::LParen | Punct::LBracket | Punct::Bang | Punct::Lt | Punct::Tilde
            ),
            _ => false,
        };
        let word = self.word_before().filter(|_| begins_operand)?;
        if self
            .names
            .as_ref()
            .is_some_and(|names| names.contains(word))
        {
            return None;
        }
        let span = self.cursor.previous_span();
        let made_of = |letters: &[u8]| word.bytes().all(|b| letters.contains(&b));
        if made_of(b"GFX") {
            let spelled = word
                .replace('G', "[]")
                .replace('F', "<>")
                .replace('X', "X ");
            let spelled = format!("`{}`", spelled.trim_end());
            return Some(self.spelled((word, span), &spelled));
        }
        if made_of(b"AEGFX") && !self.branching {
            let message = format!("`{word}` is no operator here");
            let help = "a formula with path quantifiers is one of branching time";
            return Some(Diagnostic::error(span, message).help(help));
        }
        if self.names.is_none() && PAST.contains(&word) {
            return Some(self.past(word, span));
        }
        let instead = find(&PREFIX, word)?;
        Some(self.spelled((word, span), instead))
    }

    fn past(&self, word: &str, span: Span) -> Diagnostic {
        let message = format!("`{word}` is no operator here");
        Diagnostic::error(span, message).help(
            "an `ltl` block has no operators of the past, as in SPIN; formulas that are asked besides \
             the model have",
        )
    }

    fn word_before(&self) -> Option<&str> {
        let before = self.cursor.tokens.get(self.cursor.pos.checked_sub(1)?)?;
        match &before.kind {
            TokenKind::Ident(name) => Some(name),
            _ => None,
        }
    }
}

fn is_prefix(word: &str) -> bool {
    word.bytes().all(|b| b"AEGFX".contains(&b)) || find(&PREFIX, word).is_some()
}

fn find(table: &[(&str, &'static str)], word: &str) -> Option<&'static str> {
    let word = word.to_ascii_lowercase();
    let found = table.iter().find(|(known, _)| *known == word);
    found.map(|(_, instead)| *instead)
}
