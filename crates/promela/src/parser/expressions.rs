//! Expressions, references, and the formulas of `ltl` blocks.

use evenhand_source::{Diagnostic, Span, nearest};

use super::{MAX_CHAIN, MAX_DEPTH, Parser, Reported, Result};
use crate::ast::{
    Binary, Expr, ExprKind, Ident, Query, Receive, ReceiveArgument, Reference, Unary,
};
use crate::token::{Keyword, Punct, TokenKind};

impl Parser {
    /// An expression; in an `ltl` block, a formula.
    pub(super) fn expression(&mut self) -> Result<Expr> {
        self.nested(|p| p.binary(0))
    }

    /// Precedence climbing: operators of at least this level.
    fn binary(&mut self, level: u8) -> Result<Expr> {
        let around = std::mem::take(&mut self.chain);
        let mut left = self.nested(Parser::unary)?;
        let mut chain = self.chain;
        while let Some((op, op_level, width)) = self.operator() {
            if op_level < level {
                break;
            }
            for _ in 0..width {
                self.cursor.advance();
            }
            self.chain = 0;
            let right = self.nested(|p| p.binary(op_level + 1))?;
            let span = left.span.to(right.span);
            chain = 1 + chain.max(self.chain);
            if chain > MAX_CHAIN {
                let message = format!("a chain of more than {MAX_CHAIN} operators is too long");
                let help = "split it, or put parentheses around parts of it";
                self.report(Diagnostic::error(right.span, message).help(help));
                return Err(Reported);
            }
            left = Expr {
                kind: ExprKind::Binary(op, Box::new((left, right))),
                span,
            };
        }
        self.chain = around.max(chain);
        Ok(left)
    }

    /// The binary operator ahead: what it is, how tightly it binds, how many tokens it takes.
    fn operator(&self) -> Option<(Binary, u8, usize)> {
        let glued = |n: usize| {
            let index = (self.cursor.pos + n).min(self.cursor.tokens.len() - 1);
            self.cursor.tokens[index].glued
        };
        Some(match self.cursor.kind() {
            TokenKind::Punct(punct) => match punct {
                Punct::Arrow if self.in_ltl => (Binary::Implies, 1, 1),
                Punct::Lt
                    if self.in_ltl
                        && *self.cursor.ahead(1) == TokenKind::Punct(Punct::Arrow)
                        && glued(1) =>
                {
                    (Binary::Equiv, 1, 2)
                }
                Punct::PipePipe => (Binary::Or, 2, 1),
                Punct::AmpAmp => (Binary::And, 3, 1),
                Punct::Pipe => (Binary::BitOr, 6, 1),
                Punct::Caret => (Binary::BitXor, 7, 1),
                Punct::Amp => (Binary::BitAnd, 8, 1),
                Punct::Eq => (Binary::Eq, 9, 1),
                Punct::Ne => (Binary::Ne, 9, 1),
                // `<>` is an operator of its own in formulas.
                Punct::Lt
                    if self.in_ltl
                        && *self.cursor.ahead(1) == TokenKind::Punct(Punct::Gt)
                        && glued(1) =>
                {
                    return None;
                }
                Punct::Lt => (Binary::Lt, 10, 1),
                Punct::Le => (Binary::Le, 10, 1),
                Punct::Gt => (Binary::Gt, 10, 1),
                Punct::Ge => (Binary::Ge, 10, 1),
                Punct::Shl => (Binary::Shl, 11, 1),
                Punct::Shr => (Binary::Shr, 11, 1),
                Punct::Plus => (Binary::Add, 12, 1),
                Punct::Minus => (Binary::Sub, 12, 1),
                Punct::Star => (Binary::Mul, 13, 1),
                Punct::Slash => (Binary::Div, 13, 1),
                Punct::Percent => (Binary::Rem, 13, 1),
                _ => return None,
            },
            TokenKind::Ident(name) if self.in_ltl => match &**name {
                "implies" => (Binary::Implies, 1, 1),
                "equivalent" => (Binary::Equiv, 1, 1),
                "U" | "until" | "stronguntil" => (Binary::Until, 5, 1),
                "W" | "weakuntil" => (Binary::WeakUntil, 5, 1),
                "V" | "R" | "release" => (Binary::Release, 5, 1),
                _ if !self.is_free(name) => return None,
                "M" | "strongrelease" => (Binary::StrongRelease, 5, 1),
                "S" | "since" => (Binary::Since, 5, 1),
                "T" | "triggered" => (Binary::Trigger, 5, 1),
                _ => return None,
            },
            _ => return None,
        })
    }

