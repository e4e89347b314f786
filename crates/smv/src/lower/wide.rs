//! Wide words: operators on rows of limbs.
//!
//! **Problem.** Numbers of expressions have 128 bits between the variables and the result, and variables 64.
//!
//! **Idea.** A word of more than 64 bits is a row of limbs without sign, the lowest first, each an expression of its own;
//! only the last one may be shorter. Operators are those of pencil and paper: sums carry, products add columns (which fit into
//! 128 bits), quotients are found bit by bit. What is left are operators on numbers that every engine knows.
//!
//! **Invariant.** All limbs of a word have a value in the same states: where a part could have none, all of the result
//! depends on it ([`Wide::together`]).
//!
//! **Cost.** Linear in the number of limbs, quadratic for products, and 10 nodes for each bit and limb of a quotient.

use evenhand_system::relation::{BinaryOp, ExprId, Expressions, Node, UnaryOp, Undefined, Word};

use super::build;

/// How many bits a limb has.
pub(super) const LIMB: u16 = 32;

/// Operators over a pool, on limbs of so many bits.
pub(super) struct Wide<'p> {
    pub pool: &'p mut Expressions,
    pub limb: u16,
}

fn unsigned(bits: u16) -> Word {
    Word {
        signed: false,
        bits,
    }
}

