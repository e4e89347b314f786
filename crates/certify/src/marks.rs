//! The fairness marks of a step, by their definitions.
//!
//! An assumption is about what happens infinitely often; a mark says that it happens on this step.
//!
//! | assumption | marks | a step has it where |
//! | --- | --- | --- |
//! | weak fairness of an item | a Büchi mark | the item is not enabled, or is taken |
//! | strong fairness of an item | request | the item is enabled |
//! |  | grant | the item is taken |
//! | justice | a Büchi mark | the proposition holds in front of the step |
//! | compassion | request, grant | the first, the second proposition holds in front of the step |
//!
//! Marks are numbered in the order of the assumptions, a request before its grant; the marks of the
//! automaton come behind them. A step that stays takes nothing.

use evenhand_automata::Bits;
use evenhand_system::{Assumption, AssumptionKind, PropositionId};

use crate::condition::{Condition, Pair};

/// How the assumptions become marks.
#[derive(Clone, Debug)]
pub struct FairnessMarks {
    /// The first mark of each assumption.
    assumptions: Vec<(usize, AssumptionKind)>,
    count: usize,
}

impl FairnessMarks {
    /// The marks of these assumptions.
    pub fn new(assumptions: &[Assumption]) -> FairnessMarks {
        let mut count = 0;
        let mut list = Vec::new();
        for assumption in assumptions {
            list.push((count, assumption.kind));
            count += match assumption.kind {
                AssumptionKind::Weak(_) | AssumptionKind::Justice(_) => 1,
                AssumptionKind::Strong(_) | AssumptionKind::Compassion { .. } => 2,
            };
        }
        FairnessMarks {
            assumptions: list,
            count,
        }
    }

    /// How many marks there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// What is demanded of fair runs by the assumptions that are chosen, by place; by all if nothing
    /// is said.
    pub fn condition(&self, chosen: Option<&[bool]>) -> Condition {
        let mut condition = Condition::default();
        for (place, &(mark, kind)) in self.assumptions.iter().enumerate() {
            if chosen.is_some_and(|chosen| chosen.get(place) != Some(&true)) {
                continue;
            }
            match kind {
                AssumptionKind::Weak(_) | AssumptionKind::Justice(_) => condition.buchi.push(mark),
                AssumptionKind::Strong(_) | AssumptionKind::Compassion { .. } => {
                    let (request, grant) = (mark, mark + 1);
                    condition.pairs.push(Pair { request, grant });
                }
            }
        }
        condition
    }

    /// The propositions that the assumptions speak about.
    pub fn propositions(&self) -> Vec<PropositionId> {
        let mut list = Vec::new();
        for &(_, kind) in &self.assumptions {
            match kind {
                AssumptionKind::Weak(_) | AssumptionKind::Strong(_) => {}
                AssumptionKind::Justice(proposition) => list.push(proposition),
                AssumptionKind::Compassion { when, then } => list.extend([when, then]),
            }
        }
        list
    }

    /// The marks that all steps out of a state have: what is enabled there, and what holds.
    ///
    /// # Errors
    /// If a proposition has no value.
    pub fn in_front<E>(
        &self,
        enabled: &[u64],
        mut holds: impl FnMut(PropositionId) -> Result<bool, E>,
    ) -> Result<Bits, E> {
        let mut marks = Bits::new();
        for &(mark, kind) in &self.assumptions {
            let (first, second) = match kind {
                AssumptionKind::Weak(item) => (!contains(enabled, item), false),
                AssumptionKind::Strong(item) => (contains(enabled, item), false),
                AssumptionKind::Justice(proposition) => (holds(proposition)?, false),
                AssumptionKind::Compassion { when, then } => (holds(when)?, holds(then)?),
            };
            if first {
                marks.insert(mark);
            }
            if second {
                marks.insert(mark + 1);
            }
        }
        Ok(marks)
    }

    /// The marks that a step has because of what it takes.
    pub fn taken(&self, taken: &[u64]) -> Bits {
        let mut marks = Bits::new();
        for &(mark, kind) in &self.assumptions {
            match kind {
                AssumptionKind::Weak(item) if contains(taken, item) => marks.insert(mark),
                AssumptionKind::Strong(item) if contains(taken, item) => marks.insert(mark + 1),
                _ => {}
            }
        }
        marks
    }
}

/// Whether an item is in a set.
fn contains(set: &[u64], item: usize) -> bool {
    let word = set.get(item / 64).copied().unwrap_or(0);
    word >> (item % 64) & 1 == 1
}
