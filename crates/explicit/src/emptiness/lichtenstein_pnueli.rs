//! Weak fairness of maximal components, strong fairness by recursion into what remains.
//!
//! A component is weakly fair if each process that is enabled all over it moves somewhere in it:
//! with marks on edges, if it has all Büchi marks. It is strongly fair if each process that is
//! enabled somewhere in it moves somewhere in it: if all requests are granted. If some are not, no
//! fair run can stay in the component and make them; without the edges that do, it falls into
//! smaller components, each of which is looked at in the same way.
//!
//! Lichtenstein and Pnueli, "Checking that finite state concurrent programs satisfy their linear
//! specification" (1985), as used by Malinen and Luukkainen (2003), whose test for trivial
//! components is printed the wrong way round. The recursion is a stack here, and keeps nothing but
//! lists of nodes: edges are generated again at each level.
//!
//! Cost: O(edges · pairs), each level with its own expansion of the nodes. Decides everything.

use crate::emptiness::components::{Components, Step, beat};
use crate::emptiness::{Component, Engine, Statistics};
use crate::graph::{Edge, Graph, NodeId};
use crate::marks::Marks;
use crate::search::Stop;
use crate::watch::Watch;

/// Weak fairness of components, strong fairness by recursion.
pub struct LichtensteinPnueli;

impl<const W: usize> Engine<W> for LichtensteinPnueli {
    fn name(&self) -> &'static str {
        "lichtenstein-pnueli"
    }

    fn about(&self) -> &'static str {
        "recursion into finished components, edges generated again at each level; any acceptance"
    }

    fn search(
        &self,
        graph: &mut dyn Graph<W>,
        watch: &mut Watch<'_>,
        statistics: &mut Statistics,
    ) -> Result<Option<Component<W>>, Stop> {
        let roots = graph.initial()?;
        let mut components = Components::new();
        components.begin(graph, &roots);
        let mut recursion = Recursion::new();
        while let Some(step) = components.next(graph, |_| true)? {
            match step {
                Step::Visited { edges } => {
                    statistics.nodes += 1;
                    statistics.edges += edges as u64;
                    let own = || components.bytes() + recursion.bytes();
                    beat(watch, statistics, graph, own)?;
                }
                Step::Finished { trivial: true } => {}
                Step::Finished { trivial: false } => {
                    let nodes = components.finished().to_vec();
                    if let Some(found) = recursion.run(graph, nodes, watch, statistics)? {
                        return Ok(Some(found));
                    }
                    let own = components.bytes() + recursion.bytes();
                    statistics.bytes = statistics.bytes.max(own);
                }
            }
        }
        Ok(None)
    }
}

/// A strongly connected part, without edges that carry marks of `avoid`.
struct Part<const W: usize> {
    nodes: Vec<NodeId>,
    avoid: Marks<W>,
}

struct Recursion<const W: usize> {
    stack: Vec<Part<W>>,
    components: Components<W>,
    /// The part each node was last in.
    part_of: Vec<u32>,
    number: u32,
    edges: Vec<Edge<W>>,
}

impl<const W: usize> Recursion<W> {
    fn new() -> Recursion<W> {
        Recursion {
            stack: Vec::new(),
            components: Components::new(),
            part_of: Vec::new(),
            number: 0,
            edges: Vec::new(),
        }
    }

    /// A fair part of a maximal component.
    fn run(
        &mut self,
        graph: &mut dyn Graph<W>,
        nodes: Vec<NodeId>,
        watch: &mut Watch<'_>,
        statistics: &mut Statistics,
    ) -> Result<Option<Component<W>>, Stop> {
        let avoid = Marks::EMPTY;
        self.stack.push(Part { nodes, avoid });
        while let Some(part) = self.stack.pop() {
            let Some(taken) = self.marks_inside(graph, &part, watch, statistics)? else {
                continue;
            };
            let condition = graph.condition();
            if !taken.covers(condition.buchi) {
                continue;
            }
            let bad = condition.unfulfilled(taken);
            if bad.is_empty() {
                let Part { nodes, avoid } = part;
                return Ok(Some(Component { nodes, avoid }));
            }
            statistics.refinements += 1;
            let avoid = part.avoid.union(bad);
            self.split(graph, &part.nodes, avoid, watch, statistics)?;
        }
        Ok(None)
    }

    /// The marks of the edges inside a part; none if there are no edges.
    fn marks_inside(
        &mut self,
        graph: &mut dyn Graph<W>,
        part: &Part<W>,
        watch: &mut Watch<'_>,
        statistics: &mut Statistics,
    ) -> Result<Option<Marks<W>>, Stop> {
        self.number += 1;
        self.part_of
            .resize(graph.bound().max(self.part_of.len()), 0);
        for node in &part.nodes {
            self.part_of[node.index()] = self.number;
        }
        let mut marks = None;
        for &node in &part.nodes {
            graph.expand(node, &mut self.edges)?;
            statistics.revisits += 1;
            for edge in &self.edges {
                if self.part_of[edge.target.index()] == self.number && !edge.marks.meets(part.avoid)
                {
                    marks = Some(edge.marks.union(marks.unwrap_or(Marks::EMPTY)));
                }
            }
            beat(watch, statistics, graph, || self.bytes())?;
        }
        Ok(marks)
    }

    /// Puts the components of a part without avoided edges on the stack.
    fn split(
        &mut self,
        graph: &mut dyn Graph<W>,
        nodes: &[NodeId],
        avoid: Marks<W>,
        watch: &mut Watch<'_>,
        statistics: &mut Statistics,
    ) -> Result<(), Stop> {
        let (part_of, number) = (&self.part_of, self.number);
        let allows =
            |edge: &Edge<W>| part_of[edge.target.index()] == number && !edge.marks.meets(avoid);
        self.components.begin(graph, nodes);
        while let Some(step) = self.components.next(graph, allows)? {
            match step {
                Step::Visited { .. } => {
                    statistics.revisits += 1;
                    beat(watch, statistics, graph, || self.components.bytes())?;
                }
                Step::Finished { trivial: true } => {}
                Step::Finished { trivial: false } => {
                    let nodes = self.components.finished().to_vec();
                    self.stack.push(Part { nodes, avoid });
                }
            }
        }
        Ok(())
    }

    fn bytes(&self) -> u64 {
        let lists: usize = self.stack.iter().map(|part| 4 * part.nodes.len()).sum();
        self.components.bytes() + (4 * self.part_of.capacity() + lists) as u64
    }
}
