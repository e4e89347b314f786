//! Breadth-first exploration of a partitioned space, level by level.
//!
//! In each level every worker expands the nodes of the level that it owns, and sends each successor to its owner, in
//! letters of some hundred states; who receives one looks whether it is new. When all letters of a level were read, all
//! workers say what they have found, and each knows the same: how many there are, whether something was met that is
//! looked for, whether somebody has reached a limit. So depth is exact, what is met first is nearest, and the ways to it
//! are shortest. Of several errors in one level the one in the state with the smallest bytes is taken, whoever found it.
//!
//! Where an automaton is followed, nodes are states with states of the automaton. The successors of a state are generated
//! once for all of its nodes in a level, and sent once for all edges to the nodes of a successor.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use evenhand_explicit::search::{Progress, Stop};
use evenhand_explicit::state_set::StateSet;
use evenhand_explicit::store::{StateId, Store};
use evenhand_system::{Explicit, Explorer, Fairness, Formula, PropositionId, Successors};

mod keeping;
mod letters;
mod level;
mod sent;

use self::letters::{Arrived, Name, STOP, Turn};
pub(crate) use self::level::Totals;
use self::sent::Sent;
use crate::checkpoint::Checkpoint;
use crate::feasible::Strategy;
use crate::post::{Broken, Out, Part, Post};
use crate::reading::{Follow, Reading};
use crate::shard::{Keep, Shard, owner_of};
use crate::stops;
use crate::wire::{Heard, Said, Told, put};

/// What a level looks for, by its place: errors, improper ends, trace assertions, states without successors, run-time
/// errors that end a run; and behind them the conditions.
pub(crate) const FAULT: usize = 0;
pub(crate) const END: usize = 1;
pub(crate) const TRACE: usize = 2;
pub(crate) const DEAD: usize = 3;
pub(crate) const CUT: usize = 4;
pub(crate) const CONDITIONS: usize = 5;

/// Nodes that are expanded between two looks at the inbox.
const CHUNK: usize = 1024;

/// What is explored, and how far.
#[derive(Clone)]
pub(crate) struct Task {
    pub fairness: Fairness,
    pub propositions: Vec<PropositionId>,
    pub follow: Option<Follow>,
    pub conditions: Vec<Formula>,
    /// Which of the things that a level looks for are wanted: the search ends when all were found.
    pub wanted: Vec<usize>,
    pub keep: Keep,
    pub compress: bool,
    pub limits: Limits,
    /// How a fixpoint on what was explored is found.
    pub strategy: Strategy,
    /// Where a search is kept that can be continued.
    pub checkpoint: Option<Checkpoint>,
}

/// How far to go.
#[derive(Clone)]
pub(crate) struct Limits {
    pub states: Option<u64>,
    pub memory: Option<u64>,
    pub used_memory: fn() -> u64,
    pub until: Option<Instant>,
    pub cancel: Arc<AtomicBool>,
}

impl Limits {
    /// Looks at all but the number of states.
    pub fn look(&self) -> Result<(), Stop> {
        if self.cancel.load(Ordering::Relaxed) {
            return Err(Stop::Interrupted);
        }
        if self.memory.is_some_and(|most| (self.used_memory)() > most) {
            return Err(Stop::Memory);
        }
        match self.until.is_some_and(|until| Instant::now() > until) {
            true => Err(Stop::Time),
            false => Ok(()),
        }
    }
}

