//! Sequences, statements and inline calls.

use std::sync::Arc;

use evenhand_source::{Diagnostic, Span, nearest};

use super::{Cursor, Inline, MAX_EXPANSION, Parser, Reported, Result, begins_unit};
use crate::ast::{
    Binary, Expr, ExprKind, Ident, Receive, Reference, Statement, StatementKind, Step,
};
use crate::token::{Keyword, Name, Punct, Token, TokenKind};

impl Parser {
    /// The steps of a sequence, up to a closing bracket, `::`, `fi` or `od`, which is not passed.
    pub(super) fn sequence(&mut self, end: Punct) -> Vec<Step> {
        let mut steps = Vec::new();
        loop {
            while self.is(Punct::Semicolon) || self.is(Punct::Arrow) {
                self.cursor.advance();
            }
            if self.at_end_of_sequence(end) {
                return steps;
            }
            let (before, parens) = (self.cursor.pos, self.cursor.parens);
            match self.step() {
                Ok(step) => steps.push(step),
                Err(Reported) => {
                    self.cursor.parens = parens;
                    self.skip_statement(before);
                    continue;
                }
            }
            if !self.at_separator() && !self.at_end_of_sequence(end) {
                // SPIN inserts a `;` behind a closing brace and behind `else`.
                let previous = &self.cursor.tokens[self.cursor.pos.saturating_sub(1)].kind;
                let optional = matches!(
                    previous,
                    TokenKind::Punct(Punct::RBrace)
                        | TokenKind::Keyword(Keyword::Else | Keyword::Fi | Keyword::Od)
                        | TokenKind::CCode { .. }
                );
                let declared = matches!(steps.last(), Some(Step::Declaration(_)));
                let ended = optional || (declared && self.cursor.token().newline);
                if !ended {
                    let before = self.cursor.pos;
                    let _: Result<()> = self.unexpected("`;` or `->` behind the statement");
                    self.skip_statement(before);
                }
            }
        }
    }

    fn at_separator(&self) -> bool {
        self.is(Punct::Semicolon) || self.is(Punct::Arrow)
    }

    fn at_end_of_sequence(&self, end: Punct) -> bool {
        match self.cursor.kind() {
            TokenKind::Eof => true,
            TokenKind::Punct(p) => *p == end || *p == Punct::ColonColon || *p == Punct::RBrace,
            TokenKind::Keyword(Keyword::Fi | Keyword::Od) => true,
            kind => begins_unit(kind),
        }
    }

    /// Goes on behind a broken statement.
    fn skip_statement(&mut self, before: usize) {
        if self.cursor.pos == before {
            self.cursor.advance();
        }
        let mut open = 0u32;
        loop {
            match self.cursor.kind() {
                TokenKind::Eof => return,
                TokenKind::Punct(Punct::LBrace) => open += 1,
                TokenKind::Punct(Punct::RBrace | Punct::ColonColon) if open == 0 => return,
                TokenKind::Punct(Punct::RBrace) => open -= 1,
                TokenKind::Punct(Punct::Semicolon | Punct::Arrow) if open == 0 => return,
                TokenKind::Keyword(Keyword::Fi | Keyword::Od) if open == 0 => return,
                kind if begins_unit(kind) => return,
                _ => {}
            }
            self.cursor.advance();
        }
    }

    fn step(&mut self) -> Result<Step> {
        if self.is_declaration() {
            return self.declaration().map(Step::Declaration);
        }
        if self.is_keyword(Keyword::Xr) || self.is_keyword(Keyword::Xs) {
            let receives = self.is_keyword(Keyword::Xr);
            self.cursor.advance();
            let mut list = vec![self.reference()?];
            while self.accept(Punct::Comma) {
                list.push(self.reference()?);
            }
            return Ok(Step::Exclusive(list, receives));
        }
        let statement = self.nested(Parser::statement)?;
        if !self.accept_keyword(Keyword::Unless) {
            return Ok(Step::Statement(statement));
        }
        let escape = self.nested(Parser::statement)?;
        Ok(Step::Unless(Box::new(statement), Box::new(escape)))
    }

