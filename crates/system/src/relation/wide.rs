//! Words of more than 64 bits: several variables that are told as one.
//!
//! **Idea.** A value of a variable has 64 bits. A wider word is a row of *limbs*, words without sign of at most 32 bits, the
//! lowest first; each is a variable like others, so engines, packed states and evaluation know nothing of wide words and
//! do not get slower by them. Whoever shows a state to people joins them.

use super::{Relation, Role, Sort, VarId};
use crate::explicit::Value;

/// A wide word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wide {
    /// Its name.
    pub name: String,
    /// Whether the highest bit is the sign.
    pub signed: bool,
    /// Its limbs, the lowest first: each a word without sign.
    pub limbs: Vec<VarId>,
}

impl Relation {
    /// The wide word that a variable is part of, and how many bits lie below it.
    pub fn wide_of(&self, id: VarId) -> Option<(&Wide, usize)> {
        self.wide.iter().find_map(|wide| {
            let place = wide.limbs.iter().position(|&limb| limb == id)?;
            let below = wide.limbs[..place].iter().map(|&limb| self.bits_of(limb));
            Some((wide, below.sum()))
        })
    }

    fn bits_of(&self, limb: VarId) -> usize {
        match &self.variables[limb.0 as usize].sort {
            Sort::Word(word) => usize::from(word.bits),
            _ => 0,
        }
    }

    /// The name that people know a variable by.
    pub fn told_name(&self, id: VarId) -> &str {
        match self.wide_of(id) {
            Some((wide, _)) => &wide.name,
            None => &self.variables[id.0 as usize].name,
        }
    }

    /// Values of variables as people read them.
    pub fn told(&self, values: impl IntoIterator<Item = (VarId, i64)>) -> Vec<(String, Value)> {
        let values: Vec<(VarId, i64)> = values.into_iter().collect();
        let one = |&(id, value): &(VarId, i64)| {
            let variable = &self.variables[id.0 as usize];
            if self.wide.is_empty() {
                return Some((variable.name.clone(), self.shown(&variable.sort, value)));
            }
            match self.wide_of(id) {
                None => Some((variable.name.clone(), self.shown(&variable.sort, value))),
                // Told where its lowest limb stands.
                Some((wide, 0)) => {
                    let of = |limb: &VarId| {
                        let found = values.iter().find(|(id, _)| id == limb);
                        found.map_or(0, |(_, value)| *value)
                    };
                    let bits = wide.limbs.iter().flat_map(|limb| {
                        let value = of(limb);
                        (0..self.bits_of(*limb)).map(move |at| value >> at & 1 == 1)
                    });
                    let text = decimal(&bits.collect::<Vec<bool>>(), wide.signed);
                    Some((wide.name.clone(), Value::Text(text)))
                }
                Some(_) => None,
            }
        };
        values.iter().filter_map(one).collect()
    }

    /// The inputs of a valuation of all variables.
    pub(super) fn inputs_of<'v>(
        &'v self,
        values: &'v [i64],
    ) -> impl Iterator<Item = (VarId, i64)> + 'v {
        let variables = (0..).map(VarId).zip(&self.variables).zip(values);
        let inputs = variables.filter(|((_, v), _)| v.role == Role::Input);
        inputs.map(|((id, _), &value)| (id, value))
    }

    /// The value of a limb, from the values that people read.
    pub(super) fn limb_from(&self, id: VarId, named: &[(String, Value)]) -> Option<i64> {
        let (wide, below) = self.wide_of(id)?;
        let (_, value) = named.iter().find(|(name, _)| *name == wide.name)?;
        let Value::Text(text) = value else {
            return None;
        };
        let all = wide.limbs.iter().map(|&limb| self.bits_of(limb)).sum();
        let bits = bits_of_decimal(text, all)?;
        let own = &bits[below..below + self.bits_of(id)];
        Some(
            own.iter()
                .rev()
                .fold(0, |value, &bit| value << 1 | i64::from(bit)),
        )
    }
}

/// The number with these bits, the lowest first.
fn decimal(bits: &[bool], signed: bool) -> String {
    let is_negative = signed && bits.last() == Some(&true);
    let bits = if is_negative {
        negated(bits)
    } else {
        bits.to_vec()
    };
    let mut digits = vec![0u8];
    for &bit in bits.iter().rev() {
        let mut carry = u8::from(bit);
        for digit in &mut digits {
            let twice = 2 * *digit + carry;
            (*digit, carry) = (twice % 10, twice / 10);
        }
        if carry > 0 {
            digits.push(carry);
        }
    }
    let sign = if is_negative { "-" } else { "" };
    let digits = digits.iter().rev().map(|&digit| char::from(b'0' + digit));
    sign.chars().chain(digits).collect()
}

/// The lowest bits of a number.
fn bits_of_decimal(text: &str, count: usize) -> Option<Vec<bool>> {
    let (is_negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let mut digits: Vec<u8> = Vec::with_capacity(text.len());
    for byte in text.bytes() {
        digits.push(byte.checked_sub(b'0').filter(|&digit| digit < 10)?);
    }
    if digits.is_empty() {
        return None;
    }
    let mut bits = Vec::with_capacity(count);
    for _ in 0..count {
        let mut rest = 0;
        for digit in &mut digits {
            let value = 10 * rest + *digit;
            (*digit, rest) = (value / 2, value % 2);
        }
        bits.push(rest == 1);
    }
    Some(if is_negative { negated(&bits) } else { bits })
}

/// Two's complement.
fn negated(bits: &[bool]) -> Vec<bool> {
    let mut carry = true;
    let flip = |&bit: &bool| {
        let sum = !bit ^ carry;
        carry &= !bit;
        sum
    };
    bits.iter().map(flip).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_read_as_they_are_written() {
        let number =
            |value: i128| -> Vec<bool> { (0..100).map(|at| value >> at & 1 == 1).collect() };
        for value in [0, 1, 9, 10, 1 << 64, (1 << 98) + 12345, (1 << 99) - 1] {
            assert_eq!(decimal(&number(value), true), value.to_string());
            assert_eq!(decimal(&number(-value), true), (-value).to_string());
            for value in [value, -value] {
                assert_eq!(
                    bits_of_decimal(&value.to_string(), 100),
                    Some(number(value))
                );
            }
        }
        assert_eq!(
            decimal(&number(-1), false),
            ((1u128 << 100) - 1).to_string()
        );
        assert_eq!(bits_of_decimal("1x", 8), None);
        assert_eq!(bits_of_decimal("-", 8), None);
    }
}
