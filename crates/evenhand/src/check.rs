//! Answers to the properties of a model.

use std::time::{Duration, Instant};

use evenhand_explicit::safety::{Safety, SafetyOptions, nearest_errors};
use evenhand_explicit::search::{ErrorClass, Observer, Options, PerClass};
use evenhand_report::{PropertyResult, Verdict};
use evenhand_system::FaultKind;
use evenhand_system::signature::PropertyKind;
use evenhand_witness::{ReplayError, replay};

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
    /// Which runs are shown for violated properties.
    pub counterexample: Counterexamples,
    /// How long to look for a shorter run once a violation is known; none for the default.
    pub budget: Option<Duration>,
}

/// Which runs are shown for violated properties.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counterexamples {
    /// The shortest that can be found within the budget.
    #[default]
    Shortest,
    /// Any.
    First,
    /// None.
    None,
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

/// Why temporal properties are undecided.
const NOT_YET: &str = "this version does not check temporal properties yet";

/// Properties about labels: checked on request only.
const LABEL_PROPERTIES: [(&str, &str); 2] = [("acceptance", "accept"), ("progress", "progress")];

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
    let of_labels = |name: &str| LABEL_PROPERTIES.iter().any(|(n, _)| *n == name);
    let mut wanted: Vec<String> = Vec::new();
    for name in &options.properties {
        if !known.contains(name) && !of_labels(name) {
            return Err(CheckError::UnknownProperty(name.clone(), known));
        }
        if !wanted.contains(name) {
            wanted.push(name.clone());
        }
    }
    if wanted.is_empty() {
        wanted = known;
    }
    let mut report = CheckReport::default();
    let safety: Vec<(&String, ErrorClass)> = wanted
        .iter()
        .filter_map(|name| Some((name, safety_class(model, name)?)))
        .collect();
    if !safety.is_empty() {
        check_safety(model, options, &safety, observer, &mut report)?;
    }
    for property in &model.signature().properties {
        if wanted.contains(&property.name) && property.kind != PropertyKind::Trace {
            let (kind, formula) = match &property.kind {
                PropertyKind::Ltl(formula) => ("ltl", Some(formula.clone())),
                PropertyKind::Never => ("never", None),
                PropertyKind::Trace => ("trace", None),
            };
            report
                .properties
                .push(undecided(&property.name, kind, formula));
        }
    }
    for (name, _) in LABEL_PROPERTIES {
        if wanted.iter().any(|w| w == name) {
            report.properties.push(undecided(name, name, None));
        }
    }
    report.notes.extend(label_notes(model));
    Ok(report)
}

/// The class of errors that a property is about, if it is one of the plain searches'.
fn safety_class(model: &Model, name: &str) -> Option<ErrorClass> {
    match name {
        "assertions" => Some(ErrorClass::Fault),
        "deadlock" => Some(ErrorClass::Deadlock),
        _ => {
            let properties = &model.signature().properties;
            let found = properties.iter().find(|p| p.name == name)?;
            (found.kind == PropertyKind::Trace).then_some(ErrorClass::Trace)
        }
    }
}

/// Assertions, run-time errors, improper ends and trace assertions: one search for all.
fn check_safety(
    model: &Model,
    options: &CheckOptions,
    wanted: &[(&String, ErrorClass)],
    observer: &mut Observer<'_>,
    report: &mut CheckReport,
) -> Result<(), CheckError> {
    let started = Instant::now();
    let mut classes = PerClass::default();
    for (_, class) in wanted {
        classes[*class] = true;
    }
    let safety_options = SafetyOptions {
        paths: options.counterexample != Counterexamples::None,
        any_path: options.counterexample == Counterexamples::First,
        budget: options.budget,
        search: Options {
            limit_states: options.limit_states,
            limit_memory: options.limit_memory,
            limit_time: options.limit_time,
            compress: options.compress,
            wanted: classes,
            ..Options::default()
        },
    };
    let system = model.explicit();
    let found = nearest_errors(system, &safety_options, observer);
    for (name, class) in wanted {
        let finding = &found.errors[*class];
        let verdict = match finding {
            Some(finding) if finding.path.is_empty() => Verdict::Violated(None),
            Some(finding) => {
                let mut run = replay(system, &finding.path, finding.fault.as_ref())
                    .map_err(CheckError::Replay)?;
                run.shortest = finding.shortest;
                run.lower_bound = finding.lower_bound;
                Verdict::Violated(Some(Box::new(run)))
            }
            None => match found.stop {
                None => Verdict::Holds,
                Some(stop) => Verdict::Unknown(stop.to_string()),
            },
        };
        let fault_kind = finding
            .as_ref()
            .and_then(|f| f.fault.as_ref())
            .map(|f| f.fault.kind);
        let kind = match (class, fault_kind) {
            (ErrorClass::Deadlock, _) => "deadlock",
            (ErrorClass::Trace, _) => "trace",
            (ErrorClass::Fault, None | Some(FaultKind::Assertion)) => "assertion",
            (ErrorClass::Fault, Some(_)) => "runtime-error",
        };
        let mut warnings = Vec::new();
        if *class == ErrorClass::Deadlock && runs_end_early(&found) {
            let text = "a run-time error ends a run; what lies behind it was not explored";
            warnings.push(text.to_string());
        }
        report.properties.push(PropertyResult {
            name: (*name).clone(),
            kind,
            formula: None,
            fairness: Vec::new(),
            verdict,
            engine: "breadth-first",
            states: found.progress.states,
            transitions: found.progress.transitions,
            seconds: started.elapsed().as_secs_f64(),
            peak_memory: memory::peak().unwrap_or(found.progress.bytes),
            warnings,
        });
    }
    if let Some(executed) = &found.executed {
        report.unreached = (0..executed.len() as u32)
            .filter(|&action| !executed[action as usize])
            .collect();
    }
    Ok(())
}

/// Whether some run was cut off by a run-time error (a failed assertion does not end one).
fn runs_end_early(found: &Safety) -> bool {
    let fault = found.errors[ErrorClass::Fault]
        .as_ref()
        .and_then(|f| f.fault.as_ref());
    fault.is_some_and(|f| f.fault.kind != FaultKind::Assertion)
}

/// Temporal properties have no engine yet: said, not guessed.
fn undecided(name: &str, kind: &'static str, formula: Option<String>) -> PropertyResult {
    let reason = NOT_YET.to_string();
    PropertyResult {
        name: name.to_string(),
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
    for (property, prefix) in LABEL_PROPERTIES {
        if labels.clone().any(|l| l.starts_with(prefix)) {
            notes.push(format!(
                "the model has `{prefix}` labels; `-p {property}` is about them"
            ));
        }
    }
    notes
}
