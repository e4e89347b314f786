//! Answers to the properties of a model.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use evenhand_explicit::safety::{Safety, SafetyOptions, nearest_errors};
use evenhand_explicit::search::{ErrorClass, Options, PerClass, Progress};
use evenhand_report::{PropertyResult, Verdict};
use evenhand_source::Span;
use evenhand_symbolic::CompassionAs;
use evenhand_system::FaultKind;
use evenhand_system::relation::Refusal;
use evenhand_system::signature::PropertyKind;
use evenhand_witness::{ReplayError, replay};

use crate::hints::add_hint;
use crate::learned::{Choice, Lecture, NAME};
use crate::learned_safety;
use crate::memory;
use crate::model::Model;
use crate::question::{Question, Wrong};
use crate::temporal::{Asked, answer_all, is_known};

/// What to check, and how far to go.
#[derive(Clone, Debug, Default)]
pub struct CheckOptions {
    /// The properties by name.
    pub properties: Vec<String>,
    /// Further LTL formulas.
    pub formulas: Vec<String>,
    /// Further formulas of CTL*.
    pub branching: Vec<String>,
    /// Further automata in HOA format: name and text.
    pub automata: Vec<(String, String)>,
    /// Whether those automata describe the good runs, not the bad ones.
    pub good: bool,
    /// Fairness assumptions, besides those of the model.
    pub fair: Vec<String>,
    /// Ignore the fairness assumptions of the model.
    pub no_fairness: bool,
    /// How the symbolic engine handles compassion.
    pub compassion: CompassionAs,
    /// A flag that ends the work of the symbolic engine.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// The engine for temporal properties, by name.
    pub engine: Option<String>,
    /// What finished runs mean for temporal properties.
    pub deadlock: Deadlock,
    /// Only runs of at most this many steps.
    pub max_depth: Option<u64>,
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
    /// Whether to look, for a short time, if more fairness would save a violated property.
    pub hints: bool,
    /// Follow the automaton of bad runs along the runs that are shown.
    pub observe: bool,
}

impl CheckOptions {
    /// Whether the check is to end: what was not begun is not begun any more.
    pub(crate) fn is_interrupted(&self) -> bool {
        let raised = self.interrupt.as_ref();
        raised.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Whether something in particular is asked.
    pub(crate) fn asks(&self) -> bool {
        let formulas = self.formulas.len() + self.branching.len();
        !(self.properties.is_empty() && formulas == 0 && self.automata.is_empty())
    }
}

/// What finished runs mean for temporal properties.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Deadlock {
    /// As usual for the language: Promela's stay where they end, SMV's do not count.
    #[default]
    Usual,
    /// They stay for ever where they end.
    Stutter,
    /// They do not count: a run is infinite.
    Ignore,
    /// A run that ends where it must not breaks every temporal property; others stay where they end.
    Error,
}

/// Which runs are shown for violated properties.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counterexamples {
    /// The shortest that can be found within the budget.
    #[default]
    Shortest,
    /// The same, and further ones: a shortest for each accepting state of the product.
    All,
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
    /// A formula, an automaton or a fairness assumption that has no meaning.
    Wrong(Wrong),
    /// The engine cannot decide the question.
    Engine(String),
    /// A counterexample that could not be replayed.
    Replay(ReplayError),
}

impl From<Wrong> for CheckError {
    fn from(wrong: Wrong) -> CheckError {
        CheckError::Wrong(wrong)
    }
}

impl From<Refusal> for CheckError {
    fn from(refusal: Refusal) -> CheckError {
        CheckError::Engine(refusal.reason)
    }
}

/// Is told how a check goes.
pub trait Listener {
    /// How far a search has come; whether to go on.
    fn progress(&mut self, progress: &Progress) -> bool {
        let _ = progress;
        true
    }

    /// These will be answered, and this is their order in the report; verdicts may become known in another.
    fn plan(&mut self, names: &[String]) {
        let _ = names;
    }

