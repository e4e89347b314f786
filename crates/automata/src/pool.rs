//! Values that are kept once.

use std::hash::Hash;

use evenhand_source::spend;

use rustc_hash::FxHashMap;

/// Values that are kept once and known by their position.
#[derive(Clone, Debug)]
pub(crate) struct Pool<T> {
    items: Vec<T>,
    positions: FxHashMap<T, u32>,
}

impl<T> Default for Pool<T> {
    fn default() -> Pool<T> {
        Pool {
            items: Vec::new(),
            positions: FxHashMap::default(),
        }
    }
}

impl<T: Clone + Eq + Hash> Pool<T> {
    /// The position of an equal value; it is added if there is none.
    pub fn intern(&mut self, item: &T) -> usize {
        spend();
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
