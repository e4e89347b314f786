//! A breadth-first search in one thread that notes how long its parts take.
//!
//! *Alone*, a search expands a state, asks for the slots of its successors, and looks them up. Where others generate successors for
//! it (`explicit::ahead::feed`), it gets those of a *batch* of states in lists, without such as were handed over lately. So it asks for
//! slots half a batch before, for the states behind them a few look-ups before, and waits less for memory. Both are done here
//! in one thread, as they are done there, but for what goes from core to core.

use std::time::Instant;

use evenhand_explicit::store::{PlainStore, StateId, Store};
use evenhand_system::{Explicit, Explorer, Successors};

use super::recent::Recent;

/// Some states with consecutive numbers: nanoseconds.
#[derive(Default)]
pub struct Unit {
    /// To execute the model and hash.
    pub expanding: f64,
    pub looking_up: f64,
    /// Looking up, as far as the store became larger.
    pub growing: f64,
    /// How many states were expanded in the end, and how many were met.
    pub expanded: usize,
    pub met: usize,
}

/// So many look-ups ahead states are asked for.
const STRIDE: usize = 12;

const ROUNDS: usize = 5;

/// The states of a unit, alone and in batches.
const CHUNK: usize = 32;
const BATCH: usize = 64;

/// Both, several times in turns: the least time of each unit counts, so that a disturbance of the machine hits nobody.
pub fn record(system: &dyn Explicit) -> (Vec<Unit>, Vec<Unit>) {
    let (mut one, mut other) = (alone(system), in_batches(system));
    for _ in 1..ROUNDS {
        keep_least(&mut one, &alone(system));
        keep_least(&mut other, &in_batches(system));
    }
    // What a search alone takes beside expanding is looking up.
    for unit in &mut one {
        unit.looking_up = (unit.looking_up - unit.expanding).max(0.0);
        unit.growing = (unit.growing - unit.expanding).max(0.0);
    }
    (one, other)
}

fn keep_least(units: &mut [Unit], again: &[Unit]) {
    for (unit, again) in units.iter_mut().zip(again) {
        unit.expanding = unit.expanding.min(again.expanding);
        unit.looking_up = unit.looking_up.min(again.looking_up);
        unit.growing = unit.growing.min(again.growing);
    }
}

/// A search alone. To look at the clock takes as long as a part of the work on a state, so units are timed as a whole, and expanding
/// them once more by itself.
fn alone(system: &dyn Explicit) -> Vec<Unit> {
    let (mut search, mut units) = (Search::new(system), Vec::<Unit>::new());
    let mut hashes = Vec::new();
    let mut first = 0;
    while first < search.store.len() {
        let (bytes, begun) = (search.store.bytes_used(), Instant::now());
        let mut next = first;
        while next < search.store.len() && next < first + CHUNK {
            search.expand_and_hash(next, &mut hashes);
            for (index, &hash) in hashes.iter().enumerate() {
                let state = search.successors.state(index);
                search.store.insert_hashed(hash, state).expect("no limit");
            }
            next += 1;
        }
        let looking_up = begun.elapsed().as_nanos() as f64;
        let has_grown = search.store.bytes_used() > bytes;
        units.push(Unit {
            looking_up,
            growing: if has_grown { looking_up } else { 0.0 },
            expanded: next,
            met: search.store.len(),
            ..Unit::default()
        });
        first = next;
    }
    let mut first = 0;
    for unit in &mut units {
        let begun = Instant::now();
        (first..unit.expanded).for_each(|number| search.expand_and_hash(number, &mut hashes));
        unit.expanding = begun.elapsed().as_nanos() as f64;
        first = unit.expanded;
    }
    units
}

