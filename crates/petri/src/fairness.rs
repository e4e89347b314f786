//! Fairness of a net: what texts of the `--fair` option assume of its transitions.
//!
//! An item is a transition: enabled where it can fire, taken when it does. In a coloured net `strong:send`
//! is about every binding of `send` by itself, and `strong:send<1>` about one of them. Where the file has units
//! ([`crate::units`]), one of them is an item too: enabled where some transition can fire that has an arc with one of its
//! places, taken when one does.
//!
//! A run that ends at a dead marking is fair, whatever is assumed: nothing that could have been done was left
//! undone. Engines see the dead marking repeated for ever. No transition is enabled there, so `weak` and
//! `strong` ask for nothing; the conditions of `just` and `compassion` are made to do the same ([`Role`]).

use evenhand_source::{Diagnostic, nearest};
use evenhand_system::fair::{self, AssumptionText, Names, Spec, Target};
use evenhand_system::{
    Assumption, AssumptionKind, Assumptions, Candidate, Fairness, Granularity, ItemSpec, ProcessId,
    PropositionId, Rejected, Signature,
};
use std::collections::HashMap;
use std::sync::Arc;

use crate::body::Packed;

/// What a condition is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Role {
    /// It must hold infinitely often: at a dead marking it is taken to.
    Justice,
    /// It asks for another one if it holds infinitely often: at a dead marking it is taken not to.
    When,
    /// It is what is asked for.
    Then,
}

/// The conditions of `just` and `compassion`, by their texts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conditions(HashMap<(Role, String), PropositionId>);

impl Conditions {
    /// Adds one.
    pub fn insert(&mut self, role: Role, text: &str, proposition: PropositionId) {
        self.0.insert((role, text.to_string()), proposition);
    }

    /// Adds what a text assumes of conditions, if it does.
    pub fn assume(&self, text: &str, spec: &Spec, fairness: &mut Fairness) -> Result<(), Rejected> {
        let kind = match spec {
            Spec::Justice(place) => {
                AssumptionKind::Justice(self.get(Role::Justice, &text[place.clone()])?)
            }
            Spec::Compassion(when, then) => AssumptionKind::Compassion {
                when: self.get(Role::When, &text[when.clone()])?,
                then: self.get(Role::Then, &text[then.clone()])?,
            },
            Spec::All { .. } | Spec::Some(_) => return Ok(()),
        };
        fairness.assumptions.push(Assumption {
            text: text.trim().to_string(),
            source: text.trim().to_string(),
            kind,
        });
        Ok(())
    }

    fn get(&self, role: Role, text: &str) -> Result<PropositionId, Rejected> {
        let known = self.0.get(&(role, text.to_string())).copied();
        known.ok_or_else(|| {
            let message = format!("`{text}` is not part of what was asked");
            Rejected::about(Diagnostic::global(message))
        })
    }
}

/// What texts mean for a net.
pub(crate) struct Meaning {
    pub packed: Arc<Packed>,
    pub conditions: Conditions,
    /// What a text is called where something is wrong with it.
    pub name: &'static str,
}

impl Assumptions for Meaning {
    fn processes(&self) -> (usize, bool) {
        let packed = &self.packed;
        (packed.units.len() + packed.net.transitions.len(), true)
    }

    fn fairness(&self, texts: &[AssumptionText], _: usize) -> Result<Fairness, Rejected> {
        let mut fairness = Fairness::default();
        let mut known = HashMap::new();
        for (text, _) in texts {
            let spec = read(self.signature(), self.name, text)?;
            self.assume(text, &spec, &mut fairness, &mut known)?;
        }
        Ok(fairness)
    }

    fn candidates(&self, by: Granularity, processes: usize) -> Vec<Candidate> {
        if by != Granularity::Label || self.packed.units.is_empty() {
            return fair::candidates(self.signature(), self, by, processes);
        }
        // The statements of units are transitions.
        let transitions = self.packed.net.transitions.iter();
        let signature = Signature {
            processes: transitions.map(|t| t.id.clone()).collect(),
            ..Signature::default()
        };
        fair::candidates(&signature, self, by, processes)
    }
}

