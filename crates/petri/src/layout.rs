//! Markings as packed bytes: as few bits for a place as it seems to need, and never too few.
//!
//! **Problem.** How many tokens a place can hold is not known before all markings are. A field of
//! 32 bits for each place wastes nearly everything; a field of one bit is wrong as soon as there are two tokens.
//!
//! **Idea.** Each place has a narrow field for its low bits. Where the tokens of every place fit, the
//! fields are all there is. Where not, the rest of every place follows behind them, in 1, 2 or 4 bytes for
//! each: the fewest that do. That makes the bytes of a marking unique, whatever was seen before, so that
//! threads need not agree on anything; the length tells how much of a rest there is; and the narrow
//! fields stay where they are, which transition groups need ([`crate::groups`]).
//!
//! How wide the fields are is taken from a *sample* of markings along random walks ([`sample`]): a place gets
//! as many bits as the most tokens seen there need, none if no transition changes it, and one more if that is then surely
//! enough ([`crate::invariants`]). A sample that saw too little costs bytes, never truth.
//!
//! Places of which at most one is marked at a time, with one token, share a field: it holds the number of the marked
//! one, or 0. Which places these are is for others to prove ([`crate::units`], [`crate::invariants`]).
//!
//! A field of up to 8 bits lies inside of one byte, so that reading it is a shift and a mask.

use evenhand_source::budget::spend_many;
use evenhand_source::{SplitMix64, spend};

use crate::net::Net;
use crate::structure::changes;

/// Where the tokens of a place stand in the bytes of a marking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    /// The first byte.
    pub byte: u32,
    /// How many bits of that byte come before.
    shift: u8,
    /// 0 to 8, 16 or 32.
    bits: u8,
    /// What it holds where it has no bits.
    constant: u32,
    /// In a field that places share, the number that stands for a token in this one; otherwise 0.
    code: u8,
}

impl Field {
    /// The tokens in the bytes of a marking.
    #[inline]
    pub fn read(self, bytes: &[u8]) -> u32 {
        let at = self.byte as usize;
        match self.bits {
            0 => self.constant,
            16 => u32::from(bytes[at]) | u32::from(bytes[at + 1]) << 8,
            32 => {
                let low = u32::from(bytes[at]) | u32::from(bytes[at + 1]) << 8;
                low | u32::from(bytes[at + 2]) << 16 | u32::from(bytes[at + 3]) << 24
            }
            bits => {
                let value = u32::from(bytes[at]) >> self.shift & ((1 << bits) - 1);
                match self.code {
                    0 => value,
                    code => u32::from(value == u32::from(code)),
                }
            }
        }
    }

    /// Whether so many tokens fit.
    #[inline]
    pub fn fits(self, tokens: u32) -> bool {
        match self.bits {
            0 => tokens == self.constant,
            _ if self.code > 0 => tokens <= 1,
            bits => u64::from(tokens) < 1 << bits,
        }
    }

    /// Puts tokens, or their low bits, into the bytes of a marking.
    #[inline]
    pub fn write(self, bytes: &mut [u8], tokens: u32) {
        let at = self.byte as usize;
        match self.bits {
            0 => {}
            16 => bytes[at..at + 2].copy_from_slice(&(tokens as u16).to_le_bytes()),
            32 => bytes[at..at + 4].copy_from_slice(&tokens.to_le_bytes()),
            bits => {
                let mask = ((1_u16 << bits) - 1) as u8;
                let value = match (self.code, tokens & 1) {
                    (0, _) => tokens as u8 & mask,
                    // It may be the token of another place that stands there.
                    (code, 0) if bytes[at] >> self.shift & mask != code => return,
                    (_, 0) => 0,
                    (code, _) => code,
                };
                let kept = bytes[at] & !(mask << self.shift);
                bytes[at] = kept | value << self.shift;
            }
        }
    }

    /// The bytes it lies in.
    pub fn bytes(self) -> std::ops::Range<usize> {
        let count = usize::from(self.bits).div_ceil(8);
        self.byte as usize..self.byte as usize + count
    }
}

/// How the markings of a net are packed.
#[derive(Clone, Debug)]
pub(crate) struct Layouts {
    pub fields: Vec<Field>,
    /// The length of a marking without a rest.
    pub len: usize,
}

/// How many bytes the rest of a place may have.
const RESTS: [usize; 4] = [0, 1, 2, 4];

impl Layouts {
    /// The layouts of a net, with lists of places of which at most one has a token, and no more than one, and the
    /// most tokens that places can have, where that is known.
    pub fn new(net: &Net, exclusive: &[Vec<u32>], bounds: &[Option<u64>]) -> Layouts {
        let mut most = sample(net);
        for (most, bound) in most.iter_mut().zip(bounds) {
            // What is surely enough is taken if it costs no more than a bit.
            let enough = bound.and_then(|bound| u32::try_from(bound).ok());
            let bits = |number: u32| 32 - number.leading_zeros();
            if let Some(enough) = enough.filter(|&enough| bits(enough) <= bits(*most) + 1) {
                *most = enough.max(*most);
            }
        }
        narrow(net, &most, exclusive, false)
    }