    /// Whether a word may be one of the operators that exist in questions only: the model gives it
    /// no meaning.
    fn is_free(&self, name: &str) -> bool {
        self.names
            .as_ref()
            .is_some_and(|names| !names.contains(name))
    }

    fn unary(&mut self) -> Result<Expr> {
        let start = self.cursor.span();
        let (op, width) = match self.cursor.kind() {
            TokenKind::Punct(Punct::Bang) => (Unary::Not, 1),
            TokenKind::Punct(Punct::Minus) => (Unary::Neg, 1),
            TokenKind::Punct(Punct::Tilde) => (Unary::Complement, 1),
            TokenKind::Punct(Punct::LBracket) if self.in_ltl => {
                if *self.cursor.ahead(1) != TokenKind::Punct(Punct::RBracket) {
                    return self.unexpected("`[]`");
                }
                (Unary::Always, 2)
            }
            TokenKind::Punct(Punct::Lt) if self.in_ltl => {
                if *self.cursor.ahead(1) != TokenKind::Punct(Punct::Gt) {
                    return self.unexpected("`<>`");
                }
                (Unary::Eventually, 2)
            }
            TokenKind::Ident(name) if self.in_ltl => match &**name {
                "always" => (Unary::Always, 1),
                "eventually" => (Unary::Eventually, 1),
                "X" | "next" => (Unary::Next, 1),
                _ if !self.is_free(name) => return self.primary(),
                "G" | "globally" => (Unary::Always, 1),
                "F" | "finally" => (Unary::Eventually, 1),
                "Y" | "yesterday" => (Unary::Yesterday, 1),
                "Z" | "weakyesterday" => (Unary::WeakYesterday, 1),
                "O" | "once" => (Unary::Once, 1),
                "H" | "historically" => (Unary::Historically, 1),
                "A" if self.branching => (Unary::All, 1),
                "E" if self.branching => (Unary::Exists, 1),
                word if self.branching && word.bytes().all(|b| b"AEGFX".contains(&b)) => {
                    let name = name.clone();
                    return self.several(&name);
                }
                word if word.bytes().all(|b| b"GFX".contains(&b)) => {
                    let name = name.clone();
                    return self.several(&name);
                }
                _ => return self.primary(),
            },
            _ => return self.primary(),
        };
        for _ in 0..width {
            self.cursor.advance();
        }
        let operand = match op {
            Unary::All | Unary::Exists => self.nested(Parser::quantified)?,
            _ => self.nested(Parser::unary)?,
        };
        let span = start.to(operand.span);
        Ok(Expr {
            kind: ExprKind::Unary(op, Box::new(operand)),
            span,
        })
    }

    /// What a path quantifier is about; brackets may stand around it, as in `A [p U q]`.
    fn quantified(&mut self) -> Result<Expr> {
        if !self.is(Punct::LBracket) || self.is_always() {
            return self.unary();
        }
        self.cursor.advance();
        let formula = self.expression()?;
        self.expect(Punct::RBracket)?;
        Ok(formula)
    }

