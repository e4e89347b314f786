//! The preprocessed text, each stretch with its provenance.
//!
//! Tokens are written one after the other. A line break stands between two of them when they belong
//! to different lines of the model, where all of a macro belongs to the line of its name: `gcc -E`
//! does the same, and it matters, because a line break can end a Promela statement. A blank stands
//! where the user put white space, and at the edge of a macro or an argument where two tokens would
//! otherwise grow together into another one of C. (`gcc` overlooks one such place: the name at the
//! end of a macro and a number like `1..5` right behind it. Here they stay apart.)
//!
//! Positions are found again by a walk over the stretches in step with the lexer: constant time
//! each.

use evenhand_source::{FileId, Span};

use super::scan::{Kind, PpToken};

/// A stretch of output that comes from one preprocessing token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    /// Where it begins in the output.
    pub start: u32,
    /// Its place in the model.
    pub span: Span,
    /// Its place in a macro definition.
    pub expansion: Option<Span>,
    /// It stands in the model byte for byte.
    pub exact: bool,
}

/// The output.
#[derive(Default)]
pub(crate) struct Output {
    pub text: String,
    pub pieces: Vec<Piece>,
    /// The place behind the last token.
    pub end: Span,
    /// Pieces that are numbers with `..` in them.
    ranges: Vec<(u32, u32, Span)>,
    line: Option<(FileId, u32)>,
    /// An edge of a macro since the last token, and whether it brought a blank.
    edge: Option<bool>,
    last: Option<(Kind, u32)>,
}

impl Output {
    pub(super) fn push(&mut self, token: &PpToken) {
        if token.kind == Kind::Padding {
            self.edge = Some(self.edge.unwrap_or(false) || token.space);
            return;
        }
        let edge = self.edge.take().or(token.edge.then_some(false));
        let line = (token.span.file, token.line);
        let same_file = self.line.is_some_and(|(file, _)| file == line.0);
        let apart = token.space || edge.is_some() || !same_file;
        if apart && self.line != Some(line) {
            self.line = Some(line);
            self.text.push('\n');
        } else if token.space || edge == Some(true) || edge.is_some() && self.would_paste(token) {
            self.text.push(' ');
        }
        let start = offset(self.text.len());
        self.text.push_str(&token.text);
        let length = (token.span.end - token.span.start) as usize;
        self.pieces.push(Piece {
            start,
            span: token.span,
            expansion: token.expansion,
            exact: token.expansion.is_none() && length == token.text.len(),
        });
        if token.kind == Kind::Number && token.text.contains("..") {
            self.ranges
                .push((start, offset(self.text.len()), token.span));
        }
        self.last = Some((token.kind, start));
    }

    /// The numbers with `..` in them.
    pub fn ranges(&self) -> impl Iterator<Item = (&str, Span)> {
        self.ranges
            .iter()
            .map(|&(start, end, span)| (&self.text[start as usize..end as usize], span))
    }

    /// Whether C would read the last token and this one together as something else.
    fn would_paste(&self, token: &PpToken) -> bool {
        let Some((kind, start)) = self.last else {
            return false;
        };
        let last = &self.text[start as usize..];
        let operator = token.kind == Kind::Punct;
        let next = token.text.bytes().next().filter(|_| operator).unwrap_or(0);
        let word = matches!(token.kind, Kind::Name | Kind::Number);
        match kind {
            Kind::Name => word || matches!(token.kind, Kind::Char | Kind::String),
            Kind::Number => word || token.kind == Kind::Char || matches!(next, b'.' | b'+' | b'-'),
            Kind::Punct => match (last, next) {
                ("=" | "!" | ">" | "<" | "+" | "-" | "*" | "/", b'=') => true,
                ("%" | "&" | "|" | "^" | ">>" | "<<", b'=') => true,
                (">", b'>') | ("<", b'<' | b'%' | b':') | ("+", b'+') | ("-", b'-' | b'>') => true,
                ("/", b'/' | b'*') | ("%", b':' | b'%') | ("&", b'&') | ("|", b'|') => true,
                (":", b':' | b'>') | ("->", b'*') | (".", b'.' | b'%') | ("#", b'#' | b'%') => true,
                (".", _) => token.kind == Kind::Number,
                _ => false,
            },
            _ => false,
        }
    }
}

fn offset(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
