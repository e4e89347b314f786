//! Numbers as rows of literals, and circuits on them.
//!
//! A number is in two's complement, the lowest bit first; its last bit is the sign and stands for all that
//! would follow. A result is as long as it must be, so no arithmetic ever overflows; what would need
//! more bits than the evaluator computes with is refused. The circuits are small rather than shallow: a solver
//! pays for gates, not for depth.

use batsat::Lit;
use evenhand_system::relation::Word;

use crate::gates::Gates;
use crate::solver::{Outcome, Stop};

/// The evaluator computes with so many bits.
pub(crate) const MOST: usize = 128;

/// The largest distance of a shift, and one more.
const DISTANCES: usize = 127;

/// A number.
pub(crate) type Number = Vec<Lit>;

/// How many bits a number needs, its sign included.
fn length(value: i128) -> usize {
    let magnitude = if value < 0 { !value } else { value };
    129 - magnitude.leading_zeros() as usize
}

/// Bit `at` of a number of any length.
fn bit(x: &[Lit], at: usize) -> Lit {
    x[at.min(x.len() - 1)]
}

/// Without bits that repeat the sign.
fn short(mut x: Number) -> Number {
    while let [.., a, b] = x[..]
        && a == b
    {
        x.pop();
    }
    x
}

fn checked(x: Number) -> Outcome<Number> {
    let x = short(x);
    match x.len() > MOST {
        true => Err(Stop::Refused(
            "a number needs more than 128 bits".to_string(),
        )),
        false => Ok(x),
    }
}

/// A constant.
pub(crate) fn constant(g: &Gates, value: i128) -> Number {
    (0..length(value))
        .map(|at| g.constant(value >> at.min(127) & 1 == 1))
        .collect()
}

/// A number without a sign.
pub(crate) fn natural(g: &Gates, mut bits: Vec<Lit>) -> Number {
    bits.push(g.no());
    bits
}

/// A number that is given by cases, of which exactly one is true.
pub(crate) fn select(g: &mut Gates, cases: &[(i128, Lit)]) -> Number {
    let width = cases
        .iter()
        .map(|(value, _)| length(*value))
        .max()
        .unwrap_or(1);
    let mut bits = Vec::with_capacity(width);
    for at in 0..width {
        let is_one = |value: i128| value >> at.min(127) & 1 == 1;
        bits.push(match cases.iter().all(|&(value, _)| is_one(value)) {
            true => g.yes(),
            false => {
                let ones = cases.iter().filter(|&&(value, _)| is_one(value));
                let ones: Vec<Lit> = ones.map(|&(_, case)| case).collect();
                g.any(&ones)
            }
        });
    }
    short(bits)
}

/// `width` bits of a sum.
fn ripple(g: &mut Gates, x: &[Lit], y: &[Lit], mut carry: Lit, width: usize) -> Number {
    let mut sum = Vec::with_capacity(width);
    for at in 0..width {
        let (a, b) = (bit(x, at), bit(y, at));
        let half = g.xor(a, b);
        sum.push(g.xor(half, carry));
        carry = g.majority(a, b, carry);
    }
    sum
}

pub(crate) fn add(g: &mut Gates, x: &[Lit], y: &[Lit]) -> Outcome<Number> {
    let width = x.len().max(y.len()) + 1;
    checked(ripple(g, x, y, g.no(), width))
}

pub(crate) fn subtract(g: &mut Gates, x: &[Lit], y: &[Lit]) -> Outcome<Number> {
    let width = x.len().max(y.len()) + 1;
    checked(ripple(g, x, &complement(y), g.yes(), width))
}

pub(crate) fn negate(g: &mut Gates, x: &[Lit]) -> Outcome<Number> {
    subtract(g, &[g.no()], x)
}

pub(crate) fn complement(x: &[Lit]) -> Number {
    x.iter().map(|&a| !a).collect()
}

/// An operation on each pair of bits.
pub(crate) fn bitwise(
    g: &mut Gates,
    x: &[Lit],
    y: &[Lit],
    operation: impl Fn(&mut Gates, Lit, Lit) -> Lit,
) -> Number {
    let width = x.len().max(y.len());
    short(
        (0..width)
            .map(|at| operation(g, bit(x, at), bit(y, at)))
            .collect(),
    )
}

/// The first number if the test is true, otherwise the second.
pub(crate) fn choice(g: &mut Gates, test: Lit, x: &[Lit], y: &[Lit]) -> Number {
    bitwise(g, x, y, |g, a, b| g.choice(test, a, b))
}

pub(crate) fn equal(g: &mut Gates, x: &[Lit], y: &[Lit]) -> Lit {
    let width = x.len().max(y.len());
    let same: Vec<Lit> = (0..width).map(|at| g.iff(bit(x, at), bit(y, at))).collect();
    g.all(&same)
}

