//! Constellations: who clashes with whom, by where the processes are.
//!
//! A table (`table.rs`) says with which futures a transition clashes. Where the processes are decides who has
//! which future, and makes sets of processes of that: words. Many states have the same constellation, so
//! what follows from one is worked out once. A bounded number of them is known, and the new takes the place of
//! the old.

use super::table::{Status, Table};
use crate::reduce::choose::{Agents, members};

/// How many places there are for constellations at first, and at most.
const FEW: usize = 1 << 6;
const MANY: usize = 1 << 12;

/// Where all processes are, and what follows from it.
#[derive(Default)]
pub(super) struct Constellation {
    /// The number of the table, and where each process is.
    kind: usize,
    places: Vec<u32>,
    /// The futures that its processes have.
    futures: Vec<u64>,
    seats: Vec<Seat>,
    clashes: Vec<Clashes>,
    /// Processes with a transition that may be among the few that stand for all: first who stands alone, then
    /// who clashes with nobody for sure.
    order: Vec<u8>,
    /// Processes whose steps alone may stand for all, whatever the others can do.
    pub alone: Agents,
}

/// What follows for one process.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seat {
    pub place: usize,
    /// The number of its first transition among those of all processes here.
    pub first: usize,
    /// Whose futures clash whatever is enabled.
    pub certain: Agents,
    /// Whose futures clash if nothing is enabled.
    pub blocked: Agents,
    /// Whose futures clash if it takes a message in a handshake, nobody knows by which of its transitions;
    /// none if that must not stand for all.
    pub partner: Option<Agents>,
}

/// Those whose futures clash with a transition.
#[derive(Clone, Copy, Debug, Default)]
struct Clashes {
    enabled: Agents,
    disabled: Agents,
}

impl Constellation {
    /// The processes in it.
    pub fn seats(&self) -> &[Seat] {
        &self.seats
    }

    /// A process with a transition that may be among the few that stand for all, the most promising first.
    #[inline]
    pub fn tried(&self, number: usize) -> Option<usize> {
        self.order.get(number).map(|&process| process.into())
    }

    /// How many transitions its processes have here.
    pub fn len(&self) -> usize {
        self.clashes.len()
    }

    /// Those whose futures clash with a transition of all here.
    #[inline]
    pub fn clashing(&self, number: usize, status: Status) -> Agents {
        let clashes = &self.clashes[number];
        match status {
            Status::Disabled => clashes.disabled,
            Status::Enabled => clashes.enabled,
            Status::Either => clashes.disabled | clashes.enabled,
        }
    }

    fn is(&self, kind: usize, places: &[u32]) -> bool {
        let mut both = self.places.iter().zip(places);
        self.kind == kind && self.places.len() == places.len() && both.all(|(a, b)| a == b)
    }

    /// Finds out what follows from where processes are.
    fn fill(&mut self, kind: usize, table: &mut Table, places: &[u32]) {
        self.kind = kind;
        self.places.clear();
        self.places.extend_from_slice(places);
        self.futures.clear();
        self.futures.resize(table.words(), 0);
        for &place in places {
            let future = table.future(place as usize) as usize;
            self.futures[future / 64] |= 1 << (future % 64);
        }
        self.seats.clear();
        self.clashes.clear();
        self.order.clear();
        self.alone = 0;
        for (process, &place) in places.iter().enumerate() {
            let place = place as usize;
            table.relate(place);
            let mut seat = Seat {
                place,
                first: self.clashes.len(),
                partner: Some(0),
                ..Seat::default()
            };
            let mut all_enabled = 0;
            for number in 0..table.moves(place).len() {
                let those = |is_enabled: bool| {
                    let row = table.row(place, number, is_enabled);
                    let mut found: Agents = 0;
                    for (word, (clashing, here)) in row.iter().zip(&self.futures).enumerate() {
                        // A future is that of one process, and never clashes with its own.
                        for bit in members(clashing & here) {
                            found |= 1 << table.process_of(64 * word + bit);
                        }
                    }
                    found
                };
                let clashes = Clashes {
                    enabled: those(true),
                    disabled: those(false),
                };
                self.clashes.push(clashes);
                all_enabled |= clashes.enabled;
                seat.blocked |= clashes.disabled;
                seat.certain |= clashes.enabled & clashes.disabled;
                let one = &table.moves(place)[number];
                let is_partner = one.is_partner;
                let as_partner = if is_partner { clashes.enabled } else { 0 };
                let is_fit = !is_partner || (one.fit && !one.asks_time);
                let before = seat.partner.filter(|_| is_fit);
                seat.partner = before.map(|set| set | as_partner | clashes.disabled);
            }
            if table.has_fit(place) {
                self.order.push(process as u8);
            }
            if table.is_quiet(place) && all_enabled == 0 {
                self.alone |= 1 << process;
            }
            self.seats.push(seat);
        }
        let (seats, alone) = (&self.seats, self.alone);
        self.order.sort_unstable_by_key(|&process| {
            let clashes = seats[usize::from(process)].certain != 0;
            (alone >> process & 1 == 0, clashes, process)
        });
    }
}

/// The constellations that are known.
#[derive(Default)]
pub(super) struct Constellations {
    list: Vec<Constellation>,
    /// How many were found out.
    found: usize,
}

impl Constellations {
    /// The number of a constellation, until another one is asked for.
    #[inline]
    pub fn find(&mut self, kind: usize, table: &mut Table, places: &[u32]) -> usize {
        let mut hash = kind as u64;
        for &place in places {
            hash = (hash ^ u64::from(place)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            hash ^= hash >> 31;
        }
        let number = hash as usize & self.list.len().wrapping_sub(1);
        match self.list.get(number) {
            Some(known) if known.is(kind, places) => number,
            _ => self.add(hash as usize, kind, table, places),
        }
    }

    #[cold]
    fn add(&mut self, hash: usize, kind: usize, table: &mut Table, places: &[u32]) -> usize {
        if self.found >= self.list.len() && self.list.len() < MANY {
            let count = (4 * self.list.len()).clamp(FEW, MANY);
            self.list.clear();
            self.list.resize_with(count, Constellation::default);
        }
        self.found += 1;
        let number = hash & (self.list.len() - 1);
        self.list[number].fill(kind, table, places);
        number
    }
}

impl std::ops::Index<usize> for Constellations {
    type Output = Constellation;

    #[inline]
    fn index(&self, number: usize) -> &Constellation {
        &self.list[number]
    }
}