    /// How far the symbolic engine has come.
    fn sets(&mut self, sets: &SetProgress) {
        let _ = sets;
    }

    /// Something begins that may take long: what, in a few words.
    fn stage(&mut self, name: &str) {
        let _ = name;
    }

    /// A verdict is known; the run that shows a violation may still be looked for.
    fn verdict(&mut self, result: &PropertyResult) {
        let _ = result;
    }
}

/// How far the symbolic engine has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SetProgress {
    /// Rounds of fixpoints.
    pub rounds: u64,
    /// Nodes of decision diagrams.
    pub nodes: u64,
    /// The memory that they take.
    pub bytes: u64,
}

/// Listens to nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Listener for Silent {}

/// Properties that exist in every model but are checked only on request: name, and the labels they
/// are about.
const ON_REQUEST: [(&str, Option<&str>); 3] = [
    ("acceptance", Some("accept")),
    ("progress", Some("progress")),
    ("feasible", None),
];

/// Fairness is set up for this many processes first where their number is not known; if more show up,
/// the search begins again with twice as many.
pub(crate) const FEW: usize = 8;

/// The names of the properties a model is checked for if nothing in particular is asked.
pub fn property_names(model: &Model) -> Vec<String> {
    let mut names = vec!["assertions".to_string(), "deadlock".to_string()];
    names.extend(model.signature().properties.iter().map(|p| p.name.clone()));
    names
}

/// Checks properties of a model. Its propositions grow by what is asked.
///
/// # Errors
/// If what is asked has no meaning, or a counterexample fails its replay.
pub fn check(
    model: &mut Model,
    options: &CheckOptions,
    listener: &mut dyn Listener,
) -> Result<CheckReport, CheckError> {
    is_known(options.engine.as_deref())?;
    if let Model::Smv(smv) = model {
        return crate::smv::check(smv, options, listener);
    }
    let choice = Choice::new(options)?;
    let deadline = options.limit_time.map(|limit| Instant::now() + limit);
    let wanted = wanted_names(model, options)?;
    let questions = questions(model, options, &wanted)?;
    let mut planned = wanted.clone();
    let others = questions.iter().map(|question| &question.name);
    planned.extend(others.filter(|name| !wanted.contains(name)).cloned());
    listener.plan(&planned);
    let specifications = specifications(model, options);
    // What is wrong with an assumption is said before anything is explored.
    let (bound, is_certain) = model.pid_bound();
    let mut bound = if is_certain { bound } else { FEW };
    let mut fairness = model.fairness(&specifications, bound)?;
    let mut report = CheckReport::default();
    let safety: Vec<(&str, ErrorClass)> = wanted
        .iter()
        .filter_map(|name| Some((name.as_str(), safety_class(model, name)?)))
        .collect();
    let ends_count = options.deadlock == Deadlock::Error && !questions.is_empty();
    let only_for_ends = ends_count && !safety.iter().any(|&(_, c)| c == ErrorClass::Deadlock);
    let how = (options, choice.symbolic);
    if !safety.is_empty() {
        check_safety(model, how, &safety, listener, &mut report)?;
    }
    let mut asked_for_ends = CheckReport::default();
    if only_for_ends {
        let ends = [("deadlock", ErrorClass::Deadlock)];
        check_safety(model, how, &ends, &mut Silent, &mut asked_for_ends)?;
    }
    let mut known = report.properties.iter().chain(&asked_for_ends.properties);
    let ends = known.find(|p| ends_count && p.kind == "deadlock");
    let ends = ends.map_or(Verdict::Holds, |p| p.verdict.clone());
    // A search that met more processes than fairness was set up for is begun again with more.
    let mut answered = 0;
    while answered < questions.len() {
        let (system, left) = (model.explicit()?, &questions[answered..]);
        let groups = model.groups().filter(|_| choice.symbolic);
        let answers = match groups {
            Some(groups) => {
                let asked = Asked::new(system, left, &fairness, options, deadline, &ends);
                Lecture { groups, asked }.answer(listener)?
            }
            None => answer_all(system, left, &fairness, options, deadline, &ends, listener)?,
        };
        let first = answered;
        answered += answers.len();
        for (number, mut result) in answers.into_iter().enumerate() {
            if options.hints {
                let question = &questions[first + number];
                let how = (options, bound);
                add_hint(model, question, &specifications, how, &mut result, listener)?;
            }
            report.properties.push(result);
        }
        if answered < questions.len() {
            bound = (2 * bound).min(usize::from(u8::MAX));
            fairness = model.fairness(&specifications, bound)?;
        }
    }
    let order = |name: &str| {
        wanted
            .iter()
            .position(|w| w == name)
            .unwrap_or(wanted.len())
    };
    report.properties.sort_by_key(|p| order(&p.name));
    if !questions.is_empty() {
        report.notes.extend(choice.reason);
        report.notes.extend(fairness.dropped);
    }
    if !options.asks() {
        report.notes.extend(label_notes(model));
    }
    Ok(report)
}

