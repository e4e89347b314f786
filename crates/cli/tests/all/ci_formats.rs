//! `--format junit` and `--format sarif`: the structure that CI systems rely on, and the exit codes of always.

#[path = "ci_formats/sarif_shape.rs"]
mod sarif_shape;

use std::path::Path;
use std::process::Command;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use serde_json::Value;

/// What a call prints, and its exit code.
fn evenhand(arguments: &[&str]) -> (String, i32) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = Command::new(env!("CARGO_BIN_EXE_evenhand"))
        .current_dir(root)
        .args(arguments)
        .output()
        .expect("the command");
    let printed = String::from_utf8(output.stdout).expect("UTF-8");
    (printed, output.status.code().expect("a code"))
}

/// Calls with each outcome: the arguments behind the format, the code, and tests, failures and errors.
const CALLS: [(&[&str], i32, [usize; 3]); 4] = [
    (&["models/promela/semaphore.pml"], 0, [4, 0, 0]),
    (
        &["models/promela/semaphore.pml", "--no-fairness"],
        1,
        [4, 1, 0],
    ),
    (
        &["crates/cli/tests/all/ci_formats.rs", "--lang", "smv"],
        2,
        [1, 0, 1],
    ),
    (
        &["models/promela/semaphore.pml", "--limit-states", "3"],
        3,
        [4, 0, 4],
    ),
];

#[derive(Default)]
struct Suite {
    /// What the suite says: tests, failures, errors.
    said: [usize; 3],
    tests: Vec<String>,
    failures: usize,
    errors: usize,
}

fn attribute(element: &BytesStart<'_>, name: &str) -> String {
    let found = element.try_get_attribute(name).expect("an attribute");
    let found = found.unwrap_or_else(|| panic!("`{name}` is missing"));
    let value = found.value.into_owned();
    assert!(!value.contains('<'), "{value}");
    value
}

/// What `junit-10.xsd`, the schema of Jenkins, allows as attributes of an element; those that it demands come first.
fn allowed(element: &BytesStart<'_>, name: &str) {
    let (must, may): (&[&str], &[&str]) = match name {
        "testsuites" => (
            &[],
            &["name", "time", "tests", "failures", "disabled", "errors"],
        ),
        "testsuite" => (
            &["name", "tests"],
            &[
                "failures",
                "errors",
                "time",
                "disabled",
                "skipped",
                "timestamp",
                "hostname",
                "id",
                "package",
            ],
        ),
        "testcase" => (&["name"], &["assertions", "time", "classname", "status"]),
        "failure" | "error" => (&[], &["message", "type"]),
        "system-err" => (&[], &[]),
        other => panic!("`{other}` is no element of JUnit"),
    };
    must.iter().for_each(|name| drop(attribute(element, name)));
    for found in element.attributes() {
        let found = found.expect("an attribute");
        let key = found.key.as_ref();
        assert!(must.contains(&key) || may.contains(&key), "{name}: {key}");
    }
}

