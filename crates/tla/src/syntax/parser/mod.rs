//! From tokens to trees.
//!
//! Recursive descent; operators by a stack with ranges of precedences (`expression.rs`). A list of `/\` or `\/` has a
//! column: what belongs to an item stands to the right of it (`junction.rs`). A syntax error is reported, and reading
//! goes on at the next unit of the module. Depth is limited, that of trees too, so that nobody who walks through one
//! runs out of stack.

mod binding;
mod brackets;
mod definition;
mod expression;
mod junction;
mod label;
mod module;
mod open;
mod primary;
mod proof;

use evenhand_source::{Diagnostic, FileId, Files, Span, spend};

use super::ast::{Expr, Ident, Module};
use super::lexer::{self, Lexed};
use super::spelling::may_name;
use super::token::{Keyword, OperatorId, Token, TokenKind};
use crate::names::{Names, Symbol};
use junction::List;

/// How deep expressions may nest, and how tall trees may be: chains of operators nest without recursion.
const MAX_DEPTH: u32 = 250;
const MAX_HEIGHT: u32 = 500;

/// How many problems are told of one module.
const MOST_PROBLEMS: usize = 20;

/// Something could not be read; what is wrong was reported.
#[derive(Clone, Copy, Debug)]
struct Failed;

type Parsed<T> = Result<T, Failed>;

/// A module of a file with what is wrong with it.
#[derive(Debug)]
pub struct ModuleText {
    /// What could be read; none if not even its name could.
    pub module: Option<Module>,
    /// What is wrong.
    pub problems: Vec<Diagnostic>,
    /// What is probably not meant.
    pub warnings: Vec<Diagnostic>,
    /// Where the text goes on behind it.
    pub end: usize,
}

/// Reads the first module at or behind an offset of a file; none if there is none any more.
pub fn module(files: &Files, file: FileId, from: usize, names: &mut Names) -> Option<ModuleText> {
    let text = &files.get(file).text;
    let lexed = lexer::module(text, file, from)?;
    Some(module_of(text, &lexed, names))
}

/// Reads a module from its tokens.
pub fn module_of(text: &str, lexed: &Lexed, names: &mut Names) -> ModuleText {
    let mut parser = Parser::new(text, &lexed.tokens, names);
    let module = parser.module().ok();
    let warnings = parser.warnings;
    let mut problems = lexed.problems.clone();
    problems.extend(parser.problems);
    problems.sort_by_key(|problem| problem.span.map(|span| span.start));
    ModuleText {
        module,
        problems,
        warnings,
        end: lexed.end,
    }
}

/// Reads a text that is an expression.
///
/// # Errors
/// What is wrong with it.
pub fn expression(files: &Files, file: FileId, names: &mut Names) -> Result<Expr, Vec<Diagnostic>> {
    let text = &files.get(file).text;
    let lexed = lexer::all(text, file);
    let mut parser = Parser::new(text, &lexed.tokens, names);
    let expr = parser.expression().and_then(|expr| {
        parser.expect(TokenKind::End, "an operator or the end")?;
        Ok(expr)
    });
    let mut problems = lexed.problems;
    problems.extend(parser.problems);
    match expr {
        Ok(expr) if problems.is_empty() => Ok(expr),
        _ => Err(problems),
    }
}

