//! Everything that is asked of all reachable states: errors, ends, trace assertions, invariants,
//! conditions on steps, totality. One breadth-first search answers all such questions at once, with a nearest failure
//! for each; where smaller systems are known, one for errors and one for conditions, since these are not the same then.
//! Fairness plays no part.

use std::time::{Duration, Instant};

use evenhand_explicit::ahead::crew::Threads;
use evenhand_explicit::invariants::{Condition, nearest_failures};
use evenhand_explicit::safety::{
    Audience, Finding, Safety, SafetyOptions, nearest_errors_heard, nearest_errors_kept,
};
use evenhand_explicit::search::{ErrorClass, Options, PerClass, Progress};
use evenhand_explicit::store::StateId;
use evenhand_system::{FaultKind, Formula, Kind, Question, What};

use super::no_value;
use super::reduced::{self, Plan};
use crate::answer::{CheckError, Many, Proof, PropertyResult, Verdict};
use crate::case::{Case, StateSpace, Task};
use crate::engine::{Answers, Engine, Support};
use crate::evidence::{Evidence, FiniteRun};
use crate::listener::Listener;
use crate::memory;
use crate::options::Counterexamples;
use crate::proof::{check_always, check_reached};
use crate::stop::StopReason;
use crate::vacuity::cut_by;

/// The breadth-first search.
#[derive(Debug)]
pub(crate) struct BreadthFirst;

impl Engine for BreadthFirst {
    fn name(&self) -> &'static str {
        "breadth-first"
    }

    fn about(&self) -> &'static str {
        "errors, ends, invariants: all reachable states, nearest first"
    }

    fn has_choice(&self) -> bool {
        false
    }

    fn supports(&self, case: &Case<'_>, question: &Question) -> Support {
        match question.what {
            What::Errors | What::Ends | What::Trace | What::Total => Support::Yes,
            What::Invariant(_) | What::Step { .. } => super::supports_runs(case, question),
            _ => Support::Other,
        }
    }

    fn together(&self) -> bool {
        true
    }

    fn answer(
        &self,
        case: &Case<'_>,
        tasks: &[&Task],
        answers: &mut Answers<'_>,
    ) -> Result<(), CheckError> {
        let mut errors = Vec::new();
        let mut conditions = Vec::new();
        for (place, &task) in tasks.iter().enumerate() {
            match (class_of(&task.question), condition_of(&task.question)) {
                (Some(class), _) => errors.push((place, task, class)),
                (None, Some(condition)) => conditions.push((place, task, condition)),
                (None, None) => {}
            }
        }
        if !errors.is_empty() {
            let together = is_one_pass(case, &conditions);
            let (beside, later) = match together {
                true => (std::mem::take(&mut conditions), Vec::new()),
                false => (Vec::new(), std::mem::take(&mut conditions)),
            };
            conditions = later;
            answer_errors(case, &errors, &beside, answers)?;
        }
        if !conditions.is_empty() {
            let is_shortest = case.options.wants_shortest();
            answer_conditions(case, &conditions, is_shortest, answers)?;
        }
        Ok(())
    }
}

/// Whether one search answers questions about errors and about these conditions: they are about states, and
/// of both kinds all states are explored.
fn is_one_pass(case: &Case<'_>, conditions: &[(usize, &Task, Condition<'_>)]) -> bool {
    let is_state = |(_, _, condition): &(usize, &Task, Condition<'_>)| {
        matches!(condition, Condition::State(_))
    };
    let questions: Vec<&Question> = conditions
        .iter()
        .map(|(_, task, _)| &task.question)
        .collect();
    !conditions.is_empty()
        && conditions.iter().all(is_state)
        && reduced::of_errors(case).is_err()
        && reduced::of_conditions(case, &questions).is_err()
}

/// The class of errors that a question is about.
pub(crate) fn class_of(question: &Question) -> Option<ErrorClass> {
    match question.what {
        What::Errors => Some(ErrorClass::Fault),
        What::Ends => Some(ErrorClass::Deadlock),
        What::Trace => Some(ErrorClass::Trace),
        _ => None,
    }
}

pub(super) fn condition_of(question: &Question) -> Option<Condition<'_>> {
    match &question.what {
        What::Invariant(formula) => Some(Condition::State(formula)),
        What::Step { formula, .. } => Some(Condition::Step(formula)),
        What::Total => Some(Condition::Successor),
        _ => None,
    }
}

