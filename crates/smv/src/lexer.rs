//! The lexer: text in, tokens and diagnostics out.
//!
//! As in NuSMV a name may contain `-`, `#` and `$`, so `x-1` is a name and `x - 1` a difference;
//! the parser explains that where such a name is unknown. Comments begin with `--` and end with the
//! line, or stand between `/--` and `--/`. A line that begins with `#` and a number is what a
//! preprocessor left behind and is skipped; any other such line is an error, as in NuSMV.

use evenhand_source::{Diagnostic, FileId, Files, Span};

use crate::lower::WIDEST;
use crate::token::{SIGNS, Token, TokenKind, WordConstant};

/// Splits a file into tokens; the last one is [`TokenKind::Eof`].
pub fn tokenize(files: &Files, file: FileId) -> (Vec<Token>, Vec<Diagnostic>) {
    let text = &files.get(file).text;
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        file,
        at: 0,
        tokens: Vec::new(),
        diagnostics: Vec::new(),
    };
    lexer.run();
    (lexer.tokens, lexer.diagnostics)
}

struct Lexer<'t> {
    text: &'t str,
    bytes: &'t [u8],
    file: FileId,
    at: usize,
    tokens: Vec<Token>,
    diagnostics: Vec<Diagnostic>,
}

fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

fn is_name_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'#' | b'-')
}

impl Lexer<'_> {
    fn run(&mut self) {
        while self.at < self.bytes.len() {
            let start = self.at;
            let byte = self.bytes[start];
            let rest = &self.text[start..];
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' | 0x0c => self.at += 1,
                b'-' if rest.starts_with("--") => self.line_comment(),
                b'/' if rest.starts_with("/--") => self.long_comment(),
                b'#' if self.at_line_start() => self.directive(),
                b'"' => self.quoted(),
                b'f' | b'F' if rest[1..].starts_with('\'') => self.fraction(),
                _ if byte.is_ascii_digit() => self.number(),
                _ if is_name_start(byte) => {
                    let end = self.end_of(start, is_name_part);
                    self.push(start, end, TokenKind::Word(self.text[start..end].into()));
                }
                _ => self.sign(),
            }
        }
        let end = self.bytes.len();
        self.push(end, end, TokenKind::Eof);
    }

    fn push(&mut self, start: usize, end: usize, kind: TokenKind) {
        let span = Span::new(self.file, start, end);
        self.tokens.push(Token { kind, span });
        self.at = end;
    }

    fn error(&mut self, start: usize, end: usize, message: impl Into<String>) -> &mut Diagnostic {
        let span = Span::new(self.file, start, end);
        self.diagnostics.push(Diagnostic::error(span, message));
        let last = self.diagnostics.len() - 1;
        &mut self.diagnostics[last]
    }

    fn end_of(&self, start: usize, part: impl Fn(u8) -> bool) -> usize {
        let length = self.bytes[start..].iter().position(|&b| !part(b));
        length.map_or(self.bytes.len(), |n| start + n)
    }

    fn at_line_start(&self) -> bool {
        self.at == 0 || self.bytes[self.at - 1] == b'\n'
    }

    fn line_comment(&mut self) {
        self.at = self.end_of(self.at, |b| b != b'\n');
    }

    fn long_comment(&mut self) {
        let start = self.at;
        match self.text[start + 3..].find("--/") {
            Some(offset) => self.at = start + 3 + offset + 3,
            None => {
                let span = Span::new(self.file, start, start + 3);
                let warning = Diagnostic::warning(span, "this comment does not end");
                self.diagnostics
                    .push(warning.help("a comment that begins with `/--` ends with `--/`"));
                self.at = self.bytes.len();
            }
        }
    }

    fn directive(&mut self) {
        let start = self.at;
        self.line_comment();
        let line = self.text[start..self.at].trim_end();
        let number = line.strip_prefix("# ").unwrap_or("");
        if !number.starts_with(|c: char| c.is_ascii_digit()) {
            let end = start + line.len();
            self.error(start, end, "unexpected preprocessor directive")
                .help = Some("run the preprocessor first: SMV itself has no macros".into());
        }
    }

    /// A quoted name. The quotes belong to the name, as in NuSMV.
    fn quoted(&mut self) {
        let start = self.at;
        match self.text[start + 1..].find('"') {
            Some(offset) => {
                let end = start + offset + 2;
                self.push(start, end, TokenKind::Word(self.text[start..end].into()));
            }
            None => {
                self.error(start, start + 1, "this quoted name does not end");
                self.at = self.bytes.len();
            }
        }
    }

    fn fraction(&mut self) {
        let start = self.at;
        let upper = self.end_of(start + 2, |b| b.is_ascii_digit());
        let mut end = upper;
        if self.bytes.get(upper) == Some(&b'/') {
            end = self.end_of(upper + 1, |b| b.is_ascii_digit());
        }
        self.push(start, end, TokenKind::Real);
    }

    fn number(&mut self) {
        let start = self.at;
        if self.word_constant() {
            return;
        }
        let digits = self.end_of(start, |b| b.is_ascii_digit());
        let mut end = digits;
        let digit_at = |at: usize| self.bytes.get(at).is_some_and(u8::is_ascii_digit);
        if self.bytes.get(end) == Some(&b'.') && digit_at(end + 1) {
            end = self.end_of(end + 1, |b| b.is_ascii_digit());
        }
        if matches!(self.bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(self.bytes.get(end + 1), Some(b'+' | b'-')));
            if digit_at(end + 1 + sign) {
                end = self.end_of(end + 1 + sign, |b| b.is_ascii_digit());
            }
        }
        if end > digits {
            self.push(start, end, TokenKind::Real);
            return;
        }
        match self.text[start..end].parse::<i32>() {
            Ok(value) => self.push(start, end, TokenKind::Number(value.into())),
            Err(_) => {
                self.error(start, end, "this number is too large").help =
                    Some("integers go up to 2147483647; words may be larger: `0ud40_…`".into());
                self.push(start, end, TokenKind::Number(0));
            }
        }
    }

    /// `0ud8_255`: sign, base, width and digits; the width may be missing except for base ten.
    fn word_constant(&mut self) -> bool {
        let start = self.at;
        let mut at = start + 1;
        if self.bytes[start] != b'0' {
            return false;
        }
        let signed = self.bytes.get(at) == Some(&b's');
        at += usize::from(matches!(self.bytes.get(at), Some(b'u' | b's')));
        let per_digit = match self.bytes.get(at).map(u8::to_ascii_lowercase) {
            Some(b'b') => 1,
            Some(b'o') => 3,
            Some(b'd') => 0,
            Some(b'h') => 4,
            _ => return false,
        };
        let width_end = self.end_of(at + 1, |b| b.is_ascii_digit());
        let is_digit = |at: usize| self.bytes.get(at).is_some_and(u8::is_ascii_hexdigit);
        if self.bytes.get(width_end) != Some(&b'_') || !is_digit(width_end + 1) {
            return false;
        }
        let end = self.end_of(width_end + 1, |b| b.is_ascii_hexdigit() || b == b'_');
        let width = &self.text[at + 1..width_end];
        let digits = self.text[width_end + 1..end].replace('_', "");
        let constant = word_value(signed, per_digit, width, &digits);
        let constant = constant.unwrap_or_else(|message| {
            self.error(start, end, message);
            WordConstant {
                signed,
                bits: 1,
                rows: [0].into(),
            }
        });
        self.push(start, end, TokenKind::WordNumber(constant));
        true
    }

    fn sign(&mut self) {
        let start = self.at;
        let rest = &self.text[start..];
        if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            self.push(start, start + sign.len(), TokenKind::Sign(sign));
            return;
        }
        let length = rest.chars().next().map_or(1, char::len_utf8);
        let text = &rest[..length];
        self.error(
            start,
            start + length,
            format!("unexpected character `{text}`"),
        );
        self.at = start + length;
    }
}

