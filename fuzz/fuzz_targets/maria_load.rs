//! Reading a net of Maria's and exploring its first markings: no panic, no error without a reason. What stands behind
//! the first zero byte is a formula.

#![no_main]

use std::time::Duration;

use evenhand_explicit::search::{Options, explore};
use evenhand_petri::Maria;
use evenhand_source::{Budget, Files, Severity};
use evenhand_system::{Language, ReadOptions, Request};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let (net, formula) = text.split_once('\0').unwrap_or((&text, ""));
    let mut files = Files::new();
    let main = files.add("fuzz.pn", net);
    let mut options = ReadOptions::default();
    options.confined = true;
    let budget = Budget::unlimited().within(Some(Duration::from_secs(2)));
    let model = match budget.run(|| Maria.read(files, main, &options)) {
        Ok(Ok(model)) => model,
        Ok(Err(rejected)) => {
            let found = &rejected.diagnostics;
            assert!(found.iter().any(|d| d.severity == Severity::Error));
            assert!(found.iter().all(|d| !d.message.is_empty()));
            return;
        }
        Err(_) => return,
    };
    if !formula.is_empty() {
        let mut request = Request::default();
        request.linear = vec![formula.to_string()];
        let _ = budget.run(|| model.resolve(&request).is_ok());
    }
    if let Ok(system) = model.body().explicit() {
        let options = Options {
            limit_states: Some(200),
            limit_memory: Some(64 << 20),
            limit_time: Some(Duration::from_secs(2)),
            ..Options::default()
        };
        explore(system, &options, &mut |_| true);
    }
});
