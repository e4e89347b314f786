//! Public Promela models, against what SPIN said about them.
//!
//! The models and the table of SPIN's answers stand beside the repository, in
//! `../shared/corpora/promela`; where they are missing the test is skipped with a message. A row
//! that differs is a bug, unless `promela_corpus_explained.jsonl` explains it. An explanation has
//!
//! - `file`, `property`, `mode`: the row it is about;
//! - `evenhand`: what the command says instead (the number of states, `ok` or `error`);
//! - `why`: the reason, in a sentence or two;
//! - `model`: a minimal model, a file in `promela_corpus_explained/`, that shows the same;
//! - `model_spin`, `model_evenhand`: what the two say about it, by the same mode. Evenhand's is
//!   checked here; SPIN's too, where SPIN is installed.
//!
//! An explanation of a row that does not differ, or differs otherwise, is an error as well.

use evenhand_testkit::promela_programs::command::Evenhand;
use evenhand_testkit::promela_programs::spin::{Answer, Discard, Question, Spin};
use evenhand_testkit::promela_programs::{parallel, process};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

const REACH: &str = "reach-plain-noreduce";
/// Explained rows may be this share of all rows, in percent.
const EXPLAINED_AT_MOST: usize = 2;
const ENDINGS: [&str; 7] = ["pml", "pm", "prm", "pr", "prom", "promela", "spin"];

fn evenhand() -> Evenhand {
    let binary = std::env::var("EVENHAND_BIN");
    let mut evenhand =
        Evenhand::at(binary.unwrap_or_else(|_| env!("CARGO_BIN_EXE_evenhand").into()));
    evenhand.limit = Duration::from_secs(30);
    evenhand
}

fn tests_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all")
}

/// The corpus, if it is there.
fn corpus() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora/promela");
    if folder.join("expected.jsonl").is_file() {
        return folder.canonicalize().ok();
    }
    println!("SKIPPED: no corpus of Promela models beside the repository");
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

fn text<'a>(row: &'a Value, key: &str) -> &'a str {
    row[key]
        .as_str()
        .unwrap_or_else(|| panic!("no `{key}` in {row}"))
}

/// SPIN's answer of a row, in the words of `evenhand_says`.
fn spin_says(row: &Value) -> String {
    match (text(row, "mode"), text(row, "verdict")) {
        // The search ended at the error: its count is not the size of the state space.
        (_, "error") => "error".into(),
        (REACH, _) => row["states"].to_string(),
        (_, verdict) => verdict.into(),
    }
}

/// What the command says about a model, to be compared with a row of this mode.
fn evenhand_says(model: &Path, row: &Value, directory: &Path) -> String {
    let evenhand = evenhand();
    let count = text(row, "mode") == REACH && row["verdict"] != "error";
    if count {
        return match evenhand.states(model, directory) {
            Ok(states) => states.to_string(),
            Err(error) => error,
        };
    }
    if let Some(violated) = temporal(model, row, directory) {
        return words(violated);
    }
    // What SPIN met first must be found; what else is wrong with the model is not asked, since
    // that may take a search of the whole space, which SPIN never did.
    let class = match row["kind"].as_str() {
        Some(kind) if kind.starts_with("invalid end state") => Some("deadlock"),
        Some(_) => Some("assertions"),
        None => None,
    };
    let violated = match class {
        Some(class) => evenhand.violated(model, class, directory),
        None => {
            (evenhand.safety(model, directory)).map(|safety| safety.assertion || safety.invalid_end)
        }
    };
    words(violated)
}