fn names<T>(tasks: &[(usize, &Task, T)]) -> String {
    let names: Vec<&str> = tasks.iter().map(|(_, t, _)| &*t.question.name).collect();
    names.join(", ")
}

/// Assertions, run-time errors, improper ends and trace assertions: one search for all, and for conditions on states
/// where these can be looked at beside it.
fn answer_errors(
    case: &Case<'_>,
    tasks: &[(usize, &Task, ErrorClass)],
    conditions: &[(usize, &Task, Condition<'_>)],
    answers: &mut Answers<'_>,
) -> Result<(), CheckError> {
    let (started, options) = (Instant::now(), case.options);
    // What was explored before is not counted; of several threads two may find the same step.
    let counts_steps = options.coverage && case.view.body.coverage().is_some();
    if counts_steps {
        case.view.body.look_at_expressions();
    }
    let threads = match counts_steps {
        true => Threads::default(),
        false => options.threads(),
    };
    let mut wanted = PerClass::default();
    for (_, _, class) in tasks {
        wanted[*class] = true;
    }
    let search = SafetyOptions {
        paths: options.counterexample != Counterexamples::None,
        any_path: options.counterexample == Counterexamples::First,
        budget: options.budget,
        counts: case.view.body.signature().counts_as.is_some() && case.is_whole(),
        search: Options {
            limit_states: options.limit_states,
            max_depth: options.max_depth,
            limit_memory: options.limit_memory,
            used_memory: Some(memory::in_use),
            limit_time: case.left(),
            compress: options.compress,
            threads,
            wanted,
            conditions: conditions.iter().filter_map(formula_of).collect(),
            ..Options::default()
        },
    };
    let all = [names(tasks), names(conditions)];
    let all: Vec<String> = all.into_iter().filter(|part| !part.is_empty()).collect();
    answers.listener.stage(&all.join(", "));
    let mut hall = Hall {
        case,
        tasks,
        conditions,
        started,
        answers,
    };
    let plan = reduced::of_errors(case);
    let smaller = plan.as_ref().ok().map(Plan::smaller);
    let is_kept = case.asks_runs.get() && !counts_steps && smaller.is_none();
    let kept = match is_kept {
        true => in_kept_states(case, &search, &mut hall)?,
        false => None,
    };
    let found = match kept {
        Some(found) => found,
        None => nearest_errors_heard(case.system()?, smaller, &search, &mut hall),
    };
    let coverage = case.view.body.coverage().filter(|_| counts_steps);
    let expressions = case.view.body.expressions();
    answers.printed = case.view.body.printed();
    if found.is_broken {
        return Err(CheckError::broken(reduced::NO_RUN));
    }
    let is_held = |class: ErrorClass| found.errors[class].is_none() && found.stop.is_none();
    let held = tasks.iter().filter(|&&(_, _, class)| is_held(class));
    let mut held: Vec<&Task> = held.map(|&(_, task, _)| task).collect();
    for (number, &(_, task, _)) in conditions.iter().enumerate() {
        if verdict_beside(&found, number, task).holds() {
            held.push(task);
        }
    }
    let errors = Errors {
        engine: BreadthFirst.name(),
        unreduced: match found.gave_up {
            true => Some(reduced::GAVE_UP.to_string()),
            false => plan.err().flatten(),
        },
        found: &found,
        unknown: PerClass::default(),
        many: None,
        proof: check_reached(case, &held, answers.listener)?,
    };
    tell_errors(case, tasks, &errors, started, answers);
    for (number, &(place, task, _)) in conditions.iter().enumerate() {
        let mut result = case.begun(&task.question, BreadthFirst.name());
        let mut evidence = Evidence::None;
        result.verdict = verdict_beside(&found, number, task);
        if let Some(finding) = &found.broken[number] {
            evidence = violated(&mut result, finding);
        }
        if result.verdict.holds() {
            result.proof = errors.proof;
        }
        measure(&mut result, &found.progress, started);
        result.ahead = found.ahead;
        reduced::say_why(&mut result, errors.unreduced.as_deref());
        answers.known(case, (place, task), result, evidence);
    }
    answers.counted = found.counted;
    if found.executed.is_some() {
        answers.coverage = coverage.unwrap_or_default();
        answers.expressions = expressions;
    }
    // Behind a run-time error nothing was explored.
    if found.errors[ErrorClass::Fault].is_none() {
        answers.executed = found.executed;
    }
    Ok(())
}

/// Looks for errors among the states that questions about runs need too, where expanding them twice would take much
/// longer; none where another search has to do it.
fn in_kept_states(
    case: &Case<'_>,
    search: &SafetyOptions,
    hall: &mut Hall<'_, '_, '_>,
) -> Result<Option<Safety>, CheckError> {
    let system = case.system()?;
    let is_bounded = search.search.max_depth.is_some() || search.any_path;
    if !system.is_slow() || !system.is_pure() || is_bounded {
        return Ok(None);
    }
    let mut space = case.space()?;
    let found = case.attended(|| nearest_errors_kept(&mut space, system, search, hall));
    Ok(found.map(|mut found| {
        found.executed = found.executed.map(|_| space.executed());
        found
    }))
}

/// The formula of a condition on states.
fn formula_of((_, _, condition): &(usize, &Task, Condition<'_>)) -> Option<Formula> {
    match condition {
        Condition::State(formula) => Some((*formula).clone()),
        Condition::Step(_) | Condition::Successor => None,
    }
}

/// What a search for errors found out about a condition beside them.
fn verdict_beside(found: &Safety, number: usize, task: &Task) -> Verdict {
    let fault = found.errors[ErrorClass::Fault].as_ref();
    match (&found.broken[number], found.stop) {
        (Some(_), _) => Verdict::Violated(None),
        (None, Some(stop)) => Verdict::Unknown(stop.into()),
        (None, None) if found.undecided[number] => {
            let reads = task.question.reads();
            let mut failures = found.failures.iter();
            let failure = failures.find(|(proposition, _)| reads.contains(proposition));
            Verdict::Unknown(StopReason::NoValue(failure.map(|(_, fault)| fault.kind)))
        }
        (None, None) if task.question.holds_by_itself() => Verdict::Holds,
        (None, None) => match fault.and_then(|finding| finding.fault.as_ref()) {
            Some(report) => Verdict::Unknown(StopReason::RunTimeError(report.fault.kind)),
            None => Verdict::Holds,
        },
    }
}

/// Tells of errors while others are still looked for.
struct Hall<'h, 'c, 'l> {
    case: &'h Case<'c>,
    tasks: &'h [(usize, &'h Task, ErrorClass)],
    conditions: &'h [(usize, &'h Task, Condition<'h>)],
    started: Instant,
    answers: &'h mut Answers<'l>,
}

