//! Operators on booleans, numbers and words.
//!
//! Words are the numbers that they stand for: without a sign from 0, with one in two's complement.
//! Sums, differences and products wrap around; division goes towards zero. A word may be shifted by
//! 0 up to its width; everything else has no value.

use evenhand_source::{Diagnostic, Span};
use evenhand_system::relation::{BinaryOp, ExprId, Node, UnaryOp, Undefined, Word};

use super::expressions::Typed;
use super::sets::Element;
use super::wide_words::{NARROW, is_wide};
use super::{Lowering, Reported, Result, build};
use crate::ast::{Function, Operator};
use crate::types::Type;

/// The most numbers of a range before `in`.
const MAX_RANGE: u64 = 4096;

impl<'m> Lowering<'m> {
    /// An operator of a chain applied to two operands.
    pub(super) fn binary(
        &mut self,
        operator: Operator,
        a: Typed,
        b: Typed,
        span: Span,
    ) -> Result<Typed> {
        use Operator as O;
        let is_set = matches!(operator, O::In | O::Union);
        if !is_set && (is_wide(&a.typ) || is_wide(&b.typ)) {
            return self.wide_binary(operator, a, b, span);
        }
        match operator {
            O::Union => self.union(a, b, span),
            O::In => self.membership(a, b, span),
            O::Iff | O::Or | O::Xor | O::Xnor | O::And => self.logical(operator, a, b, span),
            O::Equal | O::NotEqual => self.equality(operator == O::Equal, a, b, span),
            O::Less | O::Greater | O::LessEqual | O::GreaterEqual => {
                self.comparison(operator, a, b, span)
            }
            O::Add | O::Subtract | O::Multiply | O::Divide | O::Modulo => {
                self.arithmetic(operator, a, b, span)
            }
            O::ShiftLeft | O::ShiftRight => self.shift(operator, a, b, span),
            O::Concatenate => self.concatenation(a, b, span),
            O::Until | O::WeakUntil | O::Release | O::Since | O::Trigger => self.report(
                Diagnostic::error(span, "a temporal operator cannot stand here")
                    .help("temporal operators belong into properties, outside of all comparisons"),
            ),
        }
    }

    fn logical(&mut self, operator: Operator, a: Typed, b: Typed, span: Span) -> Result<Typed> {
        let (Some(x), Some(y)) = (a.scalar(), b.scalar()) else {
            return self.mismatch(operator.sign(), &a, &b, span);
        };
        let pool = &mut self.relation.expressions;
        let expr = match (&a.typ, &b.typ) {
            (Type::Boolean, Type::Boolean) => match operator {
                Operator::And => build::and(pool, x, y),
                Operator::Or => build::or(pool, x, y),
                Operator::Xor => build::binary(pool, BinaryOp::Ne, x, y),
                _ => build::equal(pool, x, y),
            },
            (Type::Word(word), Type::Word(_)) if a.typ == b.typ => match operator {
                Operator::And => build::binary(pool, BinaryOp::BitAnd, x, y),
                Operator::Or => build::binary(pool, BinaryOp::BitOr, x, y),
                Operator::Xor => build::binary(pool, BinaryOp::BitXor, x, y),
                _ => {
                    let differ = build::binary(pool, BinaryOp::BitXor, x, y);
                    let same = build::add(pool, Node::Unary(UnaryOp::Complement, differ));
                    build::wrap(pool, *word, same)
                }
            },
            _ => return self.mismatch(operator.sign(), &a, &b, span),
        };
        Ok(Self::scalar_result(a.typ.clone(), expr, &a, &b))
    }

    fn equality(&mut self, equal: bool, a: Typed, b: Typed, span: Span) -> Result<Typed> {
        let sign = if equal { "=" } else { "!=" };
        let greater = a.typ.greater(&b.typ);
        let comparable = greater.is_some_and(|typ| !typ.is_set());
        let (true, Some(x), Some(y)) = (comparable, a.scalar(), b.scalar()) else {
            return self.mismatch(sign, &a, &b, span);
        };
        let pool = &mut self.relation.expressions;
        let expr = match equal {
            true => build::equal(pool, x, y),
            false => build::binary(pool, BinaryOp::Ne, x, y),
        };
        Ok(Self::scalar_result(Type::Boolean, expr, &a, &b))
    }

