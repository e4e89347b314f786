//! Expressions and formulas, by precedence climbing.
//!
//! From loose to tight: `->` (to the right), `<->`, `? :`, `| xor xnor`, `&`, `U V S T`,
//! comparisons, `in`, `union`, `..`, shifts, `+ -`, `* / mod`, `::`, and the prefix operators. A
//! temporal prefix operator takes a comparison as its operand (`G x = 1` is `G (x = 1)`), while `!`
//! takes a primary (`!x = y` is `(!x) = y`) unless a temporal operator follows it. Between the
//! brackets of `A [p U q]` the operands of `U` reach as far as they can.

use evenhand_source::Diagnostic;

use super::{Parser, Result};
use crate::ast::{Expr, ExprKind, Operator, Quantifier, Temporal};
use crate::token::TokenKind;

const IMPLIES: u8 = 1;
const IFF: u8 = 2;
const CONDITIONAL: u8 = 3;
const TEMPORAL: u8 = 6;
const COMPARISON: u8 = 7;
const RANGE: u8 = 10;
const SHIFT: u8 = 11;

/// What stands between two operands.
#[derive(Clone, Copy)]
enum Infix {
    Implies,
    Conditional,
    Range,
    Chain(Operator),
}

/// What stands before an operand.
#[derive(Clone, Copy)]
enum Prefix {
    Temporal(Temporal),
    Pair(Quantifier, Temporal),
    Path(Quantifier),
    Bounded(Quantifier, bool),
}

