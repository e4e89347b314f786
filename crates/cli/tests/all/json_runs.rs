//! Runs in `--format json`: what the contract promises about prefix, cycle, length and evidence.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

fn check(arguments: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/promela");
    let output = Command::new(env!("CARGO_BIN_EXE_evenhand"))
        .args(["check", "--format", "json"])
        .args(arguments.split(' '))
        .current_dir(folder)
        .output()
        .expect("evenhand runs");
    assert_eq!(output.status.code(), Some(1), "{arguments}");
    serde_json::from_slice(&output.stdout).expect("one object")
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value[name]
        .as_array()
        .unwrap_or_else(|| panic!("`{name}` is no list"))
}

fn number(value: &Value, name: &str) -> usize {
    let number = value[name].as_u64();
    number.unwrap_or_else(|| panic!("`{name}` is no number")) as usize
}

/// The step as such.
fn check_step(step: &Value, first: bool) {
    let kind = step["kind"].as_str();
    assert_eq!(kind == Some("init"), first, "{step}");
    assert!(step["state"].is_object() && step["inputs"].is_object());
    match kind {
        Some("step") => {
            assert!(list(step, "processes").contains(&step["process"]), "{step}");
            assert!(!step["action"].as_str().unwrap_or_default().is_empty());
            assert!(step["file"].is_string() && number(step, "line") > 0);
            assert_ne!(list(step, "substeps").len(), 1);
        }
        Some("init" | "stutter") => {
            assert!(list(step, "processes").is_empty() && step["process"].is_null());
        }
        other => panic!("unknown kind {other:?}"),
    }
}

/// Checks a run; how many assumptions it gives evidence for.
fn check_run(property: &Value) -> usize {
    let run = &property["counterexample"];
    let (prefix, cycle) = (list(run, "prefix"), list(run, "cycle"));
    for (position, step) in prefix.iter().chain(cycle).enumerate() {
        check_step(step, position == 0);
    }
    let length = number(run, "length");
    assert_eq!(length, prefix.len() - 1 + cycle.len());
    let lower = number(run, "lower_bound");
    assert!(lower <= length);
    assert_eq!(run["shortest"], Value::Bool(lower == length));
    assert_eq!(run["replayed"], Value::Bool(true));
    let evidence = list(run, "fairness_evidence");
    if let Some(last) = cycle.last() {
        assert_eq!(last["state"], prefix[prefix.len() - 1]["state"]);
        assert!(!list(run, "why").is_empty());
    } else {
        assert!(evidence.is_empty());
    }
    for item in evidence {
        assert!(list(property, "fairness").contains(&item["fairness"]));
        assert!(item["assumption"].is_string());
        match item["reason"].as_str() {
            Some("taken") => {
                let step = &cycle[number(item, "cycle_step")];
                let name = item["assumption"].as_str().unwrap_or_default();
                let name = name.split_once(':').map_or(name, |(_, name)| name);
                let process = name.split('@').next().unwrap_or(name);
                let processes = list(step, "processes");
                assert!(processes.iter().any(|p| p == process), "{item} {step}");
            }
            Some("disabled-before" | "holds-before") => {
                assert!(number(item, "cycle_step") < cycle.len());
            }
            Some("never-enabled" | "never-asked") => assert!(item["cycle_step"].is_null()),
            other => panic!("unknown reason {other:?}"),
        }
    }
    evidence.len()
}

#[test]
fn runs_keep_the_promises_of_the_contract() {
    // Call, number of violated properties, assumptions in all, total length.
    let calls = [
        ("philosophers.pml", 2, 3, 13),
        (
            "philosophers_asymmetric.pml --no-fairness --fair weak",
            1,
            3,
            8,
        ),
        ("readers_writers.pml", 1, 3, 11),
        ("semaphore.pml --no-fairness", 1, 0, 7),
        ("semaphore.pml --no-fairness --fair weak", 1, 3, 8),
        ("alternating_bit.pml --no-fairness", 1, 0, 2),
        ("handshake.pml --no-fairness --fair spin-weak", 1, 2, 2),
        (
            "producer_consumer.pml --no-fairness --fair just:tick==0",
            2,
            2,
            19,
        ),
        ("river.pml", 2, 0, 30),
        ("peterson.pml --no-fairness -p entry", 1, 0, 12),
        (
            "semaphore.pml --no-fairness --fair weak:process@waiting",
            1,
            3,
            7,
        ),
    ];
    for (arguments, violated, assumptions, total) in calls {
        let answer = check(arguments);
        let runs = list(&answer, "properties").iter();
        let runs = runs.filter(|p| p["verdict"] == "violated");
        let (mut count, mut evidence, mut length) = (0, 0, 0);
        for property in runs {
            count += 1;
            evidence += check_run(property);
            length += number(&property["counterexample"], "length");
        }
        let found = (count, evidence, length);
        assert_eq!(found, (violated, assumptions, total), "{arguments}");
    }
}
