//! The plain store: an arena of packed states and a table of their ids.
//!
//! Problem: intern tens of millions of short byte strings with a few bytes of overhead each, at a
//! cost of about two cache misses. Idea: the bytes lie one behind the other in an [`Arena`], which
//! is all that is needed to get from an id to a state; the way back is a [`Table`] of four-byte
//! slots.
//!
//! Cost per state: its length, 5.3 to 10.7 bytes of table, 4.1 bytes of offsets if lengths differ,
//! and at most an eighth of spare room in the arena. States are never removed.

use super::arena::Arena;
use super::hash::hash;
use super::table::{Found, MAX_ENTRIES, Table};
use super::{Full, Limits, Shared, StateId, Store};

/// States stored as they are.
#[derive(Debug)]
pub struct PlainStore {
    arena: Arena,
    table: Table,
    limits: Limits,
}

impl Default for PlainStore {
    fn default() -> Self {
        Self::new()
    }
}

impl PlainStore {
    /// An empty store limited only by the machine.
    pub fn new() -> Self {
        Self::with_limits(Limits::default())
    }

    /// An empty store with limits.
    pub fn with_limits(limits: Limits) -> Self {
        let states = limits.states.min(MAX_ENTRIES);
        Self {
            arena: Arena::new(),
            table: Table::new(),
            limits: Limits { states, ..limits },
        }
    }

    /// The bytes of a state.
    ///
    /// # Panics
    /// If the id was not given out by this store.
    #[inline]
    pub fn get(&self, id: StateId) -> &[u8] {
        self.arena.get(id)
    }

    /// The id of a state, if it is stored.
    pub fn find(&self, state: &[u8]) -> Option<StateId> {
        if !self.table.is_ready() {
            return None;
        }
        match self.search(hash(state), state) {
            Found::Id(id) => Some(StateId::new(id)),
            Found::Vacant(_) => None,
        }
    }

    #[inline]
    fn search(&self, hash: u64, state: &[u8]) -> Found {
        self.table
            .find(hash, |id| self.arena.get(StateId::new(id)) == state)
    }
}

impl Store for PlainStore {
    #[inline]
    fn hash(&self, state: &[u8]) -> u64 {
        hash(state)
    }

    #[inline]
    fn prefetch(&self, hash: u64) {
        self.table.prefetch(hash);
    }

    #[inline]
    fn prefetch_found(&self, hash: u64) {
        if let Some(id) = self.table.likely(hash) {
            self.arena.prefetch(StateId::new(id));
        }
    }

    fn is_quick(&self) -> bool {
        true
    }

    #[inline]
    fn insert_hashed(&mut self, hash: u64, state: &[u8]) -> Result<(StateId, bool), Full> {
        let arena = &self.arena;
        let room = self
            .table
            .make_room(self.limits.bytes.saturating_sub(arena.bytes_used()), |id| {
                super::hash(arena.get(StateId::new(id)))
            });
        if !self.table.is_ready() {
            room?;
            return Err(Full::Memory);
        }
        let at = match self.search(hash, state) {
            Found::Id(id) => return Ok((StateId::new(id), false)),
            Found::Vacant(at) => at,
        };
        room?;
        let number = self.arena.len() as u32;
        if number >= self.limits.states {
            return Err(Full::Ids);
        }
        self.arena.push(
            state,
            self.limits.bytes.saturating_sub(self.table.bytes_used()),
        )?;
        self.table.occupy(at, hash);
        Ok((StateId::new(number), true))
    }

    fn load(&self, id: StateId, state: &mut Vec<u8>) {
        state.clear();
        state.extend_from_slice(self.get(id));
    }

    #[inline]
    fn len(&self) -> usize {
        self.arena.len()
    }

    fn bytes_used(&self) -> usize {
        self.arena.bytes_used() + self.table.bytes_used()
    }

    fn shared(&self, usual: Option<usize>) -> Option<Shared> {
        Some(Shared::plain(self.limits, usual))
    }
}
