//! Answers to the properties of a model.

use std::time::{Duration, Instant};

use evenhand_explicit::search::{self, Exploration, Observer, Options};
use evenhand_report::{PropertyResult, Verdict};
use evenhand_system::FaultKind;
use evenhand_system::signature::PropertyKind;
use evenhand_witness::{Counterexample, ReplayError};

use crate::memory;
use crate::model::Model;

/// What to check, and how far to go.
#[derive(Clone, Debug, Default)]
pub struct CheckOptions {
    /// The properties by name; all if there are none.
    pub properties: Vec<String>,
    /// At most this many states.
    pub limit_states: Option<u64>,
    /// At most this much memory, in bytes.
    pub limit_memory: Option<u64>,
    /// At most this much time.
    pub limit_time: Option<Duration>,
    /// Store states compressed.
    pub compress: bool,
    /// Whether violated properties get a run that shows it.
    pub counterexamples: bool,
}

/// What `check` found.
#[derive(Debug, Default)]
pub struct CheckReport {
    /// One answer per property, in the order they were asked for.
    pub properties: Vec<PropertyResult>,
    /// Statements that were never executed, if the whole space was explored: indices of actions.
    pub unreached: Vec<u32>,
    /// Remarks about the model.
    pub notes: Vec<String>,
}

/// Why there is no answer.
#[derive(Debug)]
pub enum CheckError {
    /// A property that the model does not have: its name and those it has.
    UnknownProperty(String, Vec<String>),
    /// A counterexample that could not be replayed.
    Replay(ReplayError),
}

/// The names of the properties a model can be checked for.
pub fn property_names(model: &Model) -> Vec<String> {
    let mut names = vec!["assertions".to_string(), "deadlock".to_string()];
    names.extend(model.signature().properties.iter().map(|p| p.name.clone()));
    names
}

/// Checks properties of a model.
///
/// # Errors
/// If a property does not exist, or a counterexample fails its replay.
pub fn check(
    model: &Model,
    options: &CheckOptions,
    observer: &mut Observer<'_>,
) -> Result<CheckReport, CheckError> {
    let known = property_names(model);
    for name in &options.properties {
        if !known.contains(name) {
            return Err(CheckError::UnknownProperty(name.clone(), known));
        }
    }
    let wanted = if options.properties.is_empty() {
        &known
    } else {
        &options.properties
    };
    let mut report = CheckReport::default();
    let safety: Vec<&String> = wanted
        .iter()
        .filter(|n| *n == "assertions" || *n == "deadlock")
        .collect();
    if !safety.is_empty() {
        check_safety(model, options, &safety, observer, &mut report)?;
    }
    for property in &model.signature().properties {
        if wanted.contains(&property.name) {
            report.properties.push(undecided(property));
        }
    }
    report.notes.extend(label_notes(model));
    Ok(report)
}

/// Assertions, run-time errors and improper ends: one breadth-first search for all.
fn check_safety(
    model: &Model,
    options: &CheckOptions,
    wanted: &[&String],
    observer: &mut Observer<'_>,
    report: &mut CheckReport,
) -> Result<(), CheckError> {
    let started = Instant::now();
    let wants = |name: &str| wanted.iter().any(|n| *n == name);
    let search_options = Options {
        limit_states: options.limit_states,
        limit_memory: options.limit_memory,
        limit_time: options.limit_time,
        compress: options.compress,
        parents: options.counterexamples,
        stop_at_fault: wants("assertions"),
        stop_at_deadlock: wants("deadlock"),
        ..Options::default()
    };
    let system = model.explicit();
    let (found, store) = search::explore(system, &search_options, observer);
    for name in wanted {
        let is_deadlock = *name == "deadlock";
        let verdict = if is_deadlock {
            match found.first_deadlock {
                Some(state) if options.counterexamples => {
                    let path = search::path(&found, &store, state);
                    Some(violated(evenhand_witness::replay(system, &path, None))?)
                }
                Some(_) => Some(Verdict::Violated(None)),
                None => None,
            }
        } else {
            match &found.first_fault {
                Some(fault) if options.counterexamples && !found.parents.is_empty() => {
                    let path = search::path(&found, &store, fault.state);
                    let run = evenhand_witness::replay(system, &path, Some(&fault.report));
                    Some(violated(run)?)
                }
                Some(_) => Some(Verdict::Violated(None)),
                None => None,
            }
        };
        let fault_kind = found.first_fault.as_ref().map(|f| f.report.fault.kind);
        let kind = match (is_deadlock, fault_kind) {
            (true, _) => "deadlock",
            (false, None | Some(FaultKind::Assertion)) => "assertion",
            (false, Some(_)) => "runtime-error",
        };
        report.properties.push(PropertyResult {
            name: (*name).clone(),
            kind,
            formula: None,
            fairness: Vec::new(),
            verdict: verdict.unwrap_or_else(|| undisturbed(&found)),
            engine: "breadth-first",
            states: found.progress.states,
            transitions: found.progress.transitions,
            seconds: started.elapsed().as_secs_f64(),
            peak_memory: memory::peak().unwrap_or(found.progress.bytes),
            warnings: Vec::new(),
        });
    }
    if found.stop.is_none() && found.progress.expanded == found.progress.states {
        report.unreached = (0..found.executed.len() as u32)
            .filter(|&action| !found.executed[action as usize])
            .collect();
    }
    Ok(())
}

fn violated(run: Result<Counterexample, ReplayError>) -> Result<Verdict, CheckError> {
    run.map(|run| Verdict::Violated(Some(Box::new(run))))
        .map_err(CheckError::Replay)
}

/// The verdict where nothing wrong was found.
fn undisturbed(found: &Exploration) -> Verdict {
    match found.stop {
        None => Verdict::Holds,
        Some(stop) => Verdict::Unknown(stop.to_string()),
    }
}

/// Temporal properties have no engine yet: said, not guessed.
fn undecided(property: &evenhand_system::signature::Property) -> PropertyResult {
    let (kind, formula) = match &property.kind {
        PropertyKind::Ltl(formula) => ("ltl", Some(formula.clone())),
        PropertyKind::Never => ("never", None),
        PropertyKind::Trace => ("trace", None),
    };
    let reason = "this version has no engine for temporal properties".to_string();
    PropertyResult {
        name: property.name.clone(),
        kind,
        formula,
        fairness: Vec::new(),
        verdict: Verdict::Unknown(reason),
        engine: "none",
        states: 0,
        transitions: 0,
        seconds: 0.0,
        peak_memory: 0,
        warnings: Vec::new(),
    }
}

/// Labels that mean something, but are checked only on request.
fn label_notes(model: &Model) -> Vec<String> {
    let labels = model.signature().actions.iter().flat_map(|a| &a.labels);
    let mut notes = Vec::new();
    for (prefix, property) in [("accept", "acceptance"), ("progress", "progress")] {
        if labels.clone().any(|l| l.starts_with(prefix)) {
            notes.push(format!(
                "the model has `{prefix}` labels; `-p {property}` checks them"
            ));
        }
    }
    notes
}
