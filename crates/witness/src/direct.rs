//! A lasso of a component at once, without a copy of the component.
//!
//! Whoever wants any run at all should not wait for it much longer than for the verdict. Where the whole
//! component of an engine is a core, which is the rule, neither its refinement nor a copy with dense
//! numbers is needed: the lazy cycle (see `lazy`) is walked on the graph itself, from the node of the
//! component that is nearest to the start, and one word per node is all that is kept. When nothing is
//! owed, the walk need not go home: it ends at the first of its own nodes behind which it is accepting.
//!
//! The walk is hopeful: it may meet a request that nothing in the component grants, or a node from which
//! there is no way back. Then there is no answer, and the refinement of `first` finds one.

use std::collections::HashMap;

use evenhand_explicit::emptiness::Component;
use evenhand_explicit::graph::{Edge, Graph, NodeId};
use evenhand_explicit::marks::{Marks, Streett};
use evenhand_explicit::search::Stop;
use evenhand_explicit::watch::Watch;

use crate::distances::Distances;
use crate::lasso::GraphLasso;
use crate::lazy::debts;
use crate::meter::{Halt, Meter};

/// A lasso of a component; none if it takes more than a look.
///
/// # Errors
/// If a limit was reached.
pub fn direct<const W: usize>(
    graph: &mut dyn Graph<W>,
    component: &Component<W>,
    watch: &mut Watch<'_>,
) -> Result<Option<GraphLasso<W>>, Stop> {
    let mut meter = Meter::unlimited(watch);
    within(graph, component, &mut meter).map_err(Halt::into_stop)
}

fn within<const W: usize>(
    graph: &mut dyn Graph<W>,
    component: &Component<W>,
    meter: &mut Meter<'_, '_>,
) -> Result<Option<GraphLasso<W>>, Halt> {
    let mut walker = Walker::new(component);
    let sources = graph.initial()?;
    let mut distances = Distances::within(&sources, graph.bound());
    let mut looked_at = 0;
    let entry = loop {
        let met = &distances.nodes()[looked_at..];
        if let Some(&hit) = met.iter().find(|node| walker.has(**node)) {
            break hit;
        }
        looked_at = distances.nodes().len();
        if distances.is_complete() {
            return Ok(None);
        }
        distances.advance(graph, meter)?;
    };
    let mut way = Way {
        condition: graph.condition().clone(),
        start: entry,
        walk: Vec::new(),
        anchor: None,
        paid: Vec::new(),
    };
    let place = loop {
        walker.begin(way.end());
        let owed = debts(&way.condition, way.kept());
        if way.walk.is_empty() || !owed.is_empty() {
            let pays = |edge: &Edge<W>| owed.is_empty() || edge.marks.meets(owed);
            let Some((to, last)) = walker.next(graph, pays, meter)? else {
                return Ok(None);
            };
            let segment = walker.path(graph, to, last)?;
            way.paid.push((marks_of(&segment), walker.next));
            way.walk.extend(segment);
            continue;
        }
        let Some(closed) = way.close(&mut walker, graph, meter)? else {
            return Ok(None);
        };
        if let Closed::At(place) = closed {
            break place;
        }
    };
    let Some(mut prefix) = distances.path_to(graph, entry)? else {
        return Ok(None);
    };
    let cycle = way.walk.split_off(place);
    prefix.extend(way.walk.iter().map(|edge| edge.target));
    Ok(Some(GraphLasso { prefix, cycle }))
}

/// A walk that is to become a cycle.
struct Way<const W: usize> {
    condition: Streett<W>,
    start: NodeId,
    walk: Vec<Edge<W>>,
    /// If it is known: the cycle begins here, or earlier.
    anchor: Option<usize>,
    /// The marks of each piece of the walk, and how many nodes were looked at for it.
    paid: Vec<(Marks<W>, usize)>,
}

/// How a walk came back to itself.
enum Closed {
    /// The cycle begins at this place.
    At(usize),
    /// There is something to pay before.
    Indebted,
}

impl<const W: usize> Way<W> {
    fn end(&self) -> NodeId {
        self.walk.last().map_or(self.start, |edge| edge.target)
    }

    /// The marks that the cycle has for certain.
    fn kept(&self) -> Marks<W> {
        marks_of(&self.walk[self.anchor.unwrap_or(0)..])
    }

