//! Reads the sections of a configuration, token by token.

use evenhand_source::{Diagnostic, FileId, Span, nearest, spend};

use super::{Assignment, ConfigValue, Configuration};
use crate::names::Names;
use crate::syntax::ast::Ident;
use crate::syntax::lexer;
use crate::syntax::spelling::number;
use crate::syntax::token::{Token, TokenKind, known};

/// The words that begin sections.
const SECTIONS: &[&str] = &[
    "SPECIFICATION",
    "INIT",
    "NEXT",
    "VIEW",
    "ALIAS",
    "INVARIANT",
    "INVARIANTS",
    "PROPERTY",
    "PROPERTIES",
    "CONSTANT",
    "CONSTANTS",
    "CONSTRAINT",
    "CONSTRAINTS",
    "ACTION_CONSTRAINT",
    "ACTION_CONSTRAINTS",
    "SYMMETRY",
    "POSTCONDITION",
    "POSTCONDITIONS",
    "CHECK_DEADLOCK",
    "_PERIODIC",
    "_RL_REWARD",
    "_POSSIBLE",
];

/// How deep sets may nest.
const MAX_DEPTH: u32 = 100;

pub(super) struct Reader<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    at: usize,
    names: &'t mut Names,
}

type Read<T> = Result<T, Vec<Diagnostic>>;