    fn statement(&mut self) -> Result<Statement> {
        let start = self.cursor.span();
        let mut labels = Vec::new();
        while let TokenKind::Ident(name) = self.cursor.kind()
            && *self.cursor.ahead(1) == TokenKind::Punct(Punct::Colon)
            && !self.processes.contains(name)
        {
            labels.push(self.ident("a label")?);
            self.cursor.advance();
        }
        if !labels.is_empty() && self.is_declaration() {
            let message = "a label cannot stand in front of a declaration";
            self.report(
                Diagnostic::error(labels[0].span, message)
                    .help("declare the variable first, then set the label"),
            );
        }
        let first = self.cursor.pos;
        let bare = self.at_separator() || self.at_end_of_sequence(Punct::RBrace);
        let kind = if !labels.is_empty() && bare {
            StatementKind::Condition(Expr {
                kind: ExprKind::Number(1),
                span: start,
            })
        } else {
            self.statement_kind()?
        };
        let (span, text) = match self.extent {
            None => (start.to(self.cursor.previous_span()), None),
            Some(extent) => self.expanded_place(extent, first),
        };
        Ok(Statement {
            labels,
            kind,
            span,
            text,
        })
    }

    /// Place and text of a statement in an inline, from token `first` on. The arguments stand
    /// elsewhere in the file: the place is that of the other tokens, if there are any.
    fn expanded_place(&self, extent: Span, first: usize) -> (Span, Option<String>) {
        let end = self.cursor.pos.max(first + 1).min(self.cursor.tokens.len());
        let tokens = &self.cursor.tokens[first.min(end - 1)..end];
        let inside = |span: &Span| {
            span.file == extent.file && extent.start <= span.start && span.end <= extent.end
        };
        let spans = tokens.iter().map(|token| token.span);
        let own = spans.filter(inside).reduce(Span::to);
        let mut text = String::new();
        for token in tokens {
            if !text.is_empty() && !token.glued {
                text.push(' ');
            }
            text.push_str(&token.kind.to_string());
        }
        (own.unwrap_or(tokens[0].span), Some(text))
    }

    fn statement_kind(&mut self) -> Result<StatementKind> {
        match self.cursor.kind().clone() {
            TokenKind::Keyword(keyword) => self.keyword_statement(keyword),
            TokenKind::Punct(Punct::LBrace) => Ok(StatementKind::Block(self.block()?)),
            TokenKind::Ident(name) => {
                if let Some(inline) = self.inlines.get(&name).cloned()
                    && *self.cursor.ahead(1) == TokenKind::Punct(Punct::LParen)
                {
                    return self.inline_call(&inline, None);
                }
                if self.processes.contains(&name) {
                    return self.expression().map(StatementKind::Condition);
                }
                self.unknown_call(&name)?;
                self.reference_statement()
            }
            TokenKind::CCode { .. } => self.refuse_c(),
            _ => self.expression().map(StatementKind::Condition),
        }
    }

    /// `name(…)` with a name that is no inline.
    fn unknown_call(&mut self, name: &Name) -> Result<()> {
        if *self.cursor.ahead(1) != TokenKind::Punct(Punct::LParen) {
            return Ok(());
        }
        let message = format!("`{name}` is not an inline");
        let known = self.inlines.keys().map(|k| &**k);
        let help = nearest(name, known)
            .map(|n| format!("did you mean `{n}`?"))
            .or_else(|| self.keyword_hint(name))
            .or_else(|| Some("an inline must be defined before it is used".to_string()));
        self.report(Diagnostic::error(self.cursor.span(), message).maybe_help(help));
        Err(Reported)
    }

    /// A statement that begins with a variable: assignment, send, receive or condition.
    fn reference_statement(&mut self) -> Result<StatementKind> {
        let (pos, separated) = (self.cursor.pos, self.cursor.separated_at);
        let reference = self.reference()?;
        match self.cursor.kind().clone() {
            TokenKind::Punct(Punct::Assign) => {
                self.cursor.advance();
                if let TokenKind::Ident(name) = self.cursor.kind()
                    && let Some(inline) = self.inlines.get(name).cloned()
                    && *self.cursor.ahead(1) == TokenKind::Punct(Punct::LParen)
                {
                    return self.inline_call(&inline, Some(reference));
                }
                Ok(StatementKind::Assign(reference, self.expression()?))
            }
            TokenKind::Punct(p @ (Punct::PlusPlus | Punct::MinusMinus)) => {
                let span = reference.span.to(self.cursor.span());
                self.cursor.advance();
                let op = if p == Punct::PlusPlus {
                    Binary::Add
                } else {
                    Binary::Sub
                };
                let old = Expr {
                    kind: ExprKind::Reference(reference.clone()),
                    span,
                };
                let one = Expr {
                    kind: ExprKind::Number(1),
                    span,
                };
                let kind = ExprKind::Binary(op, Box::new((old, one)));
                Ok(StatementKind::Assign(reference, Expr { kind, span }))
            }
            TokenKind::Punct(p @ (Punct::Bang | Punct::BangBang)) => {
                self.cursor.advance();
                let values = self.send_arguments()?;
                Ok(StatementKind::Send(reference, values, p == Punct::BangBang))
            }
            TokenKind::Punct(Punct::Question | Punct::QuestionQuestion)
                if *self.cursor.ahead(1) != TokenKind::Punct(Punct::LBracket) =>
            {
                self.receive(reference).map(StatementKind::Receive)
            }
            _ => {
                self.cursor.pos = pos;
                self.cursor.separated_at = separated;
                self.expression().map(StatementKind::Condition)
            }
        }
    }