impl Wide<'_> {
    /// How many limbs a word has.
    pub fn count(&self, bits: u16) -> usize {
        usize::from(bits.div_ceil(self.limb))
    }

    /// How many bits a limb of a word has.
    pub fn width(&self, bits: u16, at: usize) -> u16 {
        self.limb.min(bits - at as u16 * self.limb)
    }

    fn number(&mut self, value: i64) -> ExprId {
        self.pool.constant(value)
    }

    fn op(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        build::binary(self.pool, op, a, b)
    }

    fn keep(&mut self, bits: u16, value: ExprId) -> ExprId {
        build::wrap(self.pool, unsigned(bits), value)
    }

    fn shifted(&mut self, op: BinaryOp, value: ExprId, by: u16) -> ExprId {
        match by {
            0 => value,
            by => {
                let by = self.number(by.into());
                self.op(op, value, by)
            }
        }
    }

    /// A number from its bits, the lowest first.
    pub fn constant(&mut self, bits: u16, is_set: impl Fn(u16) -> bool) -> Vec<ExprId> {
        let limbs = 0..self.count(bits);
        limbs
            .map(|at| {
                let low = at as u16 * self.limb;
                let own = (0..self.width(bits, at)).rev();
                let value = own.fold(0, |value, bit| value << 1 | i64::from(is_set(low + bit)));
                self.number(value)
            })
            .collect()
    }

    pub fn zero(&mut self, bits: u16) -> Vec<ExprId> {
        self.constant(bits, |_| false)
    }

    pub fn bitwise(&mut self, op: BinaryOp, a: &[ExprId], b: &[ExprId]) -> Vec<ExprId> {
        let both = a.iter().zip(b);
        both.map(|(&a, &b)| self.op(op, a, b)).collect()
    }

    pub fn complement(&mut self, bits: u16, a: &[ExprId]) -> Vec<ExprId> {
        let flip = |(at, &a): (usize, &ExprId)| {
            let flipped = build::add(self.pool, Node::Unary(UnaryOp::Complement, a));
            let width = self.width(bits, at);
            self.keep(width, flipped)
        };
        a.iter().enumerate().map(flip).collect()
    }

    pub fn add(&mut self, bits: u16, a: &[ExprId], b: &[ExprId]) -> Vec<ExprId> {
        let mut carry = self.number(0);
        let mut sums = Vec::with_capacity(a.len());
        for (at, (&a, &b)) in a.iter().zip(b).enumerate() {
            let sum = self.op(BinaryOp::Add, a, b);
            let sum = match at {
                0 => sum,
                _ => self.op(BinaryOp::Add, sum, carry),
            };
            let width = self.width(bits, at);
            let base = self.number(1 << width);
            carry = self.op(BinaryOp::Ge, sum, base);
            sums.push(self.keep(width, sum));
        }
        sums
    }

    pub fn subtract(&mut self, bits: u16, a: &[ExprId], b: &[ExprId]) -> Vec<ExprId> {
        let zero = self.number(0);
        let mut borrow = zero;
        let mut differences = Vec::with_capacity(a.len());
        for (at, (&a, &b)) in a.iter().zip(b).enumerate() {
            let difference = self.op(BinaryOp::Sub, a, b);
            let difference = match at {
                0 => difference,
                _ => self.op(BinaryOp::Sub, difference, borrow),
            };
            borrow = self.op(BinaryOp::Lt, difference, zero);
            let width = self.width(bits, at);
            differences.push(self.keep(width, difference));
        }
        differences
    }

    pub fn negative(&mut self, bits: u16, a: &[ExprId]) -> Vec<ExprId> {
        let zero = self.zero(bits);
        self.subtract(bits, &zero, a)
    }

    pub fn multiply(&mut self, bits: u16, a: &[ExprId], b: &[ExprId]) -> Vec<ExprId> {
        let mut carry = self.number(0);
        let mut product = Vec::with_capacity(a.len());
        for at in 0..a.len() {
            let mut column = carry;
            for low in 0..=at {
                let part = self.op(BinaryOp::Mul, a[low], b[at - low]);
                column = self.op(BinaryOp::Add, column, part);
            }
            let width = self.width(bits, at);
            product.push(self.keep(width, column));
            carry = self.shifted(BinaryOp::Shr, column, self.limb);
        }
        product
    }

    pub fn equal(&mut self, a: &[ExprId], b: &[ExprId]) -> ExprId {
        let mut all = self.number(1);
        for (&a, &b) in a.iter().zip(b) {
            let one = build::equal(self.pool, a, b);
            all = build::and(self.pool, all, one);
        }
        all
    }

    pub fn less(&mut self, word: Word, a: &[ExprId], b: &[ExprId]) -> ExprId {
        let mut less = self.number(0);
        for (at, (&a, &b)) in a.iter().zip(b).enumerate() {
            let is_top = at + 1 == self.count(word.bits);
            let (a, b) = match word.signed && is_top {
                true => {
                    let top = Word {
                        signed: true,
                        bits: self.width(word.bits, at),
                    };
                    (
                        build::wrap(self.pool, top, a),
                        build::wrap(self.pool, top, b),
                    )
                }
                false => (a, b),
            };
            let below = self.op(BinaryOp::Lt, a, b);
            let same = build::equal(self.pool, a, b);
            let rest = build::and(self.pool, same, less);
            less = build::or(self.pool, below, rest);
        }
        less
    }

    pub fn choose(&mut self, test: ExprId, yes: &[ExprId], no: &[ExprId]) -> Vec<ExprId> {
        let both = yes.iter().zip(no);
        both.map(|(&yes, &no)| build::conditional(self.pool, test, yes, no))
            .collect()
    }

    /// Whether the highest bit is set.
    pub fn sign(&mut self, bits: u16, a: &[ExprId]) -> ExprId {
        let top = self.count(bits) - 1;
        let half = self.number(1 << (self.width(bits, top) - 1));
        self.op(BinaryOp::Ge, a[top], half)
    }

    /// Some bits of a row, not more than a limb has; those above the row are 0.
    fn slice(&mut self, a: &[ExprId], low: u16, count: u16) -> ExprId {
        let (at, by) = (usize::from(low / self.limb), low % self.limb);
        let zero = self.number(0);
        let low = a.get(at).copied().unwrap_or(zero);
        let low = self.shifted(BinaryOp::Shr, low, by);
        let both = match a.get(at + 1) {
            Some(&high) if by + count > self.limb => {
                let high = self.shifted(BinaryOp::Shl, high, self.limb - by);
                self.op(BinaryOp::Add, low, high)
            }
            _ => low,
        };
        self.keep(count, both)
    }

    /// A row of some bits of another one.
    pub fn select(&mut self, a: &[ExprId], low: u16, bits: u16) -> Vec<ExprId> {
        let limbs = 0..self.count(bits);
        limbs
            .map(|at| {
                let width = self.width(bits, at);
                self.slice(a, low + at as u16 * self.limb, width)
            })
            .collect()
    }

    /// A row behind another one, as one.
    pub fn concatenate(
        &mut self,
        (high, above): (&[ExprId], u16),
        (low, below): (&[ExprId], u16),
    ) -> Vec<ExprId> {
        let high = self.moved_up(high, above, below);
        let rest = self.select(low, 0, above + below);
        let both = self.bitwise(BinaryOp::Add, &high, &rest);
        self.together(both, &[high[high.len() - 1], low[0]])
    }

    /// The bits of a row, with so many zeros below.
    fn moved_up(&mut self, a: &[ExprId], bits: u16, by: u16) -> Vec<ExprId> {
        let (limbs, rest) = (usize::from(by / self.limb), by % self.limb);
        let whole = bits + by;
        (0..self.count(whole))
            .map(|at| {
                let width = self.width(whole, at);
                let Some(from) = at.checked_sub(limbs) else {
                    return self.number(0);
                };
                let zero = self.number(0);
                let own = a.get(from).copied().unwrap_or(zero);
                let own = self.shifted(BinaryOp::Shl, own, rest);
                let under = from.checked_sub(1).and_then(|at| a.get(at).copied());
                let both = match under {
                    Some(under) if rest > 0 => {
                        let under = self.shifted(BinaryOp::Shr, under, self.limb - rest);
                        self.op(BinaryOp::Add, own, under)
                    }
                    _ => own,
                };
                self.keep(width, both)
            })
            .collect()
    }

    /// More bits: the sign again, or zeros.
    pub fn extend(&mut self, word: Word, a: &[ExprId], to: u16) -> Vec<ExprId> {
        let zeros = self.select(a, 0, to);
        let row = match word.signed && to > word.bits {
            true => {
                let ones = self.constant(to, |bit| bit >= word.bits);
                let with_ones = self.bitwise(BinaryOp::Add, &zeros, &ones);
                let sign = self.sign(word.bits, a);
                self.choose(sign, &with_ones, &zeros)
            }
            false => zeros,
        };
        self.together(row, a)
    }

    /// Fewer bits: the low ones; a word with a sign keeps that.
    pub fn narrow(&mut self, word: Word, a: &[ExprId], to: u16) -> Vec<ExprId> {
        if !word.signed {
            return self.select(a, 0, to);
        }
        let sign = self.sign(word.bits, a);
        let low = match to {
            1 => self.zero(1),
            to => {
                let low = self.select(a, 0, to - 1);
                self.select(&low, 0, to)
            }
        };
        let top = self.constant(to, |bit| bit + 1 == to);
        let with_sign = self.bitwise(BinaryOp::Add, &low, &top);
        let row = self.choose(sign, &with_sign, &low);
        self.together(row, a)
    }

    /// A row moved by a distance that was checked.
    pub fn shift(&mut self, word: Word, left: bool, a: &[ExprId], distance: ExprId) -> Vec<ExprId> {
        let sign = match word.signed && !left {
            true => self.sign(word.bits, a),
            false => self.number(0),
        };
        let mut row = a.to_vec();
        let mut by = 1;
        let mut stage = 0;
        while by <= word.bits {
            let bit = self.shifted(BinaryOp::Shr, distance, stage);
            let bit = self.keep(1, bit);
            let moved = match left {
                true => {
                    let moved = self.moved_up(&row, word.bits, by);
                    self.select(&moved, 0, word.bits)
                }
                false => {
                    let moved = self.select(&row, by, word.bits);
                    match build::constant(self.pool, sign) {
                        Some(0) => moved,
                        _ => {
                            let ones = self.constant(word.bits, |bit| bit + by >= word.bits);
                            let filled = self.bitwise(BinaryOp::Add, &moved, &ones);
                            self.choose(sign, &filled, &moved)
                        }
                    }
                }
            };
            row = self.choose(bit, &moved, &row);
            stage += 1;
            by *= 2;
        }
        row
    }

    /// Quotient and remainder; without a value where the divisor is 0.
    pub fn divide(&mut self, word: Word, a: &[ExprId], b: &[ExprId]) -> [Vec<ExprId>; 2] {
        let bits = word.bits;
        let (signs, x, y) = match word.signed {
            true => {
                let (s, t) = (self.sign(bits, a), self.sign(bits, b));
                let (x, y) = (self.negative(bits, a), self.negative(bits, b));
                let (x, y) = (self.choose(s, &x, a), self.choose(t, &y, b));
                (Some((s, t)), x, y)
            }
            false => (None, a.to_vec(), b.to_vec()),
        };
        // A remainder is below the divisor; twice that needs a bit more.
        let wide = bits + 1;
        let divisor = self.select(&y, 0, wide);
        let mut rest = self.zero(wide);
        let mut quotient = Vec::with_capacity(bits.into());
        for bit in (0..bits).rev() {
            let next = self.slice(&x, bit, 1);
            let twice = self.moved_up(&rest, bits, 1);
            let mut twice = self.select(&twice, 0, wide);
            twice[0] = self.op(BinaryOp::Add, twice[0], next);
            let less = self.less(unsigned(wide), &twice, &divisor);
            let minus = self.subtract(wide, &twice, &divisor);
            rest = self.choose(less, &twice, &minus);
            quotient.push(build::not(self.pool, less));
        }
        quotient.reverse();
        let limbs = quotient.chunks(self.limb.into()).map(|chunk| {
            let mut limb = chunk[0];
            for (at, &bit) in chunk.iter().enumerate().skip(1) {
                let by = self.pool.constant(at as i64);
                let bit = build::binary(self.pool, BinaryOp::Shl, bit, by);
                limb = build::binary(self.pool, BinaryOp::Add, limb, bit);
            }
            limb
        });
        let mut quotient: Vec<ExprId> = limbs.collect();
        let mut rest = self.select(&rest, 0, bits);
        if let Some((s, t)) = signs {
            let differ = self.op(BinaryOp::Ne, s, t);
            let negative = self.negative(bits, &quotient);
            quotient = self.choose(differ, &negative, &quotient);
            let negative = self.negative(bits, &rest);
            rest = self.choose(s, &negative, &rest);
        }
        let zero = self.zero(bits);
        let is_zero = self.equal(b, &zero);
        let none = build::undefined(self.pool, Undefined::DivisionByZero);
        let none = vec![none; a.len()];
        [quotient, rest].map(|row| self.choose(is_zero, &none, &row))
    }

    /// A word of at most 64 bits as a row.
    pub fn split(&mut self, word: Word, value: ExprId) -> Vec<ExprId> {
        let limbs = 0..self.count(word.bits);
        limbs
            .map(|at| {
                let part = self.shifted(BinaryOp::Shr, value, at as u16 * self.limb);
                let width = self.width(word.bits, at);
                self.keep(width, part)
            })
            .collect()
    }

    /// A row of at most 64 bits as a word.
    pub fn join(&mut self, word: Word, row: &[ExprId]) -> ExprId {
        let mut value = row[0];
        for (at, &limb) in row.iter().enumerate().skip(1) {
            let limb = self.shifted(BinaryOp::Shl, limb, at as u16 * self.limb);
            value = self.op(BinaryOp::Add, value, limb);
        }
        match word.signed {
            true => build::wrap(self.pool, word, value),
            false => value,
        }
    }

    /// The same row, with no value in any limb where one of some expressions has none.
    pub fn together(&mut self, row: Vec<ExprId>, with: &[ExprId]) -> Vec<ExprId> {
        let risky: Vec<ExprId> = with
            .iter()
            .copied()
            .filter(|&part| !build::is_defined(self.pool, part))
            .collect();
        risky.into_iter().fold(row, |row, part| {
            let test = self.op(BinaryOp::Eq, part, part);
            self.choose(test, &row, &row)
        })
    }
}

