//! Preprocessing tokens: the text of one file cut up the way a C preprocessor cuts it.
//!
//! SPIN hands a model to the C preprocessor first, so the places where macros are replaced are
//! those that C sees, not those that Promela sees. The difference shows: `1..N` is one C *number*
//! (digits, letters and dots in one go), so an `N` in it is not a macro use, while `1 .. N` has
//! one. The scanner therefore follows C: names (with `$`), numbers, strings, character constants,
//! the longest operator, and anything else one character at a time. A quote that is not closed on
//! its line takes the rest of the line as it stands.
//!
//! A backslash at the end of a line joins it with the next one anywhere, even inside a name;
//! comments count as white space. Every token knows its place and its line, so nothing has to be
//! counted again. Comments that begin with `@ fair` are kept aside: they carry the fairness
//! assumptions of a model.
//!
//! Cost: linear in the text. Nothing here fails: odd bytes become tokens that the Promela lexer
//! refuses with a position.

use std::collections::HashSet;
use std::sync::Arc;

use evenhand_source::{Diagnostic, FileId, Span, spend};

use super::annotation::slip;
use super::report::Reports;
use crate::token::{FairComment, Interner, Name};

/// What a preprocessing token is to the preprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Name,
    Number,
    String,
    Char,
    Punct,
    /// Anything that C does not know, and text behind an unclosed quote.
    Other,
    /// No text: marks the edge of a macro or an argument, where neighbours must not grow together.
    Padding,
}

/// A preprocessing token.
#[derive(Clone, Debug)]
pub(super) struct PpToken {
    pub kind: Kind,
    pub text: Name,
    /// The place in the text the user wrote; of a token from a macro, the use of the macro.
    pub span: Span,
    /// Of a token from a macro: its place in the definition.
    pub expansion: Option<Span>,
    /// The line it belongs to in the output: its own, or that of the macro's name.
    pub line: u32,
    /// White space (or a line break) stands before it.
    pub space: bool,
    /// The edge of a macro stood before it when it became part of an argument.
    pub edge: bool,
    /// The first token of a line.
    pub line_start: bool,
    /// A macro name met inside its own expansion: stays as it is for ever.
    pub no_expand: bool,
}

impl PpToken {
    pub fn is(&self, punct: &str) -> bool {
        self.kind == Kind::Punct && &*self.text == punct
    }
}

/// What a scanner writes to beside its tokens.
#[derive(Default)]
pub(super) struct Sink {
    pub interner: Interner,
    pub reports: Reports,
    pub fair: Vec<FairComment>,
    seen: HashSet<Span>,
    /// Inside a group that a condition leaves out: nothing is reported.
    pub quiet: bool,
}

/// A place in the text of a scanner.
#[derive(Clone, Copy)]
pub(super) struct Mark(usize, u32, bool);

/// The scanner of one file.
pub(super) struct Scanner {
    pub file: FileId,
    text: Arc<str>,
    position: usize,
    /// Behind the last byte that belongs to a token (line joins after it do not).
    end: usize,
    line: u32,
    line_start: bool,
}

impl Scanner {
    pub fn new(file: FileId, text: &str) -> Scanner {
        let position = if text.starts_with('\u{feff}') { 3 } else { 0 };
        Scanner {
            file,
            text: with_line_breaks(text),
            position,
            end: position,
            line: 1,
            line_start: true,
        }
    }

    /// Nothing more is read.
    pub fn stop(&mut self) {
        self.position = self.text.len();
    }

    /// The place in the text, for [`Scanner::go_back`].
    pub fn mark(&self) -> Mark {
        Mark(self.position, self.line, self.line_start)
    }

    /// Reads on from a place where it was before.
    pub fn go_back(&mut self, mark: Mark) {
        Mark(self.position, self.line, self.line_start) = mark;
    }

