//! The engine that explores sets of states as decision diagrams.
//!
//! A body that is a relation is encoded as it is ([`relation`]); one that has transition groups is
//! learned from them ([`learned`]). Either way the engine decides, and its runs are values of variables
//! or packed states that nobody has believed yet.

pub(crate) mod apart;
pub(crate) mod beside;
mod counts;
pub(crate) mod gauge;
mod learned;
mod learned_errors;
pub(crate) mod limits;
mod relation;

use evenhand_system::{Question, What};

use self::apart::{Told, apart};
use crate::answer::CheckError;
use crate::case::{Case, Task};
use crate::engine::{Answers, Engine, SYMBOLIC, Support};
use crate::options::Cancel;

/// The symbolic engine.
#[derive(Debug)]
pub(crate) struct Sets;

impl Engine for Sets {
    fn name(&self) -> &'static str {
        SYMBOLIC
    }

    fn about(&self) -> &'static str {
        "sets of states as decision diagrams, for any model"
    }

    fn supports(&self, case: &Case<'_>, question: &Question) -> Support {
        let body = &case.view.body;
        match question.what {
            What::Bound(_) => Support::Other,
            _ if body.relation().is_ok() => Support::Yes,
            What::Total | What::Step { .. } | What::Quantity { .. } => Support::Other,
            What::Invariant(ref formula) if learned::condition(formula).is_none() => Support::Other,
            _ if !case.view.inputs.is_empty() => Support::No(format!(
                "the engine `{SYMBOLIC}` cannot do this: formulas about steps are decided state by state"
            )),
            _ if question.always.is_some() => Support::No(format!(
                "the engine `{SYMBOLIC}` cannot do this: a property with parts about single states, which are asked \
                 of all of them, is decided state by state"
            )),
            _ => match body.groups() {
                Ok(_) => Support::Yes,
                Err(refusal) => Support::No(refusal.reason),
            },
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
        let Some(copy) = case.copy() else {
            return ask(case, tasks, answers);
        };
        let cancel = Cancel::new();
        let copy = copy.with_cancel(cancel.clone());
        let questions: Vec<Question> = tasks.iter().map(|task| task.question.clone()).collect();
        let found = &mut answers.found;
        let known = &mut |place: usize, finding| found[place] = Some(finding);
        let done = apart(&cancel, answers.listener, known, move |mut teller| {
            let tasks: Vec<Task> = questions.into_iter().map(Task::new).collect();
            let tasks: Vec<&Task> = tasks.iter().collect();
            let sink = teller.clone();
            let sink = move |place, found| sink.tell(Told::Known(place, Box::new(found)));
            let mut answers = Answers::new(&mut teller, tasks.len()).handed_to(&sink);
            copy.ask(|case| ask(case, &tasks, &mut answers))
        });
        done?
    }
}

fn ask(case: &Case<'_>, tasks: &[&Task], answers: &mut Answers<'_>) -> Result<(), CheckError> {
    match (case.view.body.relation(), case.view.body.groups()) {
        (Ok(relation), _) => relation::answer(case, relation, tasks, answers),
        (Err(_), Ok(groups)) => learned::answer(case, groups, tasks, answers),
        (Err(_), Err(refusal)) => Err(refusal.into()),
    }
}
