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
    let load = |path: &Path| Ok(String::from_utf8_lossy(&fs::read(path)?).into_owned());
    let preprocessed = preprocess(&mut files, main, &Options::default(), &load);
    let output = preprocessed.output.text;
    let reports = preprocessed.reports.finish();
    let error = reports
        .iter()
        .find(|report| report.severity == Severity::Error);
    let theirs = match (gcc(folder, text), error) {
        (None, Some(_)) => return None,
        (None, None) => return Some(Err("gcc refuses it, we do not".to_string())),
        (Some(_), Some(error)) => {
            return Some(Err(format!("gcc accepts it, we do not: {error:?}")));
        }
        (Some(theirs), None) => theirs,
    };
    let mut files = Files::new();
    let main = files.add(path.display().to_string(), text);
    let ours = tokenize(&mut files, main, &Options::default());
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

/// A random text full of macros. Half of its calls are wrong somewhere.
fn random_text(random: &mut Random) -> String {
    const NAMES: [&str; 6] = ["A", "B", "C", "F", "G", "H"];
    const BODY: [&str; 34] = [
        "A", "B", "C", "F", "G", "H", "x", "y", "x", "y", "#x", "x##y", "##", "A##x", "1", "12",
        "(", ")", ",", "+", "-", ">", "<", "!", "=", ":", "[", "]", "F(x)", "G(x,y)", "H()",
        "\"s\"", "..", "z",
    ];
    const TEXT: [&str; 38] = [
        "A",
        "B",
        "C",
        "F",
        "G",
        "H",
        "F(1)",
        "G(A,B)",
        "H()",
        "F(F(A))",
        "G((1,2),B)",
        "F(",
        ")",
        "G(",
        ",",
        "(",
        ")",
        "+",
        "-",
        "!",
        "?",
        ":",
        ".",
        "=",
        "<",
        ">",
        "[",
        "]",
        " 1..A",
        "'a'",
        "\"A\"",
        "/* c */",
        "/* c\n d */",
        "// e\n",
        "\\\n",
        "\n",
        "__LINE__",
        "z",
    ];
    const EXPRESSION: [&str; 24] = [
        "A",
        "B",
        "1",
        "0",
        "2u",
        "-1",
        "defined A",
        "defined(F)",
        "!",
        "(",
        ")",
        "+",
        "&&",
        "||",
        "==",
        "<",
        ">=",
        "?",
        ":",
        "<<",
        ">>",
        "%",
        "'a'",
        "0x1F",
    ];
    let mut text = String::new();
    let words = |random: &mut Random, list: &[&str], most: usize| {
        let mut line = String::new();
        for _ in 0..random.below(most) {
            line.push_str(list[random.below(list.len())]);
            if random.below(2) == 0 {
                line.push(' ');
            }
        }
        line
    };
    let mut open: Vec<bool> = Vec::new(); // which conditions had their `#else`
    for _ in 0..3 + random.below(12) {
        let name = NAMES[random.below(NAMES.len())];
        match random.below(12) {
            0..4 => {
                let parameters = match name {
                    "F" => "(x)",
                    "G" => ["(x,y)", "(x, ...)", "(x,y...)"][random.below(3)],
                    "H" => "()",
                    _ => "",
                };
                let mut body = words(random, &BODY, 7);
                if parameters.is_empty() {
                    body = body.replace("#x", "x"); // would look like a directive in the output
                }
                text.push_str(&format!(
                    "#undef {name}\n#define {name}{parameters} {body}\n"
                ));
            }
            4 => text.push_str(&format!("#undef {name}\n")),
            5 => {
                text.push_str(&format!("#if {}\n", words(random, &EXPRESSION, 7)));
                open.push(false);
            }
            6 => {
                text.push_str(&format!("#if{}def {name}\n", ["", "n"][random.below(2)]));
                open.push(false);
            }
            7 => match (open.pop(), random.below(3)) {
                (Some(false), 0) => {
                    text.push_str("#else\n");
                    open.push(true);
                }
                (Some(false), 1) => {
                    text.push_str("#elif defined B\n");
                    open.push(false);
                }
                (Some(_), _) => text.push_str("#endif\n"),
                (None, _) => {}
            },
            _ => {
                text.push_str(&words(random, &TEXT, 9));
                text.push('\n');
            }
        }
    }
    for _ in open {
        text.push_str("#endif\n");
    }
    text
}

#[test]
fn random_macros_read_as_gcc_reads_them() {
    if gcc_is_missing() {
        return;
    }
    let cases = std::env::var("EVENHAND_CASES")
        .ok()
        .and_then(|text| text.parse().ok());
    let (mut same, mut refused) = (0, 0);
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for case in 0..cases.unwrap_or(250) {
        let text = random_text(&mut random);
        match compare(Path::new("./random.pml"), &text) {
            None => refused += 1,
            Some(Ok(_)) => same += 1,
            Some(Err(why)) => panic!("case {case}:\n{text}\n{why}"),
        }
    }
    println!("{same} texts are the same, {refused} refused by both");
    assert!(
        same * 10 >= (same + refused),
        "too few texts were accepted: {same}"
    );
}
