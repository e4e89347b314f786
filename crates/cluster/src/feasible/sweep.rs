//! Nodes with news, looked at from the largest to the smallest, again and again.
//!
//! Nodes are numbered as a breadth-first search met them, and most edges lead to larger numbers; so what is new goes to
//! smaller ones, mostly. A sweep carries a mark as far as it goes along such edges, and only edges back make another one.
//! What other orders cost is in `docs/decisions/machines.md`.

use std::collections::VecDeque;

/// In which order nodes with news are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Those that the search met last come first.
    Down,
    /// Those that it met first come first.
    Up,
    /// Those that have news longest come first.
    Queue,
}

/// A set of nodes, and where the sweep is.
#[derive(Debug)]
pub(super) struct Sweep {
    /// A bit for each node.
    news: Vec<u64>,
    count: usize,
    order: Order,
    /// The same nodes in a queue, if they are looked at in that order.
    queue: VecDeque<u32>,
    /// Nodes from here on are behind the sweep.
    at: usize,
    size: usize,
}

impl Sweep {
    /// An empty set of so many nodes.
    pub fn new(size: usize, order: Order) -> Sweep {
        Sweep {
            news: vec![0; size.div_ceil(64)],
            count: 0,
            order,
            queue: VecDeque::new(),
            at: 0,
            size,
        }
    }

    /// The bit of a node, or the node of a bit.
    #[inline]
    fn mirrored(&self, node: usize) -> usize {
        match self.order {
            Order::Up => self.size - 1 - node,
            Order::Down | Order::Queue => node,
        }
    }

    /// Begins anew with some nodes.
    pub fn begin(&mut self, nodes: &[u32]) {
        self.news.fill(0);
        self.queue.clear();
        (self.count, self.at) = (0, 0);
        for &node in nodes {
            self.note(node as usize);
        }
    }

    /// Whether there is no node in it.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Says that a node has news.
    #[inline]
    pub fn note(&mut self, node: usize) {
        let place = self.mirrored(node);
        let (word, bit) = (&mut self.news[place / 64], 1 << (place % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        self.count += usize::from(is_new);
        if is_new && self.order == Order::Queue {
            self.queue.push_back(node as u32);
        }
    }

    /// The next node in the order of the sweep, which is not in the set from then on.
    #[inline]
    pub fn next(&mut self) -> Option<usize> {
        if self.count == 0 {
            return None;
        }
        if let Some(node) = self.queue.pop_front() {
            self.news[node as usize / 64] &= !(1 << (node % 64));
            self.count -= 1;
            return Some(node as usize);
        }
        loop {
            if self.at == 0 {
                self.at = self.size;
            }
            let last = self.at - 1;
            // The bits of this word up to the last one that is not behind the sweep.
            let left = self.news[last / 64] & (u64::MAX >> (63 - last % 64));
            if left == 0 {
                self.at = last / 64 * 64;
                continue;
            }
            let node = last / 64 * 64 + left.ilog2() as usize;
            self.news[node / 64] &= !(1 << (node % 64));
            self.count -= 1;
            self.at = node;
            return Some(self.mirrored(node));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sweeps_go_down_and_begin_again() {
        let mut sweep = Sweep::new(200, Order::Down);
        sweep.begin(&[3, 64, 199]);
        assert_eq!(sweep.next(), Some(199));
        sweep.note(150);
        sweep.note(150);
        assert_eq!([sweep.next(), sweep.next()], [Some(150), Some(64)]);
        sweep.note(65);
        assert_eq!([sweep.next(), sweep.next()], [Some(3), Some(65)]);
        assert!(sweep.is_empty() && sweep.next().is_none());
    }

    #[test]
    fn other_orders() {
        let mut up = Sweep::new(200, Order::Up);
        up.begin(&[3, 199]);
        assert_eq!(up.next(), Some(3));
        up.note(2);
        up.note(64);
        let rest: Vec<Option<usize>> = (0..4).map(|_| up.next()).collect();
        assert_eq!(rest, [Some(64), Some(199), Some(2), None]);
        let mut queue = Sweep::new(200, Order::Queue);
        queue.begin(&[3, 199]);
        assert_eq!(queue.next(), Some(3));
        queue.note(199);
        queue.note(3);
        let rest: Vec<Option<usize>> = (0..3).map(|_| queue.next()).collect();
        assert_eq!(rest, [Some(199), Some(3), None]);
    }
}
