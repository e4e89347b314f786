//! Remembers what transitions do.
//!
//! **Problem.** Finding bindings and evaluating expressions costs far more than everything else that is done
//! for a step, and the same transition meets the same tokens again and again: markings differ mostly in places that it
//! does not touch.
//!
//! **Idea.** Where all places that a transition touches are fields at fixed bits, the bits of these fields decide
//! which steps it has and what the fields are behind them. So they are the key of a table, and a step that is
//! remembered is the marking with some bits replaced. What a transition does is remembered only if nothing went
//! wrong. A table that is rarely right, or too large, is given up: then everything is computed as before.

use super::code::PlaceId;
use super::net::Net;

/// Bytes that all tables of an explorer may have together.
const MOST_BYTES: usize = 256 << 20;
/// After so many questions a table must have been right about half of them.
const TRIAL: u64 = 1 << 13;

/// What one transition does, by the fields that it touches.
#[derive(Debug)]
pub(crate) struct Memo {
    /// The first byte with a bit of the fields.
    start: usize,
    /// The bits of the fields from there on, eight bytes at a time.
    mask: Vec<u64>,
    /// For each place a part of the hash of its entry, and the number of the entry, plus one; a power of two of them.
    table: Vec<(u32, u32)>,
    /// Keys, one after the other.
    keys: Vec<u64>,
    /// For each key the number of steps before its own.
    firsts: Vec<u32>,
    /// The fields behind each step.
    patches: Vec<u64>,
    /// For each step the number of items before its own.
    item_firsts: Vec<u32>,
    items: Vec<u32>,
    asked: u64,
    right: u64,
    key: Vec<u64>,
}

/// Eight bytes of a marking, or as many as there are.
#[inline]
fn word(state: &[u8], at: usize) -> u64 {
    let rest = state.get(at..).unwrap_or(&[]);
    match rest.first_chunk() {
        Some(eight) => u64::from_le_bytes(*eight),
        None => last_word(state, rest),
    }
}

/// The bytes at the end of a marking.
#[inline]
fn last_word(state: &[u8], rest: &[u8]) -> u64 {
    match state.last_chunk() {
        // One look at memory instead of one for each byte.
        Some(eight) if !rest.is_empty() => u64::from_le_bytes(*eight) >> (8 * (8 - rest.len())),
        _ => rest
            .iter()
            .rev()
            .fold(0, |all, byte| all << 8 | u64::from(*byte)),
    }
}

/// What a table says about a marking.
pub(crate) enum Answer {
    /// Steps with these numbers.
    Steps(std::ops::Range<usize>),
    /// It does not know.
    Unknown,
}

impl Memo {
    /// A table for a transition, if its fields decide what it does.
    pub fn new(net: &Net, transition: usize) -> Option<Memo> {
        let touched = &net.transitions[transition].touched;
        for (place, expr) in &net.dependent {
            let mut concerned = touched.binary_search(place).is_ok();
            expr.places(&mut |read| concerned |= touched.binary_search(&read).is_ok());
            if concerned {
                return None;
            }
        }
        let mut bits = vec![0u8; net.packing.fixed_bytes()];
        for &place in touched {
            mark(net, place, &mut bits)?;
        }
        let start = bits.iter().position(|byte| *byte != 0).unwrap_or(0);
        let end = bits
            .iter()
            .rposition(|byte| *byte != 0)
            .map_or(start, |n| n + 1);
        let words = (start..end).step_by(8);
        Some(Memo {
            start,
            key: vec![0; words.len()],
            mask: words.map(|at| word(&bits[..end], at)).collect(),
            table: vec![(0, 0); 1 << 8],
            keys: Vec::new(),
            firsts: vec![0],
            patches: Vec::new(),
            item_firsts: vec![0],
            items: Vec::new(),
            asked: 0,
            right: 0,
        })
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        let numbers = 2 * self.table.len() + self.firsts.len() + self.item_firsts.len();
        8 * (self.keys.len() + self.patches.len()) + 4 * (numbers + self.items.len())
    }

    /// Whether it should be given up.
    pub fn is_useless(&self) -> bool {
        self.asked >= TRIAL && self.right * 2 < self.asked
    }