    fn comparison(&mut self, operator: Operator, a: Typed, b: Typed, span: Span) -> Result<Typed> {
        let ordered = a.typ == b.typ && matches!(a.typ, Type::Integer | Type::Word(_));
        let (true, Some(x), Some(y)) = (ordered, a.scalar(), b.scalar()) else {
            return self.mismatch(operator.sign(), &a, &b, span);
        };
        let op = match operator {
            Operator::Less => BinaryOp::Lt,
            Operator::Greater => BinaryOp::Gt,
            Operator::LessEqual => BinaryOp::Le,
            _ => BinaryOp::Ge,
        };
        let expr = build::binary(&mut self.relation.expressions, op, x, y);
        Ok(Self::scalar_result(Type::Boolean, expr, &a, &b))
    }

    fn arithmetic(&mut self, operator: Operator, a: Typed, b: Typed, span: Span) -> Result<Typed> {
        let numbers = a.typ == b.typ && matches!(a.typ, Type::Integer | Type::Word(_));
        let (true, Some(x), Some(y)) = (numbers, a.scalar(), b.scalar()) else {
            return self.mismatch(operator.sign(), &a, &b, span);
        };
        let op = match operator {
            Operator::Add => BinaryOp::Add,
            Operator::Subtract => BinaryOp::Sub,
            Operator::Multiply => BinaryOp::Mul,
            Operator::Divide => BinaryOp::Div,
            _ => BinaryOp::Mod,
        };
        let pool = &mut self.relation.expressions;
        let mut expr = build::binary(pool, op, x, y);
        if let Type::Word(word) = a.typ {
            expr = build::wrap(pool, word, expr);
        }
        Ok(Self::scalar_result(a.typ.clone(), expr, &a, &b))
    }

    fn shift(&mut self, operator: Operator, a: Typed, b: Typed, span: Span) -> Result<Typed> {
        let (Type::Word(word), Some(x), Some(distance)) = (&a.typ, a.scalar(), b.scalar()) else {
            return self.mismatch(operator.sign(), &a, &b, span);
        };
        let is_distance = match &b.typ {
            Type::Integer => true,
            Type::Word(word) => !word.signed,
            _ => false,
        };
        if !is_distance {
            return self.mismatch(operator.sign(), &a, &b, span);
        }
        let pool = &mut self.relation.expressions;
        let width = i64::from(word.bits);
        if build::constant(pool, distance).is_some_and(|d| d > width) {
            let message = format!("a word of {width} bits is shifted by 0 to {width} bits");
            return self.error(span, message);
        }
        let op = match operator {
            Operator::ShiftLeft => BinaryOp::Shl,
            _ => BinaryOp::Shr,
        };
        let shifted = build::binary(pool, op, x, distance);
        let mut shifted = build::wrap(pool, *word, shifted);
        if op == BinaryOp::Shl && word.bits > 62 {
            // The exact result would not fit into 127 bits.
            let (most, zero) = (pool.constant(width), pool.constant(0));
            let all = build::equal(pool, distance, most);
            shifted = build::conditional(pool, all, zero, shifted);
        }
        let fits = build::between(pool, distance, 0, width);
        let otherwise = build::undefined(pool, Undefined::Shift);
        let expr = build::conditional(pool, fits, shifted, otherwise);
        Ok(Self::scalar_result(a.typ.clone(), expr, &a, &b))
    }

    fn membership(&mut self, a: Typed, b: Typed, span: Span) -> Result<Typed> {
        let typ = a.typ.to_set().zip(b.typ.to_set());
        let typ = typ.and_then(|(x, y)| x.greater(&y));
        let sets = self
            .set_for(&a, typ.as_ref())
            .zip(self.set_for(&b, typ.as_ref()));
        let (Some(_), Some((left, right))) = (typ, sets) else {
            return self.mismatch("in", &a, &b, span);
        };
        let sets = &self.sets;
        if sets.largest_range(left) > MAX_RANGE {
            let message = format!("a range before `in` has at most {MAX_RANGE} numbers");
            return self.error(span, message);
        }
        let pool = &mut self.relation.expressions;
        let expr = sets.every(pool, left, &mut |pool, element| match element {
            Element::One(element) => sets.strict_member(pool, element, right),
            Element::Range(low, high) => {
                let mut all = pool.constant(1);
                for value in low..=high {
                    let value = pool.constant(value);
                    let one = sets.strict_member(pool, value, right);
                    all = build::and(pool, all, one);
                }
                all
            }
        });
        Ok(Self::scalar_result(Type::Boolean, expr, &a, &b))
    }