/// The properties that are asked for, by name.
fn wanted_names(model: &Model, options: &CheckOptions) -> Result<Vec<String>, CheckError> {
    let known = property_names(model);
    if !options.asks() {
        return Ok(known);
    }
    let mut wanted: Vec<String> = Vec::new();
    // Only in Promela are there labels that mean something.
    let has_labels = matches!(model, Model::Promela(_));
    let on_request = |name: &String| {
        ON_REQUEST
            .iter()
            .any(|(n, labels)| n == name && (has_labels || labels.is_none()))
    };
    for name in &options.properties {
        if !known.contains(name) && !on_request(name) {
            let more = ON_REQUEST.iter().filter(|(_, l)| has_labels || l.is_none());
            let all = known.into_iter().chain(more.map(|(n, _)| (*n).to_string()));
            return Err(CheckError::UnknownProperty(name.clone(), all.collect()));
        }
        if !wanted.contains(name) {
            wanted.push(name.clone());
        }
    }
    Ok(wanted)
}

/// The temporal questions among what is asked.
pub(crate) fn questions(
    model: &mut Model,
    options: &CheckOptions,
    wanted: &[String],
) -> Result<Vec<Question>, CheckError> {
    let mut questions = Vec::new();
    for name in wanted {
        let question = match name.as_str() {
            "acceptance" => {
                let claim = model.acceptance();
                let words = vec!["some process is at an accept label".to_string()];
                claim.map(|claim| Question::of_claim(name, "acceptance", &claim, words))
            }
            "progress" => {
                let claim = model.progress();
                let words = vec!["no process is at a progress label".to_string()];
                claim.map(|claim| Question::of_claim(name, "progress", &claim, words))
            }
            "feasible" => Some(Question::feasible()),
            _ => model.question(name)?,
        };
        questions.extend(question);
    }
    for (number, text) in options.formulas.iter().enumerate() {
        let name = format!("formula_{number}");
        questions.push(model.formula_question(&name, text)?);
    }
    for (number, text) in options.branching.iter().enumerate() {
        let name = format!("formula_{}", options.formulas.len() + number);
        questions.push(model.branching_question(&name, text)?);
    }
    for (name, text) in &options.automata {
        let mut expression = |text: &str| model.state_expression(text);
        questions.push(Question::of_hoa(&mut expression, name, text, options.good)?);
    }
    Ok(questions)
}

