//! What is known in advance about the states of one kind: for every process at every location, what each
//! of its transitions touches now, and what the process may touch from there on.
//!
//! The future of a process at a location is the union over all transitions that can be reached in its
//! control flow, and over everything that processes may do which it may create. Locations on a cycle have
//! the same future, so there are far fewer of them than locations. From both follows who clashes with whom
//! (see `crate::reduce::choose`): rows of bits for each transition, one bit for each future, worked out
//! when they are asked for.
//!
//! A transition is visible if it writes what a proposition reads, or what decides whether some fairness
//! item is enabled that it does not take itself.

use std::collections::{BTreeMap, BTreeSet};

use super::expr::TypeId;
use super::sticky::{Edge, sticky_edges};
use super::touch::{Actor, Alike, Touch, stretch_locations};
use super::{Program, footprint::DEATH};
use crate::groups::Bytes;
use crate::ids::ActionId;
use crate::reduce::Sight;
use crate::signature::ItemSpec;

/// What is known of one kind of states.
pub(super) struct Table {
    /// For each process, the number of its first location.
    firsts: Vec<u32>,
    /// For each process at each location.
    places: Vec<Place>,
    /// The same in short.
    briefs: Vec<Brief>,
    /// What processes may do from some location on.
    futures: Vec<Future>,
    /// A number that nothing else has.
    death: Bytes,
}

/// A process at a location.
struct Place {
    process: usize,
    moves: Vec<Move>,
    /// What it may read and write from here on.
    reads: Bytes,
    writes: Bytes,
    /// Whose futures clash: a row for each transition that is enabled, and one for each that is not.
    rows: Box<[u64]>,
    /// How each future clashes with the transitions together.
    clashes: Box<[u8]>,
}

/// Some transition clashes if it is enabled.
pub(super) const ENABLED: u8 = 1;
/// Some transition clashes if it is not enabled.
pub(super) const BLOCKED: u8 = 2;
/// Some transition clashes whether it is enabled or not.
pub(super) const CERTAIN: u8 = 4;
/// Some transition clashes that is not enabled, or that takes a message in a handshake and is.
pub(super) const PARTNER: u8 = 8;

/// What is asked for most of a process at a location.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Brief {
    /// The number of its future.
    pub future: u32,
    /// Whether each of its transitions may be among the few that stand for all, and none depends on where
    /// others are.
    pub quiet: bool,
    /// Whether some may.
    pub some_fit: bool,
    /// Whether each may that takes a message in a handshake.
    pub partner_fit: bool,
    /// Whether the same holds and no future clashes with any of them, enabled or not; false as long as that is not known.
    pub solo: bool,
    /// Whether it is known whose futures clash.
    is_related: bool,
}

/// What a process may read and write from some location on.
struct Future {
    process: usize,
    reads: Bytes,
    writes: Bytes,
}

/// A transition of a process at a location.
pub(super) struct Move {
    pub action: ActionId,
    /// Whether it may take a message in a handshake.
    pub is_partner: bool,
    /// Whether it may be among the few that stand for all.
    pub fit: bool,
    /// Whether it asks for `timeout`.
    pub asks_time: bool,
    touch: Touch,
}

/// Whether a transition is enabled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Status {
    #[default]
    Disabled,
    Enabled,
    /// Nobody knows.
    Either,
}

impl Table {
    /// The table of some states for what a question sees of them. Both kinds of [`Alike`] are about the
    /// same states.
    pub fn new(alike: Alike<'_>, sight: &Sight, sticky: &[BTreeSet<Edge>]) -> Table {
        let mut firsts = Vec::new();
        let mut places: Vec<Place> = Vec::new();
        let count = alike.shape.processes.len();
        for process in 0..count {
            firsts.push(places.len() as u32);
            places.extend(places_of(alike, process, sticky));
        }
        let mut death = alike.nothing();
        death.insert(DEATH..DEATH + 1);
        let mut table = Table {
            firsts,
            briefs: vec![Brief::default(); places.len()],
            places,
            futures: Vec::new(),
            death,
        };
        table.look_ahead(alike);
        table.number_futures();
        table.see(alike, sight);
        table
    }

