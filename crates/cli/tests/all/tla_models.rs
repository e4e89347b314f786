//! The specifications that teach, in `models/tla`, against their table of expected answers; and calls that are wrong.
//!
//! Temporal properties are asked of several engines that explore.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use evenhand_testkit::promela_programs::command::Evenhand;

/// Those that are asked about temporal properties besides `auto`.
const ENGINES: [&str; 4] = [
    "streett",
    "latvala-heljanko",
    "lichtenstein-pnueli",
    "feasible",
];

/// Modules that others are about: they have no configuration and no row.
const ABSTRACT: [&str; 2] = ["Commit.tla", "Fifo.tla"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn folder() -> PathBuf {
    root().join("models/tla")
}

fn evenhand() -> Evenhand {
    Evenhand::at(env!("CARGO_BIN_EXE_evenhand"))
}

/// Model, configuration, property, fairness, answer.
fn table() -> Vec<[String; 5]> {
    let text = std::fs::read_to_string(folder().join("expected.txt")).expect("expected.txt");
    let lines = text.lines().map(str::trim);
    lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| {
            let columns: Vec<&str> = line.split_whitespace().collect();
            let [a, b, c, d, e] = columns[..] else {
                panic!("not five columns: {line}");
            };
            [a, b, c, d, e].map(str::to_string)
        })
        .collect()
}

/// What is answered, and whether the question is one for engines.
fn answer(row: &[String; 5], engine: &str) -> (String, bool) {
    let [model, configuration, property, fairness, _] = row;
    let model = folder().join(model).to_string_lossy().into_owned();
    let configuration = folder().join(configuration).to_string_lossy().into_owned();
    let directory = std::env::temp_dir();
    let is_count = property == "states";
    let mut arguments = match is_count {
        true => vec!["states", &model],
        false => vec!["check", &model, "-p", property, "--engine", engine],
    };
    arguments.extend(["--format", "json"]);
    if row[1] != "-" {
        arguments.extend(["--config", &configuration]);
    }
    if fairness != "-" {
        arguments.push("--no-fairness");
    }
    if fairness != "-" && fairness != "none" {
        for one in fairness.split(',') {
            arguments.extend(["--fair", one]);
        }
    }
    let (code, object) = evenhand().call(&arguments, &directory).expect("an answer");
    if is_count {
        assert_eq!(code, 0, "{object}");
        return (object["states"].to_string(), false);
    }
    let property = &object["properties"][0];
    let verdict = property["verdict"].as_str().unwrap_or("none").to_string();
    assert_eq!(code, i32::from(verdict == "violated"), "{object}");
    let kind = property["kind"].as_str().unwrap_or("none");
    (verdict, matches!(kind, "temporal" | "feasible"))
}

#[test]
fn every_model_answers_as_expected() {
    let mut temporal = 0;
    for row in table() {
        let (found, is_temporal) = answer(&row, "auto");
        assert_eq!(found, row[4], "{row:?}, engine auto");
        if !is_temporal {
            continue;
        }
        temporal += 1;
        for engine in ENGINES {
            assert_eq!(answer(&row, engine).0, row[4], "{row:?}, engine {engine}");
        }
    }
    assert!(temporal >= 20, "only {temporal} temporal rows");
}

#[test]
fn every_model_stands_in_the_table() {
    let mut named = BTreeSet::new();
    for [model, configuration, ..] in table() {
        named.insert(match configuration.as_str() {
            "-" => Path::new(&model)
                .with_extension("cfg")
                .to_string_lossy()
                .into_owned(),
            _ => configuration,
        });
        named.insert(model);
    }
    named.extend(ABSTRACT.map(str::to_string));
    let present: BTreeSet<String> = std::fs::read_dir(folder())
        .expect("models/tla")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".tla") || name.ends_with(".cfg"))
        .collect();
    assert_eq!(named, present);
}

/// Asserts that a call is refused, with these words.
fn assert_refused(arguments: &[&str], words: &str) {
    let output = Command::new(env!("CARGO_BIN_EXE_evenhand"))
        .args(arguments)
        .current_dir(root())
        .env_remove("CLICOLOR_FORCE")
        .env("NO_COLOR", "1")
        .output()
        .expect("the command runs");
    let said = String::from_utf8_lossy(&output.stderr);
    let shown = String::from_utf8_lossy(&output.stdout);
    assert_eq!(
        output.status.code(),
        Some(2),
        "{arguments:?}: {shown}{said}"
    );
    assert!(
        said.starts_with("error: ") && said.contains(words),
        "{arguments:?}: {said}"
    );
}

#[test]
fn a_specification_without_a_configuration_is_refused() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tla-models");
    std::fs::create_dir_all(&folder).expect("a folder");
    let model = folder.join("Semaphore.tla");
    std::fs::copy(self::folder().join("Semaphore.tla"), &model).expect("a copy");
    let model = model.to_string_lossy();
    assert_refused(&["check", &model], "Semaphore.cfg");
}

#[test]
fn a_configuration_that_is_not_there_is_refused() {
    let model = "models/tla/Semaphore.tla";
    assert_refused(
        &["check", model, "--config", "models/tla/Nothing.cfg"],
        "cannot read `models/tla/Nothing.cfg`",
    );
}

#[test]
fn configurations_and_constants_are_for_tla() {
    let model = "models/promela/semaphore.pml";
    assert_refused(
        &["check", model, "--config", "models/tla/Semaphore.cfg"],
        "`--config` is for TLA+",
    );
    assert_refused(
        &["check", model, "--constant", "N = 3"],
        "`--constant` is for TLA+",
    );
}

#[test]
fn a_constant_without_a_value_is_refused() {
    let model = "models/tla/Buffer.tla";
    assert_refused(
        &["check", model, "--constant", "Capacity"],
        "expected `=` or `<-`",
    );
}

#[test]
fn a_constant_that_is_not_declared_is_refused() {
    let model = "models/tla/Buffer.tla";
    assert_refused(&["check", model, "--constant", "Capacty = 2"], "`Capacty`");
    assert_refused(
        &["check", model, "--constant", "Capacity <- Nothing"],
        "`Nothing`",
    );
}
