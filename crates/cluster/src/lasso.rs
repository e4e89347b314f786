//! A lasso in what the fixpoint has left, gathered from all workers.
//!
//! What is left is made walkable in both directions: each edge is told to the worker it comes from. From some node the
//! search goes on to where nothing leads back from, until a component without a way out is found: forward closure and
//! backward closure are the same. A cycle in it is a chain of shortest ways, each to an edge with a mark that is still
//! missing, and in the end back to where it began. The ways are found breadth-first, level by level, and end where they
//! should after few levels. The way from an initial state is the one on which the node was met first, a shortest one.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::explore::Explore;
use crate::feasible::Feasible;
use crate::post::{Broken, Out, Part, Post};
use crate::shard::Remote;
use crate::wire::{Reader, put, put_bytes};

/// A step of the cycle: where it leads, and which of the marks that matter it has.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub to: Remote,
    pub marks: Vec<u64>,
}

/// A lasso of nodes: from an initial one to where the cycle begins, and the steps of the cycle.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nodes {
    pub prefix: Vec<Remote>,
    pub cycle: Vec<Step>,
}

/// Finds one; all workers know it.
pub(crate) fn lasso(post: &mut Post, feasible: &Feasible) -> Result<Nodes, Broken> {
    let count = feasible.alive.len();
    let mut core = Core {
        feasible,
        outgoing: Outgoing::default(),
        forward: vec![false; count],
        backward: vec![false; count],
        task: Todo::Turn,
        parents: HashMap::new(),
        level: Vec::new(),
        next: Vec::new(),
        missing: Vec::new(),
        goal: None,
        hits: Vec::new(),
        way: Vec::new(),
        begins: Vec::new(),
    };
    post.run(&mut core)?;
    core.outgoing.edges.sort_unstable();
    let start = core.component(post)?;
    let mut cycle: Vec<Step> = Vec::new();
    let mut missing = core.wanted(post)?;
    let mut at = start;
    while missing.iter().any(|&word| word != 0) {
        let way = core.way(post, at, missing.clone(), None)?;
        for step in &way {
            for (missing, seen) in missing.iter_mut().zip(&step.marks) {
                *missing &= !seen;
            }
        }
        at = way.last().map_or(at, |step| step.to);
        cycle.extend(way);
    }
    if at != start || cycle.is_empty() {
        cycle.extend(core.way(post, at, Vec::new(), Some(start))?);
    }
    let mut prefix = core.beginning(post, start)?;
    prefix.push(start);
    Ok(Nodes { prefix, cycle })
}

/// What a phase does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Todo {
    Turn,
    Forward,
    Backward,
    Level,
    Back,
    Begin,
}

/// The edges out of the nodes of a worker.
#[derive(Default)]
struct Outgoing {
    /// From which node, where to, and the number of the marks; sorted once all are known.
    edges: Vec<(u32, Remote, u32)>,
    sets: Vec<Vec<u64>>,
    numbers: HashMap<Vec<u64>, u32>,
}

impl Outgoing {
    fn add(&mut self, from: u32, to: Remote, marks: Vec<u64>) {
        let next = self.sets.len() as u32;
        let set = *self.numbers.entry(marks.clone()).or_insert(next);
        if set == next {
            self.sets.push(marks);
        }
        self.edges.push((from, to, set));
    }

    fn of(&self, node: u32) -> impl Iterator<Item = (Remote, &[u64])> + '_ {
        let first = self.edges.partition_point(|edge| edge.0 < node);
        let own = self.edges[first..]
            .iter()
            .take_while(move |edge| edge.0 == node);
        own.map(|&(_, to, set)| (to, &*self.sets[set as usize]))
    }
}

struct Core<'f> {
    feasible: &'f Feasible,
    outgoing: Outgoing,
    forward: Vec<bool>,
    backward: Vec<bool>,
    task: Todo,
    /// Of the way that is looked for: how nodes were reached.
    parents: HashMap<u32, (Remote, Vec<u64>)>,
    level: Vec<u32>,
    next: Vec<u32>,
    missing: Vec<u64>,
    goal: Option<Remote>,
    hits: Vec<(Remote, Step)>,
    /// What arrived of a way, by distance from its end.
    way: Vec<(u64, Step)>,
    begins: Vec<u32>,
}

