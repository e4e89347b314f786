//! What both parallel compositions of fair systems have in common.
//!
//! The variables are those of the left component followed by the private ones of the right; initial
//! states are the pairs of initial states that agree on the shared variables; processes, actions,
//! propositions, justice and compassion are those of the left followed by those of the right, each
//! looking at its own part of the state.

use super::{ActionId, FairSystem, Move, ProcessId, Valuation};
use crate::fairness::{Compassion, PropositionId};

/// Two components side by side.
#[derive(Clone, Debug)]
pub(super) struct Join<A, B> {
    pub left: A,
    pub right: B,
    /// How many variables the left one has.
    left_len: usize,
    /// For each variable of the right one, its place in a joint state.
    right_places: Vec<usize>,
    /// Variables of both.
    variables: Vec<String>,
    left_processes: usize,
    left_actions: usize,
    left_propositions: u32,
}

impl<A: FairSystem, B: FairSystem> Join<A, B> {
    pub fn new(left: A, right: B) -> Join<A, B> {
        let mut variables = left.variables();
        let left_len = variables.len();
        let mut right_places = Vec::new();
        for name in right.variables() {
            let shared = variables[..left_len].iter().position(|v| *v == name);
            right_places.push(shared.unwrap_or(variables.len()));
            if shared.is_none() {
                variables.push(name);
            }
        }
        Join {
            left_len,
            right_places,
            variables,
            left_processes: left.processes().len(),
            left_actions: left.actions().len(),
            left_propositions: left.propositions().len() as u32,
            left,
            right,
        }
    }

    /// Whether a valuation has a value for each variable.
    pub fn fits(&self, state: &[i64]) -> bool {
        state.len() == self.variables.len()
    }

    /// The part of a joint state that the left component sees.
    pub fn left_part<'s>(&self, state: &'s [i64]) -> &'s [i64] {
        &state[..self.left_len.min(state.len())]
    }

    /// The part of a joint state that the right component sees.
    pub fn right_part(&self, state: &[i64]) -> Valuation {
        let values = self.right_places.iter();
        values
            .filter_map(|&place| state.get(place).copied())
            .collect()
    }

    /// The joint state of two parts; none if they differ in a shared variable.
    pub fn join(&self, left: &[i64], right: &[i64]) -> Option<Valuation> {
        let mut state = left.to_vec();
        for (&place, &value) in self.right_places.iter().zip(right) {
            match state.get(place) {
                Some(&other) if other != value => return None,
                Some(_) => {}
                None => state.push(value),
            }
        }
        Some(state)
    }

    /// A joint state in which the right component's variables have new values.
    pub fn with_right(&self, state: &[i64], right: &[i64]) -> Valuation {
        let mut state = state.to_vec();
        for (&place, &value) in self.right_places.iter().zip(right) {
            state[place] = value;
        }
        state
    }

    /// The participants of a right component's move, as they are numbered here.
    pub fn right_participants(&self, step: &Move) -> Vec<(ProcessId, ActionId)> {
        let participants = step.participants.iter();
        participants
            .map(|(process, action)| {
                (
                    process.plus(self.left_processes),
                    action.plus(self.left_actions),
                )
            })
            .collect()
    }

    pub fn variables(&self) -> Vec<String> {
        self.variables.clone()
    }

    pub fn processes(&self) -> Vec<String> {
        [self.left.processes(), self.right.processes()].concat()
    }

    pub fn actions(&self) -> Vec<(ProcessId, String)> {
        let mut actions = self.left.actions();
        let right = self.right.actions().into_iter();
        actions.extend(right.map(|(process, name)| (process.plus(self.left_processes), name)));
        actions
    }

    pub fn initial(&self) -> Vec<Valuation> {
        let rights = self.right.initial();
        let mut states = Vec::new();
        for left in self.left.initial() {
            states.extend(rights.iter().filter_map(|right| self.join(&left, right)));
        }
        states
    }

    pub fn propositions(&self) -> Vec<String> {
        [self.left.propositions(), self.right.propositions()].concat()
    }

    pub fn holds(&self, proposition: PropositionId, state: &[i64]) -> bool {
        if !self.fits(state) {
            return false;
        }
        match proposition.0.checked_sub(self.left_propositions) {
            None => self.left.holds(proposition, self.left_part(state)),
            Some(index) => {
                let part = self.right_part(state);
                self.right.holds(PropositionId(index), &part)
            }
        }
    }

    pub fn justice(&self) -> Vec<PropositionId> {
        let mut justice = self.left.justice();
        justice.extend(self.right.justice().into_iter().map(|p| self.moved(p)));
        justice
    }

    pub fn compassion(&self) -> Vec<Compassion> {
        let mut compassion = self.left.compassion();
        let right = self.right.compassion().into_iter();
        compassion.extend(right.map(|pair| Compassion {
            when: self.moved(pair.when),
            then: self.moved(pair.then),
        }));
        compassion
    }

    fn moved(&self, proposition: PropositionId) -> PropositionId {
        PropositionId(self.left_propositions.saturating_add(proposition.0))
    }
}

/// Implements [`FairSystem`] for a composition over its `join` and its `steps`.
macro_rules! fair_system_by_join {
    ($name:ident) => {
        impl<A: FairSystem, B: FairSystem> FairSystem for $name<A, B> {
            fn variables(&self) -> Vec<String> {
                self.join.variables()
            }
            fn processes(&self) -> Vec<String> {
                self.join.processes()
            }
            fn actions(&self) -> Vec<(ProcessId, String)> {
                self.join.actions()
            }
            fn initial(&self) -> Vec<Valuation> {
                self.join.initial()
            }
            fn moves(&self, state: &[i64]) -> Vec<Move> {
                self.steps(state)
            }
            fn propositions(&self) -> Vec<String> {
                self.join.propositions()
            }
            fn holds(&self, proposition: PropositionId, state: &[i64]) -> bool {
                self.join.holds(proposition, state)
            }
            fn justice(&self) -> Vec<PropositionId> {
                self.join.justice()
            }
            fn compassion(&self) -> Vec<Compassion> {
                self.join.compassion()
            }
        }
    };
}

pub(super) use fair_system_by_join;