#[cfg(test)]
mod tests {
    use evenhand_source::SplitMix64;
    use evenhand_system::relation::{Compiled, Environment, VarId};

    use super::*;

    /// A row of variables, and the values that make it a number.
    struct Rows {
        bits: u16,
        limb: u16,
        values: Vec<i64>,
        pool: Expressions,
    }

    impl Rows {
        fn wide(&mut self) -> Wide<'_> {
            Wide {
                pool: &mut self.pool,
                limb: self.limb,
            }
        }

        /// A row that is a number now.
        fn row(&mut self, number: u128) -> Vec<ExprId> {
            let (bits, limb) = (self.bits, self.limb);
            let count = self.wide().count(bits);
            (0..count)
                .map(|at| {
                    let width = self.wide().width(bits, at);
                    let part = number >> (at as u16 * limb) & ((1 << width) - 1);
                    self.values.push(part as i64);
                    self.pool.current(VarId(self.values.len() as u32 - 1))
                })
                .collect()
        }

        fn value(&self, expr: ExprId) -> Option<u128> {
            let environment = Environment {
                current: &self.values,
                next: &[],
            };
            let value = Compiled::new(&self.pool, expr).value(environment);
            value
                .ok()
                .map(|value| u128::try_from(value).expect("no limb is negative"))
        }

