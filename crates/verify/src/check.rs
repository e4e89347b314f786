//! The way of a check: resolve what is asked, choose engines, ask them, show the runs.
//!
//! All verdicts come first: a run that is made short must not take the time of a question that nobody
//! has answered yet. What engines have to show waits, with its case, until all were asked.
//!
//! A question is about states without inputs where it can be: only questions (or assumptions) that
//! mention inputs see states that say which input comes next. Where the system has a quotient, questions about single
//! states are about that one. So there are at most three cases, and each is explored once for all its questions. Where the number of processes is not known, fairness is set
//! up for a few; if more show up, what has no answer yet is asked again with twice as many.

use std::num::NonZeroUsize;
use std::rc::Rc;
use std::time::Instant;

use evenhand_explicit::search::{Counted, Order};
use evenhand_source::{Budget, Exhausted};
use evenhand_system::body::Expressions;
use evenhand_system::explicit::FinishedRuns;
use evenhand_system::signature::ActionRole;
use evenhand_system::specification::FEW;
use evenhand_system::{
    ActionId, Asking, Body, Fairness, Inputs, Inquiry, Kind, Question, Rejected, Signature,
    Specification, What,
};

use crate::afterwards::{Afterwards, Waiting, reserve};
use crate::answer::{CheckError, Note, PropertyResult, Report, Verdict, Warning};
use crate::case::{Case, Task, View, conditions, propositions_of};
use crate::census::explore;
use crate::choice::{Way, choose, engine_for, engines, few_states, first, is_known};
use crate::engine::{Answers, Engine, SAT, SYMBOLIC};
use crate::explicit::breadth_first::BreadthFirst;
use crate::listener::{Listener, Silent};
use crate::options::{Certify, Deadlock, Options};
use crate::race::{OnlyDecided, Race};
use crate::runs;
use crate::stop::StopReason;

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
    let count = questions.len();
    let questions = questions.into_iter().enumerate();
    let tasks = questions.map(|(place, question)| {
        let alone = asking.alone(place, count, &question.name);
        Task::asked(question, alone)
    });
    let tasks: Vec<Task> = tasks.collect();
    let names: Vec<String> = tasks.iter().map(|t| t.question.name.clone()).collect();
    listener.plan(&names);
    // What was understood in another way is said first, what was not asked last.
    let notes = std::mem::take(&mut inquiry.notes).into_iter();
    let is_unasked = |note: &Note| matches!(note, Note::Labels { .. });
    let (unasked, notes): (Vec<Note>, Vec<Note>) = notes.map(Note::from).partition(is_unasked);
    // What states may use while sets are tried too.
    let alone = Options {
        threads: Some(NonZeroUsize::MIN),
        ..options.clone().beside()
    };
    let mut course = Course {
        engines,
        inquiry: &inquiry,
        options,
        alone: &alone,
        deadline,
        budget,
        ends: None,
        results: tasks.iter().map(|_| None).collect(),
        unreached: Vec::new(),
        counted: None,
        coverage: Vec::new(),
        expressions: Expressions::default(),
        printed: Vec::new(),
        notes,
    };
    course.run(&tasks, listener)?;
    if options.certify == Certify::Full {
        course.results.iter_mut().flatten().for_each(miss_proof);
    }
    if let Some(keep) = &options.keep {
        course
            .results
            .iter()
            .flatten()
            .for_each(|result| keep.miss(result));
    }
    let (properties, unreached, mut notes) = (course.results, course.unreached, course.notes);
    let (counted, coverage) = (course.counted, course.coverage);
    let (expressions, printed) = (course.expressions, course.printed);
    notes.extend(unasked);
    Ok(Report {
        properties: properties.into_iter().flatten().collect(),
        unreached,
        counted,
        coverage,
        expressions,
        printed,
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
    alone: &'c Options,
    deadline: Option<Instant>,
    budget: Budget,
    /// Whether some run ends where that breaks every property, once it is known.
    ends: Option<Verdict>,
    results: Vec<Option<PropertyResult>>,
    unreached: Vec<ActionId>,
    counted: Option<Counted>,
    coverage: Vec<u64>,
    expressions: Expressions,
    printed: Vec<String>,
    notes: Vec<Note>,
}

/// Questions by their places.
type Places = Vec<usize>;

impl<'c> Course<'c> {
    fn run(&mut self, tasks: &[Task], listener: &mut dyn Listener) -> Result<(), CheckError> {
        // What was printed before anything was explored.
        self.printed.extend(self.inquiry.body.printed());
        let (processes, is_certain) = self.inquiry.meaning.processes();
        let processes = if is_certain { processes } else { FEW };
        let fairness = self.fairness(processes)?;
        let (mut plain, rich) = self.split(tasks, &fairness)?;
        let asks_runs = tasks.iter().any(|task| task.question.is_fair());
        let asks_ends = self.options.deadlock == Deadlock::Error && asks_runs;
        let body = &self.inquiry.body;
        let (inputs, rich): (Vec<Inputs>, Vec<Places>) = rich.into_iter().unzip();
        let all = std::iter::once(Inputs::new()).chain(inputs);
        let mut views: Vec<View> = all.map(|inputs| View::new(body.clone(), inputs)).collect();
        let mut asked = vec![];
        // Sets have no need of states that stand for others.
        let by_sets = self.options.engine.as_deref() == Some(SYMBOLIC);
        if let Some(quotient) = body.quotient().filter(|_| !by_sets) {
            let is_single = |at: &usize| tasks[*at].question.is_about_states();
            let (single, others): (Places, Places) = plain.into_iter().partition(is_single);
            views.insert(0, View::new(quotient, Inputs::new()));
            asked.push(single);
            plain = others;
        }
        asked.push(plain);
        asked.extend(rich);
        let mut waiting = Vec::new();
        for (places, view) in asked.into_iter().zip(&views) {
            if !places.is_empty() || asks_ends && self.ends.is_none() {
                self.answer(tasks, places, view, processes, &mut waiting, listener)?;
            }
        }
        self.conclude(tasks, listener)?;
        self.afterwards(tasks).all(&mut waiting, listener)?;
        if asks_runs {
            self.notes
                .extend(fairness.dropped.into_iter().map(Note::Said));
        }
        let is_relation = self.inquiry.body.relation().is_ok();
        for result in self.results.iter_mut().flatten() {
            let tells_itself = [Some(SYMBOLIC), Some(SAT)].contains(&result.engine);
            let is_empty = result.states == 0 && !tells_itself;
            let is_said = is_relation && result.verdict.is_decided() || result.verdict.holds();
            if is_empty && is_said {
                result.warnings = vec![Warning::NoInitialState];
            }
        }
        Ok(())
    }

    /// Answers what is asked of the whole exploration, now that it is over.
    fn conclude(&mut self, tasks: &[Task], listener: &mut dyn Listener) -> Result<(), CheckError> {
        let is_asked = |task: &&Task| matches!(task.question.what, What::Afterwards(_));
        if !tasks.iter().any(|task| is_asked(&task)) {
            return Ok(());
        }
        let body = &*self.inquiry.body;
        let known = || self.results.iter().flatten();
        let is_wide = |result: &&PropertyResult| result.engine == Some(BreadthFirst.name());
        let is_complete = |result: &&PropertyResult| result.verdict.holds() && is_wide(result);
        let unknown = known().find_map(|result| match &result.verdict {
            Verdict::Unknown(reason) => Some(reason.clone()),
            _ => None,
        });
        let stop = match known().any(|result| is_complete(&result)) {
            true => None,
            false if unknown.is_some() => unknown,
            false if known().any(|result| is_wide(&result)) => None,
            // Levels are those of a breadth-first search.
            false if known().next().is_some() => {
                let reason = "nothing was explored breadth-first: ask for errors too";
                Some(StopReason::Unsupported(reason.to_string()))
            }
            // Nothing else was asked.
            false => {
                let work = || explore(body, Order::BreadthFirst, self.options, listener);
                match self.budget.run(work) {
                    Ok(found) => found?.stop.map(StopReason::from),
                    Err(why) => Some(why.into()),
                }
            }
        };
        let states = known().map(|result| result.states).max().unwrap_or(0);
        for (at, task) in tasks.iter().enumerate() {
            let What::Afterwards(condition) = task.question.what else {
                continue;
            };
            let mut result = PropertyResult::unknown(&task.question, StopReason::NotBegun);
            // What was printed since the search was printed again.
            let _ = body.printed();
            let concluded = body.concluded(condition);
            self.printed.extend(body.printed());
            result.verdict = match (&stop, concluded) {
                (Some(reason), _) => Verdict::Unknown(reason.clone()),
                (None, Ok(true)) => Verdict::Holds,
                (None, Ok(false)) => Verdict::Violated(None),
                (None, Err(fault)) => Verdict::Unknown(StopReason::NoValue(Some(fault.kind))),
            };
            result.states = states;
            listener.verdict(&result);
            self.results[at] = Some(result);
        }
        Ok(())
    }

    /// When engines are to end: a little of the time is for the runs.
    fn verdicts_until(&self) -> Option<Instant> {
        self.deadline?.checked_sub(2 * reserve(self.options))
    }

    fn fairness(&self, processes: usize) -> Result<Fairness, Rejected> {
        let inquiry = self.inquiry;
        inquiry.meaning.fairness(&inquiry.assumptions, processes)
    }

    /// The questions without inputs, and those with the same inputs. These share all that any of them has, unless proofs are kept:
    /// a proof is about the inputs of its own question, which is all that is known when it is checked.
    fn split(
        &self,
        tasks: &[Task],
        fairness: &Fairness,
    ) -> Result<(Places, Vec<(Inputs, Places)>), CheckError> {
        let body = &self.inquiry.body;
        let fair_inputs = body.inputs_read(&conditions(fairness));
        let reads = |question: &Question| body.inputs_read(&question.reads());
        let mut plain = Places::new();
        let mut rich: Vec<(Inputs, Places)> = Vec::new();
        for (place, task) in tasks.iter().enumerate() {
            if matches!(task.question.what, What::Afterwards(_)) {
                continue;
            }
            let mut own = reads(&task.question);
            if own.is_empty() && (fair_inputs.is_empty() || !task.question.is_fair()) {
                plain.push(place);
                continue;
            }
            own.extend(&fair_inputs);
            let is_shared = self.options.keep.is_none();
            let same = |(inputs, _): &&mut (Inputs, Places)| is_shared || *inputs == own;
            match rich.iter_mut().find(same) {
                Some((inputs, places)) => {
                    inputs.extend(own);
                    places.push(place);
                }
                None => rich.push((own, vec![place])),
            }
        }
        if !rich.is_empty() && self.options.deadlock == Deadlock::Stutter {
            return Err(CheckError::StutterWithInputs);
        }
        Ok((plain, rich))
    }

    /// What is done for the findings so far.
    fn afterwards<'a>(&'a mut self, tasks: &'a [Task]) -> Afterwards<'a> {
        Afterwards {
            inquiry: self.inquiry,
            options: self.options,
            tasks,
            deadline: self.deadline,
            results: &mut self.results,
            silence: None,
        }
    }

    /// Answers questions about states with some inputs.
    fn answer<'v>(
        &mut self,
        tasks: &[Task],
        places: Places,
        view: &'v View,
        mut processes: usize,
        waiting: &mut Vec<Waiting<'v>>,
        listener: &mut dyn Listener,
    ) -> Result<(), CheckError>
    where
        'c: 'v,
    {
        let propositions = propositions_of(places.iter().map(|&at| &tasks[at].question));
        let mut chosen = None;
        loop {
            let fairness = self.fairness(processes)?;
            let (options, deadline) = (self.options, self.verdicts_until());
            let case = Case::new(view, fairness, options, deadline, propositions.clone());
            let asks_runs = places.iter().any(|&at| tasks[at].question.is_fair());
            case.asks_runs.set(asks_runs);
            let case = Rc::new(case);
            let way = match chosen {
                Some(way) => way,
                None => {
                    let choice = match self.budget.run(|| choose(&case)) {
                        Ok(choice) => choice?,
                        Err(why) => {
                            for &at in &places {
                                self.give_up(&case, None, (&tasks[at], at), why, listener);
                            }
                            return Ok(());
                        }
                    };
                    self.note(tasks, &places, choice.note);
                    *chosen.insert(choice.way)
                }
            };
            let all_depend = self.options.deadlock == Deadlock::Error;
            if way == Way::Both && !all_depend {
                self.race(&case, tasks, &places, processes, waiting, listener)?;
                // Who has not answered by now cannot.
                chosen = Some(Way::States);
            }
            let symbolic = match way {
                Way::States => false,
                Way::Sets => true,
                Way::Both if all_depend => few_states(&case).is_none(),
                Way::Both => false,
            };
            let open = |at: &&usize| self.results[**at].is_none();
            let open: Places = places.iter().filter(open).copied().collect();
            // Where a bad end breaks everything, what others depend on comes first.
            let is_first = |at: &usize| !all_depend || !tasks[*at].question.is_fair();
            let (first, others): (Places, Places) = open.into_iter().partition(is_first);
            let how = (symbolic, processes);
            self.ask(&case, tasks, &first, how, waiting, listener)?;
            if all_depend {
                self.find_ends(&case, tasks, symbolic, waiting, listener)?;
            }
            self.ask(&case, tasks, &others, how, waiting, listener)?;
            if places.iter().all(|&at| self.results[at].is_some()) {
                return Ok(());
            }
            processes = 2 * processes.max(1);
        }
    }

    /// Answers questions by states and by sets in turns: what is asked again afterwards has no answer.
    fn race<'v>(
        &mut self,
        case: &Rc<Case<'v>>,
        tasks: &[Task],
        places: &[usize],
        processes: usize,
        waiting: &mut Vec<Waiting<'v>>,
        listener: &mut dyn Listener,
    ) -> Result<(), CheckError>
    where
        'c: 'v,
    {
        let questions = places.iter().map(|&at| tasks[at].question.clone());
        let Some(race) = Race::begin(case, questions.collect(), &self.budget)? else {
            return Ok(());
        };
        let (options, deadline) = (self.alone, self.verdicts_until());
        let (fairness, propositions) = (self.fairness(processes)?, case.propositions.clone());
        let states = Case::new(case.view, fairness, options, deadline, propositions);
        let states = Rc::new(states);
        let whole = self.budget.clone();
        self.budget = race.budget(&whole);
        let how = (false, processes);
        let mut decided = OnlyDecided(listener);
        let asked = self.ask(&states, tasks, places, how, waiting, &mut decided);
        self.budget = whole;
        let is_decided = |result: &Option<PropertyResult>| {
            let verdict = result.as_ref().map(|result| &result.verdict);
            verdict.is_some_and(Verdict::is_decided)
        };
        let is_open = places.iter().any(|&at| !is_decided(&self.results[at]));
        // What was explored for nothing is given back: the other one may need the memory.
        waiting.retain(|other| !places.contains(&other.at) || is_decided(&self.results[other.at]));
        drop(states);
        let (found, ended) = race.end(is_open, &self.budget, listener);
        match (asked, ended) {
            // What one of them cannot do, the other one may have done.
            (Err(CheckError::Engine(_)), Ok(())) | (Ok(()), _) => {}
            (Err(error), _) => return Err(error),
        }
        for (&at, finding) in places.iter().zip(found) {
            if is_decided(&self.results[at]) {
                continue;
            }
            if let Some(finding) = finding
                && (finding.result.verdict.is_decided() || self.results[at].is_none())
            {
                waiting.retain(|other| other.at != at);
                self.results[at] = Some(finding.result.clone());
                waiting.push(Waiting {
                    case: case.clone(),
                    at,
                    evidence: finding.evidence,
                    processes,
                    missed: None,
                });
            }
            if let Some(result) = &self.results[at] {
                listener.verdict(result);
            }
        }
        let own = || places.iter().filter_map(|&at| self.results[at].as_ref());
        let symbolic = own().any(|result| result.engine == Some(SYMBOLIC));
        let count = own().map(|result| result.states).max().unwrap_or(0);
        self.note(tasks, places, Some(first(case, symbolic, count)));
        Ok(())
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
    fn ask<'v>(
        &mut self,
        case: &Rc<Case<'v>>,
        tasks: &[Task],
        places: &[usize],
        (symbolic, processes): (bool, usize),
        waiting: &mut Vec<Waiting<'v>>,
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
                let part = (tasks, part, processes);
                let is_open = self.part(engine, case, part, waiting, listener)?;
                if is_open && !engine.together() {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Asks an engine some questions; whether one stays open.
    fn part<'v>(
        &mut self,
        engine: &dyn Engine,
        case: &Rc<Case<'v>>,
        (tasks, part, processes): (&[Task], &[usize], usize),
        waiting: &mut Vec<Waiting<'v>>,
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
        self.counted = answers.counted.or(self.counted);
        if !answers.coverage.is_empty() {
            self.coverage = std::mem::take(&mut answers.coverage);
        }
        if !answers.expressions.evaluated.is_empty() {
            self.expressions = std::mem::take(&mut answers.expressions);
        }
        self.printed.append(&mut answers.printed);
        let why = match ended {
            Ok(answered) => {
                answered?;
                None
            }
            Err(why) => {
                case.resume();
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
                    self.results[at] = Some(finding.result.clone());
                    waiting.push(Waiting {
                        case: case.clone(),
                        at,
                        evidence: finding.evidence,
                        processes,
                        missed: None,
                    });
                }
                (None, Some(why)) => {
                    let name = Some(engine.name());
                    self.give_up(case, name, (&tasks[at], at), why, listener);
                }
                (None, None) => is_open = true,
            }
        }
        Ok(is_open)
    }

    /// A limit was reached before anything was known about a question.
    fn give_up(
        &mut self,
        case: &Case<'_>,
        engine: Option<&'static str>,
        (task, at): (&Task, usize),
        why: Exhausted,
        listener: &mut dyn Listener,
    ) {
        if self.results[at].is_none() {
            let mut result = case.unknown(&task.question, why.into());
            result.engine = engine;
            listener.verdict(&result);
            self.results[at] = Some(result);
        }
    }

    /// Finds out whether some run ends where it must not, unless that is known.
    fn find_ends<'v>(
        &mut self,
        case: &Case<'v>,
        tasks: &[Task],
        symbolic: bool,
        waiting: &mut Vec<Waiting<'v>>,
        listener: &mut dyn Listener,
    ) -> Result<(), CheckError> {
        if self.ends.is_some() {
            return Ok(());
        }
        let question = ends_question(&*case.view.body);
        let is_same = |task: &Task| task.question.kind == question.kind;
        if let Some(at) = tasks.iter().position(is_same)
            && self.results[at].is_some()
        {
            // The run that shows it is that of all others.
            self.afterwards(tasks).one(at, waiting, listener)?;
            self.ends = self.results[at].as_ref().map(|r| r.verdict.clone());
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
            Err(why) => {
                case.resume();
                Verdict::Unknown(why.into())
            }
        });
        Ok(())
    }
}

/// Says that a proof is missing that was asked for.
fn miss_proof(result: &mut PropertyResult) {
    let is_due = result.verdict.holds() && result.kind != Kind::Feasible && result.value.is_none();
    if is_due && result.proof.is_none() {
        let text = "no proof of it was checked: a limit was reached, or there is none";
        result.warnings.push(text.into());
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