impl Core<'_> {
    fn own(&self) -> u32 {
        self.feasible.own
    }

    fn remote(&self, node: u32) -> Remote {
        Remote {
            worker: self.own(),
            node,
        }
    }

    fn phase(&mut self, post: &mut Post, task: Todo, begins: Vec<u32>) -> Result<(), Broken> {
        (self.task, self.begins) = (task, begins);
        post.run(self)
    }

    /// A node of a component without a way out; `forward` says which nodes are in it.
    fn component(&mut self, post: &mut Post) -> Result<Remote, Broken> {
        let alive = &self.feasible.alive;
        let first = alive.iter().position(|&alive| alive);
        let mut at = least(post, first.map(|node| self.remote(node as u32)))?;
        loop {
            let own = (at.worker == self.own()).then_some(at.node);
            self.forward.fill(false);
            self.backward.fill(false);
            self.phase(post, Todo::Forward, own.into_iter().collect())?;
            self.phase(post, Todo::Backward, own.into_iter().collect())?;
            let ahead = self.forward.iter().zip(&self.backward);
            let mut ahead = ahead.enumerate().filter(|(_, (to, from))| **to && !**from);
            let last = ahead.next_back().map(|(node, _)| self.remote(node as u32));
            let there = post.sum(&[u64::from(last.is_some())])?;
            if there[0] == 0 {
                return Ok(at);
            }
            at = least(post, last)?;
        }
    }

    /// The marks of all edges of the component.
    fn wanted(&mut self, post: &mut Post) -> Result<Vec<u64>, Broken> {
        let mut own = vec![0u64; self.feasible.words];
        for &(node, _, set) in &self.outgoing.edges {
            if self.forward[node as usize] {
                let marks = &self.outgoing.sets[set as usize];
                own.iter_mut()
                    .zip(marks)
                    .for_each(|(all, mark)| *all |= mark);
            }
        }
        let bytes: Vec<u8> = own.iter().flat_map(|word| word.to_le_bytes()).collect();
        for said in post.agree(&bytes)? {
            for (all, word) in own.iter_mut().zip(said.as_chunks::<8>().0) {
                *all |= u64::from_le_bytes(*word);
            }
        }
        Ok(own)
    }

    /// A shortest way from a node to an edge with a missing mark, or to a node.
    fn way(
        &mut self,
        post: &mut Post,
        from: Remote,
        missing: Vec<u64>,
        goal: Option<Remote>,
    ) -> Result<Vec<Step>, Broken> {
        (self.missing, self.goal) = (missing, goal);
        self.parents.clear();
        self.hits.clear();
        self.next = match from.worker == self.own() {
            true => vec![from.node],
            false => Vec::new(),
        };
        let (last, step) = loop {
            self.level = std::mem::take(&mut self.next);
            self.phase(post, Todo::Level, Vec::new())?;
            if let Some(hit) = self.hit(post)? {
                break hit;
            }
        };
        self.way.clear();
        // Each knows where the way begins; its steps are gathered from the end.
        self.goal = Some(from);
        let begins = (last.worker == self.own()).then_some(last.node);
        self.phase(post, Todo::Back, begins.into_iter().collect())?;
        self.way.sort_by_key(|(place, _)| std::cmp::Reverse(*place));
        let mut way: Vec<Step> = self.way.drain(..).map(|(_, step)| step).collect();
        way.push(step);
        Ok(way)
    }

    /// The last step of a way, if somebody has found one: that of the least nodes.
    fn hit(&mut self, post: &mut Post) -> Result<Option<(Remote, Step)>, Broken> {
        let mut own = vec![u8::from(!self.next.is_empty())];
        let hits = self.hits.iter();
        if let Some((from, step)) = hits.min_by_key(|(from, step)| (*from, step.to)) {
            for number in [from.worker, from.node, step.to.worker, step.to.node] {
                put(&mut own, number.into());
            }
            step.marks.iter().for_each(|&word| put(&mut own, word));
        }
        let all = post.agree(&own)?;
        let words = self.feasible.words;
        let read = all.iter().filter(|said| said.len() > 1).map(|said| {
            let mut reader = Reader(&said[1..]);
            let mut remote = || Remote {
                worker: reader.number() as u32,
                node: reader.number() as u32,
            };
            let (from, to) = (remote(), remote());
            let marks = (0..words).map(|_| reader.number()).collect();
            (from, Step { to, marks })
        });
        let found = read.min_by_key(|(from, step)| (*from, step.to));
        if found.is_none() && all.iter().all(|said| said[0] == 0) {
            post.alarm
                .raise("a component has no accepting cycle: a defect of this tool");
            return Err(Broken);
        }
        Ok(found)
    }

    /// The nodes from an initial one to the one before a node.
    fn beginning(&mut self, post: &mut Post, to: Remote) -> Result<Vec<Remote>, Broken> {
        self.way.clear();
        let begins = (to.worker == self.own()).then_some(to.node);
        self.phase(post, Todo::Begin, begins.into_iter().collect())?;
        self.way.sort_by_key(|(place, _)| std::cmp::Reverse(*place));
        Ok(self.way.drain(..).map(|(_, step)| step.to).collect())
    }

    /// Does the task for a node of this worker; `place` is how far a way has come.
    fn visit(&mut self, node: u32, place: u64, out: &mut Out) {
        let at = node as usize;
        match self.task {
            Todo::Turn | Todo::Level => {}
            Todo::Forward => {
                if !std::mem::replace(&mut self.forward[at], true) {
                    for (to, _) in self.outgoing.of(node) {
                        ask(to, 0, out);
                    }
                }
            }
            Todo::Backward => {
                if !std::mem::replace(&mut self.backward[at], true) {
                    let feasible = self.feasible;
                    let incoming = feasible.first[at] as usize..feasible.first[at + 1] as usize;
                    for edge in incoming.filter(|&edge| !feasible.deleted[edge]) {
                        let edge = feasible.edges[edge];
                        let worker = feasible.classes[edge.class as usize].worker;
                        let node = edge.source;
                        ask(Remote { worker, node }, 0, out);
                    }
                }
            }
            Todo::Back => {
                if self.goal == Some(self.remote(node)) {
                    return;
                }
                if let Some((parent, marks)) = self.parents.get(&node) {
                    let step = Step {
                        to: self.remote(node),
                        marks: marks.clone(),
                    };
                    tell_all(&step, place, out);
                    ask(*parent, place + 1, out);
                }
            }
            Todo::Begin => {
                if let Some(to) = self.feasible.parent(node) {
                    let marks = vec![0; self.feasible.words];
                    tell_all(&Step { to, marks }, place, out);
                    ask(to, place + 1, out);
                }
            }
        }
    }

    /// Expands a level of a way.
    fn spread(&mut self, out: &mut Out) {
        for node in std::mem::take(&mut self.level) {
            let from = self.remote(node);
            for (to, marks) in self.outgoing.of(node) {
                let mut bits = marks.iter().zip(&self.missing);
                let has_mark = bits.any(|(mark, missing)| mark & missing != 0);
                if has_mark || self.missing.is_empty() && self.goal == Some(to) {
                    let marks = marks.to_vec();
                    self.hits.push((from, Step { to, marks }));
                }
                let letter = out.to(to.worker as usize);
                letter.push(NEXT);
                put(letter, to.node.into());
                put(letter, node.into());
                marks.iter().for_each(|&word| put(letter, word));
            }
        }
    }
}

