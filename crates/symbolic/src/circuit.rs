//! Arithmetic on numbers that are lists of bits.
//!
//! Numbers are in two's complement, the lowest bit first, the last bit is the sign and stands for
//! all higher ones; a sum is one bit longer than its operands, so that nothing is ever lost.
//! Addition ripples, multiplication adds shifted copies, division subtracts shifted divisors: what
//! matters is the size of the diagrams of the results, not the depth of the circuit.

use evenhand_system::relation::Word;

use crate::manager::{Manager, Outcome, Set};
use crate::watch::Stop;

/// No number may be longer: the evaluator computes with 128 bits.
pub(crate) const LONGEST: usize = 127;

/// A number.
pub(crate) fn constant(m: &Manager, value: i128) -> Vec<Set> {
    let bit = |at: usize| match value >> at & 1 {
        1 => m.yes(),
        _ => m.no(),
    };
    shortened((0..128).map(bit).collect())
}

/// The same number without signs that say nothing.
fn shortened(mut bits: Vec<Set>) -> Vec<Set> {
    while bits.len() > 1 && bits[bits.len() - 1] == bits[bits.len() - 2] {
        bits.pop();
    }
    bits
}

/// The same number with at least so many bits.
pub(crate) fn extended(bits: &[Set], width: usize) -> Vec<Set> {
    let mut bits = bits.to_vec();
    while bits.len() < width
        && let Some(sign) = bits.last().cloned()
    {
        bits.push(sign);
    }
    bits
}

fn checked(bits: Vec<Set>) -> Outcome<Vec<Set>> {
    let bits = shortened(bits);
    if bits.len() > LONGEST + 1 {
        return Err(Stop::Refused("a number needs more than 128 bits".into()));
    }
    Ok(bits)
}

/// A number that is given by cases.
pub(crate) fn from_cases(m: &Manager, cases: &[(i128, Set)]) -> Outcome<Vec<Set>> {
    let length = |v: i128| 129 - (if v < 0 { !v } else { v }).leading_zeros() as usize;
    let width = cases.iter().map(|(v, _)| length(*v)).max().unwrap_or(1);
    let mut bits = Vec::with_capacity(width);
    for at in 0..width {
        let ones = cases.iter().filter(|(v, _)| v >> at.min(127) & 1 == 1);
        bits.push(m.any(ones.map(|(_, set)| set))?);
    }
    Ok(shortened(bits))
}

fn sum(m: &Manager, x: &[Set], y: &[Set], mut carry: Set) -> Outcome<Vec<Set>> {
    let width = x.len().max(y.len()) + 1;
    let (x, y) = (extended(x, width), extended(y, width));
    let mut bits = Vec::with_capacity(width);
    for (a, b) in x.iter().zip(&y) {
        let half = m.xor(a, b)?;
        bits.push(m.xor(&half, &carry)?);
        carry = m.if_then_else(&half, &carry, a)?;
    }
    Ok(bits)
}

/// Sum.
pub(crate) fn add(m: &Manager, x: &[Set], y: &[Set]) -> Outcome<Vec<Set>> {
    checked(sum(m, x, y, m.no())?)
}

/// Difference.
pub(crate) fn subtract(m: &Manager, x: &[Set], y: &[Set]) -> Outcome<Vec<Set>> {
    checked(sum(m, x, &complement(m, y)?, m.yes())?)
}

/// Bitwise complement.
pub(crate) fn complement(m: &Manager, x: &[Set]) -> Outcome<Vec<Set>> {
    x.iter().map(|bit| m.not(bit)).collect()
}

/// An operation on each pair of bits.
pub(crate) fn bitwise(
    x: &[Set],
    y: &[Set],
    operation: impl Fn(&Set, &Set) -> Outcome<Set>,
) -> Outcome<Vec<Set>> {
    let width = x.len().max(y.len());
    let (x, y) = (extended(x, width), extended(y, width));
    let bits: Outcome<Vec<Set>> = x.iter().zip(&y).map(|(a, b)| operation(a, b)).collect();
    Ok(shortened(bits?))
}

/// Where two numbers are the same.
pub(crate) fn equal(m: &Manager, x: &[Set], y: &[Set]) -> Outcome<Set> {
    let width = x.len().max(y.len());
    let (x, y) = (extended(x, width), extended(y, width));
    let mut same = m.yes();
    for (a, b) in x.iter().zip(&y) {
        same = m.and(&same, &m.equiv(a, b)?)?;
    }
    Ok(same)
}