    /// Leads the walk back to one of its own nodes. If what lies behind that is not accepting, but what
    /// is missing was found sooner than the way back, that is paid again; at the start it has to be.
    fn close(
        &mut self,
        walker: &mut Walker<W>,
        graph: &mut dyn Graph<W>,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Option<Closed>, Halt> {
        let places = self.places();
        let meets = |edge: &Edge<W>| places.contains_key(&edge.target);
        while let Some((to, last)) = walker.next(graph, meets, meter)? {
            let segment = walker.path(graph, to, last)?;
            let Some(&(place, behind)) = places.get(&last.target) else {
                continue;
            };
            let missing = debts(&self.condition, behind.union(marks_of(&segment)));
            if missing.is_empty() {
                self.walk.extend(segment);
                return Ok(Some(Closed::At(place)));
            }
            let is_cheap = self.anchor.is_none() && self.cost(missing) <= walker.next;
            if is_cheap || last.target == self.start {
                self.walk.extend(segment);
                self.anchor = Some(place);
                return Ok(Some(Closed::Indebted));
            }
        }
        Ok(None)
    }

    /// How many nodes were looked at for some marks.
    fn cost(&self, marks: Marks<W>) -> usize {
        let of = |mark: usize| self.paid.iter().find(|(paid, _)| paid.contains(mark));
        let costs = marks
            .iter()
            .map(|mark| of(mark).map_or(usize::MAX, |&(_, cost)| cost));
        costs.fold(0, usize::saturating_add)
    }

    /// The nodes at which the cycle may begin: for each the last place where the walk leaves it, and all
    /// marks behind that. The start counts by its first place.
    fn places(&self) -> HashMap<NodeId, (usize, Marks<W>)> {
        let mut places = HashMap::with_capacity(self.walk.len());
        let mut marks = Marks::EMPTY;
        for (place, edge) in self.walk.iter().enumerate().rev() {
            marks = marks.union(edge.marks);
            if self.anchor.is_some_and(|anchor| place > anchor) {
                continue;
            }
            let from = place
                .checked_sub(1)
                .map_or(self.start, |p| self.walk[p].target);
            if from != self.start || place == 0 {
                places.entry(from).or_insert((place, marks));
            }
        }
        places
    }
}

fn marks_of<const W: usize>(walk: &[Edge<W>]) -> Marks<W> {
    walk.iter()
        .fold(Marks::EMPTY, |all, edge| all.union(edge.marks))
}

/// Makes walks through a component, one after the other.
struct Walker<const W: usize> {
    avoid: Marks<W>,
    /// For each node the one it was reached from.
    before: Vec<u32>,
    /// The nodes that the search has met, in their order, and how many of them were looked at.
    queue: Vec<NodeId>,
    next: usize,
    /// The edges of the last one, and how many of them were looked at.
    edges: Vec<Edge<W>>,
    edge: usize,
}

/// Not in the component.
const OUTSIDE: u32 = u32::MAX;

/// In the component, and not met.
const UNMET: u32 = u32::MAX - 1;

impl<const W: usize> Walker<W> {
    fn new(component: &Component<W>) -> Walker<W> {
        let size = component.nodes.iter().map(|node| node.index() + 1).max();
        let mut before = vec![OUTSIDE; size.unwrap_or(0)];
        for node in &component.nodes {
            before[node.index()] = UNMET;
        }
        Walker {
            avoid: component.avoid,
            before,
            queue: Vec::new(),
            next: 0,
            edges: Vec::new(),
            edge: 0,
        }
    }

    fn has(&self, node: NodeId) -> bool {
        self.before.get(node.index()).is_some_and(|&b| b != OUTSIDE)
    }

    /// Begins a breadth-first search at a node.
    fn begin(&mut self, from: NodeId) {
        for node in self.queue.drain(..) {
            self.before[node.index()] = UNMET;
        }
        self.edges.clear();
        (self.next, self.edge) = (0, 0);
        self.before[from.index()] = from.0;
        self.queue.push(from);
    }

    /// The next edge that is wanted, with the node that it leaves.
    fn next(
        &mut self,
        graph: &mut dyn Graph<W>,
        wanted: impl Fn(&Edge<W>) -> bool,
        meter: &mut Meter<'_, '_>,
    ) -> Result<Option<(NodeId, Edge<W>)>, Halt> {
        loop {
            while let Some(&edge) = self.edges.get(self.edge) {
                self.edge += 1;
                let node = self.queue[self.next - 1];
                let Some(before) = self.before.get_mut(edge.target.index()) else {
                    continue;
                };
                if *before == OUTSIDE || edge.marks.meets(self.avoid) {
                    continue;
                }
                if *before == UNMET {
                    *before = node.0;
                    self.queue.push(edge.target);
                }
                if wanted(&edge) {
                    return Ok(Some((node, edge)));
                }
            }
            let Some(&node) = self.queue.get(self.next) else {
                return Ok(None);
            };
            self.next += 1;
            self.edge = 0;
            meter.expansion(graph, || 4 * (self.before.len() + self.queue.capacity()))?;
            graph.expand(node, &mut self.edges)?;
        }
    }

    /// The walk that the search has found: to a node, and by an edge out of it.
    fn path(
        &self,
        graph: &mut dyn Graph<W>,
        to: NodeId,
        last: Edge<W>,
    ) -> Result<Vec<Edge<W>>, Halt> {
        let mut walk = vec![last];
        let (mut at, mut edges) = (to, Vec::new());
        while self.before[at.index()] != at.0 {
            let before = NodeId(self.before[at.index()]);
            graph.expand(before, &mut edges)?;
            let leads = |edge: &&Edge<W>| edge.target == at && !edge.marks.meets(self.avoid);
            walk.extend(edges.iter().find(leads));
            at = before;
        }
        walk.reverse();
        Ok(walk)
    }
}
