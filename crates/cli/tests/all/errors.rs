//! What a user reads after a mistake: each message as a whole, in a file that a person can judge.
//!
//! In `tests/errors`, `NAME.pml` or `NAME.smv` is a model with a mistake, `NAME.call` the words of
//! a wrong call; what the command says about it on standard error stands beside it in
//! `NAME.stderr`. The exit code is 2, and with `--format json` the same errors with the same places
//! come as one object on standard output.
//! `EVENHAND_BLESS=1 cargo test -p evenhand-cli --test all errors::` writes the files anew: read
//! the difference before you commit it.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

struct Answer {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors")
}

/// The files of the folder with an ending, sorted.
fn files(ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder()).expect("tests/errors");
    let mut list: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    list.retain(|path| path.extension().is_some_and(|e| e == ending));
    list.sort();
    list
}

fn call(arguments: &[&str]) -> Answer {
    let output = Command::new(env!("CARGO_BIN_EXE_evenhand"))
        .args(arguments)
        .current_dir(folder())
        .env_remove("CLICOLOR_FORCE")
        .env("NO_COLOR", "1")
        .output()
        .expect("the command runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the output is text");
    Answer {
        code: output.status.code(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

/// What is wrong with the answers about one file.
fn check(path: &Path, arguments: &[&str]) -> Result<(), String> {
    let answer = call(arguments);
    if answer.code != Some(2) || !answer.stdout.is_empty() {
        let (code, stdout) = (answer.code, answer.stdout);
        return Err(format!(
            "exit code {code:?}, on standard output: {stdout:?}"
        ));
    }
    let expected = path.with_extension("stderr");
    if std::env::var_os("EVENHAND_BLESS").is_some() {
        std::fs::write(&expected, &answer.stderr).map_err(|error| error.to_string())?;
    }
    let text = std::fs::read_to_string(&expected).map_err(|error| error.to_string())?;
    if answer.stderr != text {
        return Err(format!("expected:\n{text}\nfound:\n{}", answer.stderr));
    }
    check_json(arguments, &text)
}

/// The errors of a rendered text: message, and place if it has one.
fn rendered(text: &str) -> Vec<(String, Option<String>)> {
    let mut list: Vec<(String, Option<String>)> = Vec::new();
    for line in text.lines() {
        if let Some(message) = line.strip_prefix("error: ") {
            list.push((message.to_string(), None));
        } else if line.starts_with("  <")
            && let Some(last) = list.last_mut()
        {
            last.0 = format!("{} {}", last.0, line.trim());
        } else if let Some(place) = line.trim_start().strip_prefix("--> ")
            && let Some(last) = list.last_mut()
        {
            last.1 = Some(place.to_string());
        }
    }
    list
}

fn check_json(arguments: &[&str], text: &str) -> Result<(), String> {
    let answer = call(&[arguments, &["--format", "json"]].concat());
    if answer.code != Some(2) || !answer.stderr.is_empty() {
        let (code, stderr) = (answer.code, answer.stderr);
        return Err(format!(
            "json: exit code {code:?}, on standard error: {stderr:?}"
        ));
    }
    let object: Value = serde_json::from_str(&answer.stdout)
        .map_err(|error| format!("json: {error}: {:?}", answer.stdout))?;
    if object["schema"] != 1 || object["tool"] != "evenhand" {
        return Err(format!("json: no schema or tool: {object}"));
    }
    let errors = object["errors"].as_array().ok_or("json: no errors")?;
    let found: Vec<(String, Option<String>)> = errors
        .iter()
        .map(|error| {
            let message = error["message"].as_str().unwrap_or_default().to_string();
            let place = error["file"].as_str().map(|file| {
                let (line, column) = (&error["line"], &error["column"]);
                format!("{file}:{line}:{column}")
            });
            (message, place)
        })
        .collect();
    let expected = rendered(text);
    if found != expected || found.is_empty() {
        return Err(format!("json: expected {expected:?}, found {found:?}"));
    }
    Ok(())
}

fn report(wrong: &[String], count: usize) {
    println!("{count} mistakes, {} with another message", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn models_with_a_mistake() {
    mistakes_of_models("pml", 30);
}

#[test]
fn smv_models_with_a_mistake() {
    mistakes_of_models("smv", 14);
}

fn mistakes_of_models(ending: &str, least: usize) {
    let models = files(ending);
    assert!(models.len() >= least, "only {} models", models.len());
    let mut wrong = Vec::new();
    for path in &models {
        let name = path
            .file_name()
            .and_then(|n| n.to_str())
            .unwrap_or_default();
        if let Err(error) = check(path, &["check", name]) {
            wrong.push(format!("{name}: {error}"));
        }
    }
    report(&wrong, models.len());
}

#[test]
fn calls_with_a_mistake() {
    let calls = files("call");
    assert!(calls.len() >= 8, "only {} calls", calls.len());
    let mut wrong = Vec::new();
    for path in &calls {
        let text = std::fs::read_to_string(path).expect("a call");
        let arguments: Vec<&str> = text.split_whitespace().collect();
        if let Err(error) = check(path, &arguments) {
            wrong.push(format!("{}: {error}", path.display()));
        }
    }
    report(&wrong, calls.len());
}

/// Nothing in the folder is forgotten: each text belongs to a model or a call.
#[test]
fn every_message_has_its_mistake() {
    for path in files("stderr") {
        let owner = |ending| path.with_extension(ending).exists();
        let owners = ["pml", "smv", "call"];
        assert!(owners.into_iter().any(owner), "{}", path.display());
    }
}
