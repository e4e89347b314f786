//! States that a worker has sent to others lately.
//!
//! Most steps lead to a state that was met before, often a moment ago and by the same worker. A table with one place for
//! each of some hashes remembers the names of states that were sent: what is still there need not travel again. The
//! place has a number, and whoever owns the state remembers it by that number, so a few bytes stand for the state where
//! an edge to it has to be told. Names are compared byte by byte.
//!
//! The table grows with what the worker has sent, up to a limit in bytes; it begins empty again then, and numbers mean what
//! was said last.

use evenhand_explicit::store::prefetch_bytes;

/// How many places there are at first.
const FIRST: usize = 1 << 12;

/// Bytes of a table, at most.
const MOST: usize = 1 << 26;

/// Bytes in front of a name: its head's number and its length.
const FRONT: usize = 8;

/// The states that were sent lately.
#[derive(Debug)]
pub(super) struct Sent {
    places: usize,
    /// Bytes of a place.
    width: usize,
    bytes: Vec<u8>,
    /// How many names were written into the table since it has this size.
    written: usize,
}

impl Sent {
    pub fn new() -> Sent {
        Sent {
            places: FIRST,
            width: 0,
            bytes: Vec::new(),
            written: 0,
        }
    }

    /// Hints that the place of a hash will be asked for soon. Reading it would wait until it has arrived.
    #[inline]
    pub fn prefetch(&self, hash: u64) {
        let start = (hash as usize & (self.places - 1)) * self.width;
        if let Some(place) = self.bytes.get(start..start + self.width) {
            prefetch_bytes(place);
        }
    }

    /// The place of a state by the hash of its name, and whether it is there; it is from then on.
    #[inline]
    pub fn send(&mut self, hash: u64, head: u32, tail: &[u8]) -> (u32, bool) {
        let size = FRONT + tail.len();
        if size > self.width || self.written > self.places {
            self.enlarge(size);
        }
        // The owner is told by high bits of the same hash, multiplied.
        let place = hash as usize & (self.places - 1);
        let start = place * self.width;
        let own = &mut self.bytes[start..start + size];
        let (front, name) = own.split_at_mut(FRONT);
        let mut wanted = [0; FRONT];
        wanted[..4].copy_from_slice(&head.to_le_bytes());
        wanted[4..].copy_from_slice(&(tail.len() as u32 + 1).to_le_bytes());
        if *front == wanted && name == tail {
            return (place as u32, true);
        }
        front.copy_from_slice(&wanted);
        name.copy_from_slice(tail);
        self.written += 1;
        (place as u32, false)
    }

    /// More places, or wider ones; all are empty then. A table that is as large as it may be stays as it is.
    #[cold]
    fn enlarge(&mut self, size: usize) {
        self.written = 0;
        if size > self.width {
            self.width = size.next_multiple_of(16);
        } else if 2 * self.places * self.width <= MOST {
            self.places *= 2;
        } else {
            return;
        }
        while self.places > 1 && self.places * self.width > MOST {
            self.places /= 2;
        }
        self.bytes.clear();
        self.bytes.resize(self.places * self.width, 0);
    }

    /// The memory taken.
    pub fn bytes_used(&self) -> usize {
        self.bytes.capacity()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use evenhand_explicit::store::hash;

    use super::*;

    #[test]
    fn a_place_means_what_was_said_last() {
        let mut sent = Sent::new();
        let mut meaning: HashMap<u32, (u32, Vec<u8>)> = HashMap::new();
        let (mut number, mut known) = (1u64, 0);
        for round in 0..200_000u64 {
            number = number
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let near = (number >> 33) % (1 + round / 8);
            let tail = near.to_le_bytes()[..1 + near as usize % 8].repeat(1 + near as usize % 3);
            let head = near as u32 % 2;
            let (place, is_known) = sent.send(hash(&tail), head, &tail);
            match is_known {
                true => assert_eq!(meaning.get(&place), Some(&(head, tail))),
                false => drop(meaning.insert(place, (head, tail))),
            }
            known += u32::from(is_known);
        }
        assert!(known > 20_000 && sent.places > FIRST, "{known} {sent:?}");
        assert!(sent.bytes_used() <= 2 * MOST);
    }
}
