//! `evenhand states`: explore only.

use std::time::Instant;

use evenhand::Model;
use evenhand_explicit::search::Order;
use evenhand_report::states::{json, sets_json, sets_text, text};
use evenhand_source::Diagnostic;
use evenhand_system::{Inquiry, Unresolved, Wanted};
use evenhand_verify::census::{count, explore};
use evenhand_verify::{Asking, CheckError, Options, SYMBOLIC, StopReason, engines, is_known};

use crate::arguments::{Format, SearchOrder, StatesArguments};
use crate::console::{exhausted, failed, print, print_json, refused, wrong_about};
use crate::input::load;
use crate::interrupt;
use crate::outcome::Outcome;
use crate::progress::ProgressLine;

pub(crate) fn run(arguments: &StatesArguments) -> Outcome {
    explored(arguments).unwrap_or_else(|outcome| outcome)
}

fn explored(arguments: &StatesArguments) -> Result<Outcome, Outcome> {
    let output = &arguments.output;
    let options = arguments.search.options(interrupt::cancel());
    let begun = Instant::now();
    let model = load(&arguments.model, options.reading(), output)?;
    let options = options.since(begun);
    let wrong = |error: &CheckError| failed(error, &model.signature().files, output);
    is_known(engines(), Some(&arguments.engine)).map_err(|error| wrong(&error))?;
    let order = match arguments.order {
        SearchOrder::Bfs => Order::BreadthFirst,
        SearchOrder::Dfs => Order::DepthFirst,
    };
    if arguments.engine == SYMBOLIC && order == Order::DepthFirst {
        let message = "the engine `symbolic` has no depth-first order".to_string();
        return Err(wrong(&CheckError::Engine(message)));
    }
    if arguments.engine == SYMBOLIC {
        return Ok(by_sets(&model, &options, arguments));
    }
    if arguments.cluster.is_mentioned() {
        return together(&model, options, arguments);
    }
    let mut line = ProgressLine::new(output);
    let explored = options
        .budget_now()
        .run(|| explore(model.body(), order, &options, &mut line));
    drop(line);
    let found = explored.map_err(|why| exhausted(why, &why.to_string(), output))?;
    let found = found.map_err(|refusal| refused(&refusal, output))?;
    match output.format {
        Format::Json => print_json(&json(&found)),
        _ => print(&text(&found, output.verbose)),
    }
    Ok(outcome(found.stop.is_none()))
}

/// The numbers of a model that several processes explore.
fn together(
    model: &Model,
    mut options: Options,
    arguments: &StatesArguments,
) -> Result<Outcome, Outcome> {
    let output = &arguments.output;
    let wrong = |message: &str| {
        let error = CheckError::Engine(message.to_string());
        failed(&error, &model.signature().files, output)
    };
    if arguments.engine != "auto" || matches!(arguments.order, SearchOrder::Dfs) {
        return Err(wrong(
            "several processes explore state by state, breadth-first",
        ));
    }
    let nothing = nothing(model).map_err(|error| wrong(&error.to_string()))?;
    let limits = format!("{:?} {}", options.limit_states, options.compress);
    let path = arguments.model.model.as_path();
    let joined = crate::together::join(
        &arguments.cluster,
        (model, path),
        ["states", &limits],
        &mut options,
        output,
    )?;
    let Some(together) = joined else {
        return Ok(Outcome::Holds);
    };
    let mut line = ProgressLine::new(output);
    let found = evenhand_cluster::explore(
        &together.cluster,
        &nothing.body,
        &options,
        together.checkpoint.clone(),
        &mut line,
    );
    drop(line);
    let found = match found {
        Ok(found) => found,
        Err(StopReason::Unsupported(reason)) => {
            let diagnostic = Diagnostic::global(format!("unknown: {reason}"));
            wrong_about(diagnostic, output);
            return Err(Outcome::Unknown.unless_interrupted());
        }
        Err(reason) => return Err(wrong(&reason.to_string())),
    };
    if together.cluster.process() == 0 {
        match output.format {
            Format::Json => print_json(&json(&found.exploration)),
            _ => print(&text(&found.exploration, output.verbose)),
        }
    }
    Ok(outcome(found.exploration.stop.is_none()))
}

/// The system without any question.
fn nothing(model: &Model) -> Result<Inquiry, Unresolved> {
    let mut asking = Asking::default();
    asking.request.properties = Wanted::Named(Vec::new());
    asking.resolve(model.specification())
}

/// The numbers of a model that is not explored state by state.
fn by_sets(model: &Model, options: &Options, arguments: &StatesArguments) -> Outcome {
    let started = Instant::now();
    let mut line = ProgressLine::new(&arguments.output);
    let counted = options.budget_now().run(|| {
        let nothing = nothing(model);
        let nothing = nothing.map_err(|error| StopReason::Unsupported(error.to_string()))?;
        count(&nothing.body, options, &mut line)
    });
    drop(line);
    let found = counted.unwrap_or_else(|why| Err(why.into()));
    let seconds = started.elapsed().as_secs_f64();
    match arguments.output.format {
        Format::Json => print_json(&sets_json(&found, seconds)),
        _ => print(&sets_text(&found, seconds)),
    }
    outcome(found.is_ok())
}

fn outcome(complete: bool) -> Outcome {
    let outcome = match complete {
        true => Outcome::Holds,
        false => Outcome::Unknown,
    };
    outcome.unless_interrupted()
}