impl<'t> Reader<'t> {
    pub fn new(
        text: &'t str,
        file: FileId,
        range: std::ops::Range<usize>,
        names: &'t mut Names,
    ) -> Read<Reader<'t>> {
        let lexed = lexer::part(text, file, range);
        match lexed.problems.is_empty() {
            true => Ok(Reader {
                text,
                tokens: lexed.tokens,
                at: 0,
                names,
            }),
            false => Err(lexed.problems),
        }
    }

    pub fn peek(&self) -> Token {
        self.tokens[self.at]
    }

    fn bump(&mut self) -> Token {
        spend();
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn text(&self, token: Token) -> &'t str {
        let Span { start, end, .. } = token.span;
        self.text.get(start as usize..end as usize).unwrap_or("")
    }

    pub fn expect(&mut self, kind: TokenKind, what: &str) -> Read<Token> {
        if self.peek().kind == kind {
            Ok(self.bump())
        } else {
            Err(self.expected(what))
        }
    }

    fn expected(&self, what: &str) -> Vec<Diagnostic> {
        let token = self.peek();
        let found = match token.kind {
            TokenKind::End => "the end of the configuration".to_string(),
            _ => format!("`{}`", self.text(token)),
        };
        vec![Diagnostic::error(
            token.span,
            format!("expected {what}, found {found}"),
        )]
    }

    /// Any token as a name.
    fn name(&mut self, what: &str) -> Read<Ident> {
        let token = self.peek();
        if token.kind == TokenKind::End || SECTIONS.contains(&self.text(token)) {
            return Err(self.expected(what));
        }
        self.bump();
        let name = match token.kind {
            TokenKind::Operator(id) => self.names.intern(id.operator().name),
            _ => self.names.intern(self.text(token)),
        };
        Ok(Ident {
            name,
            span: token.span,
        })
    }

    /// Names up to the next section.
    fn list(&mut self) -> Read<Vec<Ident>> {
        let mut all = Vec::new();
        loop {
            while self.peek().kind == TokenKind::Comma {
                self.bump();
            }
            if self.ends_section() {
                return Ok(all);
            }
            all.push(self.name("a name")?);
        }
    }

    fn ends_section(&self) -> bool {
        let token = self.peek();
        token.kind == TokenKind::End || SECTIONS.contains(&self.text(token))
    }

    /// One section.
    pub fn section(&mut self, into: &mut Configuration) -> Read<()> {
        let token = self.peek();
        let word = self.text(token);
        if !SECTIONS.contains(&word) {
            let hint = nearest(word, SECTIONS.iter().copied());
            let problem = Diagnostic::error(
                token.span,
                format!("`{word}` begins no section of a configuration"),
            );
            return Err(vec![
                problem.maybe_help(hint.map(|word| format!("did you mean `{word}`?"))),
            ]);
        }
        self.bump();
        match word {
            "SPECIFICATION" => self.once(token, &mut into.specification)?,
            "INIT" => self.once(token, &mut into.init)?,
            "NEXT" => self.once(token, &mut into.next)?,
            "VIEW" => self.once(token, &mut into.view)?,
            "ALIAS" => self.once(token, &mut into.alias)?,
            "SYMMETRY" => {
                let mut one = into.symmetry.pop();
                self.once(token, &mut one)?;
                into.symmetry.extend(one);
            }
            "INVARIANT" | "INVARIANTS" => into.invariants.extend(self.list()?),
            "PROPERTY" | "PROPERTIES" => into.properties.extend(self.list()?),
            "CONSTRAINT" | "CONSTRAINTS" => into.constraints.extend(self.list()?),
            "ACTION_CONSTRAINT" | "ACTION_CONSTRAINTS" => {
                into.action_constraints.extend(self.list()?)
            }
            "POSTCONDITION" | "POSTCONDITIONS" => into.postconditions.extend(self.list()?),
            "_POSSIBLE" => into.possible.extend(self.list()?),
            "CONSTANT" | "CONSTANTS" => {
                while !self.ends_section() {
                    into.constants.push(self.assignment()?);
                }
            }
            "CHECK_DEADLOCK" => {
                let found = self.bump();
                let truth = match self.text(found) {
                    "TRUE" => true,
                    "FALSE" => false,
                    _ => {
                        return Err(vec![Diagnostic::error(
                            found.span,
                            "expected `TRUE` or `FALSE`",
                        )]);
                    }
                };
                if into.check_deadlock.replace(truth).is_some() {
                    return Err(twice(token, word));
                }
            }
            _ => {
                let keyword = Ident {
                    name: self.names.intern(word),
                    span: token.span,
                };
                let all = self.list()?;
                into.others
                    .extend(all.into_iter().map(|ident| (keyword, ident)));
            }
        }
        Ok(())
    }

    /// A section with one name, which may come once.
    fn once(&mut self, section: Token, into: &mut Option<Ident>) -> Read<()> {
        let ident = self.name("the name of a definition")?;
        match into.replace(ident) {
            Some(_) => Err(twice(section, self.text(section))),
            None => Ok(()),
        }
    }

    /// `c = v` or `c <- Op`
    pub fn assignment(&mut self) -> Read<Assignment> {
        let mut path = vec![self.name("the name of a constant")?];
        while self.peek().kind == TokenKind::Bang {
            self.bump();
            path.push(self.name("a name")?);
        }
        if self.peek().kind == TokenKind::Substitute {
            self.bump();
            let module = self.module()?;
            let by = self.name("the name of a definition")?;
            return Ok(Assignment::Replace { path, module, by });
        }
        let mut args = Vec::new();
        if self.peek().kind == TokenKind::LeftParen {
            loop {
                self.bump();
                args.push(self.value(0)?);
                if self.peek().kind != TokenKind::Comma {
                    break;
                }
            }
            self.expect(TokenKind::RightParen, "`,` or `)`")?;
        }
        self.expect(TokenKind::Operator(known::EQUALS), "`=` or `<-`")?;
        let module = self.module()?;
        let value = self.value(0)?;
        Ok(Assignment::Value {
            path,
            args,
            module,
            value,
        })
    }

    /// `[M]` if it is there.
    fn module(&mut self) -> Read<Option<Ident>> {
        if self.peek().kind != TokenKind::LeftSquare {
            return Ok(None);
        }
        self.bump();
        let module = self.name("the name of a module")?;
        self.expect(TokenKind::RightSquare, "`]`")?;
        Ok(Some(module))
    }

    fn value(&mut self, depth: u32) -> Read<ConfigValue> {
        let token = self.bump();
        let text = self.text(token);
        let too_large = || vec![Diagnostic::error(token.span, "this number is too large")];
        Ok(match token.kind {
            TokenKind::Number => ConfigValue::Number(number(text).ok_or_else(too_large)?),
            TokenKind::Operator(known::MINUS) if self.peek().kind == TokenKind::Number => {
                let digits = self.bump();
                let value = format!("-{}", self.text(digits)).parse();
                ConfigValue::Number(value.map_err(|_| too_large())?)
            }
            TokenKind::Text => {
                // No escapes here: the characters are those between the quotes.
                let inner = text.trim_start_matches('"');
                ConfigValue::Text(self.names.intern(inner.strip_suffix('"').unwrap_or(inner)))
            }
            TokenKind::LeftBrace if depth >= MAX_DEPTH => {
                let message = format!("this nests deeper than {MAX_DEPTH} levels");
                return Err(vec![Diagnostic::error(token.span, message)]);
            }
            TokenKind::LeftBrace => {
                let mut all = Vec::new();
                if self.peek().kind != TokenKind::RightBrace {
                    all.push(self.value(depth + 1)?);
                    while self.peek().kind == TokenKind::Comma {
                        self.bump();
                        all.push(self.value(depth + 1)?);
                    }
                }
                let end = self.expect(TokenKind::RightBrace, "`,` or `}`")?;
                ConfigValue::Set(all, token.span.to(end.span))
            }
            TokenKind::End => return Err(self.expected("a value")),
            _ => match text {
                "TRUE" => ConfigValue::Truth(true),
                "FALSE" => ConfigValue::Truth(false),
                _ if may_be_model_value(token.kind) => ConfigValue::Model(self.names.intern(text)),
                _ => {
                    let message = format!("`{text}` is no value of a configuration");
                    let help = "a value is a number, a string, a truth value, a name or a set of these; \
                                for anything else write a definition and use `<-`";
                    return Err(vec![Diagnostic::error(token.span, message).help(help)]);
                }
            },
        })
    }
}

fn may_be_model_value(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Identifier | TokenKind::Keyword(_) | TokenKind::At
    )
}

fn twice(section: Token, word: &str) -> Vec<Diagnostic> {
    vec![Diagnostic::error(
        section.span,
        format!("there is a second section `{word}`"),
    )]
}
