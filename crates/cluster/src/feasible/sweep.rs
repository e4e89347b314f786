//! Nodes with news, looked at from the largest to the smallest, again and again.
//!
//! Nodes are numbered as a breadth-first search met them, and most edges lead to larger numbers; so what is new goes to
//! smaller ones, mostly. A sweep carries a mark as far as it goes along such edges, and only edges back make another one.

/// A set of nodes, and where the sweep is.
#[derive(Debug)]
pub(super) struct Sweep {
    /// A bit for each node.
    news: Vec<u64>,
    count: usize,
    /// Nodes from here on are behind the sweep.
    at: usize,
    size: usize,
}

impl Sweep {
    /// An empty set of so many nodes.
    pub fn new(size: usize) -> Sweep {
        Sweep {
            news: vec![0; size.div_ceil(64)],
            count: 0,
            at: 0,
            size,
        }
    }

    /// Begins anew with some nodes.
    pub fn begin(&mut self, nodes: &[u32]) {
        self.news.fill(0);
        for &node in nodes {
            self.news[node as usize / 64] |= 1 << (node % 64);
        }
        (self.count, self.at) = (nodes.len(), 0);
    }

    /// Whether there is no node in it.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Says that a node has news.
    #[inline]
    pub fn note(&mut self, node: usize) {
        let (word, bit) = (&mut self.news[node / 64], 1 << (node % 64));
        self.count += usize::from(*word & bit == 0);
        *word |= bit;
    }

    /// The next node in the order of the sweep, which is not in the set from then on.
    #[inline]
    pub fn next(&mut self) -> Option<usize> {
        if self.count == 0 {
            return None;
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
            return Some(node);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sweeps_go_down_and_begin_again() {
        let mut sweep = Sweep::new(200);
        sweep.begin(&[3, 64, 199]);
        assert_eq!(sweep.next(), Some(199));
        sweep.note(150);
        sweep.note(150);
        assert_eq!([sweep.next(), sweep.next()], [Some(150), Some(64)]);
        sweep.note(65);
        assert_eq!([sweep.next(), sweep.next()], [Some(3), Some(65)]);
        assert!(sweep.is_empty() && sweep.next().is_none());
    }
}
