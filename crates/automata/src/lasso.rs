//! Ultimately periodic words and runs.

use crate::{EdgeId, Letter};

/// The word `prefix · cycle · cycle · …`; the cycle is not empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LassoWord {
    /// The letters before the cycle.
    pub prefix: Vec<Letter>,
    /// The letters that repeat.
    pub cycle: Vec<Letter>,
}

/// One step of a run: an edge and the letter it is taken under.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// The edge.
    pub edge: EdgeId,
    /// The letter.
    pub letter: Letter,
}

/// A run of an automaton: a path from an initial state, and a closed walk at its end that repeats.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lasso {
    /// The steps before the cycle.
    pub prefix: Vec<Step>,
    /// The steps that repeat; not empty.
    pub cycle: Vec<Step>,
}

impl Lasso {
    /// The word that is read.
    pub fn word(&self) -> LassoWord {
        let letters = |steps: &[Step]| steps.iter().map(|s| s.letter.clone()).collect();
        LassoWord {
            prefix: letters(&self.prefix),
            cycle: letters(&self.cycle),
        }
    }
}
