//! What is asked about an SMV model, and who answers it.
//!
//! By default every property of the model and totality. A question is about states without inputs
//! where it can be: only questions (or assumptions) that mention inputs see states that say which
//! input comes next. So there are at most two systems, and each is explored once for all its
//! questions.

use std::collections::BTreeSet;
use std::time::Instant;

use evenhand_explicit::space::{Interest, Space};
use evenhand_explicit::store::{PlainStore, Store, TreeStore};
use evenhand_logic::{FormulaId, Spelling, print};
use evenhand_report::{PropertyResult, Verdict};
use evenhand_smv::{Asked as Kind, SmvModel, SmvProperty, SmvPropertyKind};
use evenhand_source::Diagnostic;
use evenhand_system::relation::VarId;
use evenhand_system::{AssumptionKind, Fairness, PropositionId};

use super::Smv;
use super::choice::choose;
use super::safety::Ask;
use super::session::{Session, Subject, What, question_of};
use super::symbolic::Sets;
use crate::check::{CheckError, CheckOptions, CheckReport, Deadlock, Listener};
use crate::question::{Question, Wrong};
use crate::temporal::limits_of;

/// Everything holds then, and nothing is said.
pub(super) const NO_INITIAL_STATE: &str =
    "the model has no initial state: every property holds, and none says anything";

/// Properties that exist in every SMV model.
const RESERVED: [&str; 2] = ["total", "feasible"];

/// Checks properties of a model.
pub(crate) fn check(
    smv: &mut Smv,
    options: &CheckOptions,
    listener: &mut dyn Listener,
) -> Result<CheckReport, CheckError> {
    let deadline = options.limit_time.map(|limit| Instant::now() + limit);
    let mut options = options.clone();
    if options.deadlock == Deadlock::Usual {
        options.deadlock = Deadlock::Ignore;
    }
    let mut report = CheckReport::default();
    let subjects = subjects(smv, &options, &mut report)?;
    let planned: Vec<String> = subjects.iter().map(|s| s.name.clone()).collect();
    listener.plan(&planned);
    let fairness = smv.fairness(!options.no_fairness, &options.fair)?;
    let model = &smv.model;
    let fair_inputs = model.reads_inputs(conditions(&fairness));
    let with_inputs = |subject: &Subject| {
        let asks = |list: &[PropositionId]| model.reads_inputs(list.iter().copied());
        asks(&subject.propositions) || fair_inputs && subject.what.is_fair()
    };
    let (rich, plain): (Vec<Subject>, Vec<Subject>) = subjects.into_iter().partition(with_inputs);
    if !rich.is_empty() && options.deadlock == Deadlock::Stutter {
        let message =
            "with inputs a run cannot stay where it ends: `--deadlock stutter` has no meaning";
        let help = "leave it out: a run that ends is no run";
        let diagnostic = Diagnostic::global(message).help(help);
        return Err(CheckError::Wrong(Wrong {
            files: None,
            diagnostics: vec![diagnostic],
        }));
    }
    let mut call = Call {
        smv,
        fairness: &fairness,
        options: &options,
        deadline,
        ends: Verdict::Holds,
        reasons: Vec::new(),
    };
    let mut answers: Vec<(usize, PropertyResult)> = Vec::new();
    for (subjects, inputs) in [(plain, false), (rich, true)] {
        answers.extend(call.answer(subjects, inputs, listener)?);
    }
    report.notes.extend(call.reasons);
    answers.sort_by_key(|(place, _)| *place);
    report.properties = answers.into_iter().map(|(_, answer)| answer).collect();
    for result in &mut report.properties {
        let decided = !matches!(result.verdict, Verdict::Unknown(_));
        if decided && result.states == 0 && result.engine != super::symbolic::NAME {
            result.warnings = vec![NO_INITIAL_STATE.to_string()];
        }
    }
    Ok(report)
}

/// What all questions of a call share.
struct Call<'c> {
    smv: &'c Smv,
    fairness: &'c Fairness,
    options: &'c CheckOptions,
    deadline: Option<Instant>,
    /// Whether some run ends, where that breaks every property.
    ends: Verdict,
    /// Why an engine was chosen.
    reasons: Vec<String>,
}

