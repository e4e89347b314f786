//! What a `holds` is worth is said: names of processes that do not exist, fairness that it rests on,
//! comments that were meant as fairness, numbers that are too large, and answers that are none.
//! Each example has generated siblings, so that no rule is about the example alone.

use std::path::{Path, PathBuf};
use std::process::Command;

use evenhand_source::SplitMix64;
use serde_json::Value;

struct Said {
    code: Option<i32>,
    out: String,
    errors: String,
}

fn call(arguments: &[&str]) -> Said {
    let output = Command::new(env!("CARGO_BIN_EXE_evenhand"))
        .args(arguments)
        .env("NO_COLOR", "1")
        .output()
        .expect("evenhand runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the output is text");
    Said {
        code: output.status.code(),
        out: text(output.stdout),
        errors: text(output.stderr),
    }
}

fn file(name: &str, text: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("never_silent");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path: PathBuf = folder.join(name);
    std::fs::write(&path, text).expect("a file");
    path.display().to_string()
}

/// A model in which `init` starts some processes before so many of another type; the formula is about one.
fn started(before: usize, count: usize, ends: bool, formula: &str) -> String {
    let body = if ends { "skip" } else { "do :: n = 1 - n od" };
    let runs = "run other(); ".repeat(before) + &"run user(); ".repeat(count);
    format!(
        "byte n;\nproctype other() {{ {body} }}\n\
         proctype user() {{ do :: n == 0 -> n = 1; crit: n = 0 od }}\n\
         init {{ {runs} }}\nltl l {{ {formula} }}\n"
    )
}

/// Which numbers some process of type `user` has in some reachable state, found by asking.
fn numbers(before: usize, count: usize, ends: bool) -> Vec<usize> {
    let is_there = |number: &usize| {
        let formula = format!("[] !user[{number}]@crit");
        let model = file("asked.pml", &started(before, count, ends, &formula));
        let said = call(&["check", "-q", "-p", "l", &model]);
        assert!(matches!(said.code, Some(0 | 1)), "{}", said.errors);
        said.code == Some(1)
    };
    (0..before + count + 3).filter(is_there).collect()
}

#[test]
fn a_number_that_is_never_of_a_type_is_said_to_be_none() {
    // The example, and siblings with others before, which may end and give their numbers back.
    let mut random = SplitMix64::new(7);
    let mut cases = vec![(0, 3, false)];
    for _ in 0..4 {
        cases.push((random.below(3), 1 + random.below(2), random.below(2) == 0));
    }
    let mut warned = 0;
    for (before, count, ends) in cases {
        let known = numbers(before, count, ends);
        for number in 0..before + count + 3 {
            let formula = format!("[] !user[{number}]@crit");
            let model = file("numbers.pml", &started(before, count, ends, &formula));
            let said = call(&["check", "-q", "-p", "l", &model]);
            let is_warned = said.errors.contains("numbers.pml:5:13");
            // Nothing is said that is not so.
            assert!(
                !(is_warned && known.contains(&number)),
                "{number} of {before}, {count}, {ends}: {}",
                said.errors
            );
            warned += usize::from(is_warned);
            if !ends || number == 0 || number > before + count {
                assert_eq!(
                    is_warned,
                    !known.contains(&number),
                    "{number} of {before}, {count}, {ends}: {}",
                    said.errors
                );
                assert!(
                    !is_warned || said.errors.contains("= help: "),
                    "{}",
                    said.errors
                );
            }
        }
    }
    assert!(warned > 10, "{warned}");
    // What the user forgot is said.
    let model = file("users.pml", &started(0, 3, false, "[] !user[0]@crit"));
    let said = call(&["check", "-p", "l", &model]);
    let help = "processes of type `user` have the numbers 1 to 3; `init` is process 0";
    assert!(said.errors.contains(help), "{}", said.errors);
    // It is said of variables and of formulas of the call too, and in JSON.
    let formula = "[] (user[0]@crit -> user[9]@crit)";
    let said = call(&["check", "--ltl", formula, "--format", "json", &model]);
    let json: Value = serde_json::from_str(&said.out).expect("JSON");
    let warnings = json["warnings"].as_array().expect("a list");
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    // Advice on such a property is worth as little.
    let said = call(&["advise", "--ltl", "[] <> user[0]@crit", &model]);
    assert!(
        said.out.contains("process 0 is never of type `user`"),
        "{}",
        said.out
    );
}

#[test]
fn which_of_several_processes_is_meant_is_said() {
    for (count, name) in [
        (3, "client"),
        (2, "worker"),
        (5, "p"),
        (4, "long_name_of_one"),
    ] {
        let model = |count: usize| {
            file(
                "several.pml",
                &format!(
                    "byte n;\nactive [{count}] proctype {name}() {{ n++; want: n--; end: false }}\n\
                     ltl l {{ [] !{name}@want }}\n"
                ),
            )
        };
        let said = call(&["check", "-q", &model(count)]);
        let message = format!("there may be several processes of type `{name}`");
        let help = format!("`{name}[0]@want`");
        assert!(said.errors.contains(&message), "{}", said.errors);
        assert!(said.errors.contains(&help), "{}", said.errors);
        let said = call(&["check", "-q", &model(1)]);
        assert!(said.errors.is_empty(), "{}", said.errors);
    }
    // One that is started on one of two ways is one.
    let model = file(
        "one.pml",
        "byte n;\nproctype a() { n++; here: n-- }\nproctype b() { n++ }\n\
         init { if :: run a(); run b() :: run a() fi }\nltl l { [] !a@here }\n",
    );
    let said = call(&["check", "-q", &model]);
    assert!(said.errors.is_empty(), "{}", said.errors);
}

