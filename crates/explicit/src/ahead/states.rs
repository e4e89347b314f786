//! Where the states of a search are: in a store of its own, or where others expand them too.

use std::sync::Arc;

use evenhand_system::{Explicit, Fairness, PropositionId};

use super::crew::Crew;
use super::job::{First, Job};
use super::taking::Taking;
use crate::store::{Full, StateId, Store};

/// The states of a search.
pub(crate) enum States<'a, S> {
    /// Nobody else sees them.
    Alone(S),
    /// Others expand them too.
    Together(Box<Taking<'a>>),
}

/// What others have to find out about states.
pub(crate) struct Wanted<'w> {
    pub propositions: &'w [PropositionId],
    pub fairness: &'w Fairness,
    /// Whether it is asked which ends are proper.
    pub ends: bool,
    pub first: First,
}

impl<'a, S: Store> States<'a, S> {
    #[inline]
    pub fn len(&self) -> usize {
        match self {
            States::Alone(store) => store.len(),
            States::Together(taking) => taking.len(),
        }
    }

    pub fn bytes_used(&self) -> usize {
        match self {
            States::Alone(store) => store.bytes_used(),
            States::Together(taking) => taking.bytes_used(),
        }
    }

    pub fn load(&self, id: StateId, state: &mut Vec<u8>) {
        match self {
            States::Alone(store) => store.load(id, state),
            States::Together(taking) => taking.load(id, state),
        }
    }

    pub fn insert(&mut self, state: &[u8]) -> Result<(StateId, bool), Full> {
        match self {
            States::Alone(store) => store.insert(state),
            States::Together(taking) => taking.insert(state),
        }
    }

    /// How many of the states were expanded by others, ahead of who asked for them.
    pub fn expanded_ahead(&self) -> u64 {
        match self {
            States::Alone(_) => 0,
            States::Together(taking) => taking.taken_ahead(),
        }
    }

    /// Lets a crew help from now on, if it can; whether that is settled.
    pub fn share(
        &mut self,
        system: &'a dyn Explicit,
        crew: &Crew,
        wanted: &Wanted<'_>,
        is_expanded: impl Fn(StateId) -> bool,
    ) -> bool {
        let States::Alone(store) = self else {
            return true;
        };
        if !crew.is_ready() {
            return false;
        }
        let Some(shared) = store.shared(usual_length(store)) else {
            return false;
        };
        let job = Arc::new(Job::new(shared, crew.threads(), wanted));
        // What does not fit into the other store stays where it is.
        let Ok(taking) = Taking::new(system, job.clone(), store, is_expanded) else {
            return true;
        };
        crew.set_job(job);
        *self = States::Together(Box::new(taking));
        true
    }
}

/// The length that most states of a store have, if most have the same.
fn usual_length(store: &impl Store) -> Option<usize> {
    let mut state = Vec::new();
    let mut lengths: Vec<usize> = Vec::with_capacity(store.len());
    for number in 0..store.len() {
        store.load(StateId::new(number as u32), &mut state);
        lengths.push(state.len());
    }
    lengths.sort_unstable();
    let middle = lengths.get(lengths.len() / 2).copied()?;
    let is_middle = |length: &&usize| **length == middle;
    (lengths.iter().filter(is_middle).count() > lengths.len() / 2).then_some(middle)
}