/// Reads a text.
pub(crate) fn read(
    signature: &Signature,
    name: &'static str,
    text: &str,
) -> Result<Spec, Rejected> {
    let wrong = |mistake| fair::misunderstood(&signature.files, (name, text), mistake);
    Ok(fair::read(text, Names::Any).map_err(wrong)?)
}

/// The conditions that a text is about.
pub(crate) fn conditions<'t>(text: &'t str, spec: &Spec) -> Vec<(Role, &'t str)> {
    match spec {
        Spec::Justice(place) => vec![(Role::Justice, &text[place.clone()])],
        Spec::Compassion(when, then) => vec![
            (Role::When, &text[when.clone()]),
            (Role::Then, &text[then.clone()]),
        ],
        Spec::All { .. } | Spec::Some(_) => Vec::new(),
    }
}

impl Meaning {
    fn signature(&self) -> &Signature {
        &self.packed.signature
    }

    /// Adds what one text assumes.
    fn assume(
        &self,
        text: &str,
        spec: &Spec,
        fairness: &mut Fairness,
        known: &mut HashMap<(ProcessId, bool), usize>,
    ) -> Result<(), Rejected> {
        let source = text.trim();
        match spec {
            Spec::Justice(_) | Spec::Compassion(..) => {
                self.conditions.assume(text, spec, fairness)?;
            }
            Spec::All { strong, .. } => {
                let all = 0..self.packed.net.transitions.len() as u32;
                let all = all.map(|transition| self.packed.process(transition));
                self.add(source, *strong, all, fairness, known);
            }
            Spec::Some(target) => {
                let list = self.meant(text, target)?;
                self.add(source, target.strong, list.into_iter(), fairness, known);
            }
        }
        Ok(())
    }

    /// The transitions that a text is about, or the unit.
    fn meant(&self, text: &str, target: &Target) -> Result<Vec<ProcessId>, Rejected> {
        let wrong =
            |message: String, help: String| Rejected::about(Diagnostic::global(message).help(help));
        if let Some(label) = &target.label {
            let message = format!("a transition has no label `{}`", &text[label.clone()]);
            let help = "write `weak:TRANSITION` or `strong:TRANSITION`";
            return Err(wrong(message, help.to_string()));
        }
        // An id may end like a number of a process.
        let end = target
            .pid
            .as_ref()
            .map_or(target.name.end, |_| text.trim_end().len());
        let name = text[target.name.start..end].trim();
        let (names, units) = (&self.packed.net.transition_names, &self.packed.units);
        if let Some(list) = names.get(name) {
            let processes = list.iter().map(|&t| self.packed.process(t));
            return Ok(processes.collect());
        }
        let unit = units.iter().position(|(unit, _)| unit == name);
        unit.map(|unit| vec![ProcessId::new(unit)]).ok_or_else(|| {
            let help = match nearest(name, names.keys().map(String::as_str)) {
                Some(hint) => format!("did you mean `{hint}`?"),
                None => format!("the net has {} transitions, none of that name", names.len()),
            };
            let or_unit = if units.is_empty() { "" } else { " or unit" };
            wrong(format!("there is no transition{or_unit} `{name}`"), help)
        })
    }

    /// Adds assumptions about transitions and units, each once.
    fn add(
        &self,
        source: &str,
        strong: bool,
        meant: impl Iterator<Item = ProcessId>,
        fairness: &mut Fairness,
        known: &mut HashMap<(ProcessId, bool), usize>,
    ) {
        for process in meant {
            if known.contains_key(&(process, strong)) {
                continue;
            }
            let place = known.get(&(process, !strong)).copied().unwrap_or_else(|| {
                fairness.items.push(ItemSpec::Process {
                    pid: process,
                    as_partner: true,
                });
                fairness.items.len() - 1
            });
            known.insert((process, strong), place);
            let packed = &self.packed;
            let id = match packed.units.get(process.index()) {
                Some((unit, _)) => unit,
                None => &packed.net.transitions[process.index() - packed.units.len()].id,
            };
            let (word, kind) = match strong {
                true => ("strong", AssumptionKind::Strong(place)),
                false => ("weak", AssumptionKind::Weak(place)),
            };
            fairness.assumptions.push(Assumption {
                text: format!("{word}:{id}"),
                source: source.to_string(),
                kind,
            });
        }
    }
}
