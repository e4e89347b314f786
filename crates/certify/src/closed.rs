//! A set of states that no step leaves.
//!
//! If the initial states are in a set, and with each state all its successors, every reachable state
//! is in it; what is true of each state of the set and of each step out of it is then true of
//! everything that can be reached. Assertions, proper ends, invariants and conditions on steps are
//! such claims. Fairness plays no part.
//!
//! What is believed is the system: its initial states, its successors and errors, the values of its
//! propositions.

use evenhand_system::{
    Explicit, Explorer, FaultKind, Formula, PropositionId, Question, Successors, What,
};

use crate::flaw::{Checked, Failure, Flaw, Refusal};
use crate::formula::{Compiled, Value};
use crate::product::{count_faults, holds};
use crate::states::States;

/// What is to be true of everything that can be reached.
#[derive(Clone, Copy, Debug)]
pub enum Claim<'c> {
    /// No step breaks an assertion or meets a run-time error.
    NoErrors,
    /// No step breaks a trace assertion.
    NoTraceErrors,
    /// No run ends where it must not.
    ProperEnds,
    /// Each state has a successor.
    Total,
    /// A condition on each state.
    Invariant(&'c Formula),
    /// A condition on each step, with `X` for the state behind it.
    Step(&'c Formula),
}

impl<'c> Claim<'c> {
    /// What a question asks of everything that can be reached, if it does.
    pub fn of(question: &'c Question) -> Option<Claim<'c>> {
        match &question.what {
            What::Errors => Some(Claim::NoErrors),
            What::Trace => Some(Claim::NoTraceErrors),
            What::Ends => Some(Claim::ProperEnds),
            What::Total => Some(Claim::Total),
            What::Invariant(formula) => Some(Claim::Invariant(formula)),
            What::Step { formula, .. } => Some(Claim::Step(formula)),
            _ => None,
        }
    }
}

/// Whether a set of states is closed and the claims are true of it. The observer is told now and then
/// how far it has come, and says whether to go on.
///
/// # Errors
/// What is wrong with the set; or why it cannot be checked.
pub fn check_closed(
    system: &dyn Explicit,
    states: &mut States,
    claims: &[Claim<'_>],
    observer: &mut dyn FnMut(&Checked) -> bool,
) -> Result<Checked, Failure<Refusal>> {
    run(system, states, false, claims, observer)
}

/// Whether claims are true of everything that can be reached: there is no set to begin with, states are added
/// as they are met. Nothing but the claims has to be told, and the check is no more than a plain search; it takes
/// little memory if the list keeps states in a file.
///
/// # Errors
/// Which claim is not true; or why they cannot be checked.
pub fn check_reachable(
    system: &dyn Explicit,
    mut states: States,
    claims: &[Claim<'_>],
    observer: &mut dyn FnMut(&Checked) -> bool,
) -> Result<Checked, Failure<Refusal>> {
    if !states.is_empty() {
        return Err(Flaw::Order.into());
    }
    run(system, &mut states, true, claims, observer)
}

fn run(
    system: &dyn Explicit,
    states: &mut States,
    is_open: bool,
    claims: &[Claim<'_>],
    observer: &mut dyn FnMut(&Checked) -> bool,
) -> Result<Checked, Failure<Refusal>> {
    let mut compiled = Vec::new();
    for claim in claims {
        compiled.push(compile(system, claim)?);
    }
    let mut check = Check {
        explorer: system.explorer(&[]),
        successors: Successors::new(),
        states,
        is_open,
        state: Vec::new(),
        claims,
        compiled,
        checked: Checked::default(),
    };
    check.initial()?;
    let mut next = 0;
    while next < check.states.len() {
        check.state(next)?;
        next += 1;
        if check.checked.states.is_multiple_of(1024) && !observer(&check.checked) {
            return Err(Refusal::Interrupted.into());
        }
    }
    Ok(check.checked)
}

/// The formula of a claim, if it has one.
fn compile(system: &dyn Explicit, claim: &Claim<'_>) -> Result<Option<Compiled>, Refusal> {
    let (formula, is_on_steps) = match claim {
        Claim::Invariant(formula) => (formula, false),
        Claim::Step(formula) => (formula, true),
        _ => return Ok(None),
    };
    let compiled = Compiled::new(formula)?;
    if compiled.is_on_steps && !is_on_steps {
        return Err(Refusal::Formula);
    }
    let mut read = compiled.propositions.iter();
    match read.find(|&&p| system.is_on_steps(p)) {
        Some(&proposition) => Err(Refusal::OnSteps(proposition)),
        None => Ok(Some(compiled)),
    }
}

struct Check<'c> {
    explorer: Box<dyn Explorer + 'c>,
    successors: Successors,
    states: &'c mut States,
    /// Whether states are added.
    is_open: bool,
    /// The state that is looked at.
    state: Vec<u8>,
    claims: &'c [Claim<'c>],
    /// The formulas of the claims that have one.
    compiled: Vec<Option<Compiled>>,
    checked: Checked,
}

impl Check<'_> {
    fn initial(&mut self) -> Result<(), Failure<Refusal>> {
        self.explorer.initial(&mut self.successors);
        self.note_faults(None)?;
        for index in 0..self.successors.len() {
            self.meet(index, Flaw::InitialState)?;
        }
        Ok(())
    }

    fn state(&mut self, number: usize) -> Result<(), Failure<Refusal>> {
        self.state.clear();
        self.state.extend_from_slice(self.states.get(number)?);
        self.explorer.expand(&self.state, &mut self.successors);
        self.note_faults(Some(number))?;
        for index in 0..self.successors.len() {
            self.meet(index, Flaw::Leaves { state: number })?;
        }
        let ends = self.successors.is_empty() && self.successors.faults().is_empty();
        for (place, claim) in self.claims.iter().enumerate() {
            let is_true = match claim {
                Claim::NoErrors | Claim::NoTraceErrors => true, // looked at above
                Claim::ProperEnds => !ends || self.explorer.is_valid_end(&self.state),
                Claim::Total => !ends,
                Claim::Invariant(_) | Claim::Step(_) => self.formula_holds(place)?,
            };
            if !is_true {
                let (claim, state) = (place, Some(number));
                return Err(Flaw::Claim { claim, state }.into());
            }
        }
        self.checked.states += 1;
        self.checked.edges += self.successors.len() as u64;
        Ok(())
    }

    /// A successor is in the set, or is added.
    fn meet(&mut self, index: usize, otherwise: Flaw) -> Result<(), Failure<Refusal>> {
        let state = self.successors.state(index);
        let is_there = match self.is_open {
            true => self.states.meet(state).map(|_| true)?,
            false => self.states.find(state)?.is_some(),
        };
        match is_there {
            true => Ok(()),
            false => Err(otherwise.into()),
        }
    }

    /// Counts run-time errors, unless there is a claim that there are none.
    fn note_faults(&mut self, state: Option<usize>) -> Result<(), Failure<Refusal>> {
        let faults = count_faults(&self.successors)?;
        let mut reports = self.successors.faults().iter();
        let traces = reports.any(|report| matches!(report.fault.kind, FaultKind::Trace { .. }));
        let broken = |claim: &Claim<'_>| match claim {
            Claim::NoErrors => faults > 0,
            Claim::NoTraceErrors => traces,
            _ => false,
        };
        self.checked.faults += faults;
        match self.claims.iter().position(broken) {
            Some(claim) => Err(Flaw::Claim { claim, state }.into()),
            None => Ok(()),
        }
    }

    /// Whether the formula of a claim holds in a state, or on all steps out of it.
    fn formula_holds(&mut self, claim: usize) -> Result<bool, Refusal> {
        let Some(compiled) = &mut self.compiled[claim] else {
            return Ok(false);
        };
        let explorer = &mut *self.explorer;
        let now = values(explorer, &compiled.propositions, &self.state);
        if matches!(self.claims[claim], Claim::Invariant(_)) {
            return compiled.holds(&now, &now);
        }
        for index in 0..self.successors.len() {
            let next = self.successors.state(index);
            let next = values(explorer, &compiled.propositions, next);
            if !compiled.holds(&now, &next)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The values of propositions in a state.
fn values(explorer: &mut dyn Explorer, propositions: &[PropositionId], state: &[u8]) -> Vec<Value> {
    let values = propositions.iter().map(|&p| holds(explorer, p, state));
    values.collect()
}
