//! `evenhand empty`: has an omega-automaton an accepting run?

use std::io::Read;
use std::path::Path;
use std::time::Instant;

use evenhand::memory;
use evenhand_automata::emptiness::{accepting_core_within, check_lasso, lasso_through};
use evenhand_automata::{Automaton, Lasso, read_hoa};
use evenhand_source::{Diagnostic, Files, Severity};
use serde_json::{Value, json};

use super::words::{run_json, run_text};
use super::{print, print_json, show_diagnostics, wrong};
use crate::Exit;
use crate::cli::{EmptyArguments, Format, OutputArguments};

/// Searches for components that a general acceptance condition may cost.
const SPLITS: usize = 10_000_000;

enum Answer {
    Empty,
    Nonempty(Lasso),
    Unknown(String),
    /// The run that was found is none: a defect of ours.
    Broken(String),
}

pub(crate) fn run(arguments: &EmptyArguments) -> Exit {
    let output = &arguments.output;
    let name = arguments.file.display().to_string();
    match read(&arguments.file) {
        Ok(text) => answer(name, text, output),
        Err(error) => {
            let diagnostic = Diagnostic::global(format!("cannot read {name}: {error}"));
            wrong(&[diagnostic], &Files::new(), output)
        }
    }
}

/// Decides the emptiness of each automaton of a text.
pub(crate) fn answer(name: String, text: String, output: &OutputArguments) -> Exit {
    let mut files = Files::new();
    let file = files.add(name.clone(), text);
    let stream = read_hoa(&files.get(file).text, file);
    let mut diagnostics = stream.diagnostics;
    if stream.automata.is_empty() && diagnostics.is_empty() {
        diagnostics.push(Diagnostic::global(format!("{name} holds no automaton")));
    }
    if diagnostics.iter().any(|d| d.severity == Severity::Error) {
        return wrong(&diagnostics, &files, output);
    }
    if !output.quiet {
        show_diagnostics(&diagnostics, &files, output);
    }
    let mut exit = Exit::Holds;
    let mut properties = Vec::new();
    for (i, automaton) in stream.automata.iter().enumerate() {
        let started = Instant::now();
        let answer = decide(automaton);
        let seconds = started.elapsed().as_secs_f64();
        let label = automaton
            .name()
            .map_or_else(|| format!("automaton_{i}"), str::to_owned);
        match output.format {
            Format::Json => properties.push(entry(automaton, &label, &answer, seconds)),
            Format::Text => {
                let title = match stream.automata.len() {
                    1 => String::new(),
                    _ => format!("{label}: "),
                };
                print(&format!(
                    "{title}{}",
                    answer_text(automaton, &answer, output.quiet)
                ));
            }
        }
        exit = worse(exit, code(&answer));
    }
    if output.format == Format::Json {
        let warnings: Vec<&str> = diagnostics.iter().map(|d| d.message.as_str()).collect();
        let json = json!({
            "schema": 1,
            "tool": "evenhand",
            "version": env!("CARGO_PKG_VERSION"),
            "model": name,
            "language": "hoa",
            "warnings": warnings,
            "properties": properties,
        });
        print_json(&json);
    }
    exit
}

fn read(path: &Path) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        std::io::stdin().read_to_end(&mut bytes)?;
    } else {
        bytes = std::fs::read(path)?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn decide(automaton: &Automaton) -> Answer {
    let core = match accepting_core_within(automaton, SPLITS) {
        Ok(Some(core)) => core,
        Ok(None) => return Answer::Empty,
        Err(limit) => return Answer::Unknown(limit.to_string()),
    };
    let Some(lasso) = lasso_through(automaton, &core) else {
        return Answer::Broken("no run through the accepting component".into());
    };
    match check_lasso(automaton, &lasso) {
        Ok(()) => Answer::Nonempty(lasso),
        Err(error) => Answer::Broken(error.to_string()),
    }
}

fn code(answer: &Answer) -> Exit {
    match answer {
        Answer::Empty => Exit::Holds,
        Answer::Nonempty(_) => Exit::Violated,
        Answer::Unknown(_) => Exit::Unknown,
        Answer::Broken(_) => Exit::Internal,
    }
}

/// The exit of several automata: a defect outweighs a run, a run outweighs a limit.
fn worse(a: Exit, b: Exit) -> Exit {
    let order = [Exit::Internal, Exit::Violated, Exit::Unknown];
    let worst = order.into_iter().find(|e| [a, b].contains(e));
    worst.unwrap_or(Exit::Holds)
}

fn answer_text(automaton: &Automaton, answer: &Answer, quiet: bool) -> String {
    match answer {
        Answer::Empty => "empty\n".into(),
        Answer::Nonempty(_) if quiet => "not empty\n".into(),
        Answer::Nonempty(lasso) => {
            format!(
                "not empty: an accepting run\n{}",
                run_text(automaton, lasso)
            )
        }
        Answer::Unknown(reason) => format!("unknown: {reason}\n"),
        Answer::Broken(reason) => format!("internal error: {reason}; please report\n"),
    }
}

fn entry(automaton: &Automaton, name: &str, answer: &Answer, seconds: f64) -> Value {
    let (verdict, reason) = match answer {
        Answer::Empty => ("holds", None),
        Answer::Nonempty(_) => ("violated", None),
        Answer::Unknown(reason) | Answer::Broken(reason) => ("unknown", Some(reason.as_str())),
    };
    let engine = match automaton.acceptance() {
        a if a.is_generalized_buchi() => "buchi",
        a if a.is_streett() => "streett",
        _ => "emerson-lei",
    };
    let counterexample = match answer {
        Answer::Nonempty(lasso) => run_json(automaton, lasso),
        _ => Value::Null,
    };
    json!({
        "name": name,
        "kind": "emptiness",
        "formula": null,
        "fairness": [],
        "verdict": verdict,
        "reason": reason,
        "value": null,
        "engine": engine,
        "states": automaton.state_count(),
        "transitions": automaton.edge_count(),
        "product_states": null,
        "product_transitions": null,
        "seconds": seconds,
        "peak_memory_bytes": memory::peak(),
        "warnings": [],
        "counterexample": counterexample,
    })
}
