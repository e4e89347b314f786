//! The states that one worker owns.
//!
//! Who owns a state follows from a hash of what it is called between processes, so each worker can tell without asking.
//! A *node* is a state with a state of the automaton that is followed; without an automaton it is the state. All nodes
//! of a state have the same owner, so a state is stored once. Nodes are numbered in the order in which they are met:
//! a level of a breadth-first search is a range of numbers.
//!
//! Of each node its owner keeps the node from which it was met first, or all edges that lead to it with their marks:
//! what a fixpoint that walks backward needs, and nothing has to be asked back. Of edges that are on no accepting cycle only
//! that by which a node was met first is kept. An edge takes twelve bytes until all
//! are known, and eight afterwards.

use std::collections::HashMap;

use evenhand_explicit::search::Stop;
use evenhand_explicit::store::{AnyStore, Limits, StateId, Store, hash};

use crate::nodes::Nodes;

/// A node anywhere in the cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Remote {
    pub worker: u32,
    pub node: u32,
}

/// What is kept of how nodes are reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// Nothing.
    Nothing,
    /// The node from which each was met first.
    Parents,
    /// All edges, with their marks.
    Edges,
}

/// What all edges of a kind have: where they come from, and the marks that do not follow from their source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Class {
    pub worker: u32,
    pub marks: Vec<u64>,
}

/// An edge while not all are known.
#[derive(Clone, Copy, Debug)]
struct Logged {
    target: u32,
    source: u32,
    class: u32,
}

/// An edge to a node, kept with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Incoming {
    /// The number of the node it comes from, with its owner.
    pub source: u32,
    pub class: u32,
}

/// The states that a worker owns.
pub(crate) struct Shard {
    pub store: AnyStore,
    /// The nodes as they were met, where there is an automaton.
    nodes: Option<Nodes>,
    keep: Keep,
    parents: Vec<Remote>,
    log: Vec<Logged>,
    pub classes: Vec<Class>,
    by_class: HashMap<Class, u32>,
    /// The mark of edges that are on no accepting cycle.
    passing: usize,
    /// For each class, whether it has that mark.
    is_passing: Vec<bool>,
    /// What each node has of its own, once it was expanded.
    pub departures: Vec<Departure>,
}

/// What is known of all edges out of a node.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Departure {
    /// The number of the marks that follow from the node.
    pub source: u32,
    /// How many there are that may be on an accepting cycle.
    pub degree: u32,
}

/// The hash of a state, by what it is called between processes.
#[inline]
pub(crate) fn name_hash(head: &[u8], tail: &[u8]) -> u64 {
    hash(tail) ^ hash(head).rotate_left(23)
}

/// The owner of a state, by what it is called between processes.
pub(crate) fn owner(head: &[u8], tail: &[u8], workers: usize) -> usize {
    owner_of(name_hash(head, tail), workers)
}

/// The owner of a state whose name has a hash.
#[inline]
pub(crate) fn owner_of(hash: u64, workers: usize) -> usize {
    // Other bits than those that the store looks at.
    let mixed = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    ((mixed * workers as u64) >> 32) as usize
}

impl Shard {
    /// The states that a worker owns; with an automaton of so many states, if there is one.
    pub fn new(compress: bool, automaton: Option<usize>, keep: Keep, passing: usize) -> Shard {
        Shard {
            store: AnyStore::new(compress, Limits::default()),
            nodes: automaton.map(Nodes::new),
            keep,
            parents: Vec::new(),
            log: Vec::new(),
            classes: Vec::new(),
            by_class: HashMap::new(),
            passing,
            is_passing: Vec::new(),
            departures: Vec::new(),
        }
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.as_ref().map_or(self.store.len(), Nodes::len)
    }

    /// The state of the system and that of the automaton of a node.
    pub fn parts(&self, node: u32) -> (StateId, u32) {
        match &self.nodes {
            Some(nodes) => nodes.parts(node),
            None => (StateId::new(node), 0),
        }
    }