    /// A layout in which each place has bytes of its own.
    pub fn spread(net: &Net, bounds: &[Option<u64>]) -> Layouts {
        let mut most = sample(net);
        for (most, bound) in most.iter_mut().zip(bounds) {
            let bound = bound.and_then(|bound| u32::try_from(bound).ok());
            *most = bound.unwrap_or(0).clamp(*most, (*most).max(u8::MAX.into()));
        }
        narrow(net, &most, &[], true)
    }

    /// How many bytes the rest of each place has in a marking; no marking has another length.
    pub fn rest(&self, bytes: &[u8]) -> Option<usize> {
        if bytes.len() == self.len {
            return Some(0);
        }
        let mut rests = RESTS.into_iter();
        rests.find(|rest| bytes.len() == self.len + rest * self.fields.len())
    }

    /// Where the rest of a place stands.
    pub fn rest_of(&self, place: u32, rest: usize) -> std::ops::Range<usize> {
        let start = self.len + place as usize * rest;
        start..start + rest
    }

    /// The tokens of a place in a packed marking of one of these lengths.
    #[inline]
    pub fn tokens(&self, place: u32, bytes: &[u8]) -> u32 {
        let field = self.fields[place as usize];
        let low = field.read(bytes);
        if bytes.len() == self.len || field.bits == 0 || field.bits == 32 {
            return low;
        }
        let rest = self.rest(bytes).unwrap_or(0);
        let high = bytes[self.rest_of(place, rest)].iter().rev();
        let high = high.fold(0, |high, &byte| high << 8 | u32::from(byte));
        match field.code {
            0 => low | high << field.bits,
            _ => low | high << 1,
        }
    }

    /// Unpacks a marking.
    pub fn unpack(&self, bytes: &[u8], marking: &mut Vec<u32>) {
        marking.clear();
        let places = 0..self.fields.len() as u32;
        marking.extend(places.map(|place| self.tokens(place, bytes)));
    }

    /// Packs a marking.
    pub fn pack(&self, marking: &[u32], bytes: &mut Vec<u8>) {
        let highs = || {
            let pairs = self.fields.iter().zip(marking);
            pairs.map(|(field, &tokens)| match field.bits {
                0 | 32 => 0,
                _ if field.code > 0 => tokens >> 1,
                bits => tokens >> bits,
            })
        };
        let rest = match highs().max().unwrap_or(0) {
            0 => 0,
            1..0x100 => 1,
            0x100..0x1_0000 => 2,
            _ => 4,
        };
        bytes.clear();
        bytes.resize(self.len, 0);
        for (field, &tokens) in self.fields.iter().zip(marking) {
            field.write(bytes, tokens);
        }
        if rest > 0 {
            for high in highs() {
                bytes.extend_from_slice(&high.to_le_bytes()[..rest]);
            }
        }
    }
}

/// The layout for the most tokens that were seen in each place; with whole bytes for each, if wanted.
fn narrow(net: &Net, most: &[u32], exclusive: &[Vec<u32>], is_spread: bool) -> Layouts {
    let changes = changes(net);
    let bits = |place: usize| match (changes[place], most[place]) {
        (false, _) => 0,
        (true, most) => match (32 - most.leading_zeros()).max(1) {
            0..=8 if is_spread => 8,
            bits @ 0..=8 => bits as u8,
            9..=16 => 16,
            _ => 32,
        },
    };
    let empty = Field {
        byte: 0,
        shift: 0,
        bits: 0,
        constant: 0,
        code: 0,
    };
    let mut fields = vec![empty; net.places.len()];
    // What shares a field: the bits, and the places.
    let mut shared: Vec<(u8, Vec<usize>)> = Vec::new();
    let mut is_alone = vec![true; fields.len()];
    for list in exclusive {
        let list = list.iter().map(|&place| place as usize);
        let list: Vec<usize> = list.filter(|&place| changes[place]).collect();
        // Of two places none saves anything.
        if (3..=255).contains(&list.len()) {
            list.iter().for_each(|&place| is_alone[place] = false);
            let most = list.len() as u32;
            shared.push(((32 - most.leading_zeros()) as u8, list));
        }
    }
    let alone = (0..fields.len()).filter(|&place| is_alone[place]);
    shared.extend(alone.map(|place| (bits(place), vec![place])));
    // Wide ones first: what is left of a byte is for a narrow one.
    shared.sort_by_key(|(bits, _)| std::cmp::Reverse(*bits));
    let (mut len, mut used) = (0, 8);
    for (bits, list) in shared {
        let mut place_field = empty;
        place_field.bits = bits;
        if bits > 8 {
            place_field.byte = len;
            len += u32::from(bits / 8);
        } else if bits > 0 {
            if used + bits > 8 || is_spread {
                (len, used) = (len + 1, 0);
            }
            (place_field.byte, place_field.shift) = (len - 1, used);
            used += bits;
        }
        for (number, &place) in list.iter().enumerate() {
            place_field.constant = net.places[place].initial;
            place_field.code = match list.len() {
                1 => 0,
                _ => number as u8 + 1,
            };
            fields[place] = place_field;
        }
    }
    // A marking has at least one byte.
    let len = (len as usize).max(1);
    Layouts { fields, len }
}

