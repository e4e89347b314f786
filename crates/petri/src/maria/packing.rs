//! Markings as bits.
//!
//! A place that always has one token is a field at a fixed bit: the value of the token, each leaf with as many bits as
//! its type needs. All other places follow, one after the other, as lists: how many different tokens there
//! are, and for each how often it is there and its value. Counts are Elias gamma codes, so that 1 takes one bit and
//! no number is too large. Tokens stand in their order: equal markings are equal bytes. Constant places are not kept.

use super::bag::Bag;
use super::code::PlaceId;
use super::scope::Place;
use super::types::{Kind, TypeId, Types, bits_for, number_rank, ranked_number};

/// Where the tokens of places are kept.
#[derive(Debug)]
pub(crate) struct Packing {
    /// The places with one token, and the bit at which each begins.
    pub fields: Vec<(PlaceId, usize)>,
    /// For each place its bit, if it has one.
    field_of: Vec<Option<usize>>,
    /// Bits of all fields.
    fixed: usize,
    /// The other places.
    pub lists: Vec<PlaceId>,
}

impl Packing {
    pub fn new(types: &Types, places: &[Place]) -> Packing {
        let mut packing = Packing {
            fields: Vec::new(),
            field_of: vec![None; places.len()],
            fixed: 0,
            lists: Vec::new(),
        };
        for (number, place) in places.iter().enumerate() {
            let id = PlaceId(number as u32);
            if place.constant {
                continue;
            }
            match &place.capacity {
                Some(ranges) if *ranges == [(1, 1)] => {
                    packing.fields.push((id, packing.fixed));
                    packing.field_of[number] = Some(packing.fixed);
                    packing.fixed += types.get(place.ty).bits;
                }
                _ => packing.lists.push(id),
            }
        }
        packing
    }

    /// The bit of a place that always has one token.
    pub fn field(&self, place: PlaceId) -> Option<usize> {
        self.field_of[place.index()]
    }

    /// Bytes of the fields.
    pub fn fixed_bytes(&self) -> usize {
        self.fixed.div_ceil(8)
    }

    /// The bit at which the lists begin.
    pub fn lists_at(&self) -> usize {
        self.fixed
    }
}

/// Reads bits; none behind the end.
pub(crate) struct Reader<'b> {
    pub bytes: &'b [u8],
    pub at: usize,
}

impl Reader<'_> {
    #[inline]
    pub fn take(&mut self, width: usize) -> Option<u64> {
        if width == 0 {
            return Some(0);
        }
        let (byte, shift) = (self.at / 8, self.at % 8);
        self.at += width;
        if self.at > self.bytes.len() * 8 {
            return None;
        }
        let word = match self.bytes.get(byte..byte + 8) {
            Some(eight) => u64::from_le_bytes(eight.try_into().ok()?),
            None => {
                let mut eight = [0; 8];
                let rest = &self.bytes[byte..];
                eight[..rest.len()].copy_from_slice(rest);
                u64::from_le_bytes(eight)
            }
        };
        // No leaf has more than 32 bits.
        Some(word >> shift & ((1 << width) - 1))
    }

    /// A gamma code.
    fn count(&mut self) -> Option<u64> {
        let mut zeros = 0;
        while self.take(1)? == 0 {
            zeros += 1;
            if zeros > 63 {
                return None;
            }
        }
        let (low, high) = (zeros.min(32), zeros - zeros.min(32));
        let bottom = self.take(low)?;
        let top = self.take(high)?;
        Some(1 << zeros | top << low | bottom)
    }

    /// A value of a type, added to a row.
    pub fn value(&mut self, types: &Types, ty: TypeId, out: &mut Vec<i64>) -> Option<()> {
        let own = types.get(ty);
        match &own.kind {
            Kind::Leaf(_, ranges) => {
                let rank = self.take(own.bits)?;
                let number = match ranges[..] {
                    [(low, high)] => Some(low + rank as i64).filter(|n| *n <= high),
                    _ => ranked_number(ranges, rank),
                };
                out.push(number?);
            }
            Kind::Struct(list) => {
                for part in list {
                    self.value(types, part.ty, out)?;
                }
            }
            Kind::Union(list) => {
                let end = out.len() + own.slots;
                let start = self.at;
                let tag = self.take(bits_for(list.len() as u128))?;
                out.push(tag as i64);
                self.value(types, list.get(tag as usize)?.ty, out)?;
                out.resize(end, 0);
                self.at = start + own.bits;
            }
            Kind::Array { element, len, .. } => {
                for _ in 0..*len {
                    self.value(types, *element, out)?;
                }
            }
            Kind::Buffer {
                element, capacity, ..
            } => {
                let end = out.len() + own.slots;
                let start = self.at;
                let len = self.take(bits_for(*capacity as u128 + 1))?;
                if len > *capacity as u64 {
                    return None;
                }
                out.push(len as i64);
                for _ in 0..len {
                    self.value(types, *element, out)?;
                }
                out.resize(end, 0);
                self.at = start + own.bits;
            }
        }
        Some(())
    }

    /// The tokens of a place that is kept as a list.
    pub fn tokens(&mut self, types: &Types, ty: TypeId, bag: &mut Bag) -> Option<()> {
        bag.reset(types.slots(ty));
        let len = self.count()? - 1;
        if len > (self.bytes.len() * 8) as u64 {
            return None;
        }
        for _ in 0..len {
            let count = self.count()?;
            self.value(types, ty, &mut bag.values)?;
            bag.counts.push(count);
        }
        Some(())
    }
}

