//! Reads the HOA format, versions 1 and 1.1.
//!
//! A stream holds any number of automata. Each is read in two steps: the header (names, aliases,
//! the acceptance formula) and the body (states and edges), the latter in `body.rs`. What the
//! format allows and an [`Automaton`] has not is translated: labels become cubes, labels and marks
//! of states go to their edges, implicit labels are counted out, a set used as `Inf(!x)` or
//! `Fin(!x)` gets a second mark that is on the edges without x. Alternating automata are refused. A
//! faulty automaton gives a diagnostic and the reader goes on behind its `--END--`.

use super::body;
use super::claims::Claim;
use super::label::{self, Cubes};
use super::lexer::{Lexer, Token, unescape};
use crate::{Acceptance, Automaton, Condition, Mark, Prop};
use evenhand_source::{Diagnostic, FileId, Span};
use rustc_hash::FxHashMap;

/// Expressions may not be nested deeper than this.
const DEPTH_LIMIT: usize = 500;
/// An automaton may not announce more acceptance sets than this.
const MARK_LIMIT: u32 = 1 << 14;

/// What was read from a stream.
#[derive(Clone, Debug, Default)]
pub struct HoaStream {
    /// The automata without errors, in the order of the text.
    pub automata: Vec<Automaton>,
    /// What was wrong with the others, and what is doubtful.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads all automata of a text. Never panics; errors are diagnostics with a place.
pub fn read_hoa(text: &str, file: FileId) -> HoaStream {
    let mut stream = HoaStream::default();
    let mut parser = Parser::new(text, file);
    loop {
        match parser.automaton(&mut stream.diagnostics) {
            Ok(None) => return stream,
            Ok(Some(automaton)) => stream.automata.push(automaton),
            Err(diagnostic) => {
                stream.diagnostics.push(*diagnostic);
                parser.recover();
            }
        }
    }
}

pub(super) type Fallible<T> = Result<T, Box<Diagnostic>>;

/// What the header says.
#[derive(Default)]
pub(super) struct Header {
    pub name: Option<String>,
    pub states: Option<u32>,
    pub start: Vec<(u32, Span)>,
    pub props: Option<Vec<String>>,
    pub marks: u32,
    pub condition: Option<Condition>,
    /// For each mark that is also used negated, the mark of its complement.
    pub complements: FxHashMap<u32, Mark>,
    pub aliases: FxHashMap<String, Cubes>,
    pub negated_aliases: FxHashMap<String, Cubes>,
    pub claims: Vec<Claim>,
}

pub(super) struct Parser<'a> {
    lexer: Lexer<'a>,
    pub token: Token<'a>,
    pub span: Span,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, file: FileId) -> Parser<'a> {
        Parser {
            lexer: Lexer::new(text, file),
            token: Token::Finished,
            span: Span::default(),
        }
    }

    /// The length of the whole text.
    pub fn text_length(&self) -> usize {
        self.lexer.text_length()
    }

    /// Goes to the next token.
    pub fn advance(&mut self) -> Fallible<()> {
        (self.token, self.span) = self.lexer.next()?;
        Ok(())
    }

    /// The text from the opening bracket that is the current token to the next closing one.
    pub fn bracketed(&self) -> Option<&'a str> {
        self.lexer.bracketed()
    }

    /// Goes to the token behind such a text.
    pub fn skip_bracketed(&mut self, text: &str) -> Fallible<()> {
        self.lexer.skip(text.len() + 1);
        self.advance()
    }

    /// An error at the current token.
    pub fn unexpected<T>(&self, wanted: &str) -> Fallible<T> {
        let message = format!("expected {wanted}, found {}", self.token.describe());
        Err(Box::new(Diagnostic::error(self.span, message)))
    }

    pub fn expect_symbol(&mut self, symbol: u8) -> Fallible<()> {
        if self.token != Token::Symbol(symbol) {
            return self.unexpected(&format!("\"{}\"", symbol as char));
        }
        self.advance()
    }

    pub fn number(&mut self, wanted: &str) -> Fallible<u32> {
        let Token::Number(n) = self.token else {
            return self.unexpected(wanted);
        };
        self.advance()?;
        Ok(n)
    }

    fn recover(&mut self) {
        if self.token != Token::End && self.token != Token::Abort {
            self.lexer.skip_to_end();
        }
    }

    /// The next automaton; `None` at the end of the input.
    fn automaton(&mut self, diagnostics: &mut Vec<Diagnostic>) -> Fallible<Option<Automaton>> {
        self.advance()?;
        match self.token {
            Token::Finished => return Ok(None),
            Token::Header("HOA") => self.advance()?,
            _ => return self.unexpected("\"HOA:\""),
        }
        match self.token {
            Token::Identifier("v1" | "v1.1") => self.advance()?,
            Token::Identifier(_) => return self.unexpected("version v1 or v1.1"),
            _ => return self.unexpected("a version"),
        }
        let mut header = self.header(diagnostics)?;
        if self.token == Token::Abort {
            let message = "the writer of this automaton gave up (--ABORT--)";
            return Err(Box::new(Diagnostic::error(self.span, message)));
        }
        let claims = std::mem::take(&mut header.claims);
        let automaton = body::read(self, header, diagnostics)?;
        diagnostics.extend(claims.iter().filter_map(|claim| claim.doubt(&automaton)));
        Ok(Some(automaton))
    }

    fn header(&mut self, diagnostics: &mut Vec<Diagnostic>) -> Fallible<Header> {
        let mut header = Header::default();
        let mut acceptance_name: Option<Span> = None;
        loop {
            let (token, span) = (self.token, self.span);
            match token {
                Token::Body | Token::Abort => break,
                Token::Header(_) => self.advance()?,
                _ => return self.unexpected("a header item or --BODY--"),
            }
            let Token::Header(item) = token else { continue };
            match item {
                "States" => once(
                    &mut header.states,
                    self.number("the number of states")?,
                    span,
                )?,
                "Start" => {
                    let at = self.span;
                    header.start.push((self.number("a state")?, at));
                    self.refuse_branching()?;
                }
                "AP" => {
                    let names = self.propositions()?;
                    once(&mut header.props, names, span)?;
                }
                "Alias" => self.alias(&mut header)?,
                "Acceptance" => {
                    let at = self.span;
                    header.marks = self.number("the number of acceptance sets")?;
                    if header.marks > MARK_LIMIT {
                        let message = format!("more than {MARK_LIMIT} acceptance sets");
                        return Err(Box::new(Diagnostic::error(at, message)));
                    }
                    let condition = self.condition(&mut header, 0)?;
                    once(&mut header.condition, condition, span)?;
                }
                "acc-name" => {
                    acceptance_name = Some(span);
                    self.skip_values()?;
                }
                "name" => {
                    let Token::Text(text) = self.token else {
                        return self.unexpected("a string");
                    };
                    once(&mut header.name, unescape(text), span)?;
                    self.advance()?;
                }
                "properties" => {
                    self.properties(&mut header)?;
                }
                "tool" => self.skip_values()?,
                _ if item.starts_with(|c: char| c.is_ascii_uppercase()) => {
                    let message = format!("unknown header item \"{item}:\" changes the meaning");
                    return Err(Box::new(Diagnostic::error(span, message)));
                }
                _ => self.skip_values()?,
            }
        }
        if header.condition.is_none() {
            let at = acceptance_name.unwrap_or(self.span);
            let message = "the header has no \"Acceptance:\"";
            return Err(Box::new(Diagnostic::error(at, message)));
        }
        if header.start.is_empty() {
            let message = "no \"Start:\": the automaton accepts nothing";
            diagnostics.push(Diagnostic::warning(self.span, message));
        }
        Ok(header)
    }

    /// What the automaton is said to be. Nothing relies on it; one that cannot be met is refused, and
    /// some are held against the automaton. Since version 1.1 a property may be denied.
    fn properties(&mut self, header: &mut Header) -> Fallible<()> {
        loop {
            let span = self.span;
            let is_denied = self.token == Token::Symbol(b'!');
            if is_denied {
                self.advance()?;
            }
            match self.token {
                Token::Identifier("univ-branch") if !is_denied => {
                    return Err(alternating(self.span));
                }
                Token::Identifier(name) => header.claims.extend(Claim::new(name, is_denied, span)),
                _ if is_denied => return self.unexpected("a property"),
                _ => return Ok(()),
            }
            self.advance()?;
        }
    }

    fn propositions(&mut self) -> Fallible<Vec<String>> {
        let count = self.number("the number of propositions")?;
        let mut names = Vec::new();
        while let Token::Text(text) = self.token {
            let name = unescape(text);
            if names.contains(&name) {
                let message = format!("proposition \"{name}\" is listed twice");
                return Err(Box::new(Diagnostic::error(self.span, message)));
            }
            names.push(name);
            self.advance()?;
        }
        if names.len() != count as usize {
            let message = format!("{count} propositions announced, {} listed", names.len());
            return Err(Box::new(Diagnostic::error(self.span, message)));
        }
        Ok(names)
    }

    fn skip_values(&mut self) -> Fallible<()> {
        while !matches!(
            self.token,
            Token::Header(_) | Token::Body | Token::End | Token::Abort | Token::Finished
        ) {
            self.advance()?;
        }
        Ok(())
    }

    /// A conjunction of states, which only alternating automata have.
    pub fn refuse_branching(&mut self) -> Fallible<()> {
        match self.token {
            Token::Symbol(b'&') => Err(alternating(self.span)),
            _ => Ok(()),
        }
    }

    fn alias(&mut self, header: &mut Header) -> Fallible<()> {
        let Token::Alias(name) = self.token else {
            return self.unexpected("an alias such as \"@a\"");
        };
        let span = self.span;
        self.advance()?;
        if header.aliases.contains_key(name) {
            let message = format!("alias \"@{name}\" is defined twice");
            return Err(Box::new(Diagnostic::error(span, message)));
        }
        let (positive, negative) = self.label(header, 0)?;
        header.aliases.insert(name.to_owned(), positive);
        header.negated_aliases.insert(name.to_owned(), negative);
        Ok(())
    }

    /// A label: its cubes, and those of its negation.
    pub fn label(&mut self, header: &Header, depth: usize) -> Fallible<(Cubes, Cubes)> {
        let at = self.span;
        let mut result = self.label_conjunction(header, depth)?;
        while self.token == Token::Symbol(b'|') {
            self.advance()?;
            let (yes, no) = self.label_conjunction(header, depth)?;
            result = (
                limited(label::or(result.0, yes), at)?,
                limited(label::and(&result.1, &no), at)?,
            );
        }
        Ok(result)
    }

    fn label_conjunction(&mut self, header: &Header, depth: usize) -> Fallible<(Cubes, Cubes)> {
        let at = self.span;
        let mut result = self.label_atom(header, depth)?;
        while self.token == Token::Symbol(b'&') {
            self.advance()?;
            let (yes, no) = self.label_atom(header, depth)?;
            result = (
                limited(label::and(&result.0, &yes), at)?,
                limited(label::or(result.1, no), at)?,
            );
        }
        Ok(result)
    }

    fn label_atom(&mut self, header: &Header, depth: usize) -> Fallible<(Cubes, Cubes)> {
        self.limit_depth(depth)?;
        let (token, span) = (self.token, self.span);
        self.advance()?;
        match token {
            Token::Symbol(b'!') => {
                let (yes, no) = self.label_atom(header, depth + 1)?;
                Ok((no, yes))
            }
            Token::Symbol(b'(') => {
                let inner = self.label(header, depth + 1)?;
                self.expect_symbol(b')')?;
                Ok(inner)
            }
            Token::Identifier("t") => Ok((label::constant(true), label::constant(false))),
            Token::Identifier("f") => Ok((label::constant(false), label::constant(true))),
            Token::Number(n) => {
                // An alias may stand before "AP:"; then the number is checked with the first edge.
                let known = header.props.as_ref().map_or(u32::MAX, |p| p.len() as u32);
                if n >= known {
                    let message = format!("proposition {n} is not among the {known} of \"AP:\"");
                    return Err(Box::new(Diagnostic::error(span, message)));
                }
                let prop = Prop(n);
                Ok((label::literal(prop, true), label::literal(prop, false)))
            }
            Token::Alias(name) => {
                match (header.aliases.get(name), header.negated_aliases.get(name)) {
                    (Some(yes), Some(no)) => Ok((yes.clone(), no.clone())),
                    _ => {
                        let known = header.aliases.keys().map(String::as_str);
                        let near = evenhand_source::nearest(name, sorted(known));
                        let message = format!("alias \"@{name}\" is not defined");
                        let help = near.map(|n| format!("did you mean \"@{n}\"?"));
                        Err(Box::new(Diagnostic::error(span, message).maybe_help(help)))
                    }
                }
            }
            _ => {
                (self.token, self.span) = (token, span);
                self.unexpected("a label")
            }
        }
    }

    fn condition(&mut self, header: &mut Header, depth: usize) -> Fallible<Condition> {
        let mut parts = vec![self.condition_conjunction(header, depth)?];
        while self.token == Token::Symbol(b'|') {
            self.advance()?;
            parts.push(self.condition_conjunction(header, depth)?);
        }
        Ok(Condition::or(parts))
    }

    fn condition_conjunction(&mut self, header: &mut Header, depth: usize) -> Fallible<Condition> {
        let mut parts = vec![self.condition_atom(header, depth)?];
        while self.token == Token::Symbol(b'&') {
            self.advance()?;
            parts.push(self.condition_atom(header, depth)?);
        }
        Ok(Condition::and(parts))
    }

    fn condition_atom(&mut self, header: &mut Header, depth: usize) -> Fallible<Condition> {
        self.limit_depth(depth)?;
        match self.token {
            Token::Identifier("t") => self.advance().map(|()| Condition::True),
            Token::Identifier("f") => self.advance().map(|()| Condition::False),
            Token::Symbol(b'(') => {
                self.advance()?;
                let inner = self.condition(header, depth + 1)?;
                self.expect_symbol(b')')?;
                Ok(inner)
            }
            Token::Identifier(kind @ ("Inf" | "Fin")) => {
                self.advance()?;
                self.expect_symbol(b'(')?;
                let negated = self.token == Token::Symbol(b'!');
                if negated {
                    self.advance()?;
                }
                let span = self.span;
                let n = self.number("an acceptance set")?;
                self.expect_symbol(b')')?;
                if n >= header.marks {
                    let message = format!("set {n} is not among the {} announced", header.marks);
                    return Err(Box::new(Diagnostic::error(span, message)));
                }
                let mut mark = Mark(n);
                if negated {
                    let next = header.marks + header.complements.len() as u32;
                    mark = *header.complements.entry(n).or_insert(Mark(next));
                }
                Ok(match kind {
                    "Inf" => Condition::Inf(mark),
                    _ => Condition::Fin(mark),
                })
            }
            _ => self.unexpected("an acceptance condition"),
        }
    }

    fn limit_depth(&self, depth: usize) -> Fallible<()> {
        if depth < DEPTH_LIMIT {
            return Ok(());
        }
        let message = format!("more than {DEPTH_LIMIT} levels of parentheses or negations");
        Err(Box::new(Diagnostic::error(self.span, message)))
    }
}

impl Header {
    /// The condition with the marks it speaks of.
    pub fn acceptance(&self) -> Acceptance {
        Acceptance::from_condition(self.condition.clone().unwrap_or(Condition::False))
    }
}

fn once<T>(slot: &mut Option<T>, value: T, span: Span) -> Fallible<()> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(Box::new(Diagnostic::error(
            span,
            "this item stands twice in the header",
        ))),
    }
}

fn limited(cubes: Option<Cubes>, span: Span) -> Fallible<Cubes> {
    cubes.ok_or_else(|| {
        let limit = label::CUBE_LIMIT;
        let message = format!("this label needs more than {limit} conjunctions of literals");
        Box::new(Diagnostic::error(span, message))
    })
}

fn alternating(span: Span) -> Box<Diagnostic> {
    let message = "universal branching is not supported: this automaton is alternating";
    let help = "make it nondeterministic first, for instance with Spot's autfilt";
    Box::new(Diagnostic::error(span, message).help(help))
}

fn sorted<'s>(names: impl Iterator<Item = &'s str>) -> Vec<&'s str> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names
}
