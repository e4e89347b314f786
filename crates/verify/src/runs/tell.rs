//! Runs executed again, judged and told.

use evenhand_automata::Automaton;
use evenhand_logic::{Node, Quantifier, print};
use evenhand_system::{Explicit, Successors, What};
use evenhand_witness::{
    Budget, Charge, Counterexample, Observed, Run, TraceStep, judge, observe, replay,
};

use crate::answer::CheckError;
use crate::bad_runs::LinearQuestion;
use crate::case::{Case, Task};
use crate::evidence::FiniteRun;

/// A run that was found, and what is known about shorter ones.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub run: Run,
    /// No counterexample is shorter than this.
    pub lower_bound: usize,
    /// What is left of the budget.
    pub left: Budget,
}

impl Candidate {
    /// The same run with the shortest prefix and the shortest cycle.
    pub fn folded(mut self) -> Candidate {
        self.run = self.run.folded();
        self
    }
}

/// A finite run.
pub(super) fn path(system: &dyn Explicit, path: &FiniteRun) -> Result<Counterexample, CheckError> {
    let mut run = replay(system, &path.states, path.fault.as_ref())?;
    run.shortest = path.shortest;
    run.lower_bound = path.lower_bound;
    Ok(run)
}

/// An infinite run of a system.
pub(crate) fn tell(
    case: &Case<'_>,
    question: &LinearQuestion,
    bad: &Automaton,
    found: &Candidate,
) -> Result<Counterexample, CheckError> {
    let system = case.system()?;
    let mut told = judge(system, case.fairness(), &found.run, question.charge(bad))?;
    told.shortest = found.lower_bound >= found.run.len();
    told.lower_bound = found.lower_bound;
    told.observed = observed(case, system, (question, bad), &found.run);
    Ok(told)
}

/// An infinite run, and the number of steps that is proved to be needed.
pub(super) fn proved(
    case: &Case<'_>,
    task: &Task,
    run: &Run,
    lower_bound: usize,
) -> Result<Option<Counterexample>, CheckError> {
    let Some(question) = task.linear() else {
        return Ok(None);
    };
    let Ok(bad) = &question.bad else {
        return Ok(None);
    };
    let found = Candidate {
        run: run.clone(),
        lower_bound,
        left: Default::default(),
    };
    tell(case, question, bad, &found).map(Some)
}

/// A run of which only the fairness is judged: that it decides something is the engine's word.
pub(super) fn fair_run(
    case: &Case<'_>,
    system: &dyn Explicit,
    run: &Run,
) -> Result<Counterexample, CheckError> {
    let charge = Charge::Automaton {
        automaton: &Automaton::everything(),
        propositions: &[],
    };
    let mut told = judge(system, case.fairness(), run, charge)?;
    told.shortest = false;
    told.lower_bound = 0;
    Ok(told)
}

/// The initial state alone, where it is the only one and no run can show anything.
pub(super) fn beginning(
    case: &Case<'_>,
    task: &Task,
) -> Result<Option<Counterexample>, CheckError> {
    let system = case.system()?;
    let mut out = Successors::new();
    system.explorer(&[]).initial(&mut out);
    if out.len() != 1 {
        return Ok(None);
    }
    let mut run = replay(system, &[out.state(0).to_vec()], None)?;
    if let What::Branching(formula) = &task.question.what
        && let Node::Path(Quantifier::Exists, body) = *formula.store.node(formula.id)
    {
        let text = print(&formula.store, body, formula.spelling);
        run.why
            .push(format!("no fair run from here satisfies `{text}`"));
    }
    Ok(Some(run))
}

/// What the automaton of bad runs does along a run, if anybody wants to see that.
pub(super) fn observed(
    case: &Case<'_>,
    system: &dyn Explicit,
    (question, bad): (&LinearQuestion, &Automaton),
    run: &Run,
) -> Option<Box<Observed>> {
    let entry = run.prefix.len().checked_sub(1);
    observed_states(case, system, (question, bad), &run.states(), entry)
}

/// The same for the states of a run; `entry` is where a cycle begins.
pub(super) fn observed_states(
    case: &Case<'_>,
    system: &dyn Explicit,
    (question, bad): (&LinearQuestion, &Automaton),
    states: &[&[u8]],
    entry: Option<usize>,
) -> Option<Box<Observed>> {
    if !case.options.observe {
        return None;
    }
    observe(system, states, entry, bad, &question.propositions).map(Box::new)
}

/// Moves inputs from the states to the steps that take them.
pub(super) fn move_inputs(run: &mut Counterexample, inputs: &[String]) {
    if inputs.is_empty() {
        return;
    }
    let take = |step: &mut TraceStep| {
        let (inputs, state) = std::mem::take(&mut step.state)
            .into_iter()
            .partition(|(name, _)| inputs.contains(name));
        step.state = state;
        inputs
    };
    let mut before = Vec::new();
    for (number, step) in run.prefix.iter_mut().chain(&mut run.cycle).enumerate() {
        let next = take(step);
        if number > 0 {
            step.inputs.extend(before);
        }
        before = next;
    }
}
