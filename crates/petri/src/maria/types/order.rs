//! The order of the values of a type: the first and the last, the next and the one before, and places in it.

use std::cmp::Ordering;

use evenhand_source::spend;

use super::{Kind, Numbers, TypeId, Types, number_rank};

impl Types {
    /// The smallest value.
    pub fn first(&self, ty: TypeId) -> Vec<i64> {
        let mut value = vec![0; self.slots(ty)];
        self.set_end(ty, &mut value, false);
        value
    }

    /// Makes the smallest value of this one.
    pub fn set_first(&self, ty: TypeId, value: &mut [i64]) {
        self.set_end(ty, value, false);
    }

    /// The largest value.
    pub fn last(&self, ty: TypeId) -> Vec<i64> {
        let mut value = vec![0; self.slots(ty)];
        self.set_end(ty, &mut value, true);
        value
    }

    pub(super) fn set_end(&self, ty: TypeId, value: &mut [i64], largest: bool) {
        let own = self.get(ty);
        let bound = if largest {
            own.ranges.last().map(|(_, high)| high)
        } else {
            own.ranges.first().map(|(low, _)| low)
        };
        if let Some(bound) = bound {
            value.copy_from_slice(bound);
            return;
        }
        value.fill(0);
        match &own.kind {
            Kind::Leaf(_, ranges) => {
                value[0] = match largest {
                    true => ranges[ranges.len() - 1].1,
                    false => ranges[0].0,
                }
            }
            Kind::Struct(list) => {
                for part in list {
                    let end = part.offset + self.slots(part.ty);
                    self.set_end(part.ty, &mut value[part.offset..end], largest);
                }
            }
            Kind::Union(list) => {
                let tag = if largest { list.len() - 1 } else { 0 };
                value[0] = tag as i64;
                let size = self.slots(list[tag].ty);
                self.set_end(list[tag].ty, &mut value[1..1 + size], largest);
            }
            Kind::Array { element, len, .. } => {
                let size = self.slots(*element);
                for item in 0..*len {
                    let place = item * size..(item + 1) * size;
                    self.set_end(*element, &mut value[place], largest);
                }
            }
            Kind::Buffer {
                element, capacity, ..
            } if largest => {
                value[0] = *capacity as i64;
                let size = self.slots(*element);
                for item in 0..*capacity {
                    let place = 1 + item * size..1 + (item + 1) * size;
                    self.set_end(*element, &mut value[place], true);
                }
            }
            Kind::Buffer { .. } => {}
        }
    }

    /// Makes the next value of this one; behind the last one comes the first, and that is told.
    pub fn next(&self, ty: TypeId, value: &mut [i64]) -> bool {
        self.advance(ty, value, false)
    }

    /// Makes the value before; before the first one comes the last, and that is told.
    pub fn previous(&self, ty: TypeId, value: &mut [i64]) -> bool {
        self.advance(ty, value, true)
    }

    pub(super) fn advance(&self, ty: TypeId, value: &mut [i64], back: bool) -> bool {
        let own = self.get(ty);
        let around = self.advance_freely(ty, value, back);
        if own.ranges.is_empty() {
            return around;
        }
        let inside = |value: &[i64]| {
            let mut ranges = own.ranges.iter();
            ranges.any(|(low, high)| {
                self.compare(ty, low, value).is_le() && self.compare(ty, value, high).is_le()
            })
        };
        if !around && inside(value) {
            return false;
        }
        let next = match (around, back) {
            (true, _) => None,
            (_, false) => {
                let lows = own.ranges.iter().map(|(low, _)| low);
                lows.into_iter()
                    .find(|low| self.compare(ty, value, low).is_lt())
            }
            (_, true) => {
                let highs = own.ranges.iter().rev().map(|(_, high)| high);
                highs
                    .into_iter()
                    .find(|high| self.compare(ty, high, value).is_lt())
            }
        };
        match next {
            Some(next) => {
                value.copy_from_slice(next);
                false
            }
            None => {
                self.set_end(ty, value, back);
                true
            }
        }
    }

