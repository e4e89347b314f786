//! Top-level units and declarations.

use std::sync::Arc;

use evenhand_source::{Diagnostic, Span, nearest};

use super::{Inline, Parser, Reported, Result, begins_unit};
use crate::ast::{
    Declaration, Declared, Expr, ExprKind, Ident, Init, Model, MtypeDeclaration, Process, TypeName,
    Unit,
};
use crate::token::{Keyword, Name, Punct, Token, TokenKind};

impl Parser {
    pub(super) fn model(&mut self) -> Model {
        let mut model = Model::default();
        loop {
            while self.is(Punct::Semicolon) || self.is(Punct::Arrow) {
                self.cursor.advance();
            }
            if matches!(self.cursor.kind(), TokenKind::Eof) {
                return model;
            }
            let before = self.cursor.pos;
            match self.unit() {
                Ok(Some(unit)) => {
                    model.units.push(unit);
                    if std::mem::take(&mut self.unclosed) {
                        self.skip_unit(before);
                    }
                }
                Ok(None) => {}
                Err(Reported) => self.skip_unit(before),
            }
        }
    }

    /// Goes on behind a broken unit: at the next word that begins one.
    fn skip_unit(&mut self, before: usize) {
        self.cursor.in_sequence = false;
        self.cursor.parens = 0;
        self.in_ltl = false;
        self.depth = 0;
        self.inline_stack.clear();
        self.extent = None;
        if self.cursor.pos == before {
            self.cursor.advance();
        }
        loop {
            match self.cursor.kind() {
                TokenKind::Eof => return,
                kind if begins_unit(kind) => return,
                _ => self.cursor.advance(),
            }
        }
    }

    /// The name of an `init` process. There may be several, as in SPIN: all run from the start.
    fn init_name(&mut self, span: Span) -> Ident {
        let mut name = Name::from("init");
        let Some(&first) = self.inits.first() else {
            self.inits.push(span);
            return Ident { name, span };
        };
        self.inits.push(span);
        let mut number = self.inits.len();
        while self.processes.contains(&name) || number == self.inits.len() {
            name = Name::from(format!("init_{number}"));
            number += 1;
        }
        self.processes.insert(name.clone());
        let message = format!("another `init`: all run from the start, this one as `{name}`");
        let diagnostic = Diagnostic::warning(span, message);
        self.report(diagnostic.label(first, "the first one"));
        Ident { name, span }
    }

    fn unit(&mut self) -> Result<Option<Unit>> {
        let start = self.cursor.span();
        match self.cursor.kind().clone() {
            TokenKind::Keyword(keyword) => match keyword {
                Keyword::Active | Keyword::Proctype | Keyword::DProctype => {
                    self.proctype().map(|p| Some(Unit::Process(p)))
                }
                Keyword::Init => {
                    self.cursor.advance();
                    let name = self.init_name(start);
                    let priority = self.priority()?;
                    let mut process = self.body(name)?;
                    process.priority = priority;
                    let one = Expr {
                        kind: ExprKind::Number(1),
                        span: start,
                    };
                    process.active = Some(one);
                    Ok(Some(Unit::Process(process)))
                }
                Keyword::Never => {
                    self.cursor.advance();
                    let name = self.optional_name("never");
                    self.body(name).map(|p| Some(Unit::Never(p)))
                }
                Keyword::Trace | Keyword::Notrace => {
                    self.cursor.advance();
                    let name = Ident {
                        name: Name::from(keyword.text()),
                        span: start,
                    };
                    let positive = keyword == Keyword::Trace;
                    self.body(name).map(|p| Some(Unit::Trace(p, positive)))
                }
                Keyword::Ltl => self.ltl().map(Some),
                Keyword::Typedef => self.record().map(Some),
                Keyword::Inline => self.inline_definition().map(|()| None),
                Keyword::Mtype if self.is_mtype_definition() => self.mtype().map(Some),
                _ if self.is_declaration() => self.declaration().map(|d| Some(Unit::Variables(d))),
                _ => self.unexpected("a declaration or a process"),
            },
            TokenKind::CCode { .. } => self.refuse_c(),
            TokenKind::Ident(name) if !self.is_declaration() => {
                let types = self.records.iter().map(|r| &**r);
                let (message, help) = match (self.cursor.ahead(1), nearest(&name, types)) {
                    (TokenKind::Ident(_), Some(hint)) => {
                        let help = format!("did you mean `{hint}`?");
                        (format!("unknown type `{name}`"), Some(help))
                    }
                    (TokenKind::Ident(_), None) => {
                        (format!("unknown type `{name}`"), self.keyword_hint(&name))
                    }
                    _ => (
                        format!("expected a declaration or a process, found `{name}`"),
                        self.keyword_hint(&name),
                    ),
                };
                self.report(Diagnostic::error(start, message).maybe_help(help));
                Err(Reported)
            }
            _ if self.is_declaration() => self.declaration().map(|d| Some(Unit::Variables(d))),
            _ => self.unexpected("a declaration or a process"),
        }
    }