/// The value of a word constant whose digits have `per_digit` bits, or any number of them (0).
fn word_value(
    signed: bool,
    per_digit: u32,
    width: &str,
    digits: &str,
) -> Result<WordConstant, String> {
    let base = match per_digit {
        0 => 10,
        bits => 1 << bits,
    };
    let rows = rows(digits, base).ok_or_else(|| {
        format!("`{digits}` is not a number of at most {WIDEST} bits in base {base}")
    })?;
    let bits = match width.parse::<u32>() {
        Ok(bits) => bits,
        Err(_) if width.is_empty() && per_digit > 0 => per_digit * digits.len() as u32,
        Err(_) => return Err("a word constant in base 10 needs a width".into()),
    };
    if !(1..=u32::from(WIDEST)).contains(&bits) {
        return Err(format!("a word has 1 to {WIDEST} bits, not {bits}"));
    }
    let constant = WordConstant {
        signed,
        bits: bits as u16,
        rows: rows.into(),
    };
    let all = 32 * constant.rows.len() as u16;
    if (constant.bits..all).any(|at| constant.bit(at)) {
        return Err(format!("`{digits}` does not fit into {bits} bits"));
    }
    Ok(constant)
}

/// A number in rows of 32 bits, the lowest first, if it is not too large.
fn rows(digits: &str, base: u32) -> Option<Vec<u32>> {
    let mut rows = vec![0u32];
    for digit in digits.chars() {
        let mut carry = u64::from(digit.to_digit(base)?);
        for row in &mut rows {
            let value = u64::from(*row) * u64::from(base) + carry;
            (*row, carry) = (value as u32, value >> 32);
        }
        if carry > 0 {
            rows.push(carry as u32);
        }
        if rows.len() > usize::from(WIDEST / 32) {
            return None;
        }
    }
    Some(rows)
}
