//! Sorting with an order that may fail: values of different kinds have none. The sorts of the standard library are for
//! orders that always answer, and may panic with others.
//!
//! Few values are inserted one by one, each at the place that a binary search finds; many are halved and merged.
//! What is in order already costs one comparison per value, and so do two rows in order behind each other.

use std::cmp::Ordering;

use crate::failure::Failure;

/// So many are inserted one by one.
pub(super) const FEW: usize = 16;

/// Items in order; equal ones stay as they are.
pub(super) fn sorted<T>(
    mut items: Vec<T>,
    compare: &impl Fn(&T, &T) -> Result<Ordering, Failure>,
) -> Result<Vec<T>, Failure> {
    if items.len() > FEW {
        let right = items.split_off(items.len() / 2);
        return merge(sorted(items, compare)?, sorted(right, compare)?, compare);
    }
    insert(&mut items, compare)?;
    Ok(items)
}

/// Puts a few items in order; equal ones stay as they are.
pub(super) fn insert<T>(
    items: &mut [T],
    compare: &impl Fn(&T, &T) -> Result<Ordering, Failure>,
) -> Result<(), Failure> {
    for place in 1..items.len() {
        if compare(&items[place - 1], &items[place])? != Ordering::Greater {
            continue;
        }
        let (mut low, mut high) = (0, place - 1);
        while low < high {
            let middle = (low + high) / 2;
            match compare(&items[middle], &items[place])? {
                Ordering::Greater => high = middle,
                _ => low = middle + 1,
            }
        }
        items[low..=place].rotate_right(1);
    }
    Ok(())
}

fn merge<T>(
    mut left: Vec<T>,
    right: Vec<T>,
    compare: &impl Fn(&T, &T) -> Result<Ordering, Failure>,
) -> Result<Vec<T>, Failure> {
    if let (Some(last), Some(first)) = (left.last(), right.first())
        && compare(last, first)? != Ordering::Greater
    {
        left.extend(right);
        return Ok(left);
    }
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        let next = match compare(a, b)? {
            Ordering::Greater => right.next(),
            _ => left.next(),
        };
        merged.extend(next);
    }
    merged.extend(left);
    merged.extend(right);
    Ok(merged)
}
