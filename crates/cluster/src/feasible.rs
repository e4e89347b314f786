//! Fair cycles of a partitioned graph, as a fixpoint of closures.
//!
//! **Problem.** Is there a cycle with all Büchi marks on which each request has its grant, in a graph whose nodes belong
//! to many workers? Depth-first search, which finds components in one pass, goes one step at a time.
//!
//! **Idea.** FEASIBLE of Kesten, Pnueli, Raviv and Shahar, for marks on edges. Keep the nodes that reach an edge with each
//! Büchi mark, and, where all their edges make a request, one with its grant; delete the edges of the automaton with a
//! request and without its grant whose target reaches no edge with the grant; delete nodes without successors; repeat
//! until nothing changes. What stays has an accepting cycle iff it is not empty: of the components of the rest one has no
//! way out, and every mark that its nodes reach is inside of it.
//!
//! **How.** All closures of a round are one: a node has a bit for each mark, and tells its predecessors what is new, so
//! each round is two phases without a barrier inside. Edges are kept with their targets, so a closure walks backward
//! along them, and whether an edge is deleted is known where it is kept. Deleting is a phase too: who loses its last
//! successor is deleted by the same letter. All workers [sweep](sweep) through their nodes at the same time, and read
//! between two pieces of a sweep what others wrote. Edges that the automaton alone keeps off every accepting cycle are
//! deleted from the start.
//!
//! What is enabled and true in a node gives marks to all of its edges, so these marks stay with the node; an edge has
//! what the step takes and the automaton's marks, and there are few such sets.
//!
//! **Cost.** A round is linear in the edges that are left times the sweeps that bring a node something new; there are at
//! most as many rounds as nodes, and few in practice. Memory: eight bytes for an edge, and for a node thirteen and eight
//! for each 64 marks.

mod sweep;

use std::collections::{HashMap, VecDeque};

use evenhand_explicit::search::Stop;
use evenhand_explicit::state_set::StateSet;

pub use self::sweep::Order;
use self::sweep::Sweep;
use crate::edges::Incoming;
use crate::explore::{Limits, Task};
use crate::post::{Broken, Out, Part, Post};
use crate::reading::Reading;
use crate::shard::{Class, Departure, Remote, Shard};
use crate::stops;
use crate::wire::{Reader, put};

/// Nodes that are looked at between two looks at the inbox.
const CHUNK: usize = 4096;

/// How the fixpoint is found; what it is does not depend on that. All workers have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strategy {
    /// In which order nodes tell what they reach.
    pub order: Order,
    /// Conditions are closed and deleted one after the other, and not all at once.
    pub apart: bool,
    /// Who has lost its last successor is deleted in the next round, and not by the letter that says so.
    pub patient: bool,
}

impl Strategy {
    /// The one that was fastest.
    pub const USUAL: Strategy = Strategy {
        order: Order::Down,
        apart: false,
        patient: false,
    };
}

/// What a phase does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Nodes learn which marks they reach.
    Close,
    /// What reaches too little is deleted.
    Delete,
}

/// Sets of the marks that matter, by number.
#[derive(Debug, Default)]
struct Sets {
    words: usize,
    sets: Vec<u64>,
}

impl Sets {
    #[inline]
    fn of(&self, number: u32) -> &[u64] {
        &self.sets[number as usize * self.words..][..self.words]
    }
}

/// One worker's part of the graph, and what is left of it.
pub(crate) struct Feasible {
    pub own: u32,
    pub first: Vec<u32>,
    pub edges: Vec<Incoming>,
    /// The nodes from which nodes were met first; if there are none, the first edges come from them.
    parents: Vec<Remote>,
    /// How many nodes are initial, if there are no such parents.
    initial: u32,
    pub classes: Vec<Class>,
    /// For each class of edges, whether they are on no accepting cycle.
    passing: Vec<bool>,
    /// For each class of edges, which of the marks that matter they have.
    gives: Sets,
    /// The grants that they need, if some do: those of the automaton's own requests.
    needs: Option<Sets>,
    /// For each source, the marks that all of its edges have, and those that it must reach.
    source_gives: Sets,
    source_must: Sets,
    /// The place of each mark that matters.
    pub bits: HashMap<usize, usize>,
    pub words: usize,
    strategy: Strategy,
    /// The marks that are closed in this phase.
    wanted: Vec<u64>,
    departures: Vec<Departure>,
    pub alive: Vec<bool>,
    /// The nodes that are left, when the last phase began.
    living: Vec<u32>,
    pub deleted: Vec<bool>,
    reach: Vec<u64>,
    sweep: Sweep,
    /// Nodes that were deleted and whose edges are not yet.
    queue: VecDeque<u32>,
    marks: Vec<u64>,
    /// For each worker, the marks that were written to it last, in a letter that is not sent yet.
    said: Vec<Vec<u64>>,
    mode: Mode,
    cursor: usize,
    changes: u64,
    stop: Option<Stop>,
    is_stop_told: bool,
    pub limits: Limits,
}