impl Call<'_> {
    /// Answers questions about states with or without inputs.
    fn answer(
        &mut self,
        subjects: Vec<Subject>,
        inputs: bool,
        listener: &mut dyn Listener,
    ) -> Result<Vec<(usize, PropertyResult)>, CheckError> {
        let asks_for_ends = self.options.deadlock == Deadlock::Error && !inputs;
        if subjects.is_empty() && !asks_for_ends {
            return Ok(Vec::new());
        }
        let mut read = propositions_of(&subjects);
        read.extend(conditions(self.fairness));
        let read = match inputs {
            true => self.smv.model.inputs_read(read),
            false => BTreeSet::new(),
        };
        let mut options = self.options.clone();
        if inputs {
            // Whether a run ends is known from the states without inputs.
            options.deadlock = Deadlock::Ignore;
        }
        let choice = choose(&self.smv.model, &read, &options)?;
        if let Some(reason) = choice.reason
            && !self.reasons.contains(&reason)
        {
            self.reasons.push(reason);
        }
        if choice.symbolic {
            let engine = Sets {
                model: &self.smv.model,
                fairness: self.fairness,
                options: &options,
                deadline: self.deadline,
                read: read.clone(),
            };
            if asks_for_ends {
                self.ends = engine.ends()?;
            }
            let found = engine.answer(&subjects, &self.ends, listener)?;
            let places = subjects.iter().map(|subject| subject.place);
            return Ok(places.zip(found).collect());
        }
        let found = self.explore(&subjects, &read, &options, asks_for_ends, listener)?;
        let places = subjects.iter().map(|subject| subject.place);
        Ok(places.zip(found).collect())
    }

    /// Answers questions by exploring the system state by state.
    fn explore(
        &mut self,
        subjects: &[Subject],
        read: &BTreeSet<VarId>,
        options: &CheckOptions,
        looks_for_ends: bool,
        listener: &mut dyn Listener,
    ) -> Result<Vec<PropertyResult>, CheckError> {
        let system = self.smv.model.system_reading(read)?;
        let (fairness, deadline) = (self.fairness, self.deadline);
        let mut session = Session::new(self.smv, &system, fairness, options, deadline, read);
        session.ends = self.ends.clone();
        let propositions = propositions_of(subjects);
        let interest = Interest {
            propositions: &propositions,
            fairness,
        };
        let limits = limits_of(options);
        let found = if options.compress {
            let mut space = Space::new(&system, interest, TreeStore::with_limits(limits));
            run(&mut session, &mut space, subjects, looks_for_ends, listener)?
        } else {
            let mut space = Space::new(&system, interest, PlainStore::with_limits(limits));
            run(&mut session, &mut space, subjects, looks_for_ends, listener)?
        };
        self.ends = session.ends;
        Ok(found)
    }
}

fn run<S: Store>(
    session: &mut Session<'_>,
    space: &mut Space<'_, S>,
    subjects: &[Subject],
    asks_for_ends: bool,
    listener: &mut dyn Listener,
) -> Result<Vec<PropertyResult>, CheckError> {
    if asks_for_ends {
        session.look_for_ends(space, listener)?;
    }
    session.answer(space, subjects, listener)
}

/// The conditions that fairness is about.
pub(crate) fn conditions(fairness: &Fairness) -> Vec<PropositionId> {
    let mut list = Vec::new();
    for assumption in &fairness.assumptions {
        match assumption.kind {
            AssumptionKind::Justice(condition) => list.push(condition),
            AssumptionKind::Compassion { when, then } => list.extend([when, then]),
            AssumptionKind::Weak(_) | AssumptionKind::Strong(_) => {}
        }
    }
    list
}

fn propositions_of(subjects: &[Subject]) -> Vec<PropositionId> {
    let mut list: Vec<PropositionId> = Vec::new();
    for subject in subjects {
        for &proposition in &subject.propositions {
            if !list.contains(&proposition) {
                list.push(proposition);
            }
        }
    }
    list
}

