//! Trails that `--trail` writes, replayed by SPIN: the same statements by the same processes, the
//! cycle at the same place, and the same variables at the end. Skipped where there is no SPIN.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

struct Replay {
    /// Process and line of each statement, and `None` where the cycle begins.
    statements: Vec<Option<(usize, usize)>>,
    text: String,
}

fn replay(directory: &Path, model: &str) -> Replay {
    let output = Command::new("spin")
        .args(["-k", "run.trail", "-t", "-p", "-g", model])
        .current_dir(directory)
        .output()
        .expect("spin runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    // What SPIN prints behind the end of the trail is the last state, in the same form.
    let steps = text.split("spin: trail ends").next().unwrap_or_default();
    let mut statements: Vec<Option<(usize, usize)>> = Vec::new();
    let mut last = "";
    for line in steps.lines() {
        let number = |text: &str| -> usize {
            let digits = text.trim().parse();
            digits.unwrap_or_else(|_| panic!("no number: {line}"))
        };
        if line.contains("START OF CYCLE") {
            statements.push(None);
        } else if let Some((depth, rest)) = line.split_once(":\tproc ") {
            // The statements of a d_step have one depth; where it stands is not compared.
            if depth == last {
                if let Some(Some((_, line))) = statements.last_mut() {
                    *line = 0;
                }
                continue;
            }
            last = depth;
            let mut words = rest.split_whitespace();
            let process = words.next().unwrap_or_default();
            let place = words.nth(1).unwrap_or_default();
            let (_, place) = place.rsplit_once(':').unwrap_or_default();
            statements.push(Some((number(process), number(place))));
        } else if let Some((_, rest)) = line.split_once(": proc ")
            && let Some((process, "terminates")) = rest.split_once(' ')
        {
            statements.push(Some((number(process), 0)));
        }
    }
    Replay { statements, text }
}

fn pid(name: &Value) -> usize {
    let name = name.as_str().unwrap_or_default();
    let number = name.split(['[', ']']).nth(1);
    number.and_then(|n| n.parse().ok()).expect("a process")
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

/// What the run of the JSON says: lines of zero are not compared.
fn told(run: &Value) -> Vec<Option<(usize, usize)>> {
    let mut all = Vec::new();
    for (part, cycle) in [("prefix", false), ("cycle", true)] {
        let steps = list(run, part).iter().filter(|s| s["kind"] == "step");
        for (number, step) in steps.enumerate() {
            if cycle && number == 0 {
                all.push(None);
            }
            let mut push = |item: &Value| {
                let line = item["line"].as_u64().unwrap_or_default() as usize;
                let ends = item["action"] == "end";
                all.push(Some((pid(&item["process"]), if ends { 0 } else { line })));
            };
            match list(step, "substeps") {
                [] => push(step),
                several => several.iter().for_each(&mut push),
            }
            // The receive of a handshake has a line of its own.
            if let [_, partner] = list(step, "processes")
                && list(step, "substeps").is_empty()
            {
                all.push(Some((pid(partner), 0)));
            }
        }
    }
    all
}

fn check(model: &Path, arguments: &[&str], directory: &Path) -> usize {
    std::fs::create_dir_all(directory).expect("a folder");
    let name = model.file_name().and_then(|n| n.to_str()).expect("a name");
    std::fs::copy(model, directory.join(name)).expect("the model");
    let output = Command::new(env!("CARGO_BIN_EXE_evenhand"))
        .args(["check", name, "--format", "json", "--trail", "run.trail"])
        .args(arguments)
        .current_dir(directory)
        .output()
        .expect("evenhand runs");
    let answer: Value = serde_json::from_slice(&output.stdout).expect("one object");
    let violated = list(&answer, "properties").iter();
    let mut violated = violated.filter(|p| !p["counterexample"].is_null());
    let run = &violated.next().expect("a violated property")["counterexample"];
    let (told, replay) = (told(run), replay(directory, name));
    let context = format!("{name} {arguments:?}\n{}", replay.text);
    for bad in [
        "no matching",
        "invalid statement",
        "transition failed",
        "stop error",
        "lost",
    ] {
        assert!(!replay.text.contains(bad), "{context}");
    }
    let same = told.len() == replay.statements.len()
        && told.iter().zip(&replay.statements).all(|pair| match pair {
            (None, None) => true,
            (Some((p, 0)), Some((q, _))) | (Some((p, _)), Some((q, 0))) => p == q,
            (p, q) => p == q,
        });
    assert!(
        same,
        "{context}\nexpected {told:?}\nfound {:?}",
        replay.statements
    );
    // The variables that SPIN shows at the end.
    let last = list(run, "cycle").last().or(list(run, "prefix").last());
    let state = last.and_then(|s| s["state"].as_object()).expect("a state");
    let (_, end) = replay.text.split_once("#processes").unwrap_or_default();
    let mut compared = 0;
    for (variable, value) in state {
        let number = match value {
            Value::Number(n) => n.to_string(),
            Value::Bool(b) => u8::from(*b).to_string(),
            _ => continue,
        };
        let found = end.lines().filter_map(|l| l.trim().split_once(" = "));
        let mut found = found.filter(|(n, _)| n == variable);
        if let Some((_, shown)) = found.next() {
            assert_eq!(shown.trim(), number, "{variable}: {context}");
            compared += 1;
        }
    }
    compared
}

#[test]
fn spin_replays_what_was_written() {
    if Command::new("spin").arg("-V").output().is_err() {
        println!("skipped: spin is not installed");
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let models = root.join("../../models/promela");
    let own = root.join("tests/all/trails");
    let base = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("trails");
    let calls: [(PathBuf, &[&str]); 13] = [
        (models.join("philosophers.pml"), &["-p", "deadlock"]),
        (models.join("philosophers.pml"), &["-p", "accessible"]),
        (models.join("readers_writers.pml"), &["-p", "writer_enters"]),
        (
            models.join("semaphore.pml"),
            &["-p", "entry", "--no-fairness"],
        ),
        (
            models.join("alternating_bit.pml"),
            &["-p", "delivery", "--no-fairness"],
        ),
        (
            models.join("handshake.pml"),
            &["-p", "answer", "--no-fairness"],
        ),
        (
            models.join("producer_consumer.pml"),
            &["-p", "ticking", "--no-fairness"],
        ),
        (
            models.join("peterson.pml"),
            &["-p", "entry", "--no-fairness"],
        ),
        (models.join("river.pml"), &["-p", "assertions"]),
        (models.join("river.pml"), &["-p", "unsolvable"]),
        (
            root.join("tests/all/printed/messages.pml"),
            &["-p", "assertions"],
        ),
        (own.join("everything.pml"), &["-p", "assertions"]),
        (own.join("everything.pml"), &["-p", "quiet"]),
    ];
    let mut compared = 0;
    for (number, (model, arguments)) in calls.iter().enumerate() {
        compared += check(model, arguments, &base.join(number.to_string()));
    }
    assert!(compared > 15, "only {compared} variables were compared");
}
