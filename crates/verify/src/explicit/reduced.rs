//! Smaller systems that give the same answer: for which questions there is one, and when it is explored.
//!
//! Everything that is not about the number of steps can be asked of a reduced system: errors, ends,
//! conditions on states, and formulas without a next state, whatever the fairness. Claims and automata are
//! not proved to be of that kind, formulas of branching time can tell which choices are left, and runs of a
//! bounded length are about steps.
//!
//! A small system is explored as it is, since then everything is known of it: the number of its states,
//! and shortest runs. A violation is shown by a run of the system; how short one can be is a question about
//! all of its states, and never asked of fewer.

use std::sync::atomic::Ordering;

use evenhand_explicit::safety::Smaller;
use evenhand_system::reduce::{Reduced, Reduction, Unrolled};
use evenhand_system::{AssumptionKind, Fairness, Linear, PropositionId, Question, Sight, What};
use evenhand_witness::{CycleStep, Run};

use crate::answer::{PropertyResult, Verdict};
use crate::case::{Case, distinct};
use crate::options::Reduce;
use crate::proof::is_full;
use crate::stop::StopReason;
use crate::vacuity::can_block;

/// So many states of a system are explored before a smaller one is.
const SMALL: usize = 1 << 14;

/// A smaller system for a question, or why there is none; nothing if none was asked for.
pub(super) type Planned<'c> = Result<Plan<'c>, Option<String>>;

/// A smaller system for a question.
pub(super) struct Plan<'c> {
    /// The smaller one; its steps may be several of the system.
    pub system: Reduced<'c>,
    /// How many states of the system itself are explored before.
    pub after: usize,
    /// What the question sees of states.
    pub propositions: Vec<PropositionId>,
}

impl Plan<'_> {
    /// For a search for errors.
    pub fn smaller(&self) -> Smaller<'_> {
        Smaller {
            system: &self.system,
            after: self.after,
        }
    }

    /// A case about the smaller system, with nothing explored.
    pub fn case<'d>(&'d self, case: &'d Case<'_>) -> Case<'d> {
        let mut smaller = case.instead(&self.system, self.propositions.clone());
        smaller.gave_up = Some(self.system.gave_up().clone());
        smaller
    }

    /// Whether the smaller system was left, since reducing costs more than it saves.
    pub fn gave_up(&self) -> bool {
        self.system.gave_up().load(Ordering::Relaxed)
    }

    /// The path of the system that one of the smaller system is.
    pub fn path(&self, path: &[Vec<u8>]) -> Option<Vec<Vec<u8>>> {
        self.system.unroller(&[]).path(path)
    }

    /// The run of the system that one of the smaller system is.
    ///
    /// What is forgotten may be there at first where the cycle begins, and never again: what a turn writes
    /// does not depend on it.
    pub fn run(&self, run: &Run, fairness: &Fairness) -> Option<Run> {
        let mut unroller = self.system.unroller(&fairness.items);
        let mut prefix = vec![unroller.initial(run.prefix.first()?)?];
        for to in &run.prefix[1..] {
            let steps = unroller.step(prefix.last()?, to, &|_, _| true)?;
            prefix.extend(steps.into_iter().map(|step| step.state));
        }
        for _ in 0..TURNS {
            let mut cycle: Vec<CycleStep> = Vec::new();
            for step in &run.cycle {
                let from = cycle.last().map_or(prefix.last()?, |step| &step.state);
                let fits = |enabled: &[u64], taken: &[u64]| serves(fairness, step, enabled, taken);
                let steps = unroller.step(from, &step.state, &fits)?;
                cycle.extend(steps.into_iter().map(|step| cycle_step(fairness, step)));
            }
            let end = cycle.last()?.state.clone();
            if Some(&end) == prefix.last() {
                return Some(Run { prefix, cycle });
            }
            prefix.extend(cycle.into_iter().map(|step| step.state));
        }
        None
    }
}

/// So many turns of a cycle are made until it closes.
const TURNS: usize = 4;

/// What is wrong where a run of a smaller system is none of the system.
pub(super) const NO_RUN: &str = "a run of the reduced system is none of the system";

