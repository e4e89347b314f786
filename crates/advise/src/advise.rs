//! The way of an advice: resolve what is asked, make items of what could be fair, ask the advisor.

use std::time::{Duration, Instant};

use evenhand_source::Diagnostic;
use evenhand_source::budget::after;
use evenhand_system::{
    Granularity, Inputs, Inquiry, Question, Rejected, Specification, Wanted, What,
};
use evenhand_verify::{Case, CheckError, FEW, Listener, Task, View, conditions, propositions_of};

use crate::advice::{Advice, AdviseOptions, AdviseReport, Outcome};
use crate::advisor::Advisor;
use crate::items::Items;

/// How long to look for the run of one item, if nothing else is said.
const RUN_BUDGET: Duration = Duration::from_secs(2);

/// Which fairness do properties of a model need?
///
/// # Errors
/// If what is asked has no meaning, or a counterexample fails its replay.
pub fn advise(
    specification: &dyn Specification,
    options: &AdviseOptions,
    listener: &mut dyn Listener,
) -> Result<AdviseReport, CheckError> {
    let mut options = options.clone();
    let check = &mut options.check;
    let deadline = check.limit_time.map(after);
    check.budget = check.budget.or(Some(RUN_BUDGET));
    let request = &mut options.asking.request;
    request.no_fairness = true;
    request.candidates = true;
    let nothing_named = match &request.properties {
        Wanted::Usual | Wanted::Stated => true,
        Wanted::Named(names) => names.is_empty(),
    };
    let everything = nothing_named && (request.linear.is_empty() || options.together);
    if everything {
        request.properties = Wanted::Stated;
    }
    let mut inquiry = options.asking.resolve(specification)?;
    // What is odd about a property makes advice on it worth little.
    let files = &inquiry.body.signature().files;
    let placed = |warning: &Diagnostic| match warning.span {
        Some(span) => {
            let name = &files.get(span.file).name;
            format!("{name}:{}: {}", files.position(span), warning.message)
        }
        None => warning.message.clone(),
    };
    let mut notes: Vec<String> = inquiry.warnings.iter().map(placed).collect();
    let word = specification.linear_word();
    let tasks = tasks(&mut inquiry, (everything, word), &mut notes)?;
    let (bound, is_certain) = inquiry.meaning.processes();
    let mut processes = if is_certain { bound } else { FEW };
    let mut report = loop {
        let items = items_of(&inquiry, options.by, processes)?;
        let view = view_of(&inquiry, &tasks, &items);
        let case = case_of(&view, &tasks, &items, &options, deadline);
        let advisor = Advisor {
            case: &case,
            tasks: &tasks,
            items: &items,
            together: options.together,
        };
        if let Some(advice) = advisor.advise(listener)? {
            let mut all = items.fairness.dropped.clone();
            all.extend(notes);
            break AdviseReport {
                by: inquiry.meaning.candidate_word(options.by),
                items: items.names.clone(),
                notes: all,
                advice,
                signature: inquiry.body.signature().clone(),
            };
        }
        processes = 2 * processes.max(1);
    };
    let hopeless = |advice: &Advice| advice.outcome == Outcome::Impossible;
    let has_finer = report.by != Granularity::Label.word() && report.by == options.by.word();
    if has_finer && report.advice.iter().any(hopeless) {
        let items = items_of(&inquiry, Granularity::Label, processes)?;
        let view = view_of(&inquiry, &tasks, &items);
        options.check.compress = false;
        let case = case_of(&view, &tasks, &items, &options, deadline);
        let advisor = Advisor {
            case: &case,
            tasks: &tasks,
            items: &items,
            together: options.together,
        };
        advisor.try_finer(&mut report.advice, listener);
    }
    Ok(report)
}

/// The questions of linear time; of others there is a note, or an error if they were asked by name.
fn tasks(
    inquiry: &mut Inquiry,
    (everything, word): (bool, Option<&str>),
    notes: &mut Vec<String>,
) -> Result<Vec<Task>, CheckError> {
    let mut tasks = Vec::new();
    for question in std::mem::take(&mut inquiry.questions) {
        if let What::Linear(_) = question.what {
            tasks.push(Task::new(question));
            continue;
        }
        let (message, help) = not_advised(&question, word);
        match everything {
            true => notes.push(format!("{message}: {help}")),
            false => return Err(Rejected::about(Diagnostic::global(message).help(help)).into()),
        }
    }
    Ok(tasks)
}

/// Why there is no advice on a question.
fn not_advised(question: &Question, word: Option<&str>) -> (String, &'static str) {
    let name = &question.name;
    let none = "there is no advice on it";
    match (word, question.is_fair()) {
        (Some(word), _) => (format!("`{name}` is no {word}"), none),
        (None, true) => (format!("`{name}` is no property of linear time"), none),
        (None, false) => (
            format!("`{name}` is no temporal property"),
            "fairness makes no difference to it",
        ),
    }
}

fn items_of(inquiry: &Inquiry, by: Granularity, processes: usize) -> Result<Items, CheckError> {
    let fixed = inquiry.meaning.fairness(&inquiry.assumptions, processes)?;
    let candidates = inquiry.meaning.candidates(by, processes);
    Ok(Items::new(&fixed, candidates))
}

fn view_of(inquiry: &Inquiry, tasks: &[Task], items: &Items) -> View {
    let body = &inquiry.body;
    let mut read = propositions_of(tasks.iter().map(|task| &task.question));
    read.extend(conditions(&items.fairness));
    let inputs: Inputs = body.inputs_read(&read);
    View::new(body.clone(), inputs)
}

fn case_of<'c>(
    view: &'c View,
    tasks: &[Task],
    items: &Items,
    options: &'c AdviseOptions,
    deadline: Option<Instant>,
) -> Case<'c> {
    let propositions = propositions_of(tasks.iter().map(|task| &task.question));
    let fairness = items.fairness.clone();
    Case::new(view, fairness, &options.check, deadline, propositions)
}
