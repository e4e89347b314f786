//! The packed bytes of all states, in the order of their ids.
//!
//! Most models have states of one length for the whole run. Then a state's place is its id times
//! that length, and the arena is one byte vector and nothing else. At the first state of another
//! length (a process was started, a foreign model packs a list) an offset table is built: a 64-bit
//! base for each block of 64 states and a 32-bit offset from that base for each state, 4.1 bytes
//! per state instead of 8. A state's end is the beginning of the next.
//!
//! The vector grows by an eighth rather than by doubling. Large vectors are moved by the operating
//! system's page tables where it can do that, so growing is cheap and the old and the new copy do
//! not exist at once.
//!
//! Limits: a state is at most [`MAX_LENGTH`] bytes long, so that 64 of them fit a 32-bit offset.

use super::prefetch::prefetch_read;
use super::{Full, StateId};

/// The longest state that can be stored, in bytes.
pub const MAX_LENGTH: usize = 1 << 26;

const BLOCK: usize = 64;

/// Where states begin.
#[derive(Debug)]
enum Places {
    /// Every state so far has this length.
    Uniform(usize),
    /// The bases of blocks, and each state's offset from its block's base.
    Offsets { bases: Vec<u64>, offsets: Vec<u32> },
}

/// Byte strings, packed; the n-th pushed is found by the id n.
#[derive(Debug)]
pub struct Arena {
    bytes: Vec<u8>,
    places: Places,
    count: usize,
}

impl Default for Arena {
    fn default() -> Self {
        Self::new()
    }
}

impl Arena {
    /// An arena without states.
    pub fn new() -> Self {
        Self {
            bytes: Vec::new(),
            places: Places::Uniform(0),
            count: 0,
        }
    }

    /// The number of states.
    #[inline]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is no state yet.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The bytes of a state.
    ///
    /// # Panics
    /// If the id was not given out by this arena.
    #[inline]
    pub fn get(&self, id: StateId) -> &[u8] {
        let index = id.index();
        match &self.places {
            Places::Uniform(length) => {
                assert!(index < self.count, "a state id of another store");
                let start = index * length;
                &self.bytes[start..start + length]
            }
            Places::Offsets { bases, offsets } => {
                let place = |index: usize| bases[index / BLOCK] as usize + offsets[index] as usize;
                let end = if index + 1 < self.count {
                    place(index + 1)
                } else {
                    self.bytes.len()
                };
                &self.bytes[place(index)..end]
            }
        }
    }

    /// Hints that a state will be asked for soon.
    #[inline]
    pub(super) fn prefetch(&self, id: StateId) {
        let index = id.index();
        let (first, length) = match &self.places {
            Places::Uniform(length) => (index * length, *length),
            Places::Offsets { bases, offsets } => {
                (bases[index / BLOCK] as usize + offsets[index] as usize, 1)
            }
        };
        let first = self.bytes.as_ptr().wrapping_add(first);
        prefetch_read(first);
        prefetch_read(first.wrapping_add(length.saturating_sub(1)));
    }

    /// Adds a state behind the others, if the arena then takes at most `limit` bytes.
    pub fn push(&mut self, state: &[u8], limit: usize) -> Result<(), Full> {
        if state.len() > MAX_LENGTH {
            return Err(Full::Length);
        }
        if self.count == 0 {
            self.places = Places::Uniform(state.len());
        } else if let Places::Uniform(length) = self.places
            && length != state.len()
        {
            self.places = self.tabulate(length, limit)?;
        }
        let places = self.places_used();
        make_room(&mut self.bytes, state.len(), limit.saturating_sub(places))?;
        if let Places::Offsets { bases, offsets } = &mut self.places {
            let room = limit.saturating_sub(self.bytes.capacity());
            let start = self.bytes.len() as u64;
            if self.count.is_multiple_of(BLOCK) {
                make_room(bases, 1, room.saturating_sub(4 * offsets.capacity()))?;
            }
            make_room(offsets, 1, room.saturating_sub(8 * bases.capacity()))?;
            if self.count.is_multiple_of(BLOCK) {
                bases.push(start);
            }
            // Fits: fewer than 64 states of at most 2^26 bytes lie between the base and here.
            offsets.push((start - bases[self.count / BLOCK]) as u32);
        }
        self.bytes.extend_from_slice(state);
        self.count += 1;
        Ok(())
    }

