//! From text to tokens.
//!
//! Only modules have tokens: what stands before `---- MODULE`, and behind the `====` that ends it, is text for people.
//! Each token is the longest that the text allows. Columns count characters, since the columns of `/\` and `\/`
//! decide what belongs to which list; a tab reaches to the next multiple of eight, as in SANY.

use evenhand_source::{Diagnostic, FileId, Span, spend};

use super::spelling::{backslash, step};
use super::token::{Token, TokenKind, keyword, operator};

/// The tokens of one module of a text, up to the `====` that ends it and one more that says so.
#[derive(Debug)]
pub struct Lexed {
    /// The tokens; the last is [`TokenKind::End`].
    pub tokens: Vec<Token>,
    /// What is wrong.
    pub problems: Vec<Diagnostic>,
    /// Where the text goes on behind the module.
    pub end: usize,
}

/// The tokens of the first module at or behind an offset; none if there is no module any more.
pub fn module(text: &str, file: FileId, from: usize) -> Option<Lexed> {
    let start = header(text, from)?;
    let mut lexer = Lexer::new(text, file, start);
    let mut depth = 0usize;
    loop {
        match lexer.token() {
            TokenKind::Header => depth += 1,
            TokenKind::Footer => depth -= 1,
            TokenKind::End => break,
            _ => {}
        }
        if depth == 0 {
            lexer.push(TokenKind::End, lexer.at);
            break;
        }
    }
    Some(lexer.done())
}

/// The tokens of a whole text, for expressions and configurations.
pub fn all(text: &str, file: FileId) -> Lexed {
    part(text, file, 0..text.len())
}

/// The tokens of a part of a text.
pub fn part(text: &str, file: FileId, range: std::ops::Range<usize>) -> Lexed {
    let mut lexer = Lexer::new(&text[..range.end], file, range.start);
    while lexer.token() != TokenKind::End {}
    lexer.done()
}

/// Where the next module begins: four dashes or more, and the word behind them.
pub fn header(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = from;
    while at < bytes.len() {
        if bytes[at] != b'-' {
            at += 1;
            continue;
        }
        let dashes = bytes[at..].iter().take_while(|&&byte| byte == b'-').count();
        if dashes >= 4 && header_length(&bytes[at..]).is_some() {
            return Some(at);
        }
        at += dashes;
    }
    None
}

/// The length of `---- MODULE` at the beginning of a text.
fn header_length(bytes: &[u8]) -> Option<usize> {
    let dashes = bytes.iter().take_while(|&&byte| byte == b'-').count();
    let spaces = bytes[dashes..]
        .iter()
        .take_while(|&&byte| byte == b' ')
        .count();
    let word = dashes + spaces;
    (dashes >= 4 && bytes[word..].starts_with(b"MODULE")).then_some(word + 6)
}

struct Lexer<'t> {
    text: &'t str,
    file: FileId,
    at: usize,
    line: u32,
    /// The column of the character at `at`, and up to where columns were counted.
    column: u32,
    counted: usize,
    tokens: Vec<Token>,
    problems: Vec<Diagnostic>,
}

/// Marks of one meaning, longest first among those that begin alike.
const MARKS: &[(&str, TokenKind)] = &[
    ("]_", TokenKind::RightSquareSub),
    ("]", TokenKind::RightSquare),
    ("{", TokenKind::LeftBrace),
    ("}", TokenKind::RightBrace),
    (",", TokenKind::Comma),
    (")", TokenKind::RightParen),
    ("<<", TokenKind::LeftAngle),
    ("⟨", TokenKind::LeftAngle),
    (">>_", TokenKind::RightAngleSub),
    ("⟩_", TokenKind::RightAngleSub),
    (">>", TokenKind::RightAngle),
    ("⟩", TokenKind::RightAngle),
    ("≜", TokenKind::Define),
    ("∷", TokenKind::DoubleColon),
    ("→", TokenKind::Arrow),
    ("←", TokenKind::Substitute),
    ("↦", TokenKind::MapsTo),
    ("|->", TokenKind::MapsTo),
];

