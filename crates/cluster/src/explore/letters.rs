//! What workers write to each other while they explore: successors, by the names that states have between processes.
//!
//! A name has two parts: the *head*, which many states share, travels once and is a number afterwards; the *tail* travels
//! unless the state was sent a moment ago ([`super::sent`]). Sets of marks travel once too: each worker numbers those of
//! its own edges. Where there is an automaton, a state is told once for all edges of the product that a step makes.

use std::rc::Rc;

use evenhand_explicit::search::Stop;
use evenhand_explicit::store::{StateId, Store};
use evenhand_system::Successors;

use super::Explore;
use crate::post::Out;
use crate::reading::Move;
use crate::shard::{Class, Departure, Keep, Remote, name_hash, owner_of};
use crate::stops;
use crate::wire::{Reader, put, put_bytes, put_signed};

const HEAD: u64 = 0;
const SET: u64 = 1;
pub(super) const STOP: u64 = 2;
/// A state; with an automaton the place at which it is remembered is added twice, and one if it is there.
const STATE: u64 = 3;

/// A state that nobody has met at this place.
const NOWHERE: u32 = u32::MAX;

/// A successor: who owns it, and what it is called.
#[derive(Debug, Default)]
pub(super) struct Name {
    to: usize,
    /// Of its own states a worker needs the hash of their bytes, of others that of their names.
    hash: u64,
    head: u32,
    tail: Vec<u8>,
}

/// A state that was read and not looked up yet.
#[derive(Debug, Default)]
pub(super) struct Arrived {
    state: Vec<u8>,
    hash: u64,
    from: Remote,
}

/// States that are looked up together.
const BATCH: usize = 16;

/// The nodes of a state that are expanded together, with the moves of the automaton from each.
pub(super) type Turn = Vec<(u32, Rc<[Move]>)>;

