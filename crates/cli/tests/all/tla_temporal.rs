//! Temporal properties of specifications, as the command answers them: many parts, what is said about a violation and
//! about what holds for nothing, advice on the fairness that a specification states, and proofs that are kept.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Standard output and exit status of a call in the root of the repository.
fn evenhand(arguments: &[&str]) -> (String, i32) {
    let output = Command::new(env!("CARGO_BIN_EXE_evenhand"))
        .args(arguments)
        .current_dir(root())
        .output()
        .expect("the command runs");
    let text = String::from_utf8(output.stdout).expect("text");
    (text, output.status.code().expect("a status"))
}

fn json(arguments: &[&str]) -> (Value, i32) {
    let (text, code) = evenhand(&[arguments, &["--format", "json"]].concat());
    let value = serde_json::from_str(&text);
    (value.unwrap_or_else(|_| panic!("no JSON: {text}")), code)
}

/// A specification with its configuration, in files of their own.
fn written(name: &str, module: &str, configuration: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tla-temporal");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(format!("{name}.tla"));
    let text = format!("---- MODULE {name} ----\n{module}\n====\n");
    std::fs::write(&path, text).expect("the module");
    std::fs::write(path.with_extension("cfg"), configuration).expect("the configuration");
    path.to_string_lossy().into_owned()
}

fn warnings(model: &str, property: &str) -> Vec<String> {
    let (found, _) = json(&["check", model, "-p", property]);
    let list = found["properties"][0]["warnings"].as_array().cloned();
    let list = list.unwrap_or_default().into_iter();
    list.filter_map(|warning| warning.as_str().map(str::to_string))
        .collect()
}

#[test]
fn two_hundred_conditions_and_two_hundred_parts_are_decided() {
    let model = "models/tla/Bus.tla";
    for property in ["EachInTurn", "EachAfterFree"] {
        let many = ["check", model, "--constant", "N = 200", "-p", property];
        let (found, code) = json(&many);
        let property = &found["properties"][0];
        assert_eq!((&property["verdict"], code), (&"holds".into(), 0));
        assert_eq!(property["states"], 402);
        let nodes = property["product_states"].as_u64().expect("a number");
        assert!(nodes <= 402 * 201, "{nodes} nodes");
    }
}

#[test]
fn the_part_that_is_broken_is_named() {
    let weak = "models/tla/PhilosophersWeak.cfg";
    let model = "models/tla/Philosophers.tla";
    let (text, code) = evenhand(&["check", model, "--config", weak, "-p", "NoStarvation"]);
    assert_eq!(code, 1, "{text}");
    let named = "of its 4 parts, `[] ((state[p] = \"hungry\"[p = 1]) -> <> (state[p] = \"eats\"[p = 1]))` is broken";
    assert!(text.contains(named), "{text}");
}

const COUNTER: &str = "EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = n + 1
Spec == Init /\\ [][Next]_n /\\ WF_n(Next)
Small == n < 3
Stays == <>[](n < 3)";

#[test]
fn states_that_a_constraint_cuts_off_are_counted() {
    let asked = "SPECIFICATION Spec\nCONSTRAINT Small\nPROPERTY Stays\n";
    let model = written("Cut", COUNTER, asked);
    let said = warnings(&model, "Stays");
    let cut = "`inside of the constraints` does not hold in 1 of 4 states";
    assert!(said.iter().any(|text| text.starts_with(cut)), "{said:?}");
}

#[test]
fn an_assumption_that_no_run_keeps_is_told() {
    let module = "EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == (x < 2 /\\ x' = x + 1) \\/ (x = 2 /\\ x' = 1)
Spec == Init /\\ [][Next]_x /\\ WF_x(Next)
Back == []<>(x = 0) => []<>(x = 2)
Goes == []<>(x = 1) => []<>(x = 2)";
    let asked = "SPECIFICATION Spec\nPROPERTIES Back Goes\n";
    let model = written("Left", module, asked);
    let said = warnings(&model, "Back");
    let unmet = "the property holds because its left side never does";
    assert!(said.iter().any(|text| text.ends_with(unmet)), "{said:?}");
    let said = warnings(&model, "Goes");
    assert!(!said.iter().any(|text| text.ends_with(unmet)), "{said:?}");
}