/// What is asked, in the order in which it is answered.
fn subjects(
    smv: &mut Smv,
    options: &CheckOptions,
    report: &mut CheckReport,
) -> Result<Vec<Subject>, CheckError> {
    let count = smv.model.properties.len();
    let mut wanted: Vec<Wanted> = Vec::new();
    if options.asks() {
        let known = names(&smv.model);
        for name in &options.properties {
            let found = smv.model.properties.iter().position(|p| p.name == *name);
            let item = match (RESERVED.contains(&name.as_str()), found) {
                (true, None) => Wanted::Reserved(name.clone()),
                (true, Some(_)) => {
                    report.notes.push(format!(
                        "`{name}` is a reserved name; the property of that name is checked with all others"
                    ));
                    Wanted::Reserved(name.clone())
                }
                (false, Some(at)) => Wanted::Property(at),
                (false, None) => return Err(CheckError::UnknownProperty(name.clone(), known)),
            };
            if !wanted.contains(&item) {
                wanted.push(item);
            }
        }
    } else {
        wanted.extend((0..count).map(Wanted::Property));
        wanted.push(Wanted::Reserved("total".into()));
    }
    let linear = options.formulas.iter().map(|text| (Kind::Ltl, text));
    let branching = options.branching.iter().map(|text| (Kind::Ctl, text));
    for (number, (kind, text)) in linear.chain(branching).enumerate() {
        let name = format!("formula_{number}");
        let at = smv.model.ask(&name, kind, text).map_err(Wrong::elsewhere)?;
        wanted.push(Wanted::Property(at));
    }
    let mut automata = Vec::new();
    for (name, text) in &options.automata {
        let mut condition = |text: &str| smv.model.condition(text).map_err(Wrong::elsewhere);
        automata.push(Question::of_hoa(&mut condition, name, text, options.good)?);
    }
    smv.changed();
    let model = &smv.model;
    let mut list: Vec<Subject> = wanted
        .iter()
        .map(|item| match item {
            Wanted::Property(at) => of_property(model, &model.properties[*at]),
            Wanted::Reserved(name) => of_reserved(name),
        })
        .collect();
    list.extend(automata.into_iter().map(of_question));
    for (place, subject) in list.iter_mut().enumerate() {
        subject.place = place;
    }
    Ok(list)
}

#[derive(PartialEq)]
enum Wanted {
    Property(usize),
    Reserved(String),
}

fn names(model: &SmvModel) -> Vec<String> {
    let own = model.properties.iter().map(|p| p.name.clone());
    own.chain(RESERVED.map(str::to_string)).collect()
}

fn of_reserved(name: &str) -> Subject {
    match name {
        "feasible" => Subject {
            place: 0,
            name: name.to_string(),
            kind: "feasible",
            text: None,
            propositions: Vec::new(),
            what: What::Feasible,
            step: None,
        },
        _ => Subject {
            place: 0,
            name: name.to_string(),
            kind: "total",
            text: None,
            propositions: Vec::new(),
            what: What::Safety(Ask::Successor),
            step: None,
        },
    }
}

fn of_question(question: Question) -> Subject {
    Subject {
        place: 0,
        name: question.name.clone(),
        kind: question.kind,
        text: question.formula.clone(),
        propositions: question.propositions.clone(),
        what: What::Automaton(Box::new(question)),
        step: None,
    }
}

/// The question that a property asks, if it is about linear time.
pub(crate) fn linear_question(model: &SmvModel, name: &str) -> Option<Question> {
    let property = model.properties.iter().find(|p| p.name == name)?;
    let subject = of_property(model, property);
    match subject.what {
        What::Formula(formula) => Some(question_of(model, &subject, formula)),
        _ => None,
    }
}

fn of_property(model: &SmvModel, property: &SmvProperty) -> Subject {
    let written = match property.kind {
        SmvPropertyKind::Compute { minimum, to } => {
            let word = if minimum { "MIN" } else { "MAX" };
            let part = |f: FormulaId| print(&model.formulas, f, Spelling::Nusmv);
            format!("{word} [{}, {}]", part(property.formula), part(to))
        }
        _ => {
            let words: Vec<&str> = property.text.split_whitespace().collect();
            words.join(" ")
        }
    };
    let text = match property.instance.as_str() {
        "" => written,
        instance => format!("{written} IN {instance}"),
    };
    let formula = property.formula;
    let of = |f: FormulaId| {
        let atoms = model.formulas.atoms_of(f).into_iter();
        atoms.filter_map(|atom| model.proposition(atom))
    };
    let mut propositions: Vec<PropositionId> = of(formula).collect();
    let mut step = None;
    let (kind, what) = match property.kind {
        SmvPropertyKind::Invariant { step: condition } => {
            let reading = |p: &&PropositionId| model.reads_inputs([**p]);
            let inputs = propositions.iter().find(reading);
            let of = |p: &PropositionId| model.relation.propositions[p.0 as usize].1;
            step = condition.or_else(|| inputs.map(of));
            let ask = match step {
                Some(_) => Ask::Step(formula),
                None => Ask::State(formula),
            };
            ("invariant", What::Safety(ask))
        }
        SmvPropertyKind::Ltl | SmvPropertyKind::Psl { branching: false } => {
            ("ltl", What::Formula(formula))
        }
        SmvPropertyKind::Ctl | SmvPropertyKind::Psl { branching: true } => {
            ("ctl", What::Branching(formula))
        }
        SmvPropertyKind::Compute { minimum, to } => {
            propositions.extend(of(to));
            let from = formula;
            ("compute", What::Compute { minimum, from, to })
        }
    };
    Subject {
        place: 0,
        name: property.name.clone(),
        kind,
        text: Some(text),
        propositions,
        what,
        step,
    }
}
