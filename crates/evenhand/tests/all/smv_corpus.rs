//! Public SMV models, against what NuSMV said about them.
//!
//! The models and the table of NuSMV's answers stand beside the repository, in
//! `../shared/corpora/smv`; where they are missing the test is skipped with a message. Each model
//! that NuSMV accepts is checked: the number of reachable states and each verdict or value must be
//! the same, or stand in `smv_corpus_explained.jsonl` with the reason. An explanation of a row that
//! does not differ is an error as well. Models that are too large to be explored state by state
//! within the budget (`EVENHAND_CORPUS_STATES` states) are counted, not compared.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use evenhand::{Check, Counterexamples, Kind, Model, PropertyResult, Value as Shown, Verdict};
use evenhand_explicit::search::{Options, explore};
use serde_json::Value;

use crate::common::Asked;

/// Explained rows may be this share of the compared ones, in percent.
const EXPLAINED_AT_MOST: usize = 2;

fn asked(default: f64) -> f64 {
    let asked = std::env::var("EVENHAND_CORPUS_STATES").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// How many states are explored one by one.
fn budget() -> f64 {
    asked(30_000.0)
}

/// Models with more states are not asked of the symbolic engine: whether it takes long is another
/// question, and their number is not what decides.
fn few() -> f64 {
    asked(100.0)
}

fn folder(name: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/corpora")
        .join(name);
    if folder.is_dir() {
        return folder.canonicalize().ok();
    }
    println!("SKIPPED: no folder `{name}` of models beside the repository");
    None
}

fn read_table(path: &Path) -> Vec<Value> {
    let text =
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}")))
        .collect()
}

fn everything(engine: &str) -> Asked {
    let mut asked = Asked::default().by(engine);
    asked.options.limit_states = Some(budget() as u64);
    asked.options.limit_time = Some(Duration::from_secs(30));
    asked.options.counterexample = Counterexamples::First;
    asked
}

/// The kind that NuSMV's table has for a property.
fn kind_of(result: &PropertyResult) -> Option<&'static str> {
    match result.kind {
        _ if result.name.starts_with("psl_") => Some("PSL"),
        Kind::Ltl => Some("LTL"),
        Kind::Ctl => Some("CTL"),
        Kind::Invariant => Some("INVAR"),
        Kind::Compute => Some("COMPUTE"),
        _ => None,
    }
}

fn said(result: &PropertyResult) -> String {
    match (&result.verdict, &result.value) {
        (Verdict::Unknown(_), _) => "unknown".to_string(),
        (_, Some(Shown::Number(number))) => number.to_string(),
        (_, Some(Shown::Text(text))) => text.clone(),
        (Verdict::Holds, _) => "true".to_string(),
        (Verdict::Violated(_), _) => "false".to_string(),
    }
}

/// The number of reachable states; none if they are too many.
fn states(model: &Model) -> Option<u64> {
    let system = model.body().explicit().ok()?;
    let options = Options {
        limit_states: Some(budget() as u64),
        limit_time: Some(Duration::from_secs(30)),
        ..Options::default()
    };
    let found = explore(system, &options, &mut |_| true);
    found.stop.is_none().then_some(found.progress.states)
}

#[derive(Default)]
struct Tally {
    compared: usize,
    too_large: usize,
    counted: usize,
    explained: Vec<usize>,
    wrong: Vec<String>,
}

