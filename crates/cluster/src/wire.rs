//! How numbers and bytes are written into letters.
//!
//! Numbers take seven bits to a byte, the lowest first. What is sent again and again (the head of a state, a set of
//! marks) is sent in full once to each worker, and by its number ever after: letters from one worker to another arrive
//! in the order in which they were written.

use std::collections::HashMap;

/// Writes a number.
#[inline]
pub(crate) fn put(into: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        into.push(number as u8 | 0x80);
        number >>= 7;
    }
    into.push(number as u8);
}

/// Writes a number with a sign, a small one in few bytes.
#[inline]
pub(crate) fn put_signed(into: &mut Vec<u8>, number: i64) {
    put(into, (number << 1 ^ number >> 63) as u64);
}

/// Writes bytes behind their number.
#[inline]
pub(crate) fn put_bytes(into: &mut Vec<u8>, bytes: &[u8]) {
    put(into, bytes.len() as u64);
    into.extend_from_slice(bytes);
}

/// Reads what was written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'r>(pub &'r [u8]);

impl<'r> Reader<'r> {
    /// Whether everything was read.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next byte; 0 if there is none.
    #[inline]
    pub fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        first
    }

    /// The next number.
    #[inline]
    pub fn number(&mut self) -> u64 {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.byte();
            number |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 || shift > 63 {
                return number;
            }
        }
    }

    /// The next number with a sign.
    #[inline]
    pub fn signed(&mut self) -> i64 {
        let number = self.number();
        (number >> 1) as i64 ^ -((number & 1) as i64)
    }

    /// The next bytes.
    #[inline]
    pub fn bytes(&mut self) -> &'r [u8] {
        let length = self.number() as usize;
        let (bytes, rest) = self.0.split_at(length.min(self.0.len()));
        self.0 = rest;
        bytes
    }
}

/// What a worker sends by number.
#[derive(Debug)]
pub(crate) struct Said {
    numbers: HashMap<Vec<u8>, u32>,
    names: Vec<Vec<u8>>,
    told: Told,
    last: (Vec<u8>, u32),
}

impl Said {
    pub fn new(peers: usize) -> Said {
        Said {
            numbers: HashMap::new(),
            names: Vec::new(),
            told: Told::new(peers),
            last: (Vec::new(), u32::MAX),
        }
    }

    /// The number of some bytes.
    #[inline]
    pub fn number(&mut self, bytes: &[u8]) -> u32 {
        if self.last.1 != u32::MAX && self.last.0 == bytes {
            return self.last.1;
        }
        let number = match self.numbers.get(bytes) {
            Some(&number) => number,
            None => {
                let number = self.numbers.len() as u32;
                self.numbers.insert(bytes.to_vec(), number);
                self.names.push(bytes.to_vec());
                number
            }
        };
        self.last.0.clear();
        self.last.0.extend_from_slice(bytes);
        self.last.1 = number;
        number
    }

    /// The bytes of a number.
    pub fn bytes(&self, number: u32) -> &[u8] {
        &self.names[number as usize]
    }

    /// Whether a worker has to be told what a number means: once.
    #[inline]
    pub fn is_new_to(&mut self, number: u32, worker: usize) -> bool {
        self.told.is_new_to(number, worker)
    }
}

/// Which workers know what a number means.
#[derive(Debug)]
pub(crate) struct Told {
    /// For each number and worker.
    told: Vec<bool>,
    peers: usize,
}

impl Told {
    pub fn new(peers: usize) -> Told {
        Told {
            told: Vec::new(),
            peers,
        }
    }

    /// Whether a worker has to be told: once.
    #[inline]
    pub fn is_new_to(&mut self, number: u32, worker: usize) -> bool {
        let first = number as usize * self.peers;
        if self.told.len() <= first {
            self.told.resize(first + self.peers, false);
        }
        !std::mem::replace(&mut self.told[first + worker], true)
    }
}

/// What another worker's numbers mean.
#[derive(Debug)]
pub(crate) struct Heard<T>(Vec<Vec<Option<T>>>);

impl<T: Clone> Heard<T> {
    pub fn new(peers: usize) -> Heard<T> {
        Heard(vec![Vec::new(); peers])
    }

    pub fn learn(&mut self, from: usize, number: u32, meaning: T) {
        let known = &mut self.0[from];
        if known.len() <= number as usize {
            known.resize(number as usize + 1, None);
        }
        known[number as usize] = Some(meaning);
    }

    #[inline]
    pub fn meaning(&self, from: usize, number: u32) -> Option<&T> {
        self.0[from].get(number as usize)?.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_bytes_come_back() {
        let mut bytes = Vec::new();
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        for number in numbers {
            put(&mut bytes, number);
            put_bytes(&mut bytes, &number.to_le_bytes());
        }
        let mut reader = Reader(&bytes);
        for number in numbers {
            assert_eq!(reader.number(), number);
            assert_eq!(reader.bytes(), number.to_le_bytes());
        }
        assert!(reader.is_empty());
        assert_eq!((reader.number(), reader.bytes().len()), (0, 0));
    }

    #[test]
    fn numbers_with_a_sign_come_back() {
        let mut bytes = Vec::new();
        let numbers = [0, 1, -1, 63, -64, 64, i64::MAX, i64::MIN];
        for number in numbers {
            put_signed(&mut bytes, number);
        }
        let mut reader = Reader(&bytes);
        assert_eq!(numbers.map(|_| reader.signed()), numbers);
        assert!(reader.is_empty());
    }

    #[test]
    fn a_worker_is_told_once() {
        let mut said = Said::new(2);
        let one = said.number(b"one");
        assert_ne!(one, said.number(b"two"));
        assert_eq!(one, said.number(b"one"));
        assert!(said.is_new_to(one, 0) && said.is_new_to(one, 1) && !said.is_new_to(one, 0));
    }
}
