//! `evenhand check`.

use evenhand::check::{CheckError, CheckOptions, CheckReport, Counterexamples, Deadlock, check};
use evenhand::model::{Language, Model, ModelText};
use evenhand::trail::trail;
use evenhand_report::html::Entry;
use evenhand_report::{Verdict, json, paint, text};
use evenhand_source::{Diagnostic, Files, nearest};
use evenhand_symbolic::CompassionAs;

use super::report::{Recorder, write_page};
use super::screen::Screen;
use super::{
    colour_answers, empty, interrupt, parse, print, print_as_it_is, print_json, read,
    unless_interrupted, wrong,
};
use crate::Exit;
use crate::cli::{CheckArguments, Compassion, Ends, Format, How, OutputArguments};

pub(crate) fn run(arguments: &CheckArguments) -> Exit {
    let output = &arguments.output;
    let text = match read(&arguments.model, output) {
        Ok(text) => text,
        Err(exit) => return exit,
    };
    if text.language == Language::Hoa {
        return automaton(text, arguments);
    }
    let mut model = match parse(text, &arguments.model, output) {
        Ok(model) => model,
        Err(exit) => return exit,
    };
    if let (Model::Smv(_), Some(_)) = (&model, &arguments.trail) {
        let message = "`--trail` writes runs for SPIN, which replays Promela models only";
        return wrong(&[Diagnostic::global(message)], &Files::new(), output);
    }
    let options = match options(arguments) {
        Ok(options) => options,
        Err(diagnostic) => return wrong(&[diagnostic], &Files::new(), output),
    };
    let mut screen = Screen::new(output);
    let result = check(&mut model, &options, &mut screen);
    let recorder = screen.finish(result.as_ref().ok());
    let files = &model.signature().files;
    match result {
        Ok(report) => {
            show(&model, &report, arguments);
            let written = write_trail(&model, &report, arguments)
                .and_then(|()| write_report(&model, &report, &recorder, arguments));
            match written {
                Ok(()) => unless_interrupted(exit_of(&report)),
                Err(diagnostic) => wrong(&[diagnostic], files, output),
            }
        }
        Err(error) => failed(error, files, output),
    }
}

/// Of an automaton there is one question: does it accept anything?
fn automaton(text: ModelText, arguments: &CheckArguments) -> Exit {
    let asks = !arguments.properties.is_empty()
        || !arguments.formulas.is_empty()
        || !arguments.branching.is_empty()
        || !arguments.automata.is_empty()
        || !arguments.fair.is_empty()
        || arguments.trail.is_some()
        || arguments.report.is_some();
    if asks {
        let message = "of an omega-automaton only the emptiness is checked";
        let help =
            "leave `-p`, `--ltl`, `--ctl`, `--automaton`, `--fair`, `--trail` and `--report` out";
        let diagnostic = Diagnostic::global(message).help(help);
        return wrong(&[diagnostic], &Files::new(), &arguments.output);
    }
    empty::answer(text.name, text.text, &arguments.output)
}

/// Says why there is no answer.
pub(crate) fn failed(error: CheckError, files: &Files, output: &OutputArguments) -> Exit {
    match error {
        CheckError::UnknownProperty(name, known) => {
            let hint = nearest(&name, known.iter().map(String::as_str));
            let help = match hint {
                Some(hint) => format!("did you mean `{hint}`?"),
                None => format!("the model has: {}", known.join(", ")),
            };
            let message = format!("there is no property `{name}`");
            wrong(&[Diagnostic::global(message).help(help)], files, output)
        }
        CheckError::Wrong(found) => wrong(
            &found.diagnostics,
            found.files.as_ref().unwrap_or(files),
            output,
        ),
        CheckError::Engine(message) => {
            let help = "`evenhand engines` lists the engines and what each is for";
            wrong(&[Diagnostic::global(message).help(help)], files, output)
        }
        CheckError::Replay(error) => {
            let message = format!(
                "internal error: a counterexample failed its replay at position {}: {}",
                error.position, error.message
            );
            let help = "this is a bug of evenhand; please report it with the model and this call";
            wrong(&[Diagnostic::global(message).help(help)], files, output);
            Exit::Internal
        }
    }
}