    fn primary(&mut self) -> Result<Expr> {
        let start = self.cursor.span();
        let kind = match self.cursor.kind().clone() {
            TokenKind::Number(value) => {
                self.cursor.advance();
                ExprKind::Number(value)
            }
            TokenKind::Keyword(keyword) => return self.keyword_expression(keyword),
            TokenKind::Punct(Punct::LParen) => return self.parenthesized(),
            TokenKind::Ident(name) => {
                if self.processes.contains(&name) && self.is_remote() {
                    return self.remote();
                }
                if self.is_free(&name) && self.is_remote() {
                    return self.unknown_process(&name);
                }
                let reference = self.reference()?;
                return self.reference_or_poll(reference);
            }
            TokenKind::CCode { .. } => return self.refuse_c(),
            _ => return self.unexpected("an expression"),
        };
        Ok(Expr { kind, span: start })
    }

    /// Several operators in one word: `GF`, `AG`.
    fn several(&mut self, word: &str) -> Result<Expr> {
        let start = self.cursor.span();
        let levels = u32::try_from(word.len()).unwrap_or(u32::MAX);
        if levels > MAX_DEPTH - self.depth {
            return self.unexpected("a shorter row of operators");
        }
        self.cursor.advance();
        self.depth += levels;
        let operand = match word.ends_with(['A', 'E']) {
            true => self.nested(Parser::quantified),
            false => self.nested(Parser::unary),
        };
        self.depth -= levels;
        let mut operand = operand?;
        let span = start.to(operand.span);
        for letter in word.bytes().rev() {
            let op = match letter {
                b'G' => Unary::Always,
                b'F' => Unary::Eventually,
                b'A' => Unary::All,
                b'E' => Unary::Exists,
                _ => Unary::Next,
            };
            let kind = ExprKind::Unary(op, Box::new(operand));
            operand = Expr { kind, span };
        }
        Ok(operand)
    }

    /// A remote reference to a process type that the model does not have.
    fn unknown_process<T>(&mut self, name: &str) -> Result<T> {
        let mut known: Vec<&str> = self.processes.iter().map(|p| &**p).collect();
        known.sort_unstable();
        let help = match nearest(name, known.iter().copied()) {
            Some(hint) => format!("did you mean `{hint}`?"),
            None => format!("the process types are {}", known.join(", ")),
        };
        let message = format!("there is no process type `{name}`");
        self.report(Diagnostic::error(self.cursor.span(), message).help(help));
        Err(Reported)
    }

    fn reference_or_poll(&mut self, reference: Reference) -> Result<Expr> {
        let anywhere = self.is(Punct::QuestionQuestion);
        let span = reference.span;
        if !(anywhere || self.is(Punct::Question)) {
            return Ok(Expr {
                kind: ExprKind::Reference(reference),
                span,
            });
        }
        if *self.cursor.ahead(1) != TokenKind::Punct(Punct::LBracket) {
            let message = "a receive cannot be part of an expression";
            self.report(
                Diagnostic::error(self.cursor.span(), message)
                    .help("to test whether a message is there, write `c?[…]`"),
            );
            return Err(Reported);
        }
        self.cursor.advance();
        self.cursor.advance();
        let arguments = self.receive_arguments()?;
        let span = span.to(self.expect(Punct::RBracket)?);
        let receive = Receive {
            channel: reference,
            arguments,
            anywhere,
            keep: true,
            span,
        };
        Ok(Expr {
            kind: ExprKind::Poll(Box::new(receive)),
            span,
        })
    }

    fn parenthesized(&mut self) -> Result<Expr> {
        let start = self.open_paren()?;
        let first = self.expression()?;
        if !self.in_ltl && self.accept(Punct::Arrow) {
            let then = self.expression()?;
            self.expect(Punct::Colon)?;
            let otherwise = self.expression()?;
            let span = start.to(self.close_paren()?);
            let kind = ExprKind::Conditional(Box::new((first, then, otherwise)));
            return Ok(Expr { kind, span });
        }
        if self.in_ltl && self.is(Punct::Colon) {
            // `(a -> b : c)` inside a formula was read as an implication.
            if let ExprKind::Binary(Binary::Implies, operands) = first.kind {
                self.cursor.advance();
                let otherwise = self.expression()?;
                let span = start.to(self.close_paren()?);
                let kind = ExprKind::Conditional(Box::new((operands.0, operands.1, otherwise)));
                return Ok(Expr { kind, span });
            }
            return self.unexpected("`)`");
        }
        let span = start.to(self.close_paren()?);
        Ok(Expr { span, ..first })
    }