const ASK: u8 = 0;
const TOLD: u8 = 1;
const NEXT: u8 = 2;
const EDGE: u8 = 3;

fn ask(to: Remote, place: u64, out: &mut Out) {
    let letter = out.to(to.worker as usize);
    letter.push(ASK);
    put(letter, to.node.into());
    put(letter, place);
}

fn tell_all(step: &Step, place: u64, out: &mut Out) {
    for worker in 0..out.peers() {
        let letter = out.to(worker);
        letter.push(TOLD);
        put(letter, place);
        put(letter, step.to.worker.into());
        put(letter, step.to.node.into());
        step.marks.iter().for_each(|&word| put(letter, word));
    }
}

impl Part for Core<'_> {
    fn more(&mut self, out: &mut Out) -> bool {
        if self.task == Todo::Turn {
            let feasible = self.feasible;
            for node in (0..feasible.alive.len()).filter(|&node| feasible.alive[node]) {
                let incoming = feasible.first[node] as usize..feasible.first[node + 1] as usize;
                for edge in incoming.filter(|&edge| !feasible.deleted[edge]) {
                    let edge = feasible.edges[edge];
                    let worker = feasible.classes[edge.class as usize].worker;
                    let letter = out.to(worker as usize);
                    letter.push(EDGE);
                    put(letter, edge.source.into());
                    put(letter, node as u64);
                    let marks = feasible.gives(edge.class).iter();
                    marks.for_each(|&word| put(letter, word));
                }
            }
        }
        if self.task == Todo::Level {
            self.spread(out);
        }
        for node in std::mem::take(&mut self.begins) {
            self.visit(node, 0, out);
        }
        false
    }

    fn take(&mut self, from: usize, letter: &[u8], out: &mut Out) {
        let words = self.feasible.words;
        let mut reader = Reader(letter);
        let marks = |reader: &mut Reader<'_>| (0..words).map(|_| reader.number()).collect();
        while !reader.is_empty() {
            match reader.byte() {
                ASK => {
                    let node = reader.number() as u32;
                    let place = reader.number();
                    self.visit(node, place, out);
                }
                TOLD => {
                    let place = reader.number();
                    let worker = reader.number() as u32;
                    let node = reader.number() as u32;
                    let to = Remote { worker, node };
                    let marks = marks(&mut reader);
                    self.way.push((place, Step { to, marks }));
                }
                NEXT => {
                    let node = reader.number() as u32;
                    let parent = Remote {
                        worker: from as u32,
                        node: reader.number() as u32,
                    };
                    let marks = marks(&mut reader);
                    if let Entry::Vacant(place) = self.parents.entry(node) {
                        place.insert((parent, marks));
                        self.next.push(node);
                    }
                }
                _ => {
                    let source = reader.number() as u32;
                    let to = Remote {
                        worker: from as u32,
                        node: reader.number() as u32,
                    };
                    let mut marks: Vec<u64> = marks(&mut reader);
                    let own = self.feasible.gives_of_source(source);
                    marks
                        .iter_mut()
                        .zip(own)
                        .for_each(|(mark, own)| *mark |= own);
                    if self.feasible.alive[source as usize] {
                        self.outgoing.add(source, to, marks);
                    }
                }
            }
        }
    }
}

