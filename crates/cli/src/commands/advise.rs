//! `evenhand advise`.

use std::time::Instant;

use evenhand::{Model, advice_page};
use evenhand_advise::{AdviseOptions, AdviseReport, advise};
use evenhand_report::advice::{Telling, annotation, json, told};
use evenhand_system::Granularity;

use super::check::NAMES;
use crate::arguments::{AdviseArguments, By, Format};
use crate::console::{failed, print, print_json, unless_unwritten, wrong_about};
use crate::destination::{Destination, Sources};
use crate::input::load;
use crate::interrupt;
use crate::outcome::Outcome;
use crate::progress::ProgressLine;

pub(crate) fn run(arguments: &AdviseArguments) -> Outcome {
    advised(arguments).unwrap_or_else(|outcome| outcome)
}

fn advised(arguments: &AdviseArguments) -> Result<Outcome, Outcome> {
    let output = &arguments.output;
    let mut options = options(arguments);
    let begun = Instant::now();
    let model = load(&arguments.model, options.check.reading(), output)?;
    options.check = options.check.since(begun);
    let sources = Sources::of_model(&arguments.model.model, &model.signature().files);
    let [page] = Destination::all([("--report", arguments.report.as_ref())], sources)
        .map_err(|diagnostic| wrong_about(diagnostic, output))?;
    let mut line = ProgressLine::new(output);
    let result = advise(model.specification(), &options, &mut line);
    drop(line);
    let report = result.map_err(|error| failed(&error, &model.signature().files, output))?;
    show(&model, &report, arguments);
    let page = page.map_or(Ok(()), |file| file.write(&advice_page(&model, &report)));
    let outcome = Outcome::from(&report).unless_interrupted();
    Ok(unless_unwritten(outcome, [page], output))
}

fn options(arguments: &AdviseArguments) -> AdviseOptions {
    let mut options = AdviseOptions::default();
    options.asking.name_properties(&arguments.properties);
    let request = &mut options.asking.request;
    request.linear.clone_from(&arguments.formulas);
    request.fair.clone_from(&arguments.fair);
    request.names = NAMES;
    options.check = arguments.search.options(interrupt::cancel());
    options.check.budget = arguments.budget;
    options.check.observe = arguments.report.is_some();
    options.by = match arguments.by {
        By::Type => Granularity::Type,
        By::Instance => Granularity::Instance,
        By::Label => Granularity::Label,
    };
    options.together = arguments.all_properties;
    options
}

fn show(model: &Model, report: &AdviseReport, arguments: &AdviseArguments) {
    let (output, specification) = (&arguments.output, model.specification());
    if output.format == Format::Json {
        print_json(&json(report, specification));
        return;
    }
    if arguments.write {
        for advice in &report.advice {
            print(&annotation(advice, report.by, specification));
        }
        return;
    }
    let telling = Telling {
        quiet: output.quiet,
        verbose: output.verbose,
    };
    for (number, advice) in report.advice.iter().enumerate() {
        if number > 0 {
            print("\n");
        }
        print(&told(advice, report, telling, specification));
    }
    if report.advice.is_empty() {
        print("there is no temporal property to advise on\n");
    }
    if output.quiet {
        return;
    }
    for note in &report.notes {
        print(&format!("\nnote: {note}\n"));
    }
}
