//! `evenhand certify`: files that are damaged, and what the call expects.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn evenhand(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_evenhand"))
        .args(arguments)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .output()
        .expect("evenhand runs")
}

fn place(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("certify-{name}"))
}

const MODEL: &str = "models/promela/semaphore.pml";

/// The proofs of the semaphore.
fn kept(name: &str, options: &[&str]) -> PathBuf {
    let file = place(name);
    let path = file.display().to_string();
    let mut arguments = vec!["check", MODEL, "-q", "--certificate", &path];
    arguments.extend(options);
    assert_eq!(evenhand(&arguments).status.code(), Some(0));
    file
}

fn certify(file: &Path, options: &[&str]) -> (Option<i32>, Value) {
    let path = file.display().to_string();
    let mut arguments = vec!["certify", &path, MODEL, "--format", "json"];
    arguments.extend(options);
    let output = evenhand(&arguments);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let json = serde_json::from_str(&text);
    (
        output.status.code(),
        json.unwrap_or_else(|_| panic!("no JSON: {text}")),
    )
}

fn proved(json: &Value) -> Vec<&str> {
    let list = json["certificates"].as_array().expect("proofs").iter();
    let list = list.filter(|proof| proof["proved"] == true);
    list.filter_map(|proof| proof["property"].as_str())
        .collect()
}

#[test]
fn what_is_proved_is_told_and_nothing_else() {
    let file = kept("told", &["--no-fairness", "--fair", "strong"]);
    let (code, json) = certify(&file, &[]);
    assert_eq!(code, Some(0));
    assert_eq!(
        proved(&json),
        ["assertions", "deadlock", "exclusion", "entry"]
    );
    let entry = &json["certificates"][3];
    assert_eq!(entry["fairness"], serde_json::json!(["strong"]));
    assert_eq!(entry["finished_runs"], "stutter");
    assert_eq!(entry["automaton"], "shown");
    assert_eq!(entry["states"], 56);
    assert_eq!(json["certificates"][0]["finished_runs"], Value::Null);

    let strong = ["--no-fairness", "--fair", "strong"];
    let (code, json) = certify(&file, &[&["-p", "entry"], &strong[..]].concat());
    assert_eq!((code, proved(&json)), (Some(0), vec!["entry"]));
    for other in [
        &["-p", "entry", "--fair", "strong"][..],
        &["-p", "entry", "--no-fairness", "--fair", "weak"],
        &["-p", "entry", "--deadlock", "ignore"],
        &["-p", "nothing"],
        &["--ltl", "[] <> (inside == 1)"],
    ] {
        let (code, json) = certify(&file, other);
        assert_eq!(code, Some(1), "{other:?}");
        assert_eq!(proved(&json), [""; 0], "{other:?}");
        assert_ne!(json["missing"], serde_json::json!([]), "{other:?}");
    }
}

#[test]
fn an_improper_end_belongs_to_the_claim() {
    let file = kept("ends", &["--deadlock", "error"]);
    let (code, json) = certify(&file, &["--deadlock", "error"]);
    assert_eq!(code, Some(0));
    assert!(proved(&json).contains(&"entry"));
    assert_eq!(json["certificates"][1]["finished_runs"], "error");
}

#[test]
fn damaged_files_prove_nothing_and_say_so() {
    let file = kept("whole", &[]);
    let whole = std::fs::read(&file).expect("it was written");
    let path = place("damaged");
    let mut codes = [0; 3];
    for cut in (0..whole.len()).step_by(7) {
        std::fs::write(&path, &whole[..cut]).expect("a file");
        let (code, json) = certify(&path, &[]);
        assert_eq!(code, Some(2), "cut at {cut}: {json}");
        assert!(json["errors"][0]["message"].is_string(), "{json}");
    }
    for at in (0..whole.len()).step_by(5) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x15;
        std::fs::write(&path, &bytes).expect("a file");
        let (code, json) = certify(&path, &[]);
        match code {
            Some(code @ (0..=2)) => codes[code as usize] += 1,
            other => panic!("{other:?} with byte {at} changed: {json}"),
        }
    }
    assert!(codes[1] > 0 && codes[2] > 0, "{codes:?}");
    for (name, bytes) in [("empty", &b""[..]), ("text", b"evenhand certificates 2\n")] {
        let path = place(name);
        std::fs::write(&path, bytes).expect("a file");
        assert_eq!(certify(&path, &[]).0, Some(2), "{name}");
    }
    assert_eq!(certify(Path::new("models"), &[]).0, Some(2));
    assert_eq!(certify(Path::new("no-such-file"), &[]).0, Some(2));
}

#[test]
fn a_limit_leaves_no_half_a_file() {
    let file = place("limited");
    let path = file.display().to_string();
    std::fs::write(&file, "what was there").expect("a file");
    let model = "benches/models/filter_lock_fair.pml";
    let arguments = [
        "check",
        model,
        "-DN=5",
        "--fair",
        "weak",
        "--limit-time",
        "1s",
    ];
    let output = evenhand(&[&arguments[..], &["-q", "--certificate", &path]].concat());
    // Whatever was decided by then: the file is whole, and says what it has.
    let code = output.status.code();
    assert!(matches!(code, Some(0 | 3)), "{code:?}");
    let whole = evenhand(&["certify", &path, model, "-DN=5", "--format", "json"]);
    assert!(matches!(whole.status.code(), Some(0 | 1)), "{whole:?}");
}
