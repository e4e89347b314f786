//! Fairness of a coloured net that is not unfolded.
//!
//! It means what it means for the unfolded one: `strong:send` is about every binding of `send` by itself, and `strong:send<1>`
//! about one of them. An item is the number of a binding. The bindings that a guard forbids are left out; those
//! that can never fire for another reason are not, since they ask for nothing.

use std::collections::HashMap;
use std::sync::Arc;

use evenhand_source::{Diagnostic, nearest};
use evenhand_system::fair::{self, AssumptionText, Spec, Target};
use evenhand_system::{
    Assumption, AssumptionKind, Assumptions, Candidate, Fairness, Granularity, ItemSpec, Rejected,
    Signature,
};

use super::ColouredNet;
use super::body::Folded;
use crate::fairness::{Conditions, read};

/// How many bindings may be assumed to be fair.
const MOST_ITEMS: usize = 1 << 12;

impl ColouredNet {
    /// A transition with the values of its variables.
    pub fn binding_name(&self, pattern: usize, values: &[u32]) -> String {
        let own = &self.patterns[pattern];
        let domain: Vec<usize> = own.slots.iter().map(|&s| self.sorts.slot_sort(s)).collect();
        self.sorts.named(&own.id, &domain, values)
    }

    /// The bindings of a transition that its guard allows; none if it has too many.
    fn allowed(&self, pattern: usize) -> Option<Vec<Vec<u32>>> {
        let own = &self.patterns[pattern];
        let sizes: Vec<u32> = own.slots.iter().map(|&s| self.sorts.slot_size(s)).collect();
        let count = sizes.iter().try_fold(1usize, |all, &size| {
            all.checked_mul(size as usize)
                .filter(|n| *n <= 16 * MOST_ITEMS)
        })?;
        let mut binding = vec![0; self.sorts.slot_count()];
        let mut list = Vec::new();
        for number in 0..count {
            let (mut values, mut rest) = (vec![0; sizes.len()], number);
            for (value, &size) in values.iter_mut().zip(&sizes).rev() {
                (*value, rest) = (rest as u32 % size, rest / size as usize);
            }
            let slots = own.slots.iter().zip(&values);
            slots.for_each(|(&slot, &value)| binding[slot] = value);
            let mut guard = own.guard.iter();
            if guard.all(|part| part.holds(&self.sorts, &binding)) {
                list.push(values);
            }
        }
        Some(list)
    }
}

/// What texts mean for a net.
pub(crate) struct FoldedMeaning {
    pub folded: Arc<Folded>,
    pub conditions: Conditions,
    /// What a text is called where something is wrong with it.
    pub name: &'static str,
}

impl Assumptions for FoldedMeaning {
    fn processes(&self) -> (usize, bool) {
        (self.folded.net.transitions.len(), true)
    }

    fn fairness(&self, texts: &[AssumptionText], _: usize) -> Result<Fairness, Rejected> {
        let mut fairness = Fairness::default();
        let mut known = HashMap::new();
        for (text, _) in texts {
            let spec = read(self.signature(), self.name, text)?;
            match &spec {
                Spec::Justice(_) | Spec::Compassion(..) => {
                    self.conditions.assume(text, &spec, &mut fairness)?;
                }
                Spec::All { strong, .. } => {
                    for pattern in 0..self.folded.net.transitions.len() {
                        let list = self.all_of(pattern)?;
                        self.add((text, *strong), pattern, list, &mut fairness, &mut known)?;
                    }
                }
                Spec::Some(target) => {
                    let (pattern, list) = self.meant(text, target)?;
                    self.add(
                        (text, target.strong),
                        pattern,
                        list,
                        &mut fairness,
                        &mut known,
                    )?;
                }
            }
        }
        Ok(fairness)
    }

    fn candidates(&self, by: Granularity, processes: usize) -> Vec<Candidate> {
        fair::candidates(self.signature(), self, by, processes)
    }
}

fn wrong(message: String, help: &str) -> Rejected {
    Rejected::about(Diagnostic::global(message).help(help))
}

/// Too many bindings.
fn too_many(id: &str) -> Rejected {
    let message = format!("`{id}` has too many bindings to assume fairness of each by itself");
    let help = format!("name those that are needed, such as `strong:{id}<VALUES>`");
    wrong(message, &help)
}

impl FoldedMeaning {
    fn signature(&self) -> &Signature {
        &self.folded.signature
    }

    fn all_of(&self, pattern: usize) -> Result<Vec<Vec<u32>>, Rejected> {
        let net = &self.folded.rules.net;
        let list = net.allowed(pattern);
        list.ok_or_else(|| too_many(&net.patterns[pattern].id))
    }

    /// The transition that a text is about, and its bindings.
    fn meant(&self, text: &str, target: &Target) -> Result<(usize, Vec<Vec<u32>>), Rejected> {
        if let Some(label) = &target.label {
            let message = format!("a transition has no label `{}`", &text[label.clone()]);
            return Err(wrong(
                message,
                "write `weak:TRANSITION` or `strong:TRANSITION`",
            ));
        }
        // An id may end like a number of a process.
        let name = target.name.start..text.trim_end().len();
        let name = text[name].trim();
        let net = &self.folded.rules.net;
        let mut patterns = net.patterns.iter();
        if let Some(pattern) = patterns.position(|pattern| pattern.id == name) {
            return Ok((pattern, self.all_of(pattern)?));
        }
        for (pattern, own) in net.patterns.iter().enumerate() {
            let values = name.strip_prefix(&*own.id);
            let values = values.and_then(|rest| rest.strip_prefix('<')?.strip_suffix('>'));
            let Some(values) = values else {
                continue;
            };
            let domain: Vec<usize> = own.slots.iter().map(|&s| net.sorts.slot_sort(s)).collect();
            if let Some(values) = net.sorts.values(&domain, values) {
                return Ok((pattern, vec![values]));
            }
        }
        let ids = net.patterns.iter().map(|pattern| pattern.id.as_str());
        let help = match nearest(name, ids) {
            Some(hint) => format!("did you mean `{hint}`?"),
            None => format!(
                "the net has {} transitions, none of that name",
                net.patterns.len()
            ),
        };
        Err(wrong(format!("there is no transition `{name}`"), &help))
    }

    /// Adds assumptions about bindings, each once.
    fn add(
        &self,
        (text, strong): (&str, bool),
        pattern: usize,
        list: Vec<Vec<u32>>,
        fairness: &mut Fairness,
        known: &mut HashMap<(u32, bool), usize>,
    ) -> Result<(), Rejected> {
        let rules = &self.folded.rules;
        for values in list {
            let number = rules.numbers.binding(&rules.net, pattern, &values);
            let Some(number) = number.filter(|_| fairness.items.len() < MOST_ITEMS) else {
                return Err(too_many(&rules.net.patterns[pattern].id));
            };
            if known.contains_key(&(number, strong)) {
                continue;
            }
            let before = known.get(&(number, !strong)).copied();
            let place = before.unwrap_or_else(|| {
                fairness.items.push(ItemSpec::Own(number));
                fairness.items.len() - 1
            });
            known.insert((number, strong), place);
            let (word, kind) = match strong {
                true => ("strong", AssumptionKind::Strong(place)),
                false => ("weak", AssumptionKind::Weak(place)),
            };
            fairness.assumptions.push(Assumption {
                text: format!("{word}:{}", rules.net.binding_name(pattern, &values)),
                source: text.trim().to_string(),
                kind,
            });
        }
        Ok(())
    }
}