    #[inline]
    fn hash(key: &[u64]) -> u64 {
        let mut hash = 0u64;
        for word in key {
            hash = (hash.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        hash ^ hash >> 32
    }

    /// The place in the table of a key, or of where it would be, and the part of its hash that stands there.
    #[inline]
    fn place(&self, key: &[u64]) -> (usize, u32) {
        let (len, last) = (self.mask.len(), self.table.len() - 1);
        let hash = Memo::hash(key);
        let (mut place, tag) = (hash as usize & last, (hash >> 32) as u32);
        loop {
            match self.table[place] {
                (_, 0) => return (place, tag),
                (other, entry) if other == tag => {
                    let at = (entry as usize - 1) * len;
                    let mut pairs = self.keys[at..at + len].iter().zip(key);
                    if pairs.all(|(a, b)| a == b) {
                        return (place, tag);
                    }
                }
                _ => {}
            }
            place = (place + 1) & last;
        }
    }

    /// What is known about a marking. What it does not know may be told next.
    pub fn ask(&mut self, state: &[u8]) -> Answer {
        self.asked += 1;
        let mut at = self.start;
        for (own, mask) in self.key.iter_mut().zip(&self.mask) {
            *own = word(state, at) & mask;
            at += 8;
        }
        match self.table[self.place(&self.key).0] {
            (_, 0) => Answer::Unknown,
            (_, entry) => {
                self.right += 1;
                let at = entry as usize - 1;
                Answer::Steps(self.firsts[at] as usize..self.firsts[at + 1] as usize)
            }
        }
    }

    /// Makes the marking behind a step.
    pub fn patch(&self, step: usize, state: &[u8], out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(state);
        let len = self.mask.len();
        let patches = &self.patches[step * len..(step + 1) * len];
        for (number, (mask, patch)) in self.mask.iter().zip(patches).enumerate() {
            let at = self.start + 8 * number;
            let new = (word(state, at) & !mask | patch).to_le_bytes();
            // Bytes behind the end have no bits of the fields.
            let own = out.get_mut(at..).unwrap_or_default();
            match own.first_chunk_mut() {
                Some(eight) => *eight = new,
                None => own.iter_mut().zip(new).for_each(|(byte, new)| *byte = new),
            }
        }
    }

    /// The items that a step takes.
    pub fn items(&self, step: usize) -> impl Iterator<Item = usize> + '_ {
        let range = self.item_firsts[step] as usize..self.item_firsts[step + 1] as usize;
        self.items[range].iter().map(|item| *item as usize)
    }

    /// Remembers the steps of the marking that was asked for last: the markings behind them, and their items.
    pub fn tell<'s>(&mut self, steps: impl Iterator<Item = (&'s [u8], &'s [u64])>) {
        let entry = self.firsts.len() as u32;
        let (place, tag) = self.place(&self.key);
        self.keys.extend_from_slice(&self.key);
        for (state, taken) in steps {
            let words = self.mask.iter().enumerate();
            let own = words.map(|(at, mask)| word(state, self.start + 8 * at) & mask);
            self.patches.extend(own);
            for (word, &bits) in taken.iter().enumerate() {
                let mut bits = bits;
                while bits != 0 {
                    self.items.push(word as u32 * 64 + bits.trailing_zeros());
                    bits &= bits - 1;
                }
            }
            self.item_firsts.push(self.items.len() as u32);
        }
        self.firsts.push(self.item_firsts.len() as u32 - 1);
        self.table[place] = (tag, entry);
        if self.firsts.len() * 2 > self.table.len() {
            self.enlarge();
        }
    }

    fn enlarge(&mut self) {
        let size = self.table.len() * 2;
        self.table.clear();
        self.table.resize(size, (0, 0));
        let len = self.mask.len();
        for entry in 0..self.firsts.len() - 1 {
            let (place, tag) = self.place(&self.keys[entry * len..(entry + 1) * len]);
            self.table[place] = (tag, entry as u32 + 1);
        }
    }
}

/// The truth of a condition by the bits of the places that it reads, where these lie in two bytes at most.
#[derive(Debug)]
pub(crate) struct Truths {
    bytes: [usize; 2],
    masks: [u8; 2],
    /// For each value of the bits nothing, or the truth.
    known: Vec<Option<bool>>,
}

impl Truths {
    /// Those of a condition that reads these places, if their bits decide it.
    pub fn new(net: &Net, reads: &[PlaceId]) -> Option<Truths> {
        let mut bits = vec![0u8; net.packing.fixed_bytes()];
        for &place in reads {
            if net.dependent.iter().any(|(own, _)| *own == place) {
                return None;
            }
            mark(net, place, &mut bits)?;
        }
        let mut used = (0..bits.len()).filter(|&byte| bits[byte] != 0);
        let first = used.next()?;
        let second = used.next();
        let is_small = used.next().is_none();
        let masks = [bits[first], second.map_or(0, |byte| bits[byte])];
        let largest = usize::from(masks[0]) | usize::from(masks[1]) << 8;
        is_small.then(|| Truths {
            bytes: [first, second.unwrap_or(first)],
            masks,
            known: vec![None; largest + 1],
        })
    }

    /// What is known of a marking, if it has these bytes.
    #[inline]
    pub fn at(&mut self, state: &[u8]) -> Option<&mut Option<bool>> {
        let [first, second] = self.bytes;
        let low = state.get(first)? & self.masks[0];
        let high = state.get(second)? & self.masks[1];
        self.known
            .get_mut(usize::from(low) | usize::from(high) << 8)
    }
}

/// Adds the bits of a place to those of others; none if they are not at a fixed place.
fn mark(net: &Net, place: PlaceId, bits: &mut [u8]) -> Option<()> {
    let own = &net.known.places[place.index()];
    if own.constant {
        return Some(());
    }
    let at = net.packing.field(place)?;
    for bit in at..at + net.known.types.get(own.ty).bits {
        bits[bit / 8] |= 1 << (bit % 8);
    }
    Some(())
}

/// The tables of all transitions that have one.
#[derive(Debug)]
pub(crate) struct Memos {
    pub list: Vec<Option<Memo>>,
    told: u32,
}

impl Memos {
    pub fn new(net: &Net) -> Memos {
        let numbers = 0..net.transitions.len();
        Memos {
            list: numbers.map(|number| Memo::new(net, number)).collect(),
            told: 0,
        }
    }

    /// Gives up tables that are of no use, or all of them if they are too large. Called for each thing that is told.
    pub fn tidy(&mut self, transition: usize) {
        if self.list[transition].as_ref().is_some_and(Memo::is_useless) {
            self.list[transition] = None;
        }
        self.told = self.told.wrapping_add(1);
        if self.told.is_multiple_of(1 << 12) {
            let bytes: usize = self.list.iter().flatten().map(Memo::bytes).sum();
            if bytes > MOST_BYTES {
                self.list.fill_with(|| None);
            }
        }
    }
}
