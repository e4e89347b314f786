//! From a text to tokens: comments, directives, names, numbers, signs.
//!
//! Directives stand at the beginning of a line. Symbols are only defined or not, nothing is replaced by
//! anything, so they are carried out while tokens are read: what stands under a condition that does not hold
//! is passed over. Included files are read in place. Tokens know the file and the place they come from.

use std::collections::BTreeSet;
use std::sync::Arc;

use evenhand_source::budget::spend;
use evenhand_source::{Diagnostic, FileId, Files, Span};

use super::include::Includes;

/// How deep files may include each other.
const MOST_INCLUDES: usize = 20;

/// How many tokens a net may have, included files and all.
const MOST_TOKENS: usize = 5_000_000;

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// A name: a word that is not reserved, or anything in double quotes.
    Name(Arc<str>),
    /// A reserved word.
    Word(&'static str),
    /// A number.
    Number(i64),
    /// A character in single quotes.
    Character(u8),
    /// Anything else.
    Sign(&'static str),
    /// The end of the text.
    End,
}

/// A token and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token {
    pub kind: Kind,
    pub span: Span,
}

/// Reserved words.
pub(crate) const WORDS: [&str; 39] = [
    "atom",
    "cardinality",
    "const",
    "deadlock",
    "empty",
    "enabled",
    "enum",
    "equals",
    "false",
    "fatal",
    "gate",
    "hide",
    "id",
    "in",
    "infinite",
    "intersect",
    "is",
    "map",
    "max",
    "min",
    "minus",
    "out",
    "place",
    "prop",
    "queue",
    "reject",
    "release",
    "stack",
    "strongly_fair",
    "struct",
    "subnet",
    "subset",
    "trans",
    "true",
    "typedef",
    "undefined",
    "union",
    "until",
    "weakly_fair",
];

/// Longer ones first.
const SIGNS: [&str; 39] = [
    "<=>", "=>", "==", "!=", "<=", ">=", "<<", ">>", "<>", "[]", "&&", "||", "^^", "..", "{", "}",
    "(", ")", "[", "]", ";", ",", ":", "?", "=", "<", ">", "+", "-", "*", "/", "%", "#", "!", "~",
    "|", ".", "&", "^",
];

/// All tokens of a text; the last one is its end.
pub(crate) fn tokens(
    files: &mut Files,
    main: FileId,
    defines: &[(String, Option<String>)],
    includes: &Includes<'_>,
) -> Result<Vec<Token>, Diagnostic> {
    let mut lexer = Lexer {
        files,
        includes,
        symbols: defines.iter().map(|(name, _)| name.clone()).collect(),
        tokens: Vec::new(),
        depth: 0,
    };
    lexer.file(main)?;
    let end = lexer.files.get(main).text.len();
    let span = Span::new(main, end, end);
    let mut tokens = lexer.tokens;
    tokens.push(Token {
        kind: Kind::End,
        span,
    });
    Ok(tokens)
}

/// All tokens of a text that stands in no net, which can include nothing.
pub(crate) fn tokens_of_text(text: &str, file: FileId) -> Result<Vec<Token>, Diagnostic> {
    let mut lexer = Lexer {
        files: &mut Files::new(),
        includes: &Includes::none(),
        symbols: BTreeSet::new(),
        tokens: Vec::new(),
        depth: 0,
    };
    lexer.text(text, file)?;
    let mut tokens = lexer.tokens;
    tokens.push(Token {
        kind: Kind::End,
        span: Span::new(file, text.len(), text.len()),
    });
    Ok(tokens)
}

struct Lexer<'a> {
    files: &'a mut Files,
    includes: &'a Includes<'a>,
    symbols: BTreeSet<String>,
    tokens: Vec<Token>,
    depth: usize,
}

/// A condition that is open: whether what follows counts, whether its `#else` was met, and where it stands.
struct Condition {
    holds: bool,
    /// Whether all conditions around it hold.
    outer: bool,
    turned: bool,
    span: Span,
}