#[test]
fn what_always_holds_by_itself_is_no_news() {
    for (model, property) in [
        ("models/tla/RingBuffer.tla", "IsQueue"),
        ("models/tla/Peterson.tla", "Entry"),
    ] {
        assert_eq!(warnings(model, property), [""; 0], "{model}");
    }
}

/// The minimal assignments that `advise` finds.
fn advised(arguments: &[&str]) -> Vec<Vec<String>> {
    let (found, _) = json(&[&["advise"], arguments].concat());
    let texts = |one: &Value| {
        let list = one["fairness"].as_array().cloned().unwrap_or_default();
        let list = list.iter().filter_map(Value::as_str);
        list.map(str::to_string).collect()
    };
    let list = found["advice"][0]["assignments"].as_array().cloned();
    list.unwrap_or_default().iter().map(texts).collect()
}

/// The verdict under these assumptions alone.
fn verdict(model: &str, property: &str, fairness: &[String]) -> String {
    let mut arguments = vec!["check", model, "-p", property, "--no-fairness"];
    for one in fairness {
        arguments.extend(["--fair", one]);
    }
    let (found, _) = json(&arguments);
    found["properties"][0]["verdict"].to_string()
}

#[test]
fn advice_is_about_what_the_specification_states() {
    let rows: [(&str, &str, &str, &[&str]); 5] = [
        (
            "models/tla/Philosophers.tla",
            "NoStarvation",
            "type",
            &[
                "SF_vars(TakeFirst(p))",
                "SF_vars(TakeSecond(p))",
                "WF_vars(Done(p))",
            ],
        ),
        (
            "models/tla/Semaphore.tla",
            "Entry",
            "instance",
            &[
                "SF_vars(Enter(p)) with p = p1",
                "SF_vars(Enter(p)) with p = p2",
                "WF_vars(Leave(p)) with p = p1",
                "WF_vars(Leave(p)) with p = p2",
            ],
        ),
        (
            "models/tla/AlternatingBit.tla",
            "Arrives",
            "type",
            &["SF_vars(Receive)", "WF_vars(Send)", "WF_vars(Acknowledged)"],
        ),
        (
            "models/tla/Bus.tla",
            "LastLeads",
            "instance",
            &["SF_vars(Grant(d)) with d = 1", "WF_vars(Release)"],
        ),
        (
            "models/tla/RingBuffer.tla",
            "Moves",
            "type",
            &["WF_vars(Begin)", "WF_vars(End)"],
        ),
    ];
    for (model, property, by, expected) in rows {
        let found = advised(&[model, "-p", property, "--by", by]);
        assert_eq!(found, [expected], "{model} {property}");
        // The answer is tried out, and so is each that lacks a part of it or has it weaker.
        assert_eq!(verdict(model, property, &found[0]), "\"holds\"", "{model}");
        for place in 0..found[0].len() {
            let mut less = found[0].clone();
            match less[place]
                .strip_prefix("SF_")
                .map(|rest| format!("WF_{rest}"))
            {
                Some(weaker) => less[place] = weaker,
                None => _ = less.remove(place),
            }
            assert_eq!(verdict(model, property, &less), "\"violated\"", "{less:?}");
        }
    }
}

#[test]
fn advice_is_written_as_conjuncts() {
    let rows = [
        (
            "models/tla/Semaphore.tla",
            "Entry",
            "type",
            "\\* for Entry:\n/\\ \\A p \\in Proc : SF_vars(Enter(p))\n/\\ \\A p \\in Proc : WF_vars(Leave(p))\n",
        ),
        (
            "models/tla/Bus.tla",
            "LastLeads",
            "instance",
            "\\* for LastLeads:\n/\\ \\A d \\in {1} : SF_vars(Grant(d))\n/\\ WF_vars(Release)\n",
        ),
        (
            "models/tla/Semaphore.tla",
            "Progress",
            "label",
            "\\* for Progress:\n/\\ WF_vars(\\E a1 \\in ... : Enter(a1))\n",
        ),
    ];
    for (model, property, by, expected) in rows {
        let arguments = ["advise", model, "-p", property, "--by", by, "--write"];
        assert_eq!(evenhand(&arguments).0, expected, "{model} {property}");
    }
}