/// Where the first is less.
pub(crate) fn less(m: &Manager, x: &[Set], y: &[Set]) -> Outcome<Set> {
    let width = x.len().max(y.len());
    let (x, y) = (extended(x, width), extended(y, width));
    let mut less = m.no();
    for (at, (a, b)) in x.iter().zip(&y).enumerate() {
        let differ = m.xor(a, b)?;
        // The sign counts the other way round.
        let smaller = if at + 1 == width { a } else { b };
        less = m.if_then_else(&differ, smaller, &less)?;
    }
    Ok(less)
}

/// Product; only the lowest bits matter if there are more.
pub(crate) fn multiply(m: &Manager, x: &[Set], y: &[Set], most: usize) -> Outcome<Vec<Set>> {
    let width = (x.len() + y.len()).min(most.max(1));
    if most == LONGEST && x.len() + y.len() > LONGEST + 1 {
        return Err(Stop::Refused("a product needs more than 128 bits".into()));
    }
    let (x, y) = (extended(x, width), extended(y, width));
    let mut total = vec![m.no(); width];
    for (shift, bit) in y.iter().take(width).enumerate() {
        if m.is_empty(bit) {
            continue;
        }
        let mut carry = m.no();
        for at in shift..width {
            let addend = m.and(&x[at - shift], bit)?;
            let half = m.xor(&total[at], &addend)?;
            let digit = m.xor(&half, &carry)?;
            carry = m.if_then_else(&half, &carry, &addend)?;
            total[at] = digit;
        }
    }
    Ok(if most == LONGEST {
        shortened(total)
    } else {
        total
    })
}

/// The number without its sign, and the sign.
fn magnitude(m: &Manager, x: &[Set]) -> Outcome<(Vec<Set>, Set)> {
    let sign = x.last().cloned().unwrap_or_else(|| m.no());
    let negated = subtract(m, &constant(m, 0), x)?;
    let value = bitwise(&negated, x, |a, b| m.if_then_else(&sign, a, b))?;
    Ok((value, sign))
}

/// Quotient towards zero and remainder with the sign of the dividend; anything where the divisor
/// is 0.
pub(crate) fn divide(m: &Manager, x: &[Set], y: &[Set]) -> Outcome<(Vec<Set>, Vec<Set>)> {
    let ((dividend, negative), (divisor, other)) = (magnitude(m, x)?, magnitude(m, y)?);
    let mut remainder = vec![m.no()];
    let mut quotient = Vec::new();
    for bit in dividend.iter().rev() {
        remainder.insert(0, bit.clone());
        let fits = m.not(&less(m, &remainder, &divisor)?)?;
        let rest = subtract(m, &remainder, &divisor)?;
        remainder = bitwise(&rest, &remainder, |a, b| m.if_then_else(&fits, a, b))?;
        quotient.insert(0, fits);
    }
    quotient.push(m.no());
    let signed = |value: &[Set], sign: &Set| -> Outcome<Vec<Set>> {
        let negated = subtract(m, &constant(m, 0), value)?;
        bitwise(&negated, value, |a, b| m.if_then_else(sign, a, b))
    };
    let differ = m.xor(&negative, &other)?;
    Ok((signed(&quotient, &differ)?, signed(&remainder, &negative)?))
}

/// A number shifted by another one, and where the distance is not allowed.
pub(crate) fn shift(m: &Manager, x: &[Set], by: &[Set], left: bool) -> Outcome<(Vec<Set>, Set)> {
    let mut result = constant(m, 0);
    let (mut allowed, mut lost) = (m.no(), m.no());
    for distance in 0..127_usize {
        let here = equal(m, by, &constant(m, distance as i128))?;
        if m.is_empty(&here) {
            continue;
        }
        let shifted = match left {
            true => {
                let mut bits = vec![m.no(); distance];
                bits.extend_from_slice(x);
                // What does not fit into 128 bits is lost.
                for at in LONGEST + 1..bits.len() {
                    let differ = m.xor(&bits[at], &bits[LONGEST])?;
                    lost = m.or(&lost, &m.and(&here, &differ)?)?;
                }
                bits.truncate(LONGEST + 1);
                shortened(bits)
            }
            false => match x.get(distance..) {
                Some(rest) if !rest.is_empty() => rest.to_vec(),
                _ => x[x.len().saturating_sub(1)..].to_vec(),
            },
        };
        result = bitwise(&shifted, &result, |a, b| m.if_then_else(&here, a, b))?;
        allowed = m.or(&allowed, &here)?;
    }
    Ok((result, m.or(&m.not(&allowed)?, &lost)?))
}

/// The lowest bits as a word.
pub(crate) fn as_word(m: &Manager, word: Word, bits: Vec<Set>) -> Vec<Set> {
    let width = usize::from(word.bits.clamp(1, 64));
    let mut bits = extended(&bits, width);
    bits.truncate(width);
    if !word.signed {
        bits.push(m.no());
    }
    shortened(bits)
}
