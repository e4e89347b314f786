//! The default: Streett emptiness on the fly, by strongly connected components and refinement.
//!
//! A depth-first search keeps the components of what it has seen so far on a stack (Dijkstra,
//! Couvreur): an edge to a node on the stack merges all components above that node, and their
//! marks. The moment a merged set of marks is accepting, the search is over. A finished component
//! that has all Büchi marks, but requests without grants, is searched again without the edges that
//! make these requests: no accepting run inside it can take them. Such a *scope* is explored at
//! once, from all its nodes, and may open further scopes; each one avoids more requests than the
//! one around it.
//!
//! Duret-Lutz, Poitrenaud and Couvreur (2009), corrected: the printed search enters the avoided
//! edges of a scope too early and misses accepting cycles. Here they are never taken; what they led
//! to is reached from the list of members.
//!
//! No node needs to know its scope. The edges that a scope allows lead from a finished component
//! into itself or to dead nodes, whatever the scopes around it allow; so one number per node says
//! all: unseen, dead, or the place on the stack of live nodes. Opening a scope makes its members
//! unseen.
//!
//! A graph may know of nodes that no accepting cycle visits, since the automaton's part of them is on none. Such a node is
//! passed: dead from the start, and no component. The edges out of it come next, as if they were those of the node before.
//! That is the same order, and nothing else changes: a component with an edge inside that leads by way of such a node would
//! be a cycle through it.
//!
//! Whoever wants a proof of emptiness listens to the search: a `Keeper` is told where components lead
//! and why they are dead, and says what is kept of a dead node.
//!
//! Cost: each node is visited at most once per scope around it, k + 1 times for k pairs; without
//! pairs exactly once. Four bytes per node, and stacks for live nodes, open edges and components.

use crate::emptiness::keeper::{DEAD, Forgetful, Keeper, UNSEEN};
use crate::emptiness::{Component, Engine, NoProof, Searched, Statistics};
use crate::graph::{Edge, Graph, NodeId};
use crate::marks::{Marks, Streett};
use crate::ranks::{Ranking, rank};
use crate::search::{Progress, Stop};
use crate::sieve::{Sieve, cover};
use crate::watch::Watch;

/// Streett emptiness on the fly.
pub struct OnTheFly;

impl<const W: usize> Engine<W> for OnTheFly {
    fn name(&self) -> &'static str {
        "streett"
    }

    fn about(&self) -> &'static str {
        "components on the fly, refined where strong fairness asks for it; any acceptance"
    }

    fn search(
        &self,
        graph: &mut dyn Graph<W>,
        watch: &mut Watch<'_>,
        statistics: &mut Statistics,
    ) -> Result<Option<Component<W>>, Stop> {
        search(graph, watch, statistics, Forgetful).map(|(found, ..)| found)
    }

    fn search_with_proof(
        &self,
        graph: &mut dyn Graph<W>,
        watch: &mut Watch<'_>,
        statistics: &mut Statistics,
    ) -> Result<Searched<W>, Stop> {
        match rank(graph, watch, statistics) {
            Ok(Ranking::Accepting(component)) => Ok(Searched::Accepting(component)),
            Ok(Ranking::Empty(ranks)) => Ok(Searched::Empty(Ok(ranks))),
            // A proof takes more room than an answer.
            Err(Stop::Memory) => {
                *statistics = Statistics::default();
                let found = self.search(graph, watch, statistics)?;
                let none = Searched::Empty(Err(NoProof::Stop(Stop::Memory)));
                Ok(found.map_or(none, Searched::Accepting))
            }
            Err(stop) => Err(stop),
        }
    }
}

/// Looks for an accepting cycle; with the keeper comes what is kept of each node.
pub(crate) fn search<const W: usize, K: Keeper<W>>(
    graph: &mut dyn Graph<W>,
    watch: &mut Watch<'_>,
    statistics: &mut Statistics,
    keeper: K,
) -> Result<(Option<Component<W>>, K, Vec<u32>), Stop> {
    let mut search = Search::new(graph, watch, statistics, keeper);
    let result = search.run();
    search.statistics.bytes = search.bytes();
    let mut number = search.number;
    number.truncate(search.graph.bound());
    result.map(|found| (found, search.keeper, number))
}

/// A component on the stack: the live nodes from its root to the root of the next one.
#[derive(Clone, Copy)]
struct Part<const W: usize, B> {
    /// The number of the root.
    root: u32,
    /// The marks of the edge that led to the root.
    entry: Marks<W>,
    /// The marks of the edges inside.
    inside: Marks<W>,
    /// What the keeper knows of the edges that lead out of it.
    below: B,
}

