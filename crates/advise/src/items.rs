//! Everything that fairness could be assumed of, with the assumptions of both levels.

use evenhand_system::{Assumption, AssumptionKind, Candidate, Fairness, ItemSpec};

use crate::hitting::Level;

/// The items of a model and their assumptions.
#[derive(Clone, Debug, Default)]
pub struct Items {
    /// What each is called.
    pub names: Vec<String>,
    /// The weak and the strong form of each as texts of the `--fair` option.
    pub texts: Vec<[String; 2]>,
    /// All assumptions: those that stay, then those of the items.
    pub fairness: Fairness,
    /// For each assumption the item and the level it belongs to; none if it stays.
    pub owners: Vec<Option<(usize, Level)>>,
}

impl Items {
    /// The items that candidates are; `fixed` are assumptions that stay.
    pub fn new(fixed: &Fairness, candidates: Vec<Candidate>) -> Items {
        let mut items = Items::default();
        items.fairness.dropped = fixed.dropped.clone();
        items.add(fixed, None);
        for (item, candidate) in candidates.into_iter().enumerate() {
            items.names.push(candidate.name);
            items.texts.push(candidate.texts);
            let [weak, strong] = candidate.fairness;
            items.add(&weak, Some((item, Level::Weak)));
            items.add(&strong, Some((item, Level::Strong)));
        }
        items
    }

    /// Takes over assumptions.
    fn add(&mut self, from: &Fairness, owner: Option<(usize, Level)>) {
        let bounds = [self.fairness.pid_bound, from.pid_bound];
        self.fairness.pid_bound = bounds.into_iter().flatten().min();
        for assumption in &from.assumptions {
            let mut place_of = |spec: &ItemSpec| {
                let all = &mut self.fairness.items;
                all.iter().position(|s| s == spec).unwrap_or_else(|| {
                    all.push(spec.clone());
                    all.len() - 1
                })
            };
            let kind = match assumption.kind {
                AssumptionKind::Weak(item) => AssumptionKind::Weak(place_of(&from.items[item])),
                AssumptionKind::Strong(item) => AssumptionKind::Strong(place_of(&from.items[item])),
                kind => kind,
            };
            self.fairness.assumptions.push(Assumption {
                kind,
                ..assumption.clone()
            });
            self.owners.push(owner);
        }
    }

    /// For each assumption, whether it is part of an assignment.
    pub fn chosen(&self, assignment: &[Level]) -> Vec<bool> {
        let chosen = |owner: &Option<(usize, Level)>| {
            owner.is_none_or(|(item, level)| assignment[item] == level)
        };
        self.owners.iter().map(chosen).collect()
    }

    /// The assumptions of an assignment alone.
    pub fn fairness_of(&self, assignment: &[Level]) -> Fairness {
        let chosen = self.chosen(assignment);
        let all = self.fairness.assumptions.iter().zip(&chosen);
        Fairness {
            assumptions: all.filter(|&(_, &c)| c).map(|(a, _)| a.clone()).collect(),
            ..self.fairness.clone()
        }
    }

    /// An assignment as texts of the `--fair` option, the strong ones first.
    pub fn texts_of(&self, assignment: &[Level]) -> Vec<String> {
        let mut list = Vec::new();
        for wanted in [Level::Strong, Level::Weak] {
            for (texts, &level) in self.texts.iter().zip(assignment) {
                if level == wanted {
                    list.push(texts[usize::from(level == Level::Strong)].clone());
                }
            }
        }
        list
    }
}
