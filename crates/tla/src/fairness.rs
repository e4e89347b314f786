//! Fairness: what the specification says, and what a call adds.
//!
//! `WF_v(A)` and `SF_v(A)` of the specification are items of their own, by the text they have there. A call may add
//! fairness of the steps that are called after an action: `weak:Send`, `strong:Send`, or of all of them.

use std::sync::Arc;

use evenhand_source::{Diagnostic, nearest};
use evenhand_system::fair::{self, AssumptionText, Names, Spec, Target};
use evenhand_system::{
    Assumption, AssumptionKind, Assumptions, Candidate, Fairness, Granularity, ItemSpec, Rejected,
    Signature,
};

/// What texts mean for a specification.
pub(crate) struct Meaning {
    pub signature: Arc<Signature>,
    /// What the specification says: its text, and whether it is strong.
    pub stated: Vec<(String, bool)>,
    /// What a text is called where something is wrong with it.
    pub name: &'static str,
}

impl Assumptions for Meaning {
    fn processes(&self) -> (usize, bool) {
        (self.signature.processes.len(), true)
    }

    fn fairness(&self, texts: &[AssumptionText], _: usize) -> Result<Fairness, Rejected> {
        let mut fairness = Fairness::default();
        for (text, _) in texts {
            match self.stated.iter().position(|(stated, _)| stated == text) {
                Some(place) => {
                    let strong = self.stated[place].1;
                    add(&mut fairness, place, strong, text, text);
                }
                None => self.assume(text, &mut fairness)?,
            }
        }
        Ok(fairness)
    }

    fn candidates(&self, by: Granularity, processes: usize) -> Vec<Candidate> {
        fair::candidates(&self.signature, self, by, processes)
    }
}

fn add(fairness: &mut Fairness, item: usize, strong: bool, text: &str, source: &str) {
    let item = ItemSpec::Own(u32::try_from(item).unwrap_or(u32::MAX));
    let known = fairness.items.iter().position(|other| *other == item);
    let place = known.unwrap_or_else(|| {
        fairness.items.push(item);
        fairness.items.len() - 1
    });
    fairness.assumptions.push(Assumption {
        text: text.to_string(),
        source: source.to_string(),
        kind: match strong {
            true => AssumptionKind::Strong(place),
            false => AssumptionKind::Weak(place),
        },
    });
}

impl Meaning {
    /// Adds what a text of the call assumes.
    fn assume(&self, text: &str, fairness: &mut Fairness) -> Result<(), Rejected> {
        let files = &self.signature.files;
        let wrong = |mistake| fair::misunderstood(files, (self.name, text), mistake);
        let spec = fair::read(text, Names::Any).map_err(wrong)?;
        let source = text.trim();
        let first = self.stated.len();
        let (strong, actions) = match &spec {
            Spec::All { strong, .. } => (*strong, (0..self.signature.processes.len()).collect()),
            Spec::Some(Target { strong, name, .. }) => {
                (*strong, vec![self.action(&text[name.clone()])?])
            }
            Spec::Justice(_) | Spec::Compassion(..) => {
                let message = format!("`{source}`: conditions stand in the specification of TLA+");
                let help = "write `/\\ []<>P` there";
                return Err(Rejected::about(Diagnostic::global(message).help(help)));
            }
        };
        for action in actions {
            let kind = if strong { "strong" } else { "weak" };
            let name = &self.signature.processes[action];
            add(
                fairness,
                first + action,
                strong,
                &format!("{kind}:{name}"),
                source,
            );
        }
        Ok(())
    }

    fn action(&self, name: &str) -> Result<usize, Rejected> {
        let actions = &self.signature.processes;
        actions.iter().position(|own| own == name).ok_or_else(|| {
            let message = format!("there is no action `{name}`");
            let near = nearest(name, actions.iter().map(String::as_str));
            let help = near.map(|near| format!("did you mean `{near}`?"));
            Rejected::about(Diagnostic::global(message).maybe_help(help))
        })
    }
}