fn compare(
    root: &Path,
    file: &str,
    rows: &[Value],
    (known, engine, most): (&[Value], &str, f64),
    tally: &mut Tally,
) {
    let model = match Model::load(root.join(file)) {
        Ok(model) => model,
        Err(error) => {
            tally.wrong.push(format!("{file}: refused: {error}"));
            return;
        }
    };
    let reachable = rows[0]["reachable"]
        .as_str()
        .and_then(|n| n.parse::<f64>().ok());
    let reachable = reachable.unwrap_or(f64::MAX);
    let properties = rows.iter().filter(|row| !row["kind"].is_null()).count();
    if reachable > most {
        tally.too_large += properties;
        return;
    }
    let is_sets = engine == "symbolic";
    match states(&model) {
        _ if is_sets => {}
        Some(count) if count as f64 == reachable => tally.counted += 1,
        count => tally
            .wrong
            .push(format!("{file}: {count:?} states, NuSMV {reachable}")),
    }
    let mut asked = everything(engine);
    if is_sets {
        asked.options.limit_states = None;
    }
    let report = asked.run(&model);
    let report = report.unwrap_or_else(|error| panic!("{file}: {error:?}"));
    let is_counted = |p: &&PropertyResult| {
        let told = matches!(p.verdict, Verdict::Unknown(_)) || p.states as f64 == reachable;
        p.engine == Some("symbolic") && !told
    };
    if let Some(wrong) = report.properties.iter().find(is_counted) {
        let states = wrong.states;
        tally.wrong.push(format!(
            "{file}: {states} states in sets, NuSMV {reachable}"
        ));
    }
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rows {
        let Some(kind) = row["kind"].as_str() else {
            continue;
        };
        let number = numbers.entry(kind).or_default();
        let mut own = report
            .properties
            .iter()
            .filter(|p| kind_of(p) == Some(kind));
        let Some(result) = own.nth(*number) else {
            tally
                .wrong
                .push(format!("{file}: no property {number} of kind {kind}"));
            continue;
        };
        let (here, there) = (said(result), row["verdict"].as_str().unwrap_or_default());
        let is_this = |e: &Value| e["file"] == file && e["kind"] == kind && e["number"] == *number;
        let explanation = known.iter().position(is_this);
        match (here == there, explanation) {
            _ if here == "unknown" => tally.too_large += 1,
            (true, None) => tally.compared += 1,
            (false, Some(at)) if known[at]["evenhand"] == here.as_str() => {
                tally.compared += 1;
                tally.explained.push(at);
            }
            _ => tally.wrong.push(format!(
                "{file}: {kind} {number}: {here}, NuSMV {there} ({})",
                row["property"]
            )),
        }
        if let (Kind::Ltl, Verdict::Violated(None)) = (result.kind, &result.verdict) {
            tally
                .wrong
                .push(format!("{file}: {} has no run", result.name));
        }
        *number += 1;
    }
}

#[test]
fn public_models_have_the_verdicts_of_nusmv() {
    let Some(tally) = corpus("streett", budget()) else {
        return;
    };
    assert!(tally.compared >= 120, "{} compared", tally.compared);
    assert!(tally.explained.len() * 100 <= EXPLAINED_AT_MOST * tally.compared);
}

#[test]
fn sets_of_states_give_the_same_verdicts() {
    let Some(tally) = corpus("symbolic", few()) else {
        return;
    };
    assert!(tally.compared >= 35, "{} compared", tally.compared);
}

/// What the command says about a property in its report.
fn told(property: &Value) -> String {
    match (property["verdict"].as_str(), &property["value"]) {
        (_, Value::Number(number)) => number.to_string(),
        (_, Value::String(value)) => value.clone(),
        (Some("holds"), _) => "true".to_string(),
        (Some("violated"), _) => "false".to_string(),
        _ => format!("unknown: {}", property["reason"]),
    }
}

