//! Runs that show why a formula of branching time is violated.
//!
//! The run that is shown is one for an outermost quantifier: `A f` that is false has a run that breaks
//! `f`, `E f` that is true where it must not be has a run that satisfies `f`; best one that shows the
//! inner quantifiers too, where there is one. It is found as for formulas of linear time, by other code
//! than the verdict: if that code finds none, something is wrong and said so. `E f` that is false has
//! no run to show; then the initial state is shown.

use std::collections::HashMap;

use evenhand_explicit::ctl_star::{Labels, Outermost};
use evenhand_explicit::state_set::StateSet;
use evenhand_explicit::store::StateId;
use evenhand_logic::{FormulaId, Formulas, Node, Quantifier, print};
use evenhand_system::{Explicit, Formula, Question, What};
use evenhand_witness::{Counterexample, replay};

use super::labelled::Labelled;
use super::linear;
use crate::answer::{CheckError, Verdict};
use crate::case::{Case, Task, propositions_of};
use crate::listener::{Listener, Quiet};

/// What the state is called that the run is to begin with.
const BEGINS: &str = "the initial state";

/// A run that shows why a formula is violated.
pub(super) fn show(
    case: &Case<'_>,
    task: &Task,
    labels: &Labels,
    listener: &mut dyn Listener,
) -> Result<Option<Counterexample>, CheckError> {
    let What::Branching(formula) = &task.question.what else {
        return Ok(None);
    };
    let Some(at) = labels.initial.iter().position(|&(_, holds)| !holds) else {
        return Ok(None);
    };
    // Best one run that shows inner quantifiers too.
    if let Some(question) = refuting(&task.question, formula, labels)
        && let Verdict::Violated(Some(run)) = decided(case, None, question, listener)?
    {
        return Ok(Some(*run));
    }
    let store = &formula.store;
    let start = labels.initial[at].0;
    // `A f` that is false and `E f` that is true have runs; one that decides, if any does.
    let has_run = |part: &&Outermost| match store.node(part.formula) {
        Node::Path(quantifier, _) => (*quantifier == Quantifier::Exists) == part.holds[at],
        _ => false,
    };
    let is_clear = labels.outermost.iter().any(|part| part.decisive[at]);
    let mut parts = labels.outermost.iter().filter(has_run);
    let chosen = parts.find(|part| part.decisive[at] || !is_clear);
    let Some(part) = chosen.map(|part| part.formula) else {
        return no_run(case, start, formula, labels, at).map(Some);
    };
    let Node::Path(quantifier, body) = *store.node(part) else {
        return Ok(None);
    };
    let system = labelled(case, labels, start)?;
    let last = labels.inner.len();
    let stands = |part: FormulaId| {
        let known = labels.inner.iter().position(|(known, _)| *known == part)?;
        let text = print(store, part, formula.spelling);
        Some((text, Labelled::proposition(known)))
    };
    let own = formula.part(body, &stands);
    let (mut store, mut asked) = (Formulas::clone(&own.store), own.id);
    let mut atoms = own.atoms.to_vec();
    if quantifier == Quantifier::Exists {
        asked = store.not(asked);
    }
    if part != formula.id {
        let begins = store.host_atom(BEGINS);
        atoms.push(Labelled::proposition(last));
        asked = store.implies(begins, asked);
    }
    let text = task.question.text.clone().unwrap_or_default();
    let linear = Formula::new(store, asked, atoms);
    let question = Question::linear(&task.question.name, text, linear);
    match decided(case, Some(&system), question, listener)? {
        Verdict::Violated(run) => Ok(run.map(|mut run| {
            // Where the run begins is no reason.
            run.why.retain(|why| !why.contains(&format!("`{BEGINS}`")));
            *run
        })),
        Verdict::Holds => Err(CheckError::broken(
            "no run shows what the labels of the states say",
        )),
        Verdict::Unknown(_) => Ok(None),
    }
}

/// The system with the labels as propositions; the last one tells where the run is to begin. States
/// that differ in their inputs alone are the same to formulas.
fn labelled<'c>(
    case: &Case<'c>,
    labels: &Labels,
    start: StateId,
) -> Result<Labelled<'c>, CheckError> {
    let space = case.space()?;
    let mut numbers = HashMap::new();
    let mut bytes = Vec::new();
    for state in 0..space.len() {
        space.load(StateId::new(state as u32), &mut bytes);
        numbers.insert(bytes.clone(), state);
    }
    let mut sets: Vec<StateSet> = labels.inner.iter().map(|(_, set)| set.clone()).collect();
    let view = case.view;
    let key = |bytes: &[u8]| match view.inputs.is_empty() {
        true => bytes.to_vec(),
        false => view.body.without_inputs(&view.inputs, bytes),
    };
    space.load(start, &mut bytes);
    let wanted = key(&bytes);
    sets.push(StateSet::of(space.len(), |state| {
        let mut bytes = Vec::new();
        space.load(StateId::new(state as u32), &mut bytes);
        key(&bytes) == wanted
    }));
    Ok(Labelled {
        system: case.system()?,
        numbers,
        labels: sets,
    })
}

/// The question whether one run refutes a formula with inner quantifiers, if one can.
fn refuting(question: &Question, formula: &Formula, labels: &Labels) -> Option<Question> {
    if labels.inner.is_empty() {
        return None;
    }
    let linear = crate::bad_runs::without_quantifiers(formula)?;
    let text = question.text.clone().unwrap_or_default();
    Some(Question::linear(&question.name, text, linear))
}

/// The verdict on a question of linear time about a system that looks like this one.
fn decided(
    case: &Case<'_>,
    system: Option<&dyn Explicit>,
    question: Question,
    listener: &mut dyn Listener,
) -> Result<Verdict, CheckError> {
    let beside = case.beside(system, propositions_of([&question]));
    let result = linear::answer(&beside, &Task::new(question), &mut Quiet(listener))?;
    Ok(result.verdict)
}

/// The initial state alone, where no run can show anything.
fn no_run(
    case: &Case<'_>,
    start: StateId,
    formula: &Formula,
    labels: &Labels,
    at: usize,
) -> Result<Counterexample, CheckError> {
    let mut bytes = Vec::new();
    case.space()?.load(start, &mut bytes);
    let mut run = replay(case.system()?, &[bytes], None)?;
    for part in labels.outermost.iter().filter(|p| !p.holds[at]) {
        if let Node::Path(Quantifier::Exists, body) = formula.store.node(part.formula) {
            let text = print(&formula.store, *body, formula.spelling);
            run.why
                .push(format!("no fair run from here satisfies `{text}`"));
        }
    }
    Ok(run)
}