    pub(super) fn optional_name(&mut self, default: &str) -> Ident {
        self.accept_ident().unwrap_or_else(|| Ident {
            name: Name::from(default),
            span: self.cursor.span(),
        })
    }

    fn priority(&mut self) -> Result<Option<i64>> {
        if !self.accept_keyword(Keyword::Priority) {
            return Ok(None);
        }
        self.number("a priority").map(Some)
    }

    fn proctype(&mut self) -> Result<Process> {
        let mut active = None;
        if self.is_keyword(Keyword::Active) {
            let span = self.cursor.span();
            self.cursor.advance();
            active = Some(Expr {
                kind: ExprKind::Number(1),
                span,
            });
            if self.accept(Punct::LBracket) {
                active = Some(self.expression()?);
                self.expect(Punct::RBracket)?;
            }
        }
        let deterministic = self.is_keyword(Keyword::DProctype);
        if !deterministic && !self.is_keyword(Keyword::Proctype) {
            return self.unexpected("`proctype`");
        }
        self.cursor.advance();
        let name = self.ident("the name of the process type")?;
        self.open_paren()?;
        let mut parameters = Vec::new();
        while !self.is(Punct::RParen) {
            if self.accept(Punct::Semicolon) || self.accept(Punct::Comma) {
                continue;
            }
            if !self.is_declaration() {
                return self.unexpected("a parameter declaration");
            }
            parameters.push(self.declaration()?);
        }
        self.close_paren()?;
        let priority = self.priority()?;
        let mut provided = None;
        if self.accept_keyword(Keyword::Provided) {
            self.open_paren()?;
            provided = Some(self.expression()?);
            self.close_paren()?;
        }
        let mut process = self.body(name)?;
        process.active = active;
        process.deterministic = deterministic;
        process.parameters = parameters;
        process.priority = priority;
        process.provided = provided;
        Ok(process)
    }

    fn body(&mut self, name: Ident) -> Result<Process> {
        let opening = self.expect(Punct::LBrace)?;
        self.cursor.in_sequence = true;
        let body = self.sequence(Punct::RBrace);
        self.cursor.in_sequence = false;
        // A process that is being written is not closed yet; editors ask about it all the same.
        let end = self.close_brace(opening).unwrap_or_else(|Reported| {
            self.unclosed = true;
            self.cursor.previous_span()
        });
        Ok(Process {
            name,
            active: None,
            deterministic: false,
            parameters: Vec::new(),
            priority: None,
            provided: None,
            body,
            end,
        })
    }

