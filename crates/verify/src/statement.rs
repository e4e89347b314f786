//! What a proof that is kept says, and how its automaton gets into a file.

use evenhand_automata::Automaton;
use evenhand_certify::{Form, Reading, Statement, as_text};
use evenhand_system::explicit::FinishedRuns;
use evenhand_system::{Kind, PropositionId};

use crate::bad_runs::LinearQuestion;
use crate::case::{Case, Task};
use crate::options::Deadlock;

/// A question of linear time, and what is made of it.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    /// The question.
    pub task: &'a Task,
    /// With its automaton.
    pub question: &'a LinearQuestion,
    /// The automaton of the product, its own or another one of the same runs.
    pub bad: &'a Automaton,
    /// What its propositions are.
    pub propositions: &'a [PropositionId],
}

/// How the automaton of a question gets into a file.
pub(crate) enum Writable {
    /// It is the question's own, and whoever asks the question has it.
    Own,
    /// As a text; the atoms of the formula that its propositions are; and the automaton that comes
    /// back from the text.
    Text(String, Vec<usize>, Automaton),
    /// Not at all.
    No,
}

/// How the automaton of a question gets into a file.
pub(crate) fn writable(asked: Asked<'_>) -> Writable {
    let Some(formula) = &asked.question.formula else {
        return Writable::Own;
    };
    let place = |p| formula.atoms.iter().position(|atom| atom == p);
    let atoms: Option<Vec<usize>> = asked.propositions.iter().map(place).collect();
    match (as_text(asked.bad), atoms) {
        (Some((text, automaton)), Some(atoms)) => Writable::Text(text, atoms, automaton),
        _ => Writable::No,
    }
}

/// What a certificate of a question says.
pub(crate) fn statement(case: &Case<'_>, task: &Task, form: Form) -> Statement {
    let question = &task.question;
    let mut statement = Statement {
        model: case.view.body.signature().name.clone(),
        property: question.name.clone(),
        kind: question.kind.word().to_string(),
        formula: question.text.clone(),
        asking: task.asking.clone(),
        processes: case.fairness().pid_bound,
        inputs: case.view.input_names(),
        form,
        ..Statement::default()
    };
    if question.is_fair() {
        statement.fairness = case.sources();
        statement.reading = match (case.options.deadlock, case.finished) {
            (Deadlock::Error, _) if question.kind != Kind::Feasible => Reading::Broken,
            (_, FinishedRuns::Stutter) => Reading::Stay,
            (_, FinishedRuns::Everywhere) => Reading::Anywhere,
            _ => Reading::Ignored,
        };
    }
    statement
}