impl Audience for Hall<'_, '_, '_> {
    fn progress(&mut self, progress: &Progress) -> bool {
        self.answers.listener.progress(progress) && !self.case.options.cancel.is_cancelled()
    }

    fn found(&mut self, class: ErrorClass, finding: &Finding, progress: &Progress) {
        let Some(&(place, task, _)) = self.tasks.iter().find(|(_, _, asked)| *asked == class)
        else {
            return;
        };
        let mut result = self.case.begun(&task.question, BreadthFirst.name());
        let evidence = violated(&mut result, finding);
        measure(&mut result, progress, self.started);
        self.answers
            .known_early(self.case, (place, task), result, evidence);
    }

    fn broken(&mut self, condition: usize, finding: &Finding, progress: &Progress) {
        let Some(&(place, task, _)) = self.conditions.get(condition) else {
            return;
        };
        let mut result = self.case.begun(&task.question, BreadthFirst.name());
        let evidence = violated(&mut result, finding);
        measure(&mut result, progress, self.started);
        self.answers
            .known_early(self.case, (place, task), result, evidence);
    }
}

/// That an error was found, and what shows it.
fn violated(result: &mut PropertyResult, finding: &Finding) -> Evidence {
    result.verdict = Verdict::Violated(None);
    let kind = finding.fault.as_ref().map(|report| report.fault.kind);
    if result.kind == Kind::Assertion && kind.is_some_and(|kind| kind != FaultKind::Assertion) {
        result.kind = Kind::RuntimeError;
    }
    match finding.path.is_empty() {
        true => Evidence::None,
        false => Evidence::Path(FiniteRun {
            states: finding.path.clone(),
            fault: finding.fault.clone(),
            shortest: finding.shortest,
            lower_bound: finding.lower_bound,
        }),
    }
}

fn measure(result: &mut PropertyResult, progress: &Progress, started: Instant) {
    result.states = progress.states;
    result.transitions = progress.transitions;
    result.seconds = started.elapsed().as_secs_f64();
    result.peak_memory = memory::peak().unwrap_or(progress.bytes);
}