/// The least of the nodes that workers propose.
fn least(post: &mut Post, own: Option<Remote>) -> Result<Remote, Broken> {
    let mut bytes = Vec::new();
    if let Some(own) = own {
        put(&mut bytes, own.worker.into());
        put(&mut bytes, own.node.into());
    }
    let all = post.agree(&bytes)?;
    let proposed = all.iter().filter(|said| !said.is_empty()).map(|said| {
        let mut reader = Reader(said);
        Remote {
            worker: reader.number() as u32,
            node: reader.number() as u32,
        }
    });
    let none = Remote { worker: 0, node: 0 };
    Ok(proposed.min().unwrap_or(none))
}

/// The states of some nodes, in their order; empty but for the first worker.
pub(crate) fn states(
    post: &mut Post,
    explore: &mut Explore<'_>,
    nodes: &[Remote],
) -> Result<Vec<Vec<u8>>, Broken> {
    let mut gather = Gather {
        explore,
        nodes,
        states: HashMap::new(),
    };
    post.run(&mut gather)?;
    let mut states = gather.states;
    let places = 0..nodes.len() as u64;
    Ok(places.filter_map(|place| states.remove(&place)).collect())
}

struct Gather<'g, 'a> {
    explore: &'g mut Explore<'a>,
    nodes: &'g [Remote],
    states: HashMap<u64, Vec<u8>>,
}

impl Part for Gather<'_, '_> {
    fn more(&mut self, out: &mut Out) -> bool {
        for (place, node) in self.nodes.iter().enumerate() {
            if node.worker as usize == out.own() {
                let (head, tail) = self.explore.export(node.node);
                let letter = out.to(0);
                put(letter, place as u64);
                put_bytes(letter, head);
                put_bytes(letter, tail);
            }
        }
        false
    }

    fn take(&mut self, _: usize, letter: &[u8], _: &mut Out) {
        let mut reader = Reader(letter);
        while !reader.is_empty() {
            let place = reader.number();
            let (head, tail) = (reader.bytes(), reader.bytes());
            if let Some(state) = self.explore.import(head, tail) {
                self.states.insert(place, state);
            }
        }
    }
}
