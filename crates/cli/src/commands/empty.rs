//! `evenhand empty`: has an omega-automaton an accepting run?

use std::path::Path;
use std::time::Instant;

use evenhand_automata::emptiness::{Emptiness, emptiness};
use evenhand_automata::read_hoa;
use evenhand_report::emptiness as told;
use evenhand_source::{Diagnostic, Files, MOST_BYTES, ReadError, Severity, read_file, read_stream};

use crate::arguments::{EmptyArguments, Format, OutputArguments};
use crate::console::{exhausted, print, print_json, show_diagnostics, wrong, wrong_about};
use crate::interrupt;
use crate::outcome::Outcome;

pub(crate) fn run(arguments: &EmptyArguments) -> Outcome {
    let output = &arguments.output;
    let options = arguments.limits.options(interrupt::cancel());
    let name = arguments.file.display().to_string();
    let done = options.budget_now().run(|| {
        let most = arguments.limit_file.unwrap_or(MOST_BYTES);
        match read(&arguments.file, most) {
            Ok(text) => answer(name, text, output),
            Err(error) => {
                let diagnostic = Diagnostic::global(format!("cannot read {name}: {error}"));
                wrong_about(diagnostic, output)
            }
        }
    });
    done.unwrap_or_else(|why| exhausted(why, &why.to_string(), output))
}

/// Decides the emptiness of each automaton of a text.
pub(crate) fn answer(name: String, text: String, output: &OutputArguments) -> Outcome {
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
    let mut outcomes = Vec::new();
    let mut entries = Vec::new();
    for (i, automaton) in stream.automata.iter().enumerate() {
        let started = Instant::now();
        let answer = emptiness(automaton);
        let seconds = started.elapsed().as_secs_f64();
        let label = automaton
            .name()
            .map_or_else(|| format!("automaton_{i}"), str::to_owned);
        match output.format {
            Format::Json => entries.push(told::entry(automaton, &label, &answer, seconds)),
            _ => {
                let title = match stream.automata.len() {
                    1 => String::new(),
                    _ => format!("{label}: "),
                };
                let text = told::text(automaton, &answer, output.quiet);
                print(&format!("{title}{text}"));
            }
        }
        outcomes.push(match answer {
            Emptiness::Empty => Outcome::Holds,
            Emptiness::Accepts(_) => Outcome::Violated,
            Emptiness::Unknown(_) => Outcome::Unknown,
            Emptiness::Broken(_) => Outcome::Internal,
        });
    }
    if output.format == Format::Json {
        let warnings: Vec<&str> = diagnostics.iter().map(|d| d.message.as_str()).collect();
        print_json(&told::json(&name, &warnings, &entries));
    }
    Outcome::worst(outcomes)
}

fn read(path: &Path, most: u64) -> Result<String, ReadError> {
    match path == Path::new("-") {
        true => read_stream(std::io::stdin(), most),
        false => read_file(path, most),
    }
}
