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

use evenhand_explicit::safety::Smaller;
use evenhand_system::reduce::{Reduced, Reduction};
use evenhand_system::{Fairness, Linear, PropositionId, Question, Sight, What};

use crate::answer::{PropertyResult, Verdict};
use crate::case::{Case, distinct};
use crate::options::Reduce;
use crate::proof::is_full;
use crate::stop::StopReason;
use crate::vacuity::can_block;

/// So many states of a system are explored before a smaller one is.
const SMALL: usize = 1 << 14;

/// Smaller systems for a question.
pub(super) struct Plan<'c> {
    /// The smallest one; its steps may be several of the system.
    pub chains: Reduced<'c>,
    /// One whose steps are the system's.
    pub steps: Reduced<'c>,
    /// How many states of the system itself are explored before.
    pub after: usize,
    /// What the question sees of states.
    pub propositions: Vec<PropositionId>,
}

impl Plan<'_> {
    /// For a search for errors.
    pub fn smaller(&self) -> Smaller<'_> {
        Smaller {
            chains: &self.chains,
            steps: &self.steps,
            after: self.after,
        }
    }
}

/// For questions about errors and ends.
pub(super) fn of_errors<'c>(case: &Case<'c>) -> Option<Plan<'c>> {
    plan(case, Vec::new(), &Fairness::default())
}

/// For questions about all reachable states.
pub(super) fn of_conditions<'c>(case: &Case<'c>, questions: &[&Question]) -> Option<Plan<'c>> {
    let counts = |question: &&Question| !matches!(question.what, What::Invariant(_) | What::Total);
    if questions.iter().any(counts) {
        return None;
    }
    let reads = questions.iter().flat_map(|question| question.reads());
    plan(case, distinct(reads), &Fairness::default())
}

/// For a question about fair runs.
pub(super) fn of_runs<'c>(case: &Case<'c>, question: &Question) -> Option<Plan<'c>> {
    let is_counting = match &question.what {
        What::Linear(Linear::Formula(formula)) => {
            let properties = formula.store.properties(formula.id);
            !properties.is_syntactic_stutter_invariant() || properties.has_quantifier()
        }
        What::Feasible => false,
        _ => true,
    };
    if is_counting {
        return None;
    }
    let mut found = plan(case, distinct(question.reads()), case.fairness())?;
    if can_block(case.fairness(), case.stutters(true)) {
        // Whoever looks for states without a fair run shows the way to one.
        found.chains = reduced(case, &found.propositions, case.fairness(), Reduction::Steps)?;
    }
    Some(found)
}

fn plan<'c>(
    case: &Case<'c>,
    propositions: Vec<PropositionId>,
    fairness: &Fairness,
) -> Option<Plan<'c>> {
    let after = match case.options.reduce {
        Reduce::None => return None,
        Reduce::Auto => SMALL,
        Reduce::Always => 0,
    };
    // What is expanded again is the system itself.
    if !case.is_whole() || case.options.max_depth.is_some() || is_full(case) {
        return None;
    }
    Some(Plan {
        chains: reduced(case, &propositions, fairness, Reduction::Chains)?,
        steps: reduced(case, &propositions, fairness, Reduction::Steps)?,
        after,
        propositions,
    })
}

fn reduced<'c>(
    case: &Case<'c>,
    propositions: &[PropositionId],
    fairness: &Fairness,
    how: Reduction,
) -> Option<Reduced<'c>> {
    let sight = Sight::new(propositions.to_vec(), fairness);
    case.view.body.reduced(&sight, how).ok()
}

/// Whether work ended since so many states were explored, and not for another reason; or was not begun.
pub(super) fn is_enough(case: &Case<'_>, result: &PropertyResult, plan: &Plan<'_>) -> bool {
    let interrupted = matches!(result.verdict, Verdict::Unknown(StopReason::Interrupted));
    let had_enough = plan.after == 0 || case.had_enough.get();
    interrupted && had_enough && !case.options.cancel.is_cancelled()
}
