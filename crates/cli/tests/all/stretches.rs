//! Atomic steps of very many statements: what is said about them is short, and limits end them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use serde_json::Value;

/// An atomic sequence without an end, and without a state that comes back soon.
const ENDLESS: &str = "int x;
active proctype P() { atomic { do :: x++ od } }
";

/// One with an end, two hundred thousand statements later.
const LONG: &str = "int x;
active proctype P() { atomic { do :: x < 100000 -> x++ :: else -> break od }; assert(x == 3) }
";

/// Very many states with one long step each.
const MANY: &str = "byte a, b, c, d; int x;
active proctype P() {
  do
  :: atomic { a++; x = 0; do :: x < 300000 -> x++ :: else -> break od; x = 0 }
  :: atomic { b++; x = 0; do :: x < 300000 -> x++ :: else -> break od; x = 0 }
  :: d_step { c++; x = 0; do :: x < 300000 -> x++ :: else -> break od; x = 0 }
  :: d++
  od
}
";

fn model(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("stretches-{name}.pml"));
    std::fs::write(&path, text).expect("the target directory can be written to");
    path
}

fn call(model: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_evenhand"))
        .args(["check", "-p", "assertions"])
        .arg(model)
        .args(arguments)
        .env("NO_COLOR", "1")
        .output()
        .expect("the command runs")
}

#[test]
fn a_million_statements_are_a_few_lines() {
    for (name, text, least) in [("endless", ENDLESS, 900_000), ("long", LONG, 190_000)] {
        let path = model(name, text);
        let output = call(&path, &[]);
        assert_eq!(output.status.code(), Some(1), "{name}");
        let text = String::from_utf8_lossy(&output.stdout).to_string();
        assert!(text.lines().count() < 80, "{name}: {text}");
        let folded = text.lines().find(|line| line.contains("more statements"));
        let words = folded.map(|line| line.split_whitespace().collect::<Vec<_>>());
        let count = words.and_then(|words| words.get(1)?.parse::<usize>().ok());
        assert!(count.is_some_and(|count| count > least), "{name}: {text}");
    }
}

#[test]
fn other_forms_are_short_too_and_say_what_is_missing() {
    let path = model("forms", LONG);
    let page = path.with_extension("html");
    let output = call(
        &path,
        &["--format", "json", "--report", &page.display().to_string()],
    );
    let object: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let step = &object["properties"][0]["counterexample"]["prefix"][1];
    let told = step["substeps"].as_array().map_or(0, Vec::len);
    let omitted = step["substeps_omitted"].as_u64().unwrap_or(0);
    assert_eq!(told, 2000);
    // Each turn is two statements; then the loop ends.
    assert!((199_000..=202_000).contains(&(omitted + 2000)), "{omitted}");
    let page = std::fs::read_to_string(&page).expect("the page is there");
    assert!(page.len() < 1 << 20, "{} bytes", page.len());
    assert!(page.contains(&format!("{omitted} more statements")));
}

#[test]
fn limits_end_many_long_steps() {
    let path = model("many", MANY);
    for limit in [["--limit-time", "1s"], ["--limit-states", "50"]] {
        let started = Instant::now();
        let output = call(&path, &limit);
        assert_eq!(output.status.code(), Some(3), "{limit:?}");
        let text = String::from_utf8_lossy(&output.stdout).to_string();
        assert!(text.starts_with("unknown"), "{limit:?}: {text}");
        assert!(started.elapsed() < Duration::from_secs(40), "{limit:?}");
    }
}

#[test]
fn a_violation_is_told_before_the_others_are_decided() {
    let path = model(
        "early",
        "byte n, m, k;
         active proctype P() { do :: k == 0 && n < 60 -> n++ :: k == 0 && n > 0 -> n-- od }
         active proctype Q() { do :: k == 0 && m < 60 -> m++ :: k == 0 && m > 0 -> m-- od }
         active proctype R() { k = 1; k == 0 }",
    );
    let output = call(&path, &["-p", "deadlock"]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stdout).to_string();
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    assert!(first.starts_with("violated        deadlock  ("), "{text}");
    let second = lines.next().unwrap_or_default();
    assert!(
        second.starts_with("holds           assertions  ("),
        "{text}"
    );
    // Each is told once, and the run is shown.
    assert_eq!(text.matches("deadlock").count(), 2, "{text}");
    assert!(text.contains("no process can move"), "{text}");
}