    /// Gives the same number to locations of a process with the same future.
    fn number_futures(&mut self) {
        let mut first = 0;
        for (place, brief) in self.places.iter().zip(&mut self.briefs) {
            while first < self.futures.len() && self.futures[first].process != place.process {
                first += 1;
            }
            let own = &self.futures[first..];
            let is_same = |f: &Future| f.reads == place.reads && f.writes == place.writes;
            let found = own.iter().position(is_same).map(|at| first + at);
            brief.future = found.unwrap_or(self.futures.len()) as u32;
            if found.is_none() {
                self.futures.push(Future {
                    process: place.process,
                    reads: place.reads.clone(),
                    writes: place.writes.clone(),
                });
            }
        }
    }

    /// Adds to each place what can be reached from it.
    fn look_ahead(&mut self, alike: Alike<'_>) {
        let spec = &alike.program.spec;
        let mut unborn = Unborn::default();
        for place in &mut self.places {
            for one in &place.moves {
                place.reads.extend(&one.touch.reads);
                place.writes.extend(&one.touch.writes);
                for process in unborn.all(alike, &one.touch.creates) {
                    if let Some(all) = unborn.known.get(&process) {
                        place.reads.extend(&all.reads);
                        place.writes.extend(&all.writes);
                    }
                }
            }
        }
        for (number, &(process, _)) in alike.shape.processes.iter().enumerate() {
            let first = self.firsts[number] as usize;
            let locations = &spec.types[usize::from(process.0)].locations;
            let mut is_stable = false;
            while !is_stable {
                is_stable = true;
                for (at, location) in locations.iter().enumerate().rev() {
                    for transition in location.groups.iter().flatten() {
                        let next = transition.next();
                        let Some(target) = next.filter(|&to| to != at && to < locations.len())
                        else {
                            continue;
                        };
                        let behind = &self.places[first + target];
                        let (reads, writes) = (behind.reads.clone(), behind.writes.clone());
                        let place = &mut self.places[first + at];
                        let before = (place.reads.count(), place.writes.count());
                        place.reads.extend(&reads);
                        place.writes.extend(&writes);
                        is_stable &= before == (place.reads.count(), place.writes.count());
                    }
                }
            }
        }
    }

    /// Finds out what is visible.
    fn see(&mut self, alike: Alike<'_>, sight: &Sight) {
        let timed = Alike {
            time: true,
            ..alike
        };
        let mut seen = alike.nothing();
        for proposition in &sight.propositions {
            match alike.program.conditions.get(proposition.0 as usize) {
                Some(condition) => seen.extend(&timed.proposition(condition)),
                None => seen.insert(0..seen.state_len()),
            }
        }
        let mut all = Vec::new();
        if !sight.items.is_empty() {
            let processes = 0..alike.shape.processes.len();
            all.extend(processes.map(|process| touches(timed, timed.actor(process))));
        }
        let items = sight.items.iter();
        let items: Vec<Bytes> = items.map(|item| deciding(timed, &all, item)).collect();
        for (place, brief) in self.places.iter_mut().zip(&mut self.briefs) {
            for one in &mut place.moves {
                let takes = |item: &ItemSpec| {
                    let process = item.process().map(|process| process.index());
                    process == Some(place.process) && item.is_taken(one.action)
                };
                let mut others = sight.items.iter().zip(&items);
                let changes =
                    others.any(|(item, bytes)| !takes(item) && one.touch.writes.meets(bytes));
                one.fit &= !one.touch.writes.meets(&seen) && !changes;
            }
            brief.some_fit = place.moves.iter().any(|one| one.fit);
            let is_quiet = |one: &Move| one.fit && !one.asks_time && one.touch.meets.is_empty();
            brief.quiet = !place.moves.is_empty() && place.moves.iter().all(is_quiet);
            let is_fit = |one: &Move| !one.is_partner || (one.fit && !one.asks_time);
            brief.partner_fit = place.moves.iter().all(is_fit);
        }
    }

