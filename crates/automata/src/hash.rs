//! Hash maps with a fixed seed: the same call gives the same bytes.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

/// A map whose behaviour does not change from run to run.
pub(crate) type FixedMap<K, V> = HashMap<K, V, BuildHasherDefault<Mix>>;

/// Multiply and rotate, word by word.
#[derive(Clone, Copy, Default)]
pub(crate) struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 29
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(u64::from(word));
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

/// Values that are kept once and known by their position.
#[derive(Clone, Debug)]
pub(crate) struct Pool<T> {
    items: Vec<T>,
    positions: FixedMap<T, u32>,
}

impl<T> Default for Pool<T> {
    fn default() -> Pool<T> {
        Pool {
            items: Vec::new(),
            positions: FixedMap::default(),
        }
    }
}

impl<T: Clone + Eq + Hash> Pool<T> {
    /// The position of an equal value; it is added if there is none.
    pub fn intern(&mut self, item: &T) -> usize {
        if let Some(&position) = self.positions.get(item) {
            return position as usize;
        }
        let position = self.items.len();
        self.items.push(item.clone());
        self.positions.insert(item.clone(), position as u32);
        position
    }

    /// The value at a position.
    pub fn get(&self, position: usize) -> &T {
        &self.items[position]
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// The values in the order in which they came.
    pub fn into_items(self) -> Vec<T> {
        self.items
    }
}
