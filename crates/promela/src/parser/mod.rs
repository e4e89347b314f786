//! The parser: tokens in, a syntax tree and diagnostics out.
//!
//! Recursive descent over a token list, with a limit on nesting. A syntax error is reported, the
//! rest of the statement or unit is skipped, and parsing goes on, so that one run shows several
//! errors.
//!
//! Like SPIN, the parser takes a line break for a `;` where a statement has just ended
//! ([`Cursor::virtual_separator`]); unlike SPIN, it does not where the next line goes on with a
//! binary operator, which SPIN rejects.

mod declarations;
mod expressions;
mod ltl;
mod other_spelling;
mod statements;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use evenhand_source::{Diagnostic, Span, nearest, spend};

use crate::ast::{Expr, ExprKind, Ident, Model};
use crate::token::{Keyword, Name, Punct, Token, TokenKind};

/// How deep statements and expressions may nest.
const MAX_DEPTH: u32 = 200;

/// How many operators may follow each other on the way from an expression to its deepest operand.
/// Chains such as `a + b + c` nest to the left without nesting in the text.
const MAX_CHAIN: u32 = 1000;

/// How many tokens the expansion of inlines may make in all.
const MAX_EXPANSION: usize = 1_000_000;

/// How many errors are reported at most.
const MAX_ERRORS: usize = 25;

/// Parses a token list.
pub fn parse(tokens: &[Token]) -> (Model, Vec<Diagnostic>) {
    let mut parser = Parser::new(tokens, proctype_names(tokens), false);
    let model = parser.model();
    (model, parser.diagnostics)
}

/// What a text on a command line may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    /// An expression about a state.
    State,
    /// A formula of linear time.
    Linear,
    /// A formula of branching time.
    Branching,
}

/// Parses one expression as on a command line, about a model whose globals, symbolic constants and
/// process types have these names. In a temporal formula all operators of `ltl` blocks can be used,
/// those of the past, and the letters of other tools that the model gives no meaning; in one of
/// branching time the path quantifiers besides.
pub fn parse_expression(
    tokens: &[Token],
    names: &HashSet<Name>,
    processes: &HashSet<Name>,
    kind: TextKind,
) -> (Option<Expr>, Vec<Diagnostic>) {
    let mut parser = Parser::new(tokens, processes.clone(), kind != TextKind::State);
    parser.names = Some(names.clone());
    parser.branching = kind == TextKind::Branching;
    let expr = parser.expression().ok();
    if expr.is_some() && !matches!(parser.cursor.kind(), TokenKind::Eof) {
        let _ = parser.unexpected::<()>("the end of the expression");
    }
    (expr, parser.diagnostics)
}

/// All names of process types: remote references may come before the process.
fn proctype_names(tokens: &[Token]) -> HashSet<Name> {
    tokens
        .windows(2)
        .filter(|pair| {
            let keyword = &pair[0].kind;
            matches!(
                keyword,
                TokenKind::Keyword(Keyword::Proctype | Keyword::DProctype)
            )
        })
        .filter_map(|pair| match &pair[1].kind {
            TokenKind::Ident(name) => Some(name.clone()),
            _ => None,
        })
        .collect()
}

/// Stands for an error that was reported.
pub(super) struct Reported;

type Result<T> = std::result::Result<T, Reported>;

struct Inline {
    parameters: Vec<Name>,
    body: Vec<Token>,
    /// Where the body stands.
    extent: Span,
}

struct Parser {
    cursor: Cursor,
    diagnostics: Vec<Diagnostic>,
    depth: u32,
    /// The longest chain of operators in the expressions read since this was set to 0.
    chain: u32,
    /// How many tokens inlines may still expand to.
    expansion: usize,
    inlines: HashMap<Name, Arc<Inline>>,
    /// The calls being expanded: name and what a returned value is assigned to.
    inline_stack: Vec<(Name, Option<crate::ast::Reference>)>,
    /// Where the body of the inline being expanded stands.
    extent: Option<Span>,
    records: HashSet<Name>,
    processes: HashSet<Name>,
    /// Where `init` processes stand.
    inits: Vec<Span>,
    unnamed_ltl: u32,
    /// The unit that was read last lacks its closing brace, which was reported.
    unclosed: bool,
    in_ltl: bool,
    /// Whether there are path quantifiers.
    branching: bool,
    /// The names of the model that a question is about; none while a model is read.
    names: Option<HashSet<Name>>,
}

