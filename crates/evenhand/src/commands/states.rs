//! `evenhand states`: explore only.

use std::time::Instant;

use evenhand::Model;
use evenhand::census::{Census, CensusOptions, count, is_symbolic};
use evenhand::check::CheckError;
use evenhand::memory;
use evenhand_explicit::search::{self, Options, Order};
use serde_json::{Value, json};

use evenhand_report::text::counted;

use super::{ProgressLine, check, interrupt, load, print, print_json, refused, unless_interrupted};
use crate::Exit;
use crate::cli::{Format, SearchOrder, StatesArguments};

pub(crate) fn run(arguments: &StatesArguments) -> Exit {
    let model = match load(&arguments.model, &arguments.output) {
        Ok(model) => model,
        Err(exit) => return exit,
    };
    let wrong = |error| check::failed(error, &model.signature().files, &arguments.output);
    match is_symbolic(&arguments.engine) {
        Ok(false) => {}
        Ok(true) if arguments.order == SearchOrder::Dfs => {
            let message = "the engine `symbolic` has no depth-first order";
            return wrong(CheckError::Engine(message.to_string()));
        }
        Ok(true) => return by_sets(&model, arguments),
        Err(error) => return wrong(error),
    }
    let options = Options {
        order: match arguments.order {
            SearchOrder::Bfs => Order::BreadthFirst,
            SearchOrder::Dfs => Order::DepthFirst,
        },
        limit_states: arguments.search.limit_states,
        limit_memory: arguments.search.memory(),
        limit_time: arguments.search.limit_time,
        compress: arguments.search.compress,
        ..Options::default()
    };
    let system = match model.explicit() {
        Ok(system) => system,
        Err(refusal) => return refused(&refusal, &arguments.output),
    };
    let mut line = ProgressLine::new(&arguments.output);
    let found = search::explore(system, &options, &mut |progress| line.update(progress));
    drop(line);
    let states = found.progress.states;
    let transitions = found.progress.transitions;
    let seconds = found.elapsed.as_secs_f64();
    let bytes_per_state = found.progress.bytes as f64 / (states.max(1) as f64);
    let complete = found.stop.is_none();
    if arguments.output.format == Format::Json {
        let json = json!({
            "states": states,
            "transitions": transitions,
            "deadlocks": found.deadlocks,
            "depth": found.depth,
            "seconds": seconds,
            "peak_memory_bytes": memory::peak().unwrap_or(found.progress.bytes),
            "bytes_per_state": bytes_per_state,
            "complete": complete,
            "reason": found.stop.map(|s| s.to_string()),
        });
        print_json(&json);
    } else {
        let rate = states as f64 / seconds.max(1e-9);
        print(&format!(
            "{}, {}, {}, depth {}\n",
            counted(states, "state"),
            counted(transitions, "transition"),
            counted(found.deadlocks, "deadlock"),
            found.depth
        ));
        print(&format!(
            "{seconds:.3} s, {rate:.0} states/s, {bytes_per_state:.1} bytes per state\n"
        ));
        if let Some(stop) = found.stop {
            print(&format!("incomplete: {stop}\n"));
        }
    }
    unless_interrupted(if complete { Exit::Holds } else { Exit::Unknown })
}

/// The numbers of a model that is not explored state by state.
fn by_sets(model: &Model, arguments: &StatesArguments) -> Exit {
    let options = CensusOptions {
        limit_memory: arguments.search.memory(),
        limit_time: arguments.search.limit_time,
        interrupt: interrupt::raised(),
    };
    let started = Instant::now();
    let mut line = ProgressLine::new(&arguments.output);
    let found = count(model, &options, &mut line);
    drop(line);
    let seconds = started.elapsed().as_secs_f64();
    let complete = found.is_ok();
    match arguments.output.format {
        Format::Json => {
            let census = found.as_ref().ok();
            let exact =
                |number: Option<u128>| number.map_or(Value::Null, |n| number_of(n as f64, n));
            let json = json!({
                "states": census.map(states_of),
                "transitions": exact(census.and_then(|c| c.transitions)),
                "deadlocks": exact(census.and_then(|c| c.deadlocks)),
                "depth": census.map(|c| c.depth),
                "seconds": seconds,
                "peak_memory_bytes": memory::peak(),
                "bytes_per_state": null,
                "complete": complete,
                "reason": found.as_ref().err().map(ToString::to_string),
                "missing": census.map_or_else(Vec::new, |c| c.missing.clone()),
            });
            print_json(&json);
        }
        Format::Text => print(&match &found {
            Ok(census) => told(census, seconds),
            Err(halt) => format!("incomplete: {halt}\n"),
        }),
    }
    unless_interrupted(if complete { Exit::Holds } else { Exit::Unknown })
}

fn told(census: &Census, seconds: f64) -> String {
    let number = |n: Option<u128>, word: &str| {
        n.map_or_else(|| format!("unknown {word}s"), |n| counted(n, word))
    };
    let states = match census.states.exact {
        Some(_) => number(census.states.exact, "state"),
        None => format!("about {:.3e} states", census.states.about),
    };
    let transitions = number(census.transitions, "transition");
    let deadlocks = number(census.deadlocks, "deadlock");
    let depth = census.depth;
    let mut text = format!(
        "{states}, {transitions}, {deadlocks}, depth {depth}\n\
         {seconds:.3} s, {} nodes of decision diagrams at most\n",
        census.peak_nodes
    );
    for reason in &census.missing {
        text.push_str(&format!("not counted: {reason}\n"));
    }
    text
}

/// The number of states as JSON has it: exact below 2^64, about above.
fn states_of(census: &Census) -> Value {
    match census.states.exact {
        Some(exact) => number_of(census.states.about, exact),
        None => json!(census.states.about),
    }
}

fn number_of(about: f64, exact: u128) -> Value {
    match u64::try_from(exact) {
        Ok(exact) => json!(exact),
        Err(_) => json!(about),
    }
}