const TOGGLE: &str = "bool x;\nactive proctype p() { do :: x = !x od }\n\
                      active proctype q() { do :: skip od }\nltl l { []<> x }\n";

#[test]
fn a_verdict_names_the_fairness_that_it_rests_on() {
    for fair in ["weak:p", "weak", "strong:p[0]", "just:x"] {
        let own = file("declared.pml", &format!("/*@ fair {fair} */\n{TOGGLE}"));
        let plain = file("given.pml", TOGGLE);
        let declared = call(&["check", "-p", "l", &own]);
        let note = format!("note: l: checked on fair runs only: the model declares {fair}\n");
        assert!(declared.out.contains(&note), "{}", declared.out);
        let given = call(&["check", "-p", "l", "--fair", fair, &plain]);
        let note = format!("note: l: checked on fair runs only: {fair}\n");
        assert!(given.out.contains(&note), "{}", given.out);
        let both = call(&["check", "-p", "l", "--fair", "just:!x", &own]);
        let note = format!("checked on fair runs only: just:!x; the model declares {fair}\n");
        assert!(both.out.contains(&note), "{}", both.out);
        // Without it the verdict is another one, and no fairness is named.
        let none = call(&["check", "-p", "l", "--no-fairness", &own]);
        assert_eq!(none.code, Some(1));
        assert!(!none.out.contains("fair runs only"), "{}", none.out);
        let json = call(&["check", "-p", "l", "--format", "json", &own]);
        let json: Value = serde_json::from_str(&json.out).expect("JSON");
        assert_eq!(json["properties"][0]["fairness"][0], *fair);
    }
}

#[test]
fn a_comment_that_is_nearly_fairness_is_told() {
    let comments = [
        "/*@ fiar weak */",
        "//@ fari weak:p",
        "/*@ fairness strong */",
        "/*@ Fair just:x */",
        "/* @ fair weak */",
        "//@ strong:p",
    ];
    for comment in comments {
        let model = file("slip.pml", &format!("{comment}\n{TOGGLE}"));
        let said = call(&["check", "-p", "l", &model]);
        assert_eq!(said.code, Some(1), "it is no assumption: {comment}");
        assert!(
            said.errors.contains("no fairness assumption"),
            "{}",
            said.errors
        );
        assert!(said.errors.contains("slip.pml:1:"), "{}", said.errors);
        assert!(said.errors.contains("write `/*@ fair "), "{}", said.errors);
    }
    for comment in [
        "/*@ requires x */",
        "/* fair enough */",
        "//@ todo",
        "/* weak */",
    ] {
        let model = file("prose.pml", &format!("{comment}\n{TOGGLE}"));
        let said = call(&["check", "-p", "l", &model]);
        assert!(!said.errors.contains("no fairness"), "{}", said.errors);
    }
}

/// A model of so many free truth values.
fn free(bits: usize) -> String {
    let variables: String = (0..bits).map(|n| format!(" x{n} : boolean;\n")).collect();
    format!("MODULE main\nVAR\n{variables}INVARSPEC TRUE;\n")
}

#[test]
fn many_states_are_counted() {
    for bits in [100_u32, 64, 65, 110] {
        let model = file("many.smv", &free(bits as usize));
        let said = call(&["check", "--engine", "symbolic", "-p", "invar_0", &model]);
        let exact = 1_u128 << bits;
        assert!(
            said.out.contains(&format!("({exact} states, ")),
            "{}",
            said.out
        );
        let said = call(&[
            "check",
            "--engine=symbolic",
            "-p",
            "invar_0",
            "--format=json",
            &model,
        ]);
        let json: Value = serde_json::from_str(&said.out).expect("JSON");
        let states = json["properties"][0]["states"].as_f64();
        assert_eq!(states, Some(2_f64.powi(bits as i32)));
    }
    let below = file("below.smv", &free(63));
    let said = call(&[
        "check",
        "--engine=symbolic",
        "-p",
        "invar_0",
        "--format=json",
        &below,
    ]);
    let json: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(json["properties"][0]["states"].as_u64(), Some(1 << 63));
    for (bits, text) in [
        (200, "(about 1.607e60 states, "),
        (1100, "(more than 1e308 states, "),
    ] {
        let model = file("huge.smv", &free(bits));
        let said = call(&["check", "--engine", "symbolic", "-p", "invar_0", &model]);
        assert!(said.out.contains(text), "{}", said.out);
        let said = call(&[
            "check",
            "--engine=symbolic",
            "-p",
            "invar_0",
            "--format=json",
            &model,
        ]);
        let json: Value = serde_json::from_str(&said.out).expect("JSON");
        assert!(json["properties"][0]["states"].is_number());
    }
}

#[test]
fn a_number_that_is_asked_for_is_no_verdict() {
    for (what, value) in [("MIN", 3), ("MAX", 3)] {
        for step in [1, 3] {
            let model = file(
                "compute.smv",
                &format!(
                    "MODULE main\nVAR n : 0..9;\nASSIGN init(n) := 0; next(n) := (n + {step}) mod 10;\n\
                     COMPUTE {what} [n = 0, n = {}];\n",
                    3 * step
                ),
            );
            let said = call(&["check", "-p", "compute_0", &model]);
            assert!(
                said.out.starts_with("computed        compute_0"),
                "{}",
                said.out
            );
            assert!(
                said.out.contains(&format!("] = {value}  (")),
                "{}",
                said.out
            );
            let json = call(&["check", "-p", "compute_0", "--format", "json", &model]);
            let json: Value = serde_json::from_str(&json.out).expect("JSON");
            let property = &json["properties"][0];
            // The words of the contract stay.
            assert_eq!(property["verdict"], "holds");
            assert_eq!(
                (&property["kind"], &property["value"]),
                (&"compute".into(), &value.into())
            );
        }
    }
}