    /// The same without a look at the ranges of a type that is no leaf.
    pub(super) fn advance_freely(&self, ty: TypeId, value: &mut [i64], back: bool) -> bool {
        match &self.get(ty).kind {
            Kind::Leaf(_, ranges) => {
                let (found, around) = match back {
                    false => next_number(ranges, value[0]),
                    true => previous_number(ranges, value[0]),
                };
                value[0] = found;
                around
            }
            Kind::Struct(list) => list.iter().all(|part| {
                let end = part.offset + self.slots(part.ty);
                self.advance(part.ty, &mut value[part.offset..end], back)
            }),
            Kind::Union(list) => {
                let tag = value[0] as usize;
                let size = self.slots(list[tag].ty);
                if !self.advance(list[tag].ty, &mut value[1..1 + size], back) {
                    return false;
                }
                let (next, around) = match back {
                    false if tag + 1 == list.len() => (0, true),
                    false => (tag + 1, false),
                    true if tag == 0 => (list.len() - 1, true),
                    true => (tag - 1, false),
                };
                value.fill(0);
                value[0] = next as i64;
                let size = self.slots(list[next].ty);
                self.set_end(list[next].ty, &mut value[1..1 + size], back);
                around
            }
            Kind::Array { element, len, .. } => {
                let size = self.slots(*element);
                (0..*len).all(|item| {
                    let place = item * size..(item + 1) * size;
                    self.advance(*element, &mut value[place], back)
                })
            }
            Kind::Buffer {
                element, capacity, ..
            } => {
                let size = self.slots(*element);
                let len = value[0] as usize;
                let around = (0..len).all(|item| {
                    let place = 1 + item * size..1 + (item + 1) * size;
                    self.advance(*element, &mut value[place], back)
                });
                if !around {
                    return false;
                }
                let (next, around) = match back {
                    false if len == *capacity => (0, true),
                    false => (len + 1, false),
                    true if len == 0 => (*capacity, true),
                    true => (len - 1, false),
                };
                value.fill(0);
                value[0] = next as i64;
                for item in 0..next {
                    let place = 1 + item * size..1 + (item + 1) * size;
                    self.set_end(*element, &mut value[place], back);
                }
                around
            }
        }
    }

    /// The order of two values.
    pub fn compare(&self, ty: TypeId, a: &[i64], b: &[i64]) -> Ordering {
        match &self.get(ty).kind {
            Kind::Leaf(..) => a[0].cmp(&b[0]),
            Kind::Struct(list) => {
                let parts = list.iter().rev().map(|part| {
                    let place = part.offset..part.offset + self.slots(part.ty);
                    self.compare(part.ty, &a[place.clone()], &b[place])
                });
                parts.fold(Ordering::Equal, Ordering::then)
            }
            Kind::Union(list) => a[0].cmp(&b[0]).then_with(|| {
                let ty = list[a[0] as usize].ty;
                let place = 1..1 + self.slots(ty);
                self.compare(ty, &a[place.clone()], &b[place])
            }),
            Kind::Array { element, len, .. } => self.compare_items(*element, *len, a, b),
            Kind::Buffer { element, .. } => a[0].cmp(&b[0]).then_with(|| {
                let len = a[0] as usize;
                self.compare_items(*element, len, &a[1..], &b[1..])
            }),
        }
    }

    pub(super) fn compare_items(
        &self,
        element: TypeId,
        len: usize,
        a: &[i64],
        b: &[i64],
    ) -> Ordering {
        let size = self.slots(element);
        let parts = (0..len).rev().map(|item| {
            let place = item * size..(item + 1) * size;
            self.compare(element, &a[place.clone()], &b[place])
        });
        parts.fold(Ordering::Equal, Ordering::then)
    }

