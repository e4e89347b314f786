//! The triples that one search has met, in the order in which it met them.
//!
//! A triple is a node, the grants seen and the obligations owed. The order of insertion is the
//! queue of a breadth-first search; an open-addressing table of positions finds triples again; each
//! knows the position it was reached from and by which edge. For up to 64 obligations a triple
//! takes 28 bytes and its share of the table.

use std::hash::Hasher;

use evenhand_explicit::marks::Marks;
use rustc_hash::FxHasher;

/// Triples of one search.
#[derive(Default)]
pub(crate) struct Visited<const V: usize> {
    nodes: Vec<u32>,
    marks: Vec<(Marks<V>, Marks<V>)>,
    /// The position and the edge each was reached from.
    reached: Vec<(u32, u32)>,
    /// Positions plus one, at hashed places; zero is free. The size is a power of two.
    table: Vec<u32>,
}

const SMALLEST: usize = 256;

impl<const V: usize> Visited<V> {
    /// Forgets everything; a large table is given back.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.marks.clear();
        self.reached.clear();
        self.table.clear();
        self.table.resize(SMALLEST, 0);
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Memory it takes, in bytes.
    pub fn bytes(&self) -> usize {
        (12 + 16 * V) * self.nodes.capacity() + 4 * self.table.capacity()
    }

    /// The node, the grants seen and the obligations owed.
    pub fn get(&self, position: usize) -> (u32, Marks<V>, Marks<V>) {
        let (seen, owed) = self.marks[position];
        (self.nodes[position], seen, owed)
    }

    /// Adds a triple that is reached from a position by an edge, unless it is known.
    pub fn insert(&mut self, node: u32, seen: Marks<V>, owed: Marks<V>, from: u32, edge: u32) {
        if 2 * self.nodes.len() >= self.table.len() {
            self.grow();
        }
        let mut place = self.place(node, seen, owed);
        while let Some(known) = (self.table[place] as usize).checked_sub(1) {
            if self.nodes[known] == node && self.marks[known] == (seen, owed) {
                return;
            }
            place = (place + 1) & (self.table.len() - 1);
        }
        self.nodes.push(node);
        self.marks.push((seen, owed));
        self.reached.push((from, edge));
        self.table[place] = self.nodes.len() as u32;
    }

    /// The edges from the first triple to a position.
    pub fn path(&self, position: usize) -> Vec<u32> {
        let mut edges = Vec::new();
        let mut at = position;
        while at != 0 {
            let (from, edge) = self.reached[at];
            edges.push(edge);
            at = from as usize;
        }
        edges.reverse();
        edges
    }

    fn grow(&mut self) {
        let size = (2 * self.table.len()).max(SMALLEST);
        self.table.clear();
        self.table.resize(size, 0);
        for position in 0..self.nodes.len() {
            let (node, seen, owed) = self.get(position);
            let mut place = self.place(node, seen, owed);
            while self.table[place] != 0 {
                place = (place + 1) & (size - 1);
            }
            self.table[place] = position as u32 + 1;
        }
    }

    fn place(&self, node: u32, seen: Marks<V>, owed: Marks<V>) -> usize {
        let mut hasher = FxHasher::default();
        hasher.write_u32(node);
        for word in seen.words().into_iter().chain(owed.words()) {
            hasher.write_u64(word);
        }
        hasher.finish() as usize & (self.table.len() - 1)
    }
}