    fn keyword_expression(&mut self, keyword: Keyword) -> Result<Expr> {
        let start = self.cursor.span();
        let kind = match keyword {
            Keyword::True | Keyword::Skip => ExprKind::Number(1),
            Keyword::False => ExprKind::Number(0),
            Keyword::Timeout => ExprKind::Timeout,
            Keyword::Np => ExprKind::NonProgress,
            Keyword::Run => return self.run(),
            Keyword::Len => return self.channel_query(Query::Len),
            Keyword::Full => return self.channel_query(Query::Full),
            Keyword::Nfull => return self.channel_query(Query::Nfull),
            Keyword::Empty => return self.channel_query(Query::Empty),
            Keyword::Nempty => return self.channel_query(Query::Nempty),
            Keyword::Enabled | Keyword::PcValue | Keyword::GetPriority => {
                self.cursor.advance();
                self.open_paren()?;
                let pid = Box::new(self.expression()?);
                let span = start.to(self.close_paren()?);
                let kind = match keyword {
                    Keyword::Enabled => ExprKind::Enabled(pid),
                    Keyword::PcValue => ExprKind::PcValue(pid),
                    _ => ExprKind::GetPriority(pid),
                };
                return Ok(Expr { kind, span });
            }
            _ => return self.unexpected("an expression"),
        };
        self.cursor.advance();
        Ok(Expr { kind, span: start })
    }

    fn channel_query(&mut self, query: Query) -> Result<Expr> {
        let start = self.cursor.span();
        self.cursor.advance();
        self.open_paren()?;
        let reference = self.reference()?;
        let span = start.to(self.close_paren()?);
        Ok(Expr {
            kind: ExprKind::Channel(query, reference),
            span,
        })
    }

    fn run(&mut self) -> Result<Expr> {
        let start = self.cursor.span();
        self.cursor.advance();
        let name = self.ident("the name of a process type")?;
        self.open_paren()?;
        let arguments = self.arguments(Punct::RParen)?;
        let mut span = start.to(self.close_paren()?);
        let mut priority = None;
        if self.accept_keyword(Keyword::Priority) {
            span = span.to(self.cursor.span());
            priority = Some(self.number("a priority")?);
        }
        Ok(Expr {
            kind: ExprKind::Run(name, arguments, priority),
            span,
        })
    }

    pub(super) fn number(&mut self, what: &str) -> Result<i64> {
        match *self.cursor.kind() {
            TokenKind::Number(value) => {
                self.cursor.advance();
                Ok(value)
            }
            _ => self.unexpected(what),
        }
    }

    /// Expressions separated by commas, up to a closing bracket that is not passed.
    pub(super) fn arguments(&mut self, end: Punct) -> Result<Vec<Expr>> {
        let mut list = Vec::new();
        if self.is(end) {
            return Ok(list);
        }
        loop {
            list.push(self.expression()?);
            if !self.accept(Punct::Comma) {
                return Ok(list);
            }
        }
    }

    /// `a[i].b[j]`.
    pub(super) fn reference(&mut self) -> Result<Reference> {
        let mut parts: Vec<(Ident, Option<Expr>)> = Vec::new();
        loop {
            let name = self.ident("a variable")?;
            let index = if self.is(Punct::LBracket) && !self.is_always() {
                self.cursor.advance();
                let index = self.expression()?;
                self.expect(Punct::RBracket)?;
                Some(index)
            } else {
                None
            };
            parts.push((name, index));
            if !self.accept(Punct::Dot) {
                break;
            }
        }
        let span = parts[0].0.span.to(self.cursor.previous_span());
        Ok(Reference { parts, span })
    }

