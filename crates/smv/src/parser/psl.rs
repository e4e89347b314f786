//! `PSLSPEC`: the part of the property language PSL that needs no regular expressions.
//!
//! Read are the operators of linear time (`always never eventually! next until before` with their
//! strong and overlapping forms, and `G F X U W`), those of branching time, and all operators of
//! conditions; everything is turned into the same tree as formulas of SMV. Sequences, `abort`,
//! `forall` and the `next_event` family are refused by name.
//!
//! PSL binds in other ways than SMV: `X a & b` is `X (a & b)`, while `AG a -> b` is `(AG a) -> b`.

use evenhand_source::{Diagnostic, Span};

use super::expressions::{chain, take};
use super::{Parser, Result};
use crate::ast::{Expr, ExprKind, Operator, Quantifier, Temporal};
use crate::token::TokenKind;

const ALWAYS: u8 = 1;
const IMPLIES: u8 = 2;
const EVENTUALLY: u8 = 3;
const BEFORE: u8 = 4;
const UNTIL: u8 = 5;
const NEXT: u8 = 7;
const CONDITIONAL: u8 = 9;

/// What PSL has and this parser has not.
const REFUSED: &[&str] = &[
    "forall",
    "forany",
    "abort",
    "within",
    "whilenot",
    "next_event",
    "next_event_a",
    "next_event_e",
    "sequence",
    "rose",
    "fell",
    "prev",
];

enum Infix {
    Implies,
    Conditional,
    Chain(Operator),
    Until { strong: bool, overlap: bool },
    Before { strong: bool, overlap: bool },
}

