//! The questions that `accept` and `progress` labels ask.
//!
//! *Acceptance*: on some run some process is at an `accept` label infinitely often (SPIN's `pan -a`
//! for a model without a claim). Where the run ends in such a state, it stays there for ever: SPIN
//! reports an "accept stutter", and so does the claim, which goes on reading. Which process it is,
//! and at which label, may change from time to time.
//!
//! *Progress*: on some run, from some point on, no process is ever at a `progress` label
//! (`pan -l`). The claim guesses the point. A run that ends is not meant: SPIN's `np_` is false
//! where a finished run is extended, so the claim does not read on.

use evenhand_system::program::expr::Expr;
use evenhand_system::{ClaimAutomaton, ClaimEdge, ClaimState};

use super::Origin;
use crate::PromelaModel;

impl PromelaModel {
    /// The runs on which some process is at an `accept` label infinitely often.
    pub fn acceptance(&mut self) -> ClaimAutomaton {
        let atom = self
            .atoms
            .intern(&mut self.program, "accept", &Expr::Accepting, Origin::Fixed);
        let edges = || [edge(&[(0, true)], 1), edge(&[(0, false)], 0)].to_vec();
        ClaimAutomaton {
            propositions: vec![self.atoms.known[atom].id],
            initial: 0,
            states: vec![state(false, edges()), state(true, edges())],
            stutter: true,
        }
    }

    /// The runs on which, from some point on, no process is at a `progress` label.
    pub fn progress(&mut self) -> ClaimAutomaton {
        let atom = self
            .atoms
            .intern(&mut self.program, "np_", &Expr::NonProgress, Origin::Fixed);
        ClaimAutomaton {
            propositions: vec![self.atoms.known[atom].id],
            initial: 0,
            states: vec![
                state(false, vec![edge(&[], 0), edge(&[(0, true)], 1)]),
                state(true, vec![edge(&[(0, true)], 1)]),
            ],
            stutter: false,
        }
    }
}

fn edge(guard: &[(usize, bool)], target: usize) -> ClaimEdge {
    ClaimEdge {
        guard: guard.to_vec(),
        target,
    }
}

fn state(accept: bool, edges: Vec<ClaimEdge>) -> ClaimState {
    ClaimState {
        accept,
        end: false,
        edges,
    }
}