/// Reads JUnit's XML: `testsuites`, `testsuite`, `testcase`, `failure` and `error`, each inside of the one before.
fn suite(text: &str) -> Suite {
    let mut reader = Reader::from_str(text);
    let mut suite = Suite::default();
    let mut open: Vec<String> = Vec::new();
    let mut messages = false;
    loop {
        let event = reader.read_event().expect("XML");
        let (Event::Start(element) | Event::Empty(element)) = &event else {
            match event {
                Event::End(_) => drop(open.pop()),
                Event::Eof => break,
                _ => {}
            }
            continue;
        };
        let name = element.name().as_ref().to_string();
        let inside = open.last().map_or("", String::as_str);
        allowed(element, &name);
        // Messages come behind all tests.
        assert!(inside != "testsuite" || !messages, "{name}");
        messages |= name == "system-err";
        match (inside, &*name) {
            ("", "testsuites") => {}
            ("testsuites", "testsuite") => {
                attribute(element, "name");
                let counts = ["tests", "failures", "errors"];
                suite.said = counts.map(|name| attribute(element, name).parse().expect("a number"));
            }
            ("testsuite", "testcase") => {
                let seconds: f64 = attribute(element, "time").parse().expect("a number");
                assert!(seconds >= 0.0);
                attribute(element, "classname");
                suite.tests.push(attribute(element, "name"));
            }
            ("testcase", "failure") => suite.failures += 1,
            ("testcase", "error") => suite.errors += 1,
            ("testsuite", "system-err") => {}
            other => panic!("{other:?}"),
        }
        if matches!(name.as_str(), "failure" | "error") {
            attribute(element, "message");
            attribute(element, "type");
        }
        if matches!(event, Event::Start(_)) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
    suite
}

#[test]
fn junit_has_a_test_for_each_property() {
    for (arguments, code, counts) in CALLS {
        let call = [&["check", "--format", "junit"], arguments].concat();
        let (printed, ended) = evenhand(&call);
        assert_eq!(ended, code, "{call:?}\n{printed}");
        let suite = suite(&printed);
        assert_eq!(suite.said, counts, "{printed}");
        let found = [suite.tests.len(), suite.failures, suite.errors];
        assert_eq!(found, counts, "{printed}");
    }
    let (printed, _) = evenhand(&["check", "--format", "junit", CALLS[0].0[0], "--no-fairness"]);
    for part in [
        "1 step, then 6 steps that repeat",
        "back in the state after step 1",
    ] {
        assert!(printed.contains(part), "the run is told: {printed}");
    }
}

/// A result of SARIF 2.1.0: what its schema demands, and what its text says beyond.
fn result(result: &Value, rules: &[Value]) {
    let number = result["ruleIndex"].as_u64().expect("a number") as usize;
    assert_eq!(result["ruleId"], rules[number]["id"]);
    let kind = result["kind"].as_str().expect("a kind");
    let level = result["level"].as_str().expect("a level");
    let pairs = [("pass", "none"), ("fail", "error"), ("open", "none")];
    assert!(pairs.contains(&(kind, level)), "{kind} {level}");
    assert!(
        !result["message"]["text"]
            .as_str()
            .expect("words")
            .is_empty()
    );
    for location in result["locations"].as_array().expect("a list") {
        physical(&location["physicalLocation"]);
    }
    let flows = result["codeFlows"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    assert_eq!(flows.len(), usize::from(kind == "fail"));
    for flow in flows {
        let locations = flow["threadFlows"][0]["locations"].as_array();
        let locations = locations.expect("a list");
        assert!(locations.len() > 1);
        for step in locations {
            assert!(step["location"]["message"]["text"].is_string());
            let importance = step["importance"].as_str();
            assert!(matches!(importance, Some("important" | "essential")));
            if let Some(place) = step["location"].get("physicalLocation") {
                physical(place);
            }
        }
    }
}

fn physical(place: &Value) {
    let uri = place["artifactLocation"]["uri"].as_str().expect("a file");
    assert!(!uri.contains(' ') && !uri.is_empty());
    if let Some(region) = place.get("region") {
        let number = |name: &str| region[name].as_u64().expect("a number");
        let start = (number("startLine"), number("startColumn"));
        let end = (number("endLine"), number("endColumn"));
        assert!(start >= (1, 1) && end >= start, "{region}");
    }
}

#[test]
fn sarif_has_a_result_for_each_property() {
    for (arguments, code, [tests, failures, errors]) in CALLS {
        let call = [&["check", "--format", "sarif"], arguments].concat();
        let (printed, ended) = evenhand(&call);
        assert_eq!(ended, code, "{call:?}\n{printed}");
        let log: Value = serde_json::from_str(&printed).expect("JSON");
        sarif_shape::check(&log, "sarifLog", "log");
        let runs = log["runs"].as_array().expect("runs");
        assert_eq!(runs.len(), 1);
        let driver = &runs[0]["tool"]["driver"];
        assert_eq!(driver["name"], "evenhand");
        let invocation = &runs[0]["invocations"][0];
        assert_eq!(invocation["executionSuccessful"], code != 2);
        let results = runs[0]["results"].as_array().expect("results");
        if code == 2 {
            assert!(results.is_empty());
            let notes = &invocation["toolExecutionNotifications"];
            assert_eq!(notes[0]["level"], "error");
            physical(&notes[0]["locations"][0]["physicalLocation"]);
            continue;
        }
        let rules = driver["rules"].as_array().expect("rules");
        results.iter().for_each(|one| result(one, rules));
        let count = |kind: &str| results.iter().filter(|one| one["kind"] == kind).count();
        let counts = [results.len(), count("fail"), count("open")];
        assert_eq!(counts, [tests, failures, errors]);
        // A property stands where its text is.
        let entry = results
            .iter()
            .find(|one| one["ruleId"] == "entry")
            .expect("entry");
        let region = &entry["locations"][0]["physicalLocation"]["region"];
        let text = include_str!("../../../../models/promela/semaphore.pml");
        let line = text.lines().position(|line| line.starts_with("ltl entry"));
        assert_eq!(region["startLine"], line.expect("it is there") + 1);
    }
}

#[test]
fn every_language_keeps_to_the_schemas() {
    for (model, more) in [
        ("models/promela/philosophers.pml", &["--no-fairness"][..]),
        ("models/smv/semaphore.smv", &["--no-fairness"]),
        ("models/tla/SemaphoreWeak.cfg", &[]),
        ("models/petri/philosophers.pnml", &[]),
        (
            "models/petri/post.pn",
            &["--no-fairness", "--ltl", "[] <> (place idle equals empty)"],
        ),
    ] {
        // A specification comes with one configuration of several.
        let tla = ["models/tla/Semaphore.tla", "--config", model];
        let model = match model.ends_with(".cfg") {
            true => &tla[..],
            false => &tla[2..],
        };
        let call = |format| [&["check", "--format", format], model, more].concat();
        let (printed, code) = evenhand(&call("sarif"));
        assert_eq!(code, 1, "{model:?}: something is violated\n{printed}");
        let log: Value = serde_json::from_str(&printed).expect("JSON");
        sarif_shape::check(&log, "sarifLog", "log");
        let rules = &log["runs"][0]["tool"]["driver"]["rules"];
        let results = log["runs"][0]["results"].as_array().expect("results");
        let rules = rules.as_array().expect("rules");
        results.iter().for_each(|one| result(one, rules));
        let (printed, code) = evenhand(&call("junit"));
        assert_eq!(code, 1, "{model:?}");
        let suite = suite(&printed);
        assert_eq!(suite.tests.len(), results.len());
        assert!(suite.failures > 0, "{printed}");
    }
}

#[test]
fn other_commands_refuse_them() {
    for format in ["junit", "sarif"] {
        let (_, code) = evenhand(&["states", "models/promela/semaphore.pml", "--format", format]);
        assert_eq!(code, 2);
    }
}
