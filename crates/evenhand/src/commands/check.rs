//! `evenhand check`.

use evenhand::check::{CheckError, CheckOptions, CheckReport, Counterexamples, check};
use evenhand::model::Model;
use evenhand_report::{Verdict, json, text};
use evenhand_source::{Diagnostic, nearest};

use super::{ProgressLine, load, print, wrong};
use crate::Exit;
use crate::cli::{CheckArguments, Format, How};

pub(crate) fn run(arguments: &CheckArguments) -> Exit {
    let model = match load(&arguments.model, &arguments.output) {
        Ok(model) => model,
        Err(exit) => return exit,
    };
    let options = CheckOptions {
        properties: arguments.properties.clone(),
        limit_states: arguments.search.limit_states,
        limit_memory: arguments.search.memory(),
        limit_time: arguments.search.limit_time,
        compress: arguments.search.compress,
        counterexample: match arguments.counterexample {
            How::Shortest => Counterexamples::Shortest,
            How::First => Counterexamples::First,
            How::None => Counterexamples::None,
        },
        budget: arguments.budget,
    };
    let mut line = ProgressLine::new(&arguments.output);
    let result = check(&model, &options, &mut |progress| {
        line.update(progress);
        true
    });
    drop(line);
    match result {
        Ok(report) => {
            show(&model, &report, arguments);
            exit_of(&report)
        }
        Err(CheckError::UnknownProperty(name, known)) => {
            let hint = nearest(&name, known.iter().map(String::as_str));
            let help = match hint {
                Some(hint) => format!("did you mean `{hint}`?"),
                None => format!("the model has: {}", known.join(", ")),
            };
            let message = format!("there is no property `{name}`");
            let diagnostic = Diagnostic::global(message).help(help);
            wrong(&[diagnostic], &model.signature().files, &arguments.output)
        }
        Err(CheckError::Replay(error)) => {
            let message = format!(
                "internal error: a counterexample failed its replay at position {}: {}",
                error.position, error.message
            );
            let help = "this is a bug of evenhand; please report it with the model and this call";
            let diagnostic = Diagnostic::global(message).help(help);
            wrong(&[diagnostic], &model.signature().files, &arguments.output);
            Exit::Internal
        }
    }
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

fn show(model: &Model, report: &CheckReport, arguments: &CheckArguments) {
    let signature = model.signature();
    let files = &signature.files;
    if arguments.output.format == Format::Json {
        let of_text = model.warnings().iter().map(|d| match d.span {
            Some(span) => {
                let name = &files.get(span.file).name;
                format!("{name}:{}: {}", files.position(span), d.message)
            }
            None => d.message.clone(),
        });
        let warnings: Vec<String> = of_text.chain(report.notes.iter().cloned()).collect();
        let json = json::check(
            env!("CARGO_PKG_VERSION"),
            &signature.name,
            &signature.language,
            &warnings,
            &report.properties,
            files,
        );
        print(&format!("{json:#}\n"));
        return;
    }
    for property in &report.properties {
        print(&format!("{}\n", text::summary(property)));
    }
    if arguments.output.quiet {
        return;
    }
    for property in &report.properties {
        if let Verdict::Violated(Some(run)) = &property.verdict {
            print(&format!("\n{}", text::counterexample(property, run, files)));
        }
    }
    for property in &report.properties {
        for warning in &property.warnings {
            print(&format!("\nwarning: {}: {warning}\n", property.name));
        }
    }
    for note in &report.notes {
        print(&format!("\nnote: {note}\n"));
    }
    if arguments.output.verbose && !report.unreached.is_empty() {
        print("\nstatements that are never executed:\n");
        for &action in &report.unreached {
            let info = &signature.actions[action as usize];
            let process = &signature.processes[usize::from(info.process)];
            let line = files.position(info.span).line;
            print(&format!("  {process}, line {line}: {}\n", info.text));
        }
    }
}