/// A place in a token list.
struct Cursor {
    tokens: Arc<[Token]>,
    pos: usize,
    /// Where a virtual separator was already passed.
    separated_at: Option<usize>,
    in_sequence: bool,
    parens: u32,
}

const SEMICOLON: TokenKind = TokenKind::Punct(Punct::Semicolon);

impl Cursor {
    fn token(&self) -> &Token {
        &self.tokens[self.pos]
    }

    /// The token ahead, or a separator that a line break stands for.
    fn kind(&self) -> &TokenKind {
        if self.virtual_separator() {
            &SEMICOLON
        } else {
            &self.token().kind
        }
    }

    /// The token `n` behind the one ahead, line breaks not considered.
    fn ahead(&self, n: usize) -> &TokenKind {
        let last = self.tokens.len() - 1;
        &self.tokens[(self.pos + n).min(last)].kind
    }

    fn span(&self) -> Span {
        self.token().span
    }

    fn previous_span(&self) -> Span {
        self.tokens[self.pos.saturating_sub(1)].span
    }

    fn advance(&mut self) {
        spend();
        if self.virtual_separator() {
            self.separated_at = Some(self.pos);
        } else if self.pos + 1 < self.tokens.len() {
            self.pos += 1;
        }
    }

    fn virtual_separator(&self) -> bool {
        let token = self.token();
        self.in_sequence
            && self.parens == 0
            && token.newline
            && self.separated_at != Some(self.pos)
            && self.pos > 0
            && ends_statement(&self.tokens[self.pos - 1].kind)
            && begins_statement(&token.kind)
    }
}

fn ends_statement(kind: &TokenKind) -> bool {
    use Keyword::{Break, Else, False, Fi, Od, Skip, True};
    match kind {
        TokenKind::Ident(_) | TokenKind::Number(_) | TokenKind::CCode { .. } => true,
        TokenKind::Keyword(k) => matches!(k, Od | Fi | Else | Break | True | False | Skip),
        TokenKind::Punct(p) => {
            use Punct::{MinusMinus, PlusPlus, RBrace, RBracket, RParen};
            matches!(p, RBrace | RParen | RBracket | PlusPlus | MinusMinus)
        }
        _ => false,
    }
}

fn begins_statement(kind: &TokenKind) -> bool {
    match kind {
        TokenKind::Punct(p) => {
            matches!(
                p,
                Punct::Bang | Punct::Minus | Punct::Tilde | Punct::LParen | Punct::LBrace
            )
        }
        TokenKind::Keyword(k) => !matches!(k, Keyword::Unless | Keyword::Fi | Keyword::Od),
        TokenKind::Eof => false,
        _ => true,
    }
}

/// Whether a token can only stand at the top level, where it begins something new.
fn begins_unit(kind: &TokenKind) -> bool {
    use Keyword::{Active, DProctype, Init, Inline, Ltl, Never, Notrace, Proctype, Trace, Typedef};
    match kind {
        TokenKind::Keyword(k) => matches!(
            k,
            Active | DProctype | Init | Inline | Ltl | Never | Notrace | Proctype | Trace | Typedef
        ),
        _ => false,
    }
}

impl Cursor {
    fn new(tokens: Arc<[Token]>, in_sequence: bool) -> Cursor {
        Cursor {
            tokens,
            pos: 0,
            separated_at: None,
            in_sequence,
            parens: 0,
        }
    }
}

