//! Breadth-first exploration of a partitioned space, level by level.
//!
//! In each level every worker expands the nodes of the level that it owns, and sends each successor to its owner, in
//! letters of some hundred states; who receives one looks whether it is new. When all letters of a level were read, all
//! workers say what they have found, and each knows the same: how many there are, whether something was met that is
//! looked for, whether somebody has reached a limit. So depth is exact, what is met first is nearest, and the ways to it
//! are shortest. Of several errors in one level the one in the state with the smallest bytes is taken, whoever found it.
//!
//! What was sent a moment ago to the same owner is not sent again: a small table remembers the bytes. (With edges, or
//! marks, each is sent.)

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use evenhand_explicit::invariants::holds_by_letter;
use evenhand_explicit::search::{Progress, Stop};
use evenhand_explicit::store::Store;
use evenhand_system::explicit::FaultReport;
use evenhand_system::{
    Explicit, Explorer, Fairness, FaultKind, Formula, PropositionId, Successors,
};

mod letters;

use self::letters::STOP;
use crate::checkpoint::{Checkpoint, Due, Manifest, load};
use crate::post::{Broken, Out, Part, Post};
use crate::reading::{Follow, Reading};
use crate::shard::{Keep, Remote, Shard, owner};
use crate::stops;
use crate::wire::{Heard, Reader, Said, Told, put, put_bytes};

/// What a level looks for, by its place: errors, improper ends, trace assertions, states without successors, run-time
/// errors that end a run; and behind them the conditions.
pub(crate) const FAULT: usize = 0;
pub(crate) const END: usize = 1;
pub(crate) const TRACE: usize = 2;
pub(crate) const DEAD: usize = 3;
pub(crate) const CUT: usize = 4;
pub(crate) const CONDITIONS: usize = 5;

/// Nodes that are expanded between two looks at the inbox.
const CHUNK: usize = 256;

/// How many states that were sent lately are remembered.
const RECENT: usize = 1 << 13;

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

