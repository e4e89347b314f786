//! Runs by hand, through a pipe: what is typed, and what is answered, in both languages.

use std::path::Path;
use std::process::Command;

use evenhand_testkit::piped;

/// Calls the command with something on standard input; its exit code, and what it says.
fn call(arguments: &[&str], input: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evenhand"));
    command
        .args(arguments)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    let output = piped(&mut command, input).expect("evenhand runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the output is text");
    let (out, errors) = (text(output.stdout), text(output.stderr));
    (output.status.code(), out, errors)
}

/// What is answered to the orders of a run by hand, one answer per order.
fn answers(model: &str, options: &[&str], orders: &[&str]) -> Vec<String> {
    let arguments = [&["simulate", "--interactive"], options, &[model]].concat();
    let (code, out, errors) = call(&arguments, &orders.join("\n"));
    assert_eq!((code, errors.as_str()), (Some(0), ""), "{out}");
    let mut answers: Vec<String> = out.split("> ").map(str::to_string).collect();
    assert_eq!(answers.len(), orders.len() + 2, "{out}");
    assert_eq!(answers.last().map(String::as_str), Some("\n"), "the end");
    for (answer, order) in answers.iter_mut().skip(1).zip(orders) {
        let rest = answer.strip_prefix(&format!("{order}\n"));
        *answer = rest.expect("what came through the pipe").to_string();
    }
    answers
}

/// A file of its own with this text.
fn file(name: &str, text: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("simulate");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file");
    path.display().to_string()
}

const PROMELA: &str = "byte x = 3; bool go[2];
active proctype p() { x = 4; go[1] = true; do :: x < 9 -> x++ :: x > 4 -> x-- od }
active proctype q() { go[1]; x = 0; assert(x == 1) }";

#[test]
fn promela_by_hand() {
    let model = file("hand.pml", PROMELA);
    let told = answers(
        &model,
        &["--watch", "x"],
        &[
            "2",
            "w go[1] gp",
            "1",
            "u 2",
            "w",
            "w x",
            "r 4",
            "p",
            "u 99",
            "u",
            "v",
            "nonsense",
            "77",
        ],
    );
    assert!(told[0].contains("0  initial state   [x = 3, go = [false, false]]"));
    assert!(told[0].contains("        x: 3\n"));
    assert!(
        told[0].contains("    1  p[0]  line 2  x = 4\n"),
        "{}",
        told[0]
    );
    assert!(told[1].contains("there is no choice 2"), "{}", told[1]);
    assert!(told[2].contains("no variable `gp`; did you mean `go`?"));
    assert!(told[2].contains("        go[1]: false\n"));
    assert!(told[3].contains("        x: 3 → 4\n        go[1]: false\n"));
    assert!(told[3].contains("\nafter step 1\n"));
    assert!(
        told[4].contains("after step 0"),
        "at most to the start: {}",
        told[4]
    );
    assert!(told[5].contains("x: 3\n        go[1]: false\n"));
    assert!(told[6].contains("`x` is no longer watched\n        go[1]: false\n"));
    assert!(told[7].contains("        go[1]: false → true\n") && !told[7].contains("  x: "));
    assert!(told[7].contains("after step 4"));
    let steps: Vec<&str> = told[8].lines().filter(|l| l.contains("line ")).collect();
    assert_eq!(steps.len(), 4, "{}", told[8]);
    assert!(told[8].starts_with("     0  initial state"));
    assert!(told[9].contains("after step 0"));
    assert!(told[10].contains("nothing to undo"));
    assert!(told[11].contains("  x = 3\n  go = [false, false]\n"));
    assert!(told[12].contains("`nonsense` is no choice; h shows"));
    assert!(told[13].contains("there is no choice 77"));
}

#[test]
fn a_failing_step_is_marked_and_told() {
    let model = file(
        "fails.pml",
        "active proctype p() { assert(false); end: false }",
    );
    let told = answers(&model, &[], &["1", "r", "3 r", "h"]);
    assert!(told[0].contains("assert(false)  (fails)"), "{}", told[0]);
    assert!(
        told[1].contains("        ! assertion violated"),
        "{}",
        told[1]
    );
    assert!(told[1].contains("the run ends"), "{}", told[1]);
    assert!(told[2].contains("no step is possible\n"), "{}", told[2]);
    assert!(
        told[3].contains("no step is possible after 0 of 3"),
        "{}",
        told[3]
    );
    for key in ["r N", "u N", "w NAME", "p ", "m ", "/TEXT", "q "] {
        assert!(told[4].contains(key), "{key}");
    }
}

const SMV: &str = "MODULE main
VAR a : 0..30; b : boolean; c : {left, right};
IVAR i : boolean; j : 0..2;
ASSIGN
  init(c) := left;
  next(a) := i & j = 1 ? 0 : {a, 30};
  next(b) := i ? b : !b;
  next(c) := c;
";