/// A search that gets lists of successors.
fn in_batches(system: &dyn Explicit) -> Vec<Unit> {
    let (mut search, mut recent) = (Search::new(system), Recent::default());
    let (mut units, mut looked_up): (Vec<Unit>, usize) = (Vec::new(), 0);
    let (mut upcoming, mut spare): (Option<Lists>, Lists) = (None, Lists::default());
    let mut generate = |search: &mut Search<'_>, units: &mut Vec<Unit>, mut lists: Lists| {
        let first = units.last().map_or(0, |last| last.expanded);
        let last = search.store.len().min(first + BATCH);
        let begun = Instant::now();
        (first..last).for_each(|number| search.list(number, &mut recent, &mut lists));
        units.push(Unit {
            expanding: begun.elapsed().as_nanos() as f64,
            expanded: last,
            ..Unit::default()
        });
        lists
    };
    loop {
        let expanded = units.last().map_or(0, |last| last.expanded);
        let mut current = match upcoming.take() {
            Some(lists) => lists,
            None if expanded == search.store.len() => return units,
            None => generate(&mut search, &mut units, std::mem::take(&mut spare)),
        };
        let expanded = units.last().map_or(0, |last| last.expanded);
        if search.store.len() - expanded >= BATCH {
            upcoming = Some(generate(
                &mut search,
                &mut units,
                std::mem::take(&mut spare),
            ));
        }
        let (bytes, begun) = (search.store.bytes_used(), Instant::now());
        let next = upcoming.as_ref().map_or(&[][..], |lists| &lists.hashes);
        search.look_up(&current, next);
        let unit = &mut units[looked_up];
        unit.looking_up = begun.elapsed().as_nanos() as f64;
        if search.store.bytes_used() > bytes {
            unit.growing = unit.looking_up;
        }
        unit.met = search.store.len();
        looked_up += 1;
        current.clear();
        spare = current;
    }
}

struct Search<'s> {
    store: PlainStore,
    explorer: Box<dyn Explorer + 's>,
    successors: Successors,
    state: Vec<u8>,
}

/// States that are to be looked up.
#[derive(Default)]
struct Lists {
    hashes: Vec<u64>,
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Lists {
    fn clear(&mut self) {
        self.hashes.clear();
        self.bytes.clear();
        self.ends.clear();
    }
}

impl<'s> Search<'s> {
    fn new(system: &'s dyn Explicit) -> Search<'s> {
        let mut store = PlainStore::new();
        let (mut explorer, mut successors) = (system.explorer(&[]), Successors::new());
        explorer.initial(&mut successors);
        for index in 0..successors.len() {
            store.insert(successors.state(index)).expect("no limit");
        }
        Search {
            store,
            explorer,
            successors,
            state: Vec::new(),
        }
    }

    fn expand(&mut self, number: usize) {
        self.store
            .load(StateId::new(number as u32), &mut self.state);
        self.explorer.expand(&self.state, &mut self.successors);
    }

    /// The same with the hashes of its successors, whose slots are asked for.
    fn expand_and_hash(&mut self, number: usize, hashes: &mut Vec<u64>) {
        self.expand(number);
        hashes.clear();
        for index in 0..self.successors.len() {
            let hash = self.store.hash(self.successors.state(index));
            self.store.prefetch(hash);
            hashes.push(hash);
        }
    }

    /// Expands a state into a list, without what was handed over lately.
    fn list(&mut self, number: usize, recent: &mut Recent, into: &mut Lists) {
        self.expand(number);
        for index in 0..self.successors.len() {
            let successor = self.successors.state(index);
            let hash = self.store.hash(successor);
            if !recent.knows(hash, successor) {
                into.hashes.push(hash);
                into.bytes.extend_from_slice(successor);
                into.ends.push(into.bytes.len());
            }
        }
    }

    /// Looks up all states of a list; the slots of those that are next are asked for in the middle.
    fn look_up(&mut self, lists: &Lists, next: &[u64]) {
        let (store, mut begin) = (&mut self.store, 0);
        let first = lists.hashes.iter().take(STRIDE);
        first.for_each(|&hash| store.prefetch_found(hash));
        for (index, (&hash, &end)) in lists.hashes.iter().zip(&lists.ends).enumerate() {
            if index == lists.hashes.len() / 2 {
                next.iter().for_each(|&hash| store.prefetch(hash));
            }
            if let Some(&later) = lists.hashes.get(index + STRIDE) {
                store.prefetch_found(later);
            }
            store
                .insert_hashed(hash, &lists.bytes[begin..end])
                .expect("no limit");
            begin = end;
        }
    }
}
