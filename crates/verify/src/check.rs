//! The way of a check: resolve what is asked, choose engines, ask them, show the runs.
//!
//! A question is about states without inputs where it can be: only questions (or assumptions) that
//! mention inputs see states that say which input comes next. So there are at most two cases, and each
//! is explored once for all its questions. Where the number of processes is not known, fairness is set
//! up for a few; if more show up, what has no answer yet is asked again with twice as many.

use std::time::Instant;

use evenhand_source::{Budget, Exhausted};
use evenhand_system::explicit::FinishedRuns;
use evenhand_system::signature::ActionRole;
use evenhand_system::{
    ActionId, Body, Fairness, Inputs, Inquiry, Kind, Question, Rejected, Request, Signature,
    Specification, Wanted, What,
};

use crate::answer::{CheckError, Note, PropertyResult, Report, Verdict, Warning};
use crate::bad_runs::AutomatonText;
use crate::case::{Case, Task, View, conditions, propositions_of};
use crate::choice::{choose, engine_for, engines, is_known};
use crate::engine::{Answers, Engine, Finding, SYMBOLIC};
use crate::hints::add_hint;
use crate::listener::{Listener, Silent};
use crate::options::{Deadlock, Options};
use crate::runs;
use crate::stop::StopReason;

/// Fairness is set up for this many processes first where their number is not known.
pub const FEW: usize = 8;

/// Everything that is asked in one go: texts for the front-end, and automata.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Asking {
    /// What the front-end resolves.
    pub request: Request,
    /// Automata of bad or good runs.
    pub automata: Vec<AutomatonText>,
}

impl Asking {
    /// What the front-end understands, with a question for each automaton behind its own.
    ///
    /// # Errors
    /// If something has no meaning for the model.
    pub fn resolve(&self, specification: &dyn Specification) -> Result<Inquiry, CheckError> {
        let mut request = self.request.clone();
        if !self.is_usual() && request.properties == Wanted::Usual {
            request.properties = Wanted::Named(Vec::new());
        }
        let mut automata = Vec::new();
        for text in &self.automata {
            let automaton = text.read()?;
            request.expressions.extend(automaton.props().to_vec());
            automata.push((text, automaton));
        }
        let mut inquiry = specification.resolve(&request)?;
        let first = self.request.expressions.len();
        let mut expressions = inquiry.expressions.split_off(first).into_iter();
        for (text, automaton) in automata {
            let own = expressions.by_ref().take(automaton.props().len()).collect();
            inquiry.questions.push(text.question(automaton, own));
        }
        Ok(inquiry)
    }

    /// Asks for properties of the model by their names, if there are some.
    pub fn name_properties(&mut self, names: &[String]) {
        if !names.is_empty() {
            self.request.properties = Wanted::Named(names.to_vec());
        }
    }

    /// Whether nothing in particular is asked.
    fn is_usual(&self) -> bool {
        let request = &self.request;
        let texts = [&request.invariants, &request.linear, &request.branching];
        request.properties == Wanted::Usual
            && texts.iter().all(|list| list.is_empty())
            && self.automata.is_empty()
    }
}

/// Checks properties of a model.
///
/// # Errors
/// If what is asked has no meaning, or a counterexample fails its replay.
pub fn check(
    specification: &dyn Specification,
    asking: &Asking,
    options: &Options,
    listener: &mut dyn Listener,
) -> Result<Report, CheckError> {
    check_with(engines(), specification, asking, options, listener)
}

