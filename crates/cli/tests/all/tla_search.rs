//! What a configuration of TLC says about the search, asked of the command: views, symmetry, constraints on levels,
//! postconditions, aliases, counts; and calls without a configuration.

use std::path::{Path, PathBuf};

use evenhand_testkit::promela_programs::command::Evenhand;
use serde_json::Value;

/// Writes a specification with its configuration into a folder of its own.
fn written(name: &str, module: &str, configuration: Option<&str>) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("tla-search")
        .join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("Model.tla"), module).expect("a module");
    let place = folder.join("Model.cfg");
    match configuration {
        Some(text) => std::fs::write(place, text).expect("a configuration"),
        None => std::fs::remove_file(place).unwrap_or_default(),
    }
    folder
}

fn call(folder: &Path, arguments: &[&str]) -> (i32, Value) {
    let mut all = vec!["check", "Model.tla", "--format", "json"];
    all.extend(arguments);
    let evenhand = Evenhand::at(env!("CARGO_BIN_EXE_evenhand"));
    evenhand.call(&all, folder).expect("an answer")
}

fn property<'v>(object: &'v Value, name: &str) -> &'v Value {
    let list = object["properties"].as_array().expect("properties");
    let found = list.iter().find(|property| property["name"] == name);
    found.unwrap_or_else(|| panic!("no `{name}` in {object}"))
}

/// The values of a variable along a run.
fn values(property: &Value, name: &str) -> Vec<Value> {
    let steps = property["counterexample"]["prefix"].as_array();
    let steps = steps.unwrap_or_else(|| panic!("no run in {property}"));
    steps
        .iter()
        .map(|step| step["state"][name].clone())
        .collect()
}

const COUNTER: &str = r#"---- MODULE Model ----
EXTENDS Naturals, TLC
VARIABLES x, y
Init == x \in 0..2 /\ y = 0
Next == \/ x' = (x + 1) % 5 /\ y' = y
        \/ x = 4 /\ y < 2 /\ y' = y + 1 /\ x' = x
