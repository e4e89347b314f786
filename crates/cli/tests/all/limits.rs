//! Limits end a search as `unknown` with exit code 3 and what was explored; they never make a wrong
//! verdict, and what was found before the limit counts.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

/// 2^32 states, none of them wrong.
const VAST: &str = "byte a, b, c, d;
active proctype p() { do :: a++ :: b++ :: c++ :: d++ od }
";

/// The same with an assertion that fails after two steps, and an end after three.
const FLAWED: &str = "byte a, b, c, d;
active proctype p() { do :: a++ :: b++ :: c++ :: d++ od }
active proctype q() { (a == 2) -> assert(b == 9) }
";

/// The same with a failure 200 steps away.
const DISTANT: &str = "byte a, b, c, d;
active proctype p() { do :: a++ :: b++ :: c++ :: d++ :: a == 100 && b == 100 -> assert(false) od }
";

/// One atomic step with 2^64 states in between.
const STRETCH: &str = "int x, y;
init { atomic { do :: x++ :: y++ :: x == 7 && y == 7 -> break od } }
";

/// 256 states in all.
const SMALL: &str = "byte a;
active proctype p() { do :: a++ od }
";

fn model(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("limits-{name}.pml"));
    std::fs::write(&path, text).expect("the target directory can be written to");
    path
}

/// Calls the command with `--format json`: its exit code and what it printed.
pub fn call(command: &str, model: &Path, arguments: &[&str]) -> (Option<i32>, Value) {
    let output = Command::new(env!("CARGO_BIN_EXE_evenhand"))
        .arg(command)
        .arg(model)
        .args(["--format", "json"])
        .args(arguments)
        .output()
        .expect("the command runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let object = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    (output.status.code(), object)
}

/// The answer about one property.
fn property<'a>(object: &'a Value, name: &str) -> &'a Value {
    let list = object["properties"].as_array().expect("properties");
    let found = list.iter().find(|property| property["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {object}"))
}

/// Checks the vast model under a limit: both verdicts unknown, with a reason and a count.
fn check_unknown(name: &str, limit: &[&str], reason: &str) -> (u64, Duration) {
    let path = model(name, VAST);
    let started = Instant::now();
    let (code, object) = call("check", &path, limit);
    let time = started.elapsed();
    assert_eq!(code, Some(3), "{limit:?}: {object}");
    let mut states = 0;
    for name in ["assertions", "deadlock"] {
        let answer = property(&object, name);
        assert_eq!(answer["verdict"], "unknown", "{limit:?}: {object}");
        let said = answer["reason"].as_str().unwrap_or_default();
        assert!(said.contains(reason), "{limit:?}: {said}");
        assert!(answer["counterexample"].is_null());
        states = answer["states"].as_u64().unwrap_or(0);
        assert!(states > 0, "{limit:?}: nothing was explored: {object}");
        assert!(answer["transitions"].as_u64() >= Some(states - 1));
    }
    (states, time)
}

#[test]
fn states() {
    for limit in ["1", "2", "1000", "54321"] {
        let (states, _) = check_unknown("states", &["--limit-states", limit], "states");
        assert_eq!(states.to_string(), limit);
    }
    let compressed = ["--limit-states", "1000", "--compress"];
    assert_eq!(
        check_unknown("states-compressed", &compressed, "states").0,
        1000
    );
}

#[test]
fn memory() {
    for more in [&[][..], &["--compress"]] {
        let few = check_unknown(
            "memory",
            &[&["--limit-memory", "2M"], more].concat(),
            "memory",
        )
        .0;
        let many = check_unknown(
            "memory",
            &[&["--limit-memory", "16M"], more].concat(),
            "memory",
        )
        .0;
        assert!(
            few > 100 && many > 2 * few,
            "{few} states in 2M, {many} in 16M"
        );
    }
}

#[test]
fn time() {
    let (states, time) = check_unknown("time", &["--limit-time", "500ms"], "time");
    assert!(states > 1000, "{states} states");
    assert!(time >= Duration::from_millis(400), "{time:?}");
    assert!(time < Duration::from_secs(15), "{time:?}");
}

/// The limit on time must not wait for thousands of slow steps.
#[test]
fn time_with_slow_steps() {
    let text = "int x; byte y;
        active proctype p() { do :: d_step { x = 0; do :: x < 300000 -> x++ :: else -> break od; y++ } od }
        active proctype q() { byte z; do :: z++ od }\n";
    let started = Instant::now();
    let (code, object) = call("check", &model("slow", text), &["--limit-time", "500ms"]);
    let time = started.elapsed();
    assert_eq!(code, Some(3), "{object}");
    assert!(time < Duration::from_secs(15), "{time:?}");
}