/// The same with engines of one's own choice; the first that supports a question answers it.
///
/// # Errors
/// As [`check()`].
pub fn check_with(
    engines: &[&dyn Engine],
    specification: &dyn Specification,
    asking: &Asking,
    options: &Options,
    listener: &mut dyn Listener,
) -> Result<Report, CheckError> {
    is_known(engines, options.engine.as_deref())?;
    let deadline = options.deadline();
    let budget = options.budget(deadline);
    let mut inquiry = match options.cancel.is_cancelled() {
        // Then nothing else is begun, and that is the answer to each question.
        true => asking.resolve(specification)?,
        false => budget.run(|| asking.resolve(specification))??,
    };
    let questions = std::mem::take(&mut inquiry.questions);
    let tasks: Vec<Task> = questions.into_iter().map(Task::new).collect();
    let names: Vec<String> = tasks.iter().map(|t| t.question.name.clone()).collect();
    listener.plan(&names);
    // What was understood in another way is said first, what was not asked last.
    let notes = std::mem::take(&mut inquiry.notes).into_iter();
    let is_unasked = |note: &Note| matches!(note, Note::Labels { .. });
    let (unasked, notes): (Vec<Note>, Vec<Note>) = notes.map(Note::from).partition(is_unasked);
    let mut course = Course {
        engines,
        inquiry: &inquiry,
        options,
        deadline,
        budget,
        ends: None,
        results: tasks.iter().map(|_| None).collect(),
        unreached: Vec::new(),
        notes,
    };
    course.run(&tasks, listener)?;
    let (properties, unreached, mut notes) = (course.results, course.unreached, course.notes);
    notes.extend(unasked);
    Ok(Report {
        properties: properties.into_iter().flatten().collect(),
        unreached,
        warnings: inquiry.warnings,
        notes,
        body: inquiry.body,
    })
}

/// A check under way.
struct Course<'c> {
    engines: &'c [&'c dyn Engine],
    inquiry: &'c Inquiry,
    options: &'c Options,
    deadline: Option<Instant>,
    budget: Budget,
    /// Whether some run ends where that breaks every property, once it is known.
    ends: Option<Verdict>,
    results: Vec<Option<PropertyResult>>,
    unreached: Vec<ActionId>,
    notes: Vec<Note>,
}

/// Questions by their places.
type Places = Vec<usize>;