/// What came of it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fixpoint {
    /// Nodes that stay.
    pub core: u64,
    pub rounds: u64,
    /// The longest chain of letters of all phases.
    pub depth: u64,
    pub stop: Option<Stop>,
}

/// A node reaches marks: those that follow, or the same as the one before in this letter.
const REACH: u64 = 0;
const REACH_SAME: u64 = 1;
const LOSE: u64 = 2;
const STOP: u64 = 3;

#[inline]
fn lacks(reach: &[u64], wanted: &[u64]) -> bool {
    let mut pairs = reach.iter().zip(wanted);
    pairs.any(|(reach, wanted)| wanted & !reach != 0)
}

impl Feasible {
    pub fn new(
        post: &Post,
        shard: &mut Shard,
        reading: &Reading,
        (initial, task): (u32, &Task),
    ) -> Result<Feasible, Stop> {
        let (strategy, limits) = (task.strategy, task.limits.clone());
        let count = shard.len();
        let (first, edges) = shard.incoming()?;
        let condition = reading.condition().unwrap_or_default();
        let mut bits = HashMap::new();
        let grants = condition.pairs.iter().map(|pair| pair.1);
        for mark in condition.buchi.iter().copied().chain(grants) {
            let next = bits.len();
            bits.entry(mark).or_insert(next);
        }
        let words = bits.len().div_ceil(64);
        let add = |sets: &mut Sets, marks: &mut dyn Iterator<Item = usize>| {
            let start = sets.sets.len();
            sets.sets.resize(start + words, 0);
            for bit in marks.filter_map(|mark| bits.get(&mark)) {
                sets.sets[start + bit / 64] |= 1 << (bit % 64);
            }
        };
        let new = || Sets {
            words,
            sets: Vec::new(),
        };
        let (classes, passing) = shard.take_classes();
        let deleted = edges.iter().map(|edge| passing[edge.class as usize]);
        let deleted = deleted.collect();
        let (mut gives, mut needs) = (new(), new());
        for class in &classes {
            let has = |mark: usize| class.marks[mark / 64] >> (mark % 64) & 1 == 1;
            add(
                &mut gives,
                &mut bits.keys().copied().filter(|&mark| has(mark)),
            );
            let pairs = condition.pairs.iter();
            let open = pairs.filter(|pair| has(pair.0) && !has(pair.1));
            add(&mut needs, &mut open.map(|pair| pair.1));
        }
        let (mut source_gives, mut source_must) = (new(), new());
        for source in 0..reading.marking.source_count().max(1) {
            let is_one = source < reading.marking.source_count();
            let marks = is_one.then(|| reading.marking.source_marks(source as u32));
            let marks: Vec<usize> = marks.into_iter().flatten().collect();
            add(&mut source_gives, &mut marks.iter().copied());
            let pairs = condition.pairs.iter();
            let asked = pairs
                .filter(|pair| marks.contains(&pair.0))
                .map(|pair| pair.1);
            add(
                &mut source_must,
                &mut condition.buchi.iter().copied().chain(asked),
            );
        }
        let mut departures = std::mem::take(&mut shard.departures);
        departures.resize(count, Departure::default());
        let needs_some = needs.sets.iter().any(|&word| word != 0);
        Ok(Feasible {
            own: post.index() as u32,
            deleted,
            first,
            edges,
            parents: shard.take_parents(),
            initial,
            classes,
            passing,
            gives,
            needs: needs_some.then_some(needs),
            source_gives,
            source_must,
            bits,
            words,
            strategy,
            wanted: vec![u64::MAX; words],
            departures,
            alive: vec![true; count],
            living: (0..count as u32).collect(),
            // At first only nodes without successors go: everything seems to be reached.
            reach: vec![u64::MAX; count * words],
            sweep: Sweep::new(count, strategy.order),
            queue: VecDeque::new(),
            marks: vec![0; words],
            said: vec![Vec::new(); post.peers()],
            mode: Mode::Delete,
            cursor: 0,
            changes: 0,
            stop: None,
            is_stop_told: false,
            limits,
        })
    }

    /// How many edges lead from each node, as long as nothing was deleted.
    pub fn degrees(&self) -> Vec<u32> {
        self.departures.iter().map(|own| own.degree).collect()
    }