/// What all workers know in the end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Totals {
    pub states: u64,
    pub nodes: u64,
    pub transitions: u64,
    pub edges: u64,
    pub deadlocks: u64,
    pub depth: u64,
    pub bytes: u64,
    /// The most states that one worker has.
    pub most: u64,
    pub stop: Option<Stop>,
    /// For each thing that was looked for, where it was met first.
    pub found: Vec<Option<Remote>>,
    /// For each condition, whether nobody knows if it holds in some state.
    pub undecided: Vec<bool>,
    pub left_out: bool,
    /// How often an initial state was generated.
    pub initial: u64,
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
    heard_heads: Heard<Vec<u8>>,
    heard_sets: Heard<u32>,
    recent: Vec<Vec<u8>>,
    /// The level: the next node to expand, and where it ends.
    next: usize,
    end: usize,
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
                task.follow.is_some(),
                task.keep,
                reading.passing,
            ),
            reading,
            heads: Said::new(peers),
            sets: Told::new(peers),
            own_classes: Vec::new(),
            heard_heads: Heard::new(peers),
            heard_sets: Heard::new(peers),
            recent: vec![Vec::new(); RECENT],
            next: 0,
            end: 0,
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
        let mut due = Due {
            last: Instant::now(),
            generation: 0,
        };
        let mut has_begun = self.resume(post, &mut due)?;
        if !has_begun && let Err(stop) = self.begin(post.index(), post.peers()) {
            self.stop = Some(stop);
        }
        let mut totals = Totals {
            found: vec![None; self.met.len()],
            undecided: vec![false; self.undecided.len()],
            ..Totals::default()
        };
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
                return Ok(totals);
            }
            if self.task.checkpoint.is_some() && has_begun {
                self.save(post, &totals, &mut due)?;
            }
            if has_begun {
                self.depth += 1;
            }
            has_begun = true;
            (self.next, self.end) = (self.end, self.shard.len());
            post.run(self)?;
        }
    }

    /// Goes on where a search was left; whether there was one.
    fn resume(&mut self, post: &mut Post, due: &mut Due) -> Result<bool, Broken> {
        let Some(checkpoint) = self.task.checkpoint.as_ref().filter(|c| c.resume) else {
            return Ok(false);
        };
        let manifest = match checkpoint.read() {
            Ok(Some(manifest)) => manifest,
            Ok(None) => return Ok(false),
            Err(reason) => {
                post.alarm.raise(reason);
                return Err(Broken);
            }
        };
        self.end = load(post, self, checkpoint, &manifest)?;
        self.first = 0;
        self.depth = manifest.depth;
        self.is_resumed = true;
        due.generation = manifest.generation;
        if post.index() == 0 {
            (self.transitions, self.deadlocks) = (manifest.transitions, manifest.deadlocks);
        }
        let mut initial = Successors::new();
        self.explorer.initial(&mut initial);
        self.initial = initial.len() as u64;
        Ok(true)
    }

    /// Writes a checkpoint, if one is due and nothing was found.
    fn save(&mut self, post: &mut Post, totals: &Totals, due: &mut Due) -> Result<(), Broken> {
        let Some(checkpoint) = &self.task.checkpoint else {
            return Ok(());
        };
        let is_found = totals.found.iter().any(Option::is_some);
        let is_open = is_found || totals.undecided.contains(&true);
        let is_due = post.index() == 0 && !is_open && due.last.elapsed() >= checkpoint.every;
        if post.sum(&[u64::from(is_due)])?[0] == 0 {
            return Ok(());
        }
        due.generation += 1;
        let (generation, end) = (due.generation, self.end);
        let written = checkpoint.write(generation, self, post.index(), end);
        let failed = written.as_ref().err().map(ToString::to_string);
        let mut failed = failed.unwrap_or_default();
        let all = post.agree(failed.as_bytes())?;
        let is_written = all.iter().all(Vec::is_empty);
        if is_written && post.index() == 0 {
            let manifest = Manifest {
                generation,
                workers: post.peers() as u64,
                depth: self.depth,
                transitions: totals.transitions,
                deadlocks: totals.deadlocks,
            };
            match checkpoint.commit(&manifest) {
                Ok(()) => checkpoint.tidy(generation),
                Err(error) => failed = error.to_string(),
            }
        }
        if !failed.is_empty() {
            let name = checkpoint.folder.display();
            post.alarm.raise(format!(
                "no checkpoint can be written to `{name}`: {failed}"
            ));
            return Err(Broken);
        }
        due.last = Instant::now();
        Ok(())
    }

    /// The initial states that this worker owns.
    fn begin(&mut self, own: usize, peers: usize) -> Result<(), Stop> {
        let mut successors = std::mem::take(&mut self.successors);
        self.explorer.initial(&mut successors);
        self.initial = successors.len() as u64;
        let automata = self.reading.initial();
        for index in 0..successors.len() {
            let state = successors.state(index);
            self.explorer.export(state, &mut self.head, &mut self.tail);
            if owner(&self.head, &self.tail, peers) == own {
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

    /// All say what they have found; how many nodes are new.
    fn agree(&mut self, post: &mut Post, totals: &mut Totals) -> Result<u64, Broken> {
        let mut own = Vec::new();
        let fresh = (self.shard.len() - self.end) as u64;
        let numbers = [
            fresh,
            self.shard.store.len() as u64,
            self.shard.len() as u64,
            self.transitions,
            self.edges,
            self.deadlocks,
            self.bytes_used() as u64,
            stops::code(self.stop),
            u64::from(self.reading.left_out),
        ];
        numbers.iter().for_each(|&number| put(&mut own, number));
        for met in &mut self.met {
            put(&mut own, u64::from(met.is_some()));
            if let Some((node, name)) = met.take() {
                put(&mut own, u64::from(node));
                put_bytes(&mut own, &name);
            }
        }
        self.undecided
            .iter()
            .for_each(|&unknown| own.push(unknown.into()));
        let all = post.agree(&own)?;
        let mut sums = [0u64; 7];
        let mut first: Vec<Option<(&[u8], Remote)>> = vec![None; self.met.len()];
        (totals.most, totals.initial) = (0, self.initial);
        for (worker, said) in all.iter().enumerate() {
            let mut reader = Reader(said);
            for (at, sum) in sums.iter_mut().enumerate() {
                let number = reader.number();
                *sum += number;
                if at == 1 {
                    totals.most = totals.most.max(number);
                }
            }
            totals.stop = totals.stop.or(stops::stop(reader.number()));
            totals.left_out |= reader.number() != 0;
            for first in &mut first {
                if reader.number() == 0 {
                    continue;
                }
                let node = reader.number() as u32;
                let name = reader.bytes();
                let here = Remote {
                    worker: worker as u32,
                    node,
                };
                if first.is_none_or(|(known, _)| name < known) {
                    *first = Some((name, here));
                }
            }
            for undecided in &mut totals.undecided {
                *undecided |= reader.byte() != 0;
            }
        }
        for (found, first) in totals.found.iter_mut().zip(first) {
            *found = found.or(first.map(|(_, here)| here));
        }
        [
            _,
            totals.states,
            totals.nodes,
            totals.transitions,
            totals.edges,
            totals.deadlocks,
            totals.bytes,
        ] = sums;
        let most = self.task.limits.states;
        if most.is_some_and(|most| totals.states > most) {
            totals.stop = totals.stop.or(Some(Stop::States));
        }
        Ok(sums[0])
    }

    /// The memory taken.
    fn bytes_used(&self) -> usize {
        self.shard.bytes_used() + self.reading.bytes_used()
    }

    /// Looks at the limits.
    fn look(&self) -> Result<(), Stop> {
        let limits = &self.task.limits;
        limits.look()?;
        let states = self.shard.store.len() as u64;
        match limits.states.is_some_and(|most| states > most) {
            true => Err(Stop::States),
            false => Ok(()),
        }
    }

    /// Expands a node.
    fn expand(&mut self, node: u32, out: &mut Out) -> Result<(), Stop> {
        let (id, automaton) = self.shard.parts(node);
        let mut state = std::mem::take(&mut self.state);
        self.shard.store.load(id, &mut state);
        let mut successors = std::mem::take(&mut self.successors);
        self.explorer.expand(&state, &mut successors);
        let is_first = self.is_first(id.index());
        if is_first {
            self.transitions += successors.len() as u64;
        }
        let looked = self.look_at(node, &state, &successors, is_first);
        let sent = looked
            .and_then(|letter| self.send_all((node, automaton), letter, &state, &successors, out));
        (self.state, self.successors) = (state, successors);
        sent
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

    /// Looks at what is wrong with a state; its letter.
    fn look_at(
        &mut self,
        node: u32,
        state: &[u8],
        successors: &Successors,
        is_first: bool,
    ) -> Result<u32, Stop> {
        let faults = successors.faults();
        if !faults.is_empty() {
            let limit = |r: &FaultReport| Stop::of_fault(&r.fault.kind);
            let is_trace = |r: &FaultReport| matches!(r.fault.kind, FaultKind::Trace { .. });
            let is_fault = |r: &FaultReport| limit(r).is_none() && !is_trace(r);
            let is_cut = |r: &FaultReport| is_fault(r) && r.fault.kind != FaultKind::Assertion;
            for (at, is_met) in [
                (FAULT, faults.iter().any(is_fault)),
                (TRACE, faults.iter().any(is_trace)),
                (CUT, faults.iter().any(is_cut)),
            ] {
                if is_met {
                    self.note(at, node, state);
                }
            }
            if let Some(stop) = faults.iter().find_map(limit) {
                return Err(stop);
            }
        } else if successors.is_empty() {
            self.note(DEAD, node, state);
            if is_first && !self.explorer.is_valid_end(state) {
                self.deadlocks += 1;
                self.note(END, node, state);
            }
        }
        if self.reading.propositions.is_empty() && self.task.follow.is_none() {
            return Ok(0);
        }
        let letter = self.reading.letter(&mut *self.explorer, state)?;
        for at in 0..self.task.conditions.len() {
            let propositions = &self.reading.propositions;
            let place = |p: PropositionId| propositions.iter().position(|&own| own == p);
            let value = |p: PropositionId| self.reading.value(place(p)?);
            match holds_by_letter(&self.task.conditions[at], &value) {
                Some(true) => {}
                Some(false) => self.note(CONDITIONS + at, node, state),
                None => self.undecided[at] = true,
            }
        }
        Ok(letter)
    }

    /// Remembers something that was met in this level: the state with the smallest name.
    fn note(&mut self, at: usize, node: u32, state: &[u8]) {
        self.explorer.export(state, &mut self.head, &mut self.tail);
        let mut name = self.head.clone();
        name.extend_from_slice(&self.tail);
        let known = &mut self.met[at];
        if known.as_ref().is_none_or(|(_, known)| name < *known) {
            *known = Some((node, name));
        }
    }

    /// A limit is reached: all end the level.
    fn end_all(&mut self, out: &mut Out) {
        if self.stop.is_some() && !self.is_stop_told {
            self.is_stop_told = true;
            out.for_others(|letter| {
                letter.push(STOP);
                put(letter, stops::code(self.stop));
            });
        }
    }

    /// For each action, whether this worker has executed it.
    pub fn executed(&self) -> &[bool] {
        self.explorer.executed()
    }

    /// What a state is called between processes.
    pub fn export(&mut self, node: u32) -> (&[u8], &[u8]) {
        let (id, _) = self.shard.parts(node);
        self.shard.store.load(id, &mut self.state);
        self.explorer
            .export(&self.state, &mut self.head, &mut self.tail);
        (&self.head, &self.tail)
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