/// Writes bits over zeros.
pub(crate) struct Writer<'b> {
    pub bytes: &'b mut Vec<u8>,
    pub at: usize,
}

impl Writer<'_> {
    /// Writes at most 32 bits.
    #[inline]
    pub fn put(&mut self, width: usize, value: u64) {
        let end = (self.at + width).div_ceil(8);
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        let mut byte = self.at / 8;
        let mut rest = value << (self.at % 8);
        self.at += width;
        while rest != 0 {
            self.bytes[byte] |= rest as u8;
            rest >>= 8;
            byte += 1;
        }
    }

    fn count(&mut self, number: u64) {
        let zeros = number.ilog2() as usize;
        for _ in 0..zeros {
            self.put(1, 0);
        }
        self.put(1, 1);
        let low = zeros.min(32);
        self.put(low, number & ((1 << low) - 1));
        let high = zeros - low;
        self.put(high, number >> low & ((1 << high) - 1));
    }

    pub fn value(&mut self, types: &Types, ty: TypeId, value: &[i64]) {
        let own = types.get(ty);
        match &own.kind {
            Kind::Leaf(_, ranges) => self.put(own.bits, number_rank(ranges, value[0])),
            Kind::Struct(list) => {
                for part in list {
                    self.value(types, part.ty, &value[part.offset..]);
                }
            }
            Kind::Union(list) => {
                let end = self.at + own.bits;
                self.put(bits_for(list.len() as u128), value[0] as u64);
                self.value(types, list[value[0] as usize].ty, &value[1..]);
                self.pad(end);
            }
            Kind::Array { element, len, .. } => {
                let size = types.slots(*element);
                for item in 0..*len {
                    self.value(types, *element, &value[item * size..]);
                }
            }
            Kind::Buffer {
                element, capacity, ..
            } => {
                let end = self.at + own.bits;
                let size = types.slots(*element);
                self.put(bits_for(*capacity as u128 + 1), value[0] as u64);
                for item in 0..value[0] as usize {
                    self.value(types, *element, &value[1 + item * size..]);
                }
                self.pad(end);
            }
        }
    }

    /// Zeros up to a bit.
    fn pad(&mut self, end: usize) {
        self.at = end;
        let bytes = end.div_ceil(8);
        if self.bytes.len() < bytes {
            self.bytes.resize(bytes, 0);
        }
    }

    pub fn tokens(&mut self, types: &Types, ty: TypeId, bag: &Bag) {
        self.count(bag.len() as u64 + 1);
        for at in 0..bag.len() {
            self.count(bag.counts[at]);
            self.value(types, ty, bag.value(at));
        }
    }

    /// Copies bits.
    pub fn copy(&mut self, from: &[u8], range: std::ops::Range<usize>) {
        let mut reader = Reader {
            bytes: from,
            at: range.start,
        };
        while reader.at < range.end {
            let width = (range.end - reader.at).min(32);
            self.put(width, reader.take(width).unwrap_or(0));
        }
    }
}

/// Makes some bits zero.
pub(crate) fn clear(bytes: &mut [u8], at: usize, width: usize) {
    let (mut at, end) = (at, at + width);
    while at < end {
        let (byte, shift) = (at / 8, at % 8);
        let here = (8 - shift).min(end - at);
        bytes[byte] &= !((((1u16 << here) - 1) as u8) << shift);
        at += here;
    }
}
