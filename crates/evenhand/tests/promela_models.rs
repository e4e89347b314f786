//! The models that teach, in `models/promela`, against their table of expected answers.
//!
//! State counts, assertions and deadlocks are always run. Rows about `ltl` properties are run by
//! a command that can check them (it is asked once, with the simplest property there is).

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
    verdict(&evenhand, &model, &row.property, &row.fairness, directory)
}

fn verdict(
    evenhand: &Evenhand,
    model: &Path,
    property: &str,
    fairness: &str,
    directory: &Path,
) -> Result<String, String> {
    let path = model.to_string_lossy();
    let mut arguments = vec!["check", &path, "-p", property, "--format", "json"];
    match fairness {
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

/// Whether the command checks `ltl` properties at all: one that does not refuses the call.
fn checks_ltl() -> bool {
    let text = "bool b; active proctype m() { skip } ltl quiet { [] !b }";
    let answers = parallel::map("models-probe", 1, &[text], |text, directory| {
        let model = directory.join("probe.pml");
        std::fs::write(&model, text).expect("a temporary file");
        verdict(&evenhand(), &model, "quiet", "none", directory)
    });
    match &answers.expect("a temporary directory")[0] {
        Err(refusal) => !refusal.contains("exit status 2"),
        Ok(_) => true,
    }
}

#[test]
fn every_model_answers_as_expected() {
    let safety = ["states", "assertions", "deadlock"];
    let mut rows = table();
    let all = rows.len();
    if !checks_ltl() {
        rows.retain(|row| safety.contains(&row.property.as_str()));
        println!(
            "{} rows about ltl properties are not run: the command has no engine for them yet",
            all - rows.len()
        );
    }
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
