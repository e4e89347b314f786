//! What fairness could be assumed of in a system of processes: types, instances, labels.

use crate::assumption::{Assumption, AssumptionKind, Fairness};
use crate::signature::{ItemSpec, Signature};
use crate::specification::{Assumptions, Candidate, Granularity};

/// The candidates of a system of processes, each about other items than those before it.
pub fn candidates(
    signature: &Signature,
    meaning: &dyn Assumptions,
    by: Granularity,
    processes: usize,
) -> Vec<Candidate> {
    let mut list: Vec<Candidate> = Vec::new();
    let mut known: Vec<Vec<ItemSpec>> = Vec::new();
    for name in targets(signature, by) {
        let resolve = |kind: &str| {
            let text = (format!("{kind}:{name}"), None);
            meaning.fairness(&[text], processes)
        };
        // A type whose name cannot be written in an assumption is no candidate.
        let (Ok(weak), Ok(strong)) = (resolve("weak"), resolve("strong")) else {
            continue;
        };
        let single = by == Granularity::Instance;
        let count = if single { weak.assumptions.len() } else { 1 };
        for number in 0..count {
            let place = single.then_some(number);
            let items = items(&weak, place);
            if items.is_empty() || known.contains(&items) {
                continue;
            }
            let name = match place {
                Some(place) => instance(&weak.assumptions[place]),
                None => name.clone(),
            };
            list.push(Candidate {
                texts: ["weak", "strong"].map(|level| format!("{level}:{name}")),
                name,
                fairness: [only(&weak, place), only(&strong, place)],
            });
            known.push(items);
        }
    }
    list
}

/// The names that assumptions can be about.
fn targets(signature: &Signature, by: Granularity) -> Vec<String> {
    let mut names = Vec::new();
    for (process, name) in signature.processes.iter().enumerate() {
        names.push(name.clone());
        if by != Granularity::Label {
            continue;
        }
        let own = signature.actions.iter();
        for action in own.filter(|action| action.process.index() == process) {
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

/// The assumption at a place, or all of them.
fn only(fairness: &Fairness, place: Option<usize>) -> Fairness {
    let mut fairness = fairness.clone();
    if let Some(place) = place {
        fairness.assumptions = fairness
            .assumptions
            .into_iter()
            .skip(place)
            .take(1)
            .collect();
    }
    fairness
}

fn items(weak: &Fairness, place: Option<usize>) -> Vec<ItemSpec> {
    let assumptions = only(weak, place).assumptions.into_iter();
    let items = assumptions.filter_map(|assumption| match assumption.kind {
        AssumptionKind::Weak(item) => Some(weak.items[item].clone()),
        _ => None,
    });
    items.collect()
}

/// The name of the instance that an assumption is about: `phil[2]` of `weak:phil[2]`.
fn instance(assumption: &Assumption) -> String {
    let text = assumption.text.as_str();
    text.split_once(':')
        .map_or(text, |(_, name)| name)
        .to_string()
}
