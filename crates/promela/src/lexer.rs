//! The lexer: Promela tokens from preprocessed text.
//!
//! It reads what SPIN 6.5 reads, oddities included, because models rely on them:
//!
//! * numbers are decimal, cut to 32 bits; `0x1F` is the number 0 and the name `x1F`;
//! * a character constant is one character or `\n`, `\r`, `\t`, `\f`; any other character behind a
//!   backslash is itself (`'\0'` is 48);
//! * `$…$` is a string too;
//! * `-->` reads as `->`, `<=<` as `<<`, `>=>` as `>>` and `!!=` as `!=`;
//! * `in` is a name except between the parentheses of a `for`.
//!
//! Embedded C (`c_code { … }` and its kin) becomes one token with all its braces. What cannot be
//! read is reported and passed over; the list always ends with `Eof`. One pass, linear.

use std::io::Error;
use std::iter;
use std::path::Path;

use evenhand_source::{Diagnostic, FileId, Files, MOST_BYTES, Span, is_below, read_file, spend};

use crate::preprocess::report::Reports;
use crate::preprocess::{
    Definition, Load, Options, Output, Preprocessed, preprocess, preprocess_text,
};
use crate::token::{Interner, Keyword, Punct, Token, TokenKind, Tokens};

/// Preprocesses a model and cuts it into tokens. Included files are read from disk and added to
/// `files`.
pub fn tokenize(files: &mut Files, main: FileId, options: &Options) -> Tokens {
    tokenize_model(files, main, options).0
}

/// Like [`tokenize`], with another way to read included files.
pub fn tokenize_with(
    files: &mut Files,
    main: FileId,
    options: &Options,
    load: &Load<'_>,
) -> Tokens {
    lex(preprocess(files, main, options, load)).0
}

/// Like [`tokenize`], and also tells the macros that are defined at the end of the model.
pub(crate) fn tokenize_model(
    files: &mut Files,
    main: FileId,
    options: &Options,
) -> (Tokens, Vec<Definition>) {
    let own = Path::new(&files.get(main).name).parent();
    let own = own.map(Path::to_path_buf).unwrap_or_default();
    lex(preprocess(files, main, options, &|path: &Path| {
        let mut folders = iter::once(&own).chain(&options.include_dirs);
        if options.confined && !folders.any(|folder| is_below(path, folder)) {
            // Whether there is such a file is nobody's business then.
            return Err(Error::other("it is outside of the folder of the model"));
        }
        Ok(read_file(path, options.most_bytes.unwrap_or(MOST_BYTES))?)
    }))
}

/// Cuts a text that is no model into tokens, with the macros of a model.
pub(crate) fn tokenize_text(files: &mut Files, text: FileId, known: &[Definition]) -> Tokens {
    lex(preprocess_text(files, text, known)).0
}

fn lex(preprocessed: Preprocessed) -> (Tokens, Vec<Definition>) {
    let mut lexer = Lexer {
        text: preprocessed.output.text.as_bytes(),
        output: &preprocessed.output,
        at: 0,
        piece: 0,
        newline: false,
        tokens: Vec::new(),
        interner: Interner::default(),
        reports: preprocessed.reports,
        for_depth: None,
    };
    lexer.run();
    let tokens = Tokens {
        tokens: lexer.tokens,
        fair: preprocessed.fair,
        diagnostics: lexer.reports.finish(),
    };
    (tokens, preprocessed.definitions)
}

/// A sign, what to write instead, and what it is taken for.
type LogicalSign = (&'static str, &'static str, Option<Punct>);

/// Signs of logic, what to write in Promela instead, and what they are taken for to read on.
const LOGICAL_SIGNS: [LogicalSign; 13] = [
    ("\\/", "`||` for a disjunction", Some(Punct::PipePipe)),
    ("∧", "`&&` for a conjunction", Some(Punct::AmpAmp)),
    ("∨", "`||` for a disjunction", Some(Punct::PipePipe)),
    ("¬", "`!` for a negation", Some(Punct::Bang)),
    ("→", "`->` for an implication", Some(Punct::Arrow)),
    ("⇒", "`->` for an implication", Some(Punct::Arrow)),
    ("↔", "`<->` for an equivalence", Some(Punct::Arrow)),
    ("⇔", "`<->` for an equivalence", Some(Punct::Arrow)),
    ("□", "`[]`", None),
    ("◇", "`<>`", None),
    ("◯", "`X`", None),
    ("≠", "`!=`", Some(Punct::Ne)),
    ("≤", "`<=`", Some(Punct::Le)),
];