fn prefix(word: &str) -> Option<Prefix> {
    use Quantifier::{All, Exists};
    Some(match word {
        "X" => Prefix::Temporal(Temporal::Next),
        "F" => Prefix::Temporal(Temporal::Finally),
        "G" => Prefix::Temporal(Temporal::Globally),
        "Y" => Prefix::Temporal(Temporal::Yesterday),
        "Z" => Prefix::Temporal(Temporal::WeakYesterday),
        "O" => Prefix::Temporal(Temporal::Once),
        "H" => Prefix::Temporal(Temporal::Historically),
        "EX" => Prefix::Pair(Exists, Temporal::Next),
        "AX" => Prefix::Pair(All, Temporal::Next),
        "EF" => Prefix::Pair(Exists, Temporal::Finally),
        "AF" => Prefix::Pair(All, Temporal::Finally),
        "EG" => Prefix::Pair(Exists, Temporal::Globally),
        "AG" => Prefix::Pair(All, Temporal::Globally),
        "A" => Prefix::Path(All),
        "E" => Prefix::Path(Exists),
        "EBF" => Prefix::Bounded(Exists, true),
        "ABF" => Prefix::Bounded(All, true),
        "EBG" => Prefix::Bounded(Exists, false),
        "ABG" => Prefix::Bounded(All, false),
        _ => return None,
    })
}

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Result<Expr> {
        let stop = std::mem::replace(&mut self.stop_at_until, false);
        let expr = self.nested(|p| p.binary(IMPLIES));
        self.stop_at_until = stop;
        expr
    }

    /// An expression without ranges, comparisons and logical operators, as in the bounds of types.
    pub(super) fn arithmetic(&mut self) -> Result<Expr> {
        self.nested(|p| p.binary(SHIFT))
    }

    /// The infix operator ahead and its precedence.
    fn infix(&self) -> Option<(Infix, u8)> {
        use Operator as O;
        let chain = |operator, level| Some((Infix::Chain(operator), level));
        match self.kind() {
            TokenKind::Sign(sign) => match *sign {
                "->" => Some((Infix::Implies, IMPLIES)),
                "<->" => chain(O::Iff, IFF),
                "?" => Some((Infix::Conditional, CONDITIONAL)),
                "|" => chain(O::Or, 4),
                "&" => chain(O::And, 5),
                "=" => chain(O::Equal, COMPARISON),
                "!=" => chain(O::NotEqual, COMPARISON),
                "<" => chain(O::Less, COMPARISON),
                ">" => chain(O::Greater, COMPARISON),
                "<=" => chain(O::LessEqual, COMPARISON),
                ">=" => chain(O::GreaterEqual, COMPARISON),
                ".." => Some((Infix::Range, RANGE)),
                "<<" => chain(O::ShiftLeft, SHIFT),
                ">>" => chain(O::ShiftRight, SHIFT),
                "+" => chain(O::Add, 12),
                "-" => chain(O::Subtract, 12),
                "*" => chain(O::Multiply, 13),
                "/" => chain(O::Divide, 13),
                "::" => chain(O::Concatenate, 14),
                _ => None,
            },
            TokenKind::Word(word) => match &**word {
                "xor" => chain(O::Xor, 4),
                "xnor" => chain(O::Xnor, 4),
                "U" | "V" | "S" | "T" if self.stop_at_until => None,
                "U" => chain(O::Until, TEMPORAL),
                "V" => chain(O::Release, TEMPORAL),
                "S" => chain(O::Since, TEMPORAL),
                "T" => chain(O::Trigger, TEMPORAL),
                "in" => chain(O::In, 8),
                "union" => chain(O::Union, 9),
                "mod" => chain(O::Modulo, 13),
                _ => None,
            },
            _ => None,
        }
    }

    /// An expression of operators that bind at least as tight as `level`.
    fn binary(&mut self, level: u8) -> Result<Expr> {
        let mut left = self.unary()?;
        let mut chain_level = 0;
        let mut depth = 0;
        while let Some((infix, found)) = self.infix() {
            if found < level {
                break;
            }
            if chain_level != found {
                self.limit(depth)?; // the left operand nests without recursion
                depth += 1;
            }
            self.advance();
            let kind = match infix {
                Infix::Implies => {
                    let right = self.nested(|p| p.binary(IMPLIES))?;
                    ExprKind::Implies(take(&mut left), Box::new(right))
                }
                Infix::Conditional => {
                    let stop = std::mem::replace(&mut self.stop_at_until, false);
                    let yes = self.nested(|p| p.binary(IMPLIES));
                    self.stop_at_until = stop;
                    let yes = yes?;
                    self.expect(":")?;
                    let no = self.nested(|p| p.binary(CONDITIONAL))?;
                    ExprKind::Conditional(take(&mut left), Box::new(yes), Box::new(no))
                }
                Infix::Range => {
                    let high = self.nested(|p| p.binary(SHIFT))?;
                    ExprKind::Range(take(&mut left), Box::new(high))
                }
                Infix::Chain(operator) => {
                    let right = self.nested(|p| p.binary(found + 1))?;
                    left = chain(left, operator, right, chain_level == found);
                    chain_level = found;
                    continue;
                }
            };
            chain_level = 0;
            left = Expr::new(kind, left.span.to(self.previous()));
        }
        Ok(left)
    }

    /// Prefix operators of time, and `!` before them.
    fn unary(&mut self) -> Result<Expr> {
        let start = self.span();
        if self.at_sign("!") {
            let mut n = 1;
            while matches!(self.ahead(n).kind, TokenKind::Sign("!")) {
                n += 1;
            }
            if matches!(&self.ahead(n).kind, TokenKind::Word(word) if prefix(word).is_some()) {
                self.advance();
                let operand = self.nested(Self::unary)?;
                let span = start.to(operand.span);
                return Ok(Expr::new(ExprKind::Not(Box::new(operand)), span));
            }
        }
        let Some(prefix) = self.word().and_then(|word| prefix(word)) else {
            return self.postfix();
        };
        self.advance();
        let kind = match prefix {
            Prefix::Temporal(operator) => {
                let bounds = self.bounds_of(operator)?;
                ExprKind::Temporal(operator, bounds, Box::new(self.temporal_operand()?))
            }
            Prefix::Pair(quantifier, operator) => {
                let operand = self.temporal_operand()?;
                let span = start.to(operand.span);
                let path = ExprKind::Temporal(operator, None, Box::new(operand));
                ExprKind::Path(quantifier, Box::new(Expr::new(path, span)))
            }
            Prefix::Bounded(quantifier, finally) => {
                let range = self.time_range()?;
                let operand = self.temporal_operand()?;
                ExprKind::BoundedPath(quantifier, finally, range, Box::new(operand))
            }
            Prefix::Path(quantifier) if self.at_sign("[") => self.path_formula(quantifier)?,
            Prefix::Path(quantifier) => {
                ExprKind::Path(quantifier, Box::new(self.temporal_operand()?))
            }
        };
        Ok(Expr::new(kind, start.to(self.previous())))
    }

    fn temporal_operand(&mut self) -> Result<Expr> {
        self.nested(|p| p.binary(COMPARISON))
    }

    /// `[a, b]` after `F`, `G`, `O` or `H`.
    fn bounds_of(&mut self, operator: Temporal) -> Result<Option<(u32, u32)>> {
        use Temporal::{Finally, Globally, Historically, Once};
        if !matches!(operator, Finally | Globally | Once | Historically) || !self.at_sign("[") {
            return Ok(None);
        }
        self.advance();
        let low = self.integer()?;
        self.expect(",")?;
        let high = self.integer()?;
        self.expect("]")?;
        match (u32::try_from(low), u32::try_from(high)) {
            (Ok(low), Ok(high)) => Ok(Some((low, high))),
            _ => self.report(Diagnostic::error(
                self.previous(),
                "the bounds of a temporal operator must not be negative",
            )),
        }
    }

    pub(super) fn time_range(&mut self) -> Result<(i64, i64)> {
        let low = self.integer()?;
        self.expect("..")?;
        let high = self.integer()?;
        Ok((low, high))
    }

    /// `[p U q]`, `[p BU a..b q]`, or any other formula of CTL* between brackets.
    fn path_formula(&mut self, quantifier: Quantifier) -> Result<ExprKind> {
        self.expect("[")?;
        let stop = std::mem::replace(&mut self.stop_at_until, true);
        let body = self.nested(|p| p.path_body(quantifier));
        self.stop_at_until = stop;
        let body = body?;
        self.expect("]")?;
        Ok(body)
    }

    fn path_body(&mut self, quantifier: Quantifier) -> Result<ExprKind> {
        let left = self.binary(IMPLIES)?;
        let operator = match self.word().map(|w| &**w) {
            Some("U") => Operator::Until,
            Some("V") => Operator::Release,
            Some("S") => Operator::Since,
            Some("T") => Operator::Trigger,
            Some("BU") => {
                self.advance();
                let range = self.time_range()?;
                let right = Box::new(self.binary(IMPLIES)?);
                return Ok(ExprKind::BoundedUntil(
                    quantifier,
                    Box::new(left),
                    range,
                    right,
                ));
            }
            _ => return Ok(ExprKind::Path(quantifier, Box::new(left))),
        };
        self.advance();
        let right = self.binary(IMPLIES)?;
        let span = left.span.to(right.span);
        let until = ExprKind::Chain(Box::new(left), vec![(operator, right)]);
        Ok(ExprKind::Path(quantifier, Box::new(Expr::new(until, span))))
    }
}

/// Takes an expression out of its place.
pub(super) fn take(expr: &mut Expr) -> Box<Expr> {
    let kind = std::mem::replace(&mut expr.kind, ExprKind::Itself);
    Box::new(Expr::new(kind, expr.span))
}

/// Adds an operand to a chain, or begins one.
pub(super) fn chain(mut left: Expr, operator: Operator, right: Expr, go_on: bool) -> Expr {
    let span = left.span.to(right.span);
    match &mut left.kind {
        ExprKind::Chain(_, rest) if go_on => rest.push((operator, right)),
        _ => left.kind = ExprKind::Chain(take(&mut left), vec![(operator, right)]),
    }
    left.span = span;
    left
}
