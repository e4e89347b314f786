//! Reading an SMV model and exploring its first states: no panic, no error without a reason.

#![no_main]

use std::time::Duration;

use evenhand_explicit::search::{Options, explore};
use evenhand_source::{Files, Severity};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let mut files = Files::new();
    let main = files.add("fuzz.smv", text);
    let model = match evenhand_smv::load(files, main) {
        Ok(model) => model,
        Err((_, diagnostics)) => {
            assert!(diagnostics.iter().any(|d| d.severity == Severity::Error));
            assert!(diagnostics.iter().all(|d| !d.message.is_empty()));
            return;
        }
    };
    model.relation.check().expect("what is read is well formed");
    if let Ok(system) = model.system(false) {
        let options = Options {
            limit_states: Some(200),
            limit_memory: Some(64 << 20),
            limit_time: Some(Duration::from_secs(2)),
            ..Options::default()
        };
        explore(&system, &options, &mut |_| true);
    }
});
