//! What `evenhand advise` says about models whose answer is known, in
//! `tests/all/advise/expected.txt`.
//!
//! Each answer is tried out with `evenhand check` as well: the property holds under the assignment,
//! and is violated where one of its items is lowered.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Calls the command in the root of the repository: standard output and exit status.
fn evenhand(arguments: &[&str]) -> (String, i32) {
    let output = Command::new(env!("CARGO_BIN_EXE_evenhand"))
        .args(arguments)
        .current_dir(root())
        .output()
        .expect("the command runs");
    let text = String::from_utf8(output.stdout).expect("text");
    (text, output.status.code().expect("a status"))
}

struct Row {
    model: String,
    options: Vec<String>,
    outcome: String,
    assignments: Vec<Vec<String>>,
}

fn table() -> Vec<Row> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/advise/expected.txt");
    let text = std::fs::read_to_string(path).expect("expected.txt");
    let lines = text
        .lines()
        .filter(|l| !l.is_empty() && !l.starts_with('#'));
    let words = |text: &str| {
        text.split_whitespace()
            .map(str::to_string)
            .collect::<Vec<_>>()
    };
    lines
        .map(|line| {
            let columns: Vec<&str> = line.split('|').map(str::trim).collect();
            let [model, options, outcome, assignments] = columns[..] else {
                panic!("not four columns: {line}");
            };
            let list = assignments.split(';').map(words);
            Row {
                model: model.into(),
                options: words(options),
                outcome: outcome.into(),
                assignments: list.filter(|a| !a.is_empty()).collect(),
            }
        })
        .collect()
}

/// The exit status of `check` without the fairness of the model and with these assumptions.
fn check(row: &Row, fairness: &[String]) -> i32 {
    let mut call = vec![
        "check",
        &row.model,
        "--no-fairness",
        "--counterexample",
        "none",
        "-q",
    ];
    let mut options = row.options.iter();
    while let Some(option) = options.next() {
        match option.as_str() {
            "--by" => drop(options.next()),
            "--all-properties" => {}
            _ => call.push(option),
        }
    }
    let fairness = fairness.iter().flat_map(|spec| ["--fair", spec]);
    call.extend(fairness);
    evenhand(&call).1
}

fn advice(row: &Row, more: &[&str]) -> (String, i32) {
    let mut call = vec!["advise", &row.model];
    call.extend(row.options.iter().map(String::as_str));
    call.extend(more);
    evenhand(&call)
}

#[test]
fn advice_is_the_known_one() {
    let rows = table();
    assert!(rows.len() > 15);
    for row in rows {
        let what = format!("{} {}", row.model, row.options.join(" "));
        let (text, status) = advice(&row, &["--format", "json"]);
        let answer: Value = serde_json::from_str(&text).expect("JSON");
        let answer = &answer["advice"][0];
        assert_eq!(answer["outcome"], *row.outcome, "{what}");
        let expected_status = i32::from(["impossible", "vacuous"].contains(&row.outcome.as_str()));
        assert_eq!(status, expected_status, "{what}");
        assert_eq!(answer["complete"], true, "{what}");
        let list = answer["assignments"].as_array().expect("a list");
        let texts = |a: &Value| -> Vec<String> {
            let list = a["fairness"].as_array().expect("a list").iter();
            list.map(|s| s.as_str().expect("a text").to_string())
                .collect()
        };
        let found: Vec<Vec<String>> = list.iter().map(texts).collect();
        match row.outcome.as_str() {
            "nothing" => assert_eq!(found, [Vec::<String>::new()], "{what}"),
            _ => assert_eq!(found, row.assignments, "{what}"),
        }
        for (assignment, fairness) in list.iter().zip(&found) {
            assert_eq!(check(&row, fairness), 0, "{what}: {fairness:?}");
            let needs = assignment["needs"].as_array().expect("a list");
            assert_eq!(needs.len(), fairness.len(), "{what}");
            for need in needs {
                let run = &need["because"]["counterexample"];
                assert_eq!(run["shortest"], true, "{what}: {need}");
                let item = need["item"].as_str().expect("a name");
                let mut lowered: Vec<String> = fairness.clone();
                lowered.retain(|s| s.split_once(':').is_none_or(|(_, name)| name != item));
                assert_eq!(lowered.len() + 1, fairness.len(), "{what}: {item}");
                if need["fails_with"] == "weak" {
                    lowered.push(format!("weak:{item}"));
                }
                assert_eq!(check(&row, &lowered), 1, "{what}: {lowered:?}");
            }
        }
        if row.outcome == "impossible" {
            assert_eq!(
                answer["because"]["counterexample"]["replayed"], true,
                "{what}"
            );
        }
    }
}

#[test]
fn a_finer_look_is_advised_where_it_helps() {
    for row in table().iter().filter(|r| r.outcome == "impossible") {
        let by_label = row.options.iter().any(|o| o == "label");
        let (text, _) = advice(row, &[]);
        let helps = text.contains("try `--by label`");
        let labelled = row.model.contains("alternating_bit_labels");
        assert_eq!(helps, labelled && !by_label, "{text}");
    }
}

#[test]
fn annotations_can_be_pasted() {
    let (text, status) = evenhand(&[
        "advise",
        "models/promela/semaphore.pml",
        "-p",
        "entry",
        "--by",
        "label",
        "--write",
    ]);
    assert_eq!(status, 0);
    assert_eq!(
        text,
        "/* for entry: */\n/*@ fair strong:process@waiting */\n"
    );
    let (text, _) = evenhand(&[
        "advise",
        "models/promela/peterson.pml",
        "-p",
        "exclusion",
        "--write",
    ]);
    assert_eq!(text, "/* exclusion needs no fairness */\n");
}

#[test]
fn wrong_calls_are_refused() {
    let (_, status) = evenhand(&["advise", "models/promela/peterson.pml", "-p", "nonsense"]);
    assert_eq!(status, 2);
    let call = [
        "advise",
        "models/promela/peterson.pml",
        "--fair",
        "weak:nobody",
    ];
    assert_eq!(evenhand(&call).1, 2);
    let call = [
        "advise",
        "models/promela/peterson.pml",
        "--limit-states",
        "5",
        "-p",
        "entry",
    ];
    assert_eq!(evenhand(&call).1, 3);
}