impl Parser<'_> {
    pub(super) fn psl_expression(&mut self) -> Result<Expr> {
        self.nested(|p| p.psl_binary(ALWAYS))
    }

    /// Whether the token ahead by `n` stands directly behind the one before it.
    fn is_glued(&self, n: usize) -> bool {
        self.ahead(n).span.start == self.ahead(n - 1).span.end
    }

    /// Eats a word with the `!` and `_` that belong to it.
    fn eat_marks(&mut self) -> (bool, bool) {
        let strong = self.is_glued(1) && matches!(self.ahead(1).kind, TokenKind::Sign("!"));
        self.advance();
        if strong {
            let overlap = self.is_glued(1)
                && matches!(&self.ahead(1).kind, TokenKind::Word(w) if &**w == "_");
            self.advance();
            if overlap {
                self.advance();
            }
            return (true, overlap);
        }
        (false, false)
    }

    fn psl_infix(&self) -> Option<(Infix, u8)> {
        use Operator as O;
        let chain = |operator, level| Some((Infix::Chain(operator), level));
        match self.kind() {
            TokenKind::Sign(sign) => match *sign {
                "->" => Some((Infix::Implies, IMPLIES)),
                "<->" => chain(O::Iff, IMPLIES),
                "?" => Some((Infix::Conditional, CONDITIONAL)),
                "||" => chain(O::Or, 10),
                "&&" => chain(O::And, 11),
                "|" => chain(O::Or, 12),
                "^" => chain(O::Xor, 13),
                "&" => chain(O::And, 14),
                "=" | "==" => chain(O::Equal, 15),
                "!=" => chain(O::NotEqual, 15),
                "<" => chain(O::Less, 16),
                ">" => chain(O::Greater, 16),
                "<=" => chain(O::LessEqual, 16),
                ">=" => chain(O::GreaterEqual, 16),
                "<<" => chain(O::ShiftLeft, 17),
                ">>" => chain(O::ShiftRight, 17),
                "+" => chain(O::Add, 18),
                "-" => chain(O::Subtract, 18),
                "*" => chain(O::Multiply, 19),
                "/" => chain(O::Divide, 19),
                "::" => chain(O::Concatenate, 19),
                _ => None,
            },
            TokenKind::Word(word) => {
                let (weak, overlap) = (false, word.ends_with('_'));
                match &**word {
                    "xor" => chain(O::Xor, 13),
                    "xnor" => chain(O::Xnor, 13),
                    "in" => chain(O::In, 8),
                    "union" => chain(O::Union, 8),
                    "mod" => chain(O::Modulo, 19),
                    "until" | "until_" => {
                        let strong = weak;
                        Some((Infix::Until { strong, overlap }, UNTIL))
                    }
                    "before" | "before_" => {
                        let strong = weak;
                        Some((Infix::Before { strong, overlap }, BEFORE))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn psl_binary(&mut self, level: u8) -> Result<Expr> {
        let mut left = self.psl_unary()?;
        let mut chain_level = 0;
        let mut depth = 0;
        while let Some((infix, found)) = self.psl_infix() {
            if found < level {
                break;
            }
            if chain_level != found {
                self.limit(depth)?; // the left operand nests without recursion
                depth += 1;
            }
            let (strong, marked) = match infix {
                Infix::Until { .. } | Infix::Before { .. } => self.eat_marks(),
                _ => {
                    self.advance();
                    (false, false)
                }
            };
            if let Infix::Conditional = infix {
                let yes = self.nested(|p| p.psl_binary(ALWAYS))?;
                self.expect(":")?;
                let no = self.nested(|p| p.psl_binary(CONDITIONAL))?;
                let span = left.span.to(no.span);
                let kind = ExprKind::Conditional(take(&mut left), Box::new(yes), Box::new(no));
                left = Expr::new(kind, span);
                continue;
            }
            let right = self.nested(|p| p.psl_binary(found + 1))?;
            let span = left.span.to(right.span);
            left = match infix {
                Infix::Implies | Infix::Conditional => {
                    Expr::new(ExprKind::Implies(take(&mut left), Box::new(right)), span)
                }
                Infix::Chain(operator) => {
                    let go_on = chain_level == found;
                    chain_level = found;
                    left = chain(left, operator, right, go_on);
                    continue;
                }
                Infix::Until { strong: s, overlap } => {
                    until(left, right, strong || s, overlap || marked)
                }
                Infix::Before { strong: s, overlap } => {
                    before(left, right, strong || s, overlap || marked)
                }
            };
            chain_level = 0;
        }
        Ok(left)
    }

    fn psl_unary(&mut self) -> Result<Expr> {
        let start = self.span();
        let Some(word) = self.word().cloned() else {
            return self.psl_primary();
        };
        if REFUSED.contains(&word.trim_end_matches('_')) {
            return self.refuse(start, &format!("`{word}`"));
        }
        let globally = |operand| temporal(Temporal::Globally, operand, start);
        match &*word {
            "always" | "G" => {
                self.advance();
                Ok(globally(self.psl_operand(ALWAYS)?))
            }
            "never" => {
                self.advance();
                let operand = self.psl_operand(ALWAYS)?;
                Ok(globally(not(operand)))
            }
            "eventually" => {
                if self.eat_marks() != (true, false) {
                    let message = "PSL has only the strong form `eventually!`";
                    return self.report(Diagnostic::error(start, message));
                }
                let operand = self.psl_operand(EVENTUALLY)?;
                Ok(temporal(Temporal::Finally, operand, start))
            }
            "F" => {
                self.advance();
                let operand = self.psl_operand(NEXT)?;
                Ok(temporal(Temporal::Finally, operand, start))
            }
            "next" | "X" | "next_a" | "next_e" => self.psl_next(&word),
            "A" | "E" => {
                self.advance();
                let quantifier = quantifier(&word);
                let until = self.psl_until()?;
                let span = start.to(until.span);
                Ok(Expr::new(ExprKind::Path(quantifier, Box::new(until)), span))
            }
            "AG" | "AF" | "AX" | "EG" | "EF" | "EX" => {
                self.advance();
                let operand = self.psl_operand(NEXT)?;
                let operator = match &word[1..] {
                    "G" => Temporal::Globally,
                    "F" => Temporal::Finally,
                    _ => Temporal::Next,
                };
                let path = temporal(operator, operand, start);
                let span = path.span;
                let kind = ExprKind::Path(quantifier(&word), Box::new(path));
                Ok(Expr::new(kind, span))
            }
            _ => self.psl_primary(),
        }
    }

    fn psl_operand(&mut self, level: u8) -> Result<Expr> {
        self.nested(|p| p.psl_binary(level))
    }

    /// `next f`, `next[n](f)`, `next_a[i:j](f)`, `next_e[i:j](f)`, each perhaps with `!`.
    fn psl_next(&mut self, word: &str) -> Result<Expr> {
        let start = self.span();
        self.eat_marks();
        // A bracket may also begin the operand: `next [p U q]`.
        let counted = matches!(
            self.ahead(1).kind,
            TokenKind::Number(_) | TokenKind::Sign("-")
        );
        if !counted || !self.eat_sign("[") {
            let operand = self.psl_operand(if word == "X" { NEXT } else { EVENTUALLY })?;
            return Ok(temporal(Temporal::Next, operand, start));
        }
        let low = self.integer()?;
        let high = match word {
            "next_a" | "next_e" => {
                self.expect(":")?;
                self.integer()?
            }
            _ => low,
        };
        self.expect("]")?;
        self.expect("(")?;
        let operand = self.psl_expression()?;
        self.expect(")")?;
        if !(0..=1000).contains(&low) || !(low..=1000).contains(&high) {
            let message = "the bounds of `next` must be between 0 and 1000 and in order";
            return self.report(Diagnostic::error(start, message));
        }
        let operator = match word {
            "next_e" => Temporal::Finally,
            _ => Temporal::Globally,
        };
        let span = start.to(self.previous());
        let bounds = Some((low as u32, high as u32));
        let kind = ExprKind::Temporal(operator, bounds, Box::new(operand));
        Ok(Expr::new(kind, span))
    }

    /// `[f U g]` or `[f W g]`.
    fn psl_until(&mut self) -> Result<Expr> {
        self.expect("[")?;
        let left = self.psl_expression()?;
        let operator = match self.word().map(|w| &**w) {
            Some("U") => Operator::Until,
            Some("W") => Operator::WeakUntil,
            _ => return self.unexpected("`U` or `W`"),
        };
        self.advance();
        let right = self.psl_expression()?;
        self.expect("]")?;
        Ok(chain(left, operator, right, false))
    }

    fn psl_primary(&mut self) -> Result<Expr> {
        let start = self.span();
        match self.kind() {
            TokenKind::Sign("(") => {
                self.advance();
                let inner = self.psl_expression()?;
                self.expect(")")?;
                Ok(Expr::new(inner.kind, start.to(self.previous())))
            }
            TokenKind::Sign("[") => self.psl_until(),
            TokenKind::Sign("{") => self.refuse(start, "sequences in `{…}`"),
            TokenKind::Sign("!") => {
                self.advance();
                let operand = self.nested(Self::psl_primary)?;
                Ok(not(operand))
            }
            _ => self.postfix(),
        }
    }

    fn refuse<T>(&mut self, span: Span, what: &str) -> Result<T> {
        self.report(
            Diagnostic::error(span, format!("this part of PSL is not supported: {what}"))
                .help("say it in LTL or CTL*, or add an automaton to the model"),
        )
    }
}

fn quantifier(word: &str) -> Quantifier {
    match word.starts_with('A') {
        true => Quantifier::All,
        false => Quantifier::Exists,
    }
}

fn temporal(operator: Temporal, operand: Expr, start: Span) -> Expr {
    let span = start.to(operand.span);
    Expr::new(ExprKind::Temporal(operator, None, Box::new(operand)), span)
}

fn not(operand: Expr) -> Expr {
    let span = operand.span;
    Expr::new(ExprKind::Not(Box::new(operand)), span)
}

/// `f until g`; with an overlap `f` still holds when `g` does.
fn until(left: Expr, right: Expr, strong: bool, overlap: bool) -> Expr {
    let right = match overlap {
        true => chain(left.clone(), Operator::And, right, false),
        false => right,
    };
    let operator = match strong {
        true => Operator::Until,
        false => Operator::WeakUntil,
    };
    chain(left, operator, right, false)
}

/// `f before g`: `f` holds before `g` does; with an overlap, at the latest then.
fn before(left: Expr, right: Expr, strong: bool, overlap: bool) -> Expr {
    let none = not(right);
    let first = match overlap {
        true => left,
        false => chain(left, Operator::And, none.clone(), false),
    };
    until(none, first, strong, false)
}