/// Whether a step of the smaller system serves the assumptions that it is to serve.
fn serves(fairness: &Fairness, step: &CycleStep, enabled: &[u64], taken: &[u64]) -> bool {
    let mut wanted = fairness.assumptions.iter().zip(&step.serves);
    wanted.all(|(assumption, &is_served)| match assumption.kind {
        _ if !is_served => true,
        AssumptionKind::Weak(item) => has(taken, item) || !has(enabled, item),
        AssumptionKind::Strong(item) => has(taken, item),
        AssumptionKind::Justice(_) | AssumptionKind::Compassion { .. } => true,
    })
}

/// A step with what it serves for sure: whoever it takes.
fn cycle_step(fairness: &Fairness, step: Unrolled) -> CycleStep {
    let serves = fairness.assumptions.iter().map(|a| match a.kind {
        AssumptionKind::Weak(item) | AssumptionKind::Strong(item) => has(&step.taken, item),
        AssumptionKind::Justice(_) | AssumptionKind::Compassion { .. } => false,
    });
    CycleStep {
        serves: serves.collect(),
        state: step.state,
    }
}

fn has(set: &[u64], item: usize) -> bool {
    let word = set.get(item / 64);
    word.is_some_and(|word| word >> (item % 64) & 1 == 1)
}

/// Why a smaller system was left.
pub(super) const GAVE_UP: &str = "there are too many kinds of states to tell what depends on what";

/// For questions about errors and ends.
pub(super) fn of_errors<'c>(case: &Case<'c>) -> Planned<'c> {
    plan(case, Vec::new(), &Fairness::default())
}

/// For questions about all reachable states.
pub(super) fn of_conditions<'c>(case: &Case<'c>, questions: &[&Question]) -> Planned<'c> {
    let counts = |question: &&Question| !matches!(question.what, What::Invariant(_) | What::Total);
    if questions.iter().any(counts) {
        return Err(Some("a condition on steps sees them all".to_string()));
    }
    let reads = questions.iter().flat_map(|question| question.reads());
    plan(case, distinct(reads), &Fairness::default())
}

/// For a question about fair runs.
pub(super) fn of_runs<'c>(case: &Case<'c>, question: &Question) -> Planned<'c> {
    let is_counting = match &question.what {
        What::Linear(Linear::Formula(formula)) => {
            let properties = formula.store.properties(formula.id);
            !properties.is_syntactic_stutter_invariant() || properties.has_quantifier()
        }
        What::Feasible => false,
        _ => true,
    };
    if is_counting {
        return Err(Some("the property may count steps".to_string()));
    }
    let mut found = plan(case, distinct(question.reads()), case.fairness())?;
    if can_block(case.fairness(), case.stutters(true)) {
        // Whoever looks for states without a fair run shows the way to one.
        found.system = reduced(case, &found.propositions, case.fairness(), Reduction::Steps)?;
    }
    Ok(found)
}

fn plan<'c>(case: &Case<'c>, propositions: Vec<PropositionId>, fairness: &Fairness) -> Planned<'c> {
    let after = match case.options.reduce {
        Reduce::None => return Err(None),
        Reduce::Auto => SMALL,
        Reduce::Always => 0,
    };
    if case.options.max_depth.is_some() {
        return Err(Some("the steps of a bounded run count".to_string()));
    }
    if is_full(case) {
        let reason = "what is expanded again for a proof is the model itself";
        return Err(Some(reason.to_string()));
    }
    if !case.is_whole() {
        return Err(None);
    }
    Ok(Plan {
        system: reduced(case, &propositions, fairness, Reduction::Chains)?,
        after,
        propositions,
    })
}

fn reduced<'c>(
    case: &Case<'c>,
    propositions: &[PropositionId],
    fairness: &Fairness,
    how: Reduction,
) -> Result<Reduced<'c>, Option<String>> {
    let sight = Sight::new(propositions.to_vec(), fairness);
    let found = case.view.body.reduced(&sight, how);
    found.map_err(|refusal| Some(refusal.reason))
}

/// Says of a large system why it was explored as it is.
pub(super) fn say_why(result: &mut PropertyResult, reason: Option<&str>) {
    if result.states > SMALL as u64 {
        result.unreduced = reason.map(str::to_string);
    }
}

/// Whether work ended since so many states were explored, and not for another reason; or was not begun.
pub(super) fn is_enough(case: &Case<'_>, result: &PropertyResult, plan: &Plan<'_>) -> bool {
    let interrupted = matches!(result.verdict, Verdict::Unknown(StopReason::Interrupted));
    let had_enough = plan.after == 0 || case.had_enough.get();
    interrupted && had_enough && !case.options.cancel.is_cancelled()
}
