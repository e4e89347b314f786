//! Random SMV models with one property each, decided by the command and by NuSMV.
//!
//! What NuSMV refuses must be refused here too, or is left out: which texts are accepted is
//! compared elsewhere. A difference is a bug unless it is one of two kinds that are known: NuSMV
//! leaves initial states without a fair run out in branching time (here `E` is false there), and
//! where no state is fair at all its `COMPUTE` answers 0.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use evenhand_testkit::smv_models::nusmv::{answer, find};
use evenhand_testkit::smv_models::{Checked, checked_model};
use serde_json::Value;

fn number(name: &str, default: u64) -> u64 {
    let asked = std::env::var(name).ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// What the command says about the only property, and its warnings.
fn evenhand(file: &Path) -> Result<(String, Value), String> {
    let output = Command::new(env!("CARGO_BIN_EXE_evenhand"))
        .args([
            "check",
            "--format",
            "json",
            "--limit-time",
            "5s",
            "--budget",
            "1s",
        ])
        .arg(file)
        .output()
        .map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let report: Value = serde_json::from_str(&text).map_err(|e| format!("{e}: {text}"))?;
    if output.status.code() == Some(2) {
        return Err(report["errors"][0]["message"].to_string());
    }
    let list = report["properties"].as_array().cloned().unwrap_or_default();
    let found = list.into_iter().find(|p| p["name"] != "total");
    let found = found.ok_or_else(|| text.clone())?;
    if output.status.code() == Some(4) {
        return Err(format!("internal error: {text}"));
    }
    let said = match (found["verdict"].as_str(), &found["value"]) {
        (_, Value::Number(number)) => number.to_string(),
        (_, Value::String(value)) => value.clone(),
        (Some("holds"), _) => "true".to_string(),
        (Some("violated"), _) => "false".to_string(),
        _ => return Err(format!("undecided: {}", found["reason"])),
    };
    Ok((said, found))
}

/// Whether a difference is one of those that are known.
fn is_explained(model: &Checked, here: &Value, there: &str) -> bool {
    let warnings = here["warnings"].to_string();
    let none = warnings.contains("no fair run at all") || warnings.contains("no initial state");
    match model.kind {
        "CTL" => there == "true" && (none || warnings.contains("no fair run begins in")),
        "COMPUTE" => there == "0" && none,
        _ => false,
    }
}

/// A violated formula of linear time has a run, which was executed again.
fn has_run(model: &Checked, here: &Value) -> bool {
    model.kind != "LTL"
        || here["verdict"] != "violated"
        || here["counterexample"]["cycle"]
            .as_array()
            .is_some_and(|c| !c.is_empty())
}

#[test]
fn verdicts_are_those_of_nusmv() {
    let Some(nusmv) = find() else {
        println!("SKIPPED: no NuSMV (set EVENHAND_NUSMV)");
        return;
    };
    let folder = std::env::temp_dir().join(format!("evenhand-smv-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let file = folder.join("model.smv");
    let count = number("EVENHAND_CASES", 40);
    let first = number("EVENHAND_SEED", 1);
    let (mut compared, mut explained, mut refused, mut large) = (0u64, 0u64, 0u64, 0u64);
    let (mut linear, mut violated, mut compassionate) = (0u64, 0u64, 0u64);
    let mut kinds = std::collections::BTreeMap::<(&str, String), u64>::new();
    let mut wrong = Vec::new();
    let mut seed = first;
    while compared < count && seed < first + 6 * count {
        let model = checked_model(seed);
        seed += 1;
        std::fs::write(&file, &model.text).expect("a temporary file");
        let there = match answer(&nusmv, &file, Duration::from_secs(20)) {
            Ok(there) => there,
            Err(_) => {
                refused += 1;
                continue;
            }
        };
        let (here, result) = match evenhand(&file) {
            Ok(answer) => answer,
            Err(reason) => {
                // NuSMV reads words bit by bit and constraints one by one: see
                // `nusmv_differential`.
                let known = [
                    "shift distance",
                    "not exhaustive",
                    "divides by zero",
                    "not all values",
                    "cannot have that value",
                ];
                if reason.starts_with("undecided") {
                    large += 1;
                } else if known.iter().any(|known| reason.contains(known)) {
                    refused += 1;
                } else {
                    wrong.push(format!("seed {}: {reason}\n{}", seed - 1, model.text));
                }
                continue;
            }
        };
        compared += 1;
        *kinds.entry((model.kind, here.clone())).or_default() += 1;
        if model.kind == "LTL" {
            linear += 1;
            violated += u64::from(here == "false");
            compassionate += u64::from(model.compassion);
        }
        if here != there && is_explained(&model, &result, &there) {
            explained += 1;
        } else if here != there || !has_run(&model, &result) {
            wrong.push(format!(
                "seed {}: {here}, NuSMV {there}\n{}\n{}",
                seed - 1,
                model.text,
                result["warnings"]
            ));
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    println!(
        "{compared} compared, {explained} explained, {refused} refused, {large} too large; {linear} of linear time, \
         {violated} of them violated, {compassionate} with compassion"
    );
    println!("{kinds:?}");
    let few: Vec<&str> = wrong.iter().take(4).map(String::as_str).collect();
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        few.join("\n\n")
    );
    assert!(compared >= count, "too many models were refused: {refused}");
    assert!(
        violated * 10 >= linear * 3,
        "{violated} of {linear} violated"
    );
    assert!(
        compassionate * 3 >= linear,
        "{compassionate} with compassion"
    );
    assert!(large * 20 <= compared + 40, "{large} too large");
    assert!(explained * 10 <= compared, "{explained} explained");
}