/// All of it, by the command as it is and the engine that it chooses: what takes seconds there
/// takes minutes in a build for tests, so the command is the one that `EVENHAND_BIN` names.
#[test]
fn the_command_decides_every_public_model() {
    let Some(command) = std::env::var_os("EVENHAND_BIN") else {
        println!("SKIPPED: no command (set EVENHAND_BIN)");
        return;
    };
    let Some(root) = folder("smv") else { return };
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all");
    let known = read_table(&tests.join("smv_corpus_explained.jsonl"));
    let mut files: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for row in read_table(&root.join("expected.jsonl")) {
        let file = row["file"].as_str().expect("a file").to_string();
        files.entry(file).or_default().push(row);
    }
    files.retain(|_, rows| rows[0]["verdict"] != "rejected");
    let (mut compared, mut explained, mut counted, mut wrong) = (0, 0, 0, Vec::new());
    for (file, rows) in &files {
        let begun = Instant::now();
        let output = Command::new(&command)
            .args(["check", "--format", "json", "--counterexample", "first"])
            .args(["--limit-time", "400s"])
            .arg(root.join(file))
            .output()
            .expect("the command runs");
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let properties = report["properties"].as_array().expect("answers");
        if begun.elapsed() > Duration::from_secs(3) {
            println!("{file}: {:.1} s", begun.elapsed().as_secs_f64());
        }
        let reachable = rows[0]["reachable"].as_str().and_then(|n| n.parse().ok());
        let reachable: f64 = reachable.expect("NuSMV counted the states");
        // NuSMV prints six digits; questions about inputs see more states.
        let is_it = |p: &Value| {
            let states = p["states"].as_f64().unwrap_or_default();
            (states / reachable - 1.0).abs() < 1e-5
        };
        match properties.iter().find(|p| p["name"] == "total") {
            Some(total) if total["verdict"] == "holds" && is_it(total) => counted += 1,
            // Where some states have no successor, the search for one ends before all are counted.
            Some(total) if total["verdict"] == "violated" => {}
            other => wrong.push(format!("{file}: {other:?}, NuSMV {reachable} states")),
        }
        let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
        for row in rows {
            let Some(kind) = row["kind"].as_str() else {
                continue;
            };
            let number = numbers.entry(kind).or_default();
            let name = format!("{}_{number}", kind.to_lowercase());
            let own = properties.iter().find(|p| p["name"] == name.as_str());
            let here = own.map_or("nothing".to_string(), told);
            let there = row["verdict"].as_str().unwrap_or_default();
            let is_this =
                |e: &&Value| e["file"] == *file && e["kind"] == kind && e["number"] == *number;
            compared += 1;
            match known.iter().find(is_this) {
                Some(row) if row["evenhand"] == here.as_str() => explained += 1,
                None if here == there => {}
                _ => wrong.push(format!("{file}: {name} is {here}, NuSMV {there}")),
            }
            *number += 1;
        }
    }
    println!(
        "{} models: {compared} verdicts and values, {explained} of them explained; {counted} numbers of states",
        files.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(explained * 100 <= EXPLAINED_AT_MOST * compared);
    assert!(compared >= 170 && counted * 10 >= files.len() * 9);
}

fn corpus(engine: &str, budget: f64) -> Option<Tally> {
    let root = folder("smv")?;
    let mut files: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for row in read_table(&root.join("expected.jsonl")) {
        let file = row["file"].as_str().expect("a file").to_string();
        files.entry(file).or_default().push(row);
    }
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all");
    let known = read_table(&tests.join("smv_corpus_explained.jsonl"));
    let mut tally = Tally::default();
    let (mut refused, mut accepted) = (0, 0);
    for (file, rows) in &files {
        if rows[0]["verdict"] == "rejected" {
            let loaded = Model::load(root.join(file));
            if loaded.is_ok() {
                tally
                    .wrong
                    .push(format!("{file}: accepted, NuSMV refuses it"));
            }
            refused += 1;
            continue;
        }
        accepted += 1;
        compare(&root, file, rows, (&known, engine, budget), &mut tally);
    }
    println!(
        "engine {engine}: {accepted} models accepted, {refused} refused; {} of {accepted} state counts the same; {} \
         properties compared, {} of them explained; {} wait for another engine",
        tally.counted,
        tally.compared,
        tally.explained.len(),
        tally.too_large
    );
    assert!(tally.wrong.is_empty(), "{}", tally.wrong.join("\n"));
    assert_eq!(
        tally.explained.len(),
        known.len(),
        "an explanation is not needed"
    );
    Some(tally)
}

/// The right answers, on which NuSMV is wrong or hangs; each violated one with a lasso.
#[test]
fn compassion_traps_get_the_right_answers() {
    let Some(root) = folder("kprs") else { return };
    for (file, expected) in [
        ("ctl.smv", vec![("ctl_0", true), ("ltl_0", true)]),
        ("cx.smv", vec![("ltl_0", false)]),
        ("cx2.smv", vec![("ltl_0", false)]),
        (
            "min.smv",
            vec![("ltl_0", false), ("ltl_1", true), ("ltl_2", false)],
        ),
        (
            "proc.smv",
            vec![
                ("ltl_0", true),
                ("ltl_1", false),
                ("ltl_2", false),
                ("ltl_3", false),
            ],
        ),
    ] {
        let path = root.join("compassion-traps").join(file);
        let model = Model::load(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
        let report = Check::new(&model).run().expect("an answer");
        for (name, holds) in expected {
            let found = report.properties.iter().find(|p| p.name == name);
            let found = found.unwrap_or_else(|| panic!("{file}: no {name}"));
            match &found.verdict {
                Verdict::Holds => assert!(holds, "{file}: {name}"),
                Verdict::Violated(run) => {
                    assert!(!holds, "{file}: {name}");
                    let run = run
                        .as_ref()
                        .unwrap_or_else(|| panic!("{file}: {name}: no run"));
                    assert!(run.shortest && !run.cycle.is_empty(), "{file}: {name}");
                }
                Verdict::Unknown(reason) => panic!("{file}: {name}: {reason}"),
            }
        }
    }
}
