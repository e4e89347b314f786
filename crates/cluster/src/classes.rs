//! States that are one state for a formula of branching time, wherever they are.
//!
//! **Problem.** Where fairness or a formula is about inputs, a state says which input comes next, and formulas may not ask for
//! that: quantifiers choose among the states that differ in it alone. Such states have different owners.
//!
//! **Idea.** What is left of a state without its input is a *key*, and the hash of the key names the worker that keeps the class: it
//! knows all members. A set grows to whole classes by two letters for each: *one of this class is in it*, and *so are you*.
//!
//! **Cost.** Eight bytes for each state and its class, and eight where the class is kept.

use std::collections::HashMap;

use evenhand_explicit::state_set::StateSet;

use crate::explore::Explore;
use crate::post::{Broken, Out, Part, Post};
use crate::shard::{Remote, owner};
use crate::wire::{Reader, put, put_bytes};

/// States that are looked at between two looks at the inbox.
const CHUNK: usize = 4096;

/// What is left of a state without its input.
pub(crate) type Key<'k> = &'k dyn Fn(&[u8]) -> Vec<u8>;

/// One worker's part of all classes.
pub(crate) struct Classes {
    /// For each own node the worker that keeps its class, and the number of the class there.
    of: Vec<Remote>,
    /// For each class that is kept here, its nodes.
    members: Vec<Vec<Remote>>,
}

impl Classes {
    /// The classes of all states.
    pub fn new(
        post: &mut Post,
        explore: &mut Explore<'_>,
        key: Key<'_>,
    ) -> Result<Classes, Broken> {
        let count = explore.shard.len();
        let mut gathering = Gathering {
            explore,
            key,
            next: 0,
            known: HashMap::new(),
            classes: Classes {
                of: vec![Remote::default(); count],
                members: Vec::new(),
            },
        };
        post.run(&mut gathering)?;
        Ok(gathering.classes)
    }

    /// A set with all states of each class of which it has one.
    pub fn merged(&self, post: &mut Post, set: StateSet) -> Result<StateSet, Broken> {
        let mut merging = Merging {
            classes: self,
            own: set.iter().collect(),
            next: 0,
            met: StateSet::empty(self.members.len()),
            set,
        };
        post.run(&mut merging)?;
        Ok(merging.set)
    }
}

/// A letter to who keeps a class, and one back.
const FORTH: u8 = 0;
const BACK: u8 = 1;

struct Gathering<'g, 'a> {
    explore: &'g mut Explore<'a>,
    key: Key<'g>,
    next: usize,
    /// The numbers of the classes that are kept here, by their keys.
    known: HashMap<Vec<u8>, usize>,
    classes: Classes,
}

impl Part for Gathering<'_, '_> {
    fn more(&mut self, out: &mut Out) -> bool {
        let count = self.classes.of.len();
        let end = (self.next + CHUNK).min(count);
        for node in self.next..end {
            let key = (self.key)(self.explore.load(node as u32));
            let letter = out.to(owner(&[], &key, out.peers()));
            letter.push(FORTH);
            put(letter, node as u64);
            put_bytes(letter, &key);
        }
        self.next = end;
        end < count
    }

    fn take(&mut self, from: usize, letter: &[u8], out: &mut Out) {
        let mut reader = Reader(letter);
        while !reader.is_empty() {
            let kind = reader.byte();
            let node = reader.number() as u32;
            let worker = from as u32;
            if kind == BACK {
                let class = reader.number() as u32;
                self.classes.of[node as usize] = Remote {
                    worker,
                    node: class,
                };
                continue;
            }
            let next = self.classes.members.len();
            let class = *self.known.entry(reader.bytes().to_vec()).or_insert(next);
            if class == next {
                self.classes.members.push(Vec::new());
            }
            self.classes.members[class].push(Remote { worker, node });
            let letter = out.to(from);
            letter.push(BACK);
            put(letter, node.into());
            put(letter, class as u64);
        }
    }
}

struct Merging<'c> {
    classes: &'c Classes,
    /// The nodes that are in the set from the start.
    own: Vec<usize>,
    next: usize,
    /// The classes kept here of which one is in it.
    met: StateSet,
    set: StateSet,
}

impl Part for Merging<'_> {
    fn more(&mut self, out: &mut Out) -> bool {
        let end = (self.next + CHUNK).min(self.own.len());
        for &node in &self.own[self.next..end] {
            let class = self.classes.of[node];
            let letter = out.to(class.worker as usize);
            letter.push(FORTH);
            put(letter, class.node.into());
        }
        self.next = end;
        end < self.own.len()
    }

    fn take(&mut self, _: usize, letter: &[u8], out: &mut Out) {
        let mut reader = Reader(letter);
        while !reader.is_empty() {
            let kind = reader.byte();
            let number = reader.number() as usize;
            if kind == BACK {
                self.set.insert(number);
            } else if self.met.insert(number) {
                for member in &self.classes.members[number] {
                    let letter = out.to(member.worker as usize);
                    letter.push(BACK);
                    put(letter, member.node.into());
                }
            }
        }
    }
}