    /// How many transitions there are of all processes.
    pub fn len(&self) -> usize {
        self.places.iter().map(|place| place.moves.len()).sum()
    }

    /// For each process, the number of its first location: those of the others follow.
    #[inline]
    pub fn firsts(&self) -> &[u32] {
        &self.firsts
    }

    /// The transitions of a process at a location.
    #[inline]
    pub fn moves(&self, place: usize) -> &[Move] {
        &self.places[place].moves
    }

    /// What is asked for most of a process at a location.
    #[inline]
    pub fn brief(&self, place: usize) -> &Brief {
        &self.briefs[place]
    }

    /// Finds out with which futures the transitions of a process at a location clash.
    #[inline]
    pub fn relate(&mut self, place: usize) {
        if !self.briefs[place].is_related {
            self.fill(place);
        }
    }

    /// The futures that clash with a transition, if it is enabled or if it is not; those of its place were found out.
    #[inline]
    pub fn row(&self, place: usize, number: usize, is_enabled: bool) -> &[u64] {
        let words = self.words();
        let first = (2 * number + usize::from(!is_enabled)) * words;
        &self.places[place].rows[first..first + words]
    }

    /// How each future clashes with the transitions of a place; those of the place were found out.
    #[inline]
    pub fn clashes(&self, place: usize) -> &[u8] {
        &self.places[place].clashes
    }

    /// How many words a row has.
    #[inline]
    pub fn words(&self) -> usize {
        self.futures.len().div_ceil(64)
    }

    #[cold]
    fn fill(&mut self, place: usize) {
        let words = self.words();
        let here = &self.places[place];
        let count = here.moves.len();
        let mut rows = vec![0; 2 * count * words];
        let mut clashes = vec![0; self.futures.len()];
        for (number, one) in here.moves.iter().enumerate() {
            let touch = &one.touch;
            // Two processes never end in one order or the other: the youngest is first.
            let mut writes = touch.writes.clone();
            writes.remove(&self.death);
            for (other, future) in self.futures.iter().enumerate() {
                if future.process == here.process {
                    continue;
                }
                let enabled = touch.reads.meets(&future.writes)
                    || touch.writes.meets(&future.reads)
                    || writes.meets(&future.writes);
                let disabled = touch.guard.meets(&future.writes);
                let mut set = |row: usize, clashes: bool| {
                    rows[row * words + other / 64] |= u64::from(clashes) << (other % 64);
                };
                set(2 * number, enabled);
                set(2 * number + 1, disabled);
                let mut add = |property: u8, has: bool| clashes[other] |= property * u8::from(has);
                add(ENABLED, enabled);
                add(BLOCKED, disabled);
                add(CERTAIN, enabled && disabled);
                add(PARTNER, disabled || (one.is_partner && enabled));
            }
        }
        let is_solo = clashes.iter().all(|&how| how & (ENABLED | BLOCKED) == 0);
        self.briefs[place].solo = is_solo && self.briefs[place].quiet;
        self.places[place].rows = rows.into();
        self.places[place].clashes = clashes.into();
        self.briefs[place].is_related = true;
    }
}

/// A process at each of its locations, without its future.
fn places_of(alike: Alike<'_>, process: usize, sticky: &[BTreeSet<Edge>]) -> Vec<Place> {
    let actor = alike.actor(process);
    let edges = sticky.get(usize::from(actor.process.0));
    let is_sticky = |edge: &Edge| edges.is_none_or(|edges| edges.contains(edge));
    let locations = &alike.program.spec.types[usize::from(actor.process.0)].locations;
    let mut places = Vec::new();
    for (at, location) in locations.iter().enumerate() {
        let mut moves = Vec::new();
        for (group, transitions) in location.groups.iter().enumerate() {
            for (number, transition) in transitions.iter().enumerate() {
                let touch = alike.transition(actor, at, group, number);
                let mut fit = !is_sticky(&(at, moves.len()));
                if transition.atomic {
                    let stretch =
                        stretch_locations(alike.program, actor.process, transition.target);
                    fit &= !stretch.iter().any(|&from| {
                        let count = locations[from].groups.iter().flatten().count();
                        (0..count).any(|number| is_sticky(&(from, number)))
                    });
                }
                moves.push(Move {
                    action: transition.info,
                    is_partner: touch.receives && !touch.meets.is_empty(),
                    fit,
                    asks_time: touch.asks_time,
                    touch,
                });
            }
        }
        places.push(Place {
            process,
            moves,
            reads: alike.nothing(),
            writes: alike.nothing(),
            rows: Box::default(),
            clashes: Box::default(),
        });
    }
    places
}