    /// The offset table of the states so far, all of one length.
    fn tabulate(&self, length: usize, limit: usize) -> Result<Places, Full> {
        let mut bases = Vec::new();
        let mut offsets = Vec::new();
        let blocks = self.count / BLOCK + 1;
        let room = limit
            .saturating_sub(self.bytes.capacity())
            .saturating_sub(8 * blocks);
        make_room(&mut offsets, self.count + 1, room)?;
        make_room(&mut bases, blocks, room)?;
        for index in 0..self.count {
            if index % BLOCK == 0 {
                bases.push((index * length) as u64);
            }
            offsets.push((index % BLOCK * length) as u32);
        }
        Ok(Places::Offsets { bases, offsets })
    }

    fn places_used(&self) -> usize {
        match &self.places {
            Places::Uniform(_) => 0,
            Places::Offsets { bases, offsets } => 8 * bases.capacity() + 4 * offsets.capacity(),
        }
    }

    /// The memory taken, spare room included.
    pub fn bytes_used(&self) -> usize {
        self.bytes.capacity() + self.places_used()
    }
}

/// Makes room for `more` elements, if the vector then takes at most `limit` bytes: an eighth more
/// than there is, or what is left below the limit, or just enough.
#[inline]
pub(super) fn make_room<T>(vector: &mut Vec<T>, more: usize, limit: usize) -> Result<(), Full> {
    if vector.capacity() - vector.len() >= more {
        return Ok(());
    }
    enlarge(vector, more, limit)
}

#[cold]
fn enlarge<T>(vector: &mut Vec<T>, more: usize, limit: usize) -> Result<(), Full> {
    let most = limit / size_of::<T>();
    let need = vector.len().checked_add(more).ok_or(Full::Memory)?;
    if need > most {
        return Err(Full::Memory);
    }
    let spare = (vector.len() / 8).max(1024 / size_of::<T>());
    let wish = need.saturating_add(spare).min(most);
    vector
        .try_reserve_exact(wish - vector.len())
        .map_err(|_| Full::Memory)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(states: &[Vec<u8>]) -> Arena {
        let mut arena = Arena::new();
        for state in states {
            arena.push(state, usize::MAX).expect("no limit");
        }
        assert_eq!(arena.len(), states.len());
        for (index, state) in states.iter().enumerate() {
            assert_eq!(
                arena.get(StateId::new(index as u32)),
                &state[..],
                "state {index}"
            );
        }
        arena
    }

    #[test]
    fn one_length_needs_no_table() {
        let states: Vec<Vec<u8>> = (0..1000u32).map(|n| n.to_le_bytes().repeat(5)).collect();
        let arena = check(&states);
        assert_eq!(arena.places_used(), 0);
        assert!(arena.bytes_used() < 20 * 1000 * 9 / 8 + 1100);
    }

    #[test]
    fn the_length_may_change_at_any_state() {
        for change in [0, 1, 63, 64, 65, 127, 128, 200] {
            let states: Vec<Vec<u8>> = (0..300usize)
                .map(|n| vec![n as u8; if n < change { 7 } else { n % 11 }])
                .collect();
            let arena = check(&states);
            assert!(arena.places_used() > 0);
        }
    }

    #[test]
    fn empty_states_are_states() {
        check(&[vec![]]);
        check(&[vec![], vec![1, 2, 3], vec![]]);
        assert!(Arena::default().is_empty());
    }

    #[test]
    fn a_limit_is_kept_and_leaves_the_arena_readable() {
        for limit in [0, 1, 100, 5000, 20_000] {
            for varied in [false, true] {
                let mut arena = Arena::new();
                let state = |n: usize| vec![n as u8; if varied { n % 50 } else { 30 }];
                let mut count = 0;
                while count < 10_000 && arena.push(&state(count), limit).is_ok() {
                    count += 1;
                    assert!(
                        arena.bytes_used() <= limit,
                        "{} of {limit}",
                        arena.bytes_used()
                    );
                }
                assert!(count < 10_000);
                assert_eq!(arena.len(), count);
                for index in 0..count {
                    assert_eq!(arena.get(StateId::new(index as u32)), &state(index)[..]);
                }
                if limit >= 5000 {
                    assert!(count >= limit / 60, "only {count} states in {limit} bytes");
                }
            }
        }
        let mut arena = Arena::new();
        assert_eq!(
            arena.push(&vec![0; MAX_LENGTH + 1], usize::MAX),
            Err(Full::Length)
        );
    }
}