    fn concatenation(&mut self, a: Typed, b: Typed, span: Span) -> Result<Typed> {
        let (Type::Word(left), Type::Word(right), Some(x), Some(y)) =
            (&a.typ, &b.typ, a.scalar(), b.scalar())
        else {
            return self.mismatch("::", &a, &b, span);
        };
        let bits = i64::from(left.bits) + i64::from(right.bits);
        if bits > i64::from(NARROW) {
            return self.wide_binary(Operator::Concatenate, a, b, span);
        }
        let word = self.word_type(false, bits, span)?;
        let (x, y) = (self.unsigned(*left, x), self.unsigned(*right, y));
        let pool = &mut self.relation.expressions;
        let distance = pool.constant(right.bits.into());
        let high = build::binary(pool, BinaryOp::Shl, x, distance);
        let expr = build::binary(pool, BinaryOp::BitOr, high, y);
        Ok(Self::scalar_result(Type::Word(word), expr, &a, &b))
    }

    /// The bits of a word as a number without sign.
    fn unsigned(&mut self, word: Word, expr: ExprId) -> ExprId {
        match word.signed {
            true => {
                let word = Word {
                    signed: false,
                    ..word
                };
                build::wrap(&mut self.relation.expressions, word, expr)
            }
            false => expr,
        }
    }

    pub(super) fn select_bits(
        &mut self,
        operand: Typed,
        high: i64,
        low: i64,
        span: Span,
    ) -> Result<Typed> {
        let Type::Word(word) = &operand.typ else {
            let message = format!("a value of type {} has no bits", operand.typ);
            return self.error(span, message);
        };
        if low < 0 || high < low || high >= i64::from(word.bits) {
            let message = format!(
                "bits {high}:{low} are not inside of a word of {} bits",
                word.bits
            );
            return self.report(
                Diagnostic::error(span, message)
                    .help("the higher bit comes first, and bits count from 0"),
            );
        }
        let result = self.word_type(false, high - low + 1, span)?;
        let Some(expr) = operand.scalar() else {
            let bits = self.wide_bits(&operand, low as u16, result);
            return bits.ok_or(Reported);
        };
        let pool = &mut self.relation.expressions;
        let distance = pool.constant(low);
        let shifted = build::binary(pool, BinaryOp::Shr, expr, distance);
        let value = build::wrap(pool, result, shifted);
        Ok(Self::scalar_result(
            Type::Word(result),
            value,
            &operand,
            &operand,
        ))
    }

    /// A word constant from its bits.
    pub(super) fn word_constant(&mut self, word: Word, bits: u64) -> Typed {
        let pool = &mut self.relation.expressions;
        let expr = pool.constant(bits as i64);
        Typed::new(Type::Word(word), build::wrap(pool, word, expr))
    }

    pub(super) fn made_word(
        &mut self,
        signed: bool,
        value: i64,
        bits: i64,
        span: Span,
    ) -> Result<Typed> {
        let word = self.word_type(signed, bits, span)?;
        if word.bits > NARROW && (signed || value >= 0) {
            return Ok(self.wide_constant(word, |bit| value >> bit.min(63) & 1 == 1));
        }
        let (low, high) = word.bounds();
        let fits = match signed {
            true => (low..=high).contains(&value),
            false => value >= 0 && (word.bits == 64 || value <= high),
        };
        if !fits {
            let message = format!("{value} does not fit into a word of {bits} bits");
            return self.error(span, message);
        }
        Ok(self.word_constant(word, value as u64))
    }

