//! The models that teach, in `models/smv`, against their table of expected answers.
//!
//! Questions of linear time are asked of every engine.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use evenhand_testkit::promela_programs::command::Evenhand;

const ENGINES: [&str; 6] = [
    "auto",
    "symbolic",
    "streett",
    "latvala-heljanko",
    "lichtenstein-pnueli",
    "feasible",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/smv")
}

fn evenhand() -> Evenhand {
    Evenhand::at(env!("CARGO_BIN_EXE_evenhand"))
}

/// Model, property, fairness, answer.
fn table() -> Vec<[String; 4]> {
    let text = std::fs::read_to_string(folder().join("expected.txt")).expect("expected.txt");
    let lines = text.lines().map(str::trim);
    lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| {
            let columns: Vec<&str> = line.split_whitespace().collect();
            let [a, b, c, d] = columns[..] else {
                panic!("not four columns: {line}");
            };
            [a, b, c, d].map(str::to_string)
        })
        .collect()
}

fn answer(row: &[String; 4], engine: &str) -> String {
    let [model, property, fairness, _] = row;
    let path = folder().join(model);
    let directory = std::env::temp_dir();
    if property == "states" {
        return evenhand()
            .states(&path, &directory)
            .expect("states")
            .to_string();
    }
    let path = path.to_string_lossy();
    let mut arguments = vec![
        "check", &path, "-p", property, "--engine", engine, "--format", "json",
    ];
    if fairness != "-" {
        arguments.push("--no-fairness");
    }
    if fairness != "-" && fairness != "none" {
        for one in fairness.split(',') {
            arguments.extend(["--fair", one]);
        }
    }
    let (code, object) = evenhand().call(&arguments, &directory).expect("an answer");
    let property = &object["properties"][0];
    let verdict = property["verdict"].as_str().unwrap_or("none").to_string();
    assert_eq!(code, i32::from(verdict == "violated"), "{object}");
    match &property["value"] {
        serde_json::Value::Null => verdict,
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[test]
fn every_model_answers_as_expected() {
    for row in table() {
        for engine in ENGINES {
            assert_eq!(answer(&row, engine), row[3], "{row:?}, engine {engine}");
        }
    }
}

#[test]
fn every_model_stands_in_the_table() {
    let named: BTreeSet<String> = table().into_iter().map(|[model, ..]| model).collect();
    let present: BTreeSet<String> = std::fs::read_dir(folder())
        .expect("models/smv")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".smv"))
        .collect();
    assert_eq!(named, present);
}
