//! Fairness by monitors: copies of the graph that turn a condition into a single acceptance set.
//!
//! What a search that knows only one acceptance set needs in front of it. A *weak* monitor waits
//! for the Büchi marks one after the other: n marks, n + 1 copies, accepting in copy 0. A *strong*
//! monitor per pair has three states: 0 says nothing, 2 says that the last edge granted, 1 promises
//! that no request is ever made again; it is accepting in 1 and 2, and guesses when to leave 0. The
//! acceptance sets of the monitors are made one by a counter that waits for them in turn.
//!
//! Malinen and Luukkainen, "Using process fairness in model checking" (2003), corrected: as
//! printed, the weak monitor never waits for the last process, and the counter leaves its range.
//!
//! Cost: (n + 1) · 3^k · (k + 1) copies for n marks and k pairs: to compare with, not to use. Nodes
//! of the copies are numbered as they are met, through a hash table.

use rustc_hash::FxHashMap;

use crate::graph::{Edge, Graph, NodeId};
use crate::marks::{Marks, Pair, Streett};
use crate::search::Stop;

/// How many copies monitors make at most; none if they cannot be counted.
pub fn copies<const W: usize>(condition: &Streett<W>) -> Option<u64> {
    let pairs = u32::try_from(condition.pairs().len()).ok()?;
    let weak = WeakMonitor::new(condition).copies();
    let sets = u64::from(weak.min(1)) + u64::from(pairs);
    3u64.checked_pow(pairs)?
        .checked_mul(u64::from(weak.max(1)))?
        .checked_mul(sets.max(1))
}

/// Waits for marks one after the other.
struct WeakMonitor {
    marks: Vec<usize>,
}

impl WeakMonitor {
    fn new<const W: usize>(condition: &Streett<W>) -> WeakMonitor {
        let marks = condition.buchi.iter().collect();
        WeakMonitor { marks }
    }

    /// How many states it has; none if there is nothing to wait for.
    fn copies(&self) -> u32 {
        match self.marks.len() {
            0 => 0,
            n => n as u32 + 1,
        }
    }

    /// The next state: 0 goes on to 1, others where their mark is met.
    fn step<const W: usize>(&self, state: u32, marks: Marks<W>) -> u32 {
        let n = self.marks.len() as u32;
        match state {
            _ if n == 0 => 0,
            0 => 1,
            i if marks.contains(self.marks[i as usize - 1]) => (i + 1) % (n + 1),
            i => i,
        }
    }
}

/// The next states of the monitor of a pair.
fn strong_steps<const W: usize>(pair: Pair, state: u32, marks: Marks<W>) -> &'static [u32] {
    let granted = marks.contains(pair.grant.into());
    let requested = marks.contains(pair.request.into());
    match state {
        0 if granted => &[0, 2],
        0 if requested => &[0],
        0 => &[0, 1],
        1 if granted || requested => &[],
        1 => &[1],
        _ if granted => &[2],
        _ => &[0],
    }
}

/// A graph with monitors: generalized Büchi, one mark for the weak monitor, then one for each pair.
pub struct Monitored<'a, const W: usize> {
    graph: &'a mut dyn Graph<W>,
    weak: WeakMonitor,
    pairs: Vec<Pair>,
    condition: Streett<1>,
    nodes: Numbering,
    edges: Vec<Edge<W>>,
    states: Vec<u32>,
}

impl<'a, const W: usize> Monitored<'a, W> {
    /// The graph with monitors for all of its condition, which must have a small number of
    /// [`copies`].
    pub fn new(graph: &'a mut dyn Graph<W>) -> Monitored<'a, W> {
        let weak = WeakMonitor::new(graph.condition());
        let pairs = graph.condition().pairs().to_vec();
        let sets = weak.copies().min(1) as usize + pairs.len();
        Monitored {
            graph,
            weak,
            pairs,
            condition: Streett::new((0..sets).collect(), Vec::new()),
            nodes: Numbering::default(),
            edges: Vec::new(),
            states: Vec::new(),
        }
    }

    /// The node behind a copy.
    fn original(&self, node: NodeId) -> NodeId {
        NodeId(self.nodes.parts(node).0)
    }

    /// The marks of an edge that makes these monitors take this edge.
    fn original_marks(&mut self, source: NodeId, edge: Edge<1>) -> Result<Option<Marks<W>>, Stop> {
        let (node, copy) = self.nodes.parts(source);
        let (target, next) = self.nodes.parts(edge.target);
        let mut edges = std::mem::take(&mut self.edges);
        self.graph.expand(NodeId(node), &mut edges)?;
        let found = edges.iter().find(|inner| {
            inner.target.0 == target && {
                self.step(copy, inner.marks);
                self.states.contains(&next)
            }
        });
        let marks = found.map(|inner| inner.marks);
        self.edges = edges;
        Ok(marks)
    }

    /// Puts the next states of all monitors into `self.states`: the weak one's plus, for pair i,
    /// the strong one's times 3^i, the weak one's times 3^k.
    fn step(&mut self, copy: u32, marks: Marks<W>) {
        let strong = 3u32.pow(self.pairs.len() as u32);
        self.states.clear();
        self.states
            .push(self.weak.step(copy / strong, marks) * strong);
        let mut power = 1;
        for &pair in &self.pairs {
            let next = strong_steps(pair, copy / power % 3, marks);
            let Some((&first, others)) = next.split_first() else {
                self.states.clear();
                return;
            };
            for i in 0..self.states.len() {
                let state = self.states[i];
                let more = others.iter().map(|digit| state + digit * power);
                self.states.extend(more);
                self.states[i] += first * power;
            }
            power *= 3;
        }
    }

    /// The marks of all edges out of a copy.
    fn marks(&self, copy: u32) -> Marks<1> {
        let strong = 3u32.pow(self.pairs.len() as u32);
        let sets = usize::from(self.weak.copies() > 0);
        let mut marks = Marks::EMPTY;
        if sets == 1 && copy / strong == 0 {
            marks.insert(0);
        }
        let mut rest = copy % strong;
        for i in 0..self.pairs.len() {
            let digit = rest % 3;
            if digit != 0 {
                marks.insert(sets + i);
            }
            rest /= 3;
        }
        marks
    }
}

impl<const W: usize> Graph<1> for Monitored<'_, W> {
    fn condition(&self) -> &Streett<1> {
        &self.condition
    }