fn words(violated: Result<bool, String>) -> String {
    match violated {
        Err(error) if error.contains(r#""verdict":"unknown""#) => "unknown".into(),
        Ok(true) => "error".into(),
        Ok(false) => "ok".into(),
        Err(error) => error,
    }
}

/// The answer to a row about cycles, if it is one.
fn temporal(model: &Path, row: &Value, directory: &Path) -> Option<Result<bool, String>> {
    let mode = text(row, "mode");
    let name = match mode.split('-').next()? {
        "ltl" if text(row, "property") == "never_0" => "never",
        "ltl" => text(row, "property"),
        "np" => "progress",
        "accept" => "acceptance",
        _ => return None,
    };
    // The safety part of a claim is an assertion about the negated formula, two blanks in front.
    let of_model = |kind: &&str| !kind.contains("cycle") && !kind.contains("claim");
    let kind = row["kind"].as_str().filter(of_model);
    if kind.is_some_and(|kind| !kind.starts_with("assertion violated  !(")) {
        // An error of the model itself, or else of an expression of the property.
        let of_model = evenhand().violated(model, "assertions", directory);
        if of_model != Ok(false) {
            return Some(of_model);
        }
    }
    let mut options = vec!["--no-fairness"];
    if mode.contains("-fair-") {
        options.extend(["--fair", "spin-weak"]);
    }
    Some(evenhand().violated_under(model, name, &options, directory))
}

#[test]
fn every_row_of_spin_is_met_or_explained() {
    let Some(corpus) = corpus() else { return };
    let rows = read_table(&corpus.join("expected.jsonl"));
    let answers = parallel::map("corpus-rows", 2, &rows, |row, directory| {
        evenhand_says(&corpus.join(text(row, "file")), row, directory)
    })
    .expect("temporary directories");

    let explained_table = read_table(&tests_folder().join("promela_corpus_explained.jsonl"));
    let key = |row| (text(row, "file"), text(row, "property"), text(row, "mode"));
    let mut explained: BTreeMap<(&str, &str, &str), &Value> =
        explained_table.iter().map(|row| (key(row), row)).collect();
    let mut wrong = Vec::new();
    let mut excused = 0;
    for (row, answer) in rows.iter().zip(&answers) {
        let key = key(row);
        let expected = spin_says(row);
        let explanation = explained.remove(&key);
        if *answer == expected {
            if explanation.is_some() {
                wrong.push(format!("{key:?}: explained, but it agrees"));
            }
            continue;
        }
        match explanation {
            Some(explanation) if text(explanation, "evenhand") == answer => excused += 1,
            _ => wrong.push(format!("{key:?}: SPIN {expected}, Evenhand {answer}")),
        }
    }
    for key in explained.keys() {
        wrong.push(format!("{key:?}: explained, but there is no such row"));
    }
    println!(
        "{} rows: {} agree, {excused} differ as explained, {} wrong",
        rows.len(),
        rows.len() - excused - wrong.len(),
        wrong.len()
    );
    for line in &wrong {
        println!("  {line}");
    }
    assert!(wrong.is_empty(), "{} rows differ from SPIN", wrong.len());
    assert!(
        excused * 100 <= rows.len() * EXPLAINED_AT_MOST,
        "{excused} of {} rows are explained away: too many",
        rows.len()
    );
}

#[test]
fn explanations_can_be_repeated() {
    let folder = tests_folder();
    let rows = read_table(&folder.join("promela_corpus_explained.jsonl"));
    let spin = Spin::find();
    if let Err(missing) = &spin {
        println!("SPIN's side is not repeated: {missing}");
    }
    let failures = parallel::map("corpus-explained", 2, &rows, |row, directory| {
        let model = folder
            .join("promela_corpus_explained")
            .join(text(row, "model"));
        let mut failures = Vec::new();
        let ours = evenhand_says(&model, row, directory);
        if ours != text(row, "model_evenhand") {
            failures.push(format!("{}: Evenhand says {ours}", model.display()));
        }
        if let Ok(spin) = &spin {
            let mode = text(row, "mode");
            let theirs = match mode.starts_with("ltl") {
                true => spin_on_claim(spin, &model, row, directory),
                false => {
                    (spin.judge(&model, directory, false)).map(|answer| spin_words(&answer, mode))
                }
            };
            let theirs = theirs.unwrap_or_else(|reason| format!("{reason:?}"));
            if theirs != text(row, "model_spin") {
                failures.push(format!("{}: SPIN says {theirs}", model.display()));
            }
        }
        failures
    })
    .expect("temporary directories");
    let failures: Vec<String> = failures.into_iter().flatten().collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// What SPIN says about the claim of a row, on another model; any error counts, as in the table.
fn spin_on_claim(
    spin: &Spin,
    model: &Path,
    row: &Value,
    directory: &Path,
) -> Result<String, Discard> {
    let question = Question {
        block: Some(text(row, "property")).filter(|&name| name != "never_0"),
        fair: text(row, "mode").contains("-fair-"),
    };
    let answers = spin.judge_ltl(model, directory, &[question])?;
    let answer = answers.into_iter().next();
    let answer = answer.unwrap_or(Err(Discard::NotUnderstood("no answer".into())))?;
    Ok(if answer.error.is_some() {
        "error"
    } else {
        "ok"
    }
    .into())
}

fn spin_words(answer: &Answer, mode: &str) -> String {
    match answer.states {
        Some(states) if mode == REACH => states.to_string(),
        _ if answer.assertion || answer.invalid_end == Some(true) => "error".into(),
        _ => "ok".into(),
    }
}

/// Whatever a file holds, the command must answer: a verdict, or errors with exit status 2.
#[test]
fn no_file_makes_the_command_panic() {
    let Some(corpus) = corpus() else { return };
    let expected = read_table(&corpus.join("expected.jsonl"));
    let named: Vec<&str> = expected.iter().map(|row| text(row, "file")).collect();
    let mut files = Vec::new();
    collect(&corpus, &mut files);
    files.sort();
    let outcomes = parallel::map("corpus-files", 2, &files, |file, directory| {
        let path = file.to_string_lossy();
        let limits = ["--limit-states", "20000", "--limit-time", "5s"];
        let mut arguments = vec!["check", &path, "-p", "assertions", "-p", "deadlock"];
        arguments.extend(limits);
        match process::run(
            &evenhand().binary,
            &arguments,
            directory,
            Duration::from_secs(60),
        ) {
            Ok(Some(finished)) => {
                let panicked = finished.errors.contains("panicked at");
                let code = finished.status.code().filter(|_| !panicked);
                let first = finished.errors.lines().next().unwrap_or("").to_string();
                (code, first)
            }
            Ok(None) => (None, "took too long".into()),
            Err(error) => (None, error.to_string()),
        }
    })
    .expect("temporary directories");
    let mut wrong = Vec::new();
    for (file, (code, message)) in files.iter().zip(&outcomes) {
        let name = file.strip_prefix(&corpus).unwrap_or(file).to_string_lossy();
        let accepted = matches!(code, Some(0 | 1 | 3));
        let named = named.contains(&&*name);
        if !named {
            let code = code.map_or("-".to_string(), |code| code.to_string());
            println!("  {name}: exit status {code} {message}");
        }
        if !(accepted || *code == Some(2) && !named) {
            wrong.push(format!("{name}: {code:?} {message}"));
        }
    }
    assert!(!files.is_empty());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        let ending = path.extension().and_then(|ending| ending.to_str());
        if path.is_dir() {
            collect(&path, files);
        } else if ending.is_some_and(|ending| ENDINGS.contains(&ending)) {
            files.push(path);
        }
    }
}