/// Marks that may be the beginning of an operator: the longest of both counts.
const SHORT: &[(&str, TokenKind)] = &[
    ("==", TokenKind::Define),
    ("->", TokenKind::Arrow),
    ("<-", TokenKind::Substitute),
    ("::", TokenKind::DoubleColon),
    (":", TokenKind::Colon),
    (".", TokenKind::Dot),
    ("(", TokenKind::LeftParen),
    ("[", TokenKind::LeftSquare),
    ("!", TokenKind::Bang),
    ("@", TokenKind::At),
];

/// The longest spelling of an operator in characters that are no letters.
const LONGEST: usize = 4;

impl<'t> Lexer<'t> {
    fn new(text: &'t str, file: FileId, at: usize) -> Lexer<'t> {
        let before = &text[..at];
        let breaks = before.bytes().filter(|&byte| byte == b'\n').count();
        Lexer {
            text,
            file,
            at,
            line: u32::try_from(breaks).unwrap_or(u32::MAX).saturating_add(1),
            column: 1,
            counted: before.rfind('\n').map_or(0, |place| place + 1),
            tokens: Vec::new(),
            problems: Vec::new(),
        }
    }

    fn done(self) -> Lexed {
        Lexed {
            tokens: self.tokens,
            problems: self.problems,
            end: self.at,
        }
    }

    /// Reads a token and says what it was.
    fn token(&mut self) -> TokenKind {
        spend();
        self.skip();
        let rest = &self.text[self.at..];
        let Some(first) = rest.chars().next() else {
            return self.push(TokenKind::End, self.at);
        };
        if first.is_ascii_alphanumeric() || first == '_' {
            return self.word(rest);
        }
        let bytes = rest.as_bytes();
        match first {
            '"' => return self.string(rest),
            '\\' => {
                if let Some((kind, length)) = backslash(rest) {
                    return self.push(kind, self.at + length);
                }
            }
            '-' => {
                if let Some(length) = header_length(bytes) {
                    return self.push(TokenKind::Header, self.at + length);
                }
                let dashes = bytes.iter().take_while(|&&byte| byte == b'-').count();
                if dashes >= 4 {
                    return self.push(TokenKind::Separator, self.at + dashes);
                }
            }
            '=' => {
                let signs = bytes.iter().take_while(|&&byte| byte == b'=').count();
                if signs >= 4 {
                    return self.push(TokenKind::Footer, self.at + signs);
                }
            }
            '<' => {
                if let Some((level, length)) = step(bytes) {
                    return self.push(TokenKind::Step(level), self.at + length);
                }
            }
            '[' => {
                for word in ["[]ASSUME", "[]PROVE"] {
                    if let Some(kind) = keyword(word).filter(|_| rest.starts_with(word)) {
                        return self.push(TokenKind::Keyword(kind), self.at + word.len());
                    }
                }
            }
            'ℕ' | 'ℤ' | 'ℝ' => {
                return self.push(TokenKind::Identifier, self.at + first.len_utf8());
            }
            _ => {}
        }
        if let Some(&(mark, kind)) = MARKS.iter().find(|(mark, _)| rest.starts_with(mark)) {
            return self.push(kind, self.at + mark.len());
        }
        for length in (1..=LONGEST).rev() {
            let end = rest
                .char_indices()
                .nth(length)
                .map_or(rest.len(), |(end, _)| end);
            let spelling = &rest[..end];
            if spelling.chars().count() < length {
                continue;
            }
            let kind = match keyword(spelling) {
                Some(word) => Some(TokenKind::Keyword(word)),
                None => operator(spelling).map(TokenKind::Operator),
            };
            let short = || {
                SHORT
                    .iter()
                    .find(|(mark, _)| *mark == spelling)
                    .map(|(_, kind)| *kind)
            };
            if let Some(kind) = kind.or_else(short) {
                return self.push(kind, self.at + end);
            }
        }
        let span = Span::new(self.file, self.at, self.at + first.len_utf8());
        let message = format!("`{}` means nothing in TLA+", first.escape_debug());
        self.problem(Diagnostic::error(span, message));
        self.at += first.len_utf8();
        TokenKind::Comma // whatever: nothing was pushed, and the module goes on
    }

    /// Adds a token that begins here.
    fn push(&mut self, kind: TokenKind, end: usize) -> TokenKind {
        self.count();
        self.tokens.push(Token {
            kind,
            span: Span::new(self.file, self.at, end),
            line: self.line,
            column: self.column,
        });
        self.at = end;
        kind
    }

    /// Counts columns and lines up to here.
    fn count(&mut self) {
        for c in self.text[self.counted..self.at].chars() {
            match c {
                '\n' => {
                    self.line = self.line.saturating_add(1);
                    self.column = 1;
                }
                '\t' => self.column = (self.column - 1) / 8 * 8 + 9,
                _ => self.column = self.column.saturating_add(1),
            }
        }
        self.counted = self.at;
    }

    fn problem(&mut self, problem: Diagnostic) {
        if self.problems.len() < 20 {
            self.problems.push(problem);
        }
    }

    /// Passes over blanks and comments.
    fn skip(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let blank = rest.len()
                - rest
                    .trim_start_matches([' ', '\t', '\n', '\r', '\u{c}'])
                    .len();
            self.at += blank;
            let rest = &self.text[self.at..];
            if rest.starts_with("\\*") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("(*") {
                self.comment();
            } else {
                return;
            }
        }
    }