    /// The nodes of a state that is followed with an automaton, from the one that was met last.
    pub fn nodes_of(&self, state: StateId) -> impl Iterator<Item = (u32, u32)> + '_ {
        let nodes = self.nodes.iter();
        nodes.flat_map(move |nodes| nodes.of(state))
    }

    /// The number of a kind of edges.
    pub fn class(&mut self, class: Class) -> u32 {
        if let Some(&number) = self.by_class.get(&class) {
            return number;
        }
        let number = self.classes.len() as u32;
        let passing = class.marks[self.passing / 64] >> (self.passing % 64) & 1 == 1;
        self.is_passing.push(passing);
        self.classes.push(class.clone());
        self.by_class.insert(class, number);
        number
    }

    /// Whether edges of a kind are on no accepting cycle.
    pub fn is_passing(&self, class: u32) -> bool {
        self.is_passing[class as usize]
    }

    /// A state was met.
    #[inline]
    pub fn meet_state(&mut self, state: &[u8]) -> Result<(StateId, bool), Stop> {
        Ok(self.store.insert(state)?)
    }

    /// The same for a state whose hash is known.
    #[inline]
    pub fn meet_hashed(&mut self, hash: u64, state: &[u8]) -> Result<(StateId, bool), Stop> {
        Ok(self.store.insert_hashed(hash, state)?)
    }

    /// A node was met, coming from another one by an edge of a kind; none for initial ones.
    pub fn meet(
        &mut self,
        state: &[u8],
        automaton: u32,
        from: Option<(Remote, u32)>,
    ) -> Result<u32, Stop> {
        let met = self.meet_state(state)?;
        self.meet_node(met, automaton, from)
    }

    /// The same for a state that was met, with what was said of it.
    #[inline]
    pub fn meet_node(
        &mut self,
        (id, mut new): (StateId, bool),
        automaton: u32,
        from: Option<(Remote, u32)>,
    ) -> Result<u32, Stop> {
        let mut node = id.number();
        if let Some(nodes) = &mut self.nodes {
            (node, new) = nodes.meet(id, automaton)?;
        }
        match (self.keep, from) {
            (Keep::Nothing, _) => {}
            (Keep::Parents, from) if new => self.parents.push(match from {
                Some((from, _)) => from,
                None => Remote {
                    worker: u32::MAX,
                    node,
                },
            }),
            (Keep::Parents, _) | (Keep::Edges, None) => {}
            (Keep::Edges, Some((_, class))) if !new && self.is_passing(class) => {}
            (Keep::Edges, Some((from, class))) => self.log.push(Logged {
                target: node,
                source: from.node,
                class,
            }),
        }
        Ok(node)
    }

    /// The node from which a node was met first; none for initial ones.
    pub fn parent(&self, node: u32) -> Option<Remote> {
        let parent = self.parents.get(node as usize)?;
        (parent.worker != u32::MAX).then_some(*parent)
    }

    /// Says from which node a node was met first.
    pub fn set_parent(&mut self, node: u32, parent: Remote) {
        if let Some(known) = self.parents.get_mut(node as usize) {
            *known = parent;
        }
    }

    /// All edges by the nodes that they lead to, in the order in which they were met: where those of each node begin,
    /// and the edges.
    pub fn incoming(&mut self) -> Result<(Vec<u32>, Vec<Incoming>), Stop> {
        let log = std::mem::take(&mut self.log);
        if log.len() >= u32::MAX as usize {
            return Err(Stop::Memory);
        }
        let mut first = vec![0u32; self.len() + 1];
        for edge in &log {
            first[edge.target as usize + 1] += 1;
        }
        for node in 0..self.len() {
            first[node + 1] += first[node];
        }
        let mut next = first.clone();
        let mut edges = vec![
            Incoming {
                source: 0,
                class: 0
            };
            log.len()
        ];
        for edge in &log {
            let place = &mut next[edge.target as usize];
            edges[*place as usize] = Incoming {
                source: edge.source,
                class: edge.class,
            };
            *place += 1;
        }
        Ok((first, edges))
    }

    /// The memory taken.
    pub fn bytes_used(&self) -> usize {
        let nodes = self.nodes.as_ref().map_or(0, Nodes::bytes_used);
        let edges = self.log.capacity() * size_of::<Logged>();
        let parents = self.parents.capacity() * size_of::<Remote>();
        let departures = self.departures.capacity() * size_of::<Departure>();
        self.store.bytes_used() + nodes + edges + parents + departures
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_are_spread_evenly() {
        for workers in [1, 2, 3, 5, 10, 64] {
            let mut owned = vec![0; workers];
            for number in 0..100_000u32 {
                owned[owner(b"head", &number.to_le_bytes(), workers)] += 1;
            }
            let most = owned.iter().max().copied().unwrap_or(0);
            assert!(most * workers <= 130_000, "{workers} workers: {owned:?}");
        }
    }

    #[test]
    fn edges_are_sorted_by_their_targets() {
        let mut shard = Shard::new(false, Some(2), Keep::Edges, 3);
        let mut class = |marks| {
            shard.class(Class {
                worker: 0,
                marks: vec![marks],
            })
        };
        let (a, b, c, passing) = (class(1), class(2), class(4), class(8));
        let from = |node, class| Some((Remote { worker: 0, node }, class));
        shard.meet(b"a", 0, None).expect("room");
        shard.meet(b"b", 0, from(0, a)).expect("room");
        shard.meet(b"a", 0, from(1, b)).expect("room");
        shard.meet(b"b", 0, from(1, c)).expect("room");
        // Kept only where it is the first one.
        assert_eq!(shard.meet(b"b", 0, from(0, passing)), Ok(1));
        assert_eq!(shard.meet(b"b", 1, from(0, passing)), Ok(2));
        let (first, edges) = shard.incoming().expect("room");
        assert_eq!(first, [0, 1, 3, 4]);
        let classes: Vec<u32> = edges.iter().map(|edge| edge.class).collect();
        assert_eq!(classes, [b, a, c, passing]);
    }
}
