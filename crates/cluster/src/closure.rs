//! What leads to some nodes, on a graph whose edges are kept with their targets.
//!
//! Each worker has the nodes of a set that it owns, and tells the sources of the edges to them. A closure goes on from
//! there without a barrier, as far as it may pass; a single step does not. Every edge is told once, so it costs what there
//! are of them.

use evenhand_explicit::search::Stop;
use evenhand_explicit::state_set::StateSet;

use crate::feasible::Feasible;
use crate::post::{Broken, Out, Part, Post};
use crate::stops;
use crate::wire::{Reader, put};

/// Nodes that are looked at between two looks at the inbox.
const CHUNK: usize = 4096;

/// The nodes from which an edge leads into a set; nobody knows if a limit is reached.
pub(crate) fn step_into(
    post: &mut Post,
    graph: &Feasible,
    goal: &StateSet,
) -> Result<Result<StateSet, Stop>, Broken> {
    let none = StateSet::empty(goal.universe());
    Backward::new(graph, goal, none.complement(), none).run(post, false)
}

/// The nodes of a set, and those from which a way leads into it through nodes that may be passed.
pub(crate) fn ways_into(
    post: &mut Post,
    graph: &Feasible,
    pass: StateSet,
    goal: StateSet,
) -> Result<Result<StateSet, Stop>, Broken> {
    Backward::new(graph, &goal.clone(), pass, goal).run(post, true)
}

/// One worker's part of it.
struct Backward<'g> {
    graph: &'g Feasible,
    pass: StateSet,
    found: StateSet,
    /// Whose predecessors were not told yet.
    queue: Vec<u32>,
    goes_on: bool,
    stop: Option<Stop>,
}

impl<'g> Backward<'g> {
    fn new(graph: &'g Feasible, from: &StateSet, pass: StateSet, found: StateSet) -> Backward<'g> {
        Backward {
            graph,
            pass,
            found,
            queue: from.iter().map(|node| node as u32).collect(),
            goes_on: false,
            stop: None,
        }
    }

    fn run(mut self, post: &mut Post, goes_on: bool) -> Result<Result<StateSet, Stop>, Broken> {
        self.goes_on = goes_on;
        post.run(&mut self)?;
        Ok(match stops::agreed(post, self.stop)? {
            Some(stop) => Err(stop),
            None => Ok(self.found),
        })
    }

    fn meet(&mut self, node: u32) {
        if self.pass.contains(node as usize) && self.found.insert(node as usize) && self.goes_on {
            self.queue.push(node);
        }
    }
}

impl Part for Backward<'_> {
    fn more(&mut self, out: &mut Out) -> bool {
        if self.stop.is_none() {
            self.stop = self.graph.limits.look().err();
        }
        for _ in 0..CHUNK {
            let Some(node) = self.queue.pop().filter(|_| self.stop.is_none()) else {
                break;
            };
            for at in self.graph.incoming(node as usize) {
                let edge = self.graph.edges[at];
                match self.graph.worker(edge.class) {
                    worker if worker == self.graph.own => self.meet(edge.source),
                    worker => put(out.to(worker as usize), edge.source.into()),
                }
            }
        }
        self.is_busy()
    }

    fn take(&mut self, _: usize, letter: &[u8], _: &mut Out) {
        let mut reader = Reader(letter);
        while !reader.is_empty() {
            self.meet(reader.number() as u32);
        }
    }

    fn is_busy(&self) -> bool {
        self.stop.is_none() && !self.queue.is_empty()
    }
}