    fn initial(&mut self) -> Result<Vec<NodeId>, Stop> {
        let nodes = self.graph.initial()?;
        let first = |node: NodeId| self.nodes.number(node.0, 0);
        nodes.into_iter().map(first).collect()
    }

    fn expand(&mut self, node: NodeId, edges: &mut Vec<Edge<1>>) -> Result<(), Stop> {
        edges.clear();
        let (node, copy) = self.nodes.parts(node);
        let marks = self.marks(copy);
        let mut inner = std::mem::take(&mut self.edges);
        self.graph.expand(NodeId(node), &mut inner)?;
        for edge in &inner {
            self.step(copy, edge.marks);
            for &state in &self.states {
                let target = self.nodes.number(edge.target.0, state)?;
                edges.push(Edge { target, marks });
            }
        }
        self.edges = inner;
        Ok(())
    }

    fn bound(&self) -> usize {
        self.nodes.len()
    }

    fn bytes_used(&self) -> usize {
        self.graph.bytes_used() + self.nodes.bytes()
    }
}

/// A monitored graph with a single acceptance set: counts through its sets, 1 to the last.
pub struct Degeneralized<'a, const W: usize> {
    graph: Monitored<'a, W>,
    condition: Streett<1>,
    sets: u32,
    nodes: Numbering,
}

impl<'a, const W: usize> Degeneralized<'a, W> {
    /// The graph with its sets made one.
    pub fn new(graph: Monitored<'a, W>) -> Degeneralized<'a, W> {
        let sets = graph.condition().buchi.iter().count() as u32;
        Degeneralized {
            graph,
            condition: Streett::new((0..sets.min(1) as usize).collect(), Vec::new()),
            sets,
            nodes: Numbering::default(),
        }
    }

    /// The node that a copy is of.
    pub fn original(&self, node: NodeId) -> NodeId {
        self.graph.original(NodeId(self.nodes.parts(node).0))
    }

    /// The marks of an edge of the original graph that this one is a copy of.
    ///
    /// # Errors
    /// If a limit was reached.
    pub fn original_marks(
        &mut self,
        source: NodeId,
        edge: Edge<1>,
    ) -> Result<Option<Marks<W>>, Stop> {
        let source = NodeId(self.nodes.parts(source).0);
        let target = NodeId(self.nodes.parts(edge.target).0);
        self.graph.original_marks(source, Edge { target, ..edge })
    }
}

impl<const W: usize> Graph<1> for Degeneralized<'_, W> {
    fn condition(&self) -> &Streett<1> {
        &self.condition
    }

    fn initial(&mut self) -> Result<Vec<NodeId>, Stop> {
        let nodes = self.graph.initial()?;
        let first = |node: NodeId| self.nodes.number(node.0, 1);
        nodes.into_iter().map(first).collect()
    }

    fn expand(&mut self, node: NodeId, edges: &mut Vec<Edge<1>>) -> Result<(), Stop> {
        let (node, index) = self.nodes.parts(node);
        self.graph.expand(NodeId(node), edges)?;
        for edge in edges {
            let seen = self.sets > 0 && edge.marks.contains(index as usize - 1);
            let next = if seen { index % self.sets + 1 } else { index };
            edge.target = self.nodes.number(edge.target.0, next)?;
            edge.marks = if seen && index == 1 {
                Marks::single(0)
            } else {
                Marks::EMPTY
            };
        }
        Ok(())
    }

    fn bound(&self) -> usize {
        self.nodes.len()
    }

    fn bytes_used(&self) -> usize {
        self.graph.bytes_used() + self.nodes.bytes()
    }
}

/// Pairs of a node and a copy, numbered as they are met.
#[derive(Default)]
struct Numbering {
    numbers: FxHashMap<u64, u32>,
    parts: Vec<(u32, u32)>,
}

impl Numbering {
    fn number(&mut self, node: u32, copy: u32) -> Result<NodeId, Stop> {
        let next = u32::try_from(self.parts.len()).map_err(|_| Stop::Memory)?;
        let key = u64::from(node) << 32 | u64::from(copy);
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.parts.push((node, copy));
        }
        Ok(NodeId(number))
    }

    fn parts(&self, number: NodeId) -> (u32, u32) {
        self.parts[number.index()]
    }

    fn len(&self) -> usize {
        self.parts.len()
    }

    fn bytes(&self) -> usize {
        // A key, a value and a control byte per slot, seven of eight slots usable.
        self.numbers.capacity() * 17 * 8 / 7 + self.parts.capacity() * 8
    }
}
