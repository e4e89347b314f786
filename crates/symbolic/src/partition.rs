//! A relation as pieces, one for each thing that can happen.
//!
//! **Problem.** In an interleaving most variables keep their values in each step, but which ones
//! depends on the process that moves. A model often says so with a variable that selects the
//! process, inside of the constraints: `next(p) := case sel != 1 : p; …`. As one conjunction every
//! step then mentions every variable.
//!
//! **Idea.** Split a part of the relation by the values of such a variable. For one value each
//! constraint is fixed at it, and those that then say "x keeps its value" are recognised as
//! diagrams and dropped: the piece does not change x at all. A variable is a selector if more than
//! half of its constraints become such frames, over all values. Everything else stays in one piece.
//!
//! **Cost.** One restriction for each value and constraint.

use std::collections::BTreeSet;

use evenhand_system::relation::{Relation, Role, VarId};
use oxidd::VarNo;

use crate::coding::{Bit, Coding, When};
use crate::encode::Encoder;
use crate::image::Piece;
use crate::manager::{Manager, Outcome, Set};

/// A selector has at most so many values.
const MOST_PIECES: usize = 200;

/// The constraints as diagrams.
pub(crate) struct System {
    /// The valuations that are states.
    pub states: Set,
    /// The initial states.
    pub init: Set,
    /// The steps.
    pub pieces: Vec<Piece>,
    /// Steps that meet a constraint without a value.
    pub faults: Vec<Set>,
    /// Initial valuations that meet one.
    pub initial_faults: Set,
}

/// Translates a relation.
pub(crate) fn system(
    m: &Manager,
    coding: &Coding,
    relation: &Relation,
    encoder: &mut Encoder<'_>,
) -> Outcome<System> {
    let mut states = m.yes();
    for (id, _) in coding.all() {
        states = m.and(&states, &coding.valid(m, id, When::Now)?)?;
    }
    let inputs_valid: Vec<Set> = coding
        .all()
        .filter(|(_, v)| v.is_input)
        .map(|(id, _)| coding.valid(m, id, When::Now))
        .collect::<Outcome<_>>()?;
    let mut initial_faults = m.no();
    let mut invar = Vec::new();
    for &constraint in &relation.invar {
        for conjunct in relation.expressions.conjuncts(constraint) {
            let condition = encoder.condition(conjunct)?;
            initial_faults = m.or(&initial_faults, &condition.undefined)?;
            states = m.and(&states, &condition.holds)?;
            invar.push(condition);
        }
    }
    let mut init = m.yes();
    for &constraint in &relation.init {
        let condition = encoder.condition(constraint)?;
        initial_faults = m.or(&initial_faults, &condition.undefined)?;
        init = m.and(&init, &condition.holds)?;
    }
    let initial_faults = coding.among_values(m, &initial_faults)?;
    // Inputs are no part of states.
    let input_bits: Vec<VarNo> = coding
        .all()
        .filter(|(_, v)| v.is_input)
        .flat_map(|(_, v)| v.levels(When::Now))
        .collect();
    let inputs = m.cube(input_bits.iter().rev().copied())?;
    let states = m.exists(&states, &inputs)?;
    let pairs = coding
        .state()
        .flat_map(|(_, v)| v.levels(When::Now).zip(v.levels(When::Next)));
    let primed = m.renaming(pairs)?;
    let mut after = Vec::new();
    for condition in &invar {
        after.push(m.rename(&condition.holds, &primed)?);
    }
    let mut result = System {
        init: m.and(&init, &states)?,
        states,
        pieces: Vec::new(),
        faults: Vec::new(),
        initial_faults,
    };
    for (number, part) in relation.trans.iter().enumerate() {
        let mut conjuncts: Vec<Set> = Vec::new();
        let mut fault = m.no();
        for &constraint in &part.constraints {
            for conjunct in relation.expressions.conjuncts(constraint) {
                let condition = encoder.condition(conjunct)?;
                fault = m.or(&fault, &condition.undefined)?;
                if !conjuncts.contains(&condition.holds) {
                    conjuncts.push(condition.holds);
                }
            }
        }
        result.faults.push(coding.among_values(m, &fault)?);
        conjuncts.extend(inputs_valid.iter().cloned());
        let splitter = Splitter {
            m,
            coding,
            relation,
            inputs: &input_bits,
            after: &after,
            part: number,
        };
        result.pieces.extend(splitter.split(conjuncts)?);
    }
    Ok(result)
}

struct Splitter<'a> {
    m: &'a Manager,
    coding: &'a Coding,
    relation: &'a Relation,
    inputs: &'a [VarNo],
    /// The invariants of the next state.
    after: &'a [Set],
    part: usize,
}