/// The fairness assumptions that are asked for, with where they stand.
fn specifications(model: &Model, options: &CheckOptions) -> Vec<(String, Option<Span>)> {
    let declared = &model.signature().fairness;
    let declared = declared.iter().filter(|_| !options.no_fairness);
    let declared = declared.map(|(text, span)| (text.clone(), Some(*span)));
    let given = options.fair.iter().map(|text| (text.clone(), None));
    declared.chain(given).collect()
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

/// Assertions, run-time errors, improper ends and trace assertions: one search for all, or sets.
fn check_safety(
    model: &Model,
    (options, symbolic): (&CheckOptions, bool),
    wanted: &[(&str, ErrorClass)],
    listener: &mut dyn Listener,
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
            max_depth: options.max_depth,
            limit_memory: options.limit_memory,
            limit_time: options.limit_time,
            compress: options.compress,
            wanted: classes,
            ..Options::default()
        },
    };
    let system = model.explicit()?;
    let names: Vec<&str> = wanted.iter().map(|(name, _)| *name).collect();
    listener.stage(&names.join(", "));
    let by_sets = model.groups().filter(|_| symbolic);
    let by_sets = match by_sets {
        Some(groups) => {
            let wanted = &safety_options.search.wanted;
            learned_safety::nearest_errors(groups, system, options, wanted, listener)?
        }
        None => None,
    };
    let engine = if by_sets.is_some() {
        NAME
    } else {
        "breadth-first"
    };
    let (found, unknown) = match by_sets {
        Some(found) => (found.safety, found.unknown),
        None => {
            let mut observer = |progress: &Progress| listener.progress(progress);
            let found = nearest_errors(system, &safety_options, &mut observer);
            (found, PerClass::default())
        }
    };
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
            None => match (found.stop, &unknown[*class]) {
                (None, None) => Verdict::Holds,
                (Some(stop), _) => Verdict::Unknown(stop.to_string()),
                (_, Some(reason)) => Verdict::Unknown(reason.clone()),
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
        let result = PropertyResult {
            name: (*name).to_string(),
            kind,
            formula: None,
            fairness: Vec::new(),
            verdict,
            value: None,
            engine,
            states: found.progress.states,
            transitions: found.progress.transitions,
            product_states: None,
            product_transitions: None,
            seconds: started.elapsed().as_secs_f64(),
            peak_memory: memory::peak().unwrap_or(found.progress.bytes),
            warnings,
            others: Vec::new(),
            details: Vec::new(),
        };
        listener.verdict(&result);
        report.properties.push(result);
    }
    // Behind a run-time error nothing was explored.
    let is_all = found.errors[ErrorClass::Fault].is_none();
    if let Some(executed) = found.executed.as_ref().filter(|_| is_all) {
        report.unreached = (0..executed.len() as u32)
            .filter(|&action| !executed[action as usize] && !is_of_claim(model, action))
            .filter(|&action| !is_end(model, action))
            .collect();
    }
    Ok(())
}

/// Whether an action is the end of a process: one that has come there may have to wait for others.
fn is_end(model: &Model, action: u32) -> bool {
    let info = model.signature().actions.get(action as usize);
    info.is_some_and(|info| info.text == "end")
}

/// Whether an action belongs to a claim, which watches and never moves.
fn is_of_claim(model: &Model, action: u32) -> bool {
    let signature = model.signature();
    let info = signature.actions.get(action as usize);
    let process = info.and_then(|info| signature.processes.get(usize::from(info.process)));
    let mut claims = signature
        .properties
        .iter()
        .filter(|property| matches!(property.kind, PropertyKind::Never | PropertyKind::Trace));
    claims.any(|claim| process == Some(&claim.name))
}

/// Whether some run was cut off by a run-time error (a failed assertion does not end one).
fn runs_end_early(found: &Safety) -> bool {
    let fault = found.errors[ErrorClass::Fault]
        .as_ref()
        .and_then(|f| f.fault.as_ref());
    fault.is_some_and(|f| f.fault.kind != FaultKind::Assertion)
}

/// Labels that mean something, but are checked only on request.
fn label_notes(model: &Model) -> Vec<String> {
    let mut notes = Vec::new();
    let Model::Promela(_) = model else {
        return notes;
    };
    let labels = model.signature().actions.iter().flat_map(|a| &a.labels);
    for (property, prefix) in ON_REQUEST {
        let Some(prefix) = prefix else { continue };
        if labels.clone().any(|l| l.starts_with(prefix)) {
            notes.push(format!(
                "the model has `{prefix}` labels; `-p {property}` is about them"
            ));
        }
    }
    notes
}
