//! The preprocessor against `gcc -E`, where there is one: the way SPIN calls it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use evenhand_source::{Files, Severity};

use super::Model;
use super::robust::Random;
use crate::lexer::tokenize;
use crate::preprocess::{Options, preprocess};
use crate::token::{TokenKind, Tokens};

/// What `gcc` makes of a text in a folder; `None` if it refuses it.
fn gcc(folder: &Path, text: &str) -> Option<String> {
    let mut child = Command::new("gcc")
        .args(["-std=gnu99", "-E", "-undef", "-x", "c", "-"])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut input = child.stdin.take()?;
    let text = text.to_string();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()).is_ok());
    let output = child.wait_with_output().ok()?;
    let written = writer.join().unwrap_or(false);
    let result = String::from_utf8_lossy(&output.stdout).into_owned();
    (written && output.status.success()).then_some(result)
}

fn gcc_is_missing() -> bool {
    let missing = gcc(Path::new("."), "x").is_none();
    if missing {
        println!("skipped: there is no gcc to compare with");
    }
    missing
}

/// A text without line markers and white space.
fn bare(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("# "));
    lines
        .flat_map(str::chars)
        .filter(|c| !c.is_whitespace())
        .collect()
}

/// What the parser sees: kinds, line breaks, and where LTL operators may be joined.
fn seen(tokens: &Tokens) -> Vec<(TokenKind, bool, bool)> {
    let list = tokens.tokens.iter().enumerate();
    list.map(|(at, token)| (token.kind.clone(), token.newline || at == 0, token.glued))
        .collect()
}

/// Compares one text; `None` if both refuse it.
fn compare(path: &Path, text: &str) -> Option<Result<usize, String>> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut files = Files::new();
    let main = files.add(path.display().to_string(), text);
    let ours = tokenize(&mut files, main, &Options::default());
    let errors: Vec<_> = ours
        .diagnostics
        .iter()
        .filter(|report| report.severity == Severity::Error)
        .collect();
    let Some(theirs) = gcc(folder, text) else {
        return if errors.is_empty() {
            Some(Err("gcc refuses it, we do not".to_string()))
        } else {
            None
        };
    };
    let mut copy = Files::new();
    let id = copy.add(path.display().to_string(), text);
    let load = |path: &Path| fs::read_to_string(path);
    let output = preprocess(&mut copy, id, &Options::default(), &load)
        .output
        .text;
    if bare(&output) != bare(&theirs) {
        return Some(Err(format!(
            "the texts differ:\n{output}\n-- gcc --\n{theirs}"
        )));
    }
    let again = Model::new(&[("gcc", &theirs)], &Options::default());
    let (ours, theirs) = (seen(&ours), seen(&again.tokens));
    if ours != theirs {
        let at = ours
            .iter()
            .zip(&theirs)
            .position(|(a, b)| a != b)
            .unwrap_or(0);
        let from = at.saturating_sub(3);
        let ours = &ours[from..ours.len().min(at + 3)];
        let theirs = &theirs[from..theirs.len().min(at + 3)];
        return Some(Err(format!(
            "tokens differ at {at}: {ours:?}\n-- gcc: {theirs:?}"
        )));
    }
    Some(Ok(ours.len()))
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            walk(&path, found);
        } else {
            let ending = path
                .extension()
                .and_then(|ending| ending.to_str())
                .unwrap_or("");
            if ["pml", "pm", "pr", "prm", "prom", "spin", "promela", "h"].contains(&ending) {
                found.push(path);
            }
        }
    }
}

#[test]
fn the_corpus_reads_as_gcc_reads_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora/promela");
    let mut paths = Vec::new();
    walk(&root, &mut paths);
    if paths.is_empty() || gcc_is_missing() {
        println!("skipped: no corpus beside the repository, or no gcc");
        return;
    }
    paths.sort();
    let (mut same, mut refused, mut tokens) = (0, 0, 0);
    let mut different = Vec::new();
    for path in &paths {
        let Ok(bytes) = fs::read(path) else {
            continue;
        };
        match compare(path, &String::from_utf8_lossy(&bytes)) {
            None => refused += 1,
            Some(Ok(count)) => {
                same += 1;
                tokens += count;
            }
            Some(Err(why)) => {
                let why: String = why.chars().take(2000).collect();
                different.push(format!("{}: {why}", path.display()));
            }
        }
    }
    println!("{same} files with {tokens} tokens are the same, {refused} refused by both");
    assert!(
        different.is_empty(),
        "{} differ:\n{}",
        different.len(),
        different.join("\n")
    );
    assert!(same > 150, "only {same} files were compared");
}
