//! Fair cycles of a partitioned graph, as a fixpoint of closures.
//!
//! **Problem.** Is there a cycle with all Büchi marks on which each request has its grant, in a graph whose nodes belong
//! to many workers? Depth-first search, which finds components in one pass, goes one step at a time.
//!
//! **Idea.** FEASIBLE of Kesten, Pnueli, Raviv and Shahar, for marks on edges. Keep the nodes that reach an edge with each
//! Büchi mark; delete the edges with a request and without its grant whose target reaches no edge with the grant; delete
//! nodes without successors; repeat until nothing changes. What stays has an accepting cycle iff it is not empty: of the
//! components of the rest one has no way out, and every mark that its nodes reach is inside of it.
//!
//! **How.** All closures of a round are one: a node has a bit for each mark, and tells its predecessors what is new, so
//! each round is two phases without a barrier inside. Edges are kept with their targets, so a closure walks backward
//! along them, and whether an edge is deleted is known where it is kept. Deleting is a phase too: who loses its last
//! successor is deleted by the same letter.
//!
//! Nodes are numbered as a breadth-first search met them, and most edges lead to larger numbers; so what is new goes to
//! smaller ones, mostly. Nodes with news are therefore looked at from the largest to the smallest, again and again: a sweep
//! carries a mark as far as it goes along such edges, and only edges back make another one. All workers sweep at the same
//! time, and read between two pieces of a sweep what others wrote. Edges that the automaton alone keeps off every
//! accepting cycle are deleted from the start.
//!
//! **Cost.** A round is linear in the edges times the sweeps that bring a node something new; there are at most as many
//! rounds as nodes, and few in practice. Memory: eight bytes for an edge, and for a node its flags and eight bytes for each 64
//! marks.

use std::collections::{HashMap, VecDeque};

use evenhand_explicit::search::Stop;

use crate::explore::Limits;
use crate::post::{Broken, Out, Part, Post};
use crate::reading::Condition;
use crate::shard::{Class, Incoming, Remote, Shard};
use crate::stops;
use crate::wire::{Reader, put};

/// Nodes that are looked at between two looks at the inbox.
const CHUNK: usize = 4096;

/// What a phase does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Nodes learn which marks they reach.
    Close,
    /// What reaches too little is deleted.
    Delete,
}

/// One worker's part of the graph, and what is left of it.
pub(crate) struct Feasible {
    pub own: u32,
    pub first: Vec<u32>,
    pub edges: Vec<Incoming>,
    pub classes: Vec<Class>,
    /// For each class of edges, which of the marks that matter they have, and which grants they need.
    gives: Vec<u64>,
    needs: Vec<u64>,
    /// The marks that every node must reach.
    must: Vec<u64>,
    /// The place of each mark that matters.
    pub bits: HashMap<usize, usize>,
    pub words: usize,
    out_degrees: Vec<u32>,
    pub alive: Vec<bool>,
    pub deleted: Vec<bool>,
    reach: Vec<u64>,
    /// Nodes with news, a bit for each, how many there are, and where the sweep is.
    news: Vec<u64>,
    newsworthy: usize,
    sweep: usize,
    /// Nodes that were deleted and whose edges are not yet.
    queue: VecDeque<u32>,
    marks: Vec<u64>,
    mode: Mode,
    cursor: usize,
    changes: u64,
    stop: Option<Stop>,
    is_stop_told: bool,
    limits: Limits,
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

const REACH: u8 = 0;
const LOSE: u8 = 1;
const STOP: u8 = 2;

impl Feasible {
    pub fn new(
        own: usize,
        shard: &mut Shard,
        condition: &Condition,
        limits: Limits,
    ) -> Result<Feasible, Stop> {
        let count = shard.len();
        let (first, edges) = shard.incoming()?;
        let mut bits = HashMap::new();
        let grants = condition.pairs.iter().map(|pair| pair.1);
        for mark in condition.buchi.iter().copied().chain(grants) {
            let next = bits.len();
            bits.entry(mark).or_insert(next);
        }
        let words = bits.len().div_ceil(64);
        let set = |marks: &mut dyn Iterator<Item = usize>| {
            let mut set = vec![0u64; words];
            for bit in marks.filter_map(|mark| bits.get(&mark)) {
                set[bit / 64] |= 1 << (bit % 64);
            }
            set
        };
        let deleted = edges.iter().map(|edge| shard.is_passing(edge.class));
        let deleted = deleted.collect();
        let has = |class: &Class, mark: usize| class.marks[mark / 64] >> (mark % 64) & 1 == 1;
        let classes = std::mem::take(&mut shard.classes);
        let gives = classes.iter().map(|class| {
            let mut marks = bits.keys().copied().filter(|&mark| has(class, mark));
            set(&mut marks)
        });
        let gives: Vec<u64> = gives.flatten().collect();
        let needs = classes.iter().map(|class| {
            let pairs = condition.pairs.iter();
            let open = pairs.filter(|pair| has(class, pair.0) && !has(class, pair.1));
            set(&mut open.map(|pair| pair.1))
        });
        let needs: Vec<u64> = needs.flatten().collect();
        let must = set(&mut condition.buchi.iter().copied());
        let mut out_degrees = std::mem::take(&mut shard.out_degrees);
        out_degrees.resize(count, 0);
        Ok(Feasible {
            own: own as u32,
            deleted,
            first,
            edges,
            classes,
            gives,
            needs,
            must,
            bits,
            words,
            out_degrees,
            alive: vec![true; count],
            reach: vec![0; count * words],
            news: vec![0; count.div_ceil(64)],
            newsworthy: 0,
            sweep: 0,
            queue: VecDeque::new(),
            marks: vec![0; words],
            mode: Mode::Delete,
            cursor: 0,
            changes: 0,
            stop: None,
            is_stop_told: false,
            limits,
        })
    }