impl Splitter<'_> {
    fn split(&self, conjuncts: Vec<Set>) -> Outcome<Vec<Piece>> {
        let Some(selector) = self.selector(&conjuncts)? else {
            return Ok(vec![self.piece(conjuncts)?]);
        };
        let cases = self
            .coding
            .variable(selector)
            .cases(self.m, When::Now, MOST_PIECES)?
            .unwrap_or_default();
        let mut pieces = Vec::new();
        for (_, literals) in cases {
            let mut fixed = self.fixed(&conjuncts, &literals)?;
            if fixed.iter().any(|set| self.m.is_empty(set)) {
                continue;
            }
            fixed.push(literals);
            pieces.push(self.piece(fixed)?);
        }
        Ok(pieces)
    }

    fn fixed(&self, conjuncts: &[Set], literals: &Set) -> Outcome<Vec<Set>> {
        let mut fixed = Vec::new();
        for set in conjuncts {
            let set = self.m.restrict(set, literals)?;
            if set != self.m.yes() {
                fixed.push(set);
            }
        }
        Ok(fixed)
    }

    /// The variable that selects what happens, if there is one.
    fn selector(&self, conjuncts: &[Set]) -> Outcome<Option<VarId>> {
        let supports: Vec<BTreeSet<VarNo>> =
            conjuncts.iter().map(|set| self.m.support(set)).collect();
        let mut candidates: Vec<(usize, VarId)> = Vec::new();
        for (id, coded) in self.coding.all() {
            let mut bits = coded.levels(When::Now);
            let Some(first) = bits.next() else { continue };
            let uses = supports.iter().filter(|s| s.contains(&first)).count();
            if uses >= 3 && coded.sort.values(MOST_PIECES).is_some() {
                candidates.push((uses, id));
            }
        }
        candidates.sort_by_key(|(uses, id)| (std::cmp::Reverse(*uses), *id));
        let mut best = (0.5, None);
        for (_, id) in candidates.into_iter().take(4) {
            let coded = self.coding.variable(id);
            let levels: BTreeSet<VarNo> = coded.levels(When::Now).collect();
            let touched = supports.iter().map(|s| !s.is_disjoint(&levels));
            let touched: Vec<Set> = conjuncts
                .iter()
                .zip(touched)
                .filter(|(_, touched)| *touched)
                .map(|(set, _)| set.clone())
                .collect();
            let cases = coded
                .cases(self.m, When::Now, MOST_PIECES)?
                .unwrap_or_default();
            let all = (cases.len() * touched.len()).max(1);
            let mut frames = 0;
            for (_, literals) in &cases {
                for set in self.fixed(&touched, literals)? {
                    frames += usize::from(self.framed(&set)?.is_some());
                }
            }
            let score = frames as f64 / all as f64;
            if score > best.0 {
                best = (score, Some(id));
            }
        }
        Ok(best.1)
    }

    /// The variable that a constraint keeps, if that is all it says.
    fn framed(&self, set: &Set) -> Outcome<Option<VarId>> {
        let support = self.m.support(set);
        let owner = self.coding.state().find(|(_, v)| {
            let both = v.levels(When::Now).chain(v.levels(When::Next));
            let both: BTreeSet<VarNo> = both.collect();
            support.is_subset(&both) && !v.bits.is_empty() && !support.is_empty()
        });
        let Some((id, _)) = owner else {
            return Ok(None);
        };
        let m = self.m;
        let kept = m.and(
            &self.coding.kept(m, id)?,
            &self.coding.valid(m, id, When::Now)?,
        )?;
        let now = m.and(set, &self.coding.valid(m, id, When::Now)?)?;
        let here = m.and(&now, &self.coding.valid(m, id, When::Next)?)?;
        Ok((here == kept).then_some(id))
    }

    fn piece(&self, conjuncts: Vec<Set>) -> Outcome<Piece> {
        let m = self.m;
        let role = |id: VarId| self.relation.variables[id.0 as usize].role;
        let mut kept: BTreeSet<VarId> = self
            .coding
            .state()
            .map(|(id, _)| id)
            .filter(|&id| role(id) == Role::Frozen)
            .collect();
        let mut rest = Vec::new();
        for set in conjuncts {
            match self.framed(&set)? {
                Some(id) => {
                    kept.insert(id);
                }
                None => rest.push(set),
            }
        }
        let bits = |keep: bool| -> Vec<Bit> {
            let chosen = self
                .coding
                .state()
                .filter(|(id, _)| kept.contains(id) == keep);
            chosen.flat_map(|(_, v)| v.bits.iter().copied()).collect()
        };
        let still = bits(true);
        let stays = m.renaming(still.iter().filter_map(|b| Some((b.next?, b.now))))?;
        let renamed = |list: &[Set]| -> Outcome<Vec<Set>> {
            let mut result = Vec::new();
            for set in list {
                let set = m.rename(set, &stays)?;
                if set != m.yes() {
                    result.push(set);
                }
            }
            Ok(result)
        };
        let mut after = renamed(self.after)?;
        for (id, _) in self.coding.state().filter(|(id, _)| !kept.contains(id)) {
            let valid = self.coding.valid(m, id, When::Next)?;
            if valid != m.yes() {
                after.push(valid);
            }
        }
        Ok(Piece {
            conjuncts: renamed(&rest)?,
            after,
            changed: bits(false),
            kept: still,
            inputs: self.inputs.to_vec(),
            part: self.part,
        })
    }
}
