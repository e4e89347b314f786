//! A kept certificate against a model: does it prove what it says?
//!
//! The question of the statement is asked again. What comes back must be what the statement says: the
//! same kind and formula under that name, and the same assumptions. Then the proof is held against
//! the system of that question: ranks by [`check_product_with`], a look at all states by [`check_reachable`].
//! Nothing but the statement says what is proved, so whoever reads the answer must read it too.
//!
//! The automaton of the bad runs is that of the file only for formulas, and there it is either shown
//! that it accepts every word that breaks the formula, or said that this is believed. Claims and
//! automata of the model, or of the call, are their own.

use std::fmt;
use std::io::Read;
use std::path::PathBuf;

use evenhand_automata::Automaton;
use evenhand_automata::translate::{Options, translate};
use evenhand_logic::{Formulas, Node};
use evenhand_source::Budget;
use evenhand_system::relation::Role;
use evenhand_system::specification::FEW;
use evenhand_system::{
    AssumptionKind, Explicit, Fairness, FinishedRuns, Formula, Inputs, Inquiry, Linear,
    PropositionId, Question, Rejected, Specification, Unresolved, What,
};

use crate::closed::{Claim, check_reachable};
use crate::file::{Opened, ReadError};
use crate::flaw::{Checked, Failure, Refusal};
use crate::product::{ProductClaim, check_product_with};
use crate::simulation::{Words, accepts_all};
use crate::statement::{Form, Reading, Statement, as_text, from_text};
use crate::states::States;

/// Why an automaton accepts every run that breaks the property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cover {
    /// The property is this automaton.
    Given,
    /// It simulates the plainest automaton of the formula.
    Shown,
    /// That is believed of whoever computed it.
    Believed,
}

/// How much is done to show it: each part of a formula is compared with the whole automaton, which has a part for each.
const EFFORT: u64 = 2_000_000;
const MOST_EFFORT: u64 = 20_000_000;
const EFFORT_OF_PAIR: u64 = 64;

impl Cover {
    /// Whether an automaton with these propositions is shown to accept every word that breaks a
    /// formula, or that is to be believed.
    pub fn of_formula(
        formula: &Formula,
        automaton: &Automaton,
        propositions: &[PropositionId],
    ) -> Cover {
        let words = Words {
            store: &formula.store,
            formula: formula.id,
            value: false,
            atoms: &formula.atoms,
            automaton,
            propositions,
        };
        let pairs = automaton.state_count() as u64 * automaton.edge_count() as u64;
        let effort = EFFORT_OF_PAIR.saturating_mul(pairs);
        let shown = Budget::unlimited().effort(effort.clamp(EFFORT, MOST_EFFORT));
        match shown.run(|| accepts_all(&words)) {
            Ok(Ok(_)) => Cover::Shown,
            Ok(Err(_)) | Err(_) => Cover::Believed,
        }
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Cover::Given => "given",
            Cover::Shown => "shown",
            Cover::Believed => "believed",
        }
    }
}

/// What was proved.
#[derive(Clone, Copy, Debug)]
pub struct Proven {
    /// What was looked at.
    pub checked: Checked,
    /// What is known of the automaton of the bad runs, where there is one.
    pub automaton: Option<Cover>,
}

/// Why a certificate is of no use for a model.
#[derive(Debug)]
#[non_exhaustive]
pub enum Untrue {
    /// What it says cannot be understood, or is another thing in this model: in words.
    Other(String),
    /// The model does not understand the question.
    Unresolved(Unresolved),
    /// It cannot be read.
    Unreadable(ReadError),
    /// It proves nothing.
    Flawed(crate::flaw::Flaw),
    /// It cannot be checked.
    Refused(Refusal),
}

impl fmt::Display for Untrue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Untrue::Other(text) => f.write_str(text),
            Untrue::Unresolved(error) => error.fmt(f),
            Untrue::Unreadable(error) => error.fmt(f),
            Untrue::Flawed(flaw) => Failure::<Refusal>::Flawed(*flaw).fmt(f),
            Untrue::Refused(refusal) => Failure::Stopped(*refusal).fmt(f),
        }
    }
}