impl Explore<'_> {
    /// Sends all successors of a state to their owners, where no automaton is followed.
    pub(super) fn send_states(
        &mut self,
        node: u32,
        successors: &Successors,
        out: &mut Out,
    ) -> Result<(), Stop> {
        self.name_all(successors, None, out)?;
        let names = std::mem::take(&mut self.names);
        let own = Remote {
            worker: out.own() as u32,
            node,
        };
        for (index, name) in names.iter().take(successors.len()).enumerate() {
            if name.to == out.own() {
                let target = successors.state(index);
                let met = self.shard.meet_hashed(name.hash, target)?;
                self.shard.meet_node(met, 0, Some((own, 0)))?;
                continue;
            }
            if self.sent.send(name.hash, name.head, &name.tail).1 {
                continue;
            }
            self.tell_head(name.head, name.to, out);
            let letter = out.to(name.to);
            put(letter, STATE);
            if self.task.keep == Keep::Parents {
                put(letter, node.into());
            }
            put(letter, name.head.into());
            put_bytes(letter, &name.tail);
        }
        self.names = names;
        Ok(())
    }

    /// Finds out who owns the successors of a state, and has memory bring near what is looked up next. One that stays where
    /// it is comes behind them.
    fn name_all(
        &mut self,
        successors: &Successors,
        stays: Option<&[u8]>,
        out: &Out,
    ) -> Result<(), Stop> {
        let count = successors.len() + usize::from(stays.is_some());
        if self.names.len() < count {
            self.names.resize_with(count, Name::default);
        }
        let all = (0..successors.len()).map(|index| successors.state(index));
        for (index, target) in all.chain(stays).enumerate() {
            if index < successors.len() && successors.step(index).is_beyond(self.pid_bound) {
                return Err(Stop::Processes);
            }
            let hash = self.name(target)?;
            let to = owner_of(hash, out.peers());
            let name = &mut self.names[index];
            (name.to, name.hash) = (to, hash);
            if to == out.own() {
                name.hash = self.shard.store.hash(target);
                self.shard.store.prefetch(name.hash);
            } else {
                name.head = self.heads.number(&self.head);
                self.sent.prefetch(hash);
                std::mem::swap(&mut name.tail, &mut self.tail);
            }
        }
        Ok(())
    }

    /// Sends all successors of nodes of a state to their owners; `turn` has these nodes.
    pub(super) fn send_edges(
        &mut self,
        turn: &Turn,
        state: &[u8],
        successors: &Successors,
        out: &mut Out,
    ) -> Result<(), Stop> {
        let source = self.reading.source(successors)?;
        let is_end = self.stays || successors.is_empty() && successors.faults().is_empty();
        let stays = is_end && self.reading.stutters();
        let count = successors.len() + usize::from(stays);
        self.depart(turn, source, count as u32);
        self.name_all(successors, stays.then_some(state), out)?;
        let names = std::mem::take(&mut self.names);
        for (index, name) in names.iter().take(count).enumerate() {
            let is_step = index < successors.len();
            let grant = match is_step && self.reading.marking.count > 0 {
                true => Some(self.reading.marking.grant(successors.taken(index))?),
                false => None,
            };
            if name.to != out.own() {
                self.send_elsewhere(turn, grant, name, out);
                continue;
            }
            let target = match is_step {
                true => successors.state(index),
                false => state,
            };
            let met = self.shard.meet_hashed(name.hash, target)?;
            let worker = name.to as u32;
            for (node, moves) in turn {
                let from = Remote {
                    worker,
                    node: *node,
                };
                for step in moves.iter() {
                    let kind = self.reading.edge(grant, step);
                    let class = self.own_class(worker, kind);
                    let automaton = step.target;
                    self.shard.meet_node(met, automaton, Some((from, class)))?;
                }
            }
        }
        self.names = names;
        Ok(())
    }

    /// Finds out what a state is called between processes; its hash.
    #[inline]
    pub(super) fn name(&mut self, state: &[u8]) -> Result<u64, Stop> {
        let (head, tail) = (&mut self.head, &mut self.tail);
        match self.explorer.export(state, head, tail) {
            true => Ok(name_hash(head, tail)),
            false => Err(stops::BOUND),
        }
    }

    /// Remembers what all edges out of some nodes have.
    fn depart(&mut self, turn: &Turn, source: u32, successors: u32) {
        let departures = &mut self.shard.departures;
        for (node, moves) in turn {
            let place = *node as usize;
            if departures.len() <= place {
                departures.resize(place + 1, Departure::default());
            }
            let passing = self.reading.passing;
            let lasting = moves.iter().filter(|step| step.may_return(passing)).count();
            let degree = lasting as u32 * successors;
            departures[place] = Departure { source, degree };
            self.edges += moves.len() as u64 * u64::from(successors);
        }
    }

    /// Sends a state with the edges to it; its name is at hand.
    fn send_elsewhere(&mut self, turn: &Turn, grant: Option<u32>, name: &Name, out: &mut Out) {
        let to = name.to;
        // What was written last is told by its difference, within a letter.
        if out.is_fresh(to) {
            self.last_sources[to] = 0;
        }
        let (place, is_known) = self.sent.send(name.hash, name.head, &name.tail);
        let count: usize = turn.iter().map(|(_, moves)| moves.len()).sum();
        if is_known && count == 0 {
            return;
        }
        if !is_known {
            self.tell_head(name.head, to, out);
        }
        self.edge_kinds.clear();
        for (node, moves) in turn {
            for step in moves.iter() {
                let kind = self.reading.edge(grant, step);
                self.edge_kinds.push((step.target, kind, *node));
                if self.sets.is_new_to(kind, to) {
                    let marks = self.reading.marks(kind);
                    let letter = out.to(to);
                    put(letter, SET);
                    put(letter, kind.into());
                    put(letter, 8 * marks.len() as u64);
                    letter.extend(marks.iter().flat_map(|word| word.to_le_bytes()));
                }
            }
        }
        let letter = out.to(to);
        put(letter, STATE + 2 * u64::from(place) + u64::from(is_known));
        if !is_known {
            put(letter, name.head.into());
            put_bytes(letter, &name.tail);
        }
        put(letter, count as u64);
        for &(automaton, kind, node) in &self.edge_kinds {
            put(letter, automaton.into());
            put(letter, kind.into());
            let last = std::mem::replace(&mut self.last_sources[to], node);
            put_signed(letter, i64::from(node) - i64::from(last));
        }
    }

    /// Says what a head's number means, to whoever does not know.
    fn tell_head(&mut self, head: u32, to: usize, out: &mut Out) {
        if self.heads.is_new_to(head, to) {
            let letter = out.to(to);
            put(letter, HEAD);
            put(letter, head.into());
            put_bytes(letter, self.heads.bytes(head));
        }
    }

    /// The number of the edges from this worker with marks that have a number.
    #[inline]
    fn own_class(&mut self, worker: u32, kind: u32) -> u32 {
        let place = kind as usize;
        if self.own_classes.len() <= place {
            self.own_classes.resize(place + 1, u32::MAX);
        }
        if self.own_classes[place] == u32::MAX {
            let marks = self.reading.marks(kind).to_vec();
            self.own_classes[place] = self.shard.class(Class { worker, marks });
        }
        self.own_classes[place]
    }

    /// Reads what another worker sent.
    pub(super) fn read(&mut self, from: usize, letter: &[u8]) -> Result<(), Stop> {
        let mut reader = Reader(letter);
        let mut last_source = 0;
        while !reader.is_empty() {
            match reader.number() {
                HEAD => {
                    let number = reader.number() as u32;
                    let head = reader.bytes().to_vec();
                    self.heard_heads.learn(from, number, head);
                }
                SET => {
                    let number = reader.number() as u32;
                    let words = reader.bytes().as_chunks::<8>().0.iter();
                    let class = self.shard.class(Class {
                        worker: from as u32,
                        marks: words.map(|word| u64::from_le_bytes(*word)).collect(),
                    });
                    self.heard_sets.learn(from, number, class);
                }
                STOP => self.stop = self.stop.or(stops::stop(reader.number())),
                _ if self.task.follow.is_none() => self.read_state(from, &mut reader)?,
                number => self.read_edges(from, number - STATE, &mut last_source, &mut reader)?,
            }
        }
        self.meet_arrived()
    }

    /// A state, and the one it is a successor of. It waits for others, so that memory brings near where they are.
    fn read_state(&mut self, from: usize, reader: &mut Reader<'_>) -> Result<(), Stop> {
        let worker = from as u32;
        let node = match self.task.keep {
            Keep::Parents => reader.number() as u32,
            _ => 0,
        };
        self.read_name(from, reader)?;
        if self.arrived.len() == self.waiting {
            self.arrived.push(Arrived::default());
        }
        let arrived = &mut self.arrived[self.waiting];
        std::mem::swap(&mut arrived.state, &mut self.state);
        arrived.from = Remote { worker, node };
        arrived.hash = self.shard.store.hash(&arrived.state);
        self.shard.store.prefetch(arrived.hash);
        self.waiting += 1;
        match self.waiting < BATCH {
            true => Ok(()),
            false => self.meet_arrived(),
        }
    }

    /// Looks up what has arrived.
    fn meet_arrived(&mut self) -> Result<(), Stop> {
        for arrived in &self.arrived[..self.waiting] {
            let met = self.shard.meet_hashed(arrived.hash, &arrived.state)?;
            self.shard.meet_node(met, 0, Some((arrived.from, 0)))?;
        }
        self.waiting = 0;
        Ok(())
    }

    /// A state, and edges to its nodes.
    fn read_edges(
        &mut self,
        from: usize,
        told: u64,
        last: &mut i64,
        reader: &mut Reader<'_>,
    ) -> Result<(), Stop> {
        let (place, is_known) = ((told / 2) as usize, told % 2 == 1);
        let places = &mut self.heard_places[from];
        let known = places.get(place).copied().unwrap_or(NOWHERE);
        let state = match is_known {
            true if known == NOWHERE => return Err(Stop::Shapes),
            true => StateId::new(known),
            false => {
                if places.len() <= place {
                    places.resize(place + 1, NOWHERE);
                }
                self.read_name(from, reader)?;
                let state = self.shard.meet_state(&self.state)?.0;
                self.heard_places[from][place] = state.number();
                state
            }
        };
        let worker = from as u32;
        for _ in 0..reader.number() {
            let automaton = reader.number() as u32;
            let class = self.heard_sets.meaning(from, reader.number() as u32);
            let Some(&class) = class else {
                return Err(Stop::Shapes);
            };
            *last += reader.signed();
            let node = *last as u32;
            let source = Remote { worker, node };
            let met = (state, false);
            self.shard
                .meet_node(met, automaton, Some((source, class)))?;
        }
        Ok(())
    }

    /// Reads the name of a state, which is at hand from then on.
    #[inline]
    fn read_name(&mut self, from: usize, reader: &mut Reader<'_>) -> Result<(), Stop> {
        let head = self.heard_heads.meaning(from, reader.number() as u32);
        let tail = reader.bytes();
        let is_one = head.is_some_and(|head| self.explorer.import(head, tail, &mut self.state));
        match is_one {
            true => Ok(()),
            false => Err(Stop::Shapes),
        }
    }
}