#[test]
fn the_command_states() {
    let (code, object) = call("states", &model("count", VAST), &["--limit-states", "5000"]);
    assert_eq!(code, Some(3), "{object}");
    assert_eq!(object["states"], 5000);
    assert_eq!(object["complete"], false);
    let reason = object["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("states"), "{object}");
    let arguments = ["--limit-states", "5000", "--order", "dfs"];
    let (code, object) = call("states", &model("count-dfs", VAST), &arguments);
    assert_eq!(
        (code, &object["states"]),
        (Some(3), &5000.into()),
        "{object}"
    );
}

/// A limit that is not reached changes nothing; one that is exactly enough neither.
#[test]
fn limits_that_are_wide_enough() {
    for limit in ["256", "257", "100000"] {
        let (code, object) = call(
            "states",
            &model("enough", SMALL),
            &["--limit-states", limit],
        );
        assert_eq!(code, Some(0), "{limit}: {object}");
        assert_eq!(object["states"], 256);
        assert_eq!(object["complete"], true);
        let (code, object) = call("check", &model("enough", SMALL), &["--limit-states", limit]);
        assert_eq!(code, Some(0), "{limit}: {object}");
    }
    // As long as a time can be.
    for limit in ["9223372036854775807s", "99999999999h"] {
        for command in ["check", "states", "simulate"] {
            let (code, object) = call(command, &model("long", SMALL), &["--limit-time", limit]);
            assert_eq!(code, Some(0), "{command}, {limit}: {object}");
        }
    }
    let (code, object) = call(
        "states",
        &model("enough", SMALL),
        &["--limit-states", "255"],
    );
    assert_eq!(code, Some(3), "{object}");
    assert_eq!(object["states"], 255);
}

#[test]
fn what_was_found_before_counts() {
    for limit in [
        ["--limit-states", "20000"],
        ["--limit-memory", "4M"],
        ["--limit-time", "800ms"],
    ] {
        let (code, object) = call("check", &model("flawed", FLAWED), &limit);
        assert_eq!(code, Some(1), "{limit:?}: {object}");
        let assertions = property(&object, "assertions");
        assert_eq!(assertions["verdict"], "violated");
        assert_eq!(assertions["counterexample"]["length"], 4, "{object}");
        assert_eq!(assertions["counterexample"]["replayed"], true);
        // Whether some run ends badly is not known: the search was cut short.
        let deadlock = property(&object, "deadlock");
        assert_eq!(deadlock["verdict"], "unknown", "{limit:?}: {object}");
    }
}

/// Too near a limit, the failure is not found, and then nothing is said to hold.
#[test]
fn what_was_not_found_is_unknown() {
    let distant = model("distant", DISTANT);
    let arguments = ["-p", "assertions", "--limit-states", "30000"];
    let (code, object) = call("check", &distant, &arguments);
    assert_eq!(code, Some(3), "{object}");
    assert_eq!(property(&object, "assertions")["verdict"], "unknown");
}

#[test]
fn an_atomic_step_without_end_in_sight() {
    let started = Instant::now();
    let (code, object) = call(
        "check",
        &model("stretch", STRETCH),
        &["--limit-time", "25s"],
    );
    assert_eq!(code, Some(3), "{object}");
    let reason = property(&object, "assertions")["reason"].as_str();
    assert!(reason.unwrap_or_default().contains("atomic"), "{object}");
    assert!(started.elapsed() < Duration::from_secs(30));
}

/// For people, the line says what was reached and how far the search came.
#[test]
fn the_text_says_so() {
    let output = Command::new(env!("CARGO_BIN_EXE_evenhand"))
        .arg("check")
        .arg(model("text", VAST))
        .args(["--limit-states", "1234"])
        .output()
        .expect("the command runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{text}");
    let line = text.lines().find(|line| line.contains("assertions"));
    let line = line.unwrap_or_default();
    assert!(line.starts_with("unknown"), "{text}");
    assert!(
        line.contains("1234 states") && line.contains("limit on states"),
        "{text}"
    );
}

/// Diagrams reserve addresses before they need memory; where there are few, they reserve fewer.
#[cfg(target_os = "linux")]
#[test]
fn few_addresses() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (model, engine) in [
        ("models/smv/lift.smv", "symbolic"),
        ("models/smv/semaphore.smv", "symbolic"),
        ("models/promela/peterson.pml", "symbolic"),
        ("models/promela/peterson.pml", "auto"),
    ] {
        let run = |limit: &str| {
            let script = format!("{limit} exec \"$0\" check \"$1\" --engine \"$2\" -q");
            let output = Command::new("sh")
                .args(["-c", &script, env!("CARGO_BIN_EXE_evenhand"), model, engine])
                .current_dir(&root)
                .output()
                .expect("the command runs");
            let told = String::from_utf8_lossy(&output.stderr).into_owned();
            (output.status.code(), told)
        };
        let (code, told) = run("");
        assert!(matches!(code, Some(0 | 1)), "{model}: {told}");
        for kilobytes in [16_000_000, 8_000_000, 5_000_000] {
            let limited = run(&format!("ulimit -v {kilobytes};"));
            assert_eq!(limited.0, code, "{model}, {kilobytes}: {}", limited.1);
        }
        // Where there are too few, that is a limit.
        for kilobytes in [2_500_000, 1_500_000, 700_000] {
            let (limited, told) = run(&format!("ulimit -v {kilobytes};"));
            assert!(
                limited == code || limited == Some(3),
                "{model}, {kilobytes}: {told}"
            );
            assert!(!told.contains("panicked"), "{model}, {kilobytes}: {told}");
        }
    }
}
