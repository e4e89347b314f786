//! Whether some state can be reached: `E F p` of a condition, by a search that ends where it is found.
//!
//! Labelling explores everything before it labels the first state. That some state satisfies a condition is known as soon as one
//! is met; and that none does can be told from fewer states, where steps that make no difference are left out. So on a large
//! system the opposite is asked of all states, as an invariant, and the answer is turned round. A run to the state is not shown:
//! the formula holds. Where it does not, no run shows more than its first state.
//!
//! There must be a run from every state, or reaching one would not be enough: nothing is done under fairness, nor where runs that
//! end do not count.

use evenhand_logic::{Formulas, Node, Quantifier, Unary};
use evenhand_system::{Formula, Kind, Question, What};

use super::breadth_first::{answer_conditions, condition_of};
use super::labelling::Labelling;
use super::supports_runs;
use crate::answer::{CheckError, Verdict};
use crate::case::{Case, Task};
use crate::engine::{Answers, Engine, Support};
use crate::evidence::Evidence;
use crate::known::{is_small, saves_states};
use crate::listener::Quiet;
use crate::stop::StopReason;

/// The search.
#[derive(Debug)]
pub(crate) struct Reach;

impl Engine for Reach {
    fn name(&self) -> &'static str {
        "reach"
    }

    fn about(&self) -> &'static str {
        "whether a state can be reached, up to the first that is"
    }

    fn has_choice(&self) -> bool {
        false
    }

    fn supports(&self, case: &Case<'_>, question: &Question) -> Support {
        let has_runs = case.fairness().assumptions.is_empty() && case.stutters(true);
        // Where the next states are found by trial, nobody looks twice.
        let is_cheap = case.view.body.relation().is_err();
        let is_meant = is_cheap && has_runs && saves_states(case) && never(question).is_some();
        match is_meant && !is_small(case) {
            true => supports_runs(case, question),
            false => Support::Other,
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
        let opposite: Vec<Option<Task>> = tasks
            .iter()
            .map(|task| never(&task.question).map(Task::new))
            .collect();
        let conditions = opposite.iter().enumerate().filter_map(|(place, task)| {
            let task = task.as_ref()?;
            Some((place, task, condition_of(&task.question)?))
        });
        let conditions: Vec<_> = conditions.collect();
        let mut quiet = Quiet(&mut *answers.listener);
        let mut own = Answers::new(&mut quiet, tasks.len());
        answer_conditions(case, &conditions, false, &mut own)?;
        let found = own.take();
        for (place, (&task, found)) in tasks.iter().zip(found).enumerate() {
            let Some(explored) = found.map(|found| found.result) else {
                continue;
            };
            let is_cut = matches!(
                explored.verdict,
                Verdict::Unknown(StopReason::RunTimeError(_) | StopReason::NoValue(_))
            );
            if is_cut {
                // Where something has no value, or runs are cut by an error, labels may say more.
                let mut theirs = Answers::new(&mut *answers.listener, 1);
                Labelling.answer(case, &[task], &mut theirs)?;
                let finding = theirs.take().pop().flatten();
                answers.put(place, finding);
                continue;
            }
            let mut result = case.begun(&task.question, self.name());
            let mut evidence = Evidence::None;
            result.verdict = match &explored.verdict {
                Verdict::Violated(_) => Verdict::Holds,
                Verdict::Holds => {
                    evidence = Evidence::Beginning;
                    Verdict::Violated(None)
                }
                Verdict::Unknown(reason) => Verdict::Unknown(reason.clone()),
            };
            (result.states, result.transitions) = (explored.states, explored.transitions);
            (result.seconds, result.peak_memory) = (explored.seconds, explored.peak_memory);
            (result.ahead, result.reduced) = (explored.ahead, explored.reduced);
            result.unreduced = explored.unreduced;
            answers.known(case, (place, task), result, evidence);
        }
        Ok(())
    }
}

/// For `E F p` the question whether no state satisfies `p`.
fn never(question: &Question) -> Option<Question> {
    let What::Branching(formula) = &question.what else {
        return None;
    };
    let store = &formula.store;
    let Node::Path(Quantifier::Exists, path) = *store.node(formula.id) else {
        return None;
    };
    let Node::Unary(Unary::Finally, condition) = *store.node(path) else {
        return None;
    };
    if !store.properties(condition).is_boolean() {
        return None;
    }
    let mut store = Formulas::clone(store);
    let id = store.not(condition);
    let formula = Formula::new(store, id, formula.atoms.to_vec());
    let what = What::Invariant(formula);
    Some(Question::new(&question.name, Kind::Invariant, None, what))
}
