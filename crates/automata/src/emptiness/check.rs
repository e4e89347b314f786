//! The judge of accepting runs: it replays a lasso step by step and knows nothing of how it was
//! found.

use crate::{Automaton, Lasso, MarkSet, State};
use std::fmt;

/// Why a lasso is not an accepting run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LassoError {
    /// The cycle has no step.
    EmptyCycle,
    /// The run does not start in an initial state.
    NotInitial(State),
    /// There is no such edge (counted over prefix and cycle).
    NoSuchEdge(usize),
    /// This step does not start where the one before it ended.
    Broken(usize),
    /// The letter of this step does not satisfy the label of its edge.
    WrongLetter(usize),
    /// The cycle does not end where it starts.
    NotClosed,
    /// The marks of the cycle are not accepting.
    NotAccepting(MarkSet),
}

impl fmt::Display for LassoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LassoError::EmptyCycle => write!(f, "the cycle is empty"),
            LassoError::NotInitial(s) => write!(f, "state {} is not initial", s.0),
            LassoError::NoSuchEdge(i) => write!(f, "step {i} takes an edge that does not exist"),
            LassoError::Broken(i) => write!(f, "step {i} does not start where the run is"),
            LassoError::WrongLetter(i) => write!(f, "the letter of step {i} is not in its label"),
            LassoError::NotClosed => write!(f, "the cycle does not end where it starts"),
            LassoError::NotAccepting(marks) => {
                write!(f, "the marks {:?} of the cycle are not accepting", marks.0)
            }
        }
    }
}

impl std::error::Error for LassoError {}

/// Is the lasso an accepting run of the automaton?
pub fn check_lasso(automaton: &Automaton, lasso: &Lasso) -> Result<(), LassoError> {
    if lasso.cycle.is_empty() {
        return Err(LassoError::EmptyCycle);
    }
    let mut at: Option<State> = None;
    let mut cycle_start = None;
    let mut marks = MarkSet::EMPTY;
    for (i, step) in lasso.prefix.iter().chain(&lasso.cycle).enumerate() {
        let edge = automaton
            .edges()
            .get(step.edge.index())
            .ok_or(LassoError::NoSuchEdge(i))?;
        match at {
            None if !automaton.initial().contains(&edge.source) => {
                return Err(LassoError::NotInitial(edge.source));
            }
            Some(state) if state != edge.source => return Err(LassoError::Broken(i)),
            _ => {}
        }
        for literal in automaton.cube(edge.label).literals() {
            if step.letter.holds(literal.prop) != literal.positive {
                return Err(LassoError::WrongLetter(i));
            }
        }
        if i >= lasso.prefix.len() {
            cycle_start.get_or_insert(edge.source);
            for mark in automaton.marks(edge.marks).iter() {
                marks.insert(mark);
            }
            for c in automaton.conditionals() {
                if step.letter.holds(c.literal.prop) == c.literal.positive {
                    marks.insert(c.mark);
                }
            }
        }
        at = Some(edge.target);
    }
    if at != cycle_start {
        return Err(LassoError::NotClosed);
    }
    match automaton.acceptance().to_condition().holds(&marks) {
        true => Ok(()),
        false => Err(LassoError::NotAccepting(marks)),
    }
}