/// One worker's part of an exploration.
pub(crate) struct Explore<'a> {
    explorer: Box<dyn Explorer + 'a>,
    task: &'a Task,
    pub shard: Shard,
    pub reading: Reading,
    heads: Said,
    sets: Told,
    own_classes: Vec<u32>,
    sent: Sent,
    /// For each worker, the last source of an edge that was written to it.
    last_sources: Vec<u32>,
    /// The edges to a successor: states of the automaton, kinds, and sources.
    edge_kinds: Vec<(u32, u32, u32)>,
    /// The names of successors.
    names: Vec<Name>,
    /// What was read and is looked up together; so many of them wait.
    arrived: Vec<Arrived>,
    waiting: usize,
    heard_heads: Heard<Vec<u8>>,
    heard_sets: Heard<u32>,
    /// For each worker, the states of this one that it remembers having sent, by place.
    heard_places: Vec<Vec<u32>>,
    /// The level: where it begins, the next node to expand, and where it ends.
    begin: usize,
    next: usize,
    end: usize,
    /// Which nodes of the level were expanded together with another one of the same state.
    is_done: Vec<bool>,
    turn: Turn,
    /// How many nodes are initial.
    pub first: u32,
    /// Whether a search was continued: what it had executed by then is not known.
    pub is_resumed: bool,
    /// Which states were expanded, where they may be several nodes.
    expanded: Vec<bool>,
    stop: Option<Stop>,
    is_stop_told: bool,
    stays: bool,
    pid_bound: usize,
    depth: u64,
    transitions: u64,
    edges: u64,
    deadlocks: u64,
    initial: u64,
    /// What was met in this level: the node, and what its state is called between processes.
    met: Vec<Option<(u32, Vec<u8>)>>,
    undecided: Vec<bool>,
    successors: Successors,
    state: Vec<u8>,
    head: Vec<u8>,
    tail: Vec<u8>,
}

