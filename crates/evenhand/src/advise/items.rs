//! What fairness is asked about: the items of a model at a granularity, each weak and strong.
//!
//! An item here is what one can paste into the model: a process type (all its instances together), one
//! instance, or the statements at a label of a type. At the level of labels each process type as a whole
//! is an item too, since the statements without a label belong to no other; it stands before its labels.
//!
//! All assumptions of all items go into one [`Fairness`], weak and strong side by side (together with what is
//! assumed anyway), so that every step carries the marks of all of them. An assignment is then a choice
//! among the assumptions, and nothing is explored twice.

use evenhand_system::{Assumption, AssumptionKind, Fairness, ItemSpec};

use super::hitting::Level;
use crate::model::Model;
use crate::question::Wrong;

/// What one item is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Granularity {
    /// All instances of a process type.
    #[default]
    Type,
    /// One process.
    Instance,
    /// The statements at a label of a process type; and the type as a whole.
    Label,
}

impl Granularity {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Granularity::Type => "type",
            Granularity::Instance => "instance",
            Granularity::Label => "label",
        }
    }
}

/// The items of a model and their assumptions.
#[derive(Clone, Debug, Default)]
pub struct Items {
    /// What each is called in `--fair weak:…` and `--fair strong:…`.
    pub names: Vec<String>,
    /// The weak and the strong form of each as texts of the `--fair` option.
    pub labels: Vec<[String; 2]>,
    /// All assumptions: those that stay, then those of the items.
    pub fairness: Fairness,
    /// For each assumption the item and the level it belongs to; none if it stays.
    pub owners: Vec<Option<(usize, Level)>>,
}

impl Items {
    /// The items of a model; `fixed` are the texts of assumptions that stay.
    ///
    /// # Errors
    /// If one of those has no meaning.
    pub fn new(
        model: &mut Model,
        by: Granularity,
        fixed: &[String],
        bound: usize,
    ) -> Result<Items, Wrong> {
        let fixed: Vec<_> = fixed.iter().map(|text| (text.clone(), None)).collect();
        // Expressions may change the numbers of actions: they come first, and are asked again.
        model.fairness(&fixed, bound)?;
        let fixed = model.fairness(&fixed, bound)?;
        let mut items = Items::default();
        items.fairness.dropped = fixed.dropped.clone();
        items.add(&fixed, |_| true, None);
        let mut known: Vec<Vec<ItemSpec>> = Vec::new();
        for name in targets(model, by) {
            let mut resolve = |kind: &str| {
                let text = (format!("{kind}:{name}"), None);
                model.fairness(&[text], bound)
            };
            // A type whose name cannot be written in an assumption has no item.
            let (Ok(weak), Ok(strong)) = (resolve("weak"), resolve("strong")) else {
                continue;
            };
            let single = by == Granularity::Instance;
            let count = if single { weak.assumptions.len() } else { 1 };
            for number in 0..count {
                let chosen = |place: usize| !single || place == number;
                let specs: Vec<ItemSpec> = specs(&weak, &chosen);
                if specs.is_empty() || known.contains(&specs) {
                    continue;
                }
                let item = items.names.len();
                items.names.push(match single {
                    true => instance(&weak.assumptions[number]),
                    false => name.clone(),
                });
                let name = &items.names[item];
                items
                    .labels
                    .push(["weak", "strong"].map(|level| format!("{level}:{name}")));
                items.add(&weak, chosen, Some((item, Level::Weak)));
                items.add(&strong, chosen, Some((item, Level::Strong)));
                known.push(specs);
            }
        }
        Ok(items)
    }

    /// Takes over assumptions, by their places.
    pub(super) fn add(
        &mut self,
        from: &Fairness,
        chosen: impl Fn(usize) -> bool,
        owner: Option<(usize, Level)>,
    ) {
        let bounds = [self.fairness.pid_bound, from.pid_bound];
        self.fairness.pid_bound = bounds.into_iter().flatten().min();
        for (place, assumption) in from.assumptions.iter().enumerate() {
            if !chosen(place) {
                continue;
            }
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
    pub fn texts(&self, assignment: &[Level]) -> Vec<String> {
        let mut list = Vec::new();
        for wanted in [Level::Strong, Level::Weak] {
            for (label, &level) in self.labels.iter().zip(assignment) {
                if level == wanted {
                    list.push(label[usize::from(level == Level::Strong)].clone());
                }
            }
        }
        list
    }
}

/// The names that assumptions can be about.
fn targets(model: &Model, by: Granularity) -> Vec<String> {
    let signature = model.signature();
    let mut names = Vec::new();
    for (process, name) in signature.processes.iter().enumerate() {
        names.push(name.clone());
        if by != Granularity::Label {
            continue;
        }
        let own = signature.actions.iter();
        for action in own.filter(|a| usize::from(a.process) == process) {
            for label in &action.labels {
                let text = format!("{name}@{label}");
                if !names.contains(&text) {
                    names.push(text);
                }
            }
        }
    }
    names
}

fn specs(fairness: &Fairness, chosen: &dyn Fn(usize) -> bool) -> Vec<ItemSpec> {
    let all = fairness.assumptions.iter().enumerate();
    let own = all.filter(|(place, _)| chosen(*place));
    own.filter_map(|(_, assumption)| match assumption.kind {
        AssumptionKind::Weak(item) => Some(fairness.items[item].clone()),
        _ => None,
    })
    .collect()
}

/// The name of the instance that an assumption is about: `phil[2]` of `weak:phil[2]`.
fn instance(assumption: &Assumption) -> String {
    let text = assumption.text.as_str();
    text.split_once(':')
        .map_or(text, |(_, name)| name)
        .to_string()
}
