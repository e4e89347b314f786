//! Assertions, run-time errors, improper ends and trace assertions by the symbolic engine.
//!
//! The engine says which states are wrong and how to come there; what exactly goes wrong in the last
//! state is asked of the program itself, and the path is executed again like every other. What comes out
//! has the form of the search that explores state by state, so that both are told in the same way.

use evenhand_explicit::safety::{Finding, Safety};
use evenhand_explicit::search::{ErrorClass, PerClass};
use evenhand_symbolic::{Options, Wrong, safety};
use evenhand_system::explicit::FaultReport;
use evenhand_system::{Explicit, FaultKind, Groups, Successors};

use crate::check::{CheckError, CheckOptions, Counterexamples, Listener};
use crate::gauge::watched;

/// What was found, and for each class why nothing is known.
pub(crate) struct Found {
    pub safety: Safety,
    pub unknown: PerClass<Option<String>>,
}

/// Looks for errors of some classes; none if something is wrong with the beginning already, which is
/// for others to tell.
pub(crate) fn nearest_errors(
    groups: &dyn Groups,
    system: &dyn Explicit,
    options: &CheckOptions,
    classes: &PerClass<bool>,
    listener: &mut dyn Listener,
) -> Result<Option<Found>, CheckError> {
    let mut out = Successors::new();
    system.explorer(&[]).initial(&mut out);
    if !out.faults().is_empty() {
        return Ok(None);
    }
    let default = Options::default();
    let engine = Options {
        memory: options.limit_memory.unwrap_or(default.memory),
        time: options.limit_time,
        interrupt: options.interrupt.clone(),
        ..default
    };
    let wanted = ErrorClass::ALL.into_iter().filter(|&class| classes[class]);
    let wanted: Vec<(ErrorClass, Wrong)> = wanted.map(|class| (class, wrong(class))).collect();
    let kinds: Vec<Wrong> = wanted.iter().map(|(_, kind)| *kind).collect();
    let mut found = Found {
        safety: Safety::default(),
        unknown: PerClass::default(),
    };
    let gauge = engine.gauge.clone();
    let answer = watched(&gauge, listener, || safety(groups, &kinds, &engine))?;
    let answer = match answer {
        Ok(answer) => answer,
        Err(halt) => {
            for (class, _) in wanted {
                found.unknown[class] = Some(halt.to_string());
            }
            return Ok(Some(found));
        }
    };
    let states = answer.states.exact.unwrap_or(u128::MAX);
    found.safety.progress.states = u64::try_from(states).unwrap_or(u64::MAX);
    for ((class, _), (_, path)) in wanted.into_iter().zip(answer.paths) {
        match path {
            Ok(None) => {}
            Ok(Some(path)) => {
                found.safety.errors[class] = Some(finding(system, class, path, options))
            }
            Err(reason) => found.unknown[class] = Some(reason),
        }
    }
    Ok(Some(found))
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
    system: &dyn Explicit,
    class: ErrorClass,
    path: Vec<Vec<u8>>,
    options: &CheckOptions,
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
    let wanted = options.counterexample != Counterexamples::None;
    Finding {
        fault: fault.cloned(),
        path: if wanted { path } else { Vec::new() },
        shortest: true,
        lower_bound,
    }
}