impl Course<'_> {
    fn run(&mut self, tasks: &[Task], listener: &mut dyn Listener) -> Result<(), CheckError> {
        let (processes, is_certain) = self.inquiry.meaning.processes();
        let processes = if is_certain { processes } else { FEW };
        let fairness = self.fairness(processes)?;
        let (plain, rich, inputs) = self.split(tasks, &fairness)?;
        let asks_runs = tasks.iter().any(|task| task.question.is_fair());
        let asks_ends = self.options.deadlock == Deadlock::Error && asks_runs;
        for (places, inputs) in [(plain, Inputs::new()), (rich, inputs)] {
            if !places.is_empty() || asks_ends && self.ends.is_none() {
                self.answer(tasks, places, inputs, processes, listener)?;
            }
        }
        if asks_runs {
            self.notes
                .extend(fairness.dropped.into_iter().map(Note::Said));
        }
        let is_relation = self.inquiry.body.relation().is_ok();
        for result in self.results.iter_mut().flatten() {
            let is_empty = result.states == 0 && result.engine != Some(SYMBOLIC);
            let is_said = is_relation && result.verdict.is_decided() || result.verdict.holds();
            if is_empty && is_said {
                result.warnings = vec![Warning::NoInitialState];
            }
        }
        Ok(())
    }

    fn fairness(&self, processes: usize) -> Result<Fairness, Rejected> {
        let inquiry = self.inquiry;
        inquiry.meaning.fairness(&inquiry.assumptions, processes)
    }

    /// The questions without and with inputs, and the inputs.
    fn split(
        &self,
        tasks: &[Task],
        fairness: &Fairness,
    ) -> Result<(Places, Places, Inputs), CheckError> {
        let body = &self.inquiry.body;
        let fair_inputs = body.inputs_read(&conditions(fairness));
        let reads = |question: &Question| body.inputs_read(&question.reads());
        let (mut plain, mut rich) = (Places::new(), Places::new());
        let mut inputs = fair_inputs.clone();
        for (place, task) in tasks.iter().enumerate() {
            let own = reads(&task.question);
            let is_rich = !own.is_empty() || !fair_inputs.is_empty() && task.question.is_fair();
            match is_rich {
                true => rich.push(place),
                false => plain.push(place),
            }
            inputs.extend(own);
        }
        if !rich.is_empty() && self.options.deadlock == Deadlock::Stutter {
            return Err(CheckError::StutterWithInputs);
        }
        Ok((plain, rich, inputs))
    }

    /// Answers questions about states with some inputs.
    fn answer(
        &mut self,
        tasks: &[Task],
        places: Places,
        inputs: Inputs,
        mut processes: usize,
        listener: &mut dyn Listener,
    ) -> Result<(), CheckError> {
        let body = &*self.inquiry.body;
        let view = View::new(body, inputs);
        let propositions = propositions_of(places.iter().map(|&at| &tasks[at].question));
        let mut chosen = None;
        loop {
            let fairness = self.fairness(processes)?;
            let options = self.options;
            let case = Case::new(
                &view,
                fairness,
                options,
                self.deadline,
                propositions.clone(),
            );
            let symbolic = match chosen {
                Some(symbolic) => symbolic,
                None => {
                    let choice = match self.budget.run(|| choose(&case)) {
                        Ok(choice) => choice?,
                        Err(why) => {
                            self.give_up(&case, tasks, &places, why, listener);
                            return Ok(());
                        }
                    };
                    self.note(tasks, &places, choice.note);
                    *chosen.insert(choice.symbolic)
                }
            };
            let open = |at: &&usize| self.results[**at].is_none();
            let open: Places = places.iter().filter(open).copied().collect();
            if self.options.deadlock == Deadlock::Error {
                // What all others depend on comes first.
                let of_states = |at: &usize| !tasks[*at].question.is_fair();
                let (first, others): (Places, Places) = open.iter().partition(|at| of_states(at));
                self.ask(&case, tasks, &first, (symbolic, processes), listener)?;
                self.find_ends(&case, symbolic)?;
                self.ask(&case, tasks, &others, (symbolic, processes), listener)?;
            } else {
                self.ask(&case, tasks, &open, (symbolic, processes), listener)?;
            }
            if places.iter().all(|&at| self.results[at].is_some()) {
                return Ok(());
            }
            processes = 2 * processes.max(1);
        }
    }

    /// Remembers why an engine was chosen, if that concerns somebody.
    fn note(&mut self, tasks: &[Task], places: &[usize], note: Option<Note>) {
        let is_relation = self.inquiry.body.relation().is_ok();
        let asks_runs = places.iter().any(|&at| tasks[at].question.is_fair());
        if let Some(note) = note.filter(|_| is_relation || asks_runs)
            && !self.notes.contains(&note)
        {
            self.notes.push(note);
        }
    }

    /// Asks each engine its questions; some may stay open.
    fn ask(
        &mut self,
        case: &Case<'_>,
        tasks: &[Task],
        places: &[usize],
        (symbolic, processes): (bool, usize),
        listener: &mut dyn Listener,
    ) -> Result<(), CheckError> {
        if let Some(ends) = &self.ends {
            case.ends.replace(ends.clone());
        }
        let mut shares: Vec<Places> = self.engines.iter().map(|_| Places::new()).collect();
        for &at in places {
            let engine = engine_for(self.engines, case, &tasks[at].question, symbolic)?;
            let named = |other: &&dyn Engine| other.name() == engine.name();
            if let Some(number) = self.engines.iter().position(named) {
                shares[number].push(at);
            }
        }
        for (&engine, share) in self.engines.iter().zip(shares) {
            let parts: Vec<&[usize]> = match engine.together() {
                true if share.is_empty() => Vec::new(),
                true => vec![&share],
                false => share.chunks(1).collect(),
            };
            for part in parts {
                let is_open = self.part(engine, case, tasks, part, processes, listener)?;
                if is_open && !engine.together() {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Asks an engine some questions; whether one stays open.
    fn part(
        &mut self,
        engine: &dyn Engine,
        case: &Case<'_>,
        tasks: &[Task],
        part: &[usize],
        processes: usize,
        listener: &mut dyn Listener,
    ) -> Result<bool, CheckError> {
        if !engine.together() && self.options.cancel.is_cancelled() {
            for &at in part {
                let result = case.unknown(&tasks[at].question, StopReason::NotBegun);
                listener.verdict(&result);
                self.results[at] = Some(result);
            }
            return Ok(false);
        }
        let own: Vec<&Task> = part.iter().map(|&at| &tasks[at]).collect();
        let mut answers = Answers::new(listener, own.len());
        let ended = self.budget.run(|| engine.answer(case, &own, &mut answers));
        let (found, executed) = (answers.take(), answers.executed.take());
        let why = match ended {
            Ok(answered) => {
                answered?;
                None
            }
            Err(why) => {
                case.forget();
                Some(why)
            }
        };
        if let Some(executed) = executed {
            self.unreached = unreached(case.view.body.signature(), &executed);
        }
        let mut is_open = false;
        for (&at, finding) in part.iter().zip(found) {
            match (finding, why) {
                (Some(finding), _) => {
                    self.show(case, &tasks[at], (at, finding), processes, listener)?;
                }
                (None, Some(why)) => self.give_up(case, tasks, &[at], why, listener),
                (None, None) => is_open = true,
            }
        }
        Ok(is_open)
    }

    /// Makes a run of what an engine has to show, and looks for a hint; what is known stays known if a
    /// limit is reached meanwhile.
    fn show(
        &mut self,
        case: &Case<'_>,
        task: &Task,
        (at, finding): (usize, Finding),
        processes: usize,
        listener: &mut dyn Listener,
    ) -> Result<(), CheckError> {
        self.results[at] = Some(finding.result.clone());
        let shown = self
            .budget
            .run(|| runs::show(case, task, finding, listener));
        let Ok(shown) = shown else {
            case.forget();
            return Ok(());
        };
        let mut result = shown?;
        self.results[at] = Some(result.clone());
        if self.options.hints {
            let found = (task, &mut result);
            let hinted = self
                .budget
                .run(|| add_hint(self.inquiry, case, processes, found, listener));
            if let Ok(hinted) = hinted {
                hinted?;
                self.results[at] = Some(result);
            }
        }
        Ok(())
    }

    /// A limit was reached before anything was known about some questions.
    fn give_up(
        &mut self,
        case: &Case<'_>,
        tasks: &[Task],
        places: &[usize],
        why: Exhausted,
        listener: &mut dyn Listener,
    ) {
        for &at in places {
            if self.results[at].is_some() {
                continue;
            }
            let result = case.unknown(&tasks[at].question, why.into());
            listener.verdict(&result);
            self.results[at] = Some(result);
        }
    }

    /// Finds out whether some run ends where it must not, unless that is known.
    fn find_ends(&mut self, case: &Case<'_>, symbolic: bool) -> Result<(), CheckError> {
        if self.ends.is_some() {
            return Ok(());
        }
        let question = ends_question(case.view.body);
        let mut known = self.results.iter().flatten();
        if let Some(result) = known.find(|result| result.kind == question.kind) {
            self.ends = Some(result.verdict.clone());
            return Ok(());
        }
        let task = Task::new(question);
        let engine = engine_for(self.engines, case, &task.question, symbolic)?;
        let mut silent = Silent;
        let mut answers = Answers::new(&mut silent, 1);
        let ended = self.budget.run(|| -> Result<Verdict, CheckError> {
            engine.answer(case, &[&task], &mut answers)?;
            match answers.take().pop().flatten() {
                Some(finding) => Ok(runs::show(case, &task, finding, &mut Silent)?.verdict),
                None => Ok(Verdict::Unknown(StopReason::Processes)),
            }
        });
        self.ends = Some(match ended {
            Ok(ends) => ends?,
            Err(why) => Verdict::Unknown(why.into()),
        });
        Ok(())
    }
}

/// Where no run may end, each state must have a successor; elsewhere ends must be proper.
fn ends_question(body: &dyn Body) -> Question {
    match body.finished_runs() {
        FinishedRuns::Ignore => Question::new("total", Kind::Total, None, What::Total),
        _ => Question::new("deadlock", Kind::Deadlock, None, What::Ends),
    }
}

/// The actions that were never executed. One at the end of a process may only have had to wait for
/// others, and a claim watches and never moves.
fn unreached(signature: &Signature, executed: &[bool]) -> Vec<ActionId> {
    let actions = signature.actions.iter().zip(executed).enumerate();
    let open = actions.filter(|(_, (info, is_done))| !**is_done && info.role == ActionRole::Step);
    open.map(|(at, _)| ActionId::new(at)).collect()
}