/// A node whose edges are being followed.
#[derive(Clone, Copy)]
struct Frame {
    number: u32,
    /// Where its open edges begin.
    open: u32,
}

/// A part of the graph that is explored without some edges.
struct Scope<const W: usize> {
    avoid: Marks<W>,
    /// The heights of the stacks below it.
    frames: usize,
    roots: usize,
    live: usize,
}

struct Search<'a, 'w, const W: usize, K: Keeper<W>> {
    graph: &'a mut dyn Graph<W>,
    watch: &'a mut Watch<'w>,
    statistics: &'a mut Statistics,
    condition: Streett<W>,
    keeper: K,
    /// For each node [`UNSEEN`], at least [`DEAD`], or one more than its place in `live`.
    number: Vec<u32>,
    /// The visited nodes whose components are not finished, in the order of their visits.
    live: Vec<NodeId>,
    parts: Vec<Part<W, K::Below>>,
    frames: Vec<Frame>,
    /// The edges still to be followed, of all frames.
    open: Vec<Edge<W>>,
    scopes: Vec<Scope<W>>,
    /// The nodes from which the scopes are still to be explored, of all scopes.
    roots: Vec<NodeId>,
    /// The edges of the node just visited that lead to visited ones.
    met: Vec<(u32, Marks<W>)>,
    /// Room for the edges of one node.
    edges: Vec<Edge<W>>,
    /// The scope of each node: what the argument above says is not needed.
    #[cfg(debug_assertions)]
    scope_of: Vec<usize>,
}

impl<'a, 'w, const W: usize, K: Keeper<W>> Search<'a, 'w, W, K> {
    fn new(
        graph: &'a mut dyn Graph<W>,
        watch: &'a mut Watch<'w>,
        statistics: &'a mut Statistics,
        keeper: K,
    ) -> Search<'a, 'w, W, K> {
        let condition = graph.condition().clone();
        Search {
            graph,
            watch,
            statistics,
            condition,
            keeper,
            number: Vec::new(),
            live: Vec::new(),
            parts: Vec::new(),
            frames: Vec::new(),
            open: Vec::new(),
            scopes: Vec::new(),
            roots: Vec::new(),
            met: Vec::new(),
            edges: Vec::new(),
            #[cfg(debug_assertions)]
            scope_of: Vec::new(),
        }
    }

    fn run(&mut self) -> Result<Option<Component<W>>, Stop> {
        self.roots = self.graph.initial()?;
        self.roots.reverse();
        self.cover();
        self.open_scope(Marks::EMPTY, 0);
        while let Some(scope) = self.scopes.last() {
            let (avoid, bottom, first_root) = (scope.avoid, scope.frames, scope.roots);
            if self.frames.len() == bottom {
                if self.roots.len() == first_root {
                    self.close_scope();
                } else if let Some(root) = self.roots.pop()
                    && self.number[root.index()] == UNSEEN
                    && self.visit(root, Marks::EMPTY, avoid)?
                {
                    return Ok(Some(self.found(avoid)));
                }
            } else if self.explore(avoid, bottom)? {
                return Ok(Some(self.found(avoid)));
            }
        }
        Ok(None)
    }