struct Parser<'t> {
    text: &'t str,
    tokens: &'t [Token],
    at: usize,
    names: &'t mut Names,
    problems: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
    depth: u32,
    /// The height of the tallest tree read since somebody asked.
    tallest: u32,
    /// The operator that the last expression applies, if that is between or behind operands.
    top: Option<OperatorId>,
    /// The lists that are open.
    lists: Vec<List>,
    /// The list that ended last, and before which token.
    closed: Option<(List, usize)>,
    /// The levels of the proofs that are open; none where no step was read yet.
    proofs: Vec<Option<u32>>,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, tokens: &'t [Token], names: &'t mut Names) -> Parser<'t> {
        Parser {
            text,
            tokens,
            at: 0,
            names,
            problems: Vec::new(),
            warnings: Vec::new(),
            depth: 0,
            tallest: 0,
            top: None,
            lists: Vec::new(),
            closed: None,
            proofs: Vec::new(),
        }
    }

    /// The token that is next, or one behind it.
    fn peek(&self, ahead: usize) -> Token {
        let last = self.tokens.len() - 1;
        self.tokens[(self.at + ahead).min(last)]
    }

    fn kind(&self) -> TokenKind {
        self.peek(0).kind
    }

    /// Takes the next token.
    fn bump(&mut self) -> Token {
        spend();
        let token = self.peek(0);
        self.check_column(token);
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// Takes the next token if it is of a kind.
    fn eat(&mut self, kind: TokenKind) -> Option<Token> {
        (self.kind() == kind).then(|| self.bump())
    }

    fn eat_keyword(&mut self, word: Keyword) -> Option<Token> {
        self.eat(TokenKind::Keyword(word))
    }

    fn expect(&mut self, kind: TokenKind, what: &str) -> Parsed<Token> {
        match self.eat(kind) {
            Some(token) => Ok(token),
            None => Err(self.expected(what)),
        }
    }

    fn expect_keyword(&mut self, word: Keyword, what: &str) -> Parsed<Token> {
        self.expect(TokenKind::Keyword(word), what)
    }

    /// The text of a token.
    fn text(&self, token: Token) -> &'t str {
        let Span { start, end, .. } = token.span;
        self.text.get(start as usize..end as usize).unwrap_or("")
    }

    fn ident_of(&mut self, token: Token) -> Ident {
        let text = self.text(token);
        Ident {
            name: self.names.intern(text),
            span: token.span,
        }
    }

    /// A name.
    fn ident(&mut self, what: &str) -> Parsed<Ident> {
        let token = self.expect(TokenKind::Identifier, what)?;
        Ok(self.ident_of(token))
    }

    /// The name of a field or a module, which may be a reserved word.
    fn field(&mut self, what: &str) -> Parsed<Ident> {
        let token = self.peek(0);
        if !may_name(token.kind, self.text(token)) {
            return Err(self.expected(what));
        }
        let token = self.bump();
        Ok(self.ident_of(token))
    }

    /// Names with commas between them.
    fn idents(&mut self, what: &str) -> Parsed<Vec<Ident>> {
        let mut all = Vec::new();
        loop {
            if self.peek(1).kind == TokenKind::Define {
                return Err(self.expected(what));
            }
            all.push(self.ident(what)?);
            if self.eat(TokenKind::Comma).is_none() {
                return Ok(all);
            }
        }
    }

    fn operator_name(&mut self, id: OperatorId) -> Symbol {
        self.names.intern(id.operator().name)
    }

    /// Reports a problem.
    fn problem(&mut self, problem: Diagnostic) -> Failed {
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(problem);
        }
        Failed
    }

    /// Reports that something else should stand here.
    fn expected(&mut self, what: &str) -> Failed {
        let token = self.peek(0);
        let found = match token.kind {
            TokenKind::End => "the end of the text".to_string(),
            TokenKind::Footer => "the end of the module".to_string(),
            TokenKind::Header => "another module".to_string(),
            TokenKind::Separator => "a line".to_string(),
            _ => format!("`{}`", self.text(token)),
        };
        let message = format!("expected {what}, found {found}");
        self.problem(Diagnostic::error(token.span, message))
    }

    /// Runs a parser one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            let span = self.peek(0).span;
            return Err(self.too_deep(span, MAX_DEPTH));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    fn too_deep(&mut self, span: Span, levels: u32) -> Failed {
        let message = format!("this nests deeper than {levels} levels");
        self.problem(Diagnostic::error(span, message))
    }

    /// The end of what was read last.
    fn before(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }
}
