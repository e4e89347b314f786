//! Synchronous parallel composition: joint steps.
//!
//! Kesten, Pnueli, Raviv and Shahar, section 3.2: a step is a step of both components at once,
//! `ρ₁ ∧ ρ₂`, so the two must agree on the new values of the variables they share. This is how a
//! system is combined with the tester of a formula, and how clocked hardware is put together. Where
//! one component has no step, or none that agrees with the other's, the composition has a dead end.
//!
//! Cost: the product of the numbers of moves. The participants of a joint step are those of the
//! left move followed by those of the right one, each with its own action. The operation is
//! commutative (but for who comes first) and associative, up to the order of variables.

use super::join::{Join, fair_system_by_join};
use super::{FairSystem, Move, ProcessId, Valuation};
use crate::fairness::{Compassion, PropositionId};

/// Two fair systems that move together.
#[derive(Clone, Debug)]
pub struct Synchronous<A, B> {
    join: Join<A, B>,
}

impl<A: FairSystem, B: FairSystem> Synchronous<A, B> {
    /// Composes two systems; variables of the same name are shared.
    pub fn new(left: A, right: B) -> Synchronous<A, B> {
        Synchronous {
            join: Join::new(left, right),
        }
    }

    fn steps(&self, state: &[i64]) -> Vec<Move> {
        if !self.join.fits(state) {
            return Vec::new();
        }
        let rights = self.join.right.moves(&self.join.right_part(state));
        let mut moves = Vec::new();
        for left in self.join.left.moves(self.join.left_part(state)) {
            for right in &rights {
                let Some(target) = self.join.join(&left.target, &right.target) else {
                    continue;
                };
                let mut participants = left.participants.clone();
                participants.extend(self.join.right_participants(right));
                moves.push(Move {
                    participants,
                    target,
                });
            }
        }
        moves
    }
}

fair_system_by_join!(Synchronous);