    fn record(&mut self) -> Result<Unit> {
        self.cursor.advance();
        let name = self.ident("the name of the type")?;
        self.expect(Punct::LBrace)?;
        let mut fields = Vec::new();
        loop {
            while self.accept(Punct::Semicolon) || self.accept(Punct::Comma) {}
            if self.accept(Punct::RBrace) {
                break;
            }
            if !self.is_declaration() {
                return self.unexpected("a field declaration");
            }
            fields.push(self.declaration()?);
        }
        if fields.is_empty() {
            let message = format!("type `{}` has no fields", name.name);
            self.report(Diagnostic::error(name.span, message));
        }
        self.records.insert(name.name.clone());
        Ok(Unit::Record(name, fields))
    }

    fn inline_definition(&mut self) -> Result<()> {
        self.cursor.advance();
        let name = self.ident("the name of the inline")?;
        self.open_paren()?;
        let mut parameters = Vec::new();
        while !self.is(Punct::RParen) {
            parameters.push(self.ident("a parameter")?.name);
            if !self.accept(Punct::Comma) {
                break;
            }
        }
        self.close_paren()?;
        let opening = self.expect(Punct::LBrace)?;
        let mut body = Vec::new();
        let mut open = 1u32;
        loop {
            let token = self.cursor.token().clone();
            match token.kind {
                TokenKind::Punct(Punct::LBrace) => open += 1,
                TokenKind::Punct(Punct::RBrace) => open -= 1,
                TokenKind::Eof => {
                    let message = format!("the body of inline `{}` is not closed", name.name);
                    self.report(Diagnostic::error(opening, message));
                    return Err(Reported);
                }
                _ => {}
            }
            self.cursor.advance();
            if open == 0 {
                // The closing brace ends the list and stands for the end of the text.
                body.push(Token {
                    kind: TokenKind::Eof,
                    newline: false,
                    ..token
                });
                break;
            }
            body.push(token);
        }
        let extent = opening.to(self.cursor.previous_span());
        let inline = Inline {
            parameters,
            body,
            extent,
        };
        self.inlines.insert(name.name, Arc::new(inline));
        Ok(())
    }

    /// Whether `mtype = {` or `mtype : name = {` is ahead.
    fn is_mtype_definition(&self) -> bool {
        let punct = |n, p| *self.cursor.ahead(n) == TokenKind::Punct(p);
        (punct(1, Punct::Assign) && punct(2, Punct::LBrace))
            || punct(1, Punct::LBrace)
            || (punct(1, Punct::Colon) && (punct(3, Punct::Assign) || punct(3, Punct::LBrace)))
    }

    fn mtype(&mut self) -> Result<Unit> {
        self.cursor.advance();
        let mut subtype = None;
        if self.accept(Punct::Colon) {
            subtype = Some(self.ident("the name of the subtype")?);
        }
        self.accept(Punct::Assign);
        self.expect(Punct::LBrace)?;
        let mut names = Vec::new();
        while !self.is(Punct::RBrace) {
            if self.accept(Punct::Comma) {
                continue;
            }
            names.push(self.ident("a symbolic name")?);
        }
        self.expect(Punct::RBrace)?;
        Ok(Unit::Mtype(MtypeDeclaration { subtype, names }))
    }

    /// Whether a declaration of variables is ahead.
    pub(super) fn is_declaration(&self) -> bool {
        match self.cursor.kind() {
            TokenKind::Keyword(Keyword::Hidden | Keyword::Show | Keyword::Local) => true,
            TokenKind::Keyword(keyword) => is_type(*keyword),
            TokenKind::Ident(name) => {
                self.records.contains(name) && matches!(self.cursor.ahead(1), TokenKind::Ident(_))
            }
            _ => false,
        }
    }

