//! `evenhand states`: explore only.

use std::time::Instant;

use evenhand::Model;
use evenhand_explicit::search::Order;
use evenhand_report::states::{json, sets_json, sets_text, text};
use evenhand_system::Wanted;
use evenhand_verify::census::{count, explore};
use evenhand_verify::{Asking, CheckError, Options, SYMBOLIC, StopReason, engines, is_known};

use crate::arguments::{Format, SearchOrder, StatesArguments};
use crate::console::{exhausted, failed, print, print_json, refused};
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
    let mut line = ProgressLine::new(output);
    let explored = options
        .budget_now()
        .run(|| explore(model.body(), order, &options, &mut line));
    drop(line);
    let found = explored.map_err(|why| exhausted(why, &why.to_string(), output))?;
    let found = found.map_err(|refusal| refused(&refusal, output))?;
    match output.format {
        Format::Json => print_json(&json(&found)),
        _ => print(&text(&found)),
    }
    Ok(outcome(found.stop.is_none()))
}

/// The numbers of a model that is not explored state by state.
fn by_sets(model: &Model, options: &Options, arguments: &StatesArguments) -> Outcome {
    let started = Instant::now();
    let mut asking = Asking::default();
    asking.request.properties = Wanted::Named(Vec::new());
    let mut line = ProgressLine::new(&arguments.output);
    let counted = options.budget_now().run(|| {
        let nothing = asking.resolve(model.specification());
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