Spec == Init /\ [][Next]_<<x, y>>
Low == TLCGet("level") < 5
Small == y < 2
Late == y = 2 /\ x = 0
Wraps == x = 4 /\ x' = 0
Large == x > 4
Jumps == x' = x + 2
Tiny == x < 9
Ever == <>(y = 2)
Grows == [][y' >= y]_y
Sum == [sum |-> x + y, level |-> TLCGet("level")]
Later == [sum |-> x' + y]
Seen == x
Counted == /\ TLCGet("stats").distinct = 15
           /\ TLCGet("stats").initial = 3
           /\ TLCGet("generated") = 20
           /\ TLCGet("diameter") = 9
           /\ TLCGet("queue") = 0
           /\ TLCGet("level") = 0
Wrong == TLCGet("distinct") = 14
====
"#;

#[test]
fn counts_are_those_of_tlc() {
    let folder = written("counts", COUNTER, Some("SPECIFICATION Spec"));
    let (code, object) = call(&folder, &[]);
    assert_eq!(code, 0, "{object}");
    let wanted = serde_json::json!({"distinct": 15, "generated": 20, "depth": 9});
    assert_eq!(object["tlc"], wanted);
    let folder = written(
        "counts-cut",
        COUNTER,
        Some("SPECIFICATION Spec CONSTRAINT Low"),
    );
    let (code, object) = call(&folder, &[]);
    assert_eq!(code, 0, "{object}");
    let wanted = serde_json::json!({"distinct": 6, "generated": 11, "depth": 4});
    assert_eq!(object["tlc"], wanted);
}

#[test]
fn a_postcondition_is_asked_at_the_end() {
    let configuration = "SPECIFICATION Spec POSTCONDITIONS Counted Wrong";
    let folder = written("postcondition", COUNTER, Some(configuration));
    for arguments in [&[][..], &["-p", "Counted", "-p", "Wrong"]] {
        let (code, object) = call(&folder, arguments);
        assert_eq!(code, 1, "{object}");
        assert_eq!(property(&object, "Counted")["verdict"], "holds", "{object}");
        assert_eq!(property(&object, "Counted")["kind"], "postcondition");
        assert_eq!(
            property(&object, "Wrong")["verdict"],
            "violated",
            "{object}"
        );
    }
    let (code, object) = call(&folder, &["--limit-states", "7"]);
    assert_eq!(code, 3, "{object}");
    assert_eq!(
        property(&object, "Counted")["verdict"],
        "unknown",
        "{object}"
    );
}

#[test]
fn what_is_possible_is_asked_at_the_end() {
    let configuration = "SPECIFICATION Spec _POSSIBLE Late Wraps Large Jumps";
    let folder = written("possible", COUNTER, Some(configuration));
    for arguments in [&[][..], &["--threads", "1"]] {
        let (code, object) = call(&folder, arguments);
        assert_eq!(code, 1, "{object}");
        let wanted = [
            ("Late", "holds"),
            ("Wraps", "holds"),
            ("Large", "violated"),
            ("Jumps", "violated"),
        ];
        for (name, verdict) in wanted {
            assert_eq!(property(&object, name)["verdict"], verdict, "{object}");
            assert_eq!(property(&object, name)["kind"], "possible");
        }
    }
    // What lies behind a constraint does not count.
    let configuration = "SPECIFICATION Spec CONSTRAINT Small _POSSIBLE Late";
    let folder = written("possible-cut", COUNTER, Some(configuration));
    let (code, object) = call(&folder, &[]);
    assert_eq!(code, 1, "{object}");
    assert_eq!(property(&object, "Late")["verdict"], "violated", "{object}");
    let (code, object) = call(&folder, &["--limit-states", "3"]);
    assert_eq!(code, 3, "{object}");
    assert_eq!(property(&object, "Late")["verdict"], "unknown", "{object}");
    let configuration = "SPECIFICATION Spec _POSSIBLE Ever";
    let folder = written("possible-temporal", COUNTER, Some(configuration));
    let evenhand = Evenhand::at(env!("CARGO_BIN_EXE_evenhand"));
    let (code, object) = evenhand
        .call(&["check", "Model.tla", "--format", "json"], &folder)
        .expect("an answer");
    assert_eq!(code, 2, "{object}");
    let said = object.to_string();
    assert!(said.contains("`Ever` is a temporal formula"), "{said}");
}

#[test]
fn an_alias_takes_the_place_of_the_variables() {
    let configuration = "SPECIFICATION Spec INVARIANT Small ALIAS Sum";
    let folder = written("alias", COUNTER, Some(configuration));
    let (code, object) = call(&folder, &[]);
    assert_eq!(code, 1, "{object}");
    let small = property(&object, "Small");
    assert_eq!(values(small, "sum"), [2, 3, 4, 5, 6]);
    assert_eq!(values(small, "level"), [1, 2, 3, 4, 5]);
    let configuration = "SPECIFICATION Spec INVARIANT Small ALIAS Later";
    let folder = written("alias-later", COUNTER, Some(configuration));
    let (_, object) = call(&folder, &[]);
    assert_eq!(values(property(&object, "Small"), "x"), [2, 3, 4, 4, 4]);
    let said = object["warnings"].to_string();
    assert!(said.contains("ALIAS reads the next state"), "{said}");
}

#[test]
fn a_view_makes_states_one_where_that_is_asked_of_states() {
    let configuration = "SPECIFICATION Spec INVARIANT Small VIEW Seen";
    let folder = written("view", COUNTER, Some(configuration));
    let (code, object) = call(&folder, &[]);
    assert_eq!(code, 0, "{object}");
    let wanted = serde_json::json!({"distinct": 5, "generated": 9, "depth": 3});
    assert_eq!(object["tlc"], wanted);
    let configuration = "SPECIFICATION Spec PROPERTY Ever VIEW Seen";
    let folder = written("view-temporal", COUNTER, Some(configuration));
    let (code, object) = call(&folder, &[]);
    assert_eq!(code, 1, "{object}");
    // States and ends are those of the view, as TLC counts them; whole runs are looked for among all states.
    assert_eq!(object["tlc"], wanted, "{object}");
    let said = object["warnings"].to_string();
    assert!(said.contains("whole runs it is left out"), "{said}");
}

#[test]
fn of_what_nobody_asked_nothing_is_told() {
    let configuration = "SPECIFICATION Spec PROPERTIES Grows Ever";
    let folder = written("silent", COUNTER, Some(configuration));
    let (code, object) = call(&folder, &[]);
    assert_eq!(code, 1, "{object}");
    assert_eq!(property(&object, "Grows")["verdict"], "holds", "{object}");
    let ever = property(&object, "Ever");
    let wanted = serde_json::json!(["from the start on, `(y = 2)` never holds"]);
    assert_eq!(ever["counterexample"]["why"], wanted);
    assert_eq!(ever["warnings"], serde_json::json!([]), "{ever}");
}

#[test]
fn an_error_in_a_property_of_initial_states_is_told() {
    let module = "---- MODULE Model ----
EXTENDS Naturals
VARIABLE x
Init == x \\in {<<1, 2, 3>>, <<1, 2>>}
Next == x' = x
Third == x[3] = 3
====
";
    let folder = written(
        "initial",
        module,
        Some("INIT Init NEXT Next PROPERTY Third"),
    );
    let (code, object) = call(&folder, &[]);
    assert_eq!(code, 1, "{object}");
    assert_eq!(
        property(&object, "runtime-error")["verdict"],
        "violated",
        "{object}"
    );
}

#[test]
fn the_symbolic_engine_says_why_it_cannot() {
    let folder = written("symbolic", COUNTER, Some("SPECIFICATION Spec VIEW Seen"));
    let (code, object) = call(&folder, &["--engine", "symbolic"]);
    assert_eq!(code, 2, "{object}");
    let said = object["errors"][0]["message"].as_str().unwrap_or_default();
    assert!(said.contains("states stand for others"), "{object}");
}

#[test]
fn a_call_takes_the_place_of_a_configuration() {
    let folder = written("call", COUNTER, None);
    let (code, object) = call(&folder, &[]);
    assert_eq!(code, 2, "{object}");
    let help = object["errors"][0]["help"].as_str().unwrap_or_default();
    assert!(help.contains("SPECIFICATION Spec"), "{object}");
    let usual = ["--init", "Init", "--next", "Next"];
    let (code, object) = call(&folder, &usual);
    assert_eq!(code, 0, "{object}");
    assert_eq!(object["tlc"]["distinct"], 15, "{object}");
    let invariants = ["--invariant", "Small", "--invariant", "Tiny"];
    let (code, object) = call(&folder, &[&usual[..], &invariants].concat());
    assert_eq!(code, 1, "{object}");
    assert_eq!(property(&object, "Small")["verdict"], "violated");
    assert_eq!(property(&object, "Tiny")["verdict"], "holds");
    // Any definition can be asked: of states, or of behaviours.
    let named = ["-p", "Small", "-p", "Ever"];
    let (code, object) = call(&folder, &[&usual[..], &named].concat());
    assert_eq!(code, 1, "{object}");
    assert_eq!(property(&object, "Small")["kind"], "invariant");
    assert_eq!(property(&object, "Ever")["kind"], "temporal");
    let (code, object) = call(&folder, &[&usual[..], &["-p", "Smal"]].concat());
    assert_eq!(code, 2, "{object}");
}

/// Whoever is first takes the token, and nobody gives it back. With symmetry each state stands for others.
const TOKEN: &str = r#"---- MODULE Model ----
EXTENDS TLC
CONSTANT P
VARIABLES has, order
Init == has = {} /\ order = <<>>
Take(p) == p \notin has /\ has' = has \union {p} /\ order' = <<p, order>>
Next == \E p \in P : Take(p)
Spec == Init /\ [][Next]_<<has, order>>
Some == has # P
Equal == Permutations(P)
====
"#;

#[test]
fn a_run_under_symmetry_is_one_of_the_specification() {
    let configuration = "SPECIFICATION Spec CONSTANT P = {a, b, c} SYMMETRY Equal INVARIANT Some";
    let folder = written("symmetry", TOKEN, Some(configuration));
    let (code, object) = call(&folder, &[]);
    assert_eq!(code, 1, "{object}");
    assert_eq!(object["tlc"]["distinct"], 4, "{object}");
    for name in ["Some", "deadlock"] {
        let found = property(&object, name);
        // Each state has what the one before it has, and one more.
        let orders = values(found, "order");
        assert_eq!(orders.len(), 4, "{found}");
        for pair in orders.windows(2) {
            let [before, after] = pair else { continue };
            let (before, after) = (before.as_str(), after.as_str());
            let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
            assert!(
                after.ends_with(&format!(", {before}>>")),
                "{before} {after}"
            );
        }
        assert_eq!(found["warnings"], serde_json::json!([]), "{found}");
    }
}

#[test]
fn steps_of_each_action_are_counted() {
    let folder = written("coverage", COUNTER, Some("SPECIFICATION Spec"));
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_evenhand"))
        .args(["check", "Model.tla", "-v"])
        .current_dir(folder)
        .output()
        .expect("the command runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        said.contains("steps of each action:\n  Next (line 5): 17 steps\n"),
        "{said}"
    );
}

/// It has no end, and the invariant breaks soon.
const ENDLESS: &str = r#"---- MODULE Model ----
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == \/ x' = x + 1 /\ UNCHANGED y
        \/ y' = y + 1 /\ UNCHANGED x
Spec == Init /\ [][Next]_<<x, y>>
Near == x + y < 4
Steps == [][x' < 3]_x
====
"#;

#[test]
fn one_search_answers_all_questions_about_states() {
    let configuration = "SPECIFICATION Spec INVARIANT Near PROPERTY Steps";
    let folder = written("endless", ENDLESS, Some(configuration));
    let (code, object) = call(&folder, &["--limit-states", "3000"]);
    assert_eq!(code, 1, "{object}");
    assert_eq!(property(&object, "Near")["verdict"], "violated");
    assert_eq!(property(&object, "Near")["counterexample"]["length"], 4);
    assert_eq!(
        property(&object, "Near")["counterexample"]["shortest"],
        true
    );
    assert_eq!(property(&object, "Steps")["verdict"], "violated");
    assert_eq!(property(&object, "Steps")["counterexample"]["length"], 3);
    assert_eq!(property(&object, "deadlock")["verdict"], "unknown");
}

const PRINTER: &str = r#"---- MODULE Model ----
EXTENDS Naturals, TLC
VARIABLES x, y
Init == x = 0 /\ y = 0 /\ PrintT("hello there")
Up == x < 2 /\ x' = x + 1 /\ UNCHANGED y
Stay == x = 9 /\ UNCHANGED <<x, y>>
Next == Up \/ Stay
Spec == Init /\ [][Next]_<<x, y>>
Low == x < 2
Late == CASE x = 0 -> <>(x = 2) [] OTHER -> TRUE
====
"#;

/// What a call prints: standard output, and standard error.
fn texts(folder: &Path, arguments: &[&str]) -> (String, String) {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_evenhand"));
    let done = command
        .args(["check", "Model.tla", "--threads", "1"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (text(done.stdout), text(done.stderr))
}

#[test]
fn runs_are_laid_out_as_tlc_prints_them() {
    let configuration = "SPECIFICATION Spec\nINVARIANT Low\nCHECK_DEADLOCK FALSE\n";
    let folder = written("layout", PRINTER, Some(configuration));
    let (shown, _) = texts(&folder, &["--layout", "tlc"]);
    let wanted = [
        "Error: The behavior up to this point is:",
        "State 1: <Initial predicate>\n/\\ x = 0\n/\\ y = 0\n",
        "State 3: <Up line 5, col 7 to line 5, col 40 of module Model>\n/\\ x = 2\n/\\ y = 0\n",
    ];
    for part in wanted {
        assert!(shown.contains(part), "`{part}` is missing in {shown}");
    }
    // Without fairness nobody has to move.
    let configuration = "SPECIFICATION Spec\nPROPERTY Late\nCHECK_DEADLOCK FALSE\n";
    let folder = written("layout-lasso", PRINTER, Some(configuration));
    let (shown, _) = texts(&folder, &["--layout", "tlc"]);
    assert!(shown.contains("violated"), "{shown}");
    assert!(shown.contains("State 2: Stuttering"), "{shown}");
}

#[test]
fn what_assumptions_print_is_told_without_variables() {
    let module = "---- MODULE Model ----\nEXTENDS TLC, Naturals\nASSUME PrintT(\"hello\")\nASSUME Print(1 + 1, TRUE)\n====\n";
    let folder = written("assumptions", module, None);
    let (shown, printed) = texts(&folder, &[]);
    assert!(shown.contains("holds           assumption_1"), "{shown}");
    assert!(printed.contains("\"hello\"\n2  TRUE\n"), "{printed}");
}

#[test]
fn an_algorithm_without_a_translation_is_never_passed_over() {
    let module = "---- MODULE Model ----\nEXTENDS Naturals\n(* --algorithm a\nvariables x = 0;\nbegin\n A: x := 1;\nend algorithm; *)\n====\n";
    let folder = written("untranslated", module, None);
    let (_, told) = texts(&folder, &[]);
    assert!(
        told.contains("this PlusCal algorithm has no translation"),
        "{told}"
    );
    // Assumptions are something to be asked.
    let folder = written(
        "untranslated",
        &module.replace("====", "ASSUME 1 + 1 = 2\n===="),
        None,
    );
    let (shown, told) = texts(&folder, &[]);
    assert!(shown.starts_with("holds           assumption_0"), "{shown}");
    assert!(
        told.contains("this PlusCal algorithm has no translation"),
        "{told}"
    );
}

#[test]
fn modules_are_found_in_folders_of_the_call() {
    let folder = written(
        "included",
        "---- MODULE Model ----\nEXTENDS Beside\nASSUME One = 1\n====\n",
        None,
    );
    let beside = folder.join("beside");
    std::fs::create_dir_all(&beside).expect("a folder");
    std::fs::write(
        beside.join("Beside.tla"),
        "---- MODULE Beside ----\nOne == 1\n====\n",
    )
    .expect("a module");
    for option in ["-I", "--include"] {
        let (shown, told) = texts(&folder, &[option, "beside"]);
        assert!(
            shown.starts_with("holds           assumption_0"),
            "{shown}{told}"
        );
    }
}

#[test]
fn what_is_printed_and_never_met_is_told() {
    let configuration = "SPECIFICATION Spec\nCHECK_DEADLOCK FALSE\n";
    let folder = written("printed", PRINTER, Some(configuration));
    let (shown, printed) = texts(&folder, &["-v"]);
    assert!(printed.contains("\"hello there\""), "{printed}");
    assert!(
        shown.contains("x = 9") && shown.contains("never true"),
        "{shown}"
    );
    let (_, quiet) = texts(&folder, &["-q"]);
    assert!(!quiet.contains("hello"), "{quiet}");
    let (json, _) = texts(&folder, &["--format", "json"]);
    assert!(!json.contains("hello"), "{json}");
}

#[test]
fn an_assumption_holds_whatever_happens_to_states() {
    let module = "---- MODULE Model ----
EXTENDS Naturals
VARIABLE x
ASSUME 1 + 1 = 2
Init == x = 1
Next == x' = <<2, 3>>[x]
====
";
    let folder = written("assumes", module, Some("INIT Init NEXT Next"));
    for options in [&[][..], &["--processes", "2"], &["--engine", "symbolic"]] {
        let (_, object) = call(&folder, options);
        assert_eq!(property(&object, "assumption_0")["verdict"], "holds");
        assert_eq!(property(&object, "runtime-error")["verdict"], "violated");
    }
}