    /// Deletes until nothing changes.
    pub fn run(&mut self, post: &mut Post) -> Result<Fixpoint, Broken> {
        let mut result = Fixpoint::default();
        // At first only nodes without successors go: everything seems to be reached.
        self.reach.fill(u64::MAX);
        self.phase(post, Mode::Delete, &mut result)?;
        loop {
            let alive = self.alive.iter().filter(|&&alive| alive).count() as u64;
            let sums = post.sum(&[alive, self.changes])?;
            let stops = post.agree(&stops::code(self.stop).to_le_bytes())?;
            let code = |said: &Vec<u8>| said.first().map_or(0, |&code| u64::from(code));
            result.stop = stops.iter().find_map(|said| stops::stop(code(said)));
            result.core = sums[0];
            let is_stable = result.rounds > 0 && sums[1] == 0;
            if result.core == 0 || is_stable || result.stop.is_some() {
                return Ok(result);
            }
            self.changes = 0;
            self.reach.fill(0);
            self.phase(post, Mode::Close, &mut result)?;
            self.phase(post, Mode::Delete, &mut result)?;
            result.rounds += 1;
        }
    }

    fn phase(&mut self, post: &mut Post, mode: Mode, result: &mut Fixpoint) -> Result<(), Broken> {
        (self.mode, self.cursor, self.sweep) = (mode, 0, 0);
        if mode == Mode::Close {
            // Every node tells at least the marks of the edges to it.
            self.news.fill(0);
            self.newsworthy = 0;
            for node in (0..self.alive.len()).filter(|&node| self.alive[node]) {
                self.news[node / 64] |= 1 << (node % 64);
                self.newsworthy += 1;
            }
        }
        post.run(self)?;
        result.depth = result.depth.max(post.depth);
        Ok(())
    }

    fn incoming(&self, node: usize) -> std::ops::Range<usize> {
        self.first[node] as usize..self.first[node + 1] as usize
    }

    /// What a class of edges has of the marks that matter.
    pub fn gives(&self, class: u32) -> &[u64] {
        &self.gives[class as usize * self.words..][..self.words]
    }

    /// Says that a node has something to tell.
    #[inline]
    fn note(&mut self, node: usize) {
        let (word, bit) = (&mut self.news[node / 64], 1 << (node % 64));
        self.newsworthy += usize::from(*word & bit == 0);
        *word |= bit;
    }