    /// Goes on until an accepting component was found, a scope was opened, or all frames of this
    /// scope are done; true in the first case.
    fn explore(&mut self, avoid: Marks<W>, bottom: usize) -> Result<bool, Stop> {
        'frames: while self.frames.len() > bottom {
            let frame = self.frames[self.frames.len() - 1];
            while self.open.len() > frame.open as usize
                && let Some(edge) = self.open.pop()
            {
                let found = match self.number[edge.target.index()] {
                    UNSEEN => match self.visit(edge.target, edge.marks, avoid)? {
                        true => return Ok(true),
                        false => continue 'frames,
                    },
                    dead @ DEAD.. => self.leave(dead, edge.marks),
                    number => self.merge(number, edge.marks),
                };
                if found {
                    return Ok(true);
                }
            }
            self.frames.pop();
            let top = self.parts.last();
            if top.is_some_and(|part| part.root == frame.number) && self.finish(avoid, bottom)? {
                return Ok(false);
            }
        }
        Ok(false)
    }

    /// Visits a node: true if this completed an accepting component. Edges that need no visit are
    /// dealt with at once, so that cycles are closed as early as possible.
    fn visit(&mut self, node: NodeId, entry: Marks<W>, avoid: Marks<W>) -> Result<bool, Stop> {
        let number = u32::try_from(self.live.len() + 1).unwrap_or(DEAD);
        let open = u32::try_from(self.open.len()).unwrap_or(u32::MAX);
        if number >= DEAD || open == u32::MAX {
            return Err(Stop::Memory);
        }
        self.number[node.index()] = number;
        self.met.clear();
        let (numbers, open_edges, met) = (&mut self.number, &mut self.open, &mut self.met);
        let mut sieve = Sieve::new(numbers, avoid, K::LISTENS, open_edges, met);
        let sifted = self.graph.sift(node, &mut sieve, &mut self.edges);
        let (edges, passed) = (sieve.count() as u64, sieve.passed());
        if passed > 0 {
            return self.pass((open, passed), edges, sifted);
        }
        sifted?;
        if self.scopes.len() == 1 {
            self.statistics.nodes += 1;
            self.statistics.edges += edges;
        } else {
            self.statistics.revisits += 1;
        }
        self.debug_scopes(open as usize);
        self.live.push(node);
        self.parts.push(Part {
            root: number,
            entry,
            inside: Marks::EMPTY,
            below: K::Below::default(),
        });
        self.frames.push(Frame { number, open });
        for at in 0..self.met.len() {
            let (number, marks) = self.met[at];
            if number >= DEAD {
                self.leave(number, marks);
            } else if self.merge(number, marks) {
                return Ok(true);
            }
        }
        self.look_after(1)?;
        Ok(false)
    }

    /// So many nodes were passed: their open edges are followed as if they were those of the frame below, or of a
    /// frame that is no component's, if there is none.
    #[inline]
    fn pass(
        &mut self,
        (open, passed): (u32, u32),
        edges: u64,
        sifted: Result<(), Stop>,
    ) -> Result<bool, Stop> {
        debug_assert!(self.scopes.len() == 1 && self.met.is_empty());
        self.statistics.nodes += u64::from(passed);
        self.statistics.edges += edges;
        sifted?;
        self.debug_scopes(open as usize);
        if self.frames.is_empty() {
            let number = UNSEEN;
            self.frames.push(Frame { number, open });
        }
        self.look_after(passed)?;
        Ok(false)
    }

    /// Looks at the limits now and then.
    #[inline]
    fn look_after(&mut self, visits: u32) -> Result<(), Stop> {
        if self.watch.is_due_after(visits) {
            let progress = self.progress();
            self.watch.look(&progress)?;
        }
        Ok(())
    }

    /// An edge with these marks leads from the top component to a dead node: never accepting.
    #[inline]
    fn leave(&mut self, dead: u32, marks: Marks<W>) -> bool {
        if K::LISTENS
            && let Some(top) = self.parts.last_mut()
        {
            self.keeper.leads_to(dead, marks, &mut top.below);
        }
        false
    }

    /// An edge with these marks leads from the top component to a live node: all components between
    /// become one. True if it is accepting.
    #[inline(always)]
    fn merge(&mut self, number: u32, marks: Marks<W>) -> bool {
        let part = &self.parts[self.parts.len() - 1];
        // Most edges lead back into the top component and say nothing new.
        if part.root <= number && part.inside.covers(marks) && !part.inside.is_empty() {
            return false;
        }
        self.merge_down(number, marks)
    }

    #[inline(never)]
    fn merge_down(&mut self, number: u32, marks: Marks<W>) -> bool {
        debug_assert!(
            number as usize > self.scopes[self.scopes.len() - 1].live,
            "an allowed edge leaves its scope"
        );
        let mut top = self.parts.len() - 1;
        let mut seen = marks;
        let mut below = K::Below::default();
        while self.parts[top].root > number {
            seen = seen
                .union(self.parts[top].entry)
                .union(self.parts[top].inside);
            self.keeper.join(&mut below, &self.parts[top].below);
            top -= 1;
        }
        self.parts.truncate(top + 1);
        let part = &mut self.parts[top];
        self.keeper.join(&mut part.below, &below);
        let merged = part.inside.union(seen);
        // What was known already was found not to be accepting, unless this is the first edge
        // inside.
        if merged == part.inside && !merged.is_empty() {
            return false;
        }
        part.inside = merged;
        self.condition.accepts(merged)
    }

    /// The top component is finished: it is dead, unless requests are all it fails by; then true,
    /// and a scope was opened.
    fn finish(&mut self, avoid: Marks<W>, bottom: usize) -> Result<bool, Stop> {
        debug_assert!(self.is_consistent());
        let Some(part) = self.parts.pop() else {
            return Ok(false);
        };
        let first = part.root as usize - 1;
        // Without an inner edge there are no marks, hence no requests.
        let bad = self.condition.unfulfilled(part.inside);
        let missing = self.condition.buchi.without(part.inside);
        let is_dead = bad.is_empty() || !missing.is_empty();
        let kept = match is_dead {
            true => self.keeper.dead(&part.below, missing)?,
            false => {
                let condition = &self.condition;
                self.keeper.refine(&part.below, condition, part.inside)?
            }
        };
        if self.frames.len() > bottom {
            self.leave(kept, part.entry);
        }
        if is_dead {
            for node in &self.live[first..] {
                self.number[node.index()] = kept;
            }
            self.live.truncate(first);
            return Ok(false);
        }
        debug_assert!(!bad.meets(avoid), "an avoided edge was taken");
        self.statistics.refinements += 1;
        let roots = self.roots.len();
        for &node in self.live[first..].iter().rev() {
            self.number[node.index()] = UNSEEN;
            self.roots.push(node);
        }
        self.live.truncate(first);
        self.open_scope(avoid.union(bad), roots);
        self.keeper.begin();
        Ok(true)
    }

    fn open_scope(&mut self, avoid: Marks<W>, roots: usize) {
        debug_assert!(self.scopes.len() <= self.condition.pairs().len());
        self.scopes.push(Scope {
            avoid,
            frames: self.frames.len(),
            roots,
            live: self.live.len(),
        });
        #[cfg(debug_assertions)]
        if self.scopes.len() > 1 {
            for node in &self.roots[roots..] {
                self.scope_of[node.index()] = self.scopes.len();
            }
        }
    }

    /// All members of the scope are dead.
    fn close_scope(&mut self) {
        let scope = self.scopes.pop();
        debug_assert!(scope.is_some_and(|scope| self.live.len() == scope.live));
        self.keeper.end();
    }

    /// An unseen node that an allowed edge leads to is a member of the innermost scope.
    #[inline]
    fn debug_scopes(&mut self, _first: usize) {
        #[cfg(debug_assertions)]
        {
            self.scope_of.resize(self.number.len(), 1);
            for edge in &self.open[_first..] {
                let scope = self.scope_of[edge.target.index()];
                assert!(self.scopes.len() == 1 || scope == self.scopes.len());
            }
        }
    }

    fn found(&self, avoid: Marks<W>) -> Component<W> {
        let first = self.parts.last().map_or(0, |part| part.root as usize - 1);
        Component {
            nodes: self.live[first..].to_vec(),
            avoid,
        }
    }

    /// Makes room for the nodes that the graph has numbered.
    #[inline]
    fn cover(&mut self) {
        let bound = self.graph.bound();
        if bound > self.number.len() {
            cover(&mut self.number, bound);
            #[cfg(debug_assertions)]
            self.scope_of.resize(self.number.len(), 1);
        }
    }

    #[cold]
    fn progress(&self) -> Progress {
        Progress {
            states: self.statistics.nodes,
            expanded: self.statistics.nodes + self.statistics.revisits,
            transitions: self.statistics.edges,
            depth: self.frames.len() as u64,
            bytes: self.bytes() + self.graph.bytes_used() as u64,
        }
    }

    fn bytes(&self) -> u64 {
        let bytes = self.number.capacity() * size_of::<u32>()
            + self.live.capacity() * size_of::<NodeId>()
            + self.parts.capacity() * size_of::<Part<W, K::Below>>()
            + self.frames.capacity() * size_of::<Frame>()
            + self.open.capacity() * size_of::<Edge<W>>()
            + self.roots.capacity() * size_of::<NodeId>();
        bytes as u64 + self.keeper.bytes()
    }

    /// The invariants of the search, for stacks small enough to look at every time: live nodes are
    /// numbered by their places; roots and frames ascend, each root is on a frame or was just left;
    /// no component on the stack is accepting; open edges belong to frames in order.
    fn is_consistent(&self) -> bool {
        const SMALL: usize = 100;
        if self.live.len() > SMALL {
            return true;
        }
        let placed =
            |(place, node): (usize, &NodeId)| self.number[node.index()] as usize == place + 1;
        let on_frame = |part: &Part<W, K::Below>| self.frames.iter().any(|f| f.number == part.root);
        let finished = self.parts.len() - 1;
        self.live.iter().enumerate().all(placed)
            && self.parts.is_sorted_by(|a, b| a.root < b.root)
            && self
                .frames
                .is_sorted_by(|a, b| a.number < b.number && a.open <= b.open)
            && self.parts[..finished].iter().all(on_frame)
            && self
                .parts
                .iter()
                .all(|part| part.inside.is_empty() || !self.condition.accepts(part.inside))
            && self
                .scopes
                .is_sorted_by(|a, b| a.avoid != b.avoid && b.avoid.covers(a.avoid))
    }
}
