//! A list that grows while others read it: what is in it never moves.
//!
//! Elements lie in blocks, each twice as large as the one before, so that a number tells block and place, and
//! reading takes no lock.

use std::sync::OnceLock;

/// The size of the first block.
const FIRST: u64 = 1 << 10;
/// How many blocks there may be: together as many elements as fit into 32 bits.
const BLOCKS: usize = 22;

type Block<T> = OnceLock<Box<[OnceLock<T>]>>;

/// A growing list.
#[derive(Debug)]
pub(crate) struct Blocks<T> {
    blocks: [Block<T>; BLOCKS],
}

impl<T> Default for Blocks<T> {
    fn default() -> Blocks<T> {
        Blocks {
            blocks: std::array::from_fn(|_| OnceLock::new()),
        }
    }
}

/// The block of a number, and the place there.
fn place(number: u32) -> (usize, usize) {
    let shifted = u64::from(number) + FIRST;
    let block = shifted.ilog2() - FIRST.ilog2();
    let start = (FIRST << block) - FIRST;
    (block as usize, (u64::from(number) - start) as usize)
}

impl<T> Blocks<T> {
    /// The element of a number, once it is there.
    #[inline]
    pub fn get(&self, number: u32) -> Option<&T> {
        let (block, place) = place(number);
        self.blocks.get(block)?.get()?.get(place)?.get()
    }

    /// Puts an element where none is yet; whether there is room for it.
    pub fn put(&self, number: u32, element: T) -> bool {
        let (block, place) = place(number);
        let size = (FIRST << block) as usize;
        let Some(cells) = self.blocks.get(block) else {
            return false;
        };
        let cells = cells.get_or_init(|| (0..size).map(|_| OnceLock::new()).collect());
        cells[place].set(element).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::{Blocks, place};

    #[test]
    fn places() {
        assert_eq!(place(0), (0, 0));
        assert_eq!(place(1023), (0, 1023));
        assert_eq!(place(1024), (1, 0));
        assert_eq!(place(3071), (1, 2047));
        assert_eq!(place(3072), (2, 0));
    }

    #[test]
    fn what_was_put_is_there() {
        let list = Blocks::default();
        for number in 0..5000 {
            assert!(list.put(number, number * 3));
            assert!(!list.put(number, 0));
        }
        for number in 0..5000 {
            assert_eq!(list.get(number), Some(&(number * 3)));
        }
        assert_eq!(list.get(5000), None);
    }
}
