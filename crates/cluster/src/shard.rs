//! The states that one worker owns.
//!
//! Who owns a state follows from a hash of what it is called between processes, so each worker can tell without asking.
//! A *node* is a state with a state of the automaton that is followed; without an automaton it is the state. All nodes
//! of a state have the same owner, so a state is stored once. Nodes are numbered in the order in which they are met:
//! a level of a breadth-first search is a range of numbers.
//!
//! Of each node its owner keeps the node from which it was met first, or all edges that lead to it with their marks:
//! what a fixpoint that walks backward needs, and nothing has to be asked back. Of edges that are on no accepting cycle only
//! that by which a node was met first is kept.

use std::collections::HashMap;

use evenhand_explicit::search::Stop;
use evenhand_explicit::store::{AnyStore, Limits, StateId, Store, hash};

use crate::edges::{Edges, Sorted};
use crate::nodes::Nodes;

/// A node anywhere in the cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Remote {
    pub worker: u32,
    pub node: u32,
}

impl Remote {
    /// Stands for no node.
    const NOBODY: Remote = Remote {
        worker: u32::MAX,
        node: 0,
    };

    /// The node, if it is one.
    pub fn known(self) -> Option<Remote> {
        (self != Remote::NOBODY).then_some(self)
    }
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
    /// The same with less memory: edges are counted, and generated once more when all are known.
    EdgesAgain,
}

/// What all edges of a kind have: where they come from, and the marks that do not follow from their source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Class {
    pub worker: u32,
    pub marks: Vec<u64>,
}

/// The states that a worker owns.
pub(crate) struct Shard {
    pub store: AnyStore,
    /// The nodes as they were met, where there is an automaton.
    nodes: Option<Nodes>,
    keep: Keep,
    parents: Vec<Remote>,
    edges: Edges,
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
            edges: match keep {
                Keep::EdgesAgain => Edges::Counted(Vec::new()),
                _ => Edges::default(),
            },
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
        if new && matches!(self.keep, Keep::Parents | Keep::EdgesAgain) {
            let parent = from.map_or(Remote::NOBODY, |(from, _)| from);
            self.parents.push(parent);
        }
        let Some((from, class)) = from else {
            return Ok(node);
        };
        let is_kept = match self.keep {
            Keep::Nothing | Keep::Parents => false,
            Keep::Edges => new || !self.is_passing(class),
            Keep::EdgesAgain => !self.is_passing(class),
        };
        if is_kept {
            self.edges.meet(node, from.node, class)?;
        }
        Ok(node)
    }

    /// The node from which a node was met first; none for initial ones.
    pub fn parent(&self, node: u32) -> Option<Remote> {
        self.parents.get(node as usize)?.known()
    }

    /// Says from which node a node was met first.
    pub fn set_parent(&mut self, node: u32, parent: Remote) {
        if let Some(known) = self.parents.get_mut(node as usize) {
            *known = parent;
        }
    }

    /// No edges were counted so far.
    pub fn forget_edges(&mut self) {
        self.edges = Edges::Counted(Vec::new());
    }

    /// All edges were counted: those that are met from now on are written where they belong.
    pub fn make_room(&mut self) -> Result<(), Stop> {
        self.edges.make_room(self.len())
    }

    /// All edges by the nodes that they lead to.
    pub fn incoming(&mut self) -> Result<Sorted, Stop> {
        self.edges.sorted(self.len())
    }

    /// For each node the one from which it was met first, if that is not by its first edge.
    pub fn take_parents(&mut self) -> Vec<Remote> {
        std::mem::take(&mut self.parents)
    }

    /// All kinds of edges, and for each whether they are on no accepting cycle.
    pub fn take_classes(&mut self) -> (Vec<Class>, Vec<bool>) {
        let classes = std::mem::take(&mut self.classes);
        (classes, std::mem::take(&mut self.is_passing))
    }

    /// The memory taken.
    pub fn bytes_used(&self) -> usize {
        let nodes = self.nodes.as_ref().map_or(0, Nodes::bytes_used);
        let edges = self.edges.bytes_at_most();
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
