//! Types: how many values they have, in which order, and how values are kept.
//!
//! A value is a row of numbers, one for each leaf of its type: the components of a struct one after the other,
//! a number for the active component of a union and room for the largest, the items of an array, the
//! length of a buffer and room for all its items, the next one to go first. What is not used is 0, so that equal values are equal rows.
//!
//! The order is Maria's: the last component of a struct, the last item of an array or a buffer counts most; shorter
//! buffers come first, and so do the first components of a union. A constraint is a list of ranges in that order.

mod convert;
mod order;

use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use evenhand_source::spend;

/// A type, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct TypeId(u32);

/// How many numbers a value may have.
pub(crate) const MOST_SLOTS: usize = 1 << 12;

/// Ranges of values: the first and the last of each.
pub(crate) type Ranges = Vec<(Vec<i64>, Vec<i64>)>;

/// Ranges of numbers in ascending order that do not touch.
pub(crate) type Numbers = Vec<(i64, i64)>;

/// What a leaf is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Leaf {
    Truth,
    Signed,
    Unsigned,
    Character,
    Enum(Arc<[(Arc<str>, i64)]>),
    Id,
}

/// A component of a struct or a union.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Component {
    pub name: Arc<str>,
    pub ty: TypeId,
    /// Where it begins.
    pub offset: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Leaf(Leaf, Numbers),
    Struct(Vec<Component>),
    Union(Vec<Component>),
    Array {
        index: TypeId,
        element: TypeId,
        len: usize,
    },
    Buffer {
        element: TypeId,
        capacity: usize,
        stack: bool,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct Type {
    pub name: Arc<str>,
    pub kind: Kind,
    /// Numbers of a value.
    pub slots: usize,
    /// How many values there are, if that can be counted.
    pub count: Option<u128>,
    /// Bits of a value that is packed.
    pub bits: usize,
    /// Ranges of the values that are allowed, of a type that is no leaf; none if all are.
    pub ranges: Ranges,
    /// Whether its values have an order that people may ask for.
    pub ordered: bool,
}

/// All types of a net.
#[derive(Clone, Debug)]
pub(crate) struct Types {
    list: Vec<Type>,
    names: HashMap<Arc<str>, TypeId>,
}

impl Types {
    /// The types that every net has.
    pub fn new() -> Types {
        let mut types = Types {
            list: Vec::new(),
            names: HashMap::new(),
        };
        let built_in = [
            ("bool", Leaf::Truth, (0, 1)),
            ("int", Leaf::Signed, (i32::MIN.into(), i32::MAX.into())),
            ("unsigned", Leaf::Unsigned, (0, u32::MAX.into())),
            ("char", Leaf::Character, (0, u8::MAX.into())),
        ];
        for (name, leaf, range) in built_in {
            let ty = types.leaf(leaf, vec![range]);
            types.list[ty.0 as usize].name = name.into();
            types.names.insert(name.into(), ty);
        }
        types
    }

    pub const TRUTH: TypeId = TypeId(0);
    pub const SIGNED: TypeId = TypeId(1);
    pub const UNSIGNED: TypeId = TypeId(2);
    pub const CHARACTER: TypeId = TypeId(3);

    pub fn get(&self, ty: TypeId) -> &Type {
        &self.list[ty.0 as usize]
    }

    pub fn kind(&self, ty: TypeId) -> &Kind {
        &self.get(ty).kind
    }

    #[inline]
    pub fn slots(&self, ty: TypeId) -> usize {
        self.list[ty.0 as usize].slots
    }

    pub fn named(&self, name: &str) -> Option<TypeId> {
        self.names.get(name).copied()
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(|name| &**name)
    }

    /// Gives a type a name; whoever had it loses it.
    pub fn call(&mut self, name: Arc<str>, ty: TypeId) {
        let own = &mut self.list[ty.0 as usize];
        if own.name.is_empty() {
            own.name = name.clone();
        }
        self.names.insert(name, ty);
    }

    fn add(&mut self, kind: Kind, slots: usize, count: Option<u128>, bits: usize) -> TypeId {
        let ordered = match &kind {
            Kind::Leaf(leaf, _) => *leaf != Leaf::Id,
            Kind::Struct(list) | Kind::Union(list) => {
                list.iter().all(|part| self.get(part.ty).ordered)
            }
            Kind::Array { element, .. } | Kind::Buffer { element, .. } => {
                self.get(*element).ordered
            }
        };
        self.list.push(Type {
            name: "".into(),
            kind,
            slots,
            count,
            bits,
            ranges: Vec::new(),
            ordered,
        });
        TypeId(self.list.len() as u32 - 1)
    }

    /// A leaf with ranges that are in order and not empty.
    pub fn leaf(&mut self, leaf: Leaf, ranges: Numbers) -> TypeId {
        let count = ranges.iter().map(|(low, high)| (high - low) as u128 + 1);
        let count: u128 = count.sum();
        self.add(Kind::Leaf(leaf, ranges), 1, Some(count), bits_for(count))
    }

    /// A struct; none if it is too large.
    pub fn structure(&mut self, parts: Vec<(Arc<str>, TypeId)>) -> Option<TypeId> {
        let (mut slots, mut bits, mut count) = (0, 0, Some(1u128));
        let mut components = Vec::new();
        for (name, ty) in parts {
            let part = self.get(ty);
            let offset = slots;
            slots += part.slots;
            bits += part.bits;
            count = count.zip(part.count).and_then(|(a, b)| a.checked_mul(b));
            components.push(Component { name, ty, offset });
            if slots > MOST_SLOTS {
                return None;
            }
        }
        Some(self.add(Kind::Struct(components), slots, count, bits))
    }

    /// A union; none if it is too large.
    pub fn union(&mut self, parts: Vec<(Arc<str>, TypeId)>) -> Option<TypeId> {
        let tags = bits_for(parts.len() as u128);
        let (mut slots, mut bits, mut count) = (0, 0, Some(0u128));
        let mut components = Vec::new();
        for (name, ty) in parts {
            let part = self.get(ty);
            slots = slots.max(part.slots);
            bits = bits.max(part.bits);
            count = count.zip(part.count).and_then(|(a, b)| a.checked_add(b));
            let offset = 1;
            components.push(Component { name, ty, offset });
        }
        let found = self.add(Kind::Union(components), slots + 1, count, bits + tags);
        (slots < MOST_SLOTS).then_some(found)
    }

    /// An array; none if it is too large.
    pub fn array(&mut self, element: TypeId, index: TypeId) -> Option<TypeId> {
        let len = self
            .get(index)
            .count
            .and_then(|n| usize::try_from(n).ok())?;
        let (part, count) = (self.get(element), self.get(element).count);
        let slots = part.slots.max(1).checked_mul(len)?;
        if slots > MOST_SLOTS {
            return None;
        }
        let (slots, bits) = (part.slots * len, part.bits * len);
        let count = count.and_then(|n| n.checked_pow(len as u32));
        let kind = Kind::Array {
            index,
            element,
            len,
        };
        Some(self.add(kind, slots, count, bits))
    }

    /// A buffer; none if it is too large.
    pub fn buffer(&mut self, element: TypeId, capacity: usize, stack: bool) -> Option<TypeId> {
        let part = self.get(element);
        let slots = part.slots.max(1).checked_mul(capacity)?;
        if slots >= MOST_SLOTS {
            return None;
        }
        let (slots, bits) = (part.slots * capacity + 1, part.bits * capacity);
        let (mut count, mut power) = (Some(1u128), Some(1u128));
        for _ in 0..capacity {
            power = power.zip(part.count).and_then(|(a, b)| a.checked_mul(b));
            count = count.zip(power).and_then(|(a, b)| a.checked_add(b));
        }
        let bits = bits + bits_for(capacity as u128 + 1);
        let kind = Kind::Buffer {
            element,
            capacity,
            stack,
        };
        Some(self.add(kind, slots, count, bits))
    }

    /// The type with those values alone that lie in one of the ranges; none if there are no such values.
    pub fn constrained(&mut self, ty: TypeId, ranges: Ranges) -> Option<TypeId> {
        let old = self.get(ty).clone();
        if let Kind::Leaf(leaf, numbers) = old.kind {
            let given = ranges.iter().map(|(low, high)| (low[0], high[0])).collect();
            let both = intersection(&numbers, &normal(given));
            return (!both.is_empty()).then(|| self.leaf(leaf, both));
        }
        let mut sorted = ranges;
        sorted.retain(|(low, high)| self.compare(ty, low, high).is_le());
        sorted.sort_by(|(a, _), (b, _)| self.compare(ty, a, b));
        let mut merged: Ranges = Vec::new();
        for (low, high) in sorted {
            match merged.last_mut() {
                Some((_, end)) if self.compare(ty, &low, end).is_le() => {
                    if self.compare(ty, end, &high).is_lt() {
                        *end = high;
                    }
                }
                _ => merged.push((low, high)),
            }
        }
        let mut both = Vec::new();
        for (low, high) in merged {
            if old.ranges.is_empty() {
                both.push((low, high));
                continue;
            }
            for (least, most) in &old.ranges {
                let low = later(self.compare(ty, &low, least), &low, least);
                let high = later(self.compare(ty, &high, most).reverse(), &high, most);
                if self.compare(ty, low, high).is_le() {
                    both.push((low.to_vec(), high.to_vec()));
                }
            }
        }
        if both.is_empty() {
            return None;
        }
        let found = self.add(old.kind.clone(), old.slots, None, old.bits);
        self.list[found.0 as usize].ranges = both;
        let count = self.counted(found);
        self.list[found.0 as usize].count = count;
        Some(found)
    }

    /// Counts the values of a type with a constraint, if they are few.
    fn counted(&self, ty: TypeId) -> Option<u128> {
        const MOST: u128 = 1 << 20;
        let mut value = self.first(ty);
        for count in 1..=MOST {
            spend();
            if self.next(ty, &mut value) {
                return Some(count);
            }
        }
        None
    }

    /// A value as people write it.
    pub fn show(&self, ty: TypeId, value: &[i64]) -> String {
        let mut text = String::new();
        self.write(ty, value, &mut text);
        text
    }

    fn write(&self, ty: TypeId, value: &[i64], text: &mut String) {
        let items = |element: TypeId, len: usize, value: &[i64], text: &mut String| {
            let size = self.slots(element);
            text.push('{');
            for item in 0..len {
                text.push_str(if item == 0 { "" } else { "," });
                self.write(element, &value[item * size..], text);
            }
            text.push('}');
        };
        match self.kind(ty) {
            Kind::Leaf(Leaf::Truth, _) => {
                text.push_str(if value[0] == 0 { "false" } else { "true" })
            }
            Kind::Leaf(Leaf::Enum(list), _) => {
                match list.iter().find(|(_, number)| *number == value[0]) {
                    Some((name, _)) => text.push_str(name),
                    None => drop(write!(text, "{}", value[0])),
                }
            }
            Kind::Leaf(Leaf::Character, _) => {
                let character = char::from(u8::try_from(value[0]).unwrap_or_default());
                let _ = write!(text, "'{}'", character.escape_default());
            }
            Kind::Leaf(..) => drop(write!(text, "{}", value[0])),
            Kind::Struct(list) => {
                text.push('{');
                for (number, part) in list.iter().enumerate() {
                    text.push_str(if number == 0 { "" } else { "," });
                    self.write(part.ty, &value[part.offset..], text);
                }
                text.push('}');
            }
            Kind::Union(list) => {
                let part = &list[value[0] as usize];
                let _ = write!(text, "{}=", part.name);
                self.write(part.ty, &value[1..], text);
            }
            Kind::Array { element, len, .. } => items(*element, *len, value, text),
            Kind::Buffer { element, .. } => items(*element, value[0] as usize, &value[1..], text),
        }
    }

    /// What a type is called in a message.
    pub fn called(&self, ty: TypeId) -> String {
        let own = self.get(ty);
        if !own.name.is_empty() {
            return format!("`{}`", own.name);
        }
        let what = match &own.kind {
            Kind::Leaf(Leaf::Truth, _) => "a truth value",
            Kind::Leaf(Leaf::Character, _) => "a character",
            Kind::Leaf(Leaf::Enum(_), _) => "an enumeration",
            Kind::Leaf(Leaf::Id, _) => "an identifier",
            Kind::Leaf(..) => "a number",
            Kind::Struct(_) => "a struct",
            Kind::Union(_) => "a union",
            Kind::Array { .. } => "an array",
            Kind::Buffer { stack: true, .. } => "a stack",
            Kind::Buffer { .. } => "a queue",
        };
        what.to_string()
    }
}

fn later<'v>(order: Ordering, a: &'v [i64], b: &'v [i64]) -> &'v [i64] {
    if order.is_lt() { b } else { a }
}

/// How many bits tell so many things apart.
pub(crate) fn bits_for(count: u128) -> usize {
    match count {
        0 | 1 => 0,
        _ => (u128::BITS - (count - 1).leading_zeros()) as usize,
    }
}

/// Ranges in order, each of which is not empty and does not touch the next.
pub(crate) fn normal(mut ranges: Numbers) -> Numbers {
    ranges.retain(|(low, high)| low <= high);
    ranges.sort_unstable();
    let mut merged: Numbers = Vec::new();
    for (low, high) in ranges {
        match merged.last_mut() {
            Some((_, end)) if low <= end.saturating_add(1) => *end = (*end).max(high),
            _ => merged.push((low, high)),
        }
    }
    merged
}

/// What lies in both.
pub(crate) fn intersection(a: &Numbers, b: &Numbers) -> Numbers {
    let pairs = a.iter().flat_map(|a| b.iter().map(move |b| (a, b)));
    let both = pairs.map(|(a, b)| (a.0.max(b.0), a.1.min(b.1)));
    normal(both.collect())
}

/// The place of a number in the ranges.
pub(crate) fn number_rank(ranges: &Numbers, number: i64) -> u64 {
    if let [(low, _)] = ranges[..] {
        return (number - low) as u64;
    }
    let mut before = 0;
    for (low, high) in ranges {
        if number <= *high {
            return before + (number - low).max(0) as u64;
        }
        before += (high - low) as u64 + 1;
    }
    before
}

/// The number at a place of the ranges, if there is one.
pub(crate) fn ranked_number(ranges: &Numbers, mut rank: u64) -> Option<i64> {
    for (low, high) in ranges {
        let count = (high - low) as u64 + 1;
        if rank < count {
            return Some(low + rank as i64);
        }
        rank -= count;
    }
    None
}
