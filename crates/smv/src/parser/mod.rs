//! The parser: tokens in, a syntax tree and diagnostics out.
//!
//! Recursive descent over a token list, with a limit on nesting. A syntax error is reported, the
//! rest of the declaration is skipped, and parsing goes on, so that one run shows several errors.
//! The grammar is that of NuSMV 2.6; wider is only what may stand in `CTLSPEC`: all of CTL*.

mod declarations;
mod expressions;
mod primary;
mod psl;
mod spelling;
mod types;

use evenhand_source::{Diagnostic, Span, spend};

pub(crate) use spelling::type_near;

use crate::ast::{Expr, Model};
use crate::token::{Name, SECTIONS, Token, TokenKind, is_reserved};

/// How deep expressions and types may nest.
const MAX_DEPTH: u32 = 200;

/// How many errors are reported at most.
const MAX_ERRORS: usize = 25;

/// Parses a token list that ends with [`TokenKind::Eof`].
pub fn parse(tokens: &[Token]) -> (Model, Vec<Diagnostic>) {
    let mut parser = Parser::new(tokens);
    let model = parser.model();
    (model, parser.diagnostics)
}

/// Parses one expression or formula, as on a command line.
pub fn parse_expression(tokens: &[Token]) -> (Option<Expr>, Vec<Diagnostic>) {
    let mut parser = Parser::new(tokens);
    let expr = parser.expression().ok();
    if expr.is_some() && *parser.kind() != TokenKind::Eof {
        let _ = parser.unexpected::<()>("the end of the expression");
    }
    (expr, parser.diagnostics)
}

/// Stands for an error that was reported.
pub(crate) struct Reported;

type Result<T> = std::result::Result<T, Reported>;

struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    depth: u32,
    /// Whether `U` and its kind end the expression: between the brackets of `A [ … U … ]`.
    stop_at_until: bool,
    diagnostics: Vec<Diagnostic>,
}

static END: Token = Token {
    kind: TokenKind::Eof,
    span: Span {
        file: evenhand_source::FileId(0),
        start: 0,
        end: 0,
    },
};

impl<'t> Parser<'t> {
    fn new(tokens: &'t [Token]) -> Parser<'t> {
        Parser {
            tokens,
            at: 0,
            depth: 0,
            stop_at_until: false,
            diagnostics: Vec::new(),
        }
    }

    fn ahead(&self, n: usize) -> &'t Token {
        let at = (self.at + n).min(self.tokens.len().saturating_sub(1));
        self.tokens.get(at).unwrap_or(&END)
    }

    fn kind(&self) -> &'t TokenKind {
        &self.ahead(0).kind
    }

    fn span(&self) -> Span {
        self.ahead(0).span
    }

    fn previous(&self) -> Span {
        match self.at.checked_sub(1) {
            Some(at) => self.tokens[at].span,
            None => self.span(),
        }
    }

    fn advance(&mut self) {
        spend();
        self.at = (self.at + 1).min(self.tokens.len().saturating_sub(1));
    }

    fn word(&self) -> Option<&'t Name> {
        match self.kind() {
            TokenKind::Word(name) => Some(name),
            _ => None,
        }
    }

    fn at_sign(&self, sign: &str) -> bool {
        matches!(self.kind(), TokenKind::Sign(s) if *s == sign)
    }

    fn at_word(&self, word: &str) -> bool {
        self.word().is_some_and(|w| &**w == word)
    }

    fn eat_sign(&mut self, sign: &str) -> bool {
        let found = self.at_sign(sign);
        if found {
            self.advance();
        }
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, sign: &str) -> Result<()> {
        if self.eat_sign(sign) {
            return Ok(());
        }
        self.unexpected(&format!("`{sign}`"))
    }

    /// What stands behind a dot: a name, or the number of an element.
    fn part_name(&mut self) -> Result<Name> {
        match *self.kind() {
            TokenKind::Number(value) => {
                self.advance();
                Ok(value.to_string().into())
            }
            _ => self.name("a name"),
        }
    }

    /// A name that is not reserved.
    fn name(&mut self, what: &str) -> Result<Name> {
        match self.word() {
            Some(name) if !is_reserved(name) => {
                self.advance();
                Ok(name.clone())
            }
            Some(name) => {
                let message = format!("expected {what}, found the reserved word `{name}`");
                let is_assignment = matches!(&**name, "init" | "next");
                let help = is_assignment.then(|| "assignments stand behind `ASSIGN`".to_string());
                let help = help.or_else(|| self.misspelt());
                self.report(Diagnostic::error(self.span(), message).maybe_help(help))
            }
            None => self.unexpected(what),
        }
    }

    fn report<T>(&mut self, diagnostic: Diagnostic) -> Result<T> {
        if self.diagnostics.len() < MAX_ERRORS {
            self.diagnostics.push(diagnostic);
        }
        Err(Reported)
    }

    fn unexpected<T>(&mut self, expected: &str) -> Result<T> {
        let found = self.kind();
        let mut diagnostic =
            Diagnostic::error(self.span(), format!("expected {expected}, found {found}"));
        match found {
            TokenKind::Sign("@") => {
                diagnostic = diagnostic
                    .help("timed models are not supported: this is the finite-state language");
            }
            TokenKind::Real => {
                diagnostic = diagnostic.help("real numbers are not supported");
            }
            TokenKind::Sign(sign @ ("&&" | "||" | "==")) => {
                diagnostic = diagnostic.help(format!("write `{}` in SMV", &sign[1..]));
            }
            TokenKind::Sign(">") if self.follows("=") => {
                diagnostic = diagnostic.help("write `->` for an implication in SMV");
            }
            _ => diagnostic = diagnostic.maybe_help(self.misspelt()),
        }
        self.report(diagnostic)
    }

    /// Whether the token ahead touches a sign in front of it.
    fn follows(&self, sign: &str) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        before.is_some_and(|before| {
            matches!(before.kind, TokenKind::Sign(s) if s == sign)
                && before.span.end == self.span().start
        })
    }

    /// Refuses an expression that nests deeper than `depth` levels allow.
    fn limit(&mut self, depth: u32) -> Result<()> {
        if depth < MAX_DEPTH {
            return Ok(());
        }
        let message = format!("this nests deeper than {MAX_DEPTH} levels");
        let diagnostic = Diagnostic::error(self.span(), message);
        self.report(diagnostic.help("give parts of it names with `DEFINE`"))
    }

    /// Runs a parser one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.limit(self.depth)?;
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// Skips to behind the next `;` or to the next section.
    fn recover(&mut self) {
        loop {
            match self.kind() {
                TokenKind::Eof => return,
                TokenKind::Sign(";") => {
                    self.advance();
                    return;
                }
                TokenKind::Word(word) if SECTIONS.contains(&&**word) => return,
                _ => self.advance(),
            }
        }
    }
}