/// What an engine found out about errors.
pub(crate) struct Errors<'e> {
    /// Its name.
    pub engine: &'static str,
    /// Why all states were explored, where that was not asked for.
    pub unreduced: Option<String>,
    /// The errors.
    pub found: &'e Safety,
    /// Why some are unknown.
    pub unknown: PerClass<Option<StopReason>>,
    /// How many states there are if they are more than can be explored one by one.
    pub many: Option<Many>,
    /// How it was checked that there are no others.
    pub proof: Option<Proof>,
}

/// The answers to questions about errors, whoever found them.
pub(crate) fn tell_errors(
    case: &Case<'_>,
    tasks: &[(usize, &Task, ErrorClass)],
    errors: &Errors<'_>,
    started: Instant,
    answers: &mut Answers<'_>,
) {
    let found = errors.found;
    for &(place, task, class) in tasks {
        let mut result = case.begun(&task.question, errors.engine);
        let mut evidence = Evidence::None;
        let stop = found.stop.filter(|_| !found.absent[class]);
        match (&found.errors[class], stop, &errors.unknown[class]) {
            (Some(finding), ..) => evidence = violated(&mut result, finding),
            (None, Some(stop), _) => result.verdict = Verdict::Unknown(stop.into()),
            (None, None, Some(reason)) => result.verdict = Verdict::Unknown(reason.clone()),
            (None, None, None) => {
                result.verdict = Verdict::Holds;
                result.proof = errors.proof;
            }
        }
        let smaller = found.smaller.filter(|_| found.absent[class]);
        result.reduced = smaller.is_some();
        measure(&mut result, &smaller.unwrap_or(found.progress), started);
        result.ahead = found.ahead;
        reduced::say_why(&mut result, errors.unreduced.as_deref());
        result.many_states = errors.many;
        if let (ErrorClass::Deadlock, Some(cut)) = (class, &found.cut) {
            let signature = case.view.body.signature();
            result.warnings.push(cut_by(signature, &cut.fault));
        }
        answers.known(case, (place, task), result, evidence);
    }
}

