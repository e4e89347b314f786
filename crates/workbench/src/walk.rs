//! A path through the states, choice by choice.
//!
//! The page keeps a path as a list of numbers: which initial state, then which successor each time. A call goes along it
//! on the model and tells where it leads: the variables, the steps from there, who cannot move and why, what
//! is enabled of the fairness that is assumed, and where the automaton of the property can be. Nothing is
//! kept between calls; going back is a shorter path.

use std::sync::Arc;

use evenhand::Model;
use evenhand_report::html::picture;
use evenhand_report::json::property;
use evenhand_report::recorded::{JsonScript, Recorded};
use evenhand_source::{Files, Span, spend};
use evenhand_system::explicit::Value;
use evenhand_system::{
    Asking, AssumptionKind, Body, Explicit, Explorer, Fairness, Inquiry, ProcessId, Successors,
};
use evenhand_verify::{FEW, LinearQuestion, PropertyResult};
use evenhand_witness::{TraceStep, follow as follow_script, possible, tell_state, tell_successor};
use serde_json::{Value as Json, json};

use crate::reading::unresolved;

/// More steps out of a state are counted, not told.
const MOST_CHOICES: usize = 150;

/// More processes are not told.
const MOST_PROCESSES: usize = 256;

/// A path has at most so many steps.
const MOST_STEPS: usize = 20_000;

type Variables = Vec<(String, Value)>;

/// A system to walk in: with the propositions of what is asked, and the fairness that is assumed.
pub(crate) struct Place {
    pub body: Arc<dyn Body>,
    pub inquiry: Inquiry,
    pub fairness: Fairness,
}

impl Place {
    /// The system of a model under a request.
    ///
    /// # Errors
    /// If the request has no meaning; in words.
    pub fn of(model: &Model, asking: &Asking) -> Result<Place, String> {
        let inquiry = asking.resolve(model.specification()).map_err(|error| {
            let first = unresolved(&error, &model.signature().files);
            let message = first.first().and_then(|d| d["message"].as_str());
            message.unwrap_or("the question has no meaning").to_string()
        })?;
        let (bound, is_certain) = inquiry.meaning.processes();
        let processes = if is_certain { bound } else { FEW };
        let fairness = inquiry.meaning.fairness(&inquiry.assumptions, processes);
        let fairness = fairness.map_err(|rejected| rejected.to_string())?;
        Ok(Place {
            body: Arc::clone(&inquiry.body),
            inquiry,
            fairness,
        })
    }

    /// The system state by state.
    ///
    /// # Errors
    /// Why it cannot be had; in words.
    pub fn system(&self) -> Result<&dyn Explicit, String> {
        self.body.explicit().map_err(|refusal| refusal.to_string())
    }
}

/// Goes along a path and tells where it leads. A path that the model does not have is cut where it leaves it.
pub(crate) fn walk(model: &Model, asking: &Asking, path: &[usize]) -> Result<Json, String> {
    let place = Place::of(model, asking)?;
    let system = place.system()?;
    let mut explorer = system.explorer(&place.fairness.items);
    let mut out = Successors::new();
    explorer.initial(&mut out);
    let starts = out.len();
    // One initial state is no choice.
    let path: Vec<usize> = match (path.is_empty(), starts) {
        (true, 1) => vec![0],
        _ => path.iter().copied().take(MOST_STEPS).collect(),
    };
    let mut states: Vec<Vec<u8>> = Vec::new();
    let mut taken: Vec<usize> = Vec::new();
    for &number in &path {
        spend();
        if number >= out.len() {
            break;
        }
        let state = out.state(number).to_vec();
        explorer.expand(&state, &mut out);
        states.push(state);
        taken.push(number);
    }
    let files = &system.signature().files;
    let (now, crumbs) = told_path(system, &states, &taken, files);
    let before = now.as_ref().map(|step| step.state.as_slice());
    let choices = choices(system, states.last(), &out, before);
    let mut answer = json!({
        "path": taken,
        "crumbs": crumbs,
        "state": now.as_ref().map(|step| variables(&step.state)),
        "choices": choices,
        "more": out.len().saturating_sub(MOST_CHOICES),
        "faults": out.faults().iter().map(|report| report.fault.kind.to_string()).collect::<Vec<_>>(),
        "initial": states.is_empty(),
    });
    if let Some(state) = states.last() {
        answer["end"] = match (out.is_empty(), explorer.is_valid_end(state)) {
            (false, _) => Json::Null,
            (true, true) => json!("The run ends here, properly."),
            (true, false) => json!("Nothing can move here: a deadlock."),
        };
        answer["fairness"] = fairness(&place.fairness, &mut *explorer, state, &out);
        answer["processes"] = processes(&mut *explorer, state, &out, files, system);
        answer["automaton"] = automaton(&place, system, &states);
    }
    Ok(answer)
}

