//! Tokens of the HOA format.
//!
//! White space separates, comments `/* … */` nest, identifiers may contain `-` and, since version 1.1, `.`; a header name is an
//! identifier directly followed by `:`, an alias starts with `@`. `--BODY--`, `--END--` and
//! `--ABORT--` are tokens of their own. The lexer works on bytes and never looks back, so that
//! files of many megabytes are read at the speed of memory.

use evenhand_source::{Diagnostic, FileId, Span};

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// `name:`
    Header(&'a str),
    Identifier(&'a str),
    /// `@name`
    Alias(&'a str),
    /// The text between the quotes, escapes not yet resolved.
    Text(&'a str),
    Number(u32),
    Symbol(u8),
    Body,
    End,
    Abort,
    /// The end of the input.
    Finished,
}

impl Token<'_> {
    pub fn describe(self) -> String {
        match self {
            Token::Header(name) => format!("\"{name}:\""),
            Token::Identifier(name) => format!("\"{name}\""),
            Token::Alias(name) => format!("\"@{name}\""),
            Token::Text(_) => "a string".into(),
            Token::Number(n) => n.to_string(),
            Token::Symbol(c) => format!("\"{}\"", c as char),
            Token::Body => "--BODY--".into(),
            Token::End => "--END--".into(),
            Token::Abort => "--ABORT--".into(),
            Token::Finished => "the end of the input".into(),
        }
    }
}

pub(super) struct Lexer<'a> {
    text: &'a str,
    file: FileId,
    at: usize,
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str, file: FileId) -> Lexer<'a> {
        Lexer { text, file, at: 0 }
    }

    /// The length of the whole text.
    pub fn text_length(&self) -> usize {
        self.text.len()
    }

    /// Goes on behind the next `--END--` or `--ABORT--`, wherever that is.
    pub fn skip_to_end(&mut self) {
        while let Some(found) = self.text.get(self.at..).and_then(|rest| rest.find("--")) {
            self.at += found;
            for end in ["--END--", "--ABORT--"] {
                if self.text[self.at..].starts_with(end) {
                    self.at += end.len();
                    return;
                }
            }
            self.at += 1;
        }
        self.at = self.text.len();
    }

    /// What stands between here and the next closing bracket.
    pub fn bracketed(&self) -> Option<&'a str> {
        let rest = self.text.get(self.at..)?;
        let length = rest.bytes().position(|byte| byte == b']')?;
        rest.get(..length)
    }

    /// Goes on behind so many bytes.
    pub fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// The next token with its place.
    pub fn next(&mut self) -> Result<(Token<'a>, Span), Diagnostic> {
        self.skip_blank()?;
        let start = self.at;
        let token = self.token()?;
        Ok((token, Span::new(self.file, start, self.at)))
    }

    fn token(&mut self) -> Result<Token<'a>, Diagnostic> {
        let bytes = self.text.as_bytes();
        let Some(&first) = bytes.get(self.at) else {
            return Ok(Token::Finished);
        };
        let start = self.at;
        match first {
            b'0'..=b'9' => self.number(),
            b'"' => self.string(),
            b'-' => self.section(),
            b'@' => {
                self.at += 1;
                let name = self.identifier();
                match name.is_empty() {
                    true => Err(self.error(start, "an alias needs a name behind \"@\"")),
                    false => Ok(Token::Alias(name)),
                }
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                let name = self.identifier();
                // A header name takes the colon that follows directly.
                if bytes.get(self.at) == Some(&b':') {
                    self.at += 1;
                    return Ok(Token::Header(name));
                }
                Ok(Token::Identifier(name))
            }
            b'!' | b'&' | b'|' | b'(' | b')' | b'[' | b']' | b'{' | b'}' => {
                self.at += 1;
                Ok(Token::Symbol(first))
            }
            _ => {
                let c = self.text[start..].chars().next().unwrap_or(' ');
                self.at += c.len_utf8();
                Err(self.error(start, format!("unexpected character {c:?}")))
            }
        }
    }

    fn skip_blank(&mut self) -> Result<(), Diagnostic> {
        let bytes = self.text.as_bytes();
        loop {
            while bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
                self.at += 1;
            }
            if bytes.get(self.at) != Some(&b'/') || bytes.get(self.at + 1) != Some(&b'*') {
                return Ok(());
            }
            let start = self.at;
            let mut depth = 0usize;
            loop {
                match bytes.get(self.at..self.at + 2) {
                    Some(b"/*") => {
                        depth += 1;
                        self.at += 2;
                    }
                    Some(b"*/") => {
                        depth -= 1;
                        self.at += 2;
                        if depth == 0 {
                            break;
                        }
                    }
                    Some(_) => self.at += 1,
                    None => {
                        self.at = bytes.len();
                        let span = Span::new(self.file, start, start + 2);
                        return Err(Diagnostic::error(span, "this comment does not end"));
                    }
                }
            }
        }
    }

    fn number(&mut self) -> Result<Token<'a>, Diagnostic> {
        let start = self.at;
        let mut value: u64 = 0;
        while let Some(&digit @ b'0'..=b'9') = self.text.as_bytes().get(self.at) {
            value = (value * 10 + u64::from(digit - b'0')).min(1 << 40);
            self.at += 1;
        }
        match u32::try_from(value) {
            Ok(n) if n < i32::MAX as u32 => Ok(Token::Number(n)),
            _ => Err(self.error(start, "this number is too large")),
        }
    }

    fn string(&mut self) -> Result<Token<'a>, Diagnostic> {
        let start = self.at;
        self.at += 1;
        while let Some(&byte) = self.text.as_bytes().get(self.at) {
            match byte {
                b'"' => {
                    self.at += 1;
                    return Ok(Token::Text(&self.text[start + 1..self.at - 1]));
                }
                b'\\' => {
                    self.at += 1 + self.text[self.at + 1..]
                        .chars()
                        .next()
                        .map_or(0, char::len_utf8)
                }
                _ => self.at += 1,
            }
        }
        self.at = self.text.len();
        let span = Span::new(self.file, start, start + 1);
        Err(Diagnostic::error(span, "this string does not end"))
    }

    fn section(&mut self) -> Result<Token<'a>, Diagnostic> {
        let start = self.at;
        let sections = [
            ("--BODY--", Token::Body),
            ("--END--", Token::End),
            ("--ABORT--", Token::Abort),
        ];
        for (text, token) in sections {
            if self.text[start..].starts_with(text) {
                self.at += text.len();
                return Ok(token);
            }
        }
        self.at += 1;
        Err(self.error(start, "expected --BODY--, --END-- or --ABORT--"))
    }

    fn identifier(&mut self) -> &'a str {
        let start = self.at;
        let inside = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
        while self.text.as_bytes().get(self.at).is_some_and(inside) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    fn error(&self, start: usize, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(Span::new(self.file, start, self.at), message)
    }
}

/// The text of a string token: a backslash takes the next character as it is.
pub(super) fn unescape(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => result.extend(chars.next()),
            _ => result.push(c),
        }
    }
    result
}