    fn receive(&mut self, channel: Reference) -> Result<Receive> {
        let anywhere = self.is(Punct::QuestionQuestion);
        self.cursor.advance();
        let keep = self.accept(Punct::Lt);
        let arguments = self.receive_arguments()?;
        if keep {
            self.expect(Punct::Gt)?;
        }
        let span = channel.span.to(self.cursor.previous_span());
        Ok(Receive {
            channel,
            arguments,
            anywhere,
            keep,
            span,
        })
    }

    /// `a, b` or `a(b, c)`.
    fn send_arguments(&mut self) -> Result<Vec<Expr>> {
        let first = self.expression()?;
        let mut list = vec![first];
        if self.is(Punct::LParen) {
            self.open_paren()?;
            list.extend(self.arguments(Punct::RParen)?);
            self.close_paren()?;
            return Ok(list);
        }
        while self.accept(Punct::Comma) {
            list.push(self.expression()?);
        }
        Ok(list)
    }

    fn block(&mut self) -> Result<Vec<Step>> {
        let opening = self.expect(Punct::LBrace)?;
        let parens = std::mem::take(&mut self.cursor.parens);
        let steps = self.nested(|p| Ok(p.sequence(Punct::RBrace)))?;
        self.cursor.parens = parens;
        if steps.is_empty() && self.is(Punct::RBrace) {
            let message = "a sequence needs at least one statement";
            self.report(Diagnostic::error(opening, message).help("write `skip` to do nothing"));
        }
        self.close_brace(opening)?;
        Ok(steps)
    }

    fn options(&mut self, end: Keyword) -> Result<Vec<Vec<Step>>> {
        let opening = self.cursor.span();
        self.cursor.advance();
        let mut options = Vec::new();
        while self.is(Punct::Semicolon) {
            self.cursor.advance();
        }
        while self.accept(Punct::ColonColon) {
            let option = self.nested(|p| Ok(p.sequence(Punct::ColonColon)))?;
            if option.is_empty() {
                let span = self.cursor.previous_span();
                self.report(Diagnostic::error(
                    span,
                    "an option needs at least one statement",
                ));
            }
            options.push(option);
        }
        if !self.accept_keyword(end) {
            let found = format!("`{}`", self.cursor.kind());
            let message = format!("expected `::` or `{end}`, found {found}");
            let begins = if end == Keyword::Fi {
                "this `if`"
            } else {
                "this `do`"
            };
            let help = format!("each option begins with `::`: `:: condition -> …`, up to `{end}`");
            self.report(
                Diagnostic::error(self.cursor.span(), message)
                    .label(opening, format!("{begins} is not closed"))
                    .maybe_help(options.is_empty().then_some(help)),
            );
            return Err(Reported);
        }
        if options.is_empty() {
            self.report(Diagnostic::error(opening, "no options"));
        }
        Ok(options)
    }

    fn keyword_statement(&mut self, keyword: Keyword) -> Result<StatementKind> {
        let start = self.cursor.span();
        match keyword {
            Keyword::If => self.options(Keyword::Fi).map(StatementKind::If),
            Keyword::Do => self.options(Keyword::Od).map(StatementKind::Do),
            Keyword::Atomic => {
                self.cursor.advance();
                self.block().map(StatementKind::Atomic)
            }
            Keyword::DStep => {
                self.cursor.advance();
                self.block().map(StatementKind::DStep)
            }
            Keyword::For => self.for_loop(),
            Keyword::Select => self.select(),
            Keyword::Else => {
                self.cursor.advance();
                Ok(StatementKind::Else)
            }
            Keyword::Break => {
                self.cursor.advance();
                Ok(StatementKind::Break)
            }
            Keyword::Goto => {
                self.cursor.advance();
                self.ident("a label").map(StatementKind::Goto)
            }
            Keyword::Assert => {
                self.cursor.advance();
                self.expression().map(StatementKind::Assert)
            }
            Keyword::Printf => self.printf(),
            Keyword::Printm => {
                self.cursor.advance();
                self.open_paren()?;
                let value = self.expression()?;
                self.close_paren()?;
                Ok(StatementKind::Printm(value))
            }
            Keyword::SetPriority => {
                self.cursor.advance();
                self.open_paren()?;
                let pid = self.expression()?;
                self.expect(Punct::Comma)?;
                let value = self.expression()?;
                self.close_paren()?;
                Ok(StatementKind::SetPriority(pid, value))
            }
            Keyword::Return => {
                self.cursor.advance();
                let value = self.expression()?;
                match self.inline_stack.last() {
                    Some((_, Some(target))) => Ok(StatementKind::Assign(target.clone(), value)),
                    _ => {
                        let message = "`return` outside of an inline whose value is used";
                        self.report(Diagnostic::error(start, message));
                        Err(Reported)
                    }
                }
            }
            _ => self.expression().map(StatementKind::Condition),
        }
    }