/// The last step of a path, and a few words on each.
fn told_path(
    system: &dyn Explicit,
    states: &[Vec<u8>],
    taken: &[usize],
    files: &Files,
) -> (Option<TraceStep>, Vec<Json>) {
    let mut now: Option<TraceStep> = None;
    let mut crumbs = Vec::new();
    for (at, &number) in taken.iter().enumerate() {
        spend();
        let step = match at {
            0 => tell_state(system, &states[0]),
            _ => match tell_successor(system, &states[at - 1], number) {
                Ok(step) => step,
                Err(_) => break,
            },
        };
        let (file, line) = place(step.span, files);
        crumbs.push(match &now {
            None => {
                json!({ "process": null, "action": "initial state", "line": null, "file": null })
            }
            Some(before) if !has_names(system) => json!({
                "process": null, "action": told_changes(&before.state, &step.state),
                "file": file, "line": line,
            }),
            // What is called as its process is told once.
            Some(_) => json!({
                "process": step.process.as_ref().filter(|process| **process != step.action),
                "action": step.action, "file": file, "line": line,
            }),
        });
        now = Some(step);
    }
    (now, crumbs)
}

/// Whether the names of actions tell steps apart: where all are one action, what it changes does.
fn has_names(system: &dyn Explicit) -> bool {
    system.signature().actions.len() != 1
}

/// The variables that a step changes, in a few words.
fn told_changes(before: &[(String, Value)], after: &Variables) -> String {
    let list = changed(before, after);
    let parts: Vec<String> = list
        .iter()
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    match parts.is_empty() {
        true => "nothing changes".to_string(),
        false => parts.join(", "),
    }
}

/// The steps out of a state, or the initial states.
fn choices(
    system: &dyn Explicit,
    from: Option<&Vec<u8>>,
    out: &Successors,
    before: Option<&[(String, Value)]>,
) -> Vec<Json> {
    let files = &system.signature().files;
    let count = out.len().min(MOST_CHOICES);
    let told = (0..count).map(|number| {
        spend();
        let step = match from {
            None => Ok(tell_state(system, out.state(number))),
            Some(from) => tell_successor(system, from, number),
        };
        let step = match step {
            Ok(step) => step,
            Err(error) => return json!({ "number": number, "action": error.message }),
        };
        let (file, line) = place(step.span, files);
        let fault = (out.step(number).fault as usize).checked_sub(1);
        let fault = fault.map(|at| out.faults()[at].fault.kind.to_string());
        json!({
            "number": number,
            "process": step.process,
            "processes": step.processes,
            "action": if has_names(system) { &*step.action } else { "" },
            "file": file, "line": line,
            "substeps": step.substeps.iter().map(|sub| &sub.action).collect::<Vec<_>>(),
            "inputs": variables(&step.inputs),
            "changes": match before {
                Some(before) => changes(before, &step.state),
                None => variables(&step.state),
            },
            "stays": from.is_some_and(|from| from == out.state(number)),
            "fault": fault,
        })
    });
    told.collect()
}

fn variables(state: &[(String, Value)]) -> Json {
    let pairs = state.iter();
    pairs
        .map(|(name, value)| json!([name, value.to_string()]))
        .collect()
}

/// The variables that differ, with their values behind the step.
fn changed(before: &[(String, Value)], after: &Variables) -> Vec<(String, String)> {
    let old = |name: &String| before.iter().find(|(known, _)| known == name);
    let changed = after
        .iter()
        .filter(|(name, value)| old(name).is_none_or(|(_, known)| known != value));
    let gone = before
        .iter()
        .filter(|(name, _)| !after.iter().any(|(known, _)| known == name));
    let told = changed.map(|(name, value)| (name.clone(), value.to_string()));
    let gone = gone.map(|(name, _)| (name.clone(), "gone".to_string()));
    told.chain(gone).collect()
}

fn changes(before: &[(String, Value)], after: &Variables) -> Json {
    let list = changed(before, after).into_iter();
    list.map(|(name, value)| json!([name, value])).collect()
}

