//! `evenhand translate`: an automaton for the words of a formula.

use evenhand::{AutomatonKind, FormulaError, translate};
use evenhand_automata::{
    Automaton, DegeneralizeError, expand_conditional_marks, write_dot, write_hoa, write_never_claim,
};
use evenhand_source::{Diagnostic, Files};

use crate::arguments::{
    AutomatonType, Format, OutputArguments, TranslateArguments, TranslateFormat, When,
};
use crate::console::{exhausted, print_as_it_is, rejected, show_diagnostics, wrong};
use crate::interrupt;
use crate::outcome::Outcome;

pub(crate) fn run(arguments: &TranslateArguments) -> Outcome {
    // Diagnostics as everywhere; the automaton itself has formats of its own.
    let output = &OutputArguments {
        format: Format::Text,
        color: arguments.color,
        progress: When::Never,
        quiet: arguments.quiet,
        verbose: false,
    };
    let options = arguments.limits.options(interrupt::cancel());
    let done = options.budget_now().run(|| translated(arguments, output));
    done.unwrap_or_else(|why| exhausted(why, &why.to_string(), output))
}

fn translated(arguments: &TranslateArguments, output: &OutputArguments) -> Outcome {
    let files = Files::new();
    let never = arguments.format == TranslateFormat::Never;
    if never && arguments.kind == AutomatonType::Streett {
        let message = "a never claim has no Streett pairs";
        let help = "leave out --type, or choose --format hoa or dot";
        return wrong(&[Diagnostic::global(message).help(help)], &files, output);
    }
    let kind = match arguments.kind {
        AutomatonType::Tgba => AutomatonKind::Tgba,
        AutomatonType::Buchi => AutomatonKind::Buchi,
        AutomatonType::Streett => AutomatonKind::Streett,
    };
    let automaton = match translate(&arguments.formula, kind, arguments.limit_edges) {
        Ok(automaton) => automaton,
        Err(FormulaError::Wrong(found)) => return rejected(&found, &files, output),
        Err(error) => return too_large(&error.to_string(), &files, output),
    };
    match text(&automaton, arguments) {
        Ok((text, note)) => {
            if let Some(note) = note.filter(|_| !output.quiet) {
                let mut diagnostic = Diagnostic::global(note);
                diagnostic.severity = evenhand_source::Severity::Warning;
                show_diagnostics(&[diagnostic], &files, output);
            }
            print_as_it_is(&text);
            Outcome::Holds
        }
        Err(error) => too_large(&error.to_string(), &files, output),
    }
}

/// A limit was reached: nothing is wrong with the call.
fn too_large(message: &str, files: &Files, output: &OutputArguments) -> Outcome {
    show_diagnostics(&[Diagnostic::global(message)], files, output);
    Outcome::Unknown
}

/// The automaton in the wanted form, and what is to be said about it.
fn text(
    automaton: &Automaton,
    arguments: &TranslateArguments,
) -> Result<(String, Option<String>), DegeneralizeError> {
    let limit = arguments.limit_edges;
    match arguments.format {
        TranslateFormat::Dot => Ok((write_dot(automaton), None)),
        TranslateFormat::Never => Ok((write_never_claim(automaton, limit)?, None)),
        TranslateFormat::Hoa => {
            let expanded = expand_conditional_marks(automaton, limit)?;
            let note = (!automaton.conditionals().is_empty()).then(|| {
                format!(
                    "HOA has no conditional marks: they were expanded, {} edges became {}",
                    automaton.edge_count(),
                    expanded.edge_count()
                )
            });
            // Without a table of conditional marks writing cannot fail.
            Ok((write_hoa(&expanded).unwrap_or_default(), note))
        }
    }
}