    fn printf(&mut self) -> Result<StatementKind> {
        self.cursor.advance();
        self.open_paren()?;
        let TokenKind::String(format) = self.cursor.kind().clone() else {
            return self.unexpected("a string");
        };
        self.cursor.advance();
        let mut arguments = Vec::new();
        while self.accept(Punct::Comma) {
            arguments.push(self.expression()?);
        }
        self.close_paren()?;
        Ok(StatementKind::Printf(format, arguments))
    }

    fn for_loop(&mut self) -> Result<StatementKind> {
        self.cursor.advance();
        self.open_paren()?;
        let variable = self.reference()?;
        if self.accept_in() {
            let source = self.reference()?;
            self.close_paren()?;
            let body = self.for_body()?;
            return Ok(StatementKind::ForIn(variable, source, body));
        }
        self.expect(Punct::Colon)?;
        let from = self.expression()?;
        self.expect(Punct::DotDot)?;
        let to = self.expression()?;
        self.close_paren()?;
        let body = self.for_body()?;
        Ok(StatementKind::ForRange(variable, from, to, body))
    }

    fn accept_in(&mut self) -> bool {
        let found = match self.cursor.kind() {
            TokenKind::Keyword(Keyword::In) => true,
            TokenKind::Ident(name) => &**name == "in",
            _ => false,
        };
        if found {
            self.cursor.advance();
        }
        found
    }

    fn for_body(&mut self) -> Result<Vec<Step>> {
        while self.is(Punct::Semicolon) || self.is(Punct::Arrow) {
            self.cursor.advance();
        }
        self.block()
    }

    /// `select (x : a .. b)`. SPIN's reader turns one over small constants into an `if`, unless it
    /// stands in an inline.
    fn select(&mut self) -> Result<StatementKind> {
        self.cursor.advance();
        self.open_paren()?;
        let variable = self.reference()?;
        self.expect(Punct::Colon)?;
        let from = self.expression()?;
        self.expect(Punct::DotDot)?;
        let to = self.expression()?;
        self.close_paren()?;
        let plain = |e: &Expr| match e.kind {
            ExprKind::Number(value) if value >= 0 => Some(value),
            _ => None,
        };
        let simple = matches!(&variable.parts[..], [(name, None)]
            if name.name.chars().all(|c| c.is_ascii_alphanumeric()));
        let bounds = (plain(&from), plain(&to));
        let (true, (Some(low), Some(high)), true) = (simple, bounds, self.inline_stack.is_empty())
        else {
            return Ok(StatementKind::Select(variable, from, to));
        };
        if low > high {
            let message = format!("the range {low}..{high} of `select` is empty");
            self.report(Diagnostic::error(from.span.to(to.span), message));
            return Err(Reported);
        }
        let span = variable.span;
        let name = variable
            .parts
            .first()
            .map(|(name, _)| name.name.to_string());
        let name = name.unwrap_or_default();
        let statement = |kind, text: String| {
            Step::Statement(Statement {
                labels: Vec::new(),
                kind,
                span,
                text: Some(text),
            })
        };
        if high - low <= 32 {
            let option = |number| {
                let value = Expr {
                    kind: ExprKind::Number(number),
                    span,
                };
                let kind = StatementKind::Assign(variable.clone(), value);
                vec![statement(kind, format!("{name} = {number}"))]
            };
            return Ok(StatementKind::If((low..=high).map(option).collect()));
        }
        let reference = |kind| Expr { kind, span };
        let value = || reference(ExprKind::Reference(variable.clone()));
        let pair = |op, right| reference(ExprKind::Binary(op, Box::new((value(), right))));
        let less = pair(Binary::Lt, to);
        let more = pair(Binary::Add, reference(ExprKind::Number(1)));
        let up = vec![
            statement(StatementKind::Condition(less), format!("{name} < {high}")),
            statement(
                StatementKind::Assign(variable.clone(), more),
                format!("{name}++"),
            ),
        ];
        let leave = vec![statement(StatementKind::Break, "break".to_string())];
        let options = vec![up, leave];
        let first = StatementKind::Assign(variable.clone(), from);
        Ok(StatementKind::Block(vec![
            statement(first, format!("{name} = {low}")),
            statement(StatementKind::Do(options), String::new()),
        ]))
    }