fn options(arguments: &CheckArguments) -> Result<CheckOptions, Diagnostic> {
    let mut automata = Vec::new();
    for path in &arguments.automata {
        let name = path.display().to_string();
        match std::fs::read_to_string(path) {
            Ok(text) => automata.push((name, text)),
            Err(error) => {
                return Err(Diagnostic::global(format!("cannot read `{name}`: {error}")));
            }
        }
    }
    Ok(CheckOptions {
        properties: arguments.properties.clone(),
        formulas: arguments.formulas.clone(),
        branching: arguments.branching.clone(),
        automata,
        good: arguments.good,
        fair: arguments.fair.clone(),
        no_fairness: arguments.no_fairness,
        engine: Some(arguments.engine.clone()),
        compassion: match arguments.compassion {
            Compassion::Native => CompassionAs::Native,
            Compassion::Justice => CompassionAs::Justice,
            Compassion::Antecedent => CompassionAs::Antecedent,
        },
        interrupt: interrupt::raised(),
        deadlock: match arguments.deadlock {
            None => Deadlock::Usual,
            Some(Ends::Error) => Deadlock::Error,
            Some(Ends::Ignore) => Deadlock::Ignore,
            Some(Ends::Stutter) => Deadlock::Stutter,
        },
        max_depth: arguments.max_depth,
        limit_states: arguments.search.limit_states,
        limit_memory: arguments.search.memory(),
        limit_time: arguments.search.limit_time,
        compress: arguments.search.compress,
        counterexample: match arguments.counterexample {
            How::Shortest => Counterexamples::Shortest,
            How::All => Counterexamples::All,
            How::First => Counterexamples::First,
            How::None => Counterexamples::None,
        },
        budget: arguments.budget,
        hints: arguments.counterexample == How::Shortest && !arguments.output.quiet,
        observe: arguments.report.is_some(),
    })
}

/// How many runs of a property are shown to people.
const MOST_RUNS: usize = 10;

/// Writes the run of the first violated property as a trail, if asked to.
fn write_trail(
    model: &Model,
    report: &CheckReport,
    arguments: &CheckArguments,
) -> Result<(), Diagnostic> {
    let Some(path) = &arguments.trail else {
        return Ok(());
    };
    let mut runs = report.properties.iter().filter_map(|p| match &p.verdict {
        Verdict::Violated(Some(run)) => Some((&p.name, run)),
        _ => None,
    });
    let speaks = arguments.output.format == Format::Text && !arguments.output.quiet;
    let Some((name, run)) = runs.next() else {
        if speaks {
            let file = path.display();
            print(&format!(
                "\nnote: no run is shown, so `{file}` was not written\n"
            ));
        }
        return Ok(());
    };
    let text = trail(model, run).map_err(|message| {
        let help = "the run itself is printed all the same";
        Diagnostic::global(format!("there is no trail: {message}")).help(help)
    })?;
    std::fs::write(path, text).map_err(|error| {
        Diagnostic::global(format!("cannot write `{}`: {error}", path.display()))
    })?;
    if speaks {
        let (file, model) = (path.display(), &model.signature().name);
        print(&format!(
            "\nnote: the trail is about `{name}`; `spin -k {file} -t -p {model}` replays it\n"
        ));
    }
    Ok(())
}

/// Writes the report as a page, if asked to.
fn write_report(
    model: &Model,
    report: &CheckReport,
    recorder: &Recorder,
    arguments: &CheckArguments,
) -> Result<(), Diagnostic> {
    let Some(path) = &arguments.report else {
        return Ok(());
    };
    let entries: Vec<Entry<'_>> = report
        .properties
        .iter()
        .map(|result| Entry {
            about: None,
            result,
            samples: recorder.of(&result.name),
        })
        .collect();
    let mut remarks = warnings(model, report);
    remarks.retain(|note| is_news(note));
    write_page(path, model, &remarks, &entries, &[])
}

fn exit_of(report: &CheckReport) -> Exit {
    let mut exit = Exit::Holds;
    for property in &report.properties {
        match property.verdict {
            Verdict::Violated(_) => return Exit::Violated,
            Verdict::Unknown(_) => exit = Exit::Unknown,
            Verdict::Holds => {}
        }
    }
    exit
}

/// What is to say about the model, in lines.
fn warnings(model: &Model, report: &CheckReport) -> Vec<String> {
    let files = &model.signature().files;
    let of_text = model.warnings().iter().map(|d| match d.span {
        Some(span) => {
            let name = &files.get(span.file).name;
            format!("{name}:{}: {}", files.position(span), d.message)
        }
        None => d.message.clone(),
    });
    let unreached = unreached(model, report);
    let unreached = unreached.iter().map(|s| format!("never executed: {s}"));
    let notes = report.notes.iter().cloned();
    of_text.chain(notes).chain(unreached).collect()
}

