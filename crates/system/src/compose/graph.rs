//! A fair system as plain data: every state, every step, every set written down.
//!
//! For small systems, for tests, and as the result of exploring a composition. A valuation that is
//! not mentioned is no state of the graph: nothing holds in it and no step leaves it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::{ActionId, FairSystem, Move, ProcessId, Valuation};
use crate::fairness::{Compassion, PropositionId};

/// A fair system as data. Everything is public: it is what its fields say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FairGraph {
    /// The names of the variables.
    pub variables: Vec<String>,
    /// The names of the processes.
    pub processes: Vec<String>,
    /// The actions.
    pub actions: Vec<(ProcessId, String)>,
    /// The initial states.
    pub initial: BTreeSet<Valuation>,
    /// The steps out of each state; a state without any may be left out.
    pub moves: BTreeMap<Valuation, Vec<Move>>,
    /// For each proposition its name and the states where it holds.
    pub propositions: Vec<(String, BTreeSet<Valuation>)>,
    /// Propositions that a fair run meets infinitely often.
    pub justice: Vec<PropositionId>,
    /// Pairs of propositions: infinitely often the first implies infinitely often the second.
    pub compassion: Vec<Compassion>,
}

/// A system has more reachable states than were allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyStates {
    /// How many were allowed.
    pub limit: usize,
}

impl fmt::Display for TooManyStates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the system has more than {} reachable states",
            self.limit
        )
    }
}

impl std::error::Error for TooManyStates {}

impl FairGraph {
    /// The reachable part of a system; every state of it has an entry in `moves`.
    ///
    /// # Errors
    /// Where it has more than `limit` states.
    pub fn reachable(system: &impl FairSystem, limit: usize) -> Result<FairGraph, TooManyStates> {
        let initial: BTreeSet<Valuation> = system.initial().into_iter().collect();
        let mut moves: BTreeMap<Valuation, Vec<Move>> = BTreeMap::new();
        let mut queue: Vec<Valuation> = initial.iter().cloned().collect();
        while let Some(state) = queue.pop() {
            if moves.contains_key(&state) {
                continue;
            }
            if moves.len() == limit {
                return Err(TooManyStates { limit });
            }
            let out = system.moves(&state);
            queue.extend(out.iter().map(|step| step.target.clone()));
            moves.insert(state, out);
        }
        let names = system.propositions().into_iter().zip(0..);
        let propositions = names
            .map(|(name, index)| {
                let states = moves.keys();
                let holds = states.filter(|s| system.holds(PropositionId(index), s));
                (name, holds.cloned().collect())
            })
            .collect();
        Ok(FairGraph {
            variables: system.variables(),
            processes: system.processes(),
            actions: system.actions(),
            initial,
            moves,
            propositions,
            justice: system.justice(),
            compassion: system.compassion(),
        })
    }

    /// Adds a step.
    pub fn add_move(&mut self, source: Valuation, by: (ProcessId, ActionId), target: Valuation) {
        self.moves.entry(source).or_default().push(Move {
            participants: vec![by],
            target,
        });
    }
}

impl FairSystem for FairGraph {
    fn variables(&self) -> Vec<String> {
        self.variables.clone()
    }

    fn processes(&self) -> Vec<String> {
        self.processes.clone()
    }

    fn actions(&self) -> Vec<(ProcessId, String)> {
        self.actions.clone()
    }

    fn initial(&self) -> Vec<Valuation> {
        self.initial.iter().cloned().collect()
    }

    fn moves(&self, state: &[i64]) -> Vec<Move> {
        self.moves.get(state).cloned().unwrap_or_default()
    }

    fn propositions(&self) -> Vec<String> {
        self.propositions
            .iter()
            .map(|(name, _)| name.clone())
            .collect()
    }

    fn holds(&self, proposition: PropositionId, state: &[i64]) -> bool {
        let entry = self.propositions.get(proposition.0 as usize);
        entry.is_some_and(|(_, states)| states.contains(state))
    }

    fn justice(&self) -> Vec<PropositionId> {
        self.justice.clone()
    }

    fn compassion(&self) -> Vec<Compassion> {
        self.compassion.clone()
    }
}