impl Lexer<'_> {
    fn file(&mut self, file: FileId) -> Result<(), Diagnostic> {
        let text: Arc<str> = self.files.get(file).text.as_str().into();
        self.text(&text, file)
    }

    fn text(&mut self, text: &str, file: FileId) -> Result<(), Diagnostic> {
        let mut scanner = Scanner { text, file, at: 0 };
        let mut open: Vec<Condition> = Vec::new();
        loop {
            spend();
            let counts = open.last().is_none_or(|c| c.holds && c.outer);
            if scanner.is_directive() {
                let line = scanner.directive()?;
                self.directive(&line, file, counts, &mut open)?;
                continue;
            }
            if !counts {
                match scanner.pass_over() {
                    true => continue,
                    false => break,
                }
            }
            if scanner.blank()? {
                continue;
            }
            match scanner.token()? {
                Some(token) => self.tokens.push(token),
                None => break,
            }
            if self.tokens.len() > MOST_TOKENS {
                let message = format!("a net has at most {MOST_TOKENS} words and signs");
                return Err(Diagnostic::error(scanner.span(scanner.at), message));
            }
        }
        match open.pop() {
            Some(condition) => {
                let message = "this condition is not closed by `#endif`";
                Err(Diagnostic::error(condition.span, message))
            }
            None => Ok(()),
        }
    }

    fn directive(
        &mut self,
        line: &Line<'_>,
        file: FileId,
        counts: bool,
        open: &mut Vec<Condition>,
    ) -> Result<(), Diagnostic> {
        let span = line.span;
        let wrong = |message: String| Err(Diagnostic::error(span, message));
        let symbol = || match is_word(line.rest) {
            true => Ok(line.rest.to_string()),
            false => {
                let message = format!("`#{}` needs the name of a symbol", line.word);
                Err(Diagnostic::error(span, message))
            }
        };
        match line.word {
            "ifdef" | "ifndef" => {
                let known = self.symbols.contains(&symbol()?);
                open.push(Condition {
                    holds: known == (line.word == "ifdef"),
                    outer: counts,
                    turned: false,
                    span,
                });
            }
            "else" => match open.last_mut() {
                Some(condition) if !condition.turned => {
                    condition.holds = !condition.holds;
                    condition.turned = true;
                }
                _ => return wrong("`#else` without a condition".to_string()),
            },
            "endif" => {
                if open.pop().is_none() {
                    return wrong("`#endif` without a condition".to_string());
                }
            }
            _ if !counts => {}
            "define" => {
                let name = symbol()?;
                self.symbols.insert(name);
            }
            "undef" => {
                self.symbols.remove(&symbol()?);
            }
            "include" => self.include(line, file)?,
            "line" => {}
            word if word.starts_with('!') => {}
            "" => {}
            word => {
                let message = format!("there is no directive `#{word}`");
                let help =
                    "there are #define, #undef, #ifdef, #ifndef, #else, #endif, #include and #line";
                return Err(Diagnostic::error(span, message).help(help));
            }
        }
        Ok(())
    }

    fn include(&mut self, line: &Line<'_>, file: FileId) -> Result<(), Diagnostic> {
        let name = line
            .rest
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'));
        let Some(name) = name.filter(|name| !name.is_empty()) else {
            let message = "`#include` needs the name of a file";
            let help = "write `#include \"file\"`";
            return Err(Diagnostic::error(line.span, message).help(help));
        };
        if self.depth == MOST_INCLUDES {
            let message = format!("files include each other more than {MOST_INCLUDES} deep");
            return Err(Diagnostic::error(line.span, message));
        }
        let found = self.includes.find(self.files, name, file);
        let included = found.map_err(|reason| {
            let message = format!("cannot read the included file `{name}`: {reason}");
            Diagnostic::error(line.span, message)
        })?;
        self.depth += 1;
        self.file(included)?;
        self.depth -= 1;
        Ok(())
    }
}

fn is_word(text: &str) -> bool {
    let mut characters = text.chars();
    let begins = |c: char| c.is_ascii_alphabetic() || c == '_';
    characters.next().is_some_and(begins)
        && characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// A directive: its word, what follows it without comments, and where it stands.
struct Line<'t> {
    word: &'t str,
    rest: &'t str,
    span: Span,
}