impl std::error::Error for Untrue {}

impl From<Failure<Refusal>> for Untrue {
    fn from(failure: Failure<Refusal>) -> Untrue {
        match failure {
            Failure::Flawed(flaw) => Untrue::Flawed(flaw),
            Failure::Stopped(refusal) => Untrue::Refused(refusal),
        }
    }
}

impl From<Rejected> for Untrue {
    fn from(rejected: Rejected) -> Untrue {
        Untrue::Unresolved(rejected.into())
    }
}

/// Where the states go that a check has met.
#[derive(Clone, Debug)]
pub enum Room {
    /// In memory.
    Memory,
    /// In a file of their own in this folder, which is gone in the end.
    Disk(PathBuf),
}

impl Room {
    fn states(&self) -> Result<States, Untrue> {
        match self {
            Room::Memory => Ok(States::new()),
            Room::Disk(folder) => States::on_disk(folder)
                .map_err(|error| Untrue::Refused(Refusal::Storage(error.kind()))),
        }
    }
}

/// A statement that a model understands.
pub struct Kept<'s> {
    statement: &'s Statement,
    inquiry: Inquiry,
    question: Question,
    fairness: Fairness,
    /// The system with inputs in its states, if they have some.
    with_inputs: Option<Box<dyn Explicit>>,
}

