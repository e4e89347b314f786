//! What the tests of this crate share.

use std::path::PathBuf;

use evenhand_explicit::search::{Options, explore};
use evenhand_smv::SmvModel;
use evenhand_source::Files;
use evenhand_system::Foreign;
use evenhand_system::relation::{Enumerated, Relation};

/// Reads a model; what is wrong as `line:column: message`.
pub fn load(text: &str) -> Result<SmvModel, Vec<String>> {
    let mut files = Files::new();
    let main = files.add("model.smv", text);
    evenhand_smv::load(files, main).map_err(|(files, diagnostics)| {
        let shown = diagnostics.iter().map(|d| match d.span {
            Some(span) => format!("{}: {}", files.position(span), d.message),
            None => d.message.clone(),
        });
        shown.collect()
    })
}

/// The number of reachable states and of those without a successor; a run-time error or a limit as
/// a text.
pub fn explored(relation: Relation, limit: u64) -> Result<(u64, u64), String> {
    let enumerated = Enumerated::new(relation).map_err(|refusal| refusal.reason)?;
    let system = Foreign::new(enumerated).map_err(|error| error.to_string())?;
    let options = Options {
        limit_states: Some(limit),
        limit_time: Some(std::time::Duration::from_secs(20)),
        ..Options::default()
    };
    let found = explore(&system, &options, &mut |_| true);
    if let Some(stop) = found.stop {
        return Err(stop.to_string());
    }
    let first = &found.first[evenhand_explicit::search::ErrorClass::Fault];
    if let Some(report) = first.as_ref().and_then(|error| error.report.as_ref()) {
        return Err(format!("run-time error: {}", report.fault.kind));
    }
    Ok((found.progress.states, found.deadlocks))
}

/// The folder of models written by others, if it is there.
pub fn corpus(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/corpora")
        .join(name);
    path.is_dir().then_some(path)
}

/// How many random cases to run.
pub fn cases(default: u64) -> u64 {
    let asked = std::env::var("EVENHAND_CASES").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(default)
}
