//! `evenhand translate`: an automaton for the words of a formula.

use evenhand_automata::reduce::{ReduceLimits, reduce};
use evenhand_automata::translate::{Options, TranslateError, translate};
use evenhand_automata::{
    Automaton, DegeneralizeError, degeneralize, expand_conditional_marks, write_dot, write_hoa,
    write_never_claim,
};
use evenhand_logic::{Formulas, Names, Place, Spelling, parse_with, print as print_formula};
use evenhand_source::{Diagnostic, Files, Span};

use crate::arguments::{
    AutomatonType, Format, OutputArguments, TranslateArguments, TranslateFormat, When,
};
use crate::console::{exhausted, print_as_it_is, show_diagnostics, wrong};
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
    let mut files = Files::new();
    let file = files.add("formula", arguments.formula.clone());
    let span = Span::new(file, 0, arguments.formula.len());
    let never = arguments.format == TranslateFormat::Never;
    if never && arguments.kind == AutomatonType::Streett {
        let message = "a never claim has no Streett pairs";
        let help = "leave out --type, or choose --format hoa or dot";
        return wrong(&[Diagnostic::global(message).help(help)], &files, output);
    }
    let mut store = Formulas::new();
    let place = Place { file, start: 0 };
    let parsed = parse_with(
        &mut store,
        &arguments.formula,
        Spelling::Any,
        place,
        &mut Names,
    );
    let formula = match parsed {
        Ok(formula) => formula,
        Err(diagnostic) => return wrong(&[diagnostic], &files, output),
    };
    let options = match arguments.kind {
        AutomatonType::Streett => Options::streett(),
        AutomatonType::Tgba | AutomatonType::Buchi => Options::default(),
    };
    let automaton = match translate(&mut store, formula, &options) {
        Ok(translation) => translation.automaton,
        Err(TranslateError::NotLinear) => {
            let diagnostic = Diagnostic::error(span, TranslateError::NotLinear.to_string());
            return wrong(&[diagnostic], &files, output);
        }
        Err(error) => return too_large(&error.to_string(), &files, output),
    };
    let mut builder = automaton.to_builder();
    builder.name = Some(print_formula(&store, formula, Spelling::Spot));
    match text(&builder.build(), arguments) {
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
    let buchi;
    let automaton = match arguments.kind {
        AutomatonType::Buchi => {
            let small = reduce(&degeneralize(automaton, limit)?, &ReduceLimits::default());
            // A condition that became trivial gets its mark back.
            buchi = degeneralize(&small, limit)?;
            &buchi
        }
        AutomatonType::Tgba | AutomatonType::Streett => automaton,
    };
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