    fn type_name(&mut self) -> Result<TypeName> {
        let kind = match self.cursor.kind() {
            TokenKind::Keyword(keyword) => match keyword {
                Keyword::Bit => TypeName::Bit,
                Keyword::Bool => TypeName::Bool,
                Keyword::Byte => TypeName::Byte,
                Keyword::Short => TypeName::Short,
                Keyword::Int => TypeName::Int,
                Keyword::Unsigned => TypeName::Unsigned,
                Keyword::Pid => TypeName::Pid,
                Keyword::Mtype => TypeName::Mtype(None),
                Keyword::Chan => TypeName::Chan,
                _ => return self.unexpected("a type"),
            },
            TokenKind::Ident(name) if self.records.contains(name) => TypeName::Record(Ident {
                name: name.clone(),
                span: self.cursor.span(),
            }),
            TokenKind::Ident(name) => {
                let message = format!("unknown type `{name}`");
                let known = self.records.iter().map(|r| &**r);
                let hint = nearest(name, known);
                let help = hint.map(|n| format!("did you mean `{n}`?"));
                let span = self.cursor.span();
                self.report(Diagnostic::error(span, message).maybe_help(help));
                return Err(Reported);
            }
            _ => return self.unexpected("a type"),
        };
        self.cursor.advance();
        if matches!(kind, TypeName::Mtype(_)) && self.accept(Punct::Colon) {
            return Ok(TypeName::Mtype(Some(
                self.ident("the name of the subtype")?,
            )));
        }
        Ok(kind)
    }

    pub(super) fn declaration(&mut self) -> Result<Declaration> {
        let start = self.cursor.span();
        let mut hidden = false;
        loop {
            if self.accept_keyword(Keyword::Hidden) {
                hidden = true;
            } else if !self.accept_keyword(Keyword::Show) && !self.accept_keyword(Keyword::Local) {
                break;
            }
        }
        let kind = self.type_name()?;
        let mut variables = Vec::new();
        loop {
            variables.push(self.declared()?);
            // In a parameter list a comma may also begin the next declaration's type.
            if !self.is(Punct::Comma) || self.type_follows_comma() {
                break;
            }
            self.cursor.advance();
        }
        let span = start.to(self.cursor.previous_span());
        Ok(Declaration {
            hidden,
            kind,
            variables,
            span,
        })
    }

    fn type_follows_comma(&self) -> bool {
        matches!(self.cursor.ahead(1), TokenKind::Keyword(keyword) if is_type(*keyword))
    }

    fn declared(&mut self) -> Result<Declared> {
        let name = self.ident("the name of a variable")?;
        let (mut bits, mut len, mut init) = (None, None, None);
        if self.accept(Punct::Colon) {
            let span = self.cursor.span();
            bits = Some((self.number("a number of bits")?, span));
        } else if self.accept(Punct::LBracket) {
            len = Some(self.expression()?);
            self.expect(Punct::RBracket)?;
        }
        if self.accept(Punct::Assign) {
            init = Some(self.initializer()?);
        }
        Ok(Declared {
            name,
            bits,
            len,
            init,
        })
    }

    fn initializer(&mut self) -> Result<Init> {
        let start = self.cursor.span();
        if self.accept(Punct::LBrace) {
            let values = self.arguments(Punct::RBrace)?;
            self.expect(Punct::RBrace)?;
            return Ok(Init::List(values));
        }
        if !self.accept(Punct::LBracket) {
            return Ok(Init::Value(self.expression()?));
        }
        let capacity = self.expression()?;
        self.expect(Punct::RBracket)?;
        if !self.accept_keyword(Keyword::Of) {
            return self.unexpected("`of`");
        }
        self.expect(Punct::LBrace)?;
        let mut fields = Vec::new();
        loop {
            fields.push(self.type_name()?);
            if !self.accept(Punct::Comma) {
                break;
            }
        }
        let span = start.to(self.expect(Punct::RBrace)?);
        Ok(Init::Channel(capacity, fields, span))
    }
}

/// Whether a keyword names a type.
fn is_type(keyword: Keyword) -> bool {
    use Keyword::*;
    matches!(
        keyword,
        Bit | Bool | Byte | Short | Int | Unsigned | Pid | Mtype | Chan
    )
}