impl<'s> Kept<'s> {
    /// Asks a model what a statement is about.
    ///
    /// # Errors
    /// If it does not understand, or understands something else.
    pub fn new(
        specification: &dyn Specification,
        statement: &'s Statement,
    ) -> Result<Kept<'s>, Untrue> {
        let inquiry = statement.asking.resolve(specification);
        let mut inquiry = inquiry.map_err(Untrue::Unresolved)?;
        let (Some(question), true) = (inquiry.questions.pop(), inquiry.questions.is_empty()) else {
            let text = "the certificate is not about one property";
            return Err(Untrue::Other(text.to_string()));
        };
        let name = &statement.property;
        if !is_called(statement, &question) {
            return Err(Untrue::Other(format!(
                "the certificate calls it `{name}`; what it asks is `{}`",
                question.name
            )));
        }
        if question.kind.word() != statement.kind || question.text != statement.formula {
            let told = |formula: &Option<String>| formula.clone().unwrap_or_default();
            return Err(Untrue::Other(format!(
                "the certificate is about `{name}` as {} `{}`; in the model it is {} `{}`",
                statement.kind,
                told(&statement.formula),
                question.kind.word(),
                told(&question.text),
            )));
        }
        let (known, is_certain) = inquiry.meaning.processes();
        let usual = if is_certain { known } else { FEW };
        let processes = statement.processes.unwrap_or(usual);
        let fairness = inquiry.meaning.fairness(&inquiry.assumptions, processes)?;
        if question.is_fair() && fairness.sources() != statement.fairness {
            return Err(Untrue::Other(format!(
                "the certificate of `{name}` assumes {}; the model and the call have {}",
                listed(&statement.fairness),
                listed(&fairness.sources()),
            )));
        }
        let with_inputs = with_inputs(statement, &inquiry, &question, &fairness)?;
        if question.is_fair() {
            // With inputs in its states a system stays by steps of its own.
            let stays = inquiry.body.finished_runs() == FinishedRuns::Everywhere;
            let fits = match (stays, statement.reading) {
                (false, reading) => reading != Reading::Anywhere,
                (true, Reading::Anywhere) => with_inputs.is_none(),
                (true, Reading::Ignored) => with_inputs.is_some(),
                (true, _) => false,
            };
            if !fits || inquiry.body.finished_runs() == FinishedRuns::Maximal {
                let text =
                    "runs of this model end in a way that this certificate does not speak of";
                return Err(Untrue::Other(text.to_string()));
            }
            if with_inputs.is_some() && statement.reading == Reading::Stay {
                let text = "with inputs a run cannot stay where it ends";
                return Err(Untrue::Other(text.to_string()));
            }
        }
        Ok(Kept {
            statement,
            inquiry,
            question,
            fairness,
            with_inputs,
        })
    }

    fn system(&self) -> Result<&dyn Explicit, Untrue> {
        match &self.with_inputs {
            Some(system) => Ok(&**system),
            None => self.inquiry.body.explicit().map_err(refused),
        }
    }

    /// Whether a certificate proves the statement that it came with. The observer is told now and
    /// then how far the check has come, and says whether to go on.
    ///
    /// # Errors
    /// Why it does not.
    pub fn check<R: Read>(
        &self,
        opened: Opened<R>,
        room: &Room,
        observer: &mut dyn FnMut(&Checked) -> bool,
    ) -> Result<Proven, Untrue> {
        if self.statement.reading == Reading::Broken && self.question.is_fair() {
            let claim = match self.inquiry.body.finished_runs() {
                FinishedRuns::Ignore => Claim::Total,
                _ => Claim::ProperEnds,
            };
            let system = self.inquiry.body.explicit().map_err(refused)?;
            check_reachable(system, room.states()?, &[claim], observer)?;
        }
        if let Some(always) = &self.question.always {
            let claim = Claim::Invariant(always);
            check_reachable(self.system()?, room.states()?, &[claim], observer)?;
        }
        match self.statement.form {
            Form::Closed => self.check_closed(opened, room, observer),
            Form::Ranks => self.check_ranks(opened, room, observer),
        }
    }

    fn check_closed<R: Read>(
        &self,
        opened: Opened<R>,
        room: &Room,
        observer: &mut dyn FnMut(&Checked) -> bool,
    ) -> Result<Proven, Untrue> {
        let claim = Claim::of(&self.question)
            .ok_or_else(|| Untrue::Other("a look at all states does not prove it".to_string()))?;
        let checked = check_reachable(self.system()?, room.states()?, &[claim], observer)?;
        let (_, reader) = opened.ranks(0).map_err(Untrue::Unreadable)?;
        reader.finish().map_err(Untrue::Unreadable)?;
        Ok(Proven {
            checked,
            automaton: None,
        })
    }

    fn check_ranks<R: Read>(
        &self,
        opened: Opened<R>,
        room: &Room,
        observer: &mut dyn FnMut(&Checked) -> bool,
    ) -> Result<Proven, Untrue> {
        let bad = self.bad_runs()?;
        let stays = bad.finished_runs
            && self.with_inputs.is_none()
            && self.statement.reading != Reading::Ignored;
        let claim = ProductClaim {
            system: self.system()?,
            fairness: &self.fairness,
            chosen: None,
            automaton: &bad.automaton,
            propositions: &bad.propositions,
            finished: match (stays, self.statement.reading) {
                (true, Reading::Anywhere) => FinishedRuns::Everywhere,
                (true, _) => FinishedRuns::Stutter,
                (false, _) => FinishedRuns::Ignore,
            },
        };
        let count = bad.automaton.state_count();
        let (cells, mut reader) = opened.ranks(count).map_err(Untrue::Unreadable)?;
        let checked = check_product_with(&claim, &cells, &mut reader, room.states()?, observer);
        if reader.error().is_some() {
            reader.finish().map_err(Untrue::Unreadable)?;
            return Err(Untrue::Refused(Refusal::Interrupted));
        }
        let checked = checked?;
        reader.finish().map_err(Untrue::Unreadable)?;
        Ok(Proven {
            checked,
            automaton: Some(bad.cover),
        })
    }

    /// The automaton of the runs that break the property.
    fn bad_runs(&self) -> Result<BadRuns, Untrue> {
        let other = |text: &str| Untrue::Other(text.to_string());
        match &self.question.what {
            What::Feasible => Ok(BadRuns {
                automaton: Automaton::everything(),
                propositions: Vec::new(),
                finished_runs: true,
                cover: Cover::Given,
            }),
            What::Linear(Linear::Automaton(bad)) => Ok(BadRuns {
                automaton: bad.automaton.clone().map_err(Untrue::Other)?,
                propositions: bad.propositions.clone(),
                finished_runs: bad.finished_runs,
                cover: match bad.computed {
                    true => Cover::Believed,
                    false => Cover::Given,
                },
            }),
            What::Linear(Linear::Formula(formula)) => {
                let missing = || other("the certificate has no automaton");
                let (text, atoms) = self.statement.automaton.as_ref().ok_or_else(missing)?;
                let automaton = from_text(text);
                let automaton =
                    automaton.ok_or_else(|| other("the certificate's automaton is none"))?;
                let propositions = atoms.iter().map(|&atom| formula.atoms.get(atom).copied());
                let propositions: Option<Vec<PropositionId>> = propositions.collect();
                let propositions = propositions
                    .ok_or_else(|| other("the certificate's automaton is about other atoms"))?;
                let cover = Cover::of_formula(formula, &automaton, &propositions);
                if cover == Cover::Believed && !is_translation(formula, text, &propositions) {
                    let why =
                        "it is not shown that its automaton accepts all that breaks the formula";
                    return Err(other(why));
                }
                Ok(BadRuns {
                    cover,
                    automaton,
                    propositions,
                    finished_runs: true,
                })
            }
            _ => Err(other("ranks do not prove it")),
        }
    }
}

