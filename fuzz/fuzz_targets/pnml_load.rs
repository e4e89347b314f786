//! Reading a Petri net and exploring its first markings: no panic, no error without a reason. What stands behind
//! the first zero byte is a file of properties. Coloured nets are explored unfolded and as they are.

#![no_main]

use std::time::Duration;

use evenhand_explicit::search::{Options, explore};
use evenhand_petri::{NeverUnfolded, Pnml};
use evenhand_source::{Budget, Files, Severity};
use evenhand_system::{Language, ReadOptions};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let (net, properties) = text.split_once('\0').unwrap_or((&text, ""));
    let mut options = ReadOptions::default();
    if !properties.is_empty() {
        options.properties.push(("fuzz.xml".to_string(), properties.to_string()));
    }
    load(&Pnml, net, &options);
    load(&NeverUnfolded, net, &options);
});

fn load(language: &dyn Language, net: &str, options: &ReadOptions) {
    let mut files = Files::new();
    let main = files.add("fuzz.pnml", net);
    let budget = Budget::unlimited().within(Some(Duration::from_secs(2)));
    let model = match budget.run(|| language.read(files, main, options)) {
        Ok(Ok(model)) => model,
        Ok(Err(rejected)) => {
            let found = &rejected.diagnostics;
            assert!(found.iter().any(|d| d.severity == Severity::Error));
            assert!(found.iter().all(|d| !d.message.is_empty()));
            return;
        }
        Err(_) => return,
    };
    if let Ok(system) = model.body().explicit() {
        let options = Options {
            limit_states: Some(200),
            limit_memory: Some(64 << 20),
            limit_time: Some(Duration::from_secs(2)),
            ..Options::default()
        };
        explore(system, &options, &mut |_| true);
    }
}
