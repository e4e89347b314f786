//! Nets of the Model Checking Contest with their published answers, in `../shared/corpora/petri/mcc`; where they
//! are missing the test is skipped with a message.
//!
//! Every net must be read; the small ones of a fixed list are explored and asked everything. With
//! `EVENHAND_CORPUS_STATES` all nets with at most so many markings are. What is not decided within the
//! time is counted, not compared.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use evenhand_explicit::search::{Options as SearchOptions, explore};
use evenhand_system::explicit::Value as Told;
use evenhand_verify::{Asking, Certify, Counterexamples, Options, PropertyResult, Silent, check};
use serde_json::Value;

use crate::common::read;

/// Explored and asked in every run of the tests.
const SMALL: [&str; 9] = [
    "Philosophers-COL-000005",
    "DrinkVendingMachine-COL-02",
    "RwMutex-PT-r0010w0010",
    "SharedMemory-PT-000005",
    "Eratosthenes-PT-020",
    "Dekker-PT-010",
    "CSRepetitions-COL-02",
    "LamportFastMutEx-COL-3",
    "LamportFastMutEx-PT-3",
];

const FILES: [&str; 7] = [
    "ReachabilityCardinality",
    "ReachabilityFireability",
    "LTLCardinality",
    "LTLFireability",
    "CTLCardinality",
    "CTLFireability",
    "UpperBounds",
];

fn corpus() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora/petri/mcc");
    let found = folder.is_dir().then_some(folder);
    if found.is_none() {
        println!("skipped: no corpus of nets beside the repository");
    }
    found
}

fn rows(folder: &Path, file: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join(file)).expect("a table");
    let rows = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("a row"));
    rows.collect()
}

fn word<'v>(row: &'v Value, key: &str) -> &'v str {
    row[key]
        .as_str()
        .unwrap_or_else(|| panic!("no {key}: {row}"))
}

fn text(folder: &Path, instance: &str, file: &str) -> String {
    let path = folder.join(instance).join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_net_and_every_property_file_is_read() {
    let Some(folder) = corpus() else { return };
    let mut nets = 0;
    for row in rows(&folder, "instances.jsonl") {
        let instance = word(&row, "instance");
        let names = FILES.map(|file| format!("{file}.xml"));
        let texts = names.each_ref().map(|name| text(&folder, instance, name));
        let pairs: Vec<(&str, &str)> = names
            .iter()
            .map(String::as_str)
            .zip(texts.iter().map(String::as_str))
            .collect();
        let read = read(&text(&folder, instance, "model.pnml"), &pairs);
        assert!(
            read.is_ok(),
            "{instance}: {}",
            read.err().unwrap_or_default()
        );
        nets += 1;
    }
    assert_eq!(nets, 30);
}

/// What is asked of one net.
fn answers(folder: &Path, instance: &str, file: &str, names: &[&str]) -> Vec<PropertyResult> {
    let xml = match file {
        "ReachabilityDeadlock" => None,
        file => Some(text(folder, instance, &format!("{file}.xml"))),
    };
    let pairs: Vec<(&str, &str)> = xml.iter().map(|text| (file, text.as_str())).collect();
    let model = read(&text(folder, instance, "model.pnml"), &pairs);
    let model = model.unwrap_or_else(|error| panic!("{instance}: {error}"));
    let mut asking = Asking::default();
    let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
    asking.name_properties(&names);
    let mut options = Options::default();
    options.counterexample = Counterexamples::First;
    options.certify = Certify::Off;
    options.limit_time = Some(Duration::from_secs(60));
    let report = check(&*model, &asking, &options, &mut Silent);
    report
        .unwrap_or_else(|error| panic!("{instance}: {error}"))
        .properties
}

#[test]
fn published_answers_are_found() {
    let Some(folder) = corpus() else { return };
    let most = std::env::var("EVENHAND_CORPUS_STATES")
        .ok()
        .and_then(|text| text.parse::<u64>().ok());
    let mut published: BTreeMap<(String, String), BTreeMap<String, Value>> = BTreeMap::new();
    for row in rows(&folder, "verdicts.jsonl") {
        let key = (
            word(&row, "instance").to_string(),
            word(&row, "kind").to_string(),
        );
        let property = word(&row, "property").to_string();
        published
            .entry(key)
            .or_default()
            .insert(property, row["verdict"].clone());
    }
    let (mut equal, mut undecided) = (0, 0);
    for row in rows(&folder, "instances.jsonl") {
        let (instance, states) = (
            word(&row, "instance"),
            row["states"].as_u64().unwrap_or(u64::MAX),
        );
        let is_asked = match most {
            Some(most) => states <= most,
            None => SMALL.contains(&instance),
        };
        if !is_asked {
            continue;
        }
        let model = read(&text(&folder, instance, "model.pnml"), &[]);
        let model = model.unwrap_or_else(|error| panic!("{instance}: {error}"));
        let explicit = model
            .body()
            .explicit()
            .unwrap_or_else(|_| panic!("explicit"));
        let found = explore(explicit, &SearchOptions::default(), &mut |_| true);
        assert_eq!(found.progress.states, states, "{instance}");
        for file in FILES.into_iter().chain(["ReachabilityDeadlock"]) {
            let Some(known) = published.get(&(instance.to_string(), file.to_string())) else {
                continue;
            };
            let is_dead = file == "ReachabilityDeadlock";
            let names: Vec<&str> = match is_dead {
                true => vec!["deadlock"],
                false => known.keys().map(String::as_str).collect(),
            };
            for result in answers(&folder, instance, file, &names) {
                let name = if is_dead { file } else { &result.name };
                let expected = &known[name];
                if !result.verdict.is_decided() {
                    println!("undecided: {name}: {:?}", result.verdict);
                    undecided += 1;
                    continue;
                }
                let found = match &result.value {
                    Some(Told::Number(number)) => Value::from(*number),
                    _ => Value::from(result.verdict.holds() != is_dead),
                };
                assert_eq!(found, *expected, "{name}: {:?}", result.formula);
                equal += 1;
            }
        }
    }
    println!("{equal} answers are equal, {undecided} were not found in time");
    assert!(
        equal >= 900 && undecided * 20 <= equal,
        "{equal} equal, {undecided} undecided"
    );
}
