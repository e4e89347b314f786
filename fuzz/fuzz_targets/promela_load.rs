//! Reading a model and exploring its first states: no panic, no error without a reason, and what the
//! search finds can be replayed.

#![no_main]

use std::time::Duration;

use evenhand_explicit::safety::{SafetyOptions, nearest_errors};
use evenhand_explicit::search::{ErrorClass, Options};
use evenhand_source::{Files, Severity};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    if text.contains("include") {
        return; // the disk stays out of it
    }
    let mut files = Files::new();
    let main = files.add("fuzz.pml", text);
    let model = match evenhand_promela::load(files, main, &Default::default()) {
        Ok(model) => model,
        Err((_, diagnostics)) => {
            assert!(diagnostics.iter().any(|d| d.severity == Severity::Error));
            assert!(diagnostics.iter().all(|d| !d.message.is_empty()));
            return;
        }
    };
    let mut options = SafetyOptions {
        paths: true,
        any_path: false,
        budget: None,
        search: Options {
            limit_states: Some(500),
            limit_memory: Some(64 << 20),
            limit_time: Some(Duration::from_secs(2)),
            ..Options::default()
        },
    };
    for class in ErrorClass::ALL {
        options.search.wanted[class] = true;
    }
    let found = nearest_errors(&model.program, &options, &mut |_| true);
    for finding in ErrorClass::ALL.iter().filter_map(|&c| found.errors[c].as_ref()) {
        if finding.path.is_empty() {
            continue; // there is no initial state to begin with
        }
        let run = evenhand_witness::replay(&model.program, &finding.path, finding.fault.as_ref());
        run.expect("what was found replays");
    }
});