/// The touches of all transitions of an actor.
fn touches(alike: Alike<'_>, actor: Actor) -> Vec<(ActionId, bool, Touch)> {
    let process = &alike.program.spec.types[usize::from(actor.process.0)];
    let mut list = Vec::new();
    for (at, location) in process.locations.iter().enumerate() {
        for (group, transitions) in location.groups.iter().enumerate() {
            for (number, transition) in transitions.iter().enumerate() {
                let touch = alike.transition(actor, at, group, number);
                list.push((transition.info, transition.atomic, touch));
            }
        }
    }
    list
}

/// What processes may do that are not born yet.
#[derive(Default)]
struct Unborn {
    known: BTreeMap<TypeId, Everything>,
}

/// Everything that a process may read, write and create.
struct Everything {
    reads: Bytes,
    writes: Bytes,
    creates: BTreeSet<TypeId>,
}

impl Unborn {
    /// The process types that may come of the creation of some; all of them are known from now on.
    fn all(&mut self, alike: Alike<'_>, types: &BTreeSet<TypeId>) -> BTreeSet<TypeId> {
        let mut found = types.clone();
        let mut queue: Vec<TypeId> = types.iter().copied().collect();
        while let Some(process) = queue.pop() {
            let known = self.known.entry(process).or_insert_with(|| {
                let mut all = Everything {
                    reads: alike.nothing(),
                    writes: alike.nothing(),
                    creates: BTreeSet::new(),
                };
                for (_, _, touch) in touches(alike, alike.unborn(process)) {
                    all.reads.extend(&touch.reads);
                    all.writes.extend(&touch.writes);
                    all.creates.extend(touch.creates);
                }
                all
            });
            for &child in &known.creates {
                if found.insert(child) {
                    queue.push(child);
                }
            }
        }
        found
    }
}

/// What decides whether a fairness item is enabled, by its own definition.
fn deciding(alike: Alike<'_>, all: &[Vec<(ActionId, bool, Touch)>], item: &ItemSpec) -> Bytes {
    let mut bytes = alike.processes();
    let process = item.process().map(|process| process.index());
    let Some(process) = process.filter(|&process| process < alike.shape.processes.len()) else {
        if process.is_none() {
            bytes.insert(0..bytes.state_len()); // only the body knows
        }
        return bytes;
    };
    let actor = alike.actor(process);
    bytes.extend(&alike.location(actor));
    for &(action, atomic, ref touch) in &all[process] {
        let as_partner = match item {
            ItemSpec::Process { as_partner, .. } => *as_partner,
            // What is in the middle of a stretch is taken by a step that begins elsewhere.
            ItemSpec::Actions { .. } if !atomic && !item.is_taken(action) => continue,
            _ => true,
        };
        bytes.extend(&touch.enabling);
        if touch.meets.is_empty() || (touch.receives && !as_partner && !atomic) {
            continue;
        }
        for other in (0..alike.shape.processes.len()).filter(|&other| other != process) {
            let partner = alike.actor(other);
            for (_, _, theirs) in &all[other] {
                if !theirs.meets.is_disjoint(&touch.meets) {
                    bytes.extend(&alike.location(partner));
                    bytes.extend(&theirs.guard);
                }
            }
        }
    }
    bytes
}

/// The sticky edges of all process types.
pub(super) fn all_sticky(program: &Program) -> Vec<BTreeSet<Edge>> {
    program.spec.types.iter().map(sticky_edges).collect()
}
