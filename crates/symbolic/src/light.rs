//! Fewer states for formulas of linear time.
//!
//! **Problem.** A model that schedules its processes by a variable, `sel : 0..n`, has each state
//! n + 1 times, once for each choice of what happens next; and sets of states are that much larger.
//!
//! **Idea.** A variable whose next value nothing constrains, that may begin with any value, and
//! that neither the formula nor the fairness mentions, is an input in disguise: it is chosen anew
//! in each state and matters for the next step alone. Taken as an input it leaves the states; the
//! runs are the same. Formulas of branching time tell such states apart (what `E X p` says depends
//! on the choice), so for them the variable stays.

use std::collections::{BTreeSet, HashMap};

use evenhand_logic::AtomId;
use oxidd::VarNo;

use crate::coding::{Bit, When};
use crate::engine::Symbolic;
use crate::image::Piece;
use crate::manager::{Outcome, Set};

/// The model for formulas of linear time.
pub(crate) struct Light {
    pub pieces: Vec<Piece>,
    pub bits: Vec<Bit>,
    pub init: Set,
    /// The variables that became inputs.
    pub free: Set,
}

impl Symbolic {
    /// Variables whose value is chosen anew in each state, that no one of some sets depends on: for
    /// formulas of linear time they are as good as inputs, which makes states fewer.
    fn free_bits(&self, sets: &[&Set]) -> Outcome<(Vec<Bit>, Set)> {
        let m = &self.m;
        let mut bound: BTreeSet<VarNo> = BTreeSet::new();
        for set in sets.iter().copied().chain(self.fair_sets()) {
            bound.extend(m.support(set));
        }
        let (mut bits, mut all) = (Vec::new(), m.yes());
        for (id, coded) in self.coding.state() {
            let valid = [When::Now, When::Next].map(|when| self.coding.valid(m, id, when));
            let [now, next] = valid;
            let (now, next) = (now?, next?);
            let used = |set: &Set| {
                let support = m.support(set);
                coded.levels(When::Next).any(|v| support.contains(&v))
            };
            let is_tied = self.model.steps.list.iter().any(|step| {
                let piece = &step.piece;
                let kept = piece.kept.iter().any(|b| coded.bits.contains(b));
                let mut all = piece.conjuncts.iter().chain(&piece.after);
                kept || all.any(|set| *set != next && used(set))
            });
            let levels = m.cube(
                coded
                    .levels(When::Now)
                    .collect::<Vec<_>>()
                    .into_iter()
                    .rev(),
            )?;
            let rest = m.and(&m.exists(&self.model.init, &levels)?, &now)?;
            let is_bound = coded.levels(When::Now).any(|v| bound.contains(&v));
            if !is_tied && !is_bound && rest == self.model.init && !coded.bits.is_empty() {
                bits.extend_from_slice(&coded.bits);
                all = m.and(&all, &now)?;
            }
        }
        Ok((bits, all))
    }

    /// The model as it is.
    pub(crate) fn as_it_is(&self, init: &Set) -> Light {
        let steps = self.model.steps.list.iter();
        Light {
            pieces: steps.map(|step| step.piece.clone()).collect(),
            bits: self.model.bits.clone(),
            init: init.clone(),
            free: self.m.yes(),
        }
    }

    fn fair_sets(&self) -> impl Iterator<Item = &Set> {
        let fairness = &self.model.fairness;
        let pairs = fairness.compassion.iter().flat_map(|(p, q)| [p, q]);
        fairness.justice.iter().chain(pairs)
    }

    /// The model with variables that are as good as inputs taken as such.
    pub(crate) fn lighter(&self, atoms: &HashMap<AtomId, Set>, init: &Set) -> Outcome<Light> {
        let m = &self.m;
        let sets: Vec<&Set> = atoms.values().collect();
        let (free, valid) = self.free_bits(&sets)?;
        let cube = m.cube(free.iter().map(|b| b.now).rev())?;
        let mut pieces = Vec::new();
        for step in &self.model.steps.list {
            pieces.push(step.piece.with_inputs(m, &free, &valid)?);
        }
        let bits = self.model.bits.iter().filter(|b| !free.contains(b));
        Ok(Light {
            pieces,
            bits: bits.copied().collect(),
            init: m.exists(init, &cube)?,
            free: cube,
        })
    }
}
