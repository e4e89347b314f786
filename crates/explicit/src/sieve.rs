//! The edges out of a node, sorted as a depth-first search wants them while they are made.
//!
//! A search that has visited a node follows the edges to nodes that it has not visited, draws its conclusions from those
//! to nodes that it is still at, and passes over the others. Most edges of a product are of the last two kinds. So a graph
//! that makes its edges on demand looks at the search's number of the target at once, and nothing is kept of an edge that
//! nobody will look at.
//!
//! Edges come in reverse order, which is the order in which they are on a stack.

use crate::graph::{Edge, NodeId};
use crate::marks::Marks;

/// The number of a node that was not visited.
pub const UNSEEN: u32 = 0;
/// The least number of a node that no accepting cycle visits.
pub const DEAD: u32 = 1 << 31;

/// Takes the edges of a node.
pub struct Sieve<'s, const W: usize> {
    /// For each node [`UNSEEN`], at least [`DEAD`], or a number of the search.
    number: &'s mut Vec<u32>,
    /// Edges with one of these marks are not taken.
    avoid: Marks<W>,
    /// Whether edges to dead nodes are kept.
    keeps_dead: bool,
    /// Behind others: edges to nodes that were not visited.
    open: &'s mut Vec<Edge<W>>,
    /// Numbers of targets that were visited, with the marks of the edges.
    met: &'s mut Vec<(u32, Marks<W>)>,
    /// How many edges there were.
    count: usize,
}

impl<'s, const W: usize> Sieve<'s, W> {
    /// A sieve for the edges of one node.
    #[inline]
    pub fn new(
        number: &'s mut Vec<u32>,
        avoid: Marks<W>,
        keeps_dead: bool,
        open: &'s mut Vec<Edge<W>>,
        met: &'s mut Vec<(u32, Marks<W>)>,
    ) -> Sieve<'s, W> {
        Sieve {
            number,
            avoid,
            keeps_dead,
            open,
            met,
            count: 0,
        }
    }

    /// How many edges there were.
    #[inline]
    pub fn count(&self) -> usize {
        self.count
    }

    /// All targets that come have numbers below this.
    #[inline]
    pub fn cover(&mut self, bound: usize) {
        if bound > self.number.len() {
            self.number.resize(bound, UNSEEN);
        }
    }

    /// So many edges come, those that will not be taken included.
    #[inline]
    pub fn expect(&mut self, edges: usize) {
        self.count += edges;
    }

    /// The next edges, from the last one to the first one.
    #[inline(always)]
    pub fn edges(&mut self, edges: impl Iterator<Item = (NodeId, Marks<W>)>) {
        // What does not change is at hand, and not behind a reference.
        let (numbers, avoid) = (&self.number[..], self.avoid);
        let kept_below = if self.keeps_dead { u32::MAX } else { DEAD };
        for (target, marks) in edges {
            let number = numbers[target.index()];
            if marks.meets(avoid) {
                continue;
            }
            if number == UNSEEN {
                self.open.push(Edge { target, marks });
            } else if number < kept_below {
                self.met.push((number, marks));
            }
        }
    }
}