    /// Expands a call: the text of the arguments replaces the parameters in the text of the body.
    fn inline_call(
        &mut self,
        inline: &Arc<Inline>,
        target: Option<Reference>,
    ) -> Result<StatementKind> {
        let name = self.ident("an inline")?;
        let arguments = self.inline_arguments(&name)?;
        if arguments.len() != inline.parameters.len() {
            let message = format!(
                "inline `{}` takes {} arguments, {} given",
                name.name,
                inline.parameters.len(),
                arguments.len()
            );
            self.report(Diagnostic::error(name.span, message));
            return Err(Reported);
        }
        if self.inline_stack.iter().any(|(n, _)| *n == name.name) {
            let message = format!("inline `{}` calls itself", name.name);
            self.report(Diagnostic::error(name.span, message));
            return Err(Reported);
        }
        let body = substitute(inline, &arguments, name.span);
        if body.len() > self.expansion {
            let message =
                format!("the inlines expand to more than {MAX_EXPANSION} tokens: too many");
            self.report(Diagnostic::error(name.span, message));
            return Err(Reported);
        }
        self.expansion -= body.len();
        let cursor = Cursor::new(Arc::from(body), true);
        let outer = std::mem::replace(&mut self.cursor, cursor);
        let around = self.extent.replace(inline.extent);
        self.inline_stack.push((name.name.clone(), target));
        let steps = self.nested(|p| Ok(p.sequence(Punct::RBrace)));
        let rest = match self.cursor.kind() {
            TokenKind::Eof => Ok(()),
            _ => self.unexpected("the end of the inline"),
        };
        self.inline_stack.pop();
        self.extent = around;
        self.cursor = outer;
        rest?;
        let steps = steps?;
        if steps.is_empty() {
            let message = format!("inline `{}` has no statements", name.name);
            self.report(Diagnostic::error(name.span, message));
            return Err(Reported);
        }
        Ok(StatementKind::Inline(inline.extent, steps))
    }

    /// The arguments of a call as token lists.
    fn inline_arguments(&mut self, name: &Ident) -> Result<Vec<Vec<Token>>> {
        self.open_paren()?;
        let mut list: Vec<Vec<Token>> = Vec::new();
        let mut current = Vec::new();
        let mut open = 0u32;
        loop {
            let token = self.cursor.token().clone();
            match token.kind {
                TokenKind::Eof => {
                    let message = format!("the call of `{}` is not closed", name.name);
                    self.report(Diagnostic::error(name.span, message));
                    return Err(Reported);
                }
                TokenKind::Punct(Punct::RParen) if open == 0 => break,
                TokenKind::Punct(Punct::Comma) if open == 0 => {
                    list.push(std::mem::take(&mut current));
                    self.cursor.advance();
                    continue;
                }
                TokenKind::Punct(Punct::LParen | Punct::LBracket) => open += 1,
                TokenKind::Punct(Punct::RParen | Punct::RBracket) => open = open.saturating_sub(1),
                _ => {}
            }
            current.push(token);
            self.cursor.advance();
        }
        self.close_paren()?;
        if !(list.is_empty() && current.is_empty()) {
            list.push(current);
        }
        Ok(list)
    }
}

fn substitute(inline: &Inline, arguments: &[Vec<Token>], call: Span) -> Vec<Token> {
    let mut body = Vec::with_capacity(inline.body.len());
    for token in &inline.body {
        let argument = match &token.kind {
            TokenKind::Ident(name) => inline.parameters.iter().position(|p| p == name),
            _ => None,
        };
        match argument {
            Some(index) => body.extend(arguments[index].iter().enumerate().map(|(i, t)| Token {
                newline: i == 0 && token.newline,
                glued: if i == 0 { token.glued } else { t.glued },
                ..t.clone()
            })),
            None => body.push(token.clone()),
        }
    }
    if let Some(last) = body.last_mut() {
        last.span = call; // the end of the text: errors there point to the call
    }
    body
}