struct Lexer<'t> {
    text: &'t [u8],
    output: &'t Output,
    at: usize,
    /// The piece of output that holds the start of the last token.
    piece: usize,
    newline: bool,
    tokens: Vec<Token>,
    interner: Interner,
    reports: Reports,
    /// Between the parentheses of a `for`: how many are open.
    for_depth: Option<u32>,
}

impl<'t> Lexer<'t> {
    fn run(&mut self) {
        let mut end = 0;
        while let Some(byte) = self.peek(0) {
            if byte.is_ascii_whitespace() {
                self.newline |= byte == b'\n';
                self.at += 1;
                continue;
            }
            let start = self.at;
            if let Some(kind) = self.token(byte) {
                let (span, expansion) = self.place(start, self.at);
                self.follow_for(&kind);
                self.tokens.push(Token {
                    kind,
                    span,
                    expansion,
                    newline: std::mem::take(&mut self.newline),
                    glued: end == start && start > 0,
                });
            }
            end = self.at;
        }
        self.tokens.push(Token {
            kind: TokenKind::Eof,
            span: self.output.end,
            expansion: None,
            newline: true,
            glued: false,
        });
    }

    /// Reads one token, at least one byte; `None` if there was nothing sensible.
    fn token(&mut self, first: u8) -> Option<TokenKind> {
        spend();
        match first {
            b'A'..=b'Z' | b'a'..=b'z' | b'_' => Some(self.word()),
            b'0'..=b'9' => Some(self.number()),
            b'"' => Some(self.string(b'"')),
            b'$' => Some(self.string(b'$')),
            b'\'' => self.character(),
            _ => self.operator(),
        }
    }

    fn word(&mut self) -> TokenKind {
        let start = self.at;
        self.skip_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let text = self.slice(start, self.at);
        match Keyword::from_text(text) {
            Some(
                construct @ (Keyword::CCode
                | Keyword::CDecl
                | Keyword::CExpr
                | Keyword::CState
                | Keyword::CTrack),
            ) => self.embedded(construct, start),
            Some(Keyword::In) if self.for_depth.is_none() => {
                TokenKind::Ident(self.interner.intern("in"))
            }
            Some(keyword) => TokenKind::Keyword(keyword),
            None => TokenKind::Ident(self.interner.intern(text)),
        }
    }

    fn number(&mut self) -> TokenKind {
        let start = self.at;
        self.skip_while(|byte| byte.is_ascii_digit());
        // Too long for 64 bits: the largest value, as the C library gives it.
        let value = self.slice(start, self.at).parse().unwrap_or(i64::MAX);
        let cut = value as i32;
        if i64::from(cut) != value {
            let (span, _) = self.place(start, self.at);
            let message = format!("the number does not fit in 32 bits; it is read as {cut}");
            self.reports.add(Diagnostic::warning(span, message));
        }
        TokenKind::Number(i64::from(cut))
    }

