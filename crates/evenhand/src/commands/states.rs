//! `evenhand states`: explore only.

use evenhand::memory;
use evenhand_explicit::search::{self, Options, Order};
use serde_json::json;

use evenhand_report::text::counted;

use super::{ProgressLine, load, print, print_json, refused, unless_interrupted};
use crate::Exit;
use crate::cli::{Format, SearchOrder, StatesArguments};

pub(crate) fn run(arguments: &StatesArguments) -> Exit {
    let model = match load(&arguments.model, &arguments.output) {
        Ok(model) => model,
        Err(exit) => return exit,
    };
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
