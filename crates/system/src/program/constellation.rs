//! Constellations: who clashes with whom, by where the processes are.
//!
//! A table (`table.rs`) says with which futures the transitions of a place clash. Where the processes are decides
//! who has which future, and makes sets of processes of that: words. What is nearly always asked for is found
//! out at once, of processes that may be among the few that stand for all; the rest when it is asked for. For each process
//! it takes a look at a byte for each other one.

use super::table::{BLOCKED, CERTAIN, ENABLED, PARTNER, Status, Table};
use crate::reduce::choose::{Agents, MOST_AGENTS, members};

/// Where all processes are, and what follows from it.
pub(super) struct Constellation {
    /// How many processes there are.
    count: usize,
    /// Where each process is, and the future that it has there.
    places: [u32; MOST_AGENTS],
    futures: [u32; MOST_AGENTS],
    /// Whose futures clash with a process whatever is enabled; of those with a transition that may be among the
    /// few that stand for all.
    certain: [Agents; MOST_AGENTS],
    /// These processes: first who stands alone wherever the others are, then who does where they are, then who clashes
    /// with nobody for sure, then the others.
    tried: [Agents; 4],
    /// For work on rows.
    union: Vec<u64>,
}

impl Default for Constellation {
    fn default() -> Constellation {
        Constellation {
            count: 0,
            places: [0; MOST_AGENTS],
            futures: [0; MOST_AGENTS],
            certain: [0; MOST_AGENTS],
            tried: [0; 4],
            union: Vec::new(),
        }
    }
}

impl Constellation {
    /// How many processes there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Where a process is.
    #[inline]
    pub fn place(&self, process: usize) -> usize {
        self.places[process] as usize
    }

    /// The futures of all processes, in their order.
    #[inline]
    fn futures(&self) -> &[u32] {
        &self.futures[..self.count]
    }

    /// Processes whose steps alone may stand for all, whatever the others can do.
    #[inline]
    pub fn alone(&self) -> Agents {
        self.tried[0] | self.tried[1]
    }

    /// Whether some process has a transition that may be among the few that stand for all.
    #[inline]
    pub fn has_tried(&self) -> bool {
        self.tried != [0; 4]
    }

    /// The processes with such a transition, the most promising first.
    #[inline]
    pub fn tried(&self) -> impl Iterator<Item = usize> + use<> {
        self.tried.into_iter().flat_map(members)
    }

    /// Whose futures clash with one of these processes, whatever is enabled.
    #[inline]
    pub fn certain(&self, process: usize) -> Agents {
        self.certain[process]
    }

    /// Whose futures clash with a process if nothing is enabled.
    #[inline]
    pub fn blocked(&self, table: &Table, process: usize) -> Agents {
        self.gather(table, process, BLOCKED)
    }

    /// Whose futures clash with a process if it takes a message in a handshake, nobody knows by which of its
    /// transitions; none if that must not stand for all.
    pub fn partner(&self, table: &Table, process: usize) -> Option<Agents> {
        let is_fit = process < self.count && table.brief(self.place(process)).partner_fit;
        is_fit.then(|| self.gather(table, process, PARTNER))
    }

    /// Whose futures clash with a process whose transitions stand like this.
    pub fn clashing(
        &mut self,
        table: &Table,
        process: usize,
        statuses: impl Iterator<Item = Status>,
    ) -> Agents {
        let place = self.place(process);
        self.union.clear();
        self.union.resize(table.words(), 0);
        for (number, status) in statuses.enumerate() {
            let mut add = |is_enabled: bool| {
                let row = table.row(place, number, is_enabled);
                for (word, more) in self.union.iter_mut().zip(row) {
                    *word |= more;
                }
            };
            if status != Status::Disabled {
                add(true);
            }
            if status != Status::Enabled {
                add(false);
            }
        }
        let mut found = 0;
        for (other, &future) in self.futures().iter().enumerate() {
            found |= (self.union[future as usize / 64] >> (future % 64) & 1) << other;
        }
        found
    }

    /// Those whose futures have a property for a process.
    #[inline]
    fn gather(&self, table: &Table, process: usize, property: u8) -> Agents {
        let clashes = table.clashes(self.place(process));
        let mut found = 0;
        for (other, &future) in self.futures().iter().enumerate() {
            found |= Agents::from(clashes[future as usize] & property != 0) << other;
        }
        found
    }

    /// Finds out what follows from the locations of processes, of which there are at most [`MOST_AGENTS`].
    #[inline]
    pub fn look(&mut self, table: &mut Table, locations: impl Iterator<Item = u32>) {
        self.tried = [0; 4];
        self.count = 0;
        let mut fit: Agents = 0;
        for (process, at) in locations.take(MOST_AGENTS).enumerate() {
            let place = table.firsts()[process] + at;
            table.relate(place as usize);
            let brief = table.brief(place as usize);
            self.places[process] = place;
            self.futures[process] = brief.future;
            fit |= Agents::from(brief.some_fit) << process;
            self.count += 1;
        }
        for process in members(fit) {
            let place = self.place(process);
            if table.brief(place).solo {
                self.certain[process] = 0;
                self.tried[0] |= 1 << process;
                continue;
            }
            let clashes = table.clashes(place);
            let (mut certain, mut enabled) = (0, 0);
            // A future is that of one process, and never clashes with its own.
            for (other, &future) in self.futures().iter().enumerate() {
                let clashes = clashes[future as usize];
                certain |= Agents::from(clashes & CERTAIN != 0) << other;
                enabled |= clashes & ENABLED;
            }
            self.certain[process] = certain;
            let rank = match (table.brief(place).quiet && enabled == 0, certain == 0) {
                (true, _) => 1,
                (false, true) => 2,
                (false, false) => 3,
            };
            self.tried[rank] |= 1 << process;
        }
    }
}
