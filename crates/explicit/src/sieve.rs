//! The edges out of a node, sorted as a depth-first search wants them while they are made.
//!
//! A search that has visited a node follows the edges to nodes that it has not visited, draws its conclusions from those
//! to nodes that it is still at, and passes over the others. Most edges of a product are of the last two kinds. So a graph
//! that makes its edges on demand looks at the search's number of the target at once, and nothing is kept of an edge that
//! nobody will look at.
//!
//! Of some nodes it is known from the start that no accepting cycle visits them: the automaton never comes back there, or
//! misses a mark wherever it can come back to. Such a node is *passed*: it is dead at once, nothing is remembered of it,
//! and its edges have no marks, since no cycle takes them. Where one passed node leads to another that the search would
//! come to next, the graph goes on to that one by itself.
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
    /// How many nodes were passed: the one whose edges were asked for, and what follows it.
    passed: u32,
    /// Where the edges of these nodes begin in `open`.
    first: usize,
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
            first: open.len(),
            open,
            met,
            count: 0,
            passed: 0,
        }
    }

    /// Whether nodes can be passed: nobody wants to know about edges to dead nodes.
    #[inline]
    pub fn can_pass(&self) -> bool {
        !self.keeps_dead
    }

    /// No accepting cycle visits a node: the one whose edges were asked for, or the next one after others that were passed.
    #[inline]
    pub fn pass(&mut self, node: NodeId) {
        self.number[node.index()] = DEAD;
        self.passed += 1;
    }

    /// The node that a search comes to after those that were passed, if it comes there from one of them. Whoever passes this
    /// one, too, takes it.
    #[inline]
    pub fn upcoming(&mut self) -> Option<NodeId> {
        while self.open.len() > self.first {
            let target = self.open.last()?.target;
            if self.number[target.index()] == UNSEEN {
                return Some(target);
            }
            self.open.pop();
        }
        None
    }

    /// The next node is one that is passed.
    #[inline]
    pub fn take_next(&mut self) {
        self.open.pop();
    }

    /// How many nodes were passed.
    #[inline]
    pub fn passed(&self) -> u32 {
        self.passed
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
            cover(self.number, bound);
        }
    }

    /// So many edges come, those that will not be taken included.
    #[inline]
    pub fn expect(&mut self, edges: usize) {
        self.count += edges;
    }

    /// Where the next edges of a node lead that is passed, from the last one to the first one.
    #[inline(always)]
    pub fn targets(&mut self, targets: impl Iterator<Item = NodeId>) {
        let numbers = &self.number[..];
        let marks = Marks::EMPTY;
        for target in targets {
            if numbers[target.index()] == UNSEEN {
                self.open.push(Edge { target, marks });
            }
        }
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

/// Makes room for all nodes with numbers below a bound, and for a few more: bounds grow by small steps.
#[cold]
#[inline(never)]
pub(crate) fn cover(number: &mut Vec<u32>, bound: usize) {
    let spare = number.len() / 16 + 64;
    number.resize(bound.max(number.len() + spare), UNSEEN);
}