#[test]
fn the_initial_state_of_a_relation_is_chosen() {
    let model = file("many.smv", SMV);
    let orders = [
        "v",
        "m",
        "m",
        "m",
        "m",
        "/b = TRUE",
        "/nothing",
        "/",
        "p",
        "3",
        "u",
        "r",
        "u 7",
        "62",
    ];
    let told = answers(&model, &["--watch", "b"], &orders);
    assert!(
        told[0].contains("62 initial states\n    1  a = 0, b = false\n"),
        "{}",
        told[0]
    );
    assert!(told[0].contains("42 more: m shows them"));
    assert!(!told[0].contains("c = "), "all begin with the same");
    assert_eq!(
        told[1],
        "  a = (to be chosen)\n  b = (to be chosen)\n  c = left\n"
    );
    assert!(told[2].contains("   21  a = 10, b = false\n"));
    assert!(told[4].contains("   62  a = 30, b = true\n       these are the last"));
    assert!(
        told[5].contains("    1  a = 0, b = false\n"),
        "from the start again"
    );
    assert!(told[6].contains("31 of 62") && !told[6].contains("b = false"));
    assert!(told[7].contains("0 of 62 have `nothing` in them"));
    assert!(told[8].contains("    1  a = 0, b = false\n"));
    assert!(told[9].contains("nothing was chosen yet"));
    assert!(told[10].contains("0  initial state   [a = 1, b = false, c = left]"));
    assert!(told[10].contains("        b: false\n"));
    assert!(
        told[11].contains("62 initial states"),
        "undo gets back to it"
    );
    assert!(told[12].contains("after step 0"));
    assert!(told[13].contains("62 initial states"));
    assert!(told[14].contains("[a = 30, b = true, c = left]"));
}

#[test]
fn steps_of_a_relation_tell_their_inputs() {
    let model = file("inputs.smv", SMV);
    let told = answers(&model, &[], &["3", "/i = false", "3", "w a", "/", "1"]);
    let menu = "
    1  main  a = 0   with i = true, j = 1
    2  main  nothing changes   with i = true, j = 0 or 2
    3  main  b = true   with i = false, j = 0 or 1 or 2
    4  main  a = 30   with i = true, j = 0 or 2
    5  main  a = 30, b = true   with i = false, j = 0 or 1 or 2
";
    assert!(told[1].contains(menu), "{}", told[1]);
    assert!(told[2].contains("    5  main") && !told[2].contains("    1  main"));
    assert!(
        told[3].contains("main  with i = false, j = 0   [b = true]"),
        "{}",
        told[3]
    );
    assert!(told[4].contains("        a: 1\n"));
    assert!(told[6].contains("        a: 1 → 0\n"), "{}", told[6]);
}

#[test]
fn a_random_run_shows_what_is_watched() {
    let model = file("watched.pml", PROMELA);
    let (_, out, _) = call(
        &["simulate", "--steps", "2", "--watch", "go[1]", &model],
        "",
    );
    assert!(
        out.starts_with("     0  initial state   [go[1] = false]\n"),
        "{out}"
    );
    assert!(!out.contains("[x ="), "{out}");
    let arguments = [
        "simulate", "--steps", "2", "--watch", "x", "--format", "json", &model,
    ];
    let (_, out, _) = call(&arguments, "");
    let json: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let states: Vec<_> = json["steps"].as_array().expect("steps").iter().collect();
    assert!(
        states
            .iter()
            .all(|step| step["state"].as_object().is_some_and(|s| s.len() == 1))
    );
    let lift = "models/smv/lift.smv";
    for interactive in [&["--interactive"][..], &[]] {
        let arguments = [&["simulate", "--watch", "flor"], interactive, &[lift]].concat();
        let (code, out, errors) = call(&arguments, "");
        assert_eq!((code, out.as_str()), (Some(2), ""));
        assert!(
            errors.contains("no variable `flor`; did you mean `floor`?"),
            "{errors}"
        );
    }
}

#[test]
fn there_may_be_no_initial_state() {
    let model = file("none.smv", "MODULE main VAR x : boolean; INIT FALSE");
    let (code, out, errors) = call(&["simulate", "--interactive", &model], "r\n");
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(errors.contains("the model has no initial state"));
}

#[test]
fn names_to_watch_may_be_anything() {
    let model = file("watch-long.pml", "byte x; active proctype p() { x = 1 }\n");
    let long = format!("w x{}", "[0]".repeat(100_000));
    let (code, _, _) = call(&["simulate", "-i", &model], &format!("{long}\nq\n"));
    assert_eq!(code, Some(0));
    // To name a variable twice is not to take it back.
    let (code, out, _) = call(
        &["simulate", "-i", "--watch", "x", "--watch", "x", &model],
        "w\nq\n",
    );
    assert_eq!(code, Some(0));
    assert!(out.lines().any(|line| line.contains("x = 0")), "{out}");
    // The model and the orders cannot both come from standard input.
    let (code, _, errors) = call(&["simulate", "-i", "-"], "byte x; init { x = 1 }\n");
    assert_eq!(code, Some(2));
    assert!(errors.contains("standard input"), "{errors}");
}
