//! `evenhand formula`: what a formula says.

use evenhand::{FormulaError, formula_facts};
use evenhand_automata::facts::Comparison;
use evenhand_report::formulas;
use evenhand_source::{Diagnostic, Files};

use crate::arguments::{Format, FormulaArguments};
use crate::console::{exhausted, print, print_json, rejected, show_diagnostics};
use crate::interrupt;
use crate::outcome::Outcome;

pub(crate) fn run(arguments: &FormulaArguments) -> Outcome {
    let options = arguments.limits.options(interrupt::cancel());
    let done = options.budget_now().run(|| answered(arguments));
    done.unwrap_or_else(|why| exhausted(why, &why.to_string(), &arguments.output))
}

fn answered(arguments: &FormulaArguments) -> Outcome {
    let output = &arguments.output;
    let (facts, comparisons) = match formula_facts(&arguments.formulas) {
        Ok(known) => known,
        Err(FormulaError::Wrong(found)) => return rejected(&found, &Files::new(), output),
        Err(error) => {
            let diagnostic = Diagnostic::global(error.to_string());
            show_diagnostics(&[diagnostic], &Files::new(), output);
            return match error {
                FormulaError::Internal(_) => Outcome::Internal,
                _ => Outcome::Unknown,
            };
        }
    };
    match output.format {
        Format::Json => print_json(&formulas::json(&facts, &comparisons)),
        _ => print(&formulas::text(&facts, &comparisons)),
    }
    match comparisons.iter().all(Comparison::equivalent) {
        true => Outcome::Holds,
        false => Outcome::Violated,
    }
}