    /// The next token; `None` at the end of the text, or of the line if `in_line`.
    pub fn next(&mut self, in_line: bool, sink: &mut Sink) -> Option<PpToken> {
        spend();
        let space = self.skip_blank(in_line, sink)?;
        let first = self.peek()?;
        let (start, line) = (self.position, self.line);
        let kind = self.token(first);
        let raw = &self.text[start..self.end];
        let joined: String;
        let text = if raw.contains('\n') {
            joined = without_joins(raw);
            joined.as_str()
        } else {
            raw
        };
        Some(PpToken {
            kind,
            text: sink.interner.intern(text),
            span: Span::new(self.file, start, self.end),
            expansion: None,
            line,
            space,
            edge: false,
            line_start: std::mem::take(&mut self.line_start),
            no_expand: false,
        })
    }

    fn token(&mut self, first: u8) -> Kind {
        match first {
            b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'$' => {
                while self.peek().is_some_and(is_name_byte) {
                    self.bump();
                }
                Kind::Name
            }
            b'0'..=b'9' => self.number(),
            b'.' if self.second().is_some_and(|b| b.is_ascii_digit()) => self.number(),
            b'"' | b'\'' => self.quoted(first),
            _ => self.operator(),
        }
    }

    /// A C preprocessing number: far more than a number, see the top of the file.
    fn number(&mut self) -> Kind {
        while let Some(byte) = self.peek() {
            if !is_name_byte(byte) && byte != b'.' {
                break;
            }
            self.bump();
            let exponent = matches!(byte, b'e' | b'E' | b'p' | b'P');
            if exponent && matches!(self.peek(), Some(b'+' | b'-')) {
                self.bump();
            }
        }
        Kind::Number
    }

    fn quoted(&mut self, quote: u8) -> Kind {
        let start = self.position;
        self.bump();
        loop {
            match self.peek() {
                None | Some(b'\n') => break,
                Some(b'\\') => {
                    self.bump();
                    if !matches!(self.peek(), None | Some(b'\n')) {
                        self.bump();
                    }
                }
                Some(byte) => {
                    self.bump();
                    if byte == quote {
                        return if quote == b'"' {
                            Kind::String
                        } else {
                            Kind::Char
                        };
                    }
                }
            }
        }
        // The carriage return of a line break is no part of the line.
        while self.end > start + 1 && self.text.as_bytes()[self.end - 1] == b'\r' {
            self.end -= 1;
        }
        Kind::Other // the Promela lexer reports it, if the text is kept at all
    }

    fn operator(&mut self) -> Kind {
        const LONG: [&str; 24] = [
            "...", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
            "*=", "/=", "%=", "+=", "-=", "&=", "^=", "|=", "##", "::",
        ];
        let saved = (self.position, self.line);
        let mut bytes = [0u8; 3];
        let mut count = 0;
        let mut ends = [(0, 0); 3];
        while count < 3
            && let Some(byte) = self.peek()
            && byte.is_ascii_punctuation()
        {
            bytes[count] = byte;
            self.position += 1;
            ends[count] = (self.position, self.line);
            count += 1;
        }
        let long = LONG
            .iter()
            .find(|op| bytes[..count].starts_with(op.as_bytes()));
        if let Some(op) = long {
            (self.position, self.line) = ends[op.len() - 1];
            self.end = self.position;
            return Kind::Punct;
        }
        (self.position, self.line) = saved;
        let rest = &self.text[self.position..];
        let first = rest.chars().next().map_or(1, char::len_utf8);
        let known = b"[](){}.&*+-~!/%<>^|?:;=,#".contains(&bytes[0]);
        self.position += first;
        self.end = self.position;
        if known { Kind::Punct } else { Kind::Other }
    }

    /// Passes over white space and comments; `None` at the end.
    fn skip_blank(&mut self, in_line: bool, sink: &mut Sink) -> Option<bool> {
        let mut space = false;
        loop {
            match self.peek()? {
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.bump(),
                b'\n' if in_line => return None,
                b'\n' => {
                    self.bump();
                    self.line += 1;
                    self.line_start = true;
                }
                b'/' => match self.second() {
                    Some(b'*') => self.block_comment(sink),
                    Some(b'/') => self.line_comment(sink),
                    _ => return Some(space),
                },
                _ => return Some(space),
            }
            space = true;
        }
    }

