//! Fairness of a net: what texts of the `--fair` option assume of its transitions.
//!
//! An item is a transition: enabled where it can fire, taken when it does. In a coloured net `strong:send`
//! is about every binding of `send` by itself, and `strong:send<1>` about one of them.

use evenhand_source::{Diagnostic, nearest};
use evenhand_system::fair::{self, AssumptionText, Names, Spec, Target};
use evenhand_system::{
    Assumption, AssumptionKind, Assumptions, Candidate, Fairness, Granularity, ItemSpec, ProcessId,
    PropositionId, Rejected, Signature,
};
use std::collections::HashMap;
use std::sync::Arc;

use crate::body::Packed;

/// What texts mean for a net.
pub(crate) struct Meaning {
    pub packed: Arc<Packed>,
    /// The conditions of `just` and `compassion`, by their texts.
    pub conditions: HashMap<String, PropositionId>,
    /// What a text is called where something is wrong with it.
    pub name: &'static str,
}

impl Assumptions for Meaning {
    fn processes(&self) -> (usize, bool) {
        (self.packed.net.transitions.len(), true)
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
        fair::candidates(self.signature(), self, by, processes)
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
pub(crate) fn conditions<'t>(text: &'t str, spec: &Spec) -> Vec<&'t str> {
    match spec {
        Spec::Justice(place) => vec![&text[place.clone()]],
        Spec::Compassion(when, then) => vec![&text[when.clone()], &text[then.clone()]],
        Spec::All { .. } | Spec::Some(_) => Vec::new(),
    }
}

impl Meaning {
    fn signature(&self) -> &Signature {
        &self.packed.signature
    }

    fn condition(&self, text: &str) -> Result<PropositionId, Rejected> {
        self.conditions.get(text).copied().ok_or_else(|| {
            let message = format!("`{text}` is not part of what was asked");
            Rejected::about(Diagnostic::global(message))
        })
    }

    /// Adds what one text assumes.
    fn assume(
        &self,
        text: &str,
        spec: &Spec,
        fairness: &mut Fairness,
        known: &mut HashMap<(u32, bool), usize>,
    ) -> Result<(), Rejected> {
        let source = text.trim();
        let kind = match spec {
            Spec::Justice(place) => AssumptionKind::Justice(self.condition(&text[place.clone()])?),
            Spec::Compassion(when, then) => AssumptionKind::Compassion {
                when: self.condition(&text[when.clone()])?,
                then: self.condition(&text[then.clone()])?,
            },
            Spec::All { strong, .. } => {
                let all = 0..self.packed.net.transitions.len() as u32;
                self.add(source, *strong, all, fairness, known);
                return Ok(());
            }
            Spec::Some(target) => {
                let list = self.transitions(text, target)?;
                self.add(source, target.strong, list.iter().copied(), fairness, known);
                return Ok(());
            }
        };
        fairness.assumptions.push(Assumption {
            text: source.to_string(),
            source: source.to_string(),
            kind,
        });
        Ok(())
    }

    /// The transitions that a text is about.
    fn transitions(&self, text: &str, target: &Target) -> Result<&[u32], Rejected> {
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
        let names = &self.packed.net.transition_names;
        names.get(name).map(Vec::as_slice).ok_or_else(|| {
            let help = match nearest(name, names.keys().map(String::as_str)) {
                Some(hint) => format!("did you mean `{hint}`?"),
                None => format!("the net has {} transitions, none of that name", names.len()),
            };
            wrong(format!("there is no transition `{name}`"), help)
        })
    }

    /// Adds assumptions about transitions, each once.
    fn add(
        &self,
        source: &str,
        strong: bool,
        transitions: impl Iterator<Item = u32>,
        fairness: &mut Fairness,
        known: &mut HashMap<(u32, bool), usize>,
    ) {
        for transition in transitions {
            if known.contains_key(&(transition, strong)) {
                continue;
            }
            let place = known
                .get(&(transition, !strong))
                .copied()
                .unwrap_or_else(|| {
                    fairness.items.push(ItemSpec::Process {
                        pid: ProcessId::new(transition as usize),
                        as_partner: true,
                    });
                    fairness.items.len() - 1
                });
            known.insert((transition, strong), place);
            let id = &self.packed.net.transitions[transition as usize].id;
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