/// That a small model was explored is no news, except for people who ask for more.
fn is_news(note: &str) -> bool {
    !note.starts_with("engine: state by state")
}

fn show(model: &Model, report: &CheckReport, arguments: &CheckArguments) {
    let signature = model.signature();
    let files = &signature.files;
    if arguments.output.format == Format::Json {
        let warnings = warnings(model, report);
        let json = json::check(
            env!("CARGO_PKG_VERSION"),
            &signature.name,
            &signature.language,
            &warnings,
            &report.properties,
            files,
        );
        print_json(&json);
        return;
    }
    let colour = colour_answers(&arguments.output);
    let remark = |word: &str, text: &str| match colour {
        true => print_as_it_is(&format!("\n{}\n", paint::remark(word, text))),
        false => print(&format!("\n{word}: {text}\n")),
    };
    let warn = || {
        // What is said of several properties is said once.
        let mut said: Vec<(&str, Vec<&str>)> = Vec::new();
        for property in &report.properties {
            for warning in &property.warnings {
                match said.iter_mut().find(|(text, _)| text == warning) {
                    Some((_, names)) => names.push(&property.name),
                    None => said.push((warning, vec![&property.name])),
                }
            }
        }
        for (warning, names) in said {
            remark("warning", &format!("{}: {warning}", names.join(", ")));
        }
    };
    // What a verdict is worth is no detail.
    if arguments.output.quiet {
        warn();
        return;
    }
    for property in &report.properties {
        if let Verdict::Violated(Some(run)) = &property.verdict {
            let runs = std::iter::once(&**run).chain(&property.others);
            for run in runs.clone().take(MOST_RUNS) {
                let told = text::counterexample(property, run, files);
                match colour {
                    true => print_as_it_is(&format!("\n{}", paint::run(&told))),
                    false => print(&format!("\n{told}")),
                }
            }
            let more = runs.count().saturating_sub(MOST_RUNS);
            if more > 0 {
                print(&format!(
                    "\nnote: {}; `--format json` has them all\n",
                    text::counted(more, "more run")
                ));
            }
        }
    }
    warn();
    let is_told = |note: &&String| arguments.output.verbose || is_news(note);
    for note in report.notes.iter().filter(is_told) {
        remark("note", note);
    }
    if arguments.output.verbose {
        for property in report
            .properties
            .iter()
            .filter(|p| p.product_states.is_some())
        {
            print(&format!("\n{}", text::statistics(property)));
        }
    }
    let unreached = unreached(model, report);
    if !unreached.is_empty() {
        let most = match arguments.output.verbose {
            true => unreached.len(),
            false => MOST_UNREACHED,
        };
        remark("warning", "never executed:");
        for statement in unreached.iter().take(most) {
            print(&format!("  {statement}\n"));
        }
        if unreached.len() > most {
            let more = unreached.len() - most;
            let more = text::counted(more, "more statement");
            print(&format!("  and {more} (-v shows them)\n"));
        }
    }
}

/// How many statements that are never executed are shown if nobody asks for more.
const MOST_UNREACHED: usize = 5;

/// The statements that no run executes, and the processes of which none is executed.
fn unreached(model: &Model, report: &CheckReport) -> Vec<String> {
    let signature = model.signature();
    let files = &signature.files;
    // Of each process, how many statements are executed, and whether it was told that none is.
    let last = signature.actions.iter().map(|info| info.process).max();
    let mut executed = vec![0usize; usize::from(last.unwrap_or(0)) + 1];
    for info in &signature.actions {
        executed[usize::from(info.process)] += 1;
    }
    for &action in &report.unreached {
        executed[usize::from(signature.actions[action as usize].process)] -= 1;
    }
    let mut told = vec![false; executed.len()];
    let mut list = Vec::new();
    for &action in &report.unreached {
        let info = &signature.actions[action as usize];
        let process = usize::from(info.process);
        let name = &signature.processes[process];
        if executed[process] == 0 {
            if !std::mem::replace(&mut told[process], true) {
                list.push(format!("{name}: nothing of it"));
            }
            continue;
        }
        let line = files.position(info.span).line;
        list.push(format!("{name}, line {line}: {}", info.text));
    }
    list
}