    fn block_comment(&mut self, sink: &mut Sink) {
        let start = self.position;
        self.skip_two();
        let inner = self.end;
        let mut last = 0;
        loop {
            let Some(byte) = self.peek() else {
                if !sink.quiet {
                    let span = Span::new(self.file, start, start + 2);
                    let report = Diagnostic::error(span, "this comment is not closed");
                    sink.reports.add(report.help("close it with `*/`"));
                }
                return;
            };
            self.bump();
            match byte {
                b'\n' => self.line += 1,
                b'/' if last == b'*' => break,
                _ => {}
            }
            last = byte;
        }
        self.note_fairness(inner, self.end.saturating_sub(2), sink);
    }

    fn line_comment(&mut self, sink: &mut Sink) {
        self.skip_two();
        let inner = self.end;
        while !matches!(self.peek(), None | Some(b'\n')) {
            self.bump();
        }
        self.note_fairness(inner, self.end, sink);
    }

    /// Keeps a comment `@ fair …`.
    fn note_fairness(&self, start: usize, end: usize, sink: &mut Sink) {
        let Some(comment) = self.text.get(start..end).filter(|_| !sink.quiet) else {
            return;
        };
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let note = comment.strip_prefix('@').map(str::trim_start);
        let entries = note.and_then(|note| note.strip_prefix("fair"));
        let Some(entries) = entries.filter(|rest| !rest.starts_with(is_word)) else {
            if let Some((part, message, help)) = slip(comment) {
                let span = Span::new(self.file, start + part.start, start + part.end);
                if sink.seen.insert(span) {
                    sink.reports
                        .add(Diagnostic::warning(span, message).help(help));
                }
            }
            return;
        };
        let from = start + comment.len() - entries.trim_start().len();
        let text = entries.trim();
        let span = Span::new(self.file, from, from + text.len());
        if sink.seen.insert(span) {
            // a file that is included twice says it once
            let text = text.to_string();
            sink.fair.push(FairComment { text, span });
        }
    }

    /// The byte at hand, behind any joined lines.
    fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while bytes.get(self.position) == Some(&b'\\')
            && let Some(length) = line_join(&bytes[self.position..])
        {
            self.position += length;
            self.line += 1;
        }
        bytes.get(self.position).copied()
    }

    /// The byte behind the one at hand.
    fn second(&mut self) -> Option<u8> {
        self.peek()?;
        let saved = (self.position, self.line);
        self.position += 1;
        let byte = self.peek();
        (self.position, self.line) = saved;
        byte
    }

    fn bump(&mut self) {
        self.position += 1;
        self.end = self.position;
    }

    fn skip_two(&mut self) {
        self.bump();
        self.peek();
        self.bump();
    }
}

/// A carriage return without a line feed ends a line too; offsets stay as they are.
fn with_line_breaks(text: &str) -> Arc<str> {
    if !text.contains('\r') {
        return Arc::from(text);
    }
    let mut result = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let lone = c == '\r' && characters.peek() != Some(&'\n');
        result.push(if lone { '\n' } else { c });
    }
    Arc::from(result)
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

/// The length of a backslash, blanks and a line break at the start of `bytes`.
fn line_join(bytes: &[u8]) -> Option<usize> {
    let blanks = bytes[1..]
        .iter()
        .take_while(|b| matches!(b, b' ' | b'\t' | b'\r'))
        .count();
    (bytes.get(1 + blanks) == Some(&b'\n')).then_some(blanks + 2)
}

/// The text of a token without the line joins inside it.
fn without_joins(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        match line_join(rest.as_bytes()) {
            Some(length) => rest = &rest[length..],
            None => {
                text.push('\\');
                rest = &rest[1..];
            }
        }
    }
    text + rest
}
