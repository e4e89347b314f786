//! Counting: states, transitions, ends and the depth of a model, from sets.
//!
//! **Problem.** Exploring state by state these numbers come for free; sets have to be asked for
//! them, and the answers must be the same.
//!
//! **Idea.** States and ends are elements of sets. The depth is the number of rings around the
//! initial states. A transition is a pair of states for each part of the relation (a process, say)
//! that makes the step, inputs left out: the pieces of a part are joined with the reachable states
//! and their elements counted, over the bits now and the bits that change. Pieces that begin in
//! different states are counted one by one; others are made one set first, so that no pair counts
//! twice.
//!
//! **Limits.** Numbers are exact below 2^120 valuations and not told above. Where a constraint has
//! no value in a reachable state, what counts as a transition is for the engine to say that stops
//! there.

use std::collections::BTreeMap;

use crate::answer::Count;
use crate::coding::Bit;
use crate::engine::Symbolic;
use crate::image::{Piece, Towards};
use crate::manager::{Manager, Outcome, Set};
use crate::reach::rings;
use crate::watch::Stop;

/// How large a model is.
#[derive(Clone, Debug, PartialEq)]
pub struct Census {
    /// The reachable states.
    pub states: Count,
    /// The steps between them, if they can be counted exactly.
    pub transitions: Option<u128>,
    /// The states in which a run ends where it must not, if they can be counted exactly.
    pub deadlocks: Option<u128>,
    /// The greatest distance from the initial states.
    pub depth: u64,
    /// Why a number is missing.
    pub missing: Vec<String>,
    /// The most nodes at once.
    pub peak_nodes: usize,
}

impl Symbolic {
    /// Counts. The relation should have no propositions about inputs, which make states more.
    ///
    /// # Errors
    /// If a limit is reached before the states are known.
    pub fn census(&mut self) -> Result<Census, Stop> {
        let states = self.reachable()?.states;
        let reached = self.reached()?;
        let (m, model) = (&self.m, &self.model);
        let depth = depth(m, self)?;
        let mut census = Census {
            states,
            transitions: None,
            deadlocks: None,
            depth,
            missing: Vec::new(),
            peak_nodes: 0,
        };
        let found = transitions(m, &self.system.pieces, model.bits.len(), &reached);
        match found {
            Ok(Some(number)) => census.transitions = Some(number),
            Ok(None) => census.missing.push("the transitions are too many".into()),
            Err(Stop::Memory) => {
                let reason = "the transitions are too large a set".to_string();
                census.missing.push(reason);
            }
            Err(stop) => return Err(stop),
        }
        let ends = self.dead_ends()?;
        census.deadlocks = self.count(&ends)?.exact;
        if !self.faults()?.is_empty() {
            (census.transitions, census.deadlocks) = (None, None);
            let reason = "a constraint has no value in some state".to_string();
            census.missing = vec![reason];
        }
        census.peak_nodes = self.m.peak();
        Ok(census)
    }
}

/// The greatest distance from the initial states.
fn depth(m: &Manager, engine: &Symbolic) -> Outcome<u64> {
    let (init, steps) = (&engine.model.init, &engine.model.steps);
    let rings = rings(m, steps, init, None, Towards::Future, |_| Ok(false))?;
    Ok(rings.len().saturating_sub(1) as u64)
}

/// A piece between some states, as one set without inputs.
fn relation(m: &Manager, piece: &Piece, from: &Set) -> Outcome<Set> {
    let inputs = m.cube(piece.inputs.iter().rev().copied())?;
    let mut all = from.clone();
    for conjunct in piece.conjuncts.iter().chain(&piece.after) {
        all = m.and(&all, conjunct)?;
    }
    m.exists(&all, &inputs)
}

/// The number of steps from some states that have so many bits.
fn transitions(m: &Manager, pieces: &[Piece], bits: usize, from: &Set) -> Outcome<Option<u128>> {
    let mut parts: BTreeMap<usize, Vec<&Piece>> = BTreeMap::new();
    for piece in pieces {
        parts.entry(piece.part).or_default().push(piece);
    }
    let mut sum: u128 = 0;
    for pieces in parts.values() {
        let Some(number) = transitions_of_part(m, pieces, bits, from)? else {
            return Ok(None);
        };
        sum = sum.saturating_add(number);
    }
    Ok(Some(sum))
}

fn transitions_of_part(
    m: &Manager,
    pieces: &[&Piece],
    bits: usize,
    from: &Set,
) -> Outcome<Option<u128>> {
    let mut relations = Vec::new();
    let mut sources = m.no();
    let mut are_apart = true;
    for piece in pieces {
        let steps = relation(m, piece, from)?;
        let next = m.cube(piece.changed.iter().rev().filter_map(|b| b.next))?;
        let own = m.exists(&steps, &next)?;
        are_apart &= !m.meet(&sources, &own)?;
        sources = m.or(&sources, &own)?;
        relations.push(steps);
    }
    if are_apart {
        let mut sum: u128 = 0;
        for (piece, steps) in pieces.iter().zip(&relations) {
            let Some(number) = m.count(steps, bits + piece.changed.len()).0 else {
                return Ok(None);
            };
            sum = sum.saturating_add(number);
        }
        return Ok(Some(sum));
    }
    let mut changed: Vec<Bit> = Vec::new();
    for bit in pieces.iter().flat_map(|p| &p.changed) {
        if !changed.contains(bit) {
            changed.push(*bit);
        }
    }
    let mut all = m.no();
    for (piece, steps) in pieces.iter().zip(relations) {
        let mut steps = steps;
        for bit in changed.iter().filter(|b| !piece.changed.contains(b)) {
            let Some(next) = bit.next else { continue };
            let same = m.equiv(&m.variable(bit.now)?, &m.variable(next)?)?;
            steps = m.and(&steps, &same)?;
        }
        all = m.or(&all, &steps)?;
    }
    Ok(m.count(&all, bits + changed.len()).0)
}