    fn string(&mut self, quote: u8) -> TokenKind {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek(0) {
                None | Some(b'\n') => {
                    let message = "the string does not end on its line";
                    let hint = format!("close it with `{}`", char::from(quote));
                    self.complain(start, start + 1, message, &hint);
                    let text = self.output.text[start + 1..self.at].trim_end();
                    return TokenKind::String(self.interner.intern(text));
                }
                Some(byte) if byte == quote => break,
                Some(b'\\') if self.peek(1).is_some_and(|next| next != b'\n') => self.at += 2,
                Some(_) => self.at += 1,
            }
        }
        let text = self.interner.intern(self.slice(start + 1, self.at));
        self.at += 1;
        TokenKind::String(text)
    }

    fn character(&mut self) -> Option<TokenKind> {
        let start = self.at;
        let (value, length) = match (self.peek(1), self.peek(2)) {
            (Some(b'\\'), Some(byte)) => {
                let value = match byte {
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'f' => 0x0c,
                    other => other,
                };
                (value, 4)
            }
            (Some(byte), _) => (byte, 3),
            (None, _) => (0, 3),
        };
        let ascii = value.is_ascii() && value != b'\n' || length == 4;
        if ascii && self.peek(length - 1) == Some(b'\'') {
            self.at += length;
            return Some(TokenKind::Number(i64::from(value)));
        }
        // Pass over what looks like a longer constant on the same line, or the quote alone.
        let line = self.text[start + 1..].split(|&byte| byte == b'\n').next();
        let close = line
            .unwrap_or_default()
            .iter()
            .take(12)
            .position(|&byte| byte == b'\'');
        self.at = start + close.map_or(1, |close| close + 2);
        let message = "this is no character constant";
        self.complain(
            start,
            self.at,
            message,
            "write one character between quotes: 'a' or '\\n'",
        );
        close.map(|_| TokenKind::Number(0))
    }

    fn operator(&mut self) -> Option<TokenKind> {
        // What SPIN's lexer makes of these, longest first.
        const ODD: [(&str, Punct); 4] = [
            ("-->", Punct::Arrow),
            ("<=<", Punct::Shl),
            (">=>", Punct::Shr),
            ("!!=", Punct::Ne),
        ];
        let rest = &self.text[self.at..];
        for (text, punct) in ODD {
            if rest.starts_with(text.as_bytes()) {
                let message = format!("`{text}` is read as `{punct}`, as SPIN does");
                let (span, _) = self.place(self.at, self.at + text.len());
                self.reports.add(Diagnostic::warning(span, message));
                self.at += text.len();
                return Some(TokenKind::Punct(punct));
            }
        }
        for length in [2, 1] {
            let text = rest
                .get(..length)
                .and_then(|text| std::str::from_utf8(text).ok());
            if let Some(punct) = text.and_then(Punct::from_text) {
                self.at += length;
                return Some(TokenKind::Punct(punct));
            }
        }
        self.stray()
    }

    /// Reports a run of characters that Promela does not know.
    fn stray(&mut self) -> Option<TokenKind> {
        let start = self.at;
        if let Some((from, (text, instead, meant))) = self.logical_sign() {
            self.at = from + text.len();
            let message = format!("`{text}` has no meaning in Promela");
            self.complain(from, self.at, &message, &format!("write {instead}"));
            return meant.map(TokenKind::Punct);
        }
        self.at += 1;
        self.skip_while(|byte| !byte.is_ascii() || byte.is_ascii_control() && byte != b'\n');
        let text = &self.output.text[start..self.at];
        let message = match text.chars().next() {
            Some(first) if text.len() == first.len_utf8() && !first.is_control() => {
                format!("`{text}` has no meaning in Promela")
            }
            _ => "these characters have no meaning in Promela".to_string(),
        };
        let hint = match text {
            "#" => "a directive must be the first on its line",
            "\\" => "a backslash joins lines only at the very end of one",
            _ => "only ASCII letters, digits and `_` make names",
        };
        self.complain(start, self.at, &message, hint);
        None
    }

    /// A sign of logic that Promela writes otherwise, at the place at hand, and where it begins. Of `/\`
    /// the first half was read as a division, which will do to read on.
    fn logical_sign(&self) -> Option<(usize, LogicalSign)> {
        if self.text[self.at] == b'\\' && self.at > 0 && self.text[self.at - 1] == b'/' {
            return Some((self.at - 1, ("/\\", "`&&` for a conjunction", None)));
        }
        let rest = &self.text[self.at..];
        let mut signs = LOGICAL_SIGNS.iter();
        let found = signs.find(|(sign, ..)| rest.starts_with(sign.as_bytes()));
        found.map(|&sign| (self.at, sign))
    }

    /// Embedded C: a precondition in brackets and code in braces, or strings.
    fn embedded(&mut self, construct: Keyword, start: usize) -> TokenKind {
        let inner = self.at;
        if matches!(construct, Keyword::CState | Keyword::CTrack) {
            for _ in 0..3 {
                let before = self.at;
                self.skip_while(|byte| byte.is_ascii_whitespace());
                if self.peek(0) != Some(b'"') {
                    self.at = before;
                    break;
                }
                self.string(b'"');
            }
        } else {
            for (open, close) in [(b'[', b']'), (b'{', b'}')] {
                let before = self.at;
                self.skip_while(|byte| byte.is_ascii_whitespace());
                if self.peek(0) != Some(open) {
                    self.at = before;
                } else if !self.balanced(open, close) {
                    let message = format!("the code of this `{construct}` does not end");
                    let hint = format!("a `{}` is missing", char::from(close));
                    let end = start + construct.text().len();
                    self.complain(start, end, &message, &hint);
                }
            }
        }
        let text = self.interner.intern(self.slice(inner, self.at).trim());
        TokenKind::CCode { construct, text }
    }

    /// Passes over brackets and what they enclose; `false` if they do not close.
    fn balanced(&mut self, open: u8, close: u8) -> bool {
        let mut depth = 0u32;
        while let Some(byte) = self.peek(0) {
            self.at += 1;
            match byte {
                b'"' | b'\'' => {
                    while let Some(inner) = self.peek(0).filter(|&inner| inner != b'\n') {
                        self.at += 1;
                        if inner == byte {
                            break;
                        }
                        if inner == b'\\' && self.peek(0).is_some_and(|next| next != b'\n') {
                            self.at += 1;
                        }
                    }
                }
                _ if byte == open => depth += 1,
                _ if byte == close => {
                    depth -= 1;
                    if depth == 0 {
                        return true;
                    }
                }
                _ => {}
            }
        }
        false
    }

    /// Keeps track of the parentheses of a `for`, where `in` is a keyword.
    fn follow_for(&mut self, kind: &TokenKind) {
        self.for_depth = match (kind, self.for_depth) {
            (TokenKind::Keyword(Keyword::For), _) => Some(0),
            (TokenKind::Punct(Punct::LParen), Some(depth)) => Some(depth + 1),
            (TokenKind::Punct(Punct::RParen), Some(depth)) if depth > 1 => Some(depth - 1),
            (_, Some(0)) | (TokenKind::Punct(Punct::RParen), _) => None,
            (_, depth) => depth,
        };
    }

    /// Where a stretch of the output comes from. Calls go forward through the text, nearly.
    fn place(&mut self, start: usize, end: usize) -> (Span, Option<Span>) {
        let pieces = &self.output.pieces;
        while self.piece > 0 && pieces[self.piece].start as usize > start {
            self.piece -= 1;
        }
        let begins = |index: usize, at: usize| {
            pieces
                .get(index)
                .is_some_and(|piece| piece.start as usize <= at)
        };
        while begins(self.piece + 1, start) {
            self.piece += 1;
        }
        let mut last = self.piece;
        while begins(last + 1, end.saturating_sub(1)) {
            last += 1;
        }
        let (Some(first), Some(last)) = (pieces.get(self.piece), pieces.get(last)) else {
            return (self.output.end, None);
        };
        let mut from = first.span;
        if first.exact {
            from.start += (start as u32).saturating_sub(first.start);
        }
        let mut to = last.span;
        if last.exact {
            to.end = to
                .end
                .min(to.start + (end as u32).saturating_sub(last.start));
        }
        let expansion = match (first.expansion, last.expansion) {
            (Some(from), Some(to)) => Some(from.to(to)),
            (from, to) => from.or(to),
        };
        (joined(from, to), expansion)
    }

    fn complain(&mut self, start: usize, end: usize, message: &str, hint: &str) {
        let (span, _) = self.place(start, end);
        self.reports
            .add(Diagnostic::error(span, message).help(hint));
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at + ahead).copied()
    }

    fn skip_while(&mut self, test: impl Fn(u8) -> bool) {
        while self.peek(0).is_some_and(&test) {
            self.at += 1;
        }
    }

    fn slice(&self, start: usize, end: usize) -> &'t str {
        self.output.text.get(start..end).unwrap_or("")
    }
}

/// From the start of one place to the end of another; the first if the other one is not behind it
/// (another file, or the same one included again).
fn joined(from: Span, to: Span) -> Span {
    if from.file != to.file || to.end <= from.start {
        return from;
    }
    Span {
        end: to.end,
        ..from
    }
}