    /// The next node with news in the order of the sweep, which has none from then on.
    fn next_news(&mut self) -> Option<usize> {
        if self.newsworthy == 0 {
            return None;
        }
        loop {
            if self.sweep == 0 {
                self.sweep = self.alive.len();
            }
            let last = self.sweep - 1;
            // The bits of this word up to the last one that is not behind the sweep.
            let left = self.news[last / 64] & (u64::MAX >> (63 - last % 64));
            if left == 0 {
                self.sweep = last / 64 * 64;
                continue;
            }
            let node = last / 64 * 64 + left.ilog2() as usize;
            self.news[node / 64] &= !(1 << (node % 64));
            self.newsworthy -= 1;
            self.sweep = node;
            return Some(node);
        }
    }

    /// A node reaches edges with these marks, which may be news.
    #[inline]
    fn reaches(&mut self, node: u32, marks: &[u64]) {
        let place = node as usize;
        if !self.alive[place] {
            return;
        }
        let known = &mut self.reach[place * self.words..(place + 1) * self.words];
        let mut is_news = false;
        for (known, new) in known.iter_mut().zip(marks) {
            is_news |= new & !*known != 0;
            *known |= new;
        }
        if is_news {
            self.note(place);
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
            let gives = &self.gives[edge.class as usize * self.words..][..self.words];
            let mut some = 0;
            for (word, (reach, gives)) in marks.iter_mut().zip(reach.iter().zip(gives)) {
                *word = reach | gives;
                some |= *word;
            }
            if some == 0 {
                continue;
            }
            let worker = self.classes[edge.class as usize].worker;
            if worker == self.own {
                self.reaches(edge.source, &marks);
                continue;
            }
            let letter = out.to(worker as usize);
            letter.push(REACH);
            put(letter, edge.source.into());
            marks.iter().for_each(|&word| put(letter, word));
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
        let letter = out.to(worker as usize);
        letter.push(LOSE);
        put(letter, edge.source.into());
    }

    /// A node loses a successor.
    fn lose(&mut self, node: u32) {
        let degree = &mut self.out_degrees[node as usize];
        *degree = degree.saturating_sub(1);
        if *degree == 0 && self.alive[node as usize] {
            self.alive[node as usize] = false;
            self.queue.push_back(node);
        }
    }

    /// Deletes a node that reaches too little, and edges to it that need more.
    fn visit(&mut self, node: usize, out: &mut Out) {
        if !self.alive[node] {
            return;
        }
        let place = node * self.words..(node + 1) * self.words;
        let lacks = |reach: &[u64], wanted: &[u64]| {
            reach
                .iter()
                .zip(wanted)
                .any(|(reach, wanted)| wanted & !reach != 0)
        };
        if self.out_degrees[node] == 0 || lacks(&self.reach[place.clone()], &self.must) {
            self.alive[node] = false;
            self.changes += 1;
            self.queue.push_back(node as u32);
            return;
        }
        for at in self.incoming(node) {
            let class = self.edges[at].class as usize;
            let needs = &self.needs[class * self.words..][..self.words];
            if !self.deleted[at] && lacks(&self.reach[place.clone()], needs) {
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
            match self.next_news() {
                Some(node) => self.tell_all(node, out),
                None => return,
            }
        }
    }

    fn end_all(&mut self, out: &mut Out) {
        if self.stop.is_some() && !self.is_stop_told {
            self.is_stop_told = true;
            out.for_others(|letter| {
                letter.push(STOP);
                put(letter, stops::code(self.stop));
            });
        }
    }

    /// The node from which a node was met first; for those that are not initial.
    pub fn parent(&self, node: u32) -> Remote {
        let edge = self.edges[self.first[node as usize] as usize];
        Remote {
            worker: self.classes[edge.class as usize].worker,
            node: edge.source,
        }
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
                    let end = (self.cursor + CHUNK).min(self.alive.len());
                    while self.cursor < end {
                        self.visit(self.cursor, out);
                        self.cursor += 1;
                    }
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
            match reader.byte() {
                REACH => {
                    let node = reader.number() as u32;
                    marks.iter_mut().for_each(|word| *word = reader.number());
                    self.reaches(node, &marks);
                }
                LOSE => self.lose(reader.number() as u32),
                _ => self.stop = self.stop.or(stops::stop(reader.number())),
            }
        }
        self.end_all(out);
    }

    fn is_busy(&self) -> bool {
        let is_left = match self.mode {
            Mode::Close => self.newsworthy > 0,
            Mode::Delete => self.cursor < self.alive.len() || !self.queue.is_empty(),
        };
        self.stop.is_none() && is_left
    }
}