impl<'a> Explore<'a> {
    pub fn new(system: &'a dyn Explicit, task: &'a Task, peers: usize) -> Explore<'a> {
        let reading = Reading::new(&task.propositions, &task.fairness, task.follow.clone());
        Explore {
            explorer: system.explorer(&task.fairness.items),
            shard: Shard::new(
                task.compress,
                task.follow.as_ref().map(|f| f.automaton.state_count()),
                task.keep,
                reading.passing,
            ),
            reading,
            heads: Said::new(peers),
            sets: Told::new(peers),
            own_classes: Vec::new(),
            heard_heads: Heard::new(peers),
            heard_sets: Heard::new(peers),
            heard_places: vec![Vec::new(); peers],
            sent: Sent::new(),
            last_sources: vec![0; peers],
            edge_kinds: Vec::new(),
            names: Vec::new(),
            arrived: Vec::new(),
            waiting: 0,
            begin: 0,
            next: 0,
            end: 0,
            is_done: Vec::new(),
            turn: Turn::new(),
            first: 0,
            is_resumed: false,
            expanded: Vec::new(),
            stop: None,
            is_stop_told: false,
            stays: system.finished_runs() == evenhand_system::FinishedRuns::Everywhere,
            pid_bound: task.fairness.pid_bound.unwrap_or(usize::MAX),
            depth: 0,
            transitions: 0,
            edges: 0,
            deadlocks: 0,
            initial: 0,
            met: vec![None; CONDITIONS + task.conditions.len()],
            undecided: vec![false; task.conditions.len()],
            successors: Successors::new(),
            state: Vec::new(),
            head: Vec::new(),
            tail: Vec::new(),
            task,
        }
    }

    /// Explores everything, or until all that is wanted was found, or a limit is reached.
    pub fn run(
        &mut self,
        post: &mut Post,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Totals, Broken> {
        let mut kept = Instant::now();
        let mut totals = Totals {
            found: vec![None; self.met.len()],
            undecided: vec![false; self.undecided.len()],
            ..Totals::default()
        };
        let mut has_begun = self.resume(post, &mut totals)?;
        if !has_begun && let Err(stop) = self.begin(post.index(), post.peers()) {
            self.stop = Some(stop);
        }
        loop {
            let fresh = self.agree(post, &mut totals)?;
            progress(&Progress {
                states: totals.states,
                expanded: totals.states.saturating_sub(fresh),
                transitions: totals.transitions,
                depth: self.depth,
                bytes: totals.bytes,
            });
            totals.depth = self.depth;
            let mut wanted = self.task.wanted.iter().peekable();
            let is_found = wanted.peek().is_some() && wanted.all(|&at| totals.found[at].is_some());
            let is_open = totals.stop.is_none() && !is_found;
            if fresh == 0 || !is_open {
                // What was explored is kept while it is decided.
                if is_open && self.task.follow.is_some() {
                    self.save(post, &totals, &mut kept)?;
                }
                return Ok(totals);
            }
            if self.task.checkpoint.is_some() && has_begun {
                self.save(post, &totals, &mut kept)?;
            }
            if has_begun {
                self.depth += 1;
            }
            has_begun = true;
            self.next_level();
            post.run(self)?;
        }
    }

    /// Generates all edges once more, now that it is known how many lead to each node. Where a search was continued they are
    /// counted once more before, with everything else that was known of what had been expanded by then.
    pub fn again(&mut self, post: &mut Post, totals: &mut Totals) -> Result<(), Broken> {
        if self.is_resumed {
            self.shard.forget_edges();
            self.expanded.clear();
            (self.transitions, self.deadlocks, self.edges) = (0, 0, 0);
            self.expand_all(post, totals)?;
        }
        if totals.stop.is_some() {
            return Ok(());
        }
        let edges = self.edges;
        if let Err(stop) = self.shard.make_room() {
            self.stop = Some(stop);
        }
        self.expand_all(post, totals)?;
        self.edges = edges;
        totals.edges = post.sum(&[edges])?[0];
        Ok(())
    }

    /// Expands all nodes as one level, so each state for all of its nodes at once.
    fn expand_all(&mut self, post: &mut Post, totals: &mut Totals) -> Result<(), Broken> {
        self.end = 0;
        self.next_level();
        post.run(self)?;
        if self.agree(post, totals)? > 0 {
            // What another look meets for the first time has edges that nobody generated.
            totals.stop = totals.stop.or(Some(Stop::Shapes));
        }
        Ok(())
    }

    /// What was met in the last level is the next one.
    fn next_level(&mut self) {
        self.begin = self.end;
        (self.next, self.end) = (self.end, self.shard.len());
        self.is_done.clear();
        if self.task.follow.is_some() {
            self.is_done.resize(self.end - self.begin, false);
        }
    }

    /// The initial states that this worker owns.
    fn begin(&mut self, own: usize, peers: usize) -> Result<(), Stop> {
        let mut successors = std::mem::take(&mut self.successors);
        self.explorer.initial(&mut successors);
        self.initial = successors.len() as u64;
        let automata = self.reading.initial();
        for index in 0..successors.len() {
            let state = successors.state(index);
            if owner_of(self.name(state)?, peers) == own {
                for &automaton in &automata {
                    self.shard.meet(state, automaton, None)?;
                }
            }
        }
        self.first = self.shard.len() as u32;
        let faults = successors.faults();
        if let Some(stop) = faults.iter().find_map(|r| Stop::of_fault(&r.fault.kind)) {
            return Err(stop);
        }
        if !faults.is_empty() && own == 0 {
            self.met[FAULT] = Some((u32::MAX, Vec::new()));
            self.met[CUT] = Some((u32::MAX, Vec::new()));
        }
        self.successors = successors;
        Ok(())
    }

    /// The memory taken.
    fn bytes_used(&self) -> usize {
        let places: usize = self.heard_places.iter().map(Vec::capacity).sum();
        self.shard.bytes_used() + self.reading.bytes_used() + self.sent.bytes_used() + 4 * places
    }

    /// Looks at the limits.
    fn look(&self) -> Result<(), Stop> {
        let limits = &self.task.limits;
        limits.look()?;
        // Where nobody counts what is allocated, this is all that is known.
        let bytes = self.bytes_used() as u64;
        if limits.memory.is_some_and(|most| bytes > most) {
            return Err(Stop::Memory);
        }
        let states = self.shard.store.len() as u64;
        match limits.states.is_some_and(|most| states > most) {
            true => Err(Stop::States),
            false => Ok(()),
        }
    }

    /// Expands a node, with all nodes of the same state in this level.
    fn expand(&mut self, node: u32, out: &mut Out) -> Result<(), Stop> {
        let (id, _) = self.shard.parts(node);
        let follows = self.task.follow.is_some();
        if follows && self.is_done[node as usize - self.begin] {
            return Ok(());
        }
        let mut state = std::mem::take(&mut self.state);
        self.shard.store.load(id, &mut state);
        let mut successors = std::mem::take(&mut self.successors);
        self.explorer.expand(&state, &mut successors);
        let is_first = self.is_first(id.index());
        if is_first {
            self.transitions += successors.len() as u64;
        }
        let looked = self.look_at(node, &state, &successors, is_first);
        let sent = looked.and_then(|letter| match follows {
            false => self.send_states(node, &successors, out),
            true => {
                let turn = self.turn(id, letter);
                let sent = self.send_edges(&turn, &state, &successors, out);
                self.turn = turn;
                sent
            }
        });
        (self.state, self.successors) = (state, successors);
        sent
    }

    /// The nodes of a state in this level, with the moves from each, the last of them first.
    fn turn(&mut self, state: StateId, letter: u32) -> Turn {
        let mut turn = std::mem::take(&mut self.turn);
        turn.clear();
        let level = self.begin..self.end;
        let nodes = self.shard.nodes_of(state);
        let later = nodes.skip_while(|&(node, _)| node as usize >= level.end);
        for (node, automaton) in later.take_while(|&(node, _)| node as usize >= level.start) {
            turn.push((node, self.reading.moves(letter, automaton)));
            self.is_done[node as usize - level.start] = true;
        }
        turn
    }

    /// Whether a state is expanded for the first time.
    fn is_first(&mut self, state: usize) -> bool {
        if self.task.follow.is_none() {
            return true;
        }
        if self.expanded.len() <= state {
            self.expanded.resize(self.shard.store.len(), false);
        }
        !std::mem::replace(&mut self.expanded[state], true)
    }

    /// A limit is reached: all end the level.
    fn end_all(&mut self, out: &mut Out) {
        if self.stop.is_some() && !self.is_stop_told {
            self.is_stop_told = true;
            out.for_others(|letter| {
                put(letter, STOP);
                put(letter, stops::code(self.stop));
            });
        }
    }

    /// For each action, whether this worker has executed it.
    pub fn executed(&self) -> &[bool] {
        self.explorer.executed()
    }

    /// The bytes of the state of a node.
    pub fn load(&mut self, node: u32) -> &[u8] {
        let (id, _) = self.shard.parts(node);
        self.shard.store.load(id, &mut self.state);
        &self.state
    }

    /// What a state is called between processes.
    pub fn export(&mut self, node: u32) -> (&[u8], &[u8]) {
        let (id, _) = self.shard.parts(node);
        self.shard.store.load(id, &mut self.state);
        // A state that may not leave is missed by whoever asked for it.
        if !self
            .explorer
            .export(&self.state, &mut self.head, &mut self.tail)
        {
            self.tail.clear();
        }
        (&self.head, &self.tail)
    }

    /// For each proposition the own states in which it is true; nothing if one has no value somewhere.
    pub fn truth(&mut self, propositions: &[PropositionId]) -> Result<Option<Vec<StateSet>>, Stop> {
        let known = &self.reading.propositions;
        let place = |p: &PropositionId| known.iter().position(|own| own == p);
        let places: Vec<usize> = propositions.iter().filter_map(place).collect();
        let mut sets = vec![StateSet::empty(self.shard.len()); places.len()];
        for node in 0..self.shard.len() {
            if node % CHUNK == 0 {
                self.look()?;
            }
            let (id, _) = self.shard.parts(node as u32);
            self.shard.store.load(id, &mut self.state);
            self.reading.letter(&mut *self.explorer, &self.state)?;
            for (set, &place) in sets.iter_mut().zip(&places) {
                match self.reading.value(place) {
                    Some(true) => _ = set.insert(node),
                    Some(false) => {}
                    None => return Ok(None),
                }
            }
        }
        Ok(Some(sets))
    }

    /// The state of that name.
    pub fn import(&mut self, head: &[u8], tail: &[u8]) -> Option<Vec<u8>> {
        let mut state = Vec::new();
        self.explorer
            .import(head, tail, &mut state)
            .then_some(state)
    }
}

impl Part for Explore<'_> {
    fn more(&mut self, out: &mut Out) -> bool {
        if self.stop.is_none()
            && let Err(stop) = self.look()
        {
            self.stop = Some(stop);
        }
        for _ in 0..CHUNK {
            if self.next >= self.end || self.stop.is_some() {
                break;
            }
            if let Err(stop) = self.expand(self.next as u32, out) {
                self.stop = Some(stop);
            }
            self.next += 1;
        }
        self.end_all(out);
        self.stop.is_none() && self.next < self.end
    }

    fn take(&mut self, from: usize, letter: &[u8], out: &mut Out) {
        if self.stop.is_none()
            && let Err(stop) = self.read(from, letter)
        {
            self.stop = Some(stop);
        }
        self.end_all(out);
    }
}