/// Whether the first is less: the sign of the difference.
pub(crate) fn less(g: &mut Gates, x: &[Lit], y: &[Lit]) -> Lit {
    let width = x.len().max(y.len()) + 1;
    let mut borrow = g.no();
    for at in 0..width - 1 {
        borrow = g.majority(!bit(x, at), bit(y, at), borrow);
    }
    let (a, b) = (bit(x, width - 1), bit(y, width - 1));
    let half = g.xor(a, b);
    g.xor(half, borrow)
}

/// Whether it is not 0.
pub(crate) fn truth(g: &mut Gates, x: &[Lit]) -> Lit {
    g.any(x)
}

/// The lowest bits of a product.
pub(crate) fn product(g: &mut Gates, x: &[Lit], y: &[Lit], width: usize) -> Number {
    // Fewer rows if the known bits are those of the factor.
    let ones = |g: &Gates, z: &[Lit]| z.iter().filter(|&&a| g.known(a) != Some(false)).count();
    let (x, y) = if ones(g, x) < ones(g, y) {
        (y, x)
    } else {
        (x, y)
    };
    let mut total = vec![g.no(); width];
    for shift in 0..width {
        let factor = bit(y, shift);
        if g.known(factor) == Some(false) {
            continue;
        }
        let mut row = Vec::with_capacity(width - shift);
        for at in 0..width - shift {
            row.push(g.and(bit(x, at), factor));
        }
        let high = total.split_off(shift);
        total.extend(ripple(g, &high, &row, g.no(), width - shift));
    }
    total
}

pub(crate) fn multiply(g: &mut Gates, x: &[Lit], y: &[Lit]) -> Outcome<Number> {
    let width = x.len() + y.len();
    if width > MOST {
        return Err(Stop::Refused(
            "a product needs more than 128 bits".to_string(),
        ));
    }
    checked(product(g, x, y, width))
}

/// Quotient towards zero, and the remainder with the sign of the dividend; anything if the divisor is 0.
pub(crate) fn divide(g: &mut Gates, x: &[Lit], y: &[Lit]) -> Outcome<(Number, Number)> {
    let (x_sign, y_sign) = (x[x.len() - 1], y[y.len() - 1]);
    let (minus_x, minus_y) = (negate(g, x)?, negate(g, y)?);
    let dividend = choice(g, x_sign, &minus_x, x);
    let divisor = choice(g, y_sign, &minus_y, y);
    let mut rest: Number = vec![g.no()];
    let mut quotient: Number = vec![g.no(); dividend.len() + 1];
    for at in (0..dividend.len()).rev() {
        // The rest is less than the divisor: so much of it may be other than 0.
        rest.insert(0, dividend[at]);
        rest.truncate(divisor.len() + 1);
        let fits = !less(g, &rest, &divisor);
        let left = subtract(g, &rest, &divisor)?;
        rest = choice(g, fits, &left, &rest);
        quotient[at] = fits;
    }
    let differ = g.xor(x_sign, y_sign);
    let (minus_quotient, minus_rest) = (negate(g, &quotient)?, negate(g, &rest)?);
    let quotient = choice(g, differ, &minus_quotient, &quotient);
    Ok((quotient, choice(g, x_sign, &minus_rest, &rest)))
}

/// A number shifted by another one, and where that has no value.
pub(crate) fn shift(g: &mut Gates, x: &[Lit], by: &[Lit], left: bool) -> Outcome<(Number, Lit)> {
    let mut result = vec![g.no()];
    let (mut allowed, mut lost) = (Vec::new(), Vec::new());
    for distance in 0..DISTANCES {
        let wanted = constant(g, distance as i128);
        let here = equal(g, by, &wanted);
        if g.known(here) == Some(false) {
            continue;
        }
        let shifted: Number = match left {
            true => {
                let mut bits = vec![g.no(); distance];
                bits.extend_from_slice(x);
                for at in MOST..bits.len() {
                    let differ = g.xor(bits[at], bits[MOST - 1]);
                    lost.push(g.and(here, differ));
                }
                bits.truncate(MOST);
                bits
            }
            false => (distance..x.len().max(distance + 1))
                .map(|at| bit(x, at))
                .collect(),
        };
        result = choice(g, here, &shifted, &result);
        allowed.push(here);
    }
    let is_allowed = g.any(&allowed);
    lost.push(!is_allowed);
    Ok((checked(result)?, g.any(&lost)))
}

/// The lowest bits as a word.
pub(crate) fn wrap(g: &Gates, word: Word, x: &[Lit]) -> Number {
    let width = usize::from(word.bits);
    let mut bits: Number = (0..width).map(|at| bit(x, at)).collect();
    if !word.signed {
        bits.push(g.no());
    }
    short(bits)
}
