//! Reads SMV models and counts their reachable states, up to a limit; with `--load` only reads
//! them.

use std::time::Duration;

use evenhand_explicit::search::{Options, explore};
use evenhand_source::Files;

fn main() {
    let (flags, paths): (Vec<String>, Vec<String>) = std::env::args()
        .skip(1)
        .partition(|argument| argument.starts_with("--"));
    let load_only = flags.iter().any(|flag| flag == "--load");
    for path in paths {
        let text = match std::fs::read(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) => {
                println!("{path}: {error}");
                continue;
            }
        };
        println!("{path}: {}", describe(&path, text, load_only));
    }
}

fn describe(path: &str, text: String, load_only: bool) -> String {
    let mut files = Files::new();
    let main = files.add(path, text);
    let model = match evenhand_smv::load(files, main) {
        Ok(model) => model,
        Err((files, diagnostics)) => {
            let shown = diagnostics.iter().map(|d| {
                let place = d.span.map(|span| files.position(span).to_string());
                let help = d.help.as_ref().map(|h| format!(" ({h})"));
                format!(
                    "\n  {}: {}{}",
                    place.unwrap_or_default(),
                    d.message,
                    help.unwrap_or_default()
                )
            });
            return format!("rejected{}", shown.collect::<String>());
        }
    };
    let counts = format!(
        "{} variables, {} properties, {} warnings",
        model.relation.variables.len(),
        model.properties.len(),
        model.warnings.len()
    );
    if load_only {
        return counts;
    }
    let system = match model.system(false) {
        Ok(system) => system,
        Err(refusal) => return format!("{counts}; {refusal}"),
    };
    let options = Options {
        limit_states: Some(2_000_000),
        limit_time: Some(Duration::from_secs(20)),
        ..Options::default()
    };
    let found = explore(&system, &options, &mut |_| true);
    let end = match found.stop {
        Some(stop) => format!(" ({stop})"),
        None => String::new(),
    };
    let (states, dead) = (found.progress.states, found.deadlocks);
    format!("{counts}; {states} states, {dead} without a successor{end}")
}