#[test]
fn proofs_of_temporal_properties_are_kept_and_checked() {
    let rows = [
        ("Semaphore", "Entry", "everywhere"),
        ("Philosophers", "NoStarvation", "everywhere"),
        ("Bus", "EachAfterFree", "everywhere"),
        ("RingBuffer", "Moves", "everywhere"),
        // About steps, which the states have in them.
        ("TwoPhase", "Refines", "ignore"),
    ];
    for (model, property, reading) in rows {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("tla-{model}.proofs"));
        let file = file.to_string_lossy();
        let path = format!("models/tla/{model}.tla");
        let (_, code) = evenhand(&["check", &path, "-p", property, "--certificate", &file]);
        assert_eq!(code, 0, "{model}");
        let (found, code) = json(&["certify", &file, &path]);
        let proof = &found["certificates"][0];
        assert_eq!((&proof["proved"], code), (&true.into(), 0), "{found}");
        assert_eq!(proof["automaton"], "shown", "{found}");
        assert_eq!(proof["finished_runs"], reading, "{found}");
        // Of a specification with less fairness it proves nothing.
        let weak = format!("models/tla/{model}Weak.cfg");
        if root().join(&weak).exists() {
            let (found, code) = json(&["certify", &file, &path, "--config", &weak]);
            let proof = &found["certificates"][0];
            assert_eq!((&proof["proved"], code), (&false.into(), 1), "{found}");
        }
    }
}

/// What is asked of single states beside runs is asked by bounded checks and by several processes, too; and a proof that
/// is kept is checked with it. No fair run passes the state that breaks `Both`.
#[test]
fn parts_about_single_states_are_asked_everywhere() {
    let module = "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x = 0 /\\ x' = 1\n\
                  Away == x' = 5\nSpec == Init /\\ [][Next]_x /\\ WF_x(Away)\n\
                  Both == [](x = 0) /\\ <>(x = 7)\nKept == [](x < 3) /\\ <>(x = 7)";
    let configuration = "SPECIFICATION Spec\nPROPERTIES Both Kept\nCHECK_DEADLOCK FALSE\n";
    let model = written("StuckParts", module, configuration);
    let ways: [&[&str]; 4] = [
        &[],
        &["--max-depth", "5"],
        &["--processes", "2"],
        &["--certify", "full"],
    ];
    for way in ways {
        let (found, code) = json(&[&["check", &model, "-p", "Both"], way].concat());
        let property = &found["properties"][0];
        assert_eq!(
            (&property["verdict"], code),
            (&"violated".into(), 1),
            "{way:?}"
        );
        assert_eq!(
            property["counterexample"]["length"], 1,
            "{way:?} {property}"
        );
        let (found, code) = json(&[&["check", &model, "-p", "Kept"], way].concat());
        let property = &found["properties"][0];
        assert_eq!(
            (&property["verdict"], code),
            (&"holds".into(), 0),
            "{way:?}"
        );
    }
    let (found, _) = json(&["check", &model, "-p", "Both", "--max-depth", "0"]);
    assert_eq!(found["properties"][0]["verdict"], "unknown");
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tla-StuckParts.proofs");
    let file = file.to_string_lossy();
    let (_, code) = evenhand(&["check", &model, "-p", "Kept", "--certificate", &file]);
    assert_eq!(code, 0);
    let (found, code) = json(&["certify", &file, &model]);
    assert_eq!(
        (&found["certificates"][0]["proved"], code),
        (&true.into(), 0),
        "{found}"
    );
}

const SWITCH: &str = "EXTENDS Naturals
VARIABLE x
Init == x = 0
On == x = 0 /\\ x' = 1 (* a comment *)
Off == x = 1 /\\ x' = 0 \\* another one
Next == On \\/ Off
InParentheses == Init /\\ [][Next]_x /\\ (WF_x(On)) /\\ ((SF_x( \\* from time to time
   Off)))
