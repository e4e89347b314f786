//! The meaning of a small model, by listing everything.
//!
//! All states are listed with the evaluator of expressions. A shortest counterexample is found by listing all
//! paths of growing length that return to one of their positions, and evaluating fairness and formula on
//! each by their definitions. Nothing is shared with the engine.

use std::collections::BTreeMap;

use evenhand_logic::{FormulaId, Formulas, Lasso, evaluate};
use evenhand_smv::SmvModel;
use evenhand_source::Files;
use evenhand_system::compose::{FairSystem, Valuation};
use evenhand_system::fairness::PropositionId;
use evenhand_system::relation::{Enumerated, Relation};

pub fn load(text: &str) -> Option<SmvModel> {
    let mut files = Files::default();
    let file = files.add("test.smv", text);
    evenhand_smv::load(files, file).ok()
}

/// A model state by state.
pub struct Graph {
    pub states: Vec<Valuation>,
    pub successors: Vec<Vec<usize>>,
    pub initial: Vec<usize>,
    /// The least number of steps to each state.
    pub distance: Vec<usize>,
    /// For each proposition, where it holds.
    pub labels: Vec<Vec<bool>>,
    relation: Relation,
}

impl Graph {
    /// Explores a relation without inputs, if it is small and everything is defined.
    pub fn new(relation: &Relation, most: usize) -> Option<Graph> {
        let system = Enumerated::new(relation.clone()).ok()?;
        let mut known: BTreeMap<Valuation, usize> = BTreeMap::new();
        let mut states: Vec<Valuation> = system.initial_states().ok()?.into_iter().collect();
        let initial: Vec<usize> = (0..states.len()).collect();
        let mut distance = vec![0; states.len()];
        known.extend(states.iter().cloned().zip(0..));
        let mut successors = Vec::new();
        let mut at = 0;
        while at < states.len() {
            let mut list = Vec::new();
            for part in 0..relation.trans.len() {
                for target in system.successors(part, &states[at]).ok()? {
                    let number = *known.entry(target.clone()).or_insert_with(|| {
                        states.push(target);
                        distance.push(distance[at] + 1);
                        states.len() - 1
                    });
                    list.push(number);
                }
            }
            list.sort_unstable();
            list.dedup();
            successors.push(list);
            at += 1;
            if states.len() > most {
                return None;
            }
        }
        let ids = (0..relation.propositions.len() as u32).map(PropositionId);
        let labels = ids.map(|id| states.iter().map(|s| system.holds(id, s)).collect());
        Some(Graph {
            labels: labels.collect(),
            states,
            successors,
            initial,
            distance,
            relation: relation.clone(),
        })
    }

    fn label(&self, id: PropositionId, state: usize) -> bool {
        self.labels[id.0 as usize][state]
    }

    /// Whether a path that returns to one of its positions is fair and breaks a formula.
    pub fn breaks(
        &self,
        path: &[usize],
        turn: usize,
        (store, formula): (&Formulas, FormulaId),
        propositions: &[PropositionId],
    ) -> bool {
        let cycle = &path[turn..];
        let met = |id: PropositionId| cycle.iter().any(|&state| self.label(id, state));
        let is_just = self.relation.justice.iter().all(|&id| met(id));
        let mut pairs = self.relation.compassion.iter();
        if !is_just || !pairs.all(|pair| !met(pair.when) || met(pair.then)) {
            return false;
        }
        let lasso = Lasso {
            prefix: turn,
            cycle: cycle.len(),
        };
        let holds = evaluate(store, formula, lasso, &|position, atom| {
            self.label(propositions[atom.index()], path[position])
        });
        holds == Ok(false)
    }

    /// Whether a run of exactly so many steps breaks a formula; none if there are too many runs.
    pub fn broken_after(
        &self,
        steps: usize,
        formula: (&Formulas, FormulaId),
        propositions: &[PropositionId],
    ) -> Option<bool> {
        let mut tried = 0;
        for &first in &self.initial {
            let mut path = vec![first];
            let mut next = vec![0];
            while let (Some(&last), Some(choice)) = (path.last(), next.last_mut()) {
                if path.len() == steps {
                    tried += 1;
                    if tried > 50_000 {
                        return None;
                    }
                    for turn in 0..steps {
                        let returns = self.successors[last].contains(&path[turn]);
                        if returns && self.breaks(&path, turn, formula, propositions) {
                            return Some(true);
                        }
                    }
                } else if let Some(&target) = self.successors[last].get(*choice) {
                    *choice += 1;
                    path.push(target);
                    next.push(0);
                    continue;
                }
                path.pop();
                next.pop();
            }
        }
        Some(false)
    }
}