/// How much work a sample may be, in places and transitions that are looked at.
const EFFORT: usize = 20_000_000;
const WALKS: usize = 24;
const STEPS: usize = 2_000;

/// The most tokens in each place along some random walks; the same ones each time.
fn sample(net: &Net) -> Vec<u32> {
    let initial = net.initial();
    let mut most = initial.clone();
    let mut dice = SplitMix64::new(19);
    let mut enabled = Vec::new();
    let cost = net.places.len() + net.transitions.len() + 1;
    let mut left = EFFORT / cost;
    for _ in 0..WALKS {
        let mut marking = initial.clone();
        for _ in 0..STEPS {
            if left == 0 {
                return most;
            }
            left -= 1;
            spend_many(cost);
            enabled.clear();
            enabled.extend((0..net.transitions.len()).filter(|&t| net.is_enabled(t, &marking)));
            if enabled.is_empty() {
                break;
            }
            let chosen = enabled[dice.below(enabled.len())];
            if !net.fire(chosen, &mut marking) {
                break;
            }
            for change in &net.transitions[chosen].changes {
                let place = change.place as usize;
                most[place] = most[place].max(marking[place]);
            }
        }
        spend();
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{Change, Place, Transition};

    /// Places that some transition fills, whose fields were made for these numbers.
    fn layouts(most: &[u32], exclusive: &[Vec<u32>]) -> Layouts {
        let change = |place| Change {
            place: place as u32,
            reset: false,
            difference: 1,
        };
        let net = Net {
            places: most.iter().map(|_| Place::default()).collect(),
            transitions: vec![Transition {
                changes: (0..most.len()).map(change).collect(),
                ..Transition::default()
            }],
            ..Net::default()
        };
        narrow(&net, most, exclusive, false)
    }

    #[test]
    fn every_marking_comes_back_and_has_bytes_of_its_own() {
        let mut dice = SplitMix64::new(1);
        for most in [
            &[1, 1, 1][..],
            &[5, 3, 255, 1, 0],
            &[300, 70_000, 1],
            &[u32::MAX],
            &[],
        ] {
            let layouts = layouts(most, &[]);
            let mut seen = std::collections::HashMap::new();
            let (mut bytes, mut back) = (Vec::new(), Vec::new());
            for _ in 0..2000 {
                let width = dice.below(33) as u32;
                let marking: Vec<u32> = most
                    .iter()
                    .map(|_| (dice.number() as u32).checked_shr(width).unwrap_or(0))
                    .collect();
                layouts.pack(&marking, &mut bytes);
                layouts.unpack(&bytes, &mut back);
                assert_eq!(back, marking);
                let known = seen.entry(bytes.clone()).or_insert_with(|| marking.clone());
                assert_eq!(*known, marking);
            }
        }
    }

    #[test]
    fn few_tokens_need_few_bytes() {
        assert_eq!(layouts(&[1; 16], &[]).len, 2);
        assert_eq!(layouts(&[5, 5, 1, 1], &[]).len, 1);
        let mut bytes = Vec::new();
        layouts(&[1; 16], &[]).pack(&[2; 16], &mut bytes);
        assert_eq!(bytes.len(), 18);
    }

    #[test]
    fn places_that_exclude_each_other_share_a_field() {
        let layouts = layouts(
            &[1, 1, 1, 1, 1, 1, 1, 3],
            &[vec![1, 3, 5, 6], vec![0, 2, 4]],
        );
        assert_eq!(layouts.len, 1);
        let (mut bytes, mut back) = (Vec::new(), Vec::new());
        let mut seen = std::collections::HashSet::new();
        for (first, second) in (0..5).flat_map(|first| (0..4).map(move |second| (first, second))) {
            for tokens in 0..9 {
                let mut marking = vec![0; 8];
                marking[7] = tokens;
                if let Some(&place) = [1, 3, 5, 6].get(first) {
                    marking[place] = 1;
                }
                if let Some(&place) = [0, 2, 4].get(second) {
                    marking[place] = 1;
                }
                layouts.pack(&marking, &mut bytes);
                layouts.unpack(&bytes, &mut back);
                assert_eq!(back, marking);
                assert!(seen.insert(bytes.clone()));
                // A token moves, whichever of its places is written first.
                for order in [[1, 3], [3, 1]] {
                    let mut moved = bytes.clone();
                    for place in order {
                        let field = layouts.fields[place];
                        field.write(&mut moved, 1 - field.read(&bytes).min(1));
                    }
                    layouts.unpack(&moved, &mut back);
                    if first < 2 {
                        assert_eq!((back[1], back[3]), (marking[3], marking[1]));
                    }
                }
            }
        }
    }
}