/// The automaton of the runs that break a property.
struct BadRuns {
    automaton: Automaton,
    propositions: Vec<PropositionId>,
    finished_runs: bool,
    cover: Cover,
}

/// The system with inputs in its states, if it has to be or is said to be.
fn with_inputs(
    statement: &Statement,
    inquiry: &Inquiry,
    question: &Question,
    fairness: &Fairness,
) -> Result<Option<Box<dyn Explicit>>, Untrue> {
    let body = &inquiry.body;
    let mut reads = question.reads();
    if question.is_fair() {
        for assumption in &fairness.assumptions {
            match assumption.kind {
                AssumptionKind::Justice(condition) => reads.push(condition),
                AssumptionKind::Compassion { when, then } => reads.extend([when, then]),
                AssumptionKind::Weak(_) | AssumptionKind::Strong(_) => {}
            }
        }
    }
    let mut inputs: Inputs = body.inputs_read(&reads);
    if !statement.inputs.is_empty() {
        let relation = body.relation().map_err(refused)?;
        let mut names = statement.inputs.iter();
        let given = names.try_for_each(|name| {
            let mut ids = relation.variables.iter().zip(0..);
            let (_, id) = ids.find(|(v, _)| v.name == *name && v.role == Role::Input)?;
            inputs.insert(evenhand_system::relation::VarId(id));
            Some(())
        });
        given.ok_or_else(|| Untrue::Other("the certificate names inputs of others".to_string()))?;
    }
    match inputs.is_empty() {
        true => Ok(None),
        false => body.with_inputs(&inputs).map(Some).map_err(refused),
    }
}

fn refused(refusal: evenhand_system::Refusal) -> Untrue {
    Untrue::Other(refusal.reason)
}

/// Whether a question is called what a statement calls it. What was given as a text has a number, by its place
/// among others.
fn is_called(statement: &Statement, question: &Question) -> bool {
    let request = &statement.asking.request;
    let given = [&request.invariants, &request.linear, &request.branching];
    if given.iter().all(|texts| texts.is_empty()) {
        return question.name == statement.property;
    }
    let number = statement.property.strip_prefix("formula_");
    number.is_some_and(|number| number.parse::<usize>().is_ok())
}

/// Whether an automaton is the one that this program itself makes of a formula: then that is what is believed.
fn is_translation(formula: &Formula, text: &str, propositions: &[PropositionId]) -> bool {
    let mut store = Formulas::clone(&formula.store);
    let negation = store.not(formula.id);
    let Ok(found) = translate(&mut store, negation, &Options::streett()) else {
        return false;
    };
    let own = found.propositions.iter().map(|&p| match store.node(p) {
        Node::Atom(atom) => formula.atoms.get(atom.index()).copied(),
        _ => None,
    });
    let own: Option<Vec<PropositionId>> = own.collect();
    own.as_deref() == Some(propositions)
        && as_text(&found.automaton).is_some_and(|(own, _)| own == text)
}

fn listed(texts: &[String]) -> String {
    match texts.is_empty() {
        true => "no fairness".to_string(),
        false => format!("`{}`", texts.join("`, `")),
    }
}
