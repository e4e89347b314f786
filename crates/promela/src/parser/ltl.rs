//! `ltl` blocks. Their formulas are often macros: what is wrong with one is told with its text.

use evenhand_source::Diagnostic;

use super::{Parser, Result};
use crate::ast::Unit;
use crate::token::{Punct, Token, TokenKind};

impl Parser {
    pub(super) fn ltl(&mut self) -> Result<Unit> {
        self.cursor.advance();
        let default = format!("ltl_{}", self.unnamed_ltl);
        let named = matches!(self.cursor.kind(), TokenKind::Ident(_));
        self.unnamed_ltl += u32::from(!named);
        let name = self.optional_name(&default);
        self.expect(Punct::LBrace)?;
        let (first, known) = (self.cursor.pos, self.diagnostics.len());
        self.in_ltl = true;
        let formula = self.expression().and_then(|formula| {
            self.accept(Punct::Semicolon);
            self.expect(Punct::RBrace)?;
            Ok(formula)
        });
        self.in_ltl = false;
        if formula.is_err() {
            let wrong = self
                .diagnostics
                .split_off(known.min(self.diagnostics.len()));
            let tokens = &self.cursor.tokens[first..];
            let wrong = wrong.into_iter().map(|wrong| show_macro(wrong, tokens));
            self.diagnostics.extend(wrong);
        }
        Ok(Unit::Ltl(name, formula?))
    }
}

/// Says what stands at the place of a diagnostic or in front of it, if that is the use of a macro:
/// all tokens of one have the same place.
fn show_macro(diagnostic: Diagnostic, tokens: &[Token]) -> Diagnostic {
    let at = |span| tokens.iter().position(|token| token.span == span);
    let Some(at) = diagnostic.span.and_then(at) else {
        return diagnostic;
    };
    for span in [tokens[at].span, tokens[at.max(1) - 1].span] {
        let there = tokens.iter().filter(|token| token.span == span);
        let words: Vec<String> = there.map(|token| token.kind.to_string()).collect();
        if words.len() > 1 {
            // The operator is two brackets to the lexer.
            let text = words.join(" ").replace("[ ]", "[]");
            return diagnostic.label(span, format!("stands for `{text}`"));
        }
    }
    diagnostic
}