    /// Whether `[]` of a formula is ahead.
    fn is_always(&self) -> bool {
        self.in_ltl && *self.cursor.ahead(1) == TokenKind::Punct(Punct::RBracket)
    }

    /// Whether a remote reference is ahead: `p@l`, `p:x`, `p[…]@l` or `p[…]:x`.
    fn is_remote(&self) -> bool {
        let mut at = 1;
        if *self.cursor.ahead(at) == TokenKind::Punct(Punct::LBracket) {
            let mut open = 0usize;
            loop {
                match self.cursor.ahead(at) {
                    TokenKind::Punct(Punct::LBracket) => open += 1,
                    TokenKind::Punct(Punct::RBracket) => open -= 1,
                    TokenKind::Eof => return false,
                    _ => {}
                }
                at += 1;
                if open == 0 {
                    break;
                }
            }
        }
        matches!(
            self.cursor.ahead(at),
            TokenKind::Punct(Punct::At | Punct::Colon)
        )
    }

    fn remote(&mut self) -> Result<Expr> {
        let process = self.ident("a process type")?;
        let mut pid = None;
        if self.accept(Punct::LBracket) {
            pid = Some(Box::new(self.expression()?));
            self.expect(Punct::RBracket)?;
        }
        let start = process.span;
        if self.accept(Punct::At) {
            let label = self.ident("a label")?;
            let span = start.to(label.span);
            return Ok(Expr {
                kind: ExprKind::RemoteLabel(process, pid, label),
                span,
            });
        }
        self.expect(Punct::Colon)?;
        let reference = self.reference()?;
        let span = start.to(reference.span);
        Ok(Expr {
            kind: ExprKind::RemoteVariable(process, pid, reference),
            span,
        })
    }

    /// The arguments of a receive: `a, b`, `a(b, c)` and nestings of these.
    pub(super) fn receive_arguments(&mut self) -> Result<Vec<ReceiveArgument>> {
        let mut list = Vec::new();
        self.receive_arguments_into(&mut list)?;
        Ok(list)
    }

    fn receive_arguments_into(&mut self, list: &mut Vec<ReceiveArgument>) -> Result<()> {
        loop {
            if self.is(Punct::LParen) {
                self.receive_group(list)?;
            } else {
                let argument = self.receive_argument()?;
                list.push(argument);
                if self.is(Punct::LParen) {
                    self.receive_group(list)?;
                }
            }
            if !self.accept(Punct::Comma) {
                return Ok(());
            }
        }
    }

    fn receive_group(&mut self, list: &mut Vec<ReceiveArgument>) -> Result<()> {
        self.open_paren()?;
        self.nested(|p| p.receive_arguments_into(list))?;
        self.close_paren()?;
        Ok(())
    }

    fn receive_argument(&mut self) -> Result<ReceiveArgument> {
        let start = self.cursor.span();
        match self.cursor.kind() {
            TokenKind::Keyword(Keyword::Eval) => {
                self.cursor.advance();
                self.open_paren()?;
                let value = self.expression()?;
                self.close_paren()?;
                Ok(ReceiveArgument::Match(value))
            }
            TokenKind::Number(_)
            | TokenKind::Keyword(Keyword::True | Keyword::False | Keyword::Skip) => {
                Ok(ReceiveArgument::Match(self.primary()?))
            }
            TokenKind::Punct(Punct::Minus) => {
                self.cursor.advance();
                let value = self.number("a number")?;
                let span: Span = start.to(self.cursor.previous_span());
                Ok(ReceiveArgument::Match(Expr {
                    kind: ExprKind::Number(-value),
                    span,
                }))
            }
            TokenKind::Ident(_) => Ok(ReceiveArgument::Reference(self.reference()?)),
            _ => self.unexpected("a variable, a constant or `eval(…)`"),
        }
    }
}