    /// Passes over a comment with those inside of it.
    fn comment(&mut self) {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let mut depth = 0usize;
        while self.at < bytes.len() {
            spend();
            match &bytes[self.at..bytes.len().min(self.at + 2)] {
                b"(*" => {
                    depth += 1;
                    self.at += 2;
                }
                b"*)" => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        return;
                    }
                }
                _ => self.at += 1,
            }
        }
        let span = Span::new(self.file, start, start + 2);
        self.problem(
            Diagnostic::error(span, "this comment has no end")
                .help("each `(*` needs a `*)`, also inside of comments"),
        );
    }

    /// A name, a number or a reserved word.
    fn word(&mut self, rest: &str) -> TokenKind {
        let length = rest
            .bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            .count();
        let word = &rest[..length];
        if !word.bytes().any(|byte| byte.is_ascii_alphabetic()) {
            // Digits and underscores alone are no name.
            let digits = word.bytes().take_while(u8::is_ascii_digit).count();
            return match digits {
                0 => self.push(TokenKind::Underscore, self.at + 1),
                _ => self.push(TokenKind::Number, self.at + digits),
            };
        }
        match word.get(..3) {
            Some("WF_") => return self.push(TokenKind::WeakFair, self.at + 3),
            Some("SF_") => return self.push(TokenKind::StrongFair, self.at + 3),
            _ => {}
        }
        let kind = match keyword(word) {
            Some(word) => TokenKind::Keyword(word),
            None => operator(word).map_or(TokenKind::Identifier, TokenKind::Operator),
        };
        self.push(kind, self.at + length)
    }

    /// A string.
    fn string(&mut self, rest: &str) -> TokenKind {
        let mut escaped = false;
        for (place, c) in rest.char_indices().skip(1) {
            match c {
                '\n' | '\r' => break,
                '"' if !escaped => return self.push(TokenKind::Text, self.at + place + 1),
                c if escaped && !"ntrf\\\"".contains(c) => {
                    let at = self.at + place;
                    let span = Span::new(self.file, at - 1, at + c.len_utf8());
                    self.problem(
                        Diagnostic::error(span, "this is no character of a string")
                            .help("a backslash in a string is written \\\\"),
                    );
                    escaped = false;
                }
                c => escaped = c == '\\' && !escaped,
            }
        }
        let line = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let span = Span::new(self.file, self.at, self.at + line);
        self.problem(Diagnostic::error(
            span,
            "this string has no end in its line",
        ));
        self.push(TokenKind::Text, self.at + line)
    }
}
