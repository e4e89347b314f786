//! Assertions, run-time errors, improper ends and trace assertions of learned systems.
//!
//! The engine says which states are wrong and how to come there; what exactly goes wrong in the last
//! state is asked of the system itself. What comes out has the form of the search that explores state
//! by state, so that both are told in the same way.

use std::time::Instant;

use evenhand_explicit::safety::{Finding, Safety};
use evenhand_explicit::search::{ErrorClass, PerClass};
use evenhand_symbolic::{Options, Wrong, safety};
use evenhand_system::explicit::FaultReport;
use evenhand_system::{Explicit, FaultKind, Groups, Successors};

use super::counts::counted;
use super::gauge::watched;
use super::limits::engine_options;
use crate::answer::CheckError;
use crate::case::{Case, Task};
use crate::engine::{Answers, Engine, SYMBOLIC};
use crate::explicit::breadth_first::{BreadthFirst, Errors, tell_errors};
use crate::options::Counterexamples;
use crate::stop::StopReason;

/// Answers questions about errors.
pub(super) fn answer(
    case: &Case<'_>,
    groups: &dyn Groups,
    tasks: &[(usize, &Task, ErrorClass)],
    answers: &mut Answers<'_>,
) -> Result<(), CheckError> {
    let (started, system) = (Instant::now(), case.system()?);
    let mut out = Successors::new();
    system.explorer(&[]).initial(&mut out);
    if !out.faults().is_empty() {
        // Something is wrong with the beginning already, and the other search can tell what.
        let own: Vec<&Task> = tasks.iter().map(|&(_, task, _)| task).collect();
        let mut theirs = Answers::new(&mut *answers.listener, own.len());
        BreadthFirst.answer(case, &own, &mut theirs)?;
        let found = theirs.take();
        for (&(place, ..), finding) in tasks.iter().zip(found) {
            answers.put(place, finding);
        }
        return Ok(());
    }
    let names: Vec<&str> = tasks.iter().map(|(_, t, _)| &*t.question.name).collect();
    answers.listener.stage(&names.join(", "));
    let engine: Options = engine_options(case.options, case.deadline());
    let asked: Vec<ErrorClass> = ErrorClass::ALL
        .into_iter()
        .filter(|class| tasks.iter().any(|(_, _, asked)| is_read(*class, *asked)))
        .collect();
    let kinds: Vec<Wrong> = asked.iter().map(|&class| wrong(class)).collect();
    let mut found = Safety::default();
    let mut many = None;
    let mut unknown: PerClass<Option<StopReason>> = PerClass::default();
    let gauge = engine.gauge.clone();
    let answer = watched(&gauge, answers.listener, || safety(groups, &kinds, &engine))?;
    match answer {
        Err(halt) => {
            for class in asked {
                unknown[class] = Some(halt.clone().into());
            }
        }
        Ok(answer) => {
            (found.progress.states, many) = counted(&answer.states);
            for (class, (_, path)) in asked.into_iter().zip(answer.paths) {
                match path {
                    Ok(None) => {}
                    Ok(Some(path)) => {
                        let path = path.iter().map(|state| groups.packed(state)).collect();
                        found.errors[class] = Some(finding(case, system, class, path));
                    }
                    Err(reason) => unknown[class] = Some(StopReason::Unsupported(reason)),
                }
            }
        }
    }
    let fault = found.errors[ErrorClass::Fault].as_ref();
    let fault = fault.and_then(|finding| finding.fault.clone());
    found.cut = fault.filter(|report| report.fault.kind != FaultKind::Assertion);
    let errors = Errors {
        unreduced: None,
        engine: SYMBOLIC,
        found: &found,
        unknown,
        many,
        proof: None,
    };
    tell_errors(case, tasks, &errors, started, answers);
    Ok(())
}

fn wrong(class: ErrorClass) -> Wrong {
    match class {
        ErrorClass::Fault => Wrong::Fault,
        ErrorClass::Deadlock => Wrong::End,
        ErrorClass::Trace => Wrong::Trace,
    }
}

/// What goes wrong at the end of a path.
fn finding(
    case: &Case<'_>,
    system: &dyn Explicit,
    class: ErrorClass,
    path: Vec<Vec<u8>>,
) -> Finding {
    let mut out = Successors::new();
    if let Some(last) = path.last() {
        system.explorer(&[]).expand(last, &mut out);
    }
    let is_trace = |r: &&FaultReport| matches!(r.fault.kind, FaultKind::Trace { .. });
    let is_assertion = |r: &&FaultReport| r.fault.kind == FaultKind::Assertion;
    let mut faults = out.faults().iter();
    let fault = match class {
        ErrorClass::Deadlock => None,
        ErrorClass::Trace => faults.find(is_trace),
        // Of several, one that the user wrote.
        ErrorClass::Fault => {
            let mut own = faults.filter(|r| !is_trace(r));
            own.clone().find(is_assertion).or_else(|| own.next())
        }
    };
    // A fault is a step behind the state it happens in; an improper end is the state itself.
    let extra = usize::from(class != ErrorClass::Deadlock);
    let lower_bound = (path.len() + extra).saturating_sub(1);
    let wanted = case.options.counterexample != Counterexamples::None;
    Finding {
        fault: fault.cloned(),
        path: if wanted { path } else { Vec::new() },
        shortest: true,
        lower_bound,
    }
}

/// Whether errors of a class are looked for where those of another are asked about: what run-time errors
/// cut off is not known to end well.
fn is_read(class: ErrorClass, asked: ErrorClass) -> bool {
    class == asked || (class, asked) == (ErrorClass::Fault, ErrorClass::Deadlock)
}
