//! `evenhand formula`: what a formula says.

use evenhand_automata::facts::{Comparison, FactsError, facts};
use evenhand_automata::translate::TranslateError;
use evenhand_logic::{Formulas, Names, Place, Spelling, parse_with};
use evenhand_report::formulas;
use evenhand_source::{Diagnostic, Files, Span};

use crate::arguments::{Format, FormulaArguments};
use crate::console::{exhausted, print, print_json, show_diagnostics, wrong};
use crate::interrupt;
use crate::outcome::Outcome;

pub(crate) fn run(arguments: &FormulaArguments) -> Outcome {
    let options = arguments.limits.options(interrupt::cancel());
    let done = options.budget_now().run(|| answered(arguments));
    done.unwrap_or_else(|why| exhausted(why, &why.to_string(), &arguments.output))
}

fn answered(arguments: &FormulaArguments) -> Outcome {
    let output = &arguments.output;
    let mut files = Files::new();
    let mut store = Formulas::new();
    let mut read = Vec::new();
    let mut errors = Vec::new();
    for (i, text) in arguments.formulas.iter().enumerate() {
        let file = files.add(format!("formula {}", i + 1), text.clone());
        let place = Place { file, start: 0 };
        match parse_with(&mut store, text, Spelling::Any, place, &mut Names) {
            Ok(f) if store.properties(f).has_quantifier() => {
                let span = Span::new(file, 0, text.len());
                let message = TranslateError::NotLinear.to_string();
                errors.push(Diagnostic::error(span, message));
            }
            Ok(f) => read.push(f),
            Err(diagnostic) => errors.push(diagnostic),
        }
    }
    if !errors.is_empty() {
        return wrong(&errors, &files, output);
    }
    let (facts, comparisons) = match facts(&mut store, &read) {
        Ok(known) => known,
        Err(error) => {
            show_diagnostics(&[Diagnostic::global(error.to_string())], &files, output);
            return match error {
                FactsError::Limit(_) => Outcome::Unknown,
                FactsError::Internal(_) => Outcome::Internal,
            };
        }
    };
    match output.format {
        Format::Json => print_json(&formulas::json(&facts, &comparisons)),
        Format::Text => print(&formulas::text(&facts, &comparisons)),
    }
    match comparisons.iter().all(Comparison::equivalent) {
        true => Outcome::Holds,
        false => Outcome::Violated,
    }
}