    /// Begins anew with some of the nodes, and as many edges as there were at first.
    pub fn begin(&mut self, degrees: &[u32], within: &StateSet) {
        for (own, &degree) in self.departures.iter_mut().zip(degrees) {
            own.degree = degree;
        }
        for (deleted, edge) in self.deleted.iter_mut().zip(&self.edges) {
            *deleted = self.passing[edge.class as usize];
        }
        let count = self.alive.len();
        self.alive = (0..count).map(|node| within.contains(node)).collect();
        self.living = within.iter().map(|node| node as u32).collect();
        self.queue = within.complement().iter().map(|n| n as u32).collect();
        self.reach.fill(u64::MAX);
        self.changes = 0;
    }

    /// The worker from which edges of a kind come.
    pub fn worker(&self, class: u32) -> u32 {
        self.classes[class as usize].worker
    }

    /// Deletes until nothing changes.
    pub fn run(&mut self, post: &mut Post) -> Result<Fixpoint, Broken> {
        let mut result = Fixpoint::default();
        self.phase(post, Mode::Delete, &mut result)?;
        loop {
            let alive = self.living.len() as u64;
            let sums = post.sum(&[alive, self.changes])?;
            result.stop = stops::agreed(post, self.stop)?;
            result.core = sums[0];
            let is_stable = result.rounds > 0 && sums[1] == 0;
            if result.core == 0 || is_stable || result.stop.is_some() {
                return Ok(result);
            }
            self.changes = 0;
            for wanted in self.turns() {
                self.wanted = wanted;
                self.phase(post, Mode::Close, &mut result)?;
                self.phase(post, Mode::Delete, &mut result)?;
            }
            result.rounds += 1;
        }
    }

    /// The marks of each turn of a round.
    fn turns(&self) -> Vec<Vec<u64>> {
        let marks = self.bits.len();
        if !self.strategy.apart || marks == 0 {
            return vec![vec![u64::MAX; self.words]];
        }
        let one = |bit: usize| {
            let mut turn = vec![0; self.words];
            turn[bit / 64] |= 1 << (bit % 64);
            turn
        };
        (0..marks).map(one).collect()
    }

    fn phase(&mut self, post: &mut Post, mode: Mode, result: &mut Fixpoint) -> Result<(), Broken> {
        (self.mode, self.cursor) = (mode, 0);
        if mode == Mode::Close {
            // Every node tells at least the marks of the edges to it.
            self.sweep.begin(&self.living);
            for &node in &self.living {
                let own = self.source_gives.of(self.departures[node as usize].source);
                let reach = &mut self.reach[node as usize * self.words..][..self.words];
                for ((reach, own), wanted) in reach.iter_mut().zip(own).zip(&self.wanted) {
                    // Marks of other turns seem to be reached.
                    *reach = own | !wanted;
                }
            }
        }
        post.run(self)?;
        if mode == Mode::Delete {
            self.living.retain(|&node| self.alive[node as usize]);
        }
        result.depth = result.depth.max(post.depth);
        Ok(())
    }

    /// The places of the edges to a node.
    pub fn incoming(&self, node: usize) -> std::ops::Range<usize> {
        self.first[node] as usize..self.first[node + 1] as usize
    }

    /// What an edge has of the marks that matter, but for those of its source.
    pub fn gives(&self, class: u32) -> &[u64] {
        self.gives.of(class)
    }

    /// What all edges out of a node have of the marks that matter.
    pub fn gives_of_source(&self, node: u32) -> &[u64] {
        self.source_gives.of(self.departures[node as usize].source)
    }

    /// A node reaches edges with these marks, which may be news.
    #[inline]
    fn reaches(&mut self, node: u32, marks: &[u64]) {
        let place = node as usize;
        if !self.alive[place] {
            return;
        }
        let known = &mut self.reach[place * self.words..(place + 1) * self.words];
        let mut news = 0;
        for (known, new) in known.iter_mut().zip(marks) {
            news |= new & !*known;
            *known |= new;
        }
        if news != 0 {
            self.sweep.note(place);
        }
    }

    /// Tells the predecessors of a node what it reaches, and the marks of the edges between.
    fn tell_all(&mut self, node: usize, out: &mut Out) {
        let mut marks = std::mem::take(&mut self.marks);
        for at in self.incoming(node) {
            if self.deleted[at] {
                continue;
            }
            let edge = self.edges[at];
            let reach = &self.reach[node * self.words..(node + 1) * self.words];
            let mut some = 0;
            for (at, (reach, gives)) in reach.iter().zip(self.gives.of(edge.class)).enumerate() {
                marks[at] = (reach | gives) & self.wanted[at];
                some |= marks[at];
            }
            let worker = self.classes[edge.class as usize].worker;
            if worker == self.own {
                if !self.alive[edge.source as usize] {
                    self.deleted[at] = true;
                } else if some != 0 {
                    self.reaches(edge.source, &marks);
                }
                continue;
            }
            if some == 0 {
                continue;
            }
            let said = &mut self.said[worker as usize];
            let is_same = !out.is_fresh(worker as usize) && *said == marks;
            let letter = out.to(worker as usize);
            let kind = if is_same { REACH_SAME } else { REACH };
            put(letter, u64::from(edge.source) << 2 | kind);
            if !is_same {
                marks.iter().for_each(|&word| put(letter, word));
                said.clone_from(&marks);
            }
        }
        self.marks = marks;
    }