Named(i) == WF_x(x = i /\\ x' = 1 - i)
ByName == Init /\\ [][Next]_x /\\ \\A p \\in 0..1 : Named(p)
OnAgain == []<><<On>>_x
OffAgain == []<><<Off>>_x
Comes == <>(x = 1)";

#[test]
fn proofs_about_steps_of_several_properties_are_kept() {
    let configuration = "SPECIFICATION InParentheses\nCHECK_DEADLOCK FALSE";
    let model = written("Switch", SWITCH, configuration);
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("switch.proofs");
    let kept = kept.to_string_lossy();
    let asked = [
        "check",
        &model,
        "-p",
        "OnAgain",
        "-p",
        "OffAgain",
        "--certificate",
        &kept,
    ];
    let (found, code) = json(&asked);
    assert_eq!(code, 0, "{found}");
    let (found, code) = json(&["certify", &kept, &model]);
    assert_eq!(code, 0, "{found}");
    let list = found["certificates"].as_array().expect("certificates");
    assert_eq!(list.len(), 2, "{found}");
    assert!(list.iter().all(|one| one["proved"] == true), "{found}");
}

#[test]
fn fairness_in_parentheses_is_called_by_what_it_is() {
    let configuration = "SPECIFICATION InParentheses\nCHECK_DEADLOCK FALSE";
    let model = written("Parentheses", SWITCH, configuration);
    assert_eq!(advised(&[&model, "-p", "Comes"]), [["WF_x(On)"]]);
    let (text, _) = evenhand(&["advise", &model, "-p", "OnAgain", "--write"]);
    assert!(
        text.contains("/\\ WF_x(On)") && text.contains("/\\ WF_x(Off)"),
        "{text}"
    );
    let given = [
        "check",
        &model,
        "-p",
        "Comes",
        "--no-fairness",
        "--fair",
        "WF_x(On)",
        "-q",
    ];
    assert_eq!(evenhand(&given).1, 0);
}

#[test]
fn names_that_are_arguments_are_told() {
    let configuration = "SPECIFICATION ByName\nCHECK_DEADLOCK FALSE";
    let model = written("ByName", SWITCH, configuration);
    let (found, code) = json(&["check", &model, "-p", "Comes"]);
    assert_eq!(code, 0, "{found}");
    let fairness = found["properties"][0]["fairness"]
        .as_array()
        .expect("a list");
    let texts: Vec<&str> = fairness.iter().filter_map(Value::as_str).collect();
    let condition = "WF_x(x = i /\\ x' = 1 - i)";
    let expected = [
        format!("{condition} with i = 0"),
        format!("{condition} with i = 1"),
    ];
    assert_eq!(texts, expected);
}

#[test]
fn fairness_that_nobody_can_keep_is_told() {
    let text = "EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = 1 - x
Spec == Init /\\ [][Next]_x /\\ WF_x(x' = 99)
Stays == <>[](x = 0)";
    let model = written("Vain", text, "SPECIFICATION Spec\nPROPERTY Stays");
    let told = warnings(&model, "Stays");
    let is_told = told
        .iter()
        .any(|one| one.contains("there is no fair run at all"));
    assert!(is_told, "{told:?}");
}

#[test]
fn a_refinement_says_which_step_it_does_not_allow() {
    let abstract_text = "EXTENDS Naturals
VARIABLE b
Init == b = 0
Flip == b' = 1 - b
Spec == Init /\\ [][Flip]_b /\\ WF_b(Flip)";
    written("Flips", abstract_text, "");
    let text = "EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % 4
Spec == Init /\\ [][Next]_x /\\ WF_x(Next)
F == INSTANCE Flips WITH b <- x
Refines == F!Spec";
    let model = written("Counts", text, "SPECIFICATION Spec\nPROPERTY Refines");
    let (text, code) = evenhand(&["check", &model]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("[Flip]_b"), "{text}");
    // It is a step that is wrong, and no run that stays somewhere for ever.
    assert!(!text.contains("why this run is fair"), "{text}");
}
