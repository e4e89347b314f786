//! What is written to the streams, and how.

use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use evenhand_report::printable::printable;
use evenhand_report::{junit, sarif};
use evenhand_source::{Diagnostic, Exhausted, Files};
use evenhand_system::relation::Refusal;
use evenhand_system::{Rejected, Unresolved};
use evenhand_verify::CheckError;

use crate::arguments::{Format, OutputArguments, When};
use crate::outcome::Outcome;

/// Whether an answer could not be written.
static FAILED: AtomicBool = AtomicBool::new(false);

/// Whether an answer could not be written.
pub(crate) fn has_failed() -> bool {
    FAILED.load(Ordering::Relaxed)
}

/// Writes text for people to standard output; what would act on their terminal is written out.
pub(crate) fn print(text: &str) {
    print_as_it_is(&printable(text));
}

/// Writes JSON to standard output.
pub(crate) fn print_json(json: &serde_json::Value) {
    print_as_it_is(&format!("{json:#}\n"));
}

/// Writes what programs read, or what was painted, to standard output; a reader that has gone away is
/// no error, a full disk is.
pub(crate) fn print_as_it_is(text: &str) {
    let mut out = std::io::stdout();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    if let Err(error) = written
        && error.kind() != ErrorKind::BrokenPipe
        && !FAILED.swap(true, Ordering::Relaxed)
    {
        complain(&format!("cannot write the answer: {error}"));
    }
}

/// Says what is wrong with a call.
pub(crate) fn complain(message: &str) {
    let _ = writeln!(std::io::stderr(), "error: {}", printable(message));
}

/// Whether answers are coloured.
pub(crate) fn colour_answers(output: &OutputArguments) -> bool {
    coloured(output, &std::io::stdout())
}

fn coloured(output: &OutputArguments, stream: &impl IsTerminal) -> bool {
    match output.color {
        When::Always => true,
        When::Never => false,
        When::Auto => {
            let refused = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
            stream.is_terminal() && !refused
        }
    }
}

/// Says why a call or a model is wrong.
pub(crate) fn wrong(
    diagnostics: &[Diagnostic],
    files: &Files,
    output: &OutputArguments,
) -> Outcome {
    match output.format {
        Format::Text => show_diagnostics(diagnostics, files, output),
        Format::Json => print_json(&evenhand_report::json::errors(diagnostics, files)),
        Format::Junit => print_as_it_is(&junit::errors(diagnostics, files)),
        Format::Sarif => print_json(&sarif::errors(diagnostics, files)),
    }
    Outcome::Wrong
}

/// Refuses the formats for CI systems, which tell about checks alone.
pub(crate) fn only_checks(output: &OutputArguments) -> Result<(), Outcome> {
    match output.format {
        Format::Text | Format::Json => Ok(()),
        Format::Junit | Format::Sarif => {
            let message = format!(
                "`--format {}` is for `evenhand check` of a model",
                output.format.name()
            );
            Err(wrong_about(Diagnostic::global(message), output))
        }
    }
}

/// The same for one thing that no file is about.
pub(crate) fn wrong_about(diagnostic: Diagnostic, output: &OutputArguments) -> Outcome {
    wrong(&[diagnostic], &Files::new(), output)
}

/// The same for a text that has no meaning; `files` are those of the model.
pub(crate) fn rejected(found: &Rejected, files: &Files, output: &OutputArguments) -> Outcome {
    let files = found.files.as_ref().unwrap_or(files);
    wrong(&found.diagnostics, files, output)
}

/// Says why a system cannot be explored state by state.
pub(crate) fn refused(refusal: &Refusal, output: &OutputArguments) -> Outcome {
    let message = format!("the model cannot be explored state by state: {refusal}");
    wrong_about(Diagnostic::global(message), output)
}

/// Says, for programs, why a call is wrong; `text` is what a person would read.
pub(crate) fn wrong_call(text: &str, help: Option<&str>) -> Outcome {
    let lines = text.lines().map(str::trim);
    let first: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
    let message = first.join(" ");
    let diagnostic = Diagnostic::global(message.trim_start_matches("error: "));
    let diagnostics = [diagnostic.maybe_help(help.map(str::to_string))];
    print_json(&evenhand_report::json::errors(&diagnostics, &Files::new()));
    Outcome::Wrong
}

/// Says why there is no answer.
pub(crate) fn failed(error: &CheckError, files: &Files, output: &OutputArguments) -> Outcome {
    let engines = "`evenhand engines` lists the engines and what each is for";
    let (message, help) = match error {
        CheckError::Unresolved(Unresolved::Wrong(found)) => {
            return rejected(found, files, output);
        }
        CheckError::Unresolved(Unresolved::NoProperty { name, known }) => (
            format!("there is no property `{name}`"),
            Unresolved::hint(name, known),
        ),
        CheckError::Exhausted(why) => return exhausted(*why, &error.to_string(), output),
        CheckError::Engine(message) => (message.clone(), engines.to_string()),
        CheckError::Compassion(why) => {
            let why = match why {
                Some(why) => format!(", but {why}"),
                None => "; the others handle it natively".to_string(),
            };
            let message = format!("`--compassion` is for the engine `symbolic`{why}");
            (message, engines.to_string())
        }
        CheckError::StutterWithInputs => (
            format!("{error}: `--deadlock stutter` has no meaning"),
            "leave it out: a run that ends is no run".to_string(),
        ),
        error => {
            let help = "this is a bug of evenhand; please report it with the model and this call";
            let diagnostic = Diagnostic::global(error.to_string()).help(help);
            wrong(&[diagnostic], files, output);
            return Outcome::Internal;
        }
    };
    wrong(&[Diagnostic::global(message).help(help)], files, output)
}

/// Says that a limit was reached before there was anything to answer.
pub(crate) fn exhausted(why: Exhausted, message: &str, output: &OutputArguments) -> Outcome {
    wrong_about(Diagnostic::global(format!("unknown: {message}")), output);
    match why {
        Exhausted::Interrupted => Outcome::Interrupted,
        Exhausted::Time | Exhausted::Memory | Exhausted::Effort => Outcome::Unknown,
    }
}

/// The outcome of a check whose files may not have been written: the answer stands and was given, so a
/// violation stays one, but nothing is well.
pub(crate) fn unless_unwritten(
    outcome: Outcome,
    written: impl IntoIterator<Item = Result<(), Diagnostic>>,
    output: &OutputArguments,
) -> Outcome {
    let problems: Vec<Diagnostic> = written.into_iter().filter_map(Result::err).collect();
    show_diagnostics(&problems, &Files::new(), output);
    match outcome {
        Outcome::Holds if !problems.is_empty() => Outcome::Wrong,
        outcome => outcome,
    }
}

/// What a model itself printed goes to standard error.
pub(crate) fn show_printed(lines: &[String]) {
    for line in lines {
        let _ = writeln!(std::io::stderr(), "{}", printable(line));
    }
}

/// Diagnostics go to standard error.
pub(crate) fn show_diagnostics(
    diagnostics: &[Diagnostic],
    files: &Files,
    output: &OutputArguments,
) {
    let colour = coloured(output, &std::io::stderr());
    let text = evenhand_report::diagnostics::render_all(diagnostics, files, colour);
    let _ = std::io::stderr().write_all(text.as_bytes());
}
