//! Reading a model and exploring its first states: no panic, no error without a reason, and what the
//! search finds can be replayed.

#![no_main]

use std::time::Duration;

use evenhand_explicit::search::{self, Options};
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
    let options = Options {
        limit_states: Some(500),
        limit_memory: Some(64 << 20),
        limit_time: Some(Duration::from_secs(2)),
        parents: true,
        ..Options::default()
    };
    let (found, store) = search::explore(&model.program, &options, &mut |_| true);
    if let Some(state) = found.first_deadlock {
        let path = search::path(&found, &store, state);
        evenhand_witness::replay(&model.program, &path, None).expect("an end replays");
    }
    if let Some(fault) = &found.first_fault
        && !found.parents.is_empty()
    {
        let path = search::path(&found, &store, fault.state);
        let run = evenhand_witness::replay(&model.program, &path, Some(&fault.report));
        run.expect("a fault replays");
    }
});