    pub(super) fn resized(
        &mut self,
        extend: bool,
        a: Typed,
        bits: i64,
        span: Span,
    ) -> Result<Typed> {
        let Type::Word(word) = &a.typ else {
            let message = format!("only words are resized, but this is of type {}", a.typ);
            return self.error(span, message);
        };
        if extend && bits < 0 {
            return self.error(span, "a word cannot be extended by less than 0 bits");
        }
        let bits = match extend {
            true => i64::from(word.bits).saturating_add(bits),
            false => bits,
        };
        let result = self.word_type(word.signed, bits, span)?;
        let expr = match a.scalar() {
            Some(expr) if result.bits <= NARROW => expr,
            _ => return self.wide_resized(&a, result).ok_or(Reported),
        };
        let value = match word.bits > result.bits {
            false => expr, // the same number
            true => self.narrowed(*word, result, expr),
        };
        Ok(Self::scalar_result(Type::Word(result), value, &a, &a))
    }

    /// Fewer bits: the low ones; a signed word keeps its sign.
    fn narrowed(&mut self, from: Word, to: Word, expr: ExprId) -> ExprId {
        let pool = &mut self.relation.expressions;
        if !from.signed {
            return build::wrap(pool, to, expr);
        }
        let zero = pool.constant(0);
        let low = match to.bits {
            1 => zero,
            bits => {
                let low = Word {
                    signed: false,
                    bits: bits - 1,
                };
                build::wrap(pool, low, expr)
            }
        };
        let least = pool.constant(to.bounds().0);
        let with_sign = build::binary(pool, BinaryOp::Add, low, least);
        let negative = build::binary(pool, BinaryOp::Lt, expr, zero);
        build::conditional(pool, negative, with_sign, low)
    }

    /// Functions with one argument.
    pub(super) fn unary_call(&mut self, function: Function, a: Typed, span: Span) -> Result<Typed> {
        if is_wide(&a.typ) {
            return self.wide_call(function, a, span);
        }
        let Some(expr) = a.scalar() else {
            let message = format!("a value of type {} cannot stand here", a.typ);
            return self.error(span, message);
        };
        let pool = &mut self.relation.expressions;
        let (typ, value) = match (function, &a.typ) {
            (
                Function::Bool,
                Type::Integer
                | Type::Word(Word {
                    signed: false,
                    bits: 1,
                }),
            ) => {
                let zero = pool.constant(0);
                (Type::Boolean, build::binary(pool, BinaryOp::Ne, expr, zero))
            }
            (Function::Word1, Type::Boolean) => {
                let word = Word {
                    signed: false,
                    bits: 1,
                };
                (Type::Word(word), expr)
            }
            (Function::Bool, Type::Boolean) => (Type::Boolean, expr),
            (Function::Toint, Type::Boolean | Type::Integer) => (Type::Integer, expr),
            (Function::Toint, Type::Word(word)) => {
                if word.bits > 31 + u16::from(word.signed) {
                    return self.report(
                        Diagnostic::error(span, "this word is too wide to become an integer")
                            .help("up to 31 bits without a sign, up to 32 with one"),
                    );
                }
                (Type::Integer, expr)
            }
            (Function::Sizeof, Type::Word(word)) => {
                (Type::Integer, pool.constant(word.bits.into()))
            }
            (Function::Signed, Type::Word(word)) if !word.signed => {
                let word = Word {
                    signed: true,
                    ..*word
                };
                (Type::Word(word), build::wrap(pool, word, expr))
            }
            (Function::Unsigned, Type::Word(word)) if word.signed => {
                let word = Word {
                    signed: false,
                    ..*word
                };
                (Type::Word(word), build::wrap(pool, word, expr))
            }
            (Function::Abs, Type::Integer) => {
                let zero = pool.constant(0);
                let test = build::binary(pool, BinaryOp::Ge, expr, zero);
                let flipped = build::add(pool, Node::Unary(UnaryOp::Neg, expr));
                let value = build::conditional(pool, test, expr, flipped);
                (a.typ.clone(), value)
            }
            _ => {
                let message = format!("this function has no value of type {}", a.typ);
                return self.error(span, message);
            }
        };
        Ok(Self::scalar_result(typ, value, &a, &a))
    }
}