/// Invariants, conditions on steps and totality: one search for all, in the space of the case; and in that
/// of a smaller system, if it is large. Whether the shortest ways to failures are wanted is told.
pub(super) fn answer_conditions(
    case: &Case<'_>,
    tasks: &[(usize, &Task, Condition<'_>)],
    is_shortest: bool,
    answers: &mut Answers<'_>,
) -> Result<(), CheckError> {
    let started = Instant::now();
    answers.listener.stage(&names(tasks));
    let questions: Vec<&Question> = tasks.iter().map(|(_, task, _)| &task.question).collect();
    let plan = reduced::of_conditions(case, &questions);
    let mut why = plan.as_ref().err().cloned().flatten();
    let plan = plan.ok();
    let mut known: Vec<(PropertyResult, Evidence)> = Vec::new();
    if let Some(plan) = &plan {
        case.enough.set(plan.after as u64);
        case.had_enough.set(false);
    }
    if plan.as_ref().is_none_or(|plan| plan.after > 0) {
        known = search_conditions(case, tasks, case.left(), started, answers.listener)?;
    }
    case.enough.set(u64::MAX);
    let is_open = |(result, _): &(PropertyResult, Evidence), plan: &Plan<'_>| {
        reduced::is_enough(case, result, plan)
    };
    let is_large = |plan: &Plan<'_>| known.is_empty() || known.iter().any(|k| is_open(k, plan));
    if let Some(plan) = plan.filter(is_large) {
        let smaller = plan.case(case);
        let mut found = search_conditions(&smaller, tasks, case.left(), started, answers.listener)?;
        drop(smaller);
        let is_left = plan.gave_up();
        if is_left {
            why = Some(reduced::GAVE_UP.to_string());
            found = search_conditions(case, tasks, case.left(), started, answers.listener)?;
        }
        for (result, evidence) in found.iter_mut().filter(|_| !is_left) {
            result.reduced = true;
            if let Evidence::Path(path) = evidence {
                let states = plan.path(&path.states);
                path.states = states.ok_or_else(|| CheckError::broken(reduced::NO_RUN))?;
                (path.shortest, path.lower_bound) = (false, 0);
            }
        }
        // A shorter way to what was found, if there is time for it.
        let is_found = |(result, _): &(PropertyResult, Evidence)| result.verdict.is_violated();
        if found.iter().any(is_found) && is_shortest && !is_left {
            let default = (started.elapsed() * 5).max(Duration::from_secs(10));
            let budget = case.options.budget.unwrap_or(default);
            let time = case.left().map_or(budget, |left| left.min(budget));
            let listener = &mut *answers.listener;
            let shorter = search_conditions(case, tasks, Some(time), started, listener)?;
            for (old, (_, evidence)) in found.iter_mut().zip(shorter) {
                if let (true, Evidence::Path(path)) = (is_found(old), evidence) {
                    old.1 = Evidence::Path(path);
                }
            }
        }
        for (place, new) in found.into_iter().enumerate() {
            match known.get_mut(place) {
                Some(old) if is_open(old, &plan) => *old = new,
                Some(_) => {}
                None => known.push(new),
            }
        }
    }
    let held = tasks.iter().zip(&known);
    let held = held.filter(|(_, (result, _))| result.verdict.holds());
    let held: Vec<&Task> = held.map(|(&(_, task, _), _)| task).collect();
    let proof = check_reached(case, &held, answers.listener)?;
    for (&(place, task, _), (mut result, evidence)) in tasks.iter().zip(known) {
        if result.verdict.holds() {
            result.proof = proof;
        }
        reduced::say_why(&mut result, why.as_deref());
        answers.known(case, (place, task), result, evidence);
    }
    Ok(())
}

/// Looks for nearest failures in the space of a case.
fn search_conditions(
    case: &Case<'_>,
    tasks: &[(usize, &Task, Condition<'_>)],
    time: Option<Duration>,
    started: Instant,
    listener: &mut dyn Listener,
) -> Result<Vec<(PropertyResult, Evidence)>, CheckError> {
    let most = case.options.max_depth.unwrap_or(u64::MAX);
    let conditions: Vec<Condition<'_>> = tasks.iter().map(|(_, _, c)| *c).collect();
    let mut known: Vec<(PropertyResult, Evidence)> = Vec::new();
    let mut space = case.space()?;
    let found = case.watched_for(time, listener, |watch| {
        nearest_failures(&mut space, &conditions, most, watch)
    });
    let found_each = found.paths.into_iter().zip(found.undecided);
    for (&(_, task, _), (path, undecided)) in tasks.iter().zip(found_each) {
        let mut result = case.begun(&task.question, BreadthFirst.name());
        let mut evidence = Evidence::None;
        result.verdict = match (path, found.stop) {
            (Some(path), _) => {
                evidence = Evidence::Path(path_of(&space, &path));
                Verdict::Violated(None)
            }
            (None, Some(stop)) => Verdict::Unknown(stop.into()),
            (None, None) if undecided => Verdict::Unknown(no_value(&space, &task.question.reads())),
            (None, None) if task.question.holds_by_itself() => Verdict::Holds,
            (None, None) => match space.faults().first() {
                Some(report) => Verdict::Unknown(StopReason::RunTimeError(report.fault.kind)),
                None => Verdict::Holds,
            },
        };
        case.measure(&mut result, &space, started);
        known.push((result, evidence));
    }
    Ok(known)
}

/// Looks for a state that breaks what all states have to satisfy, in the space of a case that knows its propositions. Where there
/// is one the result says so, and the way to it comes back.
pub(super) fn find_broken(
    case: &Case<'_>,
    task: &Task,
    always: &Formula,
    result: &mut PropertyResult,
    listener: &mut dyn Listener,
) -> Result<Evidence, CheckError> {
    let most = case.options.max_depth.unwrap_or(u64::MAX);
    let mut space = case.space()?;
    let found = case.watched(listener, |watch| {
        nearest_failures(&mut space, &[Condition::State(always)], most, watch)
    });
    let path = found.paths.into_iter().next().flatten();
    let verdict = match (path, found.stop) {
        (Some(path), _) => {
            result.verdict = Verdict::Violated(None);
            result.proof = None;
            return Ok(Evidence::Path(path_of(&space, &path)));
        }
        (None, Some(stop)) => Verdict::Unknown(stop.into()),
        (None, None) if found.undecided.contains(&true) => {
            Verdict::Unknown(no_value(&space, &task.question.reads()))
        }
        (None, None) => {
            check_always(case, always, listener)?;
            return Ok(Evidence::None);
        }
    };
    result.verdict = verdict;
    result.proof = None;
    Ok(Evidence::None)
}

/// A nearest failure.
fn path_of(space: &StateSpace<'_>, path: &[StateId]) -> FiniteRun {
    let load = |&id: &StateId| {
        let mut bytes = Vec::new();
        space.load(id, &mut bytes);
        bytes
    };
    FiniteRun {
        states: path.iter().map(load).collect(),
        fault: None,
        shortest: true,
        lower_bound: path.len().saturating_sub(1),
    }
}