    /// Whether a row of numbers that has the form of a value is one of the type.
    pub fn contains(&self, ty: TypeId, value: &[i64]) -> bool {
        let own = self.get(ty);
        let inside = match &own.kind {
            Kind::Leaf(_, ranges) => ranges
                .iter()
                .any(|(low, high)| (*low..=*high).contains(&value[0])),
            Kind::Struct(list) => list.iter().all(|part| {
                let end = part.offset + self.slots(part.ty);
                self.contains(part.ty, &value[part.offset..end])
            }),
            Kind::Union(list) => {
                let ty = list[value[0] as usize].ty;
                self.contains(ty, &value[1..1 + self.slots(ty)])
            }
            Kind::Array { element, len, .. } => self.contains_items(*element, *len, value),
            Kind::Buffer { element, .. } => {
                self.contains_items(*element, value[0] as usize, &value[1..])
            }
        };
        inside
            && (own.ranges.is_empty()
                || own.ranges.iter().any(|(low, high)| {
                    self.compare(ty, low, value).is_le() && self.compare(ty, value, high).is_le()
                }))
    }

    pub(super) fn contains_items(&self, element: TypeId, len: usize, value: &[i64]) -> bool {
        let size = self.slots(element);
        (0..len).all(|item| self.contains(element, &value[item * size..(item + 1) * size]))
    }

    /// The place of a value in the order of its type, which must be one that can be counted. A type that is no
    /// leaf and has a constraint is counted through.
    pub fn rank(&self, ty: TypeId, value: &[i64]) -> u128 {
        let own = self.get(ty);
        if !own.ranges.is_empty() {
            let mut here = self.first(ty);
            let mut rank = 0;
            while here != value && !self.next(ty, &mut here) {
                spend();
                rank += 1;
            }
            return rank;
        }
        let count = |ty: TypeId| self.get(ty).count.unwrap_or(u128::MAX);
        let items = |element: TypeId, len: usize, value: &[i64]| {
            let size = self.slots(element);
            let ranks = (0..len).rev().map(|item| {
                let place = item * size..(item + 1) * size;
                self.rank(element, &value[place])
            });
            ranks.fold(0u128, |sum, rank| {
                sum.saturating_mul(count(element)).saturating_add(rank)
            })
        };
        match &own.kind {
            Kind::Leaf(_, ranges) => u128::from(number_rank(ranges, value[0])),
            Kind::Struct(list) => {
                let ranks = list.iter().rev().map(|part| {
                    let end = part.offset + self.slots(part.ty);
                    (part.ty, self.rank(part.ty, &value[part.offset..end]))
                });
                ranks.fold(0u128, |sum, (ty, rank)| {
                    sum.saturating_mul(count(ty)).saturating_add(rank)
                })
            }
            Kind::Union(list) => {
                let tag = value[0] as usize;
                let before = list[..tag].iter().map(|part| count(part.ty));
                let before = before.fold(0u128, u128::saturating_add);
                let ty = list[tag].ty;
                before.saturating_add(self.rank(ty, &value[1..1 + self.slots(ty)]))
            }
            Kind::Array { element, len, .. } => items(*element, *len, value),
            Kind::Buffer { element, .. } => {
                let len = value[0] as u32;
                let powers = (0..len).map(|n| count(*element).saturating_pow(n));
                let shorter = powers.fold(0u128, u128::saturating_add);
                shorter.saturating_add(items(*element, len as usize, &value[1..]))
            }
        }
    }
}

fn next_number(ranges: &Numbers, number: i64) -> (i64, bool) {
    let mut candidates = ranges
        .iter()
        .filter(|(_, high)| *high > number)
        .map(|(low, _)| (*low).max(number + 1));
    match candidates.next() {
        Some(next) => (next, false),
        None => (ranges[0].0, true),
    }
}

fn previous_number(ranges: &Numbers, number: i64) -> (i64, bool) {
    let mut candidates = ranges
        .iter()
        .rev()
        .filter(|(low, _)| *low < number)
        .map(|(_, high)| (*high).min(number - 1));
    match candidates.next() {
        Some(previous) => (previous, false),
        None => (ranges[ranges.len() - 1].1, true),
    }
}
