//! What workers write to each other while they explore: successors, by the names that states have between processes.
//!
//! A name has two parts: the *head*, which many states share, travels once and is a number afterwards; the *tail* travels each
//! time. Sets of marks travel once too: each worker numbers those of its own edges.

use std::rc::Rc;

use evenhand_explicit::search::Stop;
use evenhand_explicit::store::hash;
use evenhand_system::Successors;

use super::{Explore, RECENT};
use crate::post::Out;
use crate::shard::{Class, Keep, Remote, owner};
use crate::stops;
use crate::wire::{Reader, put, put_bytes};

/// No state of the automaton: it cannot follow, and only the state of the system is known.
const NOBODY: u32 = u32::MAX;

const HEAD: u8 = 0;
const SET: u8 = 1;
pub(super) const STOP: u8 = 2;
const NODE: u8 = 3;

impl Explore<'_> {
    /// Sends all successors of a node to their owners.
    pub(super) fn send_all(
        &mut self,
        (node, automaton): (u32, u32),
        letter: u32,
        state: &[u8],
        successors: &Successors,
        out: &mut Out,
    ) -> Result<(), Stop> {
        let has_marks = self.task.keep == Keep::Edges;
        let source = match has_marks {
            true => self.reading.source(successors)?,
            false => 0,
        };
        let follows = self.task.follow.is_some();
        let moves = match follows {
            true => self.reading.moves(letter, automaton),
            false => Rc::default(),
        };
        let (mut edges, mut degree) = (0, 0);
        let passing = self.reading.passing;
        let is_end = self.stays || successors.is_empty() && successors.faults().is_empty();
        let stays = is_end && self.reading.stutters();
        for index in 0..successors.len() + usize::from(stays) {
            let is_step = index < successors.len();
            let target = if is_step {
                successors.state(index)
            } else {
                state
            };
            if is_step && successors.step(index).is_beyond(self.pid_bound) {
                return Err(Stop::Processes);
            }
            let grant = match is_step && has_marks && self.reading.marking.count > 0 {
                true => Some(self.reading.marking.grant(successors.taken(index))?),
                false => None,
            };
            self.explorer.export(target, &mut self.head, &mut self.tail);
            let to = owner(&self.head, &self.tail, out.peers());
            if !follows {
                self.send(node, (to, 0, 0), target, out)?;
                continue;
            }
            if moves.is_empty() {
                self.send(node, (to, NOBODY, 0), target, out)?;
            }
            for step in &*moves {
                let kind = match has_marks {
                    true => self.reading.edge(source, grant, step)?,
                    false => 0,
                };
                edges += 1;
                degree += u32::from(step.may_return(passing));
                self.send(node, (to, step.target, kind), target, out)?;
            }
        }
        if self.task.keep == Keep::Edges {
            self.edges += edges;
            if self.shard.out_degrees.len() <= node as usize {
                self.shard.out_degrees.resize(self.shard.len(), 0);
            }
            self.shard.out_degrees[node as usize] = degree;
        }
        Ok(())
    }

    /// Sends one node to its owner, with the number of the marks of the edge; the name of its state is at hand.
    #[inline]
    fn send(
        &mut self,
        from: u32,
        (to, automaton, kind): (usize, u32, u32),
        state: &[u8],
        out: &mut Out,
    ) -> Result<(), Stop> {
        let has_marks = self.task.keep == Keep::Edges;
        if to == out.own() && automaton == NOBODY {
            return self.shard.meet_state(state);
        }
        if to == out.own() {
            let source = Remote {
                worker: to as u32,
                node: from,
            };
            let class = match has_marks {
                true => self.own_class(to as u32, kind),
                false => 0,
            };
            self.shard.meet(state, automaton, Some((source, class)))?;
            return Ok(());
        }
        let head = self.heads.number(&self.head);
        if !has_marks {
            let place = hash(&self.tail) as usize ^ head as usize;
            let known = &mut self.recent[place % RECENT];
            let (number, tail) = known.split_at(known.len().min(4));
            if number == head.to_le_bytes() && tail == self.tail {
                return Ok(());
            }
            known.clear();
            known.extend(head.to_le_bytes());
            known.extend_from_slice(&self.tail);
        }
        let letter = out.to(to);
        if self.heads.is_new_to(head, to) {
            letter.push(HEAD);
            put(letter, head.into());
            put_bytes(letter, &self.head);
        }
        if has_marks {
            if automaton != NOBODY && self.sets.is_new_to(kind, to) {
                let marks = self.reading.marks(kind);
                letter.push(SET);
                put(letter, kind.into());
                put(letter, 8 * marks.len() as u64);
                letter.extend(marks.iter().flat_map(|word| word.to_le_bytes()));
            }
            letter.push(NODE);
            put(letter, u64::from(automaton.wrapping_add(1)));
            put(letter, kind.into());
        } else {
            letter.push(NODE);
        }
        put(letter, from.into());
        put(letter, head.into());
        put_bytes(letter, &self.tail);
        Ok(())
    }

    /// The number of the edges from this worker with marks that have a number.
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
        let has_marks = self.task.keep == Keep::Edges;
        let mut reader = Reader(letter);
        while !reader.is_empty() {
            match reader.byte() {
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
                _ => {
                    let mut class = Some(0);
                    let mut automaton = 0;
                    if has_marks {
                        automaton = (reader.number() as u32).wrapping_sub(1);
                        let kind = reader.number() as u32;
                        if automaton != NOBODY {
                            class = self.heard_sets.meaning(from, kind).copied();
                        }
                    }
                    let node = reader.number() as u32;
                    let head = self.heard_heads.meaning(from, reader.number() as u32);
                    let tail = reader.bytes();
                    let (Some(class), Some(head)) = (class, head) else {
                        return Err(Stop::Shapes);
                    };
                    if !self.explorer.import(head, tail, &mut self.state) {
                        return Err(Stop::Shapes);
                    }
                    if automaton == NOBODY {
                        self.shard.meet_state(&self.state)?;
                        continue;
                    }
                    let worker = from as u32;
                    let source = Remote { worker, node };
                    self.shard
                        .meet(&self.state, automaton, Some((source, class)))?;
                }
            }
        }
        Ok(())
    }
}
