//! The models that teach, in `models/promela`, against their table of expected answers.
//!
//! Temporal properties are asked of every engine.

use evenhand_testkit::promela_programs::command::Evenhand;
use evenhand_testkit::promela_programs::parallel;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

struct Row {
    model: String,
    property: String,
    fairness: String,
    verdict: String,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/promela")
}

fn evenhand() -> Evenhand {
    let binary = std::env::var("EVENHAND_BIN");
    Evenhand::at(binary.unwrap_or_else(|_| env!("CARGO_BIN_EXE_evenhand").into()))
}

fn table() -> Vec<Row> {
    let text = std::fs::read_to_string(folder().join("expected.txt")).expect("expected.txt");
    let lines = text.lines().map(str::trim);
    lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| {
            let columns: Vec<&str> = line.split_whitespace().collect();
            let [model, property, fairness, verdict, source] = columns[..] else {
                panic!("not five columns: {line}");
            };
            let sources = ["spin", "formula", "known", "implied", "reasoned"];
            assert!(sources.contains(&source), "unknown source: {line}");
            Row {
                model: model.into(),
                property: property.into(),
                fairness: fairness.into(),
                verdict: verdict.into(),
            }
        })
        .collect()
}

/// The command's answer to a row, in the words of the table.
fn answer(row: &Row, directory: &Path) -> Result<String, String> {
    let evenhand = evenhand();
    let model = folder().join(&row.model);
    if row.property == "states" {
        return evenhand
            .states(&model, directory)
            .map(|states| states.to_string());
    }
    let ask = |engine| verdict(&evenhand, &model, row, engine, directory);
    let answer = ask("auto")?;
    if !["assertions", "deadlock"].contains(&row.property.as_str()) {
        for engine in ENGINES {
            let other = ask(engine)?;
            if other != answer {
                return Err(format!("auto says {answer}, {engine} says {other}"));
            }
        }
    }
    Ok(answer)
}

/// All of them must give the same verdict.
const ENGINES: [&str; 6] = [
    "streett",
    "latvala-heljanko",
    "lichtenstein-pnueli",
    "ndfs",
    "feasible",
    "symbolic",
];

fn verdict(
    evenhand: &Evenhand,
    model: &Path,
    row: &Row,
    engine: &str,
    directory: &Path,
) -> Result<String, String> {
    let path = model.to_string_lossy();
    let mut arguments = vec!["check", &path, "-p", &row.property, "--format", "json"];
    arguments.extend(["--engine", engine]);
    match row.fairness.as_str() {
        "-" | "model" => {}
        "none" => arguments.push("--no-fairness"),
        other => arguments.extend(["--no-fairness", "--fair", other]),
    }
    let (code, object) = evenhand.call(&arguments, directory)?;
    let verdicts: Vec<&str> = (object["properties"].as_array())
        .ok_or_else(|| format!("exit status {code}: {object}"))?
        .iter()
        .filter_map(|property| property["verdict"].as_str())
        .collect();
    let verdict = match () {
        () if verdicts.contains(&"violated") => "violated",
        () if !verdicts.is_empty() && verdicts.iter().all(|&v| v == "holds") => "holds",
        () => return Err(format!("exit status {code}: {object}")),
    };
    if code != i32::from(verdict == "violated") {
        return Err(format!("verdict {verdict}, but exit status {code}"));
    }
    Ok(verdict.into())
}

#[test]
fn every_model_answers_as_expected() {
    let rows = table();
    let answers = parallel::map("models", 2, &rows, answer).expect("temporary directories");
    let wrong: Vec<String> = (rows.iter().zip(&answers))
        .filter(|(row, answer)| answer.as_ref() != Ok(&row.verdict))
        .map(|(row, answer)| {
            let (model, property, fairness) = (&row.model, &row.property, &row.fairness);
            format!(
                "{model} {property} {fairness}: expected {}, got {answer:?}",
                row.verdict
            )
        })
        .collect();
    println!("{} rows run, {} wrong", rows.len(), wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_model_stands_in_the_table() {
    let named: BTreeSet<String> = table().into_iter().map(|row| row.model).collect();
    let present: BTreeSet<String> = std::fs::read_dir(folder())
        .expect("models/promela")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".pml"))
        .collect();
    assert_eq!(named, present);
}