        fn number(&self, row: &[ExprId]) -> Option<u128> {
            let limbs: Option<Vec<u128>> = row.iter().map(|&limb| self.value(limb)).collect();
            let limbs = limbs?.into_iter().rev();
            Some(limbs.fold(0, |number, limb| {
                assert!(limb < 1 << self.limb);
                number << self.limb | limb
            }))
        }
    }

    fn random(random: &mut SplitMix64, bits: u16) -> u128 {
        let full = u128::from(random.number()) << 64 | u128::from(random.number());
        let number = match random.below(4) {
            0 => full >> random.below(127),
            1 => !(full >> random.below(127)),
            2 => 1 << random.below(bits.into()),
            _ => full,
        };
        number & mask(bits)
    }

    fn mask(bits: u16) -> u128 {
        u128::MAX >> (128 - bits)
    }

    fn signed(number: u128, bits: u16) -> i128 {
        ((number << (128 - bits)) as i128) >> (128 - bits)
    }

    /// Every operator, with limbs of three bits and of as many as there are, against numbers of 128 bits.
    #[test]
    fn rows_are_the_numbers_that_they_stand_for() {
        let mut dice = SplitMix64::new(7);
        for round in 0..400 {
            let limb = [3, 5, LIMB][round % 3];
            let bits = match limb {
                LIMB => 65 + dice.below(60) as u16,
                _ => 2 + dice.below(20) as u16,
            };
            let (a, b) = (random(&mut dice, bits), random(&mut dice, bits));
            let mut rows = Rows {
                bits,
                limb,
                values: Vec::new(),
                pool: Expressions::default(),
            };
            let (x, y) = (rows.row(a), rows.row(b));
            let keep = |number: u128| Some(number & mask(bits));
            let sum = rows.wide().add(bits, &x, &y);
            assert_eq!(rows.number(&sum), keep(a.wrapping_add(b)));
            let difference = rows.wide().subtract(bits, &x, &y);
            assert_eq!(rows.number(&difference), keep(a.wrapping_sub(b)));
            let product = rows.wide().multiply(bits, &x, &y);
            assert_eq!(rows.number(&product), keep(a.wrapping_mul(b)));
            let flipped = rows.wide().complement(bits, &x);
            assert_eq!(rows.number(&flipped), keep(!a));
            let same = rows.wide().equal(&x, &y);
            assert_eq!(rows.value(same), Some(u128::from(a == b)));
            for is_signed in [false, true] {
                let word = Word {
                    signed: is_signed,
                    bits,
                };
                let (i, j) = (signed(a, bits), signed(b, bits));
                let less = rows.wide().less(word, &x, &y);
                let expected = if is_signed { i < j } else { a < b };
                assert_eq!(rows.value(less), Some(u128::from(expected)), "{a} {b}");
                let [quotient, rest] = rows.wide().divide(word, &x, &y);
                let expected = match (b, is_signed) {
                    (0, _) => None,
                    (_, false) => Some((a / b, a % b)),
                    (_, true) => Some(((i / j) as u128, (i % j) as u128)),
                };
                let expected = expected.map(|(q, r)| (q & mask(bits), r & mask(bits)));
                let found = rows.number(&quotient).zip(rows.number(&rest));
                assert_eq!(found, expected, "{a} {b} {bits} {is_signed}");
                let by = dice.below(usize::from(bits) + 1) as u16;
                let distance = rows.row(by.into())[0];
                if limb == LIMB {
                    let left = rows.wide().shift(word, true, &x, distance);
                    let expected = a.checked_shl(by.into()).unwrap_or(0);
                    assert_eq!(rows.number(&left), keep(expected), "{a} << {by}");
                    let right = rows.wide().shift(word, false, &x, distance);
                    let expected = match is_signed {
                        true => (i >> by.min(127)) as u128,
                        false => a.checked_shr(by.into()).unwrap_or(0),
                    };
                    assert_eq!(rows.number(&right), keep(expected), "{a} >> {by}");
                }
                let to = 1 + dice.below(120) as u16;
                let found = match to >= bits {
                    true => rows.wide().extend(word, &x, to),
                    false => rows.wide().narrow(word, &x, to),
                };
                let expected = match (is_signed, to >= bits) {
                    (true, true) => i as u128 & mask(to),
                    (true, false) => {
                        let low = a & mask(to) >> 1;
                        low | u128::from(i < 0) << (to - 1)
                    }
                    (false, _) => a & mask(to),
                };
                assert_eq!(rows.number(&found), Some(expected), "{a} {bits} to {to}");
            }
            let low = dice.below(bits.into()) as u16;
            let count = 1 + dice.below(usize::from(bits - low)) as u16;
            let part = rows.wide().select(&x, low, count);
            assert_eq!(rows.number(&part), Some(a >> low & mask(count)));
            let below = 1 + dice.below(usize::from(127 - bits)) as u16;
            let small = b & mask(below.min(bits));
            let row = rows.wide().select(&y, 0, below);
            let both = rows.wide().concatenate((&x, bits), (&row, below));
            assert_eq!(rows.number(&both), Some(a << below | small));
        }
    }

    /// Above 128 bits: laws.
    #[test]
    fn wider_rows_obey_the_laws_of_numbers() {
        let mut dice = SplitMix64::new(11);
        for _ in 0..60 {
            let bits = 129 + dice.below(300) as u16;
            let mut pool = Expressions::default();
            let mut wide = Wide {
                pool: &mut pool,
                limb: LIMB,
            };
            let mut made = || {
                let words: Vec<u64> = (0..7).map(|_| dice.number()).collect();
                let top = 1 + dice.below(bits.into()) as u16;
                wide_constant(&words, top, bits)
            };
            let [a, b, c] = [made(), made(), made()]
                .map(|is_set| wide.constant(bits, |bit| is_set[usize::from(bit)]));
            let sum = wide.add(bits, &b, &c);
            let left = wide.multiply(bits, &a, &sum);
            let (ab, ac) = (wide.multiply(bits, &a, &b), wide.multiply(bits, &a, &c));
            let right = wide.add(bits, &ab, &ac);
            assert_eq!(
                values(&wide, &left),
                values(&wide, &right),
                "a (b + c) = a b + a c"
            );
            let back = wide.subtract(bits, &sum, &c);
            assert_eq!(values(&wide, &back), values(&wide, &b));
            for signed in [false, true] {
                let word = Word { signed, bits };
                let [q, r] = wide.divide(word, &a, &b);
                let zero = wide.zero(bits);
                if values(&wide, &b) == values(&wide, &zero) {
                    continue;
                }
                let whole = wide.multiply(bits, &q, &b);
                let whole = wide.add(bits, &whole, &r);
                assert_eq!(values(&wide, &whole), values(&wide, &a), "a = q b + r");
                if !signed {
                    let less = wide.less(word, &r, &b);
                    assert_eq!(values(&wide, &[less]), [1]);
                }
            }
        }
    }

    /// The values of limbs that depend on no variable. Where they are large on the way they are no constants.
    fn values(wide: &Wide<'_>, row: &[ExprId]) -> Vec<i64> {
        let environment = Environment {
            current: &[],
            next: &[],
        };
        let value = |&limb| Compiled::new(wide.pool, limb).value(environment);
        row.iter()
            .map(|limb| value(limb).expect("defined"))
            .collect()
    }

    fn wide_constant(words: &[u64], top: u16, bits: u16) -> Vec<bool> {
        let bit = |at: u16| at < top && words[usize::from(at / 64)] >> (at % 64) & 1 == 1;
        (0..bits).map(bit).collect()
    }
}
