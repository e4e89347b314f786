//! Asynchronous parallel composition: interleaving.
//!
//! Kesten, Pnueli, Raviv and Shahar, section 3.1: the variables are those of both systems, the
//! initial condition the conjunction, and a step is a step of one component that preserves the
//! *private* variables of the other, `(ρ₁ ∧ pres(V₂ − V₁)) ∨ (ρ₂ ∧ pres(V₁ − V₂))`. Shared
//! variables are how the components communicate: a step of one may change them under the other's
//! feet, into a valuation from which the other has no step. Justice and compassion are the unions.
//!
//! Cost: the moves of both components and a copy of the state for each. The operation is
//! commutative and associative up to the order of variables, processes and propositions.

use super::join::{Join, fair_system_by_join};
use super::{ActionId, FairSystem, Move, ProcessId, Valuation};
use crate::fairness::{Compassion, PropositionId};

/// Two fair systems of which one moves at a time.
#[derive(Clone, Debug)]
pub struct Asynchronous<A, B> {
    join: Join<A, B>,
}

impl<A: FairSystem, B: FairSystem> Asynchronous<A, B> {
    /// Composes two systems; variables of the same name are shared.
    pub fn new(left: A, right: B) -> Asynchronous<A, B> {
        Asynchronous {
            join: Join::new(left, right),
        }
    }

    fn steps(&self, state: &[i64]) -> Vec<Move> {
        if !self.join.fits(state) {
            return Vec::new();
        }
        let (left, right) = (self.join.left_part(state), self.join.right_part(state));
        let mut moves = self.join.left.moves(left);
        for step in &mut moves {
            step.target.extend_from_slice(&state[left.len()..]);
        }
        for step in self.join.right.moves(&right) {
            let participants: Vec<(ProcessId, ActionId)> = self.join.right_participants(&step);
            let target = self.join.with_right(state, &step.target);
            moves.push(Move {
                participants,
                target,
            });
        }
        moves
    }
}

fair_system_by_join!(Asynchronous);
