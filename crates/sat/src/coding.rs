//! Variables as bits.
//!
//! A variable of a position is a row of new literals: its value itself where values are numbers one after the
//! other, or its place in the list of its values. Clauses leave out the codes that no value has.

use batsat::Lit;
use evenhand_system::relation::Sort;

use crate::gates::Gates;
use crate::number::{self, Number};

/// A variable at a position.
#[derive(Clone, Debug)]
pub(crate) struct Coded {
    /// The literals that decide it.
    pub bits: Vec<Lit>,
    /// Its value; a truth value is its only bit without a sign.
    pub value: Number,
}

/// A variable with new literals.
pub(crate) fn fresh(g: &mut Gates, sort: &Sort) -> Coded {
    let (low, high) = sort.bounds();
    let (low, high) = (i128::from(low), i128::from(high));
    let row = |g: &mut Gates, count: usize| -> Vec<Lit> {
        (0..count).map(|_| g.solver.fresh()).collect()
    };
    match sort {
        Sort::Bool => {
            let bits = row(g, 1);
            let value = number::natural(g, bits.clone());
            Coded { bits, value }
        }
        Sort::Word(word) => {
            let bits = row(g, usize::from(word.bits));
            // A word of 64 bits without a sign is kept as the signed number with the same bits.
            let value = match word.signed || word.bits >= 64 {
                true => bits.clone(),
                false => number::natural(g, bits.clone()),
            };
            Coded { bits, value }
        }
        Sort::Values(list) => {
            let width = usize::BITS - list.len().saturating_sub(1).leading_zeros();
            let bits = row(g, width as usize);
            let place = number::natural(g, bits.clone());
            let mut cases = Vec::with_capacity(list.len());
            for (at, &value) in list.iter().enumerate() {
                let at = number::constant(g, at as i128);
                cases.push((i128::from(value), number::equal(g, &place, &at)));
            }
            let one: Vec<Lit> = cases.iter().map(|&(_, case)| case).collect();
            g.solver.clause(&one);
            let value = number::select(g, &cases);
            Coded { bits, value }
        }
        Sort::Enumeration(_) | Sort::Range(..) => {
            // As many bits as the ends need, with a sign if there are negative values.
            let width = number::constant(g, low)
                .len()
                .max(number::constant(g, high).len());
            let width = if low >= 0 { width - 1 } else { width };
            let bits = row(g, width);
            let value = match low >= 0 {
                true => number::natural(g, bits.clone()),
                false => bits.clone(),
            };
            let (least, most) = (number::constant(g, low), number::constant(g, high));
            let below = number::less(g, &value, &least);
            let above = number::less(g, &most, &value);
            g.solver.clause(&[!below]);
            g.solver.clause(&[!above]);
            Coded { bits, value }
        }
    }
}

/// The value of a variable in the solution that was found last.
pub(crate) fn read(g: &Gates, coded: &Coded) -> i64 {
    let sign = coded.value.last().is_some_and(|&a| g.solver.value(a));
    let start: i128 = if sign { -1 } else { 0 };
    let value = coded
        .value
        .iter()
        .enumerate()
        .fold(start, |value, (at, &a)| match g.solver.value(a) {
            true => value | 1 << at.min(127),
            false => value & !(1 << at.min(127)),
        });
    value as i64
}