fn place(span: Option<Span>, files: &Files) -> (Json, Json) {
    match span {
        Some(span) => (
            json!(files.get(span.file).name),
            json!(files.position(span).line),
        ),
        None => (Json::Null, Json::Null),
    }
}

/// Who can move, and what stands in the way of those who cannot.
fn processes(
    explorer: &mut dyn Explorer,
    state: &[u8],
    out: &Successors,
    files: &Files,
    system: &dyn Explicit,
) -> Json {
    let steps: Vec<_> = (0..out.len()).map(|number| out.step(number)).collect();
    let actions = &system.signature().actions;
    let mut list = Vec::new();
    for process in ProcessId::first(MOST_PROCESSES) {
        spend();
        let name = explorer.process_name(state, process);
        // So a process that does not exist is called.
        if name == format!("process {process}") {
            break;
        }
        let takes_part = |step: &&evenhand_system::explicit::Step| {
            step.process == Some(process) || step.partner == Some(process)
        };
        let moves = steps.iter().any(|step| takes_part(&step));
        let obstacles = match moves {
            true => Vec::new(),
            false => explorer.obstacles(state, process),
        };
        let told = obstacles.iter().map(|obstacle| {
            let info = actions.get(obstacle.action.index());
            // A step of a relation stands nowhere.
            let span = info
                .map(|info| info.span)
                .filter(|span| span.start < span.end);
            let (file, line) = place(span, files);
            json!({
                "action": info.map(|info| info.text.as_str()),
                "file": file, "line": line,
                "reason": obstacle.reason,
            })
        });
        let obstacles: Vec<Json> = told.collect();
        list.push(json!({ "name": name, "moves": moves, "obstacles": obstacles }));
    }
    json!(list)
}

/// What is enabled here of the fairness that is assumed, and which steps take it.
fn fairness(
    fairness: &Fairness,
    explorer: &mut dyn Explorer,
    state: &[u8],
    out: &Successors,
) -> Json {
    let has = |set: &[u64], item: usize| {
        set.get(item / 64)
            .is_some_and(|w| w >> (item % 64) & 1 == 1)
    };
    let told = fairness
        .assumptions
        .iter()
        .take(MOST_CHOICES)
        .map(|assumption| {
            let (enabled, takers) = match assumption.kind {
                AssumptionKind::Weak(item) | AssumptionKind::Strong(item) => {
                    let takers = (0..out.len()).filter(|&n| has(out.taken(n), item));
                    let enabled = has(out.enabled(), item);
                    let words = if enabled { "enabled" } else { "not enabled" };
                    (words, takers.collect::<Vec<_>>())
                }
                AssumptionKind::Justice(holds) | AssumptionKind::Compassion { then: holds, .. } => {
                    let words = match explorer.holds(holds, state) {
                        Ok(true) => "holds here",
                        Ok(false) => "does not hold here",
                        Err(_) => "has no value here",
                    };
                    (words, Vec::new())
                }
            };
            json!({ "assumption": assumption.text, "now": enabled, "takers": takers })
        });
    told.collect()
}

/// The automaton of the bad runs of the first question, with where it can be.
fn automaton(place: &Place, system: &dyn Explicit, states: &[Vec<u8>]) -> Json {
    let linear = place.inquiry.questions.iter().find_map(LinearQuestion::of);
    let Some(linear) = linear else {
        return Json::Null;
    };
    if !place.body.inputs_read(&linear.reads()).is_empty() {
        return Json::Null;
    }
    let Ok(bad) = &linear.bad else {
        return Json::Null;
    };
    let states: Vec<&[u8]> = states.iter().map(Vec::as_slice).collect();
    match possible(system, &states, bad, &linear.propositions) {
        Some(observed) => picture(&observed),
        None => Json::Null,
    }
}

/// The path that leads along a run to one of its steps.
pub(crate) fn follow(
    model: &Model,
    asking: &Asking,
    result: &PropertyResult,
    step: usize,
) -> Result<Json, String> {
    let place = Place::of(model, asking)?;
    let system = place.system()?;
    let files = &system.signature().files;
    let document = json!({ "properties": [property(result, files)] }).to_string();
    let Recorded::Json(run) = Recorded::read(&document, None)? else {
        return Err("there is no run".to_string());
    };
    let followed = follow_script(system, &JsonScript(&run, files))
        .map_err(|_| "the run cannot be followed in this system".to_string())?;
    let mut numbers = followed.numbers;
    numbers.truncate(step + 1);
    Ok(json!({ "path": numbers }))
}