impl Parser {
    fn new(tokens: &[Token], processes: HashSet<Name>, in_ltl: bool) -> Parser {
        Parser {
            cursor: Cursor::new(Arc::from(tokens), false),
            diagnostics: Vec::new(),
            depth: 0,
            chain: 0,
            expansion: MAX_EXPANSION,
            inlines: HashMap::new(),
            inline_stack: Vec::new(),
            extent: None,
            records: HashSet::new(),
            processes,
            inits: Vec::new(),
            unnamed_ltl: 0,
            unclosed: false,
            in_ltl,
            branching: false,
            names: None,
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        // What follows from an error at the same place is no news.
        let known = |d: &Diagnostic| d.span.is_some() && d.span == diagnostic.span;
        if self.diagnostics.len() < MAX_ERRORS && !self.diagnostics.iter().any(known) {
            self.diagnostics.push(diagnostic);
        }
    }

    fn unexpected<T>(&mut self, expected: &str) -> Result<T> {
        let found = match self.cursor.kind() {
            TokenKind::Eof if self.names.is_some() => "the end".to_string(),
            TokenKind::Eof => "the end of the file".to_string(),
            kind => format!("`{kind}`"),
        };
        let span = self.cursor.span();
        let message = format!("expected {expected}, found {found}");
        let problem = Diagnostic::error(span, message).maybe_help(self.hint());
        self.report(self.other_spelling().unwrap_or(problem));
        Err(Reported)
    }

    /// What to write instead of what is ahead.
    fn hint(&self) -> Option<String> {
        self.double_arrow()
            .or_else(|| self.compound_assignment())
            .or_else(|| self.single_equals())
    }

    /// A hint where `p => q` was written; the parser is at the `=` or behind it.
    fn double_arrow(&self) -> Option<String> {
        let at = self.cursor.pos;
        let is_arrow = |at: usize| {
            let pair = self.cursor.tokens.get(at..at + 2);
            pair.is_some_and(|pair| {
                pair[0].kind == TokenKind::Punct(Punct::Assign)
                    && pair[1].kind == TokenKind::Punct(Punct::Gt)
                    && pair[1].glued
            })
        };
        if !is_arrow(at) && !at.checked_sub(1).is_some_and(is_arrow) {
            return None;
        }
        let what = match self.in_ltl {
            true => "for an implication",
            false => "behind a guard",
        };
        Some(format!("write `->` {what}"))
    }

    /// A hint where two values are compared with one sign.
    fn single_equals(&self) -> Option<String> {
        let before = self.cursor.pos.checked_sub(1)?;
        let is_value = matches!(
            self.cursor.tokens[before].kind,
            TokenKind::Ident(_)
                | TokenKind::Number(_)
                | TokenKind::Punct(Punct::RBracket | Punct::RParen)
        );
        let is_one = (self.in_ltl || is_value) && self.is(Punct::Assign);
        is_one.then(|| "write `==` to compare".to_string())
    }

    /// A hint where `x += 1` was written: the `=` ahead touches an operator.
    fn compound_assignment(&self) -> Option<String> {
        let token = self.cursor.token();
        if token.kind != TokenKind::Punct(Punct::Assign) || !token.glued || self.cursor.pos < 2 {
            return None;
        }
        let before = |n: usize| &self.cursor.tokens[self.cursor.pos - n].kind;
        let (TokenKind::Punct(operator), TokenKind::Ident(name)) = (before(1), before(2)) else {
            return None;
        };
        Some(match operator {
            Punct::Colon => format!("Promela has no `:=`: write `{name} = …`"),
            _ => format!("Promela has no `{operator}=`: write `{name} = {name} {operator} …`"),
        })
    }

    /// `}`; the message about a missing one shows where its partner is.
    fn close_brace(&mut self, opening: Span) -> Result<Span> {
        let span = self.cursor.span();
        if self.accept(Punct::RBrace) {
            return Ok(span);
        }
        let found = match self.cursor.kind() {
            TokenKind::Eof => "the end of the file".to_string(),
            kind => format!("`{kind}`"),
        };
        let message = format!("expected `}}`, found {found}");
        let problem = Diagnostic::error(span, message).maybe_help(self.hint());
        let problem = problem.label(opening, "this `{` is not closed");
        self.report(self.other_spelling().unwrap_or(problem));
        Err(Reported)
    }

    fn is(&self, punct: Punct) -> bool {
        *self.cursor.kind() == TokenKind::Punct(punct)
    }

    fn is_keyword(&self, keyword: Keyword) -> bool {
        *self.cursor.kind() == TokenKind::Keyword(keyword)
    }

    /// Passes over a token if it is there.
    fn accept(&mut self, punct: Punct) -> bool {
        let found = self.is(punct);
        if found {
            self.cursor.advance();
        }
        found
    }

    fn accept_keyword(&mut self, keyword: Keyword) -> bool {
        let found = self.is_keyword(keyword);
        if found {
            self.cursor.advance();
        }
        found
    }

    fn expect(&mut self, punct: Punct) -> Result<Span> {
        let span = self.cursor.span();
        if self.accept(punct) {
            Ok(span)
        } else {
            self.unexpected(&format!("`{punct}`"))
        }
    }

    /// `(`: line breaks up to the matching `)` separate nothing.
    fn open_paren(&mut self) -> Result<Span> {
        let span = self.expect(Punct::LParen)?;
        self.cursor.parens += 1;
        Ok(span)
    }

    fn close_paren(&mut self) -> Result<Span> {
        let span = self.expect(Punct::RParen)?;
        self.cursor.parens = self.cursor.parens.saturating_sub(1);
        Ok(span)
    }

    /// The name that is ahead, if one is.
    fn accept_ident(&mut self) -> Option<Ident> {
        let TokenKind::Ident(name) = self.cursor.kind() else {
            return None;
        };
        let name = name.clone();
        let span = self.cursor.span();
        self.cursor.advance();
        Some(Ident { name, span })
    }

    fn ident(&mut self, what: &str) -> Result<Ident> {
        if let Some(ident) = self.accept_ident() {
            return Ok(ident);
        }
        match self.cursor.kind() {
            TokenKind::Keyword(keyword) => {
                let message = format!("expected {what}, found the keyword `{keyword}`");
                let span = self.cursor.span();
                self.report(
                    Diagnostic::error(span, message).help("a keyword cannot be used as a name"),
                );
                Err(Reported)
            }
            _ => self.unexpected(what),
        }
    }

    /// Refuses embedded C by name.
    fn refuse_c<T>(&mut self) -> Result<T> {
        if let TokenKind::CCode { construct, .. } = self.cursor.kind() {
            let message = format!("embedded C is not supported: `{construct}`");
            let span = self.cursor.span();
            self.cursor.advance();
            self.report(
                Diagnostic::error(span, message)
                    .help("write the step in Promela; nothing here runs a C compiler"),
            );
        }
        Err(Reported)
    }

    /// Runs a parser one level deeper, within the limit.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Parser) -> Result<T>) -> Result<T> {
        if self.depth >= MAX_DEPTH {
            let message = format!("nested more than {MAX_DEPTH} levels deep");
            self.report(Diagnostic::error(self.cursor.span(), message));
            return Err(Reported);
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// A hint for a misspelt keyword.
    fn keyword_hint(&self, name: &str) -> Option<String> {
        let words = Keyword::ALL.iter().map(|k| k.text());
        nearest(name, words).map(|word| format!("did you mean `{word}`?"))
    }
}

/// The value of an expression over numbers.
pub(crate) fn fold(expr: &Expr) -> Option<i64> {
    use crate::ast::{Binary, Unary};
    match &expr.kind {
        ExprKind::Number(value) => Some(*value),
        ExprKind::Unary(Unary::Neg, operand) => Some(fold(operand)?.wrapping_neg()),
        ExprKind::Unary(Unary::Not, operand) => Some(i64::from(fold(operand)? == 0)),
        ExprKind::Unary(Unary::Complement, operand) => Some(!fold(operand)?),
        ExprKind::Conditional(parts) => fold(if fold(&parts.0)? != 0 {
            &parts.1
        } else {
            &parts.2
        }),
        ExprKind::Binary(op, operands) => {
            let (a, b) = (fold(&operands.0)?, fold(&operands.1)?);
            Some(match op {
                Binary::Add => a.wrapping_add(b),
                Binary::Sub => a.wrapping_sub(b),
                Binary::Mul => a.wrapping_mul(b),
                Binary::Div => a.checked_div(b)?,
                Binary::Rem => a.checked_rem(b)?,
                Binary::Shl => a.checked_shl(u32::try_from(b).ok()?)?,
                Binary::Shr => a.checked_shr(u32::try_from(b).ok()?)?,
                Binary::BitAnd => a & b,
                Binary::BitOr => a | b,
                Binary::BitXor => a ^ b,
                Binary::Lt => (a < b).into(),
                Binary::Le => (a <= b).into(),
                Binary::Gt => (a > b).into(),
                Binary::Ge => (a >= b).into(),
                Binary::Eq => (a == b).into(),
                Binary::Ne => (a != b).into(),
                Binary::And => (a != 0 && b != 0).into(),
                Binary::Or => (a != 0 || b != 0).into(),
                _ => return None,
            })
        }
        _ => None,
    }
}
