//! Operators on words of more than 64 bits, and between these and narrower ones.
//!
//! The rules are those of `words.rs`; values are rows of limbs (`wide.rs`).

use evenhand_source::{Diagnostic, Span};
use evenhand_system::relation::{BinaryOp, ExprId, Undefined, Word};

use super::expressions::{Typed, Value};
use super::wide::{LIMB, Wide};
use super::{Lowering, Result, build};
use crate::ast::{Function, Operator};
use crate::types::Type;

/// The most bits of a value that is one expression.
pub(super) const NARROW: u16 = 64;

/// The most bits of a word.
pub(crate) const WIDEST: u16 = 1024;

/// Whether values of a type are rows of limbs.
pub(super) fn is_wide(typ: &Type) -> bool {
    matches!(typ, Type::Word(word) if word.bits > NARROW)
}

impl Lowering<'_> {
    pub(super) fn limbs(&mut self) -> Wide<'_> {
        Wide {
            pool: &mut self.relation.expressions,
            limb: LIMB,
        }
    }

    /// A word as a row of limbs.
    fn row(&mut self, typed: &Typed) -> Option<(Word, Vec<ExprId>)> {
        let Type::Word(word) = typed.typ else {
            return None;
        };
        match &typed.value {
            Value::Wide(row) => Some((word, row.to_vec())),
            Value::Scalar(expr) => Some((word, self.limbs().split(word, *expr))),
            _ => None,
        }
    }

    /// A row of limbs as the value of a word.
    fn word_of(&mut self, word: Word, row: Vec<ExprId>, has_next: bool) -> Typed {
        let value = match word.bits > NARROW {
            true => Value::Wide(row.into()),
            false => Value::Scalar(self.limbs().join(word, &row)),
        };
        Typed {
            typ: Type::Word(word),
            value,
            has_next,
        }
    }

    pub(super) fn wide_constant(&mut self, word: Word, is_set: impl Fn(u16) -> bool) -> Typed {
        let row = self.limbs().constant(word.bits, is_set);
        self.word_of(word, row, false)
    }

    /// An operator of which one operand is wide.
    pub(super) fn wide_binary(
        &mut self,
        operator: Operator,
        a: Typed,
        b: Typed,
        span: Span,
    ) -> Result<Typed> {
        use Operator as O;
        if let O::ShiftLeft | O::ShiftRight = operator {
            return self.wide_shift(operator, a, b, span);
        }
        let has_next = a.has_next || b.has_next;
        let (Some((word, x)), Some((other, y))) = (self.row(&a), self.row(&b)) else {
            return self.mismatch(operator.sign(), &a, &b, span);
        };
        if operator == O::Concatenate {
            let bits = i64::from(word.bits) + i64::from(other.bits);
            let whole = self.word_type(false, bits, span)?;
            let row = self.limbs().concatenate((&x, word.bits), (&y, other.bits));
            return Ok(self.word_of(whole, row, has_next));
        }
        if word != other {
            return self.mismatch(operator.sign(), &a, &b, span);
        }
        let bits = word.bits;
        let mut limbs = self.limbs();
        let truth = match operator {
            O::Equal => Some(limbs.equal(&x, &y)),
            O::NotEqual => {
                let same = limbs.equal(&x, &y);
                Some(build::not(limbs.pool, same))
            }
            O::Less => Some(limbs.less(word, &x, &y)),
            O::Greater => Some(limbs.less(word, &y, &x)),
            O::LessEqual => {
                let more = limbs.less(word, &y, &x);
                Some(build::not(limbs.pool, more))
            }
            O::GreaterEqual => {
                let less = limbs.less(word, &x, &y);
                Some(build::not(limbs.pool, less))
            }
            _ => None,
        };
        if let Some(truth) = truth {
            return Ok(Self::scalar_result(Type::Boolean, truth, &a, &b));
        }
        let row = match operator {
            O::And => limbs.bitwise(BinaryOp::BitAnd, &x, &y),
            O::Or => limbs.bitwise(BinaryOp::BitOr, &x, &y),
            O::Xor => limbs.bitwise(BinaryOp::BitXor, &x, &y),
            O::Iff | O::Xnor => {
                let differ = limbs.bitwise(BinaryOp::BitXor, &x, &y);
                limbs.complement(bits, &differ)
            }
            O::Add => limbs.add(bits, &x, &y),
            O::Subtract => limbs.subtract(bits, &x, &y),
            O::Multiply => limbs.multiply(bits, &x, &y),
            O::Divide => {
                let [quotient, _] = limbs.divide(word, &x, &y);
                quotient
            }
            O::Modulo => {
                let [_, rest] = limbs.divide(word, &x, &y);
                rest
            }
            _ => return self.mismatch(operator.sign(), &a, &b, span),
        };
        Ok(self.word_of(word, row, has_next))
    }

    fn wide_shift(&mut self, operator: Operator, a: Typed, b: Typed, span: Span) -> Result<Typed> {
        let Some((word, row)) = self.row(&a) else {
            return self.mismatch(operator.sign(), &a, &b, span);
        };
        let width = i64::from(word.bits);
        // The distance, and whether it may be.
        let (distance, fits) = match (&b.typ, b.scalar(), self.row(&b)) {
            (Type::Integer | Type::Word(Word { signed: false, .. }), Some(distance), _) => {
                let pool = &mut self.relation.expressions;
                (distance, build::between(pool, distance, 0, width))
            }
            (Type::Word(Word { signed: false, .. }), None, Some((_, distance))) => {
                let pool = &mut self.relation.expressions;
                let mut fits = build::between(pool, distance[0], 0, width);
                for &high in &distance[1..] {
                    let zero = pool.constant(0);
                    let none = build::equal(pool, high, zero);
                    fits = build::and(pool, fits, none);
                }
                (distance[0], fits)
            }
            _ => return self.mismatch(operator.sign(), &a, &b, span),
        };
        let pool = &self.relation.expressions;
        if build::constant(pool, distance).is_some_and(|d| d > width)
            || build::constant(pool, fits) == Some(0)
        {
            let message = format!("a word of {width} bits is shifted by 0 to {width} bits");
            return self.error(span, message);
        }
        let mut limbs = self.limbs();
        let left = operator == Operator::ShiftLeft;
        let shifted = limbs.shift(word, left, &row, distance);
        let none = build::undefined(limbs.pool, Undefined::Shift);
        let none = vec![none; shifted.len()];
        let row = limbs.choose(fits, &shifted, &none);
        Ok(self.word_of(word, row, a.has_next || b.has_next))
    }

    pub(super) fn wide_complement(&mut self, a: &Typed) -> Option<Typed> {
        let (word, row) = self.row(a)?;
        let row = self.limbs().complement(word.bits, &row);
        Some(self.word_of(word, row, a.has_next))
    }

    pub(super) fn wide_negative(&mut self, a: &Typed) -> Option<Typed> {
        let (word, row) = self.row(a)?;
        let row = self.limbs().negative(word.bits, &row);
        Some(self.word_of(word, row, a.has_next))
    }

    /// Some bits of a word, which are there.
    pub(super) fn wide_bits(&mut self, a: &Typed, low: u16, result: Word) -> Option<Typed> {
        let (_, row) = self.row(a)?;
        let row = self.limbs().select(&row, low, result.bits);
        Some(self.word_of(result, row, a.has_next))
    }

    /// The same word with more or fewer bits.
    pub(super) fn wide_resized(&mut self, a: &Typed, result: Word) -> Option<Typed> {
        let (word, row) = self.row(a)?;
        let row = match result.bits >= word.bits {
            true => self.limbs().extend(word, &row, result.bits),
            false => self.limbs().narrow(word, &row, result.bits),
        };
        Some(self.word_of(result, row, a.has_next))
    }

    /// A function of one wide word.
    pub(super) fn wide_call(&mut self, function: Function, a: Typed, span: Span) -> Result<Typed> {
        let Type::Word(word) = a.typ else {
            return self.error(span, "this is no word");
        };
        match function {
            Function::Sizeof => Ok(self.constant_of(Type::Integer, word.bits.into())),
            Function::Signed | Function::Unsigned
                if word.signed == (function == Function::Unsigned) =>
            {
                let word = Word {
                    signed: !word.signed,
                    ..word
                };
                Ok(Typed {
                    typ: Type::Word(word),
                    ..a
                })
            }
            Function::Toint => self.report(
                Diagnostic::error(span, "this word is too wide to become an integer")
                    .help("up to 31 bits without a sign, up to 32 with one"),
            ),
            _ => {
                let message = format!("this function has no value of type {}", a.typ);
                self.error(span, message)
            }
        }
    }
}