    /// Deletes an edge.
    fn delete_edge(&mut self, at: usize, out: &mut Out) {
        if std::mem::replace(&mut self.deleted[at], true) {
            return;
        }
        self.changes += 1;
        let edge = self.edges[at];
        let worker = self.classes[edge.class as usize].worker;
        if worker == self.own {
            self.lose(edge.source);
            return;
        }
        put(out.to(worker as usize), u64::from(edge.source) << 2 | LOSE);
    }

    /// A node loses a successor.
    fn lose(&mut self, node: u32) {
        let degree = &mut self.departures[node as usize].degree;
        *degree = degree.saturating_sub(1);
        if *degree == 0 && self.alive[node as usize] && !self.strategy.patient {
            self.alive[node as usize] = false;
            self.queue.push_back(node);
        }
    }

    /// Deletes a node that reaches too little, and edges to it that need more.
    fn visit(&mut self, node: usize, out: &mut Out) {
        if !self.alive[node] {
            return;
        }
        let departure = self.departures[node];
        let reach = &self.reach[node * self.words..(node + 1) * self.words];
        if departure.degree == 0 || lacks(reach, self.source_must.of(departure.source)) {
            self.alive[node] = false;
            self.changes += 1;
            self.queue.push_back(node as u32);
            return;
        }
        if self.needs.is_none() {
            return;
        }
        for at in self.incoming(node) {
            let class = self.edges[at].class;
            let reach = &self.reach[node * self.words..(node + 1) * self.words];
            let is_open = self
                .needs
                .as_ref()
                .is_some_and(|needs| lacks(reach, needs.of(class)));
            if !self.deleted[at] && is_open {
                self.delete_edge(at, out);
            }
        }
    }

    /// Deletes what leads to deleted nodes.
    fn drain(&mut self, out: &mut Out) {
        while let Some(node) = self.queue.pop_front() {
            for at in self.incoming(node as usize) {
                self.delete_edge(at, out);
            }
        }
    }

    /// A piece of a sweep.
    fn tell_some(&mut self, out: &mut Out) {
        for _ in 0..CHUNK {
            match self.sweep.next() {
                Some(node) => self.tell_all(node, out),
                None => return,
            }
        }
    }

    fn end_all(&mut self, out: &mut Out) {
        if self.stop.is_some() && !self.is_stop_told {
            self.is_stop_told = true;
            out.for_others(|letter| {
                put(letter, STOP);
                put(letter, stops::code(self.stop));
            });
        }
    }

    /// The node from which a node was met first; none for initial ones.
    pub fn parent(&self, node: u32) -> Option<Remote> {
        if let Some(parent) = self.parents.get(node as usize) {
            return parent.known();
        }
        if node < self.initial {
            return None;
        }
        let edge = self.edges[self.first[node as usize] as usize];
        Some(Remote {
            worker: self.classes[edge.class as usize].worker,
            node: edge.source,
        })
    }
}

impl Part for Feasible {
    fn more(&mut self, out: &mut Out) -> bool {
        if self.stop.is_none() {
            self.stop = self.limits.look().err();
        }
        if self.stop.is_none() {
            match self.mode {
                Mode::Close => self.tell_some(out),
                Mode::Delete => {
                    let end = (self.cursor + CHUNK).min(self.living.len());
                    for place in self.cursor..end {
                        self.visit(self.living[place] as usize, out);
                    }
                    self.cursor = end;
                    self.drain(out);
                }
            }
        }
        self.end_all(out);
        self.is_busy()
    }

    fn take(&mut self, _: usize, letter: &[u8], out: &mut Out) {
        let mut reader = Reader(letter);
        let mut marks = vec![0; self.words];
        while !reader.is_empty() {
            let number = reader.number();
            let node = (number >> 2) as u32;
            match number & 3 {
                REACH => {
                    marks.iter_mut().for_each(|word| *word = reader.number());
                    self.reaches(node, &marks);
                }
                REACH_SAME => self.reaches(node, &marks),

                LOSE => self.lose(node),
                _ => self.stop = self.stop.or(stops::stop(reader.number())),
            }
        }
        self.end_all(out);
    }

    fn is_busy(&self) -> bool {
        let is_left = match self.mode {
            Mode::Close => !self.sweep.is_empty(),
            Mode::Delete => self.cursor < self.living.len() || !self.queue.is_empty(),
        };
        self.stop.is_none() && is_left
    }
}