struct Scanner<'t> {
    text: &'t str,
    file: FileId,
    at: usize,
}

impl<'t> Scanner<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn span(&self, start: usize) -> Span {
        Span::new(self.file, start, self.at.max(start + 1))
    }

    fn is_directive(&self) -> bool {
        let begins = self.at == 0 || self.text.as_bytes()[self.at - 1] == b'\n';
        begins && self.rest().starts_with('#')
    }

    /// Reads the line of a directive; a comment that begins there is passed over, and may end on another line.
    fn directive(&mut self) -> Result<Line<'t>, Diagnostic> {
        let start = self.at;
        let end = self
            .rest()
            .find('\n')
            .map_or(self.text.len(), |n| start + n);
        let mut line = &self.text[start + 1..end];
        let mut next = end;
        if let Some(comment) = line.find("/*") {
            let inside = start + 1 + comment + 2;
            let Some(closed) = self.text[inside..].find("*/") else {
                let span = Span::new(self.file, inside - 2, inside);
                return Err(Diagnostic::error(span, "this comment is not closed"));
            };
            let behind = inside + closed + 2;
            let line_end = self.text[behind..].find('\n');
            next = next.max(line_end.map_or(self.text.len(), |n| behind + n));
            line = &line[..comment];
        }
        if let Some(comment) = line.find("//") {
            line = &line[..comment];
        }
        let line = line.trim();
        let end_of_word = line.find(|c: char| c.is_whitespace() || c == '"');
        let (word, rest) = line.split_at(end_of_word.unwrap_or(line.len()));
        self.at = next;
        Ok(Line {
            word,
            rest: rest.trim(),
            span: Span::new(self.file, start, end.max(start + 1)),
        })
    }

    /// Passes over one thing that does not count; false at the end of the text.
    fn pass_over(&mut self) -> bool {
        let rest = self.rest();
        let step = match rest.as_bytes() {
            [] => return false,
            [b'/', b'*', ..] => rest[2..].find("*/").map_or(rest.len(), |n| n + 4),
            [b'/', b'/', ..] => rest.find('\n').unwrap_or(rest.len()),
            _ => rest.chars().next().map_or(1, char::len_utf8),
        };
        self.at += step;
        true
    }

    /// Passes over a blank or a comment, if there is one.
    fn blank(&mut self) -> Result<bool, Diagnostic> {
        let rest = self.rest();
        let step = match rest.as_bytes() {
            [b' ' | b'\n' | b'\r' | b'\t' | 0x0b | 0x0c, ..] => 1,
            [b'/', b'/', ..] => rest.find('\n').unwrap_or(rest.len()),
            [b'/', b'*', ..] => match rest[2..].find("*/") {
                Some(n) => n + 4,
                None => {
                    let span = Span::new(self.file, self.at, self.at + 2);
                    return Err(Diagnostic::error(span, "this comment is not closed"));
                }
            },
            _ => 0,
        };
        self.at += step;
        Ok(step > 0)
    }

    fn token(&mut self) -> Result<Option<Token>, Diagnostic> {
        let start = self.at;
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return Ok(None);
        };
        let kind = match first {
            '0'..='9' => self.number()?,
            '\'' => self.character()?,
            '"' => self.quoted()?,
            'a'..='z' | 'A'..='Z' | '_' | '\\' => self.word()?,
            _ => {
                let mut signs = SIGNS.iter();
                let Some(sign) = signs.find(|sign| rest.starts_with(**sign)) else {
                    let span = Span::new(self.file, start, start + first.len_utf8());
                    let message = format!("`{}` has no meaning here", first.escape_debug());
                    return Err(Diagnostic::error(span, message));
                };
                self.at += sign.len();
                Kind::Sign(sign)
            }
        };
        let span = self.span(start);
        Ok(Some(Token { kind, span }))
    }

    fn number(&mut self) -> Result<Kind, Diagnostic> {
        let start = self.at;
        let rest = self.rest();
        let len = rest
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        self.at += len;
        let text = &rest[..len];
        let (digits, radix) = match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
            Some(digits) => (digits, 16),
            None if text.len() > 1 && text.starts_with('0') => (&text[1..], 8),
            None => (text, 10),
        };
        let number = i64::from_str_radix(digits, radix).ok();
        match number.filter(|n| (0..=i64::from(u32::MAX)).contains(n)) {
            Some(number) => Ok(Kind::Number(number)),
            None => {
                let message = format!("`{text}` is no number of at most 32 bits");
                Err(Diagnostic::error(self.span(start), message))
            }
        }
    }

    fn word(&mut self) -> Result<Kind, Diagnostic> {
        let start = self.at;
        let mut name = String::new();
        let mut escaped = false;
        loop {
            match self.rest().chars().next() {
                Some(c) if c.is_ascii_alphanumeric() || c == '_' => {
                    name.push(c);
                    self.at += 1;
                }
                Some('\\') => {
                    escaped = true;
                    self.escape(start, &mut name)?;
                }
                _ => break,
            }
        }
        let reserved = WORDS.iter().find(|word| **word == name && !escaped);
        Ok(match reserved {
            Some(word) => Kind::Word(word),
            None => Kind::Name(name.into()),
        })
    }

    fn quoted(&mut self) -> Result<Kind, Diagnostic> {
        let start = self.at;
        self.at += 1;
        let mut name = String::new();
        loop {
            match self.rest().chars().next() {
                Some('"') => break,
                Some('\\') => self.escape(start, &mut name)?,
                Some(c) => {
                    name.push(c);
                    self.at += c.len_utf8();
                }
                None => {
                    let span = Span::new(self.file, start, start + 1);
                    return Err(Diagnostic::error(span, "this name is not closed by `\"`"));
                }
            }
        }
        self.at += 1;
        Ok(Kind::Name(name.into()))
    }

    fn character(&mut self) -> Result<Kind, Diagnostic> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        while text.is_empty() {
            match self.rest().chars().next() {
                Some('\\') => self.escape(start, &mut text)?,
                Some(c) if c != '\'' => {
                    text.push(c);
                    self.at += c.len_utf8();
                }
                _ => break,
            }
        }
        let value = text.chars().next().map(u32::from);
        match (value.map(u8::try_from), self.rest().starts_with('\'')) {
            (Some(Ok(value)), true) => {
                self.at += 1;
                Ok(Kind::Character(value))
            }
            _ => {
                let span = Span::new(self.file, start, start + 1);
                let message = "one character of at most 8 bits and `'` are expected here";
                Err(Diagnostic::error(span, message))
            }
        }
    }

    /// What stands behind a backslash.
    fn escape(&mut self, start: usize, text: &mut String) -> Result<(), Diagnostic> {
        self.at += 1;
        let rest = self.rest();
        let digits = |rest: &str, radix: u32, most: usize| {
            let digits = rest.chars().take(most).take_while(|c| c.is_digit(radix));
            digits.count()
        };
        let Some(first) = rest.chars().next() else {
            let span = Span::new(self.file, start, start + 1);
            return Err(Diagnostic::error(span, "the text ends behind a backslash"));
        };
        let (value, len) = match first {
            'a' => ('\u{7}', 1),
            'b' => ('\u{8}', 1),
            't' => ('\t', 1),
            'n' => ('\n', 1),
            'v' => ('\u{b}', 1),
            'f' => ('\u{c}', 1),
            'r' => ('\r', 1),
            '\n' => {
                // The line goes on behind the blanks of the next one.
                let behind = &rest[1..];
                let blanks = behind.len() - behind.trim_start_matches([' ', '\t']).len();
                self.at += 1 + blanks;
                return Ok(());
            }
            '0'..='7' => {
                let len = digits(rest, 8, 3);
                let value = u8::from_str_radix(&rest[..len], 8).unwrap_or(u8::MAX);
                (char::from(value), len)
            }
            'x' if digits(&rest[1..], 16, 2) > 0 => {
                let len = digits(&rest[1..], 16, 2);
                let value = u8::from_str_radix(&rest[1..=len], 16).unwrap_or(u8::MAX);
                (char::from(value), len + 1)
            }
            other => (other, other.len_utf8()),
        };
        self.at += len;
        text.push(value);
        Ok(())
    }
}
