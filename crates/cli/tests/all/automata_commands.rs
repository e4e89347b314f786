//! `empty`, `translate` and `formula` from the outside.

use serde_json::Value;
use std::io::Write;
use std::process::{Command, Stdio};

struct Answer {
    code: i32,
    out: String,
    err: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).expect("one JSON object")
    }
}

/// Runs the command with a text on its standard input.
fn evenhand(arguments: &[&str], input: &str) -> Answer {
    let mut child = Command::new(env!("CARGO_BIN_EXE_evenhand"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    // A command that does not read its input may be gone already.
    let _ = child
        .stdin
        .take()
        .expect("piped")
        .write_all(input.as_bytes());
    let output = child.wait_with_output().expect("the command ends");
    Answer {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn hoa(acceptance: &str, body: &str) -> String {
    format!(
        "HOA: v1\nStates: 2\nStart: 0\nAP: 1 \"a\"\nAcceptance: {acceptance}\n--BODY--\n{body}\n--END--\n"
    )
}

#[test]
fn empty_tells_empty_from_nonempty() {
    let nonempty = hoa("1 Inf(0)", "State: 0 [!0] 0 [0] 1 State: 1 [0] 0 {0}");
    let answer = evenhand(&["empty", "-"], &nonempty);
    assert_eq!(answer.code, 1, "{}", answer.err);
    assert!(
        answer.out.starts_with("not empty: an accepting run\n"),
        "{}",
        answer.out
    );
    assert!(answer.out.contains("1 --[a]--> 0 {0}"), "{}", answer.out);
    let empty = hoa(
        "2 Fin(0) & Inf(1)",
        "State: 0 [0] 0 {0 1} [!0] 1 {1} State: 1 [t] 1",
    );
    let answer = evenhand(&["empty", "-"], &empty);
    assert_eq!((answer.code, answer.out.as_str()), (0, "empty\n"));
}

#[test]
fn empty_answers_for_each_automaton_of_a_stream() {
    let stream = [
        hoa("1 Inf(0)", "State: 0 [t] 0"),
        hoa("2 (Fin(0) | Inf(1))", "State: 0 [t] 0 {0 1}"),
    ]
    .concat();
    let answer = evenhand(&["empty", "--format", "json", "-"], &stream);
    assert_eq!(answer.code, 1);
    let json = answer.json();
    assert_eq!(
        (&json["schema"], &json["language"]),
        (&1.into(), &"hoa".into())
    );
    let properties = json["properties"].as_array().expect("a list");
    let verdicts: Vec<&str> = properties
        .iter()
        .filter_map(|p| p["verdict"].as_str())
        .collect();
    assert_eq!(verdicts, ["holds", "violated"]);
    assert!(properties.iter().all(|p| p["kind"] == "emptiness"));
    assert_eq!(properties[0]["counterexample"], Value::Null);
    let run = &properties[1]["counterexample"];
    assert_eq!(run["prefix"][0]["kind"], "init");
    assert_eq!(run["replayed"], true);
    let steps = |part: &str| run[part].as_array().map_or(0, Vec::len);
    assert_eq!(run["length"], steps("prefix") - 1 + steps("cycle"));
    let last = |part: &str| {
        run[part]
            .as_array()
            .and_then(|l| l.last())
            .map(|s| s["state"].clone())
    };
    assert_eq!(last("prefix"), last("cycle"));
}

#[test]
fn empty_says_what_is_wrong_and_where() {
    let alternating = hoa("1 Inf(0)", "State: 0 [0] 0&1");
    let answer = evenhand(&["empty", "-"], &alternating);
    assert_eq!((answer.code, answer.out.as_str()), (2, ""));
    assert!(answer.err.contains("universal branching"), "{}", answer.err);
    let answer = evenhand(&["empty", "--format", "json", "-"], &alternating);
    assert_eq!(answer.code, 2);
    let error = &answer.json()["errors"][0];
    assert_eq!((&error["line"], &error["column"]), (&7.into(), &15.into()));
    assert_eq!(evenhand(&["empty", "no-such-file.hoa"], "").code, 2);
    assert_eq!(evenhand(&["empty", "-"], "").code, 2);
}

/// What `translate` writes, `empty` reads.
#[test]
fn translate_writes_automata_that_empty_reads() {
    for (formula, code) in [
        ("G (p -> F q)", 1),
        ("G p & F !p", 0),
        ("G F p & F G !p", 0),
        ("p S q", 1),
    ] {
        for kind in ["tgba", "buchi", "streett"] {
            let hoa = evenhand(&["translate", "--type", kind, formula], "");
            assert_eq!(hoa.code, 0, "{}", hoa.err);
            assert!(hoa.out.starts_with("HOA: v1\n"));
            assert!(
                kind != "buchi" || hoa.out.contains("acc-name: Buchi\n"),
                "{}",
                hoa.out
            );
            let answer = evenhand(&["empty", "-q", "-"], &hoa.out);
            assert_eq!(answer.code, code, "{formula} as {kind}: {}", answer.err);
        }
    }
}

#[test]
fn translate_has_three_formats() {
    let dot = evenhand(&["translate", "--format", "dot", "G F p"], "");
    assert!(
        dot.code == 0 && dot.out.starts_with("digraph"),
        "{}",
        dot.out
    );
    let never = evenhand(&["translate", "--format", "never", "[] <> p"], "");
    assert!(
        never.code == 0 && never.out.starts_with("never {"),
        "{}",
        never.out
    );
    assert!(never.out.contains("accept"));
    let wrong = evenhand(
        &["translate", "--format", "never", "--type", "streett", "p"],
        "",
    );
    assert_eq!(wrong.code, 2);
    assert_eq!(evenhand(&["translate", "G (p ->"], "").code, 2);
    assert_eq!(evenhand(&["translate", "A G E F p"], "").code, 2);
}

/// Pairs and conditional marks; HOA expands them and says so, and stops at a limit.
#[test]
fn translate_expands_conditional_marks_under_a_limit() {
    let formula = "(G F a -> G F b) & (G F c -> G F d)";
    let answer = evenhand(&["translate", "--type", "streett", formula], "");
    assert_eq!(answer.code, 0);
    assert!(answer.err.contains("expanded"), "{}", answer.err);
    assert!(answer.out.contains("acc-name: Streett 2"), "{}", answer.out);
    let limited = [
        "translate",
        "--type",
        "streett",
        "--limit-edges",
        "2",
        formula,
    ];
    let answer = evenhand(&limited, "");
    assert_eq!((answer.code, answer.out.as_str()), (3, ""));
    assert!(answer.err.contains("more than 2 edges"), "{}", answer.err);
}

#[test]
fn formula_says_what_a_formula_means() {
    let answer = evenhand(&["formula", "G F p -> F p"], "");
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(answer.out.contains("valid:        yes"), "{}", answer.out);
    let answer = evenhand(&["formula", "--format", "json", "G (p -> F q)"], "");
    let formula = answer.json()["formulas"][0].clone();
    assert_eq!(formula["class"], "recurrence");
    assert_eq!(formula["class_is_exact"], true);
    assert_eq!(
        (&formula["satisfiable"], &formula["valid"]),
        (&true.into(), &false.into())
    );
    assert!(
        formula["model"]["cycle"]
            .as_array()
            .is_some_and(|c| !c.is_empty())
    );
    let answer = evenhand(&["formula", "--format", "json", "p & X !p & G p"], "");
    let formula = answer.json()["formulas"][0].clone();
    assert_eq!(
        (&formula["satisfiable"], &formula["model"]),
        (&false.into(), &Value::Null)
    );
    assert_eq!(evenhand(&["formula", "p &"], "").code, 2);
    assert_eq!(evenhand(&["formula", "E F p"], "").code, 2);
    assert_eq!(evenhand(&["formula"], "").code, 2);
}

/// Options may stand behind formulas; the class is that of what a formula says.
#[test]
fn formula_takes_options_anywhere() {
    let class = |arguments: &[&str]| {
        let answer = evenhand(arguments, "");
        assert_eq!(answer.code, 0, "{arguments:?}: {}", answer.err);
        answer.json()["formulas"][0]["class"].clone()
    };
    for (formula, expected) in [
        ("a", "safety"),
        ("G (p -> F G p)", "persistence"),
        ("(G F p & F G q) | G F (p & q)", "recurrence"),
        ("F G p & G F !p", "safety"),
        ("(G F p & F G !p) | F q", "guarantee"),
    ] {
        for arguments in [
            ["formula", formula, "--format", "json"],
            ["formula", "--format", "json", formula],
        ] {
            assert_eq!(class(&arguments), expected, "{arguments:?}");
        }
        assert_eq!(
            class(&["formula", formula, "--format=json", "-q"]),
            expected
        );
        assert_eq!(
            class(&["formula", "--format=json", "--", formula]),
            expected
        );
    }
    // Three strong fairness conditions about what takes time: too much to make it deterministic.
    let large = "(GF(a & XXXb) -> GF(b & XXa)) & (GF(c & XXXd) -> GF(d & XXc)) & (GF(a & XXc) -> GF(b & XXXd))";
    let answer = evenhand(&["formula", large], "");
    assert!(
        answer
            .out
            .contains("class:        at most reactivity, by its syntax"),
        "{}",
        answer.out
    );
}

#[test]
fn formula_compares() {
    let compare = |f: &str, g: &str| {
        let answer = evenhand(&["formula", "--format", "json", f, g], "");
        let second = answer.json()["formulas"][1].clone();
        let relation = second["first_is"].as_str().unwrap_or_default().to_owned();
        (answer.code, relation)
    };
    assert_eq!(compare("F p", "true U p"), (0, "equivalent".into()));
    assert_eq!(compare("G p", "F p"), (1, "stronger".into()));
    assert_eq!(compare("F p", "G p"), (1, "weaker".into()));
    assert_eq!(compare("F p", "F q"), (1, "different".into()));
    let answer = evenhand(&["formula", "p W q", "(p U q) | G p"], "");
    assert_eq!(answer.code, 0);
    assert!(
        answer.out.contains("equivalent to the first: yes"),
        "{}",
        answer.out
    );
}
