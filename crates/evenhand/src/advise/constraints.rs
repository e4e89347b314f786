//! Which of its declared constraints does an SMV model need?
//!
//! An item is a `JUSTICE` or `COMPASSION` constraint of the model. Compassion of (p, q), which says
//! that q comes again and again if p does, has a weaker form: justice of `!p | q`, which asks for q
//! only where p stays. That is the *weak* level of the item; the constraint as declared is the *strong*
//! one. Justice has nothing in between: both its levels say the same, so that no minimal assignment has
//! the strong one. With this the search for minimal assignments is the one for processes.

use std::time::Instant;

use evenhand_source::Diagnostic;
use evenhand_system::{Assumption, AssumptionKind, Fairness, PropositionId};

use super::advisor::Advisor;
use super::hitting::Level;
use super::items::Items;
use super::{AdviseOptions, AdviseReport, RUN_BUDGET};
use crate::check::{CheckError, Deadlock, Listener};
use crate::question::{Question, Wrong};
use crate::smv::{Smv, conditions, linear_question};

/// What an item is called in the report.
pub const CONSTRAINT: &str = "constraint";

/// Advice on the properties of linear time of an SMV model.
pub(super) fn advise(
    smv: &mut Smv,
    options: &AdviseOptions,
    listener: &mut dyn Listener,
) -> Result<AdviseReport, CheckError> {
    let mut options = options.clone();
    let check = &mut options.check;
    let deadline = check.limit_time.map(|limit| Instant::now() + limit);
    check.budget = check.budget.or(Some(RUN_BUDGET));
    if check.deadlock == Deadlock::Usual {
        check.deadlock = Deadlock::Ignore;
    }
    let mut notes = Vec::new();
    let questions = questions(smv, &options, &mut notes)?;
    let fixed = smv.fairness(false, &options.check.fair)?;
    let declared = smv.model.fairness();
    let (weakened, always) = smv.model.weakened();
    smv.changed();
    let items = items(&declared, &weakened, always, &fixed);
    let mut read: Vec<PropositionId> = questions.iter().flat_map(Question::reads).collect();
    read.extend(conditions(&items.fairness));
    let inputs = smv.model.inputs_read(read);
    let system = smv.model.system_reading(&inputs)?;
    let advisor = Advisor {
        system: &system,
        questions: &questions,
        items: &items,
        options: &options,
        deadline,
        inputs: !inputs.is_empty(),
    };
    let advice = advisor.advise(listener)?.unwrap_or_default();
    Ok(AdviseReport {
        by: CONSTRAINT,
        items: items.names.clone(),
        advice,
        notes,
    })
}

/// What is asked: formulas of linear time.
fn questions(
    smv: &mut Smv,
    options: &AdviseOptions,
    notes: &mut Vec<String>,
) -> Result<Vec<Question>, CheckError> {
    let check = &options.check;
    let all: Vec<String> = smv
        .model
        .properties
        .iter()
        .map(|p| p.name.clone())
        .collect();
    let mut wanted = check.properties.clone();
    let everything = wanted.is_empty() && (check.formulas.is_empty() || options.together);
    if everything {
        wanted.clone_from(&all);
    }
    if let Some(name) = wanted.iter().find(|name| !all.contains(*name)) {
        return Err(CheckError::UnknownProperty(name.clone(), all));
    }
    for (number, text) in check.formulas.iter().enumerate() {
        let name = format!("formula_{number}");
        let asked = smv.model.ask(&name, evenhand_smv::Asked::Ltl, text);
        asked.map_err(Wrong::elsewhere)?;
        wanted.push(name);
    }
    smv.changed();
    let mut questions = Vec::new();
    for name in wanted {
        match linear_question(&smv.model, &name) {
            Some(question) => questions.push(question),
            None if everything => {
                notes.push(format!("`{name}` is no LTLSPEC: there is no advice on it"))
            }
            None => {
                let message = format!("`{name}` is no LTLSPEC");
                let help = "advice is about LTLSPEC properties and --ltl formulas";
                return Err(CheckError::Wrong(Wrong {
                    files: None,
                    diagnostics: vec![Diagnostic::global(message).help(help)],
                }));
            }
        }
    }
    Ok(questions)
}

/// The constraints of a model as items.
fn items(
    declared: &Fairness,
    weakened: &[PropositionId],
    always: PropositionId,
    fixed: &Fairness,
) -> Items {
    let mut items = Items::default();
    items.add(fixed, |_| true, None);
    let mut weaker = weakened.iter();
    for assumption in &declared.assumptions {
        let (weak, strong) = match assumption.kind {
            AssumptionKind::Compassion { .. } => match weaker.next() {
                Some(&weak) => (AssumptionKind::Justice(weak), assumption.kind),
                None => continue,
            },
            AssumptionKind::Justice(then) => {
                let when = always;
                (assumption.kind, AssumptionKind::Compassion { when, then })
            }
            AssumptionKind::Weak(_) | AssumptionKind::Strong(_) => continue,
        };
        // The same constraint twice is one.
        if items.names.contains(&assumption.text) {
            continue;
        }
        let item = items.names.len();
        items.names.push(assumption.text.clone());
        items
            .labels
            .push([weaker_text(&assumption.text), assumption.text.clone()]);
        for (level, kind) in [(Level::Weak, weak), (Level::Strong, strong)] {
            let text = items.labels[item][usize::from(level == Level::Strong)].clone();
            let one = Fairness {
                assumptions: vec![Assumption {
                    source: text.clone(),
                    text,
                    kind,
                }],
                ..Fairness::default()
            };
            items.add(&one, |_| true, Some((item, level)));
        }
    }
    items
}

/// The weak form of a constraint as a text of the `--fair` option.
fn weaker_text(text: &str) -> String {
    let pair = text.strip_prefix("compassion:");
    match pair.and_then(|pair| pair.split_once("=>")) {
        Some((when, then)) => format!("just:!({}) | ({})", when.trim(), then.trim()),
        None => text.to_string(),
    }
}
